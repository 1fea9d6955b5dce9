/* Between the bits of an f16 and an f32, where there is no arithmetic in f16: by integers, since
 * Vulkan lets a device flush subnormal f16 and round as it likes (Intel's GPUs and AMD's do).
 *
 * The exponents of the two differ by 112.  Subnormal f16 are normal f32: their digits stand in the
 * lowest bits of a sum with a power of two, which is rounded as every sum. */
#include "backends/spirv/emit.h"

enum {
    DIGITS = 13,                /* that an f32 has more than an f16 */
    SIGNS = 16,                 /* between the one's sign and the other's */
    REBIAS = 112 << 23,         /* of an f32's exponent */
    LEAST = 113 << 23,          /* 2^-14, the least normal f16, as an f32 */
    HALF = 126 << 23,           /* 0.5, of which the last digit is worth as much as an f16's last */
    SPECIAL = 31 << 23,         /* the exponent of infinity and NaN, where the digits are an f32's */
    INFINITE = 255 << 23,       /* as an f32 */
    NARROW_INFINITE = 31 << 10, /* as an f16 */
    NARROW_NAN = 63 << 9,
    NARROW_NORMAL = 1 << 23, /* the first exponent, where the digits are an f32's */
};

static sp_id on_words(sp_emitter *e, SpvOp op, sp_id x, uint32_t y)
{
    return sp_2(e, op, sp_scalar(e, ST_U32), x, sp_u32(e, y));
}

static sp_id plus(sp_emitter *e, sp_id x, sp_id y)
{
    return sp_2(e, SpvOpIAdd, sp_scalar(e, ST_U32), x, y);
}

static sp_id choose(sp_emitter *e, sp_id test, sp_id yes, sp_id no)
{
    return sp_3(e, SpvOpSelect, sp_scalar(e, ST_U32), test, yes, no);
}

static sp_id is_less(sp_emitter *e, sp_id x, uint32_t y)
{
    return sp_relate(e, SpvOpULessThan, x, sp_u32(e, y));
}

/* The bits of what an operator makes of floats, given by their bits. */
static sp_id by_floats(sp_emitter *e, opcode op, sp_id x, uint32_t y)
{
    sp_id type = sp_scalar(e, ST_F32);
    const sp_operation o = {.op = op,
                            .type = ST_F32,
                            .x = sp_1(e, SpvOpBitcast, type, x),
                            .y = sp_const(e, ST_F32, y)};
    return sp_1(e, SpvOpBitcast, sp_scalar(e, ST_U32), sp_operate(e, &o));
}

sp_id sp_half_widened(sp_emitter *e, sp_id bits)
{
    sp_id all = sp_resize(e, ST_U32, ST_U16, bits);
    sp_id sign =
        on_words(e, SpvOpShiftLeftLogical, on_words(e, SpvOpBitwiseAnd, all, 0x8000), SIGNS);
    sp_id rest =
        on_words(e, SpvOpShiftLeftLogical, on_words(e, SpvOpBitwiseAnd, all, 0x7fff), DIGITS);
    sp_id subnormal =
        by_floats(e, SOP_SUB, on_words(e, SpvOpIAdd, rest, LEAST), (uint32_t)LEAST);
    sp_id normal = choose(e, is_less(e, rest, SPECIAL), on_words(e, SpvOpIAdd, rest, REBIAS),
                          on_words(e, SpvOpBitwiseOr, rest, INFINITE));
    sp_id size = choose(e, is_less(e, rest, NARROW_NORMAL), subnormal, normal);
    return sp_1(e, SpvOpBitcast, sp_scalar(e, ST_F32),
                sp_2(e, SpvOpBitwiseOr, sp_scalar(e, ST_U32), size, sign));
}

/* To nearest, of two equally near ones the even one; a carry goes into the exponent, and beyond the
 * last one is infinity. */
static sp_id rounded(sp_emitter *e, sp_id rest)
{
    sp_id odd =
        on_words(e, SpvOpBitwiseAnd, on_words(e, SpvOpShiftRightLogical, rest, DIGITS), 1);
    uint32_t half = (1u << (DIGITS - 1)) - 1 - REBIAS;
    sp_id sum = plus(e, on_words(e, SpvOpIAdd, rest, half), odd);
    sp_id cut = on_words(e, SpvOpShiftRightLogical, sum, DIGITS);
    return choose(e, is_less(e, cut, NARROW_INFINITE), cut, sp_u32(e, NARROW_INFINITE));
}

sp_id sp_half_narrowed(sp_emitter *e, sp_id value)
{
    sp_id all = sp_1(e, SpvOpBitcast, sp_scalar(e, ST_U32), value);
    sp_id sign =
        on_words(e, SpvOpBitwiseAnd, on_words(e, SpvOpShiftRightLogical, all, SIGNS), 0x8000);
    sp_id rest = on_words(e, SpvOpBitwiseAnd, all, 0x7fffffff);
    sp_id subnormal =
        on_words(e, SpvOpISub, by_floats(e, SOP_ADD, rest, (uint32_t)HALF), HALF);
    sp_id number = choose(e, is_less(e, rest, LEAST), subnormal, rounded(e, rest));
    sp_id size = choose(e, is_less(e, rest, INFINITE + 1u), number, sp_u32(e, NARROW_NAN));
    return sp_resize(e, ST_U16, ST_U32,
                     sp_2(e, SpvOpBitwiseOr, sp_scalar(e, ST_U32), size, sign));
}
