/* The interpreter of launch plans: a prepared program and the state of its run, shared by its
 * files.
 *
 * steps.c runs the steps, memory.c finds memory, launch.c starts kernels, check.c asks what their
 * checks found, reports.c has where they say so, pool.c keeps memory from one run to the next.  Each function returns false after a
 * diagnostic. */
#ifndef FCL_BACKENDS_RUN_PREPARED_H
#define FCL_BACKENDS_RUN_PREPARED_H

#include "backends/run/reports.h"

#include "backends/run/pool.h"

/* A memory of the plan in a run. */
typedef struct run_memory {
    pooled block;   /* memory NULL: not made yet */
    uint64_t count; /* elements */
    bool is_result; /* and not the plan's any more */
} run_memory;

struct run_prepared {
    run_device *d;
    const plan *p;
    fcl_context *cx;
    void *program; /* of the device; NULL: there are no kernels */
    pool free;
    const run_array *args; /* of this run, as everything below */
    uint64_t *values;      /* by number; bits as in ir/scalar/scalar.h */
    run_memory *memories;  /* by number; tables stay from run to run */
    run_array *results;    /* handed over at its end */
    run_array *given;      /* where the caller wants results; without memory: anywhere */
    uint32_t *becomes;     /* by memory: 1 + the result that it is and nothing else, or 0 */
    bool *known;           /* by value: whether the arguments alone tell it */
    VEC(uint64_t) key;     /* scalars and extents of the run before */
    vec_u32 work;          /* steps of the outermost block but those that arguments alone tell */
    uint64_t nknown;       /* how many those are */
    bool complete;         /* the run before has computed them all */
    uint32_t report;       /* the memory that kernels report failed checks to; 0: none does */
    bool emits;            /* it hands something out */
    bool asks;             /* it takes something in, so that leaves are wanted in any case */
    run_report *taken;     /* the report of this run, until a flight has it; NULL: none */
    bool clean;            /* it has been read when nothing ran any more, and was all 0 */
    bool failed;           /* the last run: what it has left in kept memories counts for nothing */
    VEC(uint64_t) moved;   /* values on their way from a yield to a loop's parameters */
    VEC(run_arg) launch_args;
    uint64_t steps;      /* that it may still do */
    run_flight *flight;  /* NULL: the caller waits for the end */
    uint32_t last;       /* the step that asks for the report and behind which nothing runs, or 0 */
    uint64_t held, peak; /* bytes of the plan's memories */
    uint64_t launches;
    run_bounds bounds;
    VEC(host_array) emitted; /* leaves of what is handed out, until the last is there */
};

bool run_error(run_prepared *r, diag_code code, location at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A number of i32 or i64. */
static inline int64_t run_number(const run_prepared *r, uint32_t value)
{
    return (int64_t)r->values[value];
}

/* again.c: what runs have alike.  Finds which values of the outermost block the arguments alone tell; false: memory is short. */
bool run_find_known(run_prepared *r);
bool run_are_known(const run_prepared *r, const uint32_t *values, uint32_t n); /* 0 is no value */
/* Whether a step computes such a value. */
bool run_is_known(const run_prepared *r, const plan_step *s);
/* Whether scalars and extents are those of the run before; they are the ones to compare with then. */
bool run_is_again(run_prepared *r);
/* into.c: which memories of the plan can be a given one. */
void run_find_results(run_prepared *r);
/* Takes the results' memories, and refuses those that are not fit for them; a result whose extents
 * the arguments tell is refused before anything runs. */
bool run_take_given(run_prepared *r, const run_array *results);
/* Whether a result goes to that memory of the caller's, which must have room. */
bool run_has_room(run_prepared *r, const plan_step *s, uint64_t bytes);
/* What a step that computes a value gives. */
uint64_t run_value(const run_prepared *r, const plan_step *s);
/* Extents of a result; false with a diagnostic where they are no extents. */
bool run_extents(run_prepared *r, const plan_step *s, host_array *a);
/* Gives back a result's memory that no caller gave. */
void run_drop_result(run_prepared *r, uint32_t i);

bool run_check_arguments(run_prepared *r, const run_array *args, uint32_t nargs, uint32_t nresults);
bool run_allocate(run_prepared *r, const plan_step *s);
/* Room for so many elements in place of what the memory had. */
bool run_room(run_prepared *r, uint32_t memory, uint64_t count, location at);
void run_free(run_prepared *r, const plan_step *s);
void run_swap(run_prepared *r, const plan_step *s);
bool run_read(run_prepared *r, const plan_step *s);
bool run_output(run_prepared *r, const plan_step *s);
/* Elements that a memory has, not those of the pooled block that holds it. */
uint64_t run_count_of(const run_prepared *r, uint32_t memory);
/* emit.c: a leaf of what is handed out, and all of them with the last one. */
bool run_emit(run_prepared *r, const plan_step *s);
void run_drop_emitted(run_prepared *r);
/* What is given for the leaves that came before becomes a memory's. */
bool run_receive(run_prepared *r, const plan_step *s);
/* The device's memory behind a memory of the plan; NULL with a diagnostic. */
void *run_memory_of(run_prepared *r, uint32_t memory);
/* Makes what is there before the first step: a clean report. */
bool run_begin_memories(run_prepared *r);
/* At the end of a run: what the plan allocated goes back to the pool. */
void run_release_memories(run_prepared *r);
void run_end_memories(run_prepared *r); /* of all runs */

/* A check of the host's. */
bool run_check(run_prepared *r, const plan_step *s);
/* Waits for what was launched; false, with a diagnostic, when a check of it has failed. */
bool run_passed(run_prepared *r);
/* The step of the plan that does so; the last one of a run that nobody waits for does it later. */
bool run_passed_step(run_prepared *r, const plan_step *s);
void run_find_last(run_prepared *r);
/* A block for so many bytes, unless the run would hold more than it may; memory NULL: failed. */
pooled run_take(run_prepared *r, uint64_t bytes, location at);

bool run_launch_step(run_prepared *r, const plan_step *s);

#endif
