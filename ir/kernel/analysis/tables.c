/* Room in constant memory: all tables of a program share what the device has; those that do not fit
 * beside the ones before them are elsewhere. */
#include "ir/kernel/analysis/tables.h"

enum { USUAL_BYTES = 64 * 1024 }; /* OpenCL promises them */

void k_find_large_tables(const k_program *p, bool *large)
{
    uint64_t room = p->target.facts.constant_bytes;
    room = room ? room : USUAL_BYTES;
    for (k_id id = k_block_at(p, p->host)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        uint64_t bytes = (uint64_t)n->nlist * ir_scalar_bytes((scalar)n->type);
        if (n->op != K_TABLE)
            continue;
        large[id] = bytes > room;
        room -= large[id] ? 0 : bytes;
    }
}
