/* Runs the steps of a plan: values by ir/scalar/scalar.c, branches and loops here, memory and
 * launches through the device.
 *
 * Recursion goes into blocks, as deep as the plan nests. */
#include "backends/run/prepared.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Reports at a place; false, so that callers can return it. */
bool run_error(run_prepared *r, diag_code code, location at, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_error(r->cx, code, at, "%s", text);
}

/* ---- values ---- */

/* Values are kept as bits, canonical for their type as in ir/scalar/scalar.h. */
uint64_t run_value(const run_prepared *r, const plan_step *s)
{
    if (s->op == PLAN_SCALAR)
        return host_get(&r->args[s->which].shape, 0);
    if (s->op == PLAN_EXTENT)
        return r->args[s->which].shape.dims[s->axis];
    return plan_compute(r->p, s, r->values);
}

/* ---- blocks ---- */

/* Listed values become those of n consecutive numbers, all at once. */
static bool move_values(run_prepared *r, uint32_t list, uint32_t to, uint32_t n)
{
    r->moved.len = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!vec_push(&r->cx->mem, &r->moved, r->values[r->p->pool.at[list + i]]))
            return false;
    for (uint32_t i = 0; i < n; i++)
        r->values[to + i] = r->moved.at[i];
    return true;
}

/* From parameters to results, which never overlap. */
static void copy_values(run_prepared *r, uint32_t from, uint32_t to, uint32_t n)
{
    memmove(&r->values[to], &r->values[from], n * sizeof *r->values);
}

static bool run_block(run_prepared *r, uint32_t b);

static bool run_if(run_prepared *r, const plan_step *s)
{
    uint32_t taken = s->blocks[r->values[s->args[0]] ? 0 : 1];
    return run_block(r, taken) &&
           move_values(r, plan_block_at(r->p, taken)->yields, s->gives, s->ngives);
}

/* Whether the step is positive may depend on the arguments, so it is asked only here. */
static bool run_for(run_prepared *r, const plan_step *s)
{
    const plan_block *body = plan_block_at(r->p, s->blocks[0]);
    uint32_t index = body->params, carried = index + 1;
    int64_t hi = run_number(r, s->args[1]), step = run_number(r, s->args[2]);
    if (step < 1)
        return run_error(r, DIAG_RUN_PLAN, s->at, "a loop of the launch plan has the step %lld",
                         (long long)step);
    if (!move_values(r, s->list, carried, s->ngives))
        return false;
    for (int64_t i = run_number(r, s->args[0]); i < hi; i += step) {
        r->values[index] = (uint64_t)i;
        if (!run_block(r, s->blocks[0]) || !move_values(r, body->yields, carried, s->ngives))
            return false;
        if (i > INT64_MAX - step)
            break;
    }
    copy_values(r, carried, s->gives, s->ngives);
    return true;
}

/* Nothing but the limit on steps bounds the number of turns. */
static bool run_while(run_prepared *r, const plan_step *s)
{
    const plan_block *condition = plan_block_at(r->p, s->blocks[0]);
    uint32_t carried = condition->params, next = plan_block_at(r->p, s->blocks[1])->yields;
    if (!move_values(r, s->list, carried, s->ngives))
        return false;
    for (;;) {
        if (!run_block(r, s->blocks[0]))
            return false;
        if (!r->values[plan_yielded(r->p, condition, 0)])
            break;
        if (!run_block(r, s->blocks[1]) || !move_values(r, next, carried, s->ngives))
            return false;
    }
    copy_values(r, carried, s->gives, s->ngives);
    return true;
}

static bool run_step(run_prepared *r, const plan_step *s)
{
    if (!r->steps-- || context_is_cancelled(r->cx))
        return context_stopped(r->cx, s->at);
    switch (s->op) {
    case PLAN_ALLOCATE: return run_allocate(r, s);
    case PLAN_FREE: run_free(r, s); return true;
    case PLAN_SWAP: run_swap(r, s); return true;
    case PLAN_READ: return run_read(r, s);
    case PLAN_CHECK: return run_check(r, s);
    case PLAN_PASSED: return run_passed_step(r, s);
    case PLAN_OUTPUT: return run_output(r, s);
    case PLAN_EMIT:
    case PLAN_EMITSCALAR: return run_emit(r, s);
    case PLAN_RECEIVE: return run_receive(r, s);
    case PLAN_LAUNCH: return run_launch_step(r, s);
    case PLAN_IF: return run_if(r, s);
    case PLAN_FOR: return run_for(r, s);
    case PLAN_WHILE: return run_while(r, s);
    default: r->values[s->gives] = run_value(r, s); return true;
    }
}

static bool run_block(run_prepared *r, uint32_t b)
{
    for (uint32_t i = plan_block_at(r->p, b)->first; i; i = plan_step_at(r->p, i)->next)
        if (!run_step(r, plan_step_at(r->p, i)))
            return false;
    return true;
}

/* The steps that the arguments alone tell count as done. */
static bool run_rest(run_prepared *r)
{
    r->steps -= r->nknown < r->steps ? r->nknown : r->steps;
    for (uint32_t i = 0; i < r->work.len; i++)
        if (!run_step(r, plan_step_at(r->p, r->work.at[i])))
            return false;
    return true;
}

static bool run_whole(run_prepared *r)
{
    bool again = run_is_again(r) && r->complete;
    r->complete = false;
    return r->complete = again ? run_rest(r) : run_block(r, PLAN_WHOLE);
}

/* ---- preparing ---- */

/* One entry more than asked for, so that a count of 0 is no failure. */
static void *zeroed(mem *m, size_t count, size_t size)
{
    void *a = mem_resize(m, NULL, 0, (count + 1) * size);
    if (a)
        memset(a, 0, (count + 1) * size);
    return a;
}

/* A plan without kernels, such as one that returns its arguments, needs no device program. */
static bool fill(run_prepared *r, const run_code *code)
{
    mem *m = &r->cx->mem;
    run_lack lack;
    bool kernels = r->p->kernels.len > 1;
    r->values = zeroed(m, r->p->values.len, sizeof *r->values);
    r->memories = zeroed(m, r->p->memories.len, sizeof *r->memories);
    r->results = zeroed(m, r->p->face.out.len, sizeof *r->results);
    r->given = zeroed(m, r->p->face.out.len, sizeof *r->given);
    r->becomes = zeroed(m, r->p->memories.len, sizeof *r->becomes);
    r->known = zeroed(m, r->p->values.len, sizeof *r->known);
    if (m->oom || !run_find_known(r) || (run_lacks(&r->d->caps, code->target, r->p, &lack) && !run_refuse(r->cx, &lack)))
        return false;
    run_find_results(r);
    run_find_last(r);
    for (uint32_t i = 1; i < r->p->steps.len; i++) {
        r->asks = r->asks || r->p->steps.at[i].op == PLAN_RECEIVE;
        r->emits = r->emits || plan_is_emitted(plan_step_at(r->p, i));
    }
    for (uint32_t i = 1; i < r->p->memories.len; i++)
        if (r->p->memories.at[i].kind == PLAN_MEMORY_REPORT)
            r->report = i;
    r->program = kernels ? r->d->ops->program(r->d, code) : NULL;
    return r->program || !kernels;
}

/* NULL after a diagnostic. The device and the program must outlive what is returned. */
run_prepared *run_prepare(run_device *d, const plan *p, const run_code *code)
{
    run_prepared *r = mem_resize(&d->cx->mem, NULL, 0, sizeof *r);
    if (!r)
        return NULL;
    *r = (run_prepared){.d = d, .p = p, .cx = d->cx};
    if (fill(r, code))
        return r;
    run_prepared_free(r);
    return NULL;
}

void run_prepared_free(run_prepared *r)
{
    if (!r)
        return;
    mem *m = &r->cx->mem;
    if (r->memories)
        run_end_memories(r);
    pool_free(&r->free, r->d);
    if (r->program)
        r->d->ops->leave(r->d, r->program);
    mem_free(m, r->values, (r->p->values.len + 1) * sizeof *r->values);
    mem_free(m, r->memories, (r->p->memories.len + 1) * sizeof *r->memories);
    mem_free(m, r->results, (r->p->face.out.len + 1) * sizeof *r->results);
    mem_free(m, r->given, (r->p->face.out.len + 1) * sizeof *r->given);
    mem_free(m, r->becomes, (r->p->memories.len + 1) * sizeof *r->becomes);
    mem_free(m, r->known, (r->p->values.len + 1) * sizeof *r->known);
    vec_free(m, &r->key);
    vec_free(m, &r->work);
    vec_free(m, &r->moved);
    vec_free(m, &r->emitted);
    vec_free(m, &r->launch_args);
    mem_free(m, r, sizeof *r);
}

/* ---- a run ---- */

static bool check_results(run_prepared *r)
{
    for (uint32_t i = 0; i < r->p->face.out.len; i++)
        if (!r->results[i].memory && !r->results[i].over)
            return run_error(r, DIAG_RUN_PLAN, r->p->face.at,
                             "the launch plan leaves result %u without a value", i);
    return true;
}

/* The queue is empty afterwards, unless the run is in flight. */
static bool run_plan(run_prepared *r)
{
    r->steps = r->cx->limits.steps;
    r->held = r->peak = r->launches = 0;
    bool ok = run_begin_memories(r) && run_whole(r) && check_results(r);
    if (ok && r->flight && r->d->ops->flush(r->d))
        return true;
    ok = r->d->ops->finish(r->d) && ok && !r->flight;
    r->clean = ok && r->last;
    r->failed = !ok;
    return ok;
}

static bool run_timed(run_prepared *r, run_time *time)
{
    if (!time)
        return run_plan(r);
    if (!r->d->ops->start_timing(r->d))
        return false;
    bool ok = run_plan(r);
    return r->d->ops->stop_timing(r->d, ok ? time : NULL) && ok;
}

/* After a failure nothing is the caller's: results go back to the pool. */
static void hand_over(run_prepared *r, run_array *results, bool ok)
{
    for (uint32_t i = 0; i < r->p->face.out.len; i++) {
        if (ok)
            results[i] = r->results[i];
        else
            run_drop_result(r, i);
        r->results[i] = (run_array){0};
    }
}

bool run_start(run_prepared *r, const run_array *args, uint32_t nargs, run_array *results,
               uint32_t nresults, run_flight *f)
{
    *f = (run_flight){.mark = NULL};
    r->flight = f;
    bool ok = run_execute(r, args, nargs, results, nresults, NULL);
    r->flight = NULL;
    return ok;
}

void run_bound(run_prepared *r, const run_bounds *b)
{
    r->bounds = *b;
}

/* Checked before anything runs; results are set only when it returns true. */
bool run_execute(run_prepared *r, const run_array *args, uint32_t nargs, run_array *results,
                 uint32_t nresults, run_time *time)
{
    r->args = args;
    if (!run_check_arguments(r, args, nargs, nresults) || !run_take_given(r, results))
        return false;
    bool ok = run_timed(r, time);
    hand_over(r, results, ok);
    run_drop_emitted(r);
    run_release_memories(r);
    pool_age(&r->free, r->d);
    return ok;
}

void run_drop_result(run_prepared *r, uint32_t i)
{
    if (!r->given[i].memory && r->results[i].memory) {
        r->held -= r->results[i].bytes;
        run_give_back(r, &r->results[i]);
    }
    r->results[i] = (run_array){0};
}

void run_give_back(run_prepared *r, run_array *a)
{
    if (a->memory)
        pool_give(&r->free, r->d, (pooled){.memory = a->memory, .bytes = a->bytes});
    a->memory = NULL;
}

static bool is_named(const char *target, const char *name)
{
    return name && strcmp(target, name) == 0;
}

const run_ways *run_ways_of(const run_caps *caps, const char *target)
{
    return is_named(target, caps->target) || is_named(target, caps->addresses) ? &caps->ways
           : is_named(target, caps->spirv)                                     ? &caps->spirv_ways
                                                                               : NULL;
}

run_caps run_device_caps(const run_device *d)
{
    return d->caps;
}

run_handles run_device_handles(const run_device *d)
{
    return d->ops->handles(d);
}

void run_close(run_device *d)
{
    if (!d)
        return;
    run_reports_end(d);
    d->ops->close(d);
}
