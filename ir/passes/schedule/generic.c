/* Which calls are inlined before anything is chosen.
 *
 * A skeleton is chosen by the key of a sort and by the cells that are accumulated into; and it counts
 * whether the function of a reduction commutes.  In a function that has such a type as a parameter, or
 * that is given such a function, neither is to be seen: so its body stands where it is called, where
 * both are.  Functions that reach no collective stay. */
#include "ir/passes/passes.h"
#include "ir/passes/schedule/schedule.h"

static bool is_open_type(const ir_module *m, ir_type t)
{
    const type_node n = *ir_type_at(m, t);
    bool open = n.kind == TY_VAR;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n && !open; i++)
        open = is_open_type(m, type_item(m, t, i));
    return open;
}

/* The type that the skeleton of an operation is chosen by; 0: it is chosen without one. */
static ir_type deciding_type(const ir_module *m, ir_op o)
{
    const op_node *n = &m->ops.at[o];
    if (n->opcode == OP_SORT)
        return m->values.at[ir_arg(m, m->regions.at[n->regions].last, 0)].type;
    if (n->opcode == OP_ACCUMULATE || n->opcode == OP_FETCH)
        return ir_type_at(m, m->values.at[ir_arg(m, o, 0)].type)->a;
    return 0;
}

static bool goes_by_open_type(const ir_module *m, ir_op o)
{
    return is_open_type(m, deciding_type(m, o));
}

static bool takes_function(const ir_module *m, ir_func f)
{
    const region_node *body = &m->regions.at[m->funcs.at[f].body];
    bool takes = false;
    for (uint32_t i = 0; i < body->nparams && !takes; i++)
        takes = ir_type_at(m, m->values.at[body->params + i].type)->kind == TY_FUN;
    return takes;
}

static bool wanted(const void *arg, const ir_module *m, ir_op call)
{
    const scheduler *s = arg;
    ir_func f = m->ops.at[call].attr;
    bool open = f < s->by_type.len && s->by_type.at[f] && m->funcs.at[f].ntypes;
    return f < s->reaches.len && s->reaches.at[f] && (open || takes_function(m, f));
}

bool sched_open_generic(scheduler *s)
{
    bool any = false;
    for (ir_op o = 0; o < s->m->ops.len && !any; o++)
        any = ir_op_at(s->m, o)->opcode == OP_CALL && s->reaches.at[ir_op_at(s->m, o)->attr];
    return !any || (sched_find_reaching(s, &s->by_type, goes_by_open_type) &&
                    pass_inline_wanted(s->m, wanted, s));
}
