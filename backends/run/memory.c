/* The memories of a run: arguments are the caller's, allocations are made as the plan reaches them,
 * and results become the caller's as it names them. */
#include "backends/run/prepared.h"

/* ---- arguments ---- */

/* Extents and their product are bounded here once, which emitted positions rely on. */
static bool check_argument(run_prepared *r, const run_array *arg, uint32_t i)
{
    const host_array *a = &arg->shape;
    const leaf *want = &r->p->face.in.at[i];
    uint64_t count = 1, most = r->p->most_elements;
    if (a->type != want->type || a->rank != want->rank)
        return run_error(r, DIAG_RUN_ARGUMENTS, r->p->face.at,
                         "argument %u is %s of rank %u where the program takes %s of rank %u", i,
                         ir_scalar_name(a->type), a->rank, ir_scalar_name(want->type), want->rank);
    for (unsigned k = 0; k < a->rank && k < MAX_RANK; k++) {
        if (a->dims[k] > (uint64_t)MAX_EXTENT || (a->dims[k] && count > most / a->dims[k]))
            return run_error(r, DIAG_RUN_SIZE, r->p->face.at,
                             "argument %u has more than %lld elements", i,
                             (long long)(a->dims[k] > (uint64_t)MAX_EXTENT ? MAX_EXTENT : most));
        count *= a->dims[k];
    }
    return a->data || arg->memory || !count ||
           run_error(r, DIAG_RUN_ARGUMENTS, r->p->face.at, "argument %u has no data", i);
}

/* What is overwritten must not be another argument, too. */
static bool check_overwritten(run_prepared *r, const run_array *args, uint32_t nargs)
{
    for (uint32_t m = 1; m < r->p->memories.len; m++) {
        const plan_memory *at = plan_memory_at(r->p, m);
        for (uint32_t i = 0; at->overwritten && i < nargs; i++)
            if (i != at->argument && args[i].memory && args[i].memory == args[at->argument].memory)
                return run_error(r, DIAG_RUN_ARGUMENTS, r->p->face.at,
                                 "argument %u is to be overwritten, but is argument %u as well",
                                 at->argument, i);
    }
    return true;
}

bool run_check_arguments(run_prepared *r, const run_array *args, uint32_t nargs, uint32_t nresults)
{
    const plan *p = r->p;
    if (nargs != p->face.in.len)
        return run_error(r, DIAG_RUN_ARGUMENTS, p->face.at,
                         "the program takes %u scalars and arrays, but was given %u",
                         p->face.in.len, nargs);
    if (nresults != p->face.out.len)
        return run_error(r, DIAG_RUN_ARGUMENTS, p->face.at,
                         "the program has %u results, but there is room for %u", p->face.out.len,
                         nresults);
    for (uint32_t i = 0; i < nargs; i++)
        if (!check_argument(r, &args[i], i))
            return false;
    return check_overwritten(r, args, nargs);
}

/* ---- memories ---- */

static uint64_t element_bytes(const run_prepared *r, uint32_t memory)
{
    return ir_scalar_bytes((scalar)plan_memory_at(r->p, memory)->type);
}

pooled run_take(run_prepared *r, uint64_t bytes, location at)
{
    uint64_t most = r->bounds.most_bytes;
    if (most && (bytes > most || r->held > most - bytes)) {
        run_error(r, DIAG_RUN_MEMORY, at,
                  "the run holds %llu bytes of device memory and takes %llu more; it may hold %llu",
                  (unsigned long long)r->held, (unsigned long long)bytes, (unsigned long long)most);
        diag_hint(r->cx, "allow the run more memory, or let it work on smaller arrays");
        return (pooled){.memory = NULL};
    }
    pooled block = pool_take(&r->free, r->d, bytes, most ? most - r->held : UINT64_MAX);
    r->held += block.memory ? block.bytes : 0;
    r->peak = r->held > r->peak ? r->held : r->peak;
    return block;
}

uint64_t run_peak(const run_prepared *r)
{
    return r->peak;
}

/* Devices have no empty buffers: an array without elements takes a byte. */
static bool make(run_prepared *r, uint32_t which, uint64_t count, location at)
{
    uint64_t bytes = count * element_bytes(r, which);
    run_memory *memory = &r->memories[which];
    uint32_t becomes = r->becomes[which];
    const run_array *given = becomes ? &r->given[becomes - 1] : NULL;
    memory->is_result = given && given->memory && given->bytes >= bytes;
    memory->block = memory->is_result ? (pooled){.memory = given->memory, .bytes = given->bytes}
                                      : run_take(r, bytes ? bytes : 1, at);
    memory->count = count;
    return memory->block.memory != NULL;
}

/* When a kernel first takes it; the host reads the plan's own list of a table. */
static void make_listed(run_prepared *r, uint32_t which)
{
    const plan_memory *t = plan_memory_at(r->p, which);
    mem *m = &r->cx->mem;
    host_array a = {.type = (scalar)t->type, .rank = 1, .dims = {t->nlist}};
    if (!host_alloc(m, &a))
        return;
    for (uint32_t i = 0; i < t->nlist; i++)
        host_set(&a, i, r->p->tables.at[t->list + i]);
    uint64_t bytes = t->nlist * element_bytes(r, which);
    r->memories[which].block.memory = r->d->ops->buffer(r->d, bytes ? bytes : 1, a.data);
    r->memories[which].block.bytes = bytes;
    r->memories[which].count = t->nlist;
    host_free(m, &a);
}

/* What the plan lists stays from run to run. */
void *run_memory_of(run_prepared *r, uint32_t which)
{
    const plan_memory *m = plan_memory_at(r->p, which);
    if (m->kind == PLAN_MEMORY_ARGUMENT)
        return r->args[m->argument].memory;
    if (r->memories[which].block.memory)
        return r->memories[which].block.memory;
    if (plan_lists(m))
        make_listed(r, which);
    else
        make(r, which, 0, r->p->face.at); /* allocated in a branch that was not taken: kernels may
                              name it, and do not touch it */
    return r->memories[which].block.memory;
}

/* The commands that use a memory stand before those that use it anew: queues keep their order. */
static void drop(run_prepared *r, uint32_t which)
{
    run_memory *memory = &r->memories[which];
    if (memory->block.memory && !memory->is_result) {
        r->held -= memory->block.bytes;
        pool_give(&r->free, r->d, memory->block);
    }
    *memory = (run_memory){0};
}

bool run_room(run_prepared *r, uint32_t memory, uint64_t count, location at)
{
    drop(r, memory);
    return make(r, memory, count, at);
}

/* An allocation in a loop gives back the memory of the turn before. */
bool run_allocate(run_prepared *r, const plan_step *s)
{
    int64_t count = run_number(r, s->args[0]);
    int64_t most = r->p->values.at[s->args[0]] == ST_I64 ? MAX_ELEMENTS
                                                         : MAX_EXTENT; /* what positions can be */
    if (count < 0 || count > most)
        return run_error(r, DIAG_RUN_SIZE, s->at, "an array would have more than %lld elements",
                         (long long)most);
    return run_room(r, s->memory, (uint64_t)count, s->at);
}

void run_free(run_prepared *r, const plan_step *s)
{
    drop(r, s->memory);
}

void run_swap(run_prepared *r, const plan_step *s)
{
    run_memory *x = &r->memories[s->memory], *y = &r->memories[s->which], was = *x;
    *x = *y;
    *y = was;
}

static bool take_report(run_prepared *r)
{
    r->clean = false;
    r->taken = run_report_take(r->d);
    r->memories[r->report].block.memory = r->taken ? r->taken->memory : NULL;
    return r->taken != NULL;
}

static void leave_report(run_prepared *r)
{
    if (r->taken)
        run_report_leave(r->taken, r->clean);
    r->taken = NULL;
    r->memories[r->report].block.memory = NULL;
}

/* What a run that failed has left of the kept memories is not to be gone on with. */
static bool forget_kept(run_prepared *r)
{
    bool ok = true;
    for (uint32_t i = 1; r->failed && i < r->p->memories.len && ok; i++) {
        void **memory = &r->memories[i].block.memory;
        if (r->p->memories.at[i].kind != PLAN_MEMORY_KEPT || !*memory)
            continue;
        ok = r->d->ops->finish(r->d);
        r->d->ops->release(r->d, *memory);
        *memory = NULL;
    }
    return ok;
}

bool run_begin_memories(run_prepared *r)
{
    bool ok = forget_kept(r) && (!r->report || take_report(r));
    r->failed = !ok;
    return ok;
}

void run_release_memories(run_prepared *r)
{
    for (uint32_t i = 1; i < r->p->memories.len; i++)
        if (r->p->memories.at[i].kind == PLAN_MEMORY_ALLOCATED)
            drop(r, i);
    if (r->report)
        leave_report(r);
}

void run_end_memories(run_prepared *r)
{
    for (uint32_t i = 1; i < r->p->memories.len; i++)
        if (r->memories[i].block.memory)
            r->d->ops->release(r->d, r->memories[i].block.memory);
}

uint64_t run_count_of(const run_prepared *r, uint32_t which)
{
    const plan_memory *m = plan_memory_at(r->p, which);
    return m->kind == PLAN_MEMORY_ARGUMENT ? host_count(&r->args[m->argument].shape)
           : plan_lists(m)                 ? m->nlist
                                           : r->memories[which].count;
}

/* Waits for the device: one element comes to the host, where the plan decides by it.  What a table
 * lists needs no device. */
bool run_read(run_prepared *r, const plan_step *s)
{
    const plan_memory *m = plan_memory_at(r->p, s->memory);
    int64_t index = run_number(r, s->args[0]);
    uint64_t room = 0, count = run_count_of(r, s->memory), bytes = element_bytes(r, s->memory);
    if (index < 0 || (uint64_t)index >= count)
        return run_error(r, DIAG_RUN_INDEX, s->at,
                         "element %lld is read of an array of %llu elements", (long long)index,
                         (unsigned long long)count);
    if (m->kind == PLAN_MEMORY_TABLE) {
        r->values[s->gives] = r->p->tables.at[m->list + (uint32_t)index];
        return true;
    }
    void *memory = run_memory_of(r, s->memory);
    if (!memory || !r->d->ops->read(r->d, memory, (uint64_t)index * bytes, bytes, &room))
        return false;
    host_array one = {.type = (scalar)m->type, .data = &room};
    r->values[s->gives] = host_get(&one, 0);
    return true;
}

/* ---- results ---- */

static bool refuse_extent(run_prepared *r, const plan_step *s, uint32_t axis, int64_t extent)
{
    if (plan_is_emitted(s))
        return run_error(r, DIAG_RUN_SIZE, s->at, "extent %u of what is handed out would be %lld",
                         axis, (long long)extent);
    return run_error(r, DIAG_RUN_SIZE, s->at, "extent %u of result %u would be %lld", axis, s->which,
                     (long long)extent);
}

/* The product is checked before it is taken, so that it cannot overflow. */
bool run_extents(run_prepared *r, const plan_step *s, host_array *a)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < s->nlist; i++) {
        int64_t extent = run_number(r, plan_listed(r->p, s, i));
        if (extent < 0 || extent > MAX_EXTENT || (extent && count > MAX_ELEMENTS / extent))
            return refuse_extent(r, s, i, extent);
        a->dims[i] = (uint64_t)extent;
        count *= extent;
    }
    return true;
}

/* An argument, or a memory that is a result already, is copied: the caller owns each result by
 * itself. */
static bool copy_result(run_prepared *r, uint32_t memory, run_array *to)
{
    uint64_t bytes = host_count(&to->shape) * ir_scalar_bytes(to->shape.type);
    void *from = run_memory_of(r, memory);
    pooled block = run_take(r, bytes ? bytes : 1, r->p->face.at);
    to->memory = block.memory;
    to->bytes = block.bytes;
    return from && block.memory && (!bytes || r->d->ops->copy(r->d, from, block.memory, bytes));
}

/* A memory that lies where the caller wants the result is there already. */
static bool put_result(run_prepared *r, uint32_t memory, run_array *to, const run_array *into)
{
    uint64_t bytes = host_count(&to->shape) * ir_scalar_bytes(to->shape.type);
    void *from = run_memory_of(r, memory);
    to->memory = into->memory;
    to->bytes = into->bytes;
    return from &&
           (from == into->memory || !bytes || r->d->ops->copy(r->d, from, into->memory, bytes));
}

/* `over` names the argument whose place the result takes, plus one; no memory moves then. */
static bool take_result(run_prepared *r, uint32_t memory, run_array *to, const run_array *into)
{
    run_memory *from = &r->memories[memory];
    const plan_memory *m = plan_memory_at(r->p, memory);
    if (into->memory)
        return put_result(r, memory, to, into);
    if (m->overwritten) {
        to->over = m->argument + 1;
        return true;
    }
    if (m->kind == PLAN_MEMORY_ARGUMENT || from->is_result)
        return copy_result(r, memory, to);
    to->memory = run_memory_of(r, memory);
    to->bytes = from->block.bytes;
    from->is_result = to->memory != NULL;
    return to->memory != NULL;
}

bool run_output(run_prepared *r, const plan_step *s)
{
    run_array a = {
        .shape = {.type = (scalar)plan_memory_at(r->p, s->memory)->type, .rank = s->nlist}};
    if (!run_extents(r, s, &a.shape))
        return false;
    uint64_t count = host_count(&a.shape), has = run_count_of(r, s->memory);
    if (count > has)
        return run_error(r, DIAG_RUN_INDEX, s->at,
                         "result %u has %llu elements, but its memory holds %llu", s->which,
                         (unsigned long long)count, (unsigned long long)has);
    run_drop_result(r, s->which); /* of an earlier turn of a loop */
    bool ok = run_has_room(r, s, count * element_bytes(r, s->memory)) &&
              take_result(r, s->memory, &a, &r->given[s->which]);
    r->results[s->which] = a;
    return ok;
}
