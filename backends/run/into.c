/* Results in memory that the caller gives.
 *
 * A memory that the plan allocates once and nothing takes the place of, and that is one result and
 * nothing else, is the given one if that has room: then nothing is copied.  All other results are copied at the end. */
#include "backends/run/prepared.h"

#include <string.h>

/* ---- which memories can be given ---- */

static uint32_t times(const plan *p, plan_op op, uint32_t memory)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < p->steps.len; i++)
        n += p->steps.at[i].op == op && p->steps.at[i].memory == memory;
    return n;
}

/* It changes places with another one, or is as large as what is received. */
static bool is_replaced(const plan *p, uint32_t memory)
{
    for (uint32_t i = 1; i < p->steps.len; i++) {
        const plan_step *s = &p->steps.at[i];
        if ((s->op == PLAN_SWAP && (s->memory == memory || s->which == memory)) ||
            (s->op == PLAN_RECEIVE && s->memory == memory))
            return true;
    }
    return false;
}

static uint32_t times_result(const plan *p, uint32_t which)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < p->steps.len; i++)
        n += p->steps.at[i].op == PLAN_OUTPUT && p->steps.at[i].which == which;
    return n;
}

/* In the outermost block, where each step is done once. */
static bool is_allocated_there(const plan *p, uint32_t memory)
{
    for (uint32_t i = plan_block_at(p, PLAN_WHOLE)->first; i; i = plan_step_at(p, i)->next)
        if (plan_step_at(p, i)->op == PLAN_ALLOCATE && plan_step_at(p, i)->memory == memory)
            return true;
    return false;
}

void run_find_results(run_prepared *r)
{
    const plan *p = r->p;
    for (uint32_t i = plan_block_at(p, PLAN_WHOLE)->first; i; i = plan_step_at(p, i)->next) {
        const plan_step *s = plan_step_at(p, i);
        if (s->op == PLAN_OUTPUT && plan_memory_at(p, s->memory)->kind == PLAN_MEMORY_ALLOCATED &&
            times(p, PLAN_OUTPUT, s->memory) == 1 && times(p, PLAN_ALLOCATE, s->memory) == 1 &&
            times_result(p, s->which) == 1 && is_allocated_there(p, s->memory) &&
            !is_replaced(p, s->memory))
            r->becomes[s->memory] = s->which + 1;
    }
}

/* ---- whether they are fit ---- */

/* The argument that result i takes the place of, plus one; 0: none. */
static uint32_t place_of(const run_prepared *r, uint32_t i)
{
    for (uint32_t k = 1; k < r->p->steps.len; k++) {
        const plan_step *s = &r->p->steps.at[k];
        const plan_memory *m = plan_memory_at(r->p, s->memory);
        if (s->op == PLAN_OUTPUT && s->which == i && m->overwritten)
            return m->argument + 1;
    }
    return 0;
}

/* Kernels read arguments while they write results, and write each result by itself. */
static bool check_given(run_prepared *r, uint32_t i)
{
    const run_array *given = &r->given[i];
    if (!given->memory)
        return true;
    if (given->shape.type != r->p->face.out.at[i].type)
        return run_error(
            r, DIAG_RUN_ROOM, r->p->face.at, "result %u is of %s, but the buffer for it of %s", i,
            ir_scalar_name(r->p->face.out.at[i].type), ir_scalar_name(given->shape.type));
    for (uint32_t k = 0; k < r->p->face.in.len; k++)
        if (r->args[k].memory == given->memory && place_of(r, i) != k + 1)
            return run_error(r, DIAG_RUN_ROOM, r->p->face.at,
                             "the buffer for result %u is argument %u as well", i, k);
    for (uint32_t k = 0; k < i; k++)
        if (r->given[k].memory == given->memory)
            return run_error(r, DIAG_RUN_ROOM, r->p->face.at,
                             "the buffer for result %u is that of result %u as well", i, k);
    return true;
}

bool run_has_room(run_prepared *r, const plan_step *s, uint64_t bytes)
{
    const run_array *given = &r->given[s->which];
    if (!given->memory || given->bytes >= bytes)
        return true;
    run_error(r, DIAG_RUN_ROOM, s->at, "result %u takes %llu bytes, but the buffer for it has %llu",
              s->which, (unsigned long long)bytes, (unsigned long long)given->bytes);
    diag_hint(r->cx, "give a larger buffer, or none: then one is made that fits");
    return false;
}

/* ---- extents that the arguments tell ---- */

static bool check_known_extents(run_prepared *r, const plan_step *s)
{
    host_array a = {.type = (scalar)plan_memory_at(r->p, s->memory)->type, .rank = s->nlist};
    return !run_are_known(r, &r->p->pool.at[s->list], s->nlist) ||
           (run_extents(r, s, &a) && run_has_room(r, s, host_count(&a) * ir_scalar_bytes(a.type)));
}

/* Computes what the outermost block does by the arguments alone. */
static bool look_ahead(run_prepared *r)
{
    for (uint32_t i = plan_block_at(r->p, PLAN_WHOLE)->first; i; i = plan_step_at(r->p, i)->next) {
        const plan_step *s = plan_step_at(r->p, i);
        if (run_is_known(r, s))
            r->values[s->gives] = run_value(r, s);
        if (s->op == PLAN_OUTPUT && !check_known_extents(r, s))
            return false;
    }
    return true;
}

bool run_take_given(run_prepared *r, const run_array *results)
{
    bool any = false;
    for (uint32_t i = 0; i < r->p->face.out.len; i++) {
        r->given[i] = results[i];
        any = any || results[i].memory;
    }
    for (uint32_t i = 0; any && i < r->p->face.out.len; i++)
        if (!check_given(r, i))
            return false;
    return !any || look_ahead(r);
}
