/* Kinds and well-formed types: rules 1 to 13.
 *
 * A type variable whose kind is written has that kind.  One whose kind is not written starts as
 * TYP, the weakest, and is narrowed by what the body does with it; callers are checked later,
 * against what came out.  Recursion is bounded by the depth of types.
 *
 * The kinds are a chain, BT < GT < TYP (rules 6 and 7), with bounds below it: classes of scalar
 * types, on whose variables scalar operators work (type classes, where a class is a set of types
 * and needs no dictionary).  Having a kind is inclusion, and inference is a meet: each use narrows
 * a variable to what both have in common.  A bound is for type parameters of functions, as an
 * operation on such a variable needs to know the instance (needs_instance).  LVL is apart, as level
 * variables are variables of another sort. */
#include "ir/check/impl.h"

/* The kinds of the variables that the forall types around bind, innermost first. */
typedef struct binders {
    const struct binders *up;
    kind k;
} binders;

/* Follows a de Bruijn index; TYP for binders that are not known. */
static kind kind_of_bound(const binders *b, uint32_t index)
{
    for (; b && index; index--)
        b = b->up;
    return b ? b->k : KIND_TYP;
}

static kind kind_of_var(const checker *c, ir_tvar v)
{
    kind k = (kind)c->m->tvars.at[v].kind;
    return k == KIND_NONE ? KIND_TYP : k;
}

/* Whether it is a type parameter of a function: of an fn it has no bound. */
static bool is_function_parameter(const checker *c, ir_tvar v)
{
    const func_node *f = ir_func_at(c->m, c->m->tvars.at[v].func);
    return v >= f->tparams && v - f->tparams < f->ntypes;
}

/* False for an annotated variable, whose kind is its promise to callers, and where nothing is of
 * both kinds.  Remembers where, for the note. */
static bool narrow(checker *c, ir_tvar v, kind k)
{
    tvar_node *n = &c->m->tvars.at[v];
    kind both = ir_kind_meet((kind)n->kind, k);
    if (n->annotated || !both || (ir_kind_is_bound(both) && !is_function_parameter(c, v)))
        return false;
    n->kind = (uint8_t)both;
    if (v < c->kind_locs.len)
        c->kind_locs.at[v] = ir_op_at(c->m, c->op)->loc;
    return true;
}

/* ---- facts: they hold as long as the stamp does, since kinds are only narrowed ---- */

enum { WELL_FORMED = 1, OF_KIND = 2 }; /* OF_KIND << (k - 1) */

static bool known(const checker *c, ir_type t, uint32_t fact)
{
    return t < c->facts.len && c->facts.at[t].stamp == c->stamp && (c->facts.at[t].known & fact);
}

/* Facts under a stamp are never taken back: variables may go out of scope, which changes the
 * stamp. */
static void learn(checker *c, ir_type t, uint32_t fact)
{
    while (c->facts.len <= t)
        if (!vec_push(&c->cx->mem, &c->facts, ((type_facts){0})))
            return;
    type_facts *f = &c->facts.at[t];
    f->known = f->stamp == c->stamp ? f->known | fact : fact;
    f->stamp = c->stamp;
}

static bool kinded(checker *c, ir_type t, kind k, const binders *env, ir_tvar *why);

/* Rule 5: a tuple has the kind of its components.  Remembered outside of binders only, where a type
 * means the same wherever it stands. */
static bool kinded_items(checker *c, ir_type t, kind k, const binders *env, ir_tvar *why)
{
    uint32_t fact = (uint32_t)OF_KIND << (k - 1);
    if (ir_kind_is_bound(k))
        return false;
    if (known(c, t, fact))
        return true;
    for (uint32_t i = 0; i < ir_type_at(c->m, t)->n; i++)
        if (!kinded(c, type_item(c->m, t, i), k, env, why))
            return false;
    if (!env)
        learn(c, t, fact);
    return true;
}

/* Whether t has kind k; *why is the variable that prevents it, if one does.  Rules 1 to 11; narrows
 * on the way, so asking is also telling. */
static bool kinded(checker *c, ir_type t, kind k, const binders *env, ir_tvar *why)
{
    const type_node n = *ir_type_at(c->m, t);
    switch ((type_kind)n.kind) {
    case TY_ERROR: return true;
    case TY_SCALAR: return ir_kind_holds(k, (scalar)n.a);
    case TY_BOUND: return ir_kind_within(kind_of_bound(env, n.a), k);
    case TY_VAR:
        if (ir_kind_within(kind_of_var(c, n.a), k) || narrow(c, n.a, k))
            return true;
        *why = n.a;
        return false;
    case TY_TUPLE: return kinded_items(c, t, k, env, why);
    case TY_PULL:
    case TY_PUSH: return ir_kind_within(KIND_GT, k);
    case TY_FUN:
    case TY_LVLFN:
    case TY_FORALL: return ir_kind_within(KIND_TYP, k);
    }
    return false;
}

bool check_has_kind(checker *c, ir_type t, kind k)
{
    ir_tvar why = 0;
    return kinded(c, t, k, NULL, &why);
}

void check_note_kind(checker *c, ir_tvar v)
{
    ir_module *m = c->m;
    const char *name = ir_str(m, m->tvars.at[v].name), *k = ir_kind_name(kind_of_var(c, v));
    uint32_t loc = v < c->kind_locs.len ? c->kind_locs.at[v] : 0;
    if (m->tvars.at[v].annotated)
        diag_note_add(c->cx, ir_loc_at(m, ir_func_at(m, m->tvars.at[v].func)->loc),
                      "'%s is annotated with kind %s", name, k);
    else if (loc)
        diag_note_add(c->cx, ir_loc_at(m, loc), "'%s has kind %s because of what is done here",
                      name, k);
}

static const char *kind_meaning(kind k)
{
    switch (k) {
    case KIND_BT: return "a scalar, or a tuple of scalars";
    case KIND_GT: return "anything but a function";
    case KIND_BOUND_SCALAR: return "a scalar";
    case KIND_BOUND_ORD:
    case KIND_BOUND_NUM: return "an integer or a float";
    case KIND_BOUND_INT: return "an integer";
    case KIND_BOUND_FLOAT: return "a float";
    case KIND_BOUND_BITS: return "an integer or bool";
    case KIND_NONE:
    case KIND_TYP:
    case KIND_COUNT: break;
    }
    return "any type";
}

/* A variable that is in the way gets a note where its kind was decided, since the mistake may be
 * there. */
static bool need_kind_under(checker *c, ir_type t, kind k, const binders *env, diag_code code,
                            const char *what)
{
    ir_tvar why = 0;
    if (kinded(c, t, k, env, &why))
        return true;
    if (why) {
        const char *name = ir_str(c->m, c->m->tvars.at[why].name);
        diag_error(c->cx, DIAG_KIND_VARIABLE, check_here(c),
                   "%s must be of kind %s (%s), and '%s is of kind %s", what, ir_kind_name(k),
                   kind_meaning(k), name, ir_kind_name(kind_of_var(c, why)));
        check_note_kind(c, why);
        diag_hint(c->cx, "declare '%s:%s, or leave its kind to be inferred", name, ir_kind_name(k));
    } else {
        diag_error(c->cx, code, check_here(c), "%s must be of kind %s (%s), and %s is not", what,
                   ir_kind_name(k), kind_meaning(k), type_str(c->m, t));
        uint32_t by = ir_op_at(c->m, c->op)->opcode;
        if (k == KIND_BT && ir_type_at(c->m, t)->kind == TY_PULL)
            diag_hint(c->cx, by == OP_FILTER || by == OP_SORT ? "choose or sort the numbers of the arrays, which are scalars, and take the arrays by these"
                                     : "make one array of all elements, with an axis more, and go along that");
    }
    return false;
}

bool check_need_kind(checker *c, ir_type t, kind k, diag_code code, const char *what)
{
    return need_kind_under(c, t, k, NULL, code, what);
}

bool check_may_have_bound(const checker *c, ir_tvar v, kind k)
{
    return is_function_parameter(c, v) && ir_kind_meet(kind_of_var(c, v), k) != KIND_NONE;
}

bool check_needs_instance(const checker *c, ir_func f)
{
    const func_node n = *ir_func_at(c->m, f);
    for (uint32_t i = 0; i < n.ntypes; i++)
        if (ir_kind_is_bound((kind)c->m->tvars.at[n.tparams + i].kind))
            return true;
    return false;
}

/* ---- well-formed types ---- */

bool check_level_in_hierarchy(ir_level l)
{
    return level_offset(l) <= LEVEL_TOP;
}

/* A variable with an offset, l+4, exceeds the top whatever l is; with less it may do so in an
 * instance, which is asked again there. */
bool check_levels_exist(const checker *c, ir_type t)
{
    const type_node n = *ir_type_at(c->m, t);
    switch ((type_kind)n.kind) {
    case TY_TUPLE:
        for (uint32_t i = 0; i < n.n; i++)
            if (!check_levels_exist(c, type_item(c->m, t, i)))
                return false;
        return true;
    case TY_FUN: return check_levels_exist(c, n.a) && check_levels_exist(c, n.b);
    case TY_LVLFN:
    case TY_FORALL:
    case TY_PULL: return check_levels_exist(c, n.a);
    case TY_PUSH: return check_level_in_hierarchy(n.b);
    default: return true;
    }
}

/* A variable is open while the function or fn that binds it is checked. */
static bool in_scope(checker *c, ir_tvar v)
{
    if (v < c->open.len && c->open.at[v])
        return true;
    bool level = c->m->tvars.at[v].is_level;
    return diag_error(c->cx, DIAG_TYPE_SCOPE, check_here(c),
                      "the %s variable %s%s is not bound here", level ? "level" : "type",
                      level ? "" : "'", ir_str(c->m, c->m->tvars.at[v].name));
}

bool check_well_formed_level(checker *c, ir_level l)
{
    if (level_base(l) == LV_VAR && !in_scope(c, level_index(l)))
        return false;
    return check_level_in_hierarchy(l) ||
           diag_error(c->cx, DIAG_ABOVE_GRID, check_here(c),
                      "the level %s does not exist: grid is the highest", level_str(c->m, l));
}

bool check_refuse_bound(checker *c, kind k)
{
    diag_error(
        c->cx, DIAG_KIND_BOUND, check_here(c),
        "the bound %s stands here, where only type parameters of functions of the module have "
        "bounds",
        ir_kind_name(k));
    diag_hint(c->cx, "declare a function: fun @f<'a: %s>(...)", ir_kind_name(k));
    return false;
}

static bool well_formed_under(checker *c, ir_type t, const binders *env);

static bool well_formed_items(checker *c, ir_type t, const binders *env)
{
    bool ok = true;
    for (uint32_t i = 0; i < ir_type_at(c->m, t)->n; i++)
        ok = well_formed_under(c, type_item(c->m, t, i), env) && ok;
    return ok;
}

/* Rule 10 wants GT elements in pull arrays, rule 11 BT elements in push arrays. */
static bool well_formed_under(checker *c, ir_type t, const binders *env)
{
    if (known(c, t, WELL_FORMED))
        return true;
    const type_node n = *ir_type_at(c->m, t);
    bool ok = false;
    switch ((type_kind)n.kind) {
    case TY_ERROR:
    case TY_SCALAR:
    case TY_BOUND: return true;
    case TY_VAR: ok = in_scope(c, n.a); break;
    case TY_TUPLE: ok = well_formed_items(c, t, env); break;
    case TY_FUN: ok = well_formed_under(c, n.a, env) && well_formed_under(c, n.b, env); break;
    case TY_LVLFN: ok = well_formed_under(c, n.a, env); break;
    case TY_FORALL:
        ok = !ir_kind_is_bound((kind)n.n) || check_refuse_bound(c, (kind)n.n);
        ok = ok && well_formed_under(c, n.a, &(binders){env, n.n ? (kind)n.n : KIND_TYP});
        break;
    case TY_PULL:
        ok = well_formed_under(c, n.a, env) && need_kind_under(c, n.a, KIND_GT, env, DIAG_KIND_PULL,
                                                               "the element type of a pull array");
        break;
    case TY_PUSH:
        ok = well_formed_under(c, n.a, env) && check_well_formed_level(c, n.b) &&
             need_kind_under(c, n.a, KIND_BT, env, DIAG_KIND_PUSH,
                             "the element type of a push array");
        break;
    }
    if (ok && !env)
        learn(c, t, WELL_FORMED);
    return ok;
}

bool check_well_formed(checker *c, ir_type t)
{
    return well_formed_under(c, t, NULL);
}

/* ---- type variables in scope ---- */

/* Opens or closes the scope of variables; what was known about types that mention them is stale. */
void check_open_tvars(checker *c, const uint32_t *v, uint32_t n, bool open)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i] < c->open.len)
            c->open.at[v[i]] = open;
    if (n)
        c->stamp++;
}

void check_infer_kinds_start(checker *c, const uint32_t *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!c->m->tvars.at[v[i]].annotated)
            c->m->tvars.at[v[i]].kind = KIND_NONE;
}

/* Nothing narrowed it: the weakest kind, which callers may instantiate by any type. */
void check_infer_kinds_end(checker *c, const uint32_t *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (c->m->tvars.at[v[i]].kind == KIND_NONE)
            c->m->tvars.at[v[i]].kind = KIND_TYP;
}
