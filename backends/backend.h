/* The plug-in interface of back ends: a virtualised, outlined kernel program in, an artifact out.
 *
 * A back end is a table of two functions.  It may read only the program's kernel IR
 * (ir/kernel/kir.h), and reports what it cannot do as a diagnostic.  The built-in ones are listed
 * in backends.c; a user's own is used the same way. */
#ifndef FCL_BACKENDS_BACKEND_H
#define FCL_BACKENDS_BACKEND_H

#include "ir/kernel/kir.h"

/* What a back end's devices can do; the lowering driver honours it. */
typedef struct backend_caps {
    uint32_t max_block_size;
    bool has_f64, has_warp_sync;
} backend_caps;

typedef struct backend {
    const char *name; /* "opencl-c" */
    const char *summary;
    backend_caps caps;
    /* Emits every kernel of the programs (one per entry) into out.  Kernel names are k_kernel.name,
     * unique over the programs. */
    bool (*emit)(const k_program *const *programs, uint32_t n, vec_char *out);
} backend;

/* The argument order of an emitted kernel, shared by emitters and runners: scalars, then globals,
 * then areas of local memory whose size only the launch knows.  All are in k_kernel. */

uint32_t backend_count(void);
const backend *backend_at(uint32_t i);
const backend *backend_named(const char *name); /* NULL when unknown */

#endif
