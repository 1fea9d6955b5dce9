/* Values of many elements at once.  Elements that are computed side by side have a lane each; what
 * a value is in them is one value, where all have the same, or a column with a scalar for each.
 *
 * This is how databases run queries over vectors: what it costs to find out what a step does is
 * paid once for all lanes, and the work itself is a loop that the C compiler makes vectors of. */
#ifndef FCL_IR_EVAL_LANES_H
#define FCL_IR_EVAL_LANES_H

#include "ir/eval/value.h"

/* Lanes that are computed at the same time; columns have room for a multiple of STRIP. */
enum { LANES = 512, STRIP = 16 };

/* What a value is in each lane.  column NULL: one, the same in all of them.  Else one tells the
 * form: a scalar's type, whose column is laid out as a host array's; or a tuple's components. */
typedef struct lanes {
    value one;
    union {
        void *column;              /* VAL_SCALAR */
        const struct lanes *parts; /* VAL_TUPLE; NULL too where it is one value */
        const struct lane_closure *fun; /* VAL_FUN: one that was made in lanes (closure.c) */
    };
} lanes;

/* Component k of a tuple. */
static inline lanes eval_lanes_part(const lanes *t, uint32_t k)
{
    return t->parts ? t->parts[k] : (lanes){.one = t->one.items[k]};
}

static inline uint32_t lanes_room(uint32_t n)
{
    return (n + STRIP - 1) / STRIP * STRIP;
}

/* ---- eval/operator.c: columns of scalars ---- */

/* Element i of a column, as scalar.h holds it. */
uint64_t eval_lane(scalar t, const void *column, uint32_t i);
void eval_lane_put(scalar t, void *column, uint32_t i, uint64_t bits);
/* The same in all lanes, those of the room behind n too. */
void eval_lanes_fill(scalar t, void *column, uint64_t bits, uint32_t n);
/* out[i] = from[at[i]] */
void eval_lanes_gather(scalar t, void *out, const void *from, const uint32_t *at, uint32_t n);
/* out[at[i]] = from[i] */
void eval_lanes_scatter(scalar t, void *out, const void *from, const uint32_t *at, uint32_t n);
/* Whether the i32 in each of n lanes is in 0 ... extent - 1. */
bool eval_lanes_below(const void *column, uint64_t extent, uint32_t n);
/* sum * extent + at, in each lane; just at for an extent of 0. */
void eval_lanes_position(uint32_t *sum, uint32_t extent, const lanes *at, uint32_t n);
/* The operator applied in each lane to operands of type t, of which all that are columns lie in
 * those; `op`, `t` and the result's type as scalar_eval has them. */
void eval_lanes_scalar(opcode op, scalar t, const lanes args[3], void *out, uint32_t n);
void eval_lanes_convert(scalar to, scalar from, const void *column, void *out, uint32_t n);
/* acc op x[0] op x[1] ..., from the left. */
uint64_t eval_lanes_fold(opcode op, scalar t, uint64_t acc, const void *column, uint32_t n);

/* ---- eval/batch.c: regions ---- */

/* Elements first to first + n - 1 in row-major order, n <= LANES, of a GENERATE or MAP.  False, and
 * nothing is reported, when they are not computed this way: because an operation has no form for
 * lanes, because one fails, or because a limit is near.  Then they are to be computed one by one,
 * which says what is wrong with the first that is.  *out lives on the stack. */
bool eval_batch(machine *M, const pull *p, uint64_t first, uint32_t n, lanes *out);
void eval_batch_free(machine *M);
/* Where a limit is near, of memory or steps, elements are computed one by one: that takes next to no
 * memory, and a run that has done all its steps ends at the operation where it would have. */
bool eval_batch_has_room(const machine *M);
/* Whether regions with that operation can be run in lanes. */
bool eval_batch_does(const machine *M, const inst *i);

/* ---- eval/known.c ---- */

/* Keeps elements [first, first + n), if p keeps its elements; false: no memory. */
bool eval_known_fill(machine *M, const pull *p, uint64_t first, const lanes *x, uint32_t n);

/* ---- eval/visit.c: all elements of an array, in their order ---- */

enum { VISIT_COLUMNS = 4 };

/* Going through an array.  Elements [first, first + n) are there, in columns of one form. */
typedef struct visit {
    machine *M;
    const pull *p;
    bool in_lanes; /* false: each element by itself */
    bool failed;   /* an allocation has: the run ends */
    uint64_t first;
    uint32_t n;
    uint32_t shape[2 * VISIT_COLUMNS], nshape; /* as that of a buffer */
    void *columns[VISIT_COLUMNS];              /* with room for LANES, or for all elements */
    uint32_t ncolumns;
} visit;

/* What the visit keeps lies on the stack. */
bool eval_visit_begin(machine *M, const pull *p, visit *v);
/* Element i, as eval_pull_nth gives it; i grows from call to call. */
bool eval_visit_nth(visit *v, uint64_t i, value *out);
/* Combines elements [i, end) with *acc from the left by what the region does, as far as they are
 * there and that is one scalar operator; returns how many were, maybe 0. */
uint32_t eval_visit_fold(visit *v, uint64_t i, uint64_t end, const code *c, value *acc);

#endif
