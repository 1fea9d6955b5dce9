/* Diagnostics as a log in SARIF 2.1.0 (OASIS), which editors and code hosts read.
 *
 * A result for each diagnostic; its notes are related locations; the rules are the codes that
 * occur, with their titles, and what docs/diagnostics.md says as help.  Columns count characters,
 * as the standard wants; diagnostics count bytes. */
#include "frontends/tools/report/form.h"

#include "frontends/tools/commands/pages.h"
#include "frontends/tools/text.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/* {key: {"text": s}}; hint: a second sentence, or "". */
static void add_message(cJSON *to, const char *key, const char *s, const char *hint)
{
    string text = {0};
    string_addf(&text, "%s%s%s", s, *hint ? "\nhelp: " : "", hint);
    report_add_string(cJSON_AddObjectToObject(to, key), "text", string_str(&text));
    string_free(&text);
}

/* ---- places ---- */

/* A relative reference, or a file: URI. */
static void add_uri(cJSON *to, const char *path)
{
    string uri = {0};
    if (path[0] == '/')
        string_addf(&uri, "file://");
    for (const unsigned char *p = (const unsigned char *)path; *p; p++)
        if (isalnum(*p) || strchr("/._-~", *p))
            string_addf(&uri, "%c", *p);
        else
            string_addf(&uri, "%%%02X", *p);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(to, "artifactLocation"), "uri",
                            string_str(&uri));
    string_free(&uri);
}

/* The start of a line of the input; NULL when it is not the input's, or has no such line. */
static const char *line_of(const report *r, const fcl_diagnostic *d)
{
    const report_place *s = &r->source;
    if (!s->text || !s->file || strcmp(s->file, d->file) != 0)
        return NULL;
    const char *p = s->text, *end = s->text + s->size;
    for (unsigned line = 1; line < d->line && p; line++) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    return p;
}

/* The column in characters of a column in bytes. */
static unsigned characters(const report *r, const char *line, unsigned column)
{
    unsigned n = 1;
    if (!line)
        return column;
    for (unsigned i = 0; i + 1 < column && line + i < r->source.text + r->source.size; i++)
        n += ((unsigned char)line[i] & 0xc0) != 0x80;
    return n;
}

/* Line and columns, as far as they are known; endColumn is the column behind the last character. */
static void add_region(const report *r, cJSON *to, const fcl_diagnostic *d)
{
    if (!d->line)
        return;
    const char *line = line_of(r, d);
    cJSON *region = cJSON_AddObjectToObject(to, "region");
    cJSON_AddNumberToObject(region, "startLine", d->line);
    if (!d->column)
        return;
    cJSON_AddNumberToObject(region, "startColumn", characters(r, line, d->column));
    if (d->length)
        cJSON_AddNumberToObject(region, "endColumn", characters(r, line, d->column + d->length));
}

/* A location object; empty where the diagnostic has no file. */
static cJSON *location_of(const report *r, const fcl_diagnostic *d)
{
    cJSON *location = cJSON_CreateObject();
    if (d->file && *d->file) {
        cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
        add_uri(physical, d->file);
        add_region(r, physical, d);
    }
    return location;
}

/* ---- results ---- */

/* The notes, as related locations with messages. */
static void add_notes(const report *r, cJSON *result, const report_item *item)
{
    if (!item->d->notes)
        return;
    cJSON *related = cJSON_AddArrayToObject(result, "relatedLocations");
    for (size_t k = 0; k < item->d->notes; k++) {
        cJSON *location = location_of(r, &item->notes[k]);
        cJSON_AddNumberToObject(location, "id", (double)k);
        add_message(location, "message", item->notes[k].message, "");
        cJSON_AddItemToArray(related, location);
    }
}

void report_add_sarif(report *r, const report_item *item)
{
    const fcl_diagnostic *d = item->d;
    char id[REPORT_CODE];
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "ruleId", report_code(d, id));
    fcl_severity level = d->severity == FCL_REMARK ? FCL_NOTE : d->severity; /* SARIF has no other */
    cJSON_AddStringToObject(result, "level", report_severity(level));
    add_message(result, "message", d->message, d->hint ? d->hint : "");
    cJSON *locations = cJSON_AddArrayToObject(result, "locations");
    if (d->file && *d->file)
        cJSON_AddItemToArray(locations, location_of(r, d));
    add_notes(r, result, item);
    cJSON_AddItemToArray(r->list, result);
}

/* ---- rules and the log ---- */

/* What docs/diagnostics.md says: the first paragraph as text, all of it as markdown. */
static void add_help(cJSON *rule, unsigned code)
{
    size_t n, all;
    const char *first = explain_paragraph(code, &n), *section = explain_section(code, &all);
    if (!first)
        return;
    string text = {0};
    cJSON *help = cJSON_AddObjectToObject(rule, "help");
    string_add(&text, first, n);
    report_add_string(help, "text", string_str(&text));
    string_free(&text);
    text = (string){0};
    string_add(&text, section, all);
    report_add_string(help, "markdown", string_str(&text));
    string_free(&text);
}

/* The number of a code of the library's or the programs' own; 0: a name that somebody gave. */
static unsigned number_of(const char *id)
{
    char *end;
    unsigned long code = isdigit((unsigned char)id[1]) ? strtoul(id + 1, &end, 10) : 0;
    return code && !*end && strlen(id) == 5 ? (unsigned)code : 0;
}

/* A rule, from its code and the pages. */
static cJSON *rule_of(const char *id)
{
    unsigned code = number_of(id);
    cJSON *rule = cJSON_CreateObject();
    const char *title = report_explain(code);
    cJSON_AddStringToObject(rule, "id", id);
    if (title)
        add_message(rule, "shortDescription", title, "");
    add_help(rule, code);
    return rule;
}

/* The index of a result's rule among the rules, where it is added when it is new. */
static double rule_index(cJSON *rules, const char *id)
{
    int i = 0;
    const cJSON *rule;
    cJSON_ArrayForEach(rule, rules)
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(rule, "id")), id) == 0)
            return i;
        i++;
    }
    cJSON_AddItemToArray(rules, rule_of(id));
    return i;
}

/* The program, with the rules of all results, each of which gets the index of its own. */
static void add_tool(cJSON *run, cJSON *results)
{
    cJSON *driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver"),
          *result;
    cJSON_AddStringToObject(driver, "name", "libfcl");
    cJSON_AddStringToObject(driver, "version", fcl_version());
    cJSON *rules = cJSON_AddArrayToObject(driver, "rules");
    cJSON_ArrayForEach(result, results) cJSON_AddNumberToObject(
        result, "ruleIndex",
        rule_index(rules, cJSON_GetStringValue(cJSON_GetObjectItem(result, "ruleId"))));
}

cJSON *report_sarif_log(report *r)
{
    cJSON *log = cJSON_CreateObject(), *run = cJSON_CreateObject(),
          *invocation = cJSON_CreateObject();
    cJSON_AddStringToObject(log, "$schema", schema);
    cJSON_AddStringToObject(log, "version", "2.1.0");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(log, "runs"), run);
    add_tool(run, r->list);
    cJSON_AddBoolToObject(invocation, "executionSuccessful", r->errors == 0);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(run, "invocations"), invocation);
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    cJSON_AddItemToObject(run, "results", r->list);
    return log;
}
