/* accumulate: the elements of a push array are combined into an array in memory, in the order in
 * which they come.
 *
 * A histogram is the usual example.  The function must be associative and commutative for
 * devices to agree with this order; floats then agree up to rounding. */
#include "ir/eval/value.h"

#include <inttypes.h>

/* The array while it is accumulated into. */
struct cells {
    stored *array;
    const inst *i;
    const eval_frame *env;
};

/* Combines a value into the cell at a position.  It is read, combined and written back at once:
 * nobody else runs meanwhile. */
static bool combine(machine *M, struct cells *cells, uint64_t at, const value *v)
{
    value args[2], x;
    args[1] = *v;
    return eval_buffer_get(M, cells->array->p.data, at, &args[0]) &&
           eval_region_value(M, cells->i->regions + 1, cells->env, args, 2, &x) &&
           eval_buffer_put(M, cells->array->p.data, at, &x);
}

bool eval_cells_put(machine *M, struct cells *cells, const value *v)
{
    value x;
    if (!eval_region_value(M, cells->i->regions, cells->env, v, 1, &x))
        return false;
    if (x.tag != VAL_TUPLE || x.n != 2)
        return eval_stuck(M, cells->i->op, &x, "a position and a value");
    int64_t at = (int64_t)x.items[0].bits;
    if ((uint64_t)at < cells->array->p.count)
        return combine(M, cells, (uint64_t)at, &x.items[1]);
    return eval_fail(M, DIAG_EVAL_POSITION, cells->i->op,
                     "an element goes to position %" PRId64 " of an array of %" PRIu64
                     " elements that is accumulated into",
                     at, cells->array->p.count);
}

/* Writes the elements that the array starts with, by the level of the accumulation. */
static bool write_start(machine *M, const inst *i, const pull *init, const push *src, stored *s)
{
    push p = {
        .kind = PUSH_PULL, .rank = init->rank, .height = src->height, .op = i->op, .pull = init};
    return eval_stored_write(M, i->op, &(value){.tag = VAL_PUSH, .push = &p}, s);
}

/* A sink at the end of the chain, which combines instead of storing. */
bool eval_ACCUMULATE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const value *init = operand_value(c, f, i->a), *src = operand_value(c, f, i->b);
    if (init->tag != VAL_PULL || src->tag != VAL_PUSH)
        return eval_stuck(M, i->op, init->tag != VAL_PULL ? init : src,
                          "a pull array and a push array");
    stored *s = eval_stored_new(M);
    if (!s || !write_start(M, i, init->pull, src->push, s))
        return false;
    struct cells cells = {.array = s, .i = i, .env = f};
    sink combine_all = {.kind = SINK_COMBINE, .cells = &cells, .op = i->op};
    uint64_t count;
    mark k = stack_mark(M);
    bool ok = eval_push_run(M, src->push, &combine_all, &count);
    stack_release(M, k);
    *out = (value){.tag = VAL_PULL, .pull = &s->p};
    return ok;
}
