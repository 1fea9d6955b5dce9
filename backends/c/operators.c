/* What C11 calls the scalar operators, which other languages like C say what they differ in: see
 * language.h.  The meaning is ir/scalar/scalar.c's, bit for bit on integers; functions of floats
 * are called as those of tgmath.h.
 *
 * Operands that an operator names twice go through a helper function, so that their text stands
 * once; compilers see through it, where they call fmin of the C library. */
#define FAST1(name)     CALL1(name), .of[FORM_FAST] = FORM(ATOM, name "($1e)")
#define FAST_DIVIDE     "($1m / $2u)"
#define FAST_RECIPROCAL "(1 / $2u)"
#define FAST_POWER      "pow($1e, $2e)"
#include "backends/c/forms.h"
#include "backends/c/language.h"

#define SAME_HELP(body) .help_signed = body, .help_unsigned = body

#define C_ABS                                                                                      \
    .plain = HELP1, CALL1("fabs"), .help_signed = "    return x < 0 ? ($T)(0 - ($W)x) : x;\n",     \
    .help_unsigned = "    return x;\n"
/* The other one when one is NaN. */
#define C_MIN                                                                                      \
    NUMBERS(ATOM, "$h($1e, $2e)"), SAME_HELP("    return x < y ? x : y;\n"),                       \
        .help_real = "    return x < y || y != y ? x : y;\n"
#define C_MAX                                                                                      \
    NUMBERS(ATOM, "$h($1e, $2e)"), SAME_HELP("    return x > y ? x : y;\n"),                       \
        .help_real = "    return x > y || y != y ? x : y;\n"

/* Of 64 bits by the products of halves. */
#define UPPER_HALF                                                                                 \
    "    const uint64_t a = (uint64_t)x & 0xffffffff, b = (uint64_t)x >> 32;\n"                    \
    "    const uint64_t c = (uint64_t)y & 0xffffffff, d = (uint64_t)y >> 32;\n"                    \
    "    const uint64_t upper = b * c + (a * c >> 32), lower = a * d + (uint32_t)upper;\n"         \
    "    const uint64_t high = b * d + (upper >> 32) + (lower >> 32);\n"
#define C_MULHI                                                                                    \
    .plain = HELP2,                                                                                \
    .help_signed =                                                                                 \
        "    if (sizeof x < 8)\n"                                                                  \
        "        return ($T)((int64_t)x * (int64_t)y >> (8 * sizeof x & 63));\n" UPPER_HALF        \
        "    return ($T)(high - (x < 0 ? (uint64_t)y : 0) - (y < 0 ? (uint64_t)x : 0));\n",        \
    .help_unsigned =                                                                               \
        "    if (sizeof x < 8)\n"                                                                  \
        "        return ($T)((uint64_t)x * (uint64_t)y >> (8 * sizeof x & 63));\n" UPPER_HALF      \
        "    return ($T)high;\n"

#define ROTATED                                                                                    \
    "    const uint32_t n = (uint32_t)y & (8 * sizeof x - 1);\n"                                   \
    "    const $W bits = ($V)x;\n"                                                                 \
    "    return ($T)(bits << n | bits >> ((0 - n) & (8 * sizeof x - 1)));\n"
#define C_ROTL     .plain = HELP2, SAME_HELP(ROTATED)
#define C_POPCOUNT INTEGER(UNARY, "($T)__builtin_popcountll(($V)$1u)")
#define LEADING                                                                                    \
    "    const $V bits = ($V)x;\n"                                                                 \
    "    return ($T)(bits ? (size_t)__builtin_clzll(bits) - (64 - 8 * sizeof x) : 8 * sizeof "     \
    "x);\n"
#define C_CLZ .plain = HELP1, SAME_HELP(LEADING)
#define TRAILING                                                                                   \
    "    const $V bits = ($V)x;\n"                                                                 \
    "    return ($T)(bits ? (size_t)__builtin_ctzll(bits) : 8 * sizeof x);\n"
#define C_CTZ .plain = HELP1, SAME_HELP(TRAILING)

#define C_RSQRT                                                                                    \
    .real = FORM(PRODUCT, "1 / sqrt($1e)"), .of[FORM_FAST] = FORM(PRODUCT, "1 / sqrt($1e)")

/* A row of scalars.def without its C_ macro does not compile. */
const c_operator c_operators[SOP_END] = {
#define SCALAROP(e, ...) [SOP_##e] = {C_##e},
#include "ir/scalars.def"
#undef SCALAROP
};
