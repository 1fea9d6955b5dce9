/* Random well-typed modules of the core, with arguments for their kernels: the same for the same
 * seed and options.
 *
 * Unscheduled, they have collectives and name no levels; functions that collectives combine with
 * are associative and what they start with is neutral, bit for bit.
 *
 * Programs keep the rules that the evaluator enforces by construction: indices are in range, chunks
 * have their lengths, every position is written once, loops end.  What a program costs to run is
 * estimated while it is written, and bounded. */
#ifndef FCL_TESTS_RANDOM_GENERATE_H
#define FCL_TESTS_RANDOM_GENERATE_H

#include "ir/host.h"

enum { KERNELS_MOST = 3, ARGS_MOST = 24 };

/* MIXED: two programs in seven name no levels. */
typedef enum { MIXED, SCHEDULED, UNSCHEDULED } with_levels;

typedef struct generate_options {
    uint32_t size; /* operations for a kernel, about; 0: drawn */
    uint32_t work; /* operations that running a kernel may take, about; 0: drawn */
    with_levels levels;
    bool exact; /* no operators whose results differ between machines */
} generate_options;

typedef struct random_kernel {
    char name[16];
    host_array args[ARGS_MOST];
    uint32_t nargs;
} random_kernel;

typedef struct random_program {
    mem m;
    vec_char text;
    random_kernel kernels[KERNELS_MOST];
    uint32_t nkernels;
} random_program;

/* Must be released. */
void generate(uint64_t seed, const generate_options *o, random_program *out);
void random_program_release(random_program *p);

#endif
