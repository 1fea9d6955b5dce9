/* Pipelines on disk: what a driver's pipeline cache has after it has made one, under the name of all
 * that has a part in it. */
#include "backends/run/vulkan/device.h"

#include <string.h>

void vulkan_name_pipeline(const vulkan_device *v, const vulkan_pipeline *p, uint32_t lanes,
                          const vec_u32 *code, cache_key *k)
{
    const VkPhysicalDeviceProperties *about = &v->about;
    cache_key_begin(k, "vulkan");
    cache_key_add(k, about->pipelineCacheUUID, sizeof about->pipelineCacheUUID);
    cache_key_add(k, &about->driverVersion, sizeof about->driverVersion);
    cache_key_add(k, &about->vendorID, sizeof about->vendorID);
    cache_key_add(k, &about->deviceID, sizeof about->deviceID);
    cache_key_add(k, about->deviceName, strlen(about->deviceName));
    cache_key_add(k, p->name, strlen(p->name));
    cache_key_add(k, &p->threads, sizeof p->threads);
    cache_key_add(k, &p->buffers, sizeof p->buffers);
    cache_key_add(k, &lanes, sizeof lanes);
    cache_key_add(k, p->areas.at, p->areas.len * sizeof *p->areas.at);
    cache_key_add(k, code->at, code->len * sizeof *code->at);
    cache_key_end(k);
}

VkPipelineCache vulkan_take_pipelines(vulkan_device *v, const cache_key *k, bool *found)
{
    vec_char data = {0};
    VkPipelineCache made = VK_NULL_HANDLE;
    *found = cache_take(v->base.cx, k, &data);
    VkPipelineCacheCreateInfo how = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                     .initialDataSize = data.len,
                                     .pInitialData = data.at};
    if (*found && v->api.vkCreatePipelineCache(v->device, &how, NULL, &made) != VK_SUCCESS)
        *found = false;
    how.initialDataSize = 0;
    if (!made && cache_may_keep(v->base.cx) &&
        v->api.vkCreatePipelineCache(v->device, &how, NULL, &made) != VK_SUCCESS)
        made = VK_NULL_HANDLE;
    vec_free(&v->base.cx->mem, &data);
    return made;
}

/* A driver that keeps nothing in such caches, as lavapipe, gives their header alone. */
void vulkan_keep_pipelines(vulkan_device *v, const cache_key *k, VkPipelineCache of)
{
    mem *m = &v->base.cx->mem;
    const bool oom = m->oom;
    size_t size = 0;
    vec_char data = {0};
    if (v->api.vkGetPipelineCacheData(v->device, of, &size, NULL) == VK_SUCCESS &&
        size > sizeof(VkPipelineCacheHeaderVersionOne) && size <= cache_most_bytes(v->base.cx) &&
        vec_reserve(m, &data, size) &&
        v->api.vkGetPipelineCacheData(v->device, of, &size, data.at) == VK_SUCCESS)
        cache_keep(v->base.cx, k, data.at, size);
    vec_free(m, &data);
    m->oom = oom; /* then it is not kept */
}
