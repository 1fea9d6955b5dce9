/* A list of free blocks, searched from end to end: programs have few memories. */
#include "backends/run/pool.h"

/* Large enough, and at most half of it wasted. */
static bool fits(const pooled *block, uint64_t bytes, uint64_t most)
{
    return block->bytes >= bytes && block->bytes <= most && block->bytes / 2 <= bytes;
}

/* Of blocks of one size always the same one comes first, in whatever order they were given:
 * memories that have changed places are what they were in the run before, and kernels keep their
 * arguments. */
static bool is_better(const pooled *x, const pooled *y)
{
    return x->bytes != y->bytes ? x->bytes < y->bytes : (uintptr_t)x->memory < (uintptr_t)y->memory;
}

/* An eighth of the largest power of two in it at most is added, and never more than `most`. */
static uint64_t rounded(uint64_t bytes, uint64_t most)
{
    uint64_t step = 1;
    while (step <= bytes / 16)
        step *= 2;
    uint64_t up = (bytes + step - 1) / step * step;
    return up <= most ? up : bytes;
}

/* So many bytes, and some more where a free block is only a little too small: sizes then change
 * from turn to turn of a loop, and the next turns are to find this block large enough.  Beside what
 * fills a large block, allocating it is little. */
static pooled take_new(const pool *p, run_device *d, uint64_t bytes, uint64_t most)
{
    enum { LARGE = 64 << 20 };
    bool grows = false;
    for (uint32_t i = 0; i < p->blocks.len && !grows; i++)
        grows = p->blocks.at[i].bytes < bytes && p->blocks.at[i].bytes >= bytes / 2;
    uint64_t all = grows && bytes < LARGE ? rounded(bytes, most) : bytes;
    return (pooled){.memory = d->ops->buffer(d, all, NULL), .bytes = all};
}

/* By its usual name: best fit. */
pooled pool_take(pool *p, run_device *d, uint64_t bytes, uint64_t most)
{
    uint32_t best = p->blocks.len;
    for (uint32_t i = 0; i < p->blocks.len; i++)
        if (fits(&p->blocks.at[i], bytes, most) &&
            (best == p->blocks.len || is_better(&p->blocks.at[i], &p->blocks.at[best])))
            best = i;
    if (best == p->blocks.len)
        return take_new(p, d, bytes, most);
    pooled found = p->blocks.at[best];
    p->blocks.at[best] = p->blocks.at[--p->blocks.len];
    return found;
}

/* A given block stays through the run in which it came and the whole one after that (pool_age). */
void pool_give(pool *p, run_device *d, pooled block)
{
    mem *m = &d->cx->mem;
    bool was_short = m->oom;
    block.is_new = true;
    if (vec_push(m, &p->blocks, block))
        return;
    d->ops->release(d, block.memory);
    m->oom = was_short; /* to forget a block is no failure */
}

/* At the end of a run: what it did not take is released, what it gave is kept for the next. */
void pool_age(pool *p, run_device *d)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->blocks.len; i++) {
        pooled block = p->blocks.at[i];
        if (!block.is_new) {
            d->ops->release(d, block.memory);
            continue;
        }
        block.is_new = false;
        p->blocks.at[kept++] = block;
    }
    p->blocks.len = kept;
}

void pool_free(pool *p, run_device *d)
{
    for (uint32_t i = 0; i < p->blocks.len; i++)
        d->ops->release(d, p->blocks.at[i].memory);
    vec_free(&d->cx->mem, &p->blocks);
}
