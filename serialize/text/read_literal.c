/* Reading literals: `literal` of docs/format.md; see text/parse.h.
 *
 * A number is taken apart by hand: sign, base, digits, fraction, exponent, suffix.  Integers are
 * computed here, exactly, decimal fractions in ir/base/decimal.c.  A literal without a suffix is
 * undecided: the checker gives it the type of its context. */
#include "ir/base/decimal.h"
#include "ir/scalar/scalar.h"
#include "serialize/text/parse.h"

#include <math.h>
#include <string.h>

typedef struct literal_number {
    const char *digits, *digits_end; /* the decimal number or word that a float is made of */
    bool negative, real, special, hex, overflow;
    uint64_t magnitude;
    const char *suffix;
    size_t suffix_len;
} literal_number;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a digit; -1 when it is none in that base. */
static int digit_of(char c, bool hex)
{
    if (is_digit(c))
        return c - '0';
    if (hex && c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return hex && c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* INTEGER without its sign and 0x.  Overflow is noted, no more: the digits may be those of a
 * float. */
static const char *scan_integer(literal_number *n, const char *p, const char *end)
{
    const uint64_t base = n->hex ? 16 : 10, most = UINT64_MAX / base;
    for (; p < end && digit_of(*p, n->hex) >= 0; p++) {
        uint64_t d = (uint64_t)digit_of(*p, n->hex);
        n->overflow |= n->magnitude > most || n->magnitude * base > UINT64_MAX - d;
        n->magnitude = n->magnitude * base + d;
    }
    return p;
}

/* Takes a number apart; false when it has no digits.  What is behind the number is the suffix,
 * whatever it is. */
static bool scan_number(literal_number *n, const char *p, const char *end)
{
    *n = (literal_number){.negative = p < end && *p == '-'};
    p += n->negative;
    n->digits = p;
    if (end - p >= 3 && (memcmp(p, "inf", 3) == 0 || memcmp(p, "nan", 3) == 0)) {
        n->real = n->special = true;
        p += 3;
    } else {
        n->hex = end - p > 2 && p[0] == '0' && p[1] == 'x';
        p += n->hex ? 2 : 0;
        const char *q = scan_integer(n, p, end);
        if (q == p)
            return false;
        p = n->hex ? q : p + decimal_length(p, (size_t)(end - p), &n->real);
    }
    n->digits_end = n->suffix = p;
    n->suffix_len = (size_t)(end - p);
    return true;
}

static ir_value bad_literal(reader *r, spot t, diag_code code, const char *why)
{
    diag_error(r->cx, code, text_spot_loc(r, t), "%.*s %s", (int)(t.len < 60 ? t.len : 60), t.at,
               why);
    return 0;
}

static ir_value bad_range(reader *r, spot t, scalar s)
{
    diag_error(r->cx, DIAG_TEXT_LITERAL_RANGE, text_spot_loc(r, t),
               "%.*s is not a value of type %s", (int)(t.len < 60 ? t.len : 60), t.at,
               ir_scalar_name(s));
    return 0;
}

/* inf or nan, with its sign.  There is one NaN: scalar_from_double makes it so. */
static double special_value(const literal_number *n)
{
    double x = n->digits[0] == 'i' ? (double)INFINITY : (double)NAN;
    return n->negative ? -x : x;
}

/* s: the float type, or ST_NONE for an undecided literal.  A number that rounds to infinity is an
 * error, one that rounds to zero is not. */
static ir_value float_literal(reader *r, spot t, const literal_number *n, scalar s)
{
    double x;
    if (n->special) {
        x = special_value(n);
    } else {
        x = scalar_parse_float(s ? s : ST_F64, n->digits, (size_t)(n->digits_end - n->digits));
        if (isinf(x))
            return bad_range(r, t, s ? s : ST_F64);
        x = n->negative ? -x : x;
    }
    scalar as = s ? s : ST_F64;
    uint64_t bits = scalar_from_double(as, x);
    return s ? ir_written_const(r->m, s, bits) : ir_literal(r->m, LIT_FLOAT, bits);
}

/* Of a given type, whose range it must fit: what the text says is never wrapped. */
static ir_value integer_literal(reader *r, spot t, const literal_number *n, scalar s)
{
    uint32_t width = ir_scalar_bytes(s) * 8;
    uint64_t most = UINT64_MAX >> (64 - width);
    if (ir_scalar_class(s) == 'I')
        most = (most >> 1) + n->negative;
    else if (n->negative)
        most = 0;
    if (n->overflow || n->magnitude > most)
        return bad_range(r, t, s);
    return ir_written_const(r->m, s, scalar_wrap(s, n->negative ? 0 - n->magnitude : n->magnitude));
}

/* Kept as sign and magnitude, which fit u64 or i64: more no integer type can hold. */
static ir_value undecided_literal(reader *r, spot t, const literal_number *n)
{
    if (n->overflow || (n->negative && n->magnitude > (uint64_t)1 << 63))
        return bad_literal(r, t, DIAG_TEXT_LITERAL_RANGE, "does not fit in 64 bits");
    return ir_literal(r->m, n->negative ? LIT_NEG : LIT_INT, n->magnitude);
}

static ir_value unknown_suffix(reader *r, spot t)
{
    bad_literal(r, t, text_unknown_code(r, DIAG_TEXT_LITERAL),
                "is not a number: it does not end in the name of a numeric type");
    text_hint_newer(r);
    return 0;
}

/* INTEGER SUFFIX? | REAL SUFFIX?.  Digits alone make a float where the suffix is that of a float
 * type. */
static ir_value number_literal(reader *r, spot t)
{
    literal_number n;
    if (!scan_number(&n, t.at, t.at + t.len))
        return bad_literal(r, t, DIAG_TEXT_LITERAL, "is not a number");
    scalar s = n.suffix_len ? (scalar)words_find(&r->s->words, WORD_SCALAR, n.suffix, n.suffix_len)
                            : ST_NONE;
    if (n.suffix_len && (!s || s == ST_BOOL))
        return unknown_suffix(r, t);
    if (n.real && s && ir_scalar_class(s) != 'F')
        return bad_range(r, t, s);
    if (n.real || (ir_scalar_class(s) == 'F' && !n.hex))
        return float_literal(r, t, &n, s);
    if (ir_scalar_class(s) == 'F')
        return bad_literal(r, t, DIAG_TEXT_LITERAL,
                           "is not a number: hexadecimal digits make integers only");
    return s ? integer_literal(r, t, &n, s) : undecided_literal(r, t, &n);
}

/* inf, nan, or one of them with a suffix. */
static bool is_special_word(const reader *r, const token *t)
{
    if (t->kind != T_NAME || t->len < 3 ||
        (memcmp(t->at, "inf", 3) != 0 && memcmp(t->at, "nan", 3) != 0))
        return false;
    return t->len == 3 || words_find(&r->s->words, WORD_SCALAR, t->at + 3, t->len - 3);
}

static bool is_bool(const token *t)
{
    return is_key(t, KEY_TRUE) || is_key(t, KEY_FALSE);
}

bool text_at_literal(const reader *r)
{
    const token *t = &r->tok;
    return t->kind == T_NUMBER || (t->kind == T_NAME && (is_bool(t) || is_special_word(r, t)));
}

/* literal = INTEGER SUFFIX? | REAL SUFFIX? | "true" | "false" */
ir_value text_read_literal(reader *r)
{
    spot t = spot_of(&r->tok);
    bool logical = is_bool(&r->tok), yes = logical && is_key(&r->tok, KEY_TRUE);
    next_token(r);
    return logical ? ir_const(r->m, ST_BOOL, yes) : number_literal(r, t);
}

bool text_read_u32(reader *r, uint32_t *x, const char *what)
{
    uint64_t n = 0;
    const token *t = &r->tok;
    if (t->kind != T_NUMBER)
        return text_syntax_error(r, what);
    for (uint32_t i = 0; i < t->len; i++) {
        n = n * 10 + (uint64_t)(t->at[i] - '0');
        if (t->at[i] < '0' || t->at[i] > '9' || n > UINT32_MAX)
            return text_syntax_error(r, what);
    }
    *x = (uint32_t)n;
    next_token(r);
    return true;
}
