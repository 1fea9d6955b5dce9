/* Which kernels hand values from thread to thread through global memory, and at which barriers. */
#ifndef FCL_IR_KERNEL_SHARED_H
#define FCL_IR_KERNEL_SHARED_H

#include "ir/kernel/kir.h"

/* Whether some global memory of the kernel is both stored to and loaded from, and not by atomic
 * steps alone, which need no barrier to be seen.
 * order: NULL, or what is told about each barrier of such a kernel, whether it is to order global
 * memory: something of it may be stored before and loaded behind.
 * seen: a byte for each node, all 0, and 0 again afterwards.  Linear in the kernel. */
typedef struct k_ordering {
    void (*barrier)(void *data, k_id sync, bool fenced);
    void *data;
} k_ordering;
bool k_shares_global(const k_program *p, const k_kernel *k, const k_ordering *order, uint8_t *seen);

#endif
