/* Types, constants and helper functions in a language like C: see language.h. */
#include "backends/c/emit.h"

#include "ir/scalar/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- types ---- */

const char *c_type(const c_language *l, scalar t)
{
    return l->words.type((fcl_scalar)t);
}

/* A bool has no size that C promises: a byte stands for it. */
const char *c_memory_type(const c_language *l, scalar t)
{
    return ir_scalar_class(t) == 'B' ? c_unsigned_type(l, t) : c_type(l, t);
}

/* The unsigned type of the same width, which ir/scalar's table names. */
const char *c_unsigned_type(const c_language *l, scalar t)
{
    return c_type(l, (scalar)ir_scalar_info(t)->bits);
}

/* C computes in int what is narrower. */
const char *c_wide_type(const c_language *l, scalar t)
{
    return c_type(l, ir_scalar_bytes(t) > 4 ? ST_U64 : ST_U32);
}

/* Whether C promotes the type to int before it computes. */
bool c_is_small(scalar t)
{
    char c = ir_scalar_class(t);
    return (c == 'I' || c == 'U') && ir_scalar_bytes(t) < 4;
}

/* ---- constants ---- */

static bool is_finite(scalar t, uint64_t bits)
{
    return isfinite(scalar_as_double(t, bits)) != 0;
}

/* Negative numbers are a sign and a number to C; small ones are written with a cast. */
fcl_c_binding c_constant_binding(scalar t, uint64_t bits)
{
    char c = ir_scalar_class(t);
    if (c == 'F')
        return is_finite(t, bits) && signbit(scalar_as_double(t, bits)) ? FCL_C_UNARY : FCL_C_ATOM;
    if (c_is_small(t))
        return FCL_C_UNARY;
    if (t == ST_I32 || t == ST_I64) /* the least integers are sums in parentheses */
        return (int64_t)bits >= 0 || (int64_t)bits == (t == ST_I32 ? INT32_MIN : INT64_MIN)
                   ? FCL_C_ATOM
                   : FCL_C_UNARY;
    return FCL_C_ATOM;
}

/* The bits, where C has no name for the number; else its text with C's suffix, not ours. */
static bool float_constant(const c_language *l, mem *m, scalar t, uint64_t bits, vec_char *out)
{
    static const char *const suffixes[] = {"h", "f", ""};
    uint32_t bytes = ir_scalar_bytes(t), digits = 2 * bytes;
    const char *c = bytes == 8 ? "UL" : bytes == 4 ? "u" : "";
    if (!is_finite(t, bits))
        return text_addf(m, out,
                         bytes == 2 ? "%s%s((%s)0x%0*" PRIx64 "%s)" : "%s%s(%s0x%0*" PRIx64 "%s)",
                         l->words.reinterpret, c_type(l, t),
                         bytes == 2 ? c_unsigned_type(l, t) : "", (int)digits, bits, c);
    uint32_t end = (uint32_t)strlen(ir_scalar_name(t));
    if (!scalar_text(m, t, bits, out))
        return false;
    out->len -= t == ST_F64 ? 0 : end;
    return text_addf(m, out, "%s", suffixes[bytes == 2 ? 0 : bytes == 4 ? 1 : 2]);
}

bool c_constant(const c_language *l, mem *m, scalar t, uint64_t bits, vec_char *out)
{
    int64_t x = (int64_t)bits;
    switch ((int)t) {
    case ST_BOOL: return text_addf(m, out, "%s", bits ? "true" : "false");
    case ST_I32: return text_addf(m, out, x == INT32_MIN ? "(-2147483647 - 1)" : "%" PRId64, x);
    case ST_I64:
        return text_addf(m, out, x == INT64_MIN ? "(-9223372036854775807L - 1)" : "%" PRId64 "L",
                         x);
    case ST_U32: return text_addf(m, out, "%" PRIu64 "u", bits);
    case ST_U64: return text_addf(m, out, "%" PRIu64 "UL", bits);
    default:
        return ir_scalar_is_float(t) ? float_constant(l, m, t, bits, out)
                                     : text_addf(m, out, "(%s)%" PRId64, c_type(l, t), x);
    }
}

/* ---- helper functions ---- */

static const char *helper_body(const c_operator *o, scalar t)
{
    char c = ir_scalar_class(t);
    return c == 'F' ? o->help_real : c == 'I' ? o->help_signed : o->help_unsigned;
}

static const char *type_part(const c_language *l, char which, scalar t)
{
    return which == 'T' ? c_type(l, t) : which == 'V' ? c_unsigned_type(l, t) : c_wide_type(l, t);
}

/* In a body only types are replaced; its operands are called x and y. */
static bool print_body(const c_language *l, mem *m, const char *body, scalar t, vec_char *out)
{
    bool ok = true;
    for (const char *s = body; ok && *s; s++) {
        if (*s == '$')
            ok = text_addf(m, out, "%s", type_part(l, *++s, t));
        else
            ok = text_add(m, out, s, 1);
    }
    return ok;
}

static bool print_helper(const c_language *l, mem *m, opcode op, scalar t, vec_char *out)
{
    const char *type = c_type(l, t), *body = helper_body(&l->operators[op], t);
    const char *second = ir_op_info(op)->max_args > 1 ? ", " : "";
    return body &&
           text_addf(m, out, "\n%s %s fcl_%s_%s(%s x%s%s%s)\n{\n", l->words.helper, type,
                     ir_op_info(op)->name, type, type, second, *second ? type : "",
                     *second ? " y" : "") &&
           print_body(l, m, body, t, out) && text_add(m, out, "}\n", 2);
}

/* Saturating conversions give 0 for NaN by the standard, but not on every device. */
static bool print_conversion(const c_language *l, mem *m, scalar to, scalar from, vec_char *out)
{
    const char *t = c_type(l, to), *f = c_type(l, from);
    return text_addf(
        m, out, "\n%s %s fcl_convert_%s_%s(%s x)\n{\n    return isnan(x) ? 0 : %s%s%s(x);\n}\n",
        l->words.helper, t, t, f, f, l->words.saturate[0], t, l->words.saturate[1]);
}

/* In the order of the table, so that the same kernels always give the same text. */
bool c_print_helpers(const c_language *l, mem *m, const c_helpers *used, vec_char *out)
{
    bool ok = true;
    for (uint32_t op = 1; op < SOP_END; op++)
        for (uint32_t t = 1; t < ST_COUNT; t++)
            if (used->types[op] & 1u << t)
                ok = ok && print_helper(l, m, (opcode)op, (scalar)t, out);
    for (uint32_t from = 1; from < ST_COUNT; from++)
        for (uint32_t to = 1; to < ST_COUNT; to++)
            if (used->converts[from] & 1u << to)
                ok = ok && print_conversion(l, m, (scalar)to, (scalar)from, out);
    return ok && c_print_steps(l, m, used, out);
}
