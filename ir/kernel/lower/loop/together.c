/* Arrays that are written by one loop: those of a state whose elements are computed one by one, for
 * the same indices by the same workers.  All elements of a turn are computed before one of them is
 * stored, so what they have in common is computed once, and arrays that are made of one another's
 * elements in the same place can be overwritten where they are (loop/in_place.c).
 *
 * The usual name is loop fusion; no dependence is in the way, since no array reads what a turn
 * writes. */
#include "ir/kernel/lower/loop/loop.h"

/* An array whose element is written with that of another. */
typedef struct beside {
    const sv *array;
    writer w;
} beside;

/* Whether its elements are computed one by one, in any order. */
static bool is_computed(const sv *p)
{
    while (p->form == PUSH_MAP)
        p = p->src;
    return p->form == PUSH_PULL && !lower_literal_items(p->src);
}

static bool same_iteration(const sv *p, const sv *q)
{
    bool same = p->level == q->level && p->rank == q->rank;
    for (uint32_t i = 0; same && i < p->rank; i++)
        same = p->shape[i] == q->shape[i];
    return same;
}

/* Of an array that is computed. */
static const sv *element_of(lowering *L, const sv *p, const k_id *ix)
{
    if (p->form != PUSH_MAP)
        return sv_index(L, p->src, ix);
    L->depth++;
    const sv *x = element_of(L, p->src, ix);
    L->depth--;
    return lower_run_region1(L, p->region, p->env, x);
}

void lower_write_beside(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n,
                        k_id flat)
{
    const sv **others = ARENA_ARRAY(&L->a, const sv *, w->nbeside + 1);
    for (uint32_t i = 0; others && i < w->nbeside; i++)
        others[i] = element_of(L, w->beside[i].array, ix);
    lower_write_element(L, w->outer, v, ix, n, flat);
    for (uint32_t i = 0; others && i < w->nbeside; i++)
        lower_write_element(L, &w->beside[i].w, others[i], ix, n, flat);
}

void lower_emit_together(lowering *L, const written *list, uint32_t n)
{
    beside *others = ARENA_ARRAY(&L->a, beside, n + 1);
    bool *done = ARENA_ARRAY(&L->a, bool, n + 1);
    for (uint32_t i = 0; others && done && i < n; i++) {
        const written *first = &list[i];
        uint32_t count = 0;
        if (done[i])
            continue;
        for (uint32_t j = i + 1; j < n && is_computed(first->array); j++) {
            const written *o = &list[j];
            if (done[j] || !is_computed(o->array) || !same_iteration(first->array, o->array))
                continue;
            done[j] = true;
            others[count++] =
                (beside){o->array, lower_memory_writer(o->array, o->dest, o->offset, o->limit)};
        }
        writer own = lower_memory_writer(first->array, first->dest, first->offset, first->limit);
        lower_emit_push(
            L, first->array,
            count
                ? &(writer){.kind = WRITE_BESIDE, .outer = &own, .beside = others, .nbeside = count}
                : &own);
    }
}
