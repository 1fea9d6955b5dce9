/* Random programs, run in every way that there is.  Each worker is a process that goes through its
 * seeds; one that crashes or does not end is a finding, and another goes on behind it. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include "tests/random/case.h"
#include "tests/random/found.h"
#include "tests/random/generate.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MOST = 64, CODES = 1000, OPCODES = 300 };

/* What the workers have in common. */
typedef struct tally {
    _Atomic uint32_t programs, kernels, runs, verdicts[VERDICTS], codes[CODES], used[OPCODES],
        findings;
    _Atomic uint64_t seeds[JOBS_MOST]; /* that each is at */
} tally;

static run_options options = {.count = 1000, .jobs = 1, .timeout = 20, .settings = 1};
static tally *all;

/* ---- a program ---- */

/* Counts the operators that a program has. */
static void count_operators(const char *text)
{
    for (uint32_t op = 200; op < OPCODES; op++) {
        const char *name = ir_op_info(op)->name, *at = text;
        size_t n = name ? strlen(name) : 0;
        while (n && (at = strstr(at, name)) &&
               !(at > text && at[-1] == ' ' && strchr(" <\n", at[n])))
            at += n;
        all->used[op] += n && at;
    }
}

static void note(const outcome *o, uint64_t seed, const random_program *p, const char *entry,
                 uint32_t kernel, const setting *s)
{
    all->runs++;
    all->verdicts[o->verdict]++;
    all->codes[o->code < CODES ? o->code : 0]++;
    if (o->verdict != AGREED && options.verbose)
        fprintf(stderr, "seed %llu %s: %s\n", (unsigned long long)seed, entry, o->what);
    if (!is_finding(o->verdict))
        return;
    all->findings++;
    found_write(&options, seed, p, kernel, s, o);
}

static void run_kernel(fcl_module *m, const random_program *p, uint32_t k, uint64_t seed,
                       fcl_device *d)
{
    const random_kernel *kernel = &p->kernels[k];
    outcome o = {0};
    setting s;
    all->kernels++;
    for (uint32_t i = 0; i < options.settings; i++) {
        found_setting(&options, seed, k, i, &s);
        if (d)
            case_run(m, kernel->name, kernel->args, kernel->nargs, &s, d, &o);
        else
            case_simulate(m, kernel->name, kernel->args, kernel->nargs, &s, &o);
        note(&o, seed, p, kernel->name, k, &s);
        if (o.verdict != AGREED)
            return;
    }
    if (k == 0)
        count_operators(p->text.at);
}

static void run_program(fcl_context *cx, uint64_t seed, fcl_device *d)
{
    random_program p;
    outcome o;
    generate(seed, &options.how, &p);
    all->programs++;
    if (options.emit)
        found_emit(&options, seed, &p);
    fcl_module *m = case_load(cx, p.text.at, p.text.len, &o);
    if (!m)
        note(&o, seed, &p, "", 0, &(setting){0});
    for (uint32_t k = 0; m && k < p.nkernels; k++)
        run_kernel(m, &p, k, seed, d);
    fcl_module_destroy(m);
    random_program_release(&p);
}

/* ---- workers ---- */

/* Processor time, as others may have the machine; one that waits for ever is ended, too. */
static void limit(uint32_t seconds)
{
    struct itimerval most = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &most, NULL);
    alarm(20 * seconds);
}

static bool ended_late(int status)
{
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF);
}

static void work(uint32_t job, uint64_t seed)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_device *d = options.device ? fcl_device_open(cx, options.device) : NULL;
    struct timespec now;
    if (!d)
        fcl_limit_set(cx, FCL_LIMIT_MEMORY, (size_t)2 << 30);
    for (; seed < options.seed + options.count; seed += options.jobs) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (options.seconds && now.tv_sec >= options.deadline)
            break;
        all->seeds[job] = seed;
        limit(options.timeout);
        if (!d) { /* a context keeps the sources of its modules */
            fcl_context_destroy(cx);
            cx = fcl_context_create(NULL, NULL);
            fcl_limit_set(cx, FCL_LIMIT_MEMORY, (size_t)2 << 30);
        }
        run_program(cx, seed, d);
        fflush(stdout);
    }
    if (d)
        fcl_device_close(d);
    fcl_context_destroy(cx);
    fflush(NULL);
    _exit(0);
}

static pid_t start(uint32_t job, uint64_t seed)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        work(job, seed);
    return pid;
}

/* A worker that ended before its time: what it was at is a finding. */
static void note_end(uint32_t job, int status)
{
    outcome o = {.verdict = ended_late(status) ? HUNG : CRASHED};
    random_program p;
    setting s;
    snprintf(o.what, sizeof o.what, WIFSIGNALED(status) ? "signal %d" : "exit status %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    generate(all->seeds[job], &options.how, &p);
    found_setting(&options, all->seeds[job], 0, 0, &s);
    note(&o, all->seeds[job], &p, "", 0, &s);
    random_program_release(&p);
}

static void run_all(void)
{
    pid_t workers[JOBS_MOST];
    uint32_t left = options.jobs;
    int status;
    for (uint32_t j = 0; j < options.jobs; j++)
        workers[j] = start(j, options.seed + j);
    while (left > 0) {
        pid_t pid = wait(&status);
        uint32_t j = 0;
        while (j < options.jobs && workers[j] != pid)
            j++;
        if (j == options.jobs)
            continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            left--;
        } else {
            note_end(j, status);
            workers[j] = start(j, all->seeds[j] + options.jobs);
        }
    }
}

/* ---- the end ---- */

static void print_tally(double seconds)
{
    printf("%u programs, %u kernels, %u runs in %.1f s\n", all->programs, all->kernels, all->runs,
           seconds);
    for (uint32_t v = 0; v < VERDICTS; v++)
        if (all->verdicts[v])
            printf("  %6u %s\n", all->verdicts[v], verdict_text((verdict)v));
    for (uint32_t c = 1; c < CODES; c++)
        if (all->codes[c])
            printf("  %6u E%04u\n", all->codes[c], c);
    if (!options.coverage)
        return;
    for (uint32_t op = 200; op < OPCODES; op++)
        if (ir_op_info(op)->name)
            printf("  %6.1f of 1000 programs that ran have %s\n",
                   1000.0 * all->used[op] / (all->programs ? all->programs : 1),
                   ir_op_info(op)->name);
}

static void usage(void)
{
    printf("usage: random [--seed=N] [--count=N] [--seconds=N] [--jobs=N] [--settings=N] "
           "[--size=N] [--timeout=N]\n"
           "              [--device=NAME [--via=FORM] [--exchange=WAY]] [--after-each-pass] "
           "[--emit=DIR] [--found=DIR] "
           "[--coverage] [--verbose] [--scheduled | --unscheduled]\n"
           "              [--shrink] [--file=FILE --entry=NAME] [--with=SETTING] [ARGUMENT...]\n");
}

static const struct option known[] = {
    {"seed", 1, 0, 's'}, {"count", 1, 0, 'n'}, {"seconds", 1, 0, 't'}, {"jobs", 1, 0, 'j'},
    {"settings", 1, 0, 'k'}, {"size", 1, 0, 'z'}, {"timeout", 1, 0, 'T'}, {"device", 1, 0, 'd'},
    {"via", 1, 0, 'V'}, {"exchange", 1, 0, 'x'}, {"after-each-pass", 0, 0, 'a'},
    {"emit", 1, 0, 'e'}, {"found", 1, 0, 'f'}, {"coverage", 0, 0, 'c'}, {"unscheduled", 0, 0, 'u'},
    {"scheduled", 0, 0, 'l'}, {"verbose", 0, 0, 'v'}, {"shrink", 0, 0, 'S'}, {"file", 1, 0, 'F'},
    {"entry", 1, 0, 'E'}, {"with", 1, 0, 'w'}, {0}
};

static bool read_options(int argc, char **argv)
{
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        uint64_t x = optarg ? strtoull(optarg, NULL, 10) : 0;
        switch (c) {
        case 's': options.seed = x; break;
        case 'n': options.count = x; break;
        case 't': options.seconds = x > 0 ? x : 1, options.count = UINT32_MAX; break;
        case 'j': options.jobs = x > 0 && x <= JOBS_MOST ? (uint32_t)x : 1; break;
        case 'k': options.settings = (uint32_t)x; break;
        case 'z': options.how.size = (uint32_t)x; break;
        case 'T': options.timeout = (uint32_t)x; break;
        case 'd': options.device = optarg, options.how.exact = true; break;
        case 'V': options.via = optarg; break;
        case 'x': options.exchange = optarg; break;
        case 'u': options.how.levels = UNSCHEDULED; break;
        case 'l': options.how.levels = SCHEDULED; break;
        case 'a': options.after_each = true; break;
        case 'e': options.emit = optarg; break;
        case 'f': options.found = optarg; break;
        case 'c': options.coverage = true; break;
        case 'v': options.verbose = true; break;
        case 'S': options.shrink = true; break;
        case 'F': options.file = optarg; break;
        case 'E': options.entry = optarg; break;
        case 'w': options.with = optarg; break;
        default: return false;
        }
    }
    options.args = (const char *const *)argv + optind;
    options.nargs = (uint32_t)(argc - optind);
    return true;
}

int main(int argc, char **argv)
{
    struct timespec begin, now;
    options.seed = (uint64_t)time(NULL) % 1000000 * 1000;
    if (!read_options(argc, argv)) {
        usage();
        return 2;
    }
    if (options.file)
        return found_again(&options);
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return 2;
    printf("seed %llu\n", (unsigned long long)options.seed);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    options.deadline = begin.tv_sec + (time_t)options.seconds;
    run_all();
    clock_gettime(CLOCK_MONOTONIC, &now);
    print_tally((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) / 1e9);
    return all->findings > 0 || (all->runs > 20 && all->verdicts[AGREED] == 0);
}
