/* Takes the FCL program, its peer and the copy in turns, and keeps the medians. */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARM_UP = 2, CONTENDERS = 3 };

typedef struct contest {
    machine *m;
    subject s;
    peer p;
    copier c;
    bool has_subject, has_peer, has_copy;
    double *times[CONTENDERS]; /* of the FCL program, the peer, the copy: one for each run */
} contest;

static double run_one(contest *x, unsigned which)
{
    flush_cache(x->m);
    switch (which) {
    case 0: return x->has_subject ? subject_run(&x->s) : 0;
    case 1: return x->has_peer ? peer_run(&x->p) : 0;
    default: return x->has_copy ? copier_run(&x->c) : 0;
    }
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *times, unsigned n)
{
    qsort(times, n, sizeof *times, by_size);
    return n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

/* Warms up; how many runs to take: at least those asked for, and more of what is short, for 0.2 s
 * in all. */
static unsigned warm_up(contest *x, unsigned runs)
{
    enum { MOST = 501, MILLISECONDS = 200 };
    double round = 0;
    for (unsigned r = 0; r < WARM_UP; r++) {
        round = 0;
        for (unsigned k = 0; k < CONTENDERS; k++)
            round += run_one(x, k);
    }
    double fit = round > 0 ? MILLISECONDS / round : 0;
    return fit <= runs ? runs : fit < MOST ? (unsigned)fit : runs > MOST ? runs : MOST;
}

/* Forwards and backwards by turns, so that each has each neighbour equally often. */
static void take_turns(contest *x, unsigned runs, double medians[CONTENDERS])
{
    runs = warm_up(x, runs);
    for (unsigned k = 0; k < CONTENDERS; k++)
        x->times[k] = xalloc(runs * sizeof(double));
    for (unsigned r = 0; r < runs; r++)
        for (unsigned k = 0; k < CONTENDERS; k++) {
            unsigned which = r % 2 ? CONTENDERS - 1 - k : k;
            x->times[which][r] = run_one(x, which);
        }
    for (unsigned k = 0; k < CONTENDERS; k++) {
        medians[k] = median(x->times[k], runs);
        free(x->times[k]);
    }
}

/* The FCL program, right, or the reason why there is none. */
static bool open_subject(contest *x, const instance *i, result *r)
{
    char why[MAX_TEXT];
    if (r->how->absent[0])
        return false;
    if (!subject_open(x->m, &x->s, r->how, i))
        snprintf(r->failure, sizeof r->failure, "libfcl refuses it");
    else if (!subject_check(&x->s, why))
        snprintf(r->failure, sizeof r->failure, "wrong: %.140s", why);
    return !r->failure[0];
}

static void open_peers(contest *x, const instance *i)
{
    char why[MAX_TEXT];
    x->has_peer = peer_open(x->m, &x->p, i);
    if (x->has_peer && !peer_check(&x->p, why))
        die("the peer of %s is wrong: %s", i->what->name, why);
    x->has_copy = i->what->bytes != NULL;
    if (x->has_copy)
        copier_open(x->m, &x->c, i->what->bytes(i->e));
}

static void close_all(contest *x)
{
    if (x->has_copy)
        copier_close(&x->c);
    if (x->has_peer)
        peer_close(&x->p);
    if (x->s.m)
        subject_close(&x->s);
}

void measure(machine *m, result *r, const test_case *c, uint64_t n, uint64_t seed, unsigned runs)
{
    instance i;
    double medians[CONTENDERS];
    contest x = {.m = m};
    const problem *p = problem_named(c->problem);
    instance_make(m, &i, p, n, seed);
    *r = (result){.what = p, .how = c, .e = i.e};
    x.has_subject = open_subject(&x, &i, r);
    open_peers(&x, &i);
    take_turns(&x, runs, medians);
    r->fcl = medians[0];
    r->hand = medians[1];
    r->copy = medians[2];
    close_all(&x);
    instance_free(&i);
}

double measure_alone(machine *m, const test_case *c, const instance *i, unsigned runs,
                     char why[MAX_TEXT])
{
    subject s;
    double time = 0, *times = xalloc(runs * sizeof *times);
    if (!subject_open(m, &s, c, i)) {
        snprintf(why, MAX_TEXT, "libfcl refuses it");
    } else if (subject_check(&s, why)) {
        for (unsigned r = 0; r < runs; r++) {
            flush_cache(m);
            times[r] = subject_run(&s);
        }
        time = median(times, runs);
    }
    subject_close(&s);
    free(times);
    return time;
}
