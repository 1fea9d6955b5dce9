/* The nearest binary number to a decimal text, rounded once, whatever the locale and whatever the
 * format: strtod knows two formats and the locale's decimal point. */
#ifndef FCL_BASE_DECIMAL_H
#define FCL_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* A format of IEEE 754 that is no wider than double: bits of its significand, the hidden one
 * included, and of its exponent. */
typedef struct decimal_format {
    int precision, exponent_bits;
} decimal_format;

/* How many of the n characters at s are one number: digits, a point between digits, an exponent.
 * *real: whether there is a point or an exponent.  0 when s does not begin with a digit. */
size_t decimal_length(const char *s, size_t n, bool *real);
/* The number that the n characters at s stand for: digits with a point and an exponent where there
 * are any, no sign, `12`, `.5`, `1.5e-3`; NaN when they are nothing of the kind.  Halves round to
 * even; beyond the format's range it is infinite.  Time is quadratic in the digits, of which 800
 * count. */
double decimal_read(const char *s, size_t n, decimal_format f);

#endif
