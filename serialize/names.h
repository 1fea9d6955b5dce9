/* Names of values that are numbers.
 *
 * The text form prints an unnamed value with a number: the next one that is no name in its
 * function.  Read back, that number is a name.  So that both file forms hold the same module, the
 * binary form leaves out the names of a function that are numbers where numbering would give each
 * value its own again. */
#ifndef FCL_SERIALIZE_NAMES_H
#define FCL_SERIALIZE_NAMES_H

#include "ir/ir.h"

/* Changes the names of a function's values, in the order of their definition; 0: unnamed.  False
 * when memory is short.
 */
bool names_settle_numbers(mem *mm, str_id *names, uint32_t n);

#endif
