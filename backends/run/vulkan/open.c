/* Opening a device of the machine: see device.h. */
#include "backends/run/vulkan/device.h"

static const char *error_name(VkResult error)
{
    switch (error) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED: return "initialization failed";
    case VK_ERROR_DEVICE_LOST: return "device lost";
    case VK_ERROR_MEMORY_MAP_FAILED: return "memory map failed";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "feature not present";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "extension not present";
    case VK_ERROR_TOO_MANY_OBJECTS: return "too many objects";
    case VK_ERROR_OUT_OF_POOL_MEMORY: return "out of pool memory";
    default: return "an error";
    }
}

bool vulkan_failed(vulkan_device *v, const char *call, VkResult error)
{
    return diag_error(v->base.cx, DIAG_VULKAN_CALL, (location){0}, "%s failed: %s (%d)", call,
                      error_name(error), (int)error);
}

/* ---- the device ---- */

enum { MOST_FAMILIES = 32 };

/* The first family of queues that has one set of abilities and not the other; `n`: none. */
static uint32_t family_with(const VkQueueFamilyProperties *all, uint32_t n, VkQueueFlags wanted,
                            VkQueueFlags without)
{
    uint32_t i = 0;
    while (i < n && ((all[i].queueFlags & wanted) != wanted || (all[i].queueFlags & without) != 0))
        i++;
    return i;
}

/* One without graphics where there is one: NVIDIA's driver (580) leaves kernels some 114 KiB of
 * local memory on each core of an H200 there, and 64 KiB elsewhere. */
static bool find_family(vulkan_device *v)
{
    VkQueueFamilyProperties all[MOST_FAMILIES];
    uint32_t n = MOST_FAMILIES;
    v->api.vkGetPhysicalDeviceQueueFamilyProperties(v->physical, &n, all);
    v->family = family_with(all, n, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT);
    if (v->family == n)
        v->family = family_with(all, n, VK_QUEUE_COMPUTE_BIT, 0);
    if (v->family == n)
        return diag_error(v->base.cx, DIAG_NO_VULKAN_DEVICE, (location){0},
                          "this Vulkan device computes nothing");
    uint32_t bits = all[v->family].timestampValidBits;
    v->time_mask = bits ? ~(uint64_t)0 >> (64 - bits) : 0;
    return true;
}

/* The first type of memory that has all properties, or `otherwise`. */
static uint32_t type_with(const VkPhysicalDeviceMemoryProperties *all, VkMemoryPropertyFlags wanted,
                          uint32_t otherwise)
{
    for (uint32_t i = 0; i < all->memoryTypeCount; i++)
        if ((all->memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return otherwise;
}

/* Vulkan promises one of the device's own, and one that the host sees without flushing. */
static void find_memory_types(vulkan_device *v)
{
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties all;
    v->api.vkGetPhysicalDeviceMemoryProperties(v->physical, &all);
    v->memory_type = type_with(&all, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    v->host_type =
        type_with(&all, seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, type_with(&all, seen, 0));
}

/* What kernels may need and the device has. */
static bool open_device(vulkan_device *v)
{
    const float priority = 1;
    vulkan_features has;
    vulkan_ask_features(&v->api, v->physical, &has);
    VkPhysicalDeviceVulkan12Features want2 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = has.v12.pNext,       /* of subgroups: as they are */
        .timelineSemaphore = VK_TRUE, /* that every device of this version has */
        .storageBuffer8BitAccess = has.v12.storageBuffer8BitAccess,
        .shaderBufferInt64Atomics = has.v12.shaderBufferInt64Atomics,
        .shaderSharedInt64Atomics = has.v12.shaderSharedInt64Atomics,
        .shaderInt8 = has.v12.shaderInt8,
        .bufferDeviceAddress = vulkan_has_addresses(&has)};
    VkPhysicalDeviceVulkan11Features want1 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
        .pNext = &want2,
        .storageBuffer16BitAccess = has.v11.storageBuffer16BitAccess};
    VkPhysicalDeviceFeatures2 want = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &want1,
        .features = {.shaderInt64 = has.all.features.shaderInt64,
                     .shaderInt16 = has.all.features.shaderInt16,
                     .shaderFloat64 = has.all.features.shaderFloat64}};
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = v->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo how = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                              .pNext = &want,
                              .queueCreateInfoCount = 1,
                              .pQueueCreateInfos = &queue};
    run_lock_drivers();
    VkResult error = v->api.vkCreateDevice(v->physical, &how, NULL, &v->device);
    run_unlock_drivers();
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkCreateDevice", error);
    v->api.vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
    v->has_addresses = vulkan_has_addresses(&has);
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
    VkSemaphoreTypeCreateInfo counts = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo clock = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                   .pNext = &counts};
    error = v->api.vkCreateSemaphore(v->device, &clock, NULL, &v->clock);
    return error == VK_SUCCESS || vulkan_failed(v, "vkCreateSemaphore", error);
}

static bool open_all(vulkan_device *v, uint32_t index)
{
    fcl_context *cx = v->base.cx;
    uint32_t count = 0;
    if (!vulkan_open_instance(&v->api, &v->instance)) {
        diag_error(
            cx, DIAG_NO_VULKAN, (location){0},
            "there is no Vulkan 1.2: no loader (libvulkan.so.1), or no driver that it finds");
        diag_hint(cx, "install a Vulkan driver, or use the device interp");
        return false;
    }
    if (!vulkan_find_device(&v->api, v->instance, index, &v->physical, &count))
        return diag_error(cx, DIAG_NO_VULKAN_DEVICE, (location){0},
                          "there is no Vulkan device %u: this machine has %u", index, count);
    v->about = vulkan_about(&v->api, v->physical);
    if (v->about.apiVersion < VK_API_VERSION_1_2)
        return diag_error(cx, DIAG_NO_VULKAN_DEVICE, (location){0}, "%s does not have Vulkan 1.2",
                          v->about.deviceName);
    find_memory_types(v);
    if (!find_family(v) || !open_device(v) || !open_commands(v))
        return false;
    v->base.caps = vulkan_caps(&v->api, v->physical);
    return true;
}

run_device *run_vulkan_open(fcl_context *cx, uint32_t index)
{
    vulkan_device *v = mem_zeroed(&cx->mem, sizeof *v);
    if (!v)
        return NULL;
    v->base = (run_device){.ops = &vulkan_ops, .cx = cx};
    v->last = &v->first;
    v->stretch = 1;
    if (open_all(v, index))
        return &v->base;
    vulkan_close(&v->base);
    return NULL;
}

void vulkan_close(run_device *d)
{
    vulkan_device *v = vulkan_self(d);
    vulkan_close_queue(v);
    vulkan_drop_all(v);
    if (v->clock)
        v->api.vkDestroySemaphore(v->device, v->clock, NULL);
    if (v->commands)
        v->api.vkDestroyCommandPool(v->device, v->commands, NULL);
    if (v->device)
        v->api.vkDestroyDevice(v->device, NULL);
    mem_free(&d->cx->mem, v, sizeof *v);
}
