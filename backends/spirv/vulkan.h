/* What the emitter of Vulkan's SPIR-V and whoever runs it agree on.
 *
 * A kernel's global memories are storage buffers of set 0, bound from 0 on in the order of its
 * arguments; the memory that checks report to is bound behind them.  The scalars are a block: first
 * the number of groups that have work, in 32 bits, then each scalar in its order, narrow ones
 * filled up to 32 bits.  A block of at most VULKAN_PUSHED bytes is pushed, a longer one is a
 * storage buffer behind all others.  Of the target spirv-vulkan-addresses, memories are no buffers:
 * their addresses, of 64 bits, stand in the block behind the scalars, that of the report last.
 * Groups run in two dimensions, x first; those beyond the number do nothing.  Specialisation
 * constant 0 is the number of threads of a group, and 1 + i the bytes of local argument i.  Where
 * lanes exchange values, pipelines are to ask for full subgroups of the warp's size. */
#ifndef FCL_BACKENDS_SPIRV_VULKAN_H
#define FCL_BACKENDS_SPIRV_VULKAN_H

#include <stdint.h>

enum {
    VULKAN_PUSHED = 128, /* that every device takes */
    VULKAN_GROUP_SIZE = 0,
    VULKAN_AREA_BYTES = 1
};

/* Where the next scalar of so many bytes stands in the block, which ends at *end. */
static inline uint32_t vulkan_place(uint32_t *end, uint32_t bytes)
{
    uint32_t whole = bytes == 8 ? 8 : 4, at = (*end + whole - 1) / whole * whole;
    *end = at + whole;
    return at;
}

#endif
