/* The diagnostic list and its text form: see diag.h. */
#include "ir/base/diag.h"

#include "ir/base/caret.h"
#include "ir/base/context.h"
#include "ir/base/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void diag_init(fcl_context *cx)
{
    cx->diags = (diag_list){0};
}

void diag_clear(fcl_context *cx)
{
    for (uint32_t i = 0; i < cx->diags.all.len; i++)
        vec_free(&cx->mem, &cx->diags.all.at[i].notes);
    cx->diags.all.len = 0;
    cx->diags.errors = cx->diags.warned = cx->diags.remarked = 0;
    source_sweep(cx);
}

void diag_forget(fcl_context *cx)
{
    diag_clear(cx);
    source_drop_all(cx, &cx->diags.given);
    if (!cx->diags.sources.len)
        vec_free(&cx->mem, &cx->diags.sources);
}

void diag_free(fcl_context *cx)
{
    diag_clear(cx);
    vec_free(&cx->mem, &cx->diags.all);
    for (uint32_t i = 0; i < cx->diags.sources.len; i++)
        source_free(cx, &cx->diags.sources.at[i]);
    vec_free(&cx->mem, &cx->diags.sources);
    vec_free(&cx->mem, &cx->diags.given);
}

/* A message is cut after 1023 bytes: names in it may be as long as the input likes. */
static str_id format_interned(fcl_context *cx, const char *fmt, va_list ap)
{
    char buf[1024];
    int n = vsnprintf(buf, sizeof buf, fmt, ap);
    if (n < 0)
        return 0;
    return intern_add(&cx->strings, buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

/* Beyond limits.errors it only counts, so that a program with a million errors needs no more memory
 * than one with a hundred. */
static void add(fcl_context *cx, diag d, const char *fmt, va_list ap)
{
    diag_list *l = &cx->diags;
    if (l->quiet)
        return;
    uint32_t *n = d.severity == DIAG_ERROR ? &l->errors : &l->warned;
    l->dropped = (*n)++ >= cx->limits.errors;
    if (l->dropped)
        return;
    d.text = format_interned(cx, fmt, ap);
    l->dropped = !vec_push(&cx->mem, &l->all, d);
}

bool diag_error(fcl_context *cx, diag_code code, location loc, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(cx, (diag){.severity = DIAG_ERROR, .code = code, .loc = loc}, fmt, ap);
    va_end(ap);
    return false;
}

/* The codes of warnings: those that are reported by default, and those that must be asked for. */
enum { WARNING_CODES = 1100, ASKED_FOR = 1150, WARNING_END = 1200, REMARK_END = 1300, OTHERS_ASKED_FOR = 2750 };

char diag_letter(unsigned code)
{
    bool own = code >= WARNING_CODES && code < WARNING_END;
    if (code >= WARNING_END && code < REMARK_END)
        return 'R';
    return own || (code >= DIAG_OTHERS_WARN && code < DIAG_OTHERS_END) ? 'W' : 'E';
}

static bool is_asked_for(unsigned code)
{
    return code >= (code < DIAG_OTHERS ? ASKED_FOR : OTHERS_ASKED_FOR);
}

void diag_warning(fcl_context *cx, diag_code code, location loc, const char *fmt, ...)
{
    diag_list *l = &cx->diags;
    l->dropped = true;
    if (l->warnings == WARNINGS_NONE ||
        (l->warnings == WARNINGS_DEFAULT && is_asked_for((unsigned)code)))
        return;
    va_list ap;
    va_start(ap, fmt);
    diag_severity severity = l->warnings_are_errors ? DIAG_ERROR : DIAG_WARNING;
    add(cx, (diag){.severity = severity, .code = code, .loc = loc}, fmt, ap);
    va_end(ap);
}

/* Linear in those that are kept, whose number the limit bounds. */
static bool is_told(const diag_list *l, const diag *d)
{
    for (uint32_t i = 0; i < l->all.len; i++) {
        const diag *k = &l->all.at[i];
        if (k->code == d->code && k->text == d->text && k->loc.file == d->loc.file &&
            k->loc.line == d->loc.line && k->loc.col == d->loc.col)
            return true;
    }
    return false;
}

bool diag_remark(fcl_context *cx, diag_code code, location loc, const char *fmt, ...)
{
    diag_list *l = &cx->diags;
    if (!l->remarks || l->quiet || l->remarked >= cx->limits.remarks)
        return false;
    diag d = {.severity = DIAG_REMARK, .code = code, .loc = loc};
    va_list ap;
    va_start(ap, fmt);
    d.text = format_interned(cx, fmt, ap);
    va_end(ap);
    if (is_told(l, &d))
        return false;
    l->remarked++;
    l->dropped = !vec_push(&cx->mem, &l->all, d);
    return !l->dropped;
}

void diag_quiet(fcl_context *cx, bool quiet)
{
    cx->diags.quiet = quiet;
}

/* The diagnostic that a note or hint belongs to; NULL when the last one was beyond the limit. */
static diag *last_diag(fcl_context *cx)
{
    diag_list *l = &cx->diags;
    return l->all.len && !l->quiet && !l->dropped ? &l->all.at[l->all.len - 1] : NULL;
}

void diag_note_add(fcl_context *cx, location loc, const char *fmt, ...)
{
    diag *d = last_diag(cx);
    if (!d)
        return;
    va_list ap;
    va_start(ap, fmt);
    diag_note n = {.loc = loc, .text = format_interned(cx, fmt, ap)};
    va_end(ap);
    vec_push(&cx->mem, &d->notes, n);
}

void diag_hint(fcl_context *cx, const char *fmt, ...)
{
    diag *d = last_diag(cx);
    if (!d)
        return;
    va_list ap;
    va_start(ap, fmt);
    d->hint = format_interned(cx, fmt, ap);
    va_end(ap);
}

void diag_call(fcl_context *cx, const char *name)
{
    diag *d = last_diag(cx);
    if (d)
        d->name = intern_cstr(&cx->strings, name);
}

/* Whether a stands before b in the same file. */
static bool stands_before(const diag *a, const diag *b)
{
    if (a->loc.file != b->loc.file || !a->loc.line || !b->loc.line)
        return false;
    return a->loc.line != b->loc.line ? a->loc.line < b->loc.line : a->loc.col < b->loc.col;
}

/* By insertion: they are few, and mostly in order. */
void diag_sort(fcl_context *cx, uint32_t from)
{
    diag *all = cx->diags.all.at;
    for (uint32_t i = from + 1; i < cx->diags.all.len; i++) {
        diag d = all[i];
        uint32_t k = i;
        for (; k > from && stands_before(&d, &all[k - 1]); k--)
            all[k] = all[k - 1];
        all[k] = d;
    }
}

const char *diag_title(diag_code code)
{
    switch (code) {
#define DIAG(code, number, title)                                                                  \
    case DIAG_##code:                                                                              \
        return title;
#include "ir/base/diag.def"
#undef DIAG
    }
    return NULL;
}

const char *diag_severity_name(diag_severity s)
{
    static const char *const names[] = {[DIAG_ERROR] = "error",
                                        [DIAG_WARNING] = "warning",
                                        [DIAG_NOTE] = "note",
                                        [DIAG_REMARK] = "remark"};
    return names[s];
}

/* ---- text form ---- */

const struct source *diag_source(const fcl_context *cx, str_id file)
{
    const source *newest = NULL;
    for (uint32_t i = 0; i < cx->diags.sources.len; i++) {
        const source *s = &cx->diags.sources.at[i];
        if (s->text && s->name == file && (!newest || s->number > newest->number))
            newest = s;
    }
    return newest;
}

/* NULL when the source has fewer lines.  Linear in the text: asked once for each diagnostic
 * shown. */
static const char *find_line(const source *s, uint32_t line, size_t *len)
{
    const char *p = s->text, *end = s->text + s->size;
    for (uint32_t l = 1; l < line; l++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p++)
            return NULL;
    }
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    *len = (size_t)((nl ? nl : end) - p);
    return p;
}

/* The line of a position, where its text is known: a position may come from a file that was changed
 * or never read. */
static const char *line_of(const fcl_context *cx, location loc, size_t *len)
{
    const source *s = loc.line ? diag_source(cx, loc.file) : NULL;
    const char *line = s ? find_line(s, loc.line, len) : NULL;
    return line && loc.col > 0 && loc.col <= *len + 1 ? line : NULL;
}

/* Adds nothing when there is no text or the position is not in it. */
static bool format_caret(fcl_context *cx, location loc, vec_char *out)
{
    size_t len;
    const char *line = line_of(cx, loc, &len);
    return !line || caret_draw(&cx->mem, line, len, loc.col - 1, loc.len, out);
}

/* Nothing for an unknown file; the file alone where there is no line, as in binary files.  Columns
 * count characters where the line is known. */
static bool format_position(fcl_context *cx, location loc, vec_char *out)
{
    if (!loc.file)
        return true;
    const char *file = intern_str(&cx->strings, loc.file);
    if (!loc.line)
        return text_addf(&cx->mem, out, "%s: ", file);
    size_t len;
    const char *line = line_of(cx, loc, &len);
    return text_addf(&cx->mem, out, "%s:%u:%u: ", file, loc.line,
                     line ? caret_column(line, len, loc.col - 1) : loc.col);
}

/* E0203, W1101, or a front end's own. */
static bool format_code(fcl_context *cx, const diag *d, vec_char *out)
{
    if (d->name)
        return text_addf(&cx->mem, out, "[%s]", intern_str(&cx->strings, d->name));
    return text_addf(&cx->mem, out, "[%c%04u]", diag_letter(d->code), (unsigned)d->code);
}

bool diag_format(fcl_context *cx, const diag *d, vec_char *out)
{
    mem *m = &cx->mem;
    bool ok = format_position(cx, d->loc, out) &&
              text_addf(m, out, "%s", diag_severity_name(d->severity)) && format_code(cx, d, out) &&
              text_addf(m, out, ": %s\n", intern_str(&cx->strings, d->text)) &&
              format_caret(cx, d->loc, out);
    for (uint32_t i = 0; ok && i < d->notes.len; i++) {
        const diag_note *n = &d->notes.at[i];
        ok = format_position(cx, n->loc, out) &&
             text_addf(m, out, "note: %s\n", intern_str(&cx->strings, n->text)) &&
             format_caret(cx, n->loc, out);
    }
    if (ok && d->hint)
        ok = text_addf(m, out, "help: %s\n", intern_str(&cx->strings, d->hint));
    return ok;
}
