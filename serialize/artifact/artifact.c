/* The file around the targets: [magic, major, minor, producer, features, contents, checksum]. */
#include "serialize/artifact/record.h"

#include "serialize/coding/seal.h"

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

void artifact_init(artifact *a, fcl_context *cx)
{
    *a = (artifact){.cx = cx};
}

void artifact_target_release(fcl_context *cx, artifact_target *t)
{
    for (uint32_t i = 0; i < t->entries.len; i++)
        plan_release(&t->entries.at[i]);
    vec_free(&cx->mem, &t->entries);
    vec_free(&cx->mem, &t->quirks);
    vec_free(&cx->mem, &t->code);
    *t = (artifact_target){0};
}

void artifact_release(artifact *a)
{
    if (!a->cx)
        return;
    for (uint32_t i = 0; i < a->targets.len; i++)
        artifact_target_release(a->cx, &a->targets.at[i]);
    vec_free(&a->cx->mem, &a->targets);
    *a = (artifact){0};
}

/* ---- several targets ---- */

static bool same_leaves(const vec_leaf *a, const vec_leaf *b)
{
    bool same = a->len == b->len;
    for (uint32_t i = 0; same && i < a->len; i++)
        same = a->at[i].param == b->at[i].param && a->at[i].type == b->at[i].type &&
               a->at[i].rank == b->at[i].rank && a->at[i].back == b->at[i].back;
    return same;
}

static bool same_face(const host_signature *a, const host_signature *b)
{
    return a->params.len == b->params.len && a->results.len == b->results.len &&
           same_leaves(&a->in, &b->in) && same_leaves(&a->out, &b->out);
}

static const plan *entry_of(const artifact_target *t, str_id name)
{
    for (uint32_t i = 0; i < t->entries.len; i++)
        if (t->entries.at[i].face.entry == name)
            return &t->entries.at[i];
    return NULL;
}

bool artifact_fits(const artifact *a, const artifact_target *t)
{
    const artifact_target *first = a->targets.len ? &a->targets.at[0] : NULL;
    for (uint32_t i = 0; first && i < t->entries.len; i++) {
        const host_signature *face = &t->entries.at[i].face;
        const plan *p = entry_of(first, face->entry);
        const char *name = intern_str(&a->cx->strings, face->entry);
        if (!p)
            return diag_error(a->cx, DIAG_PLAN_RULE, face->at,
                              "the first target has all entries, but not @%s", name);
        if (!same_face(&p->face, face))
            return diag_error(a->cx, DIAG_PLAN_RULE, face->at,
                              "the entry @%s has another type than in the first target", name);
    }
    return true;
}

/* ---- targets ---- */

static void put_code(artifact_writer *w, const void *x)
{
    const artifact_target *t = x;
    w->ok = w->ok && pack_room(&w->out, PACKED_MAX);
    if (w->ok && t->is_text)
        pack_str(&w->out, t->code.len);
    else if (w->ok)
        pack_bin(&w->out, t->code.len);
    w->ok = w->ok && bin_pack_bytes(&w->out, t->code.at, t->code.len);
}

static bool take_code(artifact_reader *r, void *x)
{
    artifact_target *t = x;
    const char *s;
    uint32_t n;
    t->is_text = bin_cursor_str(&r->c, &s, &n);
    if (!t->is_text && !bin_cursor_bin(&r->c, &s, &n))
        return artifact_expected(r, "code");
    t->code.len = 0;
    return text_add(&r->cx->mem, &t->code, s, n);
}

static bool has_quirks(const artifact_writer *w, const void *x)
{
    (void)w;
    return ((const artifact_target *)x)->quirks.len > 0;
}

static void put_quirks(artifact_writer *w, const void *x)
{
    const artifact_target *t = x;
    put_list(w, t->quirks.len);
    for (uint32_t i = 0; i < t->quirks.len && w->ok; i++)
        put_text(w, t->quirks.at[i]);
}

static bool take_quirks(artifact_reader *r, void *x)
{
    artifact_target *t = x;
    uint32_t n;
    if (!take_list(r, &n, "a list of quirks"))
        return false;
    while (n--) {
        str_id name;
        if (!take_text(r, &name, "the name of a quirk") || !vec_push(&r->cx->mem, &t->quirks, name))
            return false;
    }
    return true;
}

static void put_entries(artifact_writer *w, const void *x)
{
    const artifact_target *t = x;
    put_list(w, t->entries.len);
    for (uint32_t i = 0; i < t->entries.len && w->ok; i++)
        put_plan(w, &t->entries.at[i]);
}

static bool take_entries(artifact_reader *r, void *x)
{
    artifact_target *t = x;
    uint32_t n;
    if (!take_list(r, &n, "a list of plans"))
        return false;
    while (n--) {
        plan p;
        bool ok = plan_init(&p, r->cx) && take_plan(r, &p) && vec_push(&r->cx->mem, &t->entries, p);
        if (!ok)
            plan_release(&p);
        if (!ok)
            return false;
    }
    return true;
}

static const field target_fields[] = {
#define TARGET_FIELD(key, kind, member, presence, ...)                                             \
    FIELD_OF(artifact_target, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef TARGET_FIELD
};

/* ---- contents ---- */

static bool has_digest(const artifact_writer *w, const void *x)
{
    (void)w;
    return ((const artifact *)x)->has_digest;
}

static void put_digest(artifact_writer *w, const void *x)
{
    const artifact *a = x;
    w->ok = w->ok && pack_room(&w->out, PACKED_MAX);
    if (w->ok)
        pack_bin(&w->out, sizeof a->digest);
    w->ok = w->ok && bin_pack_bytes(&w->out, a->digest, sizeof a->digest);
}

static bool take_digest(artifact_reader *r, void *x)
{
    artifact *a = x;
    const char *s;
    uint32_t n;
    if (!bin_cursor_bin(&r->c, &s, &n))
        return artifact_expected(r, "a hash");
    if (n != sizeof a->digest)
        return artifact_refuse(r, DIAG_BINARY_SYNTAX, "a hash has %u bytes, not 32", n);
    memcpy(a->digest, s, n);
    return a->has_digest = true;
}

static void put_targets(artifact_writer *w, const void *x)
{
    const artifact *a = x;
    put_list(w, a->targets.len);
    for (uint32_t i = 0; i < a->targets.len && w->ok; i++)
        record_put(w, target_fields, COUNT(target_fields), &a->targets.at[i]);
}

static bool take_targets(artifact_reader *r, void *x)
{
    artifact *a = x;
    uint32_t n;
    if (!take_list(r, &n, "the list of targets"))
        return false;
    while (n--) {
        artifact_target t = {0};
        bool ok = record_take(r, target_fields, COUNT(target_fields), &t) && artifact_fits(a, &t) &&
                  vec_push(&r->cx->mem, &a->targets, t);
        if (!ok)
            artifact_target_release(r->cx, &t);
        if (!ok)
            return false;
    }
    return true;
}

static const field artifact_fields[] = {
#define CONTENTS_FIELD(key, kind, member, presence, ...)                                           \
    FIELD_OF(artifact, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef CONTENTS_FIELD
};

/* ---- the file ---- */

static const char start[] = "\x97\xa4" ARTIFACT_MAGIC;

bool artifact_is(const char *data, size_t size)
{
    return size >= sizeof start - 1 && memcmp(data, start, sizeof start - 1) == 0;
}

bool artifact_write(const artifact *a, vec_char *out)
{
    mem *m = &a->cx->mem;
    artifact_writer w = {.out = {.mm = m}, .cx = a->cx, .ok = true};
    put_list(&w, 7);
    put_name(&w, ARTIFACT_MAGIC);
    put_number(&w, ARTIFACT_MAJOR);
    put_number(&w, ARTIFACT_MINOR);
    put_text(&w, a->producer);
    put_list(&w, 0); /* features that a reader needs: this version has none */
    record_put(&w, artifact_fields, COUNT(artifact_fields), a);
    bool ok = w.ok && seal_pack(&w.out) && pack_size(&w.out) <= UINT32_MAX &&
              text_add(m, out, w.out.start, pack_size(&w.out));
    bin_pack_free(&w.out);
    return ok;
}

static bool take_version(artifact_reader *r)
{
    if (!take_u32(r, &r->major, "the major number of the version") ||
        !take_u32(r, &r->minor, "the minor number of the version"))
        return false;
    return r->major == ARTIFACT_MAJOR ||
           artifact_refuse(r, DIAG_BINARY_UNKNOWN,
                           "this is version %u.%u of artifacts; this library reads %d.%d", r->major,
                           r->minor, ARTIFACT_MAJOR, ARTIFACT_MINOR);
}

/* From here on the bytes end before it. */
static bool take_checksum(artifact_reader *r)
{
    char mistake[SEAL_MISTAKE];
    switch (seal_take(&r->c, r->start, mistake)) {
    case SEAL_MISSING: return artifact_refuse(r, DIAG_BINARY_CUT, "%s", mistake);
    case SEAL_BROKEN: return artifact_refuse(r, DIAG_BINARY_CHECKSUM, "%s", mistake);
    case SEAL_GOOD: break;
    }
    return true;
}

static bool take_features(artifact_reader *r)
{
    const char *s;
    uint32_t n, len;
    if (!take_list(r, &n, "the list of required features"))
        return false;
    if (!n)
        return true;
    return take_chars(r, &s, &len, "the name of a feature") &&
           artifact_refuse(r, DIAG_BINARY_UNKNOWN,
                           "the file, of version %u.%u, needs the feature \"%.*s\", which this "
                           "library does not know",
                           r->major, r->minor, (int)(len < 100 ? len : 100), s);
}

static bool take_file(artifact_reader *r)
{
    if (!artifact_is((const char *)r->start, (size_t)(r->c.end - r->start)))
        return artifact_refuse(r, DIAG_BINARY_SYNTAX, "this is no artifact");
    r->c.p += sizeof start - 1;
    if (!take_version(r) || !take_checksum(r) || !take_text(r, &r->a->producer, "the producer") ||
        !take_features(r) || !record_take(r, artifact_fields, COUNT(artifact_fields), r->a))
        return false;
    return r->c.p == r->c.end ||
           artifact_refuse(r, DIAG_BINARY_SYNTAX,
                           "something stands between the contents and the checksum");
}

bool artifact_read(artifact *a, const char *name, const char *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    artifact_reader r = {.c = {.p = bytes, .end = bytes + size},
                         .start = bytes,
                         .cx = a->cx,
                         .file = intern_cstr(&a->cx->strings, name),
                         .a = a};
    return take_file(&r) && !a->cx->mem.oom;
}
