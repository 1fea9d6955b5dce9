/* The lexer of the text form: see text/lex.h.  One pass, one character of lookahead, linear in the
 * text.
 *
 * A character's classes come from one table; the NULs behind the text belong to none, so that no
 * scan needs to look for the end.  Positions are pointers: nobody counts lines here. */
#include "serialize/text/lex.h"

#include "ir/base/source.h"
#include "ir/base/utf8.h"

#include <string.h>

enum { NAME = 1, WORD = 2, DIGIT = 4, NUMBER = 8, MARK = 16, BLANK = 32, BREAK = 64 };

/* Blank, what ends a line or may begin a comment, mark, a mark that names and numbers have too, a
 * character of names only, digit, letter. */
#define B BLANK
#define S BREAK
#define M MARK
#define P (MARK | NAME | NUMBER)
#define N NAME
#define D (DIGIT | NAME | NUMBER)
#define L (WORD | NAME | NUMBER)
static const uint8_t class_of[256] = {
    /* 00 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, B, S, 0, 0, B, 0, 0,
    /* 10 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    /* 20 */ B, 0, 0, N, N, 0, 0, N, M, M, 0, M, M, 0, P, S,
    /* 30 */ D, D, D, D, D, D, D, D, D, D, M, M, M, M, M, 0,
    /* 40 */ 0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    /* 50 */ L, L, L, L, L, L, L, L, L, L, L, M, 0, M, 0, L,
    /* 60 */ 0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    /* 70 */ L, L, L, L, L, L, L, L, L, L, L, M, 0, M, 0, 0,
};
#undef B
#undef S
#undef M
#undef P
#undef N
#undef D
#undef L

/* Whether the character has one of the classes. */
static inline bool is(char c, uint8_t class)
{
    return (class_of[(unsigned char)c] & class) != 0;
}

void lex_init(lexer *lx, fcl_context *cx, const word_table *words, uint32_t number)
{
    const source *s = &cx->diags.sources.at[number];
    *lx = (lexer){.cx = cx,
                  .words = words,
                  .source = number,
                  .file = s->name,
                  .text = s->text,
                  .first = true};
    lx->p = s->text;
    lx->end = s->text + s->size;
    if (s->place != NO_PLACE)
        lx->place = LOC_PLACE + s->place;
    if (s->size >= 3 && memcmp(lx->p, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        lx->p += 3;
}

void lex_stop(lexer *lx)
{
    lx->p = lx->end;
    lx->stopped = true;
}

location lex_location_at(const lexer *lx, const char *at, size_t len)
{
    return source_location(lx->cx, lx->source, (size_t)(at - lx->text), (uint32_t)len);
}

location lex_location(const lexer *lx, const token *t)
{
    return lex_location_at(lx, t->at, t->len);
}

/* The place of the next so many characters. */
static location here(const lexer *lx, size_t len)
{
    return lex_location_at(lx, lx->p, len);
}

/* ---- blanks, and characters that do not belong ---- */

/* Past blanks, 8 spaces at a time: deep regions are indented far. */
static inline const char *skip_spaces(const char *p)
{
    while (memcmp(p, "        ", 8) == 0)
        p += 8;
    while (is(*p, BLANK))
        p++;
    return p;
}

/* Passes everything that only separates tokens: blanks, ends of lines, comments. */
static void skip_blanks(lexer *lx)
{
    const char *p = lx->p;
    for (;;) {
        if (is(*p, BLANK)) {
            p = skip_spaces(p);
        } else if (*p == '\n') {
            p++;
            lx->first = true;
        } else if (*p == '/' && p[1] == '/') {
            const char *nl = memchr(p, '\n', (size_t)(lx->end - p));
            p = nl ? nl : lx->end;
        } else {
            lx->p = p;
            return;
        }
    }
}

/* The length of the character at p; 0 when it is none that a text has. */
static size_t character_length(const char *p, const char *end)
{
    unsigned char c = (unsigned char)*p;
    return c < 32 || c == 127 ? 0 : utf8_length(p, end);
}

/* Whether a token, or what separates tokens, could begin here: where a run of strange characters
 * ends. */
static bool starts_token(const lexer *lx)
{
    char c = *lx->p;
    return is(c, WORD | DIGIT | MARK | BLANK) || (c && strchr("\n%@'\"-/", c));
}

/* Reports one error for a run of characters that no token begins with, and passes over it. */
static void skip_strange(lexer *lx)
{
    const char *start = lx->p;
    size_t first = character_length(start, lx->end), n = first;
    while (n) {
        lx->p += n;
        n = lx->p < lx->end && !starts_token(lx) ? character_length(lx->p, lx->end) : 0;
    }
    size_t run = (size_t)(lx->p - start);
    lx->p = start;
    if (!lx->quiet && !first)
        diag_error(lx->cx, DIAG_TEXT_NOT_TEXT, here(lx, 1), "this is not a text: byte 0x%02x",
                   (unsigned char)*start);
    else if (!lx->quiet)
        diag_error(lx->cx, DIAG_TEXT_CHARACTER, here(lx, run), "unexpected character '%.*s'",
                   (int)first, start);
    lx->p = start + run;
    if (!first)
        lex_stop(lx);
}

/* ---- tokens ---- */

/* Where the run of characters of a class ends.  The NUL behind the text has no class and stops
 * it. */
static inline const char *span(const char *p, uint8_t class)
{
    while (is(*p, class))
        p++;
    return p;
}

/* Where the number at p ends: everything that may belong to one, an exponent's sign included. */
static const char *number_end(const char *p)
{
    p += *p == '-';
    bool hex = p[0] == '0' && p[1] == 'x';
    const char *q = span(p, NUMBER);
    if (!hex && is(*p, DIGIT) && (q[-1] == 'e' || q[-1] == 'E') && (*q == '+' || *q == '-') &&
        is(q[1], DIGIT))
        q = span(q + 1, NUMBER);
    return q;
}

/* A word; dots at its end are not part of it: `forall 'a: BT. t`. */
static const char *word_end(const char *p, const char *start)
{
    p = span(p, NAME);
    while (p > start && p[-1] == '.')
        p--;
    return p;
}

/* STRING = '"' { character | "\" character } '"' on one line.  Behind the closing quotation mark,
 * or where the line ends, which is reported; escapes are judged by whoever decodes them. */
static const char *string_end(lexer *lx)
{
    const char *p = lx->p + 1;
    while (p < lx->end && *p != '"' && *p != '\n')
        p += p[0] == '\\' && p + 1 < lx->end && p[1] != '\n' ? 2 : 1;
    if (p < lx->end && *p == '"')
        return p + 1;
    if (p > lx->p + 1 && p[-1] == '\r')
        p--;
    if (!lx->quiet)
        diag_error(lx->cx, DIAG_TEXT_STRING, here(lx, (size_t)(p - lx->p)),
                   "this string does not end on its line");
    return p;
}

/* The name behind a sigil ends at `end`. */
static const char *named(lexer *lx, const char *end)
{
    if (end == lx->p + 1 && !lx->quiet)
        diag_error(lx->cx, DIAG_TEXT_SYNTAX, here(lx, 1), "a name must follow '%c'", *lx->p);
    return end;
}

/* %name, or %N, of which the number is taken as it is read. */
static const char *value_end(lexer *lx, token *t)
{
    const char *start = lx->p + 1, *p = start;
    uint32_t n = 0;
    while (is(*p, DIGIT))
        n = n * 10 + (uint32_t)(*p++ - '0');
    if (is(*p, NAME))
        p = span(p, NAME);
    else if (p > start && p - start < NAME_DIGITS && (*start != '0' || p == start + 1))
        t->number = NAME_NUMBER + n;
    return named(lx, p);
}

/* Behind a minus only: by themselves these are words, which read_literal.c knows. */
static bool is_special(const char *p)
{
    return strncmp(p, "inf", 3) == 0 || strncmp(p, "nan", 3) == 0;
}

/* The kind and the end of the token at p that is neither a word, a value nor a mark; 0 when no
 * token begins there. */
static uint8_t scan_rest(lexer *lx, const char **end)
{
    const char *p = lx->p;
    if (*p == '@')
        return *end = named(lx, span(p + 1, NAME)), T_FUNC;
    if (*p == '\'')
        return *end = named(lx, word_end(p + 1, p + 1)), T_TVAR;
    if (is(*p, DIGIT) || (*p == '-' && (is(p[1], DIGIT) || is_special(p + 1))))
        return *end = number_end(p), T_NUMBER;
    if (*p == '-' && p[1] == '>')
        return *end = p + 2, T_ARROW;
    if (*p == '"')
        return *end = string_end(lx), T_STRING;
    return *end = p, p == lx->end ? T_END : 0;
}

/* Kind and end of the token at p, and what it means; 0 when no token begins there. */
static inline uint8_t scan(lexer *lx, token *t, const char **end)
{
    const char *p = lx->p;
    if (*p == '%')
        return *end = value_end(lx, t), T_VALUE;
    if (is(*p, WORD)) {
        *end = word_end(p + 1, p + 1);
        t->word = words_look_up_padded(lx->words, p, (size_t)(*end - p));
        return T_NAME;
    }
    if (is(*p, MARK))
        return *end = p + 1, (uint8_t)*p;
    return scan_rest(lx, end);
}

/* One blank before the token is the usual case and costs an addition. */
void lex_next(lexer *lx, token *t)
{
    const char *end;
    lx->p += *lx->p == ' ';
    if (is(*lx->p, BLANK | BREAK))
        skip_blanks(lx);
    t->number = 0;
    while ((t->kind = scan(lx, t, &end)) == 0) {
        skip_strange(lx);
        skip_blanks(lx);
    }
    t->at = lx->p;
    t->len = (uint32_t)(end - lx->p);
    t->first = lx->first;
    lx->first = false;
    lx->p = end;
}
