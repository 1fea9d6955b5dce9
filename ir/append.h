/* Appending an operation for which room was made: the inside of ir_add_op, inline for a reader that
 * makes operations by the million.  Nothing can fail; the cost is that of the stores. */
#ifndef FCL_IR_APPEND_H
#define FCL_IR_APPEND_H

#include "ir/ir.h"

#define OPCODE_MASK ((1u << 10) - 1) /* the bits of op_node.opcode */
#define SLOT_MASK   ((1u << 27) - 1) /* the bits of value_node.slot */

_Static_assert(OP_END <= OPCODE_MASK + 1, "an opcode has so many bits");

/* Appends an operation to region r, with a result, the last value then, where its operator has one.
 * Its operands are the last nargs of the pool; there is room for one more operation and one more
 * value.  It is made where it stands: copying a node that was just made waits for its parts to be
 * stored. */
static inline ir_op ir_append_op(ir_module *m, ir_region r, opcode code, uint32_t nargs,
                                 uint32_t loc, bool has_result)
{
    ir_op o = m->ops.len++;
    op_node *n = &m->ops.at[o];
    region_node *in = ir_region_at(m, r);
    *n = (op_node){.opcode = (uint32_t)code & OPCODE_MASK,
                   .nargs = nargs & OPERANDS_MANY,
                   .args = m->pool.len - nargs,
                   .loc = loc,
                   .parent = r};
    if (has_result) {
        n->result = m->values.len++;
        m->values.at[n->result] =
            (value_node){.def = o, .slot = in->nslots++ & SLOT_MASK, .kind = V_RESULT};
    }
    if (in->last)
        m->ops.at[in->last].next = o;
    else
        in->first = o;
    in->last = o;
    return o;
}

/* n regions in a row for operation o, which is about to be made; the first, 0 when memory is
 * short. */
ir_region ir_add_regions(ir_module *m, ir_op o, uint32_t n, ir_func f);

#endif
