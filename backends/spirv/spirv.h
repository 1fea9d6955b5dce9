/* The SPIR-V back end: kernels as a binary module, for drivers that take no source code. */
#ifndef FCL_BACKENDS_SPIRV_H
#define FCL_BACKENDS_SPIRV_H

#include "backends/backend.h"

extern const fcl_backend backend_spirv_opencl, backend_spirv_vulkan, backend_spirv_addresses;

/* Dialects: how the lanes of a warp exchange values and wait for one another. */
typedef enum spirv_dialect {
    SPIRV_PLAIN,     /* they do not: local memory, and barriers of the whole block */
    SPIRV_SUBGROUPS, /* shuffles and barriers of subgroups, each of which is a warp: SPIR-V 1.3 */
} spirv_dialect;

#endif
