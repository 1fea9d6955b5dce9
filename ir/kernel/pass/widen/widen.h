/* Shared by widen.c, widen/find.c and widen/lanes.c: element loops whose workers take several
 * elements at once. */
#ifndef FCL_IR_KERNEL_WIDEN_H
#define FCL_IR_KERNEL_WIDEN_H

#include "ir/kernel/build/rebuild.h"

/* What is noted about an old node in the body of the loop at hand. */
enum {
    NOTE_BODY = 1,     /* it is there */
    NOTE_READ = 2,     /* it depends on what the body reads */
    NOTE_UP = 4,       /* an access of neighbouring elements to neighbours in memory */
    NOTE_DOWN = 8,     /* the same, in reverse */
    NOTE_TOGETHER = 16 /* an if that the lanes decide alike, but where its tests fail */
};

/* Ifs with more results of all lanes than this are not worth it: each lane keeps its own. */
enum { MOST_YIELDED = 320 };

typedef struct widening {
    rebuild r;
    uint32_t threads; /* of the launch that is being copied */
    uint8_t *notes;
    uint8_t *carried; /* analysis/carried.h */
    k_id *
        lane[MAX_LANES]; /* old node -> new node, for each of the elements that are taken at once */
    k_id *common;        /* r.map, which the lanes take the place of while theirs is built */
    uint32_t lanes;
    /* about the body */
    uint32_t statements;
    uint32_t sizes; /* bytes of an element, of the types that it has in global memory: a set of
                       powers of two */
    bool far; /* the lanes are as many elements apart as a block has threads, not neighbours */
    /* found by the trial */
    bool trial;
    uint32_t wide, apart; /* accesses to global memory that are wide; others, each at a place of its
                             own that no memory tells */
    uint16_t outer; /* depth of the scope in which alignment is tested: that around the loop, or for
                       a grid the host */
    uint32_t
        found; /* sizes of the elements that wide accesses to global memory have: a set likewise */
    k_id bits; /* a multiple of lanes when the accesses that must be aligned are; 0: all are, always
                */
    vec_u32 tests; /* comparisons (old) that must be the same for the first and the last element */
} widening;

/* ---- widen/lanes.c ---- */
/* Lets the lanes know what the common map knows of operands from outside the body. */
bool widen_lanes_begin(widening *w, k_block body);
/* Every statement of an old block for all lanes, wide where the trial has found that it can be. */
void widen_lanes_block(widening *w, k_block old);
/* Whether the tests hold, as a value; 0: there are none.  Builds what they need for two of the
 * lanes. */
k_id widen_lanes_agree(widening *w, k_block body);

/* ---- widen/find.c ---- */
/* Takes stock of a body; false when it is not for this pass. */
bool widen_body_is_simple(widening *w, k_block body);
/* In a trial, before a statement is built for the lanes: what can be done with it. */
void widen_lanes_study(widening *w, k_id old);

#endif
