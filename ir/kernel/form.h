/* How a target computes operators: what is known of the operands decides which form is
 * enough.  The pass legalise writes it down, and the verifier holds it against this. */
#ifndef FCL_IR_KERNEL_FORM_H
#define FCL_IR_KERNEL_FORM_H

#include "ir/kernel/kir.h"

/* The cheapest form that gives the value for all operands that n can have: a SCALAR, a CONVERT or
 * a FOR, whose step is meant; others are plain. */
k_form k_form_of(const k_program *p, const k_node *n);

#endif
