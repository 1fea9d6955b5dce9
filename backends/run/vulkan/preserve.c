/* What a module asks of the device's floats: that zeros keep their signs, and NaNs and infinities
 * what they are.  A module says nothing of it, since it is for every Vulkan device and not each
 * can: a pipeline's is told when the device is known.  Fast mathematics leaves operations unmarked
 * (NoContraction), and then nothing is asked. */
#include "backends/run/vulkan/device.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

enum { HEADER = 5, EXTENSION_WORDS = 7 };

/* SPV_KHR_float_controls: for modules before SPIR-V 1.4. */
static const char extension[(EXTENSION_WORDS - 1) * 4] = "SPV_KHR_float_controls";

typedef struct sight {
    uint32_t kernel;                /* the id of the entry point */
    uint32_t widths;                /* of floats that the module may have */
    uint32_t extension_at, mode_at; /* words in front of which these belong */
    bool is_exact;
} sight;

static uint32_t length_at(const vec_u32 *code, uint32_t at)
{
    uint32_t n = code->at[at] >> SpvWordCountShift;
    return n <= code->len - at ? n : 0;
}

static void see_capability(sight *s, uint32_t what)
{
    s->widths |= what == SpvCapabilityFloat16 ? 16 : what == SpvCapabilityFloat64 ? 64 : 0;
}

/* Instructions have their order: capabilities, extensions, entry points, modes, and the others. */
static void see(sight *s, const vec_u32 *code, uint32_t at, uint32_t n)
{
    const uint32_t *words = &code->at[at];
    SpvOp op = (SpvOp)(words[0] & SpvOpCodeMask);
    if (op == SpvOpCapability && n == 2)
        see_capability(s, words[1]);
    else if (!s->extension_at)
        s->extension_at = at;
    if (op == SpvOpEntryPoint && n > 2) {
        s->kernel = words[2];
        s->mode_at = at + n;
    }
    if (op == SpvOpDecorate && n == 3 && words[2] == SpvDecorationNoContraction)
        s->is_exact = true;
}

static uint32_t *put_modes(const sight *s, uint32_t widths, uint32_t *to)
{
    for (uint32_t width = 16; width <= 64; width *= 2)
        if (widths & width) {
            *to++ = 4u << SpvWordCountShift | SpvOpExecutionMode;
            *to++ = s->kernel;
            *to++ = SpvExecutionModeSignedZeroInfNanPreserve;
            *to++ = width;
        }
    return to;
}

static uint32_t *put_capability(uint32_t *to)
{
    *to++ = 2u << SpvWordCountShift | SpvOpCapability;
    *to++ = SpvCapabilitySignedZeroInfNanPreserve;
    *to++ = (uint32_t)EXTENSION_WORDS << SpvWordCountShift | SpvOpExtension;
    memcpy(to, extension, sizeof extension);
    return to + EXTENSION_WORDS - 1;
}

static uint32_t *copy(const vec_u32 *code, uint32_t from, uint32_t to, uint32_t *out)
{
    memcpy(out, code->at + from, (to - from) * sizeof *out);
    return out + (to - from);
}

static bool ask(mem *m, vec_u32 *code, const sight *s, uint32_t widths)
{
    enum { MOST = 2 + EXTENSION_WORDS + 3 * 4 };
    vec_u32 made = {0};
    if (!vec_reserve(m, &made, code->len + MOST))
        return false;
    uint32_t *to = copy(code, 0, s->extension_at, made.at);
    to = put_capability(to);
    to = copy(code, s->extension_at, s->mode_at, to);
    to = put_modes(s, widths, to);
    to = copy(code, s->mode_at, code->len, to);
    made.len = (uint32_t)(to - made.at);
    vec_free(m, code);
    *code = made;
    return true;
}

bool vulkan_preserve(mem *m, vec_u32 *code, uint32_t widths)
{
    sight s = {.widths = 32};
    uint32_t n = 0;
    for (uint32_t at = HEADER; at < code->len; at += n) {
        n = length_at(code, at);
        if (n == 0)
            return true; /* no module: the driver is to refuse it */
        see(&s, code, at, n);
    }
    widths &= s.widths;
    return !s.is_exact || !s.kernel || !widths || ask(m, code, &s, widths);
}
