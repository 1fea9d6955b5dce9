/* Edits that leave out parts of a program: statements, functions, parameters, positions. */
#include "frontends/tools/reduce/items.h"
#include "frontends/tools/reduce/reducer.h"

#include <stdlib.h>
#include <string.h>

/* ---- statements, blocks and functions ---- */

/* The end of a run of at most n items of one block that begins with item i. */
static size_t run_end(const items *all, size_t i, size_t n)
{
    size_t end = all->at[i].end;
    for (size_t k = i + 1; n > 1 && k < all->len && all->at[k].begin < all->at[i].scope; k++)
        if (all->at[k].depth == all->at[i].depth && all->at[k].begin >= end) {
            end = all->at[k].end;
            n--;
        }
    return end;
}

/* Leaves out runs of n items. */
static bool remove_runs(reducer *r, size_t n)
{
    bool any = false;
    items all = items_find(&r->best);
    for (size_t i = 0; i < all.len; i++) {
        string candidate = text_replaced(&r->best, all.at[i].begin, run_end(&all, i, n), "", 0);
        if (!reducer_try(r, &candidate, false))
            continue;
        any = true;
        items_free(&all);
        all = items_find(&r->best);
        i--; /* what followed stands there now */
    }
    items_free(&all);
    return any;
}

bool edit_items(reducer *r)
{
    bool any = false;
    items all = items_find(&r->best);
    size_t n = all.len;
    items_free(&all);
    for (; n; n /= 2)
        any = remove_runs(r, n) || any;
    return any;
}

/* ---- parameters ---- */

/* Where the parentheses that open at `at` close; the end of the text when they do not. */
static size_t closing(const string *text, size_t at)
{
    unsigned depth = 0;
    for (; at < text->len; at++) {
        char c = text->at[at];
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        if (!depth)
            return at;
    }
    return at;
}

/* Part i, with one comma, of what the parentheses at `open` hold; false when there is none. */
static bool find_part(const string *text, size_t open, size_t i, size_t *begin, size_t *end)
{
    size_t close = closing(text, open), start = open + 1, level = 0, at = start;
    for (; at < close; at++) {
        char c = text->at[at];
        level += c == '(' || c == '[' || c == '<';
        level -= (c == ')' || c == ']' || (c == '>' && text->at[at - 1] != '-')) && level;
        if (c != ',' || level)
            continue;
        if (i-- == 0)
            break;
        start = at + 1;
    }
    bool last = at == close;
    if (start >= close || (last && i))
        return false;
    *begin = last && text->at[start - 1] == ',' ? start - 1 : start;
    *end = last ? close : at + 1;
    while (!last && text->at[*end] == ' ')
        ++*end;
    return true;
}

/* The next opening parenthesis of a header or call of the function; the end when there is none. */
static size_t find_list(const string *text, const char *name, size_t n, size_t at)
{
    for (const char *p; (p = strstr(text->at + at, name)) != NULL;
         at = (size_t)(p - text->at) + n) {
        size_t i = (size_t)(p - text->at) + n;
        if (is_word_char(text->at[i]))
            continue;
        if (text->at[i] == '<')
            while (i < text->len && text->at[i] != '(' && text->at[i] != '\n')
                i++;
        if (text->at[i] == '(')
            return i;
    }
    return text->len;
}

/* The text without part i of every list of the function; empty where a list has none. */
static string without_part(const string *text, const char *name, size_t i)
{
    string out = {0};
    size_t begin, end;
    string_add(&out, text->at, text->len);
    for (size_t at = 0; (at = find_list(&out, name, strlen(name), at)) < out.len; at++) {
        bool found = find_part(&out, at, i, &begin, &end);
        string next = found ? text_replaced(&out, begin, end, "", 0) : (string){0};
        string_free(&out);
        out = next;
        if (!found)
            break;
    }
    return out;
}

/* Whether the function has parameter i, and whether it was left out. */
static bool remove_parameter(reducer *r, const char *name, size_t i, bool *removed)
{
    size_t begin, end, list = find_list(&r->best, name, strlen(name), 0);
    *removed = false;
    if (list == r->best.len || !find_part(&r->best, list, i, &begin, &end))
        return false;
    string candidate = without_part(&r->best, name, i);
    *removed = candidate.len && reducer_try(r, &candidate, false);
    string_free(&candidate);
    return true;
}

static char *function_name(const string *text, const item *t)
{
    const char *head = text->at + t->begin, *name = memchr(head, '@', t->head - t->begin);
    if (t->depth || !name)
        return NULL;
    size_t n = 1;
    while (is_word_char(name[n]))
        n++;
    return tool_strndup(name, n);
}

bool edit_parameters(reducer *r)
{
    bool any = false;
    items all = items_find(&r->best);
    for (size_t f = 0; f < all.len; f++) {
        char *name = function_name(&r->best, &all.at[f]);
        bool removed = false;
        for (size_t i = 0; name && remove_parameter(r, name, i, &removed); i += !removed)
            any = any || removed;
        any = any || removed;
        free(name);
        items_free(&all);
        all = items_find(&r->best);
    }
    items_free(&all);
    return any;
}

/* ---- positions ---- */

bool edit_positions(reducer *r)
{
    static const char word[] = " loc(";
    string out = {0};
    for (size_t i = 0; i < r->best.len;) {
        if (strncmp(r->best.at + i, word, sizeof word - 1) != 0) {
            string_add(&out, r->best.at + i++, 1);
            continue;
        }
        while (i < r->best.len && r->best.at[i] != ')') {
            size_t next = skip_string(&r->best, i);
            i = next > i ? next : i + 1;
        }
        i++;
    }
    return reducer_try(r, &out, false);
}
