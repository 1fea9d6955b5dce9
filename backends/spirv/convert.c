/* Conversions between scalar types: see emit.h. */
#include "backends/spirv/emit.h"

#include "ir/scalar/scalar.h"

#include <math.h>

static bool is_signed(scalar t)
{
    return ir_scalar_class(t) == 'I';
}

/* Where a sign that is spread by an instruction is compared wrongly: (v ^ 2^31) - 2^31 of what is
 * filled up with zeros. */
static sp_id spread_sign(sp_emitter *e, scalar to, sp_id v)
{
    enum { SIGN = 31 };
    sp_id type = sp_scalar(e, to), sign = sp_const(e, to, (uint64_t)1 << SIGN);
    sp_id wide = sp_1(e, SpvOpUConvert, type, v);
    return sp_2(e, SpvOpISub, type, sp_2(e, SpvOpBitwiseXor, type, wide, sign), sign);
}

/* Integers of one width are of one type. */
sp_id sp_resize(sp_emitter *e, scalar to, scalar from, sp_id v)
{
    uint32_t bytes = ir_scalar_bytes(to), had = ir_scalar_bytes(from);
    bool spreads = bytes > had && is_signed(from);
    if (bytes == had)
        return v;
    if (spreads && had == 4 && e->p->target.quirks & QUIRK_WIDENED_COMPARES)
        return spread_sign(e, to, v);
    return sp_1(e, spreads ? SpvOpSConvert : SpvOpUConvert, sp_scalar(e, to), v);
}

/* ---- from floats to integers ---- */

/* The nearest integer, of NaN 0.  What is beyond the type's range is undefined in SPIR-V, so its
 * ends are asked for: the upper one is the first power of two that the type has not. */
static sp_id to_integer(sp_emitter *e, scalar to, scalar from, sp_id v)
{
    sp_id type = sp_scalar(e, to);
    int width = (int)ir_scalar_bytes(to) * 8;
    double end = ldexp(1, width - is_signed(to)), least = is_signed(to) ? -end : 0;
    sp_id cut = sp_1(e, is_signed(to) ? SpvOpConvertFToS : SpvOpConvertFToU, type, v);
    sp_id above = sp_relate(e, SpvOpFOrdGreaterThanEqual, v, sp_number(e, from, end)),
          below = sp_relate(e, SpvOpFOrdLessThanEqual, v, sp_number(e, from, least)),
          none = sp_1(e, SpvOpIsNan, sp_scalar(e, ST_BOOL), v);
    uint64_t most = ~(uint64_t)0 >> (64 - width + is_signed(to));
    sp_id low = sp_3(e, SpvOpSelect, type, below, sp_const(e, to, is_signed(to) ? ~most : 0), cut);
    sp_id both = sp_3(e, SpvOpSelect, type, above, sp_const(e, to, most), low);
    return sp_3(e, SpvOpSelect, type, none, sp_zero(e, to), both);
}

static sp_id from_float(sp_emitter *e, scalar to, scalar from, sp_id v)
{
    switch (ir_scalar_class(to)) {
    case 'B': return sp_relate(e, SpvOpFUnordNotEqual, v, sp_zero(e, from));
    case 'F': return sp_1(e, SpvOpFConvert, sp_scalar(e, to), v);
    default: return to_integer(e, to, from, v);
    }
}

/* ---- the others ---- */

static sp_id from_integer(sp_emitter *e, scalar to, scalar from, sp_id v)
{
    switch (ir_scalar_class(to)) {
    case 'B': return sp_relate(e, SpvOpINotEqual, v, sp_zero(e, from));
    case 'F':
        return sp_1(e, is_signed(from) ? SpvOpConvertSToF : SpvOpConvertUToF, sp_scalar(e, to), v);
    default: return sp_resize(e, to, from, v);
    }
}

static sp_id from_bool(sp_emitter *e, scalar to, sp_id v)
{
    return sp_3(e, SpvOpSelect, sp_scalar(e, to), v, sp_number(e, to, 1), sp_zero(e, to));
}

sp_id sp_convert(sp_emitter *e, const k_node *n)
{
    scalar to = (scalar)n->type, from = (scalar)k_at(e->p, n->args[0])->type;
    sp_id v = sp_value(e, n->args[0]);
    if (to == from)
        return v;
    if (sp_held(e, to) != to) /* the only one that is left then: see the pass halves */
        return e->environment->narrow_half(e, v);
    if (sp_held(e, from) != from)
        return e->environment->widen_half(e, v);
    switch (ir_scalar_class(from)) {
    case 'B': return from_bool(e, to, v);
    case 'F': return from_float(e, to, from, v);
    default: return from_integer(e, to, from, v);
    }
}

/* A bool has no bits to reinterpret; 0 and 1 stand for it. */
sp_id sp_bitcast(sp_emitter *e, const k_node *n)
{
    scalar to = sp_held(e, (scalar)n->type), from = sp_type_of(e, n->args[0]);
    sp_id v = sp_value(e, n->args[0]);
    if (from == ST_BOOL)
        return to == ST_BOOL ? v : from_bool(e, to, v);
    if (to == ST_BOOL)
        return sp_relate(e, SpvOpINotEqual,
                         sp_2(e, SpvOpBitwiseAnd, sp_scalar(e, from), v, sp_const(e, from, 1)),
                         sp_zero(e, from));
    return sp_scalar(e, to) == sp_scalar(e, from) ? v : sp_1(e, SpvOpBitcast, sp_scalar(e, to), v);
}
