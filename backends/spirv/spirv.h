/* The SPIR-V back end: kernels as a binary module, for drivers that take no source code. */
#ifndef FCL_BACKENDS_SPIRV_H
#define FCL_BACKENDS_SPIRV_H

#include "backends/backend.h"

extern const fcl_backend backend_spirv_opencl, backend_spirv_vulkan;

#endif
