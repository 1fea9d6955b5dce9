/* When the local arrays of a kernel are in use, and which of them may not have bytes in common. */
#ifndef FCL_IR_KERNEL_LIVENESS_H
#define FCL_IR_KERNEL_LIVENESS_H

#include "ir/kernel/kir.h"

/* From the first access to the last in the order of the text, with every loop whose next turn may
 * see what this one left in the array.  Counted in statements, and in phases (k_local). */
typedef struct k_life {
    uint32_t first, last; /* statements; last < first: no access at all */
    uint32_t from, to;    /* phases */
} k_life;

typedef struct k_lives {
    uint32_t n, phases;
    k_life *at; /* one for each local array of the kernel, in its order */
    uint32_t words;
    uint64_t *clash; /* n rows of bits: the arrays that may not share bytes with this one */
} k_lives;

/* False when memory runs out; *out must be freed either way. */
bool k_live(const k_program *p, const k_kernel *k, k_lives *out);
void k_lives_free(const k_program *p, k_lives *l);
/* Whether two arrays may not share bytes: both are in use at some point, or some thread may
 * reach one while another thread is still busy with the other, as no barrier of the block stands
 * between. */
bool k_lives_clash(const k_lives *l, uint32_t i, uint32_t j);

#endif
