/* Lowering: a checked kernel of the core becomes a kernel program, by partial evaluation.
 *
 * Functions, tuples, levels, pull and push arrays exist only while lowering (lower/value.h); what
 * remains is loops, memories and launches.  Everything that the program does not force fuses. */
#ifndef FCL_IR_KERNEL_LOWER_H
#define FCL_IR_KERNEL_LOWER_H

#include "ir/kernel/kir.h"

/* Initialises *out and fills it with the program of kernel f for a target.  False with diagnostics
 * (05xx, 04xx); *out must be released either way.  Requires: ir_check accepted the module. */
bool k_lower(ir_module *m, ir_func f, const k_target *target, k_program *out);

#endif
