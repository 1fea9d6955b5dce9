/* Runs a finished kernel program on the host: the plan, and of each launch one group after the
 * other, statement by statement for all threads of the group that take part in it.
 *
 * No order among threads is assumed that the program does not make: an access is a race unless a
 * barrier that both threads wait at lies between it and what another thread did to the element.  A
 * shuffle or a barrier of warps that only some lanes of a warp reach is an error, so is one of the
 * block that not all threads reach; so are accesses out of bounds, and undefined values that reach
 * global memory, an index or a branch.  Undefined is what was never written; lanes that are masked
 * compute with it. */
#ifndef FCL_TESTS_SIMULATOR_H
#define FCL_TESTS_SIMULATOR_H

#include "ir/kernel/kir.h"

typedef struct sim_report {
    char error[256];                            /* empty: all went well */
    uint64_t shuffles, warp_barriers, barriers; /* that were run, by a warp or a group */
    uint64_t local_elements;                    /* of the groups' local memories, all together */
    uint64_t launches, groups;
    k_id failed;           /* the first check that has failed; 0: none */
    int64_t first, second; /* what it names */
} sim_report;

/* args: one for each leaf of p->in; results: one for each of p->out, whose data is allocated with
 * host_alloc.  False with r->error; results must be freed either way, and hold nothing where a
 * check has failed: then the run goes on, as a device does, until the plan reads an element or
 * ends. */
bool simulate(const k_program *p, const host_array *args, host_array *results, sim_report *r);

#endif
