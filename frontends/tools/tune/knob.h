/* What a search turns: tunables with their domains, and a setting of all of them as text. */
#ifndef FCL_TOOLS_TUNE_KNOB_H
#define FCL_TOOLS_TUNE_KNOB_H

#include "frontends/tools/options.h"
#include "frontends/tools/text.h"

/* A tunable.  Its position in a setting is a number of its domain, or AS_IT_IS. */
typedef struct knob {
    char *name, *domain;
    uint64_t count; /* of the domain */
    long usual;     /* -1: not known */
} knob;

typedef struct knobs {
    knob *at;
    size_t n;
} knobs;

#define AS_IT_IS UINT64_MAX

void knobs_add(knobs *k, const char *name, const char *domain, long usual);
/* NULL: there is none of that name. */
knob *knobs_named(const knobs *k, const char *name, size_t n);
void knobs_free(knobs *k);
/* NAME=N,NAME=N of those that are not as they are. */
void knobs_text(const knobs *k, const uint64_t *setting, string *out);
/* Sets the options of a compilation as such a text says, except what o's user has said on the command line.  `room` holds what
 * the options borrow.  False when the text is none. */
bool knobs_apply(const options *o, const char *text, fcl_compile_options *to, string *room);

#endif
