/* The hand-written peers of the device cpu: cores.c and cores_arrays.c. */
#ifndef FCL_TESTS_BENCH_CORES_H
#define FCL_TESTS_BENCH_CORES_H

#include "tests/bench/problem.h"

/* Computes the results of a problem from its inputs, on all cores. */
typedef void cores_kernel(extents e, const void *const *in, void *const *out);

cores_kernel *cores_named(const char *name); /* NULL: there is none */
void cores_copy(void *to, const void *from, size_t bytes);

/* cores_arrays.c */
cores_kernel cores_compact, cores_sort, cores_segments, cores_sparse, cores_bodies, cores_plate,
    cores_heat, cores_means, cores_products;

#endif
