/* Searching the settings of tunables for the one that costs least.
 *
 * All settings are tried where the budget allows that many.  Else it is coordinate descent: from the best setting so far one
 * tunable after the other goes through its domain, until a round has found nothing better; then the same from settings drawn at
 * random, as long as the budget lasts.  No setting is tried twice.  What is drawn is the same in every search. */
#ifndef FCL_TOOLS_TUNE_SEARCH_H
#define FCL_TOOLS_TUNE_SEARCH_H

#include "frontends/tools/tune/knob.h"

typedef enum point_state { POINT_OK, POINT_FAILED, POINT_DIFFERS } point_state;

/* A setting that was tried. */
typedef struct point {
    uint64_t *setting; /* a position of each knob */
    point_state state;
    double cost;
    char *why; /* of one that failed or differs; NULL */
} point;

/* Tries the setting of p and fills in the rest; false ends the search. */
typedef bool try_fn(void *user, const knobs *k, point *p);

typedef struct search {
    knobs knobs;
    uint64_t runs;  /* the budget; 0: any number */
    double seconds; /* 0: any time */
    try_fn *try;
    void *user;
    point *points;
    size_t npoints, room, best; /* best: npoints while there is none */
    uint64_t whole;             /* how many settings there are, the first among them; UINT64_MAX: more */
    uint64_t state;             /* of what is drawn */
    bool stopped;
} search;

/* The first setting is the one where all is as it is. */
void search_run(search *s);
void search_free(search *s);

#endif
