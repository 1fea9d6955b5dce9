/* forms [OPTION...] DIRECTORY: each problem by a program without levels (unscheduled.txt), beside
 * the one whose levels were chosen by hand (cases.txt), the hand-written kernel, the vendor's
 * library and a copy of as many bytes, in turns in one process.
 *
 *   --device=NAME    an OpenCL device; opencl when left out
 *   --sizes=A,B,...  numbers of elements, 2^24 or plain; 2^24,2^26 when left out
 *   --runs=N         timed runs of each
 *   --only=A,B,...   these problems
 *   --seed=N         of the inputs
 *   --vendor=FILE    figures of the vendor's libraries, see cuda.cu */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SIZES = 8, WARM_UP = 2 };

/* In a line of the table. */
typedef enum { WITHOUT, SCHEDULED, HAND, COPY, SIDES } side;

typedef struct settings {
    const char *device, *only, *sizes, *vendor, *folder;
    unsigned runs;
    uint64_t seed;
} settings;

typedef struct contest {
    machine *m;
    subject s[2];
    peer p;
    copier c;
    bool has[SIDES];
    double *times[SIDES];
} contest;

static const char *value_of(const char *arg, const char *name)
{
    size_t n = strlen(name);
    return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static void read_argument(settings *s, const char *arg)
{
    const struct {
        const char *name, **field;
    } texts[] = {{"--device", &s->device}, {"--only", &s->only}, {"--sizes", &s->sizes}, {"--vendor", &s->vendor}};
    const char *value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((value = value_of(arg, texts[i].name))) {
            *texts[i].field = value;
            return;
        }
    if ((value = value_of(arg, "--runs")))
        s->runs = (unsigned)strtoul(value, NULL, 10);
    else if ((value = value_of(arg, "--seed")))
        s->seed = strtoull(value, NULL, 10);
    else if (arg[0] != '-' && !s->folder)
        s->folder = arg;
    else
        die("what is %s?", arg);
}

static bool is_wanted(const settings *s, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = s->only; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && strncmp(p, name, n) == 0)
            return true;
    return !s->only;
}

/* ---- taking turns ---- */

static bool open_program(contest *x, side k, const test_case *c, const instance *i)
{
    char why[MAX_TEXT] = "libfcl refuses it";
    if (!c || c->absent[0])
        return true;
    x->has[k] = subject_open(x->m, &x->s[k], c, i) && subject_check(&x->s[k], why);
    if (!x->has[k])
        printf("%-20s %s of %s: %s\n", c->problem, c->entry, c->file, why);
    return x->has[k];
}

static void open_others(contest *x, const instance *i)
{
    char why[MAX_TEXT];
    x->has[HAND] = peer_open(x->m, &x->p, i);
    if (x->has[HAND] && !peer_check(&x->p, why))
        die("the peer of %s is wrong: %s", i->what->name, why);
    x->has[COPY] = i->what->bytes != NULL;
    if (x->has[COPY])
        copier_open(x->m, &x->c, i->what->bytes(i->e));
}

static void close_all(contest *x)
{
    for (int k = 0; k < 2; k++)
        if (x->s[k].m)
            subject_close(&x->s[k]);
    if (x->has[HAND])
        peer_close(&x->p);
    if (x->has[COPY])
        copier_close(&x->c);
}

static double run_one(contest *x, unsigned k)
{
    if (!x->has[k])
        return 0;
    flush_cache(x->m);
    double t = k < HAND ? subject_run(&x->s[k]) : k == HAND ? peer_run(&x->p) : copier_run(&x->c);
    if (t < 0)
        die("the program does not run");
    return t;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void take_turns(contest *x, unsigned runs, double medians[SIDES])
{
    for (unsigned k = 0; k < SIDES; k++)
        x->times[k] = xalloc(runs * sizeof(double));
    for (unsigned r = 0; r < WARM_UP + runs; r++)
        for (unsigned k = 0; k < SIDES; k++) {
            unsigned which = r % 2 ? SIDES - 1 - k : k;
            x->times[which][r < WARM_UP ? 0 : r - WARM_UP] = run_one(x, which);
        }
    for (unsigned k = 0; k < SIDES; k++) {
        qsort(x->times[k], runs, sizeof(double), by_size);
        medians[k] = x->times[k][runs / 2];
        free(x->times[k]);
    }
}

/* ---- the table ---- */

/* Milliseconds, and how much longer it takes than the program without levels. */
static void print_other(double t, double own)
{
    if (t > 0 && own > 0)
        printf(" %10.4f %6.2f", t, t / own);
    else
        printf(" %10s %6s", "-", "-");
}

static void print_line(const contest *x, const instance *i, const double t[SIDES])
{
    result r = {.what = i->what, .e = i->e};
    double work = i->what->bytes ? i->what->bytes(i->e) * 1e-9 : i->what->operations(i->e);
    uint64_t peak = x->has[WITHOUT] ? fcl_program_peak(x->s[WITHOUT].program) : 0;
    vendor_find(&r);
    printf("%-20s %10llu %10.4f", i->what->name, (unsigned long long)i->e.n, t[WITHOUT]);
    print_other(t[SCHEDULED], t[WITHOUT]);
    print_other(t[HAND], t[WITHOUT]);
    print_other(r.vendor, t[WITHOUT]);
    print_other(t[COPY], t[WITHOUT]);
    printf(" %10.2f %-8s %10.2f\n", t[WITHOUT] > 0 ? work / (t[WITHOUT] * 1e-3) : 0, i->what->unit,
           (double)peak * 0x1p-20);
    fflush(stdout);
}

static bool measure_problem(machine *m, const settings *s, const problem *p, const test_case *of[2], uint64_t n)
{
    instance i;
    contest x = {.m = m};
    double medians[SIDES];
    instance_make(m, &i, p, n, s->seed);
    bool ok = open_program(&x, WITHOUT, of[WITHOUT], &i);
    ok = open_program(&x, SCHEDULED, of[SCHEDULED], &i) && ok;
    open_others(&x, &i);
    take_turns(&x, s->runs, medians);
    print_line(&x, &i, medians);
    close_all(&x);
    instance_free(&i);
    return ok;
}

static bool measure_sizes(machine *m, const settings *s, const problem *p, const test_case *of[2])
{
    bool ok = true;
    if (p->own_size)
        return measure_problem(m, s, p, of, m->is_gpu ? p->own_size : p->own_small);
    for (const char *at = s->sizes; *at; at += strcspn(at, ","), at += *at == ',')
        ok = measure_problem(m, s, p, of,
                             strncmp(at, "2^", 2) == 0 ? (uint64_t)1 << strtoul(at + 2, NULL, 10) : strtoull(at, NULL, 10)) &&
             ok;
    return ok;
}

static case_list read_cases(const machine *m, const char *name)
{
    char path[2 * MAX_TEXT];
    snprintf(path, sizeof path, "%s/%s", m->folder, name);
    return cases_read(path, m->kind);
}

int main(int argc, char **argv)
{
    machine m;
    settings s = {.device = "opencl", .sizes = "2^24,2^26", .runs = 15, .seed = (uint64_t)time(NULL)};
    bool ok = true;
    for (int i = 1; i < argc; i++)
        read_argument(&s, argv[i]);
    if (!s.folder || !s.runs)
        die("give the directory of the benchmark's files");
    machine_open(&m, s.device, s.folder);
    vendor_read(s.vendor);
    case_list without = read_cases(&m, "unscheduled.txt"), scheduled = read_cases(&m, "cases.txt");
    printf("%s; seed %llu, medians of %u runs, in milliseconds; behind each other one how often ours fits into it\n\n",
           m.name, (unsigned long long)s.seed, s.runs);
    printf("%-20s %10s %10s %17s %17s %17s %17s %10s %-8s %10s\n", "", "elements", "no levels", "by hand in FCL",
           "OpenCL C", "vendor", "copy", "rate", "", "peak MiB");
    for (size_t k = 0; k < problem_count; k++) {
        const problem *p = &problems[k];
        const test_case *of[] = {case_of(&without, p->name), case_of(&scheduled, p->name)};
        if (of[WITHOUT] && is_wanted(&s, p->name))
            ok = measure_sizes(&m, &s, p, of) && ok;
    }
    free(without.at);
    free(scheduled.at);
    machine_close(&m);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
