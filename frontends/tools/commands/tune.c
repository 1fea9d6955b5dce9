/* fclc tune: looks for the tunables with which a kernel is fastest on a device, and keeps them in a file beside the program, where
 * fclc run finds them. */
#include "frontends/tools/commands/commands.h"

#include "frontends/tools/commands/session.h"
#include "frontends/tools/interrupt.h"
#include "frontends/tools/output.h"
#include "frontends/tools/tune/measure.h"
#include "frontends/tools/values/args.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_RUNS = 200, USUAL_REPEAT = 5 };
static const double usual_tolerance = 1e-4;

typedef struct tune {
    session s;
    interface in, out;
    fcl_array *args;
    meter meter;
    search search;
    subject of;
    knobs own; /* the tunables of the program */
} tune;

/* ---- which tunables ---- */

static void add_own(void *user, const fcl_tunable *t)
{
    knobs_add(user, t->name, t->domain, t->usual);
}

/* What is worth trying of a number of the library: powers of two between its bounds. */
static void add_powers(knobs *k, const char *name, unsigned long long least,
                       unsigned long long most, long usual)
{
    string domain = {0};
    most = most < 2147483647u ? most : 2147483647u;
    string_addf(&domain, "%s%llu..%llu*2", least ? "" : "0,", least ? least : 1, most);
    knobs_add(k, name, domain.at, usual);
    string_free(&domain);
}

static void add_block_size(knobs *k)
{
    knobs_add(k, "BlockSize", "32..1024*2", 256);
}

/* All that there are: of the program, of lowering, and those that passes decide by. */
static void add_all(knobs *k, const knobs *own)
{
    fcl_pass_option about;
    fcl_tuning_info info;
    add_block_size(k);
    for (size_t i = 0; i < own->n; i++)
        knobs_add(k, own->at[i].name, own->at[i].domain, own->at[i].usual);
    for (size_t i = 0; option_tunable(i, &about); i++)
        if (!knobs_named(k, about.name, strlen(about.name)))
            add_powers(k, about.name, about.least, about.most, -1);
    for (size_t i = 0; fcl_tuning_about(i, &info, sizeof info); i++)
        add_powers(k, info.name, info.least, info.most, (long)info.usual);
}

/* --over=NAME or --over=NAME=DOMAIN */
static int add_named(tune *t, const knobs *all, const char *said)
{
    size_t n = strcspn(said, "=");
    const knob *found = knobs_named(all, said, n);
    const char *domain = said[n] ? said + n + 1 : found ? found->domain : "";
    if (!found) {
        string names = {0};
        for (size_t i = 0; i < all->n; i++)
            string_addf(&names, " %s", all->at[i].name);
        usage_error(t->s.o, "there is no tunable '%.*s'; there are:%s", (int)n, said,
                    string_str(&names));
        string_free(&names);
        return EXIT_USAGE;
    }
    if (!fcl_domain_count(domain))
        return usage_error(t->s.o, "'%s' is no domain: write 8,16 or 1..64*2 or 0..100+10", domain);
    if (knobs_named(&t->search.knobs, said, n))
        return usage_error(t->s.o, "--over names %.*s twice", (int)n, said);
    knobs_add(&t->search.knobs, found->name, domain, found->usual);
    return EXIT_OK;
}

/* Those of --over; left out: threads of a block, and those of the program. */
static int choose_knobs(tune *t, const knobs *all)
{
    const options *o = t->s.o;
    int status = EXIT_OK;
    for (size_t i = 0; i < o->ngiven && status == EXIT_OK; i++)
        if (o->given[i].id == OPT_OVER)
            status = add_named(t, all, o->given[i].value);
    if (status != EXIT_OK || t->search.knobs.n)
        return status;
    add_block_size(&t->search.knobs);
    for (size_t i = 0; i < t->own.n; i++)
        knobs_add(&t->search.knobs, t->own.at[i].name, t->own.at[i].domain, t->own.at[i].usual);
    return EXIT_OK;
}

static bool list(tune *t, const knobs *all)
{
    string text = {0};
    for (size_t i = 0; i < all->n; i++) {
        const knob *k = &all->at[i];
        string_addf(&text, "%-20s %-20s", k->name, k->domain);
        if (k->usual >= 0)
            string_addf(&text, " %ld", k->usual);
        string_addf(&text, "\n");
    }
    bool ok = output_write(&t->s.rep, "-", string_str(&text), text.len);
    string_free(&text);
    return ok;
}

/* ---- the search ---- */

/* RUNS, or SECONDS with an s behind them. */
static int set_budget(tune *t)
{
    const char *budget = t->s.o->value[OPT_BUDGET];
    unsigned long long n;
    size_t len = budget ? strlen(budget) : 0;
    t->search.runs = USUAL_RUNS;
    if (!budget)
        return EXIT_OK;
    bool seconds = len && budget[len - 1] == 's';
    char *digits = tool_strndup(budget, len - seconds);
    bool ok = parse_number(digits, 1, 100000, &n);
    free(digits);
    if (!ok)
        return usage_error(t->s.o, "--budget takes a number of runs, or of seconds as 30s, not '%s'",
                           budget);
    t->search.runs = seconds ? 0 : n;
    t->search.seconds = seconds ? (double)n : 0;
    return EXIT_OK;
}

static int set_measure(tune *t)
{
    const char *how = t->s.o->value[OPT_MEASURE], *repeat = t->s.o->value[OPT_REPEAT];
    unsigned long long n = USUAL_REPEAT;
    if (how && strcmp(how, "time") != 0 && strcmp(how, "peak") != 0)
        return usage_error(t->s.o, "--measure takes time or peak, not '%s'", how);
    if (repeat && !parse_number(repeat, 1, 10000, &n))
        return usage_error(t->s.o, "--repeat takes a number from 1 to 10000, not '%s'", repeat);
    t->meter.peak = how && strcmp(how, "peak") == 0;
    t->meter.repeat = t->meter.peak ? 1 : (unsigned)n;
    t->of.measure = t->meter.peak ? "peak" : "time";
    t->of.unit = t->meter.peak ? "bytes" : "ns";
    return EXIT_OK;
}

/* The module, its kernel, and the arguments. */
static bool prepare(tune *t, const char *const *args, size_t n)
{
    session *s = &t->s;
    if (!session_load(s, args[0]) || !fcl_module_check(s->module) ||
        !(t->meter.entry = session_kernel(s)))
        return false;
    kernel_home of = {.module = s->module};
    if (!interface_in(&s->rep, of, t->meter.entry, &t->in) ||
        !interface_out(&s->rep, of, t->meter.entry, &t->out))
        return false;
    t->args = tool_alloc(t->in.nleaves, sizeof *t->args);
    return (s->o->value[OPT_LIST] || args_read(&s->rep, t->meter.entry, &t->in, args + 1, n - 1, t->args)) &&
           fcl_tunables(s->module, &s->o->compile, add_own, &t->own);
}

static bool none_ran(tune *t)
{
    const search *s = &t->search;
    return report_error(&t->s.rep, TD_TUNE, (report_place){.file = t->s.in.name}, NULL,
                        "no setting of the tunables could be run; with the usual ones: %s",
                        s->npoints && s->points[0].why ? s->points[0].why : "nothing was tried");
}

static void print_best(const tune *t, const char *text)
{
    const search *s = &t->search;
    const point *best = &s->points[s->best], *usual = &s->points[0];
    size_t failed = 0;
    for (size_t i = 0; i < s->npoints; i++)
        failed += s->points[i].state != POINT_OK;
    printf("%zu points, of which %zu failed or differ\n", s->npoints, failed);
    if (usual->state == POINT_OK)
        printf("usual: %.0f %s\n", usual->cost, t->of.unit);
    printf("best:  %.0f %s with %s\n", best->cost, t->of.unit, *text ? text : "the usual numbers");
}

/* Nothing is written before all that was asked for is there. */
static bool deliver(tune *t, const char *in)
{
    const options *o = t->s.o;
    report *r = &t->s.rep;
    const char *json = o->value[OPT_JSON], *svg = o->value[OPT_SVG];
    if ((json && !show_json(r, json, &t->search, &t->of)) ||
        (svg && !show_svg(r, svg, &t->search, &t->of)))
        return false;
    if (t->search.best >= t->search.npoints)
        return none_ran(t);
    string text = {0};
    const point *best = &t->search.points[t->search.best];
    knobs_text(&t->search.knobs, best->setting, &text);
    record found = {.key = t->of.key,
                    .tuning = string_str(&text),
                    .measure = t->of.measure,
                    .cost = best->cost};
    char *beside = record_path(in);
    const char *path = o->value[OPT_OUTPUT] ? o->value[OPT_OUTPUT] : beside;
    bool ok = !path || record_keep(r, path, &found);
    if (ok)
        print_best(t, string_str(&text));
    free(beside);
    string_free(&text);
    return ok;
}

static bool look(tune *t, const char *in)
{
    session *s = &t->s;
    meter *m = &t->meter;
    m->device = fcl_device_open(s->cx, s->o->value[OPT_DEVICE] ? s->o->value[OPT_DEVICE] : "auto");
    if (!m->device || !record_key_of(s->module, m->entry, m->device, &t->of.key))
        return false;
    report_flush(&s->rep);
    m->o = s->o;
    m->cx = s->cx;
    m->module = s->module;
    m->in = &t->in;
    m->args = t->args;
    m->nargs = t->in.nleaves;
    m->nresults = t->out.nleaves;
    m->tolerance = usual_tolerance;
    m->search = &t->search;
    m->of = &t->of;
    t->search.try = meter_try;
    t->search.user = m;
    interrupt_begin(s->cx);
    search_run(&t->search);
    interrupt_end();
    show_progress(&t->search, &t->of, true);
    return fcl_diagnostic_count(s->cx) == 0 && deliver(t, in);
}

/* What is wrong with the command line is known once the program is. */
static int tune_all(tune *t, const char *const *args, size_t n, bool *ok)
{
    knobs all = {0};
    *ok = prepare(t, args, n);
    if (!*ok)
        return EXIT_OK;
    add_all(&all, &t->own);
    int status = choose_knobs(t, &all);
    if (status == EXIT_OK && t->s.o->value[OPT_LIST])
        *ok = list(t, &all);
    else if (status == EXIT_OK)
        *ok = look(t, args[0]);
    knobs_free(&all);
    return status;
}

int cmd_tune(const options *o, const char *const *args, size_t n)
{
    tune t = {0};
    bool ok = false;
    if (!session_begin(&t.s, o))
        return EXIT_REFUSED;
    t.search.best = 0;
    int status = set_budget(&t);
    if (status == EXIT_OK)
        status = set_measure(&t);
    if (status == EXIT_OK)
        status = tune_all(&t, args, n, &ok);
    meter_free(&t.meter);
    fcl_device_close(t.meter.device);
    search_free(&t.search);
    knobs_free(&t.own);
    args_free(t.args, t.in.nleaves);
    interface_free(&t.in);
    interface_free(&t.out);
    int ended = session_end(&t.s, ok || status != EXIT_OK);
    return status == EXIT_OK ? ended : status;
}
