/* One kernel with its arguments: evaluated, lowered, run in the simulator or on a device, compared.
 */
#include "tests/random/case.h"

#include "ir/eval/eval.h"
#include "ir/scheduled.h"
#include "ir/scalar/scalar.h"
#include "libfcl/compile.h"
#include "libfcl/run/run.h"
#include "libfcl/target.h"
#include "tests/random/dice.h"
#include "tests/unit/simulator.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- outcomes ---- */

static const struct {
    bool finding;
    const char *text;
} verdicts[] = {
#define VERDICT(ENUM, finding, text) {finding, text},
#include "tests/random/verdicts.def"
#undef VERDICT
};

bool is_finding(verdict v)
{
    return verdicts[v].finding;
}

const char *verdict_text(verdict v)
{
    return verdicts[v].text;
}

static void end(outcome *out, verdict v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void end(outcome *out, verdict v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    out->verdict = v;
    vsnprintf(out->what, sizeof out->what, fmt, ap);
    va_end(ap);
}

bool same_defect(const outcome *a, const outcome *b)
{
    static const char *const sorts[] = {"races", "at element", "at undefined", "reach",
                                        "undefined"};
    bool same = a->verdict == b->verdict && a->code == b->code;
    for (uint32_t i = 0; same && a->verdict == WRONG_ACCESS && i < sizeof sorts / sizeof *sorts;
         i++)
        same = (strstr(a->what, sorts[i]) != NULL) == (strstr(b->what, sorts[i]) != NULL);
    return same;
}

/* Ends with the first diagnostic of the context. */
static void refuse(fcl_context *cx, outcome *out, verdict v)
{
    fcl_diagnostic d = {0};
    bool any = fcl_diagnostic_get(cx, 0, &d, sizeof d);
    out->code = any ? d.code : 0;
    bool internal = !any || d.code == DIAG_LOWER_INTERNAL || d.code == DIAG_MALFORMED ||
                    d.code == DIAG_EVAL_STUCK || d.code == DIAG_KERNEL_RULE || (d.code >= DIAG_NO_MEMORY && d.code < 1000);
    end(out, internal ? INTERNAL : v, "%s",
        any ? fcl_diagnostic_text(cx, 0) : "refused without a diagnostic");
    fcl_diagnostics_clear(cx);
}

/* ---- comparing ---- */

/* exact: bit for bit, but that there is one NaN; else floats may differ in their last digits, and
 * devices may take subnormal f32 as 0 (docs/language.md). */
static bool same_scalar(scalar t, uint64_t a, uint64_t b, bool exact)
{
    if (a == b || !ir_scalar_is_float(t))
        return a == b;
    double x = scalar_as_double(t, a), y = scalar_as_double(t, b);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    double most = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    double digits = t == ST_F16 ? 2e-3 : t == ST_F32 ? 1e-5 : 1e-12;
    return !exact && (x == y || fabs(x - y) <= most * digits || (t == ST_F32 && most < FLT_MIN));
}

static bool same_array(const host_array *a, const host_array *b, uint32_t number, bool exact,
                       outcome *out)
{
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) {
            end(out, DIFFERENT, "extent %u of result %u is %llu, not %llu", i, number,
                (unsigned long long)b->dims[i], (unsigned long long)a->dims[i]);
            return false;
        }
    uint64_t count = host_count(a), differ = 0, first = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (same_scalar(a->type, host_get(a, i), host_get(b, i), exact))
            continue;
        first = differ++ ? first : i;
    }
    if (!differ)
        return true;
    uint64_t x = host_get(a, first), y = host_get(b, first);
    end(out, DIFFERENT, "element %llu of result %u is %.17g (%llx), not %.17g (%llx); %llu of %llu differ",
        (unsigned long long)first, number, scalar_as_double(a->type, y), (unsigned long long)y,
        scalar_as_double(a->type, x), (unsigned long long)x, (unsigned long long)differ,
        (unsigned long long)count);
    return false;
}

static void release(fcl_context *cx, host_array *arrays, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        host_free(&cx->mem, &arrays[i]);
}

/* ---- running ---- */

typedef struct job {
    fcl_module *m;
    fcl_context *cx;
    ir_func f;
    const host_array *args;
    uint32_t nargs, nresults;
    str_id tuned; /* tunables that are not as usual */
    host_array expected[LEAVES_MOST];
} job;

/* Threads in all blocks; 0: functions may have blocks of their own, and others have the usual ones. */
static uint32_t block_given(const setting *s)
{
    return s->target.tuning.most_own ? 0 : s->target.tuning.block_size;
}

static bool evaluate(job *j, const char *entry, const setting *s, outcome *out)
{
    vec_leaf leaves = {0};
    *out = (outcome){0};
    j->cx = j->m->ir.cx;
    j->f = face_kernel(j->m, entry);
    if (!j->f) {
        refuse(j->cx, out, NOT_ACCEPTED);
        return false;
    }
    bool ok = host_leaves_out(&j->m->ir, j->f, &leaves) && leaves.len <= LEAVES_MOST;
    j->nresults = leaves.len;
    vec_free(&j->cx->mem, &leaves);
    eval_options o = {.block_size = block_given(s)};
    ok = ok && ir_eval(&j->m->ir, j->f, &o, j->args, j->nargs, j->expected, j->nresults);
    if (!ok)
        refuse(j->cx, out, NOT_EVALUATED);
    return ok;
}

/* A program without levels gives the same with other chunks of its streams, element by element; and
 * so does what the pass schedule makes of it, which is run from here on.  *made: to be destroyed. */
static bool evaluate_again(job *j, const setting *s, uint32_t chunk, outcome *out)
{
    host_array got[LEAVES_MOST] = {{0}};
    eval_options o = {.block_size = block_given(s), .stream_chunk = chunk, .one_by_one = true};
    bool ok = ir_eval(&j->m->ir, j->f, &o, j->args, j->nargs, got, j->nresults);
    if (!ok)
        refuse(j->cx, out, MEANS_OTHER);
    for (uint32_t i = 0; ok && i < j->nresults; i++)
        ok = same_array(&j->expected[i], &got[i], i, true, out);
    release(j->cx, got, j->nresults);
    return ok;
}

enum { TUNING_MOST = 2000 };

/* Some of a program's tunables are as usual; of others many are the least that there are, which take the way of large arrays for
 * small ones.  Numbers for large devices make code that PoCL compiles for minutes, so there are none for devices. */
typedef struct drawn {
    dice d;
    bool least; /* no others */
    char text[TUNING_MOST];
} drawn;

static void draw_tunable(void *user, const fcl_tunable *t)
{
    drawn *w = user;
    uint64_t count = fcl_domain_count(t->domain), i = dice_bits(&w->d) % count;
    unsigned number = fcl_domain_at(t->domain, w->least || dice_chance(&w->d, 50) ? 0 : i);
    size_t n = strlen(w->text);
    if (dice_chance(&w->d, w->least ? 90 : 60) && n + 60 < sizeof w->text)
        snprintf(w->text + n, sizeof w->text - n, "%s%s=%u", n ? "," : "", t->name, number);
}

/* The text lives as long as w. */
static const char *tuning_of(fcl_module *m, const setting *s, const fcl_compile_options *o, bool least,
                             drawn *w)
{
    *w = (drawn){.d = dice_of(s->tunables)};
    w->least = dice_chance(&w->d, 50) || least;
    bool ok = s->tunables && fcl_tunables(m, o, draw_tunable, w);
    return ok && w->text[0] ? w->text : NULL;
}

static bool schedule(job *j, const char *entry, const setting *s, fcl_module **made, outcome *out)
{
    static const uint32_t chunks[] = {1, 2, 3, 7, 64};
    uint32_t chunk = chunks[s->target.tuning.block_size % 5];
    *made = NULL;
    if (ir_module_is_scheduled(&j->m->ir))
        return true;
    if (!evaluate_again(j, s, chunk, out))
        return false;
    char without[WITHOUT_MOST];
    drawn tuning;
    fcl_compile_options compile = {.without = setting_without(s, without)};
    const char *text = tuning_of(j->m, s, &compile, false, &tuning);
    j->tuned = text ? intern_cstr(&j->cx->strings, text) : 0;
    *made = module_to_lower(j->m, &compile);
    if (!*made) {
        refuse(j->cx, out, NOT_SCHEDULED);
        return false;
    }
    j->m = *made;
    j->f = face_kernel(j->m, entry);
    return evaluate_again(j, s, chunk, out);
}

/* Runs the program as it is now, behind a pass. */
static bool simulated(job *j, const k_program *p, const char *pass, outcome *out)
{
    host_array got[LEAVES_MOST] = {{0}};
    sim_report r;
    bool ok = simulate(p, j->args, got, &r);
    if (!ok)
        end(out,
            strstr(r.error, "more than") && strstr(r.error, "statements") ? TOO_LONG : WRONG_ACCESS,
            "after %s: %s", pass, r.error);
    for (uint32_t i = 0; ok && i < j->nresults; i++)
        ok = same_array(&j->expected[i], &got[i], i, true, out);
    if (!ok && out->verdict == DIFFERENT) {
        size_t n = strlen(out->what);
        snprintf(out->what + n, sizeof out->what - n, " (after %s)", pass);
    }
    release(j->cx, got, j->nresults);
    return ok;
}

static bool lower(job *j, const setting *s, outcome *out, k_program *p)
{
    k_target t = s->target;
    t.request.tuned = j->tuned;
    if (k_lower(&j->m->ir, j->f, &t, p))
        return true;
    refuse(j->cx, out, NOT_LOWERED);
    return false;
}

void case_simulate(fcl_module *m, const char *entry, const host_array *args, uint32_t nargs,
                   const setting *s, outcome *out)
{
    job j = {.m = m, .args = args, .nargs = nargs};
    k_program p = {0};
    if (!evaluate(&j, entry, s, out))
        return;
    fcl_module *made;
    bool ok = schedule(&j, entry, s, &made, out) && lower(&j, s, out, &p), virtual = false;
    unsigned holds = IS_LOWERED;
    for (uint32_t i = 0; ok && i < s->npasses; i++) {
        const pass_info *pass = pipeline_kernel(s->passes[i]);
        holds = pass_holds(&pass->about, holds);
        ok = pass->run.KERNEL(&p) && k_verify(&p, kernels_stage(holds));
        virtual = virtual || strcmp(pass->about.name, "virtualise") == 0;
        if (!ok)
            refuse(j.cx, out, NOT_LOWERED);
        else if (virtual && (s->after_each || i + 1 == s->npasses))
            ok = simulated(&j, &p, pass->about.name, out);
    }
    k_release(&p);
    fcl_module_destroy(made);
    release(j.cx, j.expected, j.nresults);
}

/* Whether the program itself asks how many threads a block has. */
static bool asks_blocks(ir_module *m)
{
    for (ir_op o = 1; o < m->ops.len; o++) {
        ir_func f = ir_region_at(m, m->ops.at[o].parent)->func;
        if (m->ops.at[o].opcode == OP_BLOCKSIZE && !ir_func_at(m, f)->import)
            return true;
    }
    return false;
}

void case_run(fcl_module *m, const char *entry, const host_array *args, uint32_t nargs,
              const setting *drawn_setting, fcl_device *d, outcome *out)
{
    setting own = *drawn_setting, *s = &own;
    job j = {.m = m, .args = args, .nargs = nargs};
    if (asks_blocks(&m->ir)) /* where nobody says how many, a device has fewer if they do not fit else */
        own.target.tuning.most_own = 0;
    host_array got[LEAVES_MOST] = {{0}};
    const k_target *t = &s->target;
    char without[WITHOUT_MOST];
    fcl_compile_options compile = {.block_size = block_given(s),
                                   .without = setting_without(s, without),
                                   .groups = t->request.groups,
                                   .vector_bytes = t->tuning.vector_bytes,
                                   .unroll = t->tuning.unroll,
                                   .index_bits = t->request.index_bits,
                                   .in_phases = !t->facts.groups_wait,
                                   .join_launches = t->facts.launches_cost,
                                   .simd = t->facts.simd,
                                   .checks = target_checks_name(t->request.checks),
                                   .exchange = s->exchange,
                                   .atomic_bits = t->facts.atomics64 ? 0 : 32};
    fcl_run_options o = {.compile = &compile, .via = s->via};
    drawn tuning;
    if (!evaluate(&j, entry, s, out))
        return;
    compile.tuning = tuning_of(m, s, &compile, true, &tuning);
    bool ok =
        fcl_run(m, entry, d, &o, (const fcl_array *)args, nargs, (fcl_array *)got, j.nresults);
    if (!ok)
        refuse(j.cx, out, NOT_RUN);
    if (out->code >= DIAG_LOWER_LEVEL && out->code < 600 && out->verdict == NOT_RUN)
        out->verdict = NOT_LOWERED;
    if (out->code == DIAG_LOCAL_MEMORY || out->code == DIAG_RUN_NEEDS ||
        out->code == DIAG_RUN_LOCAL || out->code == DIAG_RUN_BLOCK || out->code == DIAG_EMIT_SIZE)
        out->verdict = NOT_FITTING;
    for (uint32_t i = 0; ok && i < j.nresults; i++)
        ok = same_array(&j.expected[i], &got[i], i, false, out);
    release(j.cx, got, j.nresults);
    release(j.cx, j.expected, j.nresults);
}

fcl_module *case_load(fcl_context *cx, const char *text, size_t size, outcome *out)
{
    *out = (outcome){0};
    fcl_module *m = fcl_module_load(cx, "program", text, size, NULL);
    if (m && fcl_module_check(m))
        return m;
    refuse(cx, out, NOT_ACCEPTED);
    fcl_module_destroy(m);
    return NULL;
}
