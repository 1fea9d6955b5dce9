/* Operations on floats, on their bits and on pairs of them: see real.h. */
#include "backends/spirv/real/real.h"

#include "ir/scalar/scalar.h"

/* ---- operations ---- */

uint32_t sr_precision(const sr_function *f)
{
    return ir_scalar_info(f->type)->precision;
}

sp_id sr_number(const sr_function *f, double x)
{
    return sp_number(f->e, f->type, x);
}

sp_id sr_either(const sr_function *f, double of_double, double of_single)
{
    return sr_number(f, sr_is_double(f) ? of_double : of_single);
}

sp_id sr_on(const sr_function *f, scalar type, opcode op, sp_id a, sp_id b)
{
    const sp_operation o = {.op = op, .type = type, .x = a, .y = b};
    return sp_operate(f->e, &o);
}

sp_id sr_add(const sr_function *f, sp_id a, sp_id b)
{
    return sr_on(f, f->type, SOP_ADD, a, b);
}

sp_id sr_sub(const sr_function *f, sp_id a, sp_id b)
{
    return sr_on(f, f->type, SOP_SUB, a, b);
}

sp_id sr_mul(const sr_function *f, sp_id a, sp_id b)
{
    return sr_on(f, f->type, SOP_MUL, a, b);
}

sp_id sr_div(const sr_function *f, sp_id a, sp_id b)
{
    return sr_on(f, f->type, SOP_FDIV, a, b);
}

sp_id sr_1(const sr_function *f, opcode op, sp_id a)
{
    return sr_on(f, f->type, op, a, 0);
}

sp_id sr_less(const sr_function *f, sp_id a, sp_id b)
{
    return sp_relate(f->e, SpvOpFOrdLessThan, a, b);
}

sp_id sr_equal(const sr_function *f, sp_id a, sp_id b)
{
    return sp_relate(f->e, SpvOpFOrdEqual, a, b);
}

sp_id sr_both(const sr_function *f, sp_id a, sp_id b)
{
    return sp_relate(f->e, SpvOpLogicalAnd, a, b);
}

sp_id sr_any(const sr_function *f, sp_id a, sp_id b)
{
    return sp_relate(f->e, SpvOpLogicalOr, a, b);
}

sp_id sr_choose(const sr_function *f, sp_id test, sp_id yes, sp_id no)
{
    return sp_3(f->e, SpvOpSelect, sp_scalar(f->e, f->type), test, yes, no);
}

sp_id sr_with_sign(const sr_function *f, sp_id a, sp_id of)
{
    return sr_on(f, f->type, SOP_COPYSIGN, a, of);
}

sp_id sr_clamp(const sr_function *f, sp_id x, sp_id least, sp_id most)
{
    sp_id from = sr_choose(f, sr_less(f, x, least), least, x);
    return sr_choose(f, sr_less(f, most, from), most, from);
}

/* ---- as integers ---- */

sp_id sr_bits(const sr_function *f, sp_id x)
{
    return sp_1(f->e, SpvOpBitcast, sp_scalar(f->e, f->whole), x);
}

sp_id sr_from_bits(const sr_function *f, sp_id i)
{
    return sp_1(f->e, SpvOpBitcast, sp_scalar(f->e, f->type), i);
}

sp_id sr_integer(const sr_function *f, int64_t i)
{
    return sp_const(f->e, f->whole, scalar_wrap(f->whole, (uint64_t)i));
}

sp_id sr_op(const sr_function *f, opcode op, sp_id a, sp_id b)
{
    return sr_on(f, f->whole, op, a, b);
}

sp_id sr_pick(const sr_function *f, sp_id test, sp_id yes, sp_id no)
{
    return sp_3(f->e, SpvOpSelect, sp_scalar(f->e, f->whole), test, yes, no);
}

sp_id sr_to_whole(const sr_function *f, sp_id x)
{
    return sp_1(f->e, SpvOpConvertFToS, sp_scalar(f->e, f->whole), x);
}

sp_id sr_from_whole(const sr_function *f, sp_id i)
{
    return sp_1(f->e, SpvOpConvertSToF, sp_scalar(f->e, f->type), i);
}

/* Exponents are kept behind the significand, with half their range added. */
sp_id sr_power_of_two(const sr_function *f, sp_id n)
{
    sp_id biased = sr_op(f, SOP_ADD, n, sr_integer(f, sr_is_double(f) ? 1023 : 127));
    return sr_from_bits(f, sr_op(f, SOP_SHL, biased, sr_integer(f, sr_precision(f) - 1)));
}

sp_id sr_scale(const sr_function *f, sp_id x, sp_id n)
{
    sp_id half = sr_op(f, SOP_SHR, n, sr_integer(f, 1)), rest = sr_op(f, SOP_SUB, n, half);
    return sr_mul(f, sr_mul(f, x, sr_power_of_two(f, half)), sr_power_of_two(f, rest));
}

/* ---- pairs ---- */

/* Knuth's. */
sr_pair sr_two_sum(const sr_function *f, sp_id a, sp_id b)
{
    sp_id s = sr_add(f, a, b), bb = sr_sub(f, s, a);
    sp_id of_a = sr_sub(f, a, sr_sub(f, s, bb)), of_b = sr_sub(f, b, bb);
    return (sr_pair){s, sr_add(f, of_a, of_b)};
}

/* Dekker's. */
sr_pair sr_quick_sum(const sr_function *f, sp_id a, sp_id b)
{
    sp_id s = sr_add(f, a, b);
    return (sr_pair){s, sr_sub(f, b, sr_sub(f, s, a))};
}

/* Veltkamp's: the upper and the lower half of the significand. */
static sr_pair halves_of(const sr_function *f, sp_id a)
{
    sp_id c = sr_mul(f, a, sr_either(f, 134217729.0, 4097.0));
    sp_id hi = sr_sub(f, c, sr_sub(f, c, a));
    return (sr_pair){hi, sr_sub(f, a, hi)};
}

/* Dekker's. */
sr_pair sr_two_product(const sr_function *f, sp_id a, sp_id b)
{
    sp_id p = sr_mul(f, a, b);
    sr_pair x = halves_of(f, a), y = halves_of(f, b);
    sp_id rest = sr_sub(f, sr_mul(f, x.hi, y.hi), p);
    rest = sr_add(f, rest, sr_mul(f, x.hi, y.lo));
    rest = sr_add(f, rest, sr_mul(f, x.lo, y.hi));
    return (sr_pair){p, sr_add(f, rest, sr_mul(f, x.lo, y.lo))};
}

sr_pair sr_times(const sr_function *f, sr_pair a, sr_pair b)
{
    sr_pair p = sr_two_product(f, a.hi, b.hi);
    sp_id cross = sr_add(f, sr_mul(f, a.hi, b.lo), sr_mul(f, a.lo, b.hi));
    return sr_quick_sum(f, p.hi, sr_add(f, p.lo, cross));
}

/* ---- polynomials ---- */

#define COUNT(list) (sizeof list / sizeof *list)
#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define POLYNOMIAL(name, full, single)                                                             \
    static const double full_##name[] = LIST full, single_##name[] = LIST single;
#include "backends/spirv/real/polynomials.def"
#undef POLYNOMIAL

typedef struct coefficients {
    const double *full, *single;
    uint32_t nfull, nsingle;
} coefficients;

#define POLYNOMIAL(name, full, single)                                                             \
    [SR_##name] = {full_##name, single_##name, COUNT(full_##name), COUNT(single_##name)},
static const coefficients polynomials[SR_POLYNOMIALS] = {
#include "backends/spirv/real/polynomials.def"
};

/* Horner's way. */
sp_id sr_polynomial_of(const sr_function *f, sr_polynomial which, sp_id x)
{
    const coefficients *c = &polynomials[which];
    const double *at = sr_is_double(f) ? c->full : c->single;
    uint32_t n = sr_is_double(f) ? c->nfull : c->nsingle;
    sp_id r = sr_number(f, at[n - 1]);
    for (uint32_t i = n - 1; i-- > 0;)
        r = sr_add(f, sr_mul(f, r, x), sr_number(f, at[i]));
    return r;
}
