/* Results of a kernel as literals, in the form that arguments have: 42, 1.5, [1, 2], [[1, 2], [3,
 * 4]], [(1, 2.0)]. */
#ifndef FCL_TOOLS_PRINT_H
#define FCL_TOOLS_PRINT_H

#include "frontends/tools/values/shape.h"

#include <stdio.h>

/* One line for each result, or component of a result that is a tuple; the caller asks the stream
 * for errors. */
void print_results(FILE *to, const interface *out, const fcl_array *leaves);

#endif
