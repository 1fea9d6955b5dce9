/* What compiling gives: code, and the kernel programs that it was printed from, from which the
 * other texts are made when somebody asks. */
#ifndef FCL_LIBFCL_ARTIFACT_H
#define FCL_LIBFCL_ARTIFACT_H

#include "libfcl/passes/passes.h"

struct fcl_artifact {
    fcl_context *cx;
    fcl_kernels *kernels;
    vec_char code, plan, report, kernel_ir;
};

/* Takes the kernel programs over, also when memory is short: NULL then. */
fcl_artifact *artifact_new(fcl_kernels *k);

#endif
