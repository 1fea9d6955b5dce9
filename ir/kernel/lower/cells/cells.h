/* What the files of cells/ ask of one another: arrays whose elements are put into cells that are
 * there. */
#ifndef FCL_IR_KERNEL_LOWER_CELLS_H
#define FCL_IR_KERNEL_LOWER_CELLS_H

#include "ir/kernel/lower/value.h"

/* Operands 0 and 1 of what starts with an array and takes a push array; false after an error. */
bool lower_cells_operands(lowering *L, frame *f, ir_op o, const sv **init, const sv **src);
/* Whether one thread goes through the elements of an array that a level has pushed, one after the
 * other, as they are numbered. */
bool lower_goes_through(const lowering *L, const sv *src);
/* Writes the elements that the cells start with, a pull array, by the workers of a level. */
void lower_write_start(lowering *L, const sv *init, uint32_t level, const writer *w);

/* kept.c: whether cells of that type, combined into at that level, are kept from run to run. */
bool lower_cells_stay(lowering *L, const sv *init, uint32_t level, ir_type elem);
/* So many of them, all 0; and what takes from them what a launch of blocks of so many threads has
 * left there. */
void lower_cells_kept(lowering *L, destination *d, k_id size, ir_type elem);
void lower_take_cells(lowering *L, const destination *kept, const destination *to,
                      uint32_t threads);

#endif
