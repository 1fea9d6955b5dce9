/* Finding where each operation of a graph is bound.
 *
 * The operations of such a function were appended to a region beside its body, the pool, in any
 * order, those that belong into a region of another operation among them; a region's value is what
 * its yield names.  Placing gives each the region where it is computed, and drops what no result
 * needs, unless it hands out or receives (EFFECT_EMIT).
 *
 * This is global code motion (Click 1995) over the tree of regions in place of the dominator tree,
 * which placing itself makes: an operation's regions hang below the place of the operation.
 * - Lowest: the deepest region that holds all uses.
 * - From there outwards, as far as the operands allow, out of regions that run many times, so that
 *   nothing is computed more often than it must be; but not out of one that runs at most once (a
 *   branch of an `if`), and not what may fail when it is run (EFFECT_FAIL): that stays lowest.
 * - What hands out goes as far as its operands allow, out of any region.
 * Operations that were appended to another region than the pool stay there.  In a region operations
 * come in the order in which they were made, as far as they can: what the regions of one compute
 * may come before it.
 *
 * Linear in operations and operands, but for a logarithm of the depth of regions. */
#ifndef FCL_IR_REWRITE_PLACE_H
#define FCL_IR_REWRITE_PLACE_H

#include "ir/ir.h"

/* Places the operations of f from `first` on.  pool: their region, which was made then, before all
 * regions of theirs; it, or the body, ends with return.  False, with a diagnostic unless memory is
 * short, when an operation needs its own result, regions nest too deep, or one that stays in a
 * region is used outside of it; scopes are for the verifier, otherwise. */
bool ir_place_graph(ir_module *m, ir_func f, ir_op first, ir_region pool);

#endif
