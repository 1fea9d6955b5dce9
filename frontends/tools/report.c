/* Diagnostics as text or JSON: see report.h. */
#include "frontends/tools/report.h"

#include "frontends/tools/text.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_begin(report *r, fcl_context *cx, bool json)
{
    *r = (report){.cx = cx, .list = json ? cJSON_CreateArray() : NULL};
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

const char *report_explain(unsigned code)
{
    switch (code) {
#define DIAG(code, number, title)                                                                                      \
    case number:                                                                                                       \
        return title;
#include "frontends/tools/diag.def"
#undef DIAG
    default: return fcl_diagnostic_explain(code);
    }
}

/* ---- JSON ---- */

/* Bytes of the UTF-8 character at s; 0 when they are not one. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/* JSON is UTF-8: bytes of file names and messages that are not become U+FFFD. */
static void add_string(cJSON *to, const char *key, const char *s)
{
    string clean = {0};
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        size_t n = utf8_length(p);
        if (n)
            string_add(&clean, (const char *)p, n);
        else
            string_add(&clean, "\xef\xbf\xbd", 3);
        p += n ? n : 1;
    }
    cJSON_AddStringToObject(to, key, string_str(&clean));
    string_free(&clean);
}

static const char *severity_name(fcl_severity s)
{
    return s == FCL_ERROR ? "error" : s == FCL_WARNING ? "warning" : "note";
}

static void add_json(report *r, const fcl_diagnostic *d, const char *rendered)
{
    char code[16];
    snprintf(code, sizeof code, "E%04u", d->code);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "severity", severity_name(d->severity));
    cJSON_AddStringToObject(item, "code", code);
    add_string(item, "file", d->file ? d->file : "");
    cJSON_AddNumberToObject(item, "line", d->line);
    cJSON_AddNumberToObject(item, "column", d->column);
    cJSON_AddNumberToObject(item, "length", d->length);
    add_string(item, "message", d->message);
    add_string(item, "hint", d->hint ? d->hint : "");
    add_string(item, "rendered", rendered ? rendered : "");
    cJSON_AddItemToArray(r->list, item);
}

static void put(report *r, const fcl_diagnostic *d, const char *rendered)
{
    if (d->severity == FCL_ERROR)
        r->errors++;
    if (r->list)
        add_json(r, d, rendered);
    else
        fputs(rendered ? rendered : "error[E0804]: memory ran out\n", stderr);
}

void report_flush(report *r)
{
    fcl_diagnostic d;
    for (size_t i = 0; i < fcl_diagnostic_count(r->cx); i++)
        if (fcl_diagnostic_get(r->cx, i, &d))
            put(r, &d, fcl_diagnostic_text(r->cx, i));
    fcl_diagnostics_clear(r->cx);
}

/* ---- the programs' own ---- */

enum { SHOWN_COLUMNS = 160 }; /* of a long line, the part around the caret */

static void draw_caret(string *out, const place *at, const fcl_diagnostic *d)
{
    size_t start = at->offset - (d->column - 1), end = at->offset;
    while (end < at->size && at->text[end] != '\n')
        end++;
    if (at->offset - start > SHOWN_COLUMNS / 2)
        start = at->offset - SHOWN_COLUMNS / 2;
    if (end - start > SHOWN_COLUMNS)
        end = start + SHOWN_COLUMNS;
    string_addf(out, "    ");
    for (size_t i = start; i < end; i++) {
        unsigned char c = (unsigned char)at->text[i];
        string_addf(out, "%c", c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : c);
    }
    string_addf(out, "\n    %*s^", (int)(at->offset - start), "");
    for (size_t i = 1; i < d->length && at->offset + i < end; i++)
        string_add(out, "~", 1);
    string_add(out, "\n", 1);
}

static void render(string *out, const place *at, const fcl_diagnostic *d)
{
    if (d->file && d->line)
        string_addf(out, "%s:%u:%u: ", d->file, d->line, d->column);
    else if (d->file)
        string_addf(out, "%s: ", d->file);
    string_addf(out, "%s[E%04u]: %s\n", severity_name(d->severity), d->code, d->message);
    if (d->line)
        draw_caret(out, at, d);
    if (d->hint)
        string_addf(out, "help: %s\n", d->hint);
}

bool report_error(report *r, tool_code code, place at, const char *hint, const char *fmt, ...)
{
    char message[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    report_flush(r);
    fcl_diagnostic d = {.severity = FCL_ERROR, .code = code, .file = at.file, .message = message, .hint = hint};
    if (at.text) {
        position_of(at.text, at.offset, &d.line, &d.column);
        d.length = (unsigned)at.length;
    }
    string out = {0};
    render(&out, &at, &d);
    put(r, &d, string_str(&out));
    string_free(&out);
    return false;
}

void report_end(report *r)
{
    report_flush(r);
    if (!r->list)
        return;
    char *printed = cJSON_Print(r->list);
    fprintf(stderr, "%s\n", printed ? printed : "[]");
    free(printed);
    cJSON_Delete(r->list);
    r->list = NULL;
}
