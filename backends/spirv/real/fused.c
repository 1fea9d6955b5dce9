/* x y + z rounded once, for devices whose own operation rounds the product as well.
 *
 * The product is a pair, and so is what is added to it; of the two rests a sum is made whose last
 * bit says whether anything was lost (rounded to odd), so that the last sum rounds as the exact one
 * would (Boldo and Melquiond).  All of it is done near 1, the exponents apart, so that nothing
 * overflows. */
#include "backends/spirv/real/real.h"

#include <math.h>

typedef struct apart {
    sp_id m, e; /* x = m 2^e, m between 1 and 2 or 0 */
} apart;

static sp_id is_zero(const sr_function *f, sp_id x)
{
    return sr_equal(f, x, sr_number(f, 0));
}

/* A subnormal number is scaled before. */
static apart take_apart(const sr_function *f, sp_id x)
{
    uint32_t p = sr_precision(f);
    int64_t one = sr_is_double(f) ? 1023 : 127;
    sp_id a = sr_1(f, SOP_ABS, x), behind = sr_integer(f, p - 1);
    sp_id small = sr_less(f, a, sr_either(f, 0x1p-1022, 0x1p-126));
    sp_id up = sr_choose(f, small, sr_either(f, 0x1p54, 0x1p25), sr_number(f, 1));
    sp_id by = sr_pick(f, small, sr_integer(f, p + 1), sr_integer(f, 0));
    sp_id bits = sr_bits(f, sr_mul(f, a, up));
    sp_id e = sr_op(f, SOP_SUB, sr_op(f, SOP_SHR, bits, behind), sr_integer(f, one));
    sp_id tail = sr_op(f, SOP_AND, bits, sr_integer(f, ((int64_t)1 << (p - 1)) - 1));
    sp_id m = sr_from_bits(f, sr_op(f, SOP_OR, tail, sr_integer(f, one << (p - 1))));
    sp_id signed_m = sr_with_sign(f, sr_choose(f, is_zero(f, x), x, m), x);
    return (apart){signed_m, sr_op(f, SOP_SUB, e, by)};
}

/* a + b, rounded to odd. */
static sp_id odd_sum(const sr_function *f, sp_id a, sp_id b)
{
    sr_pair s = sr_two_sum(f, a, b);
    sp_id bits = sr_bits(f, s.hi), one = sr_integer(f, 1), none = sr_integer(f, 0);
    sp_id even = sp_relate(f->e, SpvOpIEqual, sr_op(f, SOP_AND, bits, one), none);
    sp_id lost = sp_relate(f->e, SpvOpFUnordNotEqual, s.lo, sr_number(f, 0));
    sp_id signs = sr_op(f, SOP_XOR, bits, sr_bits(f, s.lo));
    sp_id differ = sp_relate(f->e, SpvOpSLessThan, signs, none);
    sp_id step = sr_pick(f, differ, sr_integer(f, -1), one);
    sp_id moved = sr_from_bits(f, sr_op(f, SOP_ADD, bits, step));
    return sr_choose(f, sr_both(f, even, lost), moved, s.hi);
}

/* x y + z of numbers near 1. */
static sp_id sum_of(const sr_function *f, sr_pair product, sp_id z)
{
    sr_pair low = sr_two_sum(f, z, product.lo), high = sr_two_sum(f, product.hi, low.hi);
    return sr_add(f, high.hi, odd_sum(f, low.lo, high.lo));
}

/* The larger of the two exponents is that of the sum, but for what is cancelled; where they are far
 * apart, the smaller one counts as near enough to say that there is something. */
static sp_id at_scale(const sr_function *f, apart x, apart y, apart z)
{
    int64_t p = sr_precision(f), most = sr_is_double(f) ? 2040 : 250;
    sp_id of_product = sr_op(f, SOP_ADD, x.e, y.e), far = sr_integer(f, 2 * p + 6);
    sp_id nothing = is_zero(f, z.m), of_z = sr_pick(f, nothing, of_product, z.e);
    sp_id e = sr_op(f, SOP_MAX, of_product, sr_op(f, SOP_SUB, of_z, far));
    sp_id down = sr_op(f, SOP_MAX, sr_op(f, SOP_SUB, of_product, e), sr_integer(f, -2 * p));
    sp_id by = sr_op(f, SOP_SUB, of_z, e);
    sp_id up = sr_op(f, SOP_MAX, by, sr_integer(f, -2 * p - 6));
    sr_pair product = sr_two_product(f, x.m, y.m);
    sp_id scale = sr_power_of_two(f, down);
    product = (sr_pair){sr_mul(f, product.hi, scale), sr_mul(f, product.lo, scale)};
    sp_id r = sum_of(f, product, sr_mul(f, z.m, sr_power_of_two(f, up)));
    sp_id bound =
        sr_op(f, SOP_MIN, sr_op(f, SOP_MAX, e, sr_integer(f, -most)), sr_integer(f, most));
    return sr_scale(f, r, bound);
}

static sp_id is_finite(const sr_function *f, sp_id x)
{
    return sr_less(f, sr_1(f, SOP_ABS, x), sr_number(f, INFINITY));
}

/* Where a factor is 0 or not finite, what rounds twice is right too; what is not finite stays when
 * a finite product is added. */
sp_id sr_fma(const sr_function *f)
{
    sp_id plain = sr_add(f, sr_mul(f, f->x, f->y), f->z);
    sp_id r = at_scale(f, take_apart(f, f->x), take_apart(f, f->y), take_apart(f, f->z));
    sp_id some = sr_any(f, is_zero(f, f->x), is_zero(f, f->y));
    sp_id sum = sr_choose(f, is_finite(f, f->z), sr_choose(f, some, plain, r), f->z);
    return sr_choose(f, sr_both(f, is_finite(f, f->x), is_finite(f, f->y)), sum, plain);
}
