/* Reading decimals: see decimal.h.
 *
 * digits * 10^exponent is a quotient of two whole numbers of many words; one of them is shifted
 * until the quotient has 63 or 64 bits, which with "there was a remainder" decide the rounding to
 * any format ("bignum" method, as in Clinger's AlgorithmM).  Where digits and power are doubles
 * without error, one operation of theirs gives a number that is rounded once (Clinger's fast
 * path).  No more than 767 digits can lie between a double and the middle to its neighbour: of more
 * digits only matters whether they are zeros. */
#include "ir/base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    DIGITS = 800,     /* that are kept */
    WORDS = 160,      /* more than 10^(DIGITS + 330) << 96 */
    HUGE_POWER = 310, /* 10^310 is infinite in every format, 10^-330 less than half of anything */
    TINY_POWER = -330
};

typedef struct big {
    uint32_t n; /* words that are used, the lowest first; the highest is not 0 */
    uint32_t word[WORDS];
} big;

/* ---- whole numbers of many words ---- */

/* x = x * factor + term; what would not fit cannot come by the bounds on digits and exponent. */
static void multiply_add(big *x, uint32_t factor, uint32_t term)
{
    uint64_t carry = term;
    for (uint32_t i = 0; i < x->n; i++) {
        carry += (uint64_t)x->word[i] * factor;
        x->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && x->n < WORDS)
        x->word[x->n++] = (uint32_t)carry;
}

static void multiply_power(big *x, int power)
{
    for (; power >= 9; power -= 9)
        multiply_add(x, 1000000000, 0);
    while (power-- > 0)
        multiply_add(x, 10, 0);
}

static int bit_length(const big *x)
{
    int bits = 0;
    for (uint32_t top = x->n ? x->word[x->n - 1] : 0; top; top >>= 1)
        bits++;
    return x->n ? 32 * (int)(x->n - 1) + bits : 0;
}

static void shift_left(big *x, int by)
{
    uint32_t words = (uint32_t)by / 32, bits = (uint32_t)by % 32, n = x->n;
    if (!n || n + words + 1 > WORDS)
        return;
    x->word[n] = 0;
    for (uint32_t i = n + 1; i-- > 0;) {
        uint64_t pair = (uint64_t)x->word[i] << 32 | (i ? x->word[i - 1] : 0);
        x->word[i + words] = (uint32_t)(pair << bits >> 32);
    }
    memset(x->word, 0, words * sizeof *x->word);
    x->n = n + words + (x->word[n + words] != 0);
}

/* The words of x from j on, less y times a digit of 32 bits; true when that is negative, and then
 * it is off by a word beyond the highest. */
static bool subtract_times(big *x, uint32_t j, const big *y, uint32_t digit)
{
    uint64_t carry = 0, borrow = 0;
    for (uint32_t i = 0; i <= y->n; i++) {
        carry += i < y->n ? (uint64_t)y->word[i] * digit : 0;
        uint64_t d = (uint64_t)x->word[j + i] - (uint32_t)carry - borrow;
        x->word[j + i] = (uint32_t)d;
        borrow = d >> 63;
        carry >>= 32;
    }
    return borrow;
}

/* Adds y back; true when the sum is no longer negative. */
static bool add_back(big *x, uint32_t j, const big *y)
{
    uint64_t carry = 0;
    for (uint32_t i = 0; i <= y->n; i++) {
        carry += (uint64_t)x->word[j + i] + (i < y->n ? y->word[i] : 0);
        x->word[j + i] = (uint32_t)carry;
        carry >>= 32;
    }
    return carry;
}

/* The quotient's digit at word j: an estimate from the highest words is at most two too large, as
 * the highest bit of y is set (Knuth's Algorithm D). */
static uint32_t quotient_digit(big *x, uint32_t j, const big *y)
{
    uint64_t top = (uint64_t)x->word[j + y->n] << 32 | x->word[j + y->n - 1];
    uint64_t estimate = top / y->word[y->n - 1];
    uint32_t digit = estimate > UINT32_MAX ? UINT32_MAX : (uint32_t)estimate;
    if (subtract_times(x, j, y, digit))
        do
            digit--;
        while (!add_back(x, j, y));
    return digit;
}

/* x / y, of at most 64 bits; whether something remains. */
static uint64_t divide(big *x, big *y, bool *more)
{
    uint64_t q = 0;
    int unused = 32 * (int)y->n - bit_length(y);
    shift_left(x, unused);
    shift_left(y, unused);
    x->word[x->n] = 0;
    for (uint32_t j = x->n >= y->n ? x->n - y->n + 1 : 0; j-- > 0;)
        q = q << 32 | quotient_digit(x, j, y);
    *more = false;
    for (uint32_t i = 0; i < x->n; i++)
        *more = *more || x->word[i];
    return q;
}

/* ---- the text ---- */

typedef struct decimal_text {
    char digits[DIGITS + 1]; /* without zeros before them */
    int n, power;            /* the number is digits * 10^power */
} decimal_text;

static bool is_digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

static const char *skip_digits(const char *p, const char *end)
{
    while (is_digit(p, end))
        p++;
    return p;
}

/* What looks like an exponent and has no digits is left to what is behind. */
size_t decimal_length(const char *s, size_t n, bool *real)
{
    const char *end = s + n, *p = skip_digits(s, end), *whole = p;
    if (p == s)
        return 0;
    if (p < end && *p == '.' && is_digit(p + 1, end))
        p = skip_digits(p + 1, end);
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        q += q < end && (*q == '-' || *q == '+');
        p = is_digit(q, end) ? skip_digits(q, end) : p;
    }
    *real = p > whole;
    return (size_t)(p - s);
}

/* Keeps a digit; of those beyond DIGITS one stands for all that are not 0. */
static void keep(decimal_text *d, char c, bool fraction)
{
    if (d->n == 0 && c == '0') {
        d->power -= fraction;
        return;
    }
    if (d->n < DIGITS) {
        d->digits[d->n++] = c;
        d->power -= fraction;
        return;
    }
    if (c != '0' && d->n == DIGITS) {
        d->digits[d->n++] = '1';
        d->power--;
    }
    d->power += !fraction;
}

/* Adds the exponent behind an e, cut where more makes no difference; NULL when there is none. */
static const char *take_exponent(const char *p, const char *end, int *power)
{
    int x = 0;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *digits = p;
    for (; is_digit(p, end); p++)
        x = x < 100000 ? x * 10 + (*p - '0') : x;
    *power += negative ? -x : x;
    return p > digits ? p : NULL;
}

/* False when it is no decimal. */
static bool take_apart(const char *s, size_t size, decimal_text *d)
{
    const char *p = s, *end = s + size;
    bool fraction = false;
    d->n = d->power = 0;
    for (; is_digit(p, end) || (p < end && *p == '.' && !fraction); p++)
        if (*p == '.')
            fraction = true;
        else
            keep(d, *p, fraction);
    if (p - s == fraction) /* no digits */
        return false;
    if (p < end && (*p == 'e' || *p == 'E'))
        p = take_exponent(p + 1, end, &d->power);
    return p == end;
}

/* ---- rounding ---- */

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_POWER = 22, EXACT_DIGITS = 15 };

/* q * 2^exponent, and something more where `more`, rounded to the format. */
static double round_to(uint64_t q, int exponent, bool more, decimal_format f)
{
    int most = (1 << (f.exponent_bits - 1)) - 1, least = 1 - most - (f.precision - 1), bits = 0;
    for (uint64_t x = q; x; x >>= 1)
        bits++;
    int drop = bits - f.precision; /* to a whole multiple of the last place, also of subnormals */
    drop = exponent + drop < least ? least - exponent : drop;
    if (drop > 64)
        return 0;
    uint64_t kept = drop < 64 ? q >> drop : 0, rest = drop < 64 ? q - (kept << drop) : q,
             half = (uint64_t)1 << (drop - 1);
    kept += rest > half || (rest == half && (more || kept % 2));
    double x = ldexp((double)kept, exponent + drop);
    return x >= ldexp(1, most + 1) || isinf(x) ? (double)INFINITY : x;
}

/* From digits and a power that are doubles: a double after one rounding.  A narrower format may
 * round that once more unless it lies in the middle between two of its numbers: then what is a
 * little less or more is rounded to different ones.  False where this does not decide. */
static bool read_small(const decimal_text *d, decimal_format f, double *out)
{
    uint64_t m = 0;
    if (FLT_EVAL_METHOD != 0 || d->n > EXACT_DIGITS || d->power > EXACT_POWER ||
        d->power < -EXACT_POWER)
        return false;
    for (int i = 0; i < d->n; i++)
        m = m * 10 + (uint64_t)(d->digits[i] - '0');
    *out = d->power < 0 ? (double)m / powers[-d->power] : (double)m * powers[d->power];
    if (f.precision == DBL_MANT_DIG)
        return true;
    int exponent;
    uint64_t q = (uint64_t)ldexp(frexp(*out, &exponent), DBL_MANT_DIG) * 2;
    exponent -= DBL_MANT_DIG + 1;
    *out = round_to(q - 1, exponent, false, f);
    return *out == round_to(q + 1, exponent, false, f);
}

/* The digits, nine at a time. */
static void whole_number(const decimal_text *d, big *out)
{
    out->n = 0;
    for (int i = 0; i < d->n;) {
        uint32_t nine = 0, power = 1;
        for (; i < d->n && power < 1000000000; i++, power *= 10)
            nine = nine * 10 + (uint32_t)(d->digits[i] - '0');
        multiply_add(out, power, nine);
    }
}

/* The quotient is made to have 64 bits, or 63. */
static double read_big(const decimal_text *d, decimal_format f)
{
    big above, below;
    below.n = below.word[0] = 1;
    whole_number(d, &above);
    multiply_power(d->power < 0 ? &below : &above, d->power < 0 ? -d->power : d->power);
    int shift = 64 - (bit_length(&above) - bit_length(&below)) - 1;
    shift_left(shift > 0 ? &above : &below, shift > 0 ? shift : -shift);
    bool more;
    uint64_t q = divide(&above, &below, &more);
    return round_to(q, -shift, more, f);
}

double decimal_read(const char *s, size_t n, decimal_format f)
{
    decimal_text d;
    double x;
    if (!take_apart(s, n, &d))
        return (double)NAN;
    if (d.n == 0 || d.n + d.power < TINY_POWER)
        return 0;
    if (d.n + d.power > HUGE_POWER)
        return (double)INFINITY;
    return read_small(&d, f, &x) ? x : read_big(&d, f);
}
