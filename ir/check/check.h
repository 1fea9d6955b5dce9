/* The verifier and the type checker of the core.
 *
 * Both report every error of the module in one run; both leave the structure of the module as it
 * is.  The unknown type (0) stands for what could not be typed because of an error already
 * reported: it fits everything, silently. */
#ifndef FCL_IR_CHECK_H
#define FCL_IR_CHECK_H

#include "ir/ir.h"

/* Structure alone: ids in range, regions ended by their terminator, operands visible where they are
 * used, numbers of operands and region parameters, attributes.  What it accepts can be walked
 * without further checks: regions nest no deeper than limits.region_depth, every operation is in
 * one region. */
bool ir_verify(ir_module *m);

/* Structure, kinds, types and levels (section 5.1 of the paper; docs/rooms/check.md).  When it
 * returns true:
 *   - every value has its type and no literal is undecided: value_node.literal is LIT_TYPED, and
 *     the bits are canonical;
 *   - every function has its result type, every type variable its kind;
 *   - every CALL has its complete instance in op_node.inst, 0 only if the function has no type and
 *     level parameters.  A FUNC has one too if an instance is written or follows from its written
 *     type; else its value stays polymorphic (rule 25): its type is then a TY_FORALL or TY_LVLFN
 *     over the parameters that are left;
 *   - functions do not call each other in a circle;
 *   - m->checked is set.
 * Time is linear in the module. */
bool ir_check(ir_module *m);
/* The same of a module that a pass has made, where updates that name a level overwrite copies as well as others do, where what
 * they overwrite is used again or is not their own: the pass is to make those (ir_copies). */
bool ir_check_copies(ir_module *m);

#endif
