/* Programs compiled and run by the simulator, which must give what the evaluator gives. */
#ifndef FCL_TESTS_SIMULATED_H
#define FCL_TESTS_SIMULATED_H

#include "ir/eval/eval.h"
#include "ir/scalar/scalar.h"
#include "libfcl/compile.h"
#include "tests/unit/simulator.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint32_t seed, first_seed;

static inline uint32_t some(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static inline char *read_text(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    ck_assert_msg(f != NULL, "%s cannot be read; run the tests in the root of the sources", name);
    char *text = calloc(1, 1 << 16);
    ck_assert_ptr_nonnull(text);
    *size = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    return text;
}

/* An array with those extents, of small numbers; none is zero, as chunks have that many elements.
 */
static inline void fill(fcl_context *c, const leaf *l, const uint64_t *dims, host_array *a)
{
    *a = (host_array){.type = l->type, .rank = l->rank};
    memcpy(a->dims, dims, l->rank * sizeof *dims);
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

static inline void compare(const job *j, const host_array *got)
{
    for (uint32_t i = 0; i < j->out.len; i++) {
        for (uint32_t a = 0; a < j->out.at[i].rank; a++)
            ck_assert_msg(got[i].dims[a] == j->expected[i].dims[a],
                          "%s: an extent of %llu, not %llu", j->what,
                          (unsigned long long)got[i].dims[a],
                          (unsigned long long)j->expected[i].dims[a]);
        for (uint64_t k = 0; k < host_count(&got[i]); k++)
            ck_assert_msg(host_get(&got[i], k) == host_get(&j->expected[i], k),
                          "%s: element %llu is %lld, not %lld", j->what, (unsigned long long)k,
                          (long long)host_get(&got[i], k), (long long)host_get(&j->expected[i], k));
    }
}

static inline void run_as(job *j, const fcl_compile_options *o, sim_report *r)
{
    k_program p;
    host_array got[LEAVES_MOST];
    bool ok = compile_kernel(j->m, j->f, o, NULL, &p);
    ck_assert_msg(ok, "%s does not compile: %s", j->what, fcl_diagnostic_text(j->m->ir.cx, 0));
    ok = simulate(&p, j->args, got, r);
    ck_assert_msg(ok, "%s: %s", j->what, r->error);
    compare(j, got);
    for (uint32_t i = 0; i < p.out.len; i++)
        host_free(&j->m->ir.cx->mem, &got[i]);
    k_release(&p);
}

/* The kernel compiled as the options say; nothing when it reads elements that empty arrays do not
 * have. */
static inline void run_once(job *j, bool empty, const fcl_compile_options *o)
{
    fcl_context *c = j->m->ir.cx;
    eval_options eo = {.block_size = o->block_size};
    sim_report r;
    bool ok = ir_eval(&j->m->ir, j->f, &eo, j->args, j->in.len, j->expected, j->out.len);
    if (!ok && empty) {
        fcl_diagnostics_clear(c);
        return;
    }
    ck_assert_msg(ok, "%s: %s", j->what, fcl_diagnostic_text(c, 0));
    run_as(j, o, &r);
    for (uint32_t i = 0; i < j->out.len; i++)
        host_free(&c->mem, &j->expected[i]);
}

/* The kernel with arrays of those extents. */
static inline job job_open(fcl_module *m, const char *entry, const uint64_t *dims)
{
    job j = {.m = m, .f = face_kernel(m, entry)};
    ck_assert(host_leaves_in(&m->ir, j.f, &j.in) && host_leaves_out(&m->ir, j.f, &j.out));
    for (uint32_t i = 0; i < j.in.len; i++)
        fill(m->ir.cx, &j.in.at[i], dims, &j.args[i]);
    return j;
}

static inline void job_close(job *j)
{
    mem *m = &j->m->ir.cx->mem;
    for (uint32_t i = 0; i < j->in.len; i++)
        host_free(m, &j->args[i]);
    vec_free(m, &j->in);
    vec_free(m, &j->out);
}

/* Some block, groups, way of exchange and width of positions. */
static inline fcl_compile_options some_options(void)
{
    static const unsigned blocks[] = {32, 64, 128, 256, 100, 16}, groups[] = {0, 1, 3},
                          bits[] = {0, 32, 64};
    static const char *const ways[] = {"ptx", "subgroups", "local"};
    fcl_compile_options o = {
        .exchange = ways[some(3)], .groups = groups[some(3)], .index_bits = bits[some(3)]};
    o.block_size = blocks[some(some(2) ? 6 : 4)];
    o.in_phases = some(4) == 0;
    o.atomic_bits = some(2) ? 64 : 32;
    return o;
}

static inline void describe(job *j, const char *entry, const uint64_t *dims,
                            const fcl_compile_options *o)
{
    snprintf(j->what, sizeof j->what, "SEED=%u %s %llu x %llu block=%u groups=%u bits=%u %s%s",
             first_seed, entry, (unsigned long long)dims[0], (unsigned long long)dims[1],
             o->block_size, o->groups, o->index_bits, o->exchange,
             o->in_phases ? " in phases" : "");
}

static inline void start_seed(void)
{
    const char *given = getenv("SEED");
    first_seed = seed = given ? (uint32_t)strtoul(given, NULL, 10) : (uint32_t)time(NULL);
}

#endif
