/* Scalar operators on integers and bool, conversions, and the dispatch over types: see scalar.h.
 *
 * Integers are computed in unsigned 64-bit arithmetic and then cut back to their width by
 * scalar_wrap, so that nothing here has undefined behaviour; the operators on floats are in
 * scalar/float.c. */
#include "ir/scalar/float.h"

#include <math.h>
#include <string.h>

static uint32_t width_of(scalar t)
{
    return ir_scalar_bytes(t) * 8;
}

/* The bits below the width. */
static uint64_t mask_of(scalar t)
{
    return ~(uint64_t)0 >> (64 - width_of(t));
}

static bool is_signed(scalar t)
{
    return ir_scalar_class(t) == 'I';
}

uint64_t scalar_wrap(scalar t, uint64_t bits)
{
    if (t == ST_BOOL)
        return bits & 1;
    if (t == ST_NONE)
        return bits;
    uint64_t low = bits & mask_of(t);
    uint64_t sign = (uint64_t)1 << (width_of(t) - 1);
    return is_signed(t) ? (low ^ sign) - sign : low;
}

bool scalar_accepts(operand_class c, scalar t)
{
    char k = ir_scalar_class(t);
    bool integer = k == 'I' || k == 'U';
    switch (c) {
    case CLASS_ANY:
    case CLASS_SEL: return k != 0;
    case CLASS_NUM: return integer || k == 'F';
    case CLASS_INT: return integer;
    case CLASS_FLT: return k == 'F';
    case CLASS_BIT: return integer || k == 'B';
    case CLASS_BOOL: return k == 'B';
    }
    return false;
}

/* ---- integers ---- */

static uint64_t magnitude(scalar t, uint64_t x)
{
    return is_signed(t) && (int64_t)x < 0 ? 0 - x : x;
}

static bool negative(scalar t, uint64_t x)
{
    return is_signed(t) && (int64_t)x < 0;
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

static uint64_t int_mod(scalar t, uint64_t x, uint64_t y)
{
    return int_rem(t, x, y) + (rounds_down(t, x, y) ? y : 0);
}

static uint64_t int_pow(scalar t, uint64_t x, uint64_t y)
{
    if (negative(t, y)) {
        bool odd = y & 1;
        bool minus_one = is_signed(t) && x == ~(uint64_t)0;
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

static uint64_t int_mulhi(scalar t, uint64_t x, uint64_t y)
{
    if (width_of(t) < 64)
        return x * y >> width_of(t);
    uint64_t high = mulhi_u64(x, y);
    return high - (negative(t, x) ? y : 0) - (negative(t, y) ? x : 0);
}

static int int_compare(scalar t, uint64_t x, uint64_t y)
{
    if (is_signed(t))
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

static uint64_t count_leading(uint64_t low, uint32_t width)
{
    uint64_t n = width;
    for (; low; low >>= 1)
        n--;
    return n;
}

static uint64_t count_trailing(uint64_t low, uint32_t width)
{
    return low ? count_ones((low & (0 - low)) - 1) : width;
}

/* Shifts by y mod width; the widths are powers of two.  x is canonical, low holds its width bits
 * alone. */
static uint64_t int_shift(opcode op, scalar t, uint64_t x, uint64_t y)
{
    uint32_t width = width_of(t), n = (uint32_t)(y & (width - 1));
    uint64_t low = x & mask_of(t);
    switch ((int)op) {
    case SOP_SHL: return x << n;
    case SOP_LSHR: return low >> n;
    case SOP_ROTL: return n ? low << n | low >> (width - n) : low;
    default: return negative(t, x) ? ~(~x >> n) : x >> n;
    }
}

static uint64_t int_bits(opcode op, scalar t, uint64_t x, uint64_t y)
{
    uint64_t low = x & mask_of(t);
    switch ((int)op) {
    case SOP_AND: return x & y;
    case SOP_OR: return x | y;
    case SOP_XOR: return x ^ y;
    case SOP_NOT: return ~x;
    case SOP_POPCOUNT: return count_ones(low);
    case SOP_CLZ: return count_leading(low, width_of(t));
    case SOP_CTZ: return count_trailing(low, width_of(t));
    default: return int_shift(op, t, x, y);
    }
}

/* Integers and bool; not wrapped yet. */
static uint64_t int_eval(opcode op, scalar t, uint64_t x, uint64_t y)
{
    switch ((int)op) {
    case SOP_ADD: return x + y;
    case SOP_SUB: return x - y;
    case SOP_MUL: return x * y;
    case SOP_DIV: return int_div(t, x, y);
    case SOP_MOD: return int_mod(t, x, y);
    case SOP_QUOT: return int_quot(t, x, y);
    case SOP_REM: return int_rem(t, x, y);
    case SOP_NEG: return 0 - x;
    case SOP_ABS: return magnitude(t, x);
    case SOP_SIGN: return int_sign(t, x);
    case SOP_MIN: return int_compare(t, x, y) < 0 ? x : y;
    case SOP_MAX: return int_compare(t, x, y) > 0 ? x : y;
    case SOP_POW: return int_pow(t, x, y);
    case SOP_MULHI: return int_mulhi(t, x, y);
    default: return int_bits(op, t, x, y);
    }
}

static uint64_t int_relation(opcode op, scalar t, uint64_t x, uint64_t y)
{
    int c = int_compare(t, x, y);
    switch ((int)op) {
    case SOP_EQ: return c == 0;
    case SOP_NE: return c != 0;
    case SOP_LT: return c < 0;
    case SOP_LE: return c <= 0;
    case SOP_GT: return c > 0;
    default: return c >= 0;
    }
}

uint64_t scalar_eval(opcode op, scalar t, const uint64_t args[3])
{
    const op_info *info = ir_op_info(op);
    uint64_t y = info->max_args > 1 ? args[1] : 0;
    if (op == SOP_SELECT)
        return args[0] ? args[1] : args[2];
    if (ir_scalar_class(t) == 'F')
        return scalar_float_eval(op, t, args[0], y, info->max_args > 2 ? args[2] : 0);
    if (info->result_bool)
        return int_relation(op, t, args[0], y);
    return scalar_wrap(t, int_eval(op, t, args[0], y));
}

/* ---- conversions ---- */

double scalar_as_double(scalar t, uint64_t bits)
{
    if (ir_scalar_class(t) == 'F')
        return scalar_float_value(t, bits);
    return is_signed(t) ? (double)(int64_t)bits : (double)bits;
}

/* The integer type's limits are powers of two, so the comparisons are exact; x is truncated
 * already. */
static uint64_t int_from_double(scalar t, double x)
{
    double limit = ldexp(1.0, (int)width_of(t) - (is_signed(t) ? 1 : 0));
    if (isnan(x))
        return 0;
    if (is_signed(t)) {
        uint64_t greatest = mask_of(t) >> 1;
        return x >= limit ? greatest : x <= -limit ? ~greatest : (uint64_t)(int64_t)x;
    }
    return x >= limit ? mask_of(t) : x <= 0 ? 0 : (uint64_t)x;
}

uint64_t scalar_from_double(scalar t, double x)
{
    if (t == ST_BOOL)
        return x != 0;
    return ir_scalar_class(t) == 'F' ? scalar_float_bits(t, x) : int_from_double(t, x);
}

/* Straight from the integer: going through double would round twice. */
static uint64_t f32_from_int(scalar from, uint64_t bits)
{
    float x = is_signed(from) ? (float)(int64_t)bits : (float)bits;
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

uint64_t scalar_convert(scalar to, scalar from, uint64_t bits)
{
    if (to == from)
        return bits;
    if (ir_scalar_class(from) == 'F')
        return scalar_from_double(to, scalar_float_value(from, bits));
    if (to == ST_BOOL)
        return bits != 0;
    if (to == ST_F32)
        return f32_from_int(from, bits);
    return to == ST_F64 ? scalar_float_bits(to, scalar_as_double(from, bits))
                        : scalar_wrap(to, bits);
}
