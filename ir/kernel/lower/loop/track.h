/* The arrays of the state of a loop in memory, while it is lowered: loop.c lowers the step, again and again, until what is said
 * of them holds; found.c sees what a step tells; places.c says where the next arrays go. */
#ifndef FCL_IR_KERNEL_LOWER_LOOP_TRACK_H
#define FCL_IR_KERNEL_LOWER_LOOP_TRACK_H

#include "ir/kernel/lower/loop/loop.h"

/* An array of the state. */
typedef struct track {
    uint32_t rank;
    ir_type elem;
    destination dest;
    k_id first_size, other_size; /* elements of the two areas */
    k_id zero;                   /* the first offset: of an array that is adopted, where that lies */
    const k_id *start;           /* extents of the first array */
    k_id most[MAX_RANK];         /* each extent's bound: none may grow */
    bool fixed;                  /* the step leaves the extents as they are: they are not carried */
    bool shrinks;                /* of rank 1: the step's array is seen to be no longer */
    bool in_place;               /* it needs no other area */
    bool same;                   /* the step hands it on, in the memory where it was */
    bool stands;                 /* the step's array lies where this round has read it */
    bool updated;                /* an update overwrites it */
    bool lanes;                  /* in registers: the offset stays 0 */
    bool kept[MAX_RANK];         /* the step leaves the extent as it is */
    bool adopted;                /* in the memory of the array that it begins with */
    bool pair;                   /* it has two memories, `dest` and `other` */
    destination other;
    bool grows;                  /* `other` gets more room where a round needs it */
    growing g;
    int64_t least[MAX_RANK];     /* each extent is at least that in every round: 0 or 1 */
    bool stays;                  /* of rank 1: what is not empty stays so */
    uint32_t from;               /* its first carried value */
    k_id offset;                 /* in this round; with the extents */
    const k_id *shape;
} track;

/* What an array hands on to the next round, where it carries it. */
typedef struct handed {
    k_id offset; /* of one that grows: the room of the other memory */
    const k_id *shape;
    k_id room; /* of one that grows: that of its own memory */
} handed;

/* A loop, and what has been seen of it. */
typedef struct tracked {
    const state_loop *code;
    const state_parts *start;
    track *tracks;
    bool *counts;      /* which of the state's scalars are seen to count turns (loop/counters.c) */
    uint32_t n, level; /* tracks; the level of their arrays */
    uint32_t tries;    /* lowerings of the step so far */
    uint32_t grown;    /* entries of lowering.grown that were there before */
    bool tried;        /* whether the rounds are known (loop/unrolled.c) */
    k_id stmt, go;     /* the condition; 0: a repeat */
} tracked;

/* ---- found.c: after a step, which gives the state `next` ---- */
/* Whether an array that has been adopted turns out not to stay where it is.  Then all get memory of their own. */
bool lower_leaves_start(const tracked *w, const state_parts *next);
/* Whether what is said of extents, and of numbers that count turns, is too much or too little: it has been corrected. */
bool lower_learns_of_step(lowering *L, tracked *w, const state_parts *next);
/* Whether the array has been found to grow when a loop around this one was lowered before, and nothing that the state is seen to
 * keep has been found since. */
bool lower_has_grown(const lowering *L, const tracked *w, uint32_t array);
/* Whether the lowered step says of more arrays that one area is enough. */
bool lower_learns_in_place(lowering *L, tracked *w, const state_parts *next);

/* ---- places.c ---- */
/* Whether the array that the step hands on is in a memory of the state, from an offset on. */
bool lower_lies_at(const track *t, const sv *p, const destination *d, k_id offset);
/* Where the next round's array is, if not where this one's is. */
k_id lower_other_area(k_builder *b, const track *t);
destination *lower_other_memory(track *t);
/* Writes all arrays of the next state, but those that are there, and what each hands on to the next round, in a list of as many. */
void lower_place_arrays(lowering *L, tracked *w, const state_parts *next, handed *to);

#endif
