/* What users register with a context: targets and passes, by a call or from a shared object. */
#ifndef FCL_LIBFCL_PLUGINS_H
#define FCL_LIBFCL_PLUGINS_H

#include "libfcl/face.h"

/* Closes the shared objects, when nothing that they registered will be asked for any more. */
void plugins_close(fcl_context *cx);

#endif
