/* Literals get their type from their context: rules 17 to 19.
 *
 * An integer literal may stand where a float is needed if the float has its exact value; every
 * literal must fit. */
#include "ir/check/impl.h"
#include "ir/scalar/scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* For messages; out has room for a sign and twenty digits. */
static void literal_text(literal_kind k, uint64_t bits, char *out, size_t size)
{
    if (k == LIT_FLOAT)
        snprintf(out, size, "%.17g", double_of(bits));
    else
        snprintf(out, size, "%s%llu", k == LIT_NEG ? "-" : "", (unsigned long long)bits);
}

/* The literal is shown by its value: 17 digits tell doubles apart. */
static bool misfit(checker *c, diag_code code, literal_kind k, uint64_t bits, scalar s,
                   const char *why)
{
    char text[48];
    literal_text(k, bits, text, sizeof text);
    return diag_error(c->cx, code, check_here(c), "the literal %s cannot be of type %s: %s", text,
                      ir_scalar_name(s), why);
}

/* The largest magnitude of an integer literal of type s. */
static uint64_t limit_of(scalar s, bool negative)
{
    uint32_t bits = 8 * ir_scalar_bytes(s);
    if (ir_scalar_class(s) == 'U')
        return negative ? 0 : UINT64_MAX >> (64 - bits);
    return (1ull << (bits - 1)) - (negative ? 0 : 1);
}

/* Whether a float with that many bits of precision holds the integer exactly. */
static bool exact(uint64_t magnitude, int precision)
{
    while (magnitude && magnitude % 2 == 0)
        magnitude /= 2;
    return magnitude >> precision == 0;
}

/* Silent rounding of an integer would change the program, so it must be exact; 2^24 + 1 is no
 * f32. */
static bool int_as_float(checker *c, literal_kind k, uint64_t *bits, scalar s)
{
    if (!exact(*bits, ir_scalar_info(s)->precision))
        return misfit(c, DIAG_LITERAL_FIT, k, *bits, s, "it is not exact in that type");
    double x = (double)*bits;
    *bits = scalar_from_double(s, k == LIT_NEG ? -x : x);
    return isfinite(scalar_as_double(s, *bits)) != 0 ||
           misfit(c, DIAG_LITERAL_FIT, k, (uint64_t)x, s, "it is out of range");
}

/* A float literal is rounded to the nearest; only becoming infinite is refused. */
static bool float_as_float(checker *c, uint64_t *bits, scalar s)
{
    double x = double_of(*bits);
    uint64_t r = scalar_from_double(s, x);
    if (isfinite(x) && !isfinite(scalar_as_double(s, r)))
        return misfit(c, DIAG_LITERAL_FIT, LIT_FLOAT, *bits, s, "it is out of range");
    *bits = r;
    return true;
}

/* On success *bits is the canonical pattern (scalar.h). */
static bool convert_literal(checker *c, literal_kind k, uint64_t *bits, scalar s)
{
    char class = ir_scalar_class(s);
    if (class == 'B')
        return misfit(c, DIAG_LITERAL_BOOL, k, *bits, s, "write true or false");
    if (class == 'F')
        return k == LIT_FLOAT ? float_as_float(c, bits, s) : int_as_float(c, k, bits, s);
    if (k == LIT_FLOAT)
        return misfit(c, DIAG_LITERAL_FLOAT, k, *bits, s, "it is a floating-point number");
    if (*bits > limit_of(s, k == LIT_NEG))
        return misfit(c, DIAG_LITERAL_FIT, k, *bits, s, "it is out of range");
    *bits = scalar_wrap(s, k == LIT_NEG ? 0 - *bits : *bits);
    return true;
}

/* Decides once: LIT_TYPED from then on.  Each use of a literal is a value of its own, so no other
 * use is touched. */
bool check_decide_literal(checker *c, ir_value v, scalar s)
{
    value_node *n = ir_value_at(c->m, v);
    uint64_t bits = ir_const_bits(c->m, v);
    if (!convert_literal(c, (literal_kind)n->literal, &bits, s))
        return false;
    ir_set_const_bits(c->m, v, bits);
    n->type = c->scalars[s];
    n->literal = LIT_TYPED;
    return true;
}
