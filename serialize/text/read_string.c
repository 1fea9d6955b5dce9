/* String tokens: their text, with escapes decoded: `STRING` of docs/format.md. */
#include "serialize/coding/base64.h"
#include "serialize/text/parse.h"

#include <string.h>

/* The value of a hexadecimal digit; -1 when it is none. */
static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *d = c ? strchr(digits, c) : NULL;
    return d ? (int)(d - digits) : -1;
}

/* Decodes the escape at p (behind the backslash); the characters used, 0 when it is none. */
static uint32_t decode_escape(const char *p, const char *end, char *c)
{
    static const char from[] = "\\\"nt", to[] = "\\\"\n\t";
    const char *at = p < end && *p ? strchr(from, *p) : NULL;
    if (at) {
        *c = to[at - from];
        return 1;
    }
    if (end - p < 3 || *p != 'x' || hex_digit(p[1]) < 0 || hex_digit(p[2]) < 0)
        return 0;
    *c = (char)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
    return 3;
}

/* Appends the characters that the token stands for; false after an error. */
static bool decode_string(reader *r, const token *t, vec_char *out)
{
    const char *end = t->at + t->len;
    if (t->len < 2 || end[-1] != '"')
        return false; /* unterminated: the lexer has said so */
    end--;
    for (const char *p = t->at + 1; p < end; p++) {
        char c = *p;
        uint32_t n = c == '\\' ? decode_escape(p + 1, end, &c) : 0;
        if (*p == '\\' && !n)
            return diag_error(r->cx, DIAG_TEXT_STRING, lex_location_at(&r->lx, p, 2),
                              "unknown escape in a string");
        p += n;
        if (!vec_push(&r->cx->mem, out, c))
            return false;
    }
    return true;
}

bool text_any_string_value(reader *r, const token *t, str_id *value)
{
    vec_char s = {0};
    bool ok = decode_string(r, t, &s);
    *value = ok ? intern_add(&r->cx->strings, s.at, s.len) : 0;
    vec_free(&r->cx->mem, &s);
    return ok;
}

bool text_string_value(reader *r, const token *t, str_id *value)
{
    bool ok = text_any_string_value(r, t, value);
    if (ok && !*value && !r->cx->mem.oom)
        return diag_error(r->cx, DIAG_TEXT_SYNTAX, text_token_loc(r, t), "this name is empty");
    return *value != 0;
}

/* They may hold NULs. */
bool text_read_bytes(reader *r, const token *t, str_id *bytes)
{
    vec_char out = {0};
    if (t->len < 2 || t->at[t->len - 1] != '"')
        return false; /* unterminated: the lexer has said so */
    bool ok = base64_decode(&r->cx->mem, t->at + 1, t->len - 2, &out);
    if (!ok && !r->cx->mem.oom)
        diag_error(r->cx, DIAG_TEXT_SECTION, text_token_loc(r, t),
                   "this is not base 64 in its usual form: digits, + and /, filled up to groups of "
                   "four with =");
    *bytes = ok ? intern_add(&r->cx->strings, out.at, out.len) : 0;
    vec_free(&r->cx->mem, &out);
    return ok;
}
