/* Scalar operators on integers and bool: the part of scalar.h that works on integers. */
#ifndef FCL_IR_SCALAR_INTEGER_H
#define FCL_IR_SCALAR_INTEGER_H

#include "ir/scalar/scalar.h"

static inline uint32_t scalar_width(scalar t)
{
    return ir_scalar_bytes(t) * 8;
}

static inline bool scalar_is_signed(scalar t)
{
    return ir_scalar_class(t) == 'I';
}

/* t is no float; unused operands are 0.  The result is not wrapped to the width yet. */
uint64_t scalar_int_eval(opcode op, scalar t, uint64_t x, uint64_t y);

#endif
