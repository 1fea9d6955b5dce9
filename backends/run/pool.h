/* Device memory that a prepared program keeps between its runs, so that repeated runs allocate
 * nothing. */
#ifndef FCL_BACKENDS_RUN_POOL_H
#define FCL_BACKENDS_RUN_POOL_H

#include "backends/run/device.h"

typedef struct pooled {
    void *memory; /* of the device */
    uint64_t bytes;
    bool is_new; /* given since the last pool_age */
} pooled;

typedef struct pool {
    VEC(pooled) blocks;
} pool;

/* The smallest kept block of at least that size, and not more than twice or `most`, else a new one,
 * larger by up to an eighth where kept ones are only a little too small.
 * memory NULL: failed, with a diagnostic. */
pooled pool_take(pool *p, run_device *d, uint64_t bytes, uint64_t most);
/* Keeps a block; releases it when there is no room to remember it. */
void pool_give(pool *p, run_device *d, pooled block);
/* Releases what nobody took since the last call. */
void pool_age(pool *p, run_device *d);
void pool_free(pool *p, run_device *d);

#endif
