/* Programs of a driver: compiled from code, or taken as they were kept on disk.
 *
 * Drivers compile all kernels of a program, whether they are used or not, and most of the versions that
 * a plan has never run. So they are given source once for each kernel that is launched: what stands
 * between two lines with FCL_ONLY (backends/opencl) is left out unless it is that kernel.
 *
 * Where code says by FCL_QUICK what may be left out for a driver to be done sooner, that is what the first
 * launches of a kernel are made of: whoever runs a program once has its result, and whoever runs it again
 * waits once more, for the faster kernel. */
#define _GNU_SOURCE
#include "backends/run/opencl/device.h"

#include "backends/opencl/opencl.h"

#include <string.h>

enum { LOG_SHOWN = 4000 };

static void note_build_log(opencl_device *o, cl_program program)
{
    mem *m = &o->base.cx->mem;
    vec_char text = {0};
    size_t size = 0;
    o->api.clGetProgramBuildInfo(program, o->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    if (size > 1 && vec_reserve(m, &text, size + 1) &&
        o->api.clGetProgramBuildInfo(program, o->id, CL_PROGRAM_BUILD_LOG, size, text.at, NULL) ==
            CL_SUCCESS)
        diag_note_add(o->base.cx, (location){0}, "the driver says:\n%.*s",
                      size < LOG_SHOWN ? (int)size : LOG_SHOWN, text.at);
    vec_free(m, &text);
}

static cl_program create_with_source(opencl_device *o, const run_code *code)
{
    cl_int error = CL_SUCCESS;
    cl_program made = o->api.clCreateProgramWithSource(o->context, 1, (const char **)&code->at,
                                                       &code->size, &error);
    if (made && error == CL_SUCCESS)
        return made;
    opencl_failed(&o->base, "clCreateProgramWithSource", error);
    return NULL;
}

static bool is_source(const run_code *code)
{
    return strcmp(code->target, backend_opencl.name) == 0;
}

static cl_program compile(opencl_device *o, const run_code *code)
{
    const char *options = code->options;
    cl_program made = is_source(code) ? create_with_source(o, code)
                                      : opencl_create_with_il(o, code, &options);
    if (!made)
        return NULL;
    cl_int error = o->api.clBuildProgram(made, 1, &o->id, options, NULL, NULL);
    if (error == CL_SUCCESS)
        return made;
    diag_error(o->base.cx, DIAG_OPENCL_BUILD, (location){0},
               "the OpenCL driver refused the emitted kernels: %s (%d)", opencl_error_name(error),
               (int)error);
    note_build_log(o, made);
    o->api.clReleaseProgram(made);
    return NULL;
}

/* Compiled, and kept for the next process. */
static cl_program compile_anew(opencl_device *o, const run_code *code, const cache_key *key)
{
    o->base.cx->cache.compiled++;
    cl_program made = compile(o, code);
    if (made)
        opencl_keep_program(o, key, made);
    return made;
}

/* As it was kept, or else, unless only that is wanted, compiled. */
static cl_program take_or_compile(opencl_device *o, const run_code *code, bool only_kept)
{
    uint64_t start = run_clock();
    cache_key key;
    opencl_name_program(o, code, &key);
    cl_program made = opencl_take_program(o, &key, code->options);
    o->base.cx->cache.found += made != NULL;
    if (!made && !only_kept)
        made = compile_anew(o, code, &key);
    o->base.cx->cache.nanoseconds += run_clock() - start;
    return made;
}

cl_program opencl_build(opencl_device *o, const run_code *code)
{
    return take_or_compile(o, code, false);
}

/* ---- kernel by kernel ---- */

static bool has(const run_code *code, const char *mark)
{
    return is_source(code) && memmem(code->at, code->size, mark, strlen(mark)) != NULL;
}

bool opencl_is_by_kernels(const run_code *code)
{
    return has(code, "defined(FCL_ONLY_") || has(code, "#ifndef FCL_QUICK_");
}

/* Whether the kernel has a quick form. */
static bool may_be_quick(mem *m, const run_code *code, const char *name)
{
    vec_char mark = {0};
    bool may = text_addf(m, &mark, "#ifndef FCL_QUICK_%s\n", name) && has(code, text_cstr(m, &mark));
    vec_free(m, &mark);
    return may;
}

/* The form that is not quick, where it is kept, is as soon there. */
cl_program opencl_build_kernel(opencl_device *o, const run_code *code, const char *name, bool *quick)
{
    mem *m = &o->base.cx->mem;
    vec_char options = {0};
    run_code only = *code;
    cl_program made = NULL;
    *quick = *quick && may_be_quick(m, code, name);
    bool ok = text_addf(m, &options, "%s -DFCL_ONLY -DFCL_ONLY_%s", code->options, name) &&
              *(only.options = text_cstr(m, &options)) != 0;
    if (ok && *quick) {
        made = take_or_compile(o, &only, true);
        *quick = !made;
        ok = text_addf(m, &options, " -DFCL_QUICK_%s", name) && *(only.options = text_cstr(m, &options)) != 0;
    }
    if (ok && !made)
        made = opencl_build(o, &only);
    vec_free(m, &options);
    return made;
}
