/* An allocator that refuses the k-th allocation, or it and all behind it, and holds its user to the
 * sizes that it states.  For tests of running out of memory. */
#ifndef FCL_TESTS_TOOLS_FAILING_H
#define FCL_TESTS_TOOLS_FAILING_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FAILING_HEAD = 16 }; /* before each block: its size */

typedef struct failing {
    size_t calls, fail_at;                   /* fail_at 0: never */
    bool once, refused;                      /* refused: more memory was asked for, and not given */
    size_t bytes;                            /* that are allocated now */
    void (*wrong)(size_t stated, size_t is); /* a block is given back with another size */
} failing;

static bool failing_now(failing *f)
{
    f->calls++;
    return f->fail_at && (f->once ? f->calls == f->fail_at : f->calls >= f->fail_at);
}

/* As fcl_context_create takes it; user is a failing. */
static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing *f = user;
    size_t was = 0;
    char *block = ptr ? (char *)ptr - FAILING_HEAD : NULL;
    if (block)
        memcpy(&was, block, sizeof was);
    if (was != old_size)
        f->wrong(old_size, was);
    if (new_size && failing_now(f)) {
        f->refused = f->refused || new_size > old_size;
        return NULL;
    }
    f->bytes = f->bytes - old_size + new_size;
    if (!new_size) {
        free(block);
        return NULL;
    }
    block = realloc(block, new_size + FAILING_HEAD);
    if (!block)
        abort();
    memcpy(block, &new_size, sizeof new_size);
    return block + FAILING_HEAD;
}

#endif
