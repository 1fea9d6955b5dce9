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
        sim_report r;
        snprintf(j.what, sizeof j.what, "SEED=%u %s n=%llu block=%u groups=%u %s", first_seed, entry,
                 (unsigned long long)n, o.block_size, o.groups, o.exchange);
        bool ok =
            ir_eval(&m->ir, j.f, &(eval_options){.block_size = o.block_size}, j.args, j.in.len, j.expected, j.out.len);
        ck_assert_msg(ok, "%s: %s", j.what, fcl_diagnostic_text(c, 0));
        run_as(&j, &o, &r);
        for (uint32_t i = 0; i < j.out.len; i++)
            host_free(&c->mem, &j.expected[i]);
    }
    for (uint32_t i = 0; i < j.in.len; i++)
        host_free(&c->mem, &j.args[i]);
    vec_free(&c->mem, &j.in);
    vec_free(&c->mem, &j.out);
}

static void run_file(const char *name)
{
    const char *given = getenv("SEED");
    first_seed = seed = given ? (uint32_t)strtoul(given, NULL, 10) : (uint32_t)time(NULL);
    size_t size;
    char *text = read_text(name, &size);
    fcl_context *c = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(c, name, text, size, NULL);
    ck_assert_msg(m && fcl_module_check(m), "%s", fcl_diagnostic_text(c, 0));
    for (size_t i = 0; i < fcl_kernel_count(m); i++) {
        const uint64_t sizes[] = {1 + some(31), 32, 33 + some(200), 250 + some(500)};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            run_kernel(m, fcl_kernel_name(m, i), sizes[k]);
    }
    fcl_module_destroy(m);
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
    suite_add_tcase(s, programs);
    return s;
}
