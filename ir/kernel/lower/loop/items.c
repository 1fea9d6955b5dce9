/* Lowering of small arrays of one thread: they stay in registers.
 *
 * A thread's array whose length is a small constant needs no memory: its elements are values, and a
 * while or repeat over it is a loop that carries them.  Every element's code is made anew, so the
 * copies of code inside one another are limited (ItemCopies).
 *
 * The usual name is scalar replacement of aggregates, with full unrolling of what makes them. */
#include "ir/kernel/lower/loop/loop.h"

/* Of an element type without variables. */
static uint32_t scalars_in(lowering *L, ir_type t)
{
    const type_node n = *ir_type_at(L->m, t);
    uint32_t sum = n.kind != TY_TUPLE;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n; i++)
        sum += scalars_in(L, type_item(L->m, t, i));
    return sum;
}

/* The constant length of an array of rank 1, else 0. */
static uint32_t constant_length(const lowering *L, const sv *p)
{
    int64_t n;
    bool known =
        p->kind == SV_PUSH && p->shape && p->rank == 1 && k_is_const(L->b.p, p->shape[0], &n);
    return known && n > 0 && n <= L->target.tuning.item_length ? (uint32_t)n : 0;
}

/* Whether its elements can be asked for one by one. */
static bool has_elements(const sv *p)
{
    while (p->form == PUSH_MAP)
        p = p->src;
    return p->form == PUSH_PULL;
}

/* A thread's array that may become values: how many, else 0. */
static uint32_t small_length(lowering *L, const sv *p, ir_type elem, uint32_t most)
{
    uint32_t n = constant_length(L, p), each = scalars_in(L, elem);
    bool small = p->level == LEVEL_THREAD && !lower_is_host(L) && (uint64_t)n * each <= most;
    return small && (n == 1 || (L->copies ? L->copies : 1) * n <= L->target.tuning.item_copies) ? n
                                                                                                : 0;
}

/* Maps of a push array are applied on the way. */
static const sv *element_of(lowering *L, const sv *p, k_id i)
{
    if (p->form == PUSH_PULL)
        return sv_index(L, p->src, &i);
    return lower_run_region1(L, p->region, p->env, element_of(L, p->src, i));
}

static const sv *new_items(lowering *L, const sv **items, uint32_t n, const k_id *shape,
                           uint32_t rank, ir_type elem)
{
    sv *a = sv_new(L, SV_PULL, PULL_ITEMS);
    a->items = items;
    a->n = n;
    a->rank = (uint8_t)rank;
    a->type = elem;
    a->shape = shape;
    return a;
}

/* Other forms are written to memory of the thread, and read from there. */
static const sv *through_memory(lowering *L, const sv *p, ir_type elem)
{
    destination d;
    k_id zero = kb_int(&L->b, 0);
    lower_destination_init(L, &d, LEVEL_THREAD, p->shape[0]);
    lower_emit_into(L, p, &d, zero, 0);
    return lower_memory_array(L, &d, zero, p->shape, 1, elem);
}

/* The n elements, each computed once. */
static const sv *items_of(lowering *L, const sv *p, uint32_t n, ir_type elem)
{
    const sv **items = ARENA_ARRAY(&L->a, const sv *, n),
             *a = has_elements(p) ? p : through_memory(L, p, elem);
    uint32_t level = L->level, copies = L->copies;
    if (!items)
        return sv_none();
    L->level = LEVEL_THREAD;
    L->copies = (copies ? copies : 1) * n;
    for (uint32_t i = 0; i < n; i++) {
        k_id at = kb_int(&L->b, (int32_t)i);
        items[i] = a == p ? element_of(L, p, at) : sv_index(L, a, &at);
    }
    L->level = level;
    L->copies = copies;
    k_id length = kb_int(&L->b, (int32_t)n);
    return lower_failed(L) ? sv_none() : new_items(L, items, n, sv_ids(L, &length, 1), 1, elem);
}

const sv *sv_items_with_leaves(lowering *L, const sv *like, const k_id *list)
{
    const sv **items = ARENA_ARRAY(&L->a, const sv *, like->n ? like->n : 1);
    for (uint32_t i = 0; items && i < like->n; i++)
        items[i] = sv_with_leaves(L, like->items[i], &list);
    return items ? new_items(L, items, like->n, like->shape, like->rank, like->type) : sv_none();
}

bool sv_items_leaves(lowering *L, const sv *a, vec_u32 *out)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (!sv_is_scalars(a->items[i]))
            return false;
        sv_leaves(L, a->items[i], out);
    }
    return true;
}

const sv *lower_force_items(lowering *L, const sv *p, ir_type elem)
{
    uint32_t n = has_elements(p) ? small_length(L, p, elem, L->target.tuning.item_forced) : 0;
    return n ? items_of(L, p, n, elem) : NULL;
}

/* ---- loops ---- */

/* Whether all arrays of a state may become values. */
static bool all_small(lowering *L, const state_parts *s)
{
    uint64_t sum = 0, most = L->target.tuning.item_scalars;
    for (uint32_t i = 0; i < s->narrays; i++) {
        uint32_t n = small_length(L, s->arrays[i], s->elems[i], L->target.tuning.item_scalars);
        sum += (uint64_t)n * scalars_in(L, s->elems[i]);
        if (!n || sum > most)
            return false;
    }
    return true;
}

/* The scalars of a state whose arrays are given as items: those of the items, then its own. */
static bool state_leaves(lowering *L, const state_parts *s, const sv *const *items, vec_u32 *out)
{
    for (uint32_t i = 0; i < s->narrays; i++)
        if (lower_failed(L) || items[i]->kind != SV_PULL || !sv_items_leaves(L, items[i], out))
            return lower_fail(L, DIAG_LOWER_INTERNAL,
                              "an element that is not made of scalars is carried by a loop");
    for (uint32_t i = 0; i < s->nscalars; i++)
        L->failed = !vec_push(&L->m->cx->mem, out, s->scalars[i]) || L->failed;
    return !lower_failed(L);
}

/* The state whose scalars are n consecutive nodes, in the same order. */
static const sv *state_of_nodes(lowering *L, const state_parts *s, const sv *const *items,
                                k_id first, uint32_t n)
{
    const sv **arrays = ARENA_ARRAY(&L->a, const sv *, s->narrays + 1);
    k_id *ids = ARENA_ARRAY(&L->a, k_id, n + 1);
    uint32_t at = 0;
    if (!arrays || !ids)
        return sv_none();
    for (uint32_t i = 0; i < n; i++)
        ids[i] = first + i;
    for (uint32_t i = 0; i < s->narrays; i++) {
        arrays[i] = sv_items_with_leaves(L, items[i], ids + at);
        at += items[i]->n * scalars_in(L, s->elems[i]);
    }
    return lower_state_with(L, s, arrays, ids + at);
}

/* The elements of each array, computed once. */
static const sv **items_of_all(lowering *L, const state_parts *s)
{
    const sv **items = ARENA_ARRAY(&L->a, const sv *, s->narrays + 1);
    for (uint32_t i = 0; items && i < s->narrays; i++)
        items[i] = items_of(L, s->arrays[i], constant_length(L, s->arrays[i]), s->elems[i]);
    return items;
}

static bool same_lengths(const lowering *L, const state_parts *x, const sv *const *items)
{
    for (uint32_t i = 0; i < x->narrays; i++)
        if (constant_length(L, x->arrays[i]) != items[i]->n)
            return false;
    return true;
}

/* Computes the next state and ends the loop; false, with the loop dropped, when the step changes a
 * length. */
static bool close_scalar_loop(lowering *L, const state_loop *w, const sv *state,
                              const sv *const *items, k_id loop)
{
    state_parts next;
    vec_u32 list = {0};
    if (!lower_run_round(L, w, kb_param(&L->b, loop, 0), state, &next))
        return true;
    if (!same_lengths(L, &next, items)) {
        kb_discard(&L->b);
        return false;
    }
    const sv **made = items_of_all(L, &next);
    if (made && state_leaves(L, &next, made, &list)) {
        lower_end_round(L, loop, w->level);
        kb_close(&L->b, list.at, list.len);
    }
    vec_free(&L->m->cx->mem, &list);
    return true;
}

/* The loop carries every scalar; NULL when the step changes the length of an array. */
static const sv *run_scalar_loop(lowering *L, const state_loop *w, const state_parts *s,
                                 const sv *const *items, const vec_u32 *init)
{
    k_builder *b = &L->b;
    k_id stmt = lower_open_rounds(L, w, init->at, init->len);
    if (lower_failed(L))
        return sv_none();
    const sv *state = state_of_nodes(L, s, items, kb_param(b, stmt, w->times != 0), init->len);
    lower_test_round(L, w, state);
    if (!close_scalar_loop(L, w, state, items, stmt))
        return NULL;
    return lower_failed(L) ? sv_none()
                           : state_of_nodes(L, s, items, kb_result(b, stmt, 0), init->len);
}

const sv *lower_scalar_loop(lowering *L, const state_loop *w, const state_parts *s)
{
    if (!all_small(L, s))
        return NULL;
    vec_u32 init = {0};
    const sv **items = items_of_all(L, s), *r = sv_none();
    if (items && state_leaves(L, s, items, &init))
        r = run_scalar_loop(L, w, s, items, &init);
    vec_free(&L->m->cx->mem, &init);
    return r;
}
