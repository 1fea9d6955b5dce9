/* Validating and disassembling modules: see spirv.h. */
#include "frontends/tools/spirv.h"

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>

#include <stdlib.h>
#include <string.h>

enum { HEADER_WORDS = 5 };

/* The words of a module in memory of their own; NULL when it is none, or there is no memory. */
static uint32_t *words_of(const char *code, size_t size)
{
    uint32_t magic = SpvMagicNumber;
    if (size < HEADER_WORDS * sizeof magic || size % sizeof magic ||
        memcmp(code, &magic, sizeof magic) != 0)
        return NULL;
    uint32_t *words = malloc(size);
    if (words)
        memcpy(words, code, size);
    return words;
}

/* What the module says that it needs stands at its beginning.  The validator's OpenCL 1.2 lacks the
 * extensions for f16 and atomic steps on 64 bits. */
static spv_target_env environment_of(const uint32_t *words, size_t n)
{
    spv_target_env env = SPV_ENV_OPENCL_1_2;
    for (size_t i = HEADER_WORDS; i + 1 < n; i += 2) {
        if (words[i] != (2u << SpvWordCountShift | SpvOpCapability))
            break;
        if (words[i + 1] == SpvCapabilityShader)
            return SPV_ENV_VULKAN_1_1;
        if (words[i + 1] == SpvCapabilityFloat16 || words[i + 1] == SpvCapabilityInt64Atomics)
            env = SPV_ENV_UNIVERSAL_1_0;
    }
    return env;
}

static bool is_valid(report *r, const uint32_t *words, size_t n)
{
    spv_context c = spvContextCreate(environment_of(words, n));
    spv_const_binary_t module = {.code = words, .wordCount = n};
    spv_diagnostic wrong = NULL;
    bool ok = spvValidate(c, &module, &wrong) == SPV_SUCCESS;
    if (!ok)
        report_error(r, TD_SPIRV_INVALID, (report_place){0},
                     "this is a defect of libfcl: please report it with the program",
                     "the emitted SPIR-V is not valid: %s",
                     wrong && wrong->error ? wrong->error : "nobody says why");
    spvDiagnosticDestroy(wrong);
    spvContextDestroy(c);
    return ok;
}

static char *disassemble(const uint32_t *words, size_t n, size_t *length)
{
    spv_context c = spvContextCreate(SPV_ENV_UNIVERSAL_1_3);
    spv_text text = NULL;
    uint32_t how = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
    char *copy = NULL;
    if (spvBinaryToText(c, words, n, how, &text, NULL) == SPV_SUCCESS &&
        (copy = malloc(text->length + 1)) != NULL) {
        memcpy(copy, text->str, text->length);
        copy[*length = text->length] = 0;
    }
    spvTextDestroy(text);
    spvContextDestroy(c);
    return copy;
}

char *spirv_text(report *r, const char *code, size_t size, size_t *length)
{
    uint32_t *words = words_of(code, size);
    if (!words) {
        report_error(r, TD_NO_SPIRV, (report_place){0}, "add --target=spirv-opencl",
                     "the code is no SPIR-V, which alone is disassembled");
        return NULL;
    }
    size_t n = size / sizeof *words;
    char *text = is_valid(r, words, n) ? disassemble(words, n, length) : NULL;
    free(words);
    return text;
}
