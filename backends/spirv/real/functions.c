/* Which operators on floats are functions of the module: see real.h. */
#include "backends/spirv/real/real.h"

static sr_body *const bodies[SOP_END] = {
    [SOP_POW] = sr_pow,     [SOP_REM] = sr_rem,     [SOP_CBRT] = sr_cbrt,   [SOP_EXP] = sr_exp,
    [SOP_EXP2] = sr_exp2,   [SOP_EXPM1] = sr_expm1, [SOP_LOG] = sr_log,     [SOP_LOG2] = sr_log2,
    [SOP_LOG10] = sr_log10, [SOP_LOG1P] = sr_log1p, [SOP_SIN] = sr_sin,     [SOP_COS] = sr_cos,
    [SOP_TAN] = sr_tan,     [SOP_ASIN] = sr_asin,   [SOP_ACOS] = sr_acos,   [SOP_ATAN] = sr_atan,
    [SOP_SINH] = sr_sinh,   [SOP_COSH] = sr_cosh,   [SOP_TANH] = sr_tanh,   [SOP_ASINH] = sr_asinh,
    [SOP_ACOSH] = sr_acosh, [SOP_ATANH] = sr_atanh, [SOP_ATAN2] = sr_atan2, [SOP_HYPOT] = sr_hypot,
    [SOP_ERF] = sr_erf,     [SOP_FMA] = sr_fma,
};

sr_body *sr_body_of(opcode op)
{
    return bodies[op];
}

/* Halves do not come here: the pass halves computes them in f32. */
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
