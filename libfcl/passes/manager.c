/* The manager: runs passes, tells the observer about each, and lets the verifier see what they leave.
 *
 * An observer costs nothing where there is none: no clock is read, and text is made only when it
 * asks for it. */
#define _POSIX_C_SOURCE 200809L
#include "libfcl/passes/passes.h"

#include "ir/check/check.h"
#include "ir/kernel/lower/lower.h"
#include "ir/kernel/pass/pass.h"
#include "libfcl/plugins/edit.h"
#include "libfcl/target.h"

#include <time.h>

/* What an event is about; those that are there. */
typedef struct pass_subject {
    fcl_context *cx;
    fcl_module *m;
    const k_program *p;
    const fcl_kernels *k;
} pass_subject;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

char *fcl_pass_event_print(const fcl_pass_event *e, size_t *size)
{
    const pass_subject *s = e ? e->program : NULL;
    if (!s)
        return NULL;
    if (s->k)
        return fcl_kernels_print(s->k, size);
    if (!s->p)
        return s->m ? fcl_module_print(s->m, size) : NULL;
    uint32_t before = s->cx->diags.errors;
    vec_char text = {0};
    bool ok = k_print(s->p, &text);
    char *copy = face_take_text(s->cx, &text, size);
    if (face_ok(s->cx, before) && ok)
        return copy;
    if (copy)
        fcl_free(s->cx, copy, *size);
    return NULL;
}

/* ---- one run of a pass ---- */

typedef struct pass_run {
    bool observed; /* somebody sees it */
    fcl_pass_observer observer;
    fcl_pass_event event;
    uint64_t start;
} pass_run;

/* False: it is to be left out. */
static bool begin(manager *g, pass_run *r, const pass_step *step, str_id entry,
                  const pass_subject *on)
{
    const fcl_pass *pass = &step->pass->about;
    *r = (pass_run){.observed = g->o->observer != NULL,
                    .observer = abi_pass_observer(g->o->observer)};
    g->number++;
    if (!r->observed)
        return true;
    r->event = (fcl_pass_event){.pass = pass,
                                .step = intern_str(&g->cx->strings, step->text),
                                .entry = intern_str(&g->cx->strings, entry),
                                .number = g->number,
                                .program = on};
    bool wanted = !r->observer.before || r->observer.before(r->observer.user, &r->event);
    r->start = now();
    return wanted || pass->needed;
}

/* What comes now is verifying. */
static void ran(pass_run *r)
{
    if (!r->observed)
        return;
    r->event.nanoseconds = now() - r->start;
    r->start += r->event.nanoseconds;
}

/* The observer hears of failures, too: that is when reproducers are written. */
static bool end(pass_run *r, bool ok)
{
    if (!r->observed)
        return ok;
    r->event.verified = now() - r->start;
    r->event.ok = ok;
    if (r->observer.after)
        r->observer.after(r->observer.user, &r->event);
    return ok;
}

/* Follows the verifier's own diagnostics and names the pass; lack of memory is nobody's fault. */
static bool broke(manager *g, const pass_step *step)
{
    if (!g->cx->mem.oom)
        diag_error(g->cx, DIAG_PASS_BROKE, (location){0}, "the pass %s has broken the program",
                   step->pass->about.name);
    return false;
}

/* ---- the core ---- */

/* What a module says of itself, before any pass has run. */
unsigned manager_holds(const fcl_module *m)
{
    return (m->ir.checked ? IS_CHECKED : 0u) | (m->ir.imports.len == 0 ? IS_LINKED : 0u);
}

/* The mark is cleared first, since checking skips modules that bear it. */
static bool verify_core(manager *g, fcl_module *m, const pass_step *step)
{
    if (!g->o->verify_each)
        return true;
    m->ir.checked = false;
    return ir_check(&m->ir) || broke(g, step);
}

/* A pass that fails says why; a rewriting that it left open is not its successor's to end. */
static bool run_own(manager *g, fcl_module *m, const pass_step *step)
{
    const fcl_core_pass *pass = step->pass->core;
    fcl_context *cx = g->cx;
    if (pass->checked && !fcl_module_check(m))
        return false;
    uint32_t before = cx->diags.errors;
    const void *outer = cx->registry.running;
    cx->registry.running = step;
    bool ok = pass->run(pass->user, m);
    cx->registry.running = outer;
    if (m->rewrite) {
        fcl_rewrite_end(m->rewrite);
        diag_error(cx, DIAG_PLUGIN, (location){0}, "the pass %s has not ended a rewriting",
                   pass->name);
    } else if (!ok && cx->diags.errors == before && !cx->mem.oom) {
        diag_error(cx, DIAG_PLUGIN, (location){0},
                   "the pass %s says that it cannot go on, and not why", pass->name);
    }
    return ok && cx->diags.errors == before && !m->broken;
}

/* What it has changed is checked, so that what follows gets what it may rely on. */
static bool run_core(manager *g, fcl_module *m, const pass_step *step)
{
    const fcl_core_pass *own = step->pass->core;
    fcl_compile_options o = *g->o;
    if (!own)
        return options_merge(g->cx, &o, &step->options) && step->pass->run.CORE(m, &o);
    bool was_checked = m->ir.checked || own->checked;
    return run_own(g, m, step) &&
           (m->ir.checked || !was_checked || ir_check(&m->ir) || broke(g, step));
}

bool manager_run_core(manager *g, fcl_module *m, const pass_step *step)
{
    pass_subject on = {.cx = g->cx, .m = m};
    pass_run r;
    if (!begin(g, &r, step, 0, &on))
        return true;
    bool ok = run_core(g, m, step);
    vec_free(&g->cx->mem, &m->named); /* functions may have other numbers now */
    m->entered = 0;
    ran(&r);
    return end(&r, ok && verify_core(g, m, step));
}

/* ---- kernel programs ---- */

/* *p is empty or a program on return, and can be released in either case. */
bool manager_lower(manager *g, fcl_module *m, ir_func f, const pass_step *step, k_program *p)
{
    pass_subject on = {.cx = g->cx, .m = m};
    fcl_compile_options o = *g->o;
    k_target t;
    pass_run r;
    *p = (k_program){0};
    bool merged = options_merge(g->cx, &o, &step->options);
    begin(g, &r, step, ir_func_at(&m->ir, f)->name, &on);
    const fcl_backend *b = target_backend(g->cx, &o);
    bool ok = merged && b && target_make(m, b, &o, g->device, &t);
    if (ok && g->most_block)
        target_limit_block(&t, g->most_block);
    ok = ok && k_lower(&m->ir, f, &t, p);
    if (ok)
        on.p = p;
    ran(&r);
    unsigned holds = pass_holds(&step->pass->about, 0);
    return end(&r, ok && (k_verify(p, kernels_stage(holds)) || broke(g, step)));
}

/* Before a pass that may change what kernels use. */
static void drop_kernels(k_program *p)
{
    p->kernels.len = p->locals.len = 0;
    if (p->stage == K_OUTLINED)
        p->stage = K_VIRTUALISED;
}

/* Runs the pass with what its options say in place of the program's own target. */
static bool run_with_options(manager *g, k_program *p, const pass_step *step)
{
    k_target own = p->target;
    target_override(g->cx, &step->options, &p->target);
    if (step->pass->about.breaks & IS_LEGALISED)
        k_forget_forms(p);
    if (step->pass->about.breaks & IS_OUTLINED)
        drop_kernels(p);
    const void *outer = g->cx->registry.running;
    g->cx->registry.running = step;
    bool ok = step->pass->plugin ? edit_run(step->pass->plugin, p) : step->pass->run.KERNEL(p);
    g->cx->registry.running = outer;
    p->target = own;
    return ok;
}

/* A program on its way through kernel passes, and what the verifier saw last. */
typedef struct kernel_run {
    unsigned *holds;
    k_verified last;
    bool unseen; /* a pass has run since */
} kernel_run;

/* The library's own passes are verified all together, as one by one takes a quarter of their time;
 * but an observer is told of each whether it went well. */
static bool is_verified_alone(const manager *g, const pass_step *step)
{
    return g->o->verify_each || g->o->observer || step->pass->plugin;
}

/* A pass that the observer leaves out changes neither the program nor what holds. */
static bool run_kernel(manager *g, k_program *p, const pass_step *step, kernel_run *k)
{
    pass_subject on = {.cx = g->cx, .p = p};
    pass_run r;
    if (!begin(g, &r, step, p->name, &on))
        return true;
    bool ok = run_with_options(g, p, step);
    *k->holds = pass_holds(&step->pass->about, *k->holds);
    ran(&r);
    k->unseen = !is_verified_alone(g, step);
    return end(&r, ok && (k->unseen || k_verify_again(p, kernels_stage(*k->holds), &k->last) ||
                          broke(g, step)));
}

static bool verify_all(manager *g, const k_program *p, unsigned holds)
{
    bool ok = k_verify(p, kernels_stage(holds));
    if (!ok && !g->cx->mem.oom)
        diag_error(g->cx, DIAG_PASS_BROKE, (location){0},
                   "a pass has broken the program; fcl-opt --verify-each tells which one");
    return ok;
}

bool manager_run_kernel(manager *g, k_program *p, const pass_list *list, unsigned *holds)
{
    kernel_run k = {.holds = holds};
    bool ok = true;
    for (uint32_t i = 0; ok && i < list->steps.len; i++) {
        ok = !context_is_cancelled(g->cx) || context_stopped(g->cx, (location){0});
        if (ok && list->steps.at[i].pass->about.kind == FCL_PASS_KERNEL)
            ok = run_kernel(g, p, &list->steps.at[i], &k);
    }
    k_verified_free(&g->cx->mem, &k.last);
    return ok && (!k.unseen || verify_all(g, p, *holds));
}

/* ---- code ---- */

/* The back end takes all programs at once, as it writes one file with one head for them. */
static bool emit(const fcl_backend *b, const fcl_kernels *k, fcl_emission *out)
{
    mem *mm = &k->cx->mem;
    VEC(const k_program *) refs = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < k->programs.len; i++) {
        const k_program *p = &k->programs.at[i];
        ok = target_is_of(b, p) && target_fits_memory(p) && vec_push(mm, &refs, p);
    }
    ok = ok && backend_emit(b, refs.at, refs.len, out);
    text_cstr(mm, &out->code);
    vec_free(mm, &refs);
    return ok;
}

bool manager_emit(manager *g, const fcl_backend *b, const fcl_kernels *k, fcl_emission *out)
{
    static const char name[] = "emit";
    const pass_step step = {.pass = pass_named(NULL, name, sizeof name - 1, FCL_PASS_EMISSION),
                            .text = intern_cstr(&g->cx->strings, name)};
    pass_subject on = {.cx = g->cx, .k = k};
    pass_run r;
    if (!step.text || !pass_allowed(g->cx, &step.pass->about, k->holds, (location){0}))
        return false;
    begin(g, &r, &step, 0, &on);
    bool ok = emit(b, k, out);
    ran(&r);
    return end(&r, ok);
}
