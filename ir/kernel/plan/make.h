/* From the host block of a finished kernel program to its launch plan (ir/plan/plan.h). */
#ifndef FCL_IR_KERNEL_PLAN_MAKE_H
#define FCL_IR_KERNEL_PLAN_MAKE_H

#include "ir/kernel/kir.h"
#include "ir/plan/plan.h"

/* The plan of a legalised program, which it does not refer to afterwards; *out is to be released in
 * either case.  False with a diagnostic: the host block holds what only kernels may, or memory is
 * short.  Linear in the program. */
bool k_make_plan(const k_program *p, plan *out);

#endif
