/* What users register with a context: targets and passes, by a call or from a shared object. */
#ifndef FCL_LIBFCL_PLUGINS_H
#define FCL_LIBFCL_PLUGINS_H

#include "libfcl/passes/passes.h"

/* Closes the shared objects, when nothing that they registered will be asked for any more. */
void plugins_close(fcl_context *cx);
/* Whether it is a word that stands in lists of options and passes, and in files. */
bool plugin_is_word(const char *name);

/* Option k of a user's pass; false beyond the last. */
bool own_option(const pass_info *pass, size_t k, fcl_pass_option *out);
/* What is wrong with its options; NULL: nothing. */
const char *own_options_fault(const pass_info *pass);
/* Adds a value to those that a step gives; false when there is no such option, or (*known) the value
 * is not one of its own, or memory is short. */
bool own_option_set(fcl_context *cx, const pass_info *pass, str_id *given, const char *name,
                    const char *value, bool *known);
/* A decimal number in the option's range. */
bool option_number(const fcl_pass_option *about, const char *value, size_t *out);

#endif
