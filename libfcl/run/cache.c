/* What a context's devices keep on disk: the choice, and what became of it. */
#include "backends/run/cache/cache.h"
#include "libfcl/face.h"

#include <string.h>

bool fcl_cache_set(fcl_context *cx, const char *folder, uint64_t bytes)
{
    if (!cx)
        return false;
    uint32_t before = cx->diags.errors;
    size_t size = folder ? strlen(folder) + 1 : 0;
    char *copy = folder ? mem_resize(&cx->mem, NULL, 0, size) : NULL;
    if (copy)
        memcpy(copy, folder, size);
    if (!face_ok(cx, before) || (folder && !copy))
        return false;
    context_drop_cache(cx);
    cx->cache.folder = copy;
    cx->cache.most_bytes = bytes;
    return true;
}

bool fcl_cache_get(const fcl_context *cx, fcl_cache_info *out, size_t size)
{
    if (!cx)
        return false;
    fcl_cache_info info = {.compiled = cx->cache.compiled,
                           .found = cx->cache.found,
                           .bytes = cache_most_bytes(cx),
                           .nanoseconds = cx->cache.nanoseconds};
    return ABI_GIVE(out, size, info);
}
