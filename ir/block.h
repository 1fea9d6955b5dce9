/* Blocks of a size of their own: functions with the property "block", the number of threads that they are written for.
 *
 * What such a function calls is written for as many, unless it says so itself; a region has the number of the code that
 * it stands in, and a function that is used as a value that of the code that names it.  So the number follows from calls
 * as values do, and each of those who run programs, the evaluator and the lowering, carries it along. */
#ifndef FCL_IR_BLOCK_H
#define FCL_IR_BLOCK_H

#include "ir/ir.h"

enum { MAX_BLOCK = 1024 }; /* threads */

/* The number that the function says for itself; 0: none.  Requires: it has been checked. */
uint32_t ir_block_of(const ir_module *m, ir_func f);

#endif
