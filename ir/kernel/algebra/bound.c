/* Bounds: for a value of a kernel, a value outside every launch that is never smaller (ka_upper).
 * It is symbolic range analysis, of upper bounds alone.
 *
 * Memory must be sized before the launch; the length of an array made in a kernel may depend on
 * the block.  The bound is read off the structure of the value: a minimum is below either operand,
 * a loop variable below its limit, and so on. Each value is looked at once for either side, and at
 * most BOUND_FUEL of them; beyond, there is no bound.
 *
 * What comes out is built at the host like any value, so it folds, and shares with what is
 * there.  A bound may be far above: memory is the price, correctness is not. */
#include "ir/kernel/algebra/algebra.h"

/* What is known of a value by its interval alone is worth a bound only when it is this small. */
enum { BOUND_FUEL = 500, SMALL = 1 << 20 };

/* What was found for a value: its bound from above, or from below; 0: none. */
typedef struct found_bound {
    k_id of;
    bool upper;
    k_id bound;
} found_bound;

enum { FOUND_SLOTS = 1024 }; /* more than fuel, a power of two */

typedef struct bounds {
    k_builder *b;
    int fuel;
    found_bound found[FOUND_SLOTS];
} bounds;

static k_id bound_of(bounds *in, k_id v, bool upper);

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

static k_id bound_minmax(bounds *in, const k_node *n, bool upper)
{
    k_builder *b = in->b;
    k_id x = bound_of(in, n->args[0], upper), y = bound_of(in, n->args[1], upper);
    if ((n->opcode == SOP_MIN) == upper && (!x || !y)) /* either operand will do */
        return x ? x : y;
    return both(b, (opcode)n->opcode, x, y);
}

/* ---- sums, differences, products ---- */

/* A bound of an operand that is no looser than its interval, which is all there is when *missing.
 */
static k_id operand_bound(bounds *in, k_id v, bool upper, bool *missing)
{
    k_builder *b = in->b;
    k_id r = bound_of(in, v, upper),
         of_interval = kb_int(b, (int32_t)(upper ? k_hi(b->p, v) : k_lo(b->p, v)));
    *missing = *missing || !r;
    return !r ? of_interval : upper ? kb_min(b, r, of_interval) : kb_max(b, r, of_interval);
}

/* What x op y is, at least and at most, by the intervals of ints: 64 bits hold it. */
static void reach_of(const k_program *p, opcode op, k_id x, k_id y, int64_t reach[2])
{
    int64_t xs[2] = {k_lo(p, x), k_hi(p, x)}, ys[2] = {k_lo(p, y), k_hi(p, y)};
    for (int i = 0; i < 4; i++) {
        int64_t u = xs[i & 1], v = ys[i >> 1];
        int64_t r = op == SOP_ADD ? u + v : op == SOP_SUB ? u - v : u * v;
        reach[0] = i == 0 || r < reach[0] ? r : reach[0];
        reach[1] = i == 0 || r > reach[1] ? r : reach[1];
    }
}

/* Of ints, in 64 bits unless their intervals show that ints will do. */
static k_id exact_result(k_builder *b, opcode op, k_id x, k_id y)
{
    int64_t reach[2];
    reach_of(b->p, op, x, y, reach);
    if (reach[0] >= INT32_MIN && reach[1] <= INT32_MAX)
        return kb_scalar(b, op, x, y, 0);
    return kb_scalar(b, op, kb_convert(b, ST_I64, x), kb_convert(b, ST_I64, y), 0);
}

/* Of a product one factor, x, is natural: it grows with both, or becomes less than 0 by a y below.
 */
static k_id extreme_product(bounds *in, k_id x, k_id y, bool upper, bool *missing)
{
    k_builder *b = in->b;
    bool both_natural = natural(b, y);
    k_id by = operand_bound(in, y, upper, missing), none = kb_int(b, 0);
    if (!both_natural)
        by = upper ? kb_max(b, by, none) : kb_min(b, by, none);
    k_id most = operand_bound(in, x, upper || !both_natural, missing);
    return exact_result(b, SOP_MUL, most, by);
}

/* The most, or the least, that n may be if it did not wrap. */
static k_id extreme(bounds *in, const k_node *n, bool upper, bool *missing)
{
    k_id x = n->args[0], y = n->args[1];
    if (n->opcode == SOP_MUL)
        return natural(in->b, x) ? extreme_product(in, x, y, upper, missing)
                                 : extreme_product(in, y, x, upper, missing);
    bool side_of_y = n->opcode == SOP_ADD ? upper : !upper;
    return exact_result(in->b, (opcode)n->opcode, operand_bound(in, x, upper, missing),
                        operand_bound(in, y, side_of_y, missing));
}

/* Whether n stays among the ints on both sides, as the host can tell; 0: it does.  On a side
 * without a bound it is taken to. */
static k_id stays_inside(bounds *in, const k_node *n)
{
    k_builder *b = in->b;
    int64_t reach[2];
    reach_of(b->p, (opcode)n->opcode, n->args[0], n->args[1], reach);
    k_id inside = 0;
    for (int side = 0; n->exact == WRAPS && side < 2; side++) {
        bool is_known = side ? reach[1] <= INT32_MAX : reach[0] >= INT32_MIN, missing = false;
        k_id end = is_known ? 0 : extreme(in, n, side, &missing);
        if (!end || missing || k_at(b->p, end)->type != ST_I64)
            continue;
        k_id limit = kb_const(b, ST_I64, (uint64_t)(int64_t)(side ? INT32_MAX : INT32_MIN)),
             holds = kb_scalar(b, side ? SOP_LE : SOP_GE, end, limit, 0);
        inside = inside ? kb_scalar(b, SOP_AND, inside, holds, 0) : holds;
    }
    return inside;
}

/* What may wrap may be any int: then the greatest of them is the bound, or the least.  Products of
 * two factors of any sign have none. */
static k_id bound_arithmetic(bounds *in, const k_node *n, bool upper)
{
    k_builder *b = in->b;
    if (n->opcode == SOP_MUL && !natural(b, n->args[0]) && !natural(b, n->args[1]))
        return 0;
    bool missing = false;
    k_id r = extreme(in, n, upper, &missing), inside = missing ? 0 : stays_inside(in, n);
    if (missing)
        return 0;
    int32_t end = upper ? INT32_MAX : INT32_MIN;
    k_id limit = kb_int(b, end);
    if (k_at(b->p, r)->type == ST_I64)
        limit = kb_const(b, ST_I64, (uint64_t)(int64_t)end);
    r = kb_scalar(b, upper ? SOP_MIN : SOP_MAX, r, limit, 0);
    if (inside)
        r = kb_scalar(b, SOP_SELECT, inside, r, limit);
    return r == limit ? 0 : kb_convert(b, ST_I32, r);
}

/* At least |v|: no quotient by an integer is larger. */
static k_id magnitude(bounds *in, k_id v)
{
    k_builder *b = in->b;
    k_id hi = bound_of(in, v, true), lo = bound_of(in, v, false);
    k_id least = lo ? kb_max(b, lo, kb_int(b, -INT32_MAX)) : 0; /* which has an opposite */
    return hi && lo ? kb_max(b, hi, kb_sub(b, kb_int(b, 0), least)) : 0;
}

/* A bound of what is at least 1, which is so itself: one from below may be looser than that. */
static k_id bound_positive(bounds *in, k_id v, bool upper)
{
    k_builder *b = in->b;
    k_id r = bound_of(in, v, upper);
    return r ? kb_max(b, r, kb_int(b, 1)) : 0;
}

/* Both divisions grow with the dividend, whatever its sign, and shrink with the divisor when the
 * dividend is natural. */
static k_id bound_div(bounds *in, const k_node *n, bool upper)
{
    k_builder *b = in->b;
    int64_t c;
    if (k_is_const(b->p, n->args[1], &c) && c > 0)
        return both(b, (opcode)n->opcode, bound_of(in, n->args[0], upper), n->args[1]);
    if (natural(b, n->args[0]) && k_lo(b->p, n->args[1]) > 0)
        return both(b, SOP_DIV, bound_of(in, n->args[0], upper),
                    bound_positive(in, n->args[1], !upper));
    return upper ? magnitude(in, n->args[0]) : 0;
}

/* A shift to the right by a constant is a division that rounds down. */
static k_id bound_shr(bounds *in, const k_node *n, bool upper)
{
    int64_t c;
    k_id x = k_is_const(in->b->p, n->args[1], &c) ? bound_of(in, n->args[0], upper) : 0;
    return both(in->b, SOP_SHR, x, n->args[1]);
}

/* x mod y is below y, and no larger than x. */
static k_id bound_mod(bounds *in, const k_node *n)
{
    k_builder *b = in->b;
    if (!natural(b, n->args[0]) || k_lo(b->p, n->args[1]) < 1)
        return 0;
    k_id y = bound_of(in, n->args[1], true);
    return y ? kb_sub(b, y, kb_int(b, 1)) : bound_of(in, n->args[0], true);
}

static k_id bound_scalar(bounds *in, const k_node *n, bool upper)
{
    k_builder *b = in->b;
    switch ((opcode)n->opcode) {
    case SOP_MIN:
    case SOP_MAX: return bound_minmax(in, n, upper);
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MUL: return bound_arithmetic(in, n, upper);
    case SOP_DIV:
    case SOP_QUOT: return bound_div(in, n, upper);
    case SOP_SHR: return bound_shr(in, n, upper);
    case SOP_MOD:
    case SOP_REM: return upper ? bound_mod(in, n) : 0;
    case SOP_SELECT:
        return both(b, upper ? SOP_MAX : SOP_MIN, bound_of(in, n->args[1], upper),
                    bound_of(in, n->args[2], upper));
    default: return 0;
    }
}

/* A loop variable runs from 0 (or the loop's start) to one below its limit. */
static k_id bound_param(bounds *in, k_id v, bool upper)
{
    k_builder *b = in->b;
    if (upper && k_bound(b->p, v))
        return bound_of(in, k_bound(b->p, v), true);
    if (!upper || !k_below(b->p, v))
        return 0;
    k_id limit = bound_of(in, k_below(b->p, v), true);
    return limit ? kb_sub(b, limit, kb_int(b, 1)) : 0;
}

/* Of an if either value may come out; a loop's results are bounded by statement only (k_bound). */
static k_id bound_result(bounds *in, k_id v, bool upper)
{
    k_builder *b = in->b;
    const k_node n = *k_at(b->p, v), s = *k_at(b->p, n.owner);
    if (upper && k_bound(b->p, v))
        return bound_of(in, k_bound(b->p, v), true);
    if (s.op != K_IF)
        return 0;
    k_id x = k_listed(b->p, k_yield_of(b->p, s.blocks[0]), n.number),
         y = k_listed(b->p, k_yield_of(b->p, s.blocks[1]), n.number);
    return both(b, upper ? SOP_MAX : SOP_MIN, bound_of(in, x, upper), bound_of(in, y, upper));
}

/* In order: a host value is its own bound; structure; what was stated; a small interval.  Lower
 * bounds (upper false) are asked for where an operand counts against its user. */
static k_id find_bound(bounds *in, k_id v, bool upper)
{
    k_builder *b = in->b;
    const k_node n = *k_at(b->p, v);
    k_id above = n.op == K_BUILTIN ? k_below(b->p, v) : k_bound(b->p, v);
    k_id r = n.op == K_SCALAR   ? bound_scalar(in, &n, upper)
             : n.op == K_PARAM  ? bound_param(in, v, upper)
             : n.op == K_RESULT ? bound_result(in, v, upper)
             : upper && above   ? bound_of(in, above, true)
                                : 0;
    if (r)
        return r;
    if (upper && k_hi(b->p, v) <= SMALL)
        return kb_int(b, (int32_t)k_hi(b->p, v));
    if (!upper && k_lo(b->p, v) >= -SMALL)
        return kb_int(b, (int32_t)k_lo(b->p, v));
    return 0;
}

/* The place of what was found, or a free one. */
static found_bound *find_slot(bounds *in, k_id v, bool upper)
{
    uint32_t at = (v * 2 + upper) % FOUND_SLOTS;
    while (in->found[at].of && (in->found[at].of != v || in->found[at].upper != upper))
        at = (at + 1) % FOUND_SLOTS;
    return &in->found[at];
}

static k_id bound_of(bounds *in, k_id v, bool upper)
{
    if (!v || k_at(in->b->p, v)->type != ST_I32)
        return 0;
    if (kb_is_host(in->b, v))
        return v;
    found_bound *slot = find_slot(in, v, upper);
    if (slot->of || in->fuel == 0)
        return slot->bound;
    in->fuel--;
    *slot = (found_bound){v, upper, 0};
    slot->bound = find_bound(in, v, upper);
    return slot->bound;
}

/* Builds outside of all launches for as long as it takes. */
k_id ka_upper(k_builder *b, k_id v)
{
    bounds in = {.b = b, .fuel = BOUND_FUEL};
    k_outside before = kb_outside(b, kb_host_depth(b), false);
    k_id r = bound_of(&in, v, true);
    b->outside = before;
    return r;
}
