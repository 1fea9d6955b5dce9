/* Buffers of a Vulkan device, and what moves their elements: see device.h. */
#include "backends/run/vulkan/device.h"

#include <string.h>

/* ---- buffers ---- */

bool vulkan_refuse_size(vulkan_device *v, uint64_t bytes)
{
    diag_error(v->base.cx, DIAG_VULKAN_LIMIT, (location){0},
               "a buffer of %llu bytes is more than the %u that the device lets kernels see",
               (unsigned long long)bytes, v->about.limits.maxStorageBufferRange);
    diag_hint(v->base.cx, v->has_addresses
                              ? "let kernels have addresses: the target spirv-vulkan-addresses"
                              : "work on less at once, or use another device");
    return false;
}

static VkResult make_buffer(vulkan_device *v, vulkan_memory *b)
{
    VkBufferCreateInfo how = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .size = b->bytes,
                              .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    if (v->has_addresses)
        how.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    return v->api.vkCreateBuffer(v->device, &how, NULL, &b->buffer);
}

static uint64_t address_of(vulkan_device *v, const vulkan_memory *b)
{
    VkBufferDeviceAddressInfo which = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                       .buffer = b->buffer};
    return v->api.vkGetBufferDeviceAddress(v->device, &which);
}

static VkResult place_buffer(vulkan_device *v, vulkan_memory *b, uint32_t type)
{
    VkMemoryRequirements needs;
    v->api.vkGetBufferMemoryRequirements(v->device, b->buffer, &needs);
    VkMemoryAllocateFlagsInfo addressed = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                           .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo how = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                .pNext = v->has_addresses ? &addressed : NULL,
                                .allocationSize = needs.size,
                                .memoryTypeIndex = type};
    VkResult error = v->api.vkAllocateMemory(v->device, &how, NULL, &b->memory);
    if (error == VK_SUCCESS)
        error = v->api.vkBindBufferMemory(v->device, b->buffer, b->memory, 0);
    if (error == VK_SUCCESS && v->has_addresses)
        b->address = address_of(v, b);
    return error;
}

void vulkan_destroy(vulkan_device *v, vulkan_memory *b)
{
    v->api.vkDestroyBuffer(v->device, b->buffer, NULL);
    v->api.vkFreeMemory(v->device, b->memory, NULL);
    mem_free(&v->base.cx->mem, b, sizeof *b);
}

static VkResult try_buffer(vulkan_device *v, uint64_t bytes, uint32_t type, vulkan_memory **out)
{
    vulkan_memory *b = mem_zeroed(&v->base.cx->mem, sizeof *b);
    if (!b)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    b->bytes = bytes;
    VkResult error = make_buffer(v, b);
    if (error == VK_SUCCESS)
        error = place_buffer(v, b, type);
    if (error == VK_SUCCESS)
        *out = b;
    else
        vulkan_destroy(v, b);
    return error;
}

/* Where memory is short, what is on its way out goes first. */
static vulkan_memory *get_buffer(vulkan_device *v, uint64_t bytes, uint32_t type)
{
    vulkan_memory *b = NULL;
    VkResult error = try_buffer(v, bytes, type, &b);
    if (error == VK_ERROR_OUT_OF_DEVICE_MEMORY || error == VK_ERROR_TOO_MANY_OBJECTS) {
        if (!vulkan_finish(&v->base))
            return NULL;
        vulkan_drop_idle(v);
        error = try_buffer(v, bytes, type, &b);
    }
    if (b || v->base.cx->mem.oom)
        return b;
    vulkan_failed(v, "vkAllocateMemory", error);
    diag_note_add(v->base.cx, (location){0}, "for a buffer of %llu bytes",
                  (unsigned long long)bytes);
    return NULL;
}

/* Whole vectors, and never none. */
void *vulkan_new_buffer(run_device *d, uint64_t bytes, const void *init)
{
    vulkan_device *v = vulkan_self(d);
    if (!v->has_addresses && bytes > v->about.limits.maxStorageBufferRange - 16u)
        return vulkan_refuse_size(v, bytes), NULL;
    vulkan_memory *b = get_buffer(v, (bytes / 16 + 1) * 16, v->memory_type);
    if (!b || !init || vulkan_write(d, b, bytes, init))
        return b;
    vulkan_release(d, b);
    return NULL;
}

/* Commands that use it may still run. */
void vulkan_release(run_device *d, void *memory)
{
    vulkan_device *v = vulkan_self(d);
    vulkan_memory *b = memory;
    vulkan_retire(v);
    vulkan_batch *last = v->open;
    for (vulkan_batch *x = v->first; !v->open && x; x = x->next)
        last = x;
    if (!last) {
        vulkan_destroy(v, b);
        return;
    }
    b->next = last->dropped;
    last->dropped = b;
}

/* ---- memory that the host sees ---- */

static bool show(vulkan_device *v, vulkan_memory *b)
{
    void *at = NULL;
    VkResult error = v->api.vkMapMemory(v->device, b->memory, 0, VK_WHOLE_SIZE, 0, &at);
    b->at = at;
    return error == VK_SUCCESS || vulkan_failed(v, "vkMapMemory", error);
}

static vulkan_memory *find_idle(vulkan_device *v, uint64_t bytes)
{
    for (vulkan_memory **at = &v->idle; *at; at = &(*at)->next) {
        vulkan_memory *b = *at;
        if (b->bytes != bytes)
            continue;
        *at = b->next;
        v->idle_bytes -= bytes;
        return b;
    }
    return NULL;
}

static vulkan_memory *new_staged(vulkan_device *v, uint64_t bytes)
{
    vulkan_memory *b = get_buffer(v, bytes, v->host_type);
    if (!b || show(v, b))
        return b;
    vulkan_destroy(v, b);
    return NULL;
}

/* In a few sizes, so that they fit again. */
vulkan_memory *vulkan_stage(vulkan_device *v, vulkan_batch *b, uint64_t bytes)
{
    uint64_t room = 4096;
    while (room < bytes)
        room *= 16;
    room = room < VULKAN_PIECE ? room : VULKAN_PIECE;
    vulkan_memory *x = find_idle(v, room);
    if (!x && (x = new_staged(v, room)) == NULL)
        return NULL;
    x->next = b->staged;
    b->staged = x;
    return x;
}

void vulkan_unstage(vulkan_device *v, vulkan_memory *b)
{
    if (v->lost || v->idle_bytes + b->bytes > VULKAN_IDLE) {
        vulkan_destroy(v, b);
        return;
    }
    b->next = v->idle;
    v->idle = b;
    v->idle_bytes += b->bytes;
}

void vulkan_drop_idle(vulkan_device *v)
{
    for (vulkan_memory *b; (b = v->idle) != NULL;) {
        v->idle = b->next;
        vulkan_destroy(v, b);
    }
    v->idle_bytes = 0;
}

/* ---- moving ---- */

static bool put_copy(vulkan_device *v, vulkan_memory *from, vulkan_memory *to, VkBufferCopy how)
{
    vulkan_order(v, &from, 1, &to, 1);
    v->api.vkCmdCopyBuffer(v->open->command, from->buffer, to->buffer, 1, &how);
    return vulkan_recorded(v);
}

static uint64_t piece(uint64_t at, uint64_t bytes)
{
    return bytes - at < VULKAN_PIECE ? bytes - at : VULKAN_PIECE;
}

/* The device takes a piece while the host makes the next one. */
bool vulkan_write(run_device *d, void *memory, uint64_t bytes, const void *from)
{
    vulkan_device *v = vulkan_self(d);
    for (uint64_t at = 0; at < bytes; at += VULKAN_PIECE) {
        uint64_t n = piece(at, bytes);
        vulkan_batch *b = vulkan_record(v);
        vulkan_memory *x = b ? vulkan_stage(v, b, n) : NULL;
        if (!x)
            return false;
        memcpy(x->at, (const unsigned char *)from + at, (size_t)n);
        if (!put_copy(v, x, memory, (VkBufferCopy){.dstOffset = at, .size = n}) ||
            (n == VULKAN_PIECE && !vulkan_submit(v)))
            return false;
    }
    return true;
}

static bool fetch(vulkan_device *v, vulkan_memory *from, uint64_t offset, uint64_t bytes, void *to)
{
    for (uint64_t at = 0; at < bytes; at += VULKAN_PIECE) {
        uint64_t n = piece(at, bytes);
        vulkan_batch *b = vulkan_record(v);
        vulkan_memory *x = b ? vulkan_stage(v, b, n) : NULL;
        vulkan_fetch f = {.from = x, .to = (unsigned char *)to + at, .bytes = n};
        if (!x || !vec_push(&v->base.cx->mem, &b->fetches, f) ||
            !put_copy(v, from, x, (VkBufferCopy){.srcOffset = offset + at, .size = n}) ||
            (n == VULKAN_PIECE && !vulkan_submit(v)))
            return false;
    }
    return true;
}

bool vulkan_read(run_device *d, void *memory, uint64_t offset, uint64_t bytes, void *to)
{
    bool ok = fetch(vulkan_self(d), memory, offset, bytes, to);
    return vulkan_finish(d) && ok;
}

bool vulkan_read_later(run_device *d, void *memory, uint64_t bytes, void *to)
{
    return fetch(vulkan_self(d), memory, 0, bytes, to);
}

/* Whole words: a buffer ends with a vector. */
bool vulkan_clear(run_device *d, void *memory, uint64_t bytes)
{
    vulkan_device *v = vulkan_self(d);
    vulkan_memory *b = memory;
    if (!vulkan_record(v))
        return false;
    vulkan_order(v, NULL, 0, &b, 1);
    v->api.vkCmdFillBuffer(v->open->command, b->buffer, 0, (bytes + 3) / 4 * 4, 0);
    return vulkan_recorded(v);
}

bool vulkan_copy(run_device *d, void *from, void *to, uint64_t bytes)
{
    vulkan_device *v = vulkan_self(d);
    return vulkan_record(v) && put_copy(v, from, to, (VkBufferCopy){.size = bytes});
}
