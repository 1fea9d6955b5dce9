/* streamred and streammap: chunk after chunk, each of as many elements as the machine says.
 *
 * A program means the same however it is cut, so the length is anybody's choice; tests run with
 * several (eval_options). */
#include "ir/eval/value.h"

#include <inttypes.h>

/* Where chunks begin and how long they are: the n numbers from 0 on. */
typedef struct cut {
    int64_t start, count, n;
} cut;

static bool next_chunk(const machine *M, cut *x)
{
    int64_t most = (int64_t)M->stream_chunk;
    x->start += x->count;
    x->count = x->n - x->start < most ? x->n - x->start : most;
    return x->count > 0;
}

static bool length(machine *M, const inst *i, const value *n, cut *out)
{
    *out = (cut){.n = (int64_t)n->bits};
    if (out->n > MAX_EXTENT)
        return eval_fail(M, DIAG_EVAL_EXTENT, i->op, "a stream has more than %d elements",
                         MAX_EXTENT);
    return out->n >= 0 || eval_fail(M, DIAG_EVAL_EXTENT, i->op,
                                    "the number of elements of a stream is %" PRId64, out->n);
}

static bool chunk_value(machine *M, const inst *i, const eval_frame *f, const cut *x, value *out)
{
    value args[2] = {int_value(x->start), int_value(x->count)};
    return eval_region_value(M, i->regions, f, args, 2, out);
}

/* The chunk at its own level, the combination at thread level. */
static bool combine_chunk(machine *M, const inst *i, const eval_frame *f, const cut *x,
                          eval_state *s, value *sum)
{
    value args[2] = {*sum}, made;
    uint32_t here = M->here;
    mark k = stack_mark(M);
    bool ok = chunk_value(M, i, f, x, &args[1]);
    M->here = LEVEL_THREAD;
    ok = ok && eval_region_value(M, i->regions + 1, f, args, 2, &made) &&
         eval_state_next(M, i->op, &made, s, sum);
    M->here = here;
    stack_release(M, k);
    return ok;
}

bool eval_STREAMRED(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    cut x;
    eval_state s;
    bool ok = length(M, i, operand_value(c, f, i->b), &x) &&
              eval_state_begin(M, i->op, operand_value(c, f, i->a), &s, out);
    while (ok && next_chunk(M, &x))
        ok = combine_chunk(M, i, f, &x, &s, out);
    return ok;
}

/* ---- streammap ---- */

static bool write_chunk(machine *M, const inst *i, const eval_frame *f, const cut *x,
                        const sink *to)
{
    value v;
    push room;
    uint64_t written;
    sink shift = {.kind = SINK_SHIFT, .next = to, .base = (uint64_t)x->start};
    if (!chunk_value(M, i, f, x, &v))
        return false;
    const push *p = eval_as_push(M, i->op, &v, &room);
    if (!p || !eval_push_run(M, p, &shift, &written))
        return false;
    return written == (uint64_t)x->count ||
           eval_fail(M, DIAG_EVAL_CHUNK, i->op,
                     "the chunk of %" PRId64 " elements from %" PRId64
                     " on of this streammap gives %" PRIu64,
                     x->count, x->start, written);
}

bool eval_STREAMMAP(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    cut x;
    stored *s = eval_stored_new(M);
    bool ok = s && length(M, i, operand_value(c, f, i->a), &x);
    sink to = ok ? eval_sink_store(M, s->p.data, i->op, 1) : (sink){0};
    while (ok && next_chunk(M, &x)) {
        mark k = stack_mark(M);
        ok = write_chunk(M, i, f, &x, &to);
        stack_release(M, k);
    }
    if (!ok)
        return false;
    s->p.rank = 1;
    s->p.count = s->dims[0] = (uint64_t)x.n;
    *out = (value){.tag = VAL_PULL, .pull = &s->p};
    return true;
}
