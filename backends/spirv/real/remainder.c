/* The remainder of floats, exactly: a long division of their significands, of as many bits at a
 * time as an integer has room for. */
#include "backends/spirv/real/real.h"

#include <math.h>

typedef struct apart {
    sp_id m, e; /* x = m 2^e of a scale that all numbers have */
} apart;

/* Subnormal numbers have the exponent of the least normal ones, and no bit in front. */
static apart take_apart(const sr_function *f, sp_id a)
{
    uint32_t p = sr_precision(f);
    int64_t one = (int64_t)1 << (p - 1);
    sp_id bits = sr_bits(f, a), none = sr_integer(f, 0);
    sp_id e = sr_op(f, SOP_SHR, bits, sr_integer(f, p - 1));
    sp_id tail = sr_op(f, SOP_AND, bits, sr_integer(f, one - 1));
    sp_id low = sp_relate(f->e, SpvOpIEqual, e, none);
    sp_id m = sr_op(f, SOP_OR, tail, sr_pick(f, low, none, sr_integer(f, one)));
    return (apart){m, sr_op(f, SOP_MAX, e, sr_integer(f, 1))};
}

static sp_id rest_of(const sr_function *f, sp_id a, sp_id b)
{
    return sp_2(f->e, SpvOpUMod, sp_scalar(f->e, f->whole), a, b);
}

/* m 2^n mod by, while n > 0. */
static sp_id divide(const sr_function *f, sp_id m, sp_id n, sp_id by)
{
    sp_emitter *e = f->e;
    sp_module *s = e->s;
    sp_id whole = sp_scalar(e, f->whole), before = e->block, header = sp_new_id(s),
          turn = sp_new_id(s), end = sp_new_id(s), r = sp_new_id(s), left = sp_new_id(s);
    sp_id room = sr_integer(f, sr_is_double(f) ? 10 : 7); /* no sign is touched */
    sp_id first = rest_of(f, m, by), next_r = sp_new_id(s), next_left = sp_new_id(s);
    sp_branch(e, header);
    sp_label(e, header);
    sp_put(s, e->where, SpvOpPhi, SP_WORDS(whole, r, first, before, next_r, turn));
    sp_put(s, e->where, SpvOpPhi, SP_WORDS(whole, left, n, before, next_left, turn));
    sp_id more = sp_relate(e, SpvOpSGreaterThan, left, sr_integer(f, 0));
    sp_put(s, e->where, SpvOpLoopMerge, SP_WORDS(end, turn, SpvLoopControlMaskNone));
    sp_branch_by(e, more, turn, end);
    sp_label(e, turn);
    sp_id by_now = sr_op(f, SOP_MIN, left, room), wide = sr_op(f, SOP_SHL, r, by_now);
    sp_put(s, e->where, SpvOpUMod, SP_WORDS(whole, next_r, wide, by));
    sp_put(s, e->where, SpvOpISub, SP_WORDS(whole, next_left, left, by_now));
    sp_branch(e, header);
    sp_label(e, end);
    return r;
}

/* The rest in the divisor's scale, which the result has too. */
static sp_id as_float(const sr_function *f, sp_id rest, sp_id e)
{
    int64_t bias = (sr_is_double(f) ? 1023 : 127) + (int64_t)sr_precision(f) - 1;
    return sr_scale(f, sr_from_whole(f, rest), sr_op(f, SOP_SUB, e, sr_integer(f, bias)));
}

/* Where |x| < |y| nothing is divided. */
sp_id sr_rem(const sr_function *f)
{
    sp_id a = sr_1(f, SOP_ABS, f->x), b = sr_1(f, SOP_ABS, f->y), none = sr_number(f, 0);
    sp_id infinite = sr_number(f, INFINITY);
    apart x = take_apart(f, a), y = take_apart(f, b);
    sp_id is_zero = sp_relate(f->e, SpvOpIEqual, y.m, sr_integer(f, 0));
    sp_id by = sr_pick(f, is_zero, sr_integer(f, 1), y.m);
    sp_id r = divide(f, x.m, sr_op(f, SOP_SUB, x.e, y.e), by);
    sp_id rest = sr_with_sign(f, as_float(f, r, y.e), f->x);
    sp_id all = sr_choose(f, sr_less(f, a, b), f->x, rest);
    sp_id is_right = sr_both(f, sr_less(f, a, infinite), sr_less(f, none, b));
    return sr_choose(f, is_right, all, sr_number(f, NAN));
}
