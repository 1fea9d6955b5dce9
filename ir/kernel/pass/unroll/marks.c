/* Where loops stand that are worth less than a copy of their body for each turn, which compilers take long for.
 *
 * Code for the ends of arrays: where one branch of an if loads in wide accesses what the other one
 * loads element by element, few threads come to the other, those of the last chunk or of arrays
 * that are not aligned.
 *
 * Loops with barriers that ask before they load, as for tiles that stick out of a matrix: what they wait for is not the
 * arithmetic between. */
#include "ir/kernel/pass/unroll/unroll.h"

enum { MOST_MEMORIES = 8 }; /* that a branch loads from */

typedef struct loaded {
    k_id wide[MOST_MEMORIES], narrow[MOST_MEMORIES];
    uint32_t nwide, nnarrow;
} loaded;

static void add(k_id *to, uint32_t *n, k_id memory)
{
    for (uint32_t i = 0; i < *n; i++)
        if (to[i] == memory)
            return;
    if (*n < MOST_MEMORIES)
        to[(*n)++] = memory;
}

static void find_loads(const k_program *p, k_block b, loaded *l)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_LOADWIDE && k_is_global(k_at(p, n->args[0])))
            add(l->wide, &l->nwide, n->args[0]);
        if (n->op == K_LOAD && k_is_global(k_at(p, n->args[0])))
            add(l->narrow, &l->nnarrow, n->args[0]);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_loads(p, n->blocks[i], l);
    }
}

static bool is_border(const loaded *l, const loaded *other)
{
    for (uint32_t i = 0; i < l->nnarrow && !l->nwide; i++)
        for (uint32_t k = 0; k < other->nwide; k++)
            if (l->narrow[i] == other->wide[k])
                return true;
    return false;
}

static void mark_loops(unrolling *u, k_block b, loop_mark as)
{
    const k_program *p = u->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_FOR)
            u->marks[id] = (uint8_t)(u->marks[id] | as);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                mark_loops(u, n->blocks[i], as);
    }
}

static void mark_branches(unrolling *u, const k_node *n)
{
    loaded l[2] = {{.nwide = 0}, {.nwide = 0}};
    for (int i = 0; i < 2; i++)
        find_loads(u->r.old, n->blocks[i], &l[i]);
    for (int i = 0; i < 2; i++)
        if (is_border(&l[i], &l[1 - i]))
            mark_loops(u, n->blocks[i], BORDER);
}

/* Whether global memory is read under a condition. */
static bool asks_to_load(const k_program *p, k_block b)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        for (int i = 0; i < 2; i++) {
            loaded l = {.nwide = 0};
            if (n->op == K_IF)
                find_loads(p, n->blocks[i], &l);
            if (l.nwide || l.nnarrow || (n->blocks[i] && asks_to_load(p, n->blocks[i])))
                return true;
        }
    }
    return false;
}

/* Branches of the host are of all threads. */
static void mark_block(unrolling *u, k_block b, bool in_launch)
{
    const k_program *p = u->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_IF && in_launch)
            mark_branches(u, n);
        if (n->op == K_FOR && in_launch && k_has_sync(p, n->blocks[0]) && asks_to_load(p, n->blocks[0]))
            mark_loops(u, n->blocks[0], TESTING);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                mark_block(u, n->blocks[i], in_launch || n->op == K_LAUNCH);
    }
}

bool unroll_mark_loops(unrolling *u)
{
    const k_program *p = u->r.old;
    u->marks = mem_zeroed(&p->cx->mem, p->nodes.len);
    if (u->marks)
        mark_block(u, p->host, false);
    return u->marks != NULL;
}
