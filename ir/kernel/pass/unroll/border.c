/* Code for the ends of arrays: where one branch of an if loads in wide accesses what the other one
 * loads element by element, few threads come to the other, those of the last chunk or of arrays
 * that are not aligned.  Its loops are worth no copy of their body for each turn, which compilers
 * take long for. */
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

static void mark_loops(unrolling *u, k_block b)
{
    const k_program *p = u->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        u->borders[id] = n->op == K_FOR;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                mark_loops(u, n->blocks[i]);
    }
}

static void mark_branches(unrolling *u, const k_node *n)
{
    loaded l[2] = {{.nwide = 0}, {.nwide = 0}};
    for (int i = 0; i < 2; i++)
        find_loads(u->r.old, n->blocks[i], &l[i]);
    for (int i = 0; i < 2; i++)
        if (is_border(&l[i], &l[1 - i]))
            mark_loops(u, n->blocks[i]);
}

/* Branches of the host are of all threads. */
static void find_branches(unrolling *u, k_block b, bool in_launch)
{
    const k_program *p = u->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_IF && in_launch)
            mark_branches(u, n);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_branches(u, n->blocks[i], in_launch || n->op == K_LAUNCH);
    }
}

bool unroll_find_borders(unrolling *u)
{
    const k_program *p = u->r.old;
    u->borders = mem_zeroed(&p->cx->mem, p->nodes.len * sizeof *u->borders);
    if (u->borders)
        find_branches(u, p->host, false);
    return u->borders != NULL;
}
