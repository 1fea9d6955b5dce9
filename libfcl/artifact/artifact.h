/* What compiling gives: code with its plans, and the kernel programs that it was printed from, from
 * which other texts are made when somebody asks. */
#ifndef FCL_LIBFCL_ARTIFACT_H
#define FCL_LIBFCL_ARTIFACT_H

#include "backends/backend.h"
#include "libfcl/passes/passes.h"
#include "serialize/artifact/artifact.h"

struct fcl_artifact {
    fcl_context *cx;
    fcl_kernels *kernels; /* NULL: it was read from a file */
    artifact data;
    vec_char plan, report, kernel_ir;
};

/* Takes the kernel programs over, also when memory is short: NULL then.  Without any (NULL): what a
 * file will fill. */
fcl_artifact *artifact_new(fcl_context *cx, fcl_kernels *k);

/* Makes *t of finished programs and of what b has made of them, whose code it takes; it is released
 * in either case.  m: the module that they come from, whose types are known; NULL: nobody knows. */
bool artifact_make_target(const fcl_backend *b, const fcl_emission *made, const k_program *programs,
                          uint32_t n, fcl_module *m, artifact_target *t);

/* Emits the artifact's kernel programs for b; m as above.  compile.c */
bool artifact_emit(manager *g, const fcl_backend *b, fcl_module *m, fcl_artifact *a);
/* The plan of an entry (NULL: the only one) of a target; NULL with a diagnostic. */
const plan *artifact_plan_of(const fcl_artifact *a, const artifact_target *t, const char *entry);
/* The same of the first target, which has all entries. */
const plan *artifact_plan_named(const fcl_artifact *a, const char *entry);

#endif
