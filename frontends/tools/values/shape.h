/* The shape of parameters and results: how the leaves of a signature are grouped into tuples and
 * arrays. */
#ifndef FCL_TOOLS_SHAPE_H
#define FCL_TOOLS_SHAPE_H

#include "frontends/tools/report/report.h"

typedef enum { SHAPE_SCALAR, SHAPE_TUPLE, SHAPE_ARRAY } shape_kind;

/* A type, with its leaves [leaf, leaf + nleaves) of the signature. */
typedef struct shape {
    shape_kind kind;
    unsigned rank;   /* of an array */
    fcl_scalar type; /* of a scalar */
    size_t leaf, nleaves;
    size_t nitems; /* a tuple's components; an array's one element; none */
    struct shape *items;
} shape;

/* One side of a signature. */
typedef struct interface {
    size_t n, nleaves;
    shape *shapes;    /* of the n parameters, or results */
    fcl_leaf *leaves; /* borrowed texts */
} interface;

/* Where a kernel is: in a module, or (module NULL) in an artifact. */
typedef struct kernel_home {
    fcl_module *module;
    fcl_artifact *artifact;
} kernel_home;

/* Reads one side of a kernel's signature.  False after a report. */
bool interface_in(report *r, kernel_home of, const char *entry, interface *out);
bool interface_out(report *r, kernel_home of, const char *entry, interface *out);
/* Also after a failure to read one. */
void interface_free(interface *i);
/* The first leaf of parameter i: it has the parameter's name and type. */
const fcl_leaf *interface_leaf(const interface *in, size_t i);

#endif
