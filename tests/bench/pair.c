/* pair [OPTION...] DEVICE DEVICE DIRECTORY: the same FCL programs on two devices in one process, in
 * turns, by the clocks of the devices, and how much faster the second one is.  The first is one of
 * OpenCL; the results of both are checked.
 *
 *   --sizes=A,B,...  numbers of elements, 2^24 or plain; 2^24,2^26 when left out
 *   --runs=N         timed runs on each device
 *   --only=A,B,...   these problems
 *   --set=NAME=N,... settings as those of a case, which count more
 *   --seed=N         of the inputs */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDES = 2, MOST_SIZES = 8, WARM_UP = 3 };

typedef struct settings {
    const char *devices[SIDES], *folder, *only, *sizes, *set;
    unsigned ndevices, runs;
    uint64_t seed;
} settings;

static const char *value_of(const char *arg, const char *name)
{
    size_t n = strlen(name);
    return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static void read_argument(settings *s, const char *arg)
{
    const char *value;
    if ((value = value_of(arg, "--only")))
        s->only = value;
    else if ((value = value_of(arg, "--set")))
        s->set = value;
    else if ((value = value_of(arg, "--sizes")))
        s->sizes = value;
    else if ((value = value_of(arg, "--runs")))
        s->runs = (unsigned)strtoul(value, NULL, 10);
    else if ((value = value_of(arg, "--seed")))
        s->seed = strtoull(value, NULL, 10);
    else if (arg[0] != '-' && s->ndevices < SIDES)
        s->devices[s->ndevices++] = arg;
    else if (arg[0] != '-' && !s->folder)
        s->folder = arg;
    else
        die("what is %s?", arg);
}

static bool is_wanted(const settings *s, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = s->only; *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && strncmp(p, name, n) == 0)
            return true;
    return false;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The caches of a card are the same for both ways to it, and the first device can fill them. */
static void take_turns(machine *m, subject *s, double *times[SIDES], unsigned runs)
{
    for (unsigned r = 0; r < WARM_UP + runs; r++)
        for (unsigned k = 0; k < SIDES; k++) {
            unsigned which = r % 2 ? SIDES - 1 - k : k;
            flush_cache(&m[0]);
            double t = subject_run(&s[which]);
            if (t < 0)
                die("the program does not run");
            times[which][r < WARM_UP ? 0 : r - WARM_UP] = t;
        }
}

static bool measure_pair(machine *m, const settings *s, const test_case *c, uint64_t n)
{
    instance i[SIDES];
    subject of[SIDES] = {{0}};
    double *times[SIDES];
    bool ok = true;
    for (unsigned k = 0; k < SIDES; k++) {
        char why[MAX_TEXT] = "libfcl refuses it";
        instance_make(&m[k], &i[k], problem_named(c->problem), n, s->seed);
        times[k] = xalloc(s->runs * sizeof(double));
        if (!subject_open(&m[k], &of[k], c, &i[k]) || !subject_check(&of[k], why)) {
            printf("%-16s %10llu  %s: %s\n", c->problem, (unsigned long long)n, s->devices[k], why);
            ok = false;
        }
    }
    if (ok) {
        take_turns(m, of, times, s->runs);
        for (unsigned k = 0; k < SIDES; k++)
            qsort(times[k], s->runs, sizeof(double), by_size);
        double first = times[0][s->runs / 2], second = times[1][s->runs / 2];
        printf("%-16s %10llu %12.4f %12.4f %8.3f\n", c->problem, (unsigned long long)n, first,
               second, second > 0 ? first / second : 0);
    }
    for (unsigned k = 0; k < SIDES; k++) {
        subject_close(&of[k]);
        instance_free(&i[k]);
        free(times[k]);
    }
    fflush(stdout);
    return ok;
}

/* The settings of the call behind those of the case: what is said last counts. */
static test_case with_settings(const settings *s, const test_case *c)
{
    test_case own = *c;
    size_t used = strlen(own.set);
    int more =
        snprintf(own.set + used, sizeof own.set - used, "%s%s", used && *s->set ? "," : "", s->set);
    if (more < 0 || (size_t)more >= sizeof own.set - used)
        die("the settings of %s are too long", c->problem);
    return own;
}

static bool measure_sizes(machine *m, const settings *s, const test_case *c)
{
    bool ok = true;
    for (const char *at = s->sizes; *at; at += strcspn(at, ","), at += *at == ',') {
        uint64_t n = strncmp(at, "2^", 2) == 0 ? (uint64_t)1 << strtoul(at + 2, NULL, 10)
                                               : strtoull(at, NULL, 10);
        ok = measure_pair(m, s, c, n) && ok;
    }
    return ok;
}

int main(int argc, char **argv)
{
    machine m[SIDES];
    settings s = {.only = "copy,reverse,transpose,reduce-sum,scan,black-scholes",
                  .sizes = "2^24,2^26",
                  .set = "",
                  .runs = 31,
                  .seed = (uint64_t)time(NULL)};
    char path[2 * MAX_TEXT];
    bool ok = true;
    for (int i = 1; i < argc; i++)
        read_argument(&s, argv[i]);
    if (!s.folder || !s.runs)
        die("give two devices and the directory of the benchmark's files");
    for (unsigned k = 0; k < SIDES; k++)
        machine_open(&m[k], s.devices[k], s.folder);
    snprintf(path, sizeof path, "%s/cases.txt", s.folder);
    case_list cases = cases_read(path, m[0].kind);
    printf("%s: %s\n%s: %s\nseed %llu, medians of %u runs in milliseconds\n\n", s.devices[0],
           m[0].name, s.devices[1], m[1].name, (unsigned long long)s.seed, s.runs);
    printf("%-16s %10s %12s %12s %8s\n", "", "elements", s.devices[0], s.devices[1], "ratio");
    for (size_t p = 0; p < problem_count; p++) {
        const test_case *c = case_of(&cases, problems[p].name);
        if (!c || !is_wanted(&s, c->problem))
            continue;
        test_case own = with_settings(&s, c);
        ok = measure_sizes(m, &s, &own) && ok;
    }
    free(cases.at);
    for (unsigned k = 0; k < SIDES; k++)
        machine_close(&m[k]);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
