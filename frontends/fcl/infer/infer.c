/* Inference of declarations: their parameters, their signatures, and what becomes of open types at
 * their end.
 *
 * A declaration is generalised over everything that is left open in it (its environment has only
 * other declarations, which are closed).  A variable that must be a scalar has its class as a bound
 * there (type classes without dictionaries: the core has bounds of its own).  In what is
 * neither a function nor a literal, which is written in place, it becomes int or double
 * ("defaulting"), so that a value is computed once (Haskell's monomorphism restriction), and so
 * does one that the type does not mention. */
#include "frontends/fcl/infer/infer.h"

#include <string.h>

/* ---- scopes ---- */

void infer_scope_enter(infer *x, binder *b)
{
    if (!b->name)
        return;
    name_entry *n = program_name_at(x->p, b->name);
    b->shadows = n->local;
    b->owner = x->decl;
    n->local = b;
}

void infer_scope_leave(infer *x, binder *b)
{
    if (b->name)
        program_name_at(x->p, b->name)->local = b->shadows;
}

/* What the pattern takes apart is unified with its type afterwards (infer_pattern_type). */
void infer_bind_pattern(infer *x, pattern *q)
{
    if (q->var) {
        q->var->type = ty_fresh(x->t);
        infer_scope_enter(x, q->var);
    }
    for (uint32_t i = 0; i < q->n; i++)
        infer_bind_pattern(x, q->items[i]);
    if (q->written)
        infer_want_type(x, infer_annotated_type(x, q->written, VARS_FREE), infer_pattern_type(x, q),
                        written_pattern(q));
}

void infer_unbind_pattern(infer *x, pattern *q)
{
    if (q->var) {
        infer_scope_leave(x, q->var);
        return;
    }
    for (uint32_t i = q->n; i-- > 0;)
        infer_unbind_pattern(x, q->items[i]);
}

/* A variable's own type, unit for (), or a tuple. */
ty infer_pattern_type(infer *x, pattern *q)
{
    if (q->var)
        return q->var->type;
    if (!q->n)
        return x->t->unit;
    VEC(ty) items = {0};
    for (uint32_t i = 0; i < q->n; i++) {
        ty t = infer_pattern_type(x, q->items[i]);
        vec_push(&x->p->cx->mem, &items, t);
    }
    ty t = ty_tuple(x->t, items.at, items.len);
    vec_free(&x->p->cx->mem, &items);
    return t;
}

/* ---- ranks ---- */

/* int, or a tuple of so many. */
static ty index_of_rank(infer *x, rank r)
{
    ty items[FCL_MAX_RANK];
    for (uint32_t i = 0; i < r && i < FCL_MAX_RANK; i++)
        items[i] = x->t->scalar[FCL_I32];
    return r == 1 ? items[0] : ty_tuple(x->t, items, r);
}

/* The rank that an index type tells; 0 when it tells none yet. */
static rank rank_of_index(const types *t, ty index)
{
    const ty_node *n = ty_at(t, index);
    if (n->kind == T_TUPLE && n->b <= FCL_MAX_RANK)
        return n->b;
    return (n->kind == T_VAR && !n->scalars) || n->kind == T_ERROR ? 0 : 1;
}

/* True when the question is answered.  An array's rank and the type of its indices determine one
 * another: whichever is known first decides. */
static bool solve_shape(infer *x, const shape_pair *s, bool last)
{
    rank r = rank_find(x->t, s->rank), told = rank_of_index(x->t, ty_inside(x->t, s->type));
    if (r >= RANK_VAR && !told && !last)
        return false;
    if (r >= RANK_VAR && rank_unify(x->t, r, told ? told : 1))
        r = told ? told : 1;
    mismatch why = {0};
    ty index = index_of_rank(x, r);
    bool same = ty_unify(x->t, s->type, index, &why);
    if (!same)
        infer_fail_at(x, DIAG_FCL_MISMATCH, s->loc,
                      "an array of rank %u has indices and extents of type %s, not %s", (unsigned)r,
                      infer_ty_words(x, index), infer_ty_words(x, s->type));
    if (!same && ty_at(x->t, ty_inside(x->t, s->type))->kind == T_FUN)
        diag_hint(x->p->cx, "the extent comes before the function: generate n (fn i => ...)");
    return true;
}

/* Open questions stay in the list, in their order. */
void infer_solve_shapes(infer *x, bool all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < x->shapes.len; i++) {
        shape_pair s = x->shapes.at[i];
        if (!solve_shape(x, &s, all))
            x->shapes.at[kept++] = s;
    }
    x->shapes.len = kept;
}

/* ---- signatures ---- */

/* What a declaration's sig says: its type, and the level parameters that are written. */
typedef struct signature {
    ty type; /* 0: none */
    lv *levels;
    uint32_t nlevels;
} signature;

/* Adds a level parameter, known by its name from here on. */
static void add_level(infer *x, signature *s, uint32_t cap, lv l, str_id name)
{
    if (s->levels && s->nlevels < cap)
        s->levels[s->nlevels++] = l;
    infer_push_level_name(x, name, l);
}

/* The names of the level parameters in the signature: forall <l> or <l> -> ... */
static uint32_t signature_levels(const scheme_expr *s, const texpr **body)
{
    uint32_t n = s ? s->nlevels : 0;
    *body = s ? s->body : NULL;
    for (; *body && (*body)->kind == TX_LVLFN; n++)
        *body = (*body)->args[0];
    return n;
}

/* Level parameter i: those of the forall first, then those of the arrows. */
static str_id signature_level(const scheme_expr *s, uint32_t i)
{
    if (i < s->nlevels)
        return s->levels[i].name;
    const texpr *w = s->body;
    for (i -= s->nlevels; i--;)
        w = w->args[0];
    return w->name;
}

/* Level parameters are rigid: each has the names that the signature and the definition give it. */
static signature read_signature(infer *x, decl *d)
{
    const texpr *body;
    uint32_t n = signature_levels(d->sig, &body), cap = n > d->nlevels ? n : d->nlevels;
    signature s = {.levels = ARENA_ARRAY(&x->p->mem, lv, cap + 1)};
    if (n && d->nlevels && n != d->nlevels)
        infer_fail_at(x, DIAG_FCL_SIG, d->loc,
                      "'%s' has %u level parameters here and %u in its signature",
                      program_text_of(x->p, d->name), (unsigned)d->nlevels, (unsigned)n);
    for (uint32_t i = 0; i < cap; i++) {
        str_id name = i < n ? signature_level(d->sig, i) : d->levels[i].name;
        lv l = lv_rigid(x->t, name);
        add_level(x, &s, cap, l, name);
        if (i < d->nlevels)
            infer_push_level_name(x, d->levels[i].name, l);
    }
    x->unknown_levels = VARS_RIGID;
    if (d->sig)
        infer_written_bounds(x, d->sig, VARS_RIGID);
    if (body)
        s.type = infer_annotated_type(x, body, VARS_RIGID);
    x->unknown_levels = UNKNOWN_IS_ERROR;
    mismatch why = {0};
    if (s.type && !ty_well_formed(x->t, s.type, &why))
        infer_fail_at(x, DIAG_FCL_KIND, d->sig->loc, "elements of type %s: %s",
                      infer_ty_words(x, why.left),
                      why.kind == FCL_GT ? "an array has neither functions nor strings in it"
                                         : "a push array holds scalars and tuples of scalars");
    return s;
}

/* ---- declarations ---- */

/* The type of the result, after the parameters have got theirs from the signature. */
static ty take_params(infer *x, decl *d, ty sig)
{
    for (uint32_t i = 0; i < d->nparams; i++)
        infer_bind_pattern(x, d->params[i]);
    const ty_node whole = *ty_at(x->t, ty_inside(x->t, sig));
    ty first = whole.kind == T_FUN ? whole.a : 0;
    for (uint32_t i = 0; sig && i < d->nparams; i++) {
        const ty_node n = *ty_at(x->t, ty_inside(x->t, sig));
        if (n.kind != T_FUN) {
            infer_fail_at(x, DIAG_FCL_SIG, d->params[i]->loc,
                          "'%s' has more parameters than its signature has arrows",
                          program_text_of(x->p, d->name));
            if (ty_at(x->t, ty_inside(x->t, first))->kind == T_TUPLE)
                diag_hint(x->p->cx, "the signature takes a tuple: arrows separate parameters that "
                                    "stand one behind the other");
            else if (!d->sig_loc.line)
                diag_hint(x->p->cx,
                          "the type is that of '%s', not of its result: an arrow for "
                          "each parameter",
                          program_text_of(x->p, d->name));
            return 0;
        }
        infer_want_type(x, n.a, infer_pattern_type(x, d->params[i]), written_pattern(d->params[i]));
        sig = n.b;
    }
    return sig;
}

/* What the body gives must be `result`: said of the branch that gives something else. */
static void want_result(infer *x, const expr *e, ty result)
{
    while (e->kind == EX_LET)
        e = e->args[0];
    if (e->kind != EX_IF) {
        infer_want_type(x, e->type, result, written_here(AT_RESULT, e));
        return;
    }
    want_result(x, e->args[1], result);
    want_result(x, e->args[2], result);
}

/* The type of the declaration.  The signature's where there is one: it may be less general than
 * what was inferred. */
static ty body_type(infer *x, decl *d, ty sig)
{
    ty result = take_params(x, d, sig);
    ty t = infer_expr_as(x, d->body, result);
    if (result)
        want_result(x, d->body, result);
    d->result = t;
    for (uint32_t i = d->nparams; i-- > 0;) {
        t = ty_fun(x->t, infer_pattern_type(x, d->params[i]), t);
        infer_unbind_pattern(x, d->params[i]);
    }
    return sig && !x->failed ? sig : t;
}

/* Ranks that stayed open are 1. */
static void close_ranks(infer *x, uint32_t ranks)
{
    infer_solve_states(x, true);
    infer_solve_shapes(x, true);
    for (uint32_t i = ranks; i < x->t->ranks.len; i++)
        if (!x->t->ranks.at[i])
            x->t->ranks.at[i] = 1;
}

/* Scalars that the scheme is not over become what is usual: literals int or double. */
static void close_scalars(infer *x, uint32_t nodes)
{
    for (ty i = nodes; i < x->t->nodes.len; i++)
        if (ty_at(x->t, i)->kind == T_VAR && !ty_at(x->t, i)->a && ty_at(x->t, i)->b != GENERIC)
            ty_default(x->t, i);
}

/* Whether nothing is gained by computing it once: a literal, perhaps negated. */
static bool is_literal(const expr *e)
{
    while (e && e->kind == EX_NEG)
        e = e->args[0];
    return e && e->kind <= EX_UNIT; /* there is none after a syntax error */
}

/* What others see of the declaration.  A value (is_value) is data that no variable is left in: it
 * is computed once, by the kernel, for all that need it. */
static void finish(infer *x, decl *d, ty t, const signature *s, uint32_t nodes)
{
    bool function = ty_at(x->t, ty_inside(x->t, t))->kind == T_FUN;
    x->t->depth = 0;
    d->scheme = ty_generalise(x->t, &x->p->mem, t, s->levels, s->nlevels,
                              function || is_literal(d->body) ? OVER_CLASSES : OVER_NO_SCALARS);
    close_scalars(x, nodes);
    infer_settle_locals(x);
    uint32_t n = x->vals.len;
    d->vals = program_copy(x->p, x->vals.at, sizeof *x->vals.at, &n);
    d->nvals = n;
    d->prints = x->prints;
    d->works = x->works;
    for (uint32_t i = 0; i < x->forces.len; i++) {
        level_form f = lv_find(x->t, x->forces.at[i]);
        d->works = d->works || f.var || f.offset;
    }
    ty_kind k = (ty_kind)ty_at(x->t, ty_inside(x->t, t))->kind;
    d->is_value = !d->broken && !d->nparams && d->scheme && !d->scheme->nvars &&
                  !d->scheme->nlevels && k != T_FUN && k != T_LVLFN && k != T_UNIT &&
                  k != T_STRING && !is_literal(d->body) && !d->prints;
    d->state = x->failed || x->unsure ? DECL_FAILED : DECL_DONE;
}

/* Rank variables of built-ins that are first used meanwhile stay open: their place is before the
 * declaration's. */
static void prepare_builtins(infer *x)
{
    for (str_id i = 1; i < x->p->names.len; i++)
        if (x->p->names.at[i].builtin)
            infer_builtin_scheme(x->p, (builtin *)(uintptr_t)x->p->names.at[i].builtin);
}

/* With a state of its own: only the depth of the walk goes on from the outer one.  A declaration
 * with an error keeps its signature, so that its uses can still be checked. */
void infer_decl(infer *outer, decl *d)
{
    types *t = outer->t;
    infer x = {.p = outer->p,
               .t = t,
               .decl = d,
               .depth = outer->depth,
               .unknown_levels = UNKNOWN_IS_ERROR};
    uint32_t depth = t->depth, nodes = t->nodes.len, ranks = t->ranks.len;
    d->state = DECL_BUSY;
    t->depth = 1;
    signature s = read_signature(&x, d);
    ty type = d->broken ? s.type : body_type(&x, d, s.type);
    if (x.p->cx->mem.oom || d->broken)
        x.failed = true;
    close_ranks(&x, ranks);
    mismatch why = {0};
    if (!x.failed && !x.unsure && !ty_well_formed(t, type, &why))
        infer_fail_at(&x, DIAG_FCL_KIND, d->loc, "'%s' would have elements of type %s in an array",
                      program_text_of(x.p, d->name), infer_ty_words(&x, why.left));
    finish(&x, d, x.failed ? s.type : type, &s, nodes);
    t->depth = depth;
    vec_free(&x.p->cx->mem, &x.levels);
    vec_free(&x.p->cx->mem, &x.tyvars);
    vec_free(&x.p->cx->mem, &x.shapes);
    vec_free(&x.p->cx->mem, &x.forces);
    vec_free(&x.p->cx->mem, &x.states);
    vec_free(&x.p->cx->mem, &x.vals);
    vec_free(&x.p->cx->mem, &x.lets);
    vec_free(&x.p->cx->mem, &x.locals);
    vec_free(&x.p->cx->mem, &x.uses);
}

/* All declarations of the user, and those of the prelude that they need. */
bool infer_program(program *p)
{
    infer x = {.p = p, .t = &p->types, .unknown_levels = UNKNOWN_IS_ERROR};
    bool ok = true;
    prepare_builtins(&x);
    for (uint32_t i = 0; i < p->user.len; i++) {
        if (p->user.at[i]->state == DECL_NEW)
            infer_decl(&x, p->user.at[i]);
        ok = ok && p->user.at[i]->state == DECL_DONE;
    }
    for (uint32_t i = 0; i < p->prelude.len; i++)
        ok = ok && p->prelude.at[i]->state != DECL_FAILED;
    return ok && !p->cx->mem.oom;
}
