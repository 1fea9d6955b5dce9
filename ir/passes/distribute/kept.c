/* Arrays of an element that its thread keeps in memory, where it would compute them again for each who asks.
 *
 *   generate n { (i) ... a = if c[i] { map b ... } { reverse b } ... }     b is written down twice, and what it is made of four times
 *   generate n { (i) ... b' = force push<thread> b ... }
 *
 * An element that has more than one use of an array is a graph; what is written down for it is a tree, which grows with each array
 * that another one is made of.  And a loop of the element asks for what another loop computes in every turn.  Memory for what
 * threads keep is as much as all elements together need, so that little is computed again without it. */
#include "ir/passes/distribute/distribute.h"

/* How often what has loops in itself is asked for, and the steps that this comes to. */
enum { OFTEN = 16, LOOP = 64 };

static bool is_asked_often(scheduler *s, ir_op o)
{
    ir_value v = ir_op_at(s->m, o)->result;
    return sched_steps(s, v) > LOOP && sched_asked(s, v, ir_op_at(s->m, o)->parent).times >= OFTEN;
}

static bool is_to_keep(scheduler *s, ir_op o)
{
    ir_value v = ir_op_at(s->m, o)->result;
    int64_t told = sched_told(s, o, PROPERTY_WRITE, -1);
    return told >= 0 ? told > 0 : sched_growth(s, v, ir_op_at(s->m, o)->parent) || is_asked_often(s, o);
}

static bool may_be_kept(const scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    const type_node t = *ir_type_at(s->m, type_of(s, n.result));
    bool describes = n.opcode == OP_GENERATE || n.opcode == OP_MAP || n.opcode == OP_IF || n.opcode == OP_CALL;
    return describes && t.kind == TY_PULL && sched_is_base(s->m, t.a);
}

static void keep(scheduler *s, ir_op make, ir_op o)
{
    ir_op push = sched_write_by(s, o, BY_THREAD);
    if (push && !sched_bound(s, make, push, 0))
        sched_unwrite(s, push);
    else if (push)
        sched_tell(s, o, WRITTEN, "a thread keeps this array in memory: where it is asked for its operations would be written down again, or its loops done again");
}

/* In the order of the text, those within an operation first: what is kept costs a load behind it.  How many are to be kept, and are where
 * `keeps` says so. */
static uint32_t look_at_elements(scheduler *s, ir_op make, ir_region r, bool keeps)
{
    ir_module *m = s->m;
    uint32_t n = 0;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(m, o)->next;
        for (uint32_t i = 0; i < ir_op_info(ir_op_at(m, o)->opcode)->regions; i++)
            n += look_at_elements(s, make, ir_op_at(m, o)->regions + i, keeps);
        if (!ir_op_at(m, o)->result || s->failed)
            continue;
        sched_weigh(s, o);
        if (!may_be_kept(s, o) || !is_to_keep(s, o))
            continue;
        n++;
        if (keeps)
            keep(s, make, o);
    }
    return n;
}

bool sched_repeats_arrays(scheduler *s, ir_op make)
{
    return look_at_elements(s, make, ir_op_at(s->m, make)->regions, false) != 0;
}

/* Of how many elements an array is, a call does not tell. */
void sched_keep_arrays(scheduler *s, ir_op make)
{
    const op_node n = *ir_op_at(s->m, make);
    bool may = (n.opcode == OP_GENERATE || n.opcode == OP_MAP) && !sched_is_off(s, DECIDE_WRITE);
    if (!may || !look_at_elements(s, make, n.regions, false) || s->failed)
        return;
    sched_open_calls(s, n.regions);
    if (!s->failed)
        look_at_elements(s, make, n.regions, true);
}
