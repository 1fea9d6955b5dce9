/* What the programs report: the context's diagnostics, and their own from diag.def, on standard
 * error, as text in the library's format, or as JSON at the end: an array of diagnostics, or a log
 * in SARIF 2.1.0. */
#ifndef FCL_TOOLS_REPORT_H
#define FCL_TOOLS_REPORT_H

#include "libfcl/fcl.h"

typedef enum tool_code {
#define DIAG(code, number, title) TD_##code = number,
#include "frontends/tools/report/diag.def"
#undef DIAG
} tool_code;

typedef enum { REPORT_TEXT, REPORT_JSON, REPORT_SARIF } report_form;

/* Where: the file alone, or also an offset into its text and how many characters the caret covers.
 */
typedef struct report_place {
    const char *file; /* NULL: nowhere */
    const char *text; /* NULL: the file as a whole */
    size_t size, offset, length;
} report_place;

typedef struct report {
    fcl_context *cx;
    report_form form;
    bool color;
    struct cJSON *list;  /* what was reported so far; NULL when the form is text */
    report_place source; /* the text of the input, for columns in characters */
    size_t errors, warnings;
} report;

/* The context must outlive the report; report_end is due. */
void report_begin(report *r, fcl_context *cx, report_form form, bool color);
/* Tells the text of a file that diagnostics point into; it stays the caller's, until the report
 * ends. */
void report_source(report *r, const char *name, const char *text, size_t size);
/* Takes over the context's diagnostics and clears them. */
void report_flush(report *r);
/* Reports an error of the programs; returns false.  hint: what to do, or NULL. */
bool report_error(report *r, tool_code code, report_place at, const char *hint, const char *fmt,
                  ...) __attribute__((format(printf, 5, 6)));
/* Ends the report (prints what is for machines). */
void report_end(report *r);
/* The title of a code of the programs or of the library; NULL for an unknown one. */
const char *report_explain(unsigned code);

/* Line and column, from 1, of an offset. */
void position_of(const char *text, size_t offset, unsigned *line, unsigned *column);

#endif
