/* The forms for machines in which diagnostics are reported: report.c chooses, report/json.c and
 * report/sarif.c write. */
#ifndef FCL_TOOLS_REPORT_FORM_H
#define FCL_TOOLS_REPORT_FORM_H

#include "frontends/tools/report/report.h"

struct cJSON;

/* A diagnostic, its notes (as many as it says) and its text. */
typedef struct report_item {
    const fcl_diagnostic *d, *notes;
    const char *rendered;
} report_item;

/* The code as users see it: E0203, W1101, or the name that whoever reported it gave. */
enum { REPORT_CODE = 40 };
const char *report_code(const fcl_diagnostic *d, char out[REPORT_CODE]);
/* "error", "warning", "note": also SARIF's names. */
const char *report_severity(fcl_severity s);
/* Adds a string as UTF-8, whatever it is. */
void report_add_string(struct cJSON *to, const char *key, const char *s);

/* Each adds an object to r->list. */
void report_add_json(report *r, const report_item *item);
void report_add_sarif(report *r, const report_item *item);
/* The whole log around r->list, which it takes over. */
struct cJSON *report_sarif_log(report *r);

#endif
