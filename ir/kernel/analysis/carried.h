/* Arrays of a block that loops carry and of which every turn of the block's loops uses its own
 * element: accumulators. */
#ifndef FCL_IR_KERNEL_CARRIED_H
#define FCL_IR_KERNEL_CARRIED_H

#include "ir/kernel/kir.h"

/* What is found of each node of a lowered program, for k_uses_carried; NULL when memory is short.
 * One walk. */
uint8_t *k_find_carried(const k_program *p);
/* Whether the block, or one inside, accesses such an array. */
bool k_uses_carried(const k_program *p, const uint8_t *found, k_block b);

#endif
