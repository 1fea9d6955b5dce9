/* The meaning of every scalar operator on 64-bit patterns: the one place that evaluator, constant
 * folding and plan execution share, and that devices agree with bit for bit on integers.
 *
 * A scalar of type t is held in 64 bits: signed integers sign-extended, unsigned ones and bool (0,
 * 1) zero-extended, f32 its 32-bit pattern zero-extended, f64 its pattern. */
#ifndef FCL_IR_SCALAR_H
#define FCL_IR_SCALAR_H

#include "ir/ir.h"

/* op applied to operands of type t (for select: the type of the branches; args[0] is the
 * condition). */
uint64_t scalar_eval(opcode op, scalar t, const uint64_t args[3]);
/* Integers are cut to the width, floats are rounded to the nearest or saturate, bool is `not 0`. */
uint64_t scalar_convert(scalar to, scalar from, uint64_t bits);
/* Canonical form: truncates to the width and extends again. */
uint64_t scalar_wrap(scalar t, uint64_t bits);
/* Whether the operator takes operands of that type, by its class in the table. */
bool scalar_accepts(operand_class c, scalar t);

/* What leaves every x as it is: op applied to it and x.  False where there is none, or none is known. */
bool scalar_neutral(opcode op, scalar t, uint64_t *bits);

uint64_t scalar_nan(scalar t); /* the one NaN of a float type that is written */
/* The number that n digits, with a point or an exponent, stand for: rounded once, to the float
 * type; infinite beyond its range. */
double scalar_parse_float(scalar t, const char *s, size_t n);
double scalar_as_double(scalar t, uint64_t bits);
uint64_t scalar_from_double(scalar t, double x); /* saturating, as convert */
/* Text that reads back as the same bits, with the suffix that the type needs: 42, -7i64, 1.5,
 * 0.1f32, inf, nan, true. */
bool scalar_text(mem *m, scalar t, uint64_t bits, vec_char *out);

#endif
