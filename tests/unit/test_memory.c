/* Running out of memory anywhere: on loading, checking, compiling, printing and running, the k-th
 * allocation fails, for every k or for thousands of them at random (FCL_TEST_SEED repeats a
 * choice).  Either that allocation alone, so that work goes on afterwards, or all from there on.
 * Each time the call fails with a diagnostic, or succeeds without one; what it gave up is freed,
 * with the sizes that it was allocated with; and the context can be used again. */
#include "tests/tools/failing.h"
#include "tests/unit/api_world.h"
#include "tests/unit/often.h"
#include "tests/unit/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

Suite *memory_suite(void);

/* ---- the allocator ---- */

static void wrong_size(size_t stated, size_t is)
{
    assert_often(is == stated, "%zu bytes are given back as %zu", is, stated);
}

/* ---- what is done ---- */

typedef struct program {
    const char *name, *text;
} program;

static const program core = {
    "core.fclir",
    "fcl 0.1\nimport \"other\"\n"
    "fun @twice<'a, l>(%f: 'a -> 'a, %x: 'a) -> 'a {\n"
    "  %y = apply %f, %x\n  %z = apply %f, %y loc(\"front.apl\":3:7)\n  return %z\n}\n"
    "kernel @main(%xs: [(int, double)], %n: int) -> ([int]<grid>, [double]<grid>) {\n"
    "  %inc = fn { (%x: int) %y = call @inc(%x) yield %y }\n"
    "  %a = map %xs { (%p) %x = proj %p, 0 %y = call @twice<int, block>(%inc, %x) yield %y }\n"
    "  %parts = generate %n { (%i: int)\n"
    "    %part = generate 4 { (%j: int)\n"
    "      %k = mul %i, 4\n      %m = add %k, %j\n      %v = index %a, %m\n      yield %v\n    }\n"
    "    %q = push<block> %part\n    %r = force %q\n    %w = while %q { (%ys)\n"
    "      %n1 = length %ys\n      %c = gt %n1, 4\n      yield %c\n    } { (%ys)\n"
    "      %s = push<block> %ys\n      yield %s\n    }\n"
    "    %t = push<block> %w\n    yield %t\n  }\n"
    "  %out = concat 4, %parts\n"
    "  %b = map %xs { (%p) %y = proj %p, 1 %z = fdiv %y, 2.0 yield %z }\n"
    "  %pb = push<grid> %b\n  %r = tuple %out, %pb\n  return %r\n}\n"};
static const program other = {
    "other", "fcl 0.1\nfun @inc(%x: int) -> int {\n  %y = add %x, 1\n  return %y\n}\n"};
static const program surface = {
    "surface.fcl", "sig add3 : int -> int\nfun add3 x = let y = x + 1 in y + 2\n"
                   "sig sums : int -> [int] -> [int]<grid>\n"
                   "fun sums n xs = push <grid> (map (fn x => if x > n then add3 x else x) xs)\n"};
/* Mistakes of every stage: what reports them allocates as well. */
static const program wrong_text = {
    "wrong.fclir", "fcl 0.1\nfun @f(%x: int) -> int {\n  %y = ad %x, 1\n  %z = add %nowhere\n"
                   "  return %y\n}\nfun @f() {}\n"};
static const program wrong_types = {
    "wrong.fclir",
    "fcl 0.1\nfun @f(%x: int, %y: double) -> int {\n  %z = add %x, %y\n  %w = index %x, 0\n"
    "  return %z\n}\nkernel @main(%xs: [int]) -> [int]<grid> {\n  return %xs\n}\n"};
static const program wrong_surface = {
    "wrong.fcl", "sig f : int -> double\nfun f x = x + 1\nfun g x = h x\nfun main ( = 3\n"};

static bool find_other(void *user, const char *name, const char **text, size_t *size)
{
    (void)user;
    *text = other.text;
    *size = strlen(other.text);
    return strcmp(name, other.name) == 0;
}

static fcl_module *load_program(fcl_context *cx, const program *p)
{
    fcl_load_options o = {.import = find_other};
    return fcl_module_load(cx, p->name, p->text, strlen(p->text), &o);
}

static bool print_it(fcl_context *cx, fcl_module *m)
{
    size_t n;
    char *text = fcl_module_print(m, &n);
    if (text)
        fcl_free(cx, text, n);
    return text != NULL;
}

/* Into the binary form, and back. */
static bool write_it(fcl_context *cx, fcl_module *m)
{
    size_t n;
    unsigned char hash[32];
    char *bytes = fcl_module_hash(m, hash) ? fcl_module_write(m, 0, &n) : NULL;
    fcl_load_options o = {.import = find_other};
    fcl_module *again = bytes ? fcl_module_load(cx, "again.fclb", bytes, n, &o) : NULL;
    if (bytes)
        fcl_free(cx, bytes, n);
    fcl_module_destroy(again);
    return again != NULL;
}

static bool link_it(fcl_context *cx, fcl_module *m)
{
    (void)cx;
    return fcl_passes_run(m, NULL, "check, link, dce", NULL);
}

static bool check_it(fcl_context *cx, fcl_module *m)
{
    (void)cx;
    return fcl_module_check_kernels(m);
}

static bool compile_it(fcl_context *cx, fcl_module *m)
{
    (void)cx;
    fcl_artifact *a = fcl_compile(m, NULL);
    fcl_artifact_destroy(a);
    return a != NULL;
}

/* An artifact as a file, and read again. */
static bool save_it(fcl_context *cx, fcl_module *m)
{
    size_t n = 0;
    fcl_artifact *a = fcl_compile(m, NULL);
    char *file = a ? fcl_artifact_save(a, &n) : NULL;
    fcl_artifact *again = file ? fcl_artifact_load(cx, "again", file, n) : NULL;
    if (file)
        fcl_free(cx, file, n);
    fcl_artifact_destroy(again);
    fcl_artifact_destroy(a);
    return again != NULL;
}

/* Kernel programs through lists, and through their text. */
static bool kernels_it(fcl_context *cx, fcl_module *m)
{
    fcl_kernels *k = NULL;
    size_t n = 0;
    bool ok = fcl_passes_run(
        m, &k, "check, lower(BlockSize=64), virtualise, dce, outline, legalise", NULL);
    char *text = ok ? fcl_kernels_print(k, &n) : NULL;
    fcl_kernels *again = text ? fcl_kernels_load(cx, "again", text, n) : NULL;
    if (text)
        fcl_free(cx, text, n);
    fcl_kernels_destroy(k);
    fcl_artifact *a = again ? fcl_kernels_emit(again, NULL) : NULL;
    ok = a && *fcl_artifact_plan(a, &n);
    fcl_artifact_destroy(a);
    return ok;
}

static bool run_it(fcl_context *cx, fcl_module *m)
{
    int32_t n = 2, xs[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    double ys[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    fcl_array args[] = {{.type = FCL_I32, .rank = 1, .dims = {8}, .data = xs},
                        {.type = FCL_F64, .rank = 1, .dims = {8}, .data = ys},
                        {.type = FCL_I32, .data = &n}},
              results[2] = {{0}, {0}};
    fcl_device *d = fcl_device_open(cx, "interp");
    bool ok = d && fcl_run(m, NULL, d, NULL, args, 3, results, 2);
    ck_assert(ok || !results[0].data);
    if (ok)
        ck_assert(results[0].dims[0] == 8 && ((int32_t *)results[0].data)[7] == 10);
    if (ok)
        fcl_results_free(cx, results, 2);
    fcl_device_close(d);
    return ok;
}

typedef bool step_fn(fcl_context *cx, fcl_module *m);

typedef struct scenario {
    const char *what;
    const program *program;
    step_fn *step; /* NULL: loading alone */
    bool refused;  /* with memory enough as well */
} scenario;

static const scenario scenarios[] = {
    {"load a text", &core, NULL, false},
    {"load a wrong text", &wrong_text, NULL, true},
    {"print", &core, print_it, false},
    {"write and load the binary form", &core, write_it, false},
    {"passes", &core, link_it, false},
    {"check", &core, check_it, false},
    {"check what is wrong", &wrong_types, check_it, true},
    {"compile", &core, compile_it, false},
    {"write and load an artifact", &core, save_it, false},
    {"kernel programs", &core, kernels_it, false},
    {"run", &core, run_it, false},
    {"load FCL source", &surface, NULL, false},
    {"load wrong FCL source", &wrong_surface, NULL, true},
    {"compile FCL source", &surface, compile_it, false},
};

/* ---- failing ---- */

/* Failure has diagnostics that can be shown, also now; success has none. */
static void expect_reason(fcl_context *cx, const scenario *s, const failing *f, bool ok)
{
    size_t n = fcl_diagnostic_count(cx);
    ck_assert_msg(ok == (n == 0), "%s, allocation %zu of %s: %s with %zu diagnostics: %s", s->what,
                  f->fail_at, f->once ? "one" : "all", ok ? "success" : "failure", n,
                  fcl_diagnostic_text(cx, 0));
    for (size_t i = 0; i < n; i++)
        ck_assert(*fcl_diagnostic_text(cx, i));
}

/* One run.  Blocks that cannot be made smaller are no reason to fail, and neither is memory that
 * comes back. */
static void run_scenario(const scenario *s, size_t fail_at, bool once)
{
    failing f = {.fail_at = fail_at, .once = once, .wrong = wrong_size};
    fcl_context *cx = fcl_context_create(failing_realloc, &f);
    if (cx) {
        fcl_module *m = load_program(cx, s->program);
        bool ok = m && (!s->step || s->step(cx, m));
        ck_assert_msg(!ok || once || !f.refused, "%s succeeds without allocation %zu", s->what,
                      fail_at);
        expect_reason(cx, s, &f, ok);
        fcl_module_destroy(m);
        fcl_diagnostics_clear(cx);
        f.fail_at = 0; /* there is memory again: the context is as good as new */
        m = load_program(cx, &other);
        ck_assert(m && fcl_diagnostic_count(cx) == 0);
        fcl_module_destroy(m);
    }
    fcl_context_destroy(cx);
    ck_assert_msg(f.bytes == 0, "%s, allocation %zu: %zu bytes are left", s->what, fail_at,
                  f.bytes);
}

static size_t allocations_of(const scenario *s)
{
    failing f = {.wrong = wrong_size};
    fcl_context *cx = fcl_context_create(failing_realloc, &f);
    fcl_module *m = load_program(cx, s->program);
    bool ok = m && (!s->step || s->step(cx, m));
    ck_assert_msg(ok == !s->refused, "%s: %s", s->what, fcl_diagnostic_text(cx, 0));
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return f.calls;
}

enum { MOST_RUNS = 1500 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

START_TEST(no_failed_allocation_does_harm)
{
    const scenario *s = &scenarios[_i];
    const char *given = getenv("FCL_TEST_SEED");
    uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 0) : (uint32_t)time(NULL);
    size_t n = allocations_of(s), most = (size_t)share_of(MOST_RUNS), runs = n < most ? n : most;
    if (n > most)
        fprintf(stderr, "%s: %zu of %zu allocations, FCL_TEST_SEED=%u\n", s->what, runs, n,
                (unsigned)seed);
    for (size_t i = 0; i < runs; i++) {
        /* A stride with a random part; it covers the range. */
        size_t from = n * i / runs, to = n * (i + 1) / runs,
               k = from + next_random(&seed) % (to - from) + 1;
        run_scenario(s, k, false);
        run_scenario(s, k, true);
    }
}
END_TEST

Suite *memory_suite(void)
{
    Suite *s = suite_create("memory");
    TCase *t = tcase_create("memory");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, no_failed_allocation_does_harm, 0,
                        (int)(sizeof scenarios / sizeof *scenarios));
    suite_add_tcase(s, t);
    return s;
}
