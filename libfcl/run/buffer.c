/* Arrays in the memory of a device. */
#include "libfcl/run/run.h"

#include <string.h>

static void free_array(fcl_device *d, run_array *a)
{
    if (d->runner)
        run_array_free(d->runner, a);
    else if (a->shape.data)
        mem_free(&d->cx->mem, a->shape.data, (size_t)a->bytes);
}

/* What host_alloc takes for an array; a buffer keeps it when a smaller result is written there. */
static uint64_t host_room(const host_array *a)
{
    uint64_t bytes = host_count(a) * ir_scalar_bytes(a->type);
    return bytes ? bytes : 1;
}

fcl_buffer *buffer_of_array(fcl_device *d, run_array *a)
{
    fcl_buffer *b = mem_resize(&d->cx->mem, NULL, 0, sizeof *b);
    if (!d->runner)
        a->bytes = host_room(&a->shape);
    if (b)
        *b = (fcl_buffer){.device = d, .array = *a};
    else
        free_array(d, a);
    return b;
}

static bool refused(fcl_context *cx, const char *why)
{
    return diag_error(cx, DIAG_ARGUMENTS, (location){0}, "a buffer cannot be made: %s", why);
}

static bool set_shape(fcl_context *cx, fcl_scalar type, unsigned rank, const uint64_t *dims,
                      host_array *a)
{
    uint64_t count = 1;
    if (type < FCL_BOOL || type >= FCL_SCALAR_END)
        return refused(cx, "there is no such scalar type");
    if (rank > FCL_MAX_RANK)
        return refused(cx, "an array has no more than eight dimensions");
    *a = (host_array){.type = (scalar)type, .rank = rank};
    for (unsigned i = 0; i < rank; i++) {
        if (dims[i] > (uint64_t)MAX_EXTENT || (dims[i] && count > (uint64_t)MAX_EXTENT / dims[i]))
            return refused(cx, "no array has more than 2147481599 elements");
        a->dims[i] = dims[i];
        count *= dims[i];
    }
    return true;
}

fcl_buffer *fcl_buffer_create(fcl_device *d, fcl_scalar type, unsigned rank, const uint64_t *dims)
{
    if (!d || !GIVEN_ALL(d->cx, dims, rank))
        return NULL;
    uint32_t before = d->cx->diags.errors;
    run_array a = {.memory = NULL};
    bool made = set_shape(d->cx, type, rank, dims, &a.shape) &&
                (d->runner ? run_array_make(d->runner, &a) : host_alloc(&d->cx->mem, &a.shape));
    fcl_buffer *b = made ? buffer_of_array(d, &a) : NULL;
    return face_ok(d->cx, before) ? b : NULL;
}

fcl_buffer *fcl_buffer_wrap(fcl_device *d, void *memory, fcl_scalar type, unsigned rank,
                            const uint64_t *dims)
{
    if (!d || !GIVEN_ALL(d->cx, dims, rank))
        return NULL;
    uint32_t before = d->cx->diags.errors;
    run_array a = {.memory = NULL};
    bool ok = set_shape(d->cx, type, rank, dims, &a.shape);
    if (ok && !d->runner)
        ok = refused(d->cx, "the device interp cannot use memory of others");
    fcl_buffer *b = ok && run_array_wrap(d->runner, &a, memory) ? buffer_of_array(d, &a) : NULL;
    return face_ok(d->cx, before) ? b : NULL;
}

void fcl_buffer_destroy(fcl_buffer *b)
{
    if (!b)
        return;
    free_array(b->device, &b->array);
    job_drop(b->job);
    mem_free(&b->device->cx->mem, b, sizeof *b);
}

fcl_array fcl_buffer_shape(const fcl_buffer *b)
{
    if (!b)
        return (fcl_array){.rank = 0};
    fcl_array a;
    memcpy(&a, &b->array.shape, sizeof a);
    a.data = NULL;
    return a;
}

static size_t bytes_of(const fcl_buffer *b)
{
    return (size_t)(host_count(&b->array.shape) * ir_scalar_bytes(b->array.shape.type));
}

bool fcl_buffer_write(fcl_buffer *b, const void *data)
{
    if (!b)
        return false;
    fcl_context *cx = b->device->cx;
    if (!GIVEN_ALL(cx, data, bytes_of(b)))
        return false;
    uint32_t before = cx->diags.errors;
    if (!b->device->runner) {
        memcpy(b->array.shape.data, data, bytes_of(b));
        return true;
    }
    bool ok = run_array_write(b->device->runner, &b->array, data);
    if (ok)
        job_makes(NULL, b);
    return face_ok(cx, before) && ok;
}

bool fcl_buffer_read(const fcl_buffer *b, void *data)
{
    if (!b)
        return false;
    fcl_context *cx = b->device->cx;
    if (!GIVEN_ALL(cx, data, bytes_of(b)))
        return false;
    if (!b->device->runner) {
        memcpy(data, b->array.shape.data, bytes_of(b));
        return true;
    }
    job_settle(b->job); /* what is reported then may be about jobs before it */
    uint32_t before = cx->diags.errors;
    bool ok = job_has_made(b) && run_array_read(b->device->runner, &b->array, data);
    return face_ok(cx, before) && ok;
}

void *fcl_buffer_memory(const fcl_buffer *b)
{
    if (!b)
        return NULL;
    return b->device->runner ? b->array.memory : b->array.shape.data;
}
