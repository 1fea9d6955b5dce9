/* An OpenCL program that lets libfcl compute between its own commands, in its own context and queue
 * and on its own memory.
 *
 *     adopt [LENGTH]
 *
 * It writes the numbers 0, 1, ..., runs the prefix sums of their doubles, which are a kernel of
 * FCL, into a buffer of its own, and reads them: all through one queue.  Without an OpenCL device
 * it says so, and that is all. */
#include "libfcl/fcl.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char text[] = "fcl 0.1\n"
                           "import \"prelude\"\n"
                           "kernel @sums(%xs: [int]) -> [int]<grid> {\n"
                           "  %twice = map %xs { (%x) %y = mul %x, 2 yield %y }\n"
                           "  %add = fn { (%x: int, %y: int) %z = add %x, %y yield %z }\n"
                           "  %s = call @scanGrid(256, %add, %twice)\n"
                           "  return %s\n"
                           "}\n";

/* What an OpenCL program has. */
typedef struct gpu {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem in, out;
} gpu;

static bool open_gpu(gpu *g, size_t bytes)
{
    cl_platform_id platform;
    cl_int error = CL_SUCCESS;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &g->device, NULL) != CL_SUCCESS)
        return false;
    g->context = clCreateContext(NULL, 1, &g->device, NULL, NULL, &error);
    if (!g->context)
        return false;
    g->queue = clCreateCommandQueue(g->context, g->device, 0, &error);
    g->in = clCreateBuffer(g->context, CL_MEM_READ_ONLY, bytes, NULL, &error);
    g->out = clCreateBuffer(g->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return g->queue && g->in && g->out;
}

static void close_gpu(gpu *g)
{
    if (g->out)
        clReleaseMemObject(g->out);
    if (g->in)
        clReleaseMemObject(g->in);
    if (g->queue)
        clReleaseCommandQueue(g->queue);
    if (g->context)
        clReleaseContext(g->context);
}

/* What the library makes of it. */
typedef struct work {
    fcl_context *cx;
    fcl_module *module;
    fcl_device *device;
    fcl_program *program;
    fcl_buffer *in, *out;
} work;

static bool open_work(work *w, const gpu *g, uint64_t n)
{
    w->cx = fcl_context_create(NULL, NULL);
    if (!w->cx)
        return false;
    w->module = fcl_module_load(w->cx, "sums", text, sizeof text - 1, NULL);
    w->device = fcl_device_adopt(w->cx, g->context, g->device, g->queue);
    if (!w->module || !w->device)
        return false;
    w->program = fcl_program_create(w->module, "sums", w->device, NULL);
    w->in = fcl_buffer_wrap(w->device, g->in, FCL_I32, 1, &n);
    w->out = fcl_buffer_wrap(w->device, g->out, FCL_I32, 1, &n);
    return w->program && w->in && w->out;
}

static void close_work(work *w)
{
    for (size_t i = 0; w->cx && i < fcl_diagnostic_count(w->cx); i++)
        fputs(fcl_diagnostic_text(w->cx, i), stderr);
    fcl_buffer_destroy(w->out);
    fcl_buffer_destroy(w->in);
    fcl_program_destroy(w->program);
    fcl_device_close(w->device);
    fcl_module_destroy(w->module);
    if (w->cx)
        fcl_context_destroy(w->cx);
}

/* Write, compute, read; the result goes to g->out, which w->out wraps. */
static bool compute(const gpu *g, const work *w, int32_t *data, size_t bytes)
{
    fcl_argument argument = {.buffer = w->in};
    fcl_buffer *result = w->out;
    return clEnqueueWriteBuffer(g->queue, g->in, CL_FALSE, 0, bytes, data, 0, NULL, NULL) ==
               CL_SUCCESS &&
           fcl_program_run_into(w->program, &argument, 1, &result, 1) &&
           clEnqueueReadBuffer(g->queue, g->out, CL_TRUE, 0, bytes, data, 0, NULL, NULL) ==
               CL_SUCCESS;
}

static bool check(const int32_t *data, int32_t n)
{
    bool ok = true;
    for (int32_t i = 0; i < n; i++)
        ok = ok && data[i] == i * (i + 1);
    printf("the last of %d sums is %d%s\n", (int)n, (int)data[n - 1], ok ? "" : " (wrong)");
    return ok;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    if (n < 1 || n > 40000) {
        fprintf(stderr, "usage: adopt [LENGTH]\n");
        return 2;
    }
    size_t bytes = (size_t)n * sizeof(int32_t);
    int32_t *data = malloc(bytes);
    gpu g = {0};
    work w = {0};
    bool there = data && open_gpu(&g, bytes), ok = there && open_work(&w, &g, (uint64_t)n);
    for (int32_t i = 0; ok && i < (int32_t)n; i++)
        data[i] = i;
    ok = ok && compute(&g, &w, data, bytes) && check(data, (int32_t)n);
    if (!there)
        puts("there is no OpenCL device");
    close_work(&w);
    close_gpu(&g);
    free(data);
    return there && !ok;
}
