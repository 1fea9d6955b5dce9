/* Runs the host block of a program: scalars by ir/scalar/scalar.c, branches and loops here, memory
 * and launches through the device.
 *
 * Values live in one array with an entry for each node.  Recursion goes into blocks, as deep as the
 * host block nests.
 */
#include "backends/run/plan.h"

#include "ir/scalar/scalar.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Reports at the place of a node; false, so that callers can return it. */
bool plan_error(plan *r, diag_code code, const k_node *n, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    location at = k_loc_at(r->p, n->loc);
    return diag_error(r->cx, code, at, "%s", text);
}

int64_t plan_int(const plan *r, k_id v)
{
    return (int64_t)r->values[v < r->p->nodes.len ? v : 0];
}

/* ---- scalars ---- */

static uint64_t scalar_value(const plan *r, const k_node *n)
{
    uint64_t x[3] = {r->values[n->args[0]], r->values[n->args[1]], r->values[n->args[2]]};
    scalar t = (scalar)k_at(r->p, n->args[n->opcode == SOP_SELECT])->type;
    return scalar_eval((opcode)n->opcode, t, x);
}

/* Values are kept as bits, canonical for their type as in ir/scalar/scalar.h. */
static uint64_t value_of(const plan *r, const k_node *n)
{
    uint64_t x = r->values[n->args[0]];
    scalar from = (scalar)k_at(r->p, n->args[0])->type, to = (scalar)n->type;
    switch (n->op) {
    case K_CONST: return n->bits;
    case K_ARG: return host_get(&r->args[n->leaf].shape, 0);
    case K_DIM: return r->args[n->leaf].shape.dims[n->axis];
    case K_SCALAR: return scalar_value(r, n);
    case K_CONVERT: return scalar_convert(to, from, x);
    case K_BITCAST: return scalar_wrap(to, x);
    default: return 0;
    }
}

/* ---- blocks ---- */

static const k_node *yield_in(const plan *r, k_block b)
{
    k_id id = k_block_at(r->p, b)->first;
    while (id && k_at(r->p, id)->op != K_YIELD)
        id = k_at(r->p, id)->next;
    return k_at(r->p, id);
}

/* The values listed by from become those of n consecutive nodes, all at once. */
static bool move_values(plan *r, const k_node *from, k_id to, uint32_t n)
{
    r->moved.len = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!vec_push(&r->cx->mem, &r->moved, r->values[k_listed(r->p, from, i)]))
            return false;
    for (uint32_t i = 0; i < n; i++)
        r->values[to + i] = r->moved.at[i];
    return true;
}

/* From parameters to results, which never overlap. */
static void copy_values(plan *r, k_id from, k_id to, uint32_t n)
{
    memmove(&r->values[to], &r->values[from], n * sizeof *r->values);
}

static bool run_block(plan *r, k_block b);

static bool run_if(plan *r, const k_node *n)
{
    k_block taken = n->blocks[r->values[n->args[0]] ? 0 : 1];
    return run_block(r, taken) && move_values(r, yield_in(r, taken), n->results, n->nresults);
}

/* Whether the step is positive may depend on the arguments, so it is asked only here. */
static bool run_for(plan *r, const k_node *n)
{
    const k_blocks *body = k_block_at(r->p, n->blocks[0]);
    k_id index = body->params, carried = index + 1;
    int64_t hi = plan_int(r, n->args[1]), step = plan_int(r, n->args[2]);
    if (step < 1)
        return plan_error(r, DIAG_RUN_PLAN, n, "a loop of the launch plan has the step %lld",
                          (long long)step);
    if (!move_values(r, n, carried, n->nresults))
        return false;
    for (int64_t i = plan_int(r, n->args[0]); i < hi; i += step) {
        r->values[index] = (uint64_t)i;
        if (!run_block(r, n->blocks[0]) ||
            !move_values(r, yield_in(r, n->blocks[0]), carried, n->nresults))
            return false;
    }
    copy_values(r, carried, n->results, n->nresults);
    return true;
}

/* Nothing but the limit on steps bounds the number of turns. */
static bool run_while(plan *r, const k_node *n)
{
    k_id carried = k_block_at(r->p, n->blocks[0])->params;
    const k_node *condition = yield_in(r, n->blocks[0]), *next = yield_in(r, n->blocks[1]);
    if (!move_values(r, n, carried, n->nresults))
        return false;
    for (;;) {
        if (!run_block(r, n->blocks[0]))
            return false;
        if (!r->values[k_listed(r->p, condition, 0)])
            break;
        if (!run_block(r, n->blocks[1]) || !move_values(r, next, carried, n->nresults))
            return false;
    }
    copy_values(r, carried, n->results, n->nresults);
    return true;
}

static bool run_launch_of(plan *r, k_id launch)
{
    return plan_launch(r, &r->p->kernels.at[r->values[launch]]);
}

static bool run_statement(plan *r, k_id id)
{
    const k_node *n = k_at(r->p, id);
    if (!r->steps-- || context_is_cancelled(r->cx))
        return context_stopped(r->cx, k_loc_at(r->p, n->loc));
    switch (n->op) {
    case K_ALLOC: return plan_alloc(r, id);
    case K_LOAD: return plan_load(r, id);
    case K_CHECK: return plan_check(r, id);
    case K_OUTPUT: return plan_output(r, n);
    case K_IF: return run_if(r, n);
    case K_FOR: return run_for(r, n);
    case K_WHILE: return run_while(r, n);
    case K_LAUNCH: return run_launch_of(r, id);
    case K_YIELD:
    case K_TABLE:
    case K_BUFFER: return true;
    case K_CONST:
    case K_ARG:
    case K_DIM:
    case K_SCALAR:
    case K_CONVERT:
    case K_BITCAST: r->values[id] = value_of(r, n); return true;
    default:
        return plan_error(r, DIAG_RUN_PLAN, n, "the launch plan holds a %s, which only kernels may",
                          k_op_info(n->op)->name);
    }
}

static bool run_block(plan *r, k_block b)
{
    for (k_id id = k_block_at(r->p, b)->first; id; id = k_at(r->p, id)->next)
        if (!run_statement(r, id))
            return false;
    return true;
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
static bool fill(plan *r, const char *code, size_t code_size)
{
    mem *m = &r->cx->mem;
    r->values = zeroed(m, r->p->nodes.len, sizeof *r->values);
    r->memories = zeroed(m, r->p->nodes.len, sizeof *r->memories);
    r->results = zeroed(m, r->p->out.len, sizeof *r->results);
    if (!r->values || !r->memories || !r->results || !plan_check_types(r))
        return false;
    if (!k_list_checks(r->p, r->p->host, &r->checks))
        return false;
    r->program = r->p->kernels.len ? r->d->ops->program(r->d, code, code_size) : NULL;
    return r->program || !r->p->kernels.len;
}

/* NULL after a diagnostic. The device and the program must outlive what is returned. */
run_prepared *run_prepare(run_device *d, const k_program *p, const char *code, size_t code_size)
{
    plan *r = mem_resize(&d->cx->mem, NULL, 0, sizeof *r);
    if (!r)
        return NULL;
    *r = (plan){.d = d, .p = p, .cx = d->cx};
    if (fill(r, code, code_size))
        return r;
    run_prepared_free(r);
    return NULL;
}

void run_prepared_free(run_prepared *r)
{
    if (!r)
        return;
    mem *m = &r->cx->mem;
    pool_free(&r->free, r->d);
    plan_end_checks(r);
    mem_free(m, r->values, (r->p->nodes.len + 1) * sizeof *r->values);
    mem_free(m, r->memories, (r->p->nodes.len + 1) * sizeof *r->memories);
    mem_free(m, r->results, (r->p->out.len + 1) * sizeof *r->results);
    vec_free(m, &r->checks);
    vec_free(m, &r->moved);
    vec_free(m, &r->launch_args);
    mem_free(m, r, sizeof *r);
}

/* ---- a run ---- */

static bool check_results(plan *r)
{
    for (uint32_t i = 0; i < r->p->out.len; i++)
        if (!r->results[i].memory && !r->results[i].over)
            return plan_error(r, DIAG_RUN_PLAN, k_at(r->p, 0),
                              "the launch plan leaves result %u without a value", i);
    return true;
}

/* A launch's value is the number of its kernel. */
static void number_kernels(plan *r)
{
    memset(r->values, 0, r->p->nodes.len * sizeof *r->values);
    for (uint32_t i = 0; i < r->p->kernels.len; i++)
        r->values[r->p->kernels.at[i].launch] = i;
}

/* The queue is empty afterwards, however it ends. */
static bool run_plan(plan *r)
{
    number_kernels(r);
    r->steps = r->cx->limits.steps;
    bool ok =
        plan_begin_checks(r) && run_block(r, r->p->host) && check_results(r) && plan_passed(r);
    return r->d->ops->finish(r->d) && ok;
}

static bool run_timed(plan *r, run_time *time)
{
    if (!time)
        return run_plan(r);
    if (!r->d->ops->start_timing(r->d))
        return false;
    bool ok = run_plan(r);
    return r->d->ops->stop_timing(r->d, ok ? time : NULL) && ok;
}

/* After a failure nothing is the caller's: results go back to the pool. */
static void hand_over(plan *r, run_array *results, bool ok)
{
    for (uint32_t i = 0; i < r->p->out.len; i++) {
        if (ok)
            results[i] = r->results[i];
        else
            run_give_back(r, &r->results[i]);
        r->results[i] = (run_array){0};
    }
}

/* Checked before anything runs; results are defined only when it returns true. */
bool run_execute(run_prepared *r, const run_array *args, uint32_t nargs, run_array *results,
                 uint32_t nresults, run_time *time)
{
    r->args = args;
    if (!plan_check_arguments(r, args, nargs, nresults))
        return false;
    bool ok = run_timed(r, time);
    hand_over(r, results, ok);
    plan_release_memories(r);
    pool_age(&r->free, r->d);
    return ok;
}

void run_give_back(run_prepared *r, run_array *a)
{
    if (a->memory)
        pool_give(&r->free, r->d, (pooled){.memory = a->memory, .bytes = a->bytes});
    a->memory = NULL;
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
    if (d)
        d->ops->close(d);
}
