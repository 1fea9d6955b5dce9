/* Rebuilding: a pass copies a program through the builder, statement by statement, and does
 * something else where it wants to.  The copy is folded, shared and placed again as it is built.
 * Functional compilers write passes like this, as folds from one tree to the next; what is kept as
 * state is SSA construction on the fly.
 *
 * A pass embeds `rebuild` as the first member of its own state and gives a hook that is asked
 * about every statement: true, the hook has dealt with it (and set the new values of its results);
 * false, it is copied.  It may also keep values as it goes (state), as of the elements of an
 * array: what is stored in an if or a loop, that statement then yields. */
#ifndef FCL_IR_KERNEL_REBUILD_H
#define FCL_IR_KERNEL_REBUILD_H

#include "ir/kernel/build/build.h"

typedef struct rebuild {
    k_builder b;
    const k_program *old;
    k_id *map;  /* old node -> new node */
    k_id first; /* nodes from here on are of the statement that is being copied */
    bool (*statement)(struct rebuild *r, k_id old);
    bool everywhere; /* what is copied now is computed by threads whose statements do not run:
                        claims do not hold */
    /* Values of the new program that statements change: ifs and loops hand on those that they
     * change. */
    k_id *state;
    uint32_t nstate;
    bool (*changes)(struct rebuild *r, k_id region, uint32_t i);
    arena room; /* for lists of values, as those that a loop carries: there may be any number */
} rebuild;

/* Room for n values until the pass ends; NULL, and the builder has failed, when memory is short. */
k_id *rebuild_room(rebuild *r, uint32_t n);

/* Runs the pass over *p and puts the copy in its place.  False when memory runs out or a limit is
 * met (reported). */
bool k_rebuild(k_program *p, rebuild *r);

k_id rebuild_value(const rebuild *r, k_id old); /* the new value of an old one */
void rebuild_statement(rebuild *r, k_id old);   /* asks the hook, else copies */
void rebuild_copy(rebuild *r, k_id old);        /* copies; nested statements ask the hook again */
k_id rebuild_launch(rebuild *r, k_id old, k_id groups); /* likewise, of a launch, with as many groups */
void rebuild_access(rebuild *r, k_id old,
                    k_id at); /* copies a load, store or atomic step, but of element `at` */
void rebuild_block(rebuild *r, k_block old); /* every statement, without the yield */
/* The yielded values of an old block, mapped; returns how many (at most max, the results of the
 * block's statement). */
uint32_t rebuild_yield(const rebuild *r, k_block old, k_id *out, uint32_t max);
/* The initial carried values of an old loop, mapped; returns how many: loop->nlist. */
uint32_t rebuild_carried(const rebuild *r, const k_node *loop, k_id *init);
/* fresh stands for old from now on, and keeps what was known of it: the narrower interval, and its
 * bound.  Not a node that was there before and not a pure value, which is found again from other
 * places: less may be known there. */
void rebuild_facts(rebuild *r, k_id old, k_id fresh);
/* Opens a for over the numbers of an old one, which carries n values: its own, and more behind them. */
k_id rebuild_open_for(rebuild *r, k_id old, const k_id *init, uint32_t n);
/* The first block of an old while, up to the second: a turn follows where its condition holds and `well` (0: where no check has
 * failed by then) and `more` (0: in any case). */
void rebuild_condition(rebuild *r, const k_node *loop, k_id well, k_id more);
/* An old while that also ends where `well` does not hold; 0: where a check has failed by then. */
void rebuild_while(rebuild *r, k_id old, k_id well);
/* Some turns of an old for of step 1 that is independent and carries nothing. */
void rebuild_turns(rebuild *r, const k_node *loop, k_id from, k_id end);
void rebuild_results(rebuild *r, k_id old, k_id stmt); /* results of old are those of stmt */
/* Likewise the parameters of block 0, from number `first` on. */
void rebuild_params(rebuild *r, k_id old, k_id stmt, uint32_t first);

#endif
