/* The plug-in interface of back ends: a legalised kernel program in, an artifact out.
 *
 * A back end is a table of facts and a function.  It may read only the program's kernel IR
 * (ir/kernel/kir.h), and reports what it cannot do as a diagnostic.  The built-in ones are listed
 * in backends.c; a user's own is used the same way. */
#ifndef FCL_BACKENDS_BACKEND_H
#define FCL_BACKENDS_BACKEND_H

#include "ir/kernel/kir.h"

/* A way to write what a back end's language has no one name for, and what a device that takes it
 * can do by it.  Users name it where they say how lanes exchange values. */
typedef struct backend_dialect {
    const char *name;
    uint32_t lanes; /* k_device_facts.lanes; warps have that size then */
    bool warps_wait;
    const char *options; /* for the compiler of the code; "": none */
} backend_dialect;

typedef struct backend {
    const char *name; /* "opencl-c" */
    const char *summary;
    k_device_facts facts;            /* of a device of which nothing is known */
    const char *tuning;              /* its own usual numbers, "NAME=N,NAME=N"; NULL: none */
    bool whole_half;                 /* its language computes with f16 where a device does */
    bool binary;                     /* its code is bytes, not a text */
    const backend_dialect *dialects; /* by number; 0 is what every device takes */
    uint32_t ndialects;
    /* Emits every kernel of the programs (one per entry) into out.  Kernel names are k_kernel.name,
     * unique over the programs. */
    bool (*emit)(const k_program *const *programs, uint32_t n, vec_char *out);
} backend;

/* The argument order of an emitted kernel, shared by emitters and runners: scalars, then globals,
 * then areas of local memory whose size only the launch knows, then the memory that failed checks
 * are reported to, where the kernel has checks.  All are in k_kernel. */

uint32_t backend_count(void);
const backend *backend_at(uint32_t i);
const backend *backend_named(const char *name); /* NULL when unknown */

#endif
