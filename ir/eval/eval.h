/* The evaluator: the meaning of a checked core module, executed over real data.  It is the
 * reference that every other way of running a program must agree with.
 *
 * It follows the paper's rules 36-42: a pull array is a way to compute an element, a push array a
 * level and a way to visit all elements; only force, while and the results of a kernel write
 * memory.  Time is proportional to the operations that the program executes; memory to what is
 * forced at the same time, not to the number of elements that are computed, but for what arrays keep
 * that are read again and again (known.c), which is bounded.
 *
 * In the usual words: a strict interpreter with environments and closures, in which arrays are
 * call by name.  It is written to be believed rather than to be fast; yet it decodes each region
 * once, so that tests over real sizes end. */
#ifndef FCL_IR_EVAL_H
#define FCL_IR_EVAL_H

#include "ir/host.h"

/* What an `emit` hands out: one array for each leaf of its operand (host_leaves_of), which live as
 * long as the call.  False ends the run as if it had been cancelled. */
typedef bool eval_emit_fn(void *user, ir_op at, const host_array *arrays, uint32_t n);

/* What a `receive` is given for these arrays: the answer has a type and a rank, and gets extents
 * and data (host_alloc).  False, after a diagnostic, ends the run. */
typedef bool eval_receive_fn(void *user, ir_op at, const host_array *asked, uint32_t n,
                             host_array *answer);

typedef struct eval_options {
    uint32_t block_size;   /* what `blocksize` yields; 0: 256, or what functions say (ir/block.h) */
    uint32_t warp_size;    /* what `warpsize` yields; 0: 32 */
    uint32_t local_size;   /* what `localsize` yields; 0: LOCAL_SIZE */
    uint64_t max_elements; /* of one array in memory; 0: MAX_ELEMENTS */
    const char *tuned;     /* NAME=N,...: the tunables of the program (ir/tunable.h); NULL: as they
                              are */
    uint32_t stream_chunk; /* elements of a chunk of a stream, but for the last; 0: 1024 */
    bool one_by_one;       /* no elements are computed side by side: for tests (eval/lanes.h) */
    bool overflow;         /* signed integers that do not fit their type end the run */
    eval_emit_fn *emit;    /* NULL: what is handed out is dropped */
    void *emit_user;
    eval_receive_fn *receive; /* NULL: a `receive` ends the run */
    void *receive_user;
} eval_options;

/* Runs kernel f.  args: one per leaf of its parameters (host_leaves_in).  results: one per leaf of
 * its result (host_leaves_out); their data is allocated here and freed by the caller with
 * host_free.  False with diagnostics, at the operation that failed; results are untouched then.  o
 * may be NULL. */
bool ir_eval(ir_module *m, ir_func f, const eval_options *o, const host_array *args, uint32_t nargs,
             host_array *results, uint32_t nresults);

#endif
