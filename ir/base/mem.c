/* The allocator wrapper, the arena and the vector growth: see mem.h.
 *
 * The arena is the usual bump allocator in chunks of 64 KiB; vectors double, so that pushing n
 * elements copies fewer than 2n.  Nothing here reports: the first failure sets mem.oom, and
 * context.h makes one diagnostic of it at the end. */
#define _DEFAULT_SOURCE /* madvise */
#include "ir/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LARGE_PAGE = 2 << 20, LARGE = 4 << 20 };

/* Asks for large pages, where there are any: touching a small page for the first time takes longer
 * than filling it with nodes.  A hint, which may be refused. */
static void use_large_pages(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
    size_t skip = (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE;
    if (p && size >= LARGE)
        (void)madvise((char *)p + skip, (size - skip) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)p, (void)size;
#endif
}

/* A large block begins and ends with a large page: elsewhere its ends, up to a large page each,
 * would be small ones. */
static void *libc_alloc(size_t size)
{
    if (size < LARGE || size > SIZE_MAX - LARGE_PAGE)
        return malloc(size);
    return aligned_alloc(LARGE_PAGE, (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
}

static void *libc_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    void *p = ptr ? realloc(ptr, new_size) : libc_alloc(new_size);
    if (new_size > old_size)
        use_large_pages(p, new_size + (ptr ? 0 : LARGE_PAGE - 1));
    return p;
}

void mem_init(mem *m, mem_realloc_fn *fn, void *user)
{
    *m = (mem){.fn = fn ? fn : libc_realloc, .user = user, .limit = SIZE_MAX};
}

/* The caller states the old size, since the wrapper keeps no header of its own: that is how `used`
 * stays exact, and why every free names the size that was asked for. */
void *mem_resize(mem *m, void *ptr, size_t old_size, size_t new_size)
{
    size_t others = m->used - old_size;
    m->limited = new_size > old_size && (others > m->limit || new_size > m->limit - others);
    void *p = m->limited ? NULL : m->fn(m->user, ptr, old_size, new_size);
    if (p || !new_size)
        m->used = others + new_size;
    else
        m->oom = true;
    return p;
}

void *mem_zeroed(mem *m, size_t size)
{
    void *p = mem_resize(m, NULL, 0, size);
    if (p)
        memset(p, 0, size);
    return p;
}

void mem_free(mem *m, void *ptr, size_t size)
{
    if (!ptr)
        return;
    m->used -= size;
    m->fn(m->user, ptr, size, 0);
}

/* ---- arena ---- */

struct arena_chunk {
    arena_chunk *next;
    size_t size; /* of the whole chunk, this header included */
};

enum { ARENA_ALIGN = 16, ARENA_CHUNK = 64 * 1024 };
#define CHUNK_HEAD ((sizeof(arena_chunk) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN)

void arena_init(arena *a, mem *m)
{
    *a = (arena){.m = m};
}

/* The rest of the chunk before is given up; what asks for more than a chunk gets one of its own
 * size. */
static bool arena_new_chunk(arena *a, size_t payload)
{
    size_t size = CHUNK_HEAD + (payload > ARENA_CHUNK ? payload : ARENA_CHUNK);
    arena_chunk *c = mem_resize(a->m, NULL, 0, size);
    if (!c)
        return false;
    *c = (arena_chunk){.next = a->head, .size = size};
    a->head = c;
    a->used = 0;
    a->cap = size - CHUNK_HEAD;
    return true;
}

void *arena_alloc(arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) {
        a->m->oom = true;
        return NULL;
    }
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (a->cap - a->used < size && !arena_new_chunk(a, size))
        return NULL;
    void *p = (char *)a->head + CHUNK_HEAD + a->used;
    a->used += size;
    return memset(p, 0, size);
}

void arena_rewind(arena *a, const arena *then)
{
    while (a->head != then->head) {
        arena_chunk *c = a->head;
        a->head = c->next;
        mem_free(a->m, c, c->size);
    }
    *a = *then;
}

void arena_free(arena *a)
{
    arena_rewind(a, &(arena){.m = a->m});
}

/* ---- vectors and text ---- */

/* Doubles, or takes what is wanted if that is more.  Vectors are counted in 32 bits, since ids
 * are. */
bool vec_grow_(mem *m, void **data, uint32_t *cap, uint64_t want, size_t elem)
{
    uint64_t n = *cap ? (uint64_t)*cap * 2 : 8;
    if (n < want)
        n = want;
    if (n > UINT32_MAX || n > SIZE_MAX / 2 / elem) {
        m->oom = true;
        return false;
    }
    void *p = mem_resize(m, *data, *cap * elem, (size_t)n * elem);
    if (!p)
        return false;
    *data = p;
    *cap = (uint32_t)n;
    return true;
}

/* Keeping the room is no failure: there is no error to return or to remember. */
void vec_trim_(mem *m, void **data, uint32_t *cap, uint32_t len, size_t elem)
{
    if (len == 0 || *cap - len <= len / 16)
        return;
    void *p = m->fn(m->user, *data, *cap * elem, len * elem);
    if (!p)
        return;
    m->used -= (size_t)(*cap - len) * elem;
    *data = p;
    *cap = len;
}

bool text_add(mem *m, vec_char *t, const char *s, size_t n)
{
    if (!vec_reserve(m, t, n))
        return false;
    if (n)
        memcpy(t->at + t->len, s, n);
    t->len += (uint32_t)n;
    return true;
}

/* Nearly all pieces are short; a longer one is written into the text. */
bool text_add_list(mem *m, vec_char *t, const char *fmt, va_list ap)
{
    char piece[512];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(piece, sizeof piece, fmt, ap);
    size_t len = n < 0 ? 0 : (size_t)n;
    bool ok = n >= 0 && vec_reserve(m, t, len + 1);
    if (ok && len < sizeof piece)
        memcpy(t->at + t->len, piece, len + 1);
    else if (ok)
        vsnprintf(t->at + t->len, len + 1, fmt, again);
    if (ok)
        t->len += (uint32_t)len;
    va_end(again);
    return ok;
}

bool text_addf(mem *m, vec_char *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    bool ok = text_add_list(m, t, fmt, ap);
    va_end(ap);
    return ok;
}

const char *text_cstr(mem *m, vec_char *t)
{
    if (!vec_reserve(m, t, 1))
        return "";
    t->at[t->len] = 0;
    return t->at;
}
