/* Which tables of a program lie in constant memory. */
#ifndef FCL_IR_KERNEL_TABLES_H
#define FCL_IR_KERNEL_TABLES_H

#include "ir/kernel/kir.h"

/* Marks, of all nodes, the tables that constant memory has no room for: global memories, which the
 * plan fills. */
void k_find_large_tables(const k_program *p, bool *large);

#endif
