/* Overflow of signed integers, for runs that are to report it. */
#ifndef FCL_IR_SCALAR_OVERFLOW_H
#define FCL_IR_SCALAR_OVERFLOW_H

#include "ir/scalar/scalar.h"

/* Whether op on operands of a signed type t gives a number that does not fit it: add, sub, mul, neg,
 * abs, the divisions and pow.  False for other types. */
bool scalar_overflows(opcode op, scalar t, const uint64_t args[3]);
/* Whether it does so for any operands. */
bool scalar_can_overflow(opcode op);
/* Whether a float is outside of a signed integer type, or no number. */
bool scalar_convert_overflows(scalar to, scalar from, uint64_t bits);

#endif
