/* Proofs about accesses: whether an index lies inside its axis, whatever the arguments are.  Compilers
 * that eliminate bounds checks ask the same. */
#include "ir/kernel/algebra/fold.h"

const char *ka_proves_index(const k_builder *b, k_id i, k_id n)
{
    if (k_lo(b->p, i) < 0 || !ka_is_below(b->p, i, n))
        return NULL;
    return "by its structure";
}
