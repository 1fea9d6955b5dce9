/* The device: libfcl's, which takes a queue of the benchmark's, so that the programs, the peers and
 * what is done between runs stand in one queue. */
#define _POSIX_C_SOURCE 200809L
#include "tests/bench/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("bench: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(EXIT_FAILURE);
}

void *xalloc(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p)
        die("out of memory for %zu bytes", bytes);
    return p;
}

void must_cl(cl_int error, const char *call)
{
    if (error != CL_SUCCESS)
        die("%s failed with %d", call, (int)error);
}

void must_fcl(machine *m, bool ok, const char *what)
{
    if (ok)
        return;
    for (size_t i = 0; i < fcl_diagnostic_count(m->cx); i++)
        fputs(fcl_diagnostic_text(m->cx, i), stderr);
    die("%s failed", what);
}

cl_mem memory_of(const fcl_buffer *b)
{
    return fcl_buffer_memory(b);
}

static void describe(machine *m)
{
    cl_device_type type = 0;
    cl_uint units = 0;
    char vendor[MAX_TEXT] = "";
    clGetDeviceInfo(m->id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(m->id, CL_DEVICE_NAME, sizeof m->name - 1, m->name, NULL);
    clGetDeviceInfo(m->id, CL_DEVICE_VENDOR, sizeof vendor - 1, vendor, NULL);
    clGetDeviceInfo(m->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(m->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof m->max_block, &m->max_block, NULL);
    m->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    m->is_nvidia = m->is_gpu && strstr(vendor, "NVIDIA");
    m->wide_peers = m->is_gpu;
    m->kind = m->is_gpu ? "gpu" : "cpu";
    m->units = units;
}

static void name_device(machine *m, const char *device)
{
    for (size_t i = 0; i < fcl_device_count(m->cx); i++)
        if (strcmp(fcl_device_name(m->cx, i), device) == 0)
            snprintf(m->name, sizeof m->name, "%s", fcl_device_description(m->cx, i));
}

/* Of Vulkan there are no peers. */
static void describe_vulkan(machine *m, const char *device)
{
    m->kind = "gpu";
    name_device(m, strchr(device, ':') ? device : "vulkan:0");
}

static void describe_cores(machine *m)
{
    m->is_cores = true;
    m->kind = "cores";
    m->units = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    m->max_block = 1;
    name_device(m, "cpu");
}

double host_milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The same device once more, with a queue that is timed. */
static void adopt_device(machine *m, const char *name)
{
    fcl_opencl h;
    cl_int error;
    fcl_device *opened = m->fcl;
    if (!fcl_device_opencl(opened, &h, sizeof h))
        die("device %s neither runs OpenCL nor is cpu", name);
    m->context = h.context;
    m->id = h.device;
    m->queue = clCreateCommandQueue(h.context, h.device, CL_QUEUE_PROFILING_ENABLE, &error);
    must_cl(error, "clCreateCommandQueue");
    m->fcl = fcl_device_adopt(m->cx, h.context, h.device, m->queue);
    must_fcl(m, m->fcl, "adopting the device");
    fcl_device_close(opened);
}

/* DEVICE or DEVICE@TARGET. */
void machine_open(machine *m, const char *name, const char *folder)
{
    enum { SCRATCH_WORDS = 1 << 26 }; /* 256 MiB */
    char device[MAX_TEXT];
    const char *at = strchr(name, '@');
    snprintf(device, sizeof device, "%.*s", (int)strcspn(name, "@"), name);
    *m = (machine){
        .folder = folder, .via = at ? at + 1 : NULL, .cx = fcl_context_create(NULL, NULL)};
    m->fcl = m->cx ? fcl_device_open(m->cx, device) : NULL;
    must_fcl(m, m->fcl, "opening the device");
    if (strcmp(device, "cpu") == 0) {
        describe_cores(m);
        return;
    }
    if (strncmp(device, "vulkan", 6) == 0) {
        describe_vulkan(m, device);
        return;
    }
    adopt_device(m, device);
    describe(m);
    if (m->is_gpu)
        m->scratch = fcl_buffer_create(m->fcl, FCL_I32, 1, (uint64_t[]){SCRATCH_WORDS});
    must_fcl(m, !m->is_gpu || m->scratch, "scratch memory");
}

void machine_close(machine *m)
{
    fcl_buffer_destroy(m->scratch);
    if (m->queue)
        clReleaseCommandQueue(m->queue);
    fcl_device_close(m->fcl);
    fcl_context_destroy(m->cx);
}

/* Nobody waits for it: what is measured stands in the queue behind it, and has been given to the
 * device by the time that it is done, so that no launch waits for the host. */
void flush_cache(machine *m)
{
    if (!m->scratch)
        return;
    cl_int zero = 0;
    fcl_array a = fcl_buffer_shape(m->scratch);
    must_cl(clEnqueueFillBuffer(m->queue, memory_of(m->scratch), &zero, sizeof zero, 0,
                                a.dims[0] * sizeof zero, 0, NULL, NULL),
            "clEnqueueFillBuffer");
    must_cl(clFlush(m->queue), "clFlush");
}

double take_span(cl_event *events, unsigned n)
{
    cl_ulong first = (cl_ulong)-1, last = 0;
    for (unsigned i = 0; i < n; i++) {
        cl_ulong start, end;
        must_cl(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start,
                                        NULL),
                "clGetEventProfilingInfo");
        must_cl(
            clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
            "clGetEventProfilingInfo");
        first = start < first ? start : first;
        last = end > last ? end : last;
        clReleaseEvent(events[i]);
    }
    return (double)(last - first) * 1e-6;
}

/* ---- the copy ---- */

void copier_open(machine *m, copier *c, double traffic)
{
    uint64_t words[] = {(uint64_t)(traffic / 2) / 4};
    *c = (copier){.m = m, .bytes = (size_t)words[0] * 4};
    c->from = fcl_buffer_create(m->fcl, FCL_I32, 1, words);
    c->to = fcl_buffer_create(m->fcl, FCL_I32, 1, words);
    must_fcl(m, c->from && c->to, "memory for the copy");
}

static double copy_by_cores(copier *c)
{
    double start = host_milliseconds();
    cores_copy(fcl_buffer_memory(c->to), fcl_buffer_memory(c->from), c->bytes);
    return host_milliseconds() - start;
}

double copier_run(copier *c)
{
    cl_event event;
    if (c->m->is_cores)
        return copy_by_cores(c);
    must_cl(clEnqueueCopyBuffer(c->m->queue, memory_of(c->from), memory_of(c->to), 0, 0, c->bytes,
                                0, NULL, &event),
            "clEnqueueCopyBuffer");
    must_cl(clFinish(c->m->queue), "clFinish");
    return take_span(&event, 1);
}

void copier_close(copier *c)
{
    fcl_buffer_destroy(c->from);
    fcl_buffer_destroy(c->to);
}
