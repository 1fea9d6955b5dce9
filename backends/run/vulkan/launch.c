/* Launches of kernels: see device.h. */
#include "backends/run/vulkan/device.h"

#include "backends/spirv/vulkan.h"

#include <string.h>

/* A launch while it is made ready. */
typedef struct dispatch {
    const run_launch *l;
    vulkan_batch *batch;
    VEC(VkDescriptorBufferInfo) buffers;
    VEC(vulkan_memory *) reads, writes;
    vec_char block; /* of scalars */
    bool is_pushed, by_address;
    VkDescriptorSet set;
} dispatch;

/* ---- arguments ---- */

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

static bool add_buffer(mem *m, dispatch *x, vulkan_memory *b, bool written)
{
    VkDescriptorBufferInfo one = {.buffer = b->buffer, .range = VK_WHOLE_SIZE};
    return vec_push(m, &x->buffers, one) &&
           (written ? vec_push(m, &x->writes, b) : vec_push(m, &x->reads, b));
}

static bool add_address(mem *m, dispatch *x, vulkan_memory *b, bool written)
{
    return add_scalar(m, &x->block, &b->address, sizeof b->address) &&
           (written ? vec_push(m, &x->writes, b) : vec_push(m, &x->reads, b));
}

static bool add_memory(vulkan_device *v, dispatch *x, vulkan_memory *b, bool written)
{
    mem *m = &v->base.cx->mem;
    if (x->by_address)
        return add_address(m, x, b, written);
    if (b->bytes > v->about.limits.maxStorageBufferRange)
        return vulkan_refuse_size(v, b->bytes);
    return add_buffer(m, x, b, written);
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
            ok = add_memory(v, x, a->memory, a->written);
    }
    x->is_pushed = x->block.len <= VULKAN_PUSHED;
    if (!ok || x->is_pushed)
        return ok;
    vulkan_memory *b = vulkan_stage(v, x->batch, x->block.len);
    if (b)
        memcpy(b->at, x->block.at, x->block.len);
    return b && add_buffer(m, x, b, false);
}

/* ---- sets ---- */

enum { SETS = VULKAN_BATCH, SET_BUFFERS = 8 * SETS };

static bool add_pool(vulkan_device *v, vulkan_batch *b, uint32_t buffers)
{
    VkDescriptorPool pool;
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .descriptorCount = buffers > SET_BUFFERS ? buffers : SET_BUFFERS};
    VkDescriptorPoolCreateInfo how = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                      .maxSets = SETS,
                                      .poolSizeCount = 1,
                                      .pPoolSizes = &size};
    if (!vec_reserve(&v->base.cx->mem, &b->pools, 1))
        return false;
    VkResult error = v->api.vkCreateDescriptorPool(v->device, &how, NULL, &pool);
    if (error != VK_SUCCESS)
        return vulkan_failed(v, "vkCreateDescriptorPool", error);
    b->pools.at[b->pools.len++] = pool;
    return true;
}

/* From the first pool that has room; there is room in a new one. */
static bool open_set(vulkan_device *v, dispatch *x, const vulkan_pipeline *p)
{
    vulkan_batch *b = x->batch;
    VkResult error = VK_ERROR_OUT_OF_POOL_MEMORY;
    for (bool is_new = false; error != VK_SUCCESS && !is_new; b->pool += error != VK_SUCCESS) {
        is_new = b->pool == b->pools.len;
        if (is_new && !add_pool(v, b, x->buffers.len))
            return false;
        VkDescriptorSetAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = b->pools.at[b->pool],
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &p->set};
        error = v->api.vkAllocateDescriptorSets(v->device, &one, &x->set);
    }
    return error == VK_SUCCESS || vulkan_failed(v, "vkAllocateDescriptorSets", error);
}

static void fill_set(vulkan_device *v, const dispatch *x)
{
    VkWriteDescriptorSet all = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = x->set,
                                .descriptorCount = 1,
                                .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    for (; all.dstBinding < x->buffers.len; all.dstBinding++) {
        all.pBufferInfo = &x->buffers.at[all.dstBinding];
        v->api.vkUpdateDescriptorSets(v->device, 1, &all, 0, NULL);
    }
}

/* ---- commands ---- */

/* Rows of groups as long as the device takes them; those beyond the number do nothing. */
static void put_groups(vulkan_device *v, VkCommandBuffer to, uint64_t groups)
{
    uint64_t most = v->about.limits.maxComputeWorkGroupCount[0];
    uint64_t rows = (groups + most - 1) / most, row = (groups + rows - 1) / rows;
    v->api.vkCmdDispatch(to, (uint32_t)row, (uint32_t)rows, 1);
}

static bool put(vulkan_device *v, const dispatch *x, const vulkan_pipeline *p)
{
    VkCommandBuffer to = x->batch->command;
    vulkan_order(v, x->reads.at, x->reads.len, x->writes.at, x->writes.len);
    if (!vulkan_stamp(v, x->batch))
        return false;
    v->api.vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    v->api.vkCmdBindDescriptorSets(to, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &x->set, 0,
                                   NULL);
    if (x->is_pushed)
        v->api.vkCmdPushConstants(to, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, x->block.len,
                                  x->block.at);
    put_groups(v, to, x->l->groups);
    return vulkan_stamp(v, x->batch) && vulkan_recorded(v);
}

static bool refuse_many(vulkan_device *v, const run_launch *l, uint32_t buffers)
{
    diag_error(v->base.cx, DIAG_VULKAN_LIMIT, (location){0},
               "kernel %s takes %u buffers, and the device %u", l->kernel, buffers,
               v->about.limits.maxPerStageDescriptorStorageBuffers);
    diag_hint(v->base.cx, v->has_addresses
                              ? "let kernels have addresses: the target spirv-vulkan-addresses"
                              : "force intermediate arrays, or use another device");
    return false;
}

static bool start(vulkan_device *v, vulkan_program *program, dispatch *x)
{
    x->batch = vulkan_record(v);
    x->by_address = program->by_address;
    if (!x->batch || !add_arguments(v, x))
        return false;
    if (x->buffers.len > v->about.limits.maxPerStageDescriptorStorageBuffers)
        return refuse_many(v, x->l, x->buffers.len);
    const vulkan_pipeline *p = vulkan_pipeline_of(v, program, x->l, x->buffers.len);
    if (!p || !open_set(v, x, p))
        return false;
    fill_set(v, x);
    return put(v, x, p);
}

static bool launch(run_device *d, void *program, const run_launch *l)
{
    mem *m = &d->cx->mem;
    dispatch x = {.l = l};
    bool ok = start(vulkan_self(d), program, &x);
    vec_free(m, &x.buffers);
    vec_free(m, &x.reads);
    vec_free(m, &x.writes);
    vec_free(m, &x.block);
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
    .buffer = vulkan_new_buffer,
    .release = vulkan_release,
    .read = vulkan_read,
    .write = vulkan_write,
    .clear = vulkan_clear,
    .copy = vulkan_copy,
    .launch = launch,
    .finish = vulkan_finish,
    .read_later = vulkan_read_later,
    .mark = vulkan_mark,
    .flush = vulkan_flush,
    .is_reached = vulkan_is_reached,
    .await = vulkan_await,
    .forget = vulkan_forget,
    .start_timing = vulkan_start_timing,
    .stop_timing = vulkan_stop_timing,
    .handles = handles,
    .close = vulkan_close,
};
