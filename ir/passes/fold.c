/* Folding: goes over each region in order and replaces what is known by what it is.
 *
 * Constant folding and what goes with it: projections of known tuples, extents of arrays that
 * state them, branches that are decided.  One walk in order suffices for chains of constants,
 * since operands are folded before their users; a branch that is moved out has been folded
 * already. */
#include "ir/check/check.h"
#include "ir/data.h"
#include "ir/passes/passes.h"
#include "ir/rewrite/edit.h"
#include "ir/scalar/scalar.h"

static bool is_constant(const ir_module *m, ir_value v)
{
    return m->values.at[v].kind == V_CONST;
}

/* The operation that made a value, if its operator is this one; 0 otherwise. */
static ir_op made_by(ir_module *m, ir_value v, opcode code)
{
    const value_node *n = ir_value_at(m, v);
    return n->kind == V_RESULT && ir_op_at(m, n->def)->opcode == code ? n->def : 0;
}

static bool all_constant(const ir_module *m, const op_node *n)
{
    for (uint32_t k = 0; k < n->nargs; k++)
        if (!is_constant(m, m->pool.at[n->args + k]))
            return false;
    return n->nargs > 0;
}

static scalar type_of_operand(ir_module *m, ir_op o, uint32_t k)
{
    return type_as_scalar(m, ir_value_at(m, ir_arg(m, o, k))->type);
}

/* Of the type of the operation's result. */
static ir_value constant(ir_module *m, const op_node *n, uint64_t bits)
{
    return ir_const(m, type_as_scalar(m, ir_value_at(m, n->result)->type), bits);
}

/* ---- what an operation is known to give; 0: nothing is known ---- */

static ir_value fold_scalar(ir_module *m, ir_op o, const op_node *n)
{
    uint64_t bits[3] = {0};
    bool chooses = ir_op_info(n->opcode)->operands == CLASS_SEL;
    if (chooses && is_constant(m, ir_arg(m, o, 0)))
        return ir_arg(m, o, ir_const_bits(m, ir_arg(m, o, 0)) ? 1 : 2);
    if (!all_constant(m, n))
        return 0;
    for (uint32_t k = 0; k < n->nargs; k++)
        bits[k] = ir_const_bits(m, ir_arg(m, o, k));
    return constant(m, n, scalar_eval((opcode)n->opcode, type_of_operand(m, o, chooses), bits));
}

/* bitcast keeps the bits, and wrap makes them canonical for the new type. */
static ir_value fold_cast(ir_module *m, ir_op o, const op_node *n)
{
    ir_value x = ir_arg(m, o, 0);
    scalar to = type_as_scalar(m, n->attr), from = type_of_operand(m, o, 0);
    if (n->attr == ir_value_at(m, x)->type)
        return x;
    if (!to || !is_constant(m, x))
        return 0;
    uint64_t bits = ir_const_bits(m, x);
    return constant(
        m, n, n->opcode == OP_CONVERT ? scalar_convert(to, from, bits) : scalar_wrap(to, bits));
}

/* The extent that a generate states, the number of elements of an array of operands. */
static ir_value fold_extent(ir_module *m, ir_op o, const op_node *n)
{
    ir_value xs = ir_arg(m, o, 0);
    ir_op listed = made_by(m, xs, OP_ARRAY), generated = made_by(m, xs, OP_GENERATE);
    uint64_t axis = n->opcode == OP_DIM ? ir_const_bits(m, ir_arg(m, o, 1)) : 0;
    ir_data d = ir_op_data(m, made_by(m, xs, OP_CONSTANT));
    if (d.rank)
        return constant(m, n, n->opcode == OP_DIM && axis < d.rank ? d.extents[axis] : d.count);
    if (listed)
        return constant(m, n, ir_op_at(m, listed)->nargs);
    bool whole = generated && (n->opcode == OP_DIM || ir_op_at(m, generated)->nargs == 1);
    return whole ? ir_arg(m, generated, (uint32_t)axis) : 0;
}

/* The element of an array of operands, when the index is known to be one. */
static ir_value fold_index(ir_module *m, ir_op o)
{
    ir_op listed = made_by(m, ir_arg(m, o, 0), OP_ARRAY);
    ir_data d = ir_op_data(m, made_by(m, ir_arg(m, o, 0), OP_CONSTANT));
    ir_value at = ir_arg(m, o, 1);
    uint64_t i = ir_const_bits(m, at);
    if (d.rank && is_constant(m, at) && i < d.count)
        return ir_const(m, d.type, ir_data_element(m, &d, i));
    return listed && is_constant(m, at) && i < ir_op_at(m, listed)->nargs
               ? ir_arg(m, listed, (uint32_t)i)
               : 0;
}

static ir_value fold_proj(ir_module *m, ir_op o)
{
    ir_op tuple = made_by(m, ir_arg(m, o, 0), OP_TUPLE);
    return tuple ? ir_arg(m, tuple, (uint32_t)ir_const_bits(m, ir_arg(m, o, 1))) : 0;
}

/* The branch that is taken comes before the if. */
static ir_value fold_if(ir_editor *e, ir_op o, const op_node *n)
{
    ir_value cond = ir_arg(e->m, o, 0);
    if (!is_constant(e->m, cond))
        return 0;
    return ir_move_body(e, n->regions + (ir_const_bits(e->m, cond) ? 0 : 1), n->parent, o);
}

static ir_value fold_op(ir_editor *e, ir_op o)
{
    ir_module *m = e->m;
    const op_node n = *ir_op_at(m, o);
    if (ir_op_info(n.opcode)->is_scalar)
        return fold_scalar(m, o, &n);
    switch (n.opcode) {
    case OP_CONVERT:
    case OP_BITCAST: return fold_cast(m, o, &n);
    case OP_LENGTH:
    case OP_DIM: return fold_extent(m, o, &n);
    case OP_INDEX: return n.nargs == 2 ? fold_index(m, o) : 0;
    case OP_PROJ: return fold_proj(m, o);
    case OP_IF: return fold_if(e, o, &n);
    default: return 0; /* it is computed when the program runs */
    }
}

/* ---- the walk ---- */

/* `next` is read before anything is moved in front of it.  A value of another type is not put in:
 * the checker's annotations would no longer hold. */
static void fold_region(ir_editor *e, ir_region r)
{
    ir_module *m = e->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !e->failed; o = next) {
        const op_node n = *ir_op_at(m, o);
        next = n.next;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            fold_region(e, n.regions + i);
        ir_value v = fold_op(e, o);
        if (!v || ir_value_at(m, v)->type != ir_value_at(m, n.result)->type)
            continue;
        ir_replace_uses(e, n.result, v);
        ir_erase_op(e, o);
    }
}

bool pass_fold(ir_module *m)
{
    ir_editor e;
    if (!ir_check(m))
        return false;
    bool ok = ir_editor_init(&e, m);
    for (ir_func f = 1; ok && f < m->funcs.len; f++)
        fold_region(&e, ir_func_at(m, f)->body);
    ok = ir_editor_end(&e) && ok && !m->cx->mem.oom;
    m->checked = false;
    return ok;
}
