/* Code of the back end "cpu-c", compiled by the system's C compiler and loaded. */
#ifndef FCL_BACKENDS_RUN_CPU_CODE_H
#define FCL_BACKENDS_RUN_CPU_CODE_H

#include "backends/run/cache/cache.h"
#include "backends/run/run.h"

/* Whether there is a compiler: the environment's CC, or cc. */
bool cpu_has_compiler(fcl_context *cx);
/* Appends what it is called. */
bool cpu_compiler_name(fcl_context *cx, vec_char *out);
/* A library with the kernels, for dlsym and dlclose; NULL with a diagnostic. */
void *cpu_load(fcl_context *cx, const run_code *code);

/* ---- kept.c ---- */
/* What a library is made of: the words of the call, and the compiler's file; false: it is not one to be
 * kept. */
bool cpu_name_library(const run_code *code, const vec_char *call, const char *compiler, cache_key *k);
/* Makes the file of that path from what is kept under the key; false: nothing is, and there is none. */
bool cpu_take_library(fcl_context *cx, const cache_key *k, const char *path);
/* Keeps the file of that path. */
void cpu_keep_library(fcl_context *cx, const cache_key *k, const char *path);

#endif
