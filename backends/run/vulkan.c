/* A device through Vulkan 1.2: memory that the host sees, and launches that have ended when their
 * call returns: see vulkan_device.h. */
#define _POSIX_C_SOURCE 200809L
#include "backends/run/vulkan_device.h"

#include "backends/spirv/vulkan.h"

#include <string.h>
#include <time.h>

/* ---- memory ---- */

static bool refuse_size(vulkan_device *v, uint64_t bytes)
{
    diag_error(v->base.cx, DIAG_VULKAN_LIMIT, (location){0},
               "a buffer of %llu bytes is more than the %u that the device lets kernels see",
               (unsigned long long)bytes, v->limits.maxStorageBufferRange);
    diag_hint(v->base.cx, "work on less at once, or use another device");
    return false;
}

static bool make_buffer(vulkan_device *v, vulkan_memory *b)
{
    VkBufferCreateInfo how = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .size = b->bytes,
                              .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkResult error = v->api.vkCreateBuffer(v->device, &how, NULL, &b->buffer);
    return error == VK_SUCCESS || vulkan_failed(v, "vkCreateBuffer", error);
}

static bool place_buffer(vulkan_device *v, vulkan_memory *b)
{
    void *at = NULL;
    VkMemoryRequirements needs;
    v->api.vkGetBufferMemoryRequirements(v->device, b->buffer, &needs);
    VkMemoryAllocateInfo how = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                .allocationSize = needs.size,
                                .memoryTypeIndex = v->memory_type};
    VkResult error = v->api.vkAllocateMemory(v->device, &how, NULL, &b->memory);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkAllocateMemory", error);
    error = v->api.vkBindBufferMemory(v->device, b->buffer, b->memory, 0);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkBindBufferMemory", error);
    error = v->api.vkMapMemory(v->device, b->memory, 0, VK_WHOLE_SIZE, 0, &at);
    b->at = at;
    return error == VK_SUCCESS || vulkan_failed(v, "vkMapMemory", error);
}

static void release_buffer(run_device *d, void *memory)
{
    vulkan_device *v = vulkan_self(d);
    vulkan_memory *b = memory;
    v->api.vkDestroyBuffer(v->device, b->buffer, NULL);
    v->api.vkFreeMemory(v->device, b->memory, NULL);
    mem_free(&d->cx->mem, b, sizeof *b);
}

/* Whole words, and never none. */
static void *new_buffer(run_device *d, uint64_t bytes, const void *init)
{
    vulkan_device *v = vulkan_self(d);
    if (bytes > v->limits.maxStorageBufferRange - 16u)
        return refuse_size(v, bytes), NULL;
    vulkan_memory *b = mem_zeroed(&d->cx->mem, sizeof *b);
    if (!b)
        return NULL;
    b->bytes = (bytes / 16 + 1) * 16;
    if (make_buffer(v, b) && place_buffer(v, b)) {
        if (init)
            memcpy(b->at, init, (size_t)bytes);
        return b;
    }
    release_buffer(d, b);
    return NULL;
}

static bool read_buffer(run_device *d, void *memory, uint64_t offset, uint64_t bytes, void *to)
{
    (void)d;
    memcpy(to, ((vulkan_memory *)memory)->at + offset, (size_t)bytes);
    return true;
}

static bool write_buffer(run_device *d, void *memory, uint64_t bytes, const void *from)
{
    (void)d;
    memcpy(((vulkan_memory *)memory)->at, from, (size_t)bytes);
    return true;
}

static bool copy_buffer(run_device *d, void *from, void *to, uint64_t bytes)
{
    (void)d;
    memmove(((vulkan_memory *)to)->at, ((vulkan_memory *)from)->at, (size_t)bytes);
    return true;
}

static bool clear_buffer(run_device *d, void *memory, uint64_t bytes)
{
    (void)d;
    memset(((vulkan_memory *)memory)->at, 0, (size_t)bytes);
    return true;
}

/* ---- marks: what was started is done, so that every mark is reached ---- */

static bool finish(run_device *d)
{
    (void)d;
    return true;
}

static bool read_at_once(run_device *d, void *memory, uint64_t bytes, void *to)
{
    return read_buffer(d, memory, 0, bytes, to);
}

static void *mark(run_device *d)
{
    return d;
}

static bool is_reached(run_device *d, void *mark)
{
    (void)d;
    return mark != NULL;
}

static void forget(run_device *d, void *mark)
{
    (void)d;
    (void)mark;
}

/* ---- time ---- */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool start_timing(run_device *d)
{
    vulkan_self(d)->timed = true;
    vulkan_self(d)->time = (run_time){0};
    vulkan_self(d)->first = 0;
    return true;
}

static bool stop_timing(run_device *d, run_time *t)
{
    vulkan_self(d)->timed = false;
    if (t)
        *t = vulkan_self(d)->time;
    return true;
}

static void add_time(vulkan_device *v, uint64_t start, uint64_t end)
{
    v->first = v->first ? v->first : start;
    v->time.kernels += end - start;
    v->time.span = end - v->first;
}

/* ---- launches ---- */

/* A launch while it is made ready. */
typedef struct dispatch {
    const run_launch *l;
    VEC(VkDescriptorBufferInfo) buffers;
    vec_char block; /* of scalars */
    vulkan_memory *long_block;
    VkDescriptorPool pool;
    VkDescriptorSet set;
} dispatch;

/* Filled up with zeros, which little-endian numbers are not changed by. */
static bool add_scalar(mem *m, vec_char *block, const void *bits, uint32_t bytes)
{
    uint32_t end = block->len, at = vulkan_place(&end, bytes), more = end - block->len;
    if (!vec_reserve(m, block, more))
        return false;
    memset(block->at + block->len, 0, more);
    memcpy(block->at + at, bits, bytes);
    block->len = end;
    return true;
}

static bool add_buffer(mem *m, dispatch *x, const vulkan_memory *b)
{
    VkDescriptorBufferInfo one = {.buffer = b->buffer, .range = VK_WHOLE_SIZE};
    return vec_push(m, &x->buffers, one);
}

static bool add_arguments(vulkan_device *v, dispatch *x)
{
    mem *m = &v->base.cx->mem;
    uint32_t groups = (uint32_t)x->l->groups;
    bool ok = add_scalar(m, &x->block, &groups, sizeof groups);
    for (uint32_t i = 0; ok && i < x->l->nargs; i++) {
        const run_arg *a = &x->l->args[i];
        if (a->kind == RUN_SCALAR)
            ok = add_scalar(m, &x->block, a->bits, (uint32_t)a->bytes);
        else if (a->kind == RUN_MEMORY)
            ok = add_buffer(m, x, a->memory);
    }
    if (!ok || x->block.len <= VULKAN_PUSHED)
        return ok;
    x->long_block = new_buffer(&v->base, x->block.len, x->block.at);
    return x->long_block && add_buffer(m, x, x->long_block);
}

static bool open_set(vulkan_device *v, dispatch *x, const vulkan_pipeline *p)
{
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .descriptorCount = x->buffers.len ? x->buffers.len : 1};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VkResult error = v->api.vkCreateDescriptorPool(v->device, &pool, NULL, &x->pool);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkCreateDescriptorPool", error);
    VkDescriptorSetAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = x->pool,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &p->set};
    error = v->api.vkAllocateDescriptorSets(v->device, &one, &x->set);
    return error == VK_SUCCESS || vulkan_failed(v, "vkAllocateDescriptorSets", error);
}

static void fill_set(vulkan_device *v, const dispatch *x)
{
    for (uint32_t i = 0; i < x->buffers.len; i++) {
        VkWriteDescriptorSet one = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                    .dstSet = x->set,
                                    .dstBinding = i,
                                    .descriptorCount = 1,
                                    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                    .pBufferInfo = &x->buffers.at[i]};
        v->api.vkUpdateDescriptorSets(v->device, 1, &one, 0, NULL);
    }
}

/* Rows of groups as long as the device takes them; those beyond the number do nothing. */
static void put_groups(vulkan_device *v, uint64_t groups)
{
    uint64_t most = v->limits.maxComputeWorkGroupCount[0];
    uint64_t rows = (groups + most - 1) / most, row = (groups + rows - 1) / rows;
    v->api.vkCmdDispatch(v->command, (uint32_t)row, (uint32_t)rows, 1);
}

/* What kernels have written is there for the host afterwards. */
static void put_barrier(vulkan_device *v)
{
    VkMemoryBarrier done = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    v->api.vkCmdPipelineBarrier(v->command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &done, 0, NULL, 0, NULL);
}

static bool record(vulkan_device *v, const dispatch *x, const vulkan_pipeline *p)
{
    VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkResult error = v->api.vkBeginCommandBuffer(v->command, &how);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkBeginCommandBuffer", error);
    v->api.vkCmdBindPipeline(v->command, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    v->api.vkCmdBindDescriptorSets(v->command, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1,
                                   &x->set, 0, NULL);
    if (!x->long_block)
        v->api.vkCmdPushConstants(v->command, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                  x->block.len, x->block.at);
    put_groups(v, x->l->groups);
    put_barrier(v);
    error = v->api.vkEndCommandBuffer(v->command);
    return error == VK_SUCCESS || vulkan_failed(v, "vkEndCommandBuffer", error);
}

static bool submit(vulkan_device *v)
{
    VkSubmitInfo one = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                        .commandBufferCount = 1,
                        .pCommandBuffers = &v->command};
    uint64_t start = v->timed ? now() : 0;
    VkResult error = v->api.vkQueueSubmit(v->queue, 1, &one, v->done);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkQueueSubmit", error);
    error = v->api.vkWaitForFences(v->device, 1, &v->done, VK_TRUE, UINT64_MAX);
    if (error == VK_SUCCESS)
        error = v->api.vkResetFences(v->device, 1, &v->done);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkWaitForFences", error);
    if (v->timed)
        add_time(v, start, now());
    return true;
}

static bool refuse_many(vulkan_device *v, const run_launch *l, uint32_t buffers)
{
    diag_error(v->base.cx, DIAG_VULKAN_LIMIT, (location){0},
               "kernel %s takes %u buffers, and the device %u", l->kernel, buffers,
               v->limits.maxPerStageDescriptorStorageBuffers);
    diag_hint(v->base.cx, "force intermediate arrays, or use another device");
    return false;
}

static bool run(vulkan_device *v, vulkan_program *program, dispatch *x)
{
    if (!add_arguments(v, x))
        return false;
    if (x->buffers.len > v->limits.maxPerStageDescriptorStorageBuffers)
        return refuse_many(v, x->l, x->buffers.len);
    const vulkan_pipeline *p = vulkan_pipeline_of(v, program, x->l, x->buffers.len);
    if (!p || !open_set(v, x, p))
        return false;
    fill_set(v, x);
    return record(v, x, p) && submit(v);
}

static bool launch(run_device *d, void *program, const run_launch *l)
{
    vulkan_device *v = vulkan_self(d);
    dispatch x = {.l = l};
    bool ok = run(v, program, &x);
    if (x.pool)
        v->api.vkDestroyDescriptorPool(v->device, x.pool, NULL);
    if (x.long_block)
        release_buffer(d, x.long_block);
    vec_free(&d->cx->mem, &x.buffers);
    vec_free(&d->cx->mem, &x.block);
    return ok;
}

static run_handles handles(const run_device *d)
{
    (void)d;
    return (run_handles){0};
}

const run_ops vulkan_ops = {
    .program = vulkan_program_of,
    .leave = vulkan_leave,
    .buffer = new_buffer,
    .release = release_buffer,
    .read = read_buffer,
    .write = write_buffer,
    .clear = clear_buffer,
    .copy = copy_buffer,
    .launch = launch,
    .finish = finish,
    .read_later = read_at_once,
    .mark = mark,
    .flush = finish,
    .is_reached = is_reached,
    .await = is_reached,
    .forget = forget,
    .start_timing = start_timing,
    .stop_timing = stop_timing,
    .handles = handles,
    .close = vulkan_close,
};
