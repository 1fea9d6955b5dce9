/* Division by invariants: quotient and remainder by a value that the host knows become a product with
 * its reciprocal, which the host computes once (Granlund and Montgomery, Division by invariant integers
 * using multiplication, 1994).  Compilers do so for constants; that an argument of a kernel is the same
 * for all threads is known here alone.
 *
 * For 0 <= y < 2^31 and 1 <= a <= 2^31, with l the least number for which 2^l >= a,
 *
 *   y / a = (t + y) >> l       m = 2^32 (2^l - a) / a + 1,  t = the upper half of m y
 *
 * Of other integers floor(x / d) = floor(-x / -d), and floor(x / a) = ~(~x / a) for negative x.  Both are
 * exclusive or and sum with 0 or -1: for d those are the host's.  x / 0 is 0, which a = 0 gives here too: l is 32 then,
 * the numerator of m wraps to 0, and t is 0.
 *
 * Where x is natural and d is not, the sign goes into the reciprocal.  With a = |d|,
 * 2^k <= a < 2^(k + 1), and r = 2^32 - 2^(32 + k) / a, rounded up, which is less than 2^31,
 *
 *   floor(x / a) = (h + x) >> k    h = floor(x (1 - r) / 2^32)
 *   floor(x / -a) = (h - x) >> k   h = floor(x r / 2^32)
 *
 * The reciprocals are 2^32 + 1 - r and 2^32 - r in units of 2^-(32 + k): the first is too large, the
 * second too small, by at most one unit, so that x times it is wrong by less than 1 / a, as
 * x < 2^31 <= 2^(32 + k) / a.  Where a is a power of two, r and h are 0, and both are shifts; where
 * it is 0, k is 31 and h is 0. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

/* Dividend and divisor, in the new program, and what is known of them. */
typedef struct division {
    k_builder *b;
    k_id x, d;
    bool natural, by_natural, by_some; /* x >= 0; d >= 0; d >= 1 */
} division;

static k_id u32(k_builder *b, uint32_t x)
{
    return kb_const(b, ST_U32, x);
}

static k_id two(k_builder *b, opcode op, k_id x, k_id y)
{
    return kb_scalar(b, op, x, y, 0);
}

/* x, or -x where sign is -1. */
static k_id with_sign(k_builder *b, k_id x, k_id sign)
{
    return two(b, SOP_SUB, two(b, SOP_XOR, x, sign), sign);
}

/* y / |d| as above, u32.  The numbers of the divisor are the host's: a kernel would divide for them. */
static k_id divided(const division *v, k_id size, k_id y)
{
    k_builder *b = v->b;
    k_outside before = kb_outside(b, kb_host_depth(b), true);
    k_id a = kb_bitcast(b, ST_U32, size), wide = kb_convert(b, ST_I64, a);
    k_id bits = two(b, SOP_SUB, u32(b, 32), kb_scalar(b, SOP_CLZ, two(b, SOP_SUB, a, u32(b, 1)), 0, 0));
    k_id power = two(b, SOP_SHL, kb_const(b, ST_I64, 1), kb_convert(b, ST_I64, bits));
    k_id over = two(b, SOP_SHL, two(b, SOP_SUB, power, wide), kb_const(b, ST_I64, 32));
    k_id most = two(b, SOP_DIV, over, two(b, SOP_MAX, wide, kb_const(b, ST_I64, 1)));
    k_id m = two(b, SOP_ADD, kb_convert(b, ST_U32, most), u32(b, 1));
    k_id shift = two(b, SOP_MIN, bits, u32(b, 31));
    b->outside = before;
    k_id t = two(b, SOP_MULHI, y, m);
    return two(b, SOP_SHR, two(b, SOP_ADD, t, y), shift);
}

/* x / d for natural x, i32. */
static k_id natural_quotient(const division *v)
{
    k_builder *b = v->b;
    k_outside before = kb_outside(b, kb_host_depth(b), true);
    k_id sign = two(b, SOP_SHR, v->d, kb_int(b, 31)), last = u32(b, 31);
    k_id a = kb_bitcast(b, ST_U32, with_sign(b, v->d, sign));
    k_id k = two(b, SOP_AND, two(b, SOP_SUB, last, kb_scalar(b, SOP_CLZ, a, 0, 0)), last);
    k_id power = two(b, SOP_SHL, kb_const(b, ST_U64, UINT64_C(1) << 32), kb_convert(b, ST_U64, k));
    k_id most = two(b, SOP_DIV, power, kb_convert(b, ST_U64, two(b, SOP_MAX, a, u32(b, 1))));
    k_id r = two(b, SOP_SUB, kb_int(b, 0), kb_bitcast(b, ST_I32, kb_convert(b, ST_U32, most)));
    k_id by = kb_select(b, kb_lt(b, v->d, kb_int(b, 0)), r, two(b, SOP_SUB, kb_int(b, 1), r));
    k_id shift = kb_convert(b, ST_I32, k);
    b->outside = before;
    k_id h = two(b, SOP_MULHI, v->x, by);
    return two(b, SOP_SHR, two(b, SOP_ADD, h, with_sign(b, v->x, sign)), shift);
}

static k_id quotient(const division *v)
{
    k_builder *b = v->b;
    k_id x = v->x, size = v->d, last = kb_int(b, 31);
    if (v->natural && !v->by_natural)
        return natural_quotient(v);
    if (!v->by_natural) {
        k_id sign = two(b, SOP_SHR, v->d, last);
        size = with_sign(b, v->d, sign);
        x = with_sign(b, x, sign);
    }
    if (v->natural && v->by_natural)
        return kb_bitcast(b, ST_I32, divided(v, size, kb_bitcast(b, ST_U32, x)));
    k_id below = two(b, SOP_SHR, x, last);
    k_id q = kb_bitcast(b, ST_I32, divided(v, size, kb_bitcast(b, ST_U32, two(b, SOP_XOR, x, below))));
    if (!v->by_some) {
        k_id none = two(b, SOP_EQ, v->d, kb_int(b, 0));
        below = two(b, SOP_AND, below, kb_select(b, none, kb_int(b, 0), kb_int(b, -1)));
    }
    return two(b, SOP_XOR, q, below);
}

/* Of i32, by what the host has computed; towards zero only where both ways are the same, and not of the
 * least integer by what may be negative. */
static bool is_by_invariant(const rebuild *r, const k_node *n, division *v)
{
    if (n->op != K_SCALAR || n->type != ST_I32)
        return false;
    int64_t least = k_lo(r->old, n->args[0]), by_least = k_lo(r->old, n->args[1]);
    bool floors = n->opcode == SOP_DIV || n->opcode == SOP_MOD;
    *v = (division){.natural = least >= 0, .by_natural = by_least >= 0, .by_some = by_least >= 1};
    if (!floors && !(v->natural && v->by_natural && (n->opcode == SOP_QUOT || n->opcode == SOP_REM)))
        return false;
    v->x = rebuild_value(r, n->args[0]);
    v->d = rebuild_value(r, n->args[1]);
    return (v->by_natural || least > INT32_MIN) && k_at(r->b.p, v->d)->op != K_CONST &&
           kb_is_host(&r->b, v->d) && !kb_is_host(&r->b, v->x);
}

/* ---- positions ---- */

enum { POSITION_DEPTH = 8 };

static bool is_exact_sum(const rebuild *r, k_id old)
{
    const k_node *n = k_at(r->old, old);
    bool sum = n->opcode == SOP_ADD || n->opcode == SOP_SUB || n->opcode == SOP_MUL;
    return n->op == K_SCALAR && n->type == ST_I32 && sum && n->exact != WRAPS &&
           k_lo(r->old, old) >= 0 && k_hi(r->old, old) <= MAX_EXTENT;
}

/* Whether it was seen that some of a position does not wrap, and is not any more: the interval of a product with a reciprocal
 * is not known, but that of the quotient was. */
static bool has_lost(const rebuild *r, k_id old, int depth)
{
    const k_node *n = k_at(r->old, old), *now = k_at(r->b.p, rebuild_value(r, old));
    if (!depth || !is_exact_sum(r, old))
        return false;
    return (n->exact == PROVED && now->op == K_SCALAR && now->exact == WRAPS) ||
           has_lost(r, n->args[0], depth - 1) || has_lost(r, n->args[1], depth - 1);
}

static k_id claimed(rebuild *r, k_id old, int depth)
{
    const k_node n = *k_at(r->old, old);
    if (!depth || !is_exact_sum(r, old))
        return rebuild_value(r, old);
    k_id x = claimed(r, n.args[0], depth - 1), y = claimed(r, n.args[1], depth - 1);
    return kb_claim(&r->b, (opcode)n.opcode, x, y);
}

/* What did not wrap does not wrap now. Compilers for CPUs ask for that, as neighbours are only then sure to be neighbours. */
static bool place(rebuild *r, k_id old)
{
    const k_node *n = k_at(r->old, old);
    if (!r->old->target.facts.serial || (n->op != K_LOAD && n->op != K_STORE) ||
        !has_lost(r, n->args[1], POSITION_DEPTH))
        return false;
    rebuild_access(r, old, claimed(r, n->args[1], POSITION_DEPTH));
    return true;
}

static bool divide(rebuild *r, k_id old)
{
    const k_node n = *k_at(r->old, old);
    division v;
    if (!is_by_invariant(r, &n, &v))
        return place(r, old);
    v.b = &r->b;
    k_id q = quotient(&v);
    bool rest = n.opcode == SOP_MOD || n.opcode == SOP_REM;
    r->map[old] = rest ? two(v.b, SOP_SUB, v.x, two(v.b, SOP_MUL, q, v.d)) : q;
    return true;
}

bool k_reciprocals(k_program *p)
{
    return k_rebuild(p, &(rebuild){.statement = divide});
}
