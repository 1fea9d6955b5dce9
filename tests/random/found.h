/* Findings: written to a folder with what repeats them, run again from there, made smaller. */
#ifndef FCL_TESTS_RANDOM_FOUND_H
#define FCL_TESTS_RANDOM_FOUND_H

#include "tests/random/case.h"
#include "tests/random/generate.h"

#include <time.h>

typedef struct run_options {
    uint64_t seed, count, seconds;
    uint32_t jobs, settings, timeout, nargs;
    generate_options how;
    bool after_each, coverage, verbose, shrink;
    const char *device, *via, *exchange, *emit, *found, *file, *entry, *with;
    const char *const *args;
    time_t deadline;
} run_options;

/* The i-th setting for kernel k of a program. */
void found_setting(const run_options *o, uint64_t seed, uint32_t k, uint32_t i, setting *out);
/* Prints a finding and writes the program to o->found, its first lines saying how to repeat it. */
void found_write(const run_options *o, uint64_t seed, const random_program *p, uint32_t kernel,
                 const setting *s, const outcome *what);
/* Writes each kernel of a program, and a line with the arguments of fclc run. */
void found_emit(const run_options *o, uint64_t seed, const random_program *p);
/* Opens the device that is asked for; NULL in *out where none is, as the simulator runs then.  False,
 * after what the context says of it, where it cannot be opened. */
bool found_device(const run_options *o, fcl_context *cx, fcl_device **out);
/* Runs the program of o->file, whose arguments are on the command line; shrinks it if asked.  The
 * exit status. */
int found_again(const run_options *o);

#endif
