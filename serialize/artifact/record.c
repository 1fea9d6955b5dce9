/* Single values and records of an artifact: see record.h. */
#include "serialize/artifact/record.h"

#include "ir/scalar/scalar.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- writing ---- */

static bool room(artifact_writer *w, size_t bytes)
{
    w->ok = w->ok && pack_room(&w->out, bytes);
    return w->ok;
}

void put_number(artifact_writer *w, uint64_t x)
{
    if (room(w, PACKED_MAX))
        pack_uint64(&w->out, x);
}

void put_name(artifact_writer *w, const char *s)
{
    w->ok = w->ok && bin_pack_text(&w->out, s, strlen(s));
}

void put_text(artifact_writer *w, str_id s)
{
    const intern *strings = &w->cx->strings;
    w->ok = w->ok && bin_pack_text(&w->out, intern_str(strings, s), intern_len(strings, s));
}

void put_list(artifact_writer *w, uint32_t n)
{
    if (room(w, PACKED_MAX))
        pack_array(&w->out, n);
}

static void put_bool(artifact_writer *w, bool x)
{
    if (!room(w, PACKED_MAX))
        return;
    if (x)
        pack_true(&w->out);
    else
        pack_false(&w->out);
}

static bool is_signed(scalar t)
{
    return ir_scalar_class(t) == 'I';
}

/* [file, line, column, length] */
void put_place(artifact_writer *w, location at)
{
    put_list(w, 4);
    put_text(w, at.file);
    put_number(w, at.line);
    put_number(w, at.col);
    put_number(w, at.len);
}

void put_scalar(artifact_writer *w, scalar t, uint64_t bits)
{
    if (!room(w, PACKED_MAX))
        return;
    if (t == ST_BOOL)
        put_bool(w, bits != 0);
    else if (ir_scalar_is_float(t))
        pack_double(&w->out, scalar_as_double(t, bits));
    else if (is_signed(t))
        pack_int64(&w->out, (int64_t)bits);
    else
        pack_uint64(&w->out, bits);
}

static uint64_t number_of(const field *f, const void *x)
{
    const char *at = (const char *)x + f->offset;
    uint32_t word;
    uint64_t wide;
    switch (f->kind) {
    case FIELD_SCALAR: return *(const uint8_t *)at;
    case FIELD_BOOL: return *(const bool *)at;
    case FIELD_U64: memcpy(&wide, at, sizeof wide); return wide;
    default: memcpy(&word, at, sizeof word); return word; /* of a place, its file */
    }
}

static bool is_there(const artifact_writer *w, const field *f, const void *x)
{
    if (!f->optional)
        return true;
    return f->kind == FIELD_OWN ? f->is_there(w, x) : number_of(f, x) != 0;
}

static void put_field(artifact_writer *w, const field *f, const void *x)
{
    location at;
    put_name(w, f->key);
    switch (f->kind) {
    case FIELD_OWN: f->put(w, x); break;
    case FIELD_BOOL: put_bool(w, number_of(f, x) != 0); break;
    case FIELD_TEXT: put_text(w, (str_id)number_of(f, x)); break;
    case FIELD_SCALAR: put_name(w, ir_scalar_name((scalar)number_of(f, x))); break;
    case FIELD_PLACE:
        memcpy(&at, (const char *)x + f->offset, sizeof at);
        put_place(w, at);
        break;
    default: put_number(w, number_of(f, x)); break;
    }
}

void record_put(artifact_writer *w, const field *fields, size_t n, const void *x)
{
    uint32_t there = 0;
    for (size_t i = 0; i < n; i++)
        there += is_there(w, &fields[i], x);
    if (room(w, PACKED_MAX))
        pack_map(&w->out, there);
    for (size_t i = 0; i < n && w->ok; i++)
        if (is_there(w, &fields[i], x))
            put_field(w, &fields[i], x);
}

/* ---- reading ---- */

bool artifact_refuse(artifact_reader *r, diag_code code, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_error(r->cx, code, (location){.file = r->file}, "%s (byte %zu)", text,
                      (size_t)(r->c.p - r->start));
}

bool artifact_expected(artifact_reader *r, const char *what)
{
    char text[200];
    bool cut = bin_cursor_expected(&r->c, what, text, sizeof text);
    return artifact_refuse(r, cut ? DIAG_BINARY_CUT : DIAG_BINARY_SYNTAX, "%s", text);
}

bool take_number(artifact_reader *r, uint64_t most, uint64_t *x, const char *what)
{
    if (!bin_cursor_u64(&r->c, x))
        return artifact_expected(r, what);
    return *x <= most ||
           artifact_refuse(r, DIAG_BINARY_RANGE, "%s is %llu, and may be %llu at most", what,
                           (unsigned long long)*x, (unsigned long long)most);
}

bool take_u32(artifact_reader *r, uint32_t *x, const char *what)
{
    uint64_t wide;
    if (!take_number(r, UINT32_MAX, &wide, what))
        return false;
    *x = (uint32_t)wide;
    return true;
}

bool take_chars(artifact_reader *r, const char **s, uint32_t *n, const char *what)
{
    return bin_cursor_str(&r->c, s, n) || bin_cursor_bin(&r->c, s, n) || artifact_expected(r, what);
}

bool take_text(artifact_reader *r, str_id *s, const char *what)
{
    const char *text;
    uint32_t n;
    if (!take_chars(r, &text, &n, what))
        return false;
    *s = intern_add(&r->cx->strings, text, n);
    return *s || !n;
}

bool take_list(artifact_reader *r, uint32_t *n, const char *what)
{
    return bin_cursor_array(&r->c, n) || artifact_expected(r, what);
}

bool take_place(artifact_reader *r, location *at)
{
    uint32_t n;
    if (!take_list(r, &n, "a place"))
        return false;
    if (n != 4)
        return artifact_refuse(r, DIAG_BINARY_SYNTAX, "a place has %u elements, not 4", n);
    return take_text(r, &at->file, "a file's name") && take_u32(r, &at->line, "a line") &&
           take_u32(r, &at->col, "a column") && take_u32(r, &at->len, "a length");
}

bool take_type(artifact_reader *r, uint8_t *t)
{
    const char *s;
    uint32_t n;
    if (!take_chars(r, &s, &n, "the name of a scalar type"))
        return false;
    scalar found = ir_scalar_named(s, n);
    *t = (uint8_t)found;
    return found != ST_NONE ||
           artifact_refuse(r, DIAG_BINARY_UNKNOWN, "the type %.*s is not known to this library",
                           (int)(n < 40 ? n : 40), s);
}

static bool take_bool(artifact_reader *r, bool *x)
{
    return bin_cursor_bool(&r->c, x) || artifact_expected(r, "true or false");
}

/* Anything else than a value of the type is refused, not rounded. */
static bool fits(scalar t, uint64_t bits)
{
    return scalar_wrap(t, bits) == bits;
}

static bool take_float(artifact_reader *r, scalar t, uint64_t *bits)
{
    double x;
    if (!bin_cursor_f64(&r->c, bits))
        return artifact_expected(r, "a float");
    memcpy(&x, bits, sizeof x);
    *bits = x == x ? scalar_from_double(t, x) : scalar_nan(t);
    return x != x || scalar_as_double(t, *bits) == x ||
           artifact_refuse(r, DIAG_BINARY_RANGE, "the float is none of %s", ir_scalar_name(t));
}

bool take_scalar(artifact_reader *r, scalar t, uint64_t *bits)
{
    bool truth;
    int64_t number;
    if (ir_scalar_is_float(t))
        return take_float(r, t, bits);
    if (t == ST_BOOL) {
        bool ok = take_bool(r, &truth);
        *bits = ok && truth;
        return ok;
    }
    bool ok = is_signed(t) ? bin_cursor_i64(&r->c, &number) : bin_cursor_u64(&r->c, bits);
    if (!ok)
        return artifact_expected(r, "an integer");
    if (is_signed(t))
        *bits = (uint64_t)number;
    return fits(t, *bits) ||
           artifact_refuse(r, DIAG_BINARY_RANGE, "the integer is none of %s", ir_scalar_name(t));
}

static bool take_field(artifact_reader *r, const field *f, void *x)
{
    char *at = (char *)x + f->offset;
    uint64_t wide = 0;
    uint32_t word = 0;
    location place = {0};
    bool ok = true;
    switch (f->kind) {
    case FIELD_OWN: return f->take(r, x);
    case FIELD_BOOL: return take_bool(r, (bool *)at);
    case FIELD_SCALAR: return take_type(r, (uint8_t *)at);
    case FIELD_U64:
        ok = take_number(r, UINT64_MAX, &wide, f->key);
        memcpy(at, &wide, sizeof wide);
        return ok;
    case FIELD_PLACE:
        ok = take_place(r, &place);
        memcpy(at, &place, sizeof place);
        return ok;
    case FIELD_U32: ok = take_u32(r, &word, f->key); break;
    case FIELD_TEXT: ok = take_text(r, &word, f->key); break;
    default: return false;
    }
    memcpy(at, &word, sizeof word);
    return ok;
}

static const field *find(const field *fields, size_t n, const char *key, uint32_t len)
{
    for (size_t i = 0; i < n; i++)
        if (chars_are(key, len, fields[i].key))
            return &fields[i];
    return NULL;
}

static bool take_pair(artifact_reader *r, const field *fields, size_t n, void *x, uint64_t *seen)
{
    const char *key;
    uint32_t len;
    if (!take_chars(r, &key, &len, "a key"))
        return false;
    const field *f = find(fields, n, key, len);
    if (!f)
        return bin_cursor_skip(&r->c) || artifact_expected(r, "a value");
    uint64_t bit = (uint64_t)1 << (f - fields);
    if (*seen & bit)
        return artifact_refuse(r, DIAG_BINARY_SYNTAX, "the key \"%s\" stands twice", f->key);
    *seen |= bit;
    return take_field(r, f, x);
}

bool record_take(artifact_reader *r, const field *fields, size_t n, void *x)
{
    uint32_t pairs;
    uint64_t seen = 0;
    if (!bin_cursor_map(&r->c, &pairs))
        return artifact_expected(r, "a map");
    while (pairs--)
        if (!take_pair(r, fields, n, x, &seen))
            return false;
    for (size_t i = 0; i < n; i++)
        if (!fields[i].optional && !(seen & (uint64_t)1 << i))
            return artifact_refuse(r, DIAG_BINARY_SYNTAX, "the key \"%s\" is missing",
                                   fields[i].key);
    return true;
}
