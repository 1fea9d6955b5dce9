/* Cutting a text into tokens: see lex.h, and "Words" in docs/language.md.  One pass, linear, with
 * the longest token that fits ("maximal munch"); comments are skipped here.  Lines and columns are
 * counted on the way, since every node of the tree has its place. */
#include "frontends/fcl/parse/lex.h"

#include "ir/base/decimal.h"

#include <stdio.h>
#include <string.h>

typedef struct fcl_lexer {
    fcl_context *cx;
    str_id file;
    const char *text;
    size_t size, at, line_start;
    uint32_t line;
    bool fresh; /* no token on this line yet */
    bool ok;
    token_list *out;
    uint8_t first_of[256]; /* the first spelling that begins with the character; 0: none does */
} fcl_lexer;

static const char *const spellings[TK_COUNT] = {
#define TOKEN(e, text) [TK_##e] = text,
#include "frontends/fcl/parse/tokens.def"
#undef TOKEN
};

const char *parse_token_spelling(token_kind k)
{
    return spellings[k] ? spellings[k] : "";
}

/* ---- scalar types ---- */

const char *parse_scalar_name(fcl_scalar s)
{
    const fcl_scalar_facts *facts = fcl_scalar_get(s);
    return facts ? facts->name : "?";
}

/* ---- characters ---- */

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What may follow the first character of a name. */
static bool in_name(int c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '#' || c == '\'';
}

/* The character k further; -1 behind the end, which belongs to no token. */
static int peek(const fcl_lexer *x, size_t k)
{
    return x->at + k < x->size ? (unsigned char)x->text[x->at + k] : -1;
}

/* The place of so many bytes from an offset on, on the present line. */
static location place(const fcl_lexer *x, size_t from, size_t len)
{
    return (location){.file = x->file,
                      .line = x->line,
                      .col = (uint32_t)(from - x->line_start) + 1,
                      .len = (uint32_t)len};
}

/* At the end of a line, before it is passed. */
static void newline(fcl_lexer *x)
{
    x->line++;
    x->line_start = x->at + 1;
    x->fresh = true;
}

/* ---- comments ---- */

/* (* ... *), nested by counting. */
static void skip_block_comment(fcl_lexer *x)
{
    location start = place(x, x->at, 2);
    unsigned depth = 0;
    do {
        if (peek(x, 0) < 0) {
            x->ok = diag_error(x->cx, DIAG_FCL_COMMENT, start, "this comment is not closed");
            diag_hint(x->cx, "(* begins a comment, and comments nest: each has its own *)");
            return;
        }
        if (peek(x, 0) == '\n')
            newline(x);
        bool opens = peek(x, 0) == '(' && peek(x, 1) == '*',
             closes = peek(x, 0) == '*' && peek(x, 1) == ')';
        depth += opens;
        depth -= closes;
        x->at += opens || closes ? 2 : 1;
    } while (depth);
}

/* "(*)" and "(**)" are operators. */
static bool begins_comment(const fcl_lexer *x)
{
    bool is_operator = peek(x, 2) == ')' || (peek(x, 2) == '*' && peek(x, 3) == ')');
    return peek(x, 0) == '(' && peek(x, 1) == '*' && !is_operator;
}

/* Skips one piece of blank space or comment; false when a token begins here. */
static bool skip_blank(fcl_lexer *x)
{
    int c = peek(x, 0);
    if (c == '\n')
        newline(x);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        x->at++;
        return true;
    }
    if (c == '-' && peek(x, 1) == '-') {
        const char *end = memchr(x->text + x->at, '\n', x->size - x->at);
        x->at = end ? (size_t)(end - x->text) : x->size;
        return true;
    }
    if (begins_comment(x)) {
        skip_block_comment(x);
        return true;
    }
    return false;
}

/* ---- tokens ---- */

/* Adds the token that ends here; short memory is noticed at the end. */
static void add(fcl_lexer *x, fcl_token t, size_t from)
{
    t.line = x->line;
    t.col = (uint32_t)(from - x->line_start) + 1;
    t.len = (uint32_t)(x->at - from);
    t.first = x->fresh;
    x->fresh = false;
    vec_push(&x->cx->mem, x->out, t);
}

/* How many characters the spelling has; 0 when the text at s, of `size` bytes, begins otherwise. */
static size_t spelling_at(int k, const char *s, size_t size)
{
    const char *spelling = spellings[k];
    size_t n = 0;
    while (n < size && spelling[n] && spelling[n] == s[n])
        n++;
    return spelling[n] ? 0 : n;
}

/* Most names begin as no reserved word does, and most symbols are short: without this, looking
 * through the spellings was a fifth of what compiling a small program takes. */
static void note_first(fcl_lexer *x)
{
    for (int k = TK_COUNT - 1; k > 0; k--)
        if (spellings[k])
            x->first_of[(unsigned char)spellings[k][0]] = (uint8_t)k;
}

/* The first of the spellings that may be that of the text at s; TK_COUNT when none begins so. */
static int first_spelling(const fcl_lexer *x, const char *s)
{
    int k = x->first_of[(unsigned char)*s];
    return k ? k : TK_COUNT;
}

/* The reserved words, SIG to MOD in tokens.def; TK_IDENT for any other name. */
static token_kind keyword(const fcl_lexer *x, const char *s, size_t n)
{
    for (int k = first_spelling(x, s); k <= TK_MOD; k++)
        if (spellings[k][0] == s[0] && spelling_at(k, s, n) == n)
            return (token_kind)k;
    return TK_IDENT;
}

/* name = ( letter | "_" | "#" ) { letter | digit | "_" | "#" | "'" } */
static void lex_name(fcl_lexer *x)
{
    size_t from = x->at;
    while (in_name(peek(x, 0)))
        x->at++;
    const char *s = x->text + from;
    size_t n = x->at - from;
    fcl_token t = {.kind = (uint8_t)keyword(x, s, n), .name = intern_add(&x->cx->strings, s, n)};
    add(x, t, from);
}

/* 'a, which is the variable a. */
static void lex_type_variable(fcl_lexer *x)
{
    size_t from = x->at++;
    while (in_name(peek(x, 0)) && peek(x, 0) != '\'')
        x->at++;
    fcl_token t = {.kind = TK_TYVAR,
                   .name = intern_add(&x->cx->strings, x->text + from + 1, x->at - from - 1)};
    add(x, t, from);
}

/* Moves behind the number; true when it has a point or an exponent.  A digit stands on both sides
 * of a point: `1.f` is 1 composed with f. */
static bool scan_number(fcl_lexer *x)
{
    bool real = false;
    if (peek(x, 0) != '0' || (peek(x, 1) | 32) != 'x') {
        x->at += decimal_length(x->text + x->at, x->size - x->at, &real);
        return real;
    }
    x->at += 2;
    while (is_digit(peek(x, 0)) || ((peek(x, 0) | 32) >= 'a' && (peek(x, 0) | 32) <= 'f'))
        x->at++;
    return false;
}

/* The value of so many digits, after 0x those of base 16; false when 64 bits do not hold it. */
static bool whole_number(const char *s, size_t n, uint64_t *out)
{
    bool hex = n > 1 && !is_digit(s[1]);
    uint64_t base = hex ? 16 : 10;
    *out = 0;
    for (size_t i = hex ? 2 : 0; i < n; i++) {
        uint64_t d = (uint64_t)(is_digit(s[i]) ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
        if (*out > (UINT64_MAX - d) / base)
            return false;
        *out = *out * base + d;
    }
    return true;
}

/* What stands from there on is no token. */
static void add_bad(fcl_lexer *x, size_t from)
{
    x->ok = false;
    add(x, (fcl_token){.kind = TK_BAD}, from);
}

/* What stands behind a number, directly, and names no type: 2x, or a type that there is not. */
static void report_suffix(fcl_lexer *x, size_t from, size_t suffix)
{
    int n = (int)(x->at - suffix);
    const char *s = x->text + suffix;
    diag_error(x->cx, DIAG_FCL_NUMBER, place(x, from, x->at - from),
               "no number is written like this: '%.*s' is no type of numbers", n, s);
    if (strchr("iuf", *s) && n > 1 && is_digit(s[1]))
        diag_hint(x->cx, "the types are i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64");
    else if (is_letter(*s) && n == 1 && (*s | 32) != 'e')
        diag_hint(x->cx, "a product has its sign: %.*s * %.*s", (int)(suffix - from),
                  x->text + from, n, s);
}

/* A number and the name of a scalar type directly behind it.  A leading zero is no octal.  Floats
 * are kept as they are written: they are rounded when their type is known. */
static void lex_number(fcl_lexer *x)
{
    size_t from = x->at;
    bool real = scan_number(x);
    size_t n = x->at - from, suffix = x->at;
    while (in_name(peek(x, 0)))
        x->at++;
    fcl_scalar s = x->at > suffix ? fcl_scalar_named(x->text + suffix, x->at - suffix) : 0;
    fcl_token t = {.kind = real ? TK_FLOAT : TK_INT,
                   .suffix = (uint8_t)s,
                   .name = intern_add(&x->cx->strings, x->text + from, n)};
    if (x->at > suffix && (!s || s == FCL_BOOL)) {
        report_suffix(x, from, suffix);
        add_bad(x, from);
    } else if (!real && !whole_number(x->text + from, n, &t.number)) {
        diag_error(x->cx, DIAG_FCL_NUMBER, place(x, from, x->at - from),
                   "this number does not fit 64 bits");
        add_bad(x, from);
    } else {
        add(x, t, from);
    }
}

/* "..." on one line, without escapes. */
static void lex_string(fcl_lexer *x)
{
    size_t from = x->at++;
    while (peek(x, 0) >= 0 && peek(x, 0) != '"' && peek(x, 0) != '\n')
        x->at++;
    if (peek(x, 0) != '"') {
        diag_error(x->cx, DIAG_FCL_STRING, place(x, from, x->at - from),
                   "this string is not closed");
        diag_hint(x->cx, "a string ends on its line with \"");
        add_bad(x, from);
        return;
    }
    x->at++;
    fcl_token t = {.kind = TK_STRING,
                   .name = intern_add(&x->cx->strings, x->text + from + 1, x->at - from - 2)};
    add(x, t, from);
}

/* What other languages write with a character that this one does not have. */
static const char *character_hint(char c)
{
    switch (c) {
    case '\\': return "a function is written fn x => ...";
    case '!': return "not x negates a bool; != compares";
    case '?': return "write if c then a else b";
    case '@':
    case '$': return "parentheses, or |>, apply a function to what another one gives";
    case '~': return "a minus sign negates: -x; not x turns the bits";
    case '`':
        return "operators are functions in parentheses, and functions stand before their "
               "arguments: f x y";
    case '#': return "a comment is -- to the end of the line, or (* ... *)";
    default: return NULL;
    }
}

/* A character of UTF-8 is shown as it is where it is one. */
static void report_character(fcl_lexer *x, location at, const char *s, size_t n)
{
    unsigned char c = (unsigned char)*s;
    const char *hint =
        n == 1 ? character_hint(*s) : "names have letters from a to z, digits, _, # and '";
    if (c > ' ' && c != 127 && (c < 128 || n > 1))
        diag_error(x->cx, DIAG_FCL_CHARACTER, at, "the character '%.*s' means nothing here", (int)n,
                   s);
    else
        diag_error(x->cx, DIAG_FCL_CHARACTER, at, "the byte 0x%02x means nothing here", c);
    if (hint)
        diag_hint(x->cx, "%s", hint);
}

/* The first symbol of tokens.def that fits, which is the longest.  One report for a character that
 * begins none, with the bytes of UTF-8 that belong to it. */
static void lex_symbol(fcl_lexer *x)
{
    const char *s = x->text + x->at;
    for (int k = first_spelling(x, s); k < TK_COUNT; k++) {
        size_t n = spelling_at(k, s, x->size - x->at);
        if (n) {
            size_t from = x->at;
            x->at += n;
            add(x, (fcl_token){.kind = (uint8_t)k}, from);
            return;
        }
    }
    size_t from = x->at++;
    while (x->at < x->size && (x->text[x->at] & 0xc0) == 0x80)
        x->at++;
    report_character(x, place(x, from, x->at - from), s, x->at - from);
    add_bad(x, from);
}

/* The first character decides; an apostrophe before a letter is that of a type variable. */
static void lex_token(fcl_lexer *x)
{
    int c = peek(x, 0);
    if (is_letter(c) || (c == '#' && in_name(peek(x, 1))) || (c == '_'))
        lex_name(x);
    else if (c == '\'' && is_letter(peek(x, 1)))
        lex_type_variable(x);
    else if (is_digit(c))
        lex_number(x);
    else if (c == '"')
        lex_string(x);
    else
        lex_symbol(x);
}

/* Goes on after an error, so that every one of a text is reported. */
bool parse_lex(fcl_context *cx, str_id file, const char *text, size_t size, token_list *out)
{
    fcl_lexer x = {.cx = cx,
                   .file = file,
                   .text = text,
                   .size = size,
                   .line = 1,
                   .fresh = true,
                   .ok = true,
                   .out = out};
    note_first(&x);
    while (x.at < x.size)
        if (!skip_blank(&x))
            lex_token(&x);
    add(&x, (fcl_token){.kind = TK_END}, x.at);
    return x.ok && !cx->mem.oom;
}

const char *parse_token_text(fcl_context *cx, const fcl_token *t, char *buffer, size_t size)
{
    switch (t->kind) {
    case TK_END: return "the end of the file";
    case TK_IDENT: snprintf(buffer, size, "'%s'", intern_str(&cx->strings, t->name)); break;
    case TK_TYVAR:
        snprintf(buffer, size, "the type variable '%s", intern_str(&cx->strings, t->name));
        break;
    case TK_INT:
    case TK_FLOAT: return "a number";
    case TK_BAD: return "this";
    case TK_STRING: return "a string";
    default: snprintf(buffer, size, "'%s'", parse_token_spelling((token_kind)t->kind));
    }
    return buffer;
}
