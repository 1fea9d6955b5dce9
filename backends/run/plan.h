/* The interpreter of launch plans: a prepared program and the state of its run, shared by its
 * files.
 *
 * plan.c runs the host block, plan_memory.c finds memory, plan_launch.c starts kernels,
 * plan_check.c asks what their checks found, pool.c keeps memory from one run to the next.  Each
 * function returns false after a diagnostic. */
#ifndef FCL_BACKENDS_RUN_PLAN_H
#define FCL_BACKENDS_RUN_PLAN_H

#include "backends/run/device.h"

#include "backends/run/pool.h"

typedef struct plan_memory {
    pooled block;   /* memory NULL: not made yet */
    uint64_t count; /* elements */
    bool is_result; /* and not the plan's any more */
} plan_memory;

typedef struct run_prepared plan;
struct run_prepared {
    run_device *d;
    const k_program *p;
    fcl_context *cx;
    void *program; /* of the device; NULL: there are no kernels */
    pool free;
    const run_array *args; /* of this run, as everything below */
    uint64_t *values;      /* of host code, one for each node; bits as in ir/scalar/scalar.h */
    plan_memory *memories; /* one for each node */
    run_array *results;    /* handed over at its end */
    vec_u32 checks;        /* of the program: see k_list_checks */
    void *report;          /* what kernels report failed checks to; NULL: none has checks */
    VEC(uint64_t) moved;   /* values on their way from a yield to a loop's parameters */
    VEC(run_arg) launch_args;
    uint64_t steps; /* that it may still do */
};

bool plan_error(plan *r, diag_code code, const k_node *n, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The value of an i32 in host code. */
int64_t plan_int(const plan *r, k_id v);

bool plan_check_arguments(plan *r, const run_array *args, uint32_t nargs, uint32_t nresults);
bool plan_alloc(plan *r, k_id alloc);
bool plan_load(plan *r, k_id load);
bool plan_output(plan *r, const k_node *output);
/* The device's memory for a buffer (made when first asked for) or an alloc; NULL with a diagnostic.
 */
void *plan_device_memory(plan *r, k_id memory);
/* At the end of a run: all memories go back to the pool. */
void plan_release_memories(plan *r);

/* A check of host code. */
bool plan_check(plan *r, k_id check);
/* Makes what kernels report to, or clears it for another run. */
bool plan_begin_checks(plan *r);
/* Waits for what was launched; false, with a diagnostic, when a check of it has failed. */
bool plan_passed(plan *r);
void plan_end_checks(plan *r); /* of all runs */

bool plan_launch(plan *r, const k_kernel *k);
/* Whether the device has what the kernels compute with. */
bool plan_check_types(plan *r);

#endif
