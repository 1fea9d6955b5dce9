/* The table of words and the search for near ones: see text_words.h. */
#include "serialize/text_words.h"

#include <string.h>

_Static_assert(WORD_SLOTS >= 4 * OP_END, "the table of words must stay sparse");

static uint32_t slot_of(const word_table *t, word_class class, const char *s, size_t n)
{
    uint32_t i = hash_bytes(HASH_SEED + (uint32_t) class, s, n) & (WORD_SLOTS - 1);
    for (;; i = (i + 1) & (WORD_SLOTS - 1)) {
        const word *w = &t->at[i];
        if (!w->text || (w->class == class && w->len == n && memcmp(w->text, s, n) == 0))
            return i;
    }
}

static void add(word_table *t, word_class class, const char *text, uint32_t code)
{
    size_t n = strlen(text);
    if (n)
        t->at[slot_of(t, class, text, n)] = (word){text, (uint8_t)n, (uint8_t) class, (uint16_t)code};
}

void words_init(word_table *t)
{
    memset(t, 0, sizeof *t);
    for (uint32_t op = 1; op < OP_END; op++)
        if (ir_op_info(op)->name)
            add(t, WORD_OP, ir_op_info(op)->name, op);
#define SCALAR(e, wire, name, class, bytes, alias)                                                                     \
    add(t, WORD_SCALAR, name, wire);                                                                                   \
    add(t, WORD_SCALAR, alias, wire);
#define LEVEL(e, height, name) add(t, WORD_LEVEL, name, height + 1);
#define KIND(e, wire, name)    add(t, WORD_KIND, name, wire);
#include "ir/types.def"
#undef SCALAR
#undef LEVEL
#undef KIND
}

uint32_t words_find(const word_table *t, word_class class, const char *s, size_t n)
{
    return t->at[slot_of(t, class, s, n)].code;
}

/* ---- near words ---- */

enum { NEAR_MAX = 40 }; /* longer names are not compared */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and exchanges of neighbours that turn a into b. */
static uint32_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    uint32_t row[3][NEAR_MAX + 1]; /* by i mod 3: from the first i characters of a to the first j of b */
    for (uint32_t j = 0; j <= nb; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        uint32_t *now = row[i % 3];
        const uint32_t *up = row[(i + 2) % 3], *upper = row[(i + 1) % 3];
        now[0] = (uint32_t)i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = least(up[j - 1] + (a[i - 1] != b[j - 1]), least(up[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], upper[j - 2] + 1);
        }
    }
    return row[na % 3][nb];
}

void nearest_init(nearest *x, const char *wanted, size_t len)
{
    *x = (nearest){.wanted = wanted, .len = len, .distance = (uint32_t)(len < 6 ? 1 : len / 3)};
}

void nearest_offer(nearest *x, const char *candidate, size_t len)
{
    if (x->len == 0 || x->len > NEAR_MAX || len > NEAR_MAX || len == 0)
        return;
    uint32_t d = edit_distance(x->wanted, x->len, candidate, len);
    if (d >= x->distance && (x->best || d > x->distance))
        return;
    if (d >= x->len || d >= len)
        return;
    x->best = candidate;
    x->distance = d;
}

const char *words_nearest(const word_table *t, word_class class, const char *s, size_t n)
{
    nearest x;
    nearest_init(&x, s, n);
    for (uint32_t i = 0; i < WORD_SLOTS; i++)
        if (t->at[i].text && t->at[i].class == class)
            nearest_offer(&x, t->at[i].text, t->at[i].len);
    return x.best;
}
