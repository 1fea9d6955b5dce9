/* A device through Vulkan, shared by its files: open.c loads the loader and opens one of the
 * machine, queue.c submits commands and knows when they have ended, memory.c moves elements, code.c
 * makes pipelines, launch.c starts kernels.
 *
 * Commands are recorded into a batch, which goes to the device when somebody waits for it, asks for
 * a mark, or when it is long.  Batches are numbered, and a semaphore counts those that have ended;
 * what one used is given back then.  Elements go through memory that the host sees as well,
 * whatever the device is, so that there is one way.
 *
 * The loader is found when first needed (list.c): nothing is linked. */
#ifndef FCL_BACKENDS_RUN_VULKAN_DEVICE_H
#define FCL_BACKENDS_RUN_VULKAN_DEVICE_H

#include "backends/run/cache/cache.h"
#include "backends/run/device.h"
#include "backends/run/kept.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

/* Those that are asked for without an instance, and with one. */
#define VULKAN_GLOBALS(X) X(vkCreateInstance) X(vkEnumerateInstanceVersion)
/* clang-format off */
#define VULKAN_FUNCTIONS(X)                                                                                            \
    X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties2)                                                    \
    X(vkGetPhysicalDeviceFeatures2) X(vkGetPhysicalDeviceQueueFamilyProperties)                                        \
    X(vkGetPhysicalDeviceMemoryProperties) X(vkCreateDevice) X(vkDestroyDevice) X(vkGetDeviceQueue)                    \
    X(vkDeviceWaitIdle)                                                                                                \
    X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements) X(vkGetBufferDeviceAddress)                  \
    X(vkAllocateMemory) X(vkFreeMemory)                                                                                \
    X(vkBindBufferMemory) X(vkMapMemory)                                                                               \
    X(vkCreateShaderModule) X(vkDestroyShaderModule) X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout)    \
    X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) X(vkCreateComputePipelines) X(vkDestroyPipeline)              \
    X(vkCreatePipelineCache) X(vkDestroyPipelineCache) X(vkGetPipelineCacheData)                                       \
    X(vkCreateDescriptorPool) X(vkDestroyDescriptorPool) X(vkResetDescriptorPool) X(vkAllocateDescriptorSets)          \
    X(vkUpdateDescriptorSets)                                                                                          \
    X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkAllocateCommandBuffers) X(vkBeginCommandBuffer)                 \
    X(vkEndCommandBuffer) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkCmdPushConstants) X(vkCmdDispatch)       \
    X(vkCmdPipelineBarrier) X(vkCmdCopyBuffer) X(vkCmdFillBuffer) X(vkCmdWriteTimestamp) X(vkCmdResetQueryPool)        \
    X(vkCreateQueryPool) X(vkDestroyQueryPool) X(vkGetQueryPoolResults) X(vkQueueSubmit)                               \
    X(vkCreateSemaphore) X(vkDestroySemaphore) X(vkGetSemaphoreCounterValue) X(vkWaitSemaphores)
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
    vec_u32 code;
    uint32_t lanes;  /* of the subgroups that its warps are; 0: any */
    bool by_address; /* kernels take their memories' addresses, not buffers */
    VEC(vulkan_pipeline) pipelines;
} vulkan_program;

/* A buffer with memory of its own. */
typedef struct vulkan_memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    unsigned char *at; /* where the host sees it; NULL: it does not */
    uint64_t address;  /* where kernels see it; 0: as a buffer alone */
    uint64_t bytes;
    uint64_t read, written; /* in this many'th stretch between barriers last */
    struct vulkan_memory *next;
} vulkan_memory;

/* Elements on their way to the host. */
typedef struct vulkan_fetch {
    const vulkan_memory *from;
    void *to;
    uint64_t bytes;
} vulkan_fetch;

/* Commands that are submitted together, and what they use until they have ended. */
typedef struct vulkan_batch {
    struct vulkan_batch *next;
    uint64_t number; /* once it is submitted */
    VkCommandBuffer command;
    uint32_t commands; /* in it */
    VEC(VkDescriptorPool) pools;
    uint32_t pool;          /* the one that sets come from now */
    vulkan_memory *staged;  /* given back for others */
    vulkan_memory *dropped; /* nobody's any more */
    VEC(vulkan_fetch) fetches;
    VkQueryPool times; /* two for each launch that is timed; made when first needed */
    uint32_t ntimes;
} vulkan_batch;

enum {
    VULKAN_BATCH = 128,      /* commands of a batch, at most */
    VULKAN_FLYING = 8,       /* batches that are submitted, at most */
    VULKAN_PIECE = 16 << 20, /* bytes that are moved at once */
    VULKAN_IDLE = 64 << 20   /* bytes of memory for moving that are kept, at most */
};

typedef struct vulkan_device {
    run_device base;
    vulkan_api api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties about;
    uint32_t family, memory_type, host_type; /* of memory for kernels, and that the host sees */
    uint64_t time_mask;                      /* of time stamps; 0: there are none */
    bool has_addresses;                      /* of buffers, for kernels */
    VkDevice device;
    VkQueue queue;
    VkCommandPool commands;
    VkSemaphore clock;           /* counts batches */
    uint64_t submitted;          /* the last one's number */
    vulkan_batch *open;          /* being recorded; NULL: none */
    vulkan_batch *first, **last; /* submitted, in order */
    vulkan_batch *spare;
    vulkan_memory *idle; /* for moving */
    uint64_t idle_bytes;
    uint64_t stretch; /* since the last barrier, counted */
    bool lost;        /* a batch has failed, with a diagnostic */
    kept_list programs;
    bool timed;
    run_time time;
    uint64_t begun, ended; /* of the timed launches; begun 0: none */
} vulkan_device;

static inline vulkan_device *vulkan_self(run_device *d)
{
    return (vulkan_device *)d; /* base is its first member */
}

/* Reports a failed call; false. */
bool vulkan_failed(vulkan_device *v, const char *call, VkResult error);

typedef struct vulkan_features {
    VkPhysicalDeviceFeatures2 all;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes; /* of subgroups; Vulkan 1.3 */
} vulkan_features;

/* list.c: false when there is no Vulkan; *out may be to destroy then. */
bool vulkan_open_instance(vulkan_api *api, VkInstance *out);
/* Device number `index`; false: there are not so many.  *count: how many there are. */
bool vulkan_find_device(const vulkan_api *api, VkInstance instance, uint32_t index,
                        VkPhysicalDevice *out, uint32_t *count);
VkPhysicalDeviceProperties vulkan_about(const vulkan_api *api, VkPhysicalDevice of);
bool vulkan_has_addresses(const vulkan_features *f);
void vulkan_ask_features(const vulkan_api *api, VkPhysicalDevice of, vulkan_features *f);
run_caps vulkan_caps(const vulkan_api *api, VkPhysicalDevice of);

/* open.c */
void vulkan_close(run_device *d);

/* queue.c: the batch that is being recorded; NULL with a diagnostic. */
vulkan_batch *vulkan_record(vulkan_device *v);
/* Before a command that reads or writes these: what it needs of those before it is there. */
void vulkan_order(vulkan_device *v, vulkan_memory *const *reads, uint32_t nreads,
                  vulkan_memory *const *writes, uint32_t nwrites);
/* After a command. */
bool vulkan_recorded(vulkan_device *v);
/* What is recorded goes to the device. */
bool vulkan_submit(vulkan_device *v);
/* Takes back what batches used that have ended. */
void vulkan_retire(vulkan_device *v);
bool vulkan_wait(vulkan_device *v, uint64_t number);
bool vulkan_finish(run_device *d);
void *vulkan_mark(run_device *d);
bool vulkan_flush(run_device *d);
bool vulkan_is_reached(run_device *d, void *mark);
bool vulkan_await(run_device *d, void *mark);
void vulkan_forget(run_device *d, void *mark);
bool vulkan_start_timing(run_device *d);
bool vulkan_stop_timing(run_device *d, run_time *t);
/* Around a launch that is timed. */
bool vulkan_stamp(vulkan_device *v, vulkan_batch *b);
/* Waits for all, and frees what there is. */
void vulkan_close_queue(vulkan_device *v);

/* memory.c */
void *vulkan_new_buffer(run_device *d, uint64_t bytes, const void *init);
void vulkan_release(run_device *d, void *memory);
bool vulkan_read(run_device *d, void *memory, uint64_t offset, uint64_t bytes, void *to);
bool vulkan_read_later(run_device *d, void *memory, uint64_t bytes, void *to);
bool vulkan_write(run_device *d, void *memory, uint64_t bytes, const void *from);
bool vulkan_clear(run_device *d, void *memory, uint64_t bytes);
bool vulkan_copy(run_device *d, void *from, void *to, uint64_t bytes);
/* Memory that the host sees, for the batch that is being recorded; NULL with a diagnostic. */
vulkan_memory *vulkan_stage(vulkan_device *v, vulkan_batch *b, uint64_t bytes);
/* One that moved something, and may again. */
void vulkan_unstage(vulkan_device *v, vulkan_memory *b);
void vulkan_drop_idle(vulkan_device *v);
/* Reports that kernels cannot have so many bytes as a buffer; false. */
bool vulkan_refuse_size(vulkan_device *v, uint64_t bytes);
void vulkan_destroy(vulkan_device *v, vulkan_memory *b);

/* code.c */
void *vulkan_program_of(run_device *d, const run_code *code);
void vulkan_leave(run_device *d, void *program);
void vulkan_drop_all(vulkan_device *v);
/* The pipeline of a launch that takes so many buffers; NULL with a diagnostic. */
const vulkan_pipeline *vulkan_pipeline_of(vulkan_device *v, vulkan_program *p, const run_launch *l,
                                          uint32_t buffers);

/* kept.c: what a pipeline on disk is named by; a pipeline cache with what is kept under the name, an
 * empty one or none; what a pipeline cache has is kept. */
void vulkan_name_pipeline(const vulkan_device *v, const vulkan_pipeline *p, uint32_t lanes,
                          const vec_u32 *code, cache_key *k);
VkPipelineCache vulkan_take_pipelines(vulkan_device *v, const cache_key *k, bool *found);
void vulkan_keep_pipelines(vulkan_device *v, const cache_key *k, VkPipelineCache of);

/* strip.c: appends the module of one kernel; all of the code where that cannot be told. */
bool vulkan_strip(mem *m, const vec_u32 *code, const char *kernel, vec_u32 *out);

/* launch.c */
extern const run_ops vulkan_ops;

#endif
