/* emit and receive: what they hand out and take in, and where they may stand.
 *
 * What is handed out has an order only where operations are done one after the other, once each: in
 * a kernel, in the branch of an `if` that is taken there, in the steps of a loop.  Elements are
 * computed in any order and any number of times, and a function may be called for them. */
#include "ir/check/ops.h"

/* Whether a region is run in order, and once for each time that its operation is met. */
static bool runs_in_order(ir_module *m, ir_op owner, ir_region r)
{
    const op_node n = *ir_op_at(m, owner);
    return n.opcode == OP_IF || n.opcode == OP_REPEAT ||
           (n.opcode == OP_WHILE && r == n.regions + 1);
}

/* From the place of the operation outwards, to the body of the function; how deep regions nest is
 * bounded. */
static bool in_order(const checker *c, ir_op o)
{
    ir_module *m = c->m;
    ir_region r = ir_op_at(m, o)->parent;
    for (ir_op owner; (owner = ir_region_at(m, r)->owner) != 0; r = ir_op_at(m, owner)->parent)
        if (!runs_in_order(m, owner, r))
            return false;
    return ir_func_at(m, c->func)->kernel;
}

/* The type of what is handed out, 0 after an error. */
static ir_type handed_out(checker *c, ir_op o, ir_type written)
{
    const char *name = ir_op_info(ir_op_at(c->m, o)->opcode)->name;
    ir_type t = settle_arg(c, o, 0, written);
    c->emits.at[c->func] = 1;
    if (!in_order(c, o))
        return REFUSE(
            c, EMIT_PLACE, "%s stands here in %s, which has no place in the order of a run", name,
            ir_func_at(c->m, c->func)->kernel ? "an element or a condition" : "a function");
    if (!t || check_crosses(c, t))
        return t;
    return REFUSE(c, EMIT, "%s hands out scalars and pull arrays of base types, and this is %s",
                  name, TEXT(c, t));
}

ir_type check_rule_EMIT(checker *c, ir_op o)
{
    return handed_out(c, o, check_written_type(c, o));
}

ir_type check_rule_RECEIVE(checker *c, ir_op o)
{
    ir_type t = ir_op_at(c->m, o)->attr;
    if (!handed_out(c, o, 0) || !check_well_formed(c, t))
        return 0;
    const type_node n = *ir_type_at(c->m, t);
    if (n.kind == TY_SCALAR || (n.kind == TY_PULL && ir_type_at(c->m, n.a)->kind == TY_SCALAR))
        return t;
    return REFUSE(c, RECEIVE, "receive gives a scalar or a pull array of scalars, not %s",
                  TEXT(c, t));
}
