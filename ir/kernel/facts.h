/* What is known of values beside what their nodes compute: intervals, bounds, limits.
 *
 * Facts only grow: whoever states one narrows what is known, and what holds of a node holds
 * wherever it is used.  Every fact about a value comes in here. */
#ifndef FCL_IR_KERNEL_FACTS_H
#define FCL_IR_KERNEL_FACTS_H

#include "ir/kernel/kir.h"

/* All integers from lo to hi; not known: they do not fit 64 bits, or nothing can be told. */
typedef struct k_range {
    int64_t lo, hi;
    bool known;
} k_range;

static inline const k_facts *k_facts_of(const k_program *p, k_id v)
{
    return &p->facts.at[v < p->facts.len ? v : 0];
}
/* The least and the greatest value that v can have. */
static inline int64_t k_lo(const k_program *p, k_id v)
{
    return k_facts_of(p, v)->lo;
}
static inline int64_t k_hi(const k_program *p, k_id v)
{
    return k_facts_of(p, v)->hi;
}
/* A value outside all launches that v is never above, and one that v is always below, when they are
 * known otherwise than by structure; or 0. */
static inline k_id k_bound(const k_program *p, k_id v)
{
    return k_facts_of(p, v)->bound;
}
static inline k_id k_below(const k_program *p, k_id v)
{
    return k_facts_of(p, v)->below;
}
/* Whether v was said to be the length of an axis, which its operands do not tell. */
static inline bool k_is_extent(const k_program *p, k_id v)
{
    return k_facts_of(p, v)->extent;
}

/* Every value of v lies in [lo, hi] too.  Where nothing would be left, v is never computed, and
 * what was known stays. */
void k_state_range(k_program *p, k_id v, int64_t lo, int64_t hi);
/* v <= bound, which lies outside all launches; v < limit (0: not known). */
void k_state_bound(k_program *p, k_id v, k_id bound);
void k_state_below(k_program *p, k_id v, k_id limit);
/* v is the length of an axis. */
void k_state_extent(k_program *p, k_id v);

/* All that is known of v, for who makes a program from what was known of another. */
void k_state_all(k_program *p, k_id v, k_facts f);

/* The values of a type; of floats nothing is known, nor of u64, whose bits they are. */
void k_type_range(scalar t, int64_t *lo, int64_t *hi);
bool k_type_is_int(scalar t); /* integers and bool */

#endif
