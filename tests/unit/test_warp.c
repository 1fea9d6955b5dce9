/* Warps whose lanes exchange registers: the programs of tests/warp/warps.fclir, compiled for shuffles and for local
 * memory, run by the simulator, must give what the evaluator gives, without races and with all lanes at every shuffle.
 */
#include "ir/eval.h"
#include "ir/scalar.h"
#include "libfcl/compile.h"
#include "tests/unit/simulator.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- whole programs ---- */

static uint32_t seed, first_seed;

static uint32_t some(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static char *read_text(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    ck_assert_msg(f != NULL, "%s cannot be read; run the tests in the root of the sources", name);
    char *text = calloc(1, 1 << 16);
    ck_assert_ptr_nonnull(text);
    *size = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    return text;
}

/* Arrays of n elements, small numbers; none is zero, as chunks have that many elements. */
static void fill(fcl_context *c, const leaf *l, uint64_t n, host_array *a)
{
    *a = (host_array){.type = l->type, .rank = l->rank};
    for (uint32_t i = 0; i < l->rank; i++)
        a->dims[i] = n;
    ck_assert(host_alloc(&c->mem, a));
    for (uint64_t i = 0; i < host_count(a); i++)
        host_set(a, i, scalar_from_double(l->type, 1 + some(100)));
}

enum { LEAVES_MOST = 16 };

typedef struct job {
    fcl_module *m;
    ir_func f;
    vec_leaf in, out;
    host_array args[LEAVES_MOST], expected[LEAVES_MOST];
    char what[200];
} job;

static void compare(const job *j, const host_array *got)
{
    for (uint32_t i = 0; i < j->out.len; i++) {
        ck_assert_msg(got[i].dims[0] == j->expected[i].dims[0], "%s: %llu elements, not %llu", j->what,
                      (unsigned long long)got[i].dims[0], (unsigned long long)j->expected[i].dims[0]);
        for (uint64_t k = 0; k < host_count(&got[i]); k++)
            ck_assert_msg(host_get(&got[i], k) == host_get(&j->expected[i], k), "%s: element %llu is %lld, not %lld",
                          j->what, (unsigned long long)k, (long long)host_get(&got[i], k),
                          (long long)host_get(&j->expected[i], k));
    }
}

static void run_as(job *j, const fcl_compile_options *o, sim_report *r)
{
    k_program p;
    host_array got[LEAVES_MOST];
    bool ok = compile_kernel(j->m, j->f, backend_at(0), o, NULL, &p);
    ck_assert_msg(ok, "%s does not compile: %s", j->what, fcl_diagnostic_text(j->m->ir.cx, 0));
    ok = simulate(&p, j->args, got, r);
    ck_assert_msg(ok, "%s: %s", j->what, r->error);
    compare(j, got);
    for (uint32_t i = 0; i < p.out.len; i++)
        host_free(&j->m->ir.cx->mem, &got[i]);
    k_release(&p);
}

/* The kernel compiled as the options say; nothing when it reads elements that empty arrays do not have. */
static void run_once(job *j, uint64_t n, const fcl_compile_options *o)
{
    fcl_context *c = j->m->ir.cx;
    eval_options eo = {.block_size = o->block_size};
    sim_report r;
    bool ok = ir_eval(&j->m->ir, j->f, &eo, j->args, j->in.len, j->expected, j->out.len);
    if (!ok && n == 0) {
        fcl_diagnostics_clear(c);
        return;
    }
    ck_assert_msg(ok, "%s: %s", j->what, fcl_diagnostic_text(c, 0));
    run_as(j, o, &r);
    for (uint32_t i = 0; i < j->out.len; i++)
        host_free(&c->mem, &j->expected[i]);
}

/* The kernel on arrays of n elements, for several blocks, groups and ways of exchange. */
static void run_kernel(fcl_module *m, const char *entry, uint64_t n)
{
    static const unsigned blocks[] = {32, 64, 128, 256, 100, 16}, groups[] = {0, 1, 3};
    static const char *const ways[] = {"ptx", "subgroups", "local"};
    job j = {.m = m, .f = face_kernel(m, entry)};
    fcl_context *c = m->ir.cx;
    ck_assert(kernel_leaves_in(&m->ir, j.f, &j.in) && kernel_leaves_out(&m->ir, j.f, &j.out));
    for (uint32_t i = 0; i < j.in.len; i++)
        fill(c, &j.in.at[i], n, &j.args[i]);
    for (int k = 0; k < 5; k++) {
        fcl_compile_options o = {
            .block_size = blocks[some(k < 3 ? 4 : 6)], .groups = groups[some(3)], .exchange = ways[some(3)]};
        o.in_phases = some(4) == 0;
        o.atomic_bits = some(2) ? 64 : 32;
        snprintf(j.what, sizeof j.what, "SEED=%u %s n=%llu block=%u groups=%u %s%s", first_seed, entry,
                 (unsigned long long)n, o.block_size, o.groups, o.exchange, o.in_phases ? " in phases" : "");
        run_once(&j, n, &o);
    }
    for (uint32_t i = 0; i < j.in.len; i++)
        host_free(&c->mem, &j.args[i]);
    vec_free(&c->mem, &j.in);
    vec_free(&c->mem, &j.out);
}

/* Every kernel of a module, with arrays of several lengths. */
static void run_module(fcl_context *c, const char *name, const char *text, size_t size)
{
    fcl_module *m = fcl_module_load(c, name, text, size, NULL);
    ck_assert_msg(m && fcl_module_check(m), "SEED=%u %s: %s", first_seed, name, fcl_diagnostic_text(c, 0));
    for (size_t i = 0; i < fcl_kernel_count(m); i++) {
        const uint64_t sizes[] = {0, 1 + some(31), 32, 33 + some(200), 250 + some(500)};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            run_kernel(m, fcl_kernel_name(m, i), sizes[k]);
    }
    fcl_module_destroy(m);
}

static void start_seed(void)
{
    const char *given = getenv("SEED");
    first_seed = seed = given ? (uint32_t)strtoul(given, NULL, 10) : (uint32_t)time(NULL);
}

static void run_file(const char *name)
{
    size_t size;
    char *text = read_text(name, &size);
    fcl_context *c = fcl_context_create(NULL, NULL);
    start_seed();
    run_module(c, name, text, size);
    fcl_context_destroy(c);
    free(text);
}

START_TEST(programs_of_warps)
{
    run_file("tests/warp/warps.fclir");
}
END_TEST

START_TEST(examples)
{
    run_file("docs/examples/levels.fclir");
    run_file("docs/examples/reduce.fclir");
    run_file("docs/examples/scan.fclir");
    run_file("docs/examples/scan_chained.fclir");
    run_file("tests/defects/chain.fclir");
}
END_TEST

/* ---- random steps of a warp's loop ---- */

typedef struct writing {
    mem *m;
    vec_char text;
    uint32_t values; /* names so far: %v1, %v2, ... */
} writing;

static uint32_t expression(writing *w, uint32_t depth);

/* A value from two others, an element of the warp's array or of the whole, or one of the numbers at hand. */
static uint32_t simple(writing *w, uint32_t depth)
{
    static const char *const ops[] = {"add", "sub", "mul", "min", "max", "xor"}, *const numbers[] = {"%i", "%k", "%n",
                                                                                                     "7"};
    if (depth == 0 || some(5) == 0) {
        text_addf(w->m, &w->text, "%%v%u = add %s, 0\n", w->values + 1, numbers[some(4)]);
        return ++w->values;
    }
    uint32_t x = expression(w, depth - 1), v = ++w->values;
    if (some(2)) {
        bool own = some(4) == 0, far = some(4) == 0;
        text_addf(w->m, &w->text, "%%a%u = mod %%v%u, %s\n", v, x, far ? "%many" : "%n");
        if (own)
            text_addf(w->m, &w->text, "%%v%u = index %%ys, %%i\n", v);
        else
            text_addf(w->m, &w->text, "%%v%u = index %s, %%a%u\n", v, far ? "%all" : "%ys", v);
        return v;
    }
    uint32_t y = expression(w, depth - 1);
    v = ++w->values;
    text_addf(w->m, &w->text, "%%v%u = %s %%v%u, %%v%u\n", v, ops[some(6)], x, y);
    return v;
}

static uint32_t branch(writing *w, uint32_t depth)
{
    uint32_t x = expression(w, depth - 1), y = expression(w, depth - 1), v = ++w->values;
    text_addf(w->m, &w->text, "%%c%u = lt %%v%u, %%v%u\n%%v%u = if %%c%u {\n", v, x, y, v, v);
    text_addf(w->m, &w->text, "yield %%v%u\n} {\n", expression(w, depth - 1));
    text_addf(w->m, &w->text, "yield %%v%u\n}\n", expression(w, depth - 1));
    return v;
}

/* A thread's loop: of as many turns in all lanes, or not. */
static uint32_t loop(writing *w, uint32_t depth)
{
    uint32_t x = expression(w, depth - 1), y = expression(w, depth - 1), v = ++w->values;
    text_addf(w->m, &w->text, "%%b%u = array %%v%u\n%%p%u = push<thread> %%b%u\n", v, x, v, v);
    if (some(2))
        text_addf(w->m, &w->text, "%%t%u = mod %%v%u, 4\n", v, y);
    else
        text_addf(w->m, &w->text, "%%t%u = mod %%%s, 5\n", v, some(2) ? "k" : "n");
    text_addf(w->m, &w->text, "%%e%u = repeat %%t%u, %%p%u { (%%r%u: int, %%o%u: [int])\n", v, v, v, v, v);
    uint32_t z = expression(w, depth - 1);
    text_addf(w->m, &w->text, "%%l%u = index %%o%u, 0\n%%m%u = mul %%l%u, 3\n%%s%u = add %%m%u, %%r%u\n", v, v, v, v, v,
              v, v);
    text_addf(w->m, &w->text,
              "%%u%u = xor %%s%u, %%v%u\n%%d%u = array %%u%u\n%%q%u = push<thread> %%d%u\nyield %%q%u\n}\n", v, v, z, v,
              v, v, v, v);
    text_addf(w->m, &w->text, "%%v%u = index %%e%u, 0\n", v, v);
    return v;
}

static uint32_t expression(writing *w, uint32_t depth)
{
    uint32_t form = depth ? some(6) : 0;
    return form == 5 ? loop(w, depth) : form == 4 ? branch(w, depth) : simple(w, depth);
}

static void random_program(writing *w)
{
    static const char *const parts[][2] = {{"32", "64"}, {"30", "90"}, {"7", "28"}};
    const char *const *sizes = parts[some(3)];
    text_addf(w->m, &w->text,
              "fcl 0.1\nimport \"prelude\"\n"
              "kernel @random(%%all: [int]) -> [int]<grid> {\n%%many = length %%all\n"
              "%%blocks = call @splitUp(%s, %%all)\n%%done = map %%blocks { (%%block: [int])\n"
              "%%warps = call @splitUp(%s, %%block)\n%%parts = map %%warps { (%%part: [int])\n"
              "%%first = push<warp> %%part\n%%end = repeat %u, %%first { (%%k: int, %%ys: [int])\n"
              "%%n = length %%ys\n%%next = generate %%n { (%%i: int)\n",
              sizes[1], sizes[0], 1 + some(3));
    text_addf(w->m, &w->text, "yield %%v%u\n}\n", expression(w, 4));
    text_addf(w->m, &w->text,
              "%%step = push<warp> %%next\nyield %%step\n}\n%%last = push<warp> %%end\nyield %%last\n}\n"
              "%%joined = concat %s, %%parts\nyield %%joined\n}\n%%r = concat %s, %%done\nreturn %%r\n}\n",
              sizes[0], sizes[1]);
}

START_TEST(random_programs)
{
    start_seed();
    for (int i = 0; i < 25; i++) {
        fcl_context *c = fcl_context_create(NULL, NULL);
        writing w = {.m = &c->mem};
        random_program(&w);
        run_module(c, "random", text_cstr(w.m, &w.text), w.text.len);
        vec_free(w.m, &w.text);
        fcl_context_destroy(c);
    }
}
END_TEST
Suite *warp_suite(void);

Suite *warp_suite(void)
{
    Suite *s = suite_create("warp");
    TCase *programs = tcase_create("programs");
    tcase_set_timeout(programs, 300);
    tcase_add_test(programs, programs_of_warps);
    tcase_add_test(programs, examples);
    tcase_add_test(programs, random_programs);
    suite_add_tcase(s, programs);
    return s;
}
