/* Reading the binary form: the file around the sections, and what all of it needs.  See binary.h;
 * the inside is in binary/parse.h. */
#include "serialize/binary/parse.h"

#include "ir/base/source.h"
#include "serialize/binary/crc32.h"
#include "serialize/text/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- reports ---- */

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

bool bin_expected(binary *b, const char *what)
{
    if (bin_cursor_is_cut(&b->c))
        return bin_refuse(b, DIAG_BINARY_CUT,
                          b->c.p < b->c.end ? "%s is cut off, or claims more than there is"
                                            : "%s is missing at the end",
                          what);
    return bin_refuse(b, DIAG_BINARY_SYNTAX, "expected %s, found %s", what, bin_cursor_what(&b->c));
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

/* ---- version, features, checksum ---- */

bool binary_is(const char *data, size_t size)
{
    static const char start[] = "\x97\xa4" BINARY_MAGIC;
    return size >= sizeof start - 1 && memcmp(data, start, sizeof start - 1) == 0;
}

static bool read_version(binary *b)
{
    if (!bin_number(b, &b->major, "the major number of the version") ||
        !bin_number(b, &b->minor, "the minor number of the version"))
        return false;
    if (version_readable(b->major, b->minor))
        return true;
    return bin_refuse(b, DIAG_BINARY_UNKNOWN,
                      "this is version %u.%u of the format; this library reads %d.%d", b->major,
                      b->minor, FORMAT_MAJOR, FORMAT_MINOR);
}

/* The last five bytes: a 32-bit number, whatever its value. */
static bool read_checksum(binary *b)
{
    enum { SIZE = 5 };
    cursor c = {.p = b->c.end - SIZE, .end = b->c.end};
    uint32_t stored;
    if (b->c.end - b->c.p < SIZE || *c.p != 0xce || !cursor_u32(&c, &stored))
        return bin_refuse(b, DIAG_BINARY_CUT,
                          "the file does not end with a checksum: it was cut off or damaged");
    b->c.end -= SIZE;
    uint32_t sum = crc32_of(b->data, (size_t)(b->c.end - b->data));
    return stored == sum ||
           bin_refuse(b, DIAG_BINARY_CHECKSUM, "the checksum is %08x, but the bytes have %08x",
                      stored, sum);
}

static bool feature_is_known(const char *s, uint32_t n)
{
    static const char *const known[] = {
#define FEATURE(e, name, since, what) name,
#include "serialize/binary/binary.def"
#undef FEATURE
        NULL};
    for (size_t i = 0; known[i]; i++)
        if (strlen(known[i]) == n && memcmp(known[i], s, n) == 0)
            return true;
    return false;
}

/* Reports every feature that is not known; false only when there is no sense in reading on. */
static bool read_features(binary *b)
{
    uint32_t n;
    if (!bin_array(b, &n, "the list of required features"))
        return false;
    while (n--) {
        const char *s;
        uint32_t len;
        if (!bin_cursor_str(&b->c, &s, &len))
            return bin_expected(b, "the name of a feature");
        if (!feature_is_known(s, len))
            bin_refuse(b, DIAG_BINARY_UNKNOWN,
                       "the file, of version %u.%u, needs the feature \"%.*s\", which this library "
                       "does not know",
                       b->major, b->minor, (int)(len < 100 ? len : 100), s);
    }
    return true;
}

/* ---- sections ---- */

static const struct {
    const char *name;
    bool required;
    bool (*read)(binary *b);
} sections[] = {
#define SECTION(e, name, required, since, contents) {#name, required, bin_##name},
#include "serialize/binary/binary.def"
#undef SECTION
};

static int section_named(const char *s, uint32_t n)
{
    int i = 0;
    while (i < SECTION_COUNT &&
           (strlen(sections[i].name) != n || memcmp(sections[i].name, s, n) != 0))
        i++;
    return i;
}

bool binary_knows_section(const char *name)
{
    return section_named(name, (uint32_t)strlen(name)) < SECTION_COUNT;
}

static bool keep_unknown(binary *b, const char *name, uint32_t len, uint32_t flags,
                         const char *bytes, uint32_t size)
{
    if (flags & SECTION_REQUIRED) {
        bin_refuse(b, DIAG_BINARY_UNKNOWN,
                   "the file, of version %u.%u, needs the section \"%.*s\", which this library "
                   "does not know",
                   b->major, b->minor, (int)(len < 100 ? len : 100), name);
        return true;
    }
    intern *strings = &b->cx->strings;
    section_node s = {.name = intern_add(strings, name, len),
                      .body = intern_add(strings, bytes, size)};
    return !b->mm->oom && vec_push(b->mm, &b->m->sections, s);
}

/* Notes where a section lies; the known ones stand in their order, each once. */
static bool find_section(binary *b, int *next)
{
    const char *name, *bytes;
    uint32_t len, flags, size;
    if (!bin_array_of(b, 3, "a section"))
        return false;
    const unsigned char *at = b->c.p;
    if (!bin_cursor_str(&b->c, &name, &len) || !len)
        return bin_expected(b, "the name of a section");
    if (!utf8_is_valid(name, len))
        return bin_refuse(b, DIAG_BINARY_TEXT, "the name of a section is not UTF-8");
    if (!bin_number(b, &flags, "the flags of a section"))
        return false;
    if (!bin_cursor_bin(&b->c, &bytes, &size))
        return bin_expected(b, "the contents of a section, a block of bytes");
    int i = section_named(name, len);
    if (i == SECTION_COUNT)
        return keep_unknown(b, name, len, flags, bytes, size);
    if (i < *next) {
        b->c.p = at;
        return bin_refuse(b, DIAG_BINARY_SECTION,
                          "the section \"%s\" stands twice or behind a later one",
                          sections[i].name);
    }
    *next = i + 1;
    b->bodies[i] = (body){.p = (const unsigned char *)bytes, .size = size, .present = true};
    return true;
}

static bool find_sections(binary *b)
{
    uint32_t n, before = b->cx->diags.errors;
    int next = 0;
    if (!bin_array(b, &n, "the list of sections"))
        return false;
    while (n--)
        if (!find_section(b, &next))
            return false;
    if (b->c.p != b->c.end)
        return bin_refuse(b, DIAG_BINARY_SYNTAX,
                          "something stands between the sections and the checksum");
    for (int i = 0; i < SECTION_COUNT; i++)
        if (sections[i].required && !b->bodies[i].present)
            bin_refuse(b, DIAG_BINARY_SECTION, "the section \"%s\" is missing", sections[i].name);
    return b->cx->diags.errors == before;
}

static bool read_section(binary *b, int i)
{
    const body *x = &b->bodies[i];
    b->section = sections[i].name;
    b->func = 0;
    if (!x->present)
        return true;
    b->c = (cursor){.p = x->p, .end = x->p + x->size};
    if (!sections[i].read(b))
        return false;
    return b->c.p == b->c.end ||
           bin_refuse(b, DIAG_BINARY_SYNTAX, "the section goes on behind its end");
}

static bool read_file(binary *b)
{
    str_id producer;
    uint32_t before = b->cx->diags.errors;
    if (!binary_is((const char *)b->data, (size_t)(b->c.end - b->data)))
        return bin_refuse(b, DIAG_BINARY_SYNTAX, "this is no module in binary form");
    b->c.p += 2 + strlen(BINARY_MAGIC);
    if (!read_version(b) || !read_checksum(b) || !bin_text(b, &producer, "the producer") ||
        !read_features(b) || !find_sections(b) || b->cx->diags.errors != before)
        return false;
    for (int i = 0; i < SECTION_COUNT; i++)
        if (!read_section(b, i))
            return false;
    return b->cx->diags.errors == before;
}

static void binary_free(binary *b)
{
    vec_free(b->mm, &b->strings);
    vec_free(b->mm, &b->types);
    vec_free(b->mm, &b->constants);
    vec_free(b->mm, &b->funcs);
    vec_free(b->mm, &b->extents);
    vec_free(b->mm, &b->visible);
    vec_free(b->mm, &b->lists);
    vec_free(b->mm, &b->names);
    vec_free(b->mm, &b->open);
}

bool binary_read(ir_module *m, const char *name, const char *data, size_t size,
                 text_import_fn *import, void *user)
{
    const unsigned char *bytes = (const unsigned char *)data;
    binary b = {
        .m = m, .mm = &m->cx->mem, .cx = m->cx, .data = bytes, .import = import, .user = user};
    b.c = (cursor){.p = bytes, .end = bytes + size};
    b.file = m->file = intern_cstr(&m->cx->strings, name);
    bool ok =
        (b.file || !*name) && read_file(&b) && version_upgrade_module(m, b.major * 100 + b.minor);
    binary_free(&b);
    ir_module_trim(m);
    return ok && !m->cx->mem.oom;
}
