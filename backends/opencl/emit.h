/* What the files of the OpenCL C emitter share, beside what every C has (backends/c/emit.h). */
#ifndef FCL_BACKENDS_OPENCL_EMIT_H
#define FCL_BACKENDS_OPENCL_EMIT_H

#include "backends/c/emit.h"
#include "backends/opencl/opencl.h"

enum { CL_ORDERED = ATOMIC_ARRIVE - ATOMIC_LOAD + 1 }; /* atomic steps from ATOMIC_LOAD on */

typedef struct cl_vectors cl_vectors;

/* What a program uses beyond OpenCL C 1.2 without extensions; [1]: of 64 bits. */
typedef struct cl_uses {
    bool atomics64, extended64, subgroups, warp_sync, thread;
    bool shuffle[2];
    bool ordered[2][CL_ORDERED];
    bool pack[2]; /* of two elements in a word, and of four */
    cl_vectors *vectors; /* of the loop that is being written as vectors; NULL: none is */
} cl_uses;

static inline cl_uses *cl_uses_of(c_emitter *e)
{
    return e->file->state;
}

/* operators.c */
extern const fcl_c_operator opencl_operators[];

/* memory.c: see fcl_c_language, and what stands before the kernels. */
void cl_load_wide(c_emitter *e, k_id id);
void cl_lane(c_emitter *e, k_id lane);
void cl_store_wide(c_emitter *e, k_id id);
void cl_atomic(c_emitter *e, k_id id);
void cl_shuffle(c_emitter *e, k_id id);
void cl_sync(c_emitter *e, fcl_height level);
bool cl_print_extensions(mem *m, const cl_uses *u, const c_helpers *h, opencl_dialect dialect,
                         vec_char *out);
bool cl_print_devices(mem *m, const cl_uses *u, const c_helpers *h, const k_target *t,
                      vec_char *out);

#endif
