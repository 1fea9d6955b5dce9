/* Mutations of texts that keep most of their form, so that what is behind the reader is reached: a
 * word becomes another of its class, a statement of any operator is added, lines and bracketed
 * parts are copied, moved or dropped.
 *
 * The words are those of words.c; nothing here lists a language again.  An edit replaces a range
 * of the text by other bytes, and is dropped where the result would not fit. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

uint32_t fuzz_next(fuzz_random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 17;
    r->state ^= r->state << 5;
    return r->state;
}

size_t fuzz_below(fuzz_random *r, size_t n)
{
    return n ? fuzz_next(r) % n : 0;
}

bool edit_replace(edit *e, span old, const void *with, size_t n)
{
    size_t was = old.end - old.start;
    if (e->size - was + n > e->room)
        return false;
    memmove(e->at + old.start + n, e->at + old.end, e->size - old.end);
    memmove(e->at + old.start, with, n);
    e->size = e->size - was + n;
    return true;
}

/* A copy of what is in a range, over another one.  What is copied may lie behind, and move. */
static void copy_over(edit *e, span from, span to)
{
    uint8_t piece[COPIED];
    size_t n = from.end - from.start < sizeof piece ? from.end - from.start : sizeof piece;
    memcpy(piece, e->at + from.start, n);
    edit_replace(e, to, piece, n);
}

/* ---- what a text is made of ---- */

static bool is_name(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '.' || c == '$' || c == '#';
}

static bool is_sigil(uint8_t c)
{
    return c == '%' || c == '@' || c == '\'';
}

/* The token at or after a position: a name with what stands before it, or a single character. */
static span token_at(const edit *e, size_t from)
{
    span t = {from, from};
    while (t.start < e->size && isspace(e->at[t.start]))
        t.start++;
    t.end = t.start;
    if (t.end < e->size && (is_sigil(e->at[t.end]) || !is_name(e->at[t.end])))
        t.end++;
    if (t.end == t.start || is_sigil(e->at[t.start]))
        while (t.end < e->size && is_name(e->at[t.end]))
            t.end++;
    return t;
}

/* Any token: the one at the start of what a random position lies in. */
static span any_token(const edit *e, fuzz_random *r)
{
    size_t at = fuzz_below(r, e->size);
    while (at > 0 && at < e->size && is_name(e->at[at]) &&
           (is_name(e->at[at - 1]) || is_sigil(e->at[at - 1])))
        at--;
    return token_at(e, at);
}

static span any_line(const edit *e, fuzz_random *r)
{
    size_t at = fuzz_below(r, e->size);
    span l = {at, at};
    while (l.start > 0 && e->at[l.start - 1] != '\n')
        l.start--;
    while (l.end < e->size && e->at[l.end] != '\n')
        l.end++;
    l.end += l.end < e->size;
    return l;
}

/* From an opening bracket to the one that closes it; an empty range where there is none. */
static span any_group(const edit *e, fuzz_random *r)
{
    static const char open[] = "({[<", close[] = ")}]>";
    span g = {fuzz_below(r, e->size), 0};
    while (g.start < e->size && !memchr(open, e->at[g.start], 4))
        g.start++;
    size_t depth = 0;
    for (g.end = g.start; g.end < e->size; g.end++) {
        depth += memchr(open, e->at[g.end], 4) != NULL;
        depth -= depth > 0 && memchr(close, e->at[g.end], 4) != NULL;
        if (depth == 0)
            break;
    }
    g.end += g.end < e->size;
    return g;
}

/* ---- words ---- */

static const fuzz_word *word_named(const edit *e, span t)
{
    for (size_t i = 0; i < e->nwords; i++)
        if (strlen(e->words[i].text) == t.end - t.start &&
            memcmp(e->words[i].text, e->at + t.start, t.end - t.start) == 0)
            return &e->words[i];
    return NULL;
}

static const fuzz_word *any_word(const edit *e, fuzz_random *r, word_class class)
{
    size_t i = fuzz_below(r, e->nwords);
    while (e->words[i].class != class)
        i = (i + 1) % e->nwords;
    return &e->words[i];
}

/* By one of the same class; in kernel IR, where types must fit, with as many operands. */
static void replace_word(edit *e, fuzz_random *r, span t, const fuzz_word *old)
{
    const fuzz_word *w = any_word(e, r, (word_class)old->class);
    for (int tries = 0; e->is_kernel && tries < 20 && w->least != old->least; tries++)
        w = any_word(e, r, (word_class)old->class);
    edit_replace(e, t, w->text, strlen(w->text));
}

static void replace_number(edit *e, fuzz_random *r, span t)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "7",
                                          "31",
                                          "32",
                                          "256",
                                          "1000",
                                          "2147483647",
                                          "2147483648",
                                          "0x7f",
                                          "1.5",
                                          "2e308",
                                          "nan",
                                          "inf",
                                          "-1",
                                          "-2147483648",
                                          "4294967295",
                                          "9223372036854775807",
                                          "18446744073709551615",
                                          "0i64",
                                          "1u8",
                                          "3f32"};
    const char *number = numbers[fuzz_below(r, sizeof numbers / sizeof *numbers)];
    edit_replace(e, t, number, strlen(number));
}

/* Another name with the same sigil, from elsewhere in the text; of a value of kernel IR, from what
 * stands before. */
static void replace_name(edit *e, fuzz_random *r, span t)
{
    edit where = *e;
    if (e->is_kernel)
        where.size = t.start;
    for (int tries = 0; tries < 20; tries++) {
        span other = any_token(&where, r);
        if (other.end > other.start && e->at[other.start] == e->at[t.start]) {
            copy_over(e, other, t);
            return;
        }
    }
}

static void change_token(edit *e, fuzz_random *r)
{
    span t = any_token(e, r);
    if (t.start == t.end)
        return;
    const fuzz_word *w = word_named(e, t);
    if (w)
        replace_word(e, r, t, w);
    else if (isdigit(e->at[t.start]))
        replace_number(e, r, t);
    else if (is_sigil(e->at[t.start]))
        replace_name(e, r, t);
    else
        copy_over(e, any_token(e, r), t);
}

/* ---- statements ---- */

static void add_operand(edit *e, fuzz_random *r, char *line, size_t room, size_t k)
{
    span t = {0, 0};
    for (int tries = 0; tries < 8 && !(t.end > t.start && e->at[t.start] == '%'); tries++)
        t = any_token(e, r);
    size_t n = strlen(line);
    bool found = t.end > t.start && e->at[t.start] == '%' && fuzz_below(r, 4);
    if (found)
        snprintf(line + n, room - n, "%s%.*s", k ? ", " : " ",
                 (int)(t.end - t.start < 40 ? t.end - t.start : 40), (const char *)e->at + t.start);
    else
        snprintf(line + n, room - n, "%s%zu", k ? ", " : " ", fuzz_below(r, 5));
}

static void add_attribute(const edit *e, fuzz_random *r, char attribute, char *line, size_t room)
{
    size_t n = strlen(line);
    if (attribute == 'L')
        snprintf(line + n, room - n, "<%s>", any_word(e, r, WORD_LEVEL)->text);
    else if (attribute == 'T')
        snprintf(line + n, room - n, "<%s>", any_word(e, r, WORD_TYPE)->text);
    else if (attribute == 'D')
        snprintf(line + n, room - n, "<%s; %zu, 3> \"AAECAwQF\"", any_word(e, r, WORD_TYPE)->text,
                 fuzz_below(r, 4));
}

/* A property of the table, or a key that is none; as a hint, mostly. */
static void add_property(const edit *e, fuzz_random *r, char *line, size_t room)
{
    static const char *const keys[] = {
#define PROPERTY(e, key, ...) key,
#include "ir/keys.def"
#undef PROPERTY
        "org.example"};
    size_t n = strlen(line);
    if (!e->is_kernel && fuzz_below(r, 4) == 0)
        snprintf(line + n, room - n, " %s(\"%s\" = %zu)", fuzz_below(r, 4) ? "hint" : "prop",
                 keys[fuzz_below(r, sizeof keys / sizeof *keys)], fuzz_below(r, 3));
}

/* %name = op<...> operands { (%p, %q) yield %p } before any line; %1 = op operands : type in kernel
 * IR. */
static void add_statement(edit *e, fuzz_random *r)
{
    char line[512];
    const fuzz_word *w = any_word(e, r, WORD_OP);
    uint32_t number = fuzz_next(r) % 1000;
    snprintf(line, sizeof line, "  %%%s%u = %s", e->is_kernel ? "" : "z", number, w->text);
    add_attribute(e, r, w->attribute, line, sizeof line);
    size_t operands = w->least + (w->most > w->least ? fuzz_below(r, 3) : 0);
    for (size_t k = 0; k < operands; k++)
        add_operand(e, r, line, sizeof line, k);
    for (unsigned k = 0; k < w->regions; k++) {
        size_t n = strlen(line);
        snprintf(line + n, sizeof line - n, " { (%%p%u) yield %%p%u }", number + k, number + k);
    }
    if (e->is_kernel) {
        size_t n = strlen(line);
        snprintf(line + n, sizeof line - n, " : %s", any_word(e, r, WORD_TYPE)->text);
    }
    add_property(e, r, line, sizeof line - 1);
    strcat(line, "\n");
    span at = any_line(e, r);
    at.end = at.start;
    edit_replace(e, at, line, strlen(line));
}

/* ---- parts ---- */

static void repeat_token(edit *e, fuzz_random *r)
{
    span t = any_token(e, r), before = {t.start, t.start};
    for (size_t n = fuzz_below(r, 8) ? 1 : fuzz_below(r, 400); n > 0; n--)
        copy_over(e, t, before);
}

static void copy_group(edit *e, fuzz_random *r)
{
    copy_over(e, any_group(e, r), any_group(e, r));
}

static void copy_line(edit *e, fuzz_random *r)
{
    span from = any_line(e, r), to = any_line(e, r);
    if (fuzz_below(r, 4))
        to.end = to.start;
    copy_over(e, from, to);
}

static void drop(edit *e, fuzz_random *r)
{
    span part = fuzz_below(r, 3) == 0 ? any_token(e, r)
                : fuzz_below(r, 2)    ? any_line(e, r)
                                      : any_group(e, r);
    edit_replace(e, part, "", 0);
}

static void change_bytes(edit *e, fuzz_random *r)
{
    (void)r;
    e->size = fuzz_mutate_bytes(e->at, e->size, e->room);
}

static void mutate_text(edit *e, fuzz_random *r)
{
    static void (*const ways[])(edit *, fuzz_random *) = {
        change_token, change_token, change_token, change_token, add_statement,
        copy_line,    copy_group,   repeat_token, drop,         change_bytes};
    size_t count = 1 + fuzz_below(r, 4);
    if (e->is_kernel && fuzz_below(r, 4)) { /* hardly anything else keeps types and scopes */
        change_token(e, r);
        return;
    }
    for (size_t n = count; n > 0; n--)
        ways[fuzz_below(r, sizeof ways / sizeof *ways)](e, r);
}

size_t fuzz_mutate(const char *extension, uint8_t *data, size_t size, size_t room, uint32_t seed)
{
    fuzz_random r = {.state = seed * 2654435761u + 1};
    bool is_kernel = strcmp(extension, "kir") == 0;
    edit e = {.at = data,
              .size = size,
              .room = room,
              .words = is_kernel ? fuzz_kernel_words : fuzz_words,
              .nwords = is_kernel ? fuzz_kernel_word_count : fuzz_word_count,
              .is_kernel = is_kernel};
    if (r.state == 0)
        r.state = 1;
    if (strcmp(extension, "calls") == 0 || fuzz_below(&r, 10) == 0)
        change_bytes(&e, &r);
    else if (strcmp(extension, "fclb") == 0 || strcmp(extension, "fcla") == 0)
        mutate_binary(&e, &r);
    else
        mutate_text(&e, &r);
    return e.size;
}
