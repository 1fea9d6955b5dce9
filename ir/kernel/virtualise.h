/* Shared by virtualise.c and predicate.c: rebuilding a program with its parallel loops spread over real threads. */
#ifndef FCL_IR_KERNEL_VIRTUALISE_H
#define FCL_IR_KERNEL_VIRTUALISE_H

#include "ir/kernel/rebuild.h"

typedef struct spreading {
    rebuild r;
    k_id *offset; /* old memory -> index of the running thread's part of the new one; 0: none */
    /* of the launch being rebuilt */
    uint32_t level, threads, warp, warps;
    k_id groups; /* its number of groups, known once its loop over the grid has been met */
    k_id mask;   /* bool: whether the running warp takes part (predicate.c); 0: everybody does */
} spreading;

k_id warp_id(spreading *s);
k_id lane_id(spreading *s);

/* A statement of code that a warp runs under s->mask while the whole block goes through it. predicate.c */
void predicate_statement(spreading *s, k_id old);

#endif
