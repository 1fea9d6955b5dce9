/* What OpenCL C calls the scalar operators that it writes otherwise than C11.  The meaning is
 * ir/scalar/scalar.c's, bit for bit on integers. */
#include "backends/opencl/emit.h"

#define INTEGER(name, b, text)                                                                     \
    {                                                                                              \
        name, FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_##b, text, NULL                                   \
    }
#define REAL(name, text)                                                                           \
    {                                                                                              \
        name, FCL_C_FLOATS, FCL_K_PLAIN, FCL_C_ATOM, text, NULL                                    \
    }
#define QUICK(name, form, text)                                                                    \
    {                                                                                              \
        name, FCL_C_FLOATS, FCL_K_##form, FCL_C_ATOM, text, NULL                                   \
    }
#define NATIVE(name) QUICK(name, FAST, "native_" name "($1e)")
#define HELPED(name, body)                                                                         \
    {                                                                                              \
        name, FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_ATOM, "$h($1e)", body                             \
    }

/* NVIDIA's native_rsqrt takes care of numbers below the least normal one, which are three
 * instructions beside the one that it takes. */
#define NATIVE_RSQRT                                                                               \
    "#ifdef __NV_CL_C_VERSION\n"                                                                   \
    "    float y;\n"                                                                               \
    "    asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"                           \
    "    return y;\n"                                                                              \
    "#else\n"                                                                                      \
    "    return native_rsqrt(x);\n"                                                                \
    "#endif\n"

const fcl_c_operator opencl_operators[] = {
    INTEGER("abs", UNARY, "($T)abs($1e)"),
    INTEGER("min", ATOM, "min($1e, $2e)"),
    REAL("min", "fmin($1e, $2e)"),
    INTEGER("max", ATOM, "max($1e, $2e)"),
    REAL("max", "fmax($1e, $2e)"),
    INTEGER("mulhi", ATOM, "mul_hi($1e, $2e)"),
    INTEGER("rotl", ATOM, "rotate($1e, $2e)"),
    INTEGER("popcount", ATOM, "popcount($1e)"),
    INTEGER("clz", ATOM, "clz($1e)"),
    HELPED("ctz", "    return ($T)popcount(($V)((($W)x & (0 - ($W)x)) - 1));\n"),
    REAL("rsqrt", "rsqrt($1e)"),
    NATIVE("sqrt"),
    {"rsqrt", FCL_C_FLOATS, FCL_K_FAST, FCL_C_ATOM, "$h($1e)", NATIVE_RSQRT},
    NATIVE("exp"),
    NATIVE("exp2"),
    NATIVE("log"),
    NATIVE("log2"),
    NATIVE("log10"),
    NATIVE("sin"),
    NATIVE("cos"),
    NATIVE("tan"),
    QUICK("fdiv", FAST, "native_divide($1e, $2e)"),
    QUICK("fdiv", RECIPROCAL, "native_recip($2e)"),
    QUICK("pow", FAST, "native_powr($1e, $2e)"),
    {0},
};
