/* Single turns of a loop that is being unrolled. */
#include "ir/kernel/pass/unroll/unroll.h"

/* The bounds as they are in the copy, where they may have become constant. */
old_loop unroll_look(const unrolling *u, k_id old)
{
    old_loop l = {.id = old, .n = *k_at(u->r.old, old)};
    l.lo = rebuild_value(&u->r, l.n.args[0]);
    l.hi = rebuild_value(&u->r, l.n.args[1]);
    l.step = rebuild_value(&u->r, l.n.args[2]);
    l.counted = unroll_turns(u->r.b.p, l.lo, l.hi, l.step, &l.t);
    return l;
}

/* The step is constant where loops are unrolled. */
k_id unroll_index(unrolling *u, const old_loop *l, int64_t turn)
{
    int64_t step = 0;
    k_is_const(u->r.b.p, l->step, &step);
    return kb_add(&u->r.b, l->lo, kb_int(&u->r.b, (int32_t)(turn * step)));
}

void unroll_set_results(unrolling *u, const old_loop *l, const k_id *values)
{
    for (uint32_t i = 0; i < l->n.nresults; i++)
        u->r.map[l->n.results + i] = values[i];
}

/* The body once more, with carried[] as its values before and after. */
void unroll_turn(unrolling *u, const old_loop *l, int64_t k, k_id *carried)
{
    k_block body = l->n.blocks[0];
    k_id first = k_block_at(u->r.old, body)->params;
    u->r.map[first] = unroll_index(u, l, k);
    for (uint32_t i = 0; i < l->n.nresults; i++)
        u->r.map[first + 1 + i] = carried[i];
    rebuild_block(&u->r, body);
    rebuild_yield(&u->r, body, carried, l->n.nresults);
}

/* The turn that may or may not be there, under a test; carried[] is as before where it is not. */
void unroll_rest(unrolling *u, const old_loop *l, k_id *carried)
{
    k_builder *b = &u->r.b;
    uint32_t n = l->n.nresults;
    k_id *kept = rebuild_room(&u->r, n);
    if (!kept)
        return;
    for (uint32_t i = 0; i < n; i++)
        kept[i] = carried[i];
    k_id stmt = kb_open_if(b, kb_lt(b, unroll_index(u, l, l->t.least), l->hi));
    unroll_turn(u, l, l->t.least, carried);
    kb_next_block(b, carried, n);
    kb_close(b, kept, n);
    for (uint32_t i = 0; i < n; i++)
        carried[i] = kb_result(b, stmt, i);
}
