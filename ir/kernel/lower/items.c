/* Lowering of small arrays of one thread: they stay in registers.
 *
 * A thread's array whose length is a small constant needs no memory: its elements are values, and a
 * while or repeat over it is a loop that carries them.  Every element's code is made anew, so the
 * copies of code inside one another are limited (ItemCopies).
 *
 * The usual name is scalar replacement of aggregates, with full unrolling of what makes them. */
#include "ir/kernel/lower/value.h"

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

static const sv *new_items(lowering *L, const sv **items, uint32_t n, ir_type elem)
{
    sv *a = sv_new(L, SV_PULL, PULL_ITEMS);
    k_id length = kb_int(&L->b, (int32_t)n);
    a->items = items;
    a->n = n;
    a->rank = 1;
    a->type = elem;
    a->shape = sv_ids(L, &length, 1);
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
    return lower_failed(L) ? sv_none() : new_items(L, items, n, elem);
}

const sv *sv_items_with_leaves(lowering *L, const sv *like, const k_id *list)
{
    const sv **items = ARENA_ARRAY(&L->a, const sv *, like->n ? like->n : 1);
    for (uint32_t i = 0; items && i < like->n; i++)
        items[i] = sv_with_leaves(L, like->items[i], &list);
    return items ? new_items(L, items, like->n, like->type) : sv_none();
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

/* Consecutive nodes from first on as the elements of an array like the given one. */
static const sv *items_from_nodes(lowering *L, const sv *like, k_id first, uint32_t n)
{
    k_id *ids = ARENA_ARRAY(&L->a, k_id, n);
    for (uint32_t i = 0; ids && i < n; i++)
        ids[i] = first + i;
    return ids ? sv_items_with_leaves(L, like, ids) : sv_none();
}

/* Computes the next items and ends the loop; false, with the loop dropped, when the step changes
 * the length. */
static bool close_scalar_loop(lowering *L, const scalar_loop *w, const sv *state, k_id loop)
{
    k_id round = kb_param(&L->b, loop, 0);
    const sv *args[2] = {w->times ? sv_scalar(L, round) : state, state};
    const sv *p = lower_run_region(L, w->step, w->env, w->env->bound, args, w->times ? 2 : 1);
    if (lower_failed(L))
        return true;
    if (constant_length(L, p) != state->n) {
        kb_discard(&L->b);
        return false;
    }
    vec_u32 next = {0};
    if (!sv_items_leaves(L, items_of(L, p, state->n, state->type), &next))
        lower_fail(L, DIAG_LOWER_INTERNAL,
                   "an element that is not made of scalars is carried by a loop");
    lower_end_round(L, loop, LEVEL_THREAD);
    kb_close(&L->b, next.at, next.len);
    vec_free(&L->m->cx->mem, &next);
    return true;
}

/* The loop carries every scalar of every item; NULL when the step changes the length. */
static const sv *run_scalar_loop(lowering *L, const scalar_loop *w, const sv *first,
                                 const vec_u32 *init)
{
    k_builder *b = &L->b;
    k_id s = w->times ? kb_open_for(b, kb_int(b, 0), w->times, kb_int(b, 1), init->at, init->len)
                      : kb_open_while(b, init->at, init->len);
    if (lower_failed(L))
        return sv_none();
    const sv *state = items_from_nodes(L, first, kb_param(b, s, w->times != 0), init->len);
    if (!w->times) {
        k_id go = lower_run_region1(L, w->cond, w->env, state)->v;
        kb_next_block(b, &go, 1);
    }
    if (!close_scalar_loop(L, w, state, s))
        return NULL;
    return lower_failed(L) ? sv_none() : items_from_nodes(L, first, kb_result(b, s, 0), init->len);
}

const sv *lower_scalar_loop(lowering *L, const scalar_loop *w, const sv *p)
{
    uint32_t n = small_length(L, p, w->elem, L->target.tuning.item_scalars);
    if (!n)
        return NULL;
    vec_u32 init = {0};
    const sv *first = items_of(L, p, n, w->elem), *r = sv_none();
    if (first->kind == SV_PULL && sv_items_leaves(L, first, &init) && !lower_failed(L))
        r = run_scalar_loop(L, w, first, &init);
    else
        lower_fail(L, DIAG_LOWER_INTERNAL,
                   "an element that is not made of scalars is carried by a loop");
    vec_free(&L->m->cx->mem, &init);
    return r;
}
