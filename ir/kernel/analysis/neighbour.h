/* Indices compared: which are neighbours, and which are multiples of the number of elements of a
 * wide access. */
#ifndef FCL_IR_KERNEL_NEIGHBOUR_H
#define FCL_IR_KERNEL_NEIGHBOUR_H

#include "ir/kernel/algebra/fold.h"

enum { MEMORY_ALIGNMENT = 16 }; /* bytes: every memory starts at a multiple */

/* Bytes of the widest access that the target wants: where loops become vectors, accesses do by themselves. */
uint32_t k_widest_access(const k_program *p);

/* The form of an index (i32 or i64) with its terms in order: the same for equal sums, whichever way
 * they were added up. */
linear k_index_form(const k_program *p, k_id v);
/* The same modulo 2^32: what is enough to know of indices that are not negative and as i32, and of
 * their lowest bits. */
linear k_index_residue(const k_program *p, k_id v);
/* -1, 0 or 1: an order of forms without their constants; 0: they differ by x->c - y->c, modulo what
 * the type holds. */
int k_compare_terms(const linear *x, const linear *y);

/* How many of the lowest bits of an integer are certainly zero; at most 32. */
uint32_t k_known_zeros(const k_program *p, k_id v);
/* The same of a term. */
uint32_t k_term_zeros(const k_program *p, const linear *l, uint32_t i);
/* Whether v is certainly a multiple; of no number is it known but of powers of two. */
static inline bool is_multiple(const k_program *p, k_id v, uint32_t of)
{
    return !(of & (of - 1)) && k_known_zeros(p, v) >= (uint32_t)__builtin_ctz(of);
}

#endif
