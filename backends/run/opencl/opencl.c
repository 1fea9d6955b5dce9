/* A device through OpenCL 1.2: context and in-order queue, buffers, programs kept by their source,
 * launches.
 *
 * Calls are made by index through the table of api.h; every error becomes a diagnostic that
 * names the call. */
#include "backends/run/opencl/device.h"

#include "backends/opencl/opencl.h"

#include <string.h>

bool opencl_failed(run_device *d, const char *call, cl_int error)
{
    return diag_error(d->cx, DIAG_OPENCL_CALL, (location){0}, "%s failed with %s (%d)", call,
                      opencl_error_name(error), (int)error);
}

/* ---- memory ---- */

static void *new_buffer(run_device *d, uint64_t bytes, const void *init)
{
    cl_int error = CL_SUCCESS;
    cl_mem_flags flags = init ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE;
    void *host = (void *)(uintptr_t)init; /* only read, but OpenCL's type does not say so */
    cl_mem memory = opencl_self(d)->api.clCreateBuffer(opencl_self(d)->context, flags,
                                                       (size_t)bytes, host, &error);
    if (memory && error == CL_SUCCESS)
        return memory;
    opencl_failed(d, "clCreateBuffer", error);
    diag_note_add(d->cx, (location){0}, "for a buffer of %llu bytes", (unsigned long long)bytes);
    return NULL;
}

/* The same handle may be another memory's afterwards: kernels are given theirs anew. */
static void release_buffer(run_device *d, void *memory)
{
    opencl_self(d)->releases++;
    opencl_self(d)->api.clReleaseMemObject(memory);
}

static void *part_of(run_device *d, void *memory, uint64_t offset, uint64_t bytes)
{
    cl_int error = CL_SUCCESS;
    cl_buffer_region region = {.origin = (size_t)offset, .size = (size_t)bytes};
    cl_mem part = opencl_self(d)->api.clCreateSubBuffer(
        memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    if (part && error == CL_SUCCESS)
        return part;
    opencl_failed(d, "clCreateSubBuffer", error);
    return NULL;
}

/* The queue keeps the order: what stands before is done as well. */
static bool read_buffer(run_device *d, void *memory, uint64_t offset, uint64_t bytes, void *to)
{
    opencl_device *o = opencl_self(d);
    void *piece = bytes <= MOST_CLEARED ? opencl_pin(d) : NULL;
    cl_int error = o->api.clEnqueueReadBuffer(o->queue, memory, CL_TRUE, (size_t)offset,
                                              (size_t)bytes, piece ? piece : to, 0, NULL, NULL);
    if (piece)
        memcpy(to, piece, (size_t)bytes);
    opencl_unpin(d, piece);
    o->is_busy = error != CL_SUCCESS;
    return error == CL_SUCCESS || opencl_failed(d, "clEnqueueReadBuffer", error);
}

static bool write_buffer(run_device *d, void *memory, uint64_t bytes, const void *from)
{
    opencl_device *o = opencl_self(d);
    cl_int error = o->api.clEnqueueWriteBuffer(o->queue, memory, CL_TRUE, 0, (size_t)bytes, from, 0,
                                               NULL, NULL);
    return error == CL_SUCCESS || opencl_failed(d, "clEnqueueWriteBuffer", error);
}

/* What is cleared is a few words, which are there as long as the library. */
static bool clear_buffer(run_device *d, void *memory, uint64_t bytes)
{
    static const unsigned char none[MOST_CLEARED];
    opencl_device *o = opencl_self(d);
    cl_int error = o->api.clEnqueueWriteBuffer(opencl_filling(o), memory, CL_FALSE, 0,
                                               (size_t)bytes, none, 0, NULL, NULL);
    return error == CL_SUCCESS || opencl_failed(d, "clEnqueueWriteBuffer", error);
}

static bool copy_buffer(run_device *d, void *from, void *to, uint64_t bytes)
{
    opencl_device *o = opencl_self(d);
    cl_int error =
        o->api.clEnqueueCopyBuffer(opencl_filling(o), from, to, 0, 0, (size_t)bytes, 0, NULL, NULL);
    return error == CL_SUCCESS || opencl_failed(d, "clEnqueueCopyBuffer", error);
}

/* Jobs that end one after the other wait once: for all of them. */
static bool finish(run_device *d)
{
    opencl_device *o = opencl_self(d);
    cl_int error = o->is_busy ? o->api.clFinish(o->queue) : CL_SUCCESS;
    o->is_busy = error != CL_SUCCESS;
    o->waits++;
    return error == CL_SUCCESS || opencl_failed(d, "clFinish", error);
}

/* ---- time ---- */

bool opencl_open_queue(opencl_device *o, cl_command_queue_properties properties,
                       cl_command_queue *queue)
{
    cl_int error = CL_SUCCESS;
    *queue = o->api.clCreateCommandQueue(o->context, o->id, properties, &error);
    return (*queue && error == CL_SUCCESS) ||
           opencl_failed(&o->base, "clCreateCommandQueue", error);
}

/* Timed launches go through a queue of their own, so that the others pay nothing; what stands in
 * the other queue is done before.  A caller's queue may be both. */
static bool start_timing(run_device *d)
{
    opencl_device *o = opencl_self(d);
    if (o->profiled != o->plain && !finish(d))
        return false;
    if (!o->profiled && !opencl_open_queue(o, CL_QUEUE_PROFILING_ENABLE, &o->profiled))
        return false;
    o->queue = o->profiled;
    o->is_timing = true;
    return true;
}

static bool add_time(opencl_device *o, cl_event event, uint64_t *first, uint64_t *last, run_time *t)
{
    cl_ulong start = 0, end = 0;
    cl_int error = o->api.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start,
                                                  &start, NULL);
    if (error == CL_SUCCESS)
        error =
            o->api.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (error != CL_SUCCESS)
        return opencl_failed(&o->base, "clGetEventProfilingInfo", error);
    *first = start < *first ? start : *first;
    *last = end > *last ? end : *last;
    t->kernels += end - start;
    return true;
}

static bool stop_timing(run_device *d, run_time *t)
{
    opencl_device *o = opencl_self(d);
    uint64_t first = UINT64_MAX, last = 0;
    run_time sum = {0};
    bool ok = true;
    for (uint32_t i = 0; i < o->launches.len; i++) {
        ok = ok && (!t || add_time(o, o->launches.at[i], &first, &last, &sum));
        o->api.clReleaseEvent(o->launches.at[i]);
    }
    sum.span = last > first ? last - first : 0;
    o->launches.len = 0;
    o->queue = o->plain;
    o->is_timing = false;
    if (t)
        *t = sum;
    return ok;
}

/* ---- programs ---- */

static void drop_kernel(opencl_device *o, opencl_kernel *k)
{
    mem *m = &o->base.cx->mem;
    if (k->kernel)
        o->api.clReleaseKernel(k->kernel);
    if (k->own)
        o->api.clReleaseProgram(k->own);
    if (k->name)
        mem_free(m, k->name, strlen(k->name) + 1);
    vec_free(m, &k->args);
}

static void drop_program(run_device *d, void *program)
{
    opencl_device *o = opencl_self(d);
    opencl_program *k = program;
    mem *m = &d->cx->mem;
    for (uint32_t i = 0; i < k->kernels.len; i++)
        drop_kernel(o, &k->kernels.at[i]);
    if (k->program)
        o->api.clReleaseProgram(k->program);
    vec_free(m, &k->kernels);
    vec_free(m, &k->source);
    vec_free(m, &k->options);
    mem_free(m, k, sizeof *k);
}

/* Who gives the code need not keep it. */
static bool keep_source(mem *m, opencl_program *k, const run_code *code)
{
    return text_add(m, &k->source, code->at, code->size) &&
           text_add(m, &k->options, code->options, strlen(code->options) + 1);
}

static bool prepare(opencl_device *o, opencl_program *k, const run_code *code)
{
    if (opencl_is_by_kernels(code))
        return keep_source(&o->base.cx->mem, k, code);
    k->program = opencl_build(o, code);
    return k->program != NULL;
}

static void *new_program(run_device *d, const run_code *code, const kept *like)
{
    opencl_program *k = mem_resize(&d->cx->mem, NULL, 0, sizeof *k);
    if (!k)
        return NULL;
    *k = (opencl_program){.kept = *like};
    if (prepare(opencl_self(d), k, code))
        return k;
    drop_program(d, k);
    return NULL;
}

static const kept_kind way = {.make = new_program, .drop = drop_program};

static void *find_program(run_device *d, const run_code *code)
{
    return kept_program(&opencl_self(d)->programs, &way, d, code);
}

static void leave_program(run_device *d, void *program)
{
    kept_end_use(&opencl_self(d)->programs, &way, d, program);
}

/* ---- kernels ---- */

/* The program that has it; NULL with a diagnostic.  quick: its first launches are wanted. */
static cl_program program_of(opencl_device *o, const opencl_program *p, opencl_kernel *k, bool quick)
{
    run_code code = {.at = p->source.at,
                     .size = p->source.len,
                     .options = p->options.at,
                     .target = backend_opencl.name};
    if (p->program)
        return p->program;
    k->quick = quick;
    k->waits = o->waits;
    k->own = opencl_build_kernel(o, &code, k->name, &k->quick);
    return k->own;
}

static bool new_kernel(opencl_device *o, opencl_program *p, const char *name, bool quick, opencl_kernel *k)
{
    cl_int error = CL_SUCCESS;
    k->name = mem_resize(&o->base.cx->mem, NULL, 0, strlen(name) + 1);
    if (!k->name)
        return false;
    memcpy(k->name, name, strlen(name) + 1);
    cl_program from = program_of(o, p, k, quick);
    k->kernel = from ? o->api.clCreateKernel(from, name, &error) : NULL;
    return k->kernel || (from && opencl_failed(&o->base, "clCreateKernel", error));
}

static opencl_kernel *known_kernel(const opencl_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->kernels.len; i++)
        if (strcmp(p->kernels.at[i].name, name) == 0)
            return &p->kernels.at[i];
    return NULL;
}

/* Whether the driver has been quick about it, somebody has had what that computes, and wants more. */
static bool is_wanted_again(const opencl_device *o, const opencl_kernel *k)
{
    return k->quick && k->waits != o->waits;
}

/* The kernel of that name, made when first asked for; NULL with a diagnostic. */
static opencl_kernel *find_kernel(opencl_device *o, opencl_program *p, const char *name)
{
    opencl_kernel made = {.name = NULL}, *k = known_kernel(p, name);
    if (k && !is_wanted_again(o, k))
        return k;
    if (!vec_reserve(&o->base.cx->mem, &p->kernels, 1) || !new_kernel(o, p, name, !k, &made)) {
        drop_kernel(o, &made);
        return NULL;
    }
    if (k)
        drop_kernel(o, k);
    else
        k = &p->kernels.at[p->kernels.len++];
    *k = made;
    return k;
}

static bool set_arg(opencl_device *o, cl_kernel kernel, uint32_t i, const run_arg *a)
{
    size_t bytes = a->kind == RUN_MEMORY ? sizeof(cl_mem) : (size_t)a->bytes;
    const void *value = a->kind == RUN_SCALAR   ? (const void *)a->bits
                        : a->kind == RUN_MEMORY ? &a->memory
                                                : NULL;
    cl_int error = o->api.clSetKernelArg(kernel, i, bytes, value);
    return error == CL_SUCCESS || opencl_failed(&o->base, "clSetKernelArg", error);
}

static bool is_same(const run_arg *a, const run_arg *b)
{
    return a->kind == b->kind && a->bytes == b->bytes && a->memory == b->memory &&
           memcmp(a->bits, b->bits, sizeof a->bits) == 0;
}

/* Arguments stay from launch to launch: only those that changed are set.  After a failure nobody
 * knows what the kernel has. */
static bool set_args(opencl_device *o, opencl_kernel *k, const run_launch *l)
{
    bool known = k->args.len == l->nargs && k->releases == o->releases;
    bool room = known || vec_reserve(&o->base.cx->mem, &k->args, l->nargs);
    if (!room)
        return false;
    k->args.len = 0;
    for (uint32_t i = 0; i < l->nargs; i++) {
        if (!(known && is_same(&k->args.at[i], &l->args[i])) &&
            !set_arg(o, k->kernel, i, &l->args[i]))
            return false;
        k->args.at[i] = l->args[i];
    }
    k->args.len = l->nargs;
    k->releases = o->releases;
    return true;
}

/* Emitted kernels state their block size, so a driver compiles for it; what it reports as the
 * kernel's limit is not asked, since NVIDIA's reports 256 for kernels that run with 1,024. */
static bool enqueue(opencl_device *o, const opencl_kernel *k, const run_launch *l)
{
    size_t local = (size_t)l->threads, global = (size_t)(l->groups * l->threads);
    bool timed = o->is_timing;
    if (timed && !vec_reserve(&o->base.cx->mem, &o->launches, 1))
        return false;
    cl_event *event = timed ? &o->launches.at[o->launches.len] : NULL;
    cl_int error = o->api.clEnqueueNDRangeKernel(opencl_filling(o), k->kernel, 1, NULL, &global,
                                                 &local, 0, NULL, event);
    if (error == CL_SUCCESS) {
        o->launches.len += timed;
        return true;
    }
    if (error == CL_INVALID_WORK_GROUP_SIZE || error == CL_OUT_OF_RESOURCES) {
        diag_error(o->base.cx, DIAG_RUN_BLOCK, (location){0},
                   "the driver cannot run kernel %s with blocks of %llu threads", l->kernel,
                   (unsigned long long)l->threads);
        diag_hint(o->base.cx, "choose a smaller block size");
        return false;
    }
    opencl_failed(&o->base, "clEnqueueNDRangeKernel", error);
    diag_note_add(o->base.cx, (location){0}, "for kernel %s: %llu groups of %llu threads",
                  l->kernel, (unsigned long long)l->groups, (unsigned long long)l->threads);
    return false;
}

static bool launch(run_device *d, void *program, const run_launch *l)
{
    opencl_device *o = opencl_self(d);
    opencl_kernel *k = find_kernel(o, program, l->kernel);
    return k && set_args(o, k, l) && enqueue(o, k, l);
}

/* ---- opening and closing ---- */

void opencl_close(run_device *d)
{
    opencl_device *o = opencl_self(d);
    if (o->is_busy) /* releasing a queue does not wait, and the process may end before a kernel is compiled */
        o->api.clFinish(o->queue);
    kept_drop_all(&o->programs, &way, d);
    opencl_drop_pinned(o);
    vec_free(&d->cx->mem, &o->launches);
    if (o->plain)
        o->api.clReleaseCommandQueue(o->plain);
    if (o->profiled)
        o->api.clReleaseCommandQueue(o->profiled);
    if (o->context)
        o->api.clReleaseContext(o->context);
    mem_free(&d->cx->mem, o, sizeof *o);
}

static run_handles handles(const run_device *d)
{
    const opencl_device *o = (const opencl_device *)d;
    return (run_handles){
        .platform = o->platform, .device = o->id, .context = o->context, .queue = o->plain};
}

const run_ops opencl_ops = {
    .program = find_program,
    .leave = leave_program,
    .buffer = new_buffer,
    .release = release_buffer,
    .part = part_of,
    .read = read_buffer,
    .write = write_buffer,
    .clear = clear_buffer,
    .copy = copy_buffer,
    .wrap = opencl_wrap,
    .launch = launch,
    .finish = finish,
    .read_later = opencl_read_later,
    .pin = opencl_pin,
    .unpin = opencl_unpin,
    .mark = opencl_mark,
    .flush = opencl_flush,
    .is_reached = opencl_is_reached,
    .await = opencl_await,
    .forget = opencl_forget,
    .start_timing = start_timing,
    .stop_timing = stop_timing,
    .handles = handles,
    .close = opencl_close,
};

static bool find_place(fcl_context *cx, opencl_api *api, uint32_t index, opencl_place *out)
{
    vec_place places = {0};
    if (!opencl_load(api)) {
        diag_error(cx, DIAG_NO_OPENCL, (location){0},
                   "no OpenCL driver can be loaded (libOpenCL.so.1)");
        diag_hint(cx, "install an OpenCL driver, PoCL for example, or use the device interp");
        return false;
    }
    bool ok = opencl_list(cx, api, &places);
    if (ok && index >= places.len)
        ok = diag_error(cx, DIAG_NO_OPENCL_DEVICE, (location){0},
                        "there is no OpenCL device %u: this machine has %u", index, places.len);
    if (ok)
        *out = places.at[index];
    vec_free(&cx->mem, &places);
    return ok;
}

static bool open_context(opencl_device *o)
{
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)o->platform,
                                          0};
    cl_int error = CL_SUCCESS;
    o->context = o->api.clCreateContext(properties, 1, &o->id, NULL, NULL, &error);
    if (!o->context || error != CL_SUCCESS)
        return opencl_failed(&o->base, "clCreateContext", error);
    bool ok = opencl_open_queue(o, 0, &o->plain);
    o->queue = o->plain;
    return ok;
}

run_device *run_opencl_open(fcl_context *cx, uint32_t index)
{
    opencl_api api;
    opencl_place at;
    if (!find_place(cx, &api, index, &at))
        return NULL;
    opencl_device *o = mem_resize(&cx->mem, NULL, 0, sizeof *o);
    if (!o)
        return NULL;
    *o = (opencl_device){.base = {.ops = &opencl_ops, .cx = cx},
                         .api = api,
                         .platform = at.platform,
                         .id = at.device};
    run_lock_drivers();
    o->base.caps = opencl_caps(&cx->mem, &o->api, o->id);
    bool ok = open_context(o);
    run_unlock_drivers();
    if (ok)
        return &o->base;
    opencl_close(&o->base);
    return NULL;
}
