/* The fields of nodes by what they mean, and facts by what they say, for code that handles every
 * operator: the verifier, the printer and the reader.  Whoever handles one operator may read its
 * fields directly. */
#ifndef FCL_IR_KERNEL_FIELDS_H
#define FCL_IR_KERNEL_FIELDS_H

#include "ir/kernel/kir.h"

/* ---- what kind of its operator a node is ---- */

static inline uint32_t k_opcode(const k_node *n) /* SCALAR */
{
    return n->sub;
}
static inline uint32_t k_space_of(const k_node *n) /* ALLOC */
{
    return n->sub;
}
static inline uint32_t k_workers_of(const k_node *n) /* PAR */
{
    return n->sub;
}
static inline uint32_t k_builtin_of(const k_node *n) /* BUILTIN */
{
    return n->sub;
}
static inline uint32_t k_atomic_of(const k_node *n) /* ATOMIC */
{
    return n->sub;
}
static inline uint32_t k_level_of(const k_node *n) /* SYNC, LAUNCH */
{
    return n->sub;
}
static inline uint32_t k_leaf_of(const k_node *n) /* ARG, BUFFER, OUTPUT, DIM */
{
    return n->op == K_DIM ? n->sub / MAX_RANK : n->sub;
}
static inline uint32_t k_axis_of(const k_node *n) /* DIM */
{
    return n->sub % MAX_RANK;
}
static inline uint32_t k_number_of(const k_node *n) /* RESULT, PARAM */
{
    return n->sub;
}
static inline bool k_is_independent(const k_node *n) /* FOR */
{
    return n->sub & FOR_INDEPENDENT;
}
static inline bool k_is_overwritten(const k_node *n) /* BUFFER */
{
    return n->exact != 0;
}

/* ---- facts ---- */

static inline int64_t k_lo(const k_program *p, k_id n)
{
    return k_at(p, n)->lo;
}
static inline int64_t k_hi(const k_program *p, k_id n)
{
    return k_at(p, n)->hi;
}
static inline uint64_t k_bits(const k_node *n) /* CONST */
{
    return (uint64_t)n->lo;
}
static inline k_id k_bound_of(const k_program *p, k_id n)
{
    return k_at(p, n)->bound;
}
/* What a carried parameter stays below; a loop's variable is below the end of its loop. */
static inline k_id k_below_of(const k_program *p, k_id n)
{
    return k_at(p, n)->args[1];
}
static inline uint32_t k_exactness(const k_program *p, k_id n)
{
    return k_at(p, n)->op == K_BUFFER ? WRAPS : k_at(p, n)->exact;
}
static inline bool k_is_extent(const k_program *p, k_id n)
{
    return k_at(p, n)->extent != 0;
}

/* ---- operands, whatever a node says ---- */

static inline k_id k_pooled(const k_program *p, uint32_t at, uint32_t i)
{
    return (uint64_t)at + i < p->pool.len ? p->pool.at[at + i] : 0;
}

#endif
