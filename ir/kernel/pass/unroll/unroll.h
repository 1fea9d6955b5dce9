/* What the files of unrolling share, each using those above it alone: cost.c, border.c, turn.c,
 * together.c, unroll.c. */
#ifndef FCL_IR_KERNEL_UNROLL_H
#define FCL_IR_KERNEL_UNROLL_H

#include "ir/kernel/build/rebuild.h"

/* The memory of a body that one of its interleaved turns uses. */
typedef struct turn_memory {
    k_id old, fresh;
    uint32_t turn;
} turn_memory;

typedef struct unrolling {
    rebuild r;
    uint8_t *indexes; /* old value -> whether it is made of constants, loop variables and what
                         stands outside loops */
    bool *borders;    /* old loop -> whether it stands in code for the ends of arrays */
    uint32_t copies;  /* of the code that is being rebuilt */
    uint16_t depth; /* scope around the outermost loop that is being unrolled: memories of its body
                       are put there */
    VEC(turn_memory)
    memories; /* of bodies inside that loop: no two turns of one body have the same */
} unrolling;

/* How often a loop turns: at least `least` and at most `most` times. */
typedef struct turns {
    int64_t least, most;
} turns;

/* What a body costs: statements, with nested loops of constant turns counted as often as they turn,
 * and as they stand. */
typedef struct body_cost {
    uint64_t opened, kept;
    bool loops;  /* some nested loop has no constant number of turns */
    bool whiles; /* some nested loop does not count */
    bool local;  /* it reads or writes local memory */
} body_cost;

/* ---- unroll/cost.c ---- */
bool unroll_find_indexes(unrolling *u);
body_cost unroll_cost(const unrolling *u, k_block body);
/* The turns of a loop with these bounds; false when they are not known. */
bool unroll_turns(const k_program *p, k_id lo, k_id hi, k_id step, turns *out);
/* own: the loop accesses local memory, of which threads may have elements for themselves. */
bool unroll_fits(const unrolling *u, uint64_t times, uint64_t cost, bool own);

/* ---- unroll/border.c ---- */
bool unroll_find_borders(unrolling *u);

/* ---- unroll/turn.c ---- */
/* A loop being rebuilt: the old node, and its bounds in the new program. */
typedef struct old_loop {
    k_id id;
    k_node n;
    k_id lo, hi, step;
    turns t;
    bool counted; /* t is known */
} old_loop;

old_loop unroll_look(const unrolling *u, k_id old);
k_id unroll_index(unrolling *u, const old_loop *l, int64_t turn);
/* A copy of the body for that turn; carried values go in and come out. */
void unroll_turn(unrolling *u, const old_loop *l, int64_t turn, k_id *carried);
/* The last turn, which may not be due. */
void unroll_rest(unrolling *u, const old_loop *l, k_id *carried);
void unroll_set_results(unrolling *u, const old_loop *l, const k_id *values);

/* ---- unroll/together.c ---- */
/* Whether the turns of an independent loop may be interleaved statement by statement. */
bool unroll_may_interleave(const unrolling *u, const old_loop *l);
void unroll_together(unrolling *u, const old_loop *l);

#endif
