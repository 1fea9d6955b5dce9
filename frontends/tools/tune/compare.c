/* Comparing results: see compare.h. */
#include "frontends/tools/tune/compare.h"

#include "frontends/tools/values/scalar.h"

#include <math.h>
#include <string.h>

static bool same_shape(const fcl_array *a, const fcl_array *b)
{
    bool same = a->type == b->type && a->rank == b->rank;
    for (unsigned i = 0; same && i < a->rank; i++)
        same = a->dims[i] == b->dims[i];
    return same;
}

/* Element i of an array of floats. */
static double element(const fcl_array *a, size_t i)
{
    return fcl_float_read(a->type, (const char *)a->data + i * fcl_scalar_get(a->type)->bytes);
}

static bool floats_agree(const fcl_array *a, const fcl_array *b, double tolerance)
{
    size_t n = (size_t)array_count(a);
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(element(a, i)) && fabs(element(a, i)) > most)
            most = fabs(element(a, i));
    for (size_t i = 0; i < n; i++) {
        double x = element(a, i), y = element(b, i);
        bool same = x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= tolerance * most;
        if (!same)
            return false;
    }
    return true;
}

static bool agree(const fcl_array *a, const fcl_array *b, double tolerance)
{
    if (!same_shape(a, b))
        return false;
    if (memcmp(a->data, b->data, (size_t)array_count(a) * fcl_scalar_get(a->type)->bytes) == 0)
        return true;
    switch (a->type) {
    case FCL_F16: return floats_agree(a, b, ldexp(tolerance, 13));
    case FCL_F32: return floats_agree(a, b, tolerance);
    case FCL_F64: return floats_agree(a, b, ldexp(tolerance, -20));
    default: return false;
    }
}

bool results_agree(const fcl_array *a, const fcl_array *b, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        if (!agree(&a[i], &b[i], tolerance))
            return false;
    return true;
}
