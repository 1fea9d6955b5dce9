/* Sine, cosine, tangent and their inverses. */
#include "backends/spirv/real/real.h"

#include <math.h>

/* ---- of |r| <= pi / 4 ---- */

/* sin(hi + lo) = hi + (hi^3 P(z) + lo (1 - z / 2)) */
static sp_id sine_of(const sr_function *f, sr_pair r, sp_id z)
{
    sp_id cube = sr_mul(f, sr_mul(f, z, r.hi), sr_polynomial_of(f, SR_SIN, z));
    sp_id slope = sr_sub(f, sr_number(f, 1), sr_mul(f, z, sr_number(f, 0.5)));
    return sr_add(f, r.hi, sr_add(f, cube, sr_mul(f, r.lo, slope)));
}

/* cos(hi + lo) = 1 - z / 2 + (z^2 P(z) - hi lo), with what the first difference is rounded by */
static sp_id cosine_of(const sr_function *f, sr_pair r, sp_id z)
{
    sp_id one = sr_number(f, 1), half = sr_mul(f, z, sr_number(f, 0.5));
    sp_id w = sr_sub(f, one, half), by = sr_sub(f, sr_sub(f, one, w), half);
    sp_id more = sr_mul(f, sr_mul(f, z, z), sr_polynomial_of(f, SR_COS, z));
    return sr_add(f, w, sr_add(f, by, sr_sub(f, more, sr_mul(f, r.hi, r.lo))));
}

typedef struct turned {
    sp_id sine, cosine, odd; /* of the rest, and whether the quadrant's number is odd */
    sp_id quadrant;
} turned;

static turned turn(const sr_function *f)
{
    sr_rest r = sr_reduce(f, f->x);
    sp_id z = sr_mul(f, r.at.hi, r.at.hi), one = sr_integer(f, 1);
    sp_id odd = sp_relate(f->e, SpvOpIEqual, sr_op(f, SOP_AND, r.quadrant, one), one);
    return (turned){sine_of(f, r.at, z), cosine_of(f, r.at, z), odd, r.quadrant};
}

/* In the third and fourth quadrant from the one at hand on, the value is negative. */
static sp_id in_quadrant(const sr_function *f, sp_id v, sp_id quadrant)
{
    sp_id two = sr_integer(f, 2);
    sp_id down = sp_relate(f->e, SpvOpIEqual, sr_op(f, SOP_AND, quadrant, two), two);
    return sr_choose(f, down, sr_1(f, SOP_NEG, v), v);
}

/* Infinite angles have none; a zero stays itself. */
static sp_id of_finite(const sr_function *f, sp_id r)
{
    sp_id finite = sr_less(f, sr_1(f, SOP_ABS, f->x), sr_number(f, INFINITY));
    return sr_choose(f, finite, r, sr_number(f, NAN));
}

static sp_id odd_of_finite(const sr_function *f, sp_id r)
{
    return sr_choose(f, sr_equal(f, f->x, sr_number(f, 0)), f->x, of_finite(f, r));
}

sp_id sr_sin(const sr_function *f)
{
    turned t = turn(f);
    return odd_of_finite(f, in_quadrant(f, sr_choose(f, t.odd, t.cosine, t.sine), t.quadrant));
}

sp_id sr_cos(const sr_function *f)
{
    turned t = turn(f);
    sp_id next = sr_op(f, SOP_ADD, t.quadrant, sr_integer(f, 1));
    return of_finite(f, in_quadrant(f, sr_choose(f, t.odd, t.sine, t.cosine), next));
}

sp_id sr_tan(const sr_function *f)
{
    turned t = turn(f);
    sp_id over = sr_choose(f, t.odd, sr_1(f, SOP_NEG, t.cosine), t.sine),
          under = sr_choose(f, t.odd, t.sine, t.cosine);
    return odd_of_finite(f, sr_div(f, over, under));
}

/* ---- inverse functions ---- */

/* An angle as a multiple of pi / 4 and what is more, or, turned round, less than that. */
typedef struct octant {
    sp_id number, turned; /* as a float, and 1 or -1 */
    sp_id more;
} octant;

/* The angle of a point with 0 <= y <= x, at most pi / 4: of y / x, or, beyond half of that, pi / 4
 * and the angle of (y - x) / (y + x). */
static octant first_octant(const sr_function *f, sp_id y, sp_id x)
{
    sp_id none = sr_number(f, 0), one = sr_number(f, 1), same = sr_equal(f, y, x);
    sp_id at_zero = sr_equal(f, x, none);
    sp_id beyond = sr_any(f, sr_less(f, sr_mul(f, x, sr_number(f, 0.41421356237309504880)), y),
                          sr_both(f, same, sr_less(f, none, x)));
    sp_id over = sr_choose(f, same, none, sr_choose(f, beyond, sr_sub(f, y, x), y));
    sp_id under = sr_choose(f, beyond, sr_add(f, y, x), x);
    sp_id t = sr_div(f, over, sr_choose(f, at_zero, one, under)), z = sr_mul(f, t, t);
    sp_id more = sr_mul(f, sr_mul(f, t, z), sr_polynomial_of(f, SR_ATAN, z));
    return (octant){sr_choose(f, beyond, one, none), one, sr_add(f, t, more)};
}

/* The angle less than another, which is a number of pi / 4. */
static octant less_than(const sr_function *f, double number, octant o, sp_id test)
{
    sp_id from = sr_sub(f, sr_number(f, number), o.number);
    return (octant){sr_choose(f, test, from, o.number),
                    sr_choose(f, test, sr_1(f, SOP_NEG, o.turned), o.turned), o.more};
}

/* Numbers whose sum would be infinite are made smaller before. */
sp_id sr_angle(const sr_function *f, sp_id y, sp_id x)
{
    sp_id a = sr_1(f, SOP_ABS, y), b = sr_1(f, SOP_ABS, x);
    sp_id swap = sr_less(f, b, a);
    sp_id more = sr_choose(f, swap, a, b), less = sr_choose(f, swap, b, a);
    sp_id huge = sr_less(f, sr_either(f, 0x1p1000, 0x1p120), more);
    sp_id by = sr_choose(f, huge, sr_number(f, 0.25), sr_number(f, 1));
    octant o = first_octant(f, sr_mul(f, less, by), sr_mul(f, more, by));
    o = less_than(f, 2, o, swap);
    o = less_than(f, 4, o, sp_relate(f->e, SpvOpSLessThan, sr_bits(f, x), sr_integer(f, 0)));
    sp_id high = sr_either(f, 0x1.921fb54442d18p-1, 0x1.921fb6p-1),
          low = sr_either(f, 0x1.1a62633145c07p-55, -0x1.777a5cp-26);
    sp_id rest = sr_add(f, sr_mul(f, o.more, o.turned), sr_mul(f, o.number, low));
    return sr_with_sign(f, sr_add(f, sr_mul(f, o.number, high), rest), y);
}

sp_id sr_atan(const sr_function *f)
{
    return sr_angle(f, f->x, sr_number(f, 1));
}

sp_id sr_atan2(const sr_function *f)
{
    sp_id is_nan = sr_any(f, sr_1(f, SOP_ISNAN, f->x), sr_1(f, SOP_ISNAN, f->y));
    return sr_choose(f, is_nan, sr_number(f, NAN), sr_angle(f, f->x, f->y));
}

/* The other side of the triangle, NaN beyond 1. */
static sp_id other_side(const sr_function *f)
{
    sp_id one = sr_number(f, 1);
    return sr_1(f, SOP_SQRT, sr_mul(f, sr_sub(f, one, f->x), sr_add(f, one, f->x)));
}

static sp_id of_side(const sr_function *f, sp_id r)
{
    sp_id inside = sp_relate(f->e, SpvOpFOrdLessThanEqual, sr_1(f, SOP_ABS, f->x), sr_number(f, 1));
    return sr_choose(f, inside, r, sr_number(f, NAN));
}

sp_id sr_asin(const sr_function *f)
{
    return of_side(f, sr_angle(f, f->x, other_side(f)));
}

sp_id sr_acos(const sr_function *f)
{
    return of_side(f, sr_angle(f, other_side(f), f->x));
}
