/* What to compile for: the back end and the k_target that options and a device give. */
#ifndef FCL_LIBFCL_TARGET_H
#define FCL_LIBFCL_TARGET_H

#include "backends/backend.h"
#include "backends/run/run.h"
#include "libfcl/face.h"

/* The back end that the options name; NULL with a diagnostic. */
const backend *target_backend(fcl_context *cx, const fcl_compile_options *o);
/* What the options say of module m, and for what they leave open the device, or where that is NULL
 * the back end's defaults.  False with a diagnostic when they ask for what there is not. */
bool target_make(const fcl_module *m, const backend *b, const fcl_compile_options *o,
                 const run_caps *device, k_target *t);

#endif
