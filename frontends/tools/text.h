/* Growable text and the few string helpers that both programs share.
 *
 * Small allocations of the programs (names, messages, options) go through tool_alloc, which ends
 * the program with a message when memory is gone; array data never does: its size comes from the
 * input, and is checked by its readers. */
#ifndef FCL_TOOLS_TEXT_H
#define FCL_TOOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct string {
    char *at; /* NUL-terminated once something was added */
    size_t len, cap;
} string;

void *tool_alloc(size_t count, size_t size); /* zeroed; never NULL */
char *tool_strndup(const char *s, size_t n);

/* Appending costs a constant for each character: room is doubled. */
void string_add(string *t, const char *s, size_t n);
void string_addf(string *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void string_free(string *t);
/* The text, "" when nothing was added. */
const char *string_str(const string *t);

/* Whether n characters are the word. */
bool text_is(const char *s, size_t n, const char *word);
/* A whole decimal number from min to max. */
bool parse_number(const char *s, unsigned long long min, unsigned long long max,
                  unsigned long long *out);

#endif
