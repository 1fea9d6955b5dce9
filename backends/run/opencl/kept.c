/* Programs that the driver has built, kept on disk: by all that has a part in what it makes of the code. */
#include "backends/run/opencl/device.h"
#include "backends/run/workshop.h"

#include <string.h>

enum { NAME_MOST = 512 };

static void add_platform(opencl_device *o, cache_key *k, cl_platform_info what)
{
    char text[NAME_MOST] = "";
    o->api.clGetPlatformInfo(o->platform, what, sizeof text - 1, text, NULL);
    cache_key_add(k, text, strlen(text));
}

static void add_device(opencl_device *o, cache_key *k, cl_device_info what)
{
    char text[NAME_MOST] = "";
    o->api.clGetDeviceInfo(o->id, what, sizeof text - 1, text, NULL);
    cache_key_add(k, text, strlen(text));
}

void opencl_name_program(opencl_device *o, const run_code *code, cache_key *k)
{
    const char *translator = workshop_environment("FCL_SPIRV_TRANSLATOR", "");
    cache_key_begin(k, "opencl");
    add_platform(o, k, CL_PLATFORM_NAME);
    add_platform(o, k, CL_PLATFORM_VERSION);
    add_device(o, k, CL_DEVICE_VENDOR);
    add_device(o, k, CL_DEVICE_NAME);
    add_device(o, k, CL_DEVICE_VERSION);
    add_device(o, k, CL_DRIVER_VERSION);
    cache_key_add(k, translator, strlen(translator));
    cache_key_add(k, code->target, strlen(code->target));
    cache_key_add(k, code->options, strlen(code->options));
    cache_key_add(k, code->at, code->size);
    cache_key_end(k);
}

/* What is kept was built with the same options, which some drivers want to hear again. */
cl_program opencl_take_program(opencl_device *o, const cache_key *k, const char *options)
{
    mem *m = &o->base.cx->mem;
    vec_char binary = {0};
    cl_program made = NULL;
    if (cache_take(o->base.cx, k, &binary)) {
        cl_int error = CL_SUCCESS;
        size_t size = binary.len;
        const unsigned char *at = (const unsigned char *)binary.at;
        made = o->api.clCreateProgramWithBinary(o->context, 1, &o->id, &size, &at, NULL, &error);
        if (made && (error != CL_SUCCESS ||
                     o->api.clBuildProgram(made, 1, &o->id, options, NULL, NULL) != CL_SUCCESS)) {
            o->api.clReleaseProgram(made);
            made = NULL;
        }
    }
    vec_free(m, &binary);
    return made;
}

enum { DEVICES_MOST = 16 };

/* A context of the caller's may have more devices than one, and its programs as many binaries: which
 * is ours; DEVICES_MOST: that cannot be told. */
static uint32_t place_of(opencl_device *o, cl_program program)
{
    cl_device_id ids[DEVICES_MOST];
    size_t bytes = 0;
    if (o->api.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof ids, ids, &bytes) != CL_SUCCESS)
        return DEVICES_MOST;
    for (uint32_t i = 0; i < bytes / sizeof *ids; i++)
        if (ids[i] == o->id)
            return i;
    return DEVICES_MOST;
}

/* The binary of our device; those of others are not asked for. */
static bool get_binary(opencl_device *o, cl_program program, vec_char *out)
{
    size_t sizes[DEVICES_MOST] = {0};
    unsigned char *at[DEVICES_MOST] = {NULL};
    uint32_t own = place_of(o, program);
    if (own == DEVICES_MOST ||
        o->api.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) !=
            CL_SUCCESS ||
        !sizes[own] || sizes[own] > cache_most_bytes(o->base.cx) ||
        !vec_reserve(&o->base.cx->mem, out, sizes[own]))
        return false;
    at[own] = (unsigned char *)out->at;
    out->len = (uint32_t)sizes[own];
    return o->api.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof at, (void *)at, NULL) ==
           CL_SUCCESS;
}

/* Some drivers make a binary only when they are asked for it, and take their time. */
void opencl_keep_program(opencl_device *o, const cache_key *k, cl_program program)
{
    mem *m = &o->base.cx->mem;
    const bool oom = m->oom;
    vec_char binary = {0};
    if (cache_may_keep(o->base.cx) && get_binary(o, program, &binary))
        cache_keep(o->base.cx, k, binary.at, binary.len);
    vec_free(m, &binary);
    m->oom = oom; /* then it is not kept */
}
