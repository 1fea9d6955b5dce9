/* The table of operators and types in OpenCL C: see operators.h.  The meaning is
 * ir/scalar/scalar.c's, bit for bit on integers. */
#include "backends/opencl/operators.h"

#include "ir/scalar/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- types ---- */

const char *cl_type(scalar t)
{
    return ir_scalar_info(t)->c_name;
}

/* A bool has no size that C promises: a byte stands for it. */
const char *cl_memory_type(scalar t)
{
    return ir_scalar_class(t) == 'B' ? cl_unsigned_type(t) : cl_type(t);
}

const char *cl_unsigned_type(scalar t)
{
    return cl_type((scalar)ir_scalar_info(t)->bits);
}

/* C computes in int what is narrower. */
const char *cl_wide_type(scalar t)
{
    return cl_type(ir_scalar_bytes(t) > 4 ? ST_U64 : ST_U32);
}

bool cl_is_small(scalar t)
{
    char c = ir_scalar_class(t);
    return (c == 'I' || c == 'U') && ir_scalar_bytes(t) < 4;
}

/* ---- operators ---- */

#define FORM(b, t)                                                                                 \
    {                                                                                              \
        BIND_##b, t                                                                                \
    }
/* The same text for integers and floats; integers need nothing proved. */
#define NUMBERS(b, t) .plain = FORM(b, t), .real = FORM(b, t)
#define RELATION(t)   NUMBERS(REL, t), .logical = FORM(REL, t)
#define INTEGER(b, t) .plain = FORM(b, t)
#define WRAPPING(b, t, wrapping)                                                                   \
    .proof = PROOF_EXACT, .plain = FORM(b, t), .careful = FORM(UNARY, wrapping), .real = FORM(b, t)
#define SHIFTING(t, masked)                                                                        \
    .proof = PROOF_SHIFT, .plain = FORM(UNARY, t), .careful = FORM(UNARY, masked)
#define CALL1(name) .real = FORM(ATOM, name "($1e)")
/* With a native function, which f32 uses where fast is better than exact. */
#define FAST1(name) CALL1(name), .fast = FORM(ATOM, "native_" name "($1e)")
#define CALL2(name) .real = FORM(ATOM, name "($1e, $2e)")
#define CALL3(name) .real = FORM(ATOM, name "($1e, $2e, $3e)")
#define HELP2       FORM(ATOM, "$h($1e, $2e)")
#define HELP1       FORM(ATOM, "$h($1e)")

#define SAFE_UNSIGNED_DIV "    return y == 0 ? 0 : x / y;\n"
#define SAFE_UNSIGNED_REM "    return y == 0 ? x : x % y;\n"

#define CL_ADD WRAPPING(ADD, "$1a + $2m", "($T)(($W)$1u + ($W)$2u)")
#define CL_SUB WRAPPING(ADD, "$1a - $2m", "($T)(($W)$1u - ($W)$2u)")
#define CL_MUL WRAPPING(MUL, "$1m * $2u", "($T)(($W)$1u * ($W)$2u)")
#define CL_NEG WRAPPING(UNARY, "-$1p", "($T)(0 - ($W)$1u)")
/* Unsigned division is the cheaper one. */
#define NATURAL_DIV                                                                                \
    .natural = FORM(UNARY, "($T)(($W)$1u / ($W)$2u)"), .natural_power = FORM(OTHER, "$1u >> $K")
#define NATURAL_REM                                                                                \
    .natural = FORM(UNARY, "($T)(($W)$1u % ($W)$2u)"), .natural_power = FORM(OTHER, "$1u & $M")
#define CL_DIV                                                                                     \
    .proof = PROOF_FLOOR, .plain = FORM(MUL, "$1m / $2u"), .careful = HELP2,                       \
    .power = FORM(OTHER, "$1u >> $K"), NATURAL_DIV,                                                \
    .help_signed = "    if (y == 0)\n"                                                             \
                   "        return 0;\n"                                                           \
                   "    if (y == -1)\n"                                                            \
                   "        return ($T)(0 - ($W)x);\n"                                             \
                   "    return ($T)(x / y - (x % y != 0 && (x < 0) != (y < 0)));\n",               \
    .help_unsigned = SAFE_UNSIGNED_DIV
#define CL_MOD                                                                                     \
    .proof = PROOF_FLOOR, .plain = FORM(MUL, "$1m % $2u"), .careful = HELP2,                       \
    .power = FORM(OTHER, "$1u & $M"), NATURAL_REM, .real = HELP2,                                  \
    .help_signed = "    if (y == 0)\n"                                                             \
                   "        return x;\n"                                                           \
                   "    if (y == -1)\n"                                                            \
                   "        return 0;\n"                                                           \
                   "    $T r = ($T)(x % y);\n"                                                     \
                   "    return r != 0 && (r < 0) != (y < 0) ? ($T)(r + y) : r;\n",                 \
    .help_unsigned = SAFE_UNSIGNED_REM,                                                            \
    .help_real = "    $T r = fmod(x, y);\n"                                                        \
                 "    if (r != 0 && (r < 0) != (y < 0))\n"                                         \
                 "        return r + y;\n"                                                         \
                 "    return r != 0 ? r : copysign(r, y);\n"
#define CL_QUOT                                                                                    \
    .proof = PROOF_TRUNC, .plain = FORM(MUL, "$1m / $2u"), .careful = HELP2, NATURAL_DIV,          \
    .help_signed = "    if (y == 0)\n"                                                             \
                   "        return 0;\n"                                                           \
                   "    return y == -1 ? ($T)(0 - ($W)x) : ($T)(x / y);\n",                        \
    .help_unsigned = SAFE_UNSIGNED_DIV
#define CL_REM                                                                                     \
    .proof = PROOF_TRUNC, .plain = FORM(MUL, "$1m % $2u"), .careful = HELP2, NATURAL_REM,          \
    CALL2("fmod"),                                                                                 \
    .help_signed = "    if (y == 0)\n"                                                             \
                   "        return x;\n"                                                           \
                   "    return y == -1 ? 0 : ($T)(x % y);\n",                                      \
    .help_unsigned = SAFE_UNSIGNED_REM
#define CL_FDIV                                                                                    \
    .real = FORM(MUL, "$1m / $2u"), .fast = FORM(ATOM, "native_divide($1e, $2e)"),                 \
    .fast_one = FORM(ATOM, "native_recip($2e)")
#define CL_ABS INTEGER(UNARY, "($T)abs($1e)"), CALL1("fabs")
#define CL_SIGN                                                                                    \
    NUMBERS(ATOM, "$h($1e)"), .help_signed = "    return ($T)((x > 0) - (x < 0));\n",              \
                              .help_unsigned = "    return x != 0;\n",                             \
                              .help_real = "    return x > 0 ? 1 : x < 0 ? -1 : x;\n"
#define CL_MIN INTEGER(ATOM, "min($1e, $2e)"), CALL2("fmin")
#define CL_MAX INTEGER(ATOM, "max($1e, $2e)"), CALL2("fmax")
#define POWER_LOOP                                                                                 \
    "    $W r = 1, b = ($W)x;\n"                                                                   \
    "    for (; y != 0; y >>= 1, b *= b)\n"                                                        \
    "        if ((y & 1) != 0)\n"                                                                  \
    "            r *= b;\n"                                                                        \
    "    return ($T)r;\n"
#define CL_POW                                                                                     \
    INTEGER(ATOM, "$h($1e, $2e)"), CALL2("pow"),                                                   \
        .fast = FORM(ATOM, "native_powr($1e, $2e)"),                                               \
        .help_signed =                                                                             \
            "    if (y < 0)\n"                                                                     \
            "        return x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0;\n" POWER_LOOP,     \
        .help_unsigned = POWER_LOOP
#define CL_MULHI INTEGER(ATOM, "mul_hi($1e, $2e)")

#define CL_AND INTEGER(OTHER, "$1u & $2u"), .logical = FORM(OTHER, "$1r && $2r")
#define CL_OR  INTEGER(OTHER, "$1u | $2u"), .logical = FORM(OTHER, "$1r || $2r")
#define CL_XOR INTEGER(OTHER, "$1u ^ $2u"), .logical = FORM(REL, "$1a != $2a")
#define CL_NOT INTEGER(UNARY, "~$1u"), .logical = FORM(UNARY, "!$1u")
#define CL_SHL SHIFTING("($T)(($W)$1u << $2u)", "($T)(($W)$1u << ($2u & $B))")
#define CL_SHR                                                                                     \
    .proof = PROOF_SHIFT, .plain = FORM(OTHER, "$1u >> $2u"),                                      \
    .careful = FORM(OTHER, "$1u >> ($2u & $B)")
#define CL_LSHR     SHIFTING("($T)(($V)$1u >> $2u)", "($T)(($V)$1u >> ($2u & $B))")
#define CL_ROTL     INTEGER(ATOM, "rotate($1e, $2e)")
#define CL_POPCOUNT INTEGER(ATOM, "popcount($1e)")
#define CL_CLZ      INTEGER(ATOM, "clz($1e)")
#define LOW_BITS    "    return ($T)popcount(($V)((($W)x & (0 - ($W)x)) - 1));\n"
#define CL_CTZ      INTEGER(ATOM, "$h($1e)"), .help_signed = LOW_BITS, .help_unsigned = LOW_BITS

#define CL_EQ     RELATION("$1a == $2a")
#define CL_NE     RELATION("$1a != $2a")
#define CL_LT     RELATION("$1a < $2a")
#define CL_LE     RELATION("$1a <= $2a")
#define CL_GT     RELATION("$1a > $2a")
#define CL_GE     RELATION("$1a >= $2a")
#define CL_SELECT NUMBERS(OTHER, "$1r ? $2a : $3a"), .logical = FORM(OTHER, "$1r ? $2a : $3a")
#define CL_ISNAN  .real = FORM(REL, "isnan($1e) != 0")
#define CL_ISINF  .real = FORM(REL, "isinf($1e) != 0")

#define CL_SQRT     FAST1("sqrt")
#define CL_RSQRT    FAST1("rsqrt")
#define CL_CBRT     CALL1("cbrt")
#define CL_EXP      FAST1("exp")
#define CL_EXP2     FAST1("exp2")
#define CL_EXPM1    CALL1("expm1")
#define CL_LOG      FAST1("log")
#define CL_LOG2     FAST1("log2")
#define CL_LOG10    FAST1("log10")
#define CL_LOG1P    CALL1("log1p")
#define CL_SIN      FAST1("sin")
#define CL_COS      FAST1("cos")
#define CL_TAN      FAST1("tan")
#define CL_ASIN     CALL1("asin")
#define CL_ACOS     CALL1("acos")
#define CL_ATAN     CALL1("atan")
#define CL_SINH     CALL1("sinh")
#define CL_COSH     CALL1("cosh")
#define CL_TANH     CALL1("tanh")
#define CL_ASINH    CALL1("asinh")
#define CL_ACOSH    CALL1("acosh")
#define CL_ATANH    CALL1("atanh")
#define CL_ATAN2    CALL2("atan2")
#define CL_HYPOT    CALL2("hypot")
#define CL_ERF      CALL1("erf")
#define CL_FMA      CALL3("fma")
#define CL_COPYSIGN CALL2("copysign")
#define CL_FLOOR    CALL1("floor")
#define CL_CEIL     CALL1("ceil")
#define CL_TRUNC    CALL1("trunc")
#define CL_ROUND    CALL1("round")
#define CL_RINT     CALL1("rint")

/* A row of scalars.def without its CL_ macro does not compile. */
static const cl_operator operators[SOP_END] = {
#define SCALAROP(e, ...) [SOP_##e] = {CL_##e},
#include "ir/scalars.def"
#undef SCALAROP
};

const cl_operator *cl_operator_of(opcode op)
{
    return &operators[op < SOP_END ? op : OP_NONE];
}

/* ---- constants ---- */

static bool is_finite(scalar t, uint64_t bits)
{
    return isfinite(scalar_as_double(t, bits)) != 0;
}

cl_binding cl_constant_binding(scalar t, uint64_t bits)
{
    char c = ir_scalar_class(t);
    if (c == 'F')
        return is_finite(t, bits) && signbit(scalar_as_double(t, bits)) ? BIND_UNARY : BIND_ATOM;
    if (cl_is_small(t))
        return BIND_UNARY;
    if (t == ST_I32 || t == ST_I64) /* the least integers are sums in parentheses */
        return (int64_t)bits >= 0 || (int64_t)bits == (t == ST_I32 ? INT32_MIN : INT64_MIN)
                   ? BIND_ATOM
                   : BIND_UNARY;
    return BIND_ATOM;
}

/* The bits, where C has no name for the number; else its text with C's suffix, not ours. */
static bool float_constant(mem *m, scalar t, uint64_t bits, vec_char *out)
{
    static const char *const suffixes[] = {"h", "f", ""};
    uint32_t bytes = ir_scalar_bytes(t), digits = 2 * bytes;
    const char *c = bytes == 8 ? "UL" : bytes == 4 ? "u" : "";
    if (!is_finite(t, bits))
        return text_addf(
            m, out, bytes == 2 ? "as_%s((ushort)0x%0*" PRIx64 "%s)" : "as_%s(0x%0*" PRIx64 "%s)",
            cl_type(t), (int)digits, bits, c);
    uint32_t end = (uint32_t)strlen(ir_scalar_name(t));
    if (!scalar_text(m, t, bits, out))
        return false;
    out->len -= t == ST_F64 ? 0 : end;
    return text_addf(m, out, "%s", suffixes[bytes == 2 ? 0 : bytes == 4 ? 1 : 2]);
}

/* Every type stands here, so that one without its form does not compile (-Werror=switch). */
bool cl_constant(mem *m, scalar t, uint64_t bits, vec_char *out)
{
    int64_t x = (int64_t)bits;
    switch (t) {
    case ST_BOOL: return text_addf(m, out, "%s", bits ? "true" : "false");
    case ST_I32: return text_addf(m, out, x == INT32_MIN ? "(-2147483647 - 1)" : "%" PRId64, x);
    case ST_I64:
        return text_addf(m, out, x == INT64_MIN ? "(-9223372036854775807L - 1)" : "%" PRId64 "L",
                         x);
    case ST_U32: return text_addf(m, out, "%" PRIu64 "u", bits);
    case ST_U64: return text_addf(m, out, "%" PRIu64 "UL", bits);
    case ST_I8:
    case ST_I16:
    case ST_U8:
    case ST_U16: return text_addf(m, out, "(%s)%" PRId64, cl_type(t), x);
    case ST_F16:
    case ST_F32:
    case ST_F64: return float_constant(m, t, bits, out);
    case ST_NONE:
    case ST_COUNT: break;
    }
    return false;
}

/* ---- helper functions ---- */

static const char *helper_body(const cl_operator *o, scalar t)
{
    char c = ir_scalar_class(t);
    return c == 'F' ? o->help_real : c == 'I' ? o->help_signed : o->help_unsigned;
}

static const char *type_part(char which, scalar t)
{
    return which == 'T' ? cl_type(t) : which == 'V' ? cl_unsigned_type(t) : cl_wide_type(t);
}

static bool print_body(mem *m, const char *body, scalar t, vec_char *out)
{
    bool ok = true;
    for (const char *s = body; ok && *s; s++) {
        if (*s == '$')
            ok = text_addf(m, out, "%s", type_part(*++s, t));
        else
            ok = text_add(m, out, s, 1);
    }
    return ok;
}

static bool print_helper(mem *m, opcode op, scalar t, vec_char *out)
{
    const char *type = cl_type(t), *body = helper_body(&operators[op], t);
    const char *second = ir_op_info(op)->max_args > 1 ? ", " : "";
    return body &&
           text_addf(m, out, "\nstatic inline %s fcl_%s_%s(%s x%s%s%s)\n{\n", type,
                     ir_op_info(op)->name, type, type, second, *second ? type : "",
                     *second ? " y" : "") &&
           print_body(m, body, t, out) && text_add(m, out, "}\n", 2);
}

/* Saturating conversions give 0 for NaN by the standard, but not on every device. */
static bool print_conversion(mem *m, scalar to, scalar from, vec_char *out)
{
    const char *t = cl_type(to), *f = cl_type(from);
    return text_addf(m, out,
                     "\nstatic inline %s fcl_convert_%s_%s(%s x)\n{\n    return isnan(x) ? 0 : "
                     "convert_%s_sat(x);\n}\n",
                     t, t, f, f, t);
}

bool cl_print_helpers(mem *m, const cl_helpers *used, vec_char *out)
{
    bool ok = true;
    for (uint32_t op = 1; op < SOP_END; op++)
        for (uint32_t t = 1; t < ST_COUNT; t++)
            if (used->types[op] & 1u << t)
                ok = ok && print_helper(m, (opcode)op, (scalar)t, out);
    for (uint32_t from = 1; from < ST_COUNT; from++)
        for (uint32_t to = 1; to < ST_COUNT; to++)
            if (used->converts[from] & 1u << to)
                ok = ok && print_conversion(m, (scalar)to, (scalar)from, out);
    return ok;
}
