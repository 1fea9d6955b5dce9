/* Half precision in single: for devices that store f16 and do not compute with it.
 *
 * Every operator on f16 becomes the one on f32, whose result is rounded to f16 again: one
 * conversion there for each operand and one back.  f32 has 24 bits, at least 2 * 11 + 2, so that
 * rounding twice gives what rounding once does for sums, products, quotients and square roots; fma
 * and the conversion from f64 are rounded to odd first, which keeps apart what lies beside the
 * middle of two f16.  Functions like exp are as exact as the device's for f32.  What is left of f16
 * is loads, stores, constants, choices, changes of type to and from its bits, and conversions
 * between it and f32. */
#include "ir/kernel/build/rebuild.h"

static scalar old_type(const rebuild *r, k_id old)
{
    return (scalar)k_at(r->old, old)->type;
}

static k_id widened(k_builder *b, k_id x)
{
    return x ? kb_convert(b, ST_F32, x) : 0;
}

static k_id narrowed(k_builder *b, k_id x)
{
    return kb_convert(b, ST_F16, x);
}

static k_id differs(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_OR, kb_scalar(b, SOP_LT, x, y, 0), kb_scalar(b, SOP_GT, x, y, 0), 0);
}

/* The f32 with an odd last bit on that side of x where the exact value lies, which is not x when
 * `inexact`; `beyond`: x is further from zero than it.  The bits of numbers of one sign are in
 * their order. */
static k_id to_odd(k_builder *b, k_id x, k_id inexact, k_id beyond)
{
    k_id bits = kb_bitcast(b, ST_U32, x), one = kb_const(b, ST_U32, 1),
         step = kb_scalar(b, SOP_SELECT, beyond, one, kb_const(b, ST_U32, 0));
    k_id odd = kb_scalar(b, SOP_OR, kb_scalar(b, SOP_SUB, bits, step, 0), one, 0);
    return kb_bitcast(b, ST_F32, kb_scalar(b, SOP_SELECT, inexact, odd, bits));
}

/* The product is exact; what the sum loses is Knuth's two-sum. */
static k_id fused(k_builder *b, k_id x, k_id y, k_id z)
{
    k_id product = kb_scalar(b, SOP_MUL, x, y, 0), sum = kb_scalar(b, SOP_ADD, product, z, 0),
         part = kb_scalar(b, SOP_SUB, sum, product, 0),
         rest = kb_scalar(b, SOP_SUB, product, kb_scalar(b, SOP_SUB, sum, part, 0), 0),
         error = kb_scalar(b, SOP_ADD, rest, kb_scalar(b, SOP_SUB, z, part, 0), 0),
         zero = kb_const(b, ST_F32, 0);
    k_id beyond = kb_scalar(b, SOP_NE, kb_scalar(b, SOP_LT, error, zero, 0),
                            kb_scalar(b, SOP_LT, sum, zero, 0), 0);
    return to_odd(b, sum, differs(b, error, zero), beyond);
}

static k_id from_double(k_builder *b, k_id x)
{
    k_id near = kb_convert(b, ST_F32, x), back = kb_convert(b, ST_F64, near);
    k_id beyond =
        kb_scalar(b, SOP_GT, kb_scalar(b, SOP_ABS, back, 0, 0), kb_scalar(b, SOP_ABS, x, 0, 0), 0);
    return to_odd(b, near, differs(b, back, x), beyond);
}

static k_id in_single(k_builder *b, const k_node *n, const k_id args[3])
{
    opcode op = (opcode)n->opcode;
    k_id x = widened(b, args[0]), y = widened(b, args[1]), z = widened(b, args[2]);
    k_id v = op == SOP_FMA ? fused(b, x, y, z) : kb_scalar(b, op, x, y, z);
    return n->type == ST_F16 ? narrowed(b, v) : v;
}

/* Integers that f32 rounds are beyond f16, or even: both ways give infinity. */
static k_id converted(k_builder *b, scalar to, scalar from, k_id x)
{
    if (to != ST_F16)
        return kb_convert(b, to, widened(b, x));
    return narrowed(b, from == ST_F64 ? from_double(b, x) : kb_convert(b, ST_F32, x));
}

static bool statement(rebuild *r, k_id old)
{
    const k_node n = *k_at(r->old, old);
    scalar from = old_type(r, n.args[0]), to = (scalar)n.type;
    k_id args[3];
    for (uint32_t i = 0; i < 3; i++)
        args[i] = rebuild_value(r, n.args[i]);
    if (n.op == K_SCALAR && from == ST_F16)
        r->map[old] = in_single(&r->b, &n, args);
    else if (n.op == K_CONVERT && (to == ST_F16) != (from == ST_F16))
        r->map[old] = converted(&r->b, to, from, args[0]);
    else
        return false;
    return true;
}

static bool has_halves(const k_program *p)
{
    for (k_id v = 1; v < p->nodes.len; v++)
        if (k_at(p, v)->type == ST_F16)
            return true;
    return false;
}

bool k_halves(k_program *p)
{
    return p->target.facts.f16 || !has_halves(p) ||
           k_rebuild(p, &(rebuild){.statement = statement});
}
