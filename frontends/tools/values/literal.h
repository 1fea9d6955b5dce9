/* One argument's value, read against the shape of its parameter. */
#ifndef FCL_TOOLS_LITERAL_H
#define FCL_TOOLS_LITERAL_H

#include "frontends/tools/values/shape.h"

typedef struct literal_source {
    report *rep;
    const char *file; /* as diagnostics call it: "argument 2" */
    const char *text;
    size_t start;     /* where the value begins, after NAME= */
    const char *name; /* the parameter's, and its type, for messages */
    const char *type;
} literal_source;

/* Reads a whole value into the arrays of the shape's leaves (out[shape->leaf] ...), whose data is
 * malloc'ed and whose entries are zero before.  False after a report; what was read until then
 * stays in the arrays. */
bool literal_read(const literal_source *from, const shape *s, fcl_array *out);

#endif
