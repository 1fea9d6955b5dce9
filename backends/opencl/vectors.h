/* Several turns of a loop side by side, as vectors of OpenCL C: what its files share.
 *
 * A value of the body is the same in all lanes, a step further in each, or each lane's own; a bool of
 * their own is an int of all bits or none.  Lane k computes turn k of those that are taken at once. */
#ifndef FCL_BACKENDS_OPENCL_VECTORS_H
#define FCL_BACKENDS_OPENCL_VECTORS_H

#include "backends/opencl/emit.h"

typedef enum cl_kind { CL_SAME, CL_STEP, CL_OWN } cl_kind;

struct cl_vectors {
    uint32_t width; /* lanes */
    uint8_t *kinds; /* cl_kind of each node */
    int32_t *steps; /* how much more each lane has than the one before; of CL_OWN modulo 2^32 (2^64), 0: nothing is known */
    k_id loop;
    /* while it is written */
    int lane;        /* that is written alone; -1: all */
    k_id mask;       /* the if whose lanes alone are at work; 0: all are */
    bool otherwise;  /* they are those of its second block */
    c_combined fold; /* what the lanes are combined to at the end; 0: they are not yet */
    int into;        /* the lane that another one is combined with; -1: the number itself */
    /* while the body is looked at */
    bool fits;
    uint32_t widest;         /* bytes of the largest value of the lanes' own */
    uint32_t weight;         /* of a statement: the turns of loops around it */
    uint32_t statements, lines; /* that are one for all lanes, and one for each of them */
    uint64_t together, alone; /* what statements cost that are one for all lanes, and one for each */
};

static inline cl_kind cl_kind_of(const cl_vectors *x, k_id v)
{
    return (cl_kind)x->kinds[v];
}

/* The elements of all lanes stand one behind the other.  That of the steps between indices is enough that may have wrapped, as
 * all of them lie in the array. */
static inline bool cl_is_consecutive(const cl_vectors *x, const k_node *access)
{
    return x->steps[access->args[1]] == 1;
}

/* vectors.c: whether the turns of a loop can be taken side by side, and that pays; what each value is. */
bool cl_look_at_loop(const c_emitter *e, cl_vectors *x);

/* vector_values.c: what computes a scalar operator, conversion or change of type for all lanes, as a template
 * ($1 to $3 operands, $T and $V the vector's type and the unsigned one, $M operand 1 as the mask of a
 * select); NULL: there is nothing. */
const char *cl_vector_text(const c_emitter *e, k_id v);
/* A value's vector type; a value as a vector; the name of a vector; the value as a vector computed. */
void cl_vector_type(c_emitter *e, const cl_vectors *x, scalar t);
void cl_vector(c_emitter *e, const cl_vectors *x, k_id v);
void cl_vector_name(c_emitter *e, k_id v);
void cl_vector_operation(c_emitter *e, cl_vectors *x, k_id v);
/* What the loop carries (into -1), or one lane of it, combined with another lane. */
void cl_combine(c_emitter *e, cl_vectors *x, c_combined c, int into, int lane);
/* yes or no for each lane */
void cl_choose(c_emitter *e, const cl_vectors *x, k_id test, k_id yes, k_id no);
void cl_mask_name(c_emitter *e, const cl_vectors *x);
/* A lane's value, for c_emitter.operand. */
bool cl_lane_operand(c_emitter *e, k_id v);

/* vector_loops.c: for c_emitter.together. */
bool cl_together(c_emitter *e, k_id loop);

#endif
