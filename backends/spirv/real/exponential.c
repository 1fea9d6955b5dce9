/* Powers of e and 2, and hyperbolic functions: x = k ln(2) + r, and e^r is a polynomial of r. */
#include "backends/spirv/real/real.h"

#include <math.h>

/* ln(2) in two parts, the first with zeros at its end, so that k times it is exact. */
static sr_pair ln2(const sr_function *f)
{
    return (sr_pair){sr_either(f, 0x1.62e42fee00000p-1, 0x1.63p-1),
                     sr_either(f, 0x1.a39ef35793c76p-33, -0x1.bd0106p-13)};
}

typedef struct reduced {
    sp_id k;       /* as an integer */
    sp_id r, more; /* the rest of x and more, and what that is rounded by */
} reduced;

static reduced reduce(const sr_function *f, sp_id x, sp_id more)
{
    sp_id k = sr_1(f, SOP_RINT, sr_mul(f, x, sr_number(f, 1.44269504088896340736)));
    sr_pair of = ln2(f);
    sp_id hi = sr_sub(f, x, sr_mul(f, k, of.hi)), lo = sr_mul(f, k, of.lo);
    lo = more ? sr_sub(f, lo, more) : lo;
    sp_id r = sr_sub(f, hi, lo);
    return (reduced){sr_to_whole(f, k), r, sr_sub(f, sr_sub(f, hi, r), lo)};
}

/* e^r - 1 */
static sp_id less_one(const sr_function *f, sp_id r, sp_id more)
{
    sp_id p = sr_mul(f, sr_mul(f, r, r), sr_polynomial_of(f, SR_EXP, r));
    return sr_add(f, r, sr_add(f, p, more));
}

/* Beyond these e^x is 0 or infinite. */
static sp_id in_range(const sr_function *f, sp_id x)
{
    return sr_clamp(f, x, sr_either(f, -800, -110), sr_either(f, 720, 100));
}

sp_id sr_exponential(const sr_function *f, sp_id x, sp_id more)
{
    reduced a = reduce(f, in_range(f, x), more);
    return sr_scale(f, sr_add(f, less_one(f, a.r, a.more), sr_number(f, 1)), a.k);
}

sp_id sr_exp(const sr_function *f)
{
    return sr_exponential(f, f->x, 0);
}

sp_id sr_exp2(const sr_function *f)
{
    sp_id x = sr_clamp(f, f->x, sr_either(f, -1100, -160), sr_either(f, 1030, 130));
    sp_id k = sr_1(f, SOP_RINT, x), r = sr_sub(f, x, k);
    sp_id p = sr_mul(f, r, sr_polynomial_of(f, SR_EXP2, r));
    return sr_scale(f, sr_add(f, p, sr_number(f, 1)), sr_to_whole(f, k));
}

/* 2^k q + (2^k - 1) of q = e^r - 1; where 2^k is so large that the 1 does not count, q + 1 is
 * scaled, so that nothing overflows before the result does. */
static sp_id minus_one(const sr_function *f, sp_id x)
{
    reduced a = reduce(f, sr_clamp(f, x, sr_either(f, -50, -30), sr_either(f, 720, 100)), 0);
    sp_id one = sr_number(f, 1), q = less_one(f, a.r, a.more);
    sp_id few = sr_op(f, SOP_MIN, a.k, sr_integer(f, 60)), power = sr_power_of_two(f, few);
    sp_id near = sr_add(f, sr_mul(f, power, q), sr_sub(f, power, one));
    sp_id far = sr_scale(f, sr_add(f, q, one), a.k);
    sp_id is_far = sp_relate(f->e, SpvOpSGreaterThan, a.k, sr_integer(f, 56));
    return sr_choose(f, is_far, far, near);
}

sp_id sr_expm1(const sr_function *f)
{
    sp_id is_zero = sr_equal(f, f->x, sr_number(f, 0));
    return sr_choose(f, is_zero, f->x, minus_one(f, f->x));
}

/* ---- hyperbolic functions ---- */

/* e^a / 2 of a large a, which may be finite where e^a is not. */
static sp_id half_power(const sr_function *f, sp_id a)
{
    sp_id half = sr_number(f, 0.5), root = sr_exponential(f, sr_mul(f, a, half), 0);
    return sr_mul(f, sr_mul(f, half, root), root);
}

static sp_id is_large(const sr_function *f, sp_id a)
{
    return sr_less(f, sr_either(f, 700, 85), a);
}

/* Of t = e^a - 1: (t + t / (t + 1)) / 2. */
sp_id sr_sinh(const sr_function *f)
{
    sp_id a = sr_1(f, SOP_ABS, f->x), t = minus_one(f, a), one = sr_number(f, 1);
    sp_id sum = sr_add(f, t, sr_div(f, t, sr_add(f, t, one)));
    sp_id small = sr_mul(f, sum, sr_number(f, 0.5));
    return sr_with_sign(f, sr_choose(f, is_large(f, a), half_power(f, a), small), f->x);
}

sp_id sr_cosh(const sr_function *f)
{
    sp_id a = sr_1(f, SOP_ABS, f->x), p = sr_exponential(f, a, 0), half = sr_number(f, 0.5);
    sp_id small = sr_add(f, sr_mul(f, p, half), sr_div(f, half, p));
    return sr_choose(f, is_large(f, a), half_power(f, a), small);
}

/* Of t = e^2a - 1: t / (t + 2), and 1 where nothing else is left. */
sp_id sr_tanh(const sr_function *f)
{
    sp_id a = sr_1(f, SOP_ABS, f->x), two = sr_number(f, 2), most = sr_either(f, 22, 10);
    sp_id t = minus_one(f, sr_mul(f, sr_clamp(f, a, sr_number(f, 0), most), two));
    sp_id r = sr_div(f, t, sr_add(f, t, two));
    return sr_with_sign(f, r, f->x);
}
