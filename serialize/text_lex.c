/* The lexer of the text form: see text_lex.h.  One pass, one character of lookahead, linear in the text. */
#include "serialize/text_lex.h"

#include <string.h>

/* Sets of characters below 128, as two words of bits. */
#define BIT(c)       ((uint64_t)1 << ((c)&63))
#define SPAN(lo, hi) (~(uint64_t)0 >> (63 - ((hi) - (lo))) << ((lo)&63))

typedef struct char_set {
    uint64_t half[2];
} char_set;

static const char_set name_chars = {
    {BIT('#') | BIT('$') | BIT('\'') | BIT('.') | SPAN('0', '9'), SPAN('A', 'Z') | SPAN('a', 'z') | BIT('_')}};
static const char_set word_starts = {{0, SPAN('A', 'Z') | SPAN('a', 'z') | BIT('_')}};
static const char_set number_chars = {{BIT('.') | SPAN('0', '9'), SPAN('A', 'Z') | SPAN('a', 'z') | BIT('_')}};
static const char_set digits = {{SPAN('0', '9'), 0}};
static const char_set marks = {
    {BIT('(') | BIT(')') | BIT('<') | BIT('>') | BIT(',') | BIT(':') | BIT(';') | BIT('=') | BIT('.') | BIT('+'),
     BIT('{') | BIT('}') | BIT('[') | BIT(']')}};

static bool in_set(const char_set *s, char c)
{
    unsigned char u = (unsigned char)c;
    return u < 128 && (s->half[u >> 6] >> (u & 63) & 1);
}

bool lex_name_char(char c)
{
    return in_set(&name_chars, c);
}

void lex_init(lexer *lx, fcl_context *cx, str_id file, const char *text, size_t size)
{
    *lx = (lexer){.cx = cx, .file = file, .text = text, .p = text, .end = text + size, .line = 1, .first = true};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        lx->p += 3;
    lx->line_start = lx->p;
}

void lex_stop(lexer *lx)
{
    lx->p = lx->end;
    lx->stopped = true;
}

location lex_location(const lexer *lx, const token *t)
{
    return (location){.file = lx->file, .line = t->line, .col = t->col, .len = t->len};
}

static location here(const lexer *lx, size_t len)
{
    return (location){lx->file, lx->line, (uint32_t)(lx->p - lx->line_start) + 1, (uint32_t)len};
}

/* ---- blanks, and characters that do not belong ---- */

static void skip_blanks(lexer *lx)
{
    for (;;) {
        char c = *lx->p;
        if (c == ' ' || c == '\t' || c == '\r') {
            lx->p++;
        } else if (c == '\n') {
            lx->line_start = ++lx->p;
            lx->line++;
            lx->first = true;
        } else if (c == '/' && lx->p[1] == '/') {
            const char *nl = memchr(lx->p, '\n', (size_t)(lx->end - lx->p));
            lx->p = nl ? nl : lx->end;
        } else {
            return;
        }
    }
}

/* The length of the UTF-8 sequence at p, 1 to 4; 0 when it is none, or a control character. */
static size_t utf8_length(const char *p, const char *end)
{
    unsigned char c = (unsigned char)*p;
    if (c < 128)
        return c >= 32 && c != 127;
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    uint32_t code = c & (0xffu >> (n + 1));
    if (c < 0xc2 || c > 0xf4 || (size_t)(end - p) < n)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | ((unsigned char)p[i] & 0x3f);
    }
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

static bool starts_token(const lexer *lx)
{
    char c = *lx->p;
    return in_set(&word_starts, c) || in_set(&digits, c) || in_set(&marks, c) || (c && strchr(" \t\r\n%@'\"-/", c));
}

/* Reports one error for a run of characters that no token begins with, and passes over it. */
static void skip_strange(lexer *lx)
{
    const char *start = lx->p;
    size_t first = utf8_length(start, lx->end), n = first;
    while (n) {
        lx->p += n;
        n = lx->p < lx->end && !starts_token(lx) ? utf8_length(lx->p, lx->end) : 0;
    }
    size_t run = (size_t)(lx->p - start);
    lx->p = start;
    if (!lx->quiet && !first)
        diag_error(lx->cx, DIAG_TEXT_NOT_TEXT, here(lx, 1), "this is not a text: byte 0x%02x", (unsigned char)*start);
    else if (!lx->quiet)
        diag_error(lx->cx, DIAG_TEXT_CHARACTER, here(lx, run), "unexpected character '%.*s'", (int)first, start);
    lx->p = start + run;
    if (!first)
        lex_stop(lx);
}

/* ---- tokens ---- */

static const char *span(const char *p, const char_set *s)
{
    while (in_set(s, *p))
        p++;
    return p;
}

/* Where the number at p ends: everything that may belong to one, an exponent's sign included. */
static const char *number_end(const char *p)
{
    p += *p == '-';
    bool hex = p[0] == '0' && p[1] == 'x';
    const char *q = span(p, &number_chars);
    if (!hex && in_set(&digits, *p) && (q[-1] == 'e' || q[-1] == 'E') && (*q == '+' || *q == '-') &&
        in_set(&digits, q[1]))
        q = span(q + 1, &number_chars);
    return q;
}

/* A word; dots at its end are not part of it: `forall 'a: BT. t`. */
static const char *word_end(const char *p, const char *start)
{
    p = span(p, &name_chars);
    while (p > start && p[-1] == '.')
        p--;
    return p;
}

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
        diag_error(lx->cx, DIAG_TEXT_STRING, here(lx, (size_t)(p - lx->p)), "this string does not end on its line");
    return p;
}

static const char *sigil_end(lexer *lx, uint8_t kind)
{
    const char *p = lx->p + 1, *end = kind == T_TVAR ? word_end(p, p) : span(p, &name_chars);
    if (end == p && !lx->quiet)
        diag_error(lx->cx, DIAG_TEXT_SYNTAX, here(lx, 1), "a name must follow '%c'", *lx->p);
    return end;
}

static bool is_special(const char *p)
{
    return strncmp(p, "inf", 3) == 0 || strncmp(p, "nan", 3) == 0;
}

/* Kind and end of the token at p; 0 when no token begins there. */
static uint8_t scan(lexer *lx, const char **end)
{
    const char *p = lx->p;
    char c = *p;
    if (c == '%' || c == '@' || c == '\'') {
        uint8_t kind = c == '%' ? T_VALUE : c == '@' ? T_FUNC : T_TVAR;
        return *end = sigil_end(lx, kind), kind;
    }
    if (in_set(&word_starts, c))
        return *end = word_end(p + 1, p + 1), T_NAME;
    if (in_set(&digits, c) || (c == '-' && (in_set(&digits, p[1]) || is_special(p + 1))))
        return *end = number_end(p), T_NUMBER;
    if (c == '-' && p[1] == '>')
        return *end = p + 2, T_ARROW;
    if (c == '"')
        return *end = string_end(lx), T_STRING;
    if (p == lx->end)
        return *end = p, T_END;
    return *end = p + 1, in_set(&marks, c) ? (uint8_t)c : 0;
}

void lex_next(lexer *lx, token *t)
{
    const char *end;
    skip_blanks(lx);
    while ((t->kind = scan(lx, &end)) == 0) {
        skip_strange(lx);
        skip_blanks(lx);
    }
    t->at = lx->p;
    t->len = (uint32_t)(end - lx->p);
    t->line = lx->line;
    t->col = (uint32_t)(lx->p - lx->line_start) + 1;
    t->first = lx->first;
    lx->first = false;
    lx->p = end;
}
