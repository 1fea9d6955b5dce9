/* Passes over the core: each reads a module that may or may not be checked, leaves an equivalent
 * one, and keeps types and locations.  False when memory ran out; the module is unchanged then.
 * libfcl/passes.c lists them by name. */
#ifndef FCL_IR_PASSES_PASSES_H
#define FCL_IR_PASSES_PASSES_H

#include "ir/ir.h"

/* Unlinks operations whose results reach no result of their function.  Nothing in the core has an
 * effect, so only a computation that would have failed or not ended, and whose value nobody wants,
 * is lost.  Linear. */
bool pass_dce(ir_module *m);

/* Imported functions that the module's own reach become its own; the others, and the imports, are
 * dropped.  Function ids change.  Linear. */
bool pass_link(ir_module *m);

#endif
