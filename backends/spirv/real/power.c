/* x to the y: e^(y log(x)), with the logarithm as a pair, since its errors grow with the exponent.
 */
#include "backends/spirv/real/real.h"

#include <math.h>

/* s = f / (2 + f) */
static sr_pair quotient(const sr_function *f, sp_id x)
{
    sr_pair under = sr_two_sum(f, x, sr_number(f, 2));
    sp_id s = sr_div(f, x, under.hi);
    sr_pair back = sr_two_product(f, s, under.hi);
    sp_id rest = sr_sub(f, sr_sub(f, sr_sub(f, x, back.hi), back.lo), sr_mul(f, s, under.lo));
    return (sr_pair){s, sr_div(f, rest, under.hi)};
}

/* log(1 + f) / 2 = s + s z (1/3 + z P), z = s^2 */
static sr_pair half_log(const sr_function *f, sp_id x)
{
    sr_pair s = quotient(f, x), z = sr_times(f, s, s);
    sp_id tail = sr_mul(f, z.hi, sr_polynomial_of(f, SR_ATANH, z.hi));
    sr_pair third = sr_quick_sum(f, sr_either(f, 0x1.5555555555555p-2, 0x1.555556p-2), tail);
    third.lo = sr_add(f, third.lo, sr_either(f, 0x1.5555555555555p-56, -0x1.555556p-27));
    sr_pair cube = sr_times(f, sr_times(f, s, z), third), sum = sr_quick_sum(f, s.hi, cube.hi);
    return sr_quick_sum(f, sum.hi, sr_add(f, sum.lo, sr_add(f, s.lo, cube.lo)));
}

static sr_pair log_of(const sr_function *f, sp_id x)
{
    sp_id small = sr_less(f, x, sr_either(f, 0x1p-1022, 0x1p-126)), two = sr_number(f, 2);
    sp_id up = sr_choose(f, small, sr_either(f, 0x1p54, 0x1p25), sr_number(f, 1));
    sr_split a = sr_split_of(f, sr_mul(f, x, up));
    sp_id by = sr_choose(f, small, sr_either(f, 54, 25), sr_number(f, 0));
    sp_id e = sr_sub(f, a.e, by);
    sr_pair one = half_log(f, a.f);
    sp_id of_e = sr_mul(f, e, sr_either(f, 0x1.62e42fee00000p-1, 0x1.63p-1)),
          rest = sr_mul(f, e, sr_either(f, 0x1.a39ef35793c76p-33, -0x1.bd0106p-13));
    sr_pair sum = sr_two_sum(f, of_e, sr_mul(f, one.hi, two));
    sr_pair more = sr_two_sum(f, rest, sr_mul(f, one.lo, two));
    sr_pair all = sr_two_sum(f, sum.hi, more.hi);
    return sr_quick_sum(f, all.hi, sr_add(f, all.lo, sr_add(f, sum.lo, more.lo)));
}

/* Of a positive number.  An exponent so large that the power is 0, 1 or infinite is bounded, so
 * that no product overflows. */
static sp_id power_of(const sr_function *f, sp_id x)
{
    sp_id most = sr_either(f, 0x1p80, 0x1p50),
          y = sr_clamp(f, f->y, sr_sub(f, sr_number(f, 0), most), most);
    sr_pair log = log_of(f, x);
    sr_pair p = sr_two_product(f, log.hi, y);
    sp_id rest = sr_add(f, p.lo, sr_mul(f, log.lo, y));
    sp_id counts = sr_less(f, sr_1(f, SOP_ABS, p.hi), sr_number(f, 1000));
    return sr_exponential(f, p.hi, sr_choose(f, counts, rest, sr_number(f, 0)));
}

/* Of 0 and of infinity. */
static sp_id at_ends(const sr_function *f, sp_id a, sp_id r)
{
    sp_id none = sr_number(f, 0), most = sr_number(f, INFINITY);
    sp_id down = sr_less(f, f->y, none);
    sp_id of_none = sr_choose(f, down, most, none), of_most = sr_choose(f, down, none, most);
    sp_id with = sr_choose(f, sr_equal(f, a, none), of_none, r);
    return sr_choose(f, sr_equal(f, a, most), of_most, with);
}

static sp_id is_whole(const sr_function *f, sp_id y)
{
    return sr_equal(f, sr_1(f, SOP_TRUNC, y), y);
}

/* A negative x to an odd exponent is negative, to one that is not whole NaN, unless it is infinite.
 */
static sp_id signed_by(const sr_function *f, sp_id a, sp_id r)
{
    sp_id none = sr_number(f, 0), whole = is_whole(f, f->y);
    sp_id even = is_whole(f, sr_mul(f, f->y, sr_number(f, 0.5)));
    sp_id opposite = sr_with_sign(f, r, f->x);
    sp_id of_odd = sr_choose(f, even, r, opposite), turned = sr_choose(f, whole, of_odd, r);
    sp_id finite = sr_both(f, sr_less(f, f->x, none), sr_less(f, a, sr_number(f, INFINITY)));
    sp_id wrong = sr_choose(f, finite, sr_number(f, NAN), turned);
    return sr_choose(f, whole, turned, wrong);
}

sp_id sr_pow(const sr_function *f)
{
    sp_id a = sr_1(f, SOP_ABS, f->x), one = sr_number(f, 1), none = sr_number(f, 0);
    sp_id r = signed_by(f, a, at_ends(f, a, power_of(f, a)));
    sp_id is_nan = sr_any(f, sr_1(f, SOP_ISNAN, f->x), sr_1(f, SOP_ISNAN, f->y));
    sp_id is_one = sr_any(f, sr_equal(f, f->x, one), sr_equal(f, f->y, none));
    return sr_choose(f, is_one, one, sr_choose(f, is_nan, sr_number(f, NAN), r));
}
