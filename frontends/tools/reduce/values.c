/* Edits that put simpler values in the place of others, and what is dead then. */
#include "frontends/tools/reduce/items.h"
#include "frontends/tools/reduce/reducer.h"

#include <stdlib.h>
#include <string.h>

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (is_word_char(s[n]))
        n++;
    return n;
}

/* ---- the value of a statement ---- */

/* A statement `%NAME[: TYPE] = ...`; places in the text. */
typedef struct definition {
    size_t name, length; /* with the % */
    size_t type, type_length;
    size_t body; /* behind the = */
} definition;

static bool read_definition(const string *text, const item *t, definition *d)
{
    size_t i = t->begin;
    while (text->at[i] == ' ')
        i++;
    if (text->at[i] != '%')
        return false;
    *d = (definition){.name = i, .length = 1 + word_length(text->at + i + 1)};
    i += d->length;
    if (text->at[i] == ':')
        d->type = i + 2;
    while (i < t->head && strncmp(text->at + i, " = ", 3) != 0)
        i++;
    if (i >= t->head || (!d->type && i != d->name + d->length))
        return false;
    if (d->type)
        d->type_length = i - d->type;
    d->body = i + 3;
    return true;
}

/* The text without the item, and with the word in the place of its value in the rest of its block.
 */
static string with_value(const string *text, const item *t, const definition *d, const char *word,
                         size_t n)
{
    string out = {0};
    const char *name = text->at + d->name;
    string_add(&out, text->at, t->begin);
    for (size_t i = t->end; i < t->scope;) {
        size_t length = text->at[i] == '%' ? 1 + word_length(text->at + i + 1) : 1;
        bool same = length == d->length && memcmp(text->at + i, name, length) == 0;
        string_add(&out, same ? word : text->at + i, same ? n : length);
        i += length;
    }
    string_add(&out, text->at + t->scope, text->len - t->scope);
    return out;
}

static bool try_value(reducer *r, const item *t, const definition *d, const char *word, size_t n)
{
    string candidate = with_value(&r->best, t, d, word, n);
    return reducer_try(r, &candidate, false);
}

/* The operands on the first line, one after the other. */
static bool try_operands(reducer *r, const item *t, const definition *d)
{
    for (size_t i = d->body; i < t->head; i++)
        if (r->best.at[i] == '%') {
            size_t n = 1 + word_length(r->best.at + i + 1);
            char *word = tool_strndup(r->best.at + i, n);
            bool kept = try_value(r, t, d, word, n);
            free(word);
            if (kept)
                return true;
        }
    return false;
}

static bool try_literals(reducer *r, const item *t, const definition *d)
{
    static const char *const stems[] = {"0", "1", "0.0", "false", "true"};
    bool kept = false;
    for (size_t i = 0; !kept && i < 2 * sizeof stems / sizeof *stems; i++) {
        string word = {0};
        string_addf(&word, "%s", stems[i / 2]);
        if (i % 2) /* 0i64 */
            string_add(&word, r->best.at + d->type, d->type_length);
        kept = try_value(r, t, d, string_str(&word), word.len);
        string_free(&word);
    }
    return kept;
}

bool edit_values(reducer *r)
{
    bool any = false;
    items all = items_find(&r->best);
    for (size_t i = 0; i < all.len; i++) {
        definition d;
        if (!read_definition(&r->best, &all.at[i], &d))
            continue;
        if (!try_operands(r, &all.at[i], &d) && !try_literals(r, &all.at[i], &d))
            continue;
        any = true;
        items_free(&all);
        all = items_find(&r->best);
        i--;
    }
    items_free(&all);
    return any;
}

/* ---- literals ---- */

/* Numbers that are tried in the place of one, each smaller than it. */
static bool try_number(reducer *r, size_t at, size_t n, unsigned long long old)
{
    const unsigned long long smaller[] = {0, 1, old / 2, old - 1};
    for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++) {
        string word = {0};
        if (smaller[i] >= old)
            continue;
        string_addf(&word, "%llu", smaller[i]);
        string candidate = text_replaced(&r->best, at, at + n, string_str(&word), word.len);
        string_free(&word);
        if (reducer_try(r, &candidate, true))
            return true;
    }
    return false;
}

static bool is_number(const string *text, size_t at, size_t n)
{
    return at && strchr(" (,<=[-", text->at[at - 1]) && n &&
           strspn(text->at + at, "0123456789") == n;
}

bool edit_literals(reducer *r)
{
    bool any = false;
    size_t start = 0;
    while (start < r->best.len && r->best.at[start] != '\n') /* the version in the first line */
        start++;
    for (size_t at = start; at < r->best.len;) {
        size_t next = skip_string(&r->best, at), n = word_length(r->best.at + at);
        unsigned long long old = n ? strtoull(r->best.at + at, NULL, 10) : 0;
        if (is_number(&r->best, at, n) && old && try_number(r, at, n, old))
            any = true; /* and again there */
        else
            at = next > at ? next : at + (n ? n : 1);
    }
    return any;
}

/* ---- dead code ---- */

bool edit_dead(reducer *r)
{
    fcl_context *cx = r->kernel ? NULL : fcl_context_create(NULL, NULL);
    if (!cx)
        return false;
    string out = {0};
    size_t size = 0;
    char *text = NULL;
    fcl_module *m = fcl_module_load(cx, "candidate.fclir", string_str(&r->best), r->best.len, NULL);
    if (m && fcl_passes_run(m, NULL, "dce", NULL))
        text = fcl_module_print(m, &size);
    if (text) {
        string_add(&out, text, size);
        fcl_free(cx, text, size);
    }
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    bool kept = out.len && reducer_try(r, &out, false);
    string_free(&out);
    return kept;
}
