/* chain: the chunks are computed one after the other, so what a chunk looks at is there: the
 * combination of everything up to an earlier one.
 *
 * One after the other is one of the orders in which a device may run the blocks, and the one in
 * which every look finds status 2: programs must give the same result in all of them. */
#include "ir/eval/value.h"

#include <inttypes.h>

enum { OWN, COMBINED, BEFORE, CHUNK }; /* the regions */

/* The combinations up to each of the chunks so far, and what stands before the first. */
struct records {
    buffer *upto;
    uint64_t chunks;
    const value *start;
};

/* (status, record); status 2 says that everything up to chunk j is in it.  Looking at one's own
 * chunk or a later one could wait for ever on a device, so it is refused. */
bool eval_chain_look(machine *M, const struct records *r, ir_op op, int64_t j, value *out)
{
    value *items = stack_alloc(M, 2 * sizeof *items);
    if (!items)
        return false;
    if (j >= 0 && (uint64_t)j >= r->chunks)
        return eval_fail(M, DIAG_EVAL_LOOK, op,
                         "chunk %" PRIu64 " of a chain looks at chunk %" PRId64, r->chunks, j);
    items[0] = int_value(2);
    items[1] = *r->start;
    *out = (value){.tag = VAL_TUPLE, .n = 2, .items = items};
    return j < 0 || eval_buffer_get(M, r->upto, (uint64_t)j, &items[1]);
}

/* A function that no region is the body of: `looked` tells the caller what to do instead. */
static value look_function(const struct records *r, eval_closure *room)
{
    static const code look = {.nparams = 1};
    *room = (eval_closure){.body = &look, .looked = r};
    return (value){.tag = VAL_FUN, .fun = room};
}

/* ---- one chunk ---- */

static bool run(machine *M, const push *p, uint32_t which, const value *args, uint32_t n,
                value *out)
{
    return eval_region_value(M, p->code->region + which, p->env, args, n, out);
}

/* The closure of `look` is on the C stack: what the region gives is scalars, which cannot hold
 * it. */
static bool find_before(machine *M, const push *p, const struct records *r, value *out)
{
    eval_closure look;
    value args[] = {int_value((int64_t)r->chunks), look_function(r, &look)};
    return run(M, p, BEFORE, args, 2, out);
}

/* A single thread combines what stands before the chunk with its summary. */
static bool publish(machine *M, const push *p, struct records *r, const value *before,
                    const value *summary)
{
    value args[] = {*before, *summary}, upto;
    uint32_t here = M->here;
    M->here = LEVEL_THREAD;
    bool ok = run(M, p, COMBINED, args, 2, &upto) && eval_buffer_put(M, r->upto, r->chunks, &upto);
    M->here = here;
    return ok;
}

/* In the order in which a block of compiled code works: summary, what is before, record,
 * elements. */
static bool run_chunk(machine *M, const push *p, struct records *r, const sink *s)
{
    value own, before, chunk;
    uint64_t k = r->chunks, length = 0;
    value number = int_value((int64_t)k);
    sink below = {.kind = SINK_BELOW, .next = s, .base = p->dims[0]};
    sink shift = {.kind = SINK_SHIFT, .next = &below, .base = k * p->chunk};
    if (!run(M, p, OWN, &number, 1, &own))
        return false;
    if (own.tag != VAL_TUPLE || own.n != 2)
        return eval_stuck(M, p->op, &own, "a summary and the rest");
    if (!find_before(M, p, r, &before) || !publish(M, p, r, &before, &own.items[0]))
        return false;
    value args[] = {number, before, own.items[1]};
    if (!run(M, p, CHUNK, args, 3, &chunk))
        return false;
    if (chunk.tag != VAL_PUSH)
        return eval_stuck(M, p->op, &chunk, "a push array as chunk");
    r->chunks++;
    return eval_push_run(M, chunk.push, &shift, &length) && eval_check_stated(M, p, k, length);
}

/* ---- all of them ---- */

/* Records live in a buffer below each chunk's mark. */
bool eval_chain_run(machine *M, const push *p, const sink *s, uint64_t *count)
{
    mark start = stack_mark(M);
    struct records r = {.upto = eval_buffer_new(M), .start = p->state};
    uint64_t m = (p->dims[0] + p->chunk - 1) / p->chunk;
    uint32_t here = M->here;
    M->here = LEVEL_BLOCK;
    bool ok = r.upto && eval_sink_reserve(M, s, p->dims[0]);
    while (ok && r.chunks < m) {
        mark k = stack_mark(M);
        ok = run_chunk(M, p, &r, s);
        stack_release(M, k);
    }
    M->here = here;
    stack_release(M, start);
    *count = p->dims[0];
    return ok;
}

bool eval_CHAIN(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    uint64_t *dims, count;
    int64_t chunk = (int64_t)operand_value(c, f, i->b)->bits;
    push *p = eval_extents(M, c, f, i, &dims, &count) ? stack_alloc(M, sizeof *p) : NULL;
    if (!p)
        return false;
    if (chunk < 1)
        return eval_fail(M, DIAG_EVAL_CHUNK_SIZE, i->op,
                         "the chunk length of this chain is %" PRId64, chunk);
    *p = (push){.kind = PUSH_CHAIN,
                .rank = 1,
                .height = LEVEL_GRID,
                .op = i->op,
                .code = code_of(M, i->regions),
                .env = f,
                .dims = dims,
                .chunk = (uint64_t)chunk,
                .state = operand_value(c, f, i->args[2])};
    *out = (value){.tag = VAL_PUSH, .push = p};
    return p->code != NULL;
}
