/* Writing the binary form: the file around the sections.  See binary.h and "Binary" in
 * docs/format.md; the inside is in binary/make.h.
 *
 * Sections are packed apart and put together at the end, since the first of them, strings and
 * types, are complete only when the last, the code, has been walked.  What is written depends on
 * the module alone, never on its history, so that equal modules give equal bytes and hashes. */
#include "serialize/binary/make.h"

#include "ir/check/check.h"
#include "serialize/coding/seal.h"
#include "serialize/coding/sha256.h"

/* The known sections, by section_id. */
static const struct {
    const char *name;
    uint32_t flags, since;
} sections[] = {
#define SECTION(e, name, required, since, contents)                                                \
    {#name, (required) ? SECTION_REQUIRED : 0, since},
#include "serialize/binary/binary.def"
#undef SECTION
};

/* ---- all sections ---- */

/* *w is whole in either case, so that maker_free may follow; false when memory is short. */
static bool maker_init(maker *w, ir_module *m)
{
    mem *mm = &m->cx->mem;
    *w = (maker){.m = m, .mm = mm, .valid = true, .parameters = {.mm = mm}};
    w->first_number = m->cx->strings.strs.len;
    ir_own_places(m, &w->first_loc, &w->end_loc);
    for (int i = 0; i < SECTION_COUNT; i++)
        w->body[i].mm = mm;
    w->strings.texts.mm = w->module_attributes.mm = w->module_properties.mm = mm;
    w->locations.entries.mm = w->attributes.entries.mm = w->properties.entries.mm = mm;
    return bin_zeroed_numbers(mm, &w->type_number, m->types.len) &&
           bin_zeroed_numbers(mm, &w->tvar_number, m->tvars.len) &&
           bin_zeroed_numbers(mm, &w->func_number, m->funcs.len) &&
           bin_zeroed_numbers(mm, &w->place, m->values.len) &&
           bin_zeroed_numbers(mm, &w->shown, m->cx->strings.strs.len + m->values.len);
}

static void item_table_free(mem *mm, item_table *t)
{
    bin_pack_free(&t->entries);
    bin_string_table_free(mm, &t->strings);
}

static void maker_free(maker *w)
{
    mem *mm = w->mm;
    for (int i = 0; i < SECTION_COUNT; i++)
        bin_pack_free(&w->body[i]);
    bin_pack_free(&w->parameters);
    bin_pack_free(&w->module_attributes);
    bin_pack_free(&w->module_properties);
    bin_string_table_free(mm, &w->strings);
    item_table_free(mm, &w->locations);
    item_table_free(mm, &w->attributes);
    item_table_free(mm, &w->properties);
    mem_free(mm, w->constants, w->constant_cap * sizeof *w->constants);
    vec_free(mm, &w->type_number);
    vec_free(mm, &w->integers);
    vec_free(mm, &w->tvar_number);
    vec_free(mm, &w->tvar_names);
    vec_free(mm, &w->func_number);
    vec_free(mm, &w->externals);
    vec_free(mm, &w->written);
    vec_free(mm, &w->place);
    vec_free(mm, &w->visible);
    vec_free(mm, &w->open);
    vec_free(mm, &w->values);
    vec_free(mm, &w->shown);
    vec_free(mm, &w->func_values);
}

/* What is wrong with a module that could not be written.  The verifier knows better what to say;
 * what it lets pass is reported here. */
static bool refuse_module(maker *w)
{
    uint32_t before = w->m->cx->diags.errors;
    if (w->mm->oom)
        return false;
    if (ir_verify(w->m) && w->m->cx->diags.errors == before)
        diag_error(w->m->cx, DIAG_MALFORMED, (location){.file = w->m->file},
                   "the module uses a type or level parameter that no function of it binds, or a "
                   "type that is not known");
    return false;
}

/* The bodies of the required sections.  Until now w->body[SECTION_TYPES] held the entries of types
 * only: parameters go before them. */
static bool make_required(maker *w)
{
    packer *types = &w->body[SECTION_TYPES], *k;
    if (!bin_write_functions(w))
        return refuse_module(w);
    packer entries = *types;
    *types = w->parameters;
    w->parameters = entries;
    k = &w->strings.texts;
    return bin_pack_close_array(types, 0, w->tvar_names.len) &&
           bin_pack_close_array(&w->parameters, 0, w->ntypes) &&
           bin_pack_bytes(types, w->parameters.start, pack_size(&w->parameters)) &&
           bin_pack_close_array(types, 0, 2) && bin_pack_close_array(k, 0, w->strings.count) &&
           bin_pack_bytes(&w->body[SECTION_STRINGS], k->start, pack_size(k)) &&
           bin_pack_close_array(&w->body[SECTION_CONSTANTS], 0, (size_t)w->nconstants * 2);
}

/* Names are beside the program; what is to be understood of it is not. */
static bool make_all(maker *w, bool names)
{
    return bin_note_module(w) && make_required(w) && bin_write_operators(w) &&
           (!names || bin_write_names(w)) && bin_write_items(w);
}

static uint32_t flags_of(const maker *w, int i)
{
    return i == SECTION_PROPERTIES && w->must ? SECTION_REQUIRED : sections[i].flags;
}

/* ---- the file ---- */

/* [name, flags, contents] */
static bool pack_section(packer *k, const char *name, size_t name_size, uint32_t flags,
                         const char *body, size_t size)
{
    if (!pack_room(k, size + name_size + 4 * PACKED_MAX))
        return false;
    pack_array(k, 3);
    bin_pack_text(k, name, name_size);
    pack_uint32(k, flags);
    pack_bin(k, size);
    return bin_pack_bytes(k, body, size);
}

static bool pack_known(maker *w, packer *out, int i)
{
    const packer *k = &w->body[i];
    return pack_section(out, sections[i].name, strlen(sections[i].name), flags_of(w, i), k->start,
                        pack_size(k));
}

static bool pack_unknown(maker *w, packer *out, const section_node *s)
{
    const intern *strings = &w->m->cx->strings;
    return pack_section(out, ir_str(w->m, s->name), intern_len(strings, s->name), s->flags,
                        ir_str(w->m, s->body), intern_len(strings, s->body));
}

/* An optional section without contents is left out. */
static bool is_written(const maker *w, int i)
{
    return sections[i].flags & SECTION_REQUIRED || pack_size(&w->body[i]) > 0;
}

/* What version_fits cannot see, as only writing shows which sections there are. */
static bool sections_fit(const maker *w, uint32_t version)
{
    bool ok = true;
    for (int i = 0; i < SECTION_COUNT; i++)
        if (is_written(w, i) && sections[i].since > version)
            ok = diag_error(w->m->cx, DIAG_VERSION_FIT, (location){.file = w->m->file},
                            "the section \"%s\" came with version %u.%u of the format, after %u.%u",
                            sections[i].name, sections[i].since / 100, sections[i].since % 100,
                            version / 100, version % 100);
    return ok;
}

static bool pack_sections(maker *w, packer *out)
{
    uint32_t n = w->m->sections.len;
    bool ok = true;
    for (int i = 0; i < SECTION_COUNT; i++)
        n += is_written(w, i);
    pack_array(out, n);
    for (int i = 0; i < SECTION_COUNT && ok; i++)
        ok = !is_written(w, i) || pack_known(w, out, i);
    for (uint32_t i = 0; i < w->m->sections.len && ok; i++)
        ok = pack_unknown(w, out, &w->m->sections.at[i]);
    return ok;
}

/* So that the known sections need no second buffer; those that are not known make their own
 * room. */
static size_t file_size_bound(const maker *w)
{
    size_t n = 256;
    for (int i = 0; i < SECTION_COUNT; i++)
        n += pack_size(&w->body[i]) + 64;
    return n;
}

/* [magic, major, minor, producer, features, sections, checksum] */
static bool pack_file(maker *w, uint32_t version, const char *producer, packer *out)
{
    if (!pack_room(out, file_size_bound(w) + strlen(producer)))
        return false;
    pack_array(out, 7);
    bin_pack_text(out, BINARY_MAGIC, strlen(BINARY_MAGIC));
    pack_uint32(out, version / 100);
    pack_uint32(out, version % 100);
    bin_pack_text(out, producer, strlen(producer));
    pack_array(out, 0); /* features that a reader needs: this version has none */
    return pack_sections(w, out) && seal_pack(out);
}

/* The packed bytes become the vector's.  Without a copy when the vector is empty and can hold
 * them. */
static bool hand_over(packer *k, vec_char *out)
{
    size_t size = pack_size(k), cap = (size_t)(k->end - k->start);
    if (cap > UINT32_MAX || out->len) {
        bool ok = size <= UINT32_MAX && text_add(k->mm, out, k->start, size);
        k->mm->oom = k->mm->oom || !ok;
        bin_pack_free(k);
        return ok;
    }
    vec_free(k->mm, out);
    out->at = k->start;
    out->len = (uint32_t)size;
    out->cap = (uint32_t)cap;
    return true;
}

bool binary_write(ir_module *m, uint32_t version, const char *producer, vec_char *out)
{
    maker w;
    packer file = {.mm = &m->cx->mem};
    if (!version_known(m->cx, version) || !version_fits(m, version))
        return false;
    bool ok = maker_init(&w, m) && make_all(&w, true) && sections_fit(&w, version) &&
              pack_file(&w, version, producer, &file);
    maker_free(&w);
    if (ok)
        return hand_over(&file, out);
    bin_pack_free(&file);
    return false;
}

bool binary_write_linked(ir_module *m, vec_char *out)
{
    maker w;
    packer file = {.mm = &m->cx->mem};
    bool ok = maker_init(&w, m);
    w.linked = true;
    ok = ok && make_all(&w, true) && pack_file(&w, version_needed(m), "", &file);
    maker_free(&w);
    if (ok)
        return hand_over(&file, out);
    bin_pack_free(&file);
    return false;
}

/* docs/format.md, "Hash": each section with its name and flags, as in a file of the linked module.
 */
bool binary_hash(ir_module *m, unsigned char digest[32])
{
    maker w;
    packer k = {.mm = &m->cx->mem};
    sha256 h;
    bool ok = maker_init(&w, m);
    w.linked = true;
    ok = ok && make_all(&w, false);
    for (int i = 0; i < SECTION_COUNT && ok; i++)
        ok = !(flags_of(&w, i) & SECTION_REQUIRED) || pack_known(&w, &k, i);
    sha256_init(&h);
    if (ok)
        sha256_add(&h, k.start, pack_size(&k));
    sha256_end(&h, digest);
    bin_pack_free(&k);
    maker_free(&w);
    return ok;
}
