/* The host's arithmetic of launch plans as functions of C11. */
#ifndef FCL_BACKENDS_C_FUNCTION_H
#define FCL_BACKENDS_C_FUNCTION_H

#include "ir/plan/plan.h"

/* Appends `static inline T NAME(T x, ...)`, which computes what a step gives of its operands as
 * plan_compute does: an operator, a conversion, a change of type.  An f16 is its bits.  Nothing for
 * other steps.  False when memory is short. */
bool c_put_function(const plan *p, const plan_step *s, const char *name, vec_char *out);

#endif
