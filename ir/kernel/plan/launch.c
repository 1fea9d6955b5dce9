/* A launch as a step: geometry, and arguments in the order in which emitted code takes them.  How
 * many bytes an area of local memory has that only the launch knows is computed by steps before. */
#include "ir/kernel/plan/maker.h"

#include "ir/kernel/analysis/local.h"

/* ---- sizes of local memory ---- */

static uint32_t as_long(plan_maker *k, k_id v, const k_node *at)
{
    uint32_t from = maker_value(k, v);
    if (k_at(k->p, v)->type == ST_I64)
        return from;
    uint32_t to = plan_add_value(k->out, ST_I64);
    k->ok = k->ok && to;
    maker_step(k, (plan_step){.op = PLAN_CONVERT, .gives = to, .ngives = 1, .args = {from}}, at);
    return to;
}

/* The place behind the last element of an array: no array is empty. */
static uint32_t end_of(plan_maker *k, const k_local *l, const k_node *at)
{
    const k_node *alloc = k_at(k->p, l->alloc);
    int64_t count, size = ir_scalar_bytes((scalar)alloc->type);
    if (k_local_count(k->p, l->alloc, &count))
        return maker_long(k, (int64_t)l->offset + count * size);
    uint32_t n = as_long(k, alloc->args[0], at);
    n = maker_compute(k, SOP_MAX, ST_I64, n, maker_long(k, 1), at);
    n = maker_compute(k, SOP_MUL, ST_I64, n, maker_long(k, size), at);
    return l->offset ? maker_compute(k, SOP_ADD, ST_I64, n, maker_long(k, (int64_t)l->offset), at)
                     : n;
}

/* As k_area_bytes computes it, by steps: up to the last byte of any array, in units. */
static uint32_t bytes_of(plan_maker *k, const k_kernel *from, uint32_t area, const k_node *at)
{
    uint32_t first, n = k_area_locals(k->p, from, area, &first), most = 0;
    for (uint32_t i = first; i < first + n; i++) {
        uint32_t end = end_of(k, k_local_at(k->p, from, i), at);
        most = most ? maker_compute(k, SOP_MAX, ST_I64, most, end, at) : end;
    }
    uint32_t unit = maker_long(k, AREA_ALIGNMENT);
    most = maker_compute(k, SOP_ADD, ST_I64, most, maker_long(k, AREA_ALIGNMENT - 1), at);
    most = maker_compute(k, SOP_QUOT, ST_I64, most, unit, at);
    return maker_compute(k, SOP_MUL, ST_I64, most, unit, at);
}

/* What the record of the kernel says of its arrays is complete now. */
static void name_sizes(plan_maker *k, const k_kernel *from, const plan_kernel *made)
{
    for (uint32_t i = 0; i < made->nlocals && k->ok; i++) {
        plan_local *l = &k->out->locals.at[made->locals + i];
        if (!l->count)
            l->elements = maker_value(k, k_at(k->p, k_local_at(k->p, from, i)->alloc)->args[0]);
    }
}

/* ---- the step ---- */

static void add(plan_maker *k, vec_u32 *list, uint32_t x)
{
    k->ok = k->ok && vec_push(&k->out->cx->mem, list, x);
}

static void collect(plan_maker *k, const k_kernel *from, const k_node *at, vec_u32 *list)
{
    for (uint32_t i = 0; i < from->nscalars; i++)
        add(k, list, maker_value(k, k_pooled(k->p, from->scalars, i)));
    for (uint32_t i = 0; i < from->nglobals; i++)
        add(k, list, maker_memory(k, k_pooled(k->p, from->globals, i)));
    for (uint32_t i = 0; i < from->nareas && k->ok; i++)
        if (k_area_is_argument(k->p, from, i))
            add(k, list, bytes_of(k, from, i, at));
    if (from->checks)
        add(k, list, k->report);
}

void maker_launch(plan_maker *k, k_id launch)
{
    const k_node *n = k_at(k->p, launch);
    uint32_t kernel = k->number[launch];
    const k_kernel *from = &k->p->kernels.at[kernel - 1];
    vec_u32 list = {0};
    plan_step s = {.op = PLAN_LAUNCH,
                   .which = kernel,
                   .args = {maker_value(k, n->args[0]), maker_value(k, n->args[1])}};
    collect(k, from, n, &list);
    name_sizes(k, from, plan_kernel_at(k->out, kernel));
    s.list = k->out->pool.len;
    s.nlist = list.len;
    for (uint32_t i = 0; i < list.len; i++)
        add(k, &k->out->pool, list.at[i]);
    vec_free(&k->out->cx->mem, &list);
    maker_step(k, s, n);
}
