/* Cursors: natural numbers that a loop carries, adds to, and takes for positions, as that of the
 * next element that is kept.  They are held in 64 bits, as addresses are: else each turn waits for
 * the sign of the sum to be extended. */
#include "backends/c/emit.h"
#include "backends/cpu/cpu.h"
#include "ir/kernel/facts.h"

/* Whether something in the block accesses a memory there. */
static bool is_position(const k_program *p, k_block b, k_id v)
{
    bool found = false;
    for (k_id id = k_block_at(p, b)->first; id && !found; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        found = (n->op == K_LOAD || n->op == K_STORE) && n->args[1] == v;
        for (int i = 0; i < 2 && !found; i++)
            found = n->blocks[i] && is_position(p, n->blocks[i], v);
    }
    return found;
}

bool cpu_is_cursor(fcl_printer *e, k_id id, uint32_t i)
{
    const k_program *p = e->p;
    const k_node *loop = k_at(p, id);
    k_id v = c_carried(p, loop, i);
    k_block body = loop->blocks[loop->op == K_WHILE];
    const k_node *next = k_at(p, k_listed(p, k_yield_of(p, body), i));
    bool added = next->op == K_SCALAR && next->opcode == SOP_ADD &&
                 (next->args[0] == v || next->args[1] == v);
    return added && k_at(p, v)->type == ST_I32 && k_lo(p, v) >= 0 && is_position(p, body, v);
}
