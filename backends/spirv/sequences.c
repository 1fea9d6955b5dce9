/* Operators that SPIR-V has no one instruction for, as short sequences: see forms.h.
 *
 * The meaning is that of ir/scalar, for all operands: what an instruction leaves undefined is
 * asked for before. */
#include "backends/spirv/emit.h"

#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

static bool is_signed(const sp_operation *o)
{
    return ir_scalar_class(o->type) == 'I';
}

/* An operation on the same types. */
static sp_id also(sp_emitter *e, const sp_operation *o, opcode op, sp_id x, sp_id y)
{
    const sp_operation other = {.op = op, .type = o->type, .x = x, .y = y};
    return sp_operate(e, &other);
}

static sp_id choose(sp_emitter *e, const sp_operation *o, sp_id test, sp_id yes, sp_id no)
{
    return sp_3(e, SpvOpSelect, sp_scalar(e, o->type), test, yes, no);
}

static sp_id constant(sp_emitter *e, const sp_operation *o, uint64_t x)
{
    return sp_const(e, o->type, scalar_wrap(o->type, x));
}

static sp_id in_type(sp_emitter *e, const sp_operation *o, SpvOp op, sp_id x, sp_id y)
{
    return sp_2(e, op, sp_scalar(e, o->type), x, y);
}

/* ---- division ---- */

static uint32_t log2_of(uint64_t x)
{
    uint32_t k = 0;
    while (x >>= 1)
        k++;
    return k;
}

/* The constant that the form says the divisor is. */
static uint64_t divisor(const sp_emitter *e, const sp_operation *o)
{
    return k_at(e->p, o->right)->bits;
}

sp_id sp_make_divide(sp_emitter *e, const sp_operation *o)
{
    bool natural = !is_signed(o) || o->form == FORM_NATURAL;
    if (o->form == FORM_POWER)
        return in_type(e, o, is_signed(o) ? SpvOpShiftRightArithmetic : SpvOpShiftRightLogical,
                       o->x, constant(e, o, log2_of(divisor(e, o))));
    if (o->form == FORM_GUARDED || o->op == SOP_DIVIDE)
        return sp_call(e, o);
    return in_type(e, o, natural ? SpvOpUDiv : SpvOpSDiv, o->x, o->y);
}

sp_id sp_make_remainder(sp_emitter *e, const sp_operation *o)
{
    bool natural = !is_signed(o) || o->form == FORM_NATURAL;
    if (o->form == FORM_POWER)
        return in_type(e, o, SpvOpBitwiseAnd, o->x, constant(e, o, divisor(e, o) - 1));
    if (o->form == FORM_GUARDED)
        return sp_call(e, o);
    if (natural)
        return in_type(e, o, SpvOpUMod, o->x, o->y);
    return sp_signed_rest(e, sp_scalar(e, o->type), o->x, o->y);
}

/* Of floats, with the sign of the divisor, from the remainder with the sign of x. */
sp_id sp_make_modulo(sp_emitter *e, const sp_operation *o)
{
    sp_id none = sp_zero(e, o->type), r = also(e, o, SOP_REM, o->x, o->y);
    sp_id rest = sp_relate(e, SpvOpFUnordNotEqual, r, none);
    sp_id differ = sp_relate(e, SpvOpLogicalNotEqual, sp_relate(e, SpvOpFOrdLessThan, r, none),
                             sp_relate(e, SpvOpFOrdLessThan, o->y, none));
    sp_id up = also(e, o, SOP_ADD, r, o->y), zero = also(e, o, SOP_COPYSIGN, r, o->y);
    return choose(e, o, rest, choose(e, o, differ, up, r), zero);
}

sp_id sp_make_power(sp_emitter *e, const sp_operation *o)
{
    return sp_call(e, o);
}

/* ---- bits ---- */

/* An amount as SPIR-V defines shifts for: below the width. */
static sp_id amount(sp_emitter *e, const sp_operation *o)
{
    uint64_t mask = 8 * (uint64_t)ir_scalar_bytes(o->type) - 1;
    return o->form == FORM_MASKED ? in_type(e, o, SpvOpBitwiseAnd, o->y, constant(e, o, mask))
                                  : o->y;
}

sp_id sp_make_shift(sp_emitter *e, const sp_operation *o)
{
    SpvOp right =
        o->op == SOP_SHR && is_signed(o) ? SpvOpShiftRightArithmetic : SpvOpShiftRightLogical;
    return in_type(e, o, o->op == SOP_SHL ? SpvOpShiftLeftLogical : right, o->x, amount(e, o));
}

/* For sets without a rotation: two shifts, the other one by the rest modulo the width. */
sp_id sp_make_rotate(sp_emitter *e, const sp_operation *o)
{
    sp_operation left = *o, right = *o;
    left.form = right.form = FORM_MASKED;
    right.y = sp_1(e, SpvOpSNegate, sp_scalar(e, o->type), o->y);
    return in_type(e, o, SpvOpBitwiseOr,
                   in_type(e, o, SpvOpShiftLeftLogical, o->x, amount(e, &left)),
                   in_type(e, o, SpvOpShiftRightLogical, o->x, amount(e, &right)));
}

/* Trailing zeros: the ones of (x & -x) - 1, which are all where x is 0. */
sp_id sp_make_trailing(sp_emitter *e, const sp_operation *o)
{
    sp_id lowest =
        in_type(e, o, SpvOpBitwiseAnd, o->x, sp_1(e, SpvOpSNegate, sp_scalar(e, o->type), o->x));
    return also(e, o, SOP_POPCOUNT, in_type(e, o, SpvOpISub, lowest, constant(e, o, 1)), 0);
}

/* ---- signs ---- */

/* A zero and a NaN stay themselves. */
static sp_id sign_of_float(sp_emitter *e, const sp_operation *o)
{
    sp_id none = sp_zero(e, o->type);
    sp_id low =
        choose(e, o, sp_relate(e, SpvOpFOrdLessThan, o->x, none), sp_number(e, o->type, -1), o->x);
    return choose(e, o, sp_relate(e, SpvOpFOrdGreaterThan, o->x, none), sp_number(e, o->type, 1),
                  low);
}

sp_id sp_make_sign(sp_emitter *e, const sp_operation *o)
{
    if (ir_scalar_is_float(o->type))
        return sign_of_float(e, o);
    sp_id none = constant(e, o, 0), one = constant(e, o, 1);
    sp_id low = !is_signed(o) ? none
                              : choose(e, o, sp_relate(e, SpvOpSLessThan, o->x, none),
                                       constant(e, o, ~(uint64_t)0), none);
    SpvOp above = is_signed(o) ? SpvOpSGreaterThan : SpvOpINotEqual;
    return choose(e, o, sp_relate(e, above, o->x, none), one, low);
}

/* The magnitude of what has no sign. */
sp_id sp_make_itself(sp_emitter *e, const sp_operation *o)
{
    (void)e;
    return o->x;
}
