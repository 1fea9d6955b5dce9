/* What the files that run programs share: devices, arrays on them, prepared programs. */
#ifndef FCL_LIBFCL_RUN_H
#define FCL_LIBFCL_RUN_H

#include "backends/run/run.h"
#include "libfcl/artifact/artifact.h"
#include "libfcl/compile.h"
#include "libfcl/target.h"

struct fcl_device {
    fcl_context *cx;
    run_device *runner;    /* NULL: the evaluator */
    size_t listed;         /* 1 + its number for fcl_device_description; 0: it is the caller's */
    fcl_job *first, *last; /* started and not waited for, in their order */
};

struct fcl_buffer {
    fcl_device *device;
    run_array array; /* of the evaluator: without memory, the elements in shape.data */
    fcl_job *job;    /* that makes it; NULL: nobody needs to ask */
};

typedef VEC(host_array) vec_host;
typedef VEC(run_array) vec_array;

/* What runs over buffers need for themselves, kept from one to the next.  It is taken out while one goes on: what that hands out
 * may go to somebody who runs the program again. */
typedef struct program_room {
    vec_host in, out; /* of the evaluator and of checks */
    vec_array args, results;
    VEC(fcl_buffer *) made;
} program_room;

struct fcl_program {
    fcl_context *cx;
    fcl_module *m; /* NULL: it comes from an artifact */
    ir_func f;
    fcl_device *device;
    fcl_compile_options compile;
    bool timed;
    run_bounds bounds;
    bool overflow; /* the evaluator reports it */
    fcl_output_fn *output;
    void *output_user;
    fcl_input_fn *input;
    void *input_user;
    host_signature face;
    artifact_target made;   /* of a module: its code and plan */
    run_prepared *prepared; /* NULL: the evaluator */
    run_time time;          /* of the last timed run */
    program_room room;
};

/* What a caller answers with: the leaf that it fills.  answer.c */
struct fcl_answer {
    fcl_context *cx;
    host_array *to;
    location at;
    bool failed; /* reported why */
};

/* The code of an artifact for an entry that the device runs; via: of that target only, NULL: of
 * any. NULL with a diagnostic.  fit.c */
const artifact_target *artifact_choose(const fcl_artifact *a, const char *entry, const char *via,
                                       const run_device *d);

/* A program that is not built yet, with its kernel found; NULL with a diagnostic. */
fcl_program *program_new(fcl_module *m, const char *entry, fcl_device *d,
                         const fcl_run_options *options);
/* What a run hands out goes to the caller, whose function there is; user: the program.  run.c */
bool program_hand_out(void *user, const host_array *arrays, uint32_t n, str_id show,
                      location where);
/* What a run asks for comes from the caller, whose function there is; false after a diagnostic. */
bool program_take_in(void *user, const host_array *asked, uint32_t n, str_id show, location where,
                     host_array *answer);
/* Compiles it for its device; the evaluator needs nothing. */
bool program_build(fcl_program *p);

void program_room_free(mem *m, program_room *room);

/* Whether the arguments fit the kernel.  on_device: arrays have their elements there, and data
 * NULL. */
bool program_check_args(const fcl_program *p, const host_array *args, uint32_t nargs,
                        bool on_device);

/* ---- jobs ---- */

typedef enum job_state { JOB_RUNS, JOB_DONE, JOB_FAILED } job_state;

/* A run that was started: held by its handle, by its device while it runs, by the buffers that it
 * makes, and by jobs that take these. */
struct fcl_job {
    fcl_device *device;
    fcl_program *program; /* stays while the job runs */
    fcl_job *next;
    uint32_t holders;
    bool has_handle;
    job_state state;
    run_flight flight;
    VEC(fcl_job *) takes; /* jobs that make its arguments */
};
/* Waits for the job and all before it on its device; false when it failed. NULL: nothing to do. */
bool job_settle(fcl_job *j);
/* Whatever a device has started ends before the call does. */
void job_settle_all(fcl_device *d);
void job_drop(fcl_job *j); /* by one of those who hold it; NULL is allowed */
/* The buffer is made by that job from now on; NULL: it is there. */
void job_makes(fcl_job *j, fcl_buffer *b);
/* Refuses a buffer that holds nothing, after waiting for it. */
bool job_has_made(const fcl_buffer *b);
/* Waits for the jobs that make arguments, where the run takes only what is there. */
void program_settle(const fcl_program *p, const fcl_argument *args, size_t nargs, bool is_job);
/* Runs over buffers; j NULL: waits for the end. */
bool program_run(fcl_program *p, const fcl_argument *args, size_t nargs, fcl_buffer **results,
                 size_t nresults, fcl_job *j);
/* Whether there is what a run takes and gives; reports what is NULL. */
bool program_given(const fcl_program *p, const void *args, size_t nargs, const void *results,
                   size_t nresults);
bool program_ended_well(const fcl_program *p, uint32_t before);

/* A buffer that takes over the array; frees the array when memory is short. */
fcl_buffer *buffer_of_array(fcl_device *d, run_array *a);

#endif
