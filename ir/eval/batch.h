/* Inside of batches: what batch.c, which runs regions, and closure.c, which calls functions, have in common. */
#ifndef FCL_IR_EVAL_BATCH_H
#define FCL_IR_EVAL_BATCH_H

#include "ir/eval/lanes.h"

typedef struct batch {
    machine *M;
    struct recent_batches *recent;
    uint64_t number, of; /* elements that this batch is one part of */
    uint32_t n;          /* its own */
    uint32_t deep;       /* arrays in one another */
    size_t left;         /* bytes */
} batch;

/* A region that runs.  What lies outside of the first one is in a frame, the same for all lanes. */
typedef struct lane_frame {
    const struct lane_frame *outer; /* of the enclosing region; NULL: env */
    const eval_frame *env;          /* NULL too: a function's body */
    const uint32_t *of;             /* the lane of `outer` that a lane is; NULL: the same one */
    uint32_t n;
    lanes slots[];
} lane_frame;

/* Memory that the batch may need, on the stack; NULL beyond that. */
void *eval_lane_room(batch *b, size_t bytes);
/* A frame for a region, with nothing in its slots. */
lane_frame *eval_lane_frame(batch *b, const code *c, const lane_frame *outer, const eval_frame *env,
                            uint32_t n);
/* Here and below false: the batch cannot go on. */
bool eval_lane_get(batch *b, const code *c, const lane_frame *f, operand o, lanes *out);
bool eval_lane_run(batch *b, const code *c, lane_frame *f, lanes *out);
/* Those of the lanes that `at` names. */
bool eval_lane_chosen(batch *b, const lanes *from, const uint32_t *at, uint32_t n, lanes *out);

/* ---- eval/closure.c ---- */

bool eval_lane_closure_chosen(batch *b, const lanes *from, const uint32_t *at, uint32_t n, lanes *out);
bool eval_lane_call(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out);
/* What fn and func give. */
bool eval_lane_function(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out);
bool eval_lane_apply(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out);

#endif
