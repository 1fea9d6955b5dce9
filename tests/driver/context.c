/* One OpenCL context for all commands of the driver: libfcl looks for OpenCL in the program first (opencl_api.c), and finds
 * this clCreateContext; the others are those of the OpenCL library.
 *
 * A context that is asked for again is given again, with a reference more, so that clReleaseContext need not be replaced. */
#define _GNU_SOURCE
#include <CL/cl.h>
#include <dlfcn.h>
#include <string.h>

void context_release_kept(void);

typedef cl_context CL_API_CALL create_fn(const cl_context_properties *, cl_uint, const cl_device_id *,
                                         void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *);

enum { MOST_KEPT = 8 };

static struct {
    cl_device_id device;
    cl_context context;
} kept[MOST_KEPT];

static cl_context create(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                         void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *error)
{
    void *found = dlsym(RTLD_NEXT, "clCreateContext");
    create_fn *next;
    memcpy(&next, &found, sizeof next);
    return next(properties, n, devices, notify, data, error);
}

__attribute__((visibility("default"))) cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *error)
{
    int i = 0;
    while (i < MOST_KEPT && kept[i].context && kept[i].device != devices[0])
        i++;
    if (i == MOST_KEPT || n != 1)
        return create(properties, n, devices, notify, data, error);
    if (!kept[i].context) {
        kept[i].context = create(properties, n, devices, notify, data, error);
        kept[i].device = devices[0];
        if (!kept[i].context)
            return NULL;
    } else if (error) {
        *error = CL_SUCCESS;
    }
    clRetainContext(kept[i].context);
    return kept[i].context;
}

void context_release_kept(void)
{
    for (int i = 0; i < MOST_KEPT && kept[i].context; i++)
        clReleaseContext(kept[i].context);
}
