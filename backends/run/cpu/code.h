/* Code of the back end "cpu-c", compiled by the system's C compiler and loaded. */
#ifndef FCL_BACKENDS_RUN_CPU_CODE_H
#define FCL_BACKENDS_RUN_CPU_CODE_H

#include "backends/run/run.h"

/* Whether there is a compiler: the environment's CC, or cc. */
bool cpu_has_compiler(fcl_context *cx);
/* Appends what it is called. */
bool cpu_compiler_name(fcl_context *cx, vec_char *out);
/* A library with the kernels, for dlsym and dlclose; NULL with a diagnostic. */
void *cpu_load(fcl_context *cx, const run_code *code);

#endif
