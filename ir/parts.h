/* What a value is a component of: tuples are taken apart and put together as they are handed on,
 * and what a component is has been said where the tuple was made. */
#ifndef FCL_IR_PARTS_H
#define FCL_IR_PARTS_H

#include "ir/ir.h"

enum { PART_DEPTH = 8 };

/* A component of a value that is itself no component of another: path[n - 1] is the number of the
 * outermost; n 0: the whole. */
typedef struct ir_part {
    ir_value of;
    uint32_t n, path[PART_DEPTH];
} ir_part;

/* Of a component that nests too deep, itself as a whole. */
ir_part ir_part_of(ir_module *m, ir_value v);
/* Whether one of them, of one value, contains the other. */
bool ir_parts_overlap(const ir_part *x, const ir_part *y);

#endif
