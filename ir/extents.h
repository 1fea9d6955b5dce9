/* What is sure to have as many elements. */
#ifndef FCL_IR_EXTENTS_H
#define FCL_IR_EXTENTS_H

#include "ir/ir.h"

/* The operation whose result a value is; 0: a parameter or a constant. */
static inline ir_op made_by(const ir_module *m, ir_value v)
{
    return m->values.at[v].kind == V_RESULT ? m->values.at[v].def : 0;
}

/* An extent: axis `axis` of an array, or a value that is a number. */
enum { EXTENT_NUMBER = MAX_RANK };
typedef struct ir_extent {
    ir_value of;
    uint32_t axis;
} ir_extent;

/* The component of a tuple that a projection gives, where that tuple is made in sight; 0: it is not. */
ir_value ir_item_of(ir_module *m, ir_op o);
/* Component k of a value, which is all of it where it is no tuple; 0: it is not made in sight.  The same of what a repeat or while
 * begins with. */
ir_value ir_component_of(ir_module *m, ir_value v, uint32_t k);
ir_value ir_loop_start(ir_module *m, ir_op loop, uint32_t k);
/* The loop whose state in a turn, or component *k of it, v is; 0: it is none. */
ir_op ir_loop_of_state(ir_module *m, ir_value v, uint32_t *k);
/* Where the extent of an axis comes from, as far back as is seen. */
ir_extent ir_extent_of(ir_module *m, ir_value xs, uint32_t axis);
/* The same where what loops carry around it has the extents that they begin with. */
ir_extent ir_extent_in_turns(ir_module *m, ir_value xs, uint32_t axis);
bool ir_same_extent(const ir_module *m, ir_extent a, ir_extent b);
/* Whether a number is none below 0, by how it is made: what an array says of itself, and what is made of such. */
bool ir_is_natural(const ir_module *m, ir_value v);
/* Whether a turn of a loop leaves that extent as it is: of the state, or of its component k. */
bool ir_turn_keeps(ir_module *m, ir_op loop, uint32_t k, uint32_t axis);

#endif
