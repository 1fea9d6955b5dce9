/* What a run of the host takes, for programs of the benchmark that stand by themselves. */
#ifndef FCL_TESTS_BENCH_CLOCK_H
#define FCL_TESTS_BENCH_CLOCK_H

#include <stdlib.h>
#include <time.h>

/* Microseconds since some moment. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Puts them in order. */
static inline double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
    return x[n / 2];
}

#endif
