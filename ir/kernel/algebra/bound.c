/* Bounds: for a value of a kernel, a value outside every launch that is never smaller (ka_upper).
 * It is symbolic range analysis, of upper bounds alone.
 *
 * Memory must be sized before the launch; the length of an array made in a kernel may depend on
 * the block.  The bound is read off the structure of the value: a minimum is below either operand,
 * a loop variable below its limit, and so on. Recursion is bounded by BOUND_FUEL, the number of
 * values looked at; beyond, there is no bound.
 *
 * What comes out is built at the host like any value, so it folds, and shares with what is
 * there.  A bound may be far above: memory is the price, correctness is not. */
#include "ir/kernel/algebra/algebra.h"

/* What is known of a value by its interval alone is worth a bound only when it is this small. */
enum { BOUND_FUEL = 500, SMALL = 1 << 20 };

static k_id bound_of(k_builder *b, k_id v, bool upper, int *fuel);

/* Nothing is known unless both are. */
static k_id both(k_builder *b, opcode op, k_id x, k_id y)
{
    return x && y ? kb_scalar(b, op, x, y, 0) : 0;
}

/* Whether v is known to be non-negative. */
static bool natural(const k_builder *b, k_id v)
{
    return k_lo(b->p, v) >= 0;
}

static k_id bound_minmax(k_builder *b, const k_node *n, bool upper, int *fuel)
{
    k_id x = bound_of(b, n->args[0], upper, fuel), y = bound_of(b, n->args[1], upper, fuel);
    if ((n->opcode == SOP_MIN) == upper && (!x || !y)) /* either operand will do */
        return x ? x : y;
    return both(b, (opcode)n->opcode, x, y);
}

/* The product of two bounds, or the greatest int where that is more: then the value that is bounded
 * may have wrapped, and is anything up to there. */
static k_id saturating_product(k_builder *b, k_id x, k_id y)
{
    const k_program *p = b->p;
    if (k_hi(p, x) <= 0 || k_hi(p, y) <= INT32_MAX / k_hi(p, x))
        return kb_scalar(b, SOP_MUL, x, y, 0);
    k_id wide = kb_scalar(b, SOP_MUL, kb_convert(b, ST_I64, x), kb_convert(b, ST_I64, y), 0);
    return kb_narrow(b, wide);
}

/* Of natural factors the product grows with both; by a factor below 0 a natural one becomes 0 or
 * less.  Other signs would need all four corners. */
static k_id bound_mul(k_builder *b, const k_node *n, bool upper, int *fuel)
{
    k_id bound[2] = {0};
    bool natural_of[2] = {natural(b, n->args[0]), natural(b, n->args[1])};
    if (!natural_of[0] && !natural_of[1])
        return 0;
    for (int i = 0; i < 2 && (upper || (natural_of[0] && natural_of[1])); i++) {
        bound[i] = bound_of(b, n->args[i], upper, fuel);
        if (bound[i] && !natural_of[i])
            bound[i] = kb_max(b, bound[i], kb_int(b, 0));
    }
    if (upper && n->exact == WRAPS && bound[0] && bound[1])
        return saturating_product(b, bound[0], bound[1]);
    return both(b, SOP_MUL, bound[0], bound[1]);
}

/* At least |v|: no quotient by an integer is larger. */
static k_id magnitude(k_builder *b, k_id v, int *fuel)
{
    k_id hi = bound_of(b, v, true, fuel), lo = bound_of(b, v, false, fuel);
    return hi && lo ? kb_max(b, hi, kb_sub(b, kb_int(b, 0), lo)) : 0;
}

/* A bound of what is at least 1, which is so itself: one from below may be looser than that. */
static k_id bound_positive(k_builder *b, k_id v, bool upper, int *fuel)
{
    k_id r = bound_of(b, v, upper, fuel);
    return r ? kb_max(b, r, kb_int(b, 1)) : 0;
}

/* Both divisions grow with the dividend, whatever its sign, and shrink with the divisor when the
 * dividend is natural. */
static k_id bound_div(k_builder *b, const k_node *n, bool upper, int *fuel)
{
    int64_t c;
    if (k_is_const(b->p, n->args[1], &c) && c > 0)
        return both(b, (opcode)n->opcode, bound_of(b, n->args[0], upper, fuel), n->args[1]);
    if (natural(b, n->args[0]) && k_lo(b->p, n->args[1]) > 0)
        return both(b, SOP_DIV, bound_of(b, n->args[0], upper, fuel),
                    bound_positive(b, n->args[1], !upper, fuel));
    return upper ? magnitude(b, n->args[0], fuel) : 0;
}

/* x mod y is below y, and no larger than x. */
static k_id bound_mod(k_builder *b, const k_node *n, int *fuel)
{
    if (!natural(b, n->args[0]) || k_lo(b->p, n->args[1]) < 1)
        return 0;
    k_id y = bound_of(b, n->args[1], true, fuel);
    return y ? kb_sub(b, y, kb_int(b, 1)) : bound_of(b, n->args[0], true, fuel);
}

static k_id bound_scalar(k_builder *b, const k_node *n, bool upper, int *fuel)
{
    switch ((opcode)n->opcode) {
    case SOP_MIN:
    case SOP_MAX: return bound_minmax(b, n, upper, fuel);
    case SOP_ADD:
        return both(b, SOP_ADD, bound_of(b, n->args[0], upper, fuel),
                    bound_of(b, n->args[1], upper, fuel));
    case SOP_SUB:
        return both(b, SOP_SUB, bound_of(b, n->args[0], upper, fuel),
                    bound_of(b, n->args[1], !upper, fuel));
    case SOP_MUL: return bound_mul(b, n, upper, fuel);
    case SOP_DIV:
    case SOP_QUOT: return bound_div(b, n, upper, fuel);
    case SOP_MOD:
    case SOP_REM: return upper ? bound_mod(b, n, fuel) : 0;
    case SOP_SELECT:
        return both(b, upper ? SOP_MAX : SOP_MIN, bound_of(b, n->args[1], upper, fuel),
                    bound_of(b, n->args[2], upper, fuel));
    default: return 0;
    }
}

/* A loop variable runs from 0 (or the loop's start) to one below its limit. */
static k_id bound_param(k_builder *b, k_id v, bool upper, int *fuel)
{
    if (upper && k_bound(b->p, v))
        return bound_of(b, k_bound(b->p, v), true, fuel);
    if (!upper || !k_below(b->p, v))
        return 0;
    k_id limit = bound_of(b, k_below(b->p, v), true, fuel);
    return limit ? kb_sub(b, limit, kb_int(b, 1)) : 0;
}

/* Of an if either value may come out; a loop's results are bounded by statement only (k_bound). */
static k_id bound_result(k_builder *b, k_id v, bool upper, int *fuel)
{
    const k_node n = *k_at(b->p, v), s = *k_at(b->p, n.owner);
    if (upper && k_bound(b->p, v))
        return bound_of(b, k_bound(b->p, v), true, fuel);
    if (s.op != K_IF)
        return 0;
    k_id x = k_listed(b->p, k_yield_of(b->p, s.blocks[0]), n.number),
         y = k_listed(b->p, k_yield_of(b->p, s.blocks[1]), n.number);
    return both(b, upper ? SOP_MAX : SOP_MIN, bound_of(b, x, upper, fuel),
                bound_of(b, y, upper, fuel));
}

/* In order: a host value is its own bound; structure; what was stated; a small interval.  Lower
 * bounds (upper false) are asked for where an operand counts against its user. */
static k_id bound_of(k_builder *b, k_id v, bool upper, int *fuel)
{
    const k_node n = *k_at(b->p, v);
    if (!v || *fuel == 0 || n.type != ST_I32)
        return 0;
    --*fuel;
    if (kb_is_host(b, v))
        return v;
    k_id above = n.op == K_BUILTIN ? k_below(b->p, v) : k_bound(b->p, v);
    k_id r = n.op == K_SCALAR   ? bound_scalar(b, &n, upper, fuel)
             : n.op == K_PARAM  ? bound_param(b, v, upper, fuel)
             : n.op == K_RESULT ? bound_result(b, v, upper, fuel)
             : upper && above   ? bound_of(b, above, true, fuel)
                                : 0;
    if (r)
        return r;
    if (upper && k_hi(b->p, v) <= SMALL)
        return kb_int(b, (int32_t)k_hi(b->p, v));
    if (!upper && k_lo(b->p, v) >= -SMALL)
        return kb_int(b, (int32_t)k_lo(b->p, v));
    return 0;
}

/* Builds outside of all launches for as long as it takes. */
k_id ka_upper(k_builder *b, k_id v)
{
    int fuel = BOUND_FUEL;
    k_outside before = kb_outside(b, kb_host_depth(b), false);
    k_id r = bound_of(b, v, true, &fuel);
    b->outside = before;
    return r;
}
