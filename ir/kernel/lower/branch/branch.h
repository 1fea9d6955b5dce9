/* What the files of branch/ ask of one another: branches that are looked at before they are run,
 * and what they have done, kept. */
#ifndef FCL_IR_KERNEL_LOWER_BRANCH_H
#define FCL_IR_KERNEL_LOWER_BRANCH_H

#include "ir/kernel/lower/value.h"

/* ---- foresee.c ---- */
/* Computes what both branches of an if ask for of arrays with numbers up to from, in front of
 * it.  True: they have been looked at, and ask no array for more than one element. */
bool lower_foresee(lowering *L, k_id cond, uint32_t from, const thunk *then, const thunk *other);
/* Around the branches of an if, in its first block, between its blocks, and behind them. */
typedef struct foreseen_if {
    uint32_t first, second, certain;
} foreseen_if;
foreseen_if lower_foresee_open(lowering *L);
void lower_foresee_next(lowering *L, foreseen_if *i);
void lower_foresee_close(lowering *L, const foreseen_if *i);

/* ---- keep.c ---- */
/* Whether all that v, a value of the innermost open block, refers to is known outside of the
 * block: what was made since from, and nodes from first on. */
bool lower_is_outside(lowering *L, const sv *v, uint32_t from, k_id first);
/* Runs a branch of an if, in an if of its own on cond; the value can be used behind it, wherever
 * cond holds. */
const sv *lower_keep(lowering *L, k_id cond, const thunk *branch);
/* Whether a branch of the open if has done what cannot be done again where an element of v, its
 * value, is needed. */
bool lower_must_keep(const lowering *L, k_id stmt, const sv *v);
/* Whether a branch of the open if overwrites what is there outside of it, or hands something out. */
bool lower_has_effects(const lowering *L, k_id stmt);

#endif
