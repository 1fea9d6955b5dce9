/* What values of functions that are gone into are in a call: the caller's for parameters, what tuples are made of for
 * projections, constants for conditions.  So a choice of axes that is a number is seen through. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scalar/scalar.h"

enum { DEEPEST = 16 };

void sched_bind(scheduler *s, ir_value param, ir_value is)
{
    if (param < s->known.len)
        s->known.at[param] = is;
}

static ir_value known(const scheduler *s, ir_value v, int depth);

/* Of a projection of a tuple that is known the component; 0: it is none. */
static ir_value component(const scheduler *s, ir_value v, int depth)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, v);
    if (!o || ir_op_at(m, o)->opcode != OP_PROJ)
        return 0;
    ir_op tuple = made_by(m, known(s, ir_arg(m, o, 0), depth - 1));
    bool is = tuple && ir_op_at(m, tuple)->opcode == OP_TUPLE;
    return is ? ir_arg(m, tuple, (uint32_t)ir_const_bits(m, ir_arg(m, o, 1))) : 0;
}

static ir_value known(const scheduler *s, ir_value v, int depth)
{
    if (depth == 0)
        return v;
    ir_value next = v < s->known.len && s->known.at[v] ? s->known.at[v] : component(s, v, depth);
    return next ? known(s, next, depth - 1) : v;
}

ir_value sched_known(const scheduler *s, ir_value v)
{
    return known(s, v, DEEPEST);
}

int sched_truth(const scheduler *s, ir_value cond)
{
    ir_module *m = s->m;
    ir_value v = sched_known(s, cond);
    ir_op o = made_by(m, v);
    const op_node *n = ir_op_at(m, o);
    if (ir_value_at(m, v)->kind == V_CONST)
        return ir_const_bits(m, v) != 0;
    if (!o || !ir_op_info(n->opcode)->is_scalar || n->nargs != 2)
        return -1;
    ir_value x = sched_known(s, ir_arg(m, o, 0)), y = sched_known(s, ir_arg(m, o, 1));
    if (ir_value_at(m, x)->kind != V_CONST || ir_value_at(m, y)->kind != V_CONST ||
        !type_as_scalar(m, type_of(s, x)))
        return -1;
    uint64_t bits[3] = {ir_const_bits(m, x), ir_const_bits(m, y)};
    return scalar_eval((opcode)n->opcode, type_as_scalar(m, type_of(s, x)), bits) != 0;
}
