/* The table of words and the search for near ones: see text/words.h.
 *
 * A hash table with open addressing and linear probing, at most a quarter full, which never grows
 * and never forgets: the words are those of the tables.  It lies in the reader's session, 2 to 3
 * microseconds to fill. */
#include "serialize/text/words.h"

#include <string.h>

_Static_assert(OP_END <= UINT16_MAX && WORDS_MAX <= UINT8_MAX,
               "codes are of 16 bits, numbers of words are bytes");
_Static_assert(WORD_SLOTS >= 4 * WORDS_MAX, "the table of words must stay sparse");

/* The word's first 8 characters, NULs behind a shorter one: they decide nearly always, so they are
 * what is hashed. */
static uint64_t head_of(const char *s, size_t n)
{
    char few[WORD_HEAD] = {0};
    uint64_t head;
    memcpy(few, s, n < WORD_HEAD ? n : WORD_HEAD);
    memcpy(&head, few, sizeof head);
    return head;
}

/* The same without a branch for each length: what is behind the word is masked out. */
static uint64_t head_of_padded(const char *s, size_t n)
{
    static const uint16_t order = 1;
    bool little_endian = *(const uint8_t *)&order == 1;
    uint64_t head, all = UINT64_MAX;
    memcpy(&head, s, sizeof head);
    if (n >= WORD_HEAD)
        return head;
    return head & ~(little_endian ? all << 8 * n : all >> 8 * n);
}

/* The slot of the word, or the free one where it belongs.  The search ends since most slots are
 * free.  Words of up to WORD_HEAD characters are told apart by head and length alone. */
static uint32_t slot_of(const word_table *t, const char *s, size_t n, uint64_t head)
{
    uint32_t i = (uint32_t)(head * 0x9e3779b97f4a7c15u >> 40) + (uint32_t)n;
    for (;; i++) {
        i &= WORD_SLOTS - 1;
        const word *w = &t->at[t->slots[i]];
        if (!t->slots[i] ||
            (w->len == n && w->head == head && (n <= WORD_HEAD || memcmp(w->text, s, n) == 0)))
            return i;
    }
}

const word *words_look_up(const word_table *t, const char *s, size_t n)
{
    return &t->at[t->slots[slot_of(t, s, n, head_of(s, n))]];
}

const word *words_look_up_padded(const word_table *t, const char *s, size_t n)
{
    return &t->at[t->slots[slot_of(t, s, n, head_of_padded(s, n))]];
}

/* Adds a meaning to a word, and the word where it is new.  The empty text, an alias that a scalar
 * type has not, is none. */
static void add(word_table *t, word_class class, const char *text, uint32_t code)
{
    size_t n = strlen(text);
    if (!n)
        return;
    uint8_t *slot = &t->slots[slot_of(t, text, n, head_of(text, n))];
    if (!*slot) {
        *slot = (uint8_t)++t->len;
        t->at[t->len] = (word){.text = text, .head = head_of(text, n), .len = (uint32_t)n};
    }
    t->at[*slot].code[class] = (uint16_t)code;
}

/* The words that docs/format.md has in quotation marks and no other table defines. */
static void add_keywords(word_table *t)
{
    static const struct {
        const char *text;
        keyword key;
    } keys[] = {{"fcl", KEY_FCL},        {"fun", KEY_FUN},     {"kernel", KEY_KERNEL},
                {"import", KEY_IMPORT},  {"loc", KEY_LOC},     {"forall", KEY_FORALL},
                {"true", KEY_TRUE},      {"false", KEY_FALSE}, {"attr", KEY_ATTR},
                {"prop", KEY_PROP},      {"hint", KEY_HINT},   {"module", KEY_MODULE},
                {"section", KEY_SECTION}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add(t, WORD_KEY, keys[i].text, keys[i].key);
}

void words_init(word_table *t)
{
    memset(t, 0, sizeof *t);
    for (uint32_t op = 1; op < OP_END; op++)
        if (ir_op_info(op)->name)
            add(t, WORD_OP, ir_op_info(op)->name, op);
#define OLD(e, wire, old, min, max, regions, attr, result, since, until, now)                      \
    if (strcmp(ir_op_info(OP_##now)->name, old) == 0)                                              \
        add(t, WORD_OP, old, OP_##now); /* version_operator tells which is meant */
#include "ir/ops.def"
#undef OLD
#define SCALAR(e, wire, name, class, bytes, alias, ...)                                            \
    add(t, WORD_SCALAR, name, wire);                                                               \
    add(t, WORD_SCALAR, alias, wire);
#define LEVEL(e, height, name, since) add(t, WORD_LEVEL, name, height + 1);
#define KIND(e, wire, name, ...)      add(t, WORD_KIND, name, wire);
#include "ir/types.def"
#undef SCALAR
#undef LEVEL
#undef KIND
    add_keywords(t);
}

uint32_t words_find(const word_table *t, word_class class, const char *s, size_t n)
{
    return words_look_up(t, s, n)->code[class];
}

/* ---- near words ---- */

const char *words_nearest(const word_table *t, word_class class, const char *s, size_t n)
{
    nearest x;
    nearest_init(&x, s, n);
    for (uint32_t i = 1; i <= t->len; i++)
        if (t->at[i].code[class])
            nearest_offer(&x, t->at[i].text, t->at[i].len);
    return x.best[0];
}
