/* Tunables of programs: functions without parameters that give an int, with the property "tunable", the domain of the
 * number (base/domain.h).
 *
 * The body says what it is unless somebody says otherwise, and may ask for blocksize and warpsize.  What is said is a text,
 * NAME=N,NAME=N, in which what stands behind counts; it takes the place of a call's result where code is lowered or
 * evaluated, so that no module has to be changed for it. */
#ifndef FCL_IR_TUNABLE_H
#define FCL_IR_TUNABLE_H

#include "ir/ir.h"

/* NULL: it is none. */
const char *ir_tunable_domain(const ir_module *m, ir_func f);
/* Whether the list says what the tunable f is; list: NULL says nothing.  A number outside of the domain is none. */
bool ir_tuned(const ir_module *m, ir_func f, const char *list, int32_t *value);
/* The tunable of that name, the module's own before one of an import; 0: there is none. */
ir_func ir_tunable_named(const ir_module *m, const char *name, size_t n);

#endif
