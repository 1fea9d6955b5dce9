/* Logarithms and inverse hyperbolic functions: x = 2^e (1 + f), and log(1 + f) = f - s (f - R),
 * with s = f / (2 + f) and R a polynomial of s^2. */
#include "backends/spirv/real/real.h"

#include <math.h>

/* ---- what x is made of ---- */

/* The bits less those of sqrt(1/2) have the exponent in front, and the rest of the significand. */
sr_split sr_split_of(const sr_function *f, sp_id x)
{
    bool wide = sr_is_double(f);
    int64_t root = wide ? 0x3fe6a09e00000000 : 0x3f3504f3;
    int64_t mask = wide ? 0xfffffffffffff : 0x7fffff;
    sp_id from = sr_op(f, SOP_SUB, sr_bits(f, x), sr_integer(f, root));
    sp_id e = sr_op(f, SOP_SHR, from, sr_integer(f, sr_precision(f) - 1));
    sp_id rest = sr_op(f, SOP_AND, from, sr_integer(f, mask));
    sp_id m = sr_from_bits(f, sr_op(f, SOP_ADD, rest, sr_integer(f, root)));
    return (sr_split){sr_from_whole(f, e), sr_sub(f, m, sr_number(f, 1))};
}

/* A subnormal number is scaled before. */
static sr_split split_any(const sr_function *f, sp_id x)
{
    sp_id small = sr_less(f, x, sr_either(f, 0x1p-1022, 0x1p-126));
    sp_id up = sr_choose(f, small, sr_either(f, 0x1p54, 0x1p25), sr_number(f, 1));
    sp_id by = sr_choose(f, small, sr_either(f, 54, 25), sr_number(f, 0));
    sr_split a = sr_split_of(f, sr_mul(f, x, up));
    return (sr_split){sr_sub(f, a.e, by), a.f};
}

/* s (f - R): what log(1 + f) is below f. */
static sp_id below(const sr_function *f, sp_id x)
{
    sp_id s = sr_div(f, x, sr_add(f, x, sr_number(f, 2))), z = sr_mul(f, s, s);
    sp_id r = sr_mul(f, z, sr_polynomial_of(f, SR_LOG, z));
    return sr_mul(f, s, sr_sub(f, x, r));
}

sp_id sr_log_edges(const sr_function *f, sp_id x, sp_id r)
{
    sp_id none = sr_number(f, 0), most = sr_number(f, INFINITY);
    sp_id at_zero = sr_choose(f, sr_equal(f, x, none), sr_number(f, -INFINITY), r);
    sp_id inside = sr_choose(f, sr_less(f, x, none), sr_number(f, NAN), at_zero);
    /* Infinite or NaN. */
    return sr_choose(f, sr_less(f, x, most), inside, sr_add(f, sr_1(f, SOP_ABS, x), x));
}

/* e ln(2) + log(1 + x) + more */
static sp_id sum_of(const sr_function *f, sr_split a, sp_id more)
{
    sp_id high = sr_either(f, 0x1.62e42fee00000p-1, 0x1.63p-1),
          low = sr_either(f, 0x1.a39ef35793c76p-33, -0x1.bd0106p-13);
    sp_id rest = sr_mul(f, a.e, low);
    rest = more ? sr_add(f, rest, more) : rest;
    sp_id one = sr_sub(f, a.f, sr_sub(f, below(f, a.f), rest));
    return sr_add(f, sr_mul(f, a.e, high), one);
}

sp_id sr_log(const sr_function *f)
{
    return sr_log_edges(f, f->x, sum_of(f, split_any(f, f->x), 0));
}

/* ---- to other bases ---- */

/* A constant as a pair whose first half has zeros at its end. */
typedef struct parts {
    double full[2], single[2];
} parts;

static sr_pair pair_of(const sr_function *f, const parts *p)
{
    return (sr_pair){sr_either(f, p->full[0], p->single[0]),
                     sr_either(f, p->full[1], p->single[1])};
}

/* e times one constant and log(1 + f) times another. */
static sp_id to_base(const sr_function *f, const parts *of_two, const parts *of_e)
{
    sr_split a = split_any(f, f->x);
    sp_id t = below(f, a.f), hi = sr_sub(f, a.f, t), lo = sr_sub(f, sr_sub(f, a.f, hi), t);
    sr_pair two = pair_of(f, of_two), e = pair_of(f, of_e);
    sr_pair p = sr_times(f, (sr_pair){hi, lo}, e);
    sr_pair sum = sr_two_sum(f, sr_mul(f, a.e, two.hi), p.hi);
    sp_id rest = sr_add(f, sum.lo, sr_add(f, p.lo, sr_mul(f, a.e, two.lo)));
    return sr_log_edges(f, f->x, sr_add(f, sum.hi, rest));
}

sp_id sr_log2(const sr_function *f)
{
    static const parts one = {{1, 0}, {1, 0}},
                       of_e = {{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56},
                               {0x1.715476p+0, 0x1.4ae0cp-26}};
    return to_base(f, &one, &of_e);
}

sp_id sr_log10(const sr_function *f)
{
    static const parts two = {{0x1.34413509f6000p-2, 0x1.9fef311f12b36p-42},
                              {0x1.344p-2, 0x1.3509f8p-18}},
                       of_e = {{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57},
                               {0x1.bcb7b2p-2, -0x1.5b235ep-27}};
    return to_base(f, &two, &of_e);
}

/* ---- 1 + x ---- */

/* Of u = 1 + x as it is rounded to, and what it is rounded by. */
sp_id sr_log_of_more(const sr_function *f, sp_id x)
{
    sp_id one = sr_number(f, 1), u = sr_add(f, x, one), most = sr_number(f, INFINITY);
    sr_pair exact = sr_two_sum(f, x, one);
    sp_id by = sr_choose(f, sr_less(f, u, most), sr_div(f, exact.lo, u), sr_number(f, 0));
    sp_id r = sr_log_edges(f, u, sum_of(f, sr_split_of(f, u), by));
    return sr_choose(f, sr_equal(f, x, sr_number(f, 0)), x, r);
}

sp_id sr_log1p(const sr_function *f)
{
    return sr_log_of_more(f, f->x);
}

/* ---- inverse hyperbolic functions ---- */

/* Where squares would be too large: log(2a), whose sum with 1 is itself. */
static sp_id is_large(const sr_function *f, sp_id a)
{
    return sr_less(f, sr_either(f, 0x1p60, 0x1p30), a);
}

/* log(1 + t), or log(a) + ln(2) of a large a: one logarithm for both. */
static sp_id large_or(const sr_function *f, sp_id a, sp_id t)
{
    sp_id large = is_large(f, a);
    sp_id r = sr_log_of_more(f, sr_choose(f, large, a, t));
    sp_id more = sr_choose(f, large, sr_number(f, 0.69314718055994530942), sr_number(f, 0));
    return sr_add(f, r, more);
}

/* a + a^2 / (1 + sqrt(a^2 + 1)) */
sp_id sr_asinh(const sr_function *f)
{
    sp_id a = sr_1(f, SOP_ABS, f->x), square = sr_mul(f, a, a), one = sr_number(f, 1);
    sp_id root = sr_1(f, SOP_SQRT, sr_add(f, square, one));
    sp_id t = sr_add(f, a, sr_div(f, square, sr_add(f, root, one)));
    return sr_with_sign(f, large_or(f, a, t), f->x);
}

/* t + sqrt(2t + t^2) of t = x - 1; NaN below 1 by the root or the logarithm. */
sp_id sr_acosh(const sr_function *f)
{
    sp_id one = sr_number(f, 1), t = sr_sub(f, f->x, one);
    sp_id square = sr_add(f, sr_add(f, t, t), sr_mul(f, t, t));
    sp_id r = large_or(f, f->x, sr_add(f, t, sr_1(f, SOP_SQRT, square)));
    return sr_choose(f, sr_less(f, f->x, one), sr_number(f, NAN), r);
}

/* log(1 + 2a / (1 - a)) / 2 */
sp_id sr_atanh(const sr_function *f)
{
    sp_id a = sr_1(f, SOP_ABS, f->x), one = sr_number(f, 1);
    sp_id t = sr_div(f, sr_add(f, a, a), sr_sub(f, one, a));
    sp_id r = sr_mul(f, sr_log_of_more(f, t), sr_number(f, 0.5));
    sp_id inside = sr_choose(f, sr_less(f, one, a), sr_number(f, NAN), r);
    return sr_with_sign(f, inside, f->x);
}
