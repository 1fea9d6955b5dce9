/* What the algebra tells of values, for lowering and passes.  How it folds what is built is the
 * builder's business (fold.h). */
#ifndef FCL_IR_KERNEL_ALGEBRA_H
#define FCL_IR_KERNEL_ALGEBRA_H

#include "ir/kernel/build/build.h"

/* A value outside every launch that is >= v (i32), or 0 when none can be told. bound.c */
k_id ka_upper(k_builder *b, k_id v);
/* A value that x is evidently below (a loop's limit, a divisor), or 0. */
k_id ka_limit(const k_builder *b, k_id x);

/* What is seen to hold where the builder is; these build nothing.  prove.c */

/* Why 0 <= i < n, as a text that stays; NULL: it is not seen to. */
const char *ka_proves_index(const k_builder *b, k_id i, k_id n);
/* Likewise why lo <= v <= hi. */
const char *ka_proves_between(const k_builder *b, k_id v, int64_t lo, int64_t hi);
/* Whether x <= n. */
bool ka_not_above(const k_builder *b, k_id x, k_id n);
/* Whether n, a length that depends on the number i of a chunk, is c or more for all numbers below
 * the limit of i but the last and, unless `first` says that it counts, the first. */
bool ka_fills_chunk(const k_builder *b, k_id n, k_id c, k_id i, bool first);

/* Why elements go to different positions, or NULL: at[] for those counted by n variables of open
 * loops, each in its range.  All that is not deeper than these loops is taken to be the same for
 * all elements, and x and y (0: nothing) to be the same number.  Builds nothing.  injective.c */
const char *ka_proves_injective(const k_builder *b, const k_id *at, const k_id *shape,
                                uint32_t rank, const k_id *vars, uint32_t n, k_id x, k_id y);
/* Whether n <= t * c in the open scope of that depth; whether x = y.  Neither builds anything. */
bool ka_proves_covered(const k_builder *b, uint32_t depth, k_id n, k_id t, k_id c);
bool ka_proves_same(const k_builder *b, k_id x, k_id y);

#endif
