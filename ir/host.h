/* Host data: what goes into a kernel and comes out of it.  The layout is fcl_array's
 * (libfcl/fcl.h). */
#ifndef FCL_IR_HOST_H
#define FCL_IR_HOST_H

#include "ir/ir.h"

/* No extent is larger: loop variables may step past the end without overflow. */
enum { MAX_EXTENT = INT32_MAX - 2048 };
/* No array of rank 2 or more has more elements. */
#define MAX_ELEMENTS ((int64_t)1 << 40)

/* Bytes of local memory where nothing is known of the device: as many as every OpenCL device has. */
enum { LOCAL_SIZE = 32768 };

/* A scalar (rank 0) or a dense row-major array; elements in their own width, bool as one byte 0
 * or 1. */
typedef struct host_array {
    scalar type;
    unsigned rank;
    uint64_t dims[MAX_RANK];
    void *data;
} host_array;

uint64_t host_count(const host_array *a);           /* elements; 1 for a scalar */
uint64_t host_get(const host_array *a, uint64_t i); /* bits as in scalar.h */
void host_set(const host_array *a, uint64_t i, uint64_t bits);
bool host_alloc(
    mem *m, host_array *a); /* data for type, rank, dims (zeroed); false: no memory or too large */
void host_free(mem *m, host_array *a);

/* The leaves of a kernel's parameters (or of its result): scalars and arrays, tuples and arrays of
 * tuples flattened. */
typedef struct leaf {
    uint32_t param; /* parameter number, or component of a tuple result */
    scalar type;
    uint32_t rank; /* 0: scalar */
    uint32_t back; /* so many leaves before it is the first one of its array of tuples, whose
                      extents it has; 0: it is the first, or alone */
} leaf;
typedef VEC(leaf) vec_leaf;

/* A parameter, or a component of the result, as people see it. */
typedef struct host_whole {
    str_id name; /* of the parameter; 0: none */
    str_id type; /* "[(int, double)]" */
} host_whole;
typedef VEC(host_whole) vec_whole;

/* What a kernel takes and gives. */
typedef struct host_signature {
    str_id entry;
    location at;
    vec_whole params, results;
    vec_leaf in, out;
} host_signature;
void host_signature_free(mem *m, host_signature *s);

/* Appends the leaves of a type that may cross the host boundary; false when it may not (functions,
 * nested arrays). */
bool host_leaves_of(ir_module *m, ir_type t, uint32_t param, vec_leaf *out);
/* All leaves of the parameters, and of the result, of a checked kernel. */
bool host_leaves_in(ir_module *m, ir_func f, vec_leaf *out);
bool host_leaves_out(ir_module *m, ir_func f, vec_leaf *out);

#endif
