/* Number literals of the command line, as bits of a scalar type. */
#ifndef FCL_TOOLS_NUMBER_H
#define FCL_TOOLS_NUMBER_H

#include "libfcl/fcl.h"

typedef enum {
    NUMBER_OK,
    NUMBER_NONE,  /* there is no literal */
    NUMBER_TYPE,  /* it is one of another type */
    NUMBER_RANGE, /* it does not fit the type */
} number_result;

/* How many characters the literal at s takes: a sign, letters, digits, points. */
size_t number_length(const char *s);
/* Reads the n characters as a literal of type t; the element's bytes go to `out`, which has room
 * for 8. */
number_result number_read(const char *s, size_t n, fcl_scalar t, void *out);
/* The element with value i of 0, 1, 2, ...; false when it does not fit. */
bool number_from_index(uint64_t i, fcl_scalar t, void *out);

#endif
