/* Back ends: a legalised kernel program in, code out.
 *
 * A back end is a fcl_backend (libfcl/fcl_backend.h): facts, dialects, and the table of a language
 * or a function.  It reads only the program's kernel IR (ir/kernel/kir.h), and reports what it
 * cannot do as a diagnostic.  The built-in ones are listed in backends.c; those of users are known
 * to the context that they were registered with, and used the same way. */
#ifndef FCL_BACKENDS_BACKEND_H
#define FCL_BACKENDS_BACKEND_H

#include "ir/kernel/kir.h"
#include "libfcl/fcl_backend.h"

/* What emission makes; released by whoever made it. */
struct fcl_emission {
    fcl_context *cx;
    vec_char code;
    bool is_bytes;  /* else a text */
    str_id options; /* for the code's compiler; 0: those of the dialect */
    bool failed;    /* memory was short */
};

/* The argument order of an emitted kernel, shared by emitters and runners: scalars, then globals,
 * then areas of local memory whose size only the launch knows, then the memory that failed checks
 * are reported to, where the kernel has checks.  All are in k_kernel. */

/* The built-in ones, and behind them those of a context (NULL: none). */
uint32_t backend_count(const fcl_context *cx);
const fcl_backend *backend_at(const fcl_context *cx, uint32_t i); /* NULL beyond the last */
const fcl_backend *backend_named(const fcl_context *cx, const char *name); /* NULL when unknown */

/* The facts of a device of which nothing but the target is known. */
k_device_facts backend_facts(const fcl_backend *b);
/* Whether its language computes with f16 where a device does. */
bool backend_has_half(const fcl_backend *b);
/* Asks the back end whether it takes the programs (one per entry), and makes code of them.  Kernel
 * names are k_kernel.name, unique over the programs.  False with a diagnostic. */
bool backend_emit(const fcl_backend *b, const k_program *const *programs, uint32_t n,
                  fcl_emission *out);
/* The same where nothing but the code is wanted, which is appended. */
bool backend_code(const fcl_backend *b, const k_program *const *programs, uint32_t n,
                  vec_char *out);

#endif
