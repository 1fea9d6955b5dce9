/* wall RUNS DEVICE: how long the host waits for a sum and a scan of nine sizes.
 *
 * The programs carry no levels, as compilers hand them over.  The array and the memory of results
 * are on the device already, and each run is waited for before the next.  A line for each program
 * and size: the name, the number of elements, and the median of the runs in microseconds.  wall.cu
 * is the same of CUB. */
#define _POSIX_C_SOURCE 200809L
#include "libfcl/fcl.h"
#include "tests/bench/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARM_UP = 5, MOST_SIZE = 100000000 };

static const char text[] = "fcl 0.5\n"
                           "kernel @sum(%xs: [int]) -> int {\n"
                           "  %s = reduce 0, %xs { (%x, %y) %z = add %x, %y yield %z }\n"
                           "  return %s\n"
                           "}\n"
                           "kernel @scan(%xs: [int]) -> [int] {\n"
                           "  %s = scan 0, %xs { (%x, %y) %z = add %x, %y yield %z }\n"
                           "  return %s\n"
                           "}\n";

static bool run_once(fcl_program *program, fcl_buffer *xs)
{
    fcl_buffer *result;
    fcl_argument argument = {.buffer = xs};
    bool ok = fcl_program_run(program, &argument, 1, &result, 1);
    if (ok)
        fcl_program_reuse(program, result);
    return ok;
}

static bool measure(const char *name, fcl_program *program, fcl_buffer *xs, uint64_t n, size_t runs)
{
    double *times = calloc(runs, sizeof *times);
    bool ok = times != NULL;
    for (size_t i = 0; ok && i < WARM_UP; i++)
        ok = run_once(program, xs);
    for (size_t i = 0; ok && i < runs; i++) {
        double start = now();
        ok = run_once(program, xs);
        times[i] = now() - start;
    }
    if (ok)
        printf("%s %llu %.2f\n", name, (unsigned long long)n, median(times, runs));
    free(times);
    return ok;
}

static bool measure_all(fcl_device *d, fcl_module *m, const char *name, size_t runs)
{
    fcl_program *program = fcl_program_create(m, name, d, NULL);
    bool ok = program != NULL;
    for (uint64_t n = 1; ok && n <= MOST_SIZE; n *= 10) {
        int32_t *ones = malloc(n * sizeof *ones);
        for (uint64_t i = 0; ones && i < n; i++)
            ones[i] = 1;
        fcl_buffer *xs = fcl_buffer_create(d, FCL_I32, 1, &n);
        ok = ones && xs && fcl_buffer_write(xs, ones) && measure(name, program, xs, n, runs);
        fcl_buffer_destroy(xs);
        free(ones);
    }
    fcl_program_destroy(program);
    return ok;
}

int main(int argc, char **argv)
{
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 200;
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = cx ? fcl_module_load(cx, "wall", text, sizeof text - 1, NULL) : NULL;
    fcl_device *d = m ? fcl_device_open(cx, argc > 2 ? argv[2] : "opencl") : NULL;
    bool ok = runs > 0 && d && measure_all(d, m, "sum", (size_t)runs) &&
              measure_all(d, m, "scan", (size_t)runs);
    for (size_t i = 0; cx && i < fcl_diagnostic_count(cx); i++)
        fputs(fcl_diagnostic_text(cx, i), stderr);
    fcl_device_close(d);
    fcl_module_destroy(m);
    if (cx)
        fcl_context_destroy(cx);
    return !ok;
}
