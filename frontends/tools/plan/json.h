/* Artifacts as JSON: docs/artifact.md says how each value is written. */
#ifndef FCL_TOOLS_PLAN_JSON_H
#define FCL_TOOLS_PLAN_JSON_H

#include "libfcl/fcl.h"

/* The text, *size bytes, which the caller frees.  NULL with a diagnostic in the context, or when
 * memory is short. */
char *plan_json(fcl_artifact *a, size_t *size);

#endif
