/* Positions of elements, and counts.
 *
 * That an access to an element runs means that the element exists, so its position, and every step
 * from row to row on the way to it, is in range: such arithmetic does not wrap, whatever the
 * intervals say.  It is claimed for the access alone: the same operation elsewhere in the program
 * is another value. */
#include "ir/kernel/algebra/fold.h"

k_id kb_claim(k_builder *b, opcode op, k_id x, k_id y)
{
    x = kb_known(b, x);
    y = kb_known(b, y);
    const k_id args[3] = {x, y};
    k_id folded = ka_fold_scalar(b, op, ST_I32, args);
    if (folded || b->failed)
        return op == SOP_ADD ? kb_position(b, folded) : folded;
    return kb_claimed(b, op, x, y);
}

/* ---- sums ---- */

enum { SUM_DEPTH = 4 };

static bool is_wrapping_sum(const k_node *n)
{
    return n->op == K_SCALAR && n->opcode == SOP_ADD && n->type == ST_I32 && n->exact == WRAPS;
}

/* The most that the operands of a sum of sums can add up to; negative when one of them may be
 * negative. */
static int64_t most_of(const k_program *p, k_id v, int depth)
{
    const k_node *n = k_at(p, v);
    if (!is_wrapping_sum(n) || depth == 0)
        return k_lo(p, v) < 0 ? -1 : k_hi(p, v);
    int64_t x = most_of(p, n->args[0], depth - 1), y = most_of(p, n->args[1], depth - 1);
    return x < 0 || y < 0 ? -1 : x + y;
}

static k_id claim_sum(k_builder *b, k_id v, int depth)
{
    const k_node n = *k_at(b->p, v);
    if (!is_wrapping_sum(&n) || depth == 0)
        return v;
    k_id x = claim_sum(b, n.args[0], depth - 1), y = claim_sum(b, n.args[1], depth - 1);
    return kb_claimed(b, SOP_ADD, x, y);
}

/* A sum below 2^32 that wraps is negative, and so is that of any integer and one that is not negative: it wraps upwards at most,
 * and never all the way round.  The second is claimed where groups are loops, as compilers for CPUs ask which elements are
 * neighbours; elsewhere the sum is more often one that a check has computed already. */
k_id kb_position(k_builder *b, k_id v)
{
    const k_node *n = k_at(b->p, v);
    int64_t most = most_of(b->p, v, SUM_DEPTH);
    if (most >= 0 && most <= UINT32_MAX)
        return claim_sum(b, v, SUM_DEPTH);
    bool up = is_wrapping_sum(n) && (k_lo(b->p, n->args[0]) >= 0 || k_lo(b->p, n->args[1]) >= 0);
    return up && b->p->target.facts.serial ? claim_sum(b, v, 1) : v;
}

/* ---- counts ---- */

k_id kb_narrow(k_builder *b, k_id x)
{
    if (k_at(b->p, x)->type == ST_I32)
        return x;
    return kb_convert(b, ST_I32, kb_scalar(b, SOP_MIN, x, kb_const(b, ST_I64, INT32_MAX), 0));
}

k_id kb_saturate(k_builder *b, opcode op, k_id x, k_id y)
{
    int64_t l = k_hi(b->p, x), r = k_hi(b->p, y), most = op == SOP_ADD ? l + r : l * r;
    if (most <= INT32_MAX)
        return kb_scalar(b, op, x, y, 0);
    k_id wide = kb_scalar(b, op, kb_convert(b, ST_I64, x), kb_convert(b, ST_I64, y), 0);
    return kb_narrow(b, wide);
}
