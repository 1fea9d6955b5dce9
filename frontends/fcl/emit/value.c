/* What is known while building: making it, taking it apart, applying it, and turning it into values
 * of the core.
 *
 * Functions meet their arguments here (beta reduction); those that do not, become an fn of the core
 * (eta expansion of partial applications). */
#include "frontends/fcl/emit/emit.h"

/* ---- making ---- */

sval *emit_sval_new(emitter *x, sval_kind k, location loc)
{
    sval *s = NODE(x->p, sval);
    s->kind = k;
    s->loc = loc;
    return s;
}

/* A value of the core that has been named, or needs no name. */
sval *emit_sval_core(emitter *x, fcl_value v, location loc)
{
    sval *s = emit_sval_new(x, SV_CORE, loc);
    s->v = v;
    return s;
}

sval *emit_sval_op(emitter *x, fcl_value v, location loc)
{
    sval *s = emit_sval_core(x, v, loc);
    s->fresh = v != 0;
    return s;
}

sval *emit_sval_list(emitter *x, sval_kind k, location loc, sval *const *items, uint32_t n)
{
    sval *s = emit_sval_new(x, k, loc);
    s->n = n;
    s->items = program_copy(x->p, items, sizeof *items, &s->n);
    return s;
}

/* ---- types of functions ---- */

/* The parameter's type of a function type; 0 when it is none. */
ty emit_ty_param(emitter *x, ty t)
{
    const ty_node *n = ty_at(x->t, ty_inside(x->t, t));
    return n->kind == T_FUN ? n->a : 0;
}

ty emit_ty_result(emitter *x, ty t, uint32_t n)
{
    for (t = ty_inside(x->t, t); n-- && ty_at(x->t, t)->kind == T_FUN;)
        t = ty_inside(x->t, ty_at(x->t, t)->b);
    return t;
}

/* ---- patterns ---- */

/* A tuple that was written, or made here, is taken apart without the core. */
sval *emit_component(emitter *x, fcl_region r, sval *s, uint32_t k)
{
    if (s->kind == SV_TUPLE)
        return k < s->n ? s->items[k] : s;
    fcl_value args[2] = {emit_value_of(x, r, s), emit_core_int(x, k)};
    emit_at_loc(x, s->loc);
    return emit_sval_op(x, emit_core_op(x, r, "proj", args, 2), s->loc);
}

/* Only the result of an operation just made gets a name; a second name for it changes nothing. */
void emit_bind_sval(emitter *x, fcl_region r, const pattern *q, sval *s)
{
    if (q->var) {
        q->var->value = s;
        if (s->fresh && q->var->name)
            fcl_value_name(x->m, s->v, program_text_of(x->p, q->var->name));
        s->fresh = s->fresh && !q->var->name;
        return;
    }
    for (uint32_t i = 0; i < q->n; i++)
        emit_bind_sval(x, r, q->items[i], emit_component(x, r, s, i));
}

fcl_value emit_param_of(emitter *x, fcl_region r, const pattern *q, fcl_type t)
{
    const char *name = q && q->var && q->var->name ? program_text_of(x->p, q->var->name) : NULL;
    return fcl_param(x->m, r, name, t);
}

/* ---- functions as values of the core ---- */

/* fn { (x: t, ...) ... } of a lambda; its level parameters first */
static fcl_value lambda_value(emitter *x, fcl_region r, const sval *s)
{
    const expr *e = s->fn;
    const char **names = ARENA_ARRAY(&x->p->mem, const char *, e->nlevels + 1);
    fcl_tvar *vars = ARENA_ARRAY(&x->p->mem, fcl_tvar, e->nlevels + 1);
    fcl_value *params = ARENA_ARRAY(&x->p->mem, fcl_value, e->nparams + 1);
    fcl_region body;
    ty t = ty_inside(x->t, s->type);
    emit_at_loc(x, e->loc);
    if (!names || !vars || !params)
        return 0;
    for (uint32_t i = 0; i < e->nlevels; i++)
        names[i] = program_text_of(x->p, e->levels[i].name);
    fcl_value f = fcl_fn(x->m, r, 0, NULL, e->nlevels, names, vars, &body);
    for (uint32_t i = 0; i < e->nlevels; i++, t = ty_inside(x->t, ty_at(x->t, t)->a))
        lv_at(x->t, lv_find(x->t, ty_at(x->t, t)->c).var)->core = f ? fcl_level_var(vars[i]) : 0;
    x->epoch += e->nlevels != 0;
    for (uint32_t i = 0; i < e->nparams; i++, t = emit_ty_result(x, t, 1))
        params[i] = emit_param_of(x, body, e->params[i], emit_core_type(x, emit_ty_param(x, t)));
    for (uint32_t i = 0; i < e->nparams; i++)
        emit_bind_sval(x, body, e->params[i], emit_sval_core(x, params[i], e->params[i]->loc));
    fcl_yield(x->m, body, emit_value_of(x, body, emit_expr(x, body, e->args[0])));
    return f;
}

/* fn { (x: t, ...) f x ... } for a partial application that takes n more arguments */
static fcl_value eta_value(emitter *x, fcl_region r, sval *s, uint32_t n)
{
    fcl_value *params = ARENA_ARRAY(&x->p->mem, fcl_value, n + 1);
    sval **args = ARENA_ARRAY(&x->p->mem, sval *, n + 1);
    fcl_region body;
    ty t = s->type;
    emit_at_loc(x, s->loc);
    if (!params || !args)
        return 0;
    fcl_value f = fcl_fn(x->m, r, 0, NULL, 0, NULL, NULL, &body);
    for (uint32_t i = 0; i < n; i++, t = emit_ty_result(x, t, 1))
        params[i] = fcl_param(x->m, body, NULL, emit_core_type(x, emit_ty_param(x, t)));
    for (uint32_t i = 0; i < n; i++)
        args[i] = emit_sval_core(x, params[i], s->loc);
    fcl_yield(x->m, body, emit_value_of(x, body, emit_apply_value(x, body, s, args, n, s->loc)));
    return f;
}

/* apply f, vals, args; f itself when there is nothing to apply it to. */
static fcl_value apply_core(emitter *x, fcl_region r, fcl_value f, const fcl_value *vals,
                            uint32_t nvals, sval *const *args, uint32_t n, location loc)
{
    fcl_value *all = ARENA_ARRAY(&x->p->mem, fcl_value, 1 + nvals + n);
    if (!all)
        return 0;
    all[0] = f;
    for (uint32_t i = 0; i < nvals; i++)
        all[1 + i] = vals[i];
    for (uint32_t i = 0; i < n; i++)
        all[1 + nvals + i] = emit_value_of(x, r, args[i]);
    emit_at_loc(x, loc);
    return nvals + n ? emit_core_op(x, r, "apply", all, 1 + nvals + n) : f;
}

/* func @f<...>, applied to the top-level values that it needs and to the arguments that are there
 */
static fcl_value decl_value(emitter *x, fcl_region r, sval *s)
{
    decl *d = s->decl;
    if (d->prints)
        return eta_value(x, r, s, d->nparams - s->n);
    built *b = emit_instance_of(x, d, &s->inst);
    fcl_value *vals = ARENA_ARRAY(&x->p->mem, fcl_value, d->nvals + 1);
    for (uint32_t i = 0; vals && i < d->nvals; i++)
        vals[i] = d->vals[i]->value ? emit_value_of(x, r, d->vals[i]->value) : 0;
    if (!b || !vals)
        return 0;
    emit_at_loc(x, s->loc);
    fcl_value f = fcl_func_value(x->m, r, b->func, s->inst.types, s->inst.ntypes, s->inst.levels,
                                 x->t->old ? 0 : s->inst.nlevels);
    return apply_core(x, r, f, vals, d->nvals, s->items, s->n, s->loc);
}

/* tuple x1, ..., xn */
static fcl_value tuple_value(emitter *x, fcl_region r, sval *s)
{
    fcl_value *items = ARENA_ARRAY(&x->p->mem, fcl_value, s->n + 1);
    for (uint32_t i = 0; items && i < s->n; i++)
        items[i] = emit_value_of(x, r, s->items[i]);
    emit_at_loc(x, s->loc);
    return items ? emit_core_op(x, r, "tuple", items, s->n) : 0;
}

/* unit and strings have no value: some int, which nothing looks at. */
fcl_value emit_value_of(emitter *x, fcl_region r, sval *s)
{
    if (x->failed || x->p->cx->mem.oom)
        return emit_core_int(x, 0); /* some value, so that nothing else is reported */
    switch (s->kind) {
    case SV_CORE: return s->v;
    case SV_TUPLE: return tuple_value(x, r, s);
    case SV_LAMBDA: return lambda_value(x, r, s);
    case SV_BUILTIN: return eta_value(x, r, s, s->builtin->arity - s->n);
    case SV_DECL: return decl_value(x, r, s);
    case SV_COMPOSE: return eta_value(x, r, s, 1);
    default: return emit_core_int(x, 0);
    }
}

/* ---- application ---- */

/* The body of a lambda with its parameters bound.  A function that it gives may depend on them: it
 * becomes a value now.
 */
static sval *apply_lambda(emitter *x, fcl_region r, const sval *f, sval *const *args)
{
    for (uint32_t i = 0; i < f->fn->nparams; i++)
        emit_bind_sval(x, r, f->fn->params[i], args[i]);
    sval *s = emit_expr(x, r, f->fn->args[0]);
    return s->kind >= SV_LAMBDA ? emit_sval_core(x, emit_value_of(x, r, s), s->loc) : s;
}

/* f with more arguments; *used says how many it took. */
static sval *add_arguments(emitter *x, fcl_region r, sval *f, sval *const *args, uint32_t n,
                           uint32_t *used, location loc)
{
    uint32_t arity = f->kind == SV_DECL ? f->decl->nparams : f->builtin->arity;
    uint32_t take = arity - f->n < n ? arity - f->n : n;
    sval **items = ARENA_ARRAY(&x->p->mem, sval *, f->n + take + 1);
    sval *more = NODE(x->p, sval);
    if (!items)
        return f;
    for (uint32_t i = 0; i < f->n; i++)
        items[i] = f->items[i];
    for (uint32_t i = 0; i < take; i++)
        items[f->n + i] = args[i];
    *more = *f;
    more->items = items;
    more->n = f->n + take;
    more->type = emit_ty_result(x, f->type, take);
    *used = take;
    return more->n == arity ? emit_call(x, r, more, loc) : more;
}

/* One step of an application: takes at least one argument. */
static sval *apply_some(emitter *x, fcl_region r, sval *f, sval *const *args, uint32_t n,
                        uint32_t *used, location loc)
{
    *used = n;
    switch (f->kind) {
    case SV_LAMBDA:
        if (f->fn->nlevels || f->fn->nparams > n)
            break;
        *used = f->fn->nparams;
        return apply_lambda(x, r, f, args);
    case SV_BUILTIN:
    case SV_DECL: return add_arguments(x, r, f, args, n, used, loc);
    case SV_COMPOSE:
        *used = 1;
        return emit_apply1(x, r, f->items[0], emit_apply1(x, r, f->items[1], args[0]));
    default: break;
    }
    fcl_value v = emit_value_of(x, r, f);
    return emit_sval_op(x, apply_core(x, r, v, NULL, 0, args, n, loc), loc);
}

/* Each step takes at least one argument, unless there has been an error. */
sval *emit_apply_value(emitter *x, fcl_region r, sval *f, sval *const *args, uint32_t n,
                       location loc)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < n && !x->failed && !x->p->cx->mem.oom; i += used ? used : n)
        f = apply_some(x, r, f, args + i, n - i, &used, loc);
    return f;
}

sval *emit_apply1(emitter *x, fcl_region r, sval *f, sval *arg)
{
    return emit_apply_value(x, r, f, &arg, 1, f->loc);
}
