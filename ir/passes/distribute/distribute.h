/* Distributing work, before it is scheduled: rules by which work that has the shape of loops, states and
 * nests becomes work of one shape, on which the grid is put (docs/rooms/arrays.md).  What comes out names no
 * level yet. */
#ifndef FCL_IR_PASSES_DISTRIBUTE_DISTRIBUTE_H
#define FCL_IR_PASSES_DISTRIBUTE_DISTRIBUTE_H

#include "ir/passes/schedule/schedule.h"

/* All rules that are not off, in a region that the grid works on and those within. */
void sched_distribute(scheduler *s, ir_region r);

/* ---- irwim.c ---- */
/* Lets a reduction of arrays whose function combines them element by element be an array of reductions. */
void sched_irwim(scheduler *s, ir_op o);

#endif
