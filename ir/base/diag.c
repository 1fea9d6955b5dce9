/* The diagnostic list and its text form: see diag.h. */
#include "ir/base/diag.h"

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
    cx->diags.errors = 0;
    source_sweep(cx);
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
bool diag_error(fcl_context *cx, diag_code code, location loc, const char *fmt, ...)
{
    diag_list *l = &cx->diags;
    if (l->quiet)
        return false;
    if (l->errors++ >= cx->limits.errors)
        return false;
    va_list ap;
    va_start(ap, fmt);
    diag d = {
        .severity = DIAG_ERROR, .code = code, .loc = loc, .text = format_interned(cx, fmt, ap)};
    va_end(ap);
    vec_push(&cx->mem, &l->all, d);
    return false;
}

void diag_quiet(fcl_context *cx, bool quiet)
{
    cx->diags.quiet = quiet;
}

/* The diagnostic that a note or hint belongs to; NULL when the last one was beyond the limit. */
static diag *last_diag(fcl_context *cx)
{
    diag_list *l = &cx->diags;
    return l->all.len && !l->quiet && l->errors <= cx->limits.errors ? &l->all.at[l->all.len - 1]
                                                                     : NULL;
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
    return s == DIAG_ERROR ? "error" : s == DIAG_WARNING ? "warning" : "note";
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

enum { SHOWN_COLUMNS = 160 }; /* of a long line, the part around the caret */

/* Adds nothing when there is no text or the position is not in it: a position may come from a file
 * that was changed or never read.  What would move the caret or control a terminal is replaced. */
static bool format_caret(fcl_context *cx, location loc, vec_char *out)
{
    const source *s = loc.line ? diag_source(cx, loc.file) : NULL;
    size_t len;
    const char *line = s ? find_line(s, loc.line, &len) : NULL;
    if (!line || loc.col == 0 || loc.col > len + 1)
        return true;
    size_t at = loc.col - 1, from = at > SHOWN_COLUMNS / 2 ? at - SHOWN_COLUMNS / 2 : 0;
    size_t shown = len - from < SHOWN_COLUMNS ? len - from : SHOWN_COLUMNS;
    bool ok = text_add(&cx->mem, out, "    ", 4);
    for (size_t i = from; i < from + shown; i++) {
        unsigned char c = (unsigned char)line[i];
        ok = ok && text_addf(&cx->mem, out, "%c", c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : c);
    }
    ok = ok && text_addf(&cx->mem, out, "\n    %*s^", (int)(at - from), "");
    for (uint32_t i = 1; i < loc.len && at + i < from + shown; i++)
        ok = ok && text_add(&cx->mem, out, "~", 1);
    return ok && text_add(&cx->mem, out, "\n", 1);
}

/* Nothing for an unknown file; the file alone where there is no line, as in binary files. */
static bool format_position(fcl_context *cx, location loc, vec_char *out)
{
    if (!loc.file)
        return true;
    const char *file = intern_str(&cx->strings, loc.file);
    if (!loc.line)
        return text_addf(&cx->mem, out, "%s: ", file);
    return text_addf(&cx->mem, out, "%s:%u:%u: ", file, loc.line, loc.col);
}

bool diag_format(fcl_context *cx, const diag *d, vec_char *out)
{
    mem *m = &cx->mem;
    bool ok = format_position(cx, d->loc, out) &&
              text_addf(m, out, "%s[E%04u]: %s\n", diag_severity_name(d->severity),
                        (unsigned)d->code, intern_str(&cx->strings, d->text)) &&
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
