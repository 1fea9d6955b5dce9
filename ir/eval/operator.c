/* Scalar operators on columns: what ir/scalar does to one pattern, done to each lane.
 *
 * The operators and types that array programs use most have a loop each; all others go through
 * scalar_eval, lane by lane, with the same results.  A loop goes in strips of a constant length,
 * which compilers turn into instructions on vectors; the lanes behind the last one compute as
 * well, with zeros or what came of them, so nothing in these loops may trap. */
#include "ir/eval/lanes.h"
#include "ir/host.h"
#include "ir/scalar/scalar.h"

#include <math.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* ---- columns ---- */

uint64_t eval_lane(scalar t, const void *column, uint32_t i)
{
    switch (t) {
    case ST_I32: return (uint64_t)(int64_t)((const int32_t *)column)[i];
    case ST_BOOL: return ((const uint8_t *)column)[i];
    case ST_F64: return ((const uint64_t *)column)[i];
    default: return host_get(&(host_array){.type = t, .data = (void *)(uintptr_t)column}, i);
    }
}

void eval_lane_put(scalar t, void *column, uint32_t i, uint64_t bits)
{
    if (t == ST_I32)
        ((int32_t *)column)[i] = (int32_t)(uint32_t)bits;
    else
        host_set(&(host_array){.type = t, .data = column}, i, bits);
}

/* The pattern of an element in memory is its low bytes. */
#define BY_BYTES(t, WORK)                                                                          \
    switch (ir_scalar_bytes(t)) {                                                                  \
    case 1: WORK(uint8_t) break;                                                                   \
    case 2: WORK(uint16_t) break;                                                                  \
    case 4: WORK(uint32_t) break;                                                                  \
    default: WORK(uint64_t) break;                                                                 \
    }

void eval_lanes_fill(scalar t, void *column, uint64_t bits, uint32_t n)
{
#define FILL(T)                                                                                    \
    for (uint32_t i = 0; i < n; i += STRIP)                                                        \
        for (uint32_t k = 0; k < STRIP; k++)                                                       \
            ((T *)column)[i + k] = (T)bits;
    BY_BYTES(t, FILL)
}

void eval_lanes_gather(scalar t, void *out, const void *from, const uint32_t *at, uint32_t n)
{
#define GATHER(T)                                                                                  \
    for (uint32_t i = 0; i < n; i++)                                                               \
        ((T *)out)[i] = ((const T *)from)[at[i]];
    BY_BYTES(t, GATHER)
}

void eval_lanes_scatter(scalar t, void *out, const void *from, const uint32_t *at, uint32_t n)
{
#define SCATTER(T)                                                                                 \
    for (uint32_t i = 0; i < n; i++)                                                               \
        ((T *)out)[at[i]] = ((const T *)from)[i];
    BY_BYTES(t, SCATTER)
}

/* ---- indices ---- */

bool eval_lanes_below(const void *column, uint64_t extent, uint32_t n)
{
    const int32_t *x = column;
    const int32_t most = extent < INT32_MAX ? (int32_t)extent : INT32_MAX;
    int32_t outside = 0;
    for (uint32_t i = 0; i < n; i++)
        outside |= (x[i] < 0) | (x[i] >= most);
    return !outside;
}

void eval_lanes_position(uint32_t *sum, uint32_t extent, const lanes *at, uint32_t n)
{
    const uint32_t *x = at->column, same = (uint32_t)at->one.bits;
    for (uint32_t i = 0; i < n; i++)
        sum[i] = (extent ? sum[i] * extent : 0) + (x ? x[i] : same);
}

/* ---- loops ---- */

typedef void lane_loop(void *to, const void *xs, const void *ys, uint32_t n);

/* name: of two columns; name_by: of a column and what ys points to. */
#define LOOPS(name, T, R, e)                                                                       \
    static void name(void *to, const void *xs, const void *ys, uint32_t n)                         \
    {                                                                                              \
        R *restrict out = to;                                                                      \
        const T *restrict a = xs, *restrict b = ys;                                                \
        for (uint32_t i = 0; i < n; i += STRIP, out += STRIP, a += STRIP, b += STRIP)              \
            for (uint32_t k = 0; k < STRIP; k++) {                                                 \
                T x = a[k], y = b[k];                                                              \
                (void)y;                                                                           \
                out[k] = (R)(e);                                                                   \
            }                                                                                      \
    }                                                                                              \
    static void name##_by(void *to, const void *xs, const void *ys, uint32_t n)                    \
    {                                                                                              \
        R *restrict out = to;                                                                      \
        const T *restrict a = xs;                                                                  \
        const T y = *(const T *)ys;                                                                \
        (void)y;                                                                                   \
        for (uint32_t i = 0; i < n; i += STRIP, out += STRIP, a += STRIP)                          \
            for (uint32_t k = 0; k < STRIP; k++) {                                                 \
                T x = a[k];                                                                        \
                out[k] = (R)(e);                                                                   \
            }                                                                                      \
    }

#define U(x) ((uint32_t)(x))

/* OP(ENUM, type of the result, expression) over x and y. */
#define I32_OPERATORS(OP)                                                                          \
    OP(ADD, int32_t, U(x) + U(y))                                                                  \
    OP(SUB, int32_t, U(x) - U(y))                                                                  \
    OP(MUL, int32_t, U(x) * U(y))                                                                  \
    OP(NEG, int32_t, 0u - U(x))                                                                    \
    OP(ABS, int32_t, x < 0 ? 0u - U(x) : U(x))                                                     \
    OP(SIGN, int32_t, (x > 0) - (x < 0))                                                           \
    OP(MIN, int32_t, x < y ? x : y)                                                                \
    OP(MAX, int32_t, x > y ? x : y)                                                                \
    OP(AND, int32_t, x &y)                                                                         \
    OP(OR, int32_t, x | y)                                                                         \
    OP(XOR, int32_t, x ^ y)                                                                        \
    OP(NOT, int32_t, ~x)                                                                           \
    OP(SHL, int32_t, U(x) << (y & 31))                                                             \
    OP(LSHR, int32_t, U(x) >> (y & 31))                                                            \
    OP(EQ, uint8_t, x == y)                                                                        \
    OP(NE, uint8_t, x != y)                                                                        \
    OP(LT, uint8_t, x < y)                                                                         \
    OP(LE, uint8_t, x <= y)                                                                        \
    OP(GT, uint8_t, x > y)                                                                         \
    OP(GE, uint8_t, x >= y)

#define F64_OPERATORS(OP)                                                                          \
    OP(ADD, double, x + y)                                                                         \
    OP(SUB, double, x - y)                                                                         \
    OP(MUL, double, x *y)                                                                          \
    OP(FDIV, double, x / y)                                                                        \
    OP(DIVIDE, double, x / y)                                                                      \
    OP(NEG, double, -x)                                                                            \
    OP(ABS, double, fabs(x))                                                                       \
    OP(SQRT, double, sqrt(x))                                                                      \
    OP(POW, double, pow(x, y))                                                                     \
    OP(EQ, uint8_t, x == y)                                                                        \
    OP(NE, uint8_t, x != y)                                                                        \
    OP(LT, uint8_t, x < y)                                                                         \
    OP(LE, uint8_t, x <= y)                                                                        \
    OP(GT, uint8_t, x > y)                                                                         \
    OP(GE, uint8_t, x >= y)

#define F32_OPERATORS(OP)                                                                          \
    OP(ADD, float, x + y)                                                                          \
    OP(SUB, float, x - y)                                                                          \
    OP(MUL, float, x *y)                                                                           \
    OP(FDIV, float, x / y)                                                                         \
    OP(DIVIDE, float, x / y)                                                                       \
    OP(NEG, float, -x)                                                                             \
    OP(LT, uint8_t, x < y)                                                                         \
    OP(LE, uint8_t, x <= y)                                                                        \
    OP(GT, uint8_t, x > y)                                                                         \
    OP(GE, uint8_t, x >= y)

#define BOOL_OPERATORS(OP)                                                                         \
    OP(AND, uint8_t, x &y)                                                                         \
    OP(OR, uint8_t, x | y)                                                                         \
    OP(XOR, uint8_t, x ^ y)                                                                        \
    OP(NOT, uint8_t, x ^ 1)                                                                        \
    OP(EQ, uint8_t, x == y)                                                                        \
    OP(NE, uint8_t, x != y)

#define I32_LOOPS(e, R, body)  LOOPS(i32_##e, int32_t, R, body)
#define F64_LOOPS(e, R, body)  LOOPS(f64_##e, double, R, body)
#define F32_LOOPS(e, R, body)  LOOPS(f32_##e, float, R, body)
#define BOOL_LOOPS(e, R, body) LOOPS(bool_##e, uint8_t, R, body)
I32_OPERATORS(I32_LOOPS)
F64_OPERATORS(F64_LOOPS)
F32_OPERATORS(F32_LOOPS)
BOOL_OPERATORS(BOOL_LOOPS)

typedef struct loops {
    lane_loop *of_columns, *by_one;
} loops;

#define I32_ROW(e, R, body)  [SOP_##e] = {i32_##e, i32_##e##_by},
#define F64_ROW(e, R, body)  [SOP_##e] = {f64_##e, f64_##e##_by},
#define F32_ROW(e, R, body)  [SOP_##e] = {f32_##e, f32_##e##_by},
#define BOOL_ROW(e, R, body) [SOP_##e] = {bool_##e, bool_##e##_by},
static const loops i32_loops[SOP_END] = {I32_OPERATORS(I32_ROW)};
static const loops f64_loops[SOP_END] = {F64_OPERATORS(F64_ROW)};
static const loops f32_loops[SOP_END] = {F32_OPERATORS(F32_ROW)};
static const loops bool_loops[SOP_END] = {BOOL_OPERATORS(BOOL_ROW)};

static loops loops_of(opcode op, scalar t)
{
    switch (t) {
    case ST_I32: return i32_loops[op];
    case ST_F64: return f64_loops[op];
    case ST_F32: return f32_loops[op];
    case ST_BOOL: return bool_loops[op];
    default: return (loops){0};
    }
}

/* ---- division ---- */

/* Without a sign in any of the n lanes. */
static bool none_negative(const int32_t *x, uint32_t n)
{
    int32_t signs = 0;
    for (uint32_t i = 0; i < n; i++)
        signs |= x[i];
    return signs >= 0;
}

/* x / y for 0 <= x and 0 < y, by a product with 1 / y: (x + 1/2) / y is at least 1 / (2 y) away
 * from any integer, which is more than the two roundings can move a number below 2^31 that has 53
 * digits. */
static void quotients(int32_t *restrict out, const int32_t *restrict x, int32_t y, uint32_t n)
{
    const double part = 1.0 / y;
    for (uint32_t i = 0; i < n; i += STRIP)
        for (uint32_t k = 0; k < STRIP; k++)
            out[i + k] = (int32_t)((x[i + k] + 0.5) * part);
}

static void remainders(int32_t *restrict out, const int32_t *restrict x, int32_t y, uint32_t n)
{
    const double part = 1.0 / y;
    for (uint32_t i = 0; i < n; i += STRIP)
        for (uint32_t k = 0; k < STRIP; k++)
            out[i + k] = x[i + k] - (int32_t)((x[i + k] + 0.5) * part) * y;
}

/* Of i32 by one divisor, where nothing is negative; false else. */
static bool divided(opcode op, const lanes args[3], void *out, uint32_t n)
{
    int32_t y = (int32_t)(uint32_t)args[1].one.bits;
    if ((op != SOP_DIV && op != SOP_MOD && op != SOP_QUOT && op != SOP_REM) || args[1].column ||
        y <= 0 || !none_negative(args[0].column, n))
        return false;
    if (op == SOP_DIV || op == SOP_QUOT)
        quotients(out, args[0].column, y, n);
    else
        remainders(out, args[0].column, y, n);
    return true;
}

/* ---- any operator ---- */

static void select_lanes(scalar t, const lanes args[3], void *out, uint32_t n)
{
    const uint8_t *c = args[0].column;
#define SELECT(T)                                                                                  \
    {                                                                                              \
        const T *x = args[1].column, *y = args[2].column, a = (T)args[1].one.bits,                 \
                b = (T)args[2].one.bits;                                                           \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            T p = x ? x[i] : a, q = y ? y[i] : b;                                                  \
            ((T *)out)[i] = c[i] ? p : q;                                                          \
        }                                                                                          \
    }
    BY_BYTES(t, SELECT)
}

static uint64_t arg_in(const lanes *x, uint32_t i)
{
    return x->column ? eval_lane((scalar)x->one.type, x->column, i) : x->one.bits;
}

static void one_by_one(opcode op, scalar t, const lanes args[3], void *out, uint32_t n)
{
    scalar result = ir_op_info(op)->result_bool ? ST_BOOL : t;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x[3] = {arg_in(&args[0], i), arg_in(&args[1], i), arg_in(&args[2], i)};
        eval_lane_put(result, out, i, scalar_eval(op, t, x));
    }
}

/* With a column on the left, and on the right a column or one value. */
static bool in_a_loop(opcode op, scalar t, const lanes args[3], void *out, uint32_t n)
{
    loops l = loops_of(op, t);
    uint64_t y[1] = {0};
    if (!l.of_columns || !args[0].column)
        return false;
    if (args[1].column) {
        l.of_columns(out, args[0].column, args[1].column, n);
        return true;
    }
    eval_lane_put(t, y, 0, args[1].one.bits);
    l.by_one(out, args[0].column, y, n);
    return true;
}

/* What says the same with the operands in the other order; the operator itself where it may be
 * turned round; SOP_END else. */
static uint32_t turned(opcode op)
{
    switch ((uint32_t)op) {
    case SOP_ADD:
    case SOP_MUL:
    case SOP_AND:
    case SOP_OR:
    case SOP_XOR:
    case SOP_EQ:
    case SOP_NE: return op;
    case SOP_LT: return SOP_GT;
    case SOP_LE: return SOP_GE;
    case SOP_GT: return SOP_LT;
    case SOP_GE: return SOP_LE;
    default: return SOP_END;
    }
}

static bool in_a_loop_turned(opcode op, scalar t, const lanes args[3], void *out, uint32_t n)
{
    uint32_t other = turned(op);
    lanes swapped[3] = {args[1], args[0], args[2]};
    return other != SOP_END && !args[0].column && in_a_loop((opcode)other, t, swapped, out, n);
}

/* One value on the left of an operator that is not turned: made a column. */
static bool in_a_loop_filled(opcode op, scalar t, const lanes args[3], void *out, uint32_t n)
{
    uint64_t left[LANES];
    lanes filled[3] = {args[0], args[1], args[2]};
    if (args[0].column || !loops_of(op, t).of_columns)
        return false;
    eval_lanes_fill(t, left, args[0].one.bits, n);
    filled[0].column = left;
    return in_a_loop(op, t, filled, out, n);
}

void eval_lanes_scalar(opcode op, scalar t, const lanes args[3], void *out, uint32_t n)
{
    if (op == SOP_SELECT && args[0].column)
        select_lanes(t, args, out, n);
    else if (!(t == ST_I32 && args[0].column && divided(op, args, out, n)) &&
             !in_a_loop(op, t, args, out, n) && !in_a_loop_turned(op, t, args, out, n) &&
             !in_a_loop_filled(op, t, args, out, n))
        one_by_one(op, t, args, out, n);
}

/* ---- conversions ---- */

#define CONVERTS(name, T, R)                                                                       \
    static void name(void *to, const void *from, uint32_t n)                                       \
    {                                                                                              \
        R *restrict out = to;                                                                      \
        const T *restrict x = from;                                                                \
        for (uint32_t i = 0; i < n; i += STRIP, out += STRIP, x += STRIP)                          \
            for (uint32_t k = 0; k < STRIP; k++)                                                   \
                out[k] = (R)x[k];                                                                  \
    }
CONVERTS(i32_of_bool, uint8_t, int32_t)
CONVERTS(f64_of_bool, uint8_t, double)
CONVERTS(f64_of_i32, int32_t, double)

void eval_lanes_convert(scalar to, scalar from, const void *column, void *out, uint32_t n)
{
    if (from == ST_BOOL && to == ST_I32)
        i32_of_bool(out, column, n);
    else if (from == ST_BOOL && to == ST_F64)
        f64_of_bool(out, column, n);
    else if (from == ST_I32 && to == ST_F64)
        f64_of_i32(out, column, n);
    else
        for (uint32_t i = 0; i < n; i++)
            eval_lane_put(to, out, i, scalar_convert(to, from, eval_lane(from, column, i)));
}

/* ---- folding ---- */

static int32_t fold_i32(opcode op, int32_t acc, const int32_t *x, uint32_t n)
{
    uint32_t sum = U(acc);
    switch ((uint32_t)op) {
    case SOP_ADD:
        for (uint32_t i = 0; i < n; i++)
            sum += U(x[i]);
        return (int32_t)sum;
    case SOP_XOR:
        for (uint32_t i = 0; i < n; i++)
            acc ^= x[i];
        return acc;
    case SOP_MIN:
        for (uint32_t i = 0; i < n; i++)
            acc = acc < x[i] ? acc : x[i];
        return acc;
    case SOP_MAX:
        for (uint32_t i = 0; i < n; i++)
            acc = acc > x[i] ? acc : x[i];
        return acc;
    default:
        for (uint32_t i = 0; i < n; i++)
            sum *= U(x[i]);
        return (int32_t)sum;
    }
}

static bool has_i32_fold(opcode op)
{
    return op == SOP_ADD || op == SOP_MUL || op == SOP_XOR || op == SOP_MIN || op == SOP_MAX;
}

static double fold_f64(double sum, const double *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

uint64_t eval_lanes_fold(opcode op, scalar t, uint64_t acc, const void *column, uint32_t n)
{
    if (t == ST_I32 && has_i32_fold(op))
        return (uint64_t)(int64_t)fold_i32(op, (int32_t)(uint32_t)acc, column, n);
    if (t == ST_F64 && op == SOP_ADD) {
        double sum;
        memcpy(&sum, &acc, sizeof sum);
        sum = fold_f64(sum, column, n);
        memcpy(&acc, &sum, sizeof sum);
        return acc;
    }
    for (uint32_t i = 0; i < n; i++)
        acc = scalar_eval(op, t, (uint64_t[3]){acc, eval_lane(t, column, i), 0});
    return acc;
}
