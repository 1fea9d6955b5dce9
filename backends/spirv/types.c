/* Types and constants of a module: see emit.h. */
#include "backends/spirv/emit.h"

#include "ir/scalar/scalar.h"

sp_id sp_void(sp_emitter *e)
{
    return sp_once(e->s, SP_GLOBALS, SpvOpTypeVoid, 0, NULL, 0);
}

/* Integers have no sign: operators do. */
static sp_id integer_type(sp_emitter *e, uint32_t bytes)
{
    if (bytes == 1)
        sp_require(e->s, SpvCapabilityInt8);
    if (bytes == 2)
        sp_require(e->s, SpvCapabilityInt16);
    if (bytes == 8)
        sp_require(e->s, SpvCapabilityInt64);
    return sp_once(e->s, SP_GLOBALS, SpvOpTypeInt, 0, SP_WORDS(8 * bytes, 0));
}

static sp_id float_type(sp_emitter *e, uint32_t bytes)
{
    if (bytes == 2)
        sp_require(e->s, SpvCapabilityFloat16);
    if (bytes == 8)
        sp_require(e->s, SpvCapabilityFloat64);
    return sp_once(e->s, SP_GLOBALS, SpvOpTypeFloat, 0, SP_WORDS(8 * bytes));
}

sp_id sp_scalar(sp_emitter *e, scalar t)
{
    scalar held = sp_held(e, t);
    uint32_t bytes = ir_scalar_bytes(held);
    switch (ir_scalar_class(held)) {
    case 'B': return sp_once(e->s, SP_GLOBALS, SpvOpTypeBool, 0, NULL, 0);
    case 'F': return float_type(e, bytes);
    default: return integer_type(e, bytes);
    }
}

scalar sp_kept(const sp_emitter *e, scalar t)
{
    static const scalar naturals[] = {[1] = ST_U8, [2] = ST_U16, [4] = ST_U32, [8] = ST_U64};
    return t == ST_BOOL                 ? ST_U8
           : e->environment->keeps_bits ? naturals[ir_scalar_bytes(t)]
                                        : sp_held(e, t);
}

sp_id sp_stored(sp_emitter *e, scalar t)
{
    return sp_scalar(e, sp_kept(e, t));
}

sp_id sp_vector(sp_emitter *e, sp_id of, uint32_t n)
{
    if (n > 4)
        sp_require(e->s, SpvCapabilityVector16);
    return sp_once(e->s, SP_GLOBALS, SpvOpTypeVector, 0, SP_WORDS(of, n));
}

sp_id sp_array(sp_emitter *e, sp_id of, uint64_t n)
{
    return sp_once(e->s, SP_GLOBALS, SpvOpTypeArray, 0, SP_WORDS(of, sp_u32(e, (uint32_t)n)));
}

sp_id sp_pointer(sp_emitter *e, SpvStorageClass storage, sp_id to)
{
    return sp_once(e->s, SP_GLOBALS, SpvOpTypePointer, 0, SP_WORDS(storage, to));
}

/* ---- constants ---- */

/* Narrow ones fill a word with zeros; wide ones take two, the lower one first. */
sp_id sp_const(sp_emitter *e, scalar t, uint64_t bits)
{
    scalar held = sp_held(e, t);
    sp_id type = sp_scalar(e, held);
    uint32_t bytes = ir_scalar_bytes(held), low = (uint32_t)bits, high = (uint32_t)(bits >> 32);
    if (held == ST_BOOL)
        return sp_once(e->s, SP_GLOBALS, bits ? SpvOpConstantTrue : SpvOpConstantFalse, type, NULL,
                       0);
    if (bytes < 4)
        low &= (1u << 8 * bytes) - 1;
    return sp_once(e->s, SP_GLOBALS, SpvOpConstant, type, (uint32_t[]){low, high},
                   bytes == 8 ? 2 : 1);
}

sp_id sp_u32(sp_emitter *e, uint32_t x)
{
    return sp_const(e, ST_U32, x);
}

sp_id sp_number(sp_emitter *e, scalar t, double x)
{
    return sp_const(e, t, scalar_from_double(t, x));
}

sp_id sp_zero(sp_emitter *e, scalar t)
{
    return sp_const(e, t, 0);
}
