/* What OpenCL C calls the scalar operators that C has no name for, and its table of all of them:
 * see backends/c/language.h.  The meaning is ir/scalar/scalar.c's, bit for bit on integers. */
#define FAST1(name)     CALL1(name), .of[FORM_FAST] = FORM(ATOM, "native_" name "($1e)")
#define FAST_DIVIDE     "native_divide($1e, $2e)"
#define FAST_RECIPROCAL "native_recip($2e)"
#define FAST_POWER      "native_powr($1e, $2e)"
#include "backends/c/forms.h"
#include "backends/opencl/emit.h"

#define C_ABS   INTEGER(UNARY, "($T)abs($1e)"), CALL1("fabs")
#define C_MIN   INTEGER(ATOM, "min($1e, $2e)"), CALL2("fmin")
#define C_MAX   INTEGER(ATOM, "max($1e, $2e)"), CALL2("fmax")
#define C_MULHI INTEGER(ATOM, "mul_hi($1e, $2e)")

#define C_ROTL     INTEGER(ATOM, "rotate($1e, $2e)")
#define C_POPCOUNT INTEGER(ATOM, "popcount($1e)")
#define C_CLZ      INTEGER(ATOM, "clz($1e)")
#define LOW_BITS   "    return ($T)popcount(($V)((($W)x & (0 - ($W)x)) - 1));\n"
#define C_CTZ      INTEGER(ATOM, "$h($1e)"), .help_signed = LOW_BITS, .help_unsigned = LOW_BITS

#define C_RSQRT FAST1("rsqrt")

/* A row of scalars.def without its C_ macro does not compile. */
const c_operator opencl_operators[SOP_END] = {
#define SCALAROP(e, ...) [SOP_##e] = {C_##e},
#include "ir/scalars.def"
#undef SCALAROP
};
