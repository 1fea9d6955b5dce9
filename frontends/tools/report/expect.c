/* Expected diagnostics: see expect.h.  Expectations are matched from the most to the least
 * particular, so that one that would take anything leaves to the others what only they can take. */
#include "frontends/tools/report/expect.h"

#include "frontends/tools/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct expectation {
    size_t offset, length;       /* of the comment, for reports */
    unsigned code, line, column; /* line 0: anywhere; column 0: any */
    const char *words;           /* in the message; nwords 0: any */
    size_t nwords;
    bool malformed, met;
} expectation;

typedef struct verifier {
    report *rep;
    const char *file, *data;
    size_t size;
    expectation *list;
    size_t n, cap;
} verifier;

/* A place in the file. */
static report_place place_at(const verifier *v, size_t offset, size_t length)
{
    return (report_place){
        .file = v->file, .text = v->data, .size = v->size, .offset = offset, .length = length};
}

/* ---- reading ---- */

static const char marker[] = "//!";
enum { MARKER = 3 };

/* The first marker from s on; NULL when there is none. */
static const char *find_marker(const char *s, const char *end)
{
    for (; s + MARKER <= end; s++)
        if (memcmp(s, marker, MARKER) == 0)
            return s;
    return NULL;
}

/* Past blanks and tabs, not past the end of the line. */
static const char *skip_space(const char *s, const char *end)
{
    while (s < end && (*s == ' ' || *s == '\t'))
        s++;
    return s;
}

/* A decimal number at *s, which moves behind it; 0 when there is none or it has more than 9 digits.
 */
static unsigned take_number(const char **s, const char *end)
{
    unsigned x = 0;
    for (size_t n = 0; *s < end && **s >= '0' && **s <= '9'; ++*s)
        x = n++ < 9 ? x * 10 + (unsigned)(**s - '0') : 0;
    return x;
}

/* Reads what follows the marker: [file] E0302 [@12] [text]. */
static bool read_expectation(const char *s, const char *end, expectation *e)
{
    if (end - s >= 4 && memcmp(s, "file", 4) == 0) {
        s += 4;
        e->line = 0;
    }
    s = skip_space(s, end);
    char letter = s == end ? 0 : *s++;
    e->code = take_number(&s, end);
    if (letter != fcl_diagnostic_letter(e->code))
        return false;
    s = skip_space(s, end);
    if (s < end && *s == '@') {
        s++;
        e->column = take_number(&s, end);
        if (!e->column)
            return false;
    }
    e->words = s = skip_space(s, end);
    while (end > s && strchr(" \t\r", end[-1]))
        end--;
    e->nwords = (size_t)(end - s);
    return e->code != 0;
}

/* The line that an expectation on its own line is about: the first one after it that is not another
 * such comment. */
static unsigned next_line(const verifier *v, const char *s, unsigned line)
{
    const char *end = v->data + v->size;
    for (;;) {
        s = memchr(s, '\n', (size_t)(end - s));
        line++;
        if (!s)
            return line;
        s = skip_space(s + 1, end);
        if (find_marker(s, end) != s)
            return line;
    }
}

/* Adds the expectation whose marker is at `at`, on the line that begins at `start`. */
static void add_expectation(verifier *v, const char *start, const char *at, const char *end,
                            unsigned line)
{
    if (v->n == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 16;
        expectation *more = tool_alloc(cap, sizeof *more);
        if (v->n)
            memcpy(more, v->list, v->n * sizeof *more);
        free(v->list);
        v->list = more;
        v->cap = cap;
    }
    expectation *e = &v->list[v->n++];
    *e = (expectation){.offset = (size_t)(at - v->data), .length = (size_t)(end - at)};
    e->line = skip_space(start, end) == at ? next_line(v, at, line) : line;
    e->malformed = !read_expectation(at + MARKER, end, e);
}

static void read_expectations(verifier *v)
{
    const char *s = v->data, *end = v->data + v->size;
    for (unsigned line = 1; s < end; line++) {
        const char *newline = memchr(s, '\n', (size_t)(end - s)), *stop = newline ? newline : end;
        const char *at = find_marker(s, stop);
        if (at)
            add_expectation(v, s, at, stop, line);
        s = stop + 1;
    }
}

/* ---- comparing ---- */

/* How much an expectation asks for: the line, the column and the text. */
static int particularity(const expectation *e)
{
    return (e->line != 0) + (e->column != 0) + (e->nwords != 0);
}

/* Whether the words are part of the message; none always are. */
static bool contains(const char *message, const char *words, size_t n)
{
    size_t len = strlen(message);
    for (size_t i = 0; i + n <= len; i++)
        if (memcmp(message + i, words, n) == 0)
            return true;
    return false;
}

static bool matches(const expectation *e, const fcl_diagnostic *d)
{
    return d->code == e->code && (!e->line || d->line == e->line) &&
           (!e->column || d->column == e->column) && contains(d->message, e->words, e->nwords);
}

/* The errors of the context that no expectation took yet. */
typedef struct found {
    size_t n;
    bool *taken;
} found;

/* Gives the expectation the first error that it matches and nothing has taken. */
static void match_one(verifier *v, found *f, expectation *e)
{
    fcl_diagnostic d;
    for (size_t i = 0; i < f->n && !e->met; i++)
        if (!f->taken[i] && fcl_diagnostic_get(v->rep->cx, i, &d, sizeof d) &&
            (d.severity == FCL_ERROR || d.severity == FCL_REMARK) && matches(e, &d))
            f->taken[i] = e->met = true;
}

/* A greedy matching, from the most particular on: see the head of this file. */
static void match_all(verifier *v, found *f)
{
    for (int wanted = 3; wanted >= 0; wanted--)
        for (size_t i = 0; i < v->n; i++)
            if (!v->list[i].malformed && particularity(&v->list[i]) == wanted)
                match_one(v, f, &v->list[i]);
}

/* Reports an expectation that was not met; returns false. */
static bool report_expectation(verifier *v, const expectation *e)
{
    report_place at = place_at(v, e->offset, e->length);
    if (e->malformed)
        return report_error(v->rep, TD_EXPECT_SYNTAX, at,
                            "write //! E0302 @COLUMN text, or //!file E0302 text",
                            "this is no expectation");
    if (e->line)
        return report_error(v->rep, TD_EXPECT_MISSING, at, NULL,
                            "%c%04u is expected on line %u%s and was not reported",
                            fcl_diagnostic_letter(e->code), e->code, e->line,
                            e->column || e->nwords ? " as written here" : "");
    return report_error(v->rep, TD_EXPECT_MISSING, at, NULL,
                        "%c%04u is expected and was not reported", fcl_diagnostic_letter(e->code),
                        e->code);
}

/* A diagnostic that nothing expects, copied: reporting clears the context. */
typedef struct surplus {
    unsigned code, line, column;
    char *message;
} surplus;

static size_t collect_surplus(const verifier *v, const found *f, surplus *out)
{
    size_t n = 0;
    fcl_diagnostic d;
    for (size_t i = 0; i < f->n; i++)
        if (!f->taken[i] && fcl_diagnostic_get(v->rep->cx, i, &d, sizeof d) &&
            d.severity != FCL_NOTE && d.severity != FCL_REMARK)
            out[n++] =
                (surplus){d.code, d.line, d.column, tool_strndup(d.message, strlen(d.message))};
    return n;
}

/* Where a position is in the file; its end where the file has no such place. */
static size_t offset_of(const verifier *v, unsigned line, unsigned column)
{
    size_t at = 0;
    for (unsigned l = 1; l < line && at < v->size; at++)
        l += v->data[at] == '\n';
    at += column ? column - 1 : 0;
    return at < v->size ? at : v->size;
}

static void report_surplus(verifier *v, const surplus *s)
{
    report_place at = s->line ? place_at(v, offset_of(v, s->line, s->column), 1)
                              : (report_place){.file = v->file};
    report_error(v->rep, TD_EXPECT_SURPLUS, at, NULL, "nothing expects %c%04u: %s",
                 fcl_diagnostic_letter(s->code), s->code, s->message);
}

/* What was found is copied before anything is reported, since reporting clears the context's
 * list. */
static bool compare(verifier *v)
{
    found f = {.n = fcl_diagnostic_count(v->rep->cx)};
    f.taken = tool_alloc(f.n, sizeof *f.taken);
    surplus *rest = tool_alloc(f.n, sizeof *rest);
    match_all(v, &f);
    size_t n = collect_surplus(v, &f, rest);
    fcl_diagnostics_clear(v->rep->cx);
    bool ok = n == 0;
    for (size_t i = 0; i < v->n; i++)
        if (!v->list[i].met)
            ok = report_expectation(v, &v->list[i]);
    for (size_t i = 0; i < n; i++) {
        report_surplus(v, &rest[i]);
        free(rest[i].message);
    }
    free(rest);
    free(f.taken);
    return ok;
}

bool expect_verify(report *r, const char *file, const char *data, size_t size)
{
    verifier v = {.rep = r, .file = file, .data = data, .size = size};
    read_expectations(&v);
    bool ok = compare(&v);
    free(v.list);
    return ok;
}
