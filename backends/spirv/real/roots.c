/* Cube roots and hypotenuses. */
#include "backends/spirv/real/real.h"

#include <math.h>

/* A third of the bits, and two thirds of the exponent's middle, less what makes the error even. */
static sp_id first_guess(const sr_function *f, sp_id a)
{
    sp_id third = sr_on(f, f->bits, SOP_QUOT, sr_bits(f, a), sp_const(f->e, f->bits, 3));
    int64_t middle = sr_is_double(f) ? 0x2a9f7893782da1ce : 0x2a510554;
    return sr_from_bits(f, sr_op(f, SOP_ADD, third, sr_integer(f, middle)));
}

/* Halley's step: three times as many bits are right. */
static sp_id better(const sr_function *f, sp_id t, sp_id a)
{
    sp_id cube = sr_mul(f, sr_mul(f, t, t), t), two = sr_number(f, 2);
    sp_id over = sr_add(f, cube, sr_mul(f, a, two)), under = sr_add(f, sr_mul(f, cube, two), a);
    return sr_mul(f, t, sr_div(f, over, under));
}

/* A last step from a guess of so few bits that its square is exact. */
static sp_id last_step(const sr_function *f, sp_id guess, sp_id a)
{
    sp_id mask = sr_integer(f, sr_is_double(f) ? ~(int64_t)0x7ffffff : ~(int64_t)0xfff);
    sp_id t = sr_from_bits(f, sr_op(f, SOP_AND, sr_bits(f, guess), mask));
    sp_id r = sr_div(f, a, sr_mul(f, t, t));
    sp_id by = sr_div(f, sr_sub(f, r, t), sr_add(f, sr_add(f, t, t), r));
    return sr_add(f, t, sr_mul(f, t, by));
}

/* A subnormal number is scaled before; 0 and what is not finite stay themselves. */
sp_id sr_cbrt(const sr_function *f)
{
    sp_id all = sr_1(f, SOP_ABS, f->x), one = sr_number(f, 1), none = sr_number(f, 0);
    sp_id small = sr_less(f, all, sr_either(f, 0x1p-1022, 0x1p-126));
    sp_id a = sr_mul(f, all, sr_choose(f, small, sr_either(f, 0x1p54, 0x1p24), one));
    sp_id down = sr_choose(f, small, sr_either(f, 0x1p-18, 0x1p-8), one);
    sp_id t = better(f, first_guess(f, a), a);
    t = sr_is_double(f) ? better(f, t, a) : t;
    sp_id r = sr_with_sign(f, sr_mul(f, last_step(f, t, a), down), f->x);
    sp_id usual = sr_both(f, sr_less(f, none, all), sr_less(f, all, sr_number(f, INFINITY)));
    return sr_choose(f, usual, r, f->x);
}

/* Scaled, so that neither square overflows, nor the larger one is lost. */
sp_id sr_hypot(const sr_function *f)
{
    sp_id a = sr_1(f, SOP_ABS, f->x), b = sr_1(f, SOP_ABS, f->y);
    sp_id most = sr_1(f, SOP_ABS, sr_choose(f, sr_less(f, a, b), b, a)), one = sr_number(f, 1);
    sp_id large = sr_less(f, sr_either(f, 0x1p500, 0x1p60), most),
          small = sr_less(f, most, sr_either(f, 0x1p-400, 0x1p-50));
    sp_id by = sr_choose(f, large, sr_either(f, 0x1p-600, 0x1p-80),
                         sr_choose(f, small, sr_either(f, 0x1p600, 0x1p80), one));
    sp_id back = sr_choose(f, large, sr_either(f, 0x1p600, 0x1p80),
                           sr_choose(f, small, sr_either(f, 0x1p-600, 0x1p-80), one));
    sp_id x = sr_mul(f, a, by), y = sr_mul(f, b, by);
    sp_id r = sr_1(f, SOP_SQRT, sr_add(f, sr_mul(f, x, x), sr_mul(f, y, y)));
    sp_id infinite = sr_number(f, INFINITY);
    sp_id is_infinite = sr_any(f, sr_equal(f, a, infinite), sr_equal(f, b, infinite));
    return sr_choose(f, is_infinite, infinite, sr_mul(f, r, back));
}
