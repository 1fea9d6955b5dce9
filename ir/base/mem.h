/* Memory: a user-replaceable allocator, an arena over it, and growable vectors.
 *
 * Running out of memory is an error return everywhere.  The allocator remembers it (`oom`, sticky),
 * so that code which works on poison values after a failed allocation still ends in one diagnostic:
 * see context.h. */
#ifndef FCL_BASE_MEM_H
#define FCL_BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One allocation function: allocate (ptr NULL), resize, or free (new_size 0, returns NULL). */
typedef void *mem_realloc_fn(void *user, void *ptr, size_t old_size, size_t new_size);

typedef struct mem {
    mem_realloc_fn *fn;
    void *user;
    size_t used;  /* bytes that are allocated now */
    size_t limit; /* most of them at the same time */
    bool oom;     /* an allocation has failed since the context was made */
    bool limited; /* the last that failed did because of the limit */
} mem;

void mem_init(mem *m, mem_realloc_fn *fn, void *user); /* fn NULL: the C library's */
void *mem_resize(mem *m, void *ptr, size_t old_size,
                 size_t new_size);     /* NULL on failure; ptr stays valid then */
void *mem_zeroed(mem *m, size_t size); /* NULL on failure */
void mem_free(mem *m, void *ptr, size_t size);

/* Arena: memory that is freed all at once.  Every block is zeroed and aligned for any scalar. */
typedef struct arena_chunk arena_chunk;
typedef struct arena {
    mem *m;
    arena_chunk *head;
    size_t used, cap; /* of the head chunk's payload */
} arena;

void arena_init(arena *a, mem *m);
void *arena_alloc(arena *a, size_t size); /* zeroed; NULL on failure */
void arena_free(arena *a);                /* frees every block; the arena can be used again */
/* Frees every block that came after the copy `then` was made of it. */
void arena_rewind(arena *a, const arena *then);

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* Growable vectors: VEC(int) v = {0}; vec_push(m, &v, 3).  Zero-initialised is empty.  Elements are
 * addressed as v.at[i]. */
#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t len, cap;                                                                         \
    }

typedef VEC(uint8_t) vec_u8;
typedef VEC(uint32_t) vec_u32;
typedef VEC(char) vec_char;

bool vec_grow_(mem *m, void **data, uint32_t *cap, uint64_t want, size_t elem);
/* Makes room for n more elements; false when memory is short (the vector is unchanged). */
#define vec_reserve(m, v, n)                                                                       \
    ((uint64_t)(v)->len + (n) <= (v)->cap ||                                                       \
     vec_grow_((m), (void **)&(v)->at, &(v)->cap, (uint64_t)(v)->len + (n), sizeof *(v)->at))
/* Appends one element; false when memory is short. */
#define vec_push(m, v, x) (vec_reserve(m, v, 1) ? ((v)->at[(v)->len++] = (x), true) : false)
#define vec_free(m, v)                                                                             \
    (mem_free((m), (v)->at, (size_t)(v)->cap * sizeof *(v)->at), (v)->at = NULL, (v)->len = 0,     \
     (v)->cap = 0)

/* Gives back the room behind the last element, where that is worth a copy. */
#define vec_trim(m, v) vec_trim_((m), (void **)&(v)->at, &(v)->cap, (v)->len, sizeof *(v)->at)
void vec_trim_(mem *m, void **data, uint32_t *cap, uint32_t len, size_t elem);

/* Text buffers: a vec_char that is built piece by piece; not NUL-terminated until text_cstr.  All
 * that add return false when memory is short; the text is unchanged then. */
bool text_add(mem *m, vec_char *t, const char *s, size_t n);
bool text_addf(mem *m, vec_char *t, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool text_add_list(mem *m, vec_char *t, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
const char *text_cstr(mem *m, vec_char *t); /* NUL-terminated view; "" when memory is short */

#endif
