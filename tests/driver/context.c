/* One OpenCL context for all commands of the driver: libfcl looks for OpenCL in the program first
 * (backends/run/opencl/api.c), and finds this clCreateContext; the other functions are those of the OpenCL
 * library, which is loaded to be found there.  Without one there are no devices, as always.
 *
 * A context that is asked for again is given again, with a reference more, so that clReleaseContext
 * need not be replaced. */
#define _GNU_SOURCE
#include <CL/cl.h>
#include <dlfcn.h>
#include <string.h>

void context_load(void);
void context_release_kept(void);

typedef void CL_CALLBACK notify_fn(const char *, const void *, size_t, void *);
typedef cl_context CL_API_CALL create_fn(const cl_context_properties *, cl_uint,
                                         const cl_device_id *, notify_fn *, void *, cl_int *);

enum { MOST_KEPT = 8 };

static struct {
    cl_device_id device;
    cl_context context;
} kept[MOST_KEPT];

static create_fn *real_create;
static cl_int (*CL_API_CALL retain)(cl_context), (*CL_API_CALL release)(cl_context);

/* A function of the library, stored where `to` points. */
static void find(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);
    memcpy(to, &found, sizeof found);
}

void context_load(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return;
    find(library, "clCreateContext", &real_create);
    find(library, "clRetainContext", &retain);
    find(library, "clReleaseContext", &release);
}

__attribute__((visibility("default"))) cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                notify_fn *notify, void *data, cl_int *error)
{
    int i = 0;
    while (i < MOST_KEPT && kept[i].context && kept[i].device != devices[0])
        i++;
    if (i == MOST_KEPT || n != 1)
        return real_create(properties, n, devices, notify, data, error);
    if (!kept[i].context) {
        kept[i].context = real_create(properties, n, devices, notify, data, error);
        kept[i].device = devices[0];
        if (!kept[i].context)
            return NULL;
    } else if (error) {
        *error = CL_SUCCESS;
    }
    retain(kept[i].context);
    return kept[i].context;
}

void context_release_kept(void)
{
    for (int i = 0; i < MOST_KEPT && kept[i].context; i++)
        release(kept[i].context);
}
