/* Operators that neither SPIR-V nor GLSL.std.450 has an instruction for, or has it for 32 bits
 * alone: see sequences.c. */
#include "backends/spirv/emit.h"

#include "ir/scalar/scalar.h"

#include <spirv/unified1/GLSL.std.450.h>

static bool is_signed(const sp_operation *o)
{
    return ir_scalar_class(o->type) == 'I';
}

static uint32_t width_of(const sp_operation *o)
{
    return 8 * ir_scalar_bytes(o->type);
}

static sp_id type_of(sp_emitter *e, const sp_operation *o)
{
    return sp_scalar(e, o->type);
}

static sp_id choose(sp_emitter *e, const sp_operation *o, sp_id test, sp_id yes, sp_id no)
{
    return sp_3(e, SpvOpSelect, type_of(e, o), test, yes, no);
}

/* ---- integers ---- */

sp_id sp_make_magnitude(sp_emitter *e, const sp_operation *o)
{
    sp_id below = sp_relate(e, SpvOpSLessThan, o->x, sp_zero(e, o->type));
    return choose(e, o, below, sp_1(e, SpvOpSNegate, type_of(e, o), o->x), o->x);
}

sp_id sp_make_extreme(sp_emitter *e, const sp_operation *o)
{
    sp_id less = sp_relate(e, is_signed(o) ? SpvOpSLessThan : SpvOpULessThan, o->x, o->y);
    bool least = o->op == SOP_MIN;
    return choose(e, o, less, least ? o->x : o->y, least ? o->y : o->x);
}

/* Of what fits into half a word, the product in 32 bits. */
static sp_id high_of_narrow(sp_emitter *e, const sp_operation *o)
{
    scalar wide = is_signed(o) ? ST_I32 : ST_U32;
    sp_id product = sp_2(e, SpvOpIMul, sp_scalar(e, wide), sp_resize(e, wide, o->type, o->x),
                         sp_resize(e, wide, o->type, o->y));
    sp_id high =
        sp_2(e, SpvOpShiftRightLogical, sp_scalar(e, wide), product, sp_u32(e, width_of(o)));
    return sp_resize(e, o->type, wide, high);
}

sp_id sp_make_high(sp_emitter *e, const sp_operation *o)
{
    if (width_of(o) < 32)
        return high_of_narrow(e, o);
    sp_id type = type_of(e, o);
    sp_id pair = sp_once(e->s, SP_GLOBALS, SpvOpTypeStruct, 0, SP_WORDS(type, type));
    sp_id both = sp_2(e, is_signed(o) ? SpvOpSMulExtended : SpvOpUMulExtended, pair, o->x, o->y);
    return sp_2(e, SpvOpCompositeExtract, type, both, 1);
}

/* ---- bits: Vulkan counts in 32 of them ---- */

static sp_id upper_half(sp_emitter *e, const sp_operation *o)
{
    sp_id high = sp_2(e, SpvOpShiftRightLogical, type_of(e, o), o->x, sp_u32(e, 32));
    return sp_1(e, SpvOpUConvert, sp_scalar(e, ST_U32), high);
}

/* The lower 32 bits, those above a narrower type zero. */
static sp_id lower_half(sp_emitter *e, const sp_operation *o)
{
    return width_of(o) == 32 ? o->x : sp_1(e, SpvOpUConvert, sp_scalar(e, ST_U32), o->x);
}

static sp_id count_as(sp_emitter *e, const sp_operation *o, sp_id count)
{
    return width_of(o) == 32 ? count : sp_1(e, SpvOpUConvert, type_of(e, o), count);
}

sp_id sp_make_count(sp_emitter *e, const sp_operation *o)
{
    sp_id whole = sp_scalar(e, ST_U32), count = sp_1(e, SpvOpBitCount, whole, lower_half(e, o));
    if (width_of(o) == 64)
        count = sp_2(e, SpvOpIAdd, whole, count, sp_1(e, SpvOpBitCount, whole, upper_half(e, o)));
    return count_as(e, o, count);
}

/* Of none the highest bit is -1. */
static sp_id leading(sp_emitter *e, sp_id x, uint32_t from)
{
    sp_id whole = sp_scalar(e, ST_U32);
    sp_id highest = sp_extended(e, whole, GLSLstd450FindUMsb, &x, 1);
    return sp_2(e, SpvOpISub, whole, sp_u32(e, from - 1), highest);
}

sp_id sp_make_leading(sp_emitter *e, const sp_operation *o)
{
    sp_id low = leading(e, lower_half(e, o), width_of(o));
    if (width_of(o) == 64) {
        sp_id half = upper_half(e, o), none = sp_relate(e, SpvOpIEqual, half, sp_u32(e, 0));
        low = sp_3(e, SpvOpSelect, sp_scalar(e, ST_U32), none, low, leading(e, half, 32));
    }
    return count_as(e, o, low);
}

/* ---- floats ---- */

/* |x|, or the opposite where y has a sign.  Masks would do as well, but lavapipe 22.3 takes that of
 * a double's sign for another one in larger kernels. */
static sp_id with_sign(sp_emitter *e, const sp_operation *o, sp_id x, sp_id y)
{
    scalar whole = o->type == ST_F64 ? ST_I64 : o->type == ST_F32 ? ST_I32 : ST_I16;
    const sp_operation size = {.op = SOP_ABS, .type = o->type, .x = x};
    sp_id bits = sp_1(e, SpvOpBitcast, sp_scalar(e, whole), y), all = sp_operate(e, &size);
    sp_id below = sp_relate(e, SpvOpSLessThan, bits, sp_zero(e, whole));
    return choose(e, o, below, sp_1(e, SpvOpFNegate, type_of(e, o), all), all);
}

sp_id sp_make_copysign(sp_emitter *e, const sp_operation *o)
{
    return with_sign(e, o, o->x, o->y);
}

static sp_id also(sp_emitter *e, const sp_operation *o, opcode op, sp_id x, sp_id y)
{
    const sp_operation other = {.op = op, .type = o->type, .x = x, .y = y};
    return sp_operate(e, &other);
}

/* Halves go away from zero, where Vulkan leaves them to the device. */
sp_id sp_make_round(sp_emitter *e, const sp_operation *o)
{
    sp_id x = also(e, o, SOP_ABS, o->x, 0), whole = also(e, o, SOP_TRUNC, x, 0);
    sp_id rest = also(e, o, SOP_SUB, x, whole);
    sp_id up = sp_relate(e, SpvOpFOrdGreaterThanEqual, rest, sp_number(e, o->type, 0.5));
    sp_id more = also(e, o, SOP_ADD, whole, sp_number(e, o->type, 1));
    return with_sign(e, o, choose(e, o, up, more, whole), o->x);
}

/* Devices with an operation that rounds once have it here; others are a quirk. */
sp_id sp_make_fused(sp_emitter *e, const sp_operation *o)
{
    if (e->p->target.quirks & QUIRK_UNFUSED_FMA)
        return sp_call(e, o);
    return sp_extended(e, type_of(e, o), GLSLstd450Fma, SP_WORDS(o->x, o->y, o->z));
}
