/* The structure of a printed program: lines, and the blocks that braces make of them. */
#ifndef FCL_TOOLS_REDUCE_ITEMS_H
#define FCL_TOOLS_REDUCE_ITEMS_H

#include "frontends/tools/text.h"

/* A statement, or a function, with the blocks in it: whole lines [begin, end) of the text. */
typedef struct item {
    size_t begin, end;
    size_t head;  /* where its first line ends */
    size_t scope; /* where the block that holds it ends */
    unsigned depth;
} item;

typedef struct items {
    item *at; /* in the order of the text */
    size_t len;
} items;

items items_find(const string *text);
void items_free(items *found);

/* Whether a character belongs to names and numbers. */
bool is_word_char(char c);
/* The place behind a quoted string that begins at `at`; `at` where none does. */
size_t skip_string(const string *text, size_t at);
/* The text with [begin, end) replaced by n bytes. */
string text_replaced(const string *text, size_t begin, size_t end, const char *with, size_t n);

#endif
