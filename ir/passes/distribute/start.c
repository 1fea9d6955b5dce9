/* What a sum or product begins with, where that is not its neutral element: devices put it wherever there is no element, and so
 * would count it many times.  It is combined once with what there is, in a scan with the first element of each row, so that it stays
 * one traversal:
 *
 *   reduce z, xs { (x, y) x + y }
 *   z + reduce 0, xs { (x, y) x + y }
 *
 * A least or greatest element, and bits that are set or not, do not care how often it is there; but where it is an element's own,
 * only a thread could have it. */
#include "ir/passes/distribute/distribute.h"
#include "ir/scalar/scalar.h"
#include "ir/scheduled.h"

static bool counts_often(opcode sum)
{
    return (uint32_t)sum == SOP_ADD || (uint32_t)sum == SOP_MUL || (uint32_t)sum == SOP_XOR;
}

/* A zero of either sign. */
static bool is_zero(scalar t, uint64_t bits)
{
    return !bits || (ir_scalar_is_float(t) && bits == (uint64_t)1 << (8 * ir_scalar_bytes(t) - 1));
}

/* The constant that z is, or is converted from, as in a function of any number. */
static bool constant_of(ir_module *m, ir_value z, scalar t, uint64_t *bits)
{
    ir_op o = made_by(m, z);
    bool converts = o && ir_op_at(m, o)->opcode == OP_CONVERT;
    ir_value from = converts ? ir_arg(m, o, 0) : z;
    if (m->values.at[from].kind != V_CONST)
        return false;
    *bits = ir_const_bits(m, from);
    if (converts)
        *bits = scalar_convert(t, type_as_scalar(m, m->values.at[from].type), *bits);
    return true;
}

static bool is_neutral(ir_module *m, ir_value z, opcode sum, scalar t, uint64_t neutral)
{
    uint64_t bits;
    if (!constant_of(m, z, t, &bits))
        return false;
    return bits == neutral || ((uint32_t)sum == SOP_ADD && is_zero(t, bits));
}

/* generate the extents of o's array, of which so many axes { (ix) z sum r[ix] }, in a scan where the last index is 0, else r[ix];
 * *read: the operation that reads r */
static ir_value each(scheduler *s, ir_op o, opcode sum, ir_value z, ir_value r, uint32_t rank, ir_op *read)
{
    bool scans = ir_op_at(s->m, o)->opcode == OP_SCAN;
    ir_value dims[MAX_RANK], ix[MAX_RANK];
    place at = sched_before(s, o), in;
    for (uint32_t i = 0; i < rank && !s->failed; i++)
        dims[i] = sched_dim(s, at, ir_arg(s->m, o, 1), i);
    at.before = scans ? o : ir_op_at(s->m, o)->next;
    ir_value all = s->failed ? 0 : sched_generate(s, at, dims, rank, type_of(s, z), &in, ix);
    ir_value x = all ? sched_index(s, in, r, ix, rank) : 0, y = x ? sched_make2(s, in, sum, z, x) : 0;
    if (!y)
        return 0;
    *read = made_by(s->m, x);
    if (scans) {
        ir_value args[] = {ix[rank - 1], sched_int(s, 0)};
        ir_value first = sched_make(s, in, (opcode)SOP_EQ, args, 2, type_scalar(s->m, ST_BOOL));
        y = first ? sched_select(s, in, first, y, x) : 0;
    }
    sched_yield(s, in, y);
    return all;
}

/* What begins with z comes in front of a scan, and behind everything else. */
static void begin_once(scheduler *s, ir_op o, opcode sum, ir_value z)
{
    ir_module *m = s->m;
    ir_value r = ir_op_at(m, o)->result, xs = ir_arg(m, o, 1);
    const type_node n = *ir_type_at(m, type_of(s, r));
    place behind = sched_before(s, o);
    behind.before = ir_op_at(m, o)->next;
    ir_op read = 0;
    if (ir_op_at(m, o)->opcode == OP_SCAN) {
        ir_value begun = each(s, o, sum, z, xs, n.n, &read);
        s->failed = s->failed || !begun;
        if (begun)
            ir_set_operand(&s->e, o, 1, begun);
        return;
    }
    ir_value all = n.kind == TY_PULL ? each(s, o, sum, z, r, n.n, &read) : sched_make2(s, behind, sum, z, z);
    s->failed = s->failed || !all;
    if (s->failed)
        return;
    ir_replace_uses(&s->e, r, all);
    ir_set_operand(&s->e, read ? read : made_by(m, all), read ? 0 : 1, r);
}

void sched_start(scheduler *s, ir_op o, bool any)
{
    ir_module *m = s->m;
    ir_value z = ir_arg(m, o, 0);
    scalar t = ir_type_at(m, type_of(s, z))->kind == TY_SCALAR ? type_as_scalar(m, type_of(s, z)) : ST_NONE;
    opcode sum = t ? sched_sum(m, ir_op_at(m, o)->regions) : OP_NONE;
    uint64_t neutral;
    if ((!any && !counts_often(sum)) || !scalar_neutral(sum, t, &neutral) || is_neutral(m, z, sum, t, neutral))
        return;
    begin_once(s, o, sum, z);
    if (!s->failed)
        ir_set_operand(&s->e, o, 0, ir_const(m, t, neutral));
}
