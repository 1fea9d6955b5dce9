/* A device of what a caller's program has: its context, device and in-order queue, and memories
 * that it made.  All of them are retained, and released when the library is done with them.  A
 * queue with profiling is that of timed runs, too, which then stand among what else the caller puts
 * there. */
#include "backends/run/opencl/device.h"

static bool refused(fcl_context *cx, const char *why)
{
    return diag_error(cx, DIAG_RUN_ADOPT, (location){0}, "%s", why);
}

/* ---- memories ---- */

static bool wrapped_size(opencl_device *o, cl_mem memory, uint64_t bytes, uint64_t *has)
{
    size_t size = 0;
    cl_int error = o->api.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (error != CL_SUCCESS)
        return opencl_failed(&o->base, "clGetMemObjectInfo", error);
    *has = size;
    return size >= bytes ||
           diag_error(o->base.cx, DIAG_RUN_ADOPT, (location){0},
                      "the memory has %zu bytes, but an array of that shape takes %llu", size,
                      (unsigned long long)bytes);
}

/* Retains a memory of the device's context with room for so many bytes; *has: how many it has. */
bool opencl_wrap(run_device *d, void *memory, uint64_t bytes, uint64_t *has)
{
    opencl_device *o = opencl_self(d);
    cl_context of = NULL;
    cl_mem_object_type type = 0;
    if (!wrapped_size(o, memory, bytes, has))
        return false;
    if (o->api.clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof of, &of, NULL) != CL_SUCCESS ||
        of != o->context)
        return refused(d->cx, "the memory is of another context than the device");
    if (o->api.clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, NULL) != CL_SUCCESS ||
        type != CL_MEM_OBJECT_BUFFER)
        return refused(d->cx, "the memory is no buffer: images cannot be wrapped");
    cl_int error = o->api.clRetainMemObject(memory);
    return error == CL_SUCCESS || opencl_failed(d, "clRetainMemObject", error);
}

/* ---- devices ---- */

/* Runs rely on commands being done in the order in which they were given. */
static bool check_queue(opencl_device *o, cl_command_queue queue, cl_command_queue_properties *how)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int error =
        o->api.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS)
        error = o->api.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (error == CL_SUCCESS)
        error = o->api.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof *how, how, NULL);
    if (error != CL_SUCCESS)
        return opencl_failed(&o->base, "clGetCommandQueueInfo", error);
    if (context != o->context || device != o->id)
        return refused(o->base.cx, "the queue is of another context or device");
    if (*how & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        refused(o->base.cx, "the queue runs commands out of order");
        diag_hint(o->base.cx, "give a queue that was made without "
                              "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, of the same context");
        return false;
    }
    return true;
}

static bool retain_queue(opencl_device *o, cl_command_queue queue, cl_command_queue *as)
{
    cl_int error = o->api.clRetainCommandQueue(queue);
    if (error != CL_SUCCESS)
        return opencl_failed(&o->base, "clRetainCommandQueue", error);
    *as = queue;
    return true;
}

static bool retain(opencl_device *o, cl_context context, cl_command_queue queue)
{
    cl_int error = o->api.clRetainContext(context);
    if (error != CL_SUCCESS)
        return opencl_failed(&o->base, "clRetainContext", error);
    o->context = context;
    if (!retain_queue(o, queue, &o->plain))
        return false;
    o->queue = queue;
    error = o->api.clGetDeviceInfo(o->id, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &o->platform,
                                   NULL);
    return error == CL_SUCCESS || opencl_failed(&o->base, "clGetDeviceInfo", error);
}

static bool adopt(opencl_device *o, const run_handles *of)
{
    cl_command_queue_properties how = 0;
    if (!of->context || !of->device || !of->queue)
        return refused(o->base.cx, "a context, a device and a queue are needed");
    if (!retain(o, of->context, of->queue) || !check_queue(o, of->queue, &how))
        return false;
    if (how & CL_QUEUE_PROFILING_ENABLE && !retain_queue(o, of->queue, &o->profiled))
        return false;
    run_lock_drivers();
    o->base.caps = opencl_caps(&o->base.cx->mem, &o->api, o->id);
    run_unlock_drivers();
    return true;
}

run_device *run_opencl_adopt(fcl_context *cx, const run_handles *of)
{
    opencl_api api;
    if (!opencl_load(&api)) {
        diag_error(cx, DIAG_NO_OPENCL, (location){0},
                   "no OpenCL driver can be loaded (libOpenCL.so.1)");
        return NULL;
    }
    opencl_device *o = mem_resize(&cx->mem, NULL, 0, sizeof *o);
    if (!o)
        return NULL;
    *o = (opencl_device){.base = {.ops = &opencl_ops, .cx = cx}, .api = api, .id = of->device};
    if (adopt(o, of))
        return &o->base;
    opencl_close(&o->base);
    return NULL;
}
