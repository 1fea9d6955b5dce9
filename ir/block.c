/* Which functions have blocks of a size of their own: see block.h. */
#include "ir/block.h"

#include "ir/properties.h"

uint32_t ir_block_of(const ir_module *m, ir_func f)
{
    return (uint32_t)ir_property_number(m, (subject){ON_FUNC, f}, PROPERTY_BLOCK, 0);
}
