/* Changing a module in place: inserting, erasing, moving and inlining operations, and replacing
 * what a value is used for.
 *
 * An editor is made for a module when there is something to change, in one walk over it: it adds to
 * the nodes what they leave out, the operation before each one, the order in a region, and the uses
 * of values.  Every change keeps that, and costs what it changes.  Between the making of an editor
 * and its end nothing else may change operations.
 *
 * Ids, names, positions and attributes of what stays are kept.  The module counts as unchecked from
 * the first change on. */
#ifndef FCL_IR_REWRITE_EDIT_H
#define FCL_IR_REWRITE_EDIT_H

#include "ir/rewrite/clone.h"

/* A use is named by its slot in the module's pool of operands; 0 is none. */
typedef struct use_node {
    ir_op user;
    uint32_t next, before; /* of the same value */
} use_node;

typedef struct ir_editor {
    ir_module *m;
    ir_cloner cloner;
    vec_u32 before, order; /* by operation: the one before it; greater than that one's */
    VEC(use_node) uses;    /* by slot of the pool */
    vec_u32 first_use;     /* by value */
    bool failed;           /* memory is short */
} ir_editor;

bool ir_editor_init(ir_editor *e, ir_module *m);
/* False when memory was short meanwhile: the module may be incomplete then. */
bool ir_editor_end(ir_editor *e);

/* The uses of a value: for (u = ir_first_use(e, v); u; u = ir_next_use(e, u)). */
uint32_t ir_first_use(const ir_editor *e, ir_value v);
uint32_t ir_next_use(const ir_editor *e, uint32_t use);
ir_op ir_user(const ir_editor *e, uint32_t use);

/* Whether a value may be used at a place: in a region, before an operation of it; 0: at its end. */
bool ir_visible_at(const ir_editor *e, ir_value v, ir_region r, ir_op before);

/* A new operation with empty regions, before another one of the region. */
ir_op ir_insert_op(ir_editor *e, ir_region r, ir_op before, opcode code, const ir_value *args,
                   uint32_t nargs, uint32_t loc);
/* A copy of an operation on other operands, at the end of a region; what regions it has are empty
 * but for parameters.  0 after a failure. */
ir_op ir_copy_op(ir_editor *e, ir_op from, ir_region r, const ir_value *args);
/* Removes an operation and all in it.  False, and nothing happens, while its result is used. */
bool ir_erase_op(ir_editor *e, ir_op o);
void ir_set_operand(ir_editor *e, ir_op o, uint32_t k, ir_value v);
/* Whatever used v uses w, of the same type; w must be visible there. */
void ir_replace_uses(ir_editor *e, ir_value v, ir_value w);
/* Moves an operation, with what is in it, before another one in a region of the same function.
 * False, and nothing happens, when something that it uses would not be visible there, or its result
 * not where it is used. */
bool ir_move_op(ir_editor *e, ir_op o, ir_region r, ir_op before);
/* Moves all operations of a region but its end before an operation of a region around it; returns
 * the value that the region gave, 0 after a failure.  Its parameters must be unused. */
ir_value ir_move_body(ir_editor *e, ir_region from, ir_region r, ir_op before);
/* A region, which is empty, becomes another one, which is empty then: its parameters and
 * operations; what owns that one is to be erased. */
void ir_take_region(ir_editor *e, ir_region from, ir_region to);
/* The operations alone: what the parameters were used for uses args, which are visible there. */
void ir_take_body(ir_editor *e, ir_region from, ir_region to, const ir_value *args);
/* Copies of the operations of a region but its end, at the end of another one: args for its
 * parameters. What stands for the value that it gives, 0 after a failure. */
ir_value ir_copy_body(ir_editor *e, ir_region from, ir_region to, const ir_value *args);
/* Copies of those operations of a region that one of its values needs, at the end of another one: args for its
 * parameters.  What stands for the value, 0 after a failure. */
ir_value ir_copy_needed(ir_editor *e, ir_region from, ir_value v, ir_region to, const ir_value *args);
/* Region k of an operation, which is to be erased, as an fn in front of it; 0 after a failure.  The
 * types of its parameters are known. */
ir_value ir_region_to_fn(ir_editor *e, ir_op o, uint32_t k);

/* Puts the body of the function in the place of a call: arguments for parameters, the instance's
 * types and levels for the function's own.  False, and nothing happens, when the instance is not
 * known, types agree by a scheme only, or regions would nest too deep. */
bool ir_inline_call(ir_editor *e, ir_op call);
/* Likewise the body of an fn in the place of an application of it, in one or several, to all that it takes.  False, and nothing
 * happens, where the function is not seen. */
bool ir_inline_apply(ir_editor *e, ir_op apply);

#endif
