/* Growable text: see text.h. */
#include "frontends/tools/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program when there is no memory: the library is not asked, as it may hold what is
 * left. */
static void *or_exit(void *p)
{
    if (!p) {
        fputs("error[E0804]: memory ran out\n", stderr);
        exit(1);
    }
    return p;
}

void *tool_alloc(size_t count, size_t size)
{
    return or_exit(calloc(count ? count : 1, size));
}

char *tool_strndup(const char *s, size_t n)
{
    char *copy = tool_alloc(n + 1, 1);
    memcpy(copy, s, n);
    return copy;
}

/* Room for so many characters and the NUL. */
static void string_reserve(string *t, size_t more)
{
    if (t->cap - t->len > more)
        return;
    size_t cap = t->cap ? t->cap : 256;
    while (cap - t->len <= more && cap <= SIZE_MAX / 2)
        cap *= 2;
    t->at = or_exit(cap - t->len > more ? realloc(t->at, cap) : NULL);
    t->cap = cap;
}

void string_add(string *t, const char *s, size_t n)
{
    string_reserve(t, n);
    memcpy(t->at + t->len, s, n);
    t->len += n;
    t->at[t->len] = 0;
}

/* Printed twice: to know the length, and to write it. */
void string_addf(string *t, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n > 0) {
        string_reserve(t, (size_t)n);
        vsnprintf(t->at + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

void string_free(string *t)
{
    free(t->at);
    *t = (string){0};
}

const char *string_str(const string *t)
{
    return t->at ? t->at : "";
}

bool text_is(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(s, word, n) == 0;
}

bool parse_number(const char *s, unsigned long long min, unsigned long long max,
                  unsigned long long *out)
{
    char *end;
    if (*s < '0' || *s > '9')
        return false;
    errno = 0;
    *out = strtoull(s, &end, 10);
    return errno == 0 && *end == 0 && *out >= min && *out <= max;
}
