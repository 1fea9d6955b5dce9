/* Making and dropping a context: see context.h. */
#include "ir/base/context.h"

#include <string.h>

static const limits default_limits = {
#define LIMIT(e, type, field, name, initial, most, summary) .field = (initial),
#include "ir/base/limits.def"
#undef LIMIT
};

bool context_init(fcl_context *cx, mem_realloc_fn *fn, void *user)
{
    *cx = (fcl_context){.limits = default_limits};
    mem_init(&cx->mem, fn, user);
    diag_init(cx);
    arena_init(&cx->registry.room, &cx->mem);
    return intern_init(&cx->strings, &cx->mem);
}

void context_drop_cache(fcl_context *cx)
{
    if (cx->cache.folder)
        mem_free(&cx->mem, cx->cache.folder, strlen(cx->cache.folder) + 1);
    cx->cache.folder = NULL;
}

/* After it nothing that the context handed out is valid: strings, sources, diagnostics. */
void context_release(fcl_context *cx)
{
    context_drop_cache(cx);
    diag_free(cx);
    intern_free(&cx->strings);
    vec_free(&cx->mem, &cx->registry.backends);
    vec_free(&cx->mem, &cx->registry.passes);
    vec_free(&cx->mem, &cx->registry.plugins);
    arena_free(&cx->registry.room);
}

static const char no_memory[] = "out of memory";
static const char limit_reached[] = "the limit on memory is reached";
static const char raise_limit[] = "allow more by the limit `memory`";

bool context_prepare_out_of_memory(fcl_context *cx)
{
    bool ok = vec_reserve(&cx->mem, &cx->diags.all, 1) && intern_cstr(&cx->strings, no_memory) &&
              intern_cstr(&cx->strings, limit_reached) && intern_cstr(&cx->strings, raise_limit);
    intern_settle(&cx->strings);
    return ok;
}

bool context_forget(fcl_context *cx)
{
    if (cx->holders)
        return false;
    diag_forget(cx);
    intern_forget(&cx->strings);
    return true;
}

void context_out_of_memory(fcl_context *cx)
{
    diag_error(cx, DIAG_NO_MEMORY, (location){0}, "%s",
               cx->mem.limited ? limit_reached : no_memory);
    if (cx->mem.limited)
        diag_hint(cx, "%s", raise_limit);
}

bool context_stopped(fcl_context *cx, location at)
{
    if (atomic_exchange_explicit(&cx->cancelled, 0, memory_order_relaxed))
        return diag_error(cx, DIAG_CANCELLED, at, "the run was cancelled here");
    diag_error(cx, DIAG_STEPS, at, "the run does not end within %llu steps",
               (unsigned long long)cx->limits.steps);
    diag_hint(cx, "allow more by the limit `steps`, if the program ends at all");
    return false;
}

bool context_ok(fcl_context *cx)
{
    if (cx->mem.oom && cx->diags.errors == 0)
        context_out_of_memory(cx);
    return !cx->mem.oom && cx->diags.errors == 0;
}
