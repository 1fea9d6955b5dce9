/* Making and dropping a context: see context.h. */
#include "ir/base/context.h"

static const limits default_limits = {
    .region_depth = 200,
    .type_depth = 100,
    .call_depth = 2000,
    .kernel_nodes = 8u << 20,
    .errors = 100,
};

bool context_init(fcl_context *cx, mem_realloc_fn *fn, void *user)
{
    *cx = (fcl_context){.limits = default_limits};
    mem_init(&cx->mem, fn, user);
    diag_init(cx);
    return intern_init(&cx->strings, &cx->mem);
}

void context_release(fcl_context *cx)
{
    diag_free(cx);
    intern_free(&cx->strings);
}

bool context_ok(fcl_context *cx)
{
    if (cx->mem.oom && cx->diags.errors == 0)
        diag_error(cx, DIAG_NO_MEMORY, (location){0}, "out of memory");
    return !cx->mem.oom && cx->diags.errors == 0;
}
