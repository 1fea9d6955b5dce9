/* Scalar operators on floats: see scalar/float.h.  For each operator float_ENUM and double_ENUM, or
 * relation_ENUM when it gives a bool.
 *
 * Nothing here may be contracted to a fused multiply-add; GCC does not when compiling for ISO C
 * (-std=c11). */
#include "ir/scalar/float.h"

#include <math.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* ---- bits ---- */

static float f32_of(uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static uint64_t bits_of_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static double f64_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

/* ---- formats narrower than float, by what types.def says of them ---- */

/* A format has precision - 1 bits of fraction under the exponent; what is below 2^least is a
 * multiple of 2^quantum. */
typedef struct float_layout {
    int fraction, exponents, least, quantum;
    uint64_t infinity;
} float_layout;

/* IEEE 754's interchange formats follow from their width and precision alone: the bias is half the
 * range of the exponent. */
static float_layout layout_of(scalar t)
{
    int fraction = ir_scalar_info(t)->precision - 1,
        exponents = (int)ir_scalar_bytes(t) * 8 - 1 - fraction, least = 2 - (1 << (exponents - 1));
    return (float_layout){.fraction = fraction,
                          .exponents = exponents,
                          .least = least,
                          .quantum = least - fraction,
                          .infinity = (((uint64_t)1 << exponents) - 1) << fraction};
}

/* Quiet and positive, with an empty payload: all NaNs are written as this one. */
uint64_t scalar_nan(scalar t)
{
    float_layout f = layout_of(t);
    return f.infinity | (uint64_t)1 << (f.fraction - 1);
}

/* Exact, since double has more exponents and digits than any narrower format. */
static double narrow_value(scalar t, uint64_t bits)
{
    float_layout f = layout_of(t);
    uint64_t sign = bits >> (f.fraction + f.exponents) & 1,
             low = bits & (((uint64_t)1 << (f.fraction + f.exponents)) - 1);
    int exponent = (int)(low >> f.fraction);
    uint64_t digits = low & (((uint64_t)1 << f.fraction) - 1);
    double x = low > f.infinity    ? (double)NAN
               : low == f.infinity ? (double)INFINITY
               : exponent == 0     ? ldexp((double)digits, f.quantum)
                                   : ldexp((double)(digits + ((uint64_t)1 << f.fraction)),
                                           f.quantum + exponent - 1);
    return sign ? -x : x;
}

/* The number as a multiple of the quantum of its binade, rounded halves to even; the digit that
 * carries over goes into the exponent by itself, from below the normal numbers too. */
static uint64_t narrow_bits(scalar t, double x)
{
    float_layout f = layout_of(t);
    uint64_t sign = (uint64_t)(signbit(x) != 0) << (f.fraction + f.exponents);
    int exponent;
    if (isnan(x))
        return scalar_nan(t);
    if (isinf(x))
        return sign | f.infinity;
    frexp(x, &exponent);
    int quantum = exponent - 1 > f.least ? exponent - 1 - f.fraction : f.quantum;
    if (x == 0 || exponent - 1 > 1 - f.least)
        return sign | (x == 0 ? 0 : f.infinity);
    uint64_t bits =
        ((uint64_t)(quantum - f.quantum) << f.fraction) + (uint64_t)rint(ldexp(fabs(x), -quantum));
    return sign | (bits < f.infinity ? bits : f.infinity);
}

/* ---- values and bits ---- */

double scalar_float_value(scalar t, uint64_t bits)
{
    switch (ir_scalar_bytes(t)) {
    case 8: return f64_of(bits);
    case 4: return (double)f32_of(bits);
    default: return narrow_value(t, bits);
    }
}

uint64_t scalar_float_bits(scalar t, double x)
{
    switch (ir_scalar_bytes(t)) {
    case 8: return bits_of_f64(x);
    case 4: return bits_of_f32((float)x);
    default: return narrow_bits(t, x);
    }
}

/* Straight from the integer: going through double would round twice.  What double cannot hold is
 * beyond every narrower format. */
uint64_t scalar_float_from_int(scalar t, uint64_t bits, bool is_signed)
{
    if (ir_scalar_bytes(t) == 4)
        return bits_of_f32(is_signed ? (float)(int64_t)bits : (float)bits);
    return scalar_float_bits(t, is_signed ? (double)(int64_t)bits : (double)bits);
}

/* ---- one for each operator ---- */

typedef float float_function(float x, float y, float z);
typedef double double_function(double x, double y, double z);
typedef bool relation_function(double x, double y);

#define BODY(T, name, result)                                                                      \
    static T name(T x, T y, T z)                                                                   \
    {                                                                                              \
        (void)y, (void)z;                                                                          \
        return result;                                                                             \
    }
/* From expressions for the two types, from one expression for both, from the C library. */
#define TWO(e, of_float, of_double)                                                                \
    BODY(float, float_##e, of_float) BODY(double, double_##e, of_double)
#define ONE(e, of_both)   TWO(e, of_both, of_both)
#define LIBRARY1(e, name) TWO(e, name##f(x), name(x))
#define LIBRARY2(e, name) TWO(e, name##f(x, y), name(x, y))

/* r: fmod(x, y), which has the sign of x */
#define FLOORED(r, y, copysign) (r) == 0 ? copysign(r, y) : ((r) < 0) != ((y) < 0) ? (r) + (y) : (r)

ONE(ADD, x + y)
ONE(SUB, x - y)
ONE(MUL, (x * y))
ONE(FDIV, x / y)
ONE(DIVIDE, x / y)
ONE(NEG, -x)
ONE(SIGN, x > 0 ? 1 : x < 0 ? -1 : x)
TWO(MOD, FLOORED(fmodf(x, y), y, copysignf), FLOORED(fmod(x, y), y, copysign))
TWO(RSQRT, 1 / sqrtf(x), 1 / sqrt(x))
TWO(FMA, fmaf(x, y, z), fma(x, y, z))
LIBRARY1(ABS, fabs)
LIBRARY1(SQRT, sqrt)
LIBRARY1(CBRT, cbrt)
LIBRARY1(EXP, exp)
LIBRARY1(EXP2, exp2)
LIBRARY1(EXPM1, expm1)
LIBRARY1(LOG, log)
LIBRARY1(LOG2, log2)
LIBRARY1(LOG10, log10)
LIBRARY1(LOG1P, log1p)
LIBRARY1(SIN, sin)
LIBRARY1(COS, cos)
LIBRARY1(TAN, tan)
LIBRARY1(ASIN, asin)
LIBRARY1(ACOS, acos)
LIBRARY1(ATAN, atan)
LIBRARY1(SINH, sinh)
LIBRARY1(COSH, cosh)
LIBRARY1(TANH, tanh)
LIBRARY1(ASINH, asinh)
LIBRARY1(ACOSH, acosh)
LIBRARY1(ATANH, atanh)
LIBRARY1(ERF, erf)
LIBRARY1(FLOOR, floor)
LIBRARY1(CEIL, ceil)
LIBRARY1(TRUNC, trunc)
LIBRARY1(ROUND, round)
LIBRARY1(RINT, rint)
LIBRARY2(REM, fmod)
LIBRARY2(MIN, fmin)
LIBRARY2(MAX, fmax)
LIBRARY2(POW, pow)
LIBRARY2(ATAN2, atan2)
LIBRARY2(HYPOT, hypot)
LIBRARY2(COPYSIGN, copysign)

/* double holds every narrower float, so relations need only one form. */
#define RELATION(e, truth)                                                                         \
    static bool relation_##e(double x, double y)                                                   \
    {                                                                                              \
        (void)y;                                                                                   \
        return truth;                                                                              \
    }

RELATION(EQ, x == y)
RELATION(NE, x != y)
RELATION(LT, x < y)
RELATION(LE, x <= y)
RELATION(GT, x > y)
RELATION(GE, x >= y)
RELATION(ISNAN, isnan(x) != 0)
RELATION(ISINF, isinf(x) != 0)

/* ---- the table: who must have one, by class of operands and result ---- */

typedef struct evaluation {
    float_function *in_float;
    double_function *in_double;
    relation_function *relation;
} evaluation;

#define SAME_VALUE(e)                                                                              \
    {                                                                                              \
        float_##e, double_##e, NULL                                                                \
    }
#define BOOL_VALUE(e)                                                                              \
    {                                                                                              \
        NULL, NULL, relation_##e                                                                   \
    }
#define SAME_NONE(e)                                                                               \
    {                                                                                              \
        NULL, NULL, NULL                                                                           \
    }
#define BOOL_NONE(e)                                                                               \
    {                                                                                              \
        NULL, NULL, NULL                                                                           \
    }
#define OF_ANY(result)  result##_VALUE
#define OF_ORD(result)  result##_VALUE
#define OF_NUM(result)  result##_VALUE
#define OF_FLT(result)  result##_VALUE
#define OF_INT(result)  result##_NONE
#define OF_BIT(result)  result##_NONE
#define OF_BOOL(result) result##_NONE
#define OF_SEL(result)  result##_NONE /* choose_ENUM in scalar.c */

static const evaluation evaluations[SOP_END] = {
#define SCALAROP(e, wire, name, arity, operands, result, ...) [SOP_##e] = OF_##operands(result)(e),
#include "ir/scalars.def"
#undef SCALAROP
};

/* float for 4 bytes, double for the rest; a narrower format is rounded from double's result
 * (float.h). */
uint64_t scalar_float_eval(opcode op, scalar t, uint64_t x, uint64_t y, uint64_t z)
{
    evaluation e = op < SOP_END ? evaluations[op] : (evaluation){0};
    if (e.relation)
        return e.relation(scalar_float_value(t, x), scalar_float_value(t, y));
    if (!e.in_float)
        return 0;
    if (ir_scalar_bytes(t) == 4)
        return bits_of_f32(e.in_float(f32_of(x), f32_of(y), f32_of(z)));
    return scalar_float_bits(t, e.in_double(scalar_float_value(t, x), scalar_float_value(t, y),
                                            scalar_float_value(t, z)));
}
