/* Code and plans that were made before, kept on disk beside what drivers have compiled: a program that
 * is made again, of the same module by the same library with the same options for the same device,
 * goes through no pass.
 *
 * The key has all that takes part.  The module is its linked binary form, and the texts that it was read
 * from, as failing checks name places in them; the library is the build id that the linker gave it, as two builds of
 * one version may compile differently.  Without one nothing is kept.  Nor is it where somebody chooses
 * passes as they come, or where compiling told something, which the next time would tell nothing. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "libfcl/run/made.h"

#include "ir/base/source.h"
#include "serialize/binary/binary.h"

#include <link.h>
#include <string.h>

/* ---- which library this is ---- */

enum { BUILD_MOST = 64, NOTE_NAME = 4 }; /* bytes of an id; of "GNU" with its end */

typedef struct build_id {
    uintptr_t inside; /* an address of this library */
    unsigned char bytes[BUILD_MOST];
    size_t size; /* 0: not found */
} build_id;

static size_t padded(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

static void read_notes(build_id *id, const unsigned char *at, size_t size)
{
    while (size >= sizeof(ElfW(Nhdr)) && !id->size) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t name = padded(note.n_namesz), all = sizeof note + name + padded(note.n_descsz);
        if (all > size)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == NOTE_NAME &&
            memcmp(at + sizeof note, "GNU", NOTE_NAME) == 0 && note.n_descsz <= BUILD_MOST) {
            id->size = note.n_descsz;
            memcpy(id->bytes, at + sizeof note + name, id->size);
        }
        at += all;
        size -= all;
    }
}

static bool has_address(const struct dl_phdr_info *o, uintptr_t address)
{
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &o->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && address - (o->dlpi_addr + h->p_vaddr) < h->p_memsz)
            return true;
    }
    return false;
}

static int look_into(struct dl_phdr_info *o, size_t size, void *user)
{
    build_id *id = user;
    (void)size;
    if (!has_address(o, id->inside))
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &o->dlpi_phdr[i];
        if (h->p_type == PT_NOTE)
            read_notes(id, (const unsigned char *)(o->dlpi_addr + h->p_vaddr), h->p_memsz);
    }
    return 1;
}

static build_id id_of_library(void)
{
    build_id id = {.inside = (uintptr_t)face_producer};
    dl_iterate_phdr(look_into, &id);
    return id;
}

/* ---- keys ---- */

static void add_text(cache_key *k, const char *text)
{
    char there = text != NULL;
    cache_key_add(k, &there, 1);
    cache_key_add(k, text ? text : "", text ? strlen(text) : 0);
}

/* Texts by what they say, and the rest as it stands: a text that is forgotten here is a pointer there,
 * and nothing is found again. */
static void add_options(cache_key *k, const fcl_compile_options *given)
{
    fcl_compile_options o = *given;
    const char **texts[] = {&o.target, &o.entry,  &o.exchange, &o.in_place, &o.kernel_passes,
                            &o.tuning, &o.checks, &o.quirks,   &o.without};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        add_text(k, *texts[i]);
        *texts[i] = NULL;
    }
    o.observer = NULL;
    cache_key_add(k, &o, sizeof o);
}

static void add_device(cache_key *k, const run_caps *given)
{
    run_caps caps = *given;
    const char **texts[] = {&caps.target, &caps.spirv, &caps.addresses};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        add_text(k, *texts[i]);
        *texts[i] = NULL;
    }
    cache_key_add(k, &caps, sizeof caps);
}

/* What a module was read from: its operations are at places in that, which its binary form does not have.
 * Preludes are the library's. */
static void add_sources(cache_key *k, const ir_module *m)
{
    add_text(k, ir_str(m, m->file));
    for (uint32_t i = 0; i < m->sources.len; i++) {
        const source *s = &m->cx->diags.sources.at[m->sources.at[i]];
        if (s->library || !s->text)
            continue;
        add_text(k, ir_str(m, s->name));
        cache_key_add(k, s->text, s->size);
    }
}

static bool add_module(cache_key *k, fcl_module *m)
{
    vec_char whole = {0};
    bool ok = binary_write_linked(&m->ir, &whole);
    if (ok)
        cache_key_add(k, whole.at, whole.len);
    add_sources(k, &m->ir);
    vec_free(&m->ir.cx->mem, &whole);
    return ok;
}

bool made_name(const fcl_program *p, const fcl_compile_options *o, const run_caps *caps, cache_key *k)
{
    const fcl_pass_observer *sees = o->observer;
    const build_id id = id_of_library();
    vec_char folder = {0};
    bool kept = *cache_folder(p->cx, &folder) != '\0';
    vec_free(&p->cx->mem, &folder);
    if (!kept || !id.size || (sees && sees->before) || p->cx->diags.remarks)
        return false;
    cache_key_begin(k, "made");
    cache_key_add(k, id.bytes, id.size);
    add_text(k, intern_str(&p->cx->strings, p->face.entry));
    add_options(k, o);
    add_device(k, caps);
    bool ok = add_module(k, p->m);
    cache_key_end(k);
    return ok;
}

/* ---- taking and keeping ---- */

/* What cannot be read is not there, whatever the reason. */
static bool read_quietly(fcl_context *cx, const vec_char *file, artifact *found)
{
    const bool oom = cx->mem.oom, quiet = cx->diags.quiet;
    cx->diags.quiet = true;
    bool ok = artifact_read(found, "kept", file->at, file->len) && found->targets.len == 1 &&
              found->targets.at[0].entries.len == 1;
    cx->diags.quiet = quiet;
    cx->mem.oom = oom;
    return ok;
}

bool made_take(fcl_program *p, const cache_key *k)
{
    vec_char file = {0};
    artifact found;
    artifact_init(&found, p->cx);
    bool ok = cache_take(p->cx, k, &file) && read_quietly(p->cx, &file, &found);
    if (ok) {
        p->made = found.targets.at[0];
        found.targets.len = 0;
    }
    artifact_release(&found);
    vec_free(&p->cx->mem, &file);
    return ok;
}

void made_keep(fcl_program *p, const cache_key *k)
{
    const bool oom = p->cx->mem.oom;
    vec_char file = {0};
    artifact a;
    artifact_init(&a, p->cx);
    a.producer = intern_cstr(&p->cx->strings, face_producer);
    if (vec_push(&p->cx->mem, &a.targets, p->made) && artifact_write(&a, &file))
        cache_keep(p->cx, k, file.at, file.len);
    a.targets.len = 0;
    artifact_release(&a);
    vec_free(&p->cx->mem, &file);
    p->cx->mem.oom = oom; /* what is not kept is made again */
}
