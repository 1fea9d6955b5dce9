/* What the lanes of a warp compute: an estimate, by evaluating integer code for each of 32 threads
 * in a row.
 *
 * Sizes are taken to be large, loops to be in their first turns.  What depends on memory is not
 * known.
 *
 * Values are as concrete as in an interpreter, but sampled: what holds of the samples is likely,
 * not proved.  Nothing that must be right may rest on it. */
#ifndef FCL_IR_KERNEL_LANE_VALUES_H
#define FCL_IR_KERNEL_LANE_VALUES_H

#include "ir/kernel/kir.h"

enum { LANES = 32, SAMPLES = 4 };

typedef struct lane_values {
    const k_program *p;
    mem *m;
    uint32_t *slot; /* of every node: 1 + its place among the wanted; 0: not wanted */
    k_id *owner;    /* of every parameter: its loop */
    vec_u32 wanted; /* values; operands before their users once they are sorted */
    uint64_t *now,
        *before; /* LANES of each, as in ir/scalar/scalar.h, in this sample and in the one before */
    bool *unknown, *was_unknown;
    bool ok; /* memory sufficed, and the values were not too many */
} lane_values;

bool k_lanes_init(lane_values *l, const k_program *p);
void k_lanes_free(lane_values *l);
/* Names a value that is to be computed, with all that it needs. */
void k_lanes_want(lane_values *l, k_id v);
/* After the last k_lanes_want. */
bool k_lanes_prepare(lane_values *l);
/* Computes everything wanted: for sample 0, then 1, ...: the turn that loops are in. */
void k_lanes_compute(lane_values *l, uint32_t sample);
/* The values of all lanes; NULL when they are not known. */
const uint64_t *k_lanes_of(const lane_values *l, k_id v);

#endif
