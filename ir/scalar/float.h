/* Scalar operators on floats: the part of scalar.h that works in floating point.
 *
 * f32 is computed in float, f64 in double, each operator rounded once; a narrower format in double,
 * rounded once more, which for the operators that IEEE 754 requires to be exact gives the exact
 * result's rounding: double has more than twice its bits. */
#ifndef FCL_IR_SCALAR_FLOAT_H
#define FCL_IR_SCALAR_FLOAT_H

#include "ir/scalar/scalar.h"

/* t is a float type; unused operands are 0. */
uint64_t scalar_float_eval(opcode op, scalar t, uint64_t x, uint64_t y, uint64_t z);
double scalar_float_value(scalar t, uint64_t bits); /* exact */
uint64_t scalar_float_bits(scalar t, double x);     /* rounded to the type, halves to even */
/* From an integer of 64 bits, rounded once. */
uint64_t scalar_float_from_int(scalar t, uint64_t bits, bool is_signed);

#endif
