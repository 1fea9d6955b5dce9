/* Comparing texts of programs whose values are only numbered differently. */
#ifndef FCL_TOOLS_RENUMBER_H
#define FCL_TOOLS_RENUMBER_H

#include "frontends/tools/text.h"

/* Whether the texts are the same once values like %12 are numbered in the order in which they
 * appear: a pass that copies a program numbers it anew. */
bool same_but_numbers(const string *a, const string *b);

#endif
