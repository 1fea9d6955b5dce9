/* The OpenCL functions that are used, loaded when first needed: nothing is linked, and no driver is
 * touched before.
 *
 * A library that the program has loaded already (linked or preloaded, as checking tools do) goes
 * before libOpenCL. */
#ifndef FCL_BACKENDS_RUN_OPENCL_API_H
#define FCL_BACKENDS_RUN_OPENCL_API_H

#include "backends/run/run.h"
#include "ir/base/context.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

/* clang-format off */
#define OPENCL_FUNCTIONS(X)                                                                                            \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)                                      \
    X(clCreateContext) X(clReleaseContext) X(clCreateCommandQueue) X(clReleaseCommandQueue) X(clFinish)                \
    X(clCreateBuffer) X(clCreateSubBuffer) X(clReleaseMemObject) X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer)      \
    X(clRetainContext) X(clRetainCommandQueue) X(clGetCommandQueueInfo) X(clRetainMemObject) X(clGetMemObjectInfo)     \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) X(clEnqueueMarkerWithWaitList) X(clFlush) X(clGetEventInfo) X(clWaitForEvents)                                     \
    X(clGetEventProfilingInfo) X(clReleaseEvent)                                                                       \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clBuildProgram)                         \
    X(clGetProgramBuildInfo) X(clGetProgramInfo) X(clReleaseProgram)                                                   \
    X(clCreateKernel) X(clReleaseKernel) X(clSetKernelArg) X(clEnqueueNDRangeKernel)
/* clang-format on */

typedef struct opencl_api {
#define FUNCTION(name) __typeof__(name) *name;
    OPENCL_FUNCTIONS(FUNCTION)
#undef FUNCTION
    /* of OpenCL 2.1; NULL: the loader has none */
    cl_program (*clCreateProgramWithIL)(cl_context, const void *, size_t, cl_int *);
} opencl_api;

bool opencl_load(
    opencl_api *api); /* false: there is no loader, or it lacks a function; no diagnostic */
/* CL_OUT_OF_RESOURCES for -5; "an unknown error" for numbers that the standard does not have. */
const char *opencl_error_name(cl_int error);

/* A device of the machine, by its number over all platforms in order. */
typedef struct opencl_place {
    cl_platform_id platform;
    cl_device_id device;
} opencl_place;
typedef VEC(opencl_place) vec_place;
/* il.c: whether the device takes SPIR-V, by itself or through a translator. */
bool opencl_takes_il(const opencl_api *api, cl_device_id id, const char *version);
/* caps.c */
run_caps opencl_caps(mem *m, const opencl_api *api, cl_device_id id);
bool opencl_list(fcl_context *cx, const opencl_api *api, vec_place *out); /* false: no memory */

#endif
