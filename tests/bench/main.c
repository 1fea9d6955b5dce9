/* bench [OPTION...] DIRECTORY: DIRECTORY has cases.txt, kernels/ and peers/.
 *
 *   --device=NAME    an OpenCL device of libfcl, or cpu; opencl when left out
 *   --sizes=A,B,...  wanted numbers of elements, 2^24 or plain; left out: those for the kind of
 * device
 *   --quick          one small size, few runs
 *   --runs=N         timed runs of each contender, at least
 *   --only=A,B,...   these problems
 *   --seed=N         of the inputs
 *   --peers=cpu|gpu  which hand-written kernels; left out: those for the kind of device
 *   --vendor=FILE    figures of the vendor's libraries, see cuda.cu
 *   --out=FILE       JSON
 *   --sweep=FILE     instead: tables over parameters
 *   --list           instead: the devices */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SIZES = 8, RUNS = 31, QUICK_RUNS = 15 };

typedef struct settings {
    const char *device, *only, *peers, *vendor, *out, *sweep, *folder;
    uint64_t sizes[MAX_SIZES], seed;
    unsigned nsizes, runs;
    bool quick;
    char command[1024];
} settings;

static const char *value_of(const char *arg, const char *name)
{
    size_t n = strlen(name);
    return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static void add_sizes(settings *s, const char *list)
{
    for (; *list && s->nsizes < MAX_SIZES; list += strcspn(list, ","), list += *list == ',')
        s->sizes[s->nsizes++] = strncmp(list, "2^", 2) == 0
                                    ? (uint64_t)1 << strtoul(list + 2, NULL, 10)
                                    : strtoull(list, NULL, 10);
}

static void list_devices(void)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    for (size_t i = 0; cx && i < fcl_device_count(cx); i++)
        printf("%s %s\n", fcl_device_name(cx, i), fcl_device_description(cx, i));
    fcl_context_destroy(cx);
    exit(EXIT_SUCCESS);
}

static void read_argument(settings *s, const char *arg)
{
    const struct {
        const char *name, **field;
    } texts[] = {{"--device", &s->device}, {"--only", &s->only}, {"--peers", &s->peers},
                 {"--vendor", &s->vendor}, {"--out", &s->out},   {"--sweep", &s->sweep}};
    const char *value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((value = value_of(arg, texts[i].name))) {
            *texts[i].field = value;
            return;
        }
    if ((value = value_of(arg, "--sizes")))
        add_sizes(s, value);
    else if ((value = value_of(arg, "--runs")))
        s->runs = (unsigned)strtoul(value, NULL, 10);
    else if ((value = value_of(arg, "--seed")))
        s->seed = strtoull(value, NULL, 10);
    else if (strcmp(arg, "--quick") == 0)
        s->quick = true;
    else if (strcmp(arg, "--list") == 0)
        list_devices();
    else if (arg[0] != '-' && !s->folder)
        s->folder = arg;
    else
        die("what is %s?", arg);
}

static void default_settings(settings *s, const machine *m)
{
    if (!s->runs)
        s->runs = s->quick ? QUICK_RUNS : RUNS;
    if (!s->nsizes)
        add_sizes(s, m->is_gpu     ? s->quick ? "2^24" : "2^24,2^26,2^28"
                     : s->quick    ? "2^20"
                     : m->is_cores ? "2^16,2^20,2^24"
                                   : "2^20,2^22");
}

static bool is_wanted(const settings *s, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = s->only; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && strncmp(p, name, n) == 0)
            return true;
    return !s->only;
}

typedef struct result_list {
    result *at;
    size_t count;
} result_list;

static void run_size(machine *m, const settings *s, const test_case *c, uint64_t n, result_list *l)
{
    result *r = &l->at[l->count++];
    measure(m, r, c, n, s->seed, s->runs);
    vendor_find(r);
    report_line(r);
}

static void run_problem(machine *m, const settings *s, const problem *p, const case_list *cases,
                        result_list *l)
{
    const test_case *c = case_of(cases, p->name);
    if (!c || !is_wanted(s, p->name))
        return;
    if (p->own_size) {
        run_size(m, s, c, m->is_gpu ? p->own_size : p->own_small, l);
        return;
    }
    for (unsigned i = 0; i < s->nsizes; i++)
        run_size(m, s, c, s->sizes[i], l);
}

static bool run_all(machine *m, const settings *s)
{
    char path[2 * MAX_TEXT];
    snprintf(path, sizeof path, "%s/cases.txt", s->folder);
    case_list cases = cases_read(path, m->kind);
    result_list l = {.at = xalloc(problem_count * MAX_SIZES * sizeof(result))};
    for (size_t i = 0; i < problem_count; i++)
        run_problem(m, s, &problems[i], &cases, &l);
    if (s->out)
        report_json(s->out, &(report_header){m->name, s->seed, s->runs, s->command}, l.at, l.count);
    bool ok = report_table(l.at, l.count);
    free(cases.at);
    free(l.at);
    return ok;
}

static void join_command(settings *s, int argc, char **argv)
{
    size_t used = 0;
    for (int i = 0; i < argc && used < sizeof s->command; i++)
        used += (size_t)snprintf(s->command + used, sizeof s->command - used, "%s%s", i ? " " : "",
                                 argv[i]);
}

int main(int argc, char **argv)
{
    machine m;
    settings s = {.device = "opencl", .seed = (uint64_t)time(NULL)};
    bool ok = true;
    join_command(&s, argc, argv);
    for (int i = 1; i < argc; i++)
        read_argument(&s, argv[i]);
    if (!s.folder)
        die("give the directory of the benchmark's files");
    machine_open(&m, s.device, s.folder);
    default_settings(&s, &m);
    if (s.peers)
        m.wide_peers = strcmp(s.peers, "gpu") == 0;
    vendor_read(s.vendor);
    printf("%s, %zu compute units; seed %llu; medians of %u runs at least\n", m.name, m.units,
           (unsigned long long)s.seed, s.runs);
    fflush(stdout);
    if (s.sweep)
        sweep(&m, s.sweep, s.sizes[0], s.seed, s.runs);
    else
        ok = run_all(&m, &s);
    machine_close(&m);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
