/* What is compiled for: from the options of a call to the target of kernel programs. */
#ifndef FCL_LIBFCL_TARGET_H
#define FCL_LIBFCL_TARGET_H

#include "backends/backend.h"
#include "libfcl/face.h"

/* The back end that the options name; NULL with a diagnostic. */
const backend *compile_target(fcl_context *cx, const fcl_compile_options *o);
/* The way of exchange of that name, or local memory for NULL; false with a diagnostic when there is
 * none. */
bool compile_exchange(fcl_context *cx, const char *name, k_exchange *out);
/* What the options say, with the defaults for what they leave open; false with a diagnostic when
 * their target's back end cannot do it. */
bool target_of(const fcl_module *m, const fcl_compile_options *o, k_target *t);
/* Takes over what the options of a kernel pass say. */
void target_override(fcl_context *cx, const fcl_compile_options *o, k_target *t);
/* What `from` says takes the place of what o says. */
void options_merge(fcl_compile_options *o, const fcl_compile_options *from);
/* Whether the kernels of an outlined program fit the local memory of its target; sizes that only
 * the launch knows are checked there. */
bool target_fits_memory(const k_program *p);

#endif
