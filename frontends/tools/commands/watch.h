/* Watching passes run, as the options of fcl-opt ask for it: printing programs before and after,
 * leaving passes out to find the one that goes wrong, timing, and keeping what a pass was given in
 * case it fails. */
#ifndef FCL_TOOLS_WATCH_H
#define FCL_TOOLS_WATCH_H

#include "frontends/tools/commands/session.h"
#include "frontends/tools/text.h"

/* What all runs of one pass took. */
typedef struct pass_time {
    const char *name;
    uint64_t nanoseconds;
} pass_time;

typedef struct watch {
    session *s;
    fcl_pass_observer observer;
    string before;     /* the program that the running pass was given, where somebody needs it */
    unsigned bisected; /* passes that may be left out, so far */
    long long limit;   /* how many of them run; negative: all */
    pass_time *times;  /* one for each pass of the table, and at the end the verifier's */
    size_t ntimes;
} watch;

/* EXIT_OK, or EXIT_USAGE after a message about an option. */
int watch_check(const options *o);
void watch_begin(watch *w, session *s);
/* Whether an option asks for w->observer; without one, passes run faster. */
bool watch_needed(const watch *w);
/* Prints the times, and frees. */
void watch_end(watch *w);

#endif
