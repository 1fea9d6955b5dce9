/* Scalar operators on f32 and f64: the part of scalar.h that works in floating point.  f32 is
 * computed in float, f64 in double, each operator rounded once. */
#ifndef FCL_IR_SCALAR_FLOAT_H
#define FCL_IR_SCALAR_FLOAT_H

#include "ir/scalar/scalar.h"

/* t is F32 or F64; unused operands are 0. */
uint64_t scalar_float_eval(opcode op, scalar t, uint64_t x, uint64_t y, uint64_t z);
double scalar_float_value(scalar t, uint64_t bits); /* exact */
uint64_t scalar_float_bits(scalar t, double x);     /* rounded to the type */

#endif
