/* What is made of what Vulkan says of a device: which subgroups its kernels may ask for.  Devices
 * are pretended here. */
#include "backends/run/vulkan/device.h"
#include "backends/spirv/spirv.h"

#include <check.h>

#define SHUFFLES (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT)
#define COMPUTE  VK_SHADER_STAGE_COMPUTE_BIT
#define GPU      VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
#define CPU      VK_PHYSICAL_DEVICE_TYPE_CPU

typedef struct pretended {
    VkPhysicalDeviceType type;
    uint32_t version, least, most, warps;
    VkSubgroupFeatureFlags operations;
    VkShaderStageFlags stages, required;
    VkBool32 control, full;
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
    for (VkBaseOutStructure *at = f->pNext; at; at = at->pNext) {
        VkPhysicalDeviceSubgroupSizeControlFeatures *sizes = (void *)at;
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

static const pretended whole = {GPU, VK_API_VERSION_1_3, 32, 32, 32, SHUFFLES, COMPUTE, COMPUTE, 1,
                                1};

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

Suite *vulkan_suite(void);

Suite *vulkan_suite(void)
{
    Suite *s = suite_create("vulkan");
    TCase *t = tcase_create("vulkan");
    tcase_add_test(t, subgroups_of_gpus);
    tcase_add_test(t, subgroups_of_cpus);
    tcase_add_test(t, no_subgroups);
    suite_add_tcase(s, t);
    return s;
}
