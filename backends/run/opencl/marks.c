/* Marks in the queue, which are events: what stands before one is done when it is reached. */
#include "backends/run/opencl/device.h"

bool opencl_read_later(run_device *d, void *memory, uint64_t bytes, void *to)
{
    opencl_device *o = opencl_self(d);
    cl_int error = o->api.clEnqueueReadBuffer(opencl_filling(o), memory, CL_FALSE, 0, (size_t)bytes,
                                              to, 0, NULL, NULL);
    return error == CL_SUCCESS || opencl_failed(d, "clEnqueueReadBuffer", error);
}

void *opencl_mark(run_device *d)
{
    opencl_device *o = opencl_self(d);
    cl_event event = NULL;
    cl_int error = o->api.clEnqueueMarkerWithWaitList(o->queue, 0, NULL, &event);
    if (error == CL_SUCCESS)
        return event;
    opencl_failed(d, "clEnqueueMarkerWithWaitList", error);
    return NULL;
}

/* A flush that the driver does not need would cost as much as half a launch. */
bool opencl_flush(run_device *d)
{
    if (d->caps.begins_at_once)
        return true;
    cl_int error = opencl_self(d)->api.clFlush(opencl_self(d)->queue);
    return error == CL_SUCCESS || opencl_failed(d, "clFlush", error);
}

/* One that failed is reached, too: waiting for it tells. */
bool opencl_is_reached(run_device *d, void *mark)
{
    cl_int status = CL_QUEUED;
    cl_int error = opencl_self(d)->api.clGetEventInfo(mark, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                      sizeof status, &status, NULL);
    return error != CL_SUCCESS || status <= CL_COMPLETE;
}

bool opencl_await(run_device *d, void *mark)
{
    cl_event event = mark;
    cl_int error = opencl_self(d)->api.clWaitForEvents(1, &event);
    opencl_self(d)->waits++;
    return error == CL_SUCCESS || opencl_failed(d, "clWaitForEvents", error);
}

void opencl_forget(run_device *d, void *mark)
{
    if (mark)
        opencl_self(d)->api.clReleaseEvent(mark);
}
