/* Whether two operations are the same, with all that is in them: the same operators of the same
 * operands, where what is defined inside corresponds.  For value numbering (cse.c). */
#ifndef FCL_IR_PASSES_SAME_H
#define FCL_IR_PASSES_SAME_H

#include "ir/ir.h"

/* Regions inside one another that are looked into: so often is an operation looked at. */
enum { SAME_DEPTH = 8 };

typedef struct same {
    ir_module *m;
    vec_u32 mark, number; /* by value: the walk that met it inside; what it is there */
    uint32_t walk, met;
    bool updates; /* the module overwrites arrays: they have owners */
    const vec_u32 *bound; /* by function: 0 where one call may stand for several; NULL: none may */
} same;

bool same_init(same *s, ir_module *m);
void same_free(same *s);
/* Whether one of two equal ones can stand for both. */
bool same_may_merge(same *s, ir_op o);
/* Whether it may hand something out: what may end the run does not change places with that. */
bool same_hands_out(const same *s, ir_op o);
uint32_t same_hash(same *s, ir_op o);
bool same_ops(same *s, ir_op a, ir_op b);

#endif
