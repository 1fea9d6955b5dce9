/* The scalar types: see scalar.h. */
#include "frontends/tools/values/scalar.h"

fcl_scalar scalar_of_numpy(char kind, unsigned bytes)
{
    for (int s = FCL_BOOL; s < FCL_SCALAR_END; s++) {
        const scalar_info *info = fcl_scalar_get((fcl_scalar)s);
        if (info->kind == kind && info->bytes == bytes)
            return (fcl_scalar)s;
    }
    return (fcl_scalar)0;
}

uint64_t array_count(const fcl_array *a)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < a->rank; i++)
        n *= a->dims[i];
    return n;
}
