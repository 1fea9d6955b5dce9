/* Copies of values that outlive what they were made in. */
#ifndef FCL_IR_EVAL_OUTLIVE_H
#define FCL_IR_EVAL_OUTLIVE_H

#include "ir/eval/value.h"

enum { SCALAR_BYTES = 8 }; /* in a column, at most */

/* *v, which an element of k's array has just given, is made what may be kept as long as that is.  With `names`, of arrays
 * that are called by name as well.  *fails: it cannot be kept.  False: no memory. */
bool eval_outlive(machine *M, known_elements *k, bool names, value *v, bool *fails);

#endif
