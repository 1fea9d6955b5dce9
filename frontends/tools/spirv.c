/* Disassembling modules: see spirv.h. */
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
    char *text = disassemble(words, n, length);
    free(words);
    return text;
}
