/* What the files that make a plan share. */
#ifndef FCL_IR_KERNEL_PLAN_MAKER_H
#define FCL_IR_KERNEL_PLAN_MAKER_H

#include "ir/kernel/plan/make.h"

typedef struct plan_maker {
    const k_program *p;
    plan *out;
    uint32_t *number;   /* of every node: of its value, memory, kernel or check in the plan; 0: not
                           there yet */
    uint32_t *written;  /* of every memory: the kernel that was last seen to write it */
    uint32_t block;     /* that is being made */
    uint32_t constants; /* the last step of those that the whole begins with */
    uint32_t report;    /* the memory that kernels report to; 0: none does */
    uint32_t follow;    /* leaves that are still to be handed out with the last one */
    bool ok;
} plan_maker;

/* A step of the block, at the place of a node.  Sets ok on failure, as everything below. */
void maker_step(plan_maker *k, plan_step s, const k_node *at);
/* The value of a node, made if it is a constant. */
uint32_t maker_value(plan_maker *k, k_id v);
/* A constant of i64. */
uint32_t maker_long(plan_maker *k, int64_t x);
/* A list of nodes' values in the pool. */
void maker_list(plan_maker *k, const k_node *n, uint32_t *list, uint32_t *nlist);
uint32_t maker_memory(plan_maker *k, k_id m);
/* One of the scalar operators, of values of the plan. */
uint32_t maker_compute(plan_maker *k, opcode op, scalar type, uint32_t a, uint32_t b,
                       const k_node *at);

/* The records of all kernels.  kernels.c */
void maker_kernels(plan_maker *k);
/* The step that launches one.  launch.c */
void maker_launch(plan_maker *k, k_id launch);

#endif
