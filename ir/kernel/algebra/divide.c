/* Quotients and remainders: those that need no division, and those of sums with multiples of the
 * divisor.  Polyhedral compilers need the same for delinearisation: getting the indices back out
 * of a flat position.
 *
 * With N = d * X + r and 0 <= r < d the quotient is X and the remainder r; with d = g * m and N =
 * g * X + r, 0 <= r < g, the quotient is X / m.  All of this is true of integers, not of sums that
 * wrap: the interval of the whole form, as integers, must lie within the type.  A division that
 * floors may have a negative dividend, one that truncates not. */
#include "ir/kernel/algebra/fold.h"

#include "ir/scalar/scalar.h"

typedef struct division {
    k_builder *b;
    opcode op;
    scalar t;
    k_id num, den;
    bool floors, quotient;
} division;

static k_id constant(const division *d, int64_t x)
{
    return kb_const(d->b, d->t, scalar_wrap(d->t, (uint64_t)x));
}

/* The form divided by a constant, as a value; 0: that is the division at hand, as the form is what
 * is divided.  A branch that nothing takes may say so of x - 1 and x + 1. */
static k_id divided(const division *d, const linear *l, int64_t by)
{
    k_id v = kb_known(d->b, ka_linear_value(d->b, l, d->t));
    return v == d->num ? 0 : kb_scalar(d->b, d->op, v, constant(d, by), 0);
}

static bool is_natural(const k_program *p, k_id v)
{
    return k_lo(p, v) >= 0;
}

/* ---- by a constant ---- */

/* N = d * whole + rest.  A multiple that is a constant is dropped from remainders only: in
 * quotients (x + 1) / 2 is no longer than 1 + (x - 1) / 2. */
static k_id with_whole(const division *d, int64_t by, const linear *whole, const linear *rest)
{
    k_range r = ka_linear_range(d->b->p, rest);
    bool small = r.known && r.lo >= 0 && r.hi < by;
    bool pays = small || whole->n || (whole->c && !d->quotient);
    if (!ka_range_fits(r, d->t) || r.lo < 0 || !pays)
        return 0;
    if (!d->quotient)
        return small ? ka_linear_value(d->b, rest, d->t) : divided(d, rest, by);
    k_id q = ka_linear_value(d->b, whole, d->t), left = small ? 0 : divided(d, rest, by);
    return small ? q : left ? kb_scalar(d->b, SOP_ADD, q, left, 0) : 0;
}

static int64_t gcd(int64_t x, int64_t y)
{
    while (y) {
        int64_t r = x % y;
        x = y;
        y = r;
    }
    return x < 0 ? -x : x;
}

/* The largest common divisor of `by` and a coefficient that is below `most`; 1 when there is
 * none. */
static int64_t next_factor(const linear *l, int64_t by, int64_t most)
{
    int64_t best = 1;
    for (uint32_t i = 0; i < l->n; i++) {
        int64_t g = gcd(l->k[i], by);
        if (g < most && g > best)
            best = g;
    }
    return best;
}

/* N = g * x + rest with rest < g.  The remainder g * (x rem m) + rest is no better unless x rem m
 * needs no division, or leaves a loop, or many rests share it. */
static k_id with_factor(const division *d, int64_t by, int64_t g, const linear *x,
                        const linear *rest)
{
    k_builder *b = d->b;
    k_id v = ka_linear_value(b, x, d->t);
    if (d->quotient)
        return kb_scalar(b, d->op, v, constant(d, by / g), 0);
    const k_id args[3] = {v, constant(d, by / g)};
    k_id r = ka_fold_division(b, d->op, d->t, args);
    if (!r && (b->share_remainders || k_at(b->p, v)->depth < k_at(b->p, d->num)->depth))
        r = kb_scalar(b, d->op, v, args[1], 0);
    if (!r)
        return 0;
    k_id start = kb_scalar(b, SOP_MUL, r, constant(d, g), 0);
    return kb_scalar(b, SOP_ADD, start, ka_linear_value(b, rest, d->t), 0);
}

/* First d itself, then common factors of d and the coefficients, the largest first. */
static k_id by_constant(const division *d, int64_t by)
{
    linear l, whole, rest;
    const k_program *p = d->b->p;
    if (by < 2 || !ka_linear_of(p, d->t, d->num, 0, 1, OPEN_ALL, &l) ||
        !ka_range_fits(ka_linear_range(p, &l), d->t))
        return 0;
    ka_linear_split(p, &l, by, &whole, &rest);
    k_id v = whole.n || whole.c ? with_whole(d, by, &whole, &rest) : 0;
    for (int64_t g = next_factor(&l, by, by); !v && g > 1; g = next_factor(&l, by, g)) {
        ka_linear_split(p, &l, g, &whole, &rest);
        k_range r = ka_linear_range(p, &rest), x = ka_linear_range(p, &whole);
        bool small = r.known && r.lo >= 0 && r.hi < g;
        if (small && whole.n && ka_range_fits(x, d->t) && (d->floors || x.lo >= 0))
            v = with_factor(d, by, g, &whole, &rest);
    }
    return v;
}

/* (x / a) / b is x / (a * b); (x rem (a * b)) rem b is x rem b. */
static k_id of_division(const division *d, int64_t by)
{
    const k_node *n = k_at(d->b->p, d->num);
    int64_t a, both, lo, hi;
    k_type_range(d->t, &lo, &hi);
    if (n->op != K_SCALAR || n->opcode != d->op || !k_is_const(d->b->p, n->args[1], &a) || a < 1)
        return 0;
    if (!d->quotient)
        return a % by == 0 ? kb_scalar(d->b, d->op, n->args[0], d->den, 0) : 0;
    if (__builtin_mul_overflow(a, by, &both) || both > hi)
        return 0;
    k_id x = n->args[0]; /* before the constant, which may move the nodes */
    return kb_scalar(d->b, d->op, x, constant(d, both), 0);
}

/* ---- by a value ---- */

/* e, when the divisor is max(e, 1): the same where anything is known to be below e. */
static k_id without_one(const k_program *p, k_id den)
{
    const k_node *n = k_at(p, den);
    int64_t c;
    bool hit = n->op == K_SCALAR && n->opcode == SOP_MAX && k_is_const(p, n->args[1], &c) && c == 1;
    return hit ? n->args[0] : 0;
}

/* x, when v is x * d and does not wrap. */
static k_id multiple_of(const k_program *p, k_id v, k_id d)
{
    const k_node *n = k_at(p, v);
    if (!d || n->op != K_SCALAR || n->opcode != SOP_MUL || !n->exact)
        return 0;
    return n->args[1] == d ? n->args[0] : n->args[0] == d ? n->args[1] : 0;
}

/* Moves the terms that are multiples of the value d from l to whole. */
static void take_multiples(const k_program *p, k_id d, linear *l, linear *whole)
{
    linear kept = {.c = l->c};
    *whole = (linear){0};
    for (uint32_t i = 0; i < l->n; i++) {
        k_id x = multiple_of(p, l->v[i], d);
        linear *to = x ? whole : &kept;
        to->v[to->n] = x ? x : l->v[i];
        to->k[to->n++] = l->k[i];
    }
    *l = kept;
}

/* Whether 0 <= rest < d. */
static bool is_rest(const k_program *p, const linear *rest, k_id d)
{
    if (rest->n == 0)
        return rest->c >= 0 && rest->c < k_lo(p, d);
    return rest->n == 1 && rest->k[0] == 1 && rest->c == 0 && is_natural(p, rest->v[0]) &&
           ka_is_below(p, rest->v[0], d);
}

/* Products by the value are opened only where they cannot wrap (multiple_of). */
static k_id by_value(const division *d)
{
    const k_program *p = d->b->p;
    const k_id divisors[2] = {d->den, without_one(p, d->den)};
    for (int i = 0; i < 2 && divisors[i]; i++) {
        linear l, whole;
        if (!ka_linear_of(p, d->t, d->num, 0, 1, OPEN_SUMS, &l) ||
            !ka_range_fits(ka_linear_range(p, &l), d->t))
            return 0;
        take_multiples(p, divisors[i], &l, &whole);
        if (whole.n && is_rest(p, &l, divisors[i]))
            return ka_linear_value(d->b, d->quotient ? &whole : &l, d->t);
    }
    return 0;
}

/* ---- all of it ---- */

static opcode truncating(opcode op)
{
    return op == SOP_DIV ? SOP_QUOT : SOP_REM;
}

/* In order of what is cheapest at run time: nothing, a shorter form, a division that truncates,
 * which is one instruction where flooring is several. */
k_id ka_fold_division(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    const k_program *p = b->p;
    division d = {.b = b, .op = op, .t = t, .num = x[0], .den = x[1]};
    int64_t by = 0;
    d.floors = op == SOP_DIV || op == SOP_MOD;
    d.quotient = op == SOP_DIV || op == SOP_QUOT;
    k_is_const(p, d.den, &by);
    if (by == 1)
        return d.quotient ? d.num : kb_const(b, t, 0);
    if (t == ST_U64)
        return 0;
    if (is_natural(p, d.num) && ka_is_below(p, d.num, d.den))
        return d.quotient ? kb_const(b, t, 0) : d.num;
    k_id v = by > 1 ? of_division(&d, by) : 0;
    if (!v && (d.floors || is_natural(p, d.num)))
        v = by > 1 ? by_constant(&d, by) : by_value(&d);
    if (!v && d.floors && is_natural(p, d.num) && is_natural(p, d.den))
        v = kb_scalar(b, truncating(op), d.num, d.den, 0);
    return v;
}
