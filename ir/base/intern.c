/* The interning table: see intern.h.  Linear probing, at most half full. */
#include "ir/base/intern.h"

#include <string.h>

enum { FIRST_SLOTS = 256 };

/* Eight bytes at a time, the last ones with zeros behind them; the length tells those apart. */
uint32_t intern_hash(uint32_t seed, const void *p, size_t n)
{
    const unsigned char *c = p;
    uint64_t h = seed ^ (uint64_t)n << 32, word;
    for (; n; c += sizeof word) {
        size_t some = n < sizeof word ? n : sizeof word;
        word = 0;
        memcpy(&word, c, some);
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
        n -= some;
    }
    return (uint32_t)(h ^ h >> 32);
}

bool intern_init(intern *t, mem *m)
{
    *t = (intern){.m = m};
    arena_init(&t->text, m);
    bool ok = vec_push(m, &t->strs, "") && vec_push(m, &t->lens, 0);
    intern_settle(t);
    return ok;
}

void intern_free(intern *t)
{
    arena_free(&t->text);
    vec_free(t->m, &t->strs);
    vec_free(t->m, &t->lens);
    mem_free(t->m, t->table, t->table_cap * sizeof *t->table);
    t->table = NULL;
    t->table_cap = 0;
}

/* The slot that holds the string, or the free slot where it belongs. */
static uint32_t slot_of(const intern *t, const char *s, size_t n, uint32_t hash)
{
    uint32_t i = hash & (t->table_cap - 1);
    for (;; i = (i + 1) & (t->table_cap - 1)) {
        const intern_slot *slot = &t->table[i];
        if (!slot->id || (slot->hash == hash && t->lens.at[slot->id - 1] == n &&
                          memcmp(t->strs.at[slot->id - 1], s, n) == 0))
            return i;
    }
}

/* Twice the slots, filled from the hashes alone.  On failure the table stays as it was. */
static bool rehash(intern *t)
{
    uint32_t old_cap = t->table_cap, cap = old_cap ? old_cap * 2 : FIRST_SLOTS;
    intern_slot *old = t->table, *table = mem_resize(t->m, NULL, 0, cap * sizeof *table);
    if (!table)
        return false;
    memset(table, 0, cap * sizeof *table);
    for (uint32_t k = 0; k < old_cap; k++) {
        uint32_t i = old[k].hash & (cap - 1);
        while (old[k].id && table[i].id)
            i = (i + 1) & (cap - 1);
        if (old[k].id)
            table[i] = old[k];
    }
    t->table = table;
    t->table_cap = cap;
    mem_free(t->m, old, old_cap * sizeof *old);
    return true;
}

str_id intern_find(const intern *t, const char *s, size_t n)
{
    if (!n || !t->table_cap)
        return 0;
    uint32_t id = t->table[slot_of(t, s, n, intern_hash(HASH_SEED, s, n))].id;
    return id ? id - 1 : 0;
}

/* Copies the string, so the caller's may go.  The copy's NUL is for C; the length is what
 * counts. */
str_id intern_add(intern *t, const char *s, size_t n)
{
    if (!n || n > UINT32_MAX - 1)
        return 0;
    if (t->strs.len * 2 >= t->table_cap && !rehash(t))
        return 0;
    uint32_t hash = intern_hash(HASH_SEED, s, n), i = slot_of(t, s, n, hash);
    if (t->table[i].id)
        return t->table[i].id - 1;
    char *copy = arena_alloc(&t->text, n + 1);
    if (!copy || !vec_reserve(t->m, &t->strs, 1) || !vec_reserve(t->m, &t->lens, 1))
        return 0;
    memcpy(copy, s, n);
    t->strs.at[t->strs.len++] = copy;
    t->lens.at[t->lens.len++] = (uint32_t)n;
    t->table[i] = (intern_slot){hash, t->strs.len};
    return t->strs.len - 1;
}

str_id intern_cstr(intern *t, const char *s)
{
    return intern_add(t, s, strlen(s));
}

/* ---- forgetting ---- */

void intern_settle(intern *t)
{
    t->settled = t->text;
    t->nsettled = t->strs.len;
}

/* A slot of a string that stays is where a look for it finds it, as there are few. */
static void fill(intern *t)
{
    memset(t->table, 0, t->table_cap * sizeof *t->table);
    for (uint32_t id = 1; id < t->strs.len; id++) {
        uint32_t hash = intern_hash(HASH_SEED, t->strs.at[id], t->lens.at[id]);
        t->table[slot_of(t, t->strs.at[id], t->lens.at[id], hash)] = (intern_slot){hash, id + 1};
    }
}

/* Gives back what the table has grown; where that fails it stays large. */
static void shrink(intern *t)
{
    bool was_short = t->m->oom;
    intern_slot *less =
        mem_resize(t->m, t->table, t->table_cap * sizeof *t->table, FIRST_SLOTS * sizeof *t->table);
    t->m->oom = was_short;
    if (!less)
        return;
    t->table = less;
    t->table_cap = FIRST_SLOTS;
}

void intern_forget(intern *t)
{
    arena_rewind(&t->text, &t->settled);
    t->strs.len = t->lens.len = t->nsettled;
    vec_trim(t->m, &t->strs);
    vec_trim(t->m, &t->lens);
    if (t->table_cap > FIRST_SLOTS && t->nsettled * 2 < FIRST_SLOTS)
        shrink(t);
    if (t->table)
        fill(t);
}

const char *intern_str(const intern *t, str_id id)
{
    return id < t->strs.len ? t->strs.at[id] : "";
}

uint32_t intern_len(const intern *t, str_id id)
{
    return id < t->lens.len ? t->lens.at[id] : 0;
}
