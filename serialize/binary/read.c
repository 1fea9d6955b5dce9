/* Reading the binary form: the file around the sections, and what all of it needs.  See binary.h
 * and "Binary" in docs/format.md; the inside is in binary/parse.h.
 *
 * The file is gone through twice, at the cost of a few steps for each section: first everything is
 * found that says whether it can be read at all (version, checksum, features, sections), and all
 * that is missing is named in one run; then the sections are read in their order. */
#include "serialize/binary/parse.h"

#include "serialize/coding/seal.h"
#include "ir/base/utf8.h"

#include <string.h>

/* ---- version, features, checksum ---- */

bool binary_is(const char *data, size_t size)
{
    static const char start[] = "\x97\xa4" BINARY_MAGIC;
    return size >= sizeof start - 1 && memcmp(data, start, sizeof start - 1) == 0;
}

/* major, minor */
static bool read_version(binary *b)
{
    if (!bin_number(b, &b->major, "the major number of the version") ||
        !bin_number(b, &b->minor, "the minor number of the version"))
        return false;
    bool huge = b->major > INT32_MAX / 200 || b->minor > INT32_MAX / 2;
    b->version = huge ? INT32_MAX : b->major * 100 + b->minor;
    if (version_readable(b->major, b->minor))
        return true;
    return bin_refuse(b, DIAG_BINARY_UNKNOWN,
                      "this is version %u.%u of the format; this library reads %d.%d", b->major,
                      b->minor, FORMAT_MAJOR, FORMAT_MINOR);
}

/* From here on the bytes end before it.  Wrong bytes are found before anything is believed, so a
 * damaged file gives one message. */
static bool read_checksum(binary *b)
{
    char mistake[SEAL_MISTAKE];
    switch (seal_take(&b->c, b->data, mistake)) {
    case SEAL_MISSING: return bin_refuse(b, DIAG_BINARY_CUT, "%s", mistake);
    case SEAL_BROKEN: return bin_refuse(b, DIAG_BINARY_CHECKSUM, "%s", mistake);
    case SEAL_GOOD: break;
    }
    return true;
}

/* The list ends with NULL since binary.def has no feature yet. */
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
            bin_unknown(b, NULL, "there is no feature \"%.*s\"", (int)(len < 100 ? len : 100), s);
    }
    return true;
}

/* ---- sections ---- */

/* The known sections, by section_id: name, whether a file must have it, and who reads it. */
static const struct {
    const char *name;
    bool required;
    uint16_t since;
    bool (*read)(binary *b);
} sections[] = {
#define SECTION(e, name, required, since, contents) {#name, required, since, bin_##name},
#include "serialize/binary/binary.def"
#undef SECTION
};

/* The section_id of a name; SECTION_COUNT for one that is not known. */
static int section_named(const char *s, uint32_t n)
{
    int i = 0;
    while (i < SECTION_COUNT &&
           (strlen(sections[i].name) != n || memcmp(sections[i].name, s, n) != 0))
        i++;
    return i;
}

/* A section that the library does not know is kept for the writers, unless its flags say that a
 * reader must understand it: then all of these are reported, and the file is refused at the end. */
static bool keep_unknown(binary *b, const char *name, uint32_t len, uint32_t flags,
                         const char *bytes, uint32_t size)
{
    if (flags & SECTION_REQUIRED) {
        bin_unknown(b, NULL, "there is no section \"%.*s\", which the file needs",
                    (int)(len < 100 ? len : 100), name);
        return true;
    }
    intern *strings = &b->cx->strings;
    section_node s = {.name = intern_add(strings, name, len),
                      .body = intern_add(strings, bytes, size),
                      .flags = flags};
    return !b->mm->oom && vec_push(b->mm, &b->m->sections, s);
}

/* A section in a file of a version that does not have it: an older library did not know it and has
 * kept it, whatever it did to the code.  What must be understood none has kept. */
static bool is_stale(binary *b, const unsigned char *at, int i, uint32_t flags)
{
    if (!(flags & SECTION_REQUIRED))
        return true;
    b->c.p = at;
    return bin_refuse(b, DIAG_BINARY_SECTION,
                      "the section \"%s\" came with version %u.%u, and the file states %u.%u",
                      sections[i].name, sections[i].since / 100, sections[i].since % 100, b->major,
                      b->minor);
}

/* Notes where a section lies; the known ones stand in their order, each once. [name, flags,
 * contents]; *next is the first section_id that may still come. */
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
    if (flags & ~(uint32_t)SECTION_REQUIRED)
        return bin_unknown(b, at, "there are no flags %u of the section \"%s\"", flags,
                           sections[i].name);
    if (i < *next) {
        b->c.p = at;
        return bin_refuse(b, DIAG_BINARY_SECTION,
                          "the section \"%s\" stands twice or behind a later one",
                          sections[i].name);
    }
    *next = i + 1;
    if (sections[i].since > b->version)
        return is_stale(b, at, i, flags);
    b->bodies[i] = (body){.p = (const unsigned char *)bytes, .size = size, .present = true};
    return true;
}

/* The array of sections, which must end where the checksum begins. */
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

/* Reads the contents of a section, if it is there, and sees to it that nothing is left of them. */
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

/* [magic, major, minor, producer, features, sections, checksum] */
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

/* The bytes are borrowed until it returns. */
bool binary_read(ir_module *m, const char *name, const char *data, size_t size,
                 text_import_fn *import, void *user)
{
    const unsigned char *bytes = (const unsigned char *)data;
    binary b = {
        .m = m, .mm = &m->cx->mem, .cx = m->cx, .data = bytes, .import = import, .user = user};
    b.c = (cursor){.p = bytes, .end = bytes + size};
    b.file = m->file = intern_cstr(&m->cx->strings, name);
    bool ok = (b.file || !*name) && read_file(&b) && version_upgrade_module(m, b.version);
    binary_free(&b);
    ir_module_trim(m);
    return ok && !m->cx->mem.oom;
}
