/* The memories of a run: arguments are the caller's, allocations are made as the plan reaches them,
 * and results become the caller's as it names them. */
#include "backends/run/plan.h"

/* ---- arguments ---- */

/* Extents and their product are bounded here once, which emitted positions rely on. */
static bool check_argument(plan *r, const run_array *arg, uint32_t i)
{
    const host_array *a = &arg->shape;
    const leaf *want = &r->p->in.at[i];
    const k_node *none = k_at(r->p, 0);
    uint64_t count = 1, most = r->p->target.request.index_bits == 32 ? (uint64_t)MAX_EXTENT
                                                                     : (uint64_t)MAX_ELEMENTS;
    if (a->type != want->type || a->rank != want->rank)
        return plan_error(r, DIAG_RUN_ARGUMENTS, none,
                          "argument %u is %s of rank %u where the program takes %s of rank %u", i,
                          ir_scalar_name(a->type), a->rank, ir_scalar_name(want->type), want->rank);
    for (unsigned k = 0; k < a->rank && k < MAX_RANK; k++) {
        if (a->dims[k] > (uint64_t)MAX_EXTENT || (a->dims[k] && count > most / a->dims[k]))
            return plan_error(r, DIAG_RUN_SIZE, none, "argument %u has more than %lld elements", i,
                              (long long)(a->dims[k] > (uint64_t)MAX_EXTENT ? MAX_EXTENT : most));
        count *= a->dims[k];
    }
    return a->data || arg->memory || !count ||
           plan_error(r, DIAG_RUN_ARGUMENTS, none, "argument %u has no data", i);
}

/* What is overwritten must not be another argument, too. */
static bool check_overwritten(plan *r, const run_array *args, uint32_t nargs)
{
    for (k_id id = 1; id < r->p->nodes.len; id++) {
        const k_node *n = k_at(r->p, id);
        for (uint32_t i = 0; n->op == K_BUFFER && n->overwritten && i < nargs; i++)
            if (i != n->leaf && args[i].memory && args[i].memory == args[n->leaf].memory)
                return plan_error(r, DIAG_RUN_ARGUMENTS, k_at(r->p, 0),
                                  "argument %u is to be overwritten, but is argument %u as well",
                                  n->leaf, i);
    }
    return true;
}

bool plan_check_arguments(plan *r, const run_array *args, uint32_t nargs, uint32_t nresults)
{
    const k_program *p = r->p;
    if (nargs != p->in.len)
        return plan_error(r, DIAG_RUN_ARGUMENTS, k_at(p, 0),
                          "the program takes %u scalars and arrays, but was given %u", p->in.len,
                          nargs);
    if (nresults != p->out.len)
        return plan_error(r, DIAG_RUN_ARGUMENTS, k_at(p, 0),
                          "the program has %u results, but there is room for %u", p->out.len,
                          nresults);
    for (uint32_t i = 0; i < nargs; i++)
        if (!check_argument(r, &args[i], i))
            return false;
    return check_overwritten(r, args, nargs);
}

/* ---- memories ---- */

/* Devices have no empty buffers: an array without elements takes a byte. */
static bool make(plan *r, k_id id, uint64_t count)
{
    uint64_t bytes = count * ir_scalar_bytes((scalar)k_at(r->p, id)->type);
    plan_memory *memory = &r->memories[id];
    memory->block = pool_take(&r->free, r->d, bytes ? bytes : 1);
    memory->count = count;
    memory->is_result = false;
    return memory->block.memory != NULL;
}

void *plan_device_memory(plan *r, k_id id)
{
    const k_node *n = k_at(r->p, id);
    if (n->op == K_BUFFER)
        return r->args[n->leaf].memory;
    if (!r->memories[id].block.memory)
        make(r, id, 0); /* allocated in a branch that was not taken: kernels may name it, and do not
                           touch it */
    return r->memories[id].block.memory;
}

/* The commands that use a memory stand before those that use it anew: queues keep their order. */
static void drop(plan *r, k_id id)
{
    plan_memory *memory = &r->memories[id];
    if (memory->block.memory && !memory->is_result)
        pool_give(&r->free, r->d, memory->block);
    *memory = (plan_memory){0};
}

/* An allocation in a loop gives back the memory of the turn before. */
bool plan_alloc(plan *r, k_id id)
{
    const k_node *n = k_at(r->p, id);
    int64_t count = plan_int(r, n->args[0]);
    if (n->space != SPACE_GLOBAL)
        return plan_error(r, DIAG_RUN_PLAN, n,
                          "the launch plan allocates memory that only kernels have");
    int64_t most = k_at(r->p, n->args[0])->type == ST_I64 ? MAX_ELEMENTS
                                                          : MAX_EXTENT; /* what positions can be */
    if (count < 0 || count > most)
        return plan_error(r, DIAG_RUN_SIZE, n, "an array would have more than %lld elements",
                          (long long)most);
    drop(r, id);
    return make(r, id, (uint64_t)count);
}

void plan_release_memories(plan *r)
{
    for (k_id id = 0; id < r->p->nodes.len; id++)
        drop(r, id);
}

/* Elements that a memory has, not those of the pooled block that holds it. */
static uint64_t count_of(const plan *r, k_id memory)
{
    const k_node *n = k_at(r->p, memory);
    return n->op == K_BUFFER  ? host_count(&r->args[n->leaf].shape)
           : n->op == K_TABLE ? n->nlist
                              : r->memories[memory].count;
}

/* What a table lists needs no device. */
static uint64_t table_element(const plan *r, const k_node *table, int64_t index)
{
    return k_at(r->p, k_listed(r->p, table, (uint32_t)index))->bits;
}

/* Waits for the device: one element comes to the host, where the plan decides by it; not when a
 * check has failed, as nobody knows then how long a loop would go on by such elements. */
bool plan_load(plan *r, k_id id)
{
    const k_node *n = k_at(r->p, id);
    if (!plan_passed(r))
        return false;
    int64_t index = plan_int(r, n->args[1]);
    uint64_t room = 0, count = count_of(r, n->args[0]), bytes = ir_scalar_bytes((scalar)n->type);
    if (index < 0 || (uint64_t)index >= count)
        return plan_error(r, DIAG_RUN_INDEX, n, "element %lld is read of an array of %llu elements",
                          (long long)index, (unsigned long long)count);
    if (k_at(r->p, n->args[0])->op == K_TABLE) {
        r->values[id] = table_element(r, k_at(r->p, n->args[0]), index);
        return true;
    }
    void *memory = plan_device_memory(r, n->args[0]);
    if (!memory || !r->d->ops->read(r->d, memory, (uint64_t)index * bytes, bytes, &room))
        return false;
    host_array one = {.type = (scalar)n->type, .data = &room};
    r->values[id] = host_get(&one, 0);
    return true;
}

/* ---- results ---- */

/* The product is checked before it is taken, so that it cannot overflow. */
static bool set_extents(plan *r, const k_node *n, host_array *a)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < n->nlist && i < MAX_RANK; i++) {
        int64_t extent = plan_int(r, k_listed(r->p, n, i));
        if (extent < 0 || extent > MAX_EXTENT || (extent && count > MAX_ELEMENTS / extent))
            return plan_error(r, DIAG_RUN_SIZE, n, "extent %u of result %u would be %lld", i,
                              n->leaf, (long long)extent);
        a->dims[i] = (uint64_t)extent;
        count *= extent;
    }
    return true;
}

/* An argument, or a memory that is a result already, is copied: the caller owns each result by
 * itself. */
static bool copy_result(plan *r, k_id memory, run_array *to)
{
    uint64_t bytes = host_count(&to->shape) * ir_scalar_bytes(to->shape.type);
    void *from = plan_device_memory(r, memory);
    pooled block = pool_take(&r->free, r->d, bytes ? bytes : 1);
    to->memory = block.memory;
    to->bytes = block.bytes;
    return from && block.memory && (!bytes || r->d->ops->copy(r->d, from, block.memory, bytes));
}

/* `over` names the argument whose place the result takes, plus one; no memory moves then. */
static bool take_result(plan *r, k_id memory, run_array *to)
{
    plan_memory *from = &r->memories[memory];
    const k_node *n = k_at(r->p, memory);
    if (n->op == K_BUFFER && n->overwritten) {
        to->over = n->leaf + 1u;
        return true;
    }
    if (k_at(r->p, memory)->op == K_BUFFER || from->is_result)
        return copy_result(r, memory, to);
    to->memory = plan_device_memory(r, memory);
    to->bytes = from->block.bytes;
    from->is_result = to->memory != NULL;
    return to->memory != NULL;
}

bool plan_output(plan *r, const k_node *n)
{
    run_array a = {.shape = {.type = (scalar)k_at(r->p, n->args[0])->type, .rank = n->nlist}};
    if (n->leaf >= r->p->out.len || n->nlist > MAX_RANK)
        return plan_error(r, DIAG_RUN_PLAN, n, "the launch plan names result %u of %u", n->leaf,
                          r->p->out.len);
    if (!set_extents(r, n, &a.shape))
        return false;
    uint64_t count = host_count(&a.shape), has = count_of(r, n->args[0]);
    if (count > has)
        return plan_error(r, DIAG_RUN_INDEX, n,
                          "result %u has %llu elements, but its memory holds %llu", n->leaf,
                          (unsigned long long)count, (unsigned long long)has);
    run_give_back(r, &r->results[n->leaf]); /* of an earlier turn of a loop */
    bool ok = take_result(r, n->args[0], &a);
    r->results[n->leaf] = a;
    return ok;
}
