/* The words of a SPIR-V module: see module.h. */
#include "backends/spirv/module.h"

#include "ir/base/intern.h"

#include <string.h>

void sp_module_release(sp_module *s)
{
    for (int i = 0; i < SP_SECTIONS; i++)
        vec_free(s->m, &s->sections[i]);
    mem_free(s->m, s->table, s->cap * sizeof *s->table);
}

sp_id sp_new_id(sp_module *s)
{
    if (s->last >= SP_MOST_IDS)
        s->failed = true;
    return ++s->last;
}

/* ---- instructions ---- */

/* Room for an instruction of so many words in all, and its first one; NULL when there is none. */
static uint32_t *begin(sp_module *s, sp_section where, SpvOp op, uint64_t words)
{
    vec_u32 *v = &s->sections[where];
    if (words > SP_MOST_WORDS || !vec_reserve(s->m, v, (uint32_t)words)) {
        s->failed = true;
        return NULL;
    }
    uint32_t *at = v->at + v->len;
    v->len += (uint32_t)words;
    at[0] = (uint32_t)words << SpvWordCountShift | (uint32_t)op;
    return at + 1;
}

static uint32_t *copy(uint32_t *to, const uint32_t *words, uint32_t n)
{
    if (n)
        memcpy(to, words, n * sizeof *words);
    return to + n;
}

void sp_put(sp_module *s, sp_section where, SpvOp op, const uint32_t *words, uint32_t n)
{
    uint32_t *at = begin(s, where, op, (uint64_t)n + 1);
    if (at)
        copy(at, words, n);
}

/* A text ends with a zero byte, and is padded to whole words with more of them. */
void sp_put_text(sp_module *s, sp_section where, SpvOp op, const uint32_t *before, uint32_t nbefore,
                 const char *text, const uint32_t *after, uint32_t nafter)
{
    size_t bytes = strlen(text), words = bytes / 4 + 1;
    uint32_t *at = begin(s, where, op, 1 + (uint64_t)nbefore + words + nafter);
    if (!at)
        return;
    at = copy(at, before, nbefore);
    at[words - 1] = 0;
    memcpy(at, text, bytes);
    copy(at + words, after, nafter);
}

/* Words of an instruction before its operands: itself, its type, its result. */
static uint32_t head_words(sp_id type)
{
    return type ? 3 : 2;
}

sp_id sp_make(sp_module *s, sp_section where, SpvOp op, sp_id type, const uint32_t *words,
              uint32_t n)
{
    sp_id id = sp_new_id(s);
    uint32_t *at = begin(s, where, op, (uint64_t)n + head_words(type));
    if (!at)
        return id;
    if (type)
        *at++ = type;
    *at++ = id;
    copy(at, words, n);
    return id;
}

/* ---- what is there once ---- */

typedef struct wanted {
    sp_section section;
    uint32_t first, hash; /* first: its first word */
    sp_id type;
    uint32_t head; /* words before its operands */
    const uint32_t *words;
    uint32_t n;
} wanted;

static wanted want(sp_section where, SpvOp op, sp_id type, uint32_t head, const uint32_t *words,
                   uint32_t n)
{
    wanted w = {.section = where,
                .first = (n + head) << SpvWordCountShift | (uint32_t)op,
                .type = type,
                .head = head,
                .words = words,
                .n = n};
    uint32_t hash = HASH_SEED ^ w.first * 2654435761u ^ type * 40503u;
    for (uint32_t i = 0; i < n; i++)
        hash = (hash ^ words[i]) * 2654435761u ^ hash >> 15;
    w.hash = hash ^ hash >> 16;
    return w;
}

static bool is_it(const sp_module *s, const sp_slot *slot, const wanted *w)
{
    if (slot->hash != w->hash || slot->section != w->section)
        return false;
    const uint32_t *at = s->sections[slot->section].at + slot->at - 1;
    return at[0] == w->first && (!w->type || at[1] == w->type) &&
           (!w->n || memcmp(at + w->head, w->words, w->n * sizeof *w->words) == 0);
}

/* Linear probing; the table is never more than half full. */
static sp_slot *find(const sp_module *s, const wanted *w)
{
    uint32_t i = w->hash & (s->cap - 1);
    while (s->table[i].at && !is_it(s, &s->table[i], w))
        i = (i + 1) & (s->cap - 1);
    return &s->table[i];
}

static bool grow(sp_module *s)
{
    uint32_t cap = s->cap ? 2 * s->cap : 256;
    sp_slot *table = mem_zeroed(s->m, cap * sizeof *table);
    if (!table) {
        s->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < s->cap; i++) {
        uint32_t k = s->table[i].hash & (cap - 1);
        while (s->table[i].at && table[k].at)
            k = (k + 1) & (cap - 1);
        if (s->table[i].at)
            table[k] = s->table[i];
    }
    mem_free(s->m, s->table, s->cap * sizeof *s->table);
    s->table = table;
    s->cap = cap;
    return true;
}

/* The place of what is wanted, free when it is not there yet; NULL when memory is short. */
static sp_slot *look_up(sp_module *s, const wanted *w)
{
    if (s->failed || (2 * (s->used + 1) > s->cap && !grow(s)))
        return NULL;
    return find(s, w);
}

static void enter(sp_module *s, sp_slot *slot, const wanted *w)
{
    *slot =
        (sp_slot){.hash = w->hash, .at = s->sections[w->section].len + 1, .section = w->section};
    s->used++;
}

sp_id sp_once(sp_module *s, sp_section where, SpvOp op, sp_id type, const uint32_t *words,
              uint32_t n)
{
    wanted w = want(where, op, type, head_words(type), words, n);
    sp_slot *slot = look_up(s, &w);
    if (slot && slot->at)
        return s->sections[where].at[slot->at - 1 + w.head - 1];
    if (slot)
        enter(s, slot, &w);
    return sp_make(s, where, op, type, words, n);
}

void sp_put_once(sp_module *s, sp_section where, SpvOp op, const uint32_t *words, uint32_t n)
{
    wanted w = want(where, op, 0, 1, words, n);
    sp_slot *slot = look_up(s, &w);
    if (slot && slot->at)
        return;
    if (slot)
        enter(s, slot, &w);
    sp_put(s, where, op, words, n);
}

void sp_require(sp_module *s, SpvCapability what)
{
    sp_put_once(s, SP_CAPABILITIES, SpvOpCapability, SP_WORDS((uint32_t)what));
}

bool sp_requires(const sp_module *s, SpvCapability what)
{
    const vec_u32 *all = &s->sections[SP_CAPABILITIES];
    for (uint32_t i = 0; i + 1 < all->len; i += 2)
        if (all->at[i + 1] == (uint32_t)what)
            return true;
    return false;
}

void sp_need_version(sp_module *s, uint32_t version)
{
    s->version = version > s->version ? version : s->version;
}

/* ---- the file ---- */

static void append(sp_module *s, sp_section to, sp_section from)
{
    vec_u32 *v = &s->sections[to], *part = &s->sections[from];
    if (!vec_reserve(s->m, v, part->len)) {
        s->failed = true;
        return;
    }
    copy(v->at + v->len, part->at, part->len);
    v->len += part->len;
    part->len = 0;
}

void sp_close_function(sp_module *s)
{
    for (sp_section i = SP_HEAD; i <= SP_BODY; i++)
        append(s, SP_FUNCTIONS, i);
}

static bool write_words(mem *m, const uint32_t *words, uint32_t n, vec_char *out)
{
    if ((uint64_t)n * 4 > UINT32_MAX || !vec_reserve(m, out, n * 4))
        return false;
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            out->at[out->len++] = (char)(unsigned char)(words[i] >> 8 * k);
    return true;
}

/* The generator's number is 0: libfcl has none in the registry. */
bool sp_write(sp_module *s, vec_char *out)
{
    const uint32_t header[] = {SpvMagicNumber, s->version, 0, s->last + 1, 0};
    bool ok = !s->failed && write_words(s->m, header, 5, out);
    for (sp_section i = SP_CAPABILITIES; ok && i <= SP_FUNCTIONS; i++)
        ok = write_words(s->m, s->sections[i].at, s->sections[i].len, out);
    return ok;
}
