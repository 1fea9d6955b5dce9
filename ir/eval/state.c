/* The states that while, repeat and mapaccum hand from round to round: scalars, arrays in memory,
 * tuples of both.
 *
 * A state has two sides.  One is read while the next state is made from it, which goes to the
 * other; then they change places: double buffering, as in compiled code, with the same bound on
 * growth. Both are made before the first round, so that they lie below each round's mark and
 * survive it. */
#include "ir/eval/value.h"
#include "ir/properties.h"

#include <inttypes.h>

/* ---- making ---- */

static bool make_part(machine *M, ir_op at, const value *start, eval_state *s);

static bool make_parts(machine *M, ir_op at, const value *start, eval_state *s)
{
    s->n = start->n;
    s->parts = stack_alloc(M, s->n * sizeof *s->parts);
    s->items[0] = stack_alloc(M, s->n * sizeof *s->items[0]);
    s->items[1] = stack_alloc(M, s->n * sizeof *s->items[1]);
    bool ok = s->parts && s->items[0] && s->items[1];
    for (uint32_t k = 0; ok && k < s->n; k++)
        ok = make_part(M, at, &start->items[k], &s->parts[k]);
    return ok;
}

static bool make_part(machine *M, ir_op at, const value *start, eval_state *s)
{
    *s = (eval_state){.tag = start->tag};
    if (start->tag == VAL_TUPLE)
        return make_parts(M, at, start, s);
    if (start->tag == VAL_PUSH || start->tag == VAL_PULL)
        return (s->areas[0] = eval_stored_new(M)) && (s->areas[1] = eval_stored_new(M));
    return start->tag == VAL_SCALAR || eval_stuck(M, at, start, "a scalar or an array");
}

/* ---- writing ---- */

/* Reports in elements for rank 1, else by axis. */
static bool grows(machine *M, ir_op at, const stored *before, const stored *now, uint32_t axis)
{
    const char *name = ir_op_info(ir_op_at(M->m, at)->opcode)->name;
    uint64_t from = before->dims[axis], to = now->dims[axis];
    if (now->p.rank == 1)
        eval_fail(M, DIAG_EVAL_GROWS, at,
                  "the step of this %s grows the array from %" PRIu64 " to %" PRIu64 " elements",
                  name, from, to);
    else
        eval_fail(M, DIAG_EVAL_GROWS, at,
                  "the step of this %s grows the array on axis %u from an extent of %" PRIu64
                  " to %" PRIu64,
                  name, axis, from, to);
    diag_hint(M->m->cx,
              "a %s works in the memory of its first array: let that be as long as the longest one",
              name);
    return false;
}

/* Whether v is the array that this one is made from, as an update may have left it: then the two
 * areas need only change places. */
static bool is_handed_on(const value *v, const stored *before)
{
    const push *p = v->push;
    return v->tag == VAL_PULL ? v->pull == &before->p
                              : p->kind == PUSH_PULL && p->pull == &before->p;
}

/* Memory of the grid can be made anew from round to round. */
static bool may_grow(const machine *M, ir_op at, const value *v)
{
    return v->push->height == LEVEL_GRID &&
           ir_property_number(M->m, (subject){ON_OP, at}, PROPERTY_GROWS, 0) > 0;
}

/* No extent may grow, not only their product: the memory of a level is laid out for the first array.
 * Pull arrays are at no level, and as large as each round makes them. */
static bool write_array(machine *M, ir_op at, const value *v, eval_state *s, uint32_t side,
                        bool first)
{
    stored *now = s->areas[side], *before = s->areas[1 - side];
    if (!first && is_handed_on(v, before)) {
        s->areas[side] = before;
        s->areas[1 - side] = now;
        return v->tag == VAL_PULL || eval_check_level(M, v->push, at);
    }
    if (!eval_stored_write(M, at, v, now))
        return false;
    for (uint32_t axis = 0; !first && s->tag == VAL_PUSH && axis < now->p.rank; axis++)
        if (now->dims[axis] > before->dims[axis] && !may_grow(M, at, v))
            return grows(M, at, before, now, axis);
    return true;
}

/* Writes v to a side; *out reads it there. */
static bool write_part(machine *M, ir_op at, const value *v, eval_state *s, uint32_t side,
                       bool first, value *out)
{
    bool ok = true;
    if (v->tag != s->tag || (v->tag == VAL_TUPLE && v->n != s->n))
        return eval_stuck(M, at, v, "a state like the first");
    if (v->tag == VAL_PUSH || v->tag == VAL_PULL) {
        ok = write_array(M, at, v, s, side, first);
        *out = (value){.tag = VAL_PULL, .pull = &s->areas[side]->p};
        return ok;
    }
    *out = *v;
    if (v->tag == VAL_TUPLE)
        out->items = s->items[side];
    for (uint32_t k = 0; ok && v->tag == VAL_TUPLE && k < v->n; k++)
        ok = write_part(M, at, &v->items[k], &s->parts[k], side, first, &s->items[side][k]);
    return ok;
}

bool eval_state_begin(machine *M, ir_op at, const value *start, eval_state *s, value *out)
{
    return make_part(M, at, start, s) && write_part(M, at, start, s, 0, true, out);
}

bool eval_state_next(machine *M, ir_op at, const value *next, eval_state *s, value *out)
{
    s->side = 1 - s->side;
    return write_part(M, at, next, s, s->side, false, out);
}

/* ---- while, repeat ---- */

/* What the step makes lies above the mark, and is gone when it is written. */
static bool run_step(machine *M, const inst *i, ir_region r, const eval_frame *f, const value *args,
                     uint32_t n, eval_state *s, value *out)
{
    value made;
    mark k = stack_mark(M);
    bool ok =
        eval_region_value(M, r, f, args, n, &made) && eval_state_next(M, i->op, &made, s, out);
    stack_release(M, k);
    return ok;
}

/* The condition reads what the last step has written, never what the next one is about to write. */
bool eval_WHILE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    eval_state s;
    bool ok = eval_state_begin(M, i->op, operand_value(c, f, i->a), &s, out);
    while (ok) {
        value go;
        ok = eval_region_value(M, i->regions, f, out, 1, &go);
        if (!ok || !go.bits)
            break;
        ok = run_step(M, i, i->regions + 1, f, out, 1, &s, out);
    }
    return ok;
}

/* A negative number of steps is none. */
bool eval_REPEAT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    eval_state s;
    int64_t n = (int64_t)operand_value(c, f, i->a)->bits;
    bool ok = eval_state_begin(M, i->op, operand_value(c, f, i->b), &s, out);
    for (int64_t k = 0; ok && k < n; k++) {
        value args[] = {int_value(k), *out};
        ok = run_step(M, i, i->regions, f, args, 2, &s, out);
    }
    return ok;
}
