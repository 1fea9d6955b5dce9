/* Which threads of a block access which elements of its arrays. */
#ifndef FCL_IR_KERNEL_OWN_H
#define FCL_IR_KERNEL_OWN_H

#include "ir/kernel/analysis/accesses.h"

enum { MOST_PLACES = 128 };

/* What is known of one access: lane `lane` (of a wide one) at an index is to that place of the
 * thread's own. */
typedef struct own_place {
    k_id index;
    uint32_t lane, place;
} own_place;

typedef VEC(own_place) own_places;

/* What was found of one memory. */
typedef struct own_range {
    uint32_t start, end;
} own_range;

/* Whether every thread of a launch uses elements of a memory that no other thread uses, at places
 * of its own: two accesses by a thread are to the same element either for all threads or for none.
 * There are at most MOST_PLACES; the accesses are appended to found, and *places is how many there
 * are. */
bool k_own_places(const k_program *p, const k_accesses *all, k_id memory, k_id launch, own_places *found,
                  uint32_t *places);
/* Whether, places or not, no two threads of the launch access the same element. */
bool k_is_own(const k_program *p, const k_accesses *all, k_id memory, k_id launch);
const own_place *k_find_place(const own_places *found, own_range in, k_id index, uint32_t lane);

#endif
