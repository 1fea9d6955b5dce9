/* How a target computes scalar operators: what is known of the operands decides which form is
 * enough.  The pass legalise writes it down, and the verifier holds it against this. */
#ifndef FCL_IR_KERNEL_FORM_H
#define FCL_IR_KERNEL_FORM_H

#include "ir/kernel/kir.h"

/* The cheapest form that gives the operator's value for all operands that n, a SCALAR, can have. */
k_form k_form_of(const k_program *p, const k_node *n);

#endif
