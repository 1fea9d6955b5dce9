/* The lexer of the text of kernel programs: see lex.h. */
#include "ir/kernel/text/lex.h"

#include "ir/base/decimal.h"
#include "ir/base/source.h"
#include "ir/scalar/float.h"

#include <math.h>
#include <string.h>

/* ---- characters ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word_char(char c)
{
    return is_letter(c) || is_digit(c) || c == '-';
}

/* Skips comments too, which end with their line. */
static void skip_blanks(ktext_lexer *lx)
{
    for (; lx->p < lx->end; lx->p++) {
        bool comment = *lx->p == '/' && lx->p + 1 < lx->end && lx->p[1] == '/';
        while (comment && lx->p < lx->end && *lx->p != '\n')
            lx->p++;
        if (lx->p == lx->end ||
            (*lx->p != ' ' && *lx->p != '\n' && *lx->p != '\t' && *lx->p != '\r'))
            return;
    }
}

/* ---- tokens ---- */

/* Up to the closing quotation mark on the same line; a backslash takes the next character along. */
static const char *scan_string(ktext_lexer *lx, const char *p)
{
    ktext_token *t = &lx->now;
    t->s = ++p;
    t->quoted = true;
    while (p < lx->end && *p != '"' && *p != '\n')
        p += *p == '\\' && p + 1 < lx->end && p[1] != '\n' ? 2 : 1;
    if (p >= lx->end || *p != '"') {
        t->kind = TOKEN_BAD;
        return p < lx->end ? p : lx->end;
    }
    t->n = (size_t)(p - t->s);
    return p + 1;
}

/* A decimal number without leading zeros, so that every value has one spelling; else UINT32_MAX. */
static uint32_t value_number(const char *s, size_t n)
{
    uint64_t x = 0;
    if (n == 0 || n > 10 || (s[0] == '0' && n > 1))
        return UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(s[i]))
            return UINT32_MAX;
        x = x * 10 + (uint64_t)(s[i] - '0');
    }
    return x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

/* %name, @name, %"..." and @"...". */
static const char *scan_name(ktext_lexer *lx, token_kind of)
{
    ktext_token *t = &lx->now;
    const char *p = lx->p + 1;
    t->kind = of;
    t->number = UINT32_MAX;
    if (p < lx->end && *p == '"')
        return scan_string(lx, p);
    t->s = p;
    while (p < lx->end && source_is_name_char(*p))
        p++;
    t->n = (size_t)(p - t->s);
    if (t->n == 0)
        t->kind = TOKEN_BAD;
    t->number = value_number(t->s, t->n);
    return p;
}

/* Sign, digits and letters, and a point that is followed by a digit; what it means is asked later.
 */
static const char *scan_number(ktext_lexer *lx)
{
    const char *p = lx->p + 1;
    lx->now.kind = TOKEN_NUMBER;
    for (; p < lx->end; p++) {
        bool point = *p == '.' && p + 1 < lx->end && is_digit(p[1]);
        bool sign = (*p == '-' || *p == '+') && (p[-1] == 'e' || p[-1] == 'E');
        if (!is_digit(*p) && !is_letter(*p) && !point && !sign && *p != ':')
            break;
        if (*p == ':' && (p - lx->p != 3 || memcmp(lx->p, "nan", 3) != 0))
            break;
    }
    return p;
}

/* inf and nan begin like words; what may follow them is a type's suffix or a NaN's bits. */
static bool is_special(const ktext_lexer *lx, const char *end)
{
    size_t n = (size_t)(end - lx->p);
    return n >= 3 && (memcmp(lx->p, "inf", 3) == 0 || memcmp(lx->p, "nan", 3) == 0) &&
           (n == 3 || lx->p[3] == 'f' || lx->p[3] == ':');
}

/* Words of the IR contain hyphens (kernel-ir), so these are no operators here. */
static const char *scan_word(ktext_lexer *lx)
{
    const char *p = lx->p;
    while (p < lx->end && is_word_char(*p))
        p++;
    lx->now.kind = TOKEN_WORD;
    lx->now.s = lx->p;
    lx->now.n = (size_t)(p - lx->p);
    return is_special(lx, p) ? scan_number(lx) : p;
}

/* One character, but `..` counts as one mark; unknown bytes become TOKEN_BAD, one at a time. */
static const char *scan_mark(ktext_lexer *lx)
{
    bool dots = *lx->p == '.' && lx->p + 1 < lx->end && lx->p[1] == '.';
    bool known = dots || (*lx->p && strchr("(){}[]<>=,:;", *lx->p));
    lx->now.kind = known ? TOKEN_MARK : TOKEN_BAD;
    lx->now.mark = *lx->p;
    return lx->p + (dots ? 2 : 1);
}

void ktext_lex_next(ktext_lexer *lx)
{
    skip_blanks(lx);
    const char *p = lx->p;
    lx->now = (ktext_token){.kind = TOKEN_END, .at = p, .number = UINT32_MAX};
    if (p == lx->end)
        return;
    if (*p == '%')
        p = scan_name(lx, TOKEN_VALUE);
    else if (*p == '@')
        p = scan_name(lx, TOKEN_NAME);
    else if (*p == '"') {
        lx->now.kind = TOKEN_STRING;
        p = scan_string(lx, p);
    } else if (*p == '-' && p + 1 < lx->end && p[1] == '>') {
        lx->now.kind = TOKEN_ARROW;
        p += 2;
    } else if (is_digit(*p) || *p == '-')
        p = scan_number(lx);
    else if (is_letter(*p))
        p = scan_word(lx);
    else
        p = scan_mark(lx);
    lx->now.size = (size_t)(p - lx->p);
    lx->p = p;
}

void ktext_lex_init(ktext_lexer *lx, const char *text, size_t size)
{
    *lx = (ktext_lexer){.text = text, .p = text, .end = text + size};
    ktext_lex_next(lx);
}

/* ---- numbers ---- */

/* Moves *p behind the digits; false when there are none or they do not fit 64 bits. */
static bool take_digits(const char **p, const char *end, uint64_t *x)
{
    const char *start = *p;
    for (*x = 0; *p < end && is_digit(**p); ++*p) {
        uint64_t d = (uint64_t)(**p - '0');
        if (*x > (UINT64_MAX - d) / 10)
            return false;
        *x = *x * 10 + d;
    }
    return *p > start;
}

bool ktext_lex_integer(const ktext_token *t, int64_t *x)
{
    const char *p = t->at, *end = t->at + t->size;
    bool negative = t->size && *p == '-';
    uint64_t m;
    p += negative;
    if (t->kind != TOKEN_NUMBER || !take_digits(&p, end, &m) || p != end ||
        m > (uint64_t)INT64_MAX + negative)
        return false;
    *x = negative ? (int64_t)(0 - m) : (int64_t)m;
    return true;
}

/* The type that a suffix names; without one, int or double. */
static scalar suffix_type(const char *p, const char *end, bool real)
{
    if (p == end)
        return real ? ST_F64 : ST_I32;
    return ir_scalar_named(p, (size_t)(end - p));
}

/* nan:2143289345f32: a NaN by its bits. */
static bool read_nan_bits(const char *p, const char *end, scalar *type, uint64_t *bits)
{
    bool digits = take_digits(&p, end, bits);
    *type = suffix_type(p, end, true);
    uint32_t width = ir_scalar_bytes(*type) * 8;
    return digits && ir_scalar_class(*type) == 'F' && (width == 64 || *bits >> width == 0) &&
           isnan(scalar_float_value(*type, *bits));
}

/* Infinities and NaNs by word; the sign of a NaN given by its bits is among the bits. */
static bool read_special(const char *p, const char *end, bool negative, scalar *type,
                         uint64_t *bits)
{
    double x = *p == 'i' ? (double)INFINITY : (double)NAN;
    if (p + 3 < end && p[3] == ':')
        return !negative && read_nan_bits(p + 4, end, type, bits);
    *type = suffix_type(p + 3, end, true);
    *bits = scalar_float_bits(*type, negative ? -x : x);
    return ir_scalar_class(*type) == 'F';
}

/* Whether an integer lies in its type; signed ones are kept in two's complement over 64 bits. */
static bool fits(scalar type, uint64_t magnitude, bool negative, uint64_t *bits)
{
    uint32_t width = ir_scalar_bytes(type) * 8;
    char c = ir_scalar_class(type);
    if (c == 'U') {
        *bits = magnitude;
        return !negative && (width == 64 || magnitude >> width == 0);
    }
    *bits = negative ? 0 - magnitude : magnitude;
    return c == 'I' && magnitude <= ((uint64_t)1 << (width - 1)) - !negative;
}

/* The type is that of the suffix; without one i32, f64 where there is a point or exponent, and bool
 * for the words true and false. */
bool ktext_lex_constant(const ktext_token *t, scalar *type, uint64_t *bits)
{
    const char *p = t->at, *end = t->at + t->size;
    if (t->kind == TOKEN_WORD) {
        *type = ST_BOOL;
        *bits = t->n == 4 && memcmp(t->s, "true", 4) == 0;
        return *bits || (t->n == 5 && memcmp(t->s, "false", 5) == 0);
    }
    if (t->kind != TOKEN_NUMBER)
        return false;
    bool negative = *p == '-';
    p += negative;
    if (end - p >= 3 && (*p == 'i' || *p == 'n'))
        return read_special(p, end, negative, type, bits);
    bool real = false;
    const char *stop = p + decimal_length(p, (size_t)(end - p), &real);
    *type = suffix_type(stop, end, real);
    if (real && ir_scalar_class(*type) == 'F') {
        double x = scalar_parse_float(*type, p, (size_t)(stop - p));
        *bits = scalar_float_bits(*type, negative ? -x : x);
        return true;
    }
    uint64_t magnitude;
    return take_digits(&p, end, &magnitude) && p == stop && fits(*type, magnitude, negative, bits);
}
