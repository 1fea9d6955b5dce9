/* The hand-written kernels: which file, and how they are started on each kind of device. */
#ifndef FCL_TESTS_BENCH_PEERS_H
#define FCL_TESTS_BENCH_PEERS_H

#include "tests/bench/bench.h"

typedef struct peer_entry {
    const char *problem, *file;
    void (*gpu)(peer *p), (*cpu)(peer *p); /* NULL: there is none */
} peer_entry;

const peer_entry *peer_named(const char *name); /* NULL: there is none */

/* Starts a kernel of the peer's program, timed.  args: a letter for each argument: x y z inputs, o
 * q results, t the first temporary memory, n r c the extents; i an int that follows, f a float
 * (passed as double), m a cl_mem. */
void peer_launch(peer *p, const char *kernel, size_t groups, size_t threads, const char *args, ...);
/* Sets a memory to zero, as part of the timed run. */
void peer_zero(peer *p, cl_mem memory, size_t bytes);
/* Temporary memory 0 (the letter t) or 1 of that size, zeroed when it is first asked for. */
cl_mem peer_temp(peer *p, unsigned number, size_t bytes);

#endif
