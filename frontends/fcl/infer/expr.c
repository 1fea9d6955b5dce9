/* Inference of expressions: rules 17 to 30 of the paper, and what both dialects add.
 *
 * A function for each form of expression (infer_X for EX_X): it infers the parts, makes them agree
 * with what the form asks for (infer_want_type, which reports), and returns the type.  What
 * emission needs later is noted in the tree: what a name refers to, at which instance, at which
 * levels. */
#include "frontends/fcl/infer/infer.h"

#include <string.h>

/* ---- names ---- */

/* Notes a top-level value that the declaration needs, once. */
static void need_val(infer *x, decl *d)
{
    for (uint32_t i = 0; i < x->vals.len; i++)
        if (x->vals.at[i] == d)
            return;
    vec_push(&x->p->cx->mem, &x->vals, d);
}

/* Levels that come from this use of a name say so in messages. */
static void mark_origins(infer *x, const expr *e, bool raises)
{
    for (uint32_t i = 0; i < e->inst.nlevels; i++)
        lv_at(x->t, e->inst.levels[i])->origin = (lv_origin){e->name, e->loc, raises};
}

/* The type of this use of a scheme. */
static ty instantiate(infer *x, expr *e, const scheme *s, bool raises)
{
    ty t = s ? scheme_instance(x->t, &x->p->mem, s, &e->inst) : 0;
    mark_origins(x, e, raises);
    return t;
}

/* Whether an operator of that type does its work where it stands: one that gives a push array
 * leaves it to whoever writes that. */
static bool works_here(infer *x, ty t)
{
    for (t = ty_inside(x->t, t); ty_at(x->t, t)->kind == T_FUN;)
        t = ty_inside(x->t, ty_at(x->t, t)->b);
    return ty_at(x->t, t)->kind != T_PUSH;
}

/* Ranks of its own for this use, and an open question for each pair of an index type and a rank. */
static ty use_builtin(infer *x, expr *e, builtin *b)
{
    const scheme *s = infer_builtin_scheme(x->p, b);
    rank ranks[BUILTIN_RANKS];
    for (uint32_t i = 0; i < b->nranks; i++)
        ranks[i] = rank_fresh(x->t);
    x->t->rank_from = b->ranks;
    x->t->rank_to = ranks;
    x->t->nranks = b->nranks;
    ty t = instantiate(x, e, s, b->raises);
    x->t->nranks = 0;
    for (uint32_t i = 0; i < b->nshapes; i++)
        for (uint32_t k = 0; k < e->inst.ntypes; k++)
            if (s->vars[k] == b->shapes[i].type) {
                shape_pair pair = {.type = e->inst.types[k], .loc = e->loc};
                for (uint32_t r = 0; r < b->nranks; r++)
                    pair.rank = b->ranks[r] == b->shapes[i].rank ? ranks[r] : pair.rank;
                vec_push(&x->p->cx->mem, &x->shapes, pair);
            }
    if (b->forced && s)
        infer_ask_state(x, e, b, s);
    x->prints = x->prints || b->form == BF_PRINT;
    if (e->inst.nlevels && (b->form == BF_MAPINDEX || works_here(x, t)))
        vec_push(&x->p->cx->mem, &x->forces, e->inst.levels[0]);
    e->builtin = b;
    return t;
}

/* Infers the declaration first where it was not.  What it needs and prints, its users need and
 * print. */
static ty use_decl(infer *x, expr *e, decl *d)
{
    if (d->state == DECL_NEW)
        infer_decl(x, d);
    if (d->state == DECL_BUSY) {
        infer_fail_at(x, DIAG_FCL_CYCLE, e->loc, "'%s' is defined by means of itself",
                      program_text_of(x->p, d->name));
        diag_hint(x->p->cx, "repeat with while, power or a fold");
        return 0;
    }
    e->decl = d;
    if (!d->scheme || d->state == DECL_FAILED) {
        x->unsure = x->unsure || !d->sig;
        return d->scheme ? instantiate(x, e, d->scheme, false) : 0;
    }
    for (uint32_t i = 0; i < d->nvals; i++)
        need_val(x, d->vals[i]);
    if (d->is_value)
        need_val(x, d);
    x->prints = x->prints || d->prints;
    x->works = x->works || d->works;
    return instantiate(x, e, d->scheme, false);
}

/* What is imported hides what the prelude declares and the language offers, from the user's text
 * and from what is imported, but not from the prelude. */
static void imported_meaning(infer *x, str_id name, name_entry *n)
{
    const name_entry *with = infer_other_meaning(x, name, "#arrays");
    if (n->imported)
        n->prelude = n->imported;
    if (with && with->builtin) {
        n->prelude = NULL;
        n->builtin = with->builtin;
    }
}

/* What a name means to declarations of the user, or of the prelude, which do not see the user's. In
 * programs of 2017 some names mean something else, which is called name#2017. */
static name_entry meaning(infer *x, str_id name)
{
    name_entry n = *program_name_at(x->p, name);
    const name_entry *old = infer_old_meaning(x, name);
    if (x->decl->from_prelude)
        n.user = NULL;
    if (x->p->imports && (!x->decl->from_prelude || x->decl->from_import))
        imported_meaning(x, name, &n);
    if (!old || !(x->decl->from_prelude ? x->p->old_prelude : x->p->old))
        return n;
    if (old->prelude)
        n.prelude = old->prelude;
    if (old->builtin)
        n.builtin = old->builtin;
    return n;
}

/* An instance of what a let has generalised. */
static ty use_local(infer *x, expr *e, binder *local)
{
    infer_note_use(x, e);
    return instantiate(x, e, local->scheme, false);
}

/* The innermost local binder of this declaration, the user's declaration, the prelude's, or an
 * operator of the language. */
static ty name_type(infer *x, expr *e)
{
    binder *local = program_name_at(x->p, e->name)->local;
    if (local && local->owner == x->decl) {
        e->binder = local;
        local->again = local->used;
        local->used = true;
        return local->scheme ? use_local(x, e, local) : local->type;
    }
    const name_entry n = meaning(x, e->name);
    if (n.user || n.prelude)
        return use_decl(x, e, n.user ? n.user : n.prelude);
    if (n.builtin)
        return use_builtin(x, e, (builtin *)(uintptr_t)n.builtin);
    infer_unknown_name(x, e);
    return 0;
}

/* ---- levels applied ---- */

/* t[l], where t is <v> -> body. */
static ty apply_level(infer *x, ty t, lv l)
{
    const ty_node n = *ty_at(x->t, t);
    scheme one = {.type = n.a, .levels = (lv[]){n.c}, .nlevels = 1};
    instance inst;
    ty body = scheme_instance(x->t, &x->p->mem, &one, &inst);
    mismatch why = {0};
    if (inst.nlevels)
        lv_unify(x->t, inst.levels[0], l, &why);
    return body;
}

/* t applied to the levels of e from that one on: rule 27. */
static ty apply_levels(infer *x, expr *e, ty t, uint32_t from)
{
    if (from < e->nlevels)
        e->applied = ARENA_ARRAY(&x->p->mem, lv, e->nlevels);
    for (uint32_t i = from; i < e->nlevels && e->applied; i++) {
        t = ty_inside(x->t, t);
        if (ty_at(x->t, t)->kind != T_LVLFN) {
            if (ty_at(x->t, t)->kind != T_ERROR)
                infer_fail_at(x, DIAG_FCL_LEVEL_APPLY, e->levels[i].loc, "this takes %s",
                              i ? "fewer levels" : "no level");
            return 0;
        }
        e->applied[i] = infer_written_level(x, &e->levels[i]);
        t = apply_level(x, t, e->applied[i]);
    }
    return t;
}

/* f <l>: the first levels are those of the scheme's explicit parameters, further ones are applied
 * to what it gives. */
static ty infer_var(infer *x, expr *e)
{
    ty t = name_type(x, e);
    const scheme *s = e->decl ? e->decl->scheme : e->builtin ? e->builtin->scheme : NULL;
    uint32_t n = s ? s->nexplicit : 0;
    n = n < e->nlevels ? n : e->nlevels;
    for (uint32_t i = 0; i < n && i < e->inst.nlevels; i++) {
        lv l = infer_written_level(x, &e->levels[i]);
        infer_want_level(x, e->inst.levels[i], l, e->levels[i].loc);
    }
    return apply_levels(x, e, t, n);
}

/* ---- literals, tuples, arrays ---- */

/* A literal without a suffix is any type that can hold it: an integer may become a float. */
static ty infer_number(infer *x, const expr *e)
{
    if (e->suffix)
        return x->t->scalar[e->suffix];
    return ty_fresh_scalar(x->t, scalars_of(e->kind == EX_INT ? 'N' : 'F'));
}

/* Rule 21. */
static ty infer_tuple(infer *x, expr *e)
{
    VEC(ty) items = {0};
    for (uint32_t i = 0; i < e->nargs; i++) {
        ty t = infer_expr(x, e->args[i]);
        vec_push(&x->p->cx->mem, &items, t);
    }
    ty t = ty_tuple(x->t, items.at, items.len);
    vec_free(&x->p->cx->mem, &items);
    return t;
}

/* Rule 20; the elements must be such as arrays may have. */
static ty infer_array(infer *x, expr *e)
{
    ty elem = ty_fresh(x->t);
    mismatch why = {0};
    ty_demand(x->t, elem, FCL_GT, &why);
    for (uint32_t i = 0; i < e->nargs; i++)
        infer_want_type(x, infer_expr(x, e->args[i]), elem, written_here(AT_ELEMENT, e->args[i]));
    return ty_new(x->t, T_PULL, elem, 1, 0);
}

/* ---- operators ---- */

/* Both operands have one type, of the operator's class: see binops.def. */
static ty infer_operator(infer *x, expr *e)
{
    const binop *op = &parse_binops[e->op];
    ty v = ty_fresh_scalar(x->t, scalars_of(op->operands));
    for (uint32_t i = 0; i < e->nargs; i++)
        infer_want_type(x, infer_expr(x, e->args[i]), v,
                        written_operand(e, parse_token_spelling(op->token), i));
    return op->gives_bool ? x->t->scalar[FCL_BOOL] : v;
}

/* Of any number; unsigned ones wrap. */
static ty infer_negation(infer *x, expr *e)
{
    ty v = ty_fresh_scalar(x->t, scalars_of('N'));
    infer_want_type(x, infer_expr(x, e->args[0]), v, written_operand(e, "-", 0));
    return v;
}

/* Both branches have one type. */
static ty infer_if(infer *x, expr *e, ty expected)
{
    infer_want_type(x, infer_expr(x, e->args[0]), x->t->scalar[FCL_BOOL],
                    written_here(AT_CONDITION, e->args[0]));
    ty t = infer_expr_as(x, e->args[1], expected);
    infer_want_type(x, infer_expr_as(x, e->args[2], expected), t,
                    written_here(AT_BRANCH, e->args[2]));
    return t;
}

static ty infer_assert(infer *x, expr *e, ty expected)
{
    infer_want_type(x, infer_expr(x, e->args[0]), x->t->scalar[FCL_BOOL],
                    written_here(AT_CONDITION, e->args[0]));
    infer_expr(x, e->args[1]);
    return infer_expr_as(x, e->args[2], expected);
}

/* ---- let and do ---- */

/* f <l> x = e is f = fn <l> => fn x => e. */
static expr *as_function(infer *x, ast_binding *b)
{
    if (!b->nparams && !b->nlevels)
        return b->rhs;
    expr *f = NODE(x->p, expr);
    expr *body = b->rhs;
    *f = (expr){.kind = EX_FN,
                .loc = b->pat->loc,
                .height = body->height,
                .levels = b->levels,
                .nlevels = b->nlevels};
    f->params = b->params;
    f->nparams = b->nparams;
    f->nargs = 1;
    f->args = program_copy(x->p, &body, sizeof body, &f->nargs);
    b->nparams = b->nlevels = 0;
    b->rhs = f->nargs ? f : body;
    return b->rhs;
}

/* The value of a statement: what the program of type t gives, run at level l. */
static ty run_program(infer *x, ty t, lv l, const expr *e)
{
    t = ty_find(x->t, t);
    if (ty_at(x->t, t)->kind != T_PROG &&
        (ty_at(x->t, t)->kind != T_VAR || ty_at(x->t, t)->scalars))
        return t;
    ty value = ty_fresh(x->t);
    infer_want_type(x, t, ty_new(x->t, T_PROG, value, 0, l), written_here(AT_PROGRAM, e));
    return value;
}

/* The type that is written with a binding, 0 when there is none.  Names that nothing binds are
 * variables in it. */
static ty written_type(infer *x, const ast_binding *b)
{
    if (!b->written)
        return 0;
    int before = x->unknown_levels;
    x->unknown_levels = VARS_FREE;
    infer_written_bounds(x, b->written, VARS_FREE);
    ty written = infer_annotated_type(x, b->written->body, VARS_FREE);
    x->unknown_levels = before;
    return written;
}

/* The right-hand side is inferred one deeper in the lets, so that what is made there is told from
 * what the environment has. */
static void infer_binding(infer *x, expr *e, ast_binding *b)
{
    expr *rhs = as_function(x, b);
    bool named = b->pat->var && !b->monadic;
    x->t->depth += named;
    ty written = written_type(x, b), t = infer_expr_as(x, rhs, written);
    if (b->monadic)
        t = run_program(x, t, e->level, rhs);
    if (b->written)
        infer_want_type(x, t, written, written_here(AT_WRITTEN, rhs));
    x->t->depth -= named;
    if (named)
        infer_generalise_local(x, b, t);
    infer_bind_pattern(x, b->pat);
    infer_want_type(x, t, infer_pattern_type(x, b->pat), written_pattern(b->pat));
}

/* Each binding sees those before it. */
static ty infer_let(infer *x, expr *e, ty expected)
{
    for (uint32_t i = 0; i < e->nbindings; i++) {
        vec_push(&x->p->cx->mem, &x->lets, ((open_let){e, i}));
        infer_binding(x, e, &e->bindings[i]);
        x->lets.len -= x->lets.len > 0;
    }
    ty t = infer_expr_as(x, e->args[0], expected);
    for (uint32_t i = e->nbindings; i-- > 0;)
        infer_unbind_pattern(x, e->bindings[i].pat);
    return t;
}

/* A let whose bindings are what programs give, run at one level, which is a program of that
 * level. */
static ty infer_do(infer *x, expr *e)
{
    e->level = e->nlevels ? infer_written_level(x, &e->levels[0]) : lv_fresh(x->t);
    ty t = infer_let(x, e, 0);
    t = run_program(x, t, e->level, e->args[0]);
    return ty_new(x->t, T_PROG, t, 0, e->level);
}

/* (e : t), where names that nothing binds are variables. */
static ty infer_written(infer *x, expr *e)
{
    ty written = infer_annotated_type(x, e->written, VARS_FREE);
    ty t = infer_expr_as(x, e->args[0], written);
    infer_want_type(x, t, written, written_here(AT_WRITTEN, e->args[0]));
    return written;
}

/* ---- all of them ---- */

static ty infer_form(infer *x, expr *e, ty expected)
{
    switch (e->kind) {
    case EX_INT:
    case EX_FLOAT: return infer_number(x, e);
    case EX_BOOL: return x->t->scalar[FCL_BOOL];
    case EX_STRING: return x->t->string;
    case EX_UNIT: return x->t->unit;
    case EX_VAR: return infer_var(x, e);
    case EX_FN: return infer_fn(x, e, expected);
    case EX_APP: return infer_application(x, e, expected);
    case EX_LAPP: return apply_levels(x, e, infer_expr(x, e->args[0]), 0);
    case EX_LET: return infer_let(x, e, expected);
    case EX_DO: return infer_do(x, e);
    case EX_IF: return infer_if(x, e, expected);
    case EX_ASSERT: return infer_assert(x, e, expected);
    case EX_TUPLE: return infer_tuple(x, e);
    case EX_ARRAY: return infer_array(x, e);
    case EX_OP: return infer_operator(x, e);
    case EX_NEG: return infer_negation(x, e);
    case EX_COMPOSE: return infer_composition(x, e, expected);
    case EX_ANNOT: return infer_written(x, e);
    }
    return 0;
}

/* The tree is no deeper than TREE_HEIGHT; going from one declaration to the next is what can be
 * deep. */
ty infer_expr_as(infer *x, expr *e, ty expected)
{
    if (x->depth >= INFER_DEPTH) {
        if (!x->failed)
            infer_fail_at(x, DIAG_TOO_DEEP, e->loc,
                          "declarations that use later ones nest too deep here");
        return 0;
    }
    x->depth++;
    e->type = infer_form(x, e, expected);
    x->depth--;
    return e->type;
}

ty infer_expr(infer *x, expr *e)
{
    return infer_expr_as(x, e, 0);
}
