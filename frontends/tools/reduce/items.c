/* Finding statements and blocks by lines and braces: see items.h. */
#include "frontends/tools/reduce/items.h"

#include <stdlib.h>
#include <string.h>

bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.$'#", c));
}

size_t skip_string(const string *text, size_t at)
{
    if (text->at[at] != '"')
        return at;
    for (at++; at < text->len && text->at[at] != '"'; at++)
        at += text->at[at] == '\\';
    return at < text->len ? at + 1 : text->len;
}

string text_replaced(const string *text, size_t begin, size_t end, const char *with, size_t n)
{
    string out = {0};
    string_add(&out, text->at, begin);
    string_add(&out, with, n);
    string_add(&out, text->at + end, text->len - end);
    return out;
}

/* A line of the text, and how many blocks are open before and after it. */
typedef struct line {
    size_t begin, end;
    unsigned before, after, least;
} line;

static line line_at(const string *text, size_t begin, unsigned depth)
{
    line l = {.begin = begin, .before = depth, .least = depth};
    size_t i = begin;
    while (i < text->len && text->at[i] != '\n') {
        size_t next = skip_string(text, i);
        depth += text->at[i] == '{';
        depth -= text->at[i] == '}' && depth > 0;
        l.least = depth < l.least ? depth : l.least;
        i = next > i ? next : i + 1;
    }
    l.end = i < text->len ? i + 1 : i;
    l.after = depth;
    return l;
}

/* Items that began at that depth or deeper end with this line; deeper scopes end where it begins.
 */
static void close_items(items *found, const line *l)
{
    for (size_t i = found->len; i-- > 0;) {
        item *t = &found->at[i];
        if (!t->end && t->depth >= l->after)
            t->end = l->end;
        if (!t->scope && t->depth > l->least)
            t->scope = l->begin;
    }
}

items items_find(const string *text)
{
    size_t lines = 1;
    for (size_t i = 0; i < text->len; i++)
        lines += text->at[i] == '\n';
    items found = {.at = tool_alloc(lines, sizeof *found.at)};
    unsigned depth = 0;
    for (size_t at = 0; at < text->len;) {
        line l = line_at(text, at, depth);
        bool begins = l.least == l.before && l.end > l.begin + 1;
        if (begins)
            found.at[found.len++] = (item){.begin = l.begin, .head = l.end, .depth = depth};
        close_items(&found, &l);
        at = l.end;
        depth = l.after;
    }
    for (size_t i = 0; i < found.len; i++) {
        found.at[i].end = found.at[i].end ? found.at[i].end : text->len;
        found.at[i].scope = found.at[i].scope ? found.at[i].scope : text->len;
    }
    return found;
}

void items_free(items *found)
{
    free(found->at);
    *found = (items){0};
}
