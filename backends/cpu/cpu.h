/* The plain C back end: kernels as C11 with OpenMP, for the cores of the host. */
#ifndef FCL_BACKENDS_CPU_H
#define FCL_BACKENDS_CPU_H

#include "backends/backend.h"
#include "libfcl/fcl_backend.h"

extern const fcl_backend backend_cpu;

/* kernel.c: kernel number k of the program as C. */
void cpu_kernel(fcl_printer *e, size_t k);
/* simd.c: the line before a loop that says how vectors may be made of its turns. */
void cpu_before_loop(fcl_printer *e, k_id loop);

#endif
