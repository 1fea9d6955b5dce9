/* Which operators on floats are functions of the module: see real.h. */
#include "backends/spirv/real/real.h"

static sr_body *const bodies[SOP_END] = {
    [SOP_POW] = sr_pow,     [SOP_REM] = sr_rem,     [SOP_CBRT] = sr_cbrt,   [SOP_EXP] = sr_exp,
    [SOP_EXP2] = sr_exp2,   [SOP_EXPM1] = sr_expm1, [SOP_LOG] = sr_log,     [SOP_LOG2] = sr_log2,
    [SOP_LOG10] = sr_log10, [SOP_LOG1P] = sr_log1p, [SOP_SIN] = sr_sin,     [SOP_COS] = sr_cos,
    [SOP_TAN] = sr_tan,     [SOP_ASIN] = sr_asin,   [SOP_ACOS] = sr_acos,   [SOP_ATAN] = sr_atan,
    [SOP_SINH] = sr_sinh,   [SOP_COSH] = sr_cosh,   [SOP_TANH] = sr_tanh,   [SOP_ASINH] = sr_asinh,
    [SOP_ACOSH] = sr_acosh, [SOP_ATANH] = sr_atanh, [SOP_ATAN2] = sr_atan2, [SOP_HYPOT] = sr_hypot,
    [SOP_ERF] = sr_erf,
};

sr_body *sr_body_of(opcode op)
{
    return bodies[op];
}

static sp_id as(sp_emitter *e, scalar to, sp_id v)
{
    return v ? sp_1(e, SpvOpFConvert, sp_scalar(e, to), v) : 0;
}

/* What f32 makes of halves is exact, or rounded once more. */
sp_id sp_make_real(sp_emitter *e, const sp_operation *o)
{
    if (o->type != ST_F16)
        return sp_call(e, o);
    sp_operation wide = *o;
    wide.type = ST_F32;
    wide.x = as(e, ST_F32, o->x);
    wide.y = as(e, ST_F32, o->y);
    wide.z = as(e, ST_F32, o->z);
    return as(e, ST_F16, sp_call(e, &wide));
}

sp_id sp_real_body(sp_emitter *e, const sp_operation *o)
{
    bool wide = o->type == ST_F64;
    const sr_function f = {.e = e,
                           .type = o->type,
                           .whole = wide ? ST_I64 : ST_I32,
                           .bits = wide ? ST_U64 : ST_U32,
                           .x = o->x,
                           .y = o->y,
                           .z = o->z};
    return sr_body_of(o->op)(&f);
}
