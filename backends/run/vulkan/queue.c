/* Batches of commands, and when they have ended: see device.h. */
#include "backends/run/vulkan/device.h"

#include <string.h>

/* ---- batches ---- */

static bool make_command(vulkan_device *v, vulkan_batch *b)
{
    VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                       .commandPool = v->commands,
                                       .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                       .commandBufferCount = 1};
    VkResult error = v->api.vkAllocateCommandBuffers(v->device, &one, &b->command);
    return error == VK_SUCCESS || vulkan_failed(v, "vkAllocateCommandBuffers", error);
}

static void free_batch(vulkan_device *v, vulkan_batch *b)
{
    mem *m = &v->base.cx->mem;
    for (uint32_t i = 0; i < b->pools.len; i++)
        v->api.vkDestroyDescriptorPool(v->device, b->pools.at[i], NULL);
    v->api.vkDestroyQueryPool(v->device, b->times, NULL);
    vec_free(m, &b->pools);
    vec_free(m, &b->fetches);
    mem_free(m, b, sizeof *b); /* its commands go with their pool */
}

static vulkan_batch *new_batch(vulkan_device *v)
{
    vulkan_batch *b = mem_zeroed(&v->base.cx->mem, sizeof *b);
    if (!b || make_command(v, b))
        return b;
    free_batch(v, b);
    return NULL;
}

static bool begin(vulkan_device *v, vulkan_batch *b)
{
    VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkResult error = v->api.vkBeginCommandBuffer(b->command, &how);
    return error == VK_SUCCESS || vulkan_failed(v, "vkBeginCommandBuffer", error);
}

vulkan_batch *vulkan_record(vulkan_device *v)
{
    if (v->open)
        return v->open;
    if (v->submitted >= VULKAN_FLYING && !vulkan_wait(v, v->submitted - VULKAN_FLYING + 1))
        return NULL;
    vulkan_batch *b = v->spare;
    if (b)
        v->spare = b->next;
    else if ((b = new_batch(v)) == NULL)
        return NULL;
    b->next = v->spare;
    if (!begin(v, b)) {
        v->spare = b;
        return NULL;
    }
    b->next = NULL;
    v->open = b;
    return b;
}

/* ---- order ---- */

static void put_barrier(vulkan_device *v, VkPipelineStageFlags behind, VkAccessFlags access)
{
    const VkPipelineStageFlags work =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                           .srcAccessMask =
                               VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                           .dstAccessMask = access};
    v->api.vkCmdPipelineBarrier(v->open->command, work, behind, 0, 1, &all, 0, NULL, 0, NULL);
}

/* Commands of one stretch have no order; a barrier ends it, also for those of earlier batches. */
void vulkan_order(vulkan_device *v, vulkan_memory *const *reads, uint32_t nreads,
                  vulkan_memory *const *writes, uint32_t nwrites)
{
    bool needs = false;
    for (uint32_t i = 0; i < nreads; i++)
        needs = needs || reads[i]->written == v->stretch;
    for (uint32_t i = 0; i < nwrites; i++)
        needs = needs || writes[i]->written == v->stretch || writes[i]->read == v->stretch;
    if (needs) {
        put_barrier(v, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
        v->stretch++;
    }
    for (uint32_t i = 0; i < nreads; i++)
        reads[i]->read = v->stretch;
    for (uint32_t i = 0; i < nwrites; i++)
        writes[i]->written = v->stretch;
}

/* ---- submission ---- */

static bool lose(vulkan_device *v, const char *call, VkResult error)
{
    v->lost = true;
    return vulkan_failed(v, call, error);
}

static bool hand_over(vulkan_device *v, vulkan_batch *b)
{
    uint64_t number = v->submitted + 1;
    VkTimelineSemaphoreSubmitInfo count = {.sType =
                                               VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                           .signalSemaphoreValueCount = 1,
                                           .pSignalSemaphoreValues = &number};
    VkSubmitInfo one = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                        .pNext = &count,
                        .commandBufferCount = 1,
                        .pCommandBuffers = &b->command,
                        .signalSemaphoreCount = 1,
                        .pSignalSemaphores = &v->clock};
    VkResult error = v->api.vkEndCommandBuffer(b->command);
    if (error != VK_SUCCESS)
        return lose(v, "vkEndCommandBuffer", error);
    error = v->api.vkQueueSubmit(v->queue, 1, &one, NULL);
    if (error != VK_SUCCESS)
        return lose(v, "vkQueueSubmit", error);
    v->submitted = b->number = number;
    return true;
}

/* What it used is there again. */
static void take_back(vulkan_device *v, vulkan_batch *b)
{
    for (vulkan_memory *x; (x = b->staged) != NULL;) {
        b->staged = x->next;
        vulkan_unstage(v, x);
    }
    for (vulkan_memory *x; (x = b->dropped) != NULL;) {
        b->dropped = x->next;
        vulkan_destroy(v, x);
    }
    for (uint32_t i = 0; i < b->pools.len; i++)
        v->api.vkResetDescriptorPool(v->device, b->pools.at[i], 0);
    b->pool = b->fetches.len = b->commands = b->ntimes = 0;
    b->next = v->spare;
    v->spare = b;
}

bool vulkan_submit(vulkan_device *v)
{
    vulkan_batch *b = v->open;
    if (!b)
        return !v->lost;
    if (b->fetches.len)
        put_barrier(v, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    v->open = NULL;
    if (!hand_over(v, b)) {
        take_back(v, b);
        return false;
    }
    *v->last = b;
    v->last = &b->next;
    return true;
}

bool vulkan_recorded(vulkan_device *v)
{
    return ++v->open->commands < VULKAN_BATCH || vulkan_submit(v);
}

/* ---- time ---- */

enum { STAMPS = 2 * VULKAN_BATCH };

static bool make_times(vulkan_device *v, vulkan_batch *b)
{
    VkQueryPoolCreateInfo how = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                 .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                 .queryCount = STAMPS};
    VkResult error = v->api.vkCreateQueryPool(v->device, &how, NULL, &b->times);
    return error == VK_SUCCESS || vulkan_failed(v, "vkCreateQueryPool", error);
}

bool vulkan_stamp(vulkan_device *v, vulkan_batch *b)
{
    if (!v->timed)
        return true;
    if (!b->times && !make_times(v, b))
        return false;
    if (!b->ntimes)
        v->api.vkCmdResetQueryPool(b->command, b->times, 0, STAMPS);
    v->api.vkCmdWriteTimestamp(b->command, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, b->times,
                               b->ntimes++);
    return true;
}

static void add_times(vulkan_device *v, const vulkan_batch *b)
{
    uint64_t all[STAMPS];
    double tick = (double)v->about.limits.timestampPeriod; /* nanoseconds */
    if (!b->ntimes ||
        v->api.vkGetQueryPoolResults(v->device, b->times, 0, b->ntimes, sizeof all, all,
                                     sizeof *all, VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
        return;
    for (uint32_t i = 0; i + 1 < b->ntimes; i += 2) {
        uint64_t ticks = (all[i + 1] - all[i]) & v->time_mask;
        v->time.kernels += (uint64_t)((double)ticks * tick);
        v->begun = v->begun ? v->begun : all[i];
        v->ended = all[i + 1];
    }
    v->time.span = (uint64_t)((double)((v->ended - v->begun) & v->time_mask) * tick);
}

bool vulkan_start_timing(run_device *d)
{
    vulkan_device *v = vulkan_self(d);
    if (!v->time_mask)
        return diag_error(d->cx, DIAG_VULKAN_LIMIT, (location){0},
                          "the device does not measure time");
    v->timed = true;
    v->time = (run_time){0};
    v->begun = v->ended = 0;
    return vulkan_finish(d);
}

bool vulkan_stop_timing(run_device *d, run_time *t)
{
    vulkan_self(d)->timed = false;
    if (t)
        *t = vulkan_self(d)->time;
    return true;
}

/* ---- ends ---- */

static void finish_first(vulkan_device *v)
{
    vulkan_batch *b = v->first;
    v->first = b->next;
    v->last = v->first ? v->last : &v->first;
    for (uint32_t i = 0; !v->lost && i < b->fetches.len; i++)
        memcpy(b->fetches.at[i].to, b->fetches.at[i].from->at, (size_t)b->fetches.at[i].bytes);
    add_times(v, b);
    take_back(v, b);
}

/* A device that is lost ends nothing any more. */
static uint64_t ended(vulkan_device *v)
{
    uint64_t number = 0;
    VkResult error = v->api.vkGetSemaphoreCounterValue(v->device, v->clock, &number);
    if (error != VK_SUCCESS && !v->lost)
        lose(v, "vkGetSemaphoreCounterValue", error);
    return v->lost ? v->submitted : number;
}

void vulkan_retire(vulkan_device *v)
{
    uint64_t number = v->first ? ended(v) : 0;
    while (v->first && v->first->number <= number)
        finish_first(v);
}

bool vulkan_wait(vulkan_device *v, uint64_t number)
{
    VkSemaphoreWaitInfo what = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &v->clock,
                                .pValues = &number};
    if (!v->lost && v->first && v->first->number <= number) {
        VkResult error = v->api.vkWaitSemaphores(v->device, &what, UINT64_MAX);
        if (error != VK_SUCCESS)
            lose(v, "vkWaitSemaphores", error);
    }
    vulkan_retire(v);
    return !v->lost;
}

bool vulkan_finish(run_device *d)
{
    vulkan_device *v = vulkan_self(d);
    bool ok = vulkan_submit(v);
    return vulkan_wait(v, v->submitted) && ok;
}

/* ---- marks: numbers of batches, and never 0 ---- */

void *vulkan_mark(run_device *d)
{
    vulkan_device *v = vulkan_self(d);
    return vulkan_submit(v) ? (void *)(uintptr_t)(v->submitted + 1) : NULL;
}

static uint64_t number_of(const void *mark)
{
    return (uint64_t)(uintptr_t)mark - 1;
}

bool vulkan_flush(run_device *d)
{
    return vulkan_submit(vulkan_self(d));
}

bool vulkan_is_reached(run_device *d, void *mark)
{
    vulkan_device *v = vulkan_self(d);
    vulkan_retire(v);
    return !v->first || v->first->number > number_of(mark);
}

bool vulkan_await(run_device *d, void *mark)
{
    return vulkan_wait(vulkan_self(d), number_of(mark));
}

void vulkan_forget(run_device *d, void *mark)
{
    (void)d;
    (void)mark;
}

/* ---- the end ---- */

void vulkan_close_queue(vulkan_device *v)
{
    if (v->device)
        v->api.vkDeviceWaitIdle(v->device);
    v->lost = true; /* nobody waits for what was fetched */
    vulkan_retire(v);
    if (v->open)
        take_back(v, v->open);
    v->open = NULL;
    for (vulkan_batch *b; (b = v->spare) != NULL;) {
        v->spare = b->next;
        free_batch(v, b);
    }
    vulkan_drop_idle(v);
}
