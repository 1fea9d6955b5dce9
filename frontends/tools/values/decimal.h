/* The shortest decimal text that reads back as the same number, fast enough for results of many
 * millions. */
#ifndef FCL_TOOLS_DECIMAL_H
#define FCL_TOOLS_DECIMAL_H

#include "libfcl/fcl.h"

enum { DECIMAL_ROOM = 48 }; /* characters that any of these may need */

/* Each writes to `out` and returns the number of characters; none adds a NUL. */
size_t decimal_unsigned(uint64_t x, char *out);
size_t decimal_signed(int64_t x, char *out);
/* A point or an exponent is always there: 3.0, 1e30; and inf, -inf, nan. */
size_t decimal_float(double x, fcl_scalar t, char *out); /* x is one of t */

#endif
