/* What every part of the binary reader calls: mistakes at the cursor, and values with their checks.
 */
#include "serialize/binary/parse.h"

#include "ir/base/source.h"
#include "ir/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- reports ---- */

/* Where the cursor is, in words; cut where it is too long. */
static void where(const binary *b, char *out, size_t size)
{
    int n = snprintf(out, size, "byte %zu", (size_t)(b->c.p - b->data));
    if (b->section && n > 0)
        n += snprintf(out + n, size - (size_t)n, ", section \"%s\"", b->section);
    if (b->func && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", function @%.60s",
                 ir_str(b->m, ir_func_at(b->m, b->func)->name));
}

bool bin_refuse(binary *b, diag_code code, const char *fmt, ...)
{
    char text[400], place[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    where(b, place, sizeof place);
    return diag_error(b->cx, code, (location){.file = b->file}, "%s (%s)", text, place);
}

bool bin_unknown(binary *b, const unsigned char *at, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    b->c.p = at ? at : b->c.p;
    if (b->version <= FORMAT_VERSION)
        return bin_refuse(b, DIAG_BINARY_UNKNOWN, "%s", text);
    return bin_refuse(b, DIAG_BINARY_UNKNOWN,
                      "%s: the file has version %u.%u, and this library reads up to %d.%d", text,
                      b->major, b->minor, FORMAT_MAJOR, FORMAT_MINOR);
}

bool bin_expected(binary *b, const char *what)
{
    char text[200];
    bool cut = bin_cursor_expected(&b->c, what, text, sizeof text);
    return bin_refuse(b, cut ? DIAG_BINARY_CUT : DIAG_BINARY_SYNTAX, "%s", text);
}

/* ---- values ---- */

bool bin_number(binary *b, uint32_t *x, const char *what)
{
    return cursor_u32(&b->c, x) || bin_expected(b, what);
}

bool bin_index(binary *b, uint32_t *x, uint64_t limit, const char *what)
{
    const unsigned char *before = b->c.p;
    if (!bin_number(b, x, what))
        return false;
    if (*x < limit)
        return true;
    b->c.p = before;
    return bin_refuse(b, DIAG_BINARY_RANGE, "%s is %u, but there are %llu", what, *x,
                      (unsigned long long)limit);
}

bool bin_row(binary *b, uint32_t *x, uint64_t limit, const char *what)
{
    const unsigned char *before = b->c.p;
    if (!bin_number(b, x, what))
        return false;
    return *x < limit || bin_unknown(b, before, "there is no %s %u", what, *x);
}

bool bin_array(binary *b, uint32_t *n, const char *what)
{
    return bin_cursor_array(&b->c, n) || bin_expected(b, what);
}

bool bin_array_of(binary *b, uint32_t n, const char *what)
{
    const unsigned char *before = b->c.p;
    uint32_t found;
    if (!bin_array(b, &found, what))
        return false;
    if (found == n)
        return true;
    b->c.p = before;
    return bin_refuse(b, DIAG_BINARY_SYNTAX, "%s has %u elements, not %u", what, n, found);
}

/* A `str` is UTF-8, any other string a `bin`.  Interning copies the bytes: nothing of the module
 * leads back into the file. */
bool bin_text(binary *b, str_id *s, const char *what)
{
    const unsigned char *before = b->c.p;
    const char *text;
    uint32_t n;
    bool is_str = bin_cursor_str(&b->c, &text, &n);
    if (!is_str && !bin_cursor_bin(&b->c, &text, &n))
        return bin_expected(b, what);
    if (is_str && !utf8_is_valid(text, n)) {
        b->c.p = before;
        return bin_refuse(b, DIAG_BINARY_TEXT, "%s is not UTF-8", what);
    }
    *s = intern_add(&b->cx->strings, text, n);
    return *s || !n;
}

bool bin_texts(binary *b, vec_u32 *out)
{
    uint32_t n;
    if (!bin_array(b, &n, "an array of texts"))
        return false;
    while (n--) {
        str_id s;
        if (!bin_text(b, &s, "a text") || !vec_push(b->mm, out, s))
            return false;
    }
    return true;
}

bool bin_is_name(const binary *b, str_id s)
{
    const char *p = ir_str(b->m, s), *end = p + intern_len(&b->cx->strings, s);
    while (p < end && source_is_name_char(*p))
        p++;
    return s && p == end;
}
