/* Asks SPIRV-Tools whether a module is valid before it leaves the library: in debug builds, and in
 * what the tests are made of.  Elsewhere nobody asks, and nothing is linked. */
#include "backends/spirv/emit.h"

#ifdef FCL_VALIDATE

/* A variable that the header defines in every file of C that includes it. */
#define kDefaultMaxIdBound sp_valid_ids
#include <spirv-tools/libspirv.h>

#include <string.h>

/* The validator's OpenCL 1.2 lacks the extensions for f16, for atomic steps on 64 bits and for
 * subgroups. */
static spv_target_env environment_of(const sp_environment *of, const sp_module *s)
{
    if (of->model == SpvExecutionModelGLCompute)
        return SPV_ENV_VULKAN_1_1;
    if (s->version > of->version)
        return SPV_ENV_UNIVERSAL_1_3;
    return sp_requires(s, SpvCapabilityFloat16) || sp_requires(s, SpvCapabilityInt64Atomics)
               ? SPV_ENV_UNIVERSAL_1_0
               : SPV_ENV_OPENCL_1_2;
}

static bool refuse(fcl_context *cx, const char *why)
{
    diag_error(cx, DIAG_EMIT_INVALID, (location){0}, "the emitted SPIR-V is not valid: %s", why);
    diag_hint(cx, "this is a defect of libfcl: please report it with the program");
    return false;
}

static bool ask(fcl_context *cx, spv_target_env env, const uint32_t *words, size_t n)
{
    spv_const_binary_t module = {.code = words, .wordCount = n};
    spv_context asked = spvContextCreate(env);
    spv_diagnostic wrong = NULL;
    bool ok = spvValidate(asked, &module, &wrong) == SPV_SUCCESS ||
              refuse(cx, wrong && wrong->error ? wrong->error : "nobody says why");
    spvDiagnosticDestroy(wrong);
    spvContextDestroy(asked);
    return ok;
}

/* The validator wants whole words at their alignment. */
bool sp_valid(fcl_context *cx, const sp_environment *of, const sp_module *s, const char *code,
              size_t size)
{
    uint32_t *words = mem_resize(&cx->mem, NULL, 0, size);
    if (!words)
        return false;
    memcpy(words, code, size);
    bool ok = ask(cx, environment_of(of, s), words, size / sizeof *words);
    mem_free(&cx->mem, words, size);
    return ok;
}

#else

bool sp_valid(fcl_context *cx, const sp_environment *of, const sp_module *s, const char *code,
              size_t size)
{
    (void)cx, (void)of, (void)s, (void)code, (void)size;
    return true;
}

#endif
