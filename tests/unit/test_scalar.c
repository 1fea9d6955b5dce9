/* Scalar operators against formulas of their own: every pair of 8-bit values, and the edges of the
 * wider types, computed in 128 bits; floats by their special cases; literals by reading them back.
 */
#include "ir/scalar/overflow.h"
#include "ir/scalar/scalar.h"
#include "tests/unit/often.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

#define HALF_PI 1.57079632679489661923
#define EULER   2.71828182845904523536

static const scalar integers[] = {ST_I8, ST_I16, ST_I32, ST_I64, ST_U8, ST_U16, ST_U32, ST_U64};

static unsigned bits_in(scalar t)
{
    return ir_scalar_bytes(t) * 8;
}

static bool is_signed(scalar t)
{
    return ir_scalar_class(t) == 'I';
}

static wide value_of(scalar t, uint64_t bits)
{
    return is_signed(t) ? (wide)(int64_t)bits : (wide)bits;
}

/* The number that the type holds for x: modulo its width, in its range. */
static uint64_t held(scalar t, wide x)
{
    wide span = (wide)1 << bits_in(t);
    wide r = ((x % span) + span) % span;
    if (is_signed(t) && r >= span / 2)
        r -= span;
    return (uint64_t)r;
}

static wide floor_div(wide x, wide y)
{
    wide q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
}

static wide expected_pow(scalar t, wide x, wide y)
{
    wide r = 1;
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    for (wide i = 0; i < y; i++)
        r = value_of(t, held(t, (wide)((uint64_t)r * (uint64_t)x)));
    return r;
}

static wide pattern(scalar t, wide x)
{
    return x & (((wide)1 << bits_in(t)) - 1);
}

static wide ones(wide p)
{
    wide n = 0;
    for (; p; p >>= 1)
        n += p & 1;
    return n;
}

static wide leading(scalar t, wide p)
{
    unsigned n = 0;
    while (n < bits_in(t) && !(p >> (bits_in(t) - 1 - n) & 1))
        n++;
    return n;
}

static wide trailing(scalar t, wide p)
{
    unsigned n = 0;
    while (n < bits_in(t) && !(p >> n & 1))
        n++;
    return n;
}

static wide rotated(scalar t, wide x, unsigned n)
{
    wide p = pattern(t, x);
    for (; n; n--)
        p = pattern(t, p << 1) | p >> (bits_in(t) - 1);
    return p;
}

static wide high_half(scalar t, wide x, wide y)
{
    if (t != ST_U64)
        return floor_div(x * y, (wide)1 << bits_in(t));
    __extension__ unsigned __int128 p = (unsigned __int128)(uint64_t)x * (uint64_t)y;
    return (wide)(uint64_t)(p >> 64);
}

/* x and y as mathematical integers; the result may lie outside the type. */
static wide expected(opcode op, scalar t, wide x, wide y)
{
    unsigned shift = (unsigned)(pattern(t, y) % bits_in(t));
    switch ((int)op) {
    case SOP_ADD: return x + y;
    case SOP_SUB: return x - y;
    case SOP_MUL: return (wide)((uint64_t)x * (uint64_t)y);
    case SOP_DIVIDE:
    case SOP_DIV: return y == 0 ? 0 : floor_div(x, y);
    case SOP_MOD: return y == 0 ? x : x - y * floor_div(x, y);
    case SOP_QUOT: return y == 0 ? 0 : x / y;
    case SOP_REM: return y == 0 ? x : x % y;
    case SOP_NEG: return -x;
    case SOP_ABS: return x < 0 ? -x : x;
    case SOP_SIGN: return x < 0 ? -1 : x > 0;
    case SOP_MIN: return x < y ? x : y;
    case SOP_MAX: return x > y ? x : y;
    case SOP_MULHI: return high_half(t, x, y);
    case SOP_AND: return pattern(t, x) & pattern(t, y);
    case SOP_OR: return pattern(t, x) | pattern(t, y);
    case SOP_XOR: return pattern(t, x) ^ pattern(t, y);
    case SOP_NOT: return -x - 1;
    case SOP_SHL: return (wide)((uint64_t)x << shift);
    case SOP_SHR: return floor_div(x, (wide)1 << shift);
    case SOP_LSHR: return pattern(t, x) >> shift;
    case SOP_ROTL: return rotated(t, x, shift);
    case SOP_POPCOUNT: return ones(pattern(t, x));
    case SOP_CLZ: return leading(t, pattern(t, x));
    case SOP_CTZ: return trailing(t, pattern(t, x));
    case SOP_EQ: return x == y;
    case SOP_NE: return x != y;
    case SOP_LT: return x < y;
    case SOP_LE: return x <= y;
    case SOP_GT: return x > y;
    default: return x >= y;
    }
}

static uint64_t apply2(opcode op, scalar t, uint64_t x, uint64_t y)
{
    return scalar_eval(op, t, (uint64_t[3]){x, y, 0});
}

static void check_pair(opcode op, scalar t, uint64_t x, uint64_t y)
{
    const op_info *info = ir_op_info(op);
    scalar result = info->result_bool ? ST_U8 : t;
    uint64_t want = held(result, expected(op, t, value_of(t, x), value_of(t, y)));
    uint64_t got = apply2(op, t, x, y);
    assert_often(got == want, "%s %s %lld, %lld: %lld, expected %lld", info->name,
                 ir_scalar_name(t), (long long)x, (long long)y, (long long)got, (long long)want);
}

static bool checked_here(uint32_t op)
{
    const op_info *info = ir_op_info(op);
    return info->name && info->is_scalar && op != SOP_POW && op != SOP_SELECT &&
           scalar_accepts((operand_class)info->operands, ST_I32);
}

/* What 8 bits overflow is what is another number in 64. */
START_TEST(overflow_of_8_bits)
{
    for (opcode op = 0; op < SOP_END; op++) {
        bool any = false;
        const op_info *info = ir_op_info(op);
        if (!info->is_scalar || info->result_bool || !scalar_can_overflow(op))
            continue;
        for (int x = -128; x < 128; x++)
            for (int y = -128; y < 128; y++) {
                if (op == SOP_POW && (y > 7 || y < 0))
                    continue; /* not in 64 bits */
                uint64_t args[3] = {(uint64_t)(int64_t)x, (uint64_t)(int64_t)y, 0};
                bool differs = scalar_eval(op, ST_I8, args) != scalar_eval(op, ST_I64, args);
                assert_often(scalar_overflows(op, ST_I8, args) == differs, "%s of %d and %d",
                             info->name, x, y);
                assert_often(!scalar_overflows(op, ST_U8, args), "%s of u8", info->name);
                any = any || differs;
            }
        ck_assert_msg(any, "%s does not overflow", info->name);
    }
}
END_TEST

static bool wide_overflows(opcode op, int64_t x, int64_t y)
{
    return scalar_overflows(op, ST_I64, (uint64_t[]){(uint64_t)x, (uint64_t)y, 0});
}

START_TEST(overflow_of_64_bits)
{
    const int64_t least = INT64_MIN, most = INT64_MAX, half = (int64_t)1 << 32;
    ck_assert(wide_overflows(SOP_ADD, most, 1) && !wide_overflows(SOP_ADD, most, least));
    ck_assert(wide_overflows(SOP_SUB, least, 1) && !wide_overflows(SOP_SUB, -1, most));
    ck_assert(wide_overflows(SOP_MUL, half, half) && !wide_overflows(SOP_MUL, half, half / 4));
    ck_assert(wide_overflows(SOP_NEG, least, 0) && !wide_overflows(SOP_NEG, most, 0));
    ck_assert(wide_overflows(SOP_ABS, least, 0) && !wide_overflows(SOP_ABS, least + 1, 0));
    ck_assert(wide_overflows(SOP_DIV, least, -1) && !wide_overflows(SOP_DIV, least, 0));
    ck_assert(wide_overflows(SOP_POW, 2, 63) && !wide_overflows(SOP_POW, -2, 63));
    ck_assert(!wide_overflows(SOP_POW, -1, most) && wide_overflows(SOP_POW, -3, most));
    ck_assert(!wide_overflows(SOP_POW, 2, least));
    ck_assert(scalar_convert_overflows(ST_I32, ST_F64, scalar_from_double(ST_F64, 2147483648.0)));
    ck_assert(!scalar_convert_overflows(ST_I32, ST_F64, scalar_from_double(ST_F64, 2147483647.5)));
    ck_assert(!scalar_convert_overflows(ST_I32, ST_F64, scalar_from_double(ST_F64, -2147483648.5)));
    ck_assert(scalar_convert_overflows(ST_I64, ST_F32, scalar_from_double(ST_F32, NAN)));
    ck_assert(!scalar_convert_overflows(ST_U32, ST_F32, scalar_from_double(ST_F32, -1)));
}
END_TEST

START_TEST(every_pair_of_8_bits)
{
    for (uint32_t op = 1; op < SOP_END; op++)
        for (int x = 0; checked_here(op) && x < 256; x++)
            for (int y = 0; y < 256; y++) {
                check_pair((opcode)op, ST_I8, held(ST_I8, x), held(ST_I8, y));
                check_pair((opcode)op, ST_U8, held(ST_U8, x), held(ST_U8, y));
            }
}
END_TEST

START_TEST(edges_of_every_width)
{
    static const int64_t edges[] = {0,         1,
                                    2,         3,
                                    7,         8,
                                    31,        32,
                                    33,        63,
                                    64,        -1,
                                    -2,        -3,
                                    -7,        -64,
                                    INT8_MIN,  INT8_MAX,
                                    INT16_MIN, INT16_MAX,
                                    INT32_MIN, INT32_MIN + 1,
                                    INT32_MAX, UINT32_MAX,
                                    INT64_MIN, INT64_MIN + 1,
                                    INT64_MAX, 0x123456789abcdef0,
                                    1000000007};
    enum { N = sizeof edges / sizeof edges[0], TYPES = sizeof integers / sizeof integers[0] };
    for (uint32_t op = 1; op < SOP_END; op++)
        for (int t = 0; checked_here(op) && t < TYPES; t++)
            for (int i = 0; i < N * N; i++)
                check_pair((opcode)op, integers[t], held(integers[t], edges[i / N]),
                           held(integers[t], edges[i % N]));
}
END_TEST

START_TEST(powers)
{
    for (int t = 0; t < 8; t++)
        for (int x = -12; x <= 12; x++)
            for (int y = is_signed(integers[t]) ? -5 : 0; y <= 70; y++) {
                uint64_t a = held(integers[t], x), b = held(integers[t], y);
                wide want =
                    expected_pow(integers[t], value_of(integers[t], a), value_of(integers[t], b));
                ck_assert_int_eq((int64_t)apply2(SOP_POW, integers[t], a, b),
                                 (int64_t)held(integers[t], want));
            }
    ck_assert_int_eq((int64_t)apply2(SOP_POW, ST_I32, 0, (uint64_t)-1), 0);
    ck_assert_int_eq((int64_t)apply2(SOP_POW, ST_I32, 3, 21), (int32_t)10460353203);
}
END_TEST

START_TEST(booleans_and_select)
{
    for (uint64_t x = 0; x < 2; x++) {
        ck_assert_uint_eq(apply2(SOP_NOT, ST_BOOL, x, 0), !x);
        for (uint64_t y = 0; y < 2; y++) {
            ck_assert_uint_eq(apply2(SOP_AND, ST_BOOL, x, y), x && y);
            ck_assert_uint_eq(apply2(SOP_OR, ST_BOOL, x, y), x || y);
            ck_assert_uint_eq(apply2(SOP_XOR, ST_BOOL, x, y), x != y);
            ck_assert_uint_eq(apply2(SOP_EQ, ST_BOOL, x, y), x == y);
        }
    }
    ck_assert_uint_eq(scalar_eval(SOP_SELECT, ST_I32, (uint64_t[3]){1, 5, 6}), 5);
    ck_assert_uint_eq(scalar_eval(SOP_SELECT, ST_F64, (uint64_t[3]){0, 5, 6}), 6);
}
END_TEST

/* ---- floats ---- */

static uint64_t of_f64(double x)
{
    return scalar_from_double(ST_F64, x);
}

static double f64_2(opcode op, double x, double y)
{
    return scalar_as_double(ST_F64, apply2(op, ST_F64, of_f64(x), of_f64(y)));
}

static double f32_2(opcode op, double x, double y)
{
    return scalar_as_double(
        ST_F32, apply2(op, ST_F32, scalar_from_double(ST_F32, x), scalar_from_double(ST_F32, y)));
}

START_TEST(float_arithmetic)
{
    ck_assert(f64_2(SOP_ADD, 0.1, 0.2) == 0.1 + 0.2);
    ck_assert(f32_2(SOP_ADD, 16777216, 1) == 16777216);
    ck_assert(f32_2(SOP_MUL, 3e38, 10) == INFINITY);
    ck_assert(f32_2(SOP_FDIV, 1, 3) == (double)(1.0f / 3.0f));
    ck_assert(f64_2(SOP_FDIV, 1, 0) == INFINITY && f64_2(SOP_FDIV, -1, 0) == -INFINITY);
    ck_assert(isnan(f64_2(SOP_FDIV, 0, 0)));
    ck_assert(f64_2(SOP_MIN, NAN, 1) == 1 && f64_2(SOP_MAX, 1, NAN) == 1 &&
              f64_2(SOP_MIN, -1, 1) == -1);
    ck_assert(f64_2(SOP_POW, 2, -1) == 0.5 && f64_2(SOP_ATAN2, 1, -1) == atan2(1, -1));
    ck_assert(f64_2(SOP_HYPOT, 0x3p600, 0x4p600) == 0x5p600 && f64_2(SOP_COPYSIGN, 3, -0.0) == -3);
}
END_TEST

START_TEST(float_remainders)
{
    for (int x = -9; x <= 9; x++)
        for (int y = -4; y <= 4; y++) {
            if (y == 0)
                continue;
            ck_assert(f64_2(SOP_MOD, x, y) == x - y * floor((double)x / y));
            ck_assert(f64_2(SOP_REM, x, y) == x - y * trunc((double)x / y));
            ck_assert(f32_2(SOP_MOD, x * 0.5, y) == x * 0.5 - y * floor(x * 0.5 / y));
        }
    ck_assert(signbit(f64_2(SOP_MOD, 4, -2)) && !signbit(f64_2(SOP_MOD, -4, 2)));
    ck_assert(isnan(f64_2(SOP_MOD, 1, 0)) && isnan(f64_2(SOP_REM, INFINITY, 1)));
}
END_TEST

START_TEST(float_functions)
{
    static const struct {
        opcode op;
        double x, y;
    } cases[] = {
        {SOP_NEG, 1.5, -1.5},
        {SOP_ABS, -2, 2},
        {SOP_SIGN, -3, -1},
        {SOP_SQRT, 2, 1.4142135623730951},
        {SOP_RSQRT, 4, 0.5},
        {SOP_CBRT, -27, -3},
        {SOP_EXP, 1, EULER},
        {SOP_EXP2, 10, 1024},
        {SOP_EXPM1, 1e-20, 1e-20},
        {SOP_LOG, EULER, 1},
        {SOP_LOG2, 8, 3},
        {SOP_LOG10, 1000, 3},
        {SOP_LOG1P, 1e-20, 1e-20},
        {SOP_SIN, HALF_PI, 1},
        {SOP_COS, 0, 1},
        {SOP_TAN, (HALF_PI / 2), 1},
        {SOP_ASIN, 1, HALF_PI},
        {SOP_ACOS, 1, 0},
        {SOP_ATAN, 1, (HALF_PI / 2)},
        {SOP_SINH, 0, 0},
        {SOP_COSH, 0, 1},
        {SOP_TANH, 100, 1},
        {SOP_ASINH, 0, 0},
        {SOP_ACOSH, 1, 0},
        {SOP_ATANH, 0, 0},
        {SOP_ERF, 10, 1},
        {SOP_FLOOR, -1.5, -2},
        {SOP_CEIL, -1.5, -1},
        {SOP_TRUNC, -1.5, -1},
        {SOP_ROUND, 2.5, 3},
        {SOP_RINT, 2.5, 2},
        {SOP_ROUND, -0.5, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_double_eq_tol(f64_2(cases[i].op, cases[i].x, 0), cases[i].y, 1e-15);
        ck_assert_double_eq_tol(f32_2(cases[i].op, cases[i].x, 0), cases[i].y, 1e-6);
    }
    ck_assert(signbit(f64_2(SOP_SIGN, -0.0, 0)) && isnan(f64_2(SOP_SIGN, NAN, 0)));
    double eps = 0x1p-30;
    uint64_t fma_bits =
        scalar_eval(SOP_FMA, ST_F64, (uint64_t[3]){of_f64(1 + eps), of_f64(1 - eps), of_f64(-1)});
    ck_assert(scalar_as_double(ST_F64, fma_bits) == -eps * eps);
}
END_TEST

START_TEST(float_relations)
{
    double xs[] = {-INFINITY, -1, -0.0, 0.0, 1, INFINITY, NAN};
    for (int i = 0; i < 49; i++) {
        double x = xs[i / 7], y = xs[i % 7];
        for (int f = 0; f < 2; f++) {
            scalar t = f ? ST_F64 : ST_F32;
            uint64_t a = scalar_from_double(t, x), b = scalar_from_double(t, y);
            ck_assert_uint_eq(apply2(SOP_EQ, t, a, b), x == y);
            ck_assert_uint_eq(apply2(SOP_NE, t, a, b), x != y);
            ck_assert_uint_eq(apply2(SOP_LT, t, a, b), x < y);
            ck_assert_uint_eq(apply2(SOP_LE, t, a, b), x <= y);
            ck_assert_uint_eq(apply2(SOP_GT, t, a, b), x > y);
            ck_assert_uint_eq(apply2(SOP_GE, t, a, b), x >= y);
            ck_assert_uint_eq(apply2(SOP_ISNAN, t, a, 0), isnan(x) ? 1u : 0u);
            ck_assert_uint_eq(apply2(SOP_ISINF, t, a, 0), isinf(x) ? 1u : 0u);
        }
    }
}
END_TEST

START_TEST(conversions)
{
    ck_assert_int_eq((int64_t)scalar_convert(ST_I8, ST_I32, 200), -56);
    ck_assert_uint_eq(scalar_convert(ST_U8, ST_I32, (uint64_t)-1), 255);
    ck_assert_uint_eq(scalar_convert(ST_U64, ST_I8, (uint64_t)-1), UINT64_MAX);
    ck_assert_int_eq((int64_t)scalar_convert(ST_I32, ST_U32, UINT32_MAX), -1);
    ck_assert_uint_eq(scalar_convert(ST_BOOL, ST_I32, 256), 1);
    ck_assert_uint_eq(scalar_convert(ST_BOOL, ST_F64, of_f64(NAN)), 1);
    ck_assert_uint_eq(scalar_convert(ST_BOOL, ST_F64, of_f64(-0.0)), 0);
    ck_assert_uint_eq(scalar_convert(ST_F64, ST_BOOL, 1), of_f64(1));
    /* rounds once: through double this would become 2^24 */
    ck_assert_uint_eq(scalar_convert(ST_F32, ST_I64, ((uint64_t)1 << 60) + ((uint64_t)1 << 36) + 1),
                      scalar_from_double(ST_F32, 0x1.000002p60));
    ck_assert(scalar_as_double(ST_F64, scalar_convert(ST_F64, ST_U64, UINT64_MAX)) == 0x1p64);
    ck_assert(
        scalar_as_double(ST_F64, scalar_convert(ST_F64, ST_F32, scalar_from_double(ST_F32, 0.1))) ==
        (double)0.1f);
}
END_TEST

START_TEST(float_to_integer_saturates)
{
    for (int i = 0; i < 8; i++) {
        scalar t = integers[i];
        wide least = is_signed(t) ? -((wide)1 << (bits_in(t) - 1)) : 0;
        wide greatest = ((wide)1 << (bits_in(t) - (is_signed(t) ? 1 : 0))) - 1;
        ck_assert_uint_eq(scalar_from_double(t, NAN), 0);
        ck_assert_uint_eq(scalar_from_double(t, INFINITY), (uint64_t)greatest);
        ck_assert_uint_eq(scalar_from_double(t, -INFINITY), (uint64_t)least);
        ck_assert_uint_eq(scalar_from_double(t, (double)greatest + 1), (uint64_t)greatest);
        ck_assert_uint_eq(scalar_from_double(t, (double)least - 0.5), (uint64_t)least);
        ck_assert_uint_eq(scalar_from_double(t, -0.9), 0);
        ck_assert_uint_eq(scalar_from_double(t, 100.9), 100);
        ck_assert_uint_eq(scalar_from_double(t, -100.9), is_signed(t) ? (uint64_t)-100 : 0);
    }
}
END_TEST

/* ---- text ---- */

static void check_text(scalar t, uint64_t bits, const char *want)
{
    mem m;
    vec_char s = {0};
    mem_init(&m, NULL, NULL);
    ck_assert(scalar_text(&m, t, bits, &s));
    ck_assert_str_eq(text_cstr(&m, &s), want);
    vec_free(&m, &s);
}

START_TEST(literals)
{
    check_text(ST_I32, 42, "42");
    check_text(ST_I32, (uint64_t)-7, "-7");
    check_text(ST_I64, (uint64_t)INT64_MIN, "-9223372036854775808i64");
    check_text(ST_U64, UINT64_MAX, "18446744073709551615u64");
    check_text(ST_U8, 200, "200u8");
    check_text(ST_BOOL, 1, "true");
    check_text(ST_BOOL, 0, "false");
    check_text(ST_F64, of_f64(1.5), "1.5");
    check_text(ST_F64, of_f64(3), "3.0");
    check_text(ST_F64, of_f64(-0.0), "-0.0");
    check_text(ST_F64, of_f64(0.1), "0.1");
    check_text(ST_F64, of_f64(1e300), "1e+300");
    check_text(ST_F64, of_f64(1.0 / 3), "0.3333333333333333");
    check_text(ST_F64, of_f64(INFINITY), "inf");
    check_text(ST_F64, of_f64(-INFINITY), "-inf");
    check_text(ST_F64, of_f64(NAN), "nan");
    check_text(ST_F32, scalar_from_double(ST_F32, 0.1), "0.1f32");
    check_text(ST_F32, scalar_from_double(ST_F32, 16777216), "16777216.0f32");
    check_text(ST_F32, scalar_from_double(ST_F32, INFINITY), "inff32");
}
END_TEST

START_TEST(float_literals_read_back)
{
    uint64_t x = 88172645463325252u;
    mem m;
    mem_init(&m, NULL, NULL);
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        scalar t = i % 2 ? ST_F64 : ST_F32;
        uint64_t bits = t == ST_F32 ? x & UINT32_MAX : x;
        if (isnan(scalar_as_double(t, bits)))
            continue;
        vec_char s = {0};
        assert_often(scalar_text(&m, t, bits, &s), "no text");
        const char *p = text_cstr(&m, &s);
        double back = t == ST_F32 ? (double)strtof(p, NULL) : strtod(p, NULL);
        assert_often(scalar_from_double(t, back) == bits, "%s is not read as %llx", p,
                     (unsigned long long)bits);
        vec_free(&m, &s);
    }
}
END_TEST

Suite *scalar_suite(void);
Suite *scalar_suite(void)
{
    Suite *s = suite_create("scalar");
    TCase *c = tcase_create("scalar");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, overflow_of_8_bits);
    tcase_add_test(c, overflow_of_64_bits);
    tcase_add_test(c, every_pair_of_8_bits);
    tcase_add_test(c, edges_of_every_width);
    tcase_add_test(c, powers);
    tcase_add_test(c, booleans_and_select);
    tcase_add_test(c, float_arithmetic);
    tcase_add_test(c, float_remainders);
    tcase_add_test(c, float_functions);
    tcase_add_test(c, float_relations);
    tcase_add_test(c, conversions);
    tcase_add_test(c, float_to_integer_saturates);
    tcase_add_test(c, literals);
    tcase_add_test(c, float_literals_read_back);
    suite_add_tcase(s, c);
    return s;
}
