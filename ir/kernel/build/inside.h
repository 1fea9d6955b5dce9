/* What the files of the builder share, each using those above it alone: node.c, number.c, scope.c;
 * then value.c, memory.c and statement.c.  build.h is what they offer to others. */
#ifndef FCL_IR_KERNEL_BUILD_INSIDE_H
#define FCL_IR_KERNEL_BUILD_INSIDE_H

#include "ir/kernel/build/build.h"

/* ---- node.c ---- */

/* A new node, in no block yet; 0 when the builder has failed. */
k_id kb_new_node(k_builder *b, k_node n);
k_block kb_new_block(k_builder *b);
/* Puts a node at the end of the block that is open at a depth. */
void kb_append(k_builder *b, uint32_t depth, k_id n);
/* A new node at the end of the innermost open block. */
k_id kb_effect(k_builder *b, k_node n);
void kb_add_list(k_builder *b, k_node *n, const k_id *list, uint32_t len);
/* The next result of a statement, number i. */
void kb_add_result(k_builder *b, k_id owner, uint32_t i, scalar t);

/* ---- number.c ---- */

/* When the clock stamped a node: a memory as it was last written, a load as it was made. */
uint32_t kb_stamp_of(const k_builder *b, k_id v);
void kb_stamp(k_builder *b, k_id v);

/* Forgets the values that were numbered since the log was that long. */
void kb_forget(k_builder *b, uint32_t log);
/* The value n as far out as its operands allow: the one that exists, or a new one that lies in the
 * range, if that is known. */
k_id kb_pure(k_builder *b, k_node n, k_range r);
/* Likewise, but here, or where claimed arithmetic is wanted (builder.outside). */
k_id kb_here(k_builder *b, k_node n, k_range r);
/* A load, or an equal one that was made when the clock was `since` or later. */
k_id kb_loaded(k_builder *b, k_node n, uint32_t since);

/* ---- scope.c ---- */

void kb_push_scope(k_builder *b, k_block block, k_id owner);
void kb_pop_scope(k_builder *b);

/* The floor of a quotient or product of an integer in doubles, as an i32; 0 where x is none.
 * whole.c */
k_id kb_whole(k_builder *b, k_id x);

#endif
