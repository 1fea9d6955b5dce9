/* Running programs on devices: the launch plan is interpreted on the host, kernels run on the device.
 *
 * A device is opened from its number over all platforms and closed by its owner; it remembers the programs that it has
 * built. Nothing is loaded before the first of these calls, and no device context is made before a device is opened.
 * Every failure is a diagnostic (06xx) in the context; results are untouched then. */
#ifndef FCL_BACKENDS_RUN_H
#define FCL_BACKENDS_RUN_H

#include "ir/kernel/kir.h"

typedef struct run_device run_device;

typedef struct run_caps {
    uint64_t max_block_size;
    uint64_t local_bytes; /* local memory of one block */
    bool has_f64;
} run_caps;

uint32_t run_opencl_count(fcl_context *cx); /* 0 without a driver; no diagnostic */
/* Appends one line: the device's name, what it is, its platform. */
bool run_opencl_describe(fcl_context *cx, uint32_t index, vec_char *out);
run_device *run_opencl_open(fcl_context *cx, uint32_t index); /* NULL with a diagnostic */
void run_close(run_device *d);                                /* NULL is allowed */
run_caps run_device_caps(const run_device *d);

/* Runs a virtualised, outlined program whose kernels are in code (of the back end "opencl-c").  args: one for each leaf
 * of p->in; results: room for one for each leaf of p->out, filled with data from host_alloc when all went well. */
bool run_program(run_device *d, const k_program *p, const char *code, size_t code_size, const host_array *args,
                 uint32_t nargs, host_array *results, uint32_t nresults);

#endif
