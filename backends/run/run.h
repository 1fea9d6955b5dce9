/* Running programs on devices: the launch plan is interpreted on the host, kernels run on the
 * device.
 *
 * A device is opened from its number over all platforms and closed by its owner; it remembers the
 * programs that it has built. Nothing is loaded before the first of these calls, and no device
 * context is made before a device is opened. A program is prepared once for a device and executed
 * any number of times, over arrays that stay in the device's memory. Every failure is a diagnostic
 * (06xx) in the context; results are untouched then. */
#ifndef FCL_BACKENDS_RUN_H
#define FCL_BACKENDS_RUN_H

#include "ir/kernel/target.h"
#include "ir/plan/plan.h"

typedef struct run_device run_device;

/* Which dialects of a back end a device's compiler takes, a bit each, and the best of them. */
typedef struct run_ways {
    uint32_t can, best;
} run_ways;

/* What a device is, and what its compiler takes.  The facts are those of its plainest dialect:
 * lanes do not exchange values. */
typedef struct run_caps {
    const char *target;    /* the back end whose code it takes */
    const char *spirv;     /* another one whose code it takes as well, of SPIR-V; NULL: none */
    const char *addresses; /* a third one, whose kernels take addresses; NULL: none */
    k_device_facts facts;
    run_ways ways, spirv_ways;
    uint32_t lane_sizes; /* that its subgroups can have, powers of two, as bits */
    uint32_t most_warps; /* subgroups of a block, at most, where lanes exchange; 0: any number */
    uint32_t quirks;     /* of its driver */
    uint32_t part_align; /* bytes at multiples of which parts of a memory may begin */
    bool begins_at_once; /* what is enqueued begins to run, though the queue is not flushed */
} run_caps;

/* What of a back end's dialects a device takes; NULL: it takes no code of that target. */
const run_ways *run_ways_of(const run_caps *caps, const char *target);
/* Appends the names of the back ends whose code it takes: "A and B". */
bool run_list_targets(mem *m, vec_char *out, const run_caps *caps);
/* Appends what it takes and can do: "; takes A and B, f64, f16, atomics64, groups-wait". */
bool run_describe_caps(mem *m, vec_char *out, const run_caps *caps);
uint32_t run_opencl_count(fcl_context *cx); /* 0 without a driver; no diagnostic */
/* Appends one line: the device's name, what it is, its platform. */
bool run_opencl_describe(fcl_context *cx, uint32_t index, vec_char *out);
run_device *run_opencl_open(fcl_context *cx, uint32_t index); /* NULL with a diagnostic */
/* The same of Vulkan's devices. */
uint32_t run_vulkan_count(fcl_context *cx);
bool run_vulkan_is_gpu(fcl_context *cx, uint32_t index);
bool run_vulkan_describe(fcl_context *cx, uint32_t index, vec_char *out);
run_device *run_vulkan_open(fcl_context *cx, uint32_t index);
/* The cores of this machine, for which the system's C compiler compiles. */
bool run_can_load(void);                /* libraries: drivers, compiled kernels */
bool run_cpu_is_there(fcl_context *cx); /* there is a compiler; no diagnostic */
bool run_cpu_describe(fcl_context *cx, vec_char *out);
run_device *run_cpu_open(fcl_context *cx);
/* The same of a caller's context, device and in-order queue, which are retained. */
struct run_handles;
run_device *run_opencl_adopt(fcl_context *cx, const struct run_handles *of);
void run_close(run_device *d); /* NULL is allowed */
run_caps run_device_caps(const run_device *d);

/* What other users of the same driver need to share memory with the device, as OpenCL's handles;
 * those of devices without OpenCL are NULL. */
typedef struct run_handles {
    void *platform, *device, *context, *queue;
} run_handles;
run_handles run_device_handles(const run_device *d);

/* An array on a device: shape.data is NULL.  As an argument also a scalar: its value in shape.data,
 * and no memory. */
typedef struct run_array {
    host_array shape;
    void *memory;   /* of the device */
    uint64_t bytes; /* of the memory; at least those of the shape */
    uint32_t over;  /* of a result: 1 + the argument that it has overwritten, whose memory it is in;
                       0: it has its own */
} run_array;

/* Memory for an array of a's shape, with undefined contents. */
bool run_array_make(run_device *d, run_array *a);
/* The memory of an array of a's shape is the caller's, and held until run_array_free. */
bool run_array_wrap(run_device *d, run_array *a, void *memory);
void run_array_free(run_device *d, run_array *a); /* without memory: nothing happens */
/* All elements, from and to host memory. */
bool run_array_write(run_device *d, const run_array *a, const void *from);
bool run_array_read(run_device *d, const run_array *a, void *to);

/* Nanoseconds, by the device's clock but for transfers. */
typedef struct run_time {
    uint64_t kernels;   /* the sum over all launches */
    uint64_t span;      /* from the start of the first to the end of the last */
    uint64_t transfers; /* of arguments and results of run_on_host, by the host's clock */
} run_time;

/* Why a device cannot run a plan: words without an end, where, and what to do. */
typedef struct run_lack {
    diag_code code;
    location at;
    char what[200];
    const char *hint;
} run_lack;
/* Whether it lacks what a kernel of the plan, in code of that target, needs; says of the first one. */
bool run_lacks(const run_caps *caps, const char *target, const plan *p, run_lack *out);
/* Reports it; false. */
bool run_refuse(fcl_context *cx, const run_lack *l);

typedef struct run_prepared run_prepared;

/* The code of a back end, borrowed. */
typedef struct run_code {
    const char *at;
    size_t size;
    const char *options; /* for its compiler */
    const char *target;  /* the back end's name */
    uint32_t lanes;      /* of the warps that it relies on; 0: none */
} run_code;

uint64_t run_clock(void); /* nanoseconds since some moment */
/* Builds the kernels of a verified plan, which are in code of the device's target, and is
 * done with the code; p and d stay until run_prepared_free.  NULL with a diagnostic. */
run_prepared *run_prepare(run_device *d, const plan *p, const run_code *code);
void run_prepared_free(run_prepared *r); /* NULL is allowed */
/* Runs it and waits for its end.  args: one for each leaf of p->in.  results: one for each leaf of
 * p->out; with a memory, the result is written there, and refused where it does not fit, without
 * one it gets a memory, which is the caller's when all went well.  time: NULL, or gets the time
 * that the kernels took. */
bool run_execute(run_prepared *r, const run_array *args, uint32_t nargs, run_array *results,
                 uint32_t nresults, run_time *time);
/* A run that was started and not waited for. */
typedef struct run_flight {
    void *mark;               /* of the device; NULL: none stands behind it */
    struct run_report *taken; /* to which its kernels report; NULL: none of them does */
    uint32_t *report; /* what it has reported, once it has been waited for; NULL: not asked for */
    uint32_t *pinned; /* the device's memory that has it, or */
    uint32_t words[5];
} run_flight;
/* As run_execute, but does not wait for the end: results may be arguments of what is started next,
 * and hold what they are to hold when `run_land` has said so.  Plans that read elements back wait
 * for those.  The flight stays where it is until then. */
bool run_start(run_prepared *r, const run_array *args, uint32_t nargs, run_array *results,
               uint32_t nresults, run_flight *f);
/* Puts a mark behind it, for those who ask whether it has ended; without one, waiting for it waits
 * for all that was started since as well. */
bool run_mark(run_device *d, run_flight *f);
/* Whether its mark is reached. */
bool run_has_landed(run_device *d, const run_flight *f);
/* Waits for it, once; false, with a diagnostic, when it failed. r: what was started. */
bool run_land(run_prepared *r, run_flight *f);
void run_forget(run_device *d, run_flight *f);
/* Bytes of memory that the plan held at most at the same time in the last run, results included. */
uint64_t run_peak(const run_prepared *r);

/* What a run may do; 0 and NULL: anything. */
typedef struct run_bounds {
    uint64_t most_bytes;                             /* of run_peak */
    bool (*progress)(void *user, uint64_t launches); /* after each launch; false: the run ends */
    void *user;
    /* Takes what the plan hands out, in host memory; false: the run ends.  NULL: it is dropped. */
    bool (*output)(void *user, const host_array *arrays, uint32_t n, str_id show, location at);
    void *output_user;
    /* Gives what the plan asks for with these arrays: the answer has a type and a rank, and gets
     * extents and data (host_alloc); false after a diagnostic.  NULL: who asks ends the run. */
    bool (*input)(void *user, const host_array *asked, uint32_t n, str_id show, location at,
                  host_array *answer);
    void *input_user;
} run_bounds;
void run_bound(run_prepared *r, const run_bounds *b);
/* Whether the plan hands something out while it runs, or takes something in. */
bool run_emits(const run_prepared *r);
/* Takes an array's memory for the memories of later runs. */
void run_give_back(run_prepared *r, run_array *a);
/* The same over arrays in host memory; results get data from host_alloc. */
bool run_on_host(run_prepared *r, const host_array *args, uint32_t nargs, host_array *results,
                 uint32_t nresults, run_time *time);

#endif
