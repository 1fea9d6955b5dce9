/* Building kernel programs: open scopes, append statements, get folded, shared and well-placed
 * values.  Finding values again is hash-consing, or value numbering; placing them is global code
 * motion, done early.
 *
 * Pure values are folded (fold.c), found again when they exist already (one table, undone as scopes
 * close), and placed in the outermost open scope that their operands allow: what does not depend on
 * a loop leaves it, and what depends on the program's arguments alone ends in the host block.  An
 * expensive operation does not leave an `if`, unless it is wanted outside.  So neither lowering nor
 * the passes that rebuild a program need a pass for common subexpressions or invariants.  Loads
 * stay where they are made, and are shared as long as the memory cannot have been written. */
#ifndef FCL_IR_KERNEL_BUILD_H
#define FCL_IR_KERNEL_BUILD_H

#include "ir/kernel/facts.h"

typedef struct k_scope {
    k_block block;
    k_id owner;        /* the statement that the block belongs to; 0: host */
    uint32_t log;      /* length of the undo log when it was opened */
    uint32_t verdicts; /* how many there were when its statement was opened */
} k_scope;

/* Inside a branch that is taken when x is a constant, x is that constant: shapes that a program
 * asks about become known.  Likewise an extent that is something computed, as 128 n, and the condition itself. */
typedef struct k_given {
    k_id x, value;
    uint32_t depth; /* of the branch */
} k_given;

typedef VEC(k_given) k_givens; /* those of inner branches last */

/* A condition that the host has asked for: where it does not hold, nothing behind is run. */
typedef struct k_passed {
    k_id cond;
    k_block block; /* in which it stands */
} k_passed;

/* Where values are wanted that are made further in: those whose operands are known there go there,
 * whatever they cost. */
typedef struct k_outside {
    bool wanted, claims; /* claims: those whose arithmetic is claimed as well */
    uint16_t depth;
} k_outside;

/* What is known where a proof begins: algebra/prove_known.c. */
typedef struct prove_start prove_start;
prove_start *prove_start_new(mem *m); /* NULL after a failure */
void prove_start_free(mem *m, prove_start *s);

/* A value that is there, with the hash of what it computes: most of what it is compared with differs in that. */
typedef struct numbered_value {
    k_id id;
    uint32_t hash;
} numbered_value;

typedef struct k_builder {
    k_program *p;
    k_givens given[2]; /* of numbers, and of conditions, of which there are many around where many numbers are asked for: kb_given_kind */
    VEC(k_passed) passed;
    vec_u32 passed_at; /* by condition, 1 + where it stands in `passed`; 0: nowhere */
    VEC(k_scope) scopes; /* innermost last; index = depth */
    vec_u32 log;         /* table slots filled, for undoing */
    numbered_value *table; /* value numbering: open addressing over pure values */
    uint32_t table_cap, table_len;
    uint16_t launch_depth; /* depth of the open launch's scope; 0: none is open */
    k_outside outside;
    uint32_t loc;          /* given to new nodes */
    bool share_remainders; /* (4x + j) rem 32 becomes 4 (x rem 8) + j: neighbours are being built */
    uint32_t folds;        /* that are being made, one inside another */
    uint32_t clock, synced,
        entered;    /* ticks with every write; at the last barrier; at the start of the last loop */
    vec_u32 stamps; /* by node: the clock as a memory was last written, as a load was made */
    k_id checked, acted; /* the last check made; the last statement that workers run together */
    k_id emitted;        /* the last leaf that is handed out */
    prove_start *start;  /* where the last proof began */
    bool failed;         /* out of memory or over the node limit (reported) */
} k_builder;

static inline uint32_t kb_given_kind(const k_builder *b, k_id x)
{
    return k_at(b->p, x)->type == ST_BOOL;
}

/* Whether the block is one of those that are being built, one inside another. */
static inline bool kb_is_open(const k_builder *b, k_block block)
{
    for (uint32_t k = 0; k < b->scopes.len; k++)
        if (b->scopes.at[k].block == block)
            return true;
    return false;
}

bool kb_init(k_builder *b, k_program *p); /* opens the host block */
void kb_release(k_builder *b);

/* Values. */
k_id kb_const(k_builder *b, scalar t, uint64_t bits);
k_id kb_claimed(k_builder *b, opcode op, k_id x, k_id y); /* without folding, for position.c */
k_id kb_int(k_builder *b, int32_t x);                     /* type i32 */
k_id kb_known(const k_builder *b, k_id x);                /* what x is known to be here: k_given */
/* Unused operands are 0; the type follows.  Where an i32 and an i64 meet, both are taken as i64. */
k_id kb_scalar(k_builder *b, opcode op, k_id x, k_id y, k_id z);
k_id kb_convert(k_builder *b, scalar to, k_id x);
k_id kb_bitcast(k_builder *b, scalar to, k_id x);
k_id kb_arg(k_builder *b, uint32_t leaf_no, scalar t);
k_id kb_dim(k_builder *b, uint32_t leaf_no, uint32_t axis);
k_id kb_builtin(k_builder *b, k_coordinate which, int64_t hi);
/* A value of which nothing is known, for code that will be dropped. */
k_id kb_unknown(k_builder *b, scalar t);
/* Shorthands for index arithmetic, in i32 or i64. */
k_id kb_add(k_builder *b, k_id x, k_id y);
k_id kb_sub(k_builder *b, k_id x, k_id y);
k_id kb_mul(k_builder *b, k_id x, k_id y);
k_id kb_min(k_builder *b, k_id x, k_id y);
k_id kb_max(k_builder *b, k_id x, k_id y);
k_id kb_lt(k_builder *b, k_id x, k_id y);
k_id kb_select(k_builder *b, k_id c, k_id x, k_id y);

/* Positions of elements and counts of them.  position.c */

/* x + y or x * y (i32) that is part of the position of an element which exists: CLAIMED unless
 * PROVED. */
k_id kb_claim(k_builder *b, opcode op, k_id x, k_id y);
/* v, likewise; sums of what is not negative need no care then, as wrapping would have made them
 * negative. */
k_id kb_position(k_builder *b, k_id v);
/* x + y or x * y for x, y >= 0 (i32), or the greatest i32 when that is too small.  Memory of that
 * size is refused. */
k_id kb_saturate(k_builder *b, opcode op, k_id x, k_id y);
k_id kb_narrow(k_builder *b,
               k_id x); /* an i64 as i32, or the greatest i32 when that is too small */

/* Memory. */
k_id kb_buffer(k_builder *b, uint32_t leaf_no, scalar t);
k_id kb_alloc(k_builder *b, k_space s, scalar t, k_id size);
/* A memory of constants of the type, which is only read. */
k_id kb_table(k_builder *b, scalar t, const k_id *constants, uint32_t n);
/* used: how many of the elements are not there for padding only; 0: all.  pad.c */
k_id kb_alloc_padded(k_builder *b, k_space s, scalar t, k_id size, k_id used);
/* kb_alloc in an enclosing scope, before whatever is being built inside it. */
k_id kb_alloc_at(k_builder *b, uint32_t depth, k_space s, scalar t, k_id size);
k_id kb_load(k_builder *b, k_id memory, k_id index);
void kb_store(k_builder *b, k_id memory, k_id index, k_id value);
/* The statement, whose results are the elements.  kb_result */
k_id kb_load_wide(k_builder *b, k_id memory, k_id index, uint32_t lanes);
void kb_store_wide(k_builder *b, k_id memory, k_id index, const k_id *values, uint32_t lanes);
k_id kb_shuffle(k_builder *b, k_id value, k_id lane);
/* What atomic steps on elements of a type work with: the bits of floats. */
scalar kb_atomic_type(scalar t);
/* other: what ATOMIC_COMPARE stores; 0 for the rest.  The value of ATOMIC_STORE is not to be used.
 */
k_id kb_atomic(k_builder *b, k_atomic what, k_id memory, k_id index, k_id x, k_id other);
void kb_sync(k_builder *b, uint32_t level);
/* Nothing when the condition is known to hold.  text: of an assertion, or 0. */
void kb_check(k_builder *b, k_checked what, k_id cond, k_id first, k_id second, str_id text);
/* Likewise by the host in front of the open launch, if that tells as much: the place is run by each
 * launch that has work, and the host knows the values.  False, and nothing built, otherwise. */
bool kb_check_ahead(k_builder *b, k_checked what, k_id cond, k_id first, k_id second, str_id text);
k_id kb_failed(k_builder *b); /* never shared: it may change with every look */
void kb_output(k_builder *b, uint32_t leaf_no, k_id memory, const k_id *dims, uint32_t rank);
/* A leaf of what is handed out: `follow` more belong to it.  show: a text, or 0. */
void kb_emit(k_builder *b, k_id memory, k_id from, const k_id *dims, uint32_t rank, uint32_t follow,
             str_id show);
void kb_emit_scalar(k_builder *b, k_id value, uint32_t follow, str_id show);
/* Gives global memory of the host room for so many elements; what it held is gone. */
void kb_resize(k_builder *b, k_id memory, k_id elements);
/* Such memory has what is given for the leaves that were handed out in front; the statement, whose
 * results are the extents. */
k_id kb_receive(k_builder *b, k_id memory, uint32_t rank, str_id show);
/* Two such of one type change places. */
void kb_swap(k_builder *b, k_id x, k_id y);

/* Structured statements.  open_* starts block 0 and returns the statement; next_block ends it with
 * a yield and starts block 1; close ends the last block with a yield and appends the statement.
 * Parameters: kb_param; results: kb_result.
 */
k_id kb_open_if(k_builder *b, k_id cond);
/* Parameter 0 is the variable, of the type of hi. */
k_id kb_open_for(k_builder *b, k_id lo, k_id hi, k_id step, const k_id *init, uint32_t n);
k_id kb_open_while(k_builder *b, const k_id *init,
                   uint32_t n); /* next_block yields the condition; block 1 is nested in block 0 */
k_id kb_open_par(k_builder *b, k_workers over, k_id n); /* likewise, of the type of n */
k_id kb_open_launch(k_builder *b, uint32_t level, k_id groups, uint32_t threads);
void kb_next_block(k_builder *b, const k_id *yield, uint32_t n);
void kb_close(k_builder *b, const k_id *yield, uint32_t n);
k_id kb_param(const k_builder *b, k_id stmt, uint32_t i);
k_id kb_result(const k_builder *b, k_id stmt, uint32_t i);
/* Drops the innermost open statement with everything in its blocks; values that left it stay. */
void kb_discard(k_builder *b);
/* Ends the innermost open if, in its first block, and puts its statements in its place. */
void kb_dissolve(k_builder *b);
/* Adds a block's worth of speculation: statements made until kb_discard vanish. */
void kb_open_scratch(k_builder *b);

/* Ends the host block. */
void kb_end(k_builder *b);

/* From now on values are wanted at that depth; returns what was wanted before, for builder.outside
 * afterwards. */
k_outside kb_outside(k_builder *b, uint32_t depth, bool claims);
uint16_t kb_depth(const k_builder *b); /* of the innermost scope */
uint16_t
kb_host_depth(const k_builder *b); /* the deepest scope that is still outside every launch */
/* Whether a value may be used in the scope that encloses every launch: host code. */
bool kb_is_host(const k_builder *b, k_id v);

#endif
