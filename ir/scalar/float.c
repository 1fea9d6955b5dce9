/* Scalar operators on f32 and f64, as tables of functions: one row names the f32 and the f64
 * implementation.
 *
 * Nothing here may be contracted to a fused multiply-add; GCC does not when compiling for ISO C
 * (-std=c11). */
#include "ir/scalar/float.h"

#include <math.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

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

double scalar_float_value(scalar t, uint64_t bits)
{
    return t == ST_F32 ? (double)f32_of(bits) : f64_of(bits);
}

uint64_t scalar_float_bits(scalar t, double x)
{
    return t == ST_F32 ? bits_of_f32((float)x) : bits_of_f64(x);
}

/* The operators that the C library does not name, once for each type T with the library's suffix S.
 */
#define FUNCTION(T, name, operands, e)                                                             \
    static T name operands                                                                         \
    {                                                                                              \
        return e;                                                                                  \
    }

#define FLOAT_FUNCTIONS(T, S)                                                                      \
    FUNCTION(T, neg##S##_, (T x), -x)                                                              \
    FUNCTION(T, sign##S##_, (T x), x > 0 ? 1 : x < 0 ? -1 : x)                                     \
    FUNCTION(T, rsqrt##S##_, (T x), 1 / sqrt##S(x))                                                \
    FUNCTION(T, add##S##_, (T x, T y), x + y)                                                      \
    FUNCTION(T, sub##S##_, (T x, T y), x - y)                                                      \
    FUNCTION(T, mul##S##_, (T x, T y), (x * y))                                                    \
    FUNCTION(T, fdiv##S##_, (T x, T y), x / y)                                                     \
    /* r: fmod(x, y), which has the sign of x */                                                   \
    FUNCTION(T, floored##S##_, (T r, T y),                                                         \
             r == 0               ? copysign##S(r, y)                                              \
             : (r < 0) != (y < 0) ? r + y                                                          \
                                  : r)                                                             \
    FUNCTION(T, mod##S##_, (T x, T y), floored##S##_(fmod##S(x, y), y))

FLOAT_FUNCTIONS(float, f)
FLOAT_FUNCTIONS(double, )

typedef struct unary {
    float (*f32)(float);
    double (*f64)(double);
} unary;

typedef struct float_format {
    float (*f32)(float, float);
    double (*f64)(double, double);
} float_format;

#define LIBRARY(op, name) [SOP_##op] = {name##f, name}
#define OWN(op, name)     [SOP_##op] = {name##f_, name##_}

static const unary unaries[SOP_END] = {
    OWN(NEG, neg),         OWN(SIGN, sign),       OWN(RSQRT, rsqrt),     LIBRARY(ABS, fabs),
    LIBRARY(SQRT, sqrt),   LIBRARY(CBRT, cbrt),   LIBRARY(EXP, exp),     LIBRARY(EXP2, exp2),
    LIBRARY(EXPM1, expm1), LIBRARY(LOG, log),     LIBRARY(LOG2, log2),   LIBRARY(LOG10, log10),
    LIBRARY(LOG1P, log1p), LIBRARY(SIN, sin),     LIBRARY(COS, cos),     LIBRARY(TAN, tan),
    LIBRARY(ASIN, asin),   LIBRARY(ACOS, acos),   LIBRARY(ATAN, atan),   LIBRARY(SINH, sinh),
    LIBRARY(COSH, cosh),   LIBRARY(TANH, tanh),   LIBRARY(ASINH, asinh), LIBRARY(ACOSH, acosh),
    LIBRARY(ATANH, atanh), LIBRARY(ERF, erf),     LIBRARY(FLOOR, floor), LIBRARY(CEIL, ceil),
    LIBRARY(TRUNC, trunc), LIBRARY(ROUND, round), LIBRARY(RINT, rint),
};

static const float_format binaries[SOP_END] = {
    OWN(ADD, add),     OWN(SUB, sub),         OWN(MUL, mul),         OWN(FDIV, fdiv),
    OWN(MOD, mod),     LIBRARY(REM, fmod),    LIBRARY(MIN, fmin),    LIBRARY(MAX, fmax),
    LIBRARY(POW, pow), LIBRARY(ATAN2, atan2), LIBRARY(HYPOT, hypot), LIBRARY(COPYSIGN, copysign),
};

static uint64_t f32_eval(opcode op, float x, float y, float z)
{
    if (op == SOP_FMA)
        return bits_of_f32(fmaf(x, y, z));
    if (unaries[op].f32)
        return bits_of_f32(unaries[op].f32(x));
    return binaries[op].f32 ? bits_of_f32(binaries[op].f32(x, y)) : 0;
}

static uint64_t f64_eval(opcode op, double x, double y, double z)
{
    if (op == SOP_FMA)
        return bits_of_f64(fma(x, y, z));
    if (unaries[op].f64)
        return bits_of_f64(unaries[op].f64(x));
    return binaries[op].f64 ? bits_of_f64(binaries[op].f64(x, y)) : 0;
}

/* double holds every float, so relations need only one form. */
static uint64_t float_relation(opcode op, double x, double y)
{
    switch ((int)op) {
    case SOP_EQ: return x == y;
    case SOP_NE: return x != y;
    case SOP_LT: return x < y;
    case SOP_LE: return x <= y;
    case SOP_GT: return x > y;
    case SOP_GE: return x >= y;
    case SOP_ISNAN: return isnan(x) ? 1u : 0u;
    default: return isinf(x) ? 1u : 0u;
    }
}

uint64_t scalar_float_eval(opcode op, scalar t, uint64_t x, uint64_t y, uint64_t z)
{
    if (op >= SOP_END)
        return 0;
    if (ir_op_info(op)->result_bool)
        return float_relation(op, scalar_float_value(t, x), scalar_float_value(t, y));
    return t == ST_F32 ? f32_eval(op, f32_of(x), f32_of(y), f32_of(z))
                       : f64_eval(op, f64_of(x), f64_of(y), f64_of(z));
}
