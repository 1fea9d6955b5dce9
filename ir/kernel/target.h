/* What a kernel program is compiled for, as four things that come from four places.
 *
 * Facts describe the device: its limits and abilities, and nothing that anybody chose.  Tuning is
 * numbers that make code faster or slower, never right or wrong.  A request is what the user asked
 * for.  Quirks are what the device's driver gets wrong: zero for nearly everybody.
 *
 * The kernel IR knows that lanes of a warp hand values to one another, and how many of them do; how
 * code spells that is between the user and the back end (request.dialect). */
#ifndef FCL_IR_KERNEL_TARGET_H
#define FCL_IR_KERNEL_TARGET_H

#include "ir/base/intern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A warp is warp_size threads of a block in order.  Where its lanes exchange values, or can wait
 * for one another, warps are the device's own; elsewhere they are only a way to number threads, and
 * what they exchange goes through local memory and barriers of the whole block. */
typedef struct k_device_facts {
    uint32_t max_block;      /* threads in a block, at most; 0: not known */
    uint32_t local_bytes;    /* local memory of a block; 0: not known */
    uint32_t constant_bytes; /* of tables in constant memory; 0: not known */
    uint32_t warp_size;      /* threads in a warp */
    uint32_t lanes;      /* threads that exchange values without memory: those of a warp; 0: none */
    bool warps_wait;     /* there is a barrier among the threads of a warp */
    bool groups_wait;    /* a group may wait for another one that has started */
    bool launches_cost;  /* a launch costs more than that every group counts itself at its end */
    bool atomics64;      /* atomic steps on 64 bits of memory exist, not only on 32 */
    bool serial;         /* a block is one thread, which does what its threads would do in turn */
    uint32_t simd; /* bytes of the vectors that a core computes in, where code says so: of a CPU whose local
                      memory is no nearer than other memory; 0: it does not */
    bool f64;            /* arithmetic on f64 */
    bool f16;            /* arithmetic on f16; else such numbers are only kept */
    bool local_by_width; /* local arrays have bytes in common only where their elements are of one
                            width */
} k_device_facts;

typedef struct k_tuning {
    uint32_t block_size; /* threads in a block, or on serial devices what stands for them */
    uint32_t most_own;   /* threads that functions may have instead (ir/block.h); 0: they may not */
#define TUNING(field, name, usual, least, most, pass, meaning) uint32_t field;
#include "ir/kernel/tuning.def"
#undef TUNING
} k_tuning;

/* A row of tuning.def. */
typedef struct k_tunable {
    const char *name, *pass, *meaning;
    uint32_t usual, least, most;
    size_t offset; /* of the field */
} k_tunable;
typedef enum k_tunable_number {
#define TUNING(field, name, usual, least, most, pass, meaning) TUNE_##field,
#include "ir/kernel/tuning.def"
#undef TUNING
} k_tunable_number;

const k_tunable *k_tunable_at(uint32_t i); /* NULL beyond the last */
k_tuning k_usual_tuning(void);
uint32_t *k_tuned(k_tuning *t, const k_tunable *row);

/* Which accesses are checked at run time: those that are not seen to be right; none; all. */
typedef enum k_checks { CHECKS_DEFAULT, CHECKS_NONE, CHECKS_ALL } k_checks;

/* Where emitted code says which line of a source it comes from: operators whose position is in a
 * front end's source, not in the module's own text; all operators; none. */
typedef enum k_lines { LINES_OF_FRONT_ENDS, LINES_ALWAYS, LINES_NEVER } k_lines;

typedef struct k_request {
    uint32_t groups;     /* physical work-groups of a grid; 0: as many as the work needs */
    uint32_t index_bits; /* of positions in global memory: 32, 64, or 0: chosen at each launch */
    str_id tuned;        /* NAME=N,...: the tunables of the program (ir/tunable.h); 0: as they are */
    str_id in_place;     /* the array parameter that a result overwrites; 0: none */
    bool fast_math;      /* f32 functions may be the device's own, x * y + z may be one operation */
    k_lines lines;
    k_checks checks;
    uint32_t dialect; /* a number of the back end's (backend.dialects); only it reads this */
} k_request;

/* A bit each. */
typedef enum k_quirk {
#define QUIRK(e, bit, name, meaning) QUIRK_##e = 1u << bit,
#include "ir/kernel/quirks.def"
#undef QUIRK
} k_quirk;

typedef struct k_target {
    k_device_facts facts;
    k_tuning tuning;
    k_request request;
    uint32_t quirks; /* of k_quirk */
} k_target;

#endif
