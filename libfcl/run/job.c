/* Runs that go on while the caller does: started in order on their device, and settled in that
 * order, so that a job knows what became of those whose arrays it takes. */
#include "libfcl/run/run.h"

void job_drop(fcl_job *j)
{
    if (!j || --j->holders)
        return;
    mem *m = &j->device->cx->mem;
    for (uint32_t i = 0; i < j->takes.len; i++)
        job_drop(j->takes.at[i]);
    if (j->device->runner)
        run_forget(j->device->runner, &j->flight);
    vec_free(m, &j->takes);
    mem_free(m, j, sizeof *j);
}

/* Jobs before it in the queue are settled already, and those that it takes with them.  What they
 * made is not asked for again. */
static void end(fcl_job *j)
{
    bool ok = true;
    for (uint32_t i = 0; i < j->takes.len; i++) {
        ok = ok && j->takes.at[i]->state == JOB_DONE;
        job_drop(j->takes.at[i]);
    }
    j->takes.len = 0;
    ok = run_land(j->program->prepared, &j->flight) && ok;
    j->state = ok ? JOB_DONE : JOB_FAILED;
}

static void settle_first(fcl_device *d)
{
    fcl_job *j = d->first;
    end(j);
    d->first = j->next;
    d->last = d->first ? d->last : NULL;
    job_drop(j);
}

bool job_settle(fcl_job *j)
{
    while (j && j->state == JOB_RUNS)
        settle_first(j->device);
    return !j || j->state == JOB_DONE;
}

void job_settle_all(fcl_device *d)
{
    while (d->first)
        settle_first(d);
}

void job_makes(fcl_job *j, fcl_buffer *b)
{
    if (j)
        j->holders++;
    job_drop(b->job);
    b->job = j;
}

bool job_has_made(const fcl_buffer *b)
{
    return job_settle(b->job) ||
           diag_error(b->device->cx, DIAG_RUN_FAILED, (location){0},
                      "the buffer holds nothing: the run that was to make it has failed");
}

/* ---- the interface ---- */

static fcl_job *new_job(fcl_program *p, size_t nargs)
{
    mem *m = &p->cx->mem;
    fcl_job *j = mem_resize(m, NULL, 0, sizeof *j);
    if (!j)
        return NULL;
    *j = (fcl_job){
        .device = p->device, .program = p, .holders = 1, .has_handle = true, .state = JOB_DONE};
    if (vec_reserve(m, &j->takes, (uint32_t)nargs + 1))
        return j;
    job_drop(j);
    return NULL;
}

static void take_makers(fcl_job *j, const fcl_argument *args, size_t nargs)
{
    for (size_t i = 0; i < nargs; i++) {
        fcl_job *maker = args[i].buffer ? args[i].buffer->job : NULL;
        if (!maker || maker->state != JOB_RUNS)
            continue;
        maker->holders++;
        j->takes.at[j->takes.len++] = maker;
    }
}

/* A job that somebody may ask about ends before what is started next.  The others need no mark,
 * which costs as much as a launch. */
static void mark_last(fcl_device *d)
{
    if (d->last && d->last->has_handle)
        run_mark(d->runner, &d->last->flight);
}

/* Behind the others of its device. */
static void put_in_line(fcl_job *j)
{
    fcl_device *d = j->device;
    j->state = JOB_RUNS;
    j->holders++;
    if (d->last)
        d->last->next = j;
    else
        d->first = j;
    d->last = j;
}

fcl_job *fcl_program_start(fcl_program *p, const fcl_argument *args, size_t nargs,
                           fcl_buffer **results, size_t nresults)
{
    if (!p)
        return NULL;
    if (!program_given(p, args, nargs, results, nresults))
        return NULL;
    program_settle(p, args, nargs, p->prepared != NULL);
    uint32_t before = p->cx->diags.errors;
    fcl_job *j = new_job(p, nargs);
    bool queued = j && p->prepared;
    if (queued) {
        take_makers(j, args, nargs);
        mark_last(j->device);
    }
    bool ok = j && program_run(p, args, nargs, results, nresults, queued ? j : NULL);
    if (ok && queued)
        put_in_line(j);
    else if (queued)
        run_land(p->prepared, &j->flight); /* it writes its report into what is freed here */
    if (program_ended_well(p, before) && ok)
        return j;
    job_drop(j);
    return NULL;
}

bool fcl_job_wait(fcl_job *j)
{
    if (!j)
        return false;
    fcl_context *cx = j->device->cx;
    uint32_t before = cx->diags.errors;
    bool ok = job_settle(j);
    face_ok(cx, before); /* what it reports may be about jobs before this one */
    return ok;
}

static bool is_marked(fcl_job *j)
{
    return j->device->runner && run_mark(j->device->runner, &j->flight);
}

bool fcl_job_done(fcl_job *j)
{
    if (!j)
        return false;
    return j->state != JOB_RUNS || !is_marked(j) || run_has_landed(j->device->runner, &j->flight);
}

void *fcl_job_event(fcl_job *j)
{
    if (!j)
        return NULL;
    run_device *d = j->device->runner;
    bool opencl = d && run_device_handles(d).context;
    return opencl && is_marked(j) ? j->flight.mark : NULL;
}

void fcl_job_destroy(fcl_job *j)
{
    if (j)
        j->has_handle = false;
    job_drop(j);
}
