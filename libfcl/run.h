/* What the files that run programs share: devices, arrays on them, prepared programs. */
#ifndef FCL_LIBFCL_RUN_H
#define FCL_LIBFCL_RUN_H

#include "backends/run/run.h"
#include "libfcl/artifact.h"
#include "libfcl/compile.h"
#include "libfcl/target.h"

struct fcl_device {
    fcl_context *cx;
    run_device *opencl; /* NULL: the evaluator */
};

struct fcl_buffer {
    fcl_device *device;
    run_array array; /* of the evaluator: without memory, the elements in shape.data */
};

struct fcl_program {
    fcl_context *cx;
    fcl_module *m; /* NULL: it comes from an artifact */
    ir_func f;
    fcl_device *device;
    fcl_compile_options compile;
    bool timed;
    host_signature face;
    artifact_target made;   /* of a module: its code and plan */
    run_prepared *prepared; /* NULL: the evaluator */
    run_time time;          /* of the last timed run */
};

/* A program that is not built yet, with its kernel found; NULL with a diagnostic. */
fcl_program *program_new(fcl_module *m, const char *entry, fcl_device *d,
                         const fcl_run_options *options);
/* Compiles it for its device; the evaluator needs nothing. */
bool program_build(fcl_program *p);

/* Whether the arguments fit the kernel.  on_device: arrays have their elements there, and data
 * NULL. */
bool program_check_args(const fcl_program *p, const host_array *args, uint32_t nargs,
                        bool on_device);

/* A buffer that takes over the array; frees the array when memory is short. */
fcl_buffer *buffer_of_array(fcl_device *d, run_array *a);

#endif
