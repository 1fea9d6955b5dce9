/* Artifacts: their texts, what each is made from, and their files. */
#include "libfcl/artifact/artifact.h"

#include "backends/quirks.h"
#include "ir/kernel/plan/make.h"

#include <string.h>

fcl_artifact *artifact_new(fcl_context *cx, fcl_kernels *k)
{
    fcl_artifact *a = mem_resize(&cx->mem, NULL, 0, sizeof *a);
    if (!a) {
        fcl_kernels_destroy(k);
        return NULL;
    }
    *a = (fcl_artifact){.cx = cx, .kernels = k};
    cx->holders++;
    artifact_init(&a->data, cx);
    a->data.producer = intern_cstr(&cx->strings, face_producer);
    return a;
}

void fcl_artifact_destroy(fcl_artifact *a)
{
    if (!a)
        return;
    mem *mm = &a->cx->mem;
    fcl_kernels_destroy(a->kernels);
    artifact_release(&a->data);
    vec_free(mm, &a->plan);
    vec_free(mm, &a->report);
    vec_free(mm, &a->kernel_ir);
    a->cx->holders--;
    mem_free(mm, a, sizeof *a);
}

/* ---- making ---- */

/* The signature that the module knows takes the place of the one that was made up of leaves. */
static bool set_face(fcl_module *m, plan *p)
{
    host_signature known;
    ir_func f = face_kernel(m, intern_str(&p->cx->strings, p->face.entry));
    bool ok = f && face_signature(m, f, &known);
    if (!f)
        return false;
    host_signature_free(&p->cx->mem, &p->face);
    p->face = known;
    return ok;
}

static bool add_plan(const k_program *from, fcl_module *m, artifact_target *t)
{
    plan p = {0};
    bool ok = k_make_plan(from, &p) && (!m || set_face(m, &p)) &&
              vec_push(&from->cx->mem, &t->entries, p);
    if (!ok)
        plan_release(&p);
    return ok;
}

/* What the code of all programs avoids. */
static bool note_quirks(const k_program *programs, uint32_t n, artifact_target *t)
{
    fcl_context *cx = programs->cx;
    uint32_t avoided = UINT32_MAX;
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        avoided &= programs[i].target.quirks;
    for (uint32_t i = 0; ok && quirk_at(i).name; i++)
        if (avoided & quirk_at(i).bit)
            ok = vec_push(&cx->mem, &t->quirks, intern_cstr(&cx->strings, quirk_at(i).name));
    return ok;
}

/* All programs come from the same options; a dialect with lanes may have been of use to some of
 * them only. */
bool artifact_make_target(const fcl_backend *b, const fcl_emission *made, const k_program *programs,
                          uint32_t n, fcl_module *m, artifact_target *t)
{
    uint32_t dialect = 0;
    bool ok = true;
    t->code = made->code;
    for (uint32_t i = 0; ok && i < n; i++) {
        uint32_t own = programs[i].target.request.dialect;
        dialect = own > dialect ? own : dialect;
        ok = add_plan(&programs[i], m, t);
    }
    if (!n)
        return ok;
    intern *strings = &programs->cx->strings;
    t->name = intern_cstr(strings, b->name);
    t->is_text = !made->is_bytes;
    t->options = made->options ? made->options : intern_cstr(strings, b->dialects[dialect].options);
    t->exchange = dialect ? intern_cstr(strings, b->dialects[dialect].name) : 0;
    t->warp_size = b->dialects[dialect].lanes ? programs->target.facts.warp_size : 0;
    return ok && note_quirks(programs, n, t);
}

/* ---- texts ---- */

static const char *borrow(const vec_char *text, size_t *size)
{
    if (size)
        *size = text->len;
    return text->len ? text->at : "";
}

const char *fcl_artifact_code(fcl_artifact *a, size_t *size)
{
    if (!a)
        return NULL;
    static const vec_char none;
    return borrow(a->data.targets.len ? &a->data.targets.at[0].code : &none, size);
}

/* The text, made at the first question. */
static const char *ask(fcl_artifact *a, vec_char *text, size_t *size,
                       bool (*make)(const k_program *p, vec_char *out))
{
    uint32_t before = a->cx->diags.errors;
    bool ok = true;
    if (!text->len && a->kernels) {
        for (uint32_t i = 0; ok && i < a->kernels->programs.len; i++)
            ok = make(&a->kernels->programs.at[i], text);
        text_cstr(&a->cx->mem, text);
    }
    if (!face_ok(a->cx, before) || !ok)
        vec_free(&a->cx->mem, text);
    return borrow(text, size);
}

static void print_plans(fcl_artifact *a)
{
    const artifact_target *t = a->data.targets.len ? &a->data.targets.at[0] : NULL;
    bool ok = true;
    for (uint32_t i = 0; t && ok && i < t->entries.len; i++)
        ok = plan_print(&t->entries.at[i], &a->plan);
    if (!ok || !*text_cstr(&a->cx->mem, &a->plan))
        vec_free(&a->cx->mem, &a->plan);
}

const char *fcl_artifact_plan(fcl_artifact *a, size_t *size)
{
    if (!a)
        return NULL;
    uint32_t before = a->cx->diags.errors;
    if (!a->plan.len)
        print_plans(a);
    face_ok(a->cx, before);
    return borrow(&a->plan, size);
}

const char *fcl_artifact_report(fcl_artifact *a, size_t *size)
{
    if (!a)
        return NULL;
    return ask(a, &a->report, size, k_report);
}

const char *fcl_artifact_kernel_ir(fcl_artifact *a, size_t *size)
{
    if (!a)
        return NULL;
    return ask(a, &a->kernel_ir, size, k_print);
}

/* ---- files ---- */

char *fcl_artifact_save(fcl_artifact *a, size_t *size)
{
    if (!a)
        return NULL;
    uint32_t before = a->cx->diags.errors;
    vec_char file = {0};
    bool ok = artifact_write(&a->data, &file);
    char *copy = face_take_text(a->cx, &file, size);
    if (face_ok(a->cx, before) && ok)
        return copy;
    if (copy)
        fcl_free(a->cx, copy, *size);
    return NULL;
}

fcl_artifact *fcl_artifact_load(fcl_context *cx, const char *name, const void *data, size_t size)
{
    if (!cx)
        return NULL;
    if (!GIVEN(cx, name) || !GIVEN_ALL(cx, data, size))
        return NULL;
    uint32_t before = cx->diags.errors;
    fcl_artifact *a = artifact_new(cx, NULL);
    bool ok = a && artifact_read(&a->data, name, data, size);
    for (uint32_t i = 0; ok && i < a->data.targets.len; i++)
        ok = *text_cstr(&cx->mem, &a->data.targets.at[i].code) || !cx->mem.oom;
    if (face_ok(cx, before) && ok)
        return a;
    fcl_artifact_destroy(a);
    return NULL;
}

bool fcl_artifact_is(const void *data, size_t size)
{
    return data && artifact_is(data, size);
}

bool fcl_artifact_hash(const fcl_artifact *a, unsigned char digest[32])
{
    if (!a)
        return false;
    if (!digest)
        return false;
    if (a->data.has_digest)
        memcpy(digest, a->data.digest, sizeof a->data.digest);
    return a->data.has_digest;
}

/* ---- several in one ---- */

static bool is_of_one_module(const fcl_artifact *a, const fcl_artifact *more)
{
    const artifact *x = &a->data, *y = &more->data;
    if (a->cx != more->cx)
        return diag_error(a->cx, DIAG_ARTIFACT_JOIN, (location){0},
                          "the artifacts are of different contexts");
    if (x->has_digest && y->has_digest && memcmp(x->digest, y->digest, sizeof x->digest) == 0)
        return true;
    diag_error(a->cx, DIAG_ARTIFACT_JOIN, (location){0},
               x->has_digest && y->has_digest
                   ? "the artifacts were made from different modules: their hashes differ"
                   : "nobody knows what the artifacts were made from: one has no hash");
    diag_hint(a->cx, "compile one module for each target");
    return false;
}

/* The file of an artifact that has this target alone: equal ones are equal in everything. */
static bool write_alone(const fcl_artifact *a, const artifact_target *t, vec_char *out)
{
    artifact alone = a->data;
    artifact_target one = *t;
    alone.targets.at = &one;
    alone.targets.len = 1;
    return artifact_write(&alone, out);
}

/* Whether it has the target already.  Whose code differs is not written to find out. */
static bool has_target(const fcl_artifact *a, const artifact_target *t, bool *ok)
{
    vec_char own = {0}, other = {0};
    bool found = false;
    for (uint32_t i = 0; *ok && !found && i < a->data.targets.len; i++) {
        const artifact_target *x = &a->data.targets.at[i];
        if (x->code.len != t->code.len || memcmp(x->code.at, t->code.at, t->code.len) != 0)
            continue;
        own.len = other.len = 0;
        *ok = write_alone(a, x, &own) && write_alone(a, t, &other);
        found = *ok && own.len == other.len && memcmp(own.at, other.at, own.len) == 0;
    }
    vec_free(&a->cx->mem, &own);
    vec_free(&a->cx->mem, &other);
    return found;
}

/* All or none; those that are there already stay behind. */
static bool take_targets(fcl_artifact *a, fcl_artifact *more)
{
    uint32_t n = more->data.targets.len, left = 0, had = a->data.targets.len;
    bool ok = vec_reserve(&a->cx->mem, &a->data.targets, had + n);
    for (uint32_t i = 0; ok && i < n; i++) {
        artifact_target t = more->data.targets.at[i];
        if (has_target(a, &t, &ok)) {
            more->data.targets.at[i] = more->data.targets.at[left];
            more->data.targets.at[left++] = t;
        } else if (ok) {
            a->data.targets.at[a->data.targets.len++] = t;
        }
    }
    if (ok)
        more->data.targets.len = left;
    else
        a->data.targets.len = had;
    return ok;
}

bool fcl_artifact_join(fcl_artifact *a, fcl_artifact *more)
{
    if (!a || !more)
        return false;
    uint32_t before = a->cx->diags.errors;
    if (a == more) /* taking it over would leave the caller nothing */
        return diag_error(a->cx, DIAG_ARTIFACT_JOIN, (location){0},
                          "an artifact cannot be joined with itself");
    bool ok = is_of_one_module(a, more);
    for (uint32_t i = 0; ok && i < more->data.targets.len; i++)
        ok = artifact_fits(&a->data, &more->data.targets.at[i]);
    ok = ok && take_targets(a, more);
    fcl_artifact_destroy(more);
    return face_ok(a->cx, before) && ok;
}

/* ---- entries ---- */

/* The first target lists all entries. */
static const plan *entry_at(const fcl_artifact *a, size_t i)
{
    const artifact_target *t = a->data.targets.len ? &a->data.targets.at[0] : NULL;
    return t && i < t->entries.len ? &t->entries.at[i] : NULL;
}

const char *fcl_artifact_entry(const fcl_artifact *a, size_t i)
{
    if (!a)
        return NULL;
    const plan *p = entry_at(a, i);
    return p ? intern_str(&a->cx->strings, p->face.entry) : NULL;
}

const plan *artifact_plan_of(const fcl_artifact *a, const artifact_target *t, const char *entry)
{
    const plan *found = !entry && t->entries.len == 1 ? &t->entries.at[0] : NULL;
    for (uint32_t i = 0; entry && i < t->entries.len; i++)
        if (strcmp(intern_str(&a->cx->strings, t->entries.at[i].face.entry), entry) == 0)
            found = &t->entries.at[i];
    if (!found && entry)
        diag_error(a->cx, DIAG_NO_KERNEL, (location){0}, "the artifact has no kernel %s", entry);
    else if (!found)
        diag_error(a->cx, DIAG_NO_KERNEL, (location){0},
                   "the artifact has %u kernels: say which one", t->entries.len);
    return found;
}

const plan *artifact_plan_named(const fcl_artifact *a, const char *entry)
{
    if (a->data.targets.len)
        return artifact_plan_of(a, &a->data.targets.at[0], entry);
    diag_error(a->cx, DIAG_NO_KERNEL, (location){0}, "the artifact has no code");
    return NULL;
}

bool fcl_artifact_signature(const fcl_artifact *a, const char *entry, fcl_signature *out,
                            size_t size)
{
    if (!a)
        return false;
    const plan *p = artifact_plan_named(a, entry);
    fcl_signature s = p ? face_counts(&p->face) : (fcl_signature){0};
    return p && ABI_GIVE(out, size, s);
}

bool fcl_artifact_leaf_in(const fcl_artifact *a, const char *entry, size_t i, fcl_leaf *out,
                          size_t size)
{
    if (!a)
        return false;
    const plan *p = artifact_plan_named(a, entry);
    fcl_leaf l;
    return p && face_leaf(a->cx, &p->face, true, i, &l) && ABI_GIVE(out, size, l);
}

bool fcl_artifact_leaf_out(const fcl_artifact *a, const char *entry, size_t i, fcl_leaf *out,
                           size_t size)
{
    if (!a)
        return false;
    const plan *p = artifact_plan_named(a, entry);
    fcl_leaf l;
    return p && face_leaf(a->cx, &p->face, false, i, &l) && ABI_GIVE(out, size, l);
}
