/* Loops over an array in memory that need one area only.
 *
 * A step reads the array that the last one wrote, and writes another.  When every element depends,
 * of the old array, on nothing but the element in its place, it can be overwritten; so can several
 * that depend on one another, when one turn reads and writes all of them, as in a step of a sorting
 * network.  Seen in the lowered step: every store to the memory stands in a loop over elements, and
 * all loads of a turn come before its stores and mean elements that it also stores; other loads
 * come before a barrier that comes before all stores.  Elements are written once in a step, so no
 * other turn or loop wants an element that was overwritten.
 *
 * Where a step leaves fewer elements, as in a reduction that adds the second half of an array to
 * its first, those behind the ones that it writes may be read by anyone: nobody overwrites them.
 *
 * It is a dependence test between the turns of one loop: distances of affine indices, and
 * barriers for what is not in the turn.  Time is that of a walk for each level of nesting. */
#include "ir/kernel/algebra/fold.h"
#include "ir/kernel/lower/loop/loop.h"

typedef struct update_search {
    lowering *L;
    k_id memory;
    const areas *two;
    vec_u32 loads; /* indices, in the current loop over elements; 0: it is certainly stored */
    k_id store;    /* index of the first store there; 0: none met yet */
    bool one;      /* all stores there have that index */
    uint32_t depth;           /* of the block in the step */
    bool other_loads, stored; /* loads elsewhere since the last barrier; some store was met */
    bool ok;
} update_search;

/* Atomic steps too: they write. */
static bool is_store(const update_search *s, const k_node *n)
{
    return (n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_ATOMIC) &&
           n->args[0] == s->memory;
}

static bool is_load(const update_search *s, const k_node *n)
{
    return (n->op == K_LOAD || n->op == K_LOADWIDE) && n->args[0] == s->memory;
}

/* Whether a block, or one inside, writes the memory. */
static bool stores(const update_search *s, k_block b)
{
    const k_program *p = s->L->b.p;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is_store(s, n) || (n->blocks[0] && stores(s, n->blocks[0])) ||
            (n->blocks[1] && stores(s, n->blocks[1])))
            return true;
    }
    return false;
}

/* Whether x - y is difference times (size - 2 offset). */
static bool lie_apart(const update_search *s, k_id x, k_id y, int64_t difference)
{
    const k_program *p = s->L->b.p;
    linear l, size, offset;
    if (!ka_linear_of(p, ST_I32, x, y, -1, OPEN_PRODUCTS, &l) ||
        !ka_linear_of(p, ST_I32, s->two->size, 0, 1, OPEN_PRODUCTS, &size) ||
        !ka_linear_of(p, ST_I32, s->two->offset, 0, 1, OPEN_SUMS, &offset))
        return false;
    return ka_linear_add(&l, &size, -difference, ST_I32) &&
           ka_linear_add(&l, &offset, 2 * difference, ST_I32) && l.n == 0 && l.c == 0;
}

/* from: the first load of the block that the store stands in, which runs whenever they do. */
static void meet_store(update_search *s, const k_node *n, bool by_element, uint32_t from)
{
    s->stored = true;
    s->ok = s->ok && by_element && !s->other_loads && n->op == K_STORE;
    for (uint32_t i = from; i < s->loads.len && s->ok; i++)
        if (s->loads.at[i] && lie_apart(s, n->args[1], s->loads.at[i], 1))
            s->loads.at[i] = 0;
    s->one = !s->store || (s->one && lie_apart(s, n->args[1], s->store, 0));
    s->store = s->store ? s->store : n->args[1];
}

/* At the end of a turn: every load is of an element that is stored. */
static bool all_stored(const update_search *s)
{
    for (uint32_t i = 0; i < s->loads.len; i++)
        if (s->loads.at[i] && !(s->one && lie_apart(s, s->store, s->loads.at[i], 1)))
            return false;
    return s->store || s->loads.len == 0;
}

/* Whether a load is of an element behind those that the step writes, of which there are `fresh`.
 * Its place in the area is fresh + l modulo 2^32, and a place is below 2^31.  Where 0 <= l, and
 * fresh + l is below 2^32, it is that sum, and so at least fresh. */
static bool lies_behind(const update_search *s, k_id x)
{
    const k_program *p = s->L->b.p;
    const k_id fresh = s->two->fresh;
    linear l, offset;
    if (!fresh || k_at(p, fresh)->type != ST_I32 || k_at(p, x)->type != ST_I32 ||
        k_lo(p, fresh) < 0 || !ka_linear_of(p, ST_I32, x, fresh, -1, OPEN_SUMS, &l) ||
        !ka_linear_of(p, ST_I32, s->two->offset, 0, 1, OPEN_SUMS, &offset) ||
        !ka_linear_add(&l, &offset, -1, ST_I32))
        return false;
    k_range r = ka_linear_range(p, &l);
    return r.known && r.lo >= 0 && r.hi <= (int64_t)UINT32_MAX - k_hi(p, fresh);
}

/* Outside of loops over elements a load is safe only if a barrier parts it from all stores. */
static void meet_load(update_search *s, const k_node *n, bool by_element)
{
    if (!by_element) {
        s->other_loads = true;
        s->ok = s->ok && !s->stored;
        return;
    }
    if (n->op == K_LOAD && lies_behind(s, n->args[1]))
        return;
    s->ok =
        s->ok && !s->store && n->op == K_LOAD && vec_push(&s->L->m->cx->mem, &s->loads, n->args[1]);
}

static void walk(update_search *s, k_block b, bool by_element);

/* A loop with stores: they may be its own, when its turns are elements, or those of loops
 * inside. */
static void walk_storing(update_search *s, const k_node *n)
{
    bool by_element = n->op == K_PAR || (n->op == K_FOR && n->independent);
    s->ok = s->ok && !s->store && s->loads.len == 0;
    walk(s, n->blocks[0], by_element);
    walk(s, n->blocks[1], false);
    s->ok = s->ok && all_stored(s);
    s->store = 0;
    s->loads.len = 0;
}

/* by_element: each turn of the loop around is one element's, as in the head of this file. */
static void walk(update_search *s, k_block b, bool by_element)
{
    const k_program *p = s->L->b.p;
    const uint32_t from = s->loads.len;
    s->depth++;
    for (k_id id = k_block_at(p, b)->first; id && s->ok; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool loop = k_is_loop(n) || n->op == K_PAR;
        if (is_store(s, n)) {
            meet_store(s, n, by_element, from);
        } else if (is_load(s, n)) {
            meet_load(s, n, by_element);
        } else if (loop && (stores(s, n->blocks[0]) || stores(s, n->blocks[1]))) {
            walk_storing(s, n);
        } else if (n->op == K_SYNC) {
            s->other_loads = s->other_loads && (s->depth > 1 || n->level < s->two->level);
        } else {
            walk(s, n->blocks[0], by_element);
            walk(s, n->blocks[1], by_element);
        }
    }
    s->depth--;
}

bool lower_updates_in_place(lowering *L, const sv *tree, const areas *two, k_id loop)
{
    if (!tree || lower_failed(L))
        return false;
    if (tree->kind != SV_SCALAR) {
        bool all = true;
        for (uint32_t i = 0; tree->kind == SV_TUPLE && i < tree->n; i++)
            all = all && lower_updates_in_place(L, tree->items[i], two, loop);
        return all;
    }
    update_search s = {.L = L, .memory = tree->v, .two = two, .ok = true};
    walk(&s, k_at(L->b.p, loop)->blocks[0], false);
    walk(&s, k_at(L->b.p, loop)->blocks[1], false);
    vec_free(&L->m->cx->mem, &s.loads);
    return s.ok;
}
