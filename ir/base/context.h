/* The context: allocator, string table, sources, diagnostics and limits.  Everything else hangs off one of these, and
 * nothing is shared between two, so that two contexts may work in two threads. */
#ifndef FCL_BASE_CONTEXT_H
#define FCL_BASE_CONTEXT_H

#include "ir/base/diag.h"
#include "ir/base/intern.h"
#include "ir/base/mem.h"

/* Limits on what a caller's input may ask for.  Exceeding one is a diagnostic, never a crash. */
typedef struct limits {
    uint32_t region_depth; /* nesting of regions in the text or through the builder */
    uint32_t type_depth;   /* nesting of types */
    uint32_t call_depth;   /* nesting of calls and of deferred index functions while evaluating or lowering */
    uint32_t kernel_nodes; /* nodes of kernel IR that one compilation may create */
    uint32_t errors;       /* diagnostics kept; later ones are counted only */
} limits;

typedef struct fcl_context {
    mem mem;
    intern strings;
    diag_list diags;
    limits limits;
} fcl_context;

bool context_init(fcl_context *cx, mem_realloc_fn *fn, void *user); /* false: no memory, still release it */
void context_release(fcl_context *cx);
/* True when no error was reported; an allocation failure that nobody reported becomes a diagnostic here. */
bool context_ok(fcl_context *cx);

#endif
