/* What drivers get wrong about barriers: see barriers.h.  Linear in the kernel. */
#include "backends/barriers.h"

enum {
    OF_LOOPS = QUIRK_PART_TURNS | QUIRK_VOLATILE_TURNS | QUIRK_SATURATED_STEPS,
    OF_CROSSINGS = QUIRK_VOLATILE_CROSSINGS | QUIRK_VOLATILE_FLAGS,
    OF_ALL = OF_LOOPS | OF_CROSSINGS | QUIRK_VOLATILE_TESTS | QUIRK_VOLATILE_ZEROS
};

bool barriers_begin(barriers *b, const k_program *p)
{
    *b = (barriers){.p = p};
    if (!(p->target.quirks & OF_ALL))
        return true;
    b->of = mem_zeroed(&p->cx->mem, p->nodes.len * sizeof *b->of);
    return b->of != NULL;
}

void barriers_end(barriers *b)
{
    mem_free(&b->p->cx->mem, b->of, b->p->nodes.len * sizeof *b->of);
}

static crossing *at(const barriers *b, k_id n)
{
    return &b->of[n < b->p->nodes.len ? n : 0];
}

static bool is_barrier(const k_node *n)
{
    return n->op == K_SYNC && n->level >= LEVEL_BLOCK;
}

/* Whether a barrier of the whole block stands in the block, or inside a statement of it; notes it
 * of every statement. */
static bool find_in(barriers *b, k_block block)
{
    bool found = false;
    for (k_id id = k_block_at(b->p, block)->first; id; id = k_at(b->p, id)->next) {
        const k_node *n = k_at(b->p, id);
        bool first = n->blocks[0] && find_in(b, n->blocks[0]),
             second = n->blocks[1] && find_in(b, n->blocks[1]), inside = first || second;
        at(b, id)->syncs = inside;
        b->inner_syncs = b->inner_syncs || inside;
        b->branch_syncs = b->branch_syncs || (inside && n->op == K_IF);
        found = found || inside || is_barrier(n);
    }
    return found;
}

/* ---- values that cross barriers ---- */

static void used_in_phase(barriers *b, k_id v)
{
    crossing *c = at(b, v);
    uint32_t by = k_at(b->p, v)->type == ST_BOOL ? OF_CROSSINGS : QUIRK_VOLATILE_CROSSINGS;
    if (c->phase && c->phase != b->phase && (b->p->target.quirks & by))
        c->is_volatile = true;
}

static void find_crossings(barriers *b, k_block block)
{
    for (k_id id = k_block_at(b->p, block)->first; id; id = k_at(b->p, id)->next) {
        const k_node *n = k_at(b->p, id);
        for (int i = 0; i < 3; i++)
            used_in_phase(b, n->args[i]);
        for (uint32_t i = 0; i < n->nlist; i++)
            used_in_phase(b, k_listed(b->p, n, i));
        bool parts = at(b, id)->syncs || is_barrier(n);
        for (int i = 0; i < 2; i++) {
            b->phase += parts;
            if (n->blocks[i])
                find_crossings(b, n->blocks[i]);
        }
        b->phase += parts;
        if (k_op_info(n->op)->gives == KG_VALUE && n->op != K_CONST && n->op != K_ARG &&
            n->op != K_DIM)
            at(b, id)->phase = b->phase;
        for (uint32_t i = 0; n->op == K_IF && i < n->nresults; i++)
            at(b, n->results + i)->phase = b->phase;
    }
}

/* ---- tests for constants ---- */

enum { LEAST_TABLE = 3 }; /* addresses that a compiler makes a table of */

static bool is_choice(const k_node *n)
{
    return n->op == K_IF || (n->op == K_SCALAR && n->opcode == SOP_SELECT);
}

bool barriers_name_test(const k_program *p, const k_kernel *k, const k_node *n)
{
    if (!(p->target.quirks & QUIRK_VOLATILE_TESTS) || !is_choice(n) || k->nlocals < LEAST_TABLE)
        return false;
    const k_node *test = k_at(p, n->args[0]);
    return test->op == K_SCALAR && (test->opcode == SOP_EQ || test->opcode == SOP_NE) &&
           (k_at(p, test->args[0])->op == K_CONST || k_at(p, test->args[1])->op == K_CONST);
}

static void find_tests(barriers *b, k_block block)
{
    for (k_id id = k_block_at(b->p, block)->first; id; id = k_at(b->p, id)->next) {
        const k_node *n = k_at(b->p, id);
        if (barriers_name_test(b->p, b->kernel, n))
            at(b, n->args[0])->is_volatile = true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_tests(b, n->blocks[i]);
    }
}

/* ---- numbers of threads ---- */

enum { NUMBER_DEPTH = 6 }; /* of the sums and products that make a number of the thread's */

static bool is_number_of_thread(const k_program *p, k_id v, uint32_t depth)
{
    const k_node *n = k_at(p, v);
    if (n->op == K_BUILTIN)
        return n->coordinate == AT_THREAD;
    bool linear =
        n->op == K_CONVERT || (n->op == K_SCALAR && (n->opcode == SOP_ADD || n->opcode == SOP_SUB ||
                                                     n->opcode == SOP_MUL || n->opcode == SOP_SHL));
    return linear && depth &&
           (is_number_of_thread(p, n->args[0], depth - 1) ||
            (n->args[1] && is_number_of_thread(p, n->args[1], depth - 1)));
}

static bool is_zero(const k_program *p, k_id v)
{
    int64_t x;
    return k_is_const(p, v, &x) && x == 0;
}

static void find_zeros(barriers *b, k_block block)
{
    for (k_id id = k_block_at(b->p, block)->first; id; id = k_at(b->p, id)->next) {
        const k_node *n = k_at(b->p, id);
        bool test = n->op == K_SCALAR && (n->opcode == SOP_EQ || n->opcode == SOP_NE);
        for (int i = 0; test && i < 2; i++)
            if (is_zero(b->p, n->args[1 - i]) &&
                is_number_of_thread(b->p, n->args[i], NUMBER_DEPTH))
                at(b, n->args[i])->is_volatile = true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_zeros(b, n->blocks[i]);
    }
}

/* ---- all of it ---- */

void barriers_find(barriers *b, const k_kernel *k)
{
    k_block body = k_at(b->p, k->launch)->blocks[0];
    uint32_t quirks = b->p->target.quirks;
    b->kernel = k;
    b->inner_syncs = b->branch_syncs = false;
    b->phase = 1;
    if (quirks & (OF_LOOPS | OF_CROSSINGS))
        find_in(b, body);
    if (quirks & OF_CROSSINGS)
        find_crossings(b, body);
    if (quirks & QUIRK_VOLATILE_TESTS)
        find_tests(b, body);
    if (quirks & QUIRK_VOLATILE_ZEROS)
        find_zeros(b, body);
}

/* The barrier that ends the turns of a loop: nothing but values is computed behind it.  0: there is
 * none. */
static k_id last_barrier(const barriers *b, const k_node *loop)
{
    k_block body = loop->blocks[loop->op == K_WHILE];
    k_id last = 0;
    for (k_id id = k_block_at(b->p, body)->first; id; id = k_at(b->p, id)->next) {
        const k_node *n = k_at(b->p, id);
        if (is_barrier(n))
            last = id;
        else if (n->op != K_YIELD && k_op_info(n->op)->class != KC_VALUE)
            last = 0;
    }
    return last;
}

static bool has(const barriers *b, k_quirk quirk, k_id loop)
{
    return (b->p->target.quirks & quirk) && at(b, loop)->syncs;
}

/* Where nothing but the loop's step would stand behind the barrier, it is wanted at the beginning
 * of each turn and once behind the loop; not so where barriers stand in branches. */
parting barriers_parting(const barriers *b, k_id loop)
{
    if (!has(b, QUIRK_PART_TURNS, loop))
        return PARTING_NONE;
    return !b->branch_syncs && last_barrier(b, k_at(b->p, loop)) ? PARTING_BEFORE : PARTING_BEHIND;
}

k_id barriers_replaced(const barriers *b, k_id loop)
{
    return has(b, QUIRK_PART_TURNS, loop) ? last_barrier(b, k_at(b->p, loop)) : 0;
}

bool barriers_volatile_loop(const barriers *b, k_id loop)
{
    return has(b, QUIRK_VOLATILE_TURNS, loop);
}

bool barriers_saturate_steps(const barriers *b)
{
    return (b->p->target.quirks & QUIRK_SATURATED_STEPS) && b->inner_syncs;
}

bool barriers_volatile(const barriers *b, k_id value)
{
    return b->of && at(b, value)->is_volatile;
}
