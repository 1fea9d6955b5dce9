/* What the typing rules of check/ops.c, check/ops_seq.c and check/scatter.c share. */
#ifndef FCL_IR_CHECK_OPS_H
#define FCL_IR_CHECK_OPS_H

#include "ir/check/impl.h"

/* Reports at the operation being checked; the value is the unknown type (diag_error returns
 * false). */
#define REFUSE(c, code, ...) ((ir_type)diag_error((c)->cx, DIAG_##code, check_here(c), __VA_ARGS__))
#define TEXT(c, t)           type_str((c)->m, t)

static inline type_node node_of(const checker *c, ir_type t)
{
    return *ir_type_at(c->m, t);
}

/* The rank, element and level of operand k, a push array; false after an error or for an unknown
 * type. */
bool check_push_operand(checker *c, ir_op o, uint32_t k, type_node *out);
/* The same of an array: what is written, by a level or by nobody that is named. */
bool check_array_operand(checker *c, ir_op o, uint32_t k, type_node *out);
/* Whether t is a state of scalars and pull arrays, reported when not (check/state.c). */
bool check_is_pull_state(checker *c, ir_op o, ir_type t);
/* The element of the written result type, 0 when none is written. */
ir_type check_element_of_written(checker *c, ir_op o);
/* The type of a position in an array: int, or a tuple of `rank` ints. */
ir_type check_position_type(checker *c, uint32_t rank);
/* Sets the type of a region's parameter to what the operator passes. */
void check_pass_param(checker *c, ir_region r, uint32_t k, ir_type t);

#endif
