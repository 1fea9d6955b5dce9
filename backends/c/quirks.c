/* Loops with barriers for drivers that get them wrong: the quirks of ir/kernel/quirks.def that are
 * honoured in the text of a loop.
 *
 * A driver that runs a block's threads one after another cuts the code at its barriers, and may
 * lose what crosses the cuts, or its compiler does not end.  What helps: the turns of a loop with
 * barriers are parted by one that stands where nothing but the loop's own step follows; what they
 * hand on is volatile; and steps saturate, so that the compiler does not see a plain counter.
 * Without quirks nothing is walked, and nothing changes. */
#include "backends/c/emit.h"

enum { OF_LOOPS = QUIRK_PART_TURNS | QUIRK_VOLATILE_TURNS | QUIRK_SATURATED_STEPS };

/* Whether a barrier of the whole block stands in the block, or inside a statement of it; notes it
 * of every statement. */
static bool find_in(c_emitter *e, k_block b)
{
    bool found = false;
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        bool first = n->blocks[0] && find_in(e, n->blocks[0]),
             second = n->blocks[1] && find_in(e, n->blocks[1]), inside = first || second;
        c_note_of(e, id)->syncs = inside;
        e->inner_syncs = e->inner_syncs || inside;
        e->branch_syncs = e->branch_syncs || (inside && n->op == K_IF);
        found = found || inside || (n->op == K_SYNC && n->level >= LEVEL_BLOCK);
    }
    return found;
}

void c_find_quirks(c_emitter *e)
{
    e->inner_syncs = e->branch_syncs = false;
    if (e->p->target.quirks & OF_LOOPS)
        find_in(e, k_at(e->p, e->kernel->launch)->blocks[0]);
}

/* The barrier that ends the turns of a loop: nothing but values is computed behind it.  0: there is
 * none. */
static k_id last_barrier(const c_emitter *e, const k_node *loop)
{
    k_block body = loop->blocks[loop->op == K_WHILE];
    k_id last = 0;
    for (k_id id = k_block_at(e->p, body)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        if (n->op == K_SYNC && n->level >= LEVEL_BLOCK)
            last = id;
        else if (n->op != K_YIELD && k_op_info(n->op)->class != KC_VALUE)
            last = 0;
    }
    return last;
}

static bool has(const c_emitter *e, k_quirk quirk, k_id loop)
{
    return (e->p->target.quirks & quirk) && c_note_of(e, loop)->syncs;
}

/* Where nothing but the loop's step would stand behind the barrier, it is wanted at the beginning
 * of each turn and once behind the loop; not so where barriers stand in branches. */
c_parting c_parting_of(const c_emitter *e, k_id loop)
{
    if (!has(e, QUIRK_PART_TURNS, loop))
        return PARTING_NONE;
    return !e->branch_syncs && last_barrier(e, k_at(e->p, loop)) ? PARTING_BEFORE : PARTING_BEHIND;
}

k_id c_replaced_barrier(const c_emitter *e, k_id loop)
{
    return has(e, QUIRK_PART_TURNS, loop) ? last_barrier(e, k_at(e->p, loop)) : 0;
}

bool c_is_volatile(const c_emitter *e, k_id loop)
{
    return has(e, QUIRK_VOLATILE_TURNS, loop);
}

bool c_saturates_steps(const c_emitter *e)
{
    return (e->p->target.quirks & QUIRK_SATURATED_STEPS) && e->inner_syncs;
}
