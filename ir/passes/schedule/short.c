/* Reductions of short rows, as elements of the one who asks for them: where what a reduction of an array
 * of rank 2 and more gives goes, element by element, to another reduction of the host, neither the rows
 * nor their sums need memory.
 *
 * A thread goes through a row of less than 32 elements in either form (computed.c). */
#include "ir/passes/schedule/schedule.h"

enum { FEW = 32 };

/* Whether the rows of an array are seen to have few elements each. */
static bool has_short_rows(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    ir_value xs = ir_arg(m, o, 1);
    const type_node t = *ir_type_at(m, type_of(s, xs));
    if (t.kind != TY_PULL || t.n < 2 || !sched_is_base(m, t.a))
        return false;
    ir_extent x = ir_extent_of(m, xs, t.n - 1u);
    return x.axis == EXTENT_NUMBER && ir_value_at(m, x.of)->kind == V_CONST && (int64_t)(int32_t)ir_const_bits(m, x.of) < FEW;
}

/* The array of the host that has an element for each of v, made of it; 0: it is none. */
static ir_value next_array(const scheduler *s, ir_op user, ir_region home)
{
    const op_node n = *ir_op_at(s->m, user);
    if (n.opcode == OP_MAP)
        return n.parent == home ? n.result : 0;
    ir_op owner = n.opcode == OP_INDEX ? ir_region_at(s->m, n.parent)->owner : 0;
    if (!owner || ir_op_at(s->m, owner)->opcode != OP_GENERATE || ir_op_at(s->m, owner)->parent != home)
        return 0;
    return sched_asks_in_place(s, user, home) ? ir_op_at(s->m, owner)->result : 0;
}

/* Whether each element is asked for once at most, for a reduction; arrays are made of earlier ones. */
static bool goes_to_reduction(const scheduler *s, ir_value v, ir_region home)
{
    while (v) {
        ir_op user = sched_only_asker(s, v);
        const op_node n = *ir_op_at(s->m, user);
        if (user && n.opcode == OP_REDUCE && n.parent == home)
            return ir_arg(s->m, user, 1) == v;
        v = user ? next_array(s, user, home) : 0;
    }
    return false;
}

static void look_at(scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    if (n.opcode != OP_REDUCE || !has_short_rows(s, o) || sched_told(s, o, PROPERTY_WRITE, 0) || !goes_to_reduction(s, n.result, n.parent))
        return;
    sched_tell(s, o, FUSED, "its rows have fewer than 32 elements each, and are reduced where a reduction asks for them");
    sched_rows_as_elements(s, o);
}

void sched_short_rows(scheduler *s, ir_region r)
{
    if (!sched_is_off(s, DECIDE_FUSE))
        sched_each(s, r, look_at);
}
