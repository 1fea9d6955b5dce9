/* Building expressions: a function emit_X for each form EX_X.
 *
 * Operands are built before the operation that uses them, which is the order of evaluation and of
 * the operations in the region.  `let` names a value; nothing is substituted, so nothing is
 * computed twice, but for polymorphic bindings, whose copies are counted (COPIES).  The depth of
 * the walk, which goes through functions that are written in place, is bounded by EMIT_DEPTH. */
#include "frontends/fcl/emit/emit.h"

#include <string.h>

/* ---- names ---- */

/* A value or function that is written in place, at an instance of its scheme. */
static sval *expand(emitter *x, fcl_region r, const scheme *s, const core_instance *inst,
                    const expr *body, location loc)
{
    if (++x->copies > COPIES) {
        emit_refuse(x, DIAG_FCL_EXPANSION, loc,
                    "more than %d copies of local polymorphic functions are needed", COPIES);
        return emit_sval_new(x, SV_UNIT, loc);
    }
    core_instance before = emit_swap_slots(x, s, inst);
    sval *v = emit_expr(x, r, body);
    v = v->kind >= SV_LAMBDA ? emit_sval_core(x, emit_value_of(x, r, v), loc) : v;
    emit_set_slots(x, s, &before);
    return v;
}

/* Whether two instances stand for the same. */
static bool same_instance(const core_instance *a, const core_instance *b)
{
    for (uint32_t i = 0; i < a->ntypes; i++)
        if (i >= b->ntypes || a->types[i] != b->types[i])
            return false;
    for (uint32_t i = 0; i < a->nlevels; i++)
        if (i >= b->nlevels || a->levels[i] != b->levels[i])
            return false;
    return true;
}

/* A local name at an instance: the copy of it that was made in this region, or a new one. */
static sval *local_copy(emitter *x, fcl_region r, const expr *e)
{
    binder *b = e->binder;
    core_instance inst = emit_instance_core(x, &e->inst, e->loc);
    for (const local_instance *c = b->copies; c; c = c->next)
        if (c->region == r && same_instance(&c->inst, &inst))
            return c->value;
    local_instance *c = NODE(x->p, local_instance);
    *c = (local_instance){.region = r, .inst = inst};
    c->value = expand(x, r, b->scheme, &inst, b->rhs, e->loc);
    c->next = b->copies;
    b->copies = c;
    return c->value;
}

/* A top-level value that is computed once, one that is written in place (a literal, or a
 * polymorphic one), or a function. */
static sval *decl_name(emitter *x, fcl_region r, const expr *e)
{
    decl *d = e->decl;
    if (d->is_value && d->value)
        return d->value;
    core_instance inst = emit_instance_core(x, &e->inst, e->loc);
    if (!d->nparams)
        return expand(x, r, d->scheme, &inst, d->body, e->loc);
    sval *s = emit_sval_new(x, SV_DECL, e->loc);
    s->decl = d;
    s->inst = inst;
    s->type = e->type;
    return s;
}

/* Only these need to know their level: the others' levels show in the types of their arguments. */
static bool needs_level(const emitter *x, const builtin *b)
{
    return b->form == BF_PUSH || b->form == BF_MAPINDEX || b->form == BF_WITH ||
           (x->t->old && (b->form == BF_CONCAT || b->form == BF_INTERLEAVE));
}

/* An operator without arguments yet, and what must be known of its instance: the ranks behind its
 * index types, which the types of this use tell, and its level. */
static sval *builtin_name(emitter *x, fcl_region r, const expr *e)
{
    const builtin *b = e->builtin;
    sval *s = emit_sval_new(x, SV_BUILTIN, e->loc);
    s->builtin = b;
    s->type = e->type;
    for (uint32_t i = 0; i < b->nshapes; i++)
        for (uint32_t k = 0; k < e->inst.ntypes; k++)
            if (b->scheme->vars[k] == b->shapes[i].type) {
                const ty_node *n = ty_at(x->t, ty_inside(x->t, e->inst.types[k]));
                s->inst.widths[i] = (uint8_t)(n->kind == T_TUPLE ? n->b : 1);
            }
    s->inst.levels = ARENA_ARRAY(&x->p->mem, uint32_t, 1);
    if (needs_level(x, b) && e->inst.nlevels && s->inst.levels) {
        s->inst.levels[0] = emit_lv_slot(x, e->inst.levels[0]);
        s->inst.nlevels = 1;
    }
    return b->arity ? s : emit_call(x, r, s, e->loc);
}

/* Levels applied to what is not a declaration's own level parameter. */
static sval *apply_levels(emitter *x, fcl_region r, sval *s, const expr *e, uint32_t from, ty t)
{
    for (uint32_t i = from; i < e->nlevels; i++) {
        lv l = e->applied ? e->applied[i] : 0;
        fcl_value v = emit_value_of(x, r, s);
        emit_at_loc(x, e->loc);
        s = emit_sval_op(x, fcl_op_level(x->m, r, "lapply", emit_lv_core(x, emit_lv_slot(x, l)), v),
                         e->loc);
    }
    if (from < e->nlevels)
        s->type = t;
    return s;
}

/* A name, by what inference found that it refers to, applied to the levels beyond its scheme's
 * own. */
static sval *emit_name(emitter *x, fcl_region r, const expr *e)
{
    uint32_t explicit_levels = e->decl      ? e->decl->scheme->nexplicit
                               : e->builtin ? e->builtin->scheme->nexplicit
                                            : 0;
    sval *s;
    if (e->decl) {
        s = decl_name(x, r, e);
    } else if (e->builtin) {
        s = builtin_name(x, r, e);
    } else if (e->binder && e->binder->scheme) {
        s = local_copy(x, r, e);
    } else {
        s = e->binder && e->binder->value ? e->binder->value : emit_sval_new(x, SV_UNIT, e->loc);
    }
    return apply_levels(x, r, s, e, explicit_levels, e->type);
}

/* ---- operators ---- */

/* The minus before a literal is part of it: -128i8 is in range, 128i8 is not. */
static sval *emit_negation(emitter *x, fcl_region r, const expr *e)
{
    const expr *of = e->args[0];
    if (of->kind == EX_INT || of->kind == EX_FLOAT)
        return emit_number(x, r, of, true);
    fcl_value v = emit_value_of(x, r, emit_expr(x, r, of));
    emit_at_loc(x, e->loc);
    return emit_sval_op(x, emit_core_op(x, r, "neg", &v, 1), e->loc);
}

/* Whether both operands of && and || may as well be computed: nothing in e looks at an array. */
static bool is_cheap(const expr *e)
{
    if (e->kind == EX_VAR)
        return e->binder && !e->binder->scheme;
    if (e->kind != EX_OP && e->kind != EX_NEG)
        return e->kind <= EX_BOOL;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!is_cheap(e->args[i]))
            return false;
    return true;
}

/* a && b as `if a then b else false`: b is not computed in vain. */
static sval *emit_short(emitter *x, fcl_region r, const expr *e, bool is_and)
{
    fcl_value c = emit_value_of(x, r, emit_expr(x, r, e->args[0]));
    fcl_region regions[2] = {0};
    emit_at_loc(x, e->loc);
    fcl_value v = fcl_op_regions(x->m, r, "if", &c, 1, regions);
    fcl_region here = regions[is_and ? 0 : 1], other = regions[is_and ? 1 : 0];
    fcl_yield(x->m, here, emit_value_of(x, here, emit_expr(x, here, e->args[1])));
    fcl_yield(x->m, other, fcl_const_bool(x->m, !is_and));
    return emit_sval_op(x, v, e->loc);
}

/* Division has another operator for floats, see binops.def, and one that is both for a type that
 * only the instance knows. */
static const char *operator_at(emitter *x, const binop *op, ty t)
{
    if (!op->floats)
        return op->name;
    return emit_is_variable(x, t)                ? "divide"
           : emit_is_float(emit_scalar_of(x, t)) ? op->floats
                                                 : op->name;
}

static sval *emit_operator(emitter *x, fcl_region r, const expr *e)
{
    const binop *op = &parse_binops[e->op];
    if (op->operands == 'L' && !is_cheap(e->args[1]))
        return emit_short(x, r, e, op->token == TK_ANDAND);
    fcl_value args[2] = {emit_value_of(x, r, emit_expr(x, r, e->args[0])), 0};
    args[1] = emit_value_of(x, r, emit_expr(x, r, e->args[1]));
    emit_at_loc(x, e->loc);
    return emit_sval_op(x, emit_core_op(x, r, operator_at(x, op, e->args[0]->type), args, 2),
                        e->loc);
}

/* if c { then } { else } */
static sval *emit_if(emitter *x, fcl_region r, const expr *e)
{
    fcl_value c = emit_value_of(x, r, emit_expr(x, r, e->args[0]));
    fcl_region regions[2] = {0};
    emit_at_loc(x, e->loc);
    fcl_value v = fcl_op_regions(x->m, r, "if", &c, 1, regions);
    for (uint32_t i = 0; i < 2; i++) {
        fcl_value yielded = emit_value_of(x, regions[i], emit_expr(x, regions[i], e->args[1 + i]));
        emit_at_loc(x, e->args[1 + i]->loc);
        fcl_yield(x->m, regions[i], yielded);
    }
    return emit_sval_op(x, v, e->loc);
}

/* assert c { value } */
static sval *emit_assert(emitter *x, fcl_region r, const expr *e)
{
    fcl_value c = emit_value_of(x, r, emit_expr(x, r, e->args[0]));
    const char *text = intern_str(&x->p->cx->strings, e->args[1]->name);
    fcl_region body = 0;
    emit_at_loc(x, e->loc);
    fcl_value v = fcl_op_regions(x->m, r, "assert", &c, 1, &body);
    fcl_attribute_set(x->m, (fcl_subject){.value = v},
                      &(fcl_attribute){.key = "text", .text = text, .size = strlen(text)});
    fcl_yield(x->m, body, emit_value_of(x, body, emit_expr(x, body, e->args[2])));
    return emit_sval_op(x, v, e->loc);
}

/* ---- lists ---- */

/* Components stay what they are known as: a tuple of functions never becomes a value of the core
 * unless one is needed. */
static sval *emit_tuple(emitter *x, fcl_region r, const expr *e)
{
    sval **items = ARENA_ARRAY(&x->p->mem, sval *, e->nargs + 1);
    for (uint32_t i = 0; items && i < e->nargs; i++)
        items[i] = emit_expr(x, r, e->args[i]);
    return items ? emit_sval_list(x, SV_TUPLE, e->loc, items, e->nargs)
                 : emit_sval_new(x, SV_UNIT, e->loc);
}

/* ---- application and functions ---- */

/* A call that is written in place: of a function that prints, so that what it prints comes out at the top. */
static sval *call_in_place(emitter *x, fcl_region r, const sval *call)
{
    decl *d = call->decl;
    core_instance before = emit_swap_slots(x, d->scheme, &call->inst);
    for (uint32_t i = 0; i < d->nparams; i++)
        emit_bind_sval(x, r, d->params[i], call->items[i]);
    sval *s = emit_settled(x, r, d->body);
    emit_set_slots(x, d->scheme, &before);
    return s;
}

static bool has_arrays(const emitter *x, fcl_type t)
{
    fcl_type_info n = {0};
    bool has = fcl_type_about(x->m, t, &n, sizeof n) && n.kind == FCL_TYPE_PULL;
    for (size_t i = 0; !has && n.kind == FCL_TYPE_TUPLE && i < n.parts; i++)
        has = has_arrays(x, fcl_type_part(x->m, t, i));
    return has;
}

/* What the user's own functions do with functions of types that are open: a loop in them, say, has scalars as its state in the core,
 * where here they are arrays.  Such calls are written in place. */
static bool combines_arrays(const emitter *x, const sval *call)
{
    const decl *d = call->decl;
    bool arrays = false, combines = false;
    ty t = d->scheme->type;
    for (uint32_t i = 0; i < call->inst.ntypes && !arrays; i++)
        arrays = has_arrays(x, call->inst.types[i]);
    for (uint32_t i = 0; i < d->nparams && !combines; i++) {
        const ty_node *n = ty_at(x->t, ty_inside(x->t, t));
        combines = ty_at(x->t, ty_inside(x->t, n->a))->kind == T_FUN;
        t = n->b;
    }
    return arrays && combines && !d->from_prelude;
}

/* A call of a function of the module, with the top-level values that it needs before its
 * arguments. */
static sval *call_decl(emitter *x, fcl_region r, const sval *call, location loc)
{
    decl *d = call->decl;
    if (d->prints || combines_arrays(x, call))
        return call_in_place(x, r, call);
    built *b = emit_instance_of(x, d, &call->inst);
    fcl_value *args = ARENA_ARRAY(&x->p->mem, fcl_value, d->nvals + call->n + 1);
    if (!b || !args)
        return emit_sval_new(x, SV_UNIT, loc);
    for (uint32_t i = 0; i < d->nvals; i++)
        args[i] = d->vals[i]->value ? emit_value_of(x, r, d->vals[i]->value) : 0;
    for (uint32_t i = 0; i < call->n; i++)
        args[d->nvals + i] = emit_value_of(x, r, call->items[i]);
    emit_at_loc(x, loc);
    return emit_sval_op(x,
                        fcl_call(x->m, r, b->func, call->inst.types, call->inst.ntypes,
                                 call->inst.levels, x->t->old ? 0 : call->inst.nlevels, args,
                                 d->nvals + call->n),
                        loc);
}

sval *emit_call(emitter *x, fcl_region r, sval *call, location loc)
{
    call->loc = loc;
    return call->kind == SV_DECL ? call_decl(x, r, call, loc) : emit_builtin(x, r, call);
}

/* The function and its arguments first, from left to right. */
static sval *emit_application(emitter *x, fcl_region r, const expr *e)
{
    sval *f = emit_expr(x, r, e->args[0]);
    sval **args = ARENA_ARRAY(&x->p->mem, sval *, e->nargs);
    for (uint32_t i = 1; args && i < e->nargs; i++)
        args[i - 1] = emit_expr(x, r, e->args[i]);
    return args ? emit_apply_value(x, r, f, args, e->nargs - 1, e->loc) : f;
}

/* Nothing is built yet: the body goes where the function is applied or becomes a value. */
static sval *emit_fn(emitter *x, const expr *e)
{
    sval *s = emit_sval_new(x, SV_LAMBDA, e->loc);
    s->fn = e;
    s->type = e->type;
    return s;
}

/* Kept as its two functions until it is applied. */
static sval *emit_composition(emitter *x, fcl_region r, const expr *e)
{
    sval *fs[2] = {emit_expr(x, r, e->args[0]), emit_expr(x, r, e->args[1])};
    sval *s = emit_sval_list(x, SV_COMPOSE, e->loc, fs, 2);
    s->type = e->type;
    return s->n == 2 ? s : emit_sval_new(x, SV_UNIT, e->loc);
}

/* ---- let ---- */

sval *emit_settled(emitter *x, fcl_region r, const expr *e)
{
    sval *s = emit_expr(x, r, e);
    return s->kind >= SV_LAMBDA ? emit_sval_op(x, emit_value_of(x, r, s), s->loc) : s;
}

/* What is bound: a function that stands at one place alone meets its arguments there, as if it were written there, so that a loop whose
 * step has a name is the same as one whose step has none. */
static sval *emit_bound(emitter *x, fcl_region r, const ast_binding *b)
{
    bool once = b->pat->var && !b->pat->var->again && b->rhs->kind == EX_FN;
    return once ? emit_expr(x, r, b->rhs) : emit_settled(x, r, b->rhs);
}

/* Polymorphic bindings are built where they are used (local_copy), anew for each time that the let
 * is built. */
static sval *emit_let(emitter *x, fcl_region r, const expr *e)
{
    for (uint32_t i = 0; i < e->nbindings && !x->failed; i++) {
        const ast_binding *b = &e->bindings[i];
        if (b->pat->var && b->pat->var->scheme)
            b->pat->var->copies = NULL;
        else
            emit_bind_sval(x, r, b->pat, emit_bound(x, r, b));
    }
    return emit_expr(x, r, e->args[0]);
}

/* The name of a file: see host.c. */
static sval *emit_string(emitter *x, const expr *e)
{
    sval *s = emit_sval_new(x, SV_STRING, e->loc);
    s->name = e->name;
    return s;
}

static sval *emit_form(emitter *x, fcl_region r, const expr *e)
{
    switch (e->kind) {
    case EX_INT:
    case EX_FLOAT: return emit_number(x, r, e, false);
    case EX_BOOL: return emit_sval_core(x, fcl_const_bool(x->m, e->number != 0), e->loc);
    case EX_STRING: return emit_string(x, e);
    case EX_UNIT: return emit_sval_new(x, SV_UNIT, e->loc);
    case EX_VAR: return emit_name(x, r, e);
    case EX_FN: return emit_fn(x, e);
    case EX_APP: return emit_application(x, r, e);
    case EX_LAPP: return apply_levels(x, r, emit_expr(x, r, e->args[0]), e, 0, e->type);
    case EX_LET:
    case EX_DO: return emit_let(x, r, e);
    case EX_IF: return emit_if(x, r, e);
    case EX_ASSERT: return emit_assert(x, r, e);
    case EX_TUPLE: return emit_tuple(x, r, e);
    case EX_ARRAY: return emit_array(x, r, e);
    case EX_OP: return emit_operator(x, r, e);
    case EX_NEG: return emit_negation(x, r, e);
    case EX_COMPOSE: return emit_composition(x, r, e);
    case EX_ANNOT: return emit_expr(x, r, e->args[0]);
    }
    return emit_sval_new(x, SV_UNIT, e->loc);
}

sval *emit_expr(emitter *x, fcl_region r, const expr *e)
{
    if (x->failed || x->p->cx->mem.oom || !fcl_built(x->m))
        return emit_sval_new(x, SV_UNIT, e->loc);
    if (x->depth >= EMIT_DEPTH) {
        emit_refuse(x, DIAG_TOO_DEEP, e->loc, "functions written in place nest too deep here");
        return emit_sval_new(x, SV_UNIT, e->loc);
    }
    x->depth++;
    sval *s = emit_form(x, r, e);
    x->depth--;
    return s;
}
