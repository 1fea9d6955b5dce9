/* String interning: equal strings get equal 32-bit ids.  Id 0 is the empty string.  Strings may
 * hold NUL bytes. */
#ifndef FCL_BASE_INTERN_H
#define FCL_BASE_INTERN_H

#include "ir/base/mem.h"

typedef uint32_t str_id;

/* A slot of the table; the hash decides without a look at the string, and lets the table grow
 * without one. */
typedef struct intern_slot {
    uint32_t hash, id; /* id + 1; 0: free */
} intern_slot;

typedef struct intern {
    mem *m;
    arena text;
    VEC(const char *) strs;
    vec_u32 lens;
    intern_slot *table; /* open addressing */
    uint32_t table_cap;
    arena settled; /* the text, and the number of strings, when intern_settle was called */
    uint32_t nsettled;
} intern;

bool intern_init(intern *t, mem *m);
void intern_free(intern *t);
str_id intern_add(intern *t, const char *s, size_t n); /* 0 when memory is short */
str_id intern_cstr(intern *t, const char *s);
str_id intern_find(const intern *t, const char *s, size_t n); /* 0 when unknown */
const char *intern_str(const intern *t, str_id id); /* NUL-terminated, lives as long as the table */
uint32_t intern_len(const intern *t, str_id id);

/* What is there now outlives intern_forget, which takes no memory and drops all strings that came
 * later: their ids and texts are void then. */
void intern_settle(intern *t);
void intern_forget(intern *t);

/* The hash used throughout. */
uint32_t intern_hash(uint32_t seed, const void *p, size_t n);
#define HASH_SEED 2166136261u

#endif
