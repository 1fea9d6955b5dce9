/* Passes over the core: each reads a module that may or may not be checked, leaves an equivalent
 * one, and keeps types and locations.  False when memory ran out; the module is unchanged then.
 * libfcl/passes/passes.def lists them by name. */
#ifndef FCL_IR_PASSES_PASSES_H
#define FCL_IR_PASSES_PASSES_H

#include "ir/ir.h"
#include "ir/passes/decisions.h"

/* Unlinks operations whose results reach neither a result of their function nor what is handed
 * out.  Nothing else in the core has an effect, so only a computation that would have failed or not ended, and whose value nobody wants,
 * is lost.  Linear. */
bool pass_dce(ir_module *m);

/* The three passes below rewrite: they check the module first, since they need its types, and leave
 * it unchecked.  When memory runs out meanwhile, the module may be incomplete. */

/* Puts the bodies of functions in the place of their calls: of those that are called once, and of
 * those that weigh at most `small`, by the weights of ops.def.  Callees come first, so that the
 * module grows by a constant factor at most.  The functions stay: link drops those of imports.
 * Linear. */
enum { INLINE_SMALL = 8 };
bool pass_inline(ir_module *m, uint32_t small);

/* The same of the calls that `wanted` names, whatever they weigh, until the module has grown by as many
 * operations as the limit `copies` says. */
typedef bool inline_wanted(const void *arg, const ir_module *m, ir_op call);
bool pass_inline_wanted(ir_module *m, inline_wanted *wanted, const void *arg);

/* Computes scalar operators on constants, with the evaluator's functions; takes the branch that a
 * constant chooses, the component of a tuple that is known, the extent of an array that states it.
 * Linear. */
bool pass_fold(ir_module *m);

/* Common subexpressions: an operation whose operator, operands, attributes and regions are those of
 * an earlier one that is visible there gives way to it.  What works at a level (ops.def) is not
 * merged: its place and its memory are the program's choice; collectives name no level and are,
 * those that give an array where nothing in the module updates arrays.  Linear. */
bool pass_cse(ir_module *m);
/* The same; where `bound` says of functions, by 0, that their calls work at no level and hand nothing out, one call stands for
 * several, and what is in both branches of an `if` is bound in front of it. */
bool pass_number(ir_module *m, const vec_u32 *bound);

/* The same, and ahead of it work that is the same for all elements of an array, or for all turns of a loop, is bound in front of
 * those: collectives, and what has some inside; as is what both branches of an `if` have.  Linear. */
bool pass_share(ir_module *m);

/* Reads of arrays stand in front of the updates that overwrite these, where they can: early.c. */
bool pass_read_early(ir_module *m);

/* Puts functions that name levels in the place of collectives, and lets the grid compute the pull
 * arrays that kernels return: then all kernels are scheduled (ir/scheduled.h).  The module has
 * imported "prelude.skeletons".  False, with a diagnostic unless memory is short, also where a
 * collective has no skeleton.  What it decides it tells as remarks; `without`: bits of the decisions
 * that are off; drops: so are the skeletons that nobody calls (pass_drop_imports).  The module without the skeletons has been
 * checked, and what comes out is.  Linear. */
bool pass_schedule(ir_module *m, unsigned without, bool drops);

/* Rules that make work of one shape of nests, states and loops, ahead of pass_schedule, which applies them
 * too: those that are not off. */
bool pass_distribute(ir_module *m, unsigned without);

/* Where arrays are computed: reductions and scans of as many elements become one, loops over arrays arrays of loops, an array
 * that several ask for is written to memory where that costs less than to compute it again.  pass_schedule does so too.
 * `without`: as there. */
bool pass_fuse(ir_module *m, unsigned without);

/* Imported functions that the module's own reach become its own; the others, and the imports, are
 * dropped.  Function ids change.  Linear. */
bool pass_link(ir_module *m);
/* Imported functions that the module's own do not reach are dropped, so that no later pass can call them: for a copy that is compiled. */
bool pass_drop_imports(ir_module *m);

#endif
