/* What a module asks of the device's floats: that zeros keep their signs, and NaNs and infinities
 * what they are, that denormal numbers are kept, and that results are rounded to the nearest.  A
 * module says nothing of it, since it is for every Vulkan device and not each can: a pipeline's is
 * told when the device is known.  Fast mathematics leaves operations unmarked (NoContraction), and
 * then nothing is asked. */
#include "backends/run/vulkan/device.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

enum { HEADER = 5, EXTENSION_WORDS = 7, MODE_WORDS = 4, EVERY_WIDTH = 16 + 32 + 64 };

/* SPV_KHR_float_controls: for modules before SPIR-V 1.4. */
static const char extension[(EXTENSION_WORDS - 1) * 4] = "SPV_KHR_float_controls";

static const struct {
    SpvCapability capability;
    SpvExecutionMode mode;
} controls[VULKAN_CONTROLS] = {
    [VULKAN_SPECIALS] = {SpvCapabilitySignedZeroInfNanPreserve,
                         SpvExecutionModeSignedZeroInfNanPreserve},
    [VULKAN_DENORMALS] = {SpvCapabilityDenormPreserve, SpvExecutionModeDenormPreserve},
    [VULKAN_NEAREST] = {SpvCapabilityRoundingModeRTE, SpvExecutionModeRoundingModeRTE}};

/* ---- what a device can ---- */

static uint32_t added(VkBool32 of16, VkBool32 of32, VkBool32 of64)
{
    return (of16 ? 16u : 0) + (of32 ? 32u : 0) + (of64 ? 64u : 0);
}

/* Widths that are asked for together, or not at all. */
static uint32_t bound_together(VkShaderFloatControlsIndependence independence)
{
    switch (independence) {
    case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL: return 0;
    case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY: return 16 + 64;
    default: return EVERY_WIDTH;
    }
}

void vulkan_ask_floats(const vulkan_api *api, VkPhysicalDevice of, vulkan_floats *out)
{
    VkPhysicalDeviceFloatControlsProperties p = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &p};
    api->vkGetPhysicalDeviceProperties2(of, &all);
    out->widths[VULKAN_SPECIALS] =
        added(p.shaderSignedZeroInfNanPreserveFloat16, p.shaderSignedZeroInfNanPreserveFloat32,
              p.shaderSignedZeroInfNanPreserveFloat64);
    out->widths[VULKAN_DENORMALS] =
        added(p.shaderDenormPreserveFloat16, p.shaderDenormPreserveFloat32,
              p.shaderDenormPreserveFloat64);
    out->widths[VULKAN_NEAREST] =
        added(p.shaderRoundingModeRTEFloat16, p.shaderRoundingModeRTEFloat32,
              p.shaderRoundingModeRTEFloat64);
    out->together[VULKAN_DENORMALS] = bound_together(p.denormBehaviorIndependence);
    out->together[VULKAN_NEAREST] = bound_together(p.roundingModeIndependence);
}

/* Of the widths that a module has, those where the device can do it as well. */
static uint32_t widths_of(const vulkan_floats *f, uint32_t control, uint32_t has)
{
    uint32_t together = f->together[control] & has, can = f->widths[control] & has;
    return (can & together) == together ? can : can & ~together;
}

/* ---- what a module has ---- */

typedef struct sight {
    uint32_t kernel;                /* the id of the entry point */
    uint32_t has;                   /* widths of floats that the module may have */
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
    s->has |= what == SpvCapabilityFloat16 ? 16 : what == SpvCapabilityFloat64 ? 64 : 0;
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

/* ---- asking ---- */

static uint32_t *put_modes(const sight *s, const uint32_t *widths, uint32_t *to)
{
    for (uint32_t i = 0; i < VULKAN_CONTROLS; i++)
        for (uint32_t width = 16; width <= 64; width *= 2)
            if (widths[i] & width) {
                *to++ = (uint32_t)MODE_WORDS << SpvWordCountShift | SpvOpExecutionMode;
                *to++ = s->kernel;
                *to++ = controls[i].mode;
                *to++ = width;
            }
    return to;
}

static uint32_t *put_capabilities(const uint32_t *widths, uint32_t *to)
{
    for (uint32_t i = 0; i < VULKAN_CONTROLS; i++)
        if (widths[i]) {
            *to++ = 2u << SpvWordCountShift | SpvOpCapability;
            *to++ = controls[i].capability;
        }
    *to++ = (uint32_t)EXTENSION_WORDS << SpvWordCountShift | SpvOpExtension;
    memcpy(to, extension, sizeof extension);
    return to + EXTENSION_WORDS - 1;
}

static uint32_t *copy(const vec_u32 *code, uint32_t from, uint32_t to, uint32_t *out)
{
    memcpy(out, code->at + from, (to - from) * sizeof *out);
    return out + (to - from);
}

static bool ask(mem *m, vec_u32 *code, const sight *s, const uint32_t *widths)
{
    enum { MOST = EXTENSION_WORDS + VULKAN_CONTROLS * (2 + 3 * MODE_WORDS) };
    vec_u32 made = {0};
    if (!vec_reserve(m, &made, code->len + MOST))
        return false;
    uint32_t *to = copy(code, 0, s->extension_at, made.at);
    to = put_capabilities(widths, to);
    to = copy(code, s->extension_at, s->mode_at, to);
    to = put_modes(s, widths, to);
    to = copy(code, s->mode_at, code->len, to);
    made.len = (uint32_t)(to - made.at);
    vec_free(m, code);
    *code = made;
    return true;
}

bool vulkan_control_floats(mem *m, vec_u32 *code, const vulkan_floats *device)
{
    sight s = {.has = 32};
    uint32_t n = 0, widths[VULKAN_CONTROLS], any = 0;
    for (uint32_t at = HEADER; at < code->len; at += n) {
        n = length_at(code, at);
        if (n == 0)
            return true; /* no module: the driver is to refuse it */
        see(&s, code, at, n);
    }
    for (uint32_t i = 0; i < VULKAN_CONTROLS; i++)
        any |= widths[i] = widths_of(device, i, s.has);
    return !s.is_exact || !s.kernel || !any || ask(m, code, &s, widths);
}
