/* Loading Vulkan, and opening a device of the machine: see vulkan_device.h. */
#include "backends/run/vulkan_device.h"

#include "backends/spirv/spirv.h"

#include <dlfcn.h>
#include <string.h>

bool vulkan_failed(vulkan_device *v, const char *call, VkResult error)
{
    return diag_error(v->base.cx, DIAG_VULKAN_CALL, (location){0}, "%s failed with error %d", call,
                      (int)error);
}

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

static bool open_instance(vulkan_api *api, VkInstance *out)
{
    uint32_t version = 0;
    VkApplicationInfo us = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                            .pEngineName = "libfcl",
                            .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo how = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                .pApplicationInfo = &us};
    if (!find_globals(api) || api->vkEnumerateInstanceVersion(&version) != VK_SUCCESS ||
        version < VK_API_VERSION_1_2)
        return false;
    return api->vkCreateInstance(&how, NULL, out) == VK_SUCCESS && find_functions(api, *out);
}

/* ---- devices ---- */

/* Device number `index`; false: there are not so many.  *count: how many there are. */
static bool find_device(const vulkan_api *api, VkInstance instance, uint32_t index,
                        VkPhysicalDevice *out, uint32_t *count)
{
    enum { MOST = 64 };
    VkPhysicalDevice all[MOST];
    *count = MOST;
    if (api->vkEnumeratePhysicalDevices(instance, count, all) < 0 || index >= *count)
        return false;
    *out = all[index];
    return true;
}

static bool find_family(vulkan_device *v)
{
    enum { MOST = 32 };
    VkQueueFamilyProperties all[MOST];
    uint32_t n = MOST;
    v->api.vkGetPhysicalDeviceQueueFamilyProperties(v->physical, &n, all);
    for (v->family = 0; v->family < n; v->family++)
        if (all[v->family].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return true;
    return diag_error(v->base.cx, DIAG_NO_VULKAN_DEVICE, (location){0},
                      "this Vulkan device computes nothing");
}

/* Memory that the host sees as well; Vulkan promises that there is some. */
static void find_memory_type(vulkan_device *v)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties all;
    v->api.vkGetPhysicalDeviceMemoryProperties(v->physical, &all);
    while (v->memory_type + 1 < all.memoryTypeCount &&
           (all.memoryTypes[v->memory_type].propertyFlags & wanted) != wanted)
        v->memory_type++;
}

/* What kernels may need and the device has. */
static bool open_device(vulkan_device *v)
{
    const float priority = 1;
    VkPhysicalDeviceVulkan12Features all2 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features all1 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &all2};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = &all1};
    v->api.vkGetPhysicalDeviceFeatures2(v->physical, &all);
    const VkPhysicalDeviceFeatures *has = &all.features;
    v->f64 = has->shaderFloat64;
    v->atomics64 = all2.shaderBufferInt64Atomics;
    VkPhysicalDeviceVulkan12Features want2 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .storageBuffer8BitAccess = all2.storageBuffer8BitAccess,
        .shaderBufferInt64Atomics = all2.shaderBufferInt64Atomics,
        .shaderInt8 = all2.shaderInt8};
    VkPhysicalDeviceVulkan11Features want1 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
        .pNext = &want2,
        .storageBuffer16BitAccess = all1.storageBuffer16BitAccess};
    VkPhysicalDeviceFeatures2 want = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                      .pNext = &want1,
                                      .features = {.shaderInt64 = has->shaderInt64,
                                                   .shaderInt16 = has->shaderInt16,
                                                   .shaderFloat64 = has->shaderFloat64}};
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = v->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo how = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                              .pNext = &want,
                              .queueCreateInfoCount = 1,
                              .pQueueCreateInfos = &queue};
    VkResult error = v->api.vkCreateDevice(v->physical, &how, NULL, &v->device);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkCreateDevice", error);
    v->api.vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
    return true;
}

static bool open_commands(vulkan_device *v)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = v->family};
    VkResult error = v->api.vkCreateCommandPool(v->device, &pool, NULL, &v->commands);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkCreateCommandPool", error);
    VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                       .commandPool = v->commands,
                                       .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                       .commandBufferCount = 1};
    error = v->api.vkAllocateCommandBuffers(v->device, &one, &v->command);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkAllocateCommandBuffers", error);
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    error = v->api.vkCreateFence(v->device, &fence, NULL, &v->done);
    return error == VK_SUCCESS || vulkan_failed(v, "vkCreateFence", error);
}

static void set_caps(vulkan_device *v)
{
    uint32_t threads = v->limits.maxComputeWorkGroupInvocations;
    k_device_facts facts = backend_facts(&backend_spirv_vulkan);
    if (v->limits.maxComputeWorkGroupSize[0] < threads)
        threads = v->limits.maxComputeWorkGroupSize[0];
    facts.max_block = threads;
    facts.local_bytes = v->limits.maxComputeSharedMemorySize;
    facts.f64 = v->f64;
    facts.atomics64 = v->atomics64;
    v->base.caps = (run_caps){.target = backend_spirv_vulkan.name,
                              .spirv = backend_spirv_vulkan.name,
                              .facts = facts,
                              .ways = {.can = 1}};
}

static bool open_all(vulkan_device *v, uint32_t index)
{
    fcl_context *cx = v->base.cx;
    uint32_t count = 0;
    VkPhysicalDeviceProperties properties;
    if (!open_instance(&v->api, &v->instance)) {
        diag_error(cx, DIAG_NO_VULKAN, (location){0},
                   "no Vulkan 1.2 can be loaded (libvulkan.so.1)");
        diag_hint(cx, "install a Vulkan driver, or use the device interp");
        return false;
    }
    if (!find_device(&v->api, v->instance, index, &v->physical, &count))
        return diag_error(cx, DIAG_NO_VULKAN_DEVICE, (location){0},
                          "there is no Vulkan device %u: this machine has %u", index, count);
    v->api.vkGetPhysicalDeviceProperties(v->physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_2)
        return diag_error(cx, DIAG_NO_VULKAN_DEVICE, (location){0}, "%s does not have Vulkan 1.2",
                          properties.deviceName);
    v->limits = properties.limits;
    find_memory_type(v);
    if (!find_family(v) || !open_device(v) || !open_commands(v))
        return false;
    set_caps(v);
    return true;
}

run_device *run_vulkan_open(fcl_context *cx, uint32_t index)
{
    vulkan_device *v = mem_zeroed(&cx->mem, sizeof *v);
    if (!v)
        return NULL;
    v->base = (run_device){.ops = &vulkan_ops, .cx = cx};
    if (open_all(v, index))
        return &v->base;
    vulkan_close(&v->base);
    return NULL;
}

void vulkan_close(run_device *d)
{
    vulkan_device *v = vulkan_self(d);
    vulkan_drop_all(v);
    if (v->done)
        v->api.vkDestroyFence(v->device, v->done, NULL);
    if (v->commands)
        v->api.vkDestroyCommandPool(v->device, v->commands, NULL);
    if (v->device)
        v->api.vkDestroyDevice(v->device, NULL);
    if (v->instance && v->api.vkDestroyInstance)
        v->api.vkDestroyInstance(v->instance, NULL);
    mem_free(&d->cx->mem, v, sizeof *v);
}

/* ---- listing ---- */

/* Calls of an instance of its own, which is gone afterwards. */
static void close_instance(const vulkan_api *api, VkInstance instance)
{
    if (instance && api->vkDestroyInstance)
        api->vkDestroyInstance(instance, NULL);
}

uint32_t run_vulkan_count(fcl_context *cx)
{
    (void)cx;
    vulkan_api api = {0};
    VkInstance instance = NULL;
    VkPhysicalDevice one;
    uint32_t count = 0;
    if (open_instance(&api, &instance))
        find_device(&api, instance, 0, &one, &count);
    close_instance(&api, instance);
    return count;
}

bool run_vulkan_describe(fcl_context *cx, uint32_t index, vec_char *out)
{
    vulkan_api api = {0};
    VkInstance instance = NULL;
    VkPhysicalDevice one;
    VkPhysicalDeviceProperties p;
    uint32_t count;
    bool ok = open_instance(&api, &instance) && find_device(&api, instance, index, &one, &count);
    if (ok)
        api.vkGetPhysicalDeviceProperties(one, &p);
    close_instance(&api, instance);
    return ok && text_addf(&cx->mem, out, "%s, Vulkan %u.%u", p.deviceName,
                           VK_API_VERSION_MAJOR(p.apiVersion), VK_API_VERSION_MINOR(p.apiVersion));
}
