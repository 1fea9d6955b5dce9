/* Which operations on signed integers give another number than the one of mathematics.  Nothing
 * else asks that: integers wrap, and unsigned ones are meant to. */
#include "ir/scalar/overflow.h"

#include "ir/scalar/integer.h"

#include <math.h>

/* Computed in 64 bits; false where those are too few. */
static bool power(int64_t x, int64_t y, int64_t *out)
{
    enum { MOST = 64 }; /* turns, after which all but 0, 1 and -1 have left 64 bits */
    *out = 1;
    if (y < 0)
        return true; /* the whole part of a fraction, which is 0, 1 or -1 */
    y = y > MOST ? MOST + y % 2 : y;
    for (int64_t i = 0; i < y; i++)
        if (__builtin_mul_overflow(*out, x, out))
            return false;
    return true;
}

/* What 64 bits hold may still not fit the type. */
static bool exactly(opcode op, int64_t x, int64_t y, int64_t *out)
{
    bool least = x == INT64_MIN;
    switch (op) {
    case SOP_ADD: return !__builtin_add_overflow(x, y, out);
    case SOP_SUB: return !__builtin_sub_overflow(x, y, out);
    case SOP_MUL: return !__builtin_mul_overflow(x, y, out);
    case SOP_NEG: *out = least ? x : -x; return !least;
    case SOP_ABS: *out = least || x > 0 ? x : -x; return !least;
    case SOP_DIV:
    case SOP_DIVIDE:
    case SOP_QUOT: *out = y == -1 && !least ? -x : 0; return !(y == -1 && least);
    case SOP_POW: return power(x, y, out);
    default: *out = 0; return true;
    }
}

static bool fits(scalar t, int64_t x)
{
    uint32_t unused = 64 - scalar_width(t);
    return x >= INT64_MIN >> unused && x <= INT64_MAX >> unused;
}

bool scalar_overflows(opcode op, scalar t, const uint64_t args[3])
{
    int64_t r;
    return scalar_is_signed(t) &&
           !(exactly(op, (int64_t)args[0], (int64_t)args[1], &r) && fits(t, r));
}

bool scalar_can_overflow(opcode op)
{
    int64_t r;
    return op == SOP_POW || !exactly(op, INT64_MIN, -1, &r) || !exactly(op, INT64_MIN, 1, &r);
}

bool scalar_convert_overflows(scalar to, scalar from, uint64_t bits)
{
    if (!scalar_is_signed(to) || ir_scalar_class(from) != 'F')
        return false;
    double x = trunc(scalar_as_double(from, bits)), end = ldexp(1, (int)scalar_width(to) - 1);
    return !(x >= -end && x < end);
}
