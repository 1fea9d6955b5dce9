/* Copying parts of a module, into the same one or another of the same context.
 *
 * A cloner knows what stands for what: values, type and level variables, functions.  Copies have
 * new ids, and the names, positions, attributes and types of what they were made from; inside one
 * module what has no copy stands for itself, so that an operation that is copied uses what it used
 * before. Copying costs what is copied; a cloner is reused for many copies and forgets in the time
 * that noting took. */
#ifndef FCL_IR_REWRITE_CLONE_H
#define FCL_IR_REWRITE_CLONE_H

#include "ir/ir.h"

/* From ids to ids, 0 for none; `set` lists the keys that have an entry. */
typedef struct id_map {
    vec_u32 to, set;
} id_map;

typedef struct ir_cloner {
    ir_module *from, *to;
    id_map values, tvars, types, funcs; /* tvars: to types, or to levels */
    vec_u32 scratch;                    /* operands of what is being copied: a stack */
    bool
        failed; /* memory is short, or something of another module has nothing that stands for it */
} ir_cloner;

void ir_cloner_init(ir_cloner *c, ir_module *from, ir_module *to);
void ir_cloner_free(ir_cloner *c);
/* Forgets what stands for what, functions excepted. */
void ir_cloner_reset(ir_cloner *c);

/* Lets `to` stand for a value, for a type variable (a type) or a level variable (a level), for a
 * function of another module. */
void ir_cloner_value(ir_cloner *c, ir_value v, ir_value to);
void ir_cloner_tvar(ir_cloner *c, ir_tvar v, uint32_t to);
void ir_cloner_func(ir_cloner *c, ir_func f, ir_func to);

/* What stands for a type, a level, an operand; 0 or itself after a failure. */
ir_type ir_clone_type(ir_cloner *c, ir_type t);
ir_level ir_clone_level(ir_cloner *c, ir_level l);
ir_value ir_clone_operand(ir_cloner *c, ir_value v);
/* Appends a copy of an operation, with its regions; 0 after a failure. */
ir_op ir_clone_op(ir_cloner *c, ir_op o, ir_region into);
/* The same, but its regions have parameters alone. */
ir_op ir_clone_shell(ir_cloner *c, ir_op o, ir_region into);
/* Appends copies of a region's operations without its terminator; what stands for the value that
 * this gives.  What stands for the region's parameters must have been said. */
ir_value ir_clone_body(ir_cloner *c, ir_region from, ir_region into);
/* A copy of a function under another name; 0 after a failure. */
ir_func ir_clone_func(ir_cloner *c, ir_func f, str_id name);

#endif
