/* States of loops: what while, repeat and mapaccum hand from round to round, taken apart and put
 * together.
 *
 * A state is a tree of scalars and push arrays; what the regions receive is the same tree with
 * arrays in memory, or in registers, in their place.  Its parts are two lists, in the order of the
 * tree.  Recursion follows types, whose depth is bounded. */
#include "ir/kernel/lower/loop/loop.h"

ir_type lower_state_type(lowering *L, const frame *f, ir_region r, uint32_t k)
{
    return lower_frame_type(L, f, ir_value_at(L->m, ir_region_at(L->m, r)->params + k)->type);
}

/* Counts the parts, or, when there are lists, fills them.  False for what is no state: something
 * has failed before. */
static bool take_apart(lowering *L, const sv *v, ir_type t, state_parts *s)
{
    bool ok = true;
    if (v->kind == SV_TUPLE) {
        for (uint32_t i = 0; ok && i < v->n; i++)
            ok = take_apart(L, v->items[i], type_item(L->m, t, i), s);
        return ok;
    }
    if (v->kind == SV_PUSH && v->shape) {
        if (s->arrays) {
            s->arrays[s->narrays] = v;
            s->elems[s->narrays] = ir_type_at(L->m, t)->a;
        }
        s->narrays++;
        return true;
    }
    if (s->scalars && v->kind == SV_SCALAR)
        s->scalars[s->nscalars] = kb_convert(&L->b, type_as_scalar(L->m, t), v->v);
    s->nscalars++;
    return v->kind == SV_SCALAR;
}

bool lower_state_parts(lowering *L, const sv *v, ir_type t, state_parts *s)
{
    *s = (state_parts){.like = v};
    if (lower_failed(L) || !take_apart(L, v, t, s))
        return false;
    s->arrays = ARENA_ARRAY(&L->a, const sv *, s->narrays + 1);
    s->elems = ARENA_ARRAY(&L->a, ir_type, s->narrays + 1);
    s->scalars = ARENA_ARRAY(&L->a, k_id, s->nscalars + 1);
    if (!s->arrays || !s->elems || !s->scalars)
        return false;
    s->narrays = s->nscalars = 0;
    return take_apart(L, v, t, s) && !lower_failed(L);
}

/* Consumes the lists. */
static const sv *put_together(lowering *L, const sv *like, const sv *const **arrays,
                              const k_id **scalars)
{
    if (like->kind == SV_PUSH)
        return *(*arrays)++;
    if (like->kind != SV_TUPLE)
        return sv_scalar(L, *(*scalars)++);
    const sv **items = ARENA_ARRAY(&L->a, const sv *, like->n + 1);
    for (uint32_t i = 0; items && i < like->n; i++)
        items[i] = put_together(L, like->items[i], arrays, scalars);
    return items ? sv_tuple(L, items, like->n) : sv_none();
}

const sv *lower_state_with(lowering *L, const state_parts *s, const sv *const *arrays,
                           const k_id *scalars)
{
    return put_together(L, s->like, &arrays, &scalars);
}

k_id lower_open_rounds(lowering *L, const state_loop *w, const k_id *init, uint32_t n)
{
    k_builder *b = &L->b;
    if (!w->times)
        return kb_open_while(b, init, n);
    k_id rounds = kb_open_for(b, kb_int(b, 0), w->times, kb_int(b, 1), init, n);
    k_at(b->p, rounds)->unordered = w->unordered;
    return rounds;
}

k_id lower_test_round(lowering *L, const state_loop *w, const sv *state)
{
    if (w->times || lower_failed(L))
        return 0;
    k_id go = lower_run_region1(L, w->cond, w->env, state)->v;
    kb_next_block(&L->b, &go, 1);
    return go;
}

bool lower_run_round(lowering *L, const state_loop *w, k_id round, const sv *state,
                     state_parts *next)
{
    const sv *args[2] = {w->times ? sv_scalar(L, round) : state, state};
    const sv *r = lower_run_region(L, w->step, w->env, w->env->bound, args, w->times ? 2 : 1);
    if (w->chunks)
        r = lower_emit_chunk_of(L, w, round, r);
    if (lower_state_parts(L, r, w->type, next))
        return true;
    lower_fail(L, DIAG_LOWER_INTERNAL, "the step of a loop gives no state");
    return false;
}
