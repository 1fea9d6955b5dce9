/* first_use DEVICE THREADS RUNS: as many threads begin at once, each with a context of its own, and
 * load, compile and run a program on the device RUNS times: the first use of the driver in this
 * process comes from all of them together.  Prints what went wrong; the exit status tells. */
#define _POSIX_C_SOURCE 200809L
#include "libfcl/fcl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64, ELEMENTS = 1000 };

static const char *device_name;
static int runs;
static pthread_barrier_t together;
static atomic_int wrong;

static void report(fcl_context *cx, const char *what)
{
    size_t n = fcl_diagnostic_count(cx);
    atomic_fetch_add(&wrong, 1);
    printf("%s: %s\n", what, n ? fcl_diagnostic_text(cx, 0) : "no diagnostic");
}

/* Each thread has a program of its own, so that none finds what another has compiled. */
static fcl_module *load(fcl_context *cx, int number)
{
    char text[400];
    int n = snprintf(text, sizeof text,
                     "fcl 0.1\nkernel @k(%%xs: [int]) -> [int]<grid> {\n"
                     "  %%ys = map %%xs { (%%x) %%y = mul %%x, %d yield %%y }\n"
                     "  %%p = push<grid> %%ys\n  return %%p\n}\n",
                     number + 2);
    return fcl_module_load(cx, "thread", text, (size_t)n, NULL);
}

static bool run(fcl_context *cx, fcl_module *m, fcl_device *d, int number)
{
    int32_t xs[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        xs[i] = i;
    fcl_array arg = {.type = FCL_I32, .rank = 1, .dims = {ELEMENTS}, .data = xs}, result = {0};
    if (!fcl_run(m, NULL, d, NULL, &arg, 1, &result, 1))
        return false;
    bool ok = true;
    for (int i = 0; i < ELEMENTS; i++)
        ok = ok && ((int32_t *)result.data)[i] == i * (number + 2);
    fcl_results_free(cx, &result, 1);
    return ok;
}

static void *work(void *argument)
{
    int number = *(int *)argument;
    pthread_barrier_wait(&together);
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = load(cx, number);
    fcl_device *d = m ? fcl_device_open(cx, device_name) : NULL;
    if (!d)
        report(cx, "the device cannot be opened");
    for (int i = 0; d && i < runs; i++)
        if (!run(cx, m, d, number))
            report(cx, "a run fails");
    fcl_device_close(d);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST_THREADS];
    int numbers[MOST_THREADS], n = argc == 4 ? atoi(argv[2]) : 0;
    if (n < 1 || n > MOST_THREADS)
        return 2;
    device_name = argv[1];
    runs = atoi(argv[3]);
    pthread_barrier_init(&together, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&wrong) != 0;
}
