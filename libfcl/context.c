/* Contexts and diagnostics: the public view of ir/base.  A public fcl_context is the internal one.
 */
#include "ir/base/caret.h"
#include "libfcl/face.h"
#include "libfcl/plugins/plugins.h"

#include "ir/base/source.h"

#include <string.h>

#define TEXT_OF(x)                        #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

#define VERSION VERSION_TEXT(FCL_VERSION_MAJOR, FCL_VERSION_MINOR, FCL_VERSION_PATCH)

const char *fcl_version(void)
{
    return VERSION;
}

const char face_producer[] = "libfcl " VERSION;

fcl_context *fcl_context_create(fcl_realloc_fn *alloc, void *user)
{
    mem m;
    mem_init(&m, alloc, user);
    fcl_context *cx = mem_resize(&m, NULL, 0, sizeof *cx);
    if (!cx)
        return NULL;
    bool ok = context_init(cx, alloc, user);
    cx->mem.used += sizeof *cx;
    if (ok && context_prepare_out_of_memory(cx))
        return cx;
    fcl_context_destroy(cx);
    return NULL;
}

void fcl_context_destroy(fcl_context *cx)
{
    if (!cx)
        return;
    mem m = cx->mem;
    plugins_close(cx);
    context_release(cx);
    mem_free(&m, cx, sizeof *cx);
}

bool fcl_context_forget(fcl_context *cx)
{
    if (!cx)
        return false;
    return context_forget(cx);
}

/* By what failed for it, since `before`. */
static bool told_of_memory(const fcl_context *cx, uint32_t before)
{
    const uint32_t n = cx->diags.all.len;
    return cx->diags.errors > before && n && cx->diags.all.at[n - 1].code == DIAG_NO_MEMORY;
}

bool face_ok(fcl_context *cx, uint32_t before)
{
    if (cx->mem.oom && !told_of_memory(cx, before))
        context_out_of_memory(cx);
    cx->mem.oom = false;
    return cx->diags.errors == before;
}

bool face_given(fcl_context *cx, const void *what, const char *call, const char *name)
{
    return what || diag_error(cx, DIAG_CALL, (location){0}, "%s: %s is NULL", call, name);
}

bool face_same(fcl_context *cx, const fcl_context *other, const char *call, const char *name)
{
    return cx == other ||
           diag_error(cx, DIAG_CALL, (location){0}, "%s: %s belongs to another context", call, name);
}

void fcl_free(fcl_context *cx, char *text, size_t size)
{
    if (!cx || !text)
        return;
    mem_free(&cx->mem, text, size + 1);
}

void *fcl_allocate(fcl_context *cx, size_t size)
{
    if (!cx || !size)
        return NULL;
    void *at = mem_resize(&cx->mem, NULL, 0, size);
    face_ok(cx, cx->diags.errors);
    return at;
}

void fcl_deallocate(fcl_context *cx, void *at, size_t size)
{
    if (cx && at)
        mem_free(&cx->mem, at, size);
}

char *face_take_text(fcl_context *cx, vec_char *text, size_t *size)
{
    char *exact = NULL;
    if (face_given(cx, size, "a call that makes a text", "size") &&
        vec_reserve(&cx->mem, text, 1))
        exact = mem_resize(&cx->mem, text->at, text->cap, (size_t)text->len + 1);
    if (!exact) {
        vec_free(&cx->mem, text);
        return NULL;
    }
    exact[text->len] = 0;
    *size = text->len;
    *text = (vec_char){0};
    return exact;
}

/* ---- cancelling ---- */

/* A store to a lock-free atomic: all that a signal handler may do. */
void fcl_cancel(fcl_context *cx)
{
    if (!cx)
        return;
    atomic_store_explicit(&cx->cancelled, 1, memory_order_relaxed);
}

void fcl_cancel_clear(fcl_context *cx)
{
    if (!cx)
        return;
    atomic_store_explicit(&cx->cancelled, 0, memory_order_relaxed);
}

/* ---- limits ---- */

typedef struct limit_row {
    const char *name, *summary;
    size_t initial, most;
} limit_row;

static const limit_row limit_rows[] = {
#define LIMIT(e, type, field, name, initial, most, summary) {name, summary, initial, most},
#include "ir/base/limits.def"
#undef LIMIT
};

enum {
#define LIMIT(e, type, field, name, initial, most, summary) ROW_##e,
#include "ir/base/limits.def"
#undef LIMIT
    LIMIT_COUNT
};

#define LIMIT(e, type, field, name, initial, most, summary)                                        \
    _Static_assert((int)FCL_LIMIT_##e == (int)ROW_##e, "fcl_limit is limits.def");
#include "ir/base/limits.def"
#undef LIMIT

bool fcl_limit_about(size_t i, fcl_limit_info *out, size_t size)
{
    if (i >= LIMIT_COUNT)
        return false;
    const limit_row *r = &limit_rows[i];
    fcl_limit_info x = {
        .name = r->name, .summary = r->summary, .initial = r->initial, .most = r->most};
    return ABI_GIVE(out, size, x);
}

size_t fcl_limit_get(const fcl_context *cx, fcl_limit limit)
{
    if (!cx)
        return 0;
    switch (limit) {
#define LIMIT(e, type, field, name, initial, most, summary)                                        \
    case FCL_LIMIT_##e:                                                                            \
        return cx->limits.field;
#include "ir/base/limits.def"
#undef LIMIT
    }
    return 0;
}

static void store_limit(limits *l, fcl_limit limit, size_t value)
{
    switch (limit) {
#define LIMIT(e, type, field, name, initial, most, summary)                                        \
    case FCL_LIMIT_##e:                                                                            \
        l->field = (type)value;                                                                    \
        return;
#include "ir/base/limits.def"
#undef LIMIT
    }
}

bool fcl_limit_set(fcl_context *cx, fcl_limit limit, size_t value)
{
    if (!cx)
        return false;
    if ((size_t)limit >= LIMIT_COUNT || value < 1 || value > limit_rows[limit].most)
        return false;
    store_limit(&cx->limits, limit, value);
    cx->mem.limit = cx->limits.memory;
    return true;
}

/* ---- diagnostics ---- */

#define SAME_SEVERITY(x)                                                                           \
    _Static_assert((int)FCL_##x == (int)DIAG_##x, "fcl_severity and diag_severity agree")
SAME_SEVERITY(ERROR);
SAME_SEVERITY(WARNING);
SAME_SEVERITY(NOTE);
SAME_SEVERITY(REMARK);

#define SAME_WARNINGS(x)                                                                           \
    _Static_assert((int)FCL_WARNINGS_##x == (int)WARNINGS_##x,                                     \
                   "fcl_warnings and diag_warnings agree")
SAME_WARNINGS(DEFAULT);
SAME_WARNINGS(ALL);
SAME_WARNINGS(NONE);

void fcl_warnings_set(fcl_context *cx, fcl_warnings which, bool errors)
{
    if (!cx)
        return;
    cx->diags.warnings = (uint8_t)which;
    cx->diags.warnings_are_errors = errors;
}

void fcl_remarks_set(fcl_context *cx, bool wanted)
{
    if (cx)
        cx->diags.remarks = wanted;
}

char fcl_diagnostic_letter(unsigned code)
{
    return diag_letter(code);
}

size_t fcl_diagnostic_count(const fcl_context *cx)
{
    if (!cx)
        return 0;
    return cx->diags.all.len;
}

size_t fcl_diagnostics_beyond(const fcl_context *cx)
{
    if (!cx)
        return 0;
    const diag_list *l = &cx->diags;
    return l->errors > cx->limits.errors ? l->errors - cx->limits.errors : 0;
}

bool fcl_diagnostic_get(const fcl_context *cx, size_t i, fcl_diagnostic *out, size_t size)
{
    if (!cx)
        return false;
    if (i >= cx->diags.all.len)
        return false;
    const diag *d = &cx->diags.all.at[i];
    fcl_diagnostic x = {
        .severity = (fcl_severity)d->severity,
        .code = (unsigned)d->code,
        .file = intern_str(&cx->strings, d->loc.file),
        .line = d->loc.line,
        .column = d->loc.col,
        .length = d->loc.len,
        .message = intern_str(&cx->strings, d->text),
        .hint = intern_str(&cx->strings, d->hint),
        .notes = d->notes.len,
        .name = intern_str(&cx->strings, d->name),
    };
    return ABI_GIVE(out, size, x);
}

bool fcl_diagnostic_note(const fcl_context *cx, size_t i, size_t k, fcl_diagnostic *out,
                         size_t size)
{
    if (!cx)
        return false;
    if (i >= cx->diags.all.len || k >= cx->diags.all.at[i].notes.len)
        return false;
    const diag *d = &cx->diags.all.at[i];
    const diag_note *n = &d->notes.at[k];
    fcl_diagnostic x = {
        .severity = FCL_NOTE,
        .code = (unsigned)d->code,
        .file = intern_str(&cx->strings, n->loc.file),
        .line = n->loc.line,
        .column = n->loc.col,
        .length = n->loc.len,
        .message = intern_str(&cx->strings, n->text),
        .hint = "",
        .name = intern_str(&cx->strings, d->name),
    };
    return ABI_GIVE(out, size, x);
}

/* That the input has used up its memory is no reason not to tell: the limit does not count here.
 * And that there is none to show a diagnostic is no failure of what the caller does next. */
const char *fcl_diagnostic_text(fcl_context *cx, size_t i)
{
    if (!cx)
        return "";
    if (i >= cx->diags.all.len)
        return "";
    vec_char text = {0};
    bool oom = cx->mem.oom;
    cx->mem.limit = SIZE_MAX;
    str_id s = diag_format(cx, &cx->diags.all.at[i], &text)
                   ? intern_add(&cx->strings, text.at, text.len)
                   : 0;
    vec_free(&cx->mem, &text);
    cx->mem.limit = cx->limits.memory;
    cx->mem.oom = oom;
    return s ? intern_str(&cx->strings, s) : "error[E0901]: out of memory\n";
}

char *fcl_caret(fcl_context *cx, const char *line, size_t size, size_t at, size_t length,
                unsigned *column, size_t *text_size)
{
    if (!cx)
        return NULL;
    if (!GIVEN_ALL(cx, line, size) || !GIVEN(cx, column) || !GIVEN(cx, text_size))
        return NULL;
    vec_char text = {0};
    at = at < size ? at : size;
    *column = caret_column(line, size, at);
    caret_draw(&cx->mem, line, size, at, length, &text);
    return face_take_text(cx, &text, text_size);
}

void fcl_diagnostics_clear(fcl_context *cx)
{
    if (!cx)
        return;
    diag_clear(cx);
}

bool fcl_source_add(fcl_context *cx, const char *name, const char *text, size_t size)
{
    if (!cx)
        return false;
    if (!GIVEN(cx, name) || !GIVEN_ALL(cx, text, size))
        return false;
    uint32_t kept = source_add(cx, name, text, size);
    bool ok = kept && source_hold(cx, &cx->diags.given, kept - 1);
    cx->mem.oom = false;
    return ok;
}

bool fcl_source_known(const fcl_context *cx, const char *name)
{
    if (!cx || !name)
        return false;
    str_id id = intern_find(&cx->strings, name, strlen(name));
    return id && diag_source(cx, id);
}

const char *fcl_diagnostic_explain(unsigned code)
{
    return diag_title((diag_code)code);
}
