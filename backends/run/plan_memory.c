/* The memories of a run: arguments go to the device when a kernel first asks for them, allocations as the plan reaches
 * them, results come back as it names them. */
#include "backends/run/plan.h"

#include <string.h>

/* ---- arguments ---- */

static bool check_argument(plan *r, uint32_t i)
{
    const host_array *a = &r->args[i];
    const leaf *want = &r->p->in.at[i];
    const k_node *none = k_at(r->p, 0);
    uint64_t count = 1;
    if (a->type != want->type || a->rank != want->rank)
        return plan_error(r, DIAG_RUN_ARGUMENTS, none,
                          "argument %u is %s of rank %u where the program takes %s of rank %u", i,
                          ir_scalar_name(a->type), a->rank, ir_scalar_name(want->type), want->rank);
    for (unsigned k = 0; k < a->rank && k < MAX_RANK; k++) {
        if (a->dims[k] > (uint64_t)MAX_EXTENT ||
            (a->dims[k] && count > (uint64_t)MAX_EXTENT / a->dims[k]))
            return plan_error(r, DIAG_RUN_SIZE, none, "argument %u has more than %lld elements", i,
                              (long long)MAX_EXTENT);
        count *= a->dims[k];
    }
    return a->data || !count || plan_error(r, DIAG_RUN_ARGUMENTS, none, "argument %u has no data", i);
}

bool plan_check_arguments(plan *r, uint32_t nargs, uint32_t nresults)
{
    const k_program *p = r->p;
    if (nargs != p->in.len)
        return plan_error(r, DIAG_RUN_ARGUMENTS, k_at(p, 0),
                          "the program takes %u scalars and arrays, but was given %u", p->in.len, nargs);
    if (nresults != p->out.len)
        return plan_error(r, DIAG_RUN_ARGUMENTS, k_at(p, 0), "the program has %u results, but there is room for %u",
                          p->out.len, nresults);
    for (uint32_t i = 0; i < nargs; i++)
        if (!check_argument(r, i))
            return false;
    return true;
}

/* ---- memories ---- */

static void *make(plan *r, k_id id, uint64_t count, const void *init)
{
    uint64_t bytes = count * ir_scalar_bytes((scalar)k_at(r->p, id)->type);
    plan_memory *memory = &r->memories[id];
    memory->memory = r->d->ops->buffer(r->d, bytes ? bytes : 1, bytes ? init : NULL);
    memory->count = count;
    return memory->memory;
}

void *plan_device_memory(plan *r, k_id id)
{
    const k_node *n = k_at(r->p, id);
    if (r->memories[id].memory)
        return r->memories[id].memory;
    if (n->op == K_BUFFER)
        return make(r, id, host_count(&r->args[n->sub]), r->args[n->sub].data);
    return make(r, id, 0, NULL); /* allocated in a branch that was not taken: kernels may name it, and do not touch it */
}

bool plan_alloc(plan *r, k_id id)
{
    const k_node *n = k_at(r->p, id);
    int64_t count = plan_int(r, n->args[0]);
    if (n->sub != SPACE_GLOBAL)
        return plan_error(r, DIAG_RUN_PLAN, n, "the launch plan allocates memory that only kernels have");
    if (count < 0 || count > MAX_EXTENT)
        return plan_error(r, DIAG_RUN_SIZE, n, "an array would have %lld elements; it may have from 0 to %lld",
                          (long long)count, (long long)MAX_EXTENT);
    if (r->memories[id].memory)
        r->d->ops->release(r->d, r->memories[id].memory);
    r->memories[id] = (plan_memory){0};
    return make(r, id, (uint64_t)count, NULL) != NULL;
}

void plan_release_memories(plan *r)
{
    for (k_id id = 0; id < r->p->nodes.len; id++)
        if (r->memories[id].memory)
            r->d->ops->release(r->d, r->memories[id].memory);
}

/* ---- reading back ---- */

/* An input is still where the caller has it. */
static bool read_elements(plan *r, k_id memory, uint64_t from, uint64_t count, void *to)
{
    const k_node *n = k_at(r->p, memory);
    uint64_t bytes = ir_scalar_bytes((scalar)n->type);
    if (count == 0)
        return true;
    if (n->op == K_BUFFER) {
        memcpy(to, (const char *)r->args[n->sub].data + from * bytes, (size_t)(count * bytes));
        return true;
    }
    void *device = plan_device_memory(r, memory);
    return device && r->d->ops->read(r->d, device, from * bytes, count * bytes, to);
}

static uint64_t count_of(const plan *r, k_id memory)
{
    const k_node *n = k_at(r->p, memory);
    return n->op == K_BUFFER ? host_count(&r->args[n->sub]) : r->memories[memory].count;
}

bool plan_load(plan *r, k_id id)
{
    const k_node *n = k_at(r->p, id);
    int64_t index = plan_int(r, n->args[1]);
    uint64_t room = 0, count = count_of(r, n->args[0]);
    if (index < 0 || (uint64_t)index >= count)
        return plan_error(r, DIAG_RUN_INDEX, n, "element %lld is read of an array of %llu elements", (long long)index,
                          (unsigned long long)count);
    if (!read_elements(r, n->args[0], (uint64_t)index, 1, &room))
        return false;
    host_array one = {.type = (scalar)n->type, .data = &room};
    r->values[id] = host_get(&one, 0);
    return true;
}

static bool set_extents(plan *r, const k_node *n, host_array *a)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < n->nlist && i < MAX_RANK; i++) {
        int64_t extent = plan_int(r, k_listed(r->p, n, i));
        if (extent < 0 || (extent && count > MAX_EXTENT / extent))
            return plan_error(r, DIAG_RUN_SIZE, n, "extent %u of result %u would be %lld", i, n->sub,
                              (long long)extent);
        a->dims[i] = (uint64_t)extent;
        count *= extent;
    }
    return true;
}

bool plan_output(plan *r, const k_node *n)
{
    host_array a = {.type = (scalar)k_at(r->p, n->args[0])->type, .rank = n->nlist};
    if (n->sub >= r->p->out.len || n->nlist > MAX_RANK)
        return plan_error(r, DIAG_RUN_PLAN, n, "the launch plan names result %u of %u", n->sub, r->p->out.len);
    if (!set_extents(r, n, &a))
        return false;
    uint64_t count = host_count(&a), has = count_of(r, n->args[0]);
    if (count > has)
        return plan_error(r, DIAG_RUN_INDEX, n, "result %u has %llu elements, but its memory holds %llu", n->sub,
                          (unsigned long long)count, (unsigned long long)has);
    host_array *to = &r->results[n->sub];
    if (to->data)
        host_free(&r->cx->mem, to);
    if (!host_alloc(&r->cx->mem, &a))
        return false;
    *to = a;
    return read_elements(r, n->args[0], 0, count, a.data);
}
