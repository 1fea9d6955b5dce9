/* The Vulkan devices of the machine, and what they can do: see device.h. */
#include "backends/run/vulkan/device.h"

#include "backends/quirks.h"
#include "backends/spirv/spirv.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- functions ---- */

/* ISO C has no conversion from object to function pointers; POSIX promises that the representation
 * is the same. */
static bool find_loader(vulkan_api *api)
{
    void *library = run_can_load() ? dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
    void *found = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    memcpy(&api->get, &found, sizeof found);
    return found != NULL;
}

static bool find_globals(vulkan_api *api)
{
    bool ok = find_loader(api);
#define FUNCTION(name) ok = ok && (api->name = (PFN_##name)api->get(NULL, #name)) != NULL;
    VULKAN_GLOBALS(FUNCTION)
#undef FUNCTION
    return ok;
}

static bool find_functions(vulkan_api *api, VkInstance instance)
{
    bool ok = true;
#define FUNCTION(name) ok = ok && (api->name = (PFN_##name)api->get(instance, #name)) != NULL;
    VULKAN_FUNCTIONS(FUNCTION)
#undef FUNCTION
    return ok;
}

static bool make_instance(vulkan_api *api, VkInstance *out)
{
    uint32_t version = 0;
    VkApplicationInfo us = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                            .pEngineName = "libfcl",
                            .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo how = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                .pApplicationInfo = &us};
    return find_globals(api) && api->vkEnumerateInstanceVersion(&version) == VK_SUCCESS &&
           version >= VK_API_VERSION_1_2 && api->vkCreateInstance(&how, NULL, out) == VK_SUCCESS &&
           find_functions(api, *out);
}

/* The process has one instance and keeps it, as it keeps the loader.  With the last instance a
 * loader drops its drivers, and not all of them can be loaded often (NVIDIA 580: thirty times, then
 * there is no room for its variables of threads). */
static struct {
    vulkan_api api;
    VkInstance instance; /* NULL: not made yet */
} vulkan_of_process;

bool vulkan_open_instance(vulkan_api *api, VkInstance *out)
{
    run_lock_drivers();
    bool ok = vulkan_of_process.instance ||
              make_instance(&vulkan_of_process.api, &vulkan_of_process.instance);
    vulkan_of_process.instance = ok ? vulkan_of_process.instance : NULL;
    *api = vulkan_of_process.api;
    *out = vulkan_of_process.instance;
    run_unlock_drivers();
    return ok;
}

/* ---- devices ---- */

bool vulkan_find_device(const vulkan_api *api, VkInstance instance, uint32_t index,
                        VkPhysicalDevice *out, uint32_t *count)
{
    enum { MOST = 64 };
    VkPhysicalDevice all[MOST];
    *count = MOST;
    run_lock_drivers();
    bool ok = api->vkEnumeratePhysicalDevices(instance, count, all) >= 0;
    run_unlock_drivers();
    *count = ok ? *count : 0;
    if (index >= *count)
        return false;
    *out = all[index];
    return true;
}

VkPhysicalDeviceProperties vulkan_about(const vulkan_api *api, VkPhysicalDevice of)
{
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    api->vkGetPhysicalDeviceProperties2(of, &p);
    return p.properties;
}

#define SIZE_CONTROL_FEATURES   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES
#define SIZE_CONTROL_PROPERTIES VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES

void vulkan_ask_features(const vulkan_api *api, VkPhysicalDevice of, vulkan_features *f)
{
    *f = (vulkan_features){.all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2},
                           .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES},
                           .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES},
                           .sizes = {.sType = SIZE_CONTROL_FEATURES}};
    f->all.pNext = &f->v11;
    f->v11.pNext = &f->v12;
    if (vulkan_about(api, of).apiVersion >= VK_API_VERSION_1_3)
        f->v12.pNext = &f->sizes;
    api->vkGetPhysicalDeviceFeatures2(of, &f->all);
}

/* By the name and version of its driver, as most drivers write their version. */
static uint32_t quirks_of(const vulkan_api *api, VkPhysicalDevice of)
{
    enum { MOST = 32 };
    char version[MOST];
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                     .pNext = &driver};
    api->vkGetPhysicalDeviceProperties2(of, &p);
    uint32_t v = p.properties.driverVersion;
    snprintf(version, sizeof version, "%u.%u", VK_API_VERSION_MAJOR(v), VK_API_VERSION_MINOR(v));
    return quirks_of_driver(driver.driverName, version);
}

/* ---- subgroups ---- */

enum { WARP_SIZE = 32, MOST_LANES = 1024 };

/* Of use are those that move values between any two lanes, and that a pipeline can ask for in full:
 * of a size, with a lane for each thread. */
static bool has_lanes(const VkPhysicalDeviceSubgroupProperties *g,
                      const VkPhysicalDeviceSubgroupSizeControlProperties *sizes,
                      const VkPhysicalDeviceSubgroupSizeControlFeatures *has)
{
    const VkSubgroupFeatureFlags wanted =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    return has->subgroupSizeControl && has->computeFullSubgroups &&
           (g->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (sizes->requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (g->supportedOperations & wanted) == wanted;
}

static void ask_lanes(const vulkan_api *api, VkPhysicalDevice of, const vulkan_features *has,
                      run_caps *caps)
{
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {.sType = SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties groups = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &sizes};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &groups};
    if (!has->sizes.subgroupSizeControl)
        return;
    api->vkGetPhysicalDeviceProperties2(of, &all);
    if (!has_lanes(&groups, &sizes, &has->sizes))
        return;
    for (uint32_t n = sizes.minSubgroupSize; n && n <= sizes.maxSubgroupSize && n <= MOST_LANES;
         n *= 2)
        caps->lane_sizes |= n;
    caps->most_warps = sizes.maxComputeWorkgroupSubgroups;
    caps->ways.can |= 1u << SPIRV_SUBGROUPS;
}

/* ---- what a device can do ---- */

bool vulkan_has_addresses(const vulkan_features *f)
{
    return f->v12.bufferDeviceAddress && f->all.features.shaderInt64;
}

/* Groups that have started go on in GPUs, as for OpenCL; drivers for cores end loops that wait long
 * (lavapipe 22.3 any after 65,535 turns). */
/* CPUs are given subgroups when asked, as for OpenCL. */
run_caps vulkan_caps(const vulkan_api *api, VkPhysicalDevice of)
{
    vulkan_features has;
    VkPhysicalDeviceProperties p = vulkan_about(api, of);
    k_device_facts facts = backend_facts(&backend_spirv_vulkan);
    vulkan_ask_features(api, of, &has);
    facts.max_block = p.limits.maxComputeWorkGroupInvocations < p.limits.maxComputeWorkGroupSize[0]
                          ? p.limits.maxComputeWorkGroupInvocations
                          : p.limits.maxComputeWorkGroupSize[0];
    facts.local_bytes = p.limits.maxComputeSharedMemorySize;
    bool is_gpu = p.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
    facts.groups_wait = facts.launches_cost = is_gpu;
    facts.f64 = has.all.features.shaderFloat64;
    facts.atomics64 = has.v12.shaderBufferInt64Atomics && has.v12.shaderSharedInt64Atomics;
    run_caps caps = {.target = backend_spirv_vulkan.name,
                     .spirv = backend_spirv_vulkan.name,
                     .addresses = vulkan_has_addresses(&has) ? backend_spirv_addresses.name : NULL,
                     .facts = facts,
                     .quirks = quirks_of(api, of),
                     .ways = {.can = 1u << SPIRV_PLAIN}};
    ask_lanes(api, of, &has, &caps);
    if (is_gpu && caps.lane_sizes & WARP_SIZE)
        caps.ways.best = SPIRV_SUBGROUPS;
    return caps;
}

/* ---- listing ---- */

typedef struct visit {
    vulkan_api api;
    VkInstance instance;
    VkPhysicalDevice device;
    uint32_t count;
} visit;

static bool enter(visit *x, uint32_t index)
{
    *x = (visit){.count = 0};
    return vulkan_open_instance(&x->api, &x->instance) &&
           vulkan_find_device(&x->api, x->instance, index, &x->device, &x->count);
}

uint32_t run_vulkan_count(fcl_context *cx)
{
    (void)cx;
    visit x;
    enter(&x, 0);
    return x.count;
}

bool run_vulkan_is_gpu(fcl_context *cx, uint32_t index)
{
    (void)cx;
    visit x;
    bool ok = enter(&x, index) &&
              vulkan_about(&x.api, x.device).deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
    return ok;
}

static const char *type_name(VkPhysicalDeviceType type)
{
    return type == VK_PHYSICAL_DEVICE_TYPE_CPU     ? "cpu"
           : type == VK_PHYSICAL_DEVICE_TYPE_OTHER ? "device"
                                                   : "gpu";
}

static uint64_t bytes_of(const visit *x)
{
    uint64_t bytes = 0;
    VkPhysicalDeviceMemoryProperties all;
    x->api.vkGetPhysicalDeviceMemoryProperties(x->device, &all);
    for (uint32_t i = 0; i < all.memoryHeapCount; i++)
        if (all.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            bytes += all.memoryHeaps[i].size;
    return bytes;
}

static bool describe(const visit *x, mem *m, vec_char *out)
{
    VkPhysicalDeviceSubgroupProperties lanes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &lanes};
    x->api.vkGetPhysicalDeviceProperties2(x->device, &all);
    const VkPhysicalDeviceProperties *p = &all.properties;
    run_caps caps = vulkan_caps(&x->api, x->device);
    return text_addf(m, out,
                     "%s: %s, %llu MiB, %u MiB for an array, %llu KiB local, subgroups of %u; "
                     "Vulkan %u.%u",
                     p->deviceName, type_name(p->deviceType), (unsigned long long)bytes_of(x) >> 20,
                     p->limits.maxStorageBufferRange >> 20,
                     (unsigned long long)p->limits.maxComputeSharedMemorySize >> 10,
                     lanes.subgroupSize, VK_API_VERSION_MAJOR(p->apiVersion),
                     VK_API_VERSION_MINOR(p->apiVersion)) &&
           run_describe_caps(m, out, &caps);
}

bool run_vulkan_describe(fcl_context *cx, uint32_t index, vec_char *out)
{
    visit x;
    bool ok = enter(&x, index) && describe(&x, &cx->mem, out);
    return ok;
}
