/* The interpreter of launch plans: the state of one run, shared by its three files.
 *
 * plan.c runs the host block, plan_memory.c moves data, plan_launch.c starts kernels.  Each function returns false
 * after a diagnostic. */
#ifndef FCL_BACKENDS_RUN_PLAN_H
#define FCL_BACKENDS_RUN_PLAN_H

#include "backends/run/device.h"

typedef struct plan_memory {
    void *memory;   /* of the device; NULL: not made yet */
    uint64_t count; /* elements */
} plan_memory;

typedef struct plan {
    run_device *d;
    const k_program *p;
    fcl_context *cx;
    const host_array *args;
    void *program;
    uint64_t *values;      /* of host code, one for each node; bits as in ir/scalar.h */
    plan_memory *memories; /* one for each node */
    host_array *results;   /* of this run; handed over at its end */
    VEC(uint64_t) moved;   /* values on their way from a yield to a loop's parameters */
    VEC(run_arg) launch_args;
} plan;

bool plan_error(plan *r, diag_code code, const k_node *n, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The value of an i32 in host code. */
int64_t plan_int(const plan *r, k_id v);

bool plan_check_arguments(plan *r, uint32_t nargs, uint32_t nresults);
bool plan_alloc(plan *r, k_id alloc);
bool plan_load(plan *r, k_id load);
bool plan_output(plan *r, const k_node *output);
/* The device's memory for a buffer (made when first asked for) or an alloc; NULL with a diagnostic. */
void *plan_device_memory(plan *r, k_id memory);
void plan_release_memories(plan *r);

bool plan_launch(plan *r, const k_kernel *k);
/* Whether the device has what the kernels compute with. */
bool plan_check_types(plan *r);

#endif
