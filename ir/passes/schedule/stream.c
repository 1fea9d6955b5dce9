/* Streams and reductions of whole arrays.
 *
 * How a stream is cut does not matter: all of it is one chunk, in which the grid, or the thread, has
 * all the work that there is.  A reduction whose elements are arrays goes through them one after the
 * other, and each step is done by all. */
#include "ir/passes/schedule/schedule.h"

static ir_type result_of(const scheduler *s, ir_op o)
{
    return ir_value_at(s->m, ir_op_at(s->m, o)->result)->type;
}

/* Another operator in its place, which is gone through then. */
static void instead(scheduler *s, ir_op o, ir_value v, worker by)
{
    ir_op made = ir_value_at(s->m, v)->def;
    sched_replace(s, o, v);
    if (!s->failed)
        sched_op(s, made, by);
}

/* What a chunk gives, which has as many elements as the chunk. */
static void check_length(scheduler *s, ir_region chunk, ir_value count)
{
    static const char text[] = "the chunk of this streammap gives another number of elements than it has";
    ir_module *m = s->m;
    ir_op end = ir_region_at(m, chunk)->last;
    ir_value v = ir_arg(m, end, 0);
    place at = sched_before(s, end);
    if (ir_type_at(m, type_of(s, v))->kind != TY_PULL ||
        ir_same_extent(m, ir_extent_of(m, v, 0), ir_extent_of(m, count, EXTENT_NUMBER)))
        return;
    ir_value args[] = {sched_dim(s, at, v, 0), count}, same = sched_make(s, at, (opcode)SOP_EQ, args, 2, type_scalar(m, ST_BOOL)),
             checked = same ? sched_make(s, at, OP_ASSERT, &same, 1, type_of(s, v)) : 0;
    intern *strings = &m->cx->strings;
    attribute says = {.key = intern_cstr(strings, "text"), .is_text = true, .text = intern_cstr(strings, text)};
    s->failed = s->failed || !checked || !ir_attr_set(&m->cx->mem, &m->attrs, (subject){ON_OP, made_by(m, checked)}, says);
    if (s->failed)
        return;
    sched_yield(s, (place){ir_op_at(m, made_by(m, checked))->regions, 0, at.loc}, v);
    ir_set_operand(&s->e, end, 0, checked);
}

/* if n <= 0 { z } { the chunk 0, n } */
void sched_stream(scheduler *s, ir_op o, worker by)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    place at = sched_before(s, o);
    bool reduces = n.opcode == OP_STREAMRED;
    ir_value count = sched_as_extent(s, at, ir_arg(m, o, reduces ? 1 : 0)), zero = sched_int(s, 0), test[] = {count, zero};
    ir_value none = count ? sched_make(s, at, (opcode)SOP_LE, test, 2, type_scalar(m, ST_BOOL)) : 0;
    ir_value v = none ? sched_make(s, at, OP_IF, &none, 1, result_of(s, o)) : 0;
    s->failed = s->failed || !v;
    if (s->failed)
        return;
    ir_region then = ir_op_at(m, ir_value_at(m, v)->def)->regions;
    place empty = {then, 0, n.loc};
    ir_value z = reduces ? ir_arg(m, o, 0) : sched_empty(s, empty, result_of(s, o));
    sched_tell(s, o, STREAM, "the stream is one chunk, and %s does its work", by == BY_GRID ? "the grid" : "a thread");
    if (z)
        sched_yield(s, empty, z);
    ir_value chunk[] = {zero, count};
    ir_take_body(&s->e, n.regions, then + 1, chunk);
    if (!reduces)
        check_length(s, then + 1, count);
    instead(s, o, v, by);
}

ir_value sched_in_turns(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    place at = sched_before(s, o);
    ir_value xs = ir_arg(m, o, 1);
    ir_value args[] = {sched_dim(s, at, xs, 0), ir_arg(m, o, 0)};
    ir_value v = sched_make(s, at, OP_REPEAT, args, 2, result_of(s, o));
    if (s->failed)
        return 0;
    ir_region step = ir_op_at(m, ir_value_at(m, v)->def)->regions;
    ir_value i = ir_add_param(m, step, type_scalar(m, ST_I32), 0, true),
             state = ir_add_param(m, step, result_of(s, o), 0, true),
             params[] = {state, 0};
    if (ir_first_use(&s->e, ir_region_at(m, n.regions)->params + 1)) {
        place top = {n.regions, ir_region_at(m, n.regions)->first, n.loc};
        params[1] = sched_index(s, top, xs, &i, 1);
    }
    ir_take_body(&s->e, n.regions, step, params);
    return s->failed ? 0 : v;
}

void sched_reduce_states(scheduler *s, ir_op o, worker by)
{
    ir_value v = sched_in_turns(s, o);
    if (!v)
        return;
    sched_tell(s, o, STREAM, "the reduction is of whole arrays: one after the other, and %s does the work of each", by == BY_GRID ? "the grid" : "a thread");
    instead(s, o, v, by);
}
