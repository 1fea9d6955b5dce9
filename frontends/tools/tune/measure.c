/* What a setting costs: see measure.h.  A setting that cannot be built or run is noted with the first error, and no error of the
 * search; only an interrupt ends that. */
#include "frontends/tools/tune/measure.h"

#include "frontends/tools/tune/compare.h"
#include "frontends/tools/values/scalar.h"

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

static void free_results(const meter *m, fcl_array *results)
{
    for (size_t i = 0; results && i < m->nresults; i++)
        free((void *)(uintptr_t)results[i].data);
    free(results);
}

/* The results of the first run are kept, the others compared with them and freed. */
static void judge(meter *m, point *p, fcl_array *results)
{
    if (!m->first) {
        m->first = results;
        return;
    }
    if (!results_agree(m->first, results, m->nresults, m->tolerance)) {
        p->state = POINT_DIFFERS;
        p->why = p->why ? p->why : tool_strndup("the results differ", strlen("the results differ"));
    }
    free_results(m, results);
}

/* ---- the arguments, on the device once for all settings ---- */

static bool copy_argument(meter *m, size_t i)
{
    const fcl_array *a = &m->args[i];
    m->given[i] = (fcl_argument){.type = a->type, .scalar = a->data};
    if (a->rank == 0)
        return true;
    m->copies[i] = fcl_buffer_create(m->device, a->type, a->rank, a->dims);
    m->given[i].buffer = m->copies[i];
    return m->copies[i] && fcl_buffer_write(m->copies[i], a->data);
}

static bool copy_arguments(meter *m)
{
    if (m->given)
        return true;
    m->given = tool_alloc(m->nargs + 1, sizeof *m->given);
    m->copies = tool_alloc(m->nargs + 1, sizeof *m->copies);
    for (size_t i = 0; i < m->nargs; i++)
        if (!copy_argument(m, i))
            return false;
    return true;
}

/* The argument that a run overwrites with its result; nargs: none. */
static size_t overwritten(const meter *m)
{
    const char *name = m->o->compile.in_place;
    size_t i = 0;
    while (i < m->nargs && !(name && m->given[i].buffer && strcmp(m->in->leaves[i].name, name) == 0))
        i++;
    return i;
}

/* ---- runs ---- */

static fcl_array *read_results(meter *m, fcl_buffer *const *results, const fcl_buffer *in_place)
{
    fcl_array *all = tool_alloc(m->nresults + 1, sizeof *all);
    bool ok = true;
    for (size_t i = 0; i < m->nresults && ok; i++) {
        const fcl_buffer *b = results[i] ? results[i] : in_place;
        all[i] = fcl_buffer_shape(b);
        void *data = tool_alloc((size_t)array_count(&all[i]) + 1, fcl_scalar_get(all[i].type)->bytes);
        all[i].data = data;
        ok = fcl_buffer_read(b, data);
    }
    if (ok)
        return all;
    free_results(m, all);
    return NULL;
}

/* Only the results of a setting's first run are looked at: the others compute the same. */
static bool run_once(meter *m, fcl_program *program, point *p, bool look)
{
    fcl_buffer **results = tool_alloc(m->nresults + 1, sizeof *results);
    size_t over = overwritten(m);
    bool ok = over == m->nargs || fcl_buffer_write(m->copies[over], m->args[over].data);
    ok = ok && fcl_program_run(program, m->given, m->nargs, results, m->nresults);
    if (ok && look) {
        fcl_array *all = read_results(m, results, over < m->nargs ? m->copies[over] : NULL);
        ok = all != NULL;
        if (ok)
            judge(m, p, all);
    }
    for (size_t i = 0; i < m->nresults; i++)
        if (results[i])
            fcl_program_reuse(program, results[i]);
    free(results);
    return ok;
}

static bool run_all(meter *m, fcl_program *program, point *p)
{
    bool ok = copy_arguments(m);
    for (unsigned i = 0; i < m->repeat && ok && p->state == POINT_OK; i++) {
        ok = run_once(m, program, p, i == 0);
        double cost = cost_of(m, program);
        p->cost = i && p->cost < cost ? p->cost : cost;
    }
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
    free_results(m, m->first);
    for (size_t i = 0; m->copies && i < m->nargs; i++)
        fcl_buffer_destroy(m->copies[i]);
    free(m->copies);
    free(m->given);
}
