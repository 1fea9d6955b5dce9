/* overhead [RUNS [DEVICE]]: what a run of a small program costs beside its launches alone.
 *
 * The calls that the library makes go through the functions below, which note the launches of one
 * run.  The hand-written loop makes the same launches, with the same kernels and memory, sets only
 * arguments that change, and waits once.  Both are timed in turn; a line for each program:
 * microseconds of both, and the median of the quotients of neighbours. */
#define _GNU_SOURCE
#include "libfcl/fcl.h"
#include "tests/bench/clock.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 4096, MOST_BYTES = 8, CHAIN = 100 };

/* A call of the library's: an argument, or (kernel's global size above 0) a launch. */
typedef struct call {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_uint index;
    size_t bytes, global, local;
    bool has_value;
    unsigned char value[MOST_BYTES];
} call;

static call calls[MOST_CALLS];
static size_t ncalls;
static bool noting;

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* The library finds them by name. */
#pragma GCC visibility push(default)

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    static __typeof__(clSetKernelArg) *real;
    if (!real)
        find("clSetKernelArg", &real);
    if (noting && ncalls < MOST_CALLS && bytes <= MOST_BYTES) {
        call c = {.kernel = kernel, .index = index, .bytes = bytes, .has_value = value != NULL};
        if (value)
            memcpy(c.value, value, bytes);
        calls[ncalls++] = c;
    }
    return real(kernel, index, bytes, value);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint nwait, const cl_event *wait, cl_event *event)
{
    static __typeof__(clEnqueueNDRangeKernel) *real;
    if (!real)
        find("clEnqueueNDRangeKernel", &real);
    if (noting && ncalls < MOST_CALLS)
        calls[ncalls++] =
            (call){.queue = queue, .kernel = kernel, .global = *global, .local = *local};
    return real(queue, kernel, dims, offset, global, local, nwait, wait, event);
}

#pragma GCC visibility pop

/* ---- the two ways ---- */

static void by_hand(void)
{
    cl_command_queue queue = NULL;
    for (size_t i = 0; i < ncalls; i++) {
        const call *c = &calls[i];
        if (!c->global)
            clSetKernelArg(c->kernel, c->index, c->bytes, c->has_value ? c->value : NULL);
        else
            clEnqueueNDRangeKernel(queue = c->queue, c->kernel, 1, NULL, &c->global, &c->local, 0,
                                   NULL, NULL);
    }
    if (queue)
        clFinish(queue);
}

typedef struct work {
    fcl_program *program;
    fcl_buffer *xs;
    int length; /* of a chain; 0: one run that is waited for */
} work;

static bool run_once(const work *w)
{
    fcl_buffer *result;
    fcl_argument argument = {.buffer = w->xs};
    bool ok = fcl_program_run(w->program, &argument, 1, &result, 1);
    if (ok)
        fcl_program_reuse(w->program, result);
    return ok;
}

static bool run_chain(const work *w)
{
    fcl_buffer *last = NULL;
    fcl_job *j = NULL;
    for (int i = 0; i < w->length; i++) {
        fcl_buffer *next = NULL;
        fcl_argument argument = {.buffer = last ? last : w->xs};
        fcl_job_destroy(j);
        j = fcl_program_start(w->program, &argument, 1, &next, 1);
        if (!j)
            return false;
        fcl_program_reuse(w->program, last);
        last = next;
    }
    bool ok = fcl_job_wait(j);
    fcl_job_destroy(j);
    fcl_program_reuse(w->program, last);
    return ok;
}

static bool by_library(const work *w)
{
    return w->length ? run_chain(w) : run_once(w);
}

/* ---- measuring ---- */

/* The kernels' arguments are those of a usual run when it is noted: the first ones set more. */
static bool note(const work *w)
{
    bool ok = by_library(w) && by_library(w) && by_library(w);
    ncalls = 0;
    noting = true;
    ok = ok && by_library(w);
    noting = false;
    return ok && ncalls && ncalls < MOST_CALLS;
}

static bool measure(const char *name, const work *w, uint64_t n, size_t runs)
{
    double *times = calloc(3 * runs, sizeof *times);
    bool ok = times && note(w);
    for (size_t i = 0; ok && i < runs; i++) {
        double start = now();
        ok = by_library(w);
        double between = now();
        by_hand();
        double end = now();
        times[i] = between - start;
        times[runs + i] = end - between;
        times[2 * runs + i] = times[i] / times[runs + i];
    }
    if (ok)
        printf("%-6s %6llu elements: %8.1f us, by hand %8.1f us, ratio %.2f\n", name,
               (unsigned long long)n, median(times, runs), median(times + runs, runs),
               median(times + 2 * runs, runs));
    free(times);
    return ok;
}

/* ---- programs ---- */

static const char text[] = "fcl 0.1\n"
                           "import \"prelude\"\n"
                           "fun @add(%x: int, %y: int) -> int {\n"
                           "  %z = add %x, %y\n"
                           "  return %z\n"
                           "}\n"
                           "kernel @sum(%xs: [int]) -> [int]<grid> {\n"
                           "  %f = func @add\n"
                           "  %s = call @redGrid(%f, 0, %xs)\n"
                           "  return %s\n"
                           "}\n"
                           "kernel @scan(%xs: [int]) -> [int]<grid> {\n"
                           "  %f = func @add\n"
                           "  %s = call @scanGrid(1024, %f, %xs)\n"
                           "  return %s\n"
                           "}\n"
                           "kernel @picked(%xs: [int]) -> [int]<grid> {\n"
                           "  %ys = map %xs { (%x) %y = index %xs, %x yield %y }\n"
                           "  %p = push<grid> %ys\n"
                           "  return %p\n"
                           "}\n"
                           "kernel @map(%xs: [int]) -> [int]<grid> {\n"
                           "  %ys = map %xs { (%x) %y = add %x, 1 yield %y }\n"
                           "  %p = push<grid> %ys\n"
                           "  return %p\n"
                           "}\n";

static bool measure_all(fcl_device *d, fcl_module *m, const char *name, int length, size_t runs)
{
    work w = {.program = fcl_program_create(m, name, d, NULL), .length = length};
    bool ok = w.program != NULL;
    for (uint64_t n = 1; ok && n <= 1u << 16; n *= 16) {
        int32_t *zeros = calloc(n, sizeof *zeros);
        w.xs = fcl_buffer_create(d, FCL_I32, 1, &n);
        ok = zeros && w.xs && fcl_buffer_write(w.xs, zeros) && measure(name, &w, n, runs);
        fcl_buffer_destroy(w.xs);
        free(zeros);
    }
    fcl_program_destroy(w.program);
    return ok;
}

int main(int argc, char **argv)
{
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = cx ? fcl_module_load(cx, "overhead", text, sizeof text - 1, NULL) : NULL;
    fcl_device *d = m ? fcl_device_open(cx, argc > 2 ? argv[2] : "opencl") : NULL;
    bool ok = runs > 0 && d && measure_all(d, m, "sum", 0, (size_t)runs) &&
              measure_all(d, m, "scan", 0, (size_t)runs) &&
              measure_all(d, m, "picked", 0, (size_t)runs) &&
              measure_all(d, m, "map", CHAIN, (size_t)runs / 10 + 1) &&
              measure_all(d, m, "picked", CHAIN, (size_t)runs / 10 + 1);
    for (size_t i = 0; cx && i < fcl_diagnostic_count(cx); i++)
        fputs(fcl_diagnostic_text(cx, i), stderr);
    fcl_device_close(d);
    fcl_module_destroy(m);
    if (cx)
        fcl_context_destroy(cx);
    return !ok;
}
