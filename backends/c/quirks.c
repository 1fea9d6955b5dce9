/* Barriers for drivers that get them wrong: the quirks of ir/kernel/quirks.def that are honoured in
 * the text of a kernel.
 *
 * A driver that runs a block's threads one after another cuts the code at its barriers, and may
 * lose what crosses the cuts, or its compiler does not end.  What helps: the turns of a loop with
 * barriers are parted by one that stands where nothing but the loop's own step follows; what they
 * hand on is volatile; and steps saturate, so that the compiler does not see a plain counter.
 * Likewise values that are computed before a barrier and used behind it: the code between two
 * barriers is a phase, and begins anew with every branch or loop that has barriers.  Such drivers
 * also make arrays out of the declarations of local memory late, after a chain of tests for
 * constants has become a table of addresses of them: the compiler must not see those tests.
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

/* ---- values that cross barriers ---- */

static void used_in_phase(c_emitter *e, k_id v)
{
    c_note *note = c_note_of(e, v);
    if (note->phase && note->phase != e->phase)
        note->is_volatile = true;
}

static void find_crossings(c_emitter *e, k_block b)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        for (int i = 0; i < 3; i++)
            used_in_phase(e, n->args[i]);
        for (uint32_t i = 0; i < n->nlist; i++)
            used_in_phase(e, k_listed(e->p, n, i));
        bool parts = c_note_of(e, id)->syncs || (n->op == K_SYNC && n->level >= LEVEL_BLOCK);
        for (int i = 0; i < 2; i++) {
            e->phase += parts;
            if (n->blocks[i])
                find_crossings(e, n->blocks[i]);
        }
        e->phase += parts;
        if (k_op_info(n->op)->gives == KG_VALUE && n->op != K_CONST && n->op != K_ARG &&
            n->op != K_DIM)
            c_note_of(e, id)->phase = e->phase;
        for (uint32_t i = 0; n->op == K_IF && i < n->nresults; i++)
            c_note_of(e, n->results + i)->phase = e->phase;
    }
}

/* ---- tests for constants ---- */

enum { LEAST_TABLE = 3 }; /* addresses that a compiler makes a table of */

static bool is_choice(const k_node *n)
{
    return n->op == K_IF || (n->op == K_SCALAR && n->opcode == SOP_SELECT);
}

bool c_names_test(const c_emitter *e, const k_node *n)
{
    if (!(e->p->target.quirks & QUIRK_VOLATILE_TESTS) || !is_choice(n) ||
        e->kernel->nlocals < LEAST_TABLE)
        return false;
    const k_node *test = k_at(e->p, n->args[0]);
    return test->op == K_SCALAR && (test->opcode == SOP_EQ || test->opcode == SOP_NE) &&
           (k_at(e->p, test->args[0])->op == K_CONST || k_at(e->p, test->args[1])->op == K_CONST);
}

static void find_tests(c_emitter *e, k_block b)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        if (c_names_test(e, n))
            c_note_of(e, n->args[0])->is_volatile = true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_tests(e, n->blocks[i]);
    }
}

/* ---- all of it ---- */

void c_find_quirks(c_emitter *e)
{
    k_block body = k_at(e->p, e->kernel->launch)->blocks[0];
    uint32_t quirks = e->p->target.quirks;
    e->inner_syncs = e->branch_syncs = false;
    e->phase = 1;
    if (quirks & (OF_LOOPS | QUIRK_VOLATILE_CROSSINGS))
        find_in(e, body);
    if (quirks & QUIRK_VOLATILE_CROSSINGS)
        find_crossings(e, body);
    if (quirks & QUIRK_VOLATILE_TESTS)
        find_tests(e, body);
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
