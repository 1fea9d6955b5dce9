/* The words that the tables define, for quick lookup, and the nearest word to a misspelt one. */
#ifndef FCL_SERIALIZE_TEXT_WORDS_H
#define FCL_SERIALIZE_TEXT_WORDS_H

#include "ir/ir.h"

typedef enum { WORD_OP = 1, WORD_SCALAR, WORD_LEVEL, WORD_KIND } word_class;

typedef struct word {
    const char *text;
    uint8_t len, class;
    uint16_t code; /* opcode, scalar, kind; 1 + height of a level */
} word;

enum { WORD_SLOTS = 1024 };

typedef struct word_table {
    word at[WORD_SLOTS];
} word_table;

void words_init(word_table *t);
/* The code of a word of a class; 0 when it is none. */
uint32_t words_find(const word_table *t, word_class class, const char *s, size_t n);
/* The word of the class that is most like s; NULL when none is near. */
const char *words_nearest(const word_table *t, word_class class, const char *s, size_t n);

/* Keeps the best of the candidates offered for a misspelt name. */
typedef struct nearest {
    const char *wanted;
    size_t len;
    const char *best; /* NULL: none is near enough */
    uint32_t distance;
} nearest;

void nearest_init(nearest *x, const char *wanted, size_t len);
void nearest_offer(nearest *x, const char *candidate, size_t len);

#endif
