/* The OpenCL C back end: kernels as OpenCL C 1.2, which every driver takes. */
#ifndef FCL_BACKENDS_OPENCL_H
#define FCL_BACKENDS_OPENCL_H

#include "backends/backend.h"

extern const fcl_backend backend_opencl;

/* What a device of OpenCL has as long as nobody says otherwise, whatever form its code has. */
extern const fcl_target_facts opencl_facts;

/* Its dialects: how the lanes of a warp exchange values and wait for one another. */
typedef enum opencl_dialect {
    OPENCL_PLAIN,     /* they do not: local memory, and barriers of the whole block */
    OPENCL_PTX,       /* NVIDIA: shfl.sync and bar.warp.sync as inline PTX */
    OPENCL_SUBGROUPS, /* cl_khr_subgroups and cl_khr_subgroup_shuffle */
} opencl_dialect;

#endif
