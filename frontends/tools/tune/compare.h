/* Whether two runs of a program gave the same: integers and bools exactly, floats to a tolerance. */
#ifndef FCL_TOOLS_TUNE_COMPARE_H
#define FCL_TOOLS_TUNE_COMPARE_H

#include "libfcl/fcl.h"

/* A float may differ by the tolerance times the largest magnitude of the array, as another order of additions makes it.  The
 * tolerance is that of f32; that of f16 is 2^13 times as much, that of f64 2^-20. */
bool results_agree(const fcl_array *a, const fcl_array *b, size_t n, double tolerance);

#endif
