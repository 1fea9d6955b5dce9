/* What the programs know of the scalar types: their names in literals and their codes in NumPy
 * files. */
#ifndef FCL_TOOLS_SCALAR_H
#define FCL_TOOLS_SCALAR_H

#include "libfcl/fcl.h"

typedef struct scalar_info {
    const char *name, *suffix; /* in types; after literals */
    char kind;                 /* NumPy's: b i u f */
    unsigned char bytes;
} scalar_info;

enum { SCALAR_COUNT = FCL_F64 + 1 };

const scalar_info *scalar_info_of(fcl_scalar s);
/* By NumPy's kind and width; 0 when no scalar type has them. */
fcl_scalar scalar_of_numpy(char kind, unsigned bytes);
/* By name or suffix; 0 for an unknown one. */
fcl_scalar scalar_named(const char *s, size_t n);

/* The number of elements of an array, 1 of a scalar. */
uint64_t array_count(const fcl_array *a);

#endif
