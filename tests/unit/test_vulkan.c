/* What is made of what Vulkan says of a device: which subgroups its kernels may ask for.  Devices
 * are pretended here. */
#include "backends/run/vulkan/device.h"
#include "backends/spirv/spirv.h"

#include <check.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

#define SHUFFLES (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT)
#define COMPUTE  VK_SHADER_STAGE_COMPUTE_BIT
#define GPU      VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
#define CPU      VK_PHYSICAL_DEVICE_TYPE_CPU

typedef struct pretended {
    VkPhysicalDeviceType type;
    uint32_t version, least, most, warps;
    VkSubgroupFeatureFlags operations;
    VkShaderStageFlags stages, required;
    VkBool32 control, full, addresses, longs;
} pretended;

static const pretended *device;

static void fill_properties(VkBaseOutStructure *at)
{
    VkPhysicalDeviceSubgroupProperties *g = (void *)at;
    VkPhysicalDeviceSubgroupSizeControlProperties *s = (void *)at;
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
        g->supportedStages = device->stages;
        g->supportedOperations = device->operations;
    } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
        s->minSubgroupSize = device->least;
        s->maxSubgroupSize = device->most;
        s->maxComputeWorkgroupSubgroups = device->warps;
        s->requiredSubgroupSizeStages = device->required;
    }
}

static void VKAPI_CALL pretended_properties(VkPhysicalDevice of, VkPhysicalDeviceProperties2 *p)
{
    (void)of;
    p->properties =
        (VkPhysicalDeviceProperties){.apiVersion = device->version, .deviceType = device->type};
    p->properties.limits.maxComputeWorkGroupInvocations = 1024;
    p->properties.limits.maxComputeWorkGroupSize[0] = 1536;
    p->properties.limits.maxComputeSharedMemorySize = 49152;
    for (VkBaseOutStructure *at = p->pNext; at; at = at->pNext)
        fill_properties(at);
}

static void VKAPI_CALL pretended_features(VkPhysicalDevice of, VkPhysicalDeviceFeatures2 *f)
{
    (void)of;
    f->features.shaderInt64 = device->longs;
    for (VkBaseOutStructure *at = f->pNext; at; at = at->pNext) {
        VkPhysicalDeviceSubgroupSizeControlFeatures *sizes = (void *)at;
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            ((VkPhysicalDeviceVulkan12Features *)(void *)at)->bufferDeviceAddress =
                device->addresses;
        if (at->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES)
            continue;
        ck_assert_uint_ge(device->version, VK_API_VERSION_1_3); /* else it is not to be asked */
        sizes->subgroupSizeControl = device->control;
        sizes->computeFullSubgroups = device->full;
    }
}

static run_caps caps_of(pretended d)
{
    device = &d;
    vulkan_api api = {.vkGetPhysicalDeviceProperties2 = pretended_properties,
                      .vkGetPhysicalDeviceFeatures2 = pretended_features};
    run_caps caps = vulkan_caps(&api, NULL);
    ck_assert_uint_eq(caps.facts.max_block, 1024);
    ck_assert_uint_eq(caps.facts.local_bytes, 49152);
    ck_assert(caps.facts.local_by_width && !caps.facts.lanes && !caps.facts.warps_wait);
    ck_assert(caps.ways.can & 1u << SPIRV_PLAIN && caps.ways.can & 1u << caps.ways.best);
    return caps;
}

static const pretended whole = {
    GPU, VK_API_VERSION_1_3, 32, 32, 32, SHUFFLES, COMPUTE, COMPUTE, 1, 1, 0, 0};

START_TEST(subgroups_of_gpus)
{
    pretended d = whole;
    run_caps caps = caps_of(d);
    ck_assert_uint_eq(caps.lane_sizes, 32);
    ck_assert_uint_eq(caps.most_warps, 32);
    ck_assert_uint_eq(caps.ways.best, SPIRV_SUBGROUPS);
    ck_assert(caps.facts.groups_wait);
    d.least = 8;
    d.most = 64;
    caps = caps_of(d);
    ck_assert_uint_eq(caps.lane_sizes, 8 | 16 | 32 | 64);
    ck_assert_uint_eq(caps.ways.best, SPIRV_SUBGROUPS);
    d.least = 64;
    caps = caps_of(d);
    ck_assert_uint_eq(caps.lane_sizes, 64);
    ck_assert_uint_eq(caps.ways.best, SPIRV_PLAIN);
    ck_assert(caps.ways.can & 1u << SPIRV_SUBGROUPS);
}
END_TEST

/* Addresses are numbers of 64 bits. */
START_TEST(addresses_of_devices)
{
    static const struct {
        VkBool32 addresses, longs;
    } has[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    for (int i = 0; i < 4; i++) {
        pretended d = whole;
        d.addresses = has[i].addresses;
        d.longs = has[i].longs;
        run_caps caps = caps_of(d);
        ck_assert(run_ways_of(&caps, "spirv-vulkan") == &caps.ways);
        ck_assert((run_ways_of(&caps, "spirv-vulkan-addresses") != NULL) == (i == 3));
        ck_assert(!run_ways_of(&caps, "spirv-opencl"));
    }
}
END_TEST

/* CPUs have them for who asks. */
START_TEST(subgroups_of_cpus)
{
    pretended d = whole;
    d.type = CPU;
    run_caps caps = caps_of(d);
    ck_assert_uint_eq(caps.lane_sizes, 32);
    ck_assert_uint_eq(caps.ways.best, SPIRV_PLAIN);
    ck_assert(caps.ways.can & 1u << SPIRV_SUBGROUPS);
    ck_assert(!caps.facts.groups_wait);
}
END_TEST

/* Any one of the things that lanes need is missing. */
START_TEST(no_subgroups)
{
    pretended lacking[8];
    for (int i = 0; i < 8; i++)
        lacking[i] = whole;
    lacking[0].version = VK_API_VERSION_1_2;
    lacking[1].operations = VK_SUBGROUP_FEATURE_BASIC_BIT;
    lacking[2].operations = VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    lacking[3].stages = VK_SHADER_STAGE_FRAGMENT_BIT;
    lacking[4].required = VK_SHADER_STAGE_FRAGMENT_BIT;
    lacking[5].control = VK_FALSE;
    lacking[6].full = VK_FALSE;
    lacking[7].required = 0;
    for (int i = 0; i < 8; i++) {
        run_caps caps = caps_of(lacking[i]);
        ck_assert_uint_eq(caps.lane_sizes, 0);
        ck_assert_uint_eq(caps.most_warps, 0);
        ck_assert_uint_eq(caps.ways.can, 1u << SPIRV_PLAIN);
    }
}
END_TEST

/* ---- the module of one kernel ---- */

#define OP(op, len) ((uint32_t)(len) << SpvWordCountShift | (op))

/* Kernels a (%1) and b (%2), which store into the local variables %3 and %4; %9 and %10 are sums of
 * theirs, which are exact. */
/* clang-format off */
static const uint32_t two_kernels[] = {
    SpvMagicNumber, 0x10300, 0, 11, 0,
    OP(SpvOpEntryPoint, 4), SpvExecutionModelGLCompute, 1, 'a',
    OP(SpvOpEntryPoint, 4), SpvExecutionModelGLCompute, 2, 'b',
    OP(SpvOpName, 3), 1, 'a',
    OP(SpvOpName, 3), 2, 'b',
    OP(SpvOpDecorate, 3), 9, SpvDecorationNoContraction,
    OP(SpvOpDecorate, 3), 10, SpvDecorationNoContraction,
    OP(SpvOpVariable, 4), 5, 3, SpvStorageClassWorkgroup,
    OP(SpvOpVariable, 4), 5, 4, SpvStorageClassWorkgroup,
    OP(SpvOpFunction, 5), 6, 1, 0, 7,
    OP(SpvOpFAdd, 5), 8, 9, 8, 8,
    OP(SpvOpStore, 3), 3, 9,
    OP(SpvOpFunctionEnd, 1),
    OP(SpvOpFunction, 5), 6, 2, 0, 7,
    OP(SpvOpFAdd, 5), 8, 10, 8, 8,
    OP(SpvOpStore, 3), 4, 10,
    OP(SpvOpFunctionEnd, 1)};

static const uint32_t kernel_b[] = {
    SpvMagicNumber, 0x10300, 0, 11, 0,
    OP(SpvOpEntryPoint, 4), SpvExecutionModelGLCompute, 2, 'b',
    OP(SpvOpName, 3), 2, 'b',
    OP(SpvOpDecorate, 3), 10, SpvDecorationNoContraction,
    OP(SpvOpVariable, 4), 5, 4, SpvStorageClassWorkgroup,
    OP(SpvOpFunction, 5), 6, 2, 0, 7,
    OP(SpvOpFAdd, 5), 8, 10, 8, 8,
    OP(SpvOpStore, 3), 4, 10,
    OP(SpvOpFunctionEnd, 1)};

/* clang-format on */

enum { WORDS = sizeof two_kernels / sizeof *two_kernels };

static vec_u32 strip_to(mem *m, const uint32_t *code, uint32_t words, const char *kernel)
{
    vec_u32 all = {0}, own = {0};
    ck_assert(vec_reserve(m, &all, words + 1));
    memcpy(all.at, code, words * sizeof *code);
    all.len = words;
    ck_assert(vulkan_strip(m, &all, kernel, &own));
    vec_free(m, &all);
    return own;
}

START_TEST(one_kernel_of_two)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    vec_u32 own = strip_to(&cx.mem, two_kernels, WORDS, "b");
    ck_assert_uint_eq(own.len, sizeof kernel_b / sizeof *kernel_b);
    ck_assert_mem_eq(own.at, kernel_b, sizeof kernel_b);
    vec_free(&cx.mem, &own);
    own = strip_to(&cx.mem, two_kernels, WORDS, "c"); /* the driver is to refuse it */
    ck_assert_uint_eq(own.len, WORDS);
    vec_free(&cx.mem, &own);
    context_release(&cx);
}
END_TEST

/* Cut anywhere, or with any word being large, it is a module of no more words. */
START_TEST(damaged_modules)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t code[WORDS];
        vec_u32 own = strip_to(&cx.mem, two_kernels, i, "b");
        ck_assert_uint_le(own.len, i);
        vec_free(&cx.mem, &own);
        memcpy(code, two_kernels, sizeof code);
        code[i] = UINT32_MAX;
        own = strip_to(&cx.mem, code, WORDS, "b");
        ck_assert_uint_le(own.len, WORDS);
        vec_free(&cx.mem, &own);
    }
    context_release(&cx);
}
END_TEST

Suite *vulkan_suite(void);

Suite *vulkan_suite(void)
{
    Suite *s = suite_create("vulkan");
    TCase *t = tcase_create("vulkan");
    tcase_add_test(t, subgroups_of_gpus);
    tcase_add_test(t, addresses_of_devices);
    tcase_add_test(t, subgroups_of_cpus);
    tcase_add_test(t, no_subgroups);
    tcase_add_test(t, one_kernel_of_two);
    tcase_add_test(t, damaged_modules);
    suite_add_tcase(s, t);
    return s;
}
