/* A device through Vulkan, shared by its files: vulkan_open.c loads the loader and opens one of the
 * machine, vulkan_code.c makes pipelines, vulkan.c has memory and launches.
 *
 * The loader is found when first needed: nothing is linked. */
#ifndef FCL_BACKENDS_RUN_VULKAN_DEVICE_H
#define FCL_BACKENDS_RUN_VULKAN_DEVICE_H

#include "backends/run/device.h"
#include "backends/run/kept.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

/* Those that are asked for without an instance, and with one. */
#define VULKAN_GLOBALS(X) X(vkCreateInstance) X(vkEnumerateInstanceVersion)
/* clang-format off */
#define VULKAN_FUNCTIONS(X)                                                                                            \
    X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties)                                \
    X(vkGetPhysicalDeviceFeatures2) X(vkGetPhysicalDeviceQueueFamilyProperties)                                        \
    X(vkGetPhysicalDeviceMemoryProperties) X(vkCreateDevice) X(vkDestroyDevice) X(vkGetDeviceQueue)                    \
    X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements) X(vkAllocateMemory) X(vkFreeMemory)          \
    X(vkBindBufferMemory) X(vkMapMemory)                                                                               \
    X(vkCreateShaderModule) X(vkDestroyShaderModule) X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout)    \
    X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) X(vkCreateComputePipelines) X(vkDestroyPipeline)              \
    X(vkCreateDescriptorPool) X(vkDestroyDescriptorPool) X(vkAllocateDescriptorSets) X(vkUpdateDescriptorSets)         \
    X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkAllocateCommandBuffers) X(vkBeginCommandBuffer)                 \
    X(vkEndCommandBuffer) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkCmdPushConstants) X(vkCmdDispatch)       \
    X(vkCmdPipelineBarrier) X(vkQueueSubmit) X(vkCreateFence) X(vkDestroyFence)                      \
    X(vkResetFences) X(vkWaitForFences)
/* clang-format on */

typedef struct vulkan_api {
    PFN_vkGetInstanceProcAddr get;
#define FUNCTION(name) PFN_##name name;
    VULKAN_GLOBALS(FUNCTION)
    VULKAN_FUNCTIONS(FUNCTION)
#undef FUNCTION
} vulkan_api;

/* A kernel for one size of its groups and of its local arrays. */
typedef struct vulkan_pipeline {
    char *name; /* owned copy */
    uint32_t threads;
    vec_u32 areas; /* bytes of its local arguments */
    uint32_t buffers;
    VkDescriptorSetLayout set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
} vulkan_pipeline;

typedef struct vulkan_program {
    kept kept;
    VkShaderModule module;
    VEC(vulkan_pipeline) pipelines;
} vulkan_program;

typedef struct vulkan_memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    unsigned char *at; /* mapped */
    uint64_t bytes;
} vulkan_memory;

typedef struct vulkan_device {
    run_device base;
    vulkan_api api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceLimits limits;
    uint32_t family, memory_type;
    VkDevice device;
    VkQueue queue;
    VkCommandPool commands;
    VkCommandBuffer command;
    VkFence done; /* of the launch */
    kept_list programs;
    bool f64, atomics64;
    bool timed;
    run_time time;
    uint64_t first; /* launch since timing started; 0: none yet */
} vulkan_device;

static inline vulkan_device *vulkan_self(run_device *d)
{
    return (vulkan_device *)d; /* base is its first member */
}

/* Reports a failed call; false. */
bool vulkan_failed(vulkan_device *v, const char *call, VkResult error);
/* vulkan_code.c */
void *vulkan_program_of(run_device *d, const run_code *code);
void vulkan_leave(run_device *d, void *program);
void vulkan_drop_all(vulkan_device *v);
/* The pipeline of a launch that takes so many buffers; NULL with a diagnostic. */
const vulkan_pipeline *vulkan_pipeline_of(vulkan_device *v, vulkan_program *p, const run_launch *l,
                                          uint32_t buffers);
/* vulkan_open.c */
void vulkan_close(run_device *d);
/* vulkan.c */
extern const run_ops vulkan_ops;

#endif
