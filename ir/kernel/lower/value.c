/* Static values: making and taking them apart. See lower/value.h.
 *
 * Constructors of values give something readable after a failed allocation, which L->failed
 * remembers; no caller has to ask in between. */
#include "ir/kernel/lower/value.h"

#include "ir/callers.h"
#include "ir/scalar/scalar.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const sv none = {.kind = SV_NONE};

const sv *sv_none(void)
{
    return &none;
}

sv *sv_new(lowering *L, sv_kind k, sv_form f)
{
    sv *v = ARENA_NEW(&L->a, sv);
    if (!v) {
        L->failed = true;
        v = &L->spare;
    }
    v->kind = (uint8_t)k;
    v->form = (uint8_t)f;
    v->number = ++L->made;
    v->block = L->block;
    return v;
}

sv *sv_pushed(lowering *L, const sv *a, uint32_t level)
{
    sv *p = sv_new(L, SV_PUSH, PUSH_PULL);
    p->level = (uint8_t)level;
    p->rank = a->rank;
    p->shape = a->shape;
    p->src = a;
    return p;
}

sv *sv_like(lowering *L, const sv *v)
{
    sv *copy = sv_new(L, (sv_kind)v->kind, (sv_form)v->form);
    uint32_t number = copy->number;
    *copy = *v;
    copy->number = number;
    return copy;
}

const sv *sv_scalar(lowering *L, k_id v)
{
    sv *s = sv_new(L, SV_SCALAR, 0);
    s->v = v;
    return s;
}

const sv *sv_int(lowering *L, int32_t x)
{
    return sv_scalar(L, kb_int(&L->b, x));
}

/* The items are copied: the caller's list may be on its stack. */
const sv *sv_tuple(lowering *L, const sv *const *items, uint32_t n)
{
    sv *t = sv_new(L, SV_TUPLE, 0);
    t->items = ARENA_ARRAY(&L->a, const sv *, n);
    if (!t->items) {
        L->failed = true;
        return sv_none();
    }
    t->n = n;
    for (uint32_t i = 0; i < n; i++)
        t->items[i] = items[i];
    return t;
}

const sv *sv_zero(lowering *L, ir_type t)
{
    const type_node n = *ir_type_at(L->m, t);
    if (n.kind != TY_TUPLE)
        return sv_scalar(L, kb_const(&L->b, n.kind == TY_SCALAR ? (scalar)n.a : ST_I32, 0));
    const sv *items[64];
    uint32_t count = n.n < 64 ? n.n : 64;
    for (uint32_t i = 0; i < count; i++)
        items[i] = sv_zero(L, type_item(L->m, t, i));
    return sv_tuple(L, items, count);
}

bool sv_is_scalars(const sv *v)
{
    if (v->kind != SV_TUPLE)
        return v->kind == SV_SCALAR;
    for (uint32_t i = 0; i < v->n; i++)
        if (!sv_is_scalars(v->items[i]))
            return false;
    return true;
}

void sv_leaves(lowering *L, const sv *v, vec_u32 *out)
{
    if (v->kind == SV_SCALAR && !vec_push(&L->m->cx->mem, out, v->v))
        L->failed = true;
    for (uint32_t i = 0; v->kind == SV_TUPLE && i < v->n; i++)
        sv_leaves(L, v->items[i], out);
}

const sv *sv_with_leaves(lowering *L, const sv *like, const k_id **list)
{
    if (like->kind == SV_SCALAR)
        return sv_scalar(L, *(*list)++);
    const sv **items = ARENA_ARRAY(&L->a, const sv *, like->n);
    for (uint32_t i = 0; items && i < like->n; i++)
        items[i] = sv_with_leaves(L, like->items[i], list);
    return items ? sv_tuple(L, items, like->n) : sv_none();
}

k_id *sv_ids(lowering *L, const k_id *ids, uint32_t n)
{
    k_id *copy = ARENA_ARRAY(&L->a, k_id, n ? n : 1);
    if (!copy)
        L->failed = true;
    else if (n)
        memcpy(copy, ids, n * sizeof *ids);
    return copy;
}

location lower_loc(const lowering *L)
{
    return k_loc_at(L->b.p, L->b.loc);
}

bool lower_failed(const lowering *L)
{
    return L->failed || L->b.failed;
}

bool lower_is_host(const lowering *L)
{
    return L->b.launch_depth == 0;
}

bool lower_is_alone(const lowering *L, uint32_t level)
{
    return level == LEVEL_THREAD || (L->target.facts.serial && level < LEVEL_GRID);
}

/* Only the first failure is reported: what follows it would be about values that are not there.
 * What cannot be lowered in a prelude is reported where it is called. */
bool lower_fail(lowering *L, diag_code code, const char *fmt, ...)
{
    if (lower_failed(L))
        return false;
    L->failed = true;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    location at = lower_loc(L), inner = ir_loc_at(L->m, L->inner), call;
    ir_func callee;
    if (ir_call_into(L->m, inner, &call, &callee))
        diag_error(L->m->cx, code, ir_in_library(L->m, at) ? call : at, "in @%s: %s",
                   ir_str(L->m, ir_func_at(L->m, callee)->name), text);
    else if (ir_written_around(L->m, at, &call))
        diag_error(L->m->cx, code, call, "%s", text);
    else
        return diag_error(L->m->cx, code, at, "%s", text);
    diag_note_add(L->m->cx, inner, "it is this operation of the prelude");
    return false;
}

/* Levels are static: every instance of a level-polymorphic function is lowered on its own. */
uint32_t lower_frame_level(lowering *L, const frame *f, ir_level l)
{
    if (level_base(l) == LV_CONST)
        return level_offset(l);
    for (const binding *b = f->bound; b; b = b->next)
        if (level_base(l) == LV_VAR && b->var == level_index(l))
            return b->value + level_offset(l);
    lower_fail(L, DIAG_LOWER_LEVEL, "the level %s is not known here", level_str(L->m, l));
    return 0;
}

/* What a type parameter is bound to; itself when nothing binds it. */
static ir_type bound_type(const lowering *L, const frame *f, ir_type t)
{
    ir_tvar v = ir_type_at(L->m, t)->a;
    for (const binding *b = f->bound; b; b = b->next)
        if (b->var == v)
            return b->value;
    return t;
}

/* A type with everything that is bound in the frame put in. */
ir_type lower_frame_type(lowering *L, const frame *f, ir_type t)
{
    enum { FEW = 16 };
    uint32_t n = 0;
    if (ir_type_at(L->m, t)->kind == TY_VAR)
        return bound_type(L, f, t);
    for (const binding *b = f->bound; b; b = b->next)
        n++;
    ir_tvar few_from[FEW], *from = n > FEW ? ARENA_ARRAY(&L->a, ir_tvar, n) : few_from;
    uint32_t few_to[FEW], *to = n > FEW ? ARENA_ARRAY(&L->a, uint32_t, n) : few_to;
    L->failed = L->failed || !from || !to;
    if (!from || !to)
        return t;
    n = 0;
    for (const binding *b = f->bound; b; b = b->next, n++) {
        from[n] = b->var;
        to[n] = L->m->tvars.at[b->var].is_level ? level_const(b->value) : b->value;
    }
    return type_replace(L->m, t, &(type_subst){.from = from, .to = to, .n = n});
}

const char *lower_height_name(lowering *L, uint32_t height)
{
    return level_str(L->m, level_const(height));
}
