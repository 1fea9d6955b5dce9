/* The context: allocator, string table, sources, diagnostics and limits.  Everything else hangs off
 * one of these, and nothing is shared between two, so that two contexts may work in two threads. */
#ifndef FCL_BASE_CONTEXT_H
#define FCL_BASE_CONTEXT_H

#include "ir/base/diag.h"
#include "ir/base/intern.h"
#include "ir/base/mem.h"

#include <stdatomic.h>

/* Limits on what a caller's input may ask for: limits.def says what each is. */
typedef struct limits {
#define LIMIT(e, type, field, name, initial, most, summary) type field;
#include "ir/base/limits.def"
#undef LIMIT
} limits;

/* What callers have registered with a context, known to those who read it: what is in `room` is
 * theirs until the context ends. */
typedef struct registry {
    arena room;
    VEC(void *) backends, passes; /* fcl_backend; pass_info */
    VEC(void *) plugins;          /* handles of shared objects */
    const void *running;          /* the pass_step of a user's pass that runs; NULL */
} registry;

/* Where what drivers compile is kept on disk, as a caller chose, and what became of it so far. */
typedef struct cache_choice {
    char *folder;        /* an owned copy; "": nowhere, NULL: where the environment says */
    uint64_t most_bytes; /* of all files together; 0: as many as usual */
    uint64_t compiled, found;
    uint64_t nanoseconds; /* that drivers took for both */
} cache_choice;

typedef struct fcl_context {
    mem mem;
    intern strings;
    diag_list diags;
    limits limits;
    registry registry;
    cache_choice cache;
    uint32_t modules;      /* that were made so far */
    uint32_t holders;      /* what there is now that names strings of the table by their ids */
    atomic_uint cancelled; /* somebody wants what runs to end: the only thing that other threads and
                              signal handlers may touch */
} fcl_context;

bool context_init(fcl_context *cx, mem_realloc_fn *fn,
                  void *user); /* false: no memory, still release it */
void context_release(fcl_context *cx);
/* Forgets the choice of a folder. */
void context_drop_cache(fcl_context *cx);
/* Takes room and texts for the report below while there is memory. */
bool context_prepare_out_of_memory(fcl_context *cx);
/* Drops all diagnostics, sources and strings but those that were there when it was prepared; false,
 * and nothing changes, where somebody holds strings. */
bool context_forget(fcl_context *cx);
/* Reports that an allocation has failed, and whether it was the caller's limit that let it. */
void context_out_of_memory(fcl_context *cx);
/* Whether what runs is to end: asked often. */
static inline bool context_is_cancelled(const fcl_context *cx)
{
    return atomic_load_explicit(&cx->cancelled, memory_order_relaxed) != 0;
}
/* For what ends because it was cancelled, or else because it has done limits.steps: reports which
 * at the place, and takes the wish back.  False. */
bool context_stopped(fcl_context *cx, location at);
/* True when no error was reported; an allocation failure that nobody reported becomes a diagnostic
 * here. */
bool context_ok(fcl_context *cx);

#endif
