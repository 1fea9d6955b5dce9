/* What a device must be able to do for the plan interpreter: see run.h and plan.h.  Every failure
 * is reported by the device. */
#ifndef FCL_BACKENDS_RUN_DEVICE_H
#define FCL_BACKENDS_RUN_DEVICE_H

#include "backends/run/run.h"

typedef enum { RUN_SCALAR, RUN_MEMORY, RUN_LOCAL } run_arg_kind;

typedef struct run_arg {
    run_arg_kind kind;
    uint64_t bytes;        /* of the scalar, or of the local array */
    unsigned char bits[8]; /* the scalar, in the host's layout */
    void *memory;
    bool written; /* the kernel may write the memory */
} run_arg;

typedef struct run_launch {
    const char *kernel;
    uint64_t groups, threads; /* of a group */
    const run_arg *args;
    uint32_t nargs;
} run_launch;

enum { MOST_CLEARED = 32 };

typedef struct run_ops {
    void *(*program)(run_device *d, const run_code *code); /* kept by the device; NULL: failed */
    void (*leave)(run_device *d, void *program);           /* each that `program` gave, once */
    void *(*buffer)(run_device *d, uint64_t bytes,
                    const void *init); /* init NULL: undefined contents; NULL: failed */
    void (*release)(run_device *d, void *memory);
    bool (*read)(run_device *d, void *memory, uint64_t offset, uint64_t bytes,
                 void *to); /* waits for what was launched */
    bool (*write)(run_device *d, void *memory, uint64_t bytes,
                  const void *from); /* waits until it has the elements */
    void *(*part)(run_device *d, void *memory, uint64_t offset,
                  uint64_t bytes); /* of a memory, for as long as that is there; given back by
                                      `release`.  NULL: the device has no parts */
    bool (*clear)(run_device *d, void *memory,
                  uint64_t bytes); /* at most MOST_CLEARED; does not wait */
    bool (*wrap)(run_device *d, void *memory, uint64_t bytes,
                 uint64_t *has); /* holds a memory of the caller's until `release`; *has: its size,
                                    which is at least `bytes`.  NULL: the device cannot */
    bool (*copy)(run_device *d, void *from, void *to, uint64_t bytes); /* does not wait */
    bool (*launch)(run_device *d, void *program, const run_launch *l); /* does not wait */
    bool (*finish)(run_device *d); /* waits for everything; false when any of it failed */
    bool (*read_later)(run_device *d, void *memory, uint64_t bytes,
                       void *to); /* does not wait: `to` has the elements at the next mark */
    void *(*pin)(run_device *d);  /* MOST_CLEARED bytes of the host's that are read to faster; NULL:
                                     none are left.  Both are NULL where there is no such memory */
    void (*unpin)(run_device *d, void *piece);
    void *(*mark)(
        run_device *d); /* reached when all that was started before is done; NULL: failed */
    bool (*flush)(run_device *d); /* what was started begins to run, though nobody waits yet */
    bool (*is_reached)(run_device *d, void *mark);
    bool (*await)(run_device *d, void *mark);  /* false when any of it failed */
    void (*forget)(run_device *d, void *mark); /* NULL is allowed */
    bool (*start_timing)(run_device *d);       /* launches are timed from now on */
    bool (*stop_timing)(run_device *d,
                        run_time *t); /* after finish; NULL: forget what was measured */
    run_handles (*handles)(const run_device *d);
    void (*close)(run_device *d);
} run_ops;

typedef struct run_report run_report;
typedef struct run_report_page run_report_page;

struct run_device {
    const run_ops *ops;
    fcl_context *cx;
    run_caps caps;
    VEC(run_report_page *) reports; /* reports.h */
};

/* Held while a driver is loaded, and makes or looks for what lasts. */
void run_lock_drivers(void);
void run_unlock_drivers(void);

#endif
