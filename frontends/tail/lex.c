/* Tokens of TAIL: names, numbers in the notations of C and of SML, characters, marks.
 *
 * Every byte is looked at a bounded number of times. */
#include "frontends/tail/lex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int peek(const tail_lexer *l, size_t ahead)
{
    const tail_program *p = l->p;
    return l->pos + ahead < p->size ? (unsigned char)p->text[l->pos + ahead] : 0;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The place of what lies between two offsets of the current line. */
static tail_place place(const tail_lexer *l, size_t from, size_t to)
{
    size_t column = from - l->line_start + 1;
    return (tail_place){.line = l->line,
                        .column = column > UINT32_MAX ? 0 : (unsigned)column,
                        .length = to - from > UINT16_MAX ? 1 : (unsigned)(to - from)};
}

static bool refuse(tail_lexer *l, size_t from, const char *hint, const char *what)
{
    size_t to = l->pos > from ? l->pos : from + 1;
    l->token = (tail_token){.kind = TOKEN_END, .at = place(l, from, to)};
    return tail_fail(l->p, TAIL_LETTER, l->token.at, hint, "%s", what);
}

/* ---- blanks and comments ---- */

static void step(tail_lexer *l)
{
    if (peek(l, 0) == '\n') {
        l->line++;
        l->line_start = l->pos + 1;
    }
    l->pos++;
}

/* (* ... *), which may be nested. */
static bool skip_comment(tail_lexer *l)
{
    size_t depth = 0, from = l->pos;
    tail_place at = place(l, from, from + 2);
    do {
        bool opens = peek(l, 0) == '(' && peek(l, 1) == '*',
             closes = peek(l, 0) == '*' && peek(l, 1) == ')';
        depth = opens ? depth + 1 : closes ? depth - 1 : depth;
        if (l->pos >= l->p->size)
            return tail_fail(l->p, TAIL_SYNTAX, at, "end it with *)", "this comment has no end");
        l->pos += opens || closes;
        step(l);
    } while (depth);
    return true;
}

static bool skip_blanks(tail_lexer *l)
{
    for (;;) {
        int c = peek(l, 0);
        if (c == '(' && peek(l, 1) == '*') {
            if (!skip_comment(l))
                return false;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
            step(l);
        } else {
            return true;
        }
    }
}

/* ---- numbers ---- */

enum { LONGEST_NUMBER = 400 };

/* One real number from l->pos on, as strtod reads it; *whole: it has neither point nor exponent. */
static bool scan_real(tail_lexer *l, double *x, bool *whole)
{
    char text[LONGEST_NUMBER];
    size_t n = 0, digits = 0;
    bool dot = false, exponent = false;
    for (;; l->pos++) {
        int c = peek(l, 0);
        bool after_e = n && text[n - 1] == 'e';
        if (is_digit(c))
            digits++;
        else if (c == '.' && !dot && !exponent)
            dot = true;
        else if ((c == 'e' || c == 'E') && digits && !exponent)
            exponent = true, c = 'e', digits = 0;
        else if ((c == '-' || c == '~') && (n == 0 || after_e))
            c = '-';
        else
            break;
        if (n + 1 >= sizeof text)
            return false;
        text[n++] = (char)c;
    }
    text[n] = '\0';
    *whole = !dot && !exponent;
    *x = strtod(text, NULL);
    return digits > 0;
}

/* inf or nan, with or without a sign. */
static bool scan_special(tail_lexer *l, double *x)
{
    size_t sign = peek(l, 0) == '-' || peek(l, 0) == '~';
    const char *at = l->p->text + l->pos + sign;
    bool room = l->p->size - l->pos >= 3 + sign;
    bool inf = room && memcmp(at, "inf", 3) == 0, nan = room && memcmp(at, "nan", 3) == 0;
    int next = peek(l, 3 + sign);
    if ((!inf && !nan) || is_digit(next) || (is_letter(next) && next != 'j'))
        return false;
    *x = nan ? NAN : sign ? -HUGE_VAL : HUGE_VAL;
    l->pos += 3 + sign;
    return true;
}

static bool scan_part(tail_lexer *l, double *x, bool *whole)
{
    *whole = false;
    return scan_special(l, x) || scan_real(l, x, whole);
}

static bool scan_number(tail_lexer *l, size_t from)
{
    bool whole, other;
    double re, im = 0;
    if (!scan_part(l, &re, &whole))
        return refuse(l, from, NULL, "this is no number");
    bool complex = peek(l, 0) == 'j' && ++l->pos;
    if (complex && !scan_part(l, &im, &other))
        return refuse(l, from, "it is written as 1.5j-2.0", "this is no complex number");
    l->token.kind = complex ? TOKEN_COMPLEX : whole ? TOKEN_INT : TOKEN_DOUBLE;
    l->token.real = re;
    l->token.imaginary = im;
    if (l->token.kind != TOKEN_INT)
        return true;
    if (re < INT32_MIN || re > INT32_MAX)
        return refuse(l, from, "integers have 32 bits: write a double with a point",
                      "this integer is too large");
    l->token.integer = (int64_t)re;
    return true;
}

/* ---- characters ---- */

static int hex_digit(int c)
{
    return is_digit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Behind a backslash, as in SML; -1 when there is no such character. */
static int64_t scan_escape(tail_lexer *l)
{
    static const char letters[] = "abtnvfr", codes[] = "\a\b\t\n\v\f\r";
    int c = peek(l, 0);
    const char *named = c ? strchr(letters, c) : NULL;
    if (is_digit(c) && is_digit(peek(l, 1)) && is_digit(peek(l, 2))) {
        int code = (c - '0') * 100 + (peek(l, 1) - '0') * 10 + peek(l, 2) - '0';
        l->pos += 3;
        return code;
    }
    l->pos++;
    if (named)
        return codes[named - letters];
    if (c == '^' && peek(l, 0) >= '@' && peek(l, 0) <= '_')
        return peek(l, 0) - '@' + (l->pos++, 0);
    return c == '\\' || c == '"' || c == '\'' ? c : -1;
}

/* A character as itself, or as two hexadecimal digits and more. */
static int64_t scan_plain(tail_lexer *l)
{
    int c = peek(l, 0);
    if (peek(l, 1) == '\'') {
        l->pos++;
        return c >= ' ' && c < 127 ? c : -1;
    }
    int64_t code = 0;
    size_t n = 0;
    for (; hex_digit(peek(l, 0)) >= 0 && n < 7; n++, l->pos++)
        code = code * 16 + hex_digit(peek(l, 0));
    return n >= 2 && code <= 0x10ffff ? code : -1;
}

static bool scan_character(tail_lexer *l, size_t from)
{
    l->pos++;
    bool escape =
        peek(l, 0) == '\\' && peek(l, 1) != 0 && !(peek(l, 1) == '\'' && peek(l, 2) != '\'');
    l->pos += escape;
    int64_t code = escape ? scan_escape(l) : scan_plain(l);
    if (code < 0 || peek(l, 0) != '\'')
        return refuse(l, from, "one is written as 'a', '\\n' or, by its number, '2374'",
                      "this is no character");
    l->pos++;
    l->token.kind = TOKEN_CHAR;
    l->token.integer = code;
    return true;
}

/* ---- tokens ---- */

static bool scan_name(tail_lexer *l)
{
    while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)))
        l->pos++;
    l->token.kind = TOKEN_NAME;
    return true;
}

static bool scan_mark(tail_lexer *l, size_t from)
{
    int c = peek(l, 0), next = peek(l, 1);
    if (c == '=' && next == '>')
        l->token.kind = TOKEN_ARROW;
    else if (c == '-' && next == '>')
        l->token.kind = TOKEN_TO;
    else if (c && strchr("()[]{}<>,:=*", c))
        l->token.kind = TOKEN_MARK;
    else
        return refuse(l, from, NULL, "TAIL has no such character");
    l->token.mark = (char)c;
    l->pos += l->token.kind == TOKEN_MARK ? 1 : 2;
    return true;
}

static bool scan(tail_lexer *l, size_t from)
{
    double x;
    int c = peek(l, 0), next = peek(l, 1);
    if (from >= l->p->size)
        return true;
    if (c == '\'' && next >= 'a' && next <= 'z' && peek(l, 2) != '\'') {
        l->pos += 2;
        return scan_name(l) && (l->token.kind = TOKEN_VARIABLE);
    }
    if (c == '\'')
        return scan_character(l, from);
    bool sign = (c == '-' && next != '>') || c == '~';
    if (is_digit(c) || sign)
        return scan_number(l, from);
    bool special = scan_special(l, &x);
    l->pos = from;
    if (special)
        return scan_number(l, from);
    return is_letter(c) ? scan_name(l) : scan_mark(l, from);
}

bool tail_next(tail_lexer *l)
{
    if (!skip_blanks(l)) {
        l->token = (tail_token){.kind = TOKEN_END, .at = place(l, l->pos, l->pos)};
        return false;
    }
    size_t from = l->pos;
    l->token = (tail_token){.text = l->p->text + from};
    bool ok = scan(l, from);
    if (ok)
        l->token.at = place(l, from, l->pos);
    return ok;
}
