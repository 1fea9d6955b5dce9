/* The rules in their order, over what the grid works on. */
#include "ir/passes/distribute/distribute.h"
#include "ir/passes/passes.h"

static void look_at(scheduler *s, ir_op o)
{
    switch (ir_op_at(s->m, o)->opcode) {
    case OP_STREAMRED: sched_chunks(s, o); break;
    case OP_REPEAT:
        if (!sched_cells(s, o) && !s->failed)
            sched_few(s, o);
        break;
    case OP_WHILE: sched_few(s, o); break;
    case OP_REDUCE: sched_irwim(s, o); break;
    default:
        if (!sched_keys(s, o) && !s->failed)
            sched_fission(s, sched_guarded(s, o));
    }
}

/* What a rule makes stands in front of what it was made of.  A stream of loops over a table is looked at before these are, as it may do
 * in any order what they would not. */
static void look_at_all(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(m, o)->next;
        const op_node n = *ir_op_at(m, o);
        if (n.opcode == OP_STREAMRED && (sched_cells(s, o) || s->failed))
            continue;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            if (sched_region_worker(m, o, i, BY_GRID) == BY_GRID)
                look_at_all(s, n.regions + i);
        look_at(s, o);
    }
}

/* In elements too, whoever computes them later on. */
static void start_all(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(m, o)->next;
        const op_node n = *ir_op_at(m, o);
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            start_all(s, n.regions + i);
        if (n.opcode == OP_REDUCE || n.opcode == OP_SCAN || n.opcode == OP_SCANEX)
            sched_start(s, o, false);
    }
}

void sched_distribute(scheduler *s, ir_region r)
{
    start_all(s, r);
    look_at_all(s, r);
    sched_each(s, r, sched_fission_arrays);
    sched_each(s, r, sched_bound_arrays);
}

bool pass_distribute(ir_module *m, unsigned without)
{
    return sched_alone(m, without, sched_distribute);
}
