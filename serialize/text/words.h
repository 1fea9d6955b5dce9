/* The words that the tables define, for quick lookup, and the nearest word to a misspelt one.
 *
 * One table for all classes of words: a token is looked up once, when it is read, and then asked
 * for its meaning in the class that the grammar wants there.  `add` is an operator and nothing
 * else; `int` a scalar type. */
#ifndef FCL_SERIALIZE_TEXT_WORDS_H
#define FCL_SERIALIZE_TEXT_WORDS_H

#include "ir/base/nearest.h"
#include "ir/ir.h"

typedef enum { WORD_OP, WORD_SCALAR, WORD_LEVEL, WORD_KIND, WORD_KEY, WORD_CLASSES } word_class;

/* The words of the grammar itself. */
typedef enum {
    KEY_NONE,
    KEY_FCL,
    KEY_FUN,
    KEY_KERNEL,
    KEY_IMPORT,
    KEY_MODULE,
    KEY_SECTION,
    KEY_LOC,
    KEY_ATTR,
    KEY_PROP,
    KEY_HINT,
    KEY_FORALL,
    KEY_TRUE,
    KEY_FALSE
} keyword;

/* How many characters of a word are compared as one number. */
enum { WORD_HEAD = 8 };

/* A word, and what it means in each class, 0: nothing; opcode, scalar, 1 + height of a level, kind,
 * keyword. */
typedef struct word {
    const char *text;
    uint64_t head; /* its first WORD_HEAD characters */
    uint32_t len;
    uint16_t code[WORD_CLASSES];
} word;

/* As many words as the tables can define. */
enum {
    WORDS_MAX = KEY_FALSE
#define SCALAROP(...) +1
#define OP(...)       +1
#define OLD(...)      +1
#define SCALAR(...)   +2
#define LEVEL(...)    +1
#define KIND(...)     +1
#include "ir/ops.def"
#include "ir/scalars.def"
#include "ir/types.def"
#undef SCALAROP
#undef OP
#undef OLD
#undef SCALAR
#undef LEVEL
#undef KIND
    ,
    WORD_SLOTS = 1024
};

/* Slots hold numbers of words; 0 is a free slot and, as entry 0, the word that means nothing, so
 * that a failed lookup needs no test. */
typedef struct word_table {
    word at[WORDS_MAX + 1]; /* entry 0 is no word: all its codes are 0 */
    uint8_t slots[WORD_SLOTS];
    uint32_t len;
} word_table;

void words_init(word_table *t);
/* The word s, else entry 0.  At s there are n bytes. */
const word *words_look_up(const word_table *t, const char *s, size_t n);
/* The same where WORD_HEAD bytes can be read at s, whatever n is. */
const word *words_look_up_padded(const word_table *t, const char *s, size_t n);
/* The code of a word of a class; 0 when it is none. */
uint32_t words_find(const word_table *t, word_class class, const char *s, size_t n);
/* The word of the class that is most like s; NULL when none is near. */
const char *words_nearest(const word_table *t, word_class class, const char *s, size_t n);

#endif
