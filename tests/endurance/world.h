/* What the programs of this suite share: an allocator that counts, the memory of the process,
 * programs to run, and how a failure is told. */
#ifndef FCL_TESTS_ENDURANCE_WORLD_H
#define FCL_TESTS_ENDURANCE_WORLD_H

#define _POSIX_C_SOURCE 200809L
#include "libfcl/fcl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that contexts hold, in one thread. */
static size_t held;

static inline void *count_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    void *p = NULL;
    if (new_size)
        p = realloc(ptr, new_size);
    else
        free(ptr);
    if (p || !new_size)
        held += new_size - (ptr ? old_size : 0);
    return p;
}

/* KiB of the process that are in memory; 0 where the system does not say. */
static inline long resident(void)
{
    long whole = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &whole, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Ends the program with what went wrong, and the first diagnostic. */
static inline void give_up(fcl_context *cx, const char *what)
{
    const char *why = cx && fcl_diagnostic_count(cx) ? fcl_diagnostic_text(cx, 0) : "";
    printf("%s %s\n", what, why);
    exit(1);
}

static inline void expect(fcl_context *cx, bool ok, const char *what)
{
    if (!ok)
        give_up(cx, what);
}

/* %xs times a factor, under names that have the number in them. */
static inline fcl_module *load_scale(fcl_context *cx, unsigned number, int factor)
{
    char text[600];
    int n = snprintf(text, sizeof text,
                     "fcl 0.1\n"
                     "kernel @scale%u(%%xs%u: [int]) -> [int]<grid> {\n"
                     "  %%ys%u = map %%xs%u { (%%x) %%y = mul %%x, %d yield %%y }\n"
                     "  %%p%u = push<grid> %%ys%u\n"
                     "  return %%p%u\n"
                     "}\n",
                     number, number, number, number, factor, number, number, number);
    return fcl_module_load(cx, "scale", text, (size_t)n, NULL);
}

/* A sanitizer keeps what was freed for a while, so that nothing can be said of the process. */
#ifdef __SANITIZE_ADDRESS__
enum { RESIDENT = 1 << 30 };
#else
enum { RESIDENT = 16 << 10 };
#endif

/* How much two measures of memory may differ. */
static inline void expect_flat(const char *what, size_t early, size_t late, size_t slack)
{
    if (late <= early + slack)
        return;
    printf("%s: %zu, and %zu later\n", what, early, late);
    exit(1);
}

#endif
