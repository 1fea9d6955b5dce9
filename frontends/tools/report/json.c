/* Diagnostics as a JSON array, an object for each: the fields of fcl_diagnostic, its notes as
 * objects of the same kind, and the text that a user would read.  The text is under "rendered". */
#include "frontends/tools/report/form.h"

#include "frontends/tools/text.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at s; 0 when they are not one.  The second byte decides about what
 * shorter sequences encode too (after e0 and f0), surrogates (after ed) and what is beyond U+10FFFF
 * (after f4). */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = *s < 0x80                 ? 1
               : *s >= 0xc2 && *s < 0xe0 ? 2
               : (*s & 0xf0) == 0xe0     ? 3
               : *s >= 0xf0 && *s < 0xf5 ? 4
                                         : 0;
    unsigned char least = *s == 0xe0   ? 0xa0
                          : *s == 0xf0 ? 0x90
                                       : 0x80,
                  most = *s == 0xed   ? 0x9f
                         : *s == 0xf4 ? 0x8f
                                      : 0xbf;
    if (n > 1 && (s[1] < least || s[1] > most))
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/* JSON is UTF-8: bytes of file names and messages that are not become U+FFFD. */
void report_add_string(cJSON *to, const char *key, const char *s)
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

/* What diagnostics and notes have in common. */
static void add_place(cJSON *to, const fcl_diagnostic *d)
{
    report_add_string(to, "file", d->file ? d->file : "");
    cJSON_AddNumberToObject(to, "line", d->line);
    cJSON_AddNumberToObject(to, "column", d->column);
    cJSON_AddNumberToObject(to, "length", d->length);
    report_add_string(to, "message", d->message);
}

/* All texts go through report_add_string, but the library's own words. */
void report_add_json(report *r, const report_item *item)
{
    const fcl_diagnostic *d = item->d;
    char code[REPORT_CODE];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "severity", report_severity(d->severity));
    cJSON_AddStringToObject(object, "code", report_code(d, code));
    add_place(object, d);
    report_add_string(object, "hint", d->hint ? d->hint : "");
    cJSON *notes = cJSON_AddArrayToObject(object, "notes");
    for (size_t k = 0; k < d->notes; k++) {
        cJSON *note = cJSON_CreateObject();
        add_place(note, &item->notes[k]);
        cJSON_AddItemToArray(notes, note);
    }
    report_add_string(object, "rendered", item->rendered);
    cJSON_AddItemToArray(r->list, object);
}
