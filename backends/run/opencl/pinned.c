/* A page of the host's memory that the device reaches by itself, in pieces for what is read often
 * and is small: reports of checks, and scalars.  Reading to other memory of the host's takes a
 * GPU's driver some microseconds more, and has it wait where nobody asked for that.
 *
 * The page is made when it is first asked for, on GPUs; where a driver has none to give, reads go
 * where they always did. */
#include "backends/run/opencl/device.h"

enum { PIECES = 64, PAGE = PIECES * MOST_CLEARED };
_Static_assert(PIECES == 8 * sizeof(uint64_t), "a bit for each piece");

static void map(opencl_device *o)
{
    cl_int error = CL_SUCCESS;
    opencl_pinned *p = &o->pinned;
    p->is_tried = true;
    p->memory = o->api.clCreateBuffer(o->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, PAGE,
                                      NULL, &error);
    if (!p->memory || error != CL_SUCCESS)
        return;
    p->at = o->api.clEnqueueMapBuffer(o->plain, p->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      PAGE, 0, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        p->at = NULL;
}

void *opencl_pin(run_device *d)
{
    opencl_device *o = opencl_self(d);
    opencl_pinned *p = &o->pinned;
    if (!p->is_tried && o->base.caps.facts.launches_cost)
        map(o);
    if (!p->at || p->used == UINT64_MAX)
        return NULL;
    int free = __builtin_ctzll(~p->used);
    p->used |= 1ULL << free;
    return p->at + (size_t)free * MOST_CLEARED;
}

void opencl_unpin(run_device *d, void *piece)
{
    opencl_pinned *p = &opencl_self(d)->pinned;
    if (piece)
        p->used &= ~(1ULL << ((unsigned char *)piece - p->at) / MOST_CLEARED);
}

void opencl_drop_pinned(opencl_device *o)
{
    opencl_pinned *p = &o->pinned;
    if (p->at &&
        o->api.clEnqueueUnmapMemObject(o->plain, p->memory, p->at, 0, NULL, NULL) == CL_SUCCESS)
        o->api.clFinish(o->plain);
    if (p->memory)
        o->api.clReleaseMemObject(p->memory);
}
