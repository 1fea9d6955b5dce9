/* Whether a kernel says at which levels its work is done (docs/rooms/arrays.md).
 *
 * A collective takes whole pull arrays and says how they are consumed, not by whom.  A kernel is
 * scheduled when no collective is left in what it reaches and it returns no pull arrays. */
#ifndef FCL_IR_SCHEDULED_H
#define FCL_IR_SCHEDULED_H

#include "ir/ir.h"

/* Whether there is a pull array in a tuple of that type, or it is one. */
bool ir_holds_pull(const ir_module *m, ir_type t);
/* Whether the operation is a collective: by its operator, or by the types of its operands. */
bool ir_is_collective(const ir_module *m, ir_op o);
/* Whether an operator puts elements into an array in memory, where their positions say or from a
 * position on: those of the rule ACCUMULATE. */
bool ir_puts_elements(uint32_t code);
/* Whether the arrays that it gives are in memory of its own. */
bool ir_makes_memory(uint32_t code);
/* Of a checked module.  Not scheduled: *why is the first collective, in the kernel's own text
 * before those of functions that it calls, or the return of a pull array; 0 when memory is short.
 */
bool ir_is_scheduled(ir_module *m, ir_func kernel, ir_op *why);

/* Whether all own kernels of a checked module are. */
bool ir_module_is_scheduled(ir_module *m);
/* Whether a kernel of a checked module hands something out: the evaluator runs such ones. */
bool ir_emits(const ir_module *m, ir_func kernel);
/* Whether it describes arrays and says no level at all: that counts as scheduled, as it can be
 * lowered, but some of the arrays may be worth writing. */
bool ir_says_no_level(ir_module *m, ir_func kernel);
/* Whether there is nothing to choose: all own kernels are scheduled, and none is such a one. */
bool ir_module_says_levels(ir_module *m);
/* Whether a function of an import has a collective. */
bool ir_imports_collectives(ir_module *m);

#endif
