/* Scalar operators on integers and bool: see scalar/integer.h.
 *
 * One function for each operator, named after it: int_ADD and so on.  All compute in unsigned
 * 64-bit arithmetic and leave cutting back to the width to scalar_wrap, so that nothing here has
 * undefined behaviour.  Operands are canonical (scalar.h). */
#include "ir/scalar/integer.h"

typedef uint64_t int_function(scalar t, uint64_t x, uint64_t y);

/* The bits below the width. */
static uint64_t mask_of(scalar t)
{
    return ~(uint64_t)0 >> (64 - scalar_width(t));
}

static uint64_t magnitude(scalar t, uint64_t x)
{
    return scalar_is_signed(t) && (int64_t)x < 0 ? 0 - x : x;
}

static bool negative(scalar t, uint64_t x)
{
    return scalar_is_signed(t) && (int64_t)x < 0;
}

/* Towards zero; by magnitudes, so that the least integer / -1 wraps. */
static uint64_t int_quot(scalar t, uint64_t x, uint64_t y)
{
    if (y == 0)
        return 0;
    uint64_t q = magnitude(t, x) / magnitude(t, y);
    return negative(t, x) != negative(t, y) ? 0 - q : q;
}

static uint64_t int_rem(scalar t, uint64_t x, uint64_t y)
{
    if (y == 0)
        return x;
    uint64_t r = magnitude(t, x) % magnitude(t, y);
    return negative(t, x) ? 0 - r : r;
}

/* Whether floor and truncation differ. */
static bool rounds_down(scalar t, uint64_t x, uint64_t y)
{
    return y != 0 && negative(t, x) != negative(t, y) && int_rem(t, x, y) != 0;
}

static uint64_t int_div(scalar t, uint64_t x, uint64_t y)
{
    return int_quot(t, x, y) - (rounds_down(t, x, y) ? 1 : 0);
}

/* The sign of the divisor, as floored division asks for: x = (x div y) * y + x mod y. */
static uint64_t int_mod(scalar t, uint64_t x, uint64_t y)
{
    return int_rem(t, x, y) + (rounds_down(t, x, y) ? y : 0);
}

/* Square and multiply, wrapping.  Of negative exponents only the powers of 1 and -1 are
 * integers. */
static uint64_t int_pow(scalar t, uint64_t x, uint64_t y)
{
    if (negative(t, y)) {
        bool odd = y & 1;
        bool minus_one = scalar_is_signed(t) && x == ~(uint64_t)0;
        return x == 1 ? 1 : minus_one ? (odd ? x : 1) : 0;
    }
    uint64_t r = 1;
    for (; y; y >>= 1, x *= x)
        if (y & 1)
            r *= x;
    return r;
}

/* The upper 64 bits of the unsigned product. */
static uint64_t mulhi_u64(uint64_t x, uint64_t y)
{
    uint64_t xl = x & 0xffffffffu, xh = x >> 32, yl = y & 0xffffffffu, yh = y >> 32;
    uint64_t mid = xh * yl + (xl * yl >> 32);
    uint64_t mid2 = xl * yh + (mid & 0xffffffffu);
    return xh * yh + (mid >> 32) + (mid2 >> 32);
}

/* The signed upper half is the unsigned one less the other factor for each factor that is
 * negative. */
static uint64_t int_mulhi(scalar t, uint64_t x, uint64_t y)
{
    if (scalar_width(t) < 64)
        return x * y >> scalar_width(t);
    uint64_t high = mulhi_u64(x, y);
    return high - (negative(t, x) ? y : 0) - (negative(t, y) ? x : 0);
}

/* -1, 0 or 1. */
static int int_compare(scalar t, uint64_t x, uint64_t y)
{
    if (scalar_is_signed(t))
        return ((int64_t)x > (int64_t)y) - ((int64_t)x < (int64_t)y);
    return (x > y) - (x < y);
}

static uint64_t int_sign(scalar t, uint64_t x)
{
    return negative(t, x) ? ~(uint64_t)0 : x != 0;
}

static uint64_t count_ones(uint64_t x)
{
    uint64_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

/* `low` has nothing above its width; a zero has all of it. */
static uint64_t count_leading(uint64_t low, uint32_t width)
{
    uint64_t n = width;
    for (; low; low >>= 1)
        n--;
    return n;
}

/* The bits below the lowest one are all ones in low - 1 and none of them in low. */
static uint64_t count_trailing(uint64_t low, uint32_t width)
{
    return low ? count_ones((low & (0 - low)) - 1) : width;
}

static uint64_t rotated(scalar t, uint64_t low, uint32_t n)
{
    return n ? low << n | low >> (scalar_width(t) - n) : low;
}

/* Shifts go by y mod width; the widths are powers of two. */
static uint32_t shift_of(scalar t, uint64_t y)
{
    return (uint32_t)(y & (scalar_width(t) - 1));
}

static uint64_t low_bits(scalar t, uint64_t x)
{
    return x & mask_of(t);
}

/* ---- one for each operator ---- */

#define INT(e, result)                                                                             \
    static uint64_t int_##e(scalar t, uint64_t x, uint64_t y)                                      \
    {                                                                                              \
        (void)t, (void)y;                                                                          \
        return result;                                                                             \
    }

INT(ADD, x + y)
INT(SUB, x - y)
INT(MUL, (x * y))
INT(DIV, int_div(t, x, y))
INT(MOD, int_mod(t, x, y))
INT(QUOT, int_quot(t, x, y))
INT(REM, int_rem(t, x, y))
INT(NEG, 0 - x)
INT(ABS, magnitude(t, x))
INT(SIGN, int_sign(t, x))
INT(MIN, int_compare(t, x, y) < 0 ? x : y)
INT(MAX, int_compare(t, x, y) > 0 ? x : y)
INT(POW, int_pow(t, x, y))
INT(MULHI, int_mulhi(t, x, y))
INT(DIVIDE, int_div(t, x, y))
INT(AND, (x & y))
INT(OR, x | y)
INT(XOR, x ^ y)
INT(NOT, ~x)
INT(SHL, x << shift_of(t, y))
INT(SHR, negative(t, x) ? ~(~x >> shift_of(t, y)) : x >> shift_of(t, y))
INT(LSHR, low_bits(t, x) >> shift_of(t, y))
INT(ROTL, rotated(t, low_bits(t, x), shift_of(t, y)))
INT(POPCOUNT, count_ones(low_bits(t, x)))
INT(CLZ, count_leading(low_bits(t, x), scalar_width(t)))
INT(CTZ, count_trailing(low_bits(t, x), scalar_width(t)))
INT(EQ, x == y)
INT(NE, x != y)
INT(LT, int_compare(t, x, y) < 0)
INT(LE, int_compare(t, x, y) <= 0)
INT(GT, int_compare(t, x, y) > 0)
INT(GE, int_compare(t, x, y) >= 0)

/* Which operators must have one: those whose class of operands has integers or bool. */
#define OF_ANY(e)  int_##e
#define OF_ORD(e)  int_##e
#define OF_NUM(e)  int_##e
#define OF_INT(e)  int_##e
#define OF_BIT(e)  int_##e
#define OF_BOOL(e) int_##e
#define OF_FLT(e)  NULL
#define OF_SEL(e)  NULL /* choose_ENUM in scalar.c */

static int_function *const functions[SOP_END] = {
#define SCALAROP(e, wire, name, arity, operands, ...) [SOP_##e] = OF_##operands(e),
#include "ir/scalars.def"
#undef SCALAROP
};

uint64_t scalar_int_eval(opcode op, scalar t, uint64_t x, uint64_t y)
{
    int_function *f = op < SOP_END ? functions[op] : NULL;
    return f ? f(t, x, y) : 0;
}
