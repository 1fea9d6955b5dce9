/* Loops that the unroller has left to compilers. */
#ifndef FCL_IR_KERNEL_TURNS_H
#define FCL_IR_KERNEL_TURNS_H

#include "ir/kernel/kir.h"

/* How often a loop turns that compilers are to unroll: a constant number of times, carrying as many values as keep the unroller
 * from it (UnrollCarried), writing nothing, and with no more statements in all turns than it would make (Unroll, UnrollOwn);
 * 0: it is another. */
uint32_t k_left_turns(const k_program *p, k_id loop);

#endif
