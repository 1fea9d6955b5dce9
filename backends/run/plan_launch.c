/* Starting kernels: geometry and arguments from the plan's values, checked against what the device
 * has. */
#include "backends/run/plan.h"
#include "ir/kernel/analysis/local.h"

#include "ir/scalar/scalar.h"

#include <string.h>

static k_id in_pool(const plan *r, uint32_t list, uint32_t i)
{
    return r->p->pool.at[list + i];
}

static const char *name_of(const plan *r, const k_kernel *k)
{
    return intern_str(&r->p->cx->strings, k->name);
}

/* ---- what the device must have ---- */

/* Recursion is as deep as blocks nest; block 0 is empty and ends it. */
static bool block_uses_f64(const k_program *p, k_block b)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->type == ST_F64 || block_uses_f64(p, n->blocks[0]) || block_uses_f64(p, n->blocks[1]))
            return true;
    }
    return false;
}

bool plan_check_types(plan *r)
{
    for (uint32_t i = 0; !r->d->caps.facts.f64 && i < r->p->kernels.len; i++) {
        const k_node *launch = k_at(r->p, r->p->kernels.at[i].launch);
        if (block_uses_f64(r->p, launch->blocks[0]))
            return plan_error(r, DIAG_RUN_F64, launch,
                              "kernel %s computes with doubles, which the device does not have",
                              name_of(r, &r->p->kernels.at[i]));
    }
    return true;
}

static int64_t size_now(const void *r, k_id size)
{
    return plan_int(r, size);
}

static k_sizes sizes_of(const plan *r)
{
    return (k_sizes){.of = size_now, .user = r};
}

/* The note tells which arrays take how much, as the plan's sizes are now. */
static bool refuse_local(plan *r, const k_kernel *k, const k_node *launch, uint64_t bytes)
{
    plan_error(r, DIAG_RUN_LOCAL, launch,
               "kernel %s needs %llu bytes of local memory for each block; the device has %llu",
               name_of(r, k), (unsigned long long)bytes,
               (unsigned long long)r->d->caps.facts.local_bytes);
    k_map_note(r->p, k, sizes_of(r));
    diag_hint(r->cx, "let each block work on a smaller chunk");
    return false;
}

/* Drivers answer such launches with numbers; here people get the kernel's name and what to change.
 */
static bool check_limits(plan *r, const k_kernel *k, const k_node *launch, int64_t groups,
                         int64_t threads)
{
    uint64_t bytes = k_map_bytes(r->p, k, sizes_of(r));
    if (groups > MAX_EXTENT)
        return plan_error(r, DIAG_RUN_SIZE, launch, "kernel %s has more than %lld groups",
                          name_of(r, k), (long long)MAX_EXTENT);
    if (bytes > r->d->caps.facts.local_bytes)
        return refuse_local(r, k, launch, bytes);
    if (threads > 0 && threads <= r->d->caps.facts.max_block)
        return true;
    plan_error(r, DIAG_RUN_BLOCK, launch,
               "kernel %s has blocks of %lld threads; the device allows %u", name_of(r, k),
               (long long)threads, r->d->caps.facts.max_block);
    diag_hint(r->cx, "choose a smaller block size");
    return false;
}

/* ---- arguments ---- */

static bool add_arg(plan *r, run_arg a)
{
    return vec_push(&r->cx->mem, &r->launch_args, a);
}

/* In the form in which memory has it: a bool as a byte. */
static bool add_scalar(plan *r, k_id v)
{
    const k_node *n = k_at(r->p, v);
    run_arg a = {.kind = RUN_SCALAR, .bytes = ir_scalar_bytes((scalar)n->type)};
    host_array one = {.type = (scalar)n->type, .data = a.bits};
    host_set(&one, 0, n->op == K_CONST ? n->bits : r->values[v]);
    return add_arg(r, a);
}

static bool add_global(plan *r, k_id v)
{
    void *memory = plan_device_memory(r, v);
    return memory && add_arg(r, (run_arg){.kind = RUN_MEMORY, .memory = memory});
}

/* Areas of constant size are declared in the kernel and are no arguments. */
static bool add_area(plan *r, const k_kernel *k, uint32_t area)
{
    uint32_t first;
    int64_t size;
    k_area_locals(r->p, k, area, &first);
    if (k_local_count(r->p, k_local_at(r->p, k, first)->alloc, &size))
        return true;
    return add_arg(r,
                   (run_arg){.kind = RUN_LOCAL, .bytes = k_area_bytes(r->p, k, area, sizes_of(r))});
}

/* In the order of backends/backend.h. */
static bool collect(plan *r, const k_kernel *k)
{
    bool ok = true;
    r->launch_args.len = 0;
    for (uint32_t i = 0; ok && i < k->nscalars; i++)
        ok = add_scalar(r, in_pool(r, k->scalars, i));
    for (uint32_t i = 0; ok && i < k->nglobals; i++)
        ok = add_global(r, in_pool(r, k->globals, i));
    for (uint32_t i = 0; ok && i < k->nareas; i++)
        ok = add_area(r, k, i);
    if (k->checks)
        ok = ok && add_arg(r, (run_arg){.kind = RUN_MEMORY, .memory = r->report});
    return ok;
}

/* No groups, no launch: OpenCL 1.2 refuses an empty range. */
bool plan_launch(plan *r, const k_kernel *k)
{
    const k_node *launch = k_at(r->p, k->launch);
    int64_t groups = plan_int(r, launch->args[0]), threads = plan_int(r, launch->args[1]);
    if (groups <= 0)
        return true;
    if (!check_limits(r, k, launch, groups, threads) || !collect(r, k))
        return false;
    run_launch l = {.kernel = name_of(r, k),
                    .groups = (uint64_t)groups,
                    .threads = (uint64_t)threads,
                    .args = r->launch_args.at,
                    .nargs = r->launch_args.len};
    return r->d->ops->launch(r->d, r->program, &l);
}
