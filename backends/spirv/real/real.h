/* Functions of floats, written with the operations that every device has: what the files of this
 * folder share.
 *
 * A function is a body in straight lines, the same for f32 and f64: constants and polynomials go by
 * the type.  It counts on sums, differences and products that are rounded to nearest and not fused,
 * which the emitter marks; where division and roots are rounded too, the errors are those that
 * docs/language.md states.  Where one float is too short for a value it is a pair, the second far
 * below the first. */
#ifndef FCL_BACKENDS_SPIRV_REAL_H
#define FCL_BACKENDS_SPIRV_REAL_H

#include "backends/spirv/emit.h"

typedef struct sr_function {
    sp_emitter *e;
    scalar type, whole,
        bits;      /* f32 or f64, and the integers of its width with and without a sign */
    sp_id x, y, z; /* its operands */
} sr_function;

typedef struct sr_pair {
    sp_id hi, lo;
} sr_pair;

/* ---- operations ---- */

static inline bool sr_is_double(const sr_function *f)
{
    return f->type == ST_F64;
}
/* Of the significand. */
uint32_t sr_precision(const sr_function *f);
sp_id sr_number(const sr_function *f, double x);
/* A constant that is another one for each type. */
sp_id sr_either(const sr_function *f, double of_double, double of_single);
/* Any operator of the program's, on a type. */
sp_id sr_on(const sr_function *f, scalar type, opcode op, sp_id a, sp_id b);
sp_id sr_add(const sr_function *f, sp_id a, sp_id b);
sp_id sr_sub(const sr_function *f, sp_id a, sp_id b);
sp_id sr_mul(const sr_function *f, sp_id a, sp_id b);
sp_id sr_div(const sr_function *f, sp_id a, sp_id b);
sp_id sr_1(const sr_function *f, opcode op, sp_id a);
sp_id sr_less(const sr_function *f, sp_id a, sp_id b); /* false where one is NaN */
sp_id sr_equal(const sr_function *f, sp_id a, sp_id b);
sp_id sr_both(const sr_function *f, sp_id a, sp_id b);
sp_id sr_any(const sr_function *f, sp_id a, sp_id b);
sp_id sr_choose(const sr_function *f, sp_id test, sp_id yes, sp_id no);
sp_id sr_with_sign(const sr_function *f, sp_id a, sp_id of);
/* Between least and most; NaN stays. */
sp_id sr_clamp(const sr_function *f, sp_id x, sp_id least, sp_id most);

/* ---- as integers ---- */

sp_id sr_bits(const sr_function *f, sp_id x);      /* in f->whole */
sp_id sr_from_bits(const sr_function *f, sp_id i); /* from f->whole */
sp_id sr_integer(const sr_function *f, int64_t i);
sp_id sr_op(const sr_function *f, opcode op, sp_id a, sp_id b); /* on f->whole */
sp_id sr_pick(const sr_function *f, sp_id test, sp_id yes, sp_id no);
sp_id sr_to_whole(const sr_function *f, sp_id x);
sp_id sr_from_whole(const sr_function *f, sp_id i);
/* x 2^n, rounded once, also where it is subnormal; |n| below twice the greatest exponent. */
sp_id sr_scale(const sr_function *f, sp_id x, sp_id n);
/* 2^n of what has a normal power. */
sp_id sr_power_of_two(const sr_function *f, sp_id n);

/* ---- pairs ---- */

/* Exact: |a| >= |b| or a = 0 in the quick one. */
sr_pair sr_two_sum(const sr_function *f, sp_id a, sp_id b);
sr_pair sr_quick_sum(const sr_function *f, sp_id a, sp_id b);
/* Exact where nothing overflows or is subnormal. */
sr_pair sr_two_product(const sr_function *f, sp_id a, sp_id b);
sr_pair sr_times(const sr_function *f, sr_pair a, sr_pair b);

/* ---- polynomials.def ---- */

typedef enum sr_polynomial {
#define POLYNOMIAL(name, full, single) SR_##name,
#include "backends/spirv/real/polynomials.def"
#undef POLYNOMIAL
    SR_POLYNOMIALS
} sr_polynomial;

sp_id sr_polynomial_of(const sr_function *f, sr_polynomial which, sp_id x);

/* ---- parts that several functions have: exponential.c, logarithm.c, angle.c ---- */

/* e^(x + more), more far below x. */
sp_id sr_exponential(const sr_function *f, sp_id x, sp_id more);
/* x = 2^e (1 + f) of a positive normal x, with 1 + f between the roots of 1/2 and 2. */
typedef struct sr_split {
    sp_id e, f; /* both as floats */
} sr_split;
sr_split sr_split_of(const sr_function *f, sp_id x);
/* x as what r is where x is not a positive number: what logarithms have of it. */
sp_id sr_log_edges(const sr_function *f, sp_id x, sp_id r);
/* log(1 + x). */
sp_id sr_log_of_more(const sr_function *f, sp_id x);
/* The angle of the point (x, y). */
sp_id sr_angle(const sr_function *f, sp_id y, sp_id x);
/* x less the nearest multiple of pi / 2, and the number of that modulo 4. */
typedef struct sr_rest {
    sr_pair at;
    sp_id quadrant; /* of f->whole */
} sr_rest;
sr_rest sr_reduce(const sr_function *f, sp_id x);

/* The body of an operator as a function of the module. */
typedef sp_id sr_body(const sr_function *f);
sr_body *sr_body_of(opcode op);
sr_body sr_exp, sr_exp2, sr_expm1, sr_sinh, sr_cosh, sr_tanh;
sr_body sr_log, sr_log2, sr_log10, sr_log1p, sr_asinh, sr_acosh, sr_atanh;
sr_body sr_sin, sr_cos, sr_tan, sr_asin, sr_acos, sr_atan, sr_atan2;
sr_body sr_pow, sr_cbrt, sr_hypot, sr_erf, sr_rem, sr_fma;

#endif
