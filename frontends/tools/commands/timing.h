/* How long the parts of a run took, for `fclc run --time`. */
#ifndef FCL_TOOLS_TIMING_H
#define FCL_TOOLS_TIMING_H

#include "libfcl/fcl.h"

typedef struct timing {
    fcl_pass_observer observer;
    fcl_compile_options compile; /* those of the program, observed */
    uint64_t begun, built;       /* by the host's clock, in nanoseconds */
    uint64_t passes;             /* that they took */
    uint64_t driver;             /* that its driver took until the program was made */
} timing;

/* Begins to measure what programs that are made with these options take. */
void timing_begin(timing *t, fcl_run_options *how);
/* The program is made. */
void timing_built(timing *t, fcl_context *cx);
/* It has run: prints all on standard error. */
void timing_print(const timing *t, const fcl_program *p, fcl_context *cx);

#endif
