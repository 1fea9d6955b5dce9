/* The OpenCL C back end: kernels as OpenCL C 1.2, which every driver takes. */
#ifndef FCL_BACKENDS_OPENCL_H
#define FCL_BACKENDS_OPENCL_H

#include "backends/backend.h"

extern const backend backend_opencl;

#endif
