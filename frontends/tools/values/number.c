/* Number literals: see number.h.  The grammar is that of the IR: 42 -7 0x1f 3i64 1.5 2e3f32 inf nan
 * -inf true false; a suffix must name the type that is asked for; an integer literal may stand for
 * a float, never the other way. */
#include "frontends/tools/values/number.h"

#include "frontends/tools/values/scalar.h"
#include "frontends/tools/text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A sign inside belongs to the number behind the e of an exponent only. */
size_t number_length(const char *s)
{
    size_t n = *s == '-' || *s == '+';
    while (is_digit(s[n]) || is_letter(s[n]) || s[n] == '.' ||
           (n > 1 && (s[n] == '-' || s[n] == '+') && (s[n - 1] == 'e' || s[n - 1] == 'E') &&
            is_digit(s[n - 2])))
        n++;
    return n;
}

/* ---- the parts of a literal ---- */

typedef struct number {
    bool negative, is_float, is_hex;
    const char *digits; /* after the sign and 0x */
    size_t ndigits;     /* the whole number without its suffix */
    const char *suffix;
    size_t nsuffix;
} number;

static size_t digits_at(const char *s, const char *end)
{
    size_t n = 0;
    while (s + n < end && is_digit(s[n]))
        n++;
    return n;
}

static size_t hex_digits_at(const char *s, const char *end)
{
    size_t n = 0;
    while (s + n < end &&
           (is_digit(s[n]) || (s[n] >= 'a' && s[n] <= 'f') || (s[n] >= 'A' && s[n] <= 'F')))
        n++;
    return n;
}

/* An exponent at s: its length, 0 when there is none. */
static size_t exponent_at(const char *s, const char *end)
{
    if (s >= end || (*s != 'e' && *s != 'E'))
        return 0;
    size_t sign = s + 1 < end && (s[1] == '-' || s[1] == '+'), n = digits_at(s + 1 + sign, end);
    return n ? 1 + sign + n : 0;
}

/* Digits, a point and an exponent, of which some may be missing; the length, 0 for no number. */
static size_t split_decimal(number *x, const char *s, const char *end)
{
    size_t whole = digits_at(s, end), n = whole;
    if (s + n < end && s[n] == '.') {
        size_t part = digits_at(s + n + 1, end);
        if (whole + part == 0)
            return 0;
        n += 1 + part;
        x->is_float = true;
    }
    size_t exponent = n ? exponent_at(s + n, end) : 0;
    x->is_float = x->is_float || exponent;
    return n + exponent;
}

/* Takes a literal apart; false when it has no digits. */
static bool split(number *x, const char *s, size_t n)
{
    const char *end = s + n;
    *x = (number){.negative = n && *s == '-'};
    s += n && (*s == '-' || *s == '+');
    x->is_hex = end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    if (x->is_hex)
        s += 2;
    x->digits = s;
    if (end - s >= 3 && (memcmp(s, "inf", 3) == 0 || memcmp(s, "nan", 3) == 0)) {
        x->is_float = true;
        x->ndigits = 3;
    } else {
        x->ndigits = x->is_hex ? hex_digits_at(s, end) : split_decimal(x, s, end);
    }
    x->suffix = s + x->ndigits;
    x->nsuffix = (size_t)(end - x->suffix);
    return x->ndigits > 0;
}

/* ---- their meaning ---- */

/* The digits as a number; false when 64 bits do not hold it. */
static bool magnitude(const number *x, uint64_t *out)
{
    uint64_t base = x->is_hex ? 16 : 10;
    *out = 0;
    for (size_t i = 0; i < x->ndigits; i++) {
        char c = x->digits[i];
        uint64_t digit = (uint64_t)(is_digit(c) ? c - '0' : (c | 32) - 'a' + 10);
        if (*out > (UINT64_MAX - digit) / base)
            return false;
        *out = *out * base + digit;
    }
    return true;
}

/* The low bytes of the bits, in the machine's order. */
static void store(uint64_t bits, unsigned bytes, void *out)
{
    switch (bytes) {
    case 1: memcpy(out, &(uint8_t){(uint8_t)bits}, 1); break;
    case 2: memcpy(out, &(uint16_t){(uint16_t)bits}, 2); break;
    case 4: memcpy(out, &(uint32_t){(uint32_t)bits}, 4); break;
    default: memcpy(out, &bits, 8); break;
    }
}

/* The greatest value of an integer type. */
static uint64_t largest(const scalar_info *s)
{
    unsigned bits = 8u * s->bytes - (s->kind == 'i');
    return UINT64_MAX >> (64 - bits);
}

/* In two's complement: the least value has a magnitude one above the greatest's. */
static number_result read_integer(const number *x, const scalar_info *s, void *out)
{
    uint64_t m, limit = largest(s);
    if (x->negative)
        limit = s->kind == 'i' ? limit + 1 : 0;
    if (!magnitude(x, &m) || m > limit)
        return NUMBER_RANGE;
    store(x->negative ? 0 - m : m, s->bytes, out);
    return NUMBER_OK;
}

/* The word itself, or digits that lie in the range of the type: .5 and 5. are decimals here. */
static double float_value(const number *x, fcl_scalar t, void *out, bool *fits)
{
    *fits = true;
    if (x->digits[0] == 'i' || x->digits[0] == 'n')
        return x->digits[0] == 'i' ? (double)INFINITY : (double)NAN;
    *fits = fcl_float_parse(t, x->digits, x->ndigits, out);
    return fcl_float_read(t, out);
}

/* A number that becomes infinite is out of range; inf is not. */
static number_result read_float(const number *x, fcl_scalar t, void *out)
{
    bool fits;
    double d = float_value(x, t, out, &fits);
    fcl_float_write(t, x->negative ? -d : d, out);
    return fits ? NUMBER_OK : NUMBER_RANGE;
}

static number_result read_bool(const char *s, size_t n, void *out)
{
    bool yes = text_is(s, n, "true");
    *(unsigned char *)out = yes;
    return yes || text_is(s, n, "false") ? NUMBER_OK : NUMBER_TYPE;
}

/* First whether it is a literal at all, then whether it is one of the type, then whether it
 * fits. */
number_result number_read(const char *s, size_t n, fcl_scalar t, void *out)
{
    const scalar_info *info = fcl_scalar_get(t);
    bool is_bool = text_is(s, n, "true") || text_is(s, n, "false");
    number x;
    if (!is_bool && !split(&x, s, n))
        return NUMBER_NONE;
    if (t == FCL_BOOL)
        return read_bool(s, n, out);
    if (is_bool)
        return NUMBER_TYPE;
    fcl_scalar suffix = x.nsuffix ? fcl_scalar_named(x.suffix, x.nsuffix) : t;
    if (!suffix)
        return NUMBER_NONE;
    if (suffix != t || (x.is_float && info->kind != 'f') || (x.is_hex && info->kind == 'f'))
        return NUMBER_TYPE;
    return info->kind == 'f' ? read_float(&x, t, out) : read_integer(&x, info, out);
}

bool number_from_index(uint64_t i, fcl_scalar t, void *out)
{
    const scalar_info *s = fcl_scalar_get(t);
    if (s->kind == 'f') {
        fcl_float_write(t, (double)i, out);
        return true;
    }
    if (s->kind == 'b' || i > largest(s))
        return false;
    store(i, s->bytes, out);
    return true;
}
