/* An OpenCL whose kernels do nothing, for host programs that are made to fail: of all calls that
 * may fail, those of calloc included, the one that FAIL_AT numbers does.  A program that ends with
 * an object that it has not released, releases one too often, or ends without having waited for
 * what it enqueued, exits with 99. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whatever a handle stands for. */
typedef struct object {
    int references;
    size_t bytes;
    unsigned char *data;
} object;

static long alive, calls;
static bool is_busy; /* with what was enqueued last */

static void leave(void)
{
    if (alive)
        fprintf(stderr, "fake OpenCL: %ld objects are not released\n", alive);
    if (is_busy)
        fprintf(stderr, "fake OpenCL: it does not wait for what it enqueued\n");
    fflush(NULL);
    if (alive || is_busy)
        _exit(99);
}

static bool fails(void)
{
    const char *at = getenv("FAIL_AT");
    return ++calls == (at ? atol(at) : 0);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

static void *make(size_t bytes, cl_int *status)
{
    bool ok = !fails();
    if (status)
        *status = ok ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    if (!ok)
        return NULL;
    object *o = malloc(sizeof *o);
    alive++;
    *o = (object){.references = 1, .bytes = bytes, .data = __real_calloc(bytes + 1, 1)};
    return o;
}

static cl_int retain(void *handle)
{
    ((object *)handle)->references++;
    return CL_SUCCESS;
}

static cl_int release(void *handle)
{
    object *o = handle;
    if (o->references-- < 1)
        _exit(99);
    if (o->references)
        return CL_SUCCESS;
    free(o->data);
    free(o);
    alive--;
    return CL_SUCCESS;
}

static cl_int done(void)
{
    return fails() ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *out, cl_uint *count)
{
    (void)count;
    atexit(leave);
    if (n)
        *out = (cl_platform_id)&alive;
    return done();
}

cl_int clGetDeviceIDs(cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *out,
                      cl_uint *count)
{
    (void)p, (void)t, (void)count;
    if (n)
        *out = (cl_device_id)&calls;
    return done();
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t size, void *out, size_t *count)
{
    (void)d, (void)count;
    cl_ulong bytes = 32768;
    size_t threads = 1024;
    memcpy(out, what == CL_DEVICE_LOCAL_MEM_SIZE ? (void *)&bytes : (void *)&threads, size);
    return done();
}

cl_context clCreateContext(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                           void(CL_CALLBACK *f)(const char *, const void *, size_t, void *),
                           void *user, cl_int *status)
{
    (void)p, (void)n, (void)d, (void)f, (void)user;
    return make(0, status);
}

cl_int clRetainContext(cl_context c)
{
    return retain(c);
}

cl_int clReleaseContext(cl_context c)
{
    return release(c);
}

cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, cl_command_queue_properties p,
                                      cl_int *status)
{
    (void)c, (void)d, (void)p;
    return make(0, status);
}

cl_int clReleaseCommandQueue(cl_command_queue q)
{
    return release(q);
}

/* What it is asked for may have gone wrong; it has waited nevertheless. */
cl_int clFinish(cl_command_queue q)
{
    (void)q;
    is_busy = false;
    return done();
}

cl_program clCreateProgramWithSource(cl_context c, cl_uint n, const char **texts,
                                     const size_t *sizes, cl_int *status)
{
    (void)c, (void)texts, (void)sizes;
    return n ? make(0, status) : NULL;
}

cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                      void(CL_CALLBACK *f)(cl_program, void *), void *user)
{
    (void)p, (void)n, (void)d, (void)options, (void)f, (void)user;
    return done();
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info what, size_t size,
                             void *out, size_t *count)
{
    (void)p, (void)d, (void)what;
    if (out)
        memcpy(out, "no", size < 3 ? size : 3);
    if (count)
        *count = 3;
    return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program p)
{
    return release(p);
}

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *status)
{
    (void)p, (void)name;
    return make(0, status);
}

cl_int clReleaseKernel(cl_kernel k)
{
    return release(k);
}

cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t bytes, void *data, cl_int *status)
{
    (void)c;
    object *made = bytes ? make(bytes, status) : NULL;
    if (made && flags & CL_MEM_COPY_HOST_PTR)
        memcpy(made->data, data, bytes);
    return (cl_mem)made;
}

cl_int clRetainMemObject(cl_mem m)
{
    return retain(m);
}

cl_int clReleaseMemObject(cl_mem m)
{
    return release(m);
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool wait, size_t offset, size_t bytes,
                           void *to, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)q, (void)n, (void)events, (void)event;
    const object *o = (const object *)m;
    is_busy = is_busy && !wait;
    if (offset + bytes > o->bytes)
        _exit(99);
    memcpy(to, o->data + offset, bytes);
    return done();
}

cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t at, size_t there,
                           size_t bytes, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)q, (void)n, (void)events, (void)event;
    is_busy = true;
    if (at + bytes > ((object *)from)->bytes || there + bytes > ((object *)to)->bytes)
        _exit(99);
    return done();
}

cl_int clSetKernelArg(cl_kernel k, cl_uint i, size_t bytes, const void *value)
{
    (void)i;
    if (!k || (!value && !bytes))
        _exit(99);
    return done();
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint n,
                              const cl_event *events, cl_event *event)
{
    (void)q, (void)k, (void)dims, (void)offset, (void)n, (void)events, (void)event;
    is_busy = true;
    if (!*global || *global % *local)
        _exit(99);
    return done();
}
