/* Which settings are tried, and in what order: see search.h. */
#include "frontends/tools/tune/search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 32, RESTARTS = 1000 }; /* positions of a knob in a row; beginnings at random */

static size_t width(const search *s)
{
    return s->knobs.n * sizeof(uint64_t);
}

/* ---- what was tried ---- */

static bool is_known(const search *s, const uint64_t *setting)
{
    for (size_t i = 0; i < s->npoints; i++)
        if (memcmp(s->points[i].setting, setting, width(s)) == 0)
            return true;
    return false;
}

static point *new_point(search *s, const uint64_t *setting)
{
    if (s->npoints == s->room) {
        size_t room = s->room ? s->room * 2 : 64;
        point *more = tool_alloc(room, sizeof *more);
        if (s->npoints)
            memcpy(more, s->points, s->npoints * sizeof *more);
        free(s->points);
        s->points = more;
        s->room = room;
    }
    point *p = &s->points[s->npoints];
    *p = (point){.setting = tool_alloc(s->knobs.n + 1, sizeof *p->setting)};
    memcpy(p->setting, setting, width(s));
    return p;
}

static void drop_point(point *p)
{
    free(p->setting);
    free(p->why);
}

static double clock_seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Tries one, unless it is known or the budget is spent; whether it is the best so far. */
static bool try_setting(search *s, const uint64_t *setting)
{
    bool spent = (s->runs && s->npoints >= s->runs) ||
                 (s->seconds > 0 && s->npoints && clock_seconds() >= s->seconds);
    s->stopped = s->stopped || spent;
    if (s->stopped || is_known(s, setting))
        return false;
    point *p = new_point(s, setting);
    if (!s->try(s->user, &s->knobs, p)) {
        s->stopped = true;
        drop_point(p);
        return false;
    }
    size_t at = s->npoints++;
    bool better = p->state == POINT_OK &&
                  (s->best >= at || p->cost < s->points[s->best].cost);
    if (better)
        s->best = at;
    else if (s->best >= at)
        s->best = s->npoints; /* none yet */
    return better;
}

/* ---- all of them ---- */

static uint64_t product(const knobs *k)
{
    uint64_t all = 1;
    for (size_t i = 0; i < k->n; i++) {
        if (k->at[i].count > UINT64_MAX / 2 / all)
            return UINT64_MAX;
        all *= k->at[i].count;
    }
    return all + 1;
}

/* The last knob turns first. */
static void try_all(search *s, uint64_t *at)
{
    size_t k = s->knobs.n;
    memset(at, 0, width(s));
    while (!s->stopped) {
        try_setting(s, at);
        for (k = s->knobs.n; k && ++at[k - 1] == s->knobs.at[k - 1].count; k--)
            at[k - 1] = 0;
        if (!k)
            return;
    }
}

/* ---- from one to a better one ---- */

/* One knob through its domain, the others as in `at`, which becomes the best of the line. */
static bool turn(search *s, uint64_t *at, size_t k, double *cost)
{
    uint64_t count = s->knobs.at[k].count, steps = count < LINE ? count : LINE, found = at[k];
    bool better = false;
    for (uint64_t i = 0; i < steps && !s->stopped; i++) {
        at[k] = steps < 2 ? 0 : (count - 1) / (steps - 1) * i + (count - 1) % (steps - 1) * i / (steps - 1);
        size_t before = s->npoints;
        try_setting(s, at);
        const point *p = s->npoints > before ? &s->points[before] : NULL;
        if (p && p->state == POINT_OK && p->cost < *cost) {
            *cost = p->cost;
            found = at[k];
            better = true;
        }
    }
    at[k] = found;
    return better;
}

static void descend(search *s, uint64_t *at, double cost)
{
    bool better = true;
    while (better && !s->stopped) {
        better = false;
        for (size_t k = 0; k < s->knobs.n; k++)
            better = turn(s, at, k, &cost) || better;
    }
}

/* Marsaglia's xorshift. */
static uint64_t draw(search *s, uint64_t below)
{
    s->state ^= s->state << 13;
    s->state ^= s->state >> 7;
    s->state ^= s->state << 17;
    return s->state % below;
}

static void begin_anew(search *s, uint64_t *at)
{
    for (size_t k = 0; k < s->knobs.n; k++)
        at[k] = draw(s, s->knobs.at[k].count);
    size_t before = s->npoints;
    try_setting(s, at);
    const point *p = s->npoints > before ? &s->points[before] : NULL;
    if (p && p->state == POINT_OK)
        descend(s, at, p->cost);
}

void search_run(search *s)
{
    uint64_t *at = tool_alloc(s->knobs.n + 1, sizeof *at);
    s->state = 0x9e3779b97f4a7c15u;
    s->whole = product(&s->knobs);
    if (s->seconds > 0)
        s->seconds += clock_seconds();
    for (size_t k = 0; k < s->knobs.n; k++)
        at[k] = AS_IT_IS;
    try_setting(s, at);
    if (s->whole != UINT64_MAX && (s->runs ? s->whole <= s->runs : s->whole <= 1000))
        try_all(s, at);
    else {
        descend(s, at, s->best < s->npoints ? s->points[0].cost : 1e300);
        for (int i = 0; i < RESTARTS && !s->stopped && s->knobs.n; i++)
            begin_anew(s, at);
    }
    free(at);
}

void search_free(search *s)
{
    for (size_t i = 0; i < s->npoints; i++)
        drop_point(&s->points[i]);
    free(s->points);
    knobs_free(&s->knobs);
}
