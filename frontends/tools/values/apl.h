/* Results as APL shows them: what programs in TAIL print (docs/tail.md). */
#ifndef FCL_TOOLS_APL_H
#define FCL_TOOLS_APL_H

#include "frontends/tools/values/shape.h"

#include <stdio.h>

/* Whether the words of a kernel's attribute "show", tail.int and so on, are one for each result. */
bool apl_shows(const char *words, size_t size, const interface *out);
/* Prints the results by those words. */
void apl_print(FILE *to, const char *words, size_t size, const interface *out,
               const fcl_array *leaves);
/* Prints the arrays that a program hands out, by such words; false, and nothing is printed, where
 * they are for others. */
bool apl_print_arrays(FILE *to, const char *words, size_t size, const fcl_array *arrays, size_t n);

#endif
