/* The driver from a checked core to finished kernel programs, for running. */
#ifndef FCL_LIBFCL_COMPILE_H
#define FCL_LIBFCL_COMPILE_H

#include "backends/run/run.h"
#include "libfcl/passes/passes.h"

/* Takes kernel f through the default pipeline: *p is what back ends take.  device: what it is for,
 * or NULL.  False with diagnostics; release *p either way.  Requires: the module is checked. */
bool compile_kernel(fcl_module *m, ir_func f, const fcl_compile_options *o, const run_caps *device,
                    k_program *p);

#endif
