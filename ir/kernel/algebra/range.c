/* Intervals: what values an integer operation can have, and whether it can wrap.  This is value
 * range propagation, without iteration: in SSA form as it is built, operands come first.
 *
 * The interval of a result follows from those of its operands, and from what their structure tells
 * (relate.c): a loop's variable is below its limit, so that limit - variable is positive. */
#include "ir/kernel/algebra/fold.h"

#include "ir/scalar/scalar.h"

bool ka_range_fits(k_range r, scalar t)
{
    int64_t lo, hi;
    k_type_range(t, &lo, &hi);
    return r.known && t != ST_U64 && r.lo >= lo && r.hi <= hi;
}

/* ---- from the intervals of the operands ---- */

/* Of the four corners, where a product has its extremes. */
static k_range hull4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    int64_t lo = a < b ? a : b, hi = a > b ? a : b;
    lo = lo < c ? lo : c;
    hi = hi > c ? hi : c;
    return (k_range){lo < d ? lo : d, hi > d ? hi : d, true};
}

static k_range range_hull(k_range x, k_range y)
{
    return (k_range){x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi, true};
}

k_range ka_range_add(k_range x, k_range y)
{
    k_range r = {.known = true};
    if (__builtin_add_overflow(x.lo, y.lo, &r.lo) || __builtin_add_overflow(x.hi, y.hi, &r.hi))
        r.known = false;
    return r;
}

/* Unknown when a bound leaves 64 bits. */
static k_range range_sub(k_range x, k_range y)
{
    k_range r = {.known = true};
    if (__builtin_sub_overflow(x.lo, y.hi, &r.lo) || __builtin_sub_overflow(x.hi, y.lo, &r.hi))
        r.known = false;
    return r;
}

k_range ka_range_mul(k_range x, k_range y)
{
    int64_t a, b, c, d;
    if (__builtin_mul_overflow(x.lo, y.lo, &a) || __builtin_mul_overflow(x.lo, y.hi, &b) ||
        __builtin_mul_overflow(x.hi, y.lo, &c) || __builtin_mul_overflow(x.hi, y.hi, &d))
        return (k_range){0};
    return hull4(a, b, c, d);
}

k_range ka_range_scale(k_range x, int64_t by)
{
    int64_t a, b;
    if (by == 1)
        return x;
    if (__builtin_mul_overflow(x.lo, by, &a) || __builtin_mul_overflow(x.hi, by, &b))
        return (k_range){0};
    return a < b ? (k_range){a, b, true} : (k_range){b, a, true};
}

int64_t ka_floor_div(int64_t x, int64_t y)
{
    return x / y - (x % y < 0);
}

/* div and quot agree on non-negative operands; otherwise only a constant divisor is worth an
 * answer. */
static k_range range_div(opcode op, k_range x, k_range y)
{
    if (y.lo == y.hi && y.lo > 0)
        return op == SOP_DIV ? (k_range){ka_floor_div(x.lo, y.lo), ka_floor_div(x.hi, y.lo), true}
                             : (k_range){x.lo / y.lo, x.hi / y.lo, true};
    if (x.lo < 0 && y.lo > 0) /* no quotient is farther from 0 */
        return (k_range){x.lo, x.hi > 0 ? x.hi / y.lo : 0, true};
    if (x.lo < 0)
        return (k_range){0};
    if (y.lo < 0)
        return (k_range){-x.hi, x.hi, true};
    int64_t least = y.lo > 0 ? y.lo : 1, most = y.hi > 0 ? y.hi : 1;
    return (k_range){y.lo > 0 ? x.lo / most : 0, x.hi / least, true};
}

/* The remainder has the sign of the divisor (mod) or of the dividend (rem), and is smaller than the
 * divisor. */
static k_range range_mod(opcode op, k_range x, k_range y)
{
    int64_t top = y.hi > 0 ? y.hi - 1 : 0;
    if (x.lo < 0 && y.lo > 0)
        return (k_range){op == SOP_MOD ? 0
                         : x.lo < -top ? -top
                                       : x.lo,
                         op == SOP_REM && x.hi < top ? x.hi : top, op == SOP_MOD || x.hi >= 0};
    if (x.lo < 0 || y.lo < 0)
        return (k_range){0};
    return (k_range){0, y.lo > 0 && top < x.hi ? top : x.hi, true};
}

static k_range range_minmax(opcode op, k_range x, k_range y)
{
    if (op == SOP_MIN)
        return (k_range){x.lo < y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi, true};
    return (k_range){x.lo > y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi, true};
}

/* Amounts are taken modulo the width: those beyond it say nothing. */
static k_range range_shift(opcode op, scalar t, k_range x, k_range y)
{
    if (x.lo < 0 || y.lo < 0 || y.hi > 62 || y.hi >= 8 * (int64_t)ir_scalar_bytes(t))
        return (k_range){0};
    if (op == SOP_SHL)
        return ka_range_mul(x, (k_range){(int64_t)1 << y.lo, (int64_t)1 << y.hi, true});
    return (k_range){x.lo >> y.hi, x.hi >> y.lo, true};
}

/* Zeros in front of what is not negative. */
static int64_t leading_zeros(scalar t, int64_t x)
{
    int64_t n = 8 * (int64_t)ir_scalar_bytes(t);
    for (; x > 0; x >>= 1)
        n--;
    return n;
}

static k_range range_count(opcode op, scalar t, k_range x)
{
    if (op != SOP_CLZ || x.lo < 0)
        return (k_range){0, 64, true};
    return (k_range){leading_zeros(t, x.hi), leading_zeros(t, x.lo), true};
}

/* With a natural operand the result is natural and no greater than it; with two, than either. */
static k_range range_and(k_range x, k_range y)
{
    if (x.lo < 0 && y.lo < 0)
        return (k_range){0};
    int64_t hi = x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : x.hi < y.hi ? x.hi : y.hi;
    return (k_range){0, hi, true};
}

/* ---- with what the structure tells ---- */

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* The l of l - 1, which does not wrap; or 0. */
static k_id above_last(const k_program *p, k_id v)
{
    const k_node *n = k_at(p, v);
    int64_t one;
    bool less = ka_is(n, SOP_SUB) && n->exact && k_is_const(p, n->args[1], &one) && one == 1;
    return less ? n->args[0] : 0;
}

/* y below x leaves at least one, and none below 0 where x is to be one less. */
static k_range difference(const k_program *p, const k_node *n)
{
    k_id above = above_last(p, n->args[0]);
    k_range r = range_sub(ka_range_of(p, n->args[0]), ka_range_of(p, n->args[1]));
    if (r.lo < 1 && ka_is_below(p, n->args[1], n->args[0]))
        r.lo = 1;
    else if (r.lo < 0 && k_lo(p, n->args[0]) >= 0 && ka_is_not_above(p, n->args[1], n->args[0]))
        r.lo = 0;
    else if (r.lo < 0 && above && ka_is_below(p, n->args[1], above))
        r.lo = 0;
    return r;
}

/* x + y <= max(x, n) where y <= max(n - x, 0). */
static k_range sum(const k_program *p, scalar t, const k_node *n)
{
    k_range r = ka_range_add(ka_range_of(p, n->args[0]), ka_range_of(p, n->args[1]));
    for (int i = 0; i < 2 && r.known && !ka_range_fits(r, t); i++) {
        k_id whole = ka_room_beside(p, n->args[1 - i], n->args[i]);
        int64_t x = k_hi(p, n->args[i]), hi = k_hi(p, whole);
        if (whole)
            r.hi = least(r.hi, x > hi ? x : hi);
    }
    return r;
}

/* q * d <= x where q <= x / d; where q is 0, so is the product. */
static k_range product(const k_program *p, scalar t, const k_node *n)
{
    k_range r = ka_range_mul(ka_range_of(p, n->args[0]), ka_range_of(p, n->args[1]));
    for (int i = 0; i < 2 && r.known && r.lo >= 0 && !ka_range_fits(r, t); i++) {
        k_id x = ka_quotient_bound(p, n->args[i], n->args[1 - i]);
        int64_t hi = k_hi(p, x);
        if (x)
            r.hi = least(r.hi, hi > 0 ? hi : 0);
    }
    return r;
}

/* g / d < n where g < n * d: the row of an element. */
static k_range quotient(const k_program *p, const k_node *n)
{
    k_range r =
        range_div((opcode)n->opcode, ka_range_of(p, n->args[0]), ka_range_of(p, n->args[1]));
    k_id limit = r.known && r.lo >= 0 ? ka_quotient_limit(p, n) : 0;
    if (limit && k_hi(p, limit) > r.lo)
        r.hi = least(r.hi, k_hi(p, limit) - 1);
    return r;
}

/* ---- the rules of scalars.def, column range ---- */

typedef k_range range_rule(const k_program *p, const k_node *n);

static k_range operand_range(const k_program *p, const k_node *n, uint32_t k)
{
    return ka_range_of(p, n->args[k]);
}

#define RANGE(e, result)                                                                           \
    static k_range range_of_##e(const k_program *p, const k_node *n)                               \
    {                                                                                              \
        k_range x = operand_range(p, n, 0), y = operand_range(p, n, 1);                            \
        (void)x, (void)y;                                                                          \
        return result;                                                                             \
    }

RANGE(NONE, (k_range){0})
RANGE(SUM, sum(p, (scalar)n->type, n))
RANGE(DIFFERENCE, difference(p, n))
RANGE(PRODUCT, product(p, (scalar)n->type, n))
RANGE(QUOTIENT, quotient(p, n))
RANGE(REMAINDER, range_mod((opcode)n->opcode, x, y))
RANGE(EXTREME, range_minmax((opcode)n->opcode, x, y))
RANGE(SHIFT, range_shift((opcode)n->opcode, (scalar)n->type, x, y))
RANGE(MASK, range_and(x, y))
RANGE(NEGATION, range_sub((k_range){0, 0, true}, x))
RANGE(EITHER, range_hull(y, operand_range(p, n, 2)))
RANGE(COUNT, range_count((opcode)n->opcode, (scalar)k_at(p, n->args[0])->type, x))

static range_rule *const range_rules[SOP_END] = {
#define SCALAROP(e, wire, name, arity, operands, result, cost, since, fold, range, ...)            \
    [SOP_##e] = range_of_##range,
#include "ir/scalars.def"
#undef SCALAROP
};

/* Only a result whose interval fits the type cannot wrap; then the interval is that of the value
 * and n is marked PROVED. Otherwise any value of the type may come out. */
k_range ka_fold_interval(const k_program *p, k_node *n)
{
    scalar t = (scalar)n->type;
    k_range r = {0};
    bool known = n->opcode < SOP_END && range_rules[n->opcode]; /* in what was read it may not be */
    if (known && k_type_is_int(t) && t != ST_U64)
        r = range_rules[n->opcode](p, n);
    if (!ka_range_fits(r, t))
        return (k_range){0};
    n->exact = PROVED;
    return r;
}
