/* What emitters of every kind call the parameters of a program. */
#ifndef FCL_BACKENDS_NAMES_H
#define FCL_BACKENDS_NAMES_H

#include "ir/kernel/kir.h"

enum { BACKEND_PARAM_NAME = 34 };

/* An underscore and the name of the parameter that a leaf belongs to, cut to 32 letters, digits and
 * underscores; "" when it has none.  Behind a prefix and the leaf's number no two names meet, and
 * none is a word of a language. */
void backend_param_name(const k_program *p, uint32_t leaf_no, char out[BACKEND_PARAM_NAME]);

#endif
