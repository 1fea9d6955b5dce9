/* Diagnostics: what is wrong, where, and what to do about it.
 *
 * A diagnostic is a value in the context's list.  Its code comes from diag.def; nothing here
 * prints.  Locations are positions in a registered source (file name and, if given, text), so that
 * a caret can be drawn later. */
#ifndef FCL_BASE_DIAG_H
#define FCL_BASE_DIAG_H

#include "ir/base/intern.h"

struct fcl_context;

/* A position: file (interned name), line and column from 1 (0: none), and how many columns it
 * covers. */
typedef struct location {
    str_id file;
    uint32_t line, col, len;
} location;

typedef enum { DIAG_ERROR = 1, DIAG_WARNING, DIAG_NOTE, DIAG_REMARK } diag_severity;

/* Which warnings are reported: those that are surely mistakes, all, or none. */
typedef enum { WARNINGS_DEFAULT, WARNINGS_ALL, WARNINGS_NONE } diag_warnings;

typedef enum diag_code {
#define DIAG(code, number, title) DIAG_##code = number,
#include "ir/base/diag.def"
#undef DIAG
} diag_code;

/* The codes of front ends, which diag.def leaves alone: errors, then warnings. */
enum { DIAG_OTHERS = 2000, DIAG_OTHERS_WARN = 2500, DIAG_OTHERS_END = 3000 };

typedef struct diag_note {
    location loc;
    str_id text;
} diag_note;

typedef struct diag {
    diag_severity severity;
    diag_code code;
    location loc;
    str_id text;
    VEC(diag_note) notes;
    str_id hint; /* what to do; 0: the message says it */
    str_id name; /* what users call it, where a front end has codes of its own; else 0 */
} diag;

typedef struct diag_list {
    VEC(diag) all;
    VEC(struct source) sources; /* source.h */
    uint32_t gaps;              /* of them that went */
    uint64_t registered;        /* how often one was */
    vec_u32 given;              /* those that the caller gave and that stay: fcl_source_add */
    uint32_t errors;            /* all that were reported, those beyond the limit included */
    uint32_t warned;            /* warnings, likewise */
    uint32_t remarked;          /* remarks, likewise */
    bool remarks;               /* what passes decide is told */
    bool quiet;                 /* nothing is reported */
    bool dropped;               /* the last one was not kept: its notes are not, either */
    uint8_t warnings;           /* diag_warnings */
    bool warnings_are_errors;
} diag_list;

void diag_init(struct fcl_context *cx);
void diag_clear(struct fcl_context *cx);  /* drops diagnostics, keeps sources */
void diag_forget(struct fcl_context *cx); /* drops diagnostics and the sources that nobody holds but
                                             the caller */
void diag_free(struct fcl_context *cx);
/* While code is only looked at, what is wrong with it is for the real run to report. */
void diag_quiet(struct fcl_context *cx, bool quiet);

/* Registers a source text (copied) so that carets can be drawn; returns its interned name. */
str_id diag_add_source(struct fcl_context *cx, const char *name, const char *text, size_t size);

/* The newest source with this name, NULL when there is none: a file that was read twice shows its
 * latest text. */
const struct source *diag_source(const struct fcl_context *cx, str_id name);

/* Reports an error; returns false so that a checker can `return diag_error(...)`. */
bool diag_error(struct fcl_context *cx, diag_code code, location loc, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports a warning, if those of its code are wanted: as an error where warnings are errors. */
void diag_warning(struct fcl_context *cx, diag_code code, location loc, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Tells what a pass has decided and why, if that is wanted; what has been told already is not told again, as several targets
 * are compiled for in one call.  True: it was kept, and notes may follow. */
bool diag_remark(struct fcl_context *cx, diag_code code, location loc, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds to the diagnostic reported last. */
void diag_note_add(struct fcl_context *cx, location loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_hint(struct fcl_context *cx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The code of the diagnostic reported last, in place of its letter and number; copied. */
void diag_call(struct fcl_context *cx, const char *name);

/* Puts the diagnostics from number `from` on in the order of their lines, where they are of one
 * file. */
void diag_sort(struct fcl_context *cx, uint32_t from);

/* FILE:LINE:COL: error[E0203]: message, the source line with a caret, notes and hint.  Ends with a
 * newline. */
bool diag_format(struct fcl_context *cx, const diag *d, vec_char *out);
/* The title of a code, as `fclc explain` shows it; NULL for an unknown one. */
const char *diag_title(diag_code code);
const char *diag_severity_name(diag_severity s);
/* The letter before a code's number: E, W for a warning, R for a remark. */
char diag_letter(unsigned code);

#endif
