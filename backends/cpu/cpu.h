/* The plain C back end: kernels as C11 with OpenMP, for the cores of the host. */
#ifndef FCL_BACKENDS_CPU_H
#define FCL_BACKENDS_CPU_H

#include "backends/backend.h"
#include "libfcl/fcl_backend.h"

extern const fcl_backend backend_cpu;

/* functions.c: what stands in front of tgmath.h, and behind all macros; which operators are written otherwise
 * than in C11. */
extern const char cpu_vectors[], cpu_special[];
extern const fcl_c_operator cpu_operators[];
/* kernel.c: kernel number k of the program as C. */
void cpu_kernel(fcl_printer *e, size_t k);
/* simd.c: the line before a loop that says how vectors may be made of its turns, and what it names. */
extern const char cpu_sums[];
void cpu_before_loop(fcl_printer *e, k_id loop);
/* cursors.c: whether what a loop carries as number i is held in 64 bits. */
bool cpu_is_cursor(fcl_printer *e, k_id loop, uint32_t i);

#endif
