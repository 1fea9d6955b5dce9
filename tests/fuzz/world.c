/* A context whose memory is counted, so that an input that takes more than its share is a crash:
 * see fuzz.h.
 *
 * The allocator also holds the library to its word on sizes: what is resized or freed must be of
 * the size that was said. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before each block: how many bytes were asked for.  As large as malloc's alignment. */
enum { HEAD = 16 };

static size_t peak_of_all;

void fuzz_must(bool condition, const char *words)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz: %s\n", words);
    abort();
}

static void check_size(const char *block, size_t old_size)
{
    size_t was = 0;
    if (block)
        memcpy(&was, block, sizeof was);
    fuzz_must(was == old_size, "a block is resized or freed with another size than it has");
}

static void *counted(void *user, void *ptr, size_t old_size, size_t new_size)
{
    fuzz_world *w = user;
    char *block = ptr ? (char *)ptr - HEAD : NULL;
    check_size(block, old_size);
    w->now = w->now - old_size + new_size;
    if (w->now > w->peak && !w->relaxed)
        w->peak = w->now;
    fuzz_must(w->now <= w->budget, "more memory is allocated than the input may take");
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, new_size + HEAD);
    fuzz_must(block != NULL, "malloc fails");
    memcpy(block, &new_size, sizeof new_size);
    return block + HEAD;
}

void fuzz_open(fuzz_world *w, size_t budget)
{
    *w = (fuzz_world){.budget = budget};
    w->cx = fcl_context_create(counted, w);
    fuzz_must(w->cx != NULL, "no context");
}

void fuzz_relax(fuzz_world *w)
{
    if (w->relaxed)
        return;
    w->relaxed = true;
    w->budget *= 4;
    fcl_limit_set(w->cx, FCL_LIMIT_MEMORY, SIZE_MAX);
}

void fuzz_close(fuzz_world *w)
{
    fcl_context_destroy(w->cx);
    fuzz_must(w->now == 0, "memory is left when the context is gone");
    if (w->peak > peak_of_all)
        peak_of_all = w->peak;
}

size_t fuzz_peak(void)
{
    return peak_of_all;
}
