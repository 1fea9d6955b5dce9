/* What a search shows of itself: a line on the terminal while it runs, all points as JSON, a chart as SVG. */
#ifndef FCL_TOOLS_TUNE_SHOW_H
#define FCL_TOOLS_TUNE_SHOW_H

#include "frontends/tools/tune/record.h"
#include "frontends/tools/tune/search.h"

/* What the points are of. */
typedef struct subject {
    record_key key;
    const char *measure, *unit;
} subject;

/* A line on standard error, over the one before, where that is a terminal; done: the line ends. */
void show_progress(const search *s, const subject *of, bool done);
bool show_json(report *r, const char *path, const search *s, const subject *of);
bool show_svg(report *r, const char *path, const search *s, const subject *of);

#endif
