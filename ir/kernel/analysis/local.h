/* Reading the map of a kernel's local memory: sizes of arrays and areas, and where it is
 * fullest. */
#ifndef FCL_IR_KERNEL_MAP_H
#define FCL_IR_KERNEL_MAP_H

#include "ir/kernel/kir.h"

/* How the sizes that only the launch knows are found; of NULL: they count as none. */
typedef struct k_sizes {
    int64_t (*of)(const void *user, k_id size);
    const void *user;
} k_sizes;

enum { AREA_ALIGNMENT = 16 };

static inline const k_local *k_local_at(const k_program *p, const k_kernel *k, uint32_t i)
{
    return &p->locals.at[k->locals + i];
}
/* Whether the number of elements is known when compiling; it is 1 at least, as no array is empty in
 * C. */
bool k_local_count(const k_program *p, k_id alloc, int64_t *count);
uint64_t k_local_elements(const k_program *p, k_id alloc, k_sizes sizes);
uint64_t k_local_bytes(const k_program *p, k_id alloc, k_sizes sizes);
/* What a block has. */
uint64_t k_local_most(const k_program *p);
/* What a block may take without room for fewer blocks on a multiprocessor: array sizes that only
 * the launch knows are rounded up to their constant bound within this. */
uint64_t k_local_budget(const k_program *p, k_id launch);
/* The number of elements, or a constant bound of it; false when there is none. */
bool k_local_bound(const k_program *p, k_id alloc, int64_t *count);
/* Elements that exist only to keep threads out of each other's banks (pad.c). */
uint64_t k_local_padding(const k_program *p, k_id alloc);

/* The arrays of an area: locals first ... first + n - 1 of the kernel. */
uint32_t k_area_locals(const k_program *p, const k_kernel *k, uint32_t area, uint32_t *first);
/* Whether only the launch knows its size, so that it is an argument of the kernel. */
bool k_area_is_argument(const k_program *p, const k_kernel *k, uint32_t area);
uint64_t k_area_bytes(const k_program *p, const k_kernel *k, uint32_t area, k_sizes sizes);
/* All areas together: what a block needs. */
uint64_t k_map_bytes(const k_program *p, const k_kernel *k, k_sizes sizes);
/* The phase in which most bytes are in use. */
uint32_t k_map_fullest(const k_program *p, const k_kernel *k, k_sizes sizes);
bool k_local_in_phase(const k_local *l, uint32_t phase);
/* Adds a note to the diagnostic reported last for each array in use in the fullest phase. */
void k_map_note(const k_program *p, const k_kernel *k, k_sizes sizes);

#endif
