/* Scalars as literals of the text form: the fewest digits that read back as the same bits, whatever
 * the locale.
 *
 * The shortest text is found by trying: at most a handful of lengths, since a precision of p
 * bits needs between (p-1) log10 2 and p log10 2 + 2 digits. */
#include "ir/base/decimal.h"
#include "ir/scalar/float.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_SIZE = 96, DIGITS_SIZE = NUMBER_SIZE - 1 };

/* int and double need no suffix: they are what a literal means by itself. */
static const char *suffix_of(scalar t)
{
    return t == ST_I32 || t == ST_F64 || t == ST_BOOL ? "" : ir_scalar_name(t);
}

/* An exponent has the bits that sign and fraction leave. */
double scalar_parse_float(scalar t, const char *s, size_t n)
{
    int precision = ir_scalar_info(t)->precision;
    return decimal_read(s, n, (decimal_format){precision, (int)ir_scalar_bytes(t) * 8 - precision});
}

/* Decimal digits that always survive a format of that precision, and that always suffice. */
static int digits_kept(int precision)
{
    return (precision - 1) * 30103 / 100000;
}

static int digits_needed(int precision)
{
    return 2 + precision * 30103 / 100000;
}

/* Turns whatever stands for the decimal point in this locale into a point; adds one when the text
 * looks like an integer. */
static void use_point(char *s)
{
    char *to = s;
    bool real = false;
    for (const char *from = s; *from; from++) {
        if (strchr("0123456789+-", *from)) {
            *to++ = *from;
        } else if (*from == 'e' || to == s || to[-1] != '.') {
            real = true;
            *to++ = *from == 'e' ? 'e' : '.';
        }
    }
    if (!real) {
        *to++ = '.';
        *to++ = '0';
    }
    *to = 0;
}

static const char *special_name(double x)
{
    if (isnan(x))
        return "nan";
    return !isinf(x) ? NULL : x > 0 ? "inf" : "-inf";
}

/* Tries from the least number of digits that could do; the last one always does. */
static void float_digits(scalar t, double x, char out[DIGITS_SIZE])
{
    int precision = ir_scalar_info(t)->precision, most = digits_needed(precision);
    /* below the normal numbers fewer digits survive: there are many such f16 */
    int least = precision < 24 ? 1 : digits_kept(precision);
    for (int digits = least; digits <= most; digits++) {
        snprintf(out, DIGITS_SIZE - 2, "%.*g", digits, x);
        use_point(out);
        if (scalar_parse_float(t, out, strlen(out)) == x)
            break;
    }
}

/* Also of -0. */
static void signed_digits(scalar t, double x, char out[NUMBER_SIZE])
{
    bool negative = signbit(x);
    if (negative)
        *out++ = '-';
    float_digits(t, fabs(x), out);
}

bool scalar_text(mem *m, scalar t, uint64_t bits, vec_char *out)
{
    char digits[NUMBER_SIZE];
    const char *s = digits;
    if (t == ST_BOOL)
        s = bits ? "true" : "false";
    else if (ir_scalar_class(t) == 'I')
        snprintf(digits, sizeof digits, "%" PRId64, (int64_t)bits);
    else if (ir_scalar_class(t) != 'F')
        snprintf(digits, sizeof digits, "%" PRIu64, bits);
    else if (special_name(scalar_float_value(t, bits)))
        s = special_name(scalar_float_value(t, bits));
    else
        signed_digits(t, scalar_float_value(t, bits), digits);
    const char *suffix = suffix_of(t);
    return text_add(m, out, s, strlen(s)) && text_add(m, out, suffix, strlen(suffix));
}
