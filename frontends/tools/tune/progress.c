/* The line on the terminal while a search runs: see show.h. */
#define _POSIX_C_SOURCE 200809L
#include "frontends/tools/tune/show.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 24 };

/* Of how many points there are to be, where that is known. */
static void bar(string *line, const search *s)
{
    uint64_t all = s->runs && s->runs < s->whole ? s->runs : s->whole;
    if (all == UINT64_MAX || !all)
        return;
    size_t full = (size_t)(s->npoints * (uint64_t)BAR / all);
    string_addf(line, "[%.*s%.*s] %zu of %llu", (int)(full < BAR ? full : BAR),
                "########################", (int)(full < BAR ? BAR - full : 0),
                "........................", s->npoints, (unsigned long long)all);
}

void show_progress(const search *s, const subject *of, bool done)
{
    if (!isatty(STDERR_FILENO))
        return;
    string line = {0}, best = {0};
    bar(&line, s);
    if (s->best < s->npoints) {
        knobs_text(&s->knobs, s->points[s->best].setting, &best);
        string_addf(&line, "  %g %s with %.60s", s->points[s->best].cost, of->unit,
                    best.len ? best.at : "the usual numbers");
    }
    fprintf(stderr, "\r\033[K%s%s", string_str(&line), done ? "\n" : "");
    fflush(stderr);
    string_free(&line);
    string_free(&best);
}
