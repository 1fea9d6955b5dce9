/* What accesses each memory of a program: the uses of memories, as a compiler has def-use chains of
 * values.  Made once for a program that stays as it is. */
#ifndef FCL_IR_KERNEL_ACCESSES_H
#define FCL_IR_KERNEL_ACCESSES_H

#include "ir/kernel/kir.h"

/* By node.  A memory that a launch allocates is accessed in that launch only. */
typedef struct k_accesses {
    k_id *first; /* of a memory: its first access in the order of the text; 0: none */
    k_id *next;  /* of an access: the one behind it; 0: the last one */
    size_t n;
} k_accesses;

/* False when memory is short; to be freed in either case. */
bool k_accesses_find(const k_program *p, k_accesses *out);
void k_accesses_free(const k_program *p, k_accesses *a);

#endif
