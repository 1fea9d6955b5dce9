/* What the files of virtualisation share, each using those above it alone: threads.c, lanes.c,
 * predicate.c, virtualise.c.  They rebuild a program with its parallel loops spread over real
 * threads. */
#ifndef FCL_IR_KERNEL_VIRTUALISE_H
#define FCL_IR_KERNEL_VIRTUALISE_H

#include "ir/kernel/build/rebuild.h"

/* Facts about old nodes (lanes.c), about memories in lanes and what reads them. */
enum {
    LANE_VARIES = 1,  /* the value differs between the lanes of a warp (where lanes exchange values;
                       * else between the warps of a block),  as far as one can tell */
    LANE_OWN = 2,     /* a load of the running lane's own element */
    LANE_SHUFFLE = 4, /* a load that all lanes of the warp run together: a shuffle */
    LANE_MIRROR = 8,  /* a memory that has other loads: they read a copy in local memory */
    LANE_TOGETHER = 16 /* a statement that has shuffles inside: all lanes of a warp run it */
};

typedef struct lane_arrays {
    uint32_t count; /* of old nodes */
    uint8_t *facts; /* of each; NULL: the program has no memories in lanes, and no loops over warps
                       with barriers */
    k_id *mirror;   /* old memory -> its copy in local memory */
    vec_u32 stored; /* old memories with copies that the running PAR has stored */
    k_id
        all; /* the mask of the running PAR, when no lane has a second piece of work; 0: some may */
    uint32_t depth; /* of the scope of its body */
} lane_arrays;

typedef struct spreading {
    rebuild r;
    k_id *offset; /* old memory -> index of the running thread's part of the new one; 0: none */
    lane_arrays lanes;
    uint8_t *carried; /* analysis/carried.h */
    /* of the launch being rebuilt */
    uint32_t level, threads, warp, warps;
    k_id groups; /* its number of groups, known once its loop over the grid has been met */
    k_id mask;   /* bool: whether the running warp or thread takes part (predicate.c); 0: everybody
                    does */
    bool alike;  /* the mask is the same for all threads of the block */
} spreading;

/* ---- threads.c ---- */

/* The number of the running thread in its block, of its warp in the block, of the thread in its
 * warp. */
k_id virtualise_thread_id(spreading *s);
k_id virtualise_warp_id(spreading *s);
k_id virtualise_lane_id(spreading *s);
/* Threads of the running warp: the last one of a block may have fewer. */
k_id virtualise_warp_width(spreading *s);
/* The number of the running group, which is below s->groups; that of the running thread among those
 * of all groups. */
k_id virtualise_group_id(spreading *s);
k_id virtualise_grid_thread(spreading *s);
/* A barrier; warps that cannot wait by themselves wait with the whole block. */
void virtualise_barrier(spreading *s, uint32_t level);
/* The highest level of a barrier in a block, or 0. */
uint32_t virtualise_highest_barrier(const spreading *s, k_block b);
/* The level at which one piece of work must be finished by all before the next one begins; 0: they
 * do not meet. */
uint32_t virtualise_between_pieces(const spreading *s, k_block body);

static inline bool lane_fact(const spreading *s, k_id old, uint8_t fact)
{
    return s->lanes.facts && (s->lanes.facts[old] & fact);
}

/* ---- lanes.c ---- */

bool virtualise_lanes_analyse(lane_arrays *l,
                              const k_program *p); /* false: out of memory; release it either way */
void virtualise_lanes_release(lane_arrays *l, mem *m);
bool virtualise_turns_alike(
    const spreading *s,
    const k_node *loop); /* lanes, or warps, take the same number of turns, masked or not */
bool virtualise_is_in_lanes(
    const spreading *s, const k_node *access); /* a load or store of an old memory in lane_arrays */
void virtualise_lanes_alloc(spreading *s, k_id old);
void virtualise_lanes_load(spreading *s, k_id old);
void virtualise_lanes_store(spreading *s, k_id old);
/* Whether a store under the mask may be run by all lanes: those without an element keep what nobody
 * reads. */
bool virtualise_lanes_store_by_all(const spreading *s, k_id old);
void virtualise_lanes_publish(spreading *s); /* after a PAR: brings the copies up to date */

/* ---- predicate.c ---- */

/* A statement of code that a warp runs under s->mask or a lane runs under s->mask while all go
 * through it. */
void virtualise_predicate(spreading *s, k_id old);
/* Whether an if that the whole block enters together is opened all the same: for drivers that lose
 * barriers in branches. */
bool virtualise_opens(const spreading *s, k_id old);
k_id virtualise_masked(spreading *s, k_id cond); /* cond, and the mask if there is one */

#endif
