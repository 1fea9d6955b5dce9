/* Arrays between host and device, and whole runs over host arrays. */
#include "backends/run/prepared.h"

#include <time.h>

static uint64_t bytes_of(const run_array *a)
{
    return host_count(&a->shape) * ir_scalar_bytes(a->shape.type);
}

/* Memory for the array's shape; what it holds is anything. */
bool run_array_make(run_device *d, run_array *a)
{
    uint64_t bytes = bytes_of(a);
    a->bytes = bytes ? bytes : 1;
    a->memory = d->ops->buffer(d, a->bytes, NULL);
    return a->memory != NULL;
}

bool run_array_wrap(run_device *d, run_array *a, void *memory)
{
    if (!memory || !d->ops->wrap)
        return diag_error(d->cx, DIAG_RUN_ADOPT, (location){0}, "%s",
                          memory ? "the device cannot use memory of others" : "no memory is given");
    bool ok = d->ops->wrap(d, memory, bytes_of(a), &a->bytes);
    a->memory = ok ? memory : NULL;
    return ok;
}

void run_array_free(run_device *d, run_array *a)
{
    if (a->memory)
        d->ops->release(d, a->memory);
    a->memory = NULL;
}

bool run_array_write(run_device *d, const run_array *a, const void *from)
{
    uint64_t bytes = bytes_of(a);
    return !bytes || d->ops->write(d, a->memory, bytes, from);
}

bool run_array_read(run_device *d, const run_array *a, void *to)
{
    uint64_t bytes = bytes_of(a);
    return !bytes || d->ops->read(d, a->memory, 0, bytes, to);
}

/* ---- runs over host arrays ---- */

/* Moves an array that is still on the host; a scalar stays there. */
static bool take_to_device(run_device *d, run_array *a)
{
    if (a->shape.rank == 0)
        return true;
    uint64_t bytes = bytes_of(a);
    a->bytes = bytes ? bytes : 1;
    a->memory = d->ops->buffer(d, a->bytes, bytes ? a->shape.data : NULL);
    a->shape.data = NULL;
    return a->memory != NULL;
}

static bool take_all(run_prepared *r, run_array *args, uint32_t nargs, uint32_t nresults)
{
    bool ok = run_check_arguments(r, args, nargs, nresults);
    for (uint32_t i = 0; ok && i < nargs; i++)
        ok = take_to_device(r->d, &args[i]);
    return ok;
}

/* An overwritten argument holds its result: it is read from the argument's memory. */
static bool fetch(run_prepared *r, const run_array *args, const run_array *from, host_array *to)
{
    run_array at = *from;
    if (from->over)
        at.memory = args[from->over - 1].memory;
    *to = from->shape;
    return host_alloc(&r->cx->mem, to) && run_array_read(r->d, &at, to->data);
}

/* All results or none: what was fetched before a failure is freed. */
static bool fetch_all(run_prepared *r, const run_array *args, const run_array *from, host_array *to,
                      uint32_t n)
{
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        to[i] = (host_array){0};
    for (uint32_t i = 0; ok && i < n; i++)
        ok = fetch(r, args, &from[i], &to[i]);
    for (uint32_t i = 0; !ok && i < n; i++)
        if (to[i].data)
            host_free(&r->cx->mem, &to[i]);
    return ok;
}

uint64_t run_clock(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* results[] are host arrays that the caller frees; args are only read, as the copies on the device
 * are what a result overwrites. */
bool run_on_host(run_prepared *r, const host_array *args, uint32_t nargs, host_array *results,
                 uint32_t nresults, run_time *time)
{
    mem *m = &r->cx->mem;
    uint64_t start = run_clock(), taken, run;
    VEC(run_array) in = {0}, out = {0};
    bool ok = vec_reserve(m, &in, nargs + 1u) && vec_reserve(m, &out, nresults + 1u);
    for (uint32_t i = 0; ok && i < nargs; i++)
        in.at[in.len++] = (run_array){.shape = args[i]};
    for (uint32_t i = 0; ok && i < nresults; i++)
        out.at[i] = (run_array){.memory = NULL};
    ok = ok && take_all(r, in.at, nargs, nresults);
    taken = run_clock();
    ok = ok && run_execute(r, in.at, nargs, out.at, nresults, time);
    run = run_clock();
    out.len = ok ? nresults : 0;
    ok = ok && fetch_all(r, in.at, out.at, results, nresults);
    if (ok && time)
        time->transfers = taken - start + (run_clock() - run);
    for (uint32_t i = 0; i < in.len; i++)
        run_array_free(r->d, &in.at[i]);
    for (uint32_t i = 0; i < out.len; i++)
        run_array_free(r->d, &out.at[i]);
    vec_free(m, &in);
    vec_free(m, &out);
    return ok;
}
