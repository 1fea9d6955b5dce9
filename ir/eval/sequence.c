/* Arrays that are made in steps, one after the other.
 *
 * seqfor: one thread writes an array, and each step may read what the steps before wrote.  The
 * array is private until all steps are done; then its elements go to the sink in order.  Every
 * element must have been written by then; one may be written again.
 *
 * mapaccum: each round makes a chunk and the state for the next round. */
#include "ir/eval/value.h"

#include <inttypes.h>
#include <string.h>

bool eval_partial_unwritten(machine *M, const partial *a, uint64_t i)
{
    eval_fail(M, DIAG_EVAL_UNWRITTEN, M->at,
              "element %" PRIu64 " is read, and no step has written it yet", i);
    diag_note_add(M->m->cx, ir_op_loc(M->m, a->op), "this seqfor writes the array");
    return false;
}

/* Steps are numbered from 0. */
static bool wrong_step(machine *M, const push *p, int64_t step, int64_t at)
{
    return eval_fail(M, DIAG_EVAL_POSITION, p->op,
                     "step %" PRId64 " of this seqfor writes to position %" PRId64
                     " of an array of %" PRIu64 " elements",
                     step, at, p->dims[0]);
}

/* Runs the region for one step, and writes what it gives. */
static bool run_step(machine *M, const push *p, const pull *so_far, partial *a, int64_t step)
{
    value v, args[] = {{.tag = VAL_PULL, .pull = so_far}, int_value(step)};
    if (!eval_region_value(M, p->code->region, p->env, args, 2, &v))
        return false;
    if (v.tag != VAL_TUPLE || v.n != 2)
        return eval_stuck(M, p->op, &v, "a position and a value");
    uint64_t at = v.items[0].bits;
    if (at >= p->dims[0])
        return wrong_step(M, p, step, (int64_t)at);
    a->written[at / 64] |= (uint64_t)1 << at % 64;
    return eval_buffer_put(M, a->data, at, &v.items[1]);
}

/* The view of the array so far is one pull array for all steps: it reads what is written by
 * then. */
static bool run_steps(machine *M, const push *p, partial *a)
{
    pull so_far = {
        .kind = PULL_PARTIAL, .rank = 1, .count = p->dims[0], .dims = p->dims, .partial = a};
    bool ok = true;
    for (int64_t i = 0; ok && i < p->steps; i++) {
        mark k = stack_mark(M);
        ok = run_step(M, p, &so_far, a, i);
        stack_release(M, k);
    }
    return ok;
}

/* Only now anyone else sees the array, so reading and writing it never overlap. */
static bool send_all(machine *M, const push *p, const partial *a, const sink *s)
{
    bool ok = eval_sink_reserve(M, s, p->dims[0]);
    for (uint64_t i = 0; ok && i < p->dims[0]; i++) {
        value v;
        mark k = stack_mark(M);
        if (!partial_written(a, i))
            return eval_fail(M, DIAG_EVAL_UNWRITTEN, p->op,
                             "no step of this seqfor writes element %" PRIu64, i);
        ok = eval_buffer_get(M, a->data, i, &v) && eval_sink_put(M, s, i, &v);
        stack_release(M, k);
    }
    return ok;
}

/* Room for the array and its bits; false without memory or beyond the limit. */
static bool partial_init(machine *M, const push *p, partial *a)
{
    size_t bytes = (size_t)(p->dims[0] / 64 + 1) * sizeof *a->written;
    *a = (partial){.data = eval_buffer_new(M), .op = p->op};
    sink store = eval_sink_store(M, a->data, p->op, 1);
    if (!a->data || !eval_sink_reserve(M, &store, p->dims[0]) ||
        !(a->written = stack_alloc(M, bytes)))
        return false;
    memset(a->written, 0, bytes);
    return true;
}

/* At thread level throughout, as its typing rule says. */
bool eval_seqfor_run(machine *M, const push *p, const sink *s, uint64_t *count)
{
    partial a;
    mark k = stack_mark(M);
    uint32_t here = M->here;
    M->here = LEVEL_THREAD;
    bool ok = partial_init(M, p, &a) && run_steps(M, p, &a) && send_all(M, p, &a, s);
    M->here = here;
    stack_release(M, k);
    *count = p->dims[0];
    return ok;
}

/* Nothing runs yet: like every push array it is forced later. */
bool eval_SEQFOR(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    uint64_t *dims, count;
    push *p = eval_extents(M, c, f, i, &dims, &count) ? stack_alloc(M, sizeof *p) : NULL;
    if (!p)
        return false;
    *p = (push){.kind = PUSH_SEQFOR,
                .rank = 1,
                .height = LEVEL_THREAD,
                .op = i->op,
                .code = code_of(M, i->regions),
                .env = f,
                .dims = dims};
    p->steps = (int64_t)operand_value(c, f, i->b)->bits;
    *out = (value){.tag = VAL_PUSH, .push = p};
    return p->code != NULL;
}

/* ---- mapaccum ---- */

bool eval_check_stated(machine *M, const push *p, uint64_t number, uint64_t length)
{
    uint64_t left = p->dims[0] - number * p->chunk, least = left < p->chunk ? left : p->chunk;
    if (length >= least && length <= p->chunk)
        return true;
    eval_fail(M, DIAG_EVAL_CHUNK, p->op,
              "chunk %" PRIu64 " of this %s has %" PRIu64
              " elements; its chunks are said to have %" PRIu64,
              number, ir_op_info(ir_op_at(M->m, p->op)->opcode)->name, length, p->chunk);
    diag_hint(M->m->cx, "only the last chunk may be shorter, by what the chunks before it have "
                        "written of the array");
    return false;
}

/* A chunk longer than the array has left is cut by the sink below (SINK_BELOW), a longer one than
 * stated is refused. */
static bool run_round(machine *M, const push *p, uint64_t round, eval_state *state, value *now,
                      const sink *s)
{
    value v, args[] = {int_value((int64_t)round), *now};
    uint64_t length = 0;
    sink shift = {.kind = SINK_SHIFT, .next = s, .base = round * p->chunk};
    if (!eval_region_value(M, p->code->region, p->env, args, 2, &v))
        return false;
    if (v.tag != VAL_TUPLE || v.n != 2 || v.items[0].tag != VAL_PUSH)
        return eval_stuck(M, p->op, &v, "a push array and the next state");
    return eval_push_run(M, v.items[0].push, &shift, &length) &&
           eval_check_stated(M, p, round, length) &&
           eval_state_next(M, p->op, &v.items[1], state, now);
}

/* A fold over chunks that writes as it goes (mapAccumL).  The extent is stated, so that a length
 * needs no run. */
bool eval_mapaccum_run(machine *M, const push *p, const sink *s, uint64_t *count)
{
    mark k = stack_mark(M);
    uint32_t here = M->here;
    eval_state state;
    value now;
    sink below = {.kind = SINK_BELOW, .next = s, .base = p->dims[0]};
    M->here = p->height;
    bool ok =
        eval_sink_reserve(M, s, p->dims[0]) && eval_state_begin(M, p->op, p->state, &state, &now);
    for (uint64_t i = 0; ok && i * p->chunk < p->dims[0]; i++) {
        mark round = stack_mark(M);
        ok = run_round(M, p, i, &state, &now, &below);
        stack_release(M, round);
    }
    M->here = here;
    stack_release(M, k);
    *count = p->dims[0];
    return ok;
}

/* Chunks of no elements would never fill the array. */
bool eval_MAPACCUM(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    uint64_t *dims, count;
    int64_t chunk = (int64_t)operand_value(c, f, i->b)->bits;
    push *p = eval_extents(M, c, f, i, &dims, &count) ? stack_alloc(M, sizeof *p) : NULL;
    if (!p)
        return false;
    if (chunk < 1)
        return eval_fail(M, DIAG_EVAL_CHUNK_SIZE, i->op,
                         "the chunk length of this mapaccum is %" PRId64, chunk);
    *p = (push){.kind = PUSH_MAPACCUM,
                .rank = 1,
                .height = eval_level_height(c, f, &i->level),
                .op = i->op,
                .code = code_of(M, i->regions),
                .env = f,
                .dims = dims,
                .chunk = (uint64_t)chunk,
                .state = operand_value(c, f, i->args[2])};
    *out = (value){.tag = VAL_PUSH, .push = p};
    return p->code != NULL;
}
