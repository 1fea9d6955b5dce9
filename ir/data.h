/* The elements of a `constant`, as bytes: see ops.def.
 *
 * The operation's attribute is the scalar type, its instance lies in the pool as those of calls do,
 * [1 + rank, 0, bytes, extents]: so that what compares instances compares these too.  The bytes are
 * interned, little endian, in row-major order. */
#ifndef FCL_IR_DATA_H
#define FCL_IR_DATA_H

#include "ir/ir.h"

typedef struct ir_data {
    scalar type;
    uint32_t rank;           /* 0: the operation has no such instance */
    const uint32_t *extents; /* in the module's pool */
    uint64_t count;          /* of elements; no more than there are bytes */
    str_id bytes;            /* 0: none */
} ir_data;

/* The pool index of the elements of a constant; 0 when memory is short. */
uint32_t ir_add_data(ir_module *m, const uint32_t *extents, uint32_t rank, str_id bytes);
/* What a constant holds; rank 0 for what ir_data_wrong refuses, but for bools, where it need not
 * look at the bytes. */
ir_data ir_op_data(const ir_module *m, ir_op o);
/* Why the elements are none, in words that go on "the constant ..."; NULL: they are.  There are as
 * many bytes as the extents and the type say, and those of a bool are 0 or 1. */
const char *ir_data_wrong(const ir_module *m, ir_type t, const uint32_t *extents, uint32_t rank,
                          str_id bytes);
/* An element as constants hold it (scalar.h); there is one NaN. */
uint64_t ir_data_element(const ir_module *m, const ir_data *d, uint64_t i);

#endif
