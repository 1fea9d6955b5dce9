/* What the programs ask of the scalar types beyond what the library tells: see fcl_scalar_get. */
#ifndef FCL_TOOLS_SCALAR_H
#define FCL_TOOLS_SCALAR_H

#include "libfcl/fcl.h"

typedef fcl_scalar_facts scalar_info;

/* By NumPy's kind and width; 0 when no scalar type has them. */
fcl_scalar scalar_of_numpy(char kind, unsigned bytes);
/* The number of elements of an array, 1 of a scalar. */
uint64_t array_count(const fcl_array *a);

#endif
