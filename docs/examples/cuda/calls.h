/* The calls of OpenCL that docs/examples/run_plan.c makes, by CUDA's driver and NVRTC: with them
 * the same program runs artifacts of the target cuda-c.
 *
 *   cc -std=c11 -D_DEFAULT_SOURCE -DDEVICE_CALLS='"cuda/calls.h"' -o run_cuda run_plan.c -lfcl -ldl
 *
 * Both libraries are opened when the program runs, so that it can be built anywhere. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGET                "cuda-c"
#define TAKES(name, exchange) (strcmp(name, TARGET) == 0)

typedef int cl_int;
typedef unsigned cl_uint;
typedef uint64_t cl_mem_flags;
typedef void *cl_platform_id, *cl_device_id, *cl_context, *cl_command_queue, *cl_event;

enum { CL_SUCCESS = 0, CL_TRUE = 1, CL_MEM_READ_WRITE = 1, CL_MEM_COPY_HOST_PTR = 32 };
enum { CL_DEVICE_TYPE_ALL = -1 };

typedef struct cuda_memory *cl_mem; /* an address on the device */

typedef struct cuda_program {
    char *source;
    void *module;
} * cl_program;

/* Values by their numbers, and what a group has of local memory for each. */
enum { MOST_ARGUMENTS = 256 };
typedef struct cuda_kernel {
    void *function;
    uint64_t values[MOST_ARGUMENTS];
    size_t local[MOST_ARGUMENTS];
    unsigned count;
} * cl_kernel;

/* A function of a library; without it the program ends. */
static void *cuda_function(const char *library, const char *other, const char *name)
{
    void *object = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    object = object ? object : dlopen(other, RTLD_NOW | RTLD_GLOBAL);
    void *f = object ? dlsym(object, name) : NULL;
    if (f)
        return f;
    fprintf(stderr, "%s of %s is not there\n", name, library);
    exit(1);
}

#define CUDA_TYPED(type, library, other, name)                                                     \
    ((type)(uintptr_t)cuda_function(library, other, name))
#define CU(name, type)    CUDA_TYPED(type, "libcuda.so.1", "libcuda.so", #name)
#define NVRTC(name, type) CUDA_TYPED(type, "libnvrtc.so", "libnvrtc.so.13", #name)

static cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *out, cl_uint *count)
{
    (void)n, (void)count;
    *out = NULL;
    return CU(cuInit, int (*)(unsigned))(0);
}

static cl_int clGetDeviceIDs(cl_platform_id p, int type, cl_uint n, cl_device_id *out,
                             cl_uint *count)
{
    int device = 0;
    (void)p, (void)type, (void)n, (void)count, (void)out;
    return CU(cuDeviceGet, int (*)(int *, int))(&device, 0);
}

static cl_context clCreateContext(const void *properties, cl_uint n, const cl_device_id *devices,
                                  void *notify, void *user, cl_int *error)
{
    void *context = NULL;
    (void)properties, (void)n, (void)devices, (void)notify, (void)user, (void)error;
    CU(cuDevicePrimaryCtxRetain, int (*)(void **, int))(&context, 0);
    CU(cuCtxSetCurrent, int (*)(void *))(context);
    return context;
}

/* All is done in the default stream, in order. */
static cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, uint64_t flags,
                                             cl_int *error)
{
    (void)d, (void)flags, (void)error;
    return c;
}

static cl_program clCreateProgramWithSource(cl_context c, cl_uint n, const char **code,
                                            const size_t *size, cl_int *error)
{
    cl_program p = calloc(1, sizeof *p);
    (void)c, (void)n, (void)error;
    if (!p || !(p->source = calloc(*size + 1, 1)))
        exit(1);
    memcpy(p->source, *code, *size);
    return p;
}

/* For the device that there is: 75 and 76 ask for its compute capability. */
static void cuda_architecture(char text[32])
{
    int major = 0, minor = 0;
    int (*attribute)(int *, int, int) = CU(cuDeviceGetAttribute, int (*)(int *, int, int));
    attribute(&major, 75, 0);
    attribute(&minor, 76, 0);
    snprintf(text, 32, "--gpu-architecture=sm_%d%d", major, minor);
}

static cl_int cuda_refuse(void *made)
{
    size_t size = 0;
    NVRTC(nvrtcGetProgramLogSize, int (*)(void *, size_t *))(made, &size);
    char *log = calloc(size + 1, 1);
    if (log && NVRTC(nvrtcGetProgramLog, int (*)(void *, char *))(made, log) == 0)
        fputs(log, stderr);
    free(log);
    return 1;
}

static cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                             void *notify, void *user)
{
    char architecture[32];
    const char *given[] = {architecture, options};
    void *made = NULL;
    size_t size = 0;
    (void)n, (void)d, (void)notify, (void)user;
    cuda_architecture(architecture);
    NVRTC(nvrtcCreateProgram, int (*)(void **, const char *, const char *, int, const char *const *,
                                      const char *const *))
    (&made, p->source, "code.cu", 0, NULL, NULL);
    if (NVRTC(nvrtcCompileProgram,
              int (*)(void *, int, const char *const *))(made, *options ? 2 : 1, given) != 0)
        return cuda_refuse(made);
    NVRTC(nvrtcGetCUBINSize, int (*)(void *, size_t *))(made, &size);
    char *binary = calloc(size + 1, 1);
    if (!binary)
        return 1;
    NVRTC(nvrtcGetCUBIN, int (*)(void *, char *))(made, binary);
    cl_int error = CU(cuModuleLoadData, int (*)(void **, const void *))(&p->module, binary);
    NVRTC(nvrtcDestroyProgram, int (*)(void **))(&made);
    free(binary);
    return error;
}

static cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *error)
{
    cl_kernel k = calloc(1, sizeof *k);
    (void)error;
    if (k && CU(cuModuleGetFunction, int (*)(void **, void *, const char *))(&k->function,
                                                                             p->module, name) == 0)
        return k;
    free(k);
    return NULL;
}

static cl_int clReleaseProgram(cl_program p)
{
    free(p->source);
    free(p);
    return CL_SUCCESS;
}

static cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t size, void *data,
                             cl_int *error)
{
    uint64_t address = 0;
    (void)c, (void)error;
    bool ok = CU(cuMemAlloc_v2, int (*)(uint64_t *, size_t))(&address, size) == 0;
    if (ok && flags & CL_MEM_COPY_HOST_PTR)
        ok = CU(cuMemcpyHtoD_v2, int (*)(uint64_t, const void *, size_t))(address, data, size) == 0;
    return ok ? (cl_mem)(uintptr_t)address : NULL;
}

static cl_int clReleaseMemObject(cl_mem m)
{
    return CU(cuMemFree_v2, int (*)(uint64_t))((uintptr_t)m);
}

static cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, int wait, size_t offset,
                                  size_t size, void *to, cl_uint n, const cl_event *events,
                                  cl_event *event)
{
    (void)q, (void)wait, (void)n, (void)events, (void)event;
    return CU(cuMemcpyDtoH_v2, int (*)(void *, uint64_t, size_t))(to, (uintptr_t)m + offset, size);
}

/* A kernel of cuda-c takes of a local memory the number of bytes. */
static cl_int clSetKernelArg(cl_kernel k, cl_uint i, size_t size, const void *value)
{
    if (i >= MOST_ARGUMENTS)
        return 1;
    k->count = i + 1 > k->count ? i + 1 : k->count;
    k->local[i] = value ? 0 : (size + 15) / 16 * 16;
    k->values[i] = value ? 0 : size;
    if (value)
        memcpy(&k->values[i], value, size);
    return CL_SUCCESS;
}

static cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint rank,
                                     const size_t *from, const size_t *all, const size_t *threads,
                                     cl_uint n, const cl_event *events, cl_event *event)
{
    void *given[MOST_ARGUMENTS];
    size_t local = 0;
    (void)q, (void)rank, (void)from, (void)n, (void)events, (void)event;
    for (unsigned i = 0; i < k->count; i++) {
        given[i] = &k->values[i];
        local += k->local[i];
    }
    int (*allow)(void *, int, int) = CU(cuFuncSetAttribute, int (*)(void *, int, int));
    if (local > 48 << 10)
        allow(k->function, 8, (int)local); /* the most dynamic shared memory */
    return CU(cuLaunchKernel, int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, void *, void **, void **))(
        k->function, (unsigned)(*all / *threads), 1, 1, (unsigned)*threads, 1, 1, (unsigned)local,
        NULL, given, NULL);
}

static cl_int clReleaseKernel(cl_kernel k)
{
    free(k);
    return CL_SUCCESS;
}

static cl_int clFinish(cl_command_queue q)
{
    (void)q;
    return CU(cuCtxSynchronize, int (*)(void))();
}

static cl_int clReleaseCommandQueue(cl_command_queue q)
{
    (void)q;
    return CL_SUCCESS;
}

static cl_int clReleaseContext(cl_context c)
{
    (void)c;
    return CU(cuDevicePrimaryCtxRelease_v2, int (*)(int))(0);
}
