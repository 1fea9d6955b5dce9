/* The driver from a checked core to kernel programs, shared by compiling, running and the trial
 * lowering of a check. */
#ifndef FCL_LIBFCL_COMPILE_H
#define FCL_LIBFCL_COMPILE_H

#include "ir/kernel/lower/lower.h"
#include "libfcl/target.h"

/* A text of the artifact's that grows over its entries: the kernel IR after one pass. */
typedef struct stage {
    const char *name;
    vec_char text;
} stage;

struct fcl_artifact {
    fcl_context *cx;
    vec_char code, plan, report;
    VEC(stage) stages; /* "lower", then one for each entry of k_passes */
};

/* Lowers kernel f and runs the whole pipeline: *p is what back ends take.  False with diagnostics;
 * release *p either way. device: what it is for, or NULL; into: gets the text after each stage, or
 * NULL.  Requires: the module is checked. */
bool compile_kernel(fcl_module *m, ir_func f, const backend *b, const fcl_compile_options *o,
                    const run_caps *device, fcl_artifact *into, k_program *p);

#endif
