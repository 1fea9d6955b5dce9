/* Shortest decimals that round-trip: see decimal.h.  The digits are those that Steele and White's
 * algorithm, Grisu or Ryu give: as few as read back as x, and of those the nearest to x.
 *
 * A float has 6 decimal digits that always survive and 9 that always suffice, a double 15 and 17,
 * other formats as their precision says.  The digits are tried from few to many.  One try scales by
 * a power of ten in extended precision, rounds to an integer, and scales back; it is decisive
 * unless the result falls so near the edge of the numbers that round to x that the error of two
 * roundings could matter, or x is out of the range where powers of ten are exact.  Those few are
 * left to the C library, as are all where long double is no wider than double. */
#include "frontends/tools/values/decimal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t decimal_unsigned(uint64_t x, char *out)
{
    char digits[20];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + x % 10);
    while (x /= 10);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    return n;
}

size_t decimal_signed(int64_t x, char *out)
{
    if (x >= 0)
        return decimal_unsigned((uint64_t)x, out);
    *out = '-';
    return 1 + decimal_unsigned(0 - (uint64_t)x, out + 1);
}

/* ---- digits ---- */

typedef struct format {
    fcl_scalar type;
    int least, most; /* digits that always survive; digits that always suffice */
    int bits;        /* of the significand */
    double smallest; /* normal number */
} format;

/* From the facts of the type: 30103 / 100000 is the decimal logarithm of 2. */
static format format_of(fcl_scalar t)
{
    const fcl_scalar_facts *facts = fcl_scalar_get(t);
    int bits = (int)facts->precision, exponent = 8 * (int)facts->bytes - bits;
    return (format){.type = t,
                    .least = (bits - 1) * 30103 / 100000,
                    .most = 2 + bits * 30103 / 100000,
                    .bits = bits,
                    .smallest = ldexp(1, 2 - (1 << (exponent - 1)))};
}

/* The number of the format that a text stands for. */
static double parse(const format *f, const char *s)
{
    unsigned char bits[8];
    fcl_float_parse(f->type, s, strlen(s), bits);
    return fcl_float_read(f->type, bits);
}

/* x = digits * 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

enum {
    EXACT_POWERS = LDBL_MANT_DIG >= 64 ? 27 : 22
}; /* 10^27 = 5^27 * 2^27 and 5^27 < 2^64; 5^22 < 2^53 */

static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                     1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                     1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                     1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* x * 10^exponent, rounded once: the power is exact, |exponent| <= EXACT_POWERS. */
static long double scale(long double x, int exponent)
{
    return exponent >= 0 ? x * powers[exponent] : x / powers[-exponent];
}

typedef enum { TRY_NO, TRY_YES, TRY_UNSURE } try_result;

/* A positive number, and its neighbourhood. */
typedef struct decimal_text {
    double x;
    long double above, below; /* what is nearer to x than these, on either side, rounds to x */
    long double doubt;        /* the error of two roundings */
} decimal_text;

/* The neighbourhood of x, which is narrower below a power of two; x < 2^*binary. */
static decimal_text subject_of(double x, const format *f, int *binary)
{
    double fraction = frexp(x, binary);
    long double half = ldexpl(1, *binary - f->bits - 1);
    return (decimal_text){
        .x = x, .above = half, .below = fraction == 0.5 ? half / 2 : half, .doubt = x * 0x1p-62L};
}

/* Whether the decimal reads back as x. */
static try_result judge(const decimal_text *s, const decimal *d)
{
    long double error = scale((long double)d->digits, d->exponent) - s->x;
    long double edge = error < 0 ? s->below : s->above;
    error = fabsl(error);
    if (error < edge - s->doubt)
        return TRY_YES;
    return error > edge + s->doubt ? TRY_NO : TRY_UNSURE;
}

/* Whether `scaled` is all of x * 10^exponent. */
static bool is_exact(long double scaled, long double x, int exponent)
{
    return exponent >= 0 ? fmal(x, powers[exponent], -scaled) == 0
                         : fmal(scaled, powers[-exponent], -x) == 0;
}

/* Whether x rounded to a multiple of 10^exponent reads back as x: the even one of two that are
 * equally near (which rounding must not have made so), but above a power of two there is more room
 * than below. */
static try_result try_digits(const decimal_text *s, int exponent, decimal *out)
{
    long double scaled = scale(s->x, -exponent);
    *out = (decimal){(uint64_t)(scaled + 0.5L), exponent};
    long double added = (long double)out->digits - scaled;
    bool between = fabsl(fabsl(added) - 0.5L) <= scaled * 0x1p-62L;
    if (between && !is_exact(scaled, s->x, -exponent))
        return TRY_UNSURE;
    bool tie = added == 0.5L && out->digits % 2;
    out->digits -= tie;
    try_result result = judge(s, out);
    if (!tie || result == TRY_YES)
        return result;
    out->digits++;
    return judge(s, out);
}

/* The same by the C library, for any positive x: one more digit until the text reads back.  A
 * subnormal number may need as few as one. */
static void digits_slow(double x, const format *f, decimal *out)
{
    char text[DECIMAL_ROOM];
    int n = x < f->smallest ? 1 : f->least;
    do
        snprintf(text, sizeof text, "%.*e", n - 1, x);
    while (n++ < f->most && parse(f, text) != x);
    char *e = strchr(text, 'e');
    out->digits = 0;
    out->exponent = atoi(e + 1);
    for (const char *p = text; p < e; p++)
        if (*p != '.') {
            out->digits = out->digits * 10 + (uint64_t)(*p - '0');
            out->exponent -= p != text;
        }
}

/* The digits of a positive number. */
static void digits_of(double x, const format *f, decimal *out)
{
    int binary;
    decimal_text s = subject_of(x, f, &binary);
    int lead =
        (int)floor((binary - 1) * 0.30102999566398120); /* of the leading digit, or one less */
    bool exact = x >= f->smallest && LDBL_MANT_DIG >= 64;
    for (int n = f->least; exact && n <= f->most; n++) {
        int exponent = lead + 1 - n;
        if (exponent < -EXACT_POWERS || exponent > EXACT_POWERS)
            break;
        try_result result = try_digits(&s, exponent, out);
        if (result == TRY_YES)
            return;
        if (result == TRY_UNSURE)
            break;
    }
    digits_slow(x, f, out);
}

/* ---- text ---- */

enum { LEAST_FIXED = -5, MOST_FIXED = 16 }; /* leading exponents that are written without one */

/* 0.00123, 12.5, 1200.0: the first digit has the weight 10^lead. */
static size_t put_fixed(const char *digits, int n, int lead, char *out)
{
    char *p = out;
    if (lead < 0) {
        p += sprintf(p, "0.%.*s", -lead - 1, "0000");
        memcpy(p, digits, (size_t)n);
        return (size_t)(p + n - out);
    }
    for (int i = 0; i <= lead || i < n; i++) {
        if (i == lead + 1)
            *p++ = '.';
        *p++ = i < n ? digits[i] : '0';
    }
    if (n <= lead + 1) {
        *p++ = '.';
        *p++ = '0';
    }
    return (size_t)(p - out);
}

/* 1.5e30, 1e-7 */
static size_t put_scientific(const char *digits, int n, int lead, char *out)
{
    char *p = out;
    *p++ = digits[0];
    if (n > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)n - 1);
        p += n - 1;
    }
    *p++ = 'e';
    return (size_t)(p - out) + decimal_signed(lead, p);
}

/* Without zeros at the end, with an exponent where there would be many zeros. */
static size_t put_decimal(decimal d, char *out)
{
    char digits[24];
    int n = (int)decimal_unsigned(d.digits, digits), lead = d.exponent + n - 1;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return lead >= LEAST_FIXED && lead < MOST_FIXED ? put_fixed(digits, n, lead, out)
                                                    : put_scientific(digits, n, lead, out);
}

static size_t put_word(const char *word, char *out)
{
    size_t n = strlen(word);
    memcpy(out, word, n);
    return n;
}

/* An integer that a double holds exactly has its own digits, and needs no search. */
static size_t put_float(double x, const format *f, char *out)
{
    if (isnan(x))
        return put_word("nan", out);
    size_t sign = signbit(x) ? put_word("-", out) : 0;
    x = fabs(x);
    if (isinf(x))
        return sign + put_word("inf", out + sign);
    decimal d = {0};
    if (x < 0x1p53 && x == floor(x) && f->bits == DBL_MANT_DIG)
        d.digits = (uint64_t)x;
    else if (x != 0)
        digits_of(x, f, &d);
    return sign + put_decimal(d, out + sign);
}

size_t decimal_float(double x, fcl_scalar t, char *out)
{
    format f = format_of(t);
    return put_float(x, &f, out);
}
