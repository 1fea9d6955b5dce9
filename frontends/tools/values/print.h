/* Results of a kernel as literals, in the form that arguments have: 42, 1.5, [1, 2], [[1, 2], [3,
 * 4]], [(1, 2.0)]. */
#ifndef FCL_TOOLS_PRINT_H
#define FCL_TOOLS_PRINT_H

#include "frontends/tools/values/shape.h"

#include <stdio.h>

/* One line for each result, or component of a result that is a tuple; the caller asks the stream
 * for errors.  Unless all are wanted, of an array of more than PRINT_MOST elements each longer axis
 * shows how it begins and ends, and its extents follow: [0, 1, 2, ..., 997, 998, 999] (1000
 * elements). */
enum { PRINT_MOST = 100 };
void print_results(FILE *to, const interface *out, const fcl_array *leaves, bool all);
/* Arrays of scalars and scalars, a line for each. */
void print_arrays(FILE *to, const fcl_array *arrays, size_t n, bool all);

#endif
