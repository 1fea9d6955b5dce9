/* A device through OpenCL, shared by its files: opencl.c opens one of the machine and runs on it,
 * adopt.c makes one of what the caller has. */
#ifndef FCL_BACKENDS_RUN_OPENCL_DEVICE_H
#define FCL_BACKENDS_RUN_OPENCL_DEVICE_H

#include "backends/run/cache/cache.h"
#include "backends/run/device.h"
#include "backends/run/kept.h"
#include "backends/run/opencl/api.h"

typedef struct opencl_kernel {
    char *name;     /* owned copy */
    cl_program own; /* that has it alone; NULL: it is in that of all */
    cl_kernel kernel;
    bool quick;        /* the driver was asked to be done soon; the kernel would be faster else */
    uint64_t waits;    /* of the device, when it was made */
    VEC(run_arg) args; /* that it was launched with last */
    uint64_t releases; /* of the device, then */
} opencl_kernel;

/* A program that was built on this device. */
typedef struct opencl_program {
    kept kept;
    cl_program program; /* of all kernels; NULL: each is built by itself when it is first launched, */
    vec_char source, options; /* from these */
    VEC(opencl_kernel) kernels;
} opencl_program;

/* Memory of the host's that the device reaches by itself, in pieces. */
typedef struct opencl_pinned {
    cl_mem memory;
    unsigned char *at; /* NULL: there is none */
    uint64_t used;     /* a bit for each piece */
    bool is_tried;
} opencl_pinned;

typedef struct opencl_device {
    run_device base;
    opencl_api api;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;           /* the one in use, of the next two */
    cl_command_queue plain, profiled; /* profiled NULL: not asked for yet */
    bool is_timing;
    VEC(cl_event) launches;           /* since timing started */
    bool is_busy;                     /* it was given something since it was last waited for */
    kept_list programs;
    uint64_t releases; /* of memories, so far */
    uint64_t waits;    /* for runs to end, so far */
    opencl_pinned pinned;
} opencl_device;

static inline opencl_device *opencl_self(run_device *d)
{
    return (opencl_device *)d; /* base is its first member */
}

/* The queue, for a command that nobody waits for at once. */
static inline cl_command_queue opencl_filling(opencl_device *o)
{
    o->is_busy = true;
    return o->queue;
}

extern const run_ops opencl_ops;

/* Reports a failed call; false. */
bool opencl_failed(run_device *d, const char *call, cl_int error);
bool opencl_open_queue(opencl_device *o, cl_command_queue_properties properties,
                       cl_command_queue *queue);
void opencl_close(run_device *d);
/* build.c: what the driver makes of code, or has made of it before; NULL with a diagnostic. */
cl_program opencl_build(opencl_device *o, const run_code *code);
/* Whether each kernel can be built by itself. */
bool opencl_is_by_kernels(const run_code *code);
/* The program of one.  *quick: that may be one which the driver makes sooner and which is slower; whether it is. */
cl_program opencl_build_kernel(opencl_device *o, const run_code *code, const char *name, bool *quick);
/* il.c: a program of SPIR-V, and what its compiler is to be told; NULL with a diagnostic. */
cl_program opencl_create_with_il(opencl_device *o, const run_code *code, const char **options);
/* kept.c: what a program on disk is named by; the program of that name, NULL: there is none;
 * keeps one that was built. */
void opencl_name_program(opencl_device *o, const run_code *code, cache_key *k);
cl_program opencl_take_program(opencl_device *o, const cache_key *k, const char *options);
void opencl_keep_program(opencl_device *o, const cache_key *k, cl_program program);
/* adopt.c */
bool opencl_wrap(run_device *d, void *memory, uint64_t bytes, uint64_t *has);
/* pinned.c */
void *opencl_pin(run_device *d);
void opencl_unpin(run_device *d, void *piece);
void opencl_drop_pinned(opencl_device *o);
/* marks.c */
bool opencl_read_later(run_device *d, void *memory, uint64_t bytes, void *to);
void *opencl_mark(run_device *d);
bool opencl_flush(run_device *d);
bool opencl_is_reached(run_device *d, void *mark);
bool opencl_await(run_device *d, void *mark);
void opencl_forget(run_device *d, void *mark);

#endif
