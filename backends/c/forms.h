/* The scalar operators in any C, as text templates (fcl_backend.h): rows C_ADD, C_SUB, ... of a
 * table of c_operator, which operators.c makes.  What is fast rather than exact is so only where a
 * language says how. */
#ifndef FCL_BACKENDS_C_FORMS_H
#define FCL_BACKENDS_C_FORMS_H

#define FORM(b, t)                                                                                 \
    {                                                                                              \
        FCL_C_##b, t                                                                               \
    }
/* The same text for integers and floats. */
#define NUMBERS(b, t)            .plain = FORM(b, t), .real = FORM(b, t)
#define RELATION(t)              NUMBERS(RELATION, t), .logical = FORM(RELATION, t)
#define INTEGER(b, t)            .plain = FORM(b, t)
#define WRAPPING(b, t, wrapping) NUMBERS(b, t), .of[FORM_WRAPPING] = FORM(UNARY, wrapping)
#define SHIFTING(t, masked)      .plain = FORM(UNARY, t), .of[FORM_MASKED] = FORM(UNARY, masked)
#define CALL1(name)              .real = FORM(ATOM, name "($1e)")
#define CALL2(name)              .real = FORM(ATOM, name "($1e, $2e)")
#define CALL3(name)              .real = FORM(ATOM, name "($1e, $2e, $3e)")
#define HELP2                    FORM(ATOM, "$h($1e, $2e)")
#define HELP1                    FORM(ATOM, "$h($1e)")

#define FLOORED_DIV                                                                                \
    "    if (y == 0)\n"                                                                            \
    "        return 0;\n"                                                                          \
    "    if (y == -1)\n"                                                                           \
    "        return ($T)(0 - ($W)x);\n"                                                            \
    "    return ($T)(x / y - (x % y != 0 && (x < 0) != (y < 0)));\n"
#define SAFE_UNSIGNED_DIV "    return y == 0 ? 0 : x / y;\n"
#define SAFE_UNSIGNED_REM "    return y == 0 ? x : x % y;\n"

#define C_ADD WRAPPING(SUM, "$1a + $2m", "($T)(($W)$1u + ($W)$2u)")
#define C_SUB WRAPPING(SUM, "$1a - $2m", "($T)(($W)$1u - ($W)$2u)")
#define C_MUL WRAPPING(PRODUCT, "$1m * $2u", "($T)(($W)$1u * ($W)$2u)")
#define C_NEG WRAPPING(UNARY, "-$1p", "($T)(0 - ($W)$1u)")
/* Unsigned division is the cheaper one. */
#define SHORTER_DIV                                                                                \
    .of[FORM_POWER] = FORM(OTHER, "$1u >> $K"),                                                    \
    .of[FORM_NATURAL] = FORM(UNARY, "($T)(($W)$1u / ($W)$2u)")
#define SHORTER_REM                                                                                \
    .of[FORM_POWER] = FORM(OTHER, "$1u & $M"),                                                     \
    .of[FORM_NATURAL] = FORM(UNARY, "($T)(($W)$1u % ($W)$2u)")
#define C_DIV                                                                                      \
    .plain = FORM(PRODUCT, "$1m / $2u"), .of[FORM_GUARDED] = HELP2, SHORTER_DIV,                   \
    .help_signed = FLOORED_DIV, .help_unsigned = SAFE_UNSIGNED_DIV
#define C_MOD                                                                                      \
    .plain = FORM(PRODUCT, "$1m % $2u"), .of[FORM_GUARDED] = HELP2, SHORTER_REM, .real = HELP2,    \
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
#define C_QUOT                                                                                     \
    .plain = FORM(PRODUCT, "$1m / $2u"), .of[FORM_GUARDED] = HELP2, SHORTER_DIV,                   \
    .help_signed = "    if (y == 0)\n"                                                             \
                   "        return 0;\n"                                                           \
                   "    return y == -1 ? ($T)(0 - ($W)x) : ($T)(x / y);\n",                        \
    .help_unsigned = SAFE_UNSIGNED_DIV
#define C_REM                                                                                      \
    .plain = FORM(PRODUCT, "$1m % $2u"), .of[FORM_GUARDED] = HELP2, SHORTER_REM, CALL2("fmod"),    \
    .help_signed = "    if (y == 0)\n"                                                             \
                   "        return x;\n"                                                           \
                   "    return y == -1 ? 0 : ($T)(x % y);\n",                                      \
    .help_unsigned = SAFE_UNSIGNED_REM
#define C_FDIV                                                                                     \
    .real = FORM(PRODUCT, "$1m / $2u"), .of[FORM_FAST] = FORM(ATOM, FAST_DIVIDE),                  \
    .of[FORM_RECIPROCAL] = FORM(ATOM, FAST_RECIPROCAL)
/* A builder writes one of the two in its place (kb_scalar). */
#define C_DIVIDE                                                                                   \
    .plain = HELP2, .real = FORM(PRODUCT, "$1m / $2u"), .help_signed = FLOORED_DIV,                \
    .help_unsigned = SAFE_UNSIGNED_DIV
#define C_SIGN                                                                                     \
    NUMBERS(ATOM, "$h($1e)"), .help_signed = "    return ($T)((x > 0) - (x < 0));\n",              \
                              .help_unsigned = "    return x != 0;\n",                             \
                              .help_real = "    return x > 0 ? 1 : x < 0 ? -1 : x;\n"
#define POWER_LOOP                                                                                 \
    "    $W r = 1, b = ($W)x;\n"                                                                   \
    "    for (; y != 0; y >>= 1, b *= b)\n"                                                        \
    "        if ((y & 1) != 0)\n"                                                                  \
    "            r *= b;\n"                                                                        \
    "    return ($T)r;\n"
#define C_POW                                                                                      \
    INTEGER(ATOM, "$h($1e, $2e)"), CALL2("pow"),                                                   \
        .of[FORM_FAST] = FORM(ATOM, FAST_POWER),                                                   \
        .help_signed =                                                                             \
            "    if (y < 0)\n"                                                                     \
            "        return x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0;\n" POWER_LOOP,     \
        .help_unsigned = POWER_LOOP
#define C_AND INTEGER(OTHER, "$1u & $2u"), .logical = FORM(OTHER, "$1r && $2r")
#define C_OR  INTEGER(OTHER, "$1u | $2u"), .logical = FORM(OTHER, "$1r || $2r")
#define C_XOR INTEGER(OTHER, "$1u ^ $2u"), .logical = FORM(RELATION, "$1a != $2a")
#define C_NOT INTEGER(UNARY, "~$1u"), .logical = FORM(UNARY, "!$1u")
#define C_SHL SHIFTING("($T)(($W)$1u << $2u)", "($T)(($W)$1u << ($2u & $B))")
#define C_SHR                                                                                      \
    .plain = FORM(OTHER, "$1u >> $2u"), .of[FORM_MASKED] = FORM(OTHER, "$1u >> ($2u & $B)")
#define C_LSHR   SHIFTING("($T)(($V)$1u >> $2u)", "($T)(($V)$1u >> ($2u & $B))")
#define C_EQ     RELATION("$1a == $2a")
#define C_NE     RELATION("$1a != $2a")
#define C_LT     RELATION("$1a < $2a")
#define C_LE     RELATION("$1a <= $2a")
#define C_GT     RELATION("$1a > $2a")
#define C_GE     RELATION("$1a >= $2a")
#define C_SELECT NUMBERS(OTHER, "$1r ? $2a : $3a"), .logical = FORM(OTHER, "$1r ? $2a : $3a")
#define C_ISNAN  .real = FORM(RELATION, "isnan($1e) != 0")
#define C_ISINF  .real = FORM(RELATION, "isinf($1e) != 0")

#define C_SQRT     FAST1("sqrt")
#define C_CBRT     CALL1("cbrt")
#define C_EXP      FAST1("exp")
#define C_EXP2     FAST1("exp2")
#define C_EXPM1    CALL1("expm1")
#define C_LOG      FAST1("log")
#define C_LOG2     FAST1("log2")
#define C_LOG10    FAST1("log10")
#define C_LOG1P    CALL1("log1p")
#define C_SIN      FAST1("sin")
#define C_COS      FAST1("cos")
#define C_TAN      FAST1("tan")
#define C_ASIN     CALL1("asin")
#define C_ACOS     CALL1("acos")
#define C_ATAN     CALL1("atan")
#define C_SINH     CALL1("sinh")
#define C_COSH     CALL1("cosh")
#define C_TANH     CALL1("tanh")
#define C_ASINH    CALL1("asinh")
#define C_ACOSH    CALL1("acosh")
#define C_ATANH    CALL1("atanh")
#define C_ATAN2    CALL2("atan2")
#define C_HYPOT    CALL2("hypot")
#define C_ERF      CALL1("erf")
#define C_FMA      CALL3("fma")
#define C_COPYSIGN CALL2("copysign")
#define C_FLOOR    CALL1("floor")
#define C_CEIL     CALL1("ceil")
#define C_TRUNC    CALL1("trunc")
#define C_ROUND    CALL1("round")
#define C_RINT     CALL1("rint")

#endif
