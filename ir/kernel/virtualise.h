/* Shared by virtualise.c and predicate.c: rebuilding a program with its parallel loops spread over real threads. */
#ifndef FCL_IR_KERNEL_VIRTUALISE_H
#define FCL_IR_KERNEL_VIRTUALISE_H

#include "ir/kernel/build.h"

typedef struct spreading {
    k_builder b;
    const k_program *old;
    k_id *map;    /* old node -> new node */
    k_id *offset; /* old memory -> index of the running thread's part of the new one; 0: none */
    /* of the launch being rebuilt */
    uint32_t level, threads, warp, warps;
    k_id groups; /* its number of groups, known once its loop over the grid has been met */
    k_id mask;   /* bool: whether the running warp takes part (predicate.c); 0: everybody does */
} spreading;

k_id spread_value(const spreading *s, k_id old); /* the new value of an old one */
void spread_statement(spreading *s, k_id old);
void spread_block(spreading *s, k_block old); /* every statement, without the yield */
/* The yielded values of an old block, mapped; returns how many (at most max). */
uint32_t spread_yield(const spreading *s, k_block old, k_id *out, uint32_t max);
void spread_results(spreading *s, k_id old,
                    k_id stmt); /* results of old are those of stmt, with what was known of them */
void spread_params(spreading *s, k_id old, k_id stmt);
k_id warp_id(spreading *s);
k_id lane_id(spreading *s);

/* A statement of code that a warp runs under s->mask while the whole block goes through it. predicate.c */
void predicate_statement(spreading *s, k_id old);

enum { MAX_CARRIED = 64 }; /* values that a loop carries or an if yields */

#endif
