/* calls: what runs of a program that stays ask of OpenCL, once they have run a few times: the
 * launches of the plan, arguments that have changed, one wait, and nothing else.  And that a driver
 * is given the kernels of the entry that is asked for, and of these only those that are launched, in
 * the first run in the form that it compiles sooner.
 *
 * The library looks for OpenCL in the program first, and finds the functions below, which count. */
#define _GNU_SOURCE
#include "libfcl/fcl.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN = 100, ELEMENTS = 1000, WARM_UP = 3 };

typedef struct counts {
    unsigned launches, arguments, waits, transfers, buffers, kernels, builds, parts, quick;
} counts;

static counts made;
static bool disguised; /* devices say that they are NVIDIA's */
static cl_command_queue used; /* by the last launch */

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

#define REAL(name)                                                                                 \
    static __typeof__(name) *real;                                                                 \
    if (!real)                                                                                     \
    find(#name, &real)

#pragma GCC visibility push(default)

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    REAL(clSetKernelArg);
    made.arguments++;
    return real(kernel, index, bytes, value);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint nwait, const cl_event *wait, cl_event *event)
{
    REAL(clEnqueueNDRangeKernel);
    made.launches++;
    used = queue;
    return real(queue, kernel, dims, offset, global, local, nwait, wait, event);
}

cl_int clFinish(cl_command_queue queue)
{
    REAL(clFinish);
    made.waits++;
    return real(queue);
}

cl_int clWaitForEvents(cl_uint n, const cl_event *events)
{
    REAL(clWaitForEvents);
    made.waits++;
    return real(n, events);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                           size_t bytes, void *to, cl_uint nwait, const cl_event *wait,
                           cl_event *event)
{
    REAL(clEnqueueReadBuffer);
    made.transfers++;
    made.waits += blocking;
    return real(queue, memory, blocking, offset, bytes, to, nwait, wait, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                            size_t bytes, const void *from, cl_uint nwait, const cl_event *wait,
                            cl_event *event)
{
    REAL(clEnqueueWriteBuffer);
    made.transfers++;
    made.waits += blocking;
    return real(queue, memory, blocking, offset, bytes, from, nwait, wait, event);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *error)
{
    REAL(clCreateBuffer);
    made.buffers++;
    return real(context, flags, bytes, host, error);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    REAL(clCreateKernel);
    made.kernels++;
    return real(program, name, error);
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *done)(cl_program, void *), void *user)
{
    REAL(clBuildProgram);
    made.builds++;
    made.parts += options && strstr(options, " -DFCL_ONLY ") != NULL;
    made.quick += options && strstr(options, " -DFCL_QUICK_") != NULL;
    char more[400]; /* for a compiler of C that knows what NVIDIA's adds to it by another name */
    snprintf(more, sizeof more, "%s%s", options ? options : "", disguised ? " -Dasm=__asm__" : "");
    return real(program, n, devices, more, done, user);
}

static cl_int tell(size_t size, const void *value, size_t room, void *to, size_t *needed)
{
    if (needed)
        *needed = size;
    if (to && room >= size)
        memcpy(to, value, size);
    return to && room < size ? CL_INVALID_VALUE : CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *to, size_t *needed)
{
    enum { COMPUTE_CAPABILITY_MAJOR = 0x4000, LANES = 0x4003, EXTENSIONS_MOST = 8192 };
    static const cl_uint capability = 9, lanes = 32;
    static const cl_device_type type = CL_DEVICE_TYPE_GPU;
    char extensions[EXTENSIONS_MOST] = "";
    REAL(clGetDeviceInfo);
    switch (disguised ? what : 0) {
    case COMPUTE_CAPABILITY_MAJOR: return tell(sizeof capability, &capability, room, to, needed);
    case LANES: return tell(sizeof lanes, &lanes, room, to, needed);
    case CL_DEVICE_TYPE: return tell(sizeof type, &type, room, to, needed);
    case CL_DEVICE_EXTENSIONS:
        real(id, what, sizeof extensions - 40, extensions, NULL);
        strcat(extensions, " cl_nv_device_attribute_query");
        return tell(strlen(extensions) + 1, extensions, room, to, needed);
    default: return real(id, what, room, to, needed);
    }
}

#pragma GCC visibility pop

/* ---- programs ---- */

static const char text[] = "fcl 0.1\n"
                           "import \"prelude\"\n"
                           "fun @add(%x: int, %y: int) -> int {\n"
                           "  %z = add %x, %y\n"
                           "  return %z\n"
                           "}\n"
                           "kernel @map(%xs: [int]) -> [int]<grid> {\n"
                           "  %ys = map %xs { (%x) %y = add %x, 1 yield %y }\n"
                           "  %p = push<grid> %ys\n"
                           "  return %p\n"
                           "}\n"
                           "kernel @neighbours(%xs: [int]) -> [int]<grid> {\n"
                           "  %n = length %xs\n"
                           "  %ys = generate %n { (%i: int)\n"
                           "    %j = max %i, 1\n"
                           "    %k = sub %j, 1\n"
                           "    %y = index %xs, %k\n"
                           "    yield %y\n"
                           "  }\n"
                           "  %p = push<grid> %ys\n"
                           "  return %p\n"
                           "}\n"
                           "kernel @sum(%xs: [int]) -> [int]<grid> {\n"
                           "  %f = func @add\n"
                           "  %s = call @redGrid(%f, 0, %xs)\n"
                           "  return %s\n"
                           "}\n"
                           "kernel @gather(%xs: [int]) -> [int]<grid> {\n"
                           "  %ys = map %xs { (%x) %y = index %xs, %x yield %y }\n"
                           "  %p = push<grid> %ys\n"
                           "  return %p\n"
                           "}\n"
                           "kernel @either(%xs: [int]) -> [int]<grid> {\n"
                           "  %n = length %xs\n"
                           "  %short = lt %n, 100\n"
                           "  %ys = if %short {\n"
                           "    %as = map %xs { (%x) %y = add %x, 1 yield %y }\n"
                           "    %p = push<grid> %as\n"
                           "    %a = force %p\n"
                           "    yield %a\n"
                           "  } {\n"
                           "    %bs = map %xs { (%x) %y = mul %x, 3 yield %y }\n"
                           "    %q = push<grid> %bs\n"
                           "    %b = force %q\n"
                           "    yield %b\n"
                           "  }\n"
                           "  %r = push<grid> %ys\n"
                           "  return %r\n"
                           "}\n"
                           "kernel @product(%a: [f32;2], %b: [f32;2]) -> [f32;2] {\n"
                           "  %n = dim %a, 0\n"
                           "  %m = dim %a, 1\n"
                           "  %l = dim %b, 1\n"
                           "  %products = generate %n, %l, %m { (%i: int, %j: int, %k: int)\n"
                           "    %x = index %a, %i, %k\n"
                           "    %y = index %b, %k, %j\n"
                           "    %z = mul %x, %y\n"
                           "    yield %z\n"
                           "  }\n"
                           "  %c = reduce 0.0f32, %products { (%p: f32, %q: f32)\n"
                           "    %s = add %p, %q\n"
                           "    yield %s\n"
                           "  }\n"
                           "  return %c\n"
                           "}\n";

static fcl_context *cx;
static fcl_device *device;

static void expect(bool ok, const char *what)
{
    if (ok)
        return;
    printf("%s %s\n", what, fcl_diagnostic_count(cx) ? fcl_diagnostic_text(cx, 0) : "");
    exit(1);
}

static void expect_count(const char *run, const char *what, unsigned n, unsigned least,
                         unsigned most)
{
    if (least <= n && n <= most)
        return;
    printf("%s: %u %s, not %u to %u\n", run, n, what, least, most);
    exit(1);
}

/* `launches` of them, each with at most `arguments` that have changed. */
static void compare(const char *run, unsigned launches, unsigned arguments, unsigned transfers)
{
    expect_count(run, "launches", made.launches, launches, launches);
    expect_count(run, "waits", made.waits, 1, 1);
    expect_count(run, "arguments", made.arguments, 0, launches * arguments);
    expect_count(run, "transfers", made.transfers, 0, transfers);
    expect_count(run, "buffers", made.buffers, 0, 0);
    expect_count(run, "kernels", made.kernels, 0, 0);
}

static void run_once(fcl_program *p, fcl_buffer *xs)
{
    fcl_buffer *result = NULL;
    expect(fcl_program_run(p, &(fcl_argument){.buffer = xs}, 1, &result, 1), "a run fails");
    fcl_program_reuse(p, result);
}

/* Each run takes what the one before makes. */
static void run_chain(fcl_program *p, fcl_buffer *xs)
{
    fcl_buffer *last = NULL;
    fcl_job *j = NULL;
    for (int i = 0; i < CHAIN; i++) {
        fcl_buffer *next = NULL;
        fcl_argument from = {.buffer = last ? last : xs};
        fcl_job_destroy(j);
        j = fcl_program_start(p, &from, 1, &next, 1);
        expect(j != NULL, "a run is not started");
        fcl_program_reuse(p, last);
        last = next;
    }
    expect(fcl_job_wait(j), "a run fails");
    fcl_job_destroy(j);
    fcl_program_reuse(p, last);
}

static void count(fcl_module *m, const char *entry, void (*run)(fcl_program *, fcl_buffer *),
                  unsigned launches, unsigned arguments, unsigned transfers)
{
    static const int32_t zeros[ELEMENTS];
    made = (counts){0};
    fcl_program *p = fcl_program_create(m, entry, device, NULL);
    fcl_buffer *xs = fcl_buffer_create(device, FCL_I32, 1, (uint64_t[]){ELEMENTS});
    expect(p && xs && fcl_buffer_write(xs, zeros), "there is no program");
    for (int i = 0; i < WARM_UP; i++)
        run(p, xs);
    expect_count(entry, "kernels", made.kernels, 1, run == run_chain ? 1 : launches);
    expect_count(entry, "builds", made.builds, made.kernels, made.kernels);
    made = (counts){0};
    run(p, xs);
    compare(entry, launches, arguments, transfers);
    fcl_buffer_destroy(xs);
    fcl_program_destroy(p);
}

/* One of two kernels is launched, so only that is built, when it first is: what a branch has written is the result. */
static void count_builds(fcl_module *m)
{
    static const int32_t zeros[ELEMENTS];
    fcl_program *p = fcl_program_create(m, "either", device, NULL);
    fcl_buffer *xs = fcl_buffer_create(device, FCL_I32, 1, (uint64_t[]){ELEMENTS});
    expect(p && xs && fcl_buffer_write(xs, zeros), "there is no program");
    made = (counts){0};
    for (int i = 0; i < WARM_UP; i++) {
        run_once(p, xs);
        expect_count("either", "builds", made.builds, 1, 1);
        expect_count("either", "builds of one kernel", made.parts, 1, 1);
        expect_count("either", "kernels", made.kernels, 1, 1);
    }
    fcl_buffer_destroy(xs);
    fcl_program_destroy(p);
}

/* Timed runs stand in the queue of a caller who gave one with profiling, and wait for nothing that
 * stands before them. */
static void count_timed(fcl_module *m)
{
    static const int32_t zeros[ELEMENTS];
    fcl_opencl h = {0};
    cl_int error;
    uint64_t span = 0;
    expect(fcl_device_opencl(device, &h, sizeof h), "the device has no queue");
    cl_command_queue queue =
        clCreateCommandQueue(h.context, h.device, CL_QUEUE_PROFILING_ENABLE, &error);
    fcl_device *d = fcl_device_adopt(cx, h.context, h.device, queue);
    expect(d != NULL, "the queue is not adopted");
    fcl_program *p = fcl_program_create(m, "sum", d, &(fcl_run_options){.timed = true});
    fcl_buffer *xs = fcl_buffer_create(d, FCL_I32, 1, (uint64_t[]){ELEMENTS});
    expect(p && xs && fcl_buffer_write(xs, zeros), "there is no program");
    for (int i = 0; i < WARM_UP; i++)
        run_once(p, xs);
    made = (counts){0};
    run_once(p, xs);
    compare("a timed run", 3, 0, 0);
    expect(used == queue, "a timed run is not in the caller's queue");
    fcl_program_nanoseconds(p, &span);
    expect(span > 0, "a timed run takes no time");
    fcl_buffer_destroy(xs);
    fcl_program_destroy(p);
    fcl_device_close(d);
    clReleaseCommandQueue(queue);
}

enum { SIDE = 128, DEPTH = 64 }; /* few numbers to add up, so that one launch has a tile to itself */

/* The product of matrices whose elements (i, j) are i - j. */
static void expect_product(fcl_buffer *c)
{
    static float got[SIDE][SIDE];
    expect(fcl_buffer_read(c, got), "a result is not read");
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;
            for (int k = 0; k < DEPTH; k++)
                sum += (float)((i - k) * (k - j));
            expect(got[i][j] == sum, "another product");
        }
}

/* What an NVIDIA device runs for the first time is compiled soon, and again when it is run again; where both are on disk, the
 * other form is taken at once. */
static void count_quick(fcl_module *m, bool kept)
{
    static float a[SIDE][DEPTH], b[DEPTH][SIDE];
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < DEPTH; k++) {
            a[i][k] = (float)(i - k);
            b[k][i] = (float)(k - i);
        }
    disguised = true;
    fcl_device *d = fcl_device_open(cx, "opencl");
    const fcl_compile_options o = {.block_size = 256};
    fcl_program *p = d ? fcl_program_create(m, "product", d, &(fcl_run_options){.compile = &o}) : NULL;
    fcl_buffer *xs = d ? fcl_buffer_create(d, FCL_F32, 2, (uint64_t[]){SIDE, DEPTH}) : NULL;
    fcl_buffer *ys = d ? fcl_buffer_create(d, FCL_F32, 2, (uint64_t[]){DEPTH, SIDE}) : NULL;
    expect(p && xs && ys && fcl_buffer_write(xs, a) && fcl_buffer_write(ys, b), "there is no product");
    made = (counts){0};
    for (unsigned i = 0; i < WARM_UP; i++) {
        fcl_buffer *c = NULL;
        expect(fcl_program_run(p, (fcl_argument[]){{.buffer = xs}, {.buffer = ys}}, 2, &c, 1), "a product fails");
        expect_product(c);
        fcl_program_reuse(p, c);
        expect_count("product", "kernels", made.kernels, kept ? 1 : 1 + (i > 0), kept ? 1 : 1 + (i > 0));
        expect_count("product", "builds", made.builds, made.kernels, made.kernels);
        expect_count("product", "quick builds", made.quick, !kept, !kept);
    }
    fcl_buffer_destroy(xs);
    fcl_buffer_destroy(ys);
    fcl_program_destroy(p);
    fcl_device_close(d);
    disguised = false;
}

int main(int argc, char **argv)
{
    cx = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(cx, "calls", text, sizeof text - 1, NULL);
    device = m ? fcl_device_open(cx, "opencl") : NULL;
    expect(device != NULL, "there is no device");
    count(m, "map", run_chain, CHAIN, 2, 0);
    count(m, "neighbours", run_once, 1, 0, 0);
    count(m, "sum", run_once, 3, 0, 0);
    count(m, "gather", run_once, 1, 0, 1);
    count_builds(m);
    count_timed(m);
    fcl_device_close(device);
    expect(argc == 2 && fcl_cache_set(cx, argv[1], 0), "there is no folder for what is kept");
    count_quick(m, false);
    count_quick(m, true);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return 0;
}
