/* The driver from a checked core to kernel programs, shared by compiling, running and the trial
 * lowering of a check. */
#ifndef FCL_LIBFCL_COMPILE_H
#define FCL_LIBFCL_COMPILE_H

#include "backends/backend.h"
#include "ir/kernel/lower/lower.h"
#include "libfcl/face.h"

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

/* The back end that the options name; NULL with a diagnostic. */
const backend *compile_target(fcl_context *cx, const fcl_compile_options *o);
/* The way of exchange of that name, or local memory for NULL; false with a diagnostic when there is
 * none. */
bool compile_exchange(fcl_context *cx, const char *name, k_exchange *out);
/* Lowers kernel f and runs the whole pipeline: *p is what back ends take.  False with diagnostics;
 * release *p either way. into: gets the text after each stage, or NULL.  Requires: the module is
 * checked. */
bool compile_kernel(fcl_module *m, ir_func f, const backend *b, const fcl_compile_options *o,
                    fcl_artifact *into, k_program *p);

#endif
