/* What a let generalises, and what becomes of it at the end of the declaration.
 *
 * A local function whose operators work at several scalar types is general over them, as one at the
 * top is.  Building makes a copy of it for each use then; so one that is used at one type only is
 * of that type in the end, and is built once. */
#include "frontends/fcl/infer/infer.h"

/* ---- generalising ---- */

/* Whether nothing is computed where the function is made: what computes a function, as an if does,
 * is not to be repeated for each use. */
static bool is_written_function(const expr *e)
{
    while (e->kind == EX_ANNOT)
        e = e->args[0];
    if (e->kind == EX_COMPOSE)
        return is_written_function(e->args[0]) && is_written_function(e->args[1]);
    return e->kind == EX_FN || e->kind == EX_VAR;
}

/* Whether a parameter of a function is of a class. */
static bool is_of_class(infer *x, ty t)
{
    for (t = ty_inside(x->t, t); ty_at(x->t, t)->kind == T_FUN;) {
        const ty_node *p = ty_at(x->t, ty_inside(x->t, ty_at(x->t, t)->a));
        if (p->kind == T_VAR && p->scalars && p->b > x->t->depth && p->b != GENERIC)
            return true;
        t = ty_inside(x->t, ty_at(x->t, t)->b);
    }
    return false;
}

/* What is open in ranks and in what loops hand on is not generalised. */
static void hold_questions(infer *x)
{
    infer_solve_states(x, false);
    infer_hold_states(x);
    infer_solve_shapes(x, false);
    for (uint32_t i = 0; i < x->shapes.len; i++) {
        ty_node *n = ty_node_at(x->t, ty_inside(x->t, x->shapes.at[i].type));
        if (n->kind == T_VAR && n->b != GENERIC && n->b > x->t->depth)
            n->b = x->t->depth;
    }
}

/* Takes a scheme back: its variables are those of one type again. */
static void hold_variables(infer *x, const scheme *s)
{
    for (uint32_t i = 0; i < s->nvars; i++)
        ty_node_at(x->t, s->vars[i])->b = x->t->depth;
    for (uint32_t i = 0; i < s->nlevels; i++)
        lv_at(x->t, s->levels[i])->depth = x->t->depth;
}

/* Functions are generalised; other values only where no work is repeated by it: over types, not
 * over levels and not over scalars. */
void infer_generalise_local(infer *x, ast_binding *b, ty t)
{
    binder *local = b->pat->var;
    ty_kind kind = (ty_kind)ty_at(x->t, ty_inside(x->t, t))->kind;
    bool written = (kind == T_FUN || kind == T_LVLFN) && is_written_function(b->rhs);
    bool function = kind == T_FUN || written;
    hold_questions(x);
    local->one_type = !written && is_of_class(x, t);
    scheme *s =
        ty_generalise(x->t, &x->p->mem, t, NULL, 0, written ? OVER_SCALARS : OVER_NO_SCALARS);
    if (!s || (!s->nvars && !s->nlevels))
        return;
    if (!function && s->nlevels) {
        hold_variables(x, s);
        return;
    }
    local->scheme = s;
    local->rhs = b->rhs;
    vec_push(&x->p->cx->mem, &x->locals, local);
}

void infer_note_use(infer *x, expr *e)
{
    vec_push(&x->p->cx->mem, &x->uses, ((local_use){e, e->binder->uses}));
    e->binder->uses = x->uses.len;
}

/* ---- at the end ---- */

/* Whether two scalars are the same one in every copy of what they stand in: not where they are
 * variables of another local function, whose marks are not the declaration's. */
static bool same_scalar(const types *t, ty a, ty b)
{
    const ty_node *m = ty_at(t, a), *n = ty_at(t, b);
    if (m->kind == T_SCALAR && n->kind == T_SCALAR)
        return m->a == n->a;
    return a == b && m->kind == T_VAR && m->mark == t->mark;
}

/* The scalar that variable k of a local name is at every use; 0: there are several. */
static ty one_scalar(infer *x, const binder *local, uint32_t k)
{
    ty found = 0;
    for (uint32_t u = local->uses; u; u = x->uses.at[u - 1].before) {
        const instance *inst = &x->uses.at[u - 1].e->inst;
        ty t = k < inst->ntypes ? ty_inside(x->t, inst->types[k]) : 0;
        if (!same_scalar(x->t, found ? found : t, t))
            return 0;
        found = t;
    }
    return found;
}

/* Leaves the variables out of the scheme, and of its uses, that have one type (bound). */
static void drop_bound(infer *x, binder *local)
{
    scheme *s = local->scheme;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < s->nvars; k++) {
        if (ty_at(x->t, s->vars[k])->a)
            continue;
        for (uint32_t u = local->uses; u; u = x->uses.at[u - 1].before)
            x->uses.at[u - 1].e->inst.types[kept] = x->uses.at[u - 1].e->inst.types[k];
        s->vars[kept++] = s->vars[k];
    }
    for (uint32_t u = local->uses; u; u = x->uses.at[u - 1].before)
        x->uses.at[u - 1].e->inst.ntypes = kept;
    s->nvars = kept;
    if (!s->nvars && !s->nlevels)
        local->scheme = NULL;
}

/* A function that nothing uses is at the usual types. */
static void settle(infer *x, binder *local)
{
    const scheme *s = local->scheme;
    for (uint32_t k = 0; k < s->nvars; k++) {
        if (!ty_at(x->t, s->vars[k])->scalars)
            continue;
        if (!local->uses)
            ty_default(x->t, s->vars[k]);
        else
            ty_node_at(x->t, s->vars[k])->a = one_scalar(x, local, k);
    }
    drop_bound(x, local);
}

/* Outer functions first: what they are used at decides for what is inside them, or before them. */
void infer_settle_locals(infer *x)
{
    const scheme *of_decl = x->decl->scheme;
    if (x->failed || !of_decl || x->p->cx->mem.oom)
        return;
    x->t->mark++;
    for (uint32_t i = 0; i < of_decl->nvars; i++)
        ty_node_at(x->t, of_decl->vars[i])->mark = x->t->mark;
    for (uint32_t i = x->locals.len; i-- > 0;)
        settle(x, x->locals.at[i]);
}
