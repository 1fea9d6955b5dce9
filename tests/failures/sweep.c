/* sweep [-p PLUGIN]... [-t TARGET] [-l PASSES] RUNS SEED FILE...: loads, checks, writes and compiles each module while an allocation
 * fails: the k-th alone, or it and all behind it, for RUNS values of k spread over all of them, at
 * random within their stretch.  Each time the calls succeed without a diagnostic or fail with one,
 * everything is freed with the size that it was allocated with, and nothing is left.
 *
 * With plug-ins these are loaded first, the module goes through the passes, and is compiled for the
 * target.
 *
 * Every file is worked on by a process of its own, so a crash is one file's; the exit status is 1
 * when anything was wrong.  Only the public interface is used. */
#include "libfcl/fcl.h"
#include "tests/tools/failing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct file {
    const char *name;
    char *text;
    size_t size;
} file;

static const char *plugins[8], *target, *passes;
static size_t nplugins;

static const char *now = "";
static size_t now_at;

/* Ends the process, which is this file's. */
static void wrong(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("%s, allocation %zu: ", now, now_at);
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    exit(1);
}

static void wrong_size(size_t stated, size_t is)
{
    wrong("%zu bytes are given back as %zu", is, stated);
}

/* The whole way of a module; whether all of it went well. */
static bool work(fcl_context *cx, const file *in)
{
    size_t size;
    bool ok = true;
    for (size_t i = 0; ok && i < nplugins; i++)
        ok = fcl_plugin_load(cx, plugins[i]);
    fcl_module *m = ok ? fcl_module_load(cx, in->name, in->text, in->size, NULL) : NULL;
    ok = m && fcl_module_check(m) && (!passes || fcl_passes_run(m, NULL, passes, NULL));
    char *bytes = ok ? fcl_module_write(m, 0, &size) : NULL;
    if (bytes)
        fcl_free(cx, bytes, size);
    for (size_t i = 0; ok && i < fcl_kernel_count(m); i++) {
        fcl_compile_options o = {.entry = fcl_kernel_name(m, i), .target = target};
        fcl_artifact *a = fcl_compile(m, &o);
        ok = a != NULL;
        fcl_artifact_destroy(a);
    }
    fcl_module_destroy(m);
    return ok && bytes;
}

/* Runs once; how many allocations there were. */
static size_t run_once(const file *in, size_t fail_at, bool once, bool *ok)
{
    failing f = {.fail_at = fail_at, .once = once, .wrong = wrong_size};
    fcl_context *cx = fcl_context_create(failing_realloc, &f);
    now_at = fail_at;
    if (cx) {
        *ok = work(cx, in);
        size_t errors = 0;
        for (size_t i = 0; i < fcl_diagnostic_count(cx); i++) {
            fcl_diagnostic d;
            errors += !fcl_diagnostic_get(cx, i, &d, sizeof d) || d.severity == FCL_ERROR;
        }
        if (*ok != (errors == 0))
            wrong("%s with %zu diagnostics", *ok ? "success" : "failure", fcl_diagnostic_count(cx));
        for (size_t i = 0; i < fcl_diagnostic_count(cx); i++)
            if (!*fcl_diagnostic_text(cx, i))
                wrong("a diagnostic is empty");
    }
    fcl_context_destroy(cx);
    if (f.bytes)
        wrong("%zu bytes are left", f.bytes);
    return f.calls;
}

static void sweep(const file *in, size_t runs, unsigned seed)
{
    bool ok = false;
    size_t n = run_once(in, 0, false, &ok);
    bool fine = ok;
    if (nplugins && !fine)
        wrong("refused without a failure");
    srand(seed);
    if (runs > n)
        runs = n;
    for (size_t i = 0; i < runs; i++) {
        size_t from = n * i / runs, to = n * (i + 1) / runs;
        size_t k = from + (size_t)rand() % (to - from) + 1;
        run_once(in, k, true, &ok);
        run_once(in, k, false, &ok);
        if (ok && !fine)
            wrong("what is refused is accepted");
    }
}

static bool read_file(file *f, const char *name)
{
    FILE *in = fopen(name, "rb");
    if (!in)
        return false;
    *f = (file){.name = name, .text = malloc(1u << 24)};
    f->size = f->text ? fread(f->text, 1, 1u << 24, in) : 0;
    fclose(in);
    return f->size > 0;
}

/* The first argument behind them. */
static int take_options(int argc, char **argv)
{
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (argv[i][1] == 'p' && nplugins < sizeof plugins / sizeof *plugins)
            plugins[nplugins++] = argv[i + 1];
        else
            *(argv[i][1] == 't' ? &target : &passes) = argv[i + 1];
    }
    return i;
}

int main(int argc, char **argv)
{
    int bad = 0;
    int first = take_options(argc, argv);
    if (argc < first + 3)
        return 2;
    size_t runs = strtoul(argv[first], NULL, 0);
    unsigned seed = (unsigned)strtoul(argv[first + 1], NULL, 0);
    for (int i = first + 2; i < argc; i++) {
        int status = 1;
        file f;
        now = argv[i];
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            if (!read_file(&f, argv[i]))
                wrong("the file cannot be read");
            sweep(&f, runs, seed);
            free(f.text);
            return 0;
        }
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
            bad = 1;
            if (WIFSIGNALED(status))
                printf("%s: signal %d\n", argv[i], WTERMSIG(status));
        }
    }
    return bad;
}
