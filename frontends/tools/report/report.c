/* Collecting and writing diagnostics: see report.h.
 *
 * The library keeps diagnostics in its context; here they are taken over (report_flush) and shown,
 * in order with those of the programs, each at once as text, or all at the end in a form for
 * machines. */
#include "frontends/tools/report/report.h"

#include "frontends/tools/report/color.h"
#include "frontends/tools/report/files.h"
#include "frontends/tools/report/form.h"
#include "frontends/tools/text.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_begin(report *r, fcl_context *cx, report_form form, bool color)
{
    *r = (report){.cx = cx,
                  .form = form,
                  .color = color,
                  .list = form == REPORT_TEXT ? NULL : cJSON_CreateArray()};
}

void report_source(report *r, const char *name, const char *text, size_t size)
{
    r->source = (report_place){.file = name, .text = text, .size = size};
}

void position_of(const char *text, size_t offset, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        ++*column;
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        }
    }
}

/* ---- reporting ---- */

static void put_text(const report *r, const report_item *item)
{
    if (r->color)
        color_put(stderr, item->d->severity, item->rendered);
    else
        fputs(item->rendered, stderr);
}

/* Shows or keeps one diagnostic. */
static void put(report *r, const report_item *item)
{
    if (item->d->severity == FCL_ERROR)
        r->errors++;
    r->warnings += item->d->severity == FCL_WARNING;
    switch (r->form) {
    case REPORT_TEXT: put_text(r, item); break;
    case REPORT_JSON: report_add_json(r, item); break;
    case REPORT_SARIF: report_add_sarif(r, item); break;
    }
}

/* Text of a file that positions name, such as a front end's source: from where the program runs, or
 * from beside the input. */
static void find_source(report *r, const fcl_diagnostic *d)
{
    if (!d->line || !*d->file || fcl_source_known(r->cx, d->file))
        return;
    input in;
    if (input_find(d->file, r->source.file, &in)) {
        fcl_source_add(r->cx, d->file, in.data, in.size);
        input_free(&in);
    }
}

/* The context's diagnostic i, with its notes. */
static void put_diagnostic(report *r, size_t i)
{
    fcl_diagnostic d;
    if (!fcl_diagnostic_get(r->cx, i, &d, sizeof d))
        return;
    fcl_diagnostic *notes = d.notes ? tool_alloc(d.notes, sizeof *notes) : NULL;
    find_source(r, &d);
    for (size_t k = 0; k < d.notes; k++)
        if (fcl_diagnostic_note(r->cx, i, k, &notes[k], sizeof notes[k]))
            find_source(r, &notes[k]);
    put(r, &(report_item){.d = &d, .notes = notes, .rendered = fcl_diagnostic_text(r->cx, i)});
    free(notes);
}

/* What the limit on errors has left out, as a note. */
static void put_beyond(report *r, size_t n)
{
    string message = {0}, out = {0};
    string_addf(&message, "%zu more %s not shown: --limit=errors=N shows N", n,
                n == 1 ? "error is" : "errors are");
    fcl_diagnostic d = {
        .severity = FCL_NOTE, .code = TD_MORE_ERRORS, .message = string_str(&message)};
    string_addf(&out, "note[E%04u]: %s\n", d.code, d.message);
    put(r, &(report_item){.d = &d, .rendered = string_str(&out)});
    string_free(&message);
    string_free(&out);
}

/* In the order in which they were reported. */
void report_flush(report *r)
{
    size_t beyond = fcl_diagnostics_beyond(r->cx);
    for (size_t i = 0; i < fcl_diagnostic_count(r->cx); i++)
        put_diagnostic(r, i);
    if (beyond)
        put_beyond(r, beyond);
    r->errors += beyond;
    fcl_diagnostics_clear(r->cx);
}

/* ---- the programs' own ---- */

/* A diagnostic as text, in the library's format, which draws the caret. */
static void render(const report *r, string *out, const report_place *at, const fcl_diagnostic *d)
{
    char *caret = NULL;
    size_t size = 0;
    unsigned column = 0;
    if (d->line) {
        size_t start = at->offset - (d->column - 1), end = at->offset;
        while (end < at->size && at->text[end] != '\n')
            end++;
        caret = fcl_caret(r->cx, at->text + start, end - start, d->column - 1, d->length, &column,
                          &size);
    }
    if (d->file && d->line)
        string_addf(out, "%s:%u:%u: ", d->file, d->line, column);
    else if (d->file)
        string_addf(out, "%s: ", d->file);
    string_addf(out, "%s[%c%04u]: %s\n", report_severity(d->severity),
                fcl_diagnostic_letter(d->code), d->code, d->message);
    if (caret)
        string_add(out, caret, size);
    if (d->hint)
        string_addf(out, "help: %s\n", d->hint);
    if (caret)
        fcl_free(r->cx, caret, size);
}

/* What the library has reported so far comes first, so that the order is that of events. */
bool report_error(report *r, tool_code code, report_place at, const char *hint, const char *fmt,
                  ...)
{
    char message[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    report_flush(r);
    fcl_diagnostic d = {
        .severity = FCL_ERROR, .code = code, .file = at.file, .message = message, .hint = hint};
    if (at.text) {
        position_of(at.text, at.offset, &d.line, &d.column);
        d.length = (unsigned)at.length;
    }
    string out = {0};
    render(r, &out, &at, &d);
    put(r, &(report_item){.d = &d, .rendered = string_str(&out)});
    string_free(&out);
    return false;
}

/* How many there were, where there are several or there were warnings: these are easily
 * overlooked. */
static void put_summary(const report *r)
{
    if (!r->warnings && r->errors < 2)
        return;
    if (r->errors)
        fprintf(stderr, "%zu error%s%s", r->errors, r->errors == 1 ? "" : "s",
                r->warnings ? ", " : "\n");
    if (r->warnings)
        fprintf(stderr, "%zu warning%s\n", r->warnings, r->warnings == 1 ? "" : "s");
}

void report_end(report *r)
{
    report_flush(r);
    if (!r->list) {
        put_summary(r);
        return;
    }
    cJSON *all = r->form == REPORT_SARIF ? report_sarif_log(r) : r->list;
    char *printed = cJSON_Print(all);
    fprintf(stderr, "%s\n", printed ? printed : "[]");
    free(printed);
    cJSON_Delete(all);
    r->list = NULL;
}
