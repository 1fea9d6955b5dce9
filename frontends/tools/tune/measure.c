/* What a setting costs: see measure.h.  A setting that cannot be built or run is noted with the first error, and no error of the
 * search; only an interrupt ends that. */
#include "frontends/tools/tune/measure.h"

#include "frontends/tools/tune/compare.h"

#include <stdlib.h>
#include <string.h>

enum { CANCELLED = 910 };

/* The first error of the context, for the point; true: it is that of an interrupt, which stays to be reported. */
static bool note_failure(meter *m, point *p)
{
    fcl_diagnostic d;
    bool cancelled = false;
    p->state = POINT_FAILED;
    for (size_t i = 0; fcl_diagnostic_get(m->cx, i, &d, sizeof d); i++) {
        cancelled = cancelled || d.code == CANCELLED;
        if (d.severity == FCL_ERROR && !p->why) {
            string text = {0};
            string_addf(&text, "E%04u: %s", d.code, d.message);
            p->why = text.at;
        }
    }
    if (!cancelled)
        fcl_diagnostics_clear(m->cx);
    return cancelled;
}

static double cost_of(const meter *m, const fcl_program *p)
{
    uint64_t span = 0, kernels = fcl_program_nanoseconds(p, &span);
    if (m->peak)
        return (double)fcl_program_peak(p);
    return (double)(span ? span : kernels);
}

/* The results of the first run are kept, the others compared with them and freed. */
static void judge(meter *m, point *p, fcl_array *results)
{
    if (!m->first) {
        m->first = tool_alloc(m->nresults + 1, sizeof *m->first);
        memcpy(m->first, results, m->nresults * sizeof *results);
        return;
    }
    if (!results_agree(m->first, results, m->nresults, m->tolerance)) {
        p->state = POINT_DIFFERS;
        p->why = p->why ? p->why : tool_strndup("the results differ", strlen("the results differ"));
    }
    fcl_results_free(m->cx, results, m->nresults);
}

static bool run_all(meter *m, fcl_program *program, point *p)
{
    fcl_array *results = tool_alloc(m->nresults + 1, sizeof *results);
    bool ok = true;
    for (unsigned i = 0; i < m->repeat && ok && p->state == POINT_OK; i++) {
        memset(results, 0, (m->nresults + 1) * sizeof *results);
        ok = fcl_program_run_host(program, m->args, m->nargs, results, m->nresults);
        if (!ok)
            break;
        double cost = cost_of(m, program);
        p->cost = i && p->cost < cost ? p->cost : cost;
        judge(m, p, results);
    }
    free(results);
    return ok;
}

bool meter_try(void *user, const knobs *k, point *p)
{
    meter *m = user;
    string text = {0}, room = {0};
    fcl_compile_options compile;
    fcl_diagnostics_clear(m->cx);
    knobs_text(k, p->setting, &text);
    bool ok = knobs_apply(m->o, string_str(&text), &compile, &room);
    fcl_run_options how = {.size = sizeof how,
                           .compile = &compile,
                           .via = m->o->value[OPT_VIA],
                           .timed = true,
                           .memory = m->o->memory};
    fcl_program *program =
        ok ? fcl_program_create(m->module, m->entry, m->device, &how) : NULL;
    ok = program && run_all(m, program, p);
    bool goes_on = ok || !note_failure(m, p);
    fcl_program_destroy(program);
    string_free(&text);
    string_free(&room);
    show_progress(m->search, m->of, false);
    return goes_on;
}

void meter_free(meter *m)
{
    if (m->first)
        fcl_results_free(m->cx, m->first, m->nresults);
    free(m->first);
}
