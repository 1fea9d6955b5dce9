/* The entry: the declaration that becomes the module's kernel.
 *
 * A kernel has no type and level parameters: types become int, levels grid.  What it gives are push
 * arrays; an array that was written to memory, as the result of a program is, is pushed at grid,
 * and so is a scalar, as an array of one element; what is printed comes before that.  Where
 * "arrays" is imported, arrays and scalars are given as they are. */
#include "frontends/fcl/emit/emit.h"

#include <string.h>

/* ---- which one ---- */

/* Scalars and tuples of them: what the elements of a kernel's arrays may be.  A variable will be
 * int. */
static bool data_type(types *t, ty x, uint32_t depth)
{
    x = ty_inside(t, x);
    const ty_node n = *ty_at(t, x);
    if (n.kind == T_TUPLE && depth < TYPE_NESTING) {
        for (uint32_t i = 0; i < n.b; i++)
            if (!data_type(t, ty_item(t, x, i), depth + 1))
                return false;
        return true;
    }
    return n.kind == T_SCALAR || n.kind == T_VAR;
}

/* Scalars, arrays of scalars or of tuples of them, tuples of those. */
static bool param_type(types *t, ty x, uint32_t depth)
{
    x = ty_inside(t, x);
    const ty_node n = *ty_at(t, x);
    if (n.kind == T_PULL)
        return data_type(t, n.a, 0);
    for (uint32_t i = 0; n.kind == T_TUPLE && depth < TYPE_NESTING && i < n.b; i++)
        if (!param_type(t, ty_item(t, x, i), depth + 1))
            return false;
    return n.kind == T_TUPLE || n.kind == T_SCALAR || n.kind == T_VAR;
}

/* The operators that write their result to memory. */
static bool is_forcing(const expr *e)
{
    builtin_form f = e->kind == EX_VAR && e->builtin ? e->builtin->form : BF_PLAIN;
    return f == BF_FORCE || f == BF_WHILE || f == BF_POWER || f == BF_PRINT;
}

/* Whether the value of e was written to memory: its last operation is one that does. */
static bool is_forced(const expr *e)
{
    while (e->kind == EX_LET || e->kind == EX_DO || e->kind == EX_ANNOT)
        e = e->args[0];
    if (e->kind == EX_TUPLE) {
        for (uint32_t i = 0; i < e->nargs; i++)
            if (!is_forced(e->args[i]))
                return false;
        return true;
    }
    return e->kind == EX_APP && is_forcing(e->args[0]);
}

/* Whether it is a program: what running one gives was written to memory. */
static bool runs(const types *t, ty x)
{
    return ty_at(t, ty_find((types *)(uintptr_t)t, x))->kind == T_PROG;
}

/* The type of the result, behind the parameters. */
static ty result_type(types *t, const decl *d)
{
    ty x = ty_find(t, d->scheme->type);
    for (uint32_t i = 0; i < d->nparams; i++)
        x = ty_find(t, ty_at(t, ty_inside(t, x))->b);
    return x;
}

/* Whether a kernel can have a result of this type: push arrays, scalars, what is in memory already,
 * and, where levels are not named, pull arrays. */
static bool delivers(types *t, ty x, bool written, bool level_free, bool scalars, uint32_t depth)
{
    x = ty_inside(t, x);
    const ty_node n = *ty_at(t, x);
    for (uint32_t i = 0; n.kind == T_TUPLE && depth < TYPE_NESTING && i < n.b; i++)
        if (!delivers(t, ty_item(t, x, i), written, level_free, scalars, depth + 1))
            return false;
    if (n.kind == T_PULL)
        return (written || level_free) && data_type(t, n.a, 0);
    if (n.kind == T_SCALAR || n.kind == T_VAR)
        return scalars || written;
    return n.kind == T_TUPLE || n.kind == T_PUSH || (written && n.kind == T_UNIT);
}

/* Whether there is an array in a result. */
static bool gives_array(types *t, ty x, uint32_t depth)
{
    const ty_node n = *ty_at(t, ty_inside(t, x));
    bool is = n.kind == T_PULL || n.kind == T_PUSH;
    for (uint32_t i = 0; n.kind == T_TUPLE && depth < TYPE_NESTING && i < n.b && !is; i++)
        is = gives_array(t, ty_item(t, x, i), depth + 1);
    return is;
}

/* What a kernel can have in place of such a parameter; NULL: something else altogether. */
static const char *hint_parameter(types *t, ty x)
{
    const ty_node n = *ty_at(t, ty_inside(t, x));
    if (n.kind == T_PUSH)
        return "an argument lies in memory already: without this force it is a pull array";
    if (n.kind == T_PULL && ty_at(t, ty_inside(t, n.a))->kind == T_PULL)
        return "the rows of a matrix are one array: sig main : [int;2] -> ...";
    return NULL;
}

/* Why a declaration cannot be a kernel; NULL when it can.  One that nobody asked for gives more
 * than scalars, where these are no results of their own: a file of functions has no kernel. */
static const char *obstacle(program *p, const decl *d, bool asked, const char **hint)
{
    types *t = &p->types;
    ty x = d->scheme->type;
    for (uint32_t i = 0; i < d->nparams; i++) {
        x = ty_inside(t, x);
        if (!param_type(t, ty_at(t, x)->a, 0)) {
            *hint = hint_parameter(t, ty_at(t, x)->a);
            return "its parameters must be scalars, arrays of scalars, or tuples of these";
        }
        x = ty_at(t, x)->b;
    }
    ty result = result_type(t, d);
    bool written = runs(t, result) || is_forced(d->body);
    if (delivers(t, result, written, p->imports, asked || p->imports || gives_array(t, result, 0), 0))
        return NULL;
    const ty_node n = *ty_at(t, ty_inside(t, result));
    ty_kind k = (ty_kind)n.kind;
    if (k == T_FUN)
        return "it gives a function";
    if (k == T_PULL && ty_at(t, ty_inside(t, n.a))->kind == T_PULL) {
        *hint = "give a matrix, [a;2], where all are of one length; else the elements of all, one behind the other, and where each begins";
        return "it gives an array of arrays";
    }
    return k == T_PULL ? "it gives a pull array, which says nothing about how it is computed"
                       : "it must give push arrays";
}

/* The user's declaration of that name. */
static decl *named(program *p, const char *name)
{
    for (uint32_t i = p->user.len; i-- > 0;)
        if (strcmp(program_text_of(p, p->user.at[i]->name), name) == 0)
            return p->user.at[i];
    return NULL;
}

/* NULL, after a report. */
static decl *refuse_entry(program *p, decl *d, const char *why, const char *hint)
{
    bool pull = ty_at(&p->types, ty_inside(&p->types, result_type(&p->types, d)))->kind == T_PULL;
    diag_error(p->cx, DIAG_FCL_ENTRY, d->loc, "'%s' cannot be a kernel: %s",
               program_text_of(p, d->name), why);
    diag_hint(p->cx, "%s",
              hint   ? hint
              : pull ? "push it: ... |> push <grid>"
                     : "name another declaration as the entry");
    return NULL;
}

/* The user named an entry that does not exist. */
static decl *no_such(program *p)
{
    location loc = {.file = intern_cstr(&p->cx->strings, p->in->name)};
    diag_error(p->cx, DIAG_FCL_ENTRY, loc, "there is no declaration '%s' to be the entry",
               p->in->entry);
    vec_char list = {0};
    for (uint32_t i = 0; i < p->user.len && i < 8; i++)
        text_addf(&p->cx->mem, &list, "%s%s", i ? ", " : "",
                  program_text_of(p, p->user.at[i]->name));
    if (list.len)
        diag_hint(p->cx, "the file declares %s", text_cstr(&p->cx->mem, &list));
    vec_free(&p->cx->mem, &list);
    return NULL;
}

/* The one that the user names, else main, else the last declaration.  Only the last may be none: a
 * file of functions has no kernel. */
decl *entry_find(program *p, bool *ok)
{
    decl *d = named(p, p->in->entry ? p->in->entry : "main");
    bool asked = p->in->entry || d;
    if (!d && !asked && p->user.len)
        d = p->user.at[p->user.len - 1];
    *ok = d || !asked;
    if (!d)
        return asked ? no_such(p) : NULL;
    const char *hint = NULL, *why = obstacle(p, d, asked, &hint);
    *ok = !why || !asked;
    if (!why)
        return d;
    return asked ? refuse_entry(p, d, why, hint) : NULL;
}

/* ---- building it ---- */

/* Every generic variable of the entry is int, or double where it must be a float; every level
 * grid. */
static core_instance entry_instance(emitter *x, const scheme *s)
{
    core_instance c = {.ntypes = s->nvars, .nlevels = s->nlevels};
    c.types = ARENA_ARRAY(&x->p->mem, fcl_type, s->nvars + 1);
    c.levels = ARENA_ARRAY(&x->p->mem, uint32_t, s->nlevels + 1);
    if (!c.types || !c.levels)
        return (core_instance){0};
    for (uint32_t i = 0; i < s->nvars; i++) {
        uint16_t scalars = ty_at(x->t, s->vars[i])->scalars;
        c.types[i] = fcl_type_scalar(x->m, scalars ? infer_default_scalar(scalars) : FCL_I32);
    }
    for (uint32_t i = 0; i < s->nlevels; i++)
        c.levels[i] = emit_height_slot(x, lv_top(x->t));
    return c;
}

/* push <grid> xs */
static fcl_value push_grid(emitter *x, fcl_region r, fcl_value xs)
{
    return fcl_op_level(x->m, r, "push", fcl_level_const(FCL_GRID), xs);
}

typedef VEC(fcl_value) result_list;

/* Adds the arrays that the kernel gives for a result of type t. */
static void deliver(emitter *x, fcl_region r, sval *s, ty t, result_list *out)
{
    t = ty_inside(x->t, t);
    const ty_node n = *ty_at(x->t, t);
    fcl_value v = 0;
    if (n.kind == T_UNIT)
        return;
    for (uint32_t i = 0; n.kind == T_TUPLE && i < n.b; i++)
        deliver(x, r, emit_component(x, r, s, i), ty_item(x->t, t, i), out);
    if (n.kind == T_TUPLE)
        return;
    v = emit_value_of(x, r, s);
    if (!x->p->imports && (n.kind == T_SCALAR || n.kind == T_VAR))
        v = fcl_op_array(x->m, r, emit_core_type(x, t), &v, 1);
    vec_push(&x->p->cx->mem, out, x->p->imports || n.kind == T_PUSH ? v : push_grid(x, r, v));
}

/* Whether the last thing that the entry does is to print: then its result is what it printed. */
static bool ends_printing(const expr *e)
{
    while (e->kind == EX_LET || e->kind == EX_DO || e->kind == EX_ANNOT)
        e = e->args[0];
    return e->kind == EX_APP && e->args[0]->kind == EX_VAR && e->args[0]->builtin &&
           e->args[0]->builtin->form == BF_PRINT;
}

/* What is printed, then the result; a program that gives nothing gives an empty array. */
static fcl_value results(emitter *x, fcl_region r, const decl *d, sval *s)
{
    result_list out = {0};
    for (uint32_t i = 0; i < x->prints.len; i++)
        vec_push(&x->p->cx->mem, &out, x->prints.at[i]);
    if (!ends_printing(d->body))
        deliver(x, r, s, result_type(x->t, d), &out);
    fcl_value v = out.len ? out.at[0] : 0;
    if (out.len > 1)
        v = emit_core_op(x, r, "tuple", out.at, out.len);
    if (!out.len)
        v = push_grid(x, r, fcl_op_array(x->m, r, fcl_type_scalar(x->m, FCL_I32), NULL, 0));
    vec_free(&x->p->cx->mem, &out);
    return v;
}

/* The top-level values that the entry needs, each computed once, in the order in which they need
 * each other. */
static void emit_values(emitter *x, fcl_region r, const decl *d)
{
    for (uint32_t i = 0; i < d->nvals; i++) {
        decl *v = d->vals[i];
        v->value = emit_is_tunable(v) ? emit_tunable(x, r, v) : emit_settled(x, r, v->body);
        if (v->value->fresh)
            fcl_value_name(x->m, v->value->v, program_text_of(x->p, v->name));
        v->value->fresh = false;
    }
}

/* All parameters before anything that takes them apart: regions have their parameters first. */
static void emit_params(emitter *x, fcl_region r, const decl *d)
{
    ty t = d->scheme->type;
    fcl_value *params = ARENA_ARRAY(&x->p->mem, fcl_value, d->nparams + 1);
    for (uint32_t i = 0; params && i < d->nparams; i++, t = emit_ty_result(x, t, 1)) {
        fcl_type param = emit_core_type(x, emit_ty_param(x, t));
        params[i] = emit_param_of(x, r, d->params[i], param);
    }
    for (uint32_t i = 0; params && i < d->nparams; i++)
        emit_bind_sval(x, r, d->params[i], emit_sval_core(x, params[i], d->params[i]->loc));
}

static bool is_scalars(types *t, ty x)
{
    const ty_node n = *ty_at(t, ty_inside(t, x));
    for (uint32_t i = 0; n.kind == T_TUPLE && i < n.b; i++)
        if (!is_scalars(t, ty_item(t, ty_inside(t, x), i)))
            return false;
    return n.kind == T_TUPLE || n.kind == T_SCALAR || n.kind == T_VAR;
}

/* Whether all that the entry gives are scalars that one thread can compute. */
static bool by_one_thread(emitter *x, const decl *d)
{
    ty result = result_type(x->t, d);
    return !d->works && !d->prints && !runs(x->t, result) && is_scalars(x->t, result);
}

/* Values, then the body. */
static sval *emit_entry_body(emitter *x, fcl_region r, const decl *d)
{
    emit_values(x, r, d);
    sval *s = emit_expr(x, r, d->body);
    emit_at_loc(x, d->body->loc);
    return s;
}

/* For each scalar that v, a value of type t, is made of, the array of it that a grid makes. */
static void push_scalars(emitter *x, fcl_region r, fcl_value xs, ty t, result_list *out)
{
    t = ty_inside(x->t, t);
    const ty_node n = *ty_at(x->t, t);
    for (uint32_t i = 0; n.kind == T_TUPLE && i < n.b; i++) {
        fcl_region body = 0;
        fcl_value part = fcl_op_regions(x->m, r, "map", &xs, 1, &body);
        fcl_value args[2] = {fcl_param(x->m, body, NULL, 0), emit_core_int(x, i)};
        fcl_yield(x->m, body, emit_core_op(x, body, "proj", args, 2));
        push_scalars(x, r, part, ty_item(x->t, t, i), out);
    }
    if (n.kind != T_TUPLE)
        vec_push(&x->p->cx->mem, out, push_grid(x, r, xs));
}

/* All in the one element of an array, so that a thread runs the loops and not the host. */
static fcl_value emit_scalars(emitter *x, fcl_region r, const decl *d)
{
    fcl_value one = emit_core_int(x, 1);
    fcl_region body = 0;
    result_list out = {0};
    x->top = 0;
    fcl_value xs = fcl_op_regions(x->m, r, "generate", &one, 1, &body);
    fcl_param(x->m, body, NULL, 0);
    fcl_yield(x->m, body, emit_value_of(x, body, emit_entry_body(x, body, d)));
    push_scalars(x, r, xs, result_type(x->t, d), &out);
    fcl_value v = out.len ? out.at[0] : 0;
    if (out.len > 1)
        v = emit_core_op(x, r, "tuple", out.at, out.len);
    vec_free(&x->p->cx->mem, &out);
    return v;
}

/* Parameters, then the top-level values, which the body may need anywhere, then the body. */
void entry_emit(emitter *x, decl *d)
{
    emit_at_loc(x, d->loc);
    fcl_func f = fcl_function(x->m, program_text_of(x->p, d->name), true);
    core_instance inst = entry_instance(x, d->scheme);
    fcl_region r = x->top = fcl_body(x->m, f);
    emit_set_slots(x, d->scheme, &inst);
    emit_params(x, r, d);
    fcl_value v = !x->p->imports && by_one_thread(x, d)
                      ? emit_scalars(x, r, d)
                      : results(x, r, d, emit_entry_body(x, r, d));
    x->top = 0;
    if (!x->failed)
        fcl_return(x->m, r, v);
}
