/* What the files of Vulkan's emitter share.  A memory is a variable, and an element of it is named
 * by its number: that of a buffer, or of what an address leads to, is a component of its only
 * member, that of a local area one of a unit, which is a vector where some access to the area is
 * wide. */
#ifndef FCL_BACKENDS_SPIRV_VULKAN_ACCESS_H
#define FCL_BACKENDS_SPIRV_VULKAN_ACCESS_H

#include "backends/spirv/emit.h"

/* The type of a memory's elements. */
static inline scalar vulkan_kept(const sp_emitter *e, k_id memory)
{
    return sp_kept(e, (scalar)k_at(e->p, memory)->type);
}

/* How many elements of a local array lie in one unit of its area. */
static inline uint32_t vulkan_unit(const sp_emitter *e, k_id memory)
{
    uint8_t note = e->notes[memory];
    return note & SP_BY_4 ? 4 : note & SP_BY_2 ? 2 : 1;
}

/* Whether global memory is reached by addresses, not as buffers. */
static inline bool vulkan_has_addresses(const sp_emitter *e)
{
    return e->environment->buffers == SpvStorageClassPhysicalStorageBuffer;
}

/* vulkan_globals.c: what stands for the same memory as vectors. */
sp_id vulkan_wide(sp_emitter *e, k_id memory, const sp_freight *f);
/* Declares the kernel's buffers; or makes address number i, of the memories and then of the report
 * of checks, a pointer. */
void vulkan_put_buffers(sp_emitter *e);
void vulkan_take_address(sp_emitter *e, uint32_t i, sp_id address);
void vulkan_extension(sp_module *s, const char *name);
void vulkan_decorate(sp_emitter *e, sp_id id, SpvDecoration what);
void vulkan_decorate_by(sp_emitter *e, sp_id id, SpvDecoration what, uint32_t number);
void vulkan_place_member(sp_emitter *e, sp_id block, uint32_t member, uint32_t offset);
sp_id vulkan_variable(sp_emitter *e, SpvStorageClass storage, sp_id type);

/* vulkan_access.c: those of sp_environment. */
sp_id vulkan_element(sp_emitter *e, k_id memory, k_id index);
sp_id vulkan_word(sp_emitter *e, uint32_t i);
sp_id vulkan_cell(sp_emitter *e, const k_node *n);
void vulkan_load_wide(sp_emitter *e, const k_node *n);
void vulkan_store_wide(sp_emitter *e, const k_node *n);

#endif
