/* Which kernels hand values from thread to thread through global memory. */
#ifndef FCL_IR_KERNEL_SHARED_H
#define FCL_IR_KERNEL_SHARED_H

#include "ir/kernel/kir.h"

/* Whether some global memory of the kernel is both stored to and loaded from, and not by atomic
 * steps alone, which need no barrier to be seen.  seen: a byte for each node, all 0, and 0 again
 * afterwards.  Linear in the kernel. */
bool k_shares_global(const k_program *p, const k_kernel *k, uint8_t *seen);

#endif
