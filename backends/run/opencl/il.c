/* SPIR-V on an OpenCL device.
 *
 * A driver that takes it is given it as it is.  For one that takes LLVM's bitcode (SPIR), as PoCL
 * does, the environment's FCL_SPIRV_TRANSLATOR may name a program that makes the one of the other
 * when it is called as `llvm-spirv -r IN -o OUT`; where it names none, no program is started. */
#include "backends/run/opencl/device.h"
#include "backends/run/workshop.h"

#include <stdio.h>
#include <string.h>

enum { IL_VERSION = 0x105B, /* of OpenCL 2.1 */ NAMES_MOST = 256 };

static const char *translator(void)
{
    return workshop_environment("FCL_SPIRV_TRANSLATOR", NULL);
}

/* Whether the driver lists a version of SPIR-V: the one that is named, or NULL: any. */
static bool is_native(const opencl_api *api, cl_device_id id, const char *version)
{
    char names[NAMES_MOST] = "";
    return api->clCreateProgramWithIL &&
           api->clGetDeviceInfo(id, IL_VERSION, sizeof names - 1, names, NULL) == CL_SUCCESS &&
           strstr(names, version ? version : "SPIR-V_1.") != NULL;
}

bool opencl_takes_il(const opencl_api *api, cl_device_id id, const char *version)
{
    return is_native(api, id, version) || (!version && translator() != NULL);
}

static cl_program create_native(opencl_device *o, const run_code *code)
{
    cl_int error = CL_SUCCESS;
    cl_program made = o->api.clCreateProgramWithIL(o->context, code->at, code->size, &error);
    if (made && error == CL_SUCCESS)
        return made;
    opencl_failed(&o->base, "clCreateProgramWithIL", error);
    return NULL;
}

/* ---- through a translator ---- */

static bool translate(workshop *w, const char *program)
{
    mem *m = &w->cx->mem;
    command c = {0};
    bool made = command_add_words(m, &c, program) && command_add_words(m, &c, "-r") &&
                command_add(m, &c, w->input.at) && command_add_words(m, &c, "-o") &&
                command_add(m, &c, w->output.at);
    int ended = made ? workshop_run(w, &c) : WORKSHOP_NO_MEMORY;
    command_free(m, &c);
    if (ended > 0)
        diag_error(w->cx, DIAG_OPENCL_BUILD, (location){0},
                   "the translator of SPIR-V %s cannot be started: %s", program, strerror(ended));
    if (ended == WORKSHOP_ENDED_BADLY) {
        diag_error(w->cx, DIAG_OPENCL_BUILD, (location){0},
                   "the translator of SPIR-V %s refused the emitted kernels", program);
        workshop_note_log(w);
    }
    return ended == WORKSHOP_DONE;
}

static bool read_output(workshop *w, vec_char *out)
{
    mem *m = &w->cx->mem;
    FILE *f = fopen(w->output.at, "rb");
    size_t got = 1;
    bool ok = f != NULL;
    while (ok && got) {
        enum { PART = 65536 };
        ok = vec_reserve(m, out, PART);
        got = ok ? fread(out->at + out->len, 1, PART, f) : 0;
        out->len += (uint32_t)got;
    }
    ok = ok && !ferror(f);
    if (f)
        fclose(f);
    return ok || workshop_failed(w, "cannot read", w->output.at);
}

static cl_program create_with_binary(opencl_device *o, const vec_char *bitcode)
{
    cl_int error = CL_SUCCESS;
    size_t size = bitcode->len;
    const unsigned char *at = (const unsigned char *)bitcode->at;
    cl_program made =
        o->api.clCreateProgramWithBinary(o->context, 1, &o->id, &size, &at, NULL, &error);
    if (made && error == CL_SUCCESS)
        return made;
    opencl_failed(&o->base, "clCreateProgramWithBinary", error);
    return NULL;
}

static cl_program create_translated(opencl_device *o, const run_code *code)
{
    workshop w = {.cx = o->base.cx};
    vec_char bitcode = {0};
    bool ok = workshop_open(&w, "kernels.spv", "kernels.bc") &&
              workshop_write(&w, code->at, code->size) && translate(&w, translator()) &&
              read_output(&w, &bitcode);
    cl_program made = ok ? create_with_binary(o, &bitcode) : NULL;
    workshop_close(&w);
    vec_free(&w.cx->mem, &bitcode);
    return made;
}

cl_program opencl_create_with_il(opencl_device *o, const run_code *code, const char **options)
{
    if (is_native(&o->api, o->id, NULL))
        return create_native(o, code);
    *options = "-x spir -spir-std=1.2";
    return create_translated(o, code);
}
