/* Loading OpenCL, its error names, and what devices there are: see api.h. */
#include "backends/run/opencl/api.h"

#include "backends/opencl/opencl.h"
#include "backends/run/device.h"

#include <dlfcn.h>
#include <string.h>

/* ISO C has no conversion from object to function pointers; POSIX promises that the representation
 * is the same. */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool load_from(void *library, opencl_api *api)
{
    bool ok = library != NULL;
#define FUNCTION(name) ok = ok && find(library, #name, &api->name);
    OPENCL_FUNCTIONS(FUNCTION)
#undef FUNCTION
    if (ok)
        find(library, "clCreateProgramWithIL", &api->clCreateProgramWithIL);
    return ok;
}

/* Libraries stay loaded: drivers have threads and exit handlers that do not survive being unloaded.
 */
bool opencl_load(opencl_api *api)
{
    run_lock_drivers();
    bool ok = run_can_load() && (load_from(dlopen(NULL, RTLD_NOW), api) ||
                                 load_from(dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL), api));
    run_unlock_drivers();
    return ok;
}

/* ---- errors ---- */

/* clang-format off */
#define OPENCL_ERRORS(X)                                                                                               \
    X(CL_DEVICE_NOT_FOUND) X(CL_DEVICE_NOT_AVAILABLE) X(CL_COMPILER_NOT_AVAILABLE) X(CL_MEM_OBJECT_ALLOCATION_FAILURE) \
    X(CL_OUT_OF_RESOURCES) X(CL_OUT_OF_HOST_MEMORY) X(CL_PROFILING_INFO_NOT_AVAILABLE) X(CL_MEM_COPY_OVERLAP)          \
    X(CL_BUILD_PROGRAM_FAILURE) X(CL_MAP_FAILURE) X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)                      \
    X(CL_COMPILE_PROGRAM_FAILURE) X(CL_LINKER_NOT_AVAILABLE) X(CL_LINK_PROGRAM_FAILURE) X(CL_DEVICE_PARTITION_FAILED)  \
    X(CL_INVALID_VALUE) X(CL_INVALID_DEVICE_TYPE) X(CL_INVALID_PLATFORM) X(CL_INVALID_DEVICE) X(CL_INVALID_CONTEXT)    \
    X(CL_INVALID_QUEUE_PROPERTIES) X(CL_INVALID_COMMAND_QUEUE) X(CL_INVALID_HOST_PTR) X(CL_INVALID_MEM_OBJECT)         \
    X(CL_INVALID_BINARY) X(CL_INVALID_BUILD_OPTIONS) X(CL_INVALID_PROGRAM) X(CL_INVALID_PROGRAM_EXECUTABLE)            \
    X(CL_INVALID_KERNEL_NAME) X(CL_INVALID_KERNEL_DEFINITION) X(CL_INVALID_KERNEL) X(CL_INVALID_ARG_INDEX)             \
    X(CL_INVALID_ARG_VALUE) X(CL_INVALID_ARG_SIZE) X(CL_INVALID_KERNEL_ARGS) X(CL_INVALID_WORK_DIMENSION)              \
    X(CL_INVALID_WORK_GROUP_SIZE) X(CL_INVALID_WORK_ITEM_SIZE) X(CL_INVALID_GLOBAL_OFFSET) X(CL_INVALID_EVENT)         \
    X(CL_INVALID_OPERATION) X(CL_INVALID_BUFFER_SIZE) X(CL_INVALID_GLOBAL_WORK_SIZE) X(CL_INVALID_PROPERTY)
/* clang-format on */

const char *opencl_error_name(cl_int error)
{
    switch (error) {
#define ERROR_NAME(e)                                                                              \
    case e: return #e;
        OPENCL_ERRORS(ERROR_NAME)
#undef ERROR_NAME
    default: return "an unknown error";
    }
}

/* ---- enumeration ---- */

static bool list_platform(mem *m, const opencl_api *api, cl_platform_id platform, vec_place *out)
{
    VEC(cl_device_id) ids = {0};
    cl_uint n = 0;
    if (api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n) != CL_SUCCESS || n == 0)
        return true;
    bool ok = vec_reserve(m, &ids, n);
    if (ok && api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, ids.at, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; ok && i < n; i++)
            ok = vec_push(m, out, ((opencl_place){.platform = platform, .device = ids.at[i]}));
    vec_free(m, &ids);
    return ok;
}

static bool list_platforms(mem *m, const opencl_api *api, vec_place *out)
{
    VEC(cl_platform_id) ids = {0};
    cl_uint n = 0;
    if (api->clGetPlatformIDs(0, NULL, &n) != CL_SUCCESS || n == 0)
        return true;
    bool ok = vec_reserve(m, &ids, n);
    if (ok && api->clGetPlatformIDs(n, ids.at, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; ok && i < n; i++)
            ok = list_platform(m, api, ids.at[i], out);
    vec_free(m, &ids);
    return ok;
}

bool opencl_list(fcl_context *cx, const opencl_api *api, vec_place *out)
{
    run_lock_drivers();
    bool ok = list_platforms(&cx->mem, api, out);
    run_unlock_drivers();
    return ok;
}

uint32_t run_opencl_count(fcl_context *cx)
{
    opencl_api api;
    vec_place places = {0};
    bool ok = opencl_load(&api) && opencl_list(cx, &api, &places);
    uint32_t n = ok ? places.len : 0;
    vec_free(&cx->mem, &places);
    return n;
}

/* ---- description ---- */

enum { NAME_SIZE = 256 };

static const char *type_name(cl_device_type type)
{
    return type & CL_DEVICE_TYPE_GPU           ? "GPU"
           : type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
                                               : "CPU";
}

static bool describe(fcl_context *cx, const opencl_api *api, opencl_place at, vec_char *out)
{
    char device[NAME_SIZE] = "?", platform[NAME_SIZE] = "?", driver[NAME_SIZE] = "?";
    cl_device_type type = 0;
    cl_uint units = 0;
    cl_ulong global = 0, local = 0;
    api->clGetDeviceInfo(at.device, CL_DEVICE_NAME, sizeof device - 1, device, NULL);
    api->clGetPlatformInfo(at.platform, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
    api->clGetDeviceInfo(at.device, CL_DRIVER_VERSION, sizeof driver - 1, driver, NULL);
    api->clGetDeviceInfo(at.device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    api->clGetDeviceInfo(at.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    api->clGetDeviceInfo(at.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global, NULL);
    api->clGetDeviceInfo(at.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    run_lock_drivers();
    run_caps caps = opencl_caps(&cx->mem, api, at.device);
    run_unlock_drivers();
    const char *way = backend_opencl.dialects[caps.ways.best].name;
    return text_addf(&cx->mem, out,
                     "%s: %s, %u compute units, %llu MiB, %llu KiB local, exchange %s; %s, driver %s", device,
                     type_name(type), units, (unsigned long long)global >> 20,
                     (unsigned long long)local >> 10, way, platform, driver) &&
           run_describe_caps(&cx->mem, out, &caps);
}

bool run_opencl_describe(fcl_context *cx, uint32_t index, vec_char *out)
{
    opencl_api api;
    vec_place places = {0};
    bool ok = opencl_load(&api) && opencl_list(cx, &api, &places) && index < places.len;
    ok = ok && describe(cx, &api, places.at[index], out);
    vec_free(&cx->mem, &places);
    return ok;
}
