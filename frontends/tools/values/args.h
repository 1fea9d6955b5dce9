/* The arguments of a kernel on the command line: literals, iota:N, @FILE.npy, each possibly after
 * NAME=, typed by the kernel's signature. */
#ifndef FCL_TOOLS_ARGS_H
#define FCL_TOOLS_ARGS_H

#include "frontends/tools/values/shape.h"

/* Reads all arguments; out has one array per leaf, whose data is malloc'ed.  Reports every mistake
 * of the line; false when there was one. */
bool args_read(report *r, const char *entry, const interface *in, const char *const *args, size_t n,
               fcl_array *out);
/* The data of n arrays, and the arrays themselves: also those that were read in part. */
void args_free(fcl_array *arrays, size_t n);

#endif
