/* Relations between values that are evident from their structure: a loop's variable is below its
 * limit, a remainder below its divisor, a minimum not above either operand.  Every walk is bounded
 * by a depth; beyond, nothing is known.  It is symbolic range analysis on demand, as in the
 * elimination of array bounds checks.
 *
 * A proof goes from x up to n by steps that are each evident; there is no search for another way
 * down from n, except through maxima.  False and 0 cost nothing but a test that stays. */
#include "ir/kernel/algebra/fold.h"

enum { PROOF_DEPTH = 8 };

static bool not_above(const k_program *p, k_id x, k_id n, int depth);

static bool is_one(const k_program *p, k_id v)
{
    int64_t x;
    return k_is_const(p, v, &x) && x == 1;
}

static bool is_natural(const k_program *p, k_id v)
{
    return k_lo(p, v) >= 0;
}

/* For a maximum with what is at most c, and a choice of such: the x that v is where it is above c.
 */
static k_id above(const k_program *p, k_id v, int64_t c)
{
    const k_node *n = k_at(p, v);
    if (ka_is(n, SOP_MAX) && k_hi(p, n->args[1]) <= c)
        return n->args[0];
    for (int i = 1; i < 3 && ka_is(n, SOP_SELECT); i++)
        if (k_hi(p, n->args[i]) <= c)
            return n->args[3 - i];
    return 0;
}

/* A node that divides its operands, both of them natural, so that flooring and truncating agree. */
static bool divides(const k_program *p, const k_node *n, opcode floors, opcode truncates)
{
    return (ka_is(n, floors) || ka_is(n, truncates)) && is_natural(p, n->args[0]) &&
           is_natural(p, n->args[1]);
}

/* ---- strictly below ---- */

/* v before it was converted to another integer type that holds it. */
static k_id plain(const k_program *p, k_id v)
{
    const k_node *n = k_at(p, v);
    int64_t lo, hi;
    k_type_range((scalar)n->type, &lo, &hi);
    bool same = n->op == K_CONVERT && k_type_is_int((scalar)k_at(p, n->args[0])->type) &&
                k_lo(p, n->args[0]) >= lo && k_hi(p, n->args[0]) <= hi;
    return same ? n->args[0] : v;
}

/* Whether v is x (op) 0. */
static bool is_against_zero(const k_program *p, k_id v, opcode op, k_id x)
{
    const k_node *n = k_at(p, v);
    int64_t c;
    return ka_is(n, op) && n->args[0] == x && k_is_const(p, n->args[1], &c) && c == 0;
}

const k_node *ka_saturated(const k_program *p, const k_node *n)
{
    if (!ka_is(n, SOP_SELECT))
        return NULL;
    const k_node *fits = k_at(p, n->args[0]), *product = k_at(p, n->args[1]);
    if (!ka_is(fits, SOP_AND) || !ka_is(product, SOP_MUL) || product->type != ST_I64)
        return NULL;
    for (int i = 0; i < 2; i++) {
        k_id high = k_at(p, fits->args[i])->args[0];
        const k_node *h = k_at(p, high);
        if (ka_is(h, SOP_MULHI) && h->args[0] == product->args[0] &&
            h->args[1] == product->args[1] && is_against_zero(p, fits->args[i], SOP_EQ, high) &&
            is_against_zero(p, fits->args[1 - i], SOP_GE, n->args[1]))
            return product;
    }
    return NULL;
}

/* A value that is no smaller than n wherever something not below `floor` is below n: n without
 * conversions, a maximum with at most `floor`, a minimum with a constant, and the product of a
 * saturated one. */
static const k_node *strip(const k_program *p, const k_node *n, int64_t floor)
{
    int64_t c;
    for (int i = 0; i < PROOF_DEPTH; i++)
        if (n->op == K_CONVERT ||
            (ka_is(n, SOP_MAX) && k_is_const(p, n->args[1], &c) && c <= floor) ||
            (ka_is(n, SOP_MIN) && k_is_const(p, n->args[1], &c)))
            n = k_at(p, n->args[0]);
    const k_node *product = ka_saturated(p, n);
    return product ? product : n;
}

static k_id limit_within(const k_program *p, k_id x, int depth);

/* The product of naturals that g, which is natural, is below, or below what is left of it after
 * wrapping or saturating; or NULL. */
static const k_node *product_above(const k_program *p, k_id g, int depth)
{
    const k_node *product = strip(p, k_at(p, limit_within(p, g, depth - 1)), 0);
    bool good = is_natural(p, g) && ka_is(product, SOP_MUL) && is_natural(p, product->args[0]) &&
                is_natural(p, product->args[1]);
    return good ? product : NULL;
}

/* For g / d with 0 <= g < n * d, or the like: the n. */
static k_id quotient_limit(const k_program *p, const k_node *quotient, int depth)
{
    k_id g = plain(p, quotient->args[0]), d = plain(p, quotient->args[1]);
    const k_node *product = product_above(p, g, depth), *most = k_at(p, d);
    for (int i = 0; product && i < 2; i++) {
        k_id n = plain(p, product->args[i]), m = plain(p, product->args[1 - i]);
        if (m == d ||
            (ka_is(most, SOP_MAX) && plain(p, most->args[0]) == m && is_one(p, most->args[1])))
            return n;
    }
    return 0;
}

k_id ka_quotient_limit(const k_program *p, const k_node *n)
{
    return divides(p, n, SOP_DIV, SOP_QUOT) ? quotient_limit(p, n, PROOF_DEPTH) : 0;
}

/* A node that x is below, or 0. */
static k_id limit_within(const k_program *p, k_id x, int depth)
{
    if (depth == 0)
        return 0;
    const k_node *n = k_at(p, x), *rest = k_at(p, n->args[0]);
    if (n->op == K_PARAM || n->op == K_BUILTIN)
        return k_below(p, x);
    if (divides(p, n, SOP_MOD, SOP_REM))
        return k_lo(p, n->args[1]) >= 1 ? n->args[1] : 0;
    if (divides(p, n, SOP_DIV, SOP_QUOT))
        return quotient_limit(p, n, depth);
    if (ka_is(n, SOP_SUB) && n->exact && is_one(p, n->args[1]) && ka_is(rest, SOP_SUB) &&
        rest->exact && is_natural(p, rest->args[1])) /* l - y - 1 */
        return rest->args[0];
    if (ka_is(n, SOP_SUB) && n->exact && is_natural(p, n->args[1]) && ka_is(rest, SOP_SUB) &&
        rest->exact && is_one(p, rest->args[1])) /* l - 1 - y */
        return rest->args[0];
    return 0;
}

static k_id limit_of(const k_program *p, k_id x)
{
    return limit_within(p, x, PROOF_DEPTH);
}

k_id ka_limit(const k_builder *b, k_id x)
{
    return limit_of(b->p, x);
}

/* n, where y is at most n - x; or 0. */
static k_id rest_of(const k_program *p, k_id y, k_id x, int depth)
{
    const k_node *v = k_at(p, y);
    if (depth == 0 || !y)
        return 0;
    if (ka_is(v, SOP_SUB) && v->args[1] == x && v->exact)
        return v->args[0];
    if (above(p, y, 0))
        return rest_of(p, above(p, y, 0), x, depth - 1);
    for (int i = 0; ka_is(v, SOP_MIN) && i < 2; i++) {
        k_id n = rest_of(p, v->args[i], x, depth - 1);
        if (n)
            return n;
    }
    return 0;
}

/* What the number q of a piece is below: also where it is counted on from x, q = x + y and
 * y < n - x. */
static k_id number_limit(const k_program *p, k_id q, int depth)
{
    const k_node *n = k_at(p, q);
    k_id limit = limit_of(p, q);
    for (int i = 0; !limit && ka_is(n, SOP_ADD) && n->exact && i < 2; i++)
        limit = rest_of(p, limit_of(p, n->args[i]), n->args[1 - i], depth);
    return limit;
}

/* Whether s - n, less d if there is one, is a negative constant.  A congruence, of values that are
 * natural but for s, which is at least -1. */
static bool falls_short(const k_program *p, k_id s, k_id n, k_id d)
{
    linear l, m;
    if (k_at(p, s)->type != ST_I32 || k_at(p, n)->type != ST_I32 || !is_natural(p, n) ||
        k_lo(p, s) < -1 || !ka_linear_of(p, ST_I32, s, n, -1, OPEN_SUMS, &l))
        return false;
    if (d &&
        !(ka_linear_of(p, ST_I32, d, 0, 1, OPEN_SUMS, &m) && ka_linear_add(&l, &m, -1, ST_I32)))
        return false;
    return l.n == 0 && l.c < 0;
}

/* Whether s < n, or s - d < n; `some`: n is not 0. */
static bool dividend_fits(const k_program *p, k_id s, k_id n, k_id d, bool some)
{
    const k_node *v = k_at(p, s);
    int64_t c;
    if (ka_is(v, SOP_MAX) && k_is_const(p, v->args[1], &c) && c == 0 &&
        (d || some || k_lo(p, n) >= 1))
        s = v->args[0];
    return falls_short(p, s, n, d);
}

/* Whether d is what is divided by, wherever it is positive. */
static bool is_divisor(const k_program *p, k_id divisor, k_id d)
{
    const k_node *x = k_at(p, divisor), *y = k_at(p, d);
    return divisor == d || (ka_is(x, SOP_MAX) && x->args[0] == d && is_one(p, x->args[1])) ||
           (ka_is(y, SOP_MAX) && y->args[0] == divisor && is_one(p, y->args[1]));
}

/* Whether q * d < n because q < m, if d is positive, where m is s / d, or s / d + 1; some: n is not
 * 0. */
static bool fits_quotient(const k_program *p, k_id m, k_id d, k_id n, bool some, int depth)
{
    const k_node *v = k_at(p, m);
    if (depth == 0 || !m)
        return false;
    if (above(p, m, 0))
        return fits_quotient(p, above(p, m, 0), d, n, some, depth - 1);
    for (int i = 0; ka_is(v, SOP_MIN) && i < 2; i++)
        if (fits_quotient(p, v->args[i], d, n, some || v->args[1 - i] == n, depth - 1))
            return true;
    bool more = ka_is(v, SOP_ADD) && v->exact && is_one(p, v->args[1]);
    const k_node *quotient = more ? k_at(p, v->args[0]) : v;
    bool floor =
        ka_is(quotient, SOP_DIV) || (ka_is(quotient, SOP_QUOT) && is_natural(p, quotient->args[0]));
    return floor && is_divisor(p, quotient->args[1], d) &&
           dividend_fits(p, quotient->args[0], n, more ? 0 : d, some);
}

/* The start of a chunk that exists lies in what the chunks were made of: of chunks of d elements
 * there are as many as n takes, rounded up. */
static bool product_below(const k_program *p, const k_node *x, k_id n, int depth)
{
    for (int i = 0; ka_is(x, SOP_MUL) && x->exact && i < 2; i++) {
        const k_node *q = k_at(p, x->args[i]);
        bool last = ka_is(q, SOP_SUB) && q->exact && is_one(p, q->args[1]);
        k_id d = x->args[1 - i], limit = number_limit(p, x->args[i], depth);
        if (k_lo(p, d) >= 1 && (fits_quotient(p, limit, d, n, false, depth) ||
                                (last && fits_quotient(p, q->args[0], d, n, false, depth))))
            return true;
    }
    return false;
}

/* ---- places in what is cut into parts of one size ---- */

/* Whether a rest is one of division by m, or by the greater one of m and 1, and m is not 0: what is
 * divided is below a multiple of it. */
static bool rest_below(const k_program *p, const k_node *rest, k_id m, int depth)
{
    const k_node *d = k_at(p, rest->args[1]);
    bool by_count =
        rest->args[1] == m || (ka_is(d, SOP_MAX) && d->args[0] == m && is_one(p, d->args[1]));
    const k_node *product = by_count ? product_above(p, plain(p, rest->args[0]), depth) : NULL;
    return product &&
           (plain(p, product->args[0]) == plain(p, m) || plain(p, product->args[1]) == plain(p, m));
}

bool ka_is_rest_by(const k_program *p, const k_node *rest, k_id d)
{
    return rest->args[1] == d || rest_below(p, rest, d, PROOF_DEPTH);
}

static bool number_below(const k_program *p, k_id q, k_id m, int depth);

/* A choice that asks for it, as the next number where there is one, else this. */
static bool choice_below(const k_program *p, const k_node *n, k_id m, int depth)
{
    const k_node *cond = k_at(p, n->args[0]);
    bool asked = ka_is(cond, SOP_LT) && cond->args[0] == n->args[1] && cond->args[1] == m;
    return (asked || number_below(p, n->args[1], m, depth)) &&
           number_below(p, n->args[2], m, depth);
}

/* Whether the number q of a part is below m: by its limit, as the rest of a number that counts
 * parts of parts, or because it is evidently less. */
static bool number_below(const k_program *p, k_id q, k_id m, int depth)
{
    const k_node *n = k_at(p, q);
    if (depth == 0)
        return false;
    if (ka_is(n, SOP_SELECT))
        return choice_below(p, n, m, depth - 1);
    for (int i = 0; ka_is(n, SOP_MIN) && i < 2; i++)
        if (number_below(p, n->args[i], m, depth - 1))
            return true;
    if (divides(p, n, SOP_MOD, SOP_REM) && rest_below(p, n, m, depth))
        return true;
    k_id limit = limit_within(p, q, depth);
    return limit == m || (limit && plain(p, limit) == m) || falls_short(p, q, m, 0);
}

/* q c + r < m c, where 0 <= q < m and 0 <= r < c. */
static bool part_below(const k_program *p, const k_node *x, const k_node *n, int depth)
{
    if (!ka_is(x, SOP_ADD) || !ka_is(n, SOP_MUL) || !n->exact)
        return false;
    for (int i = 0; i < 8; i++) {
        const k_node *start = k_at(p, x->args[i & 1]);
        k_id q = start->args[i >> 2 ^ 1], r = x->args[~i & 1], c = n->args[i >> 1 & 1],
             m = n->args[~i >> 1 & 1];
        if (ka_is(start, SOP_MUL) && start->args[i >> 2] == c && is_natural(p, m) &&
            is_natural(p, q) && is_natural(p, r) && k_hi(p, r) < k_lo(p, c) &&
            number_below(p, q, m, depth))
            return true;
    }
    return false;
}

/* Through the limit, if there is one of n's type; across types nothing is concluded. */
static bool below(const k_program *p, k_id x, k_id n, int depth)
{
    if (product_below(p, k_at(p, x), n, depth) || part_below(p, k_at(p, x), k_at(p, n), depth))
        return true;
    k_id limit = limit_of(p, x);
    return limit && k_at(p, limit)->type == k_at(p, n)->type && not_above(p, limit, n, depth);
}

/* By the intervals first, which is constant time. */
bool ka_is_below(const k_program *p, k_id x, k_id n)
{
    return k_hi(p, x) < k_lo(p, n) || below(p, x, n, PROOF_DEPTH);
}

/* ---- not above ---- */

/* a, when x is (a - 1) div c + 1 with a constant c >= 1 and a >= 0: a divided by c, rounded up. */
static k_id rounded_up(const k_program *p, k_id x)
{
    const k_node *sum = k_at(p, x), *d = k_at(p, sum->args[0]), *s = k_at(p, d->args[0]);
    int64_t c;
    bool hit = ka_is(sum, SOP_ADD) && is_one(p, sum->args[1]) &&
               (ka_is(d, SOP_DIV) || ka_is(d, SOP_QUOT)) && k_is_const(p, d->args[1], &c) &&
               c >= 1 && ka_is(s, SOP_SUB) && is_one(p, s->args[1]);
    return hit && is_natural(p, s->args[0]) ? s->args[0] : 0;
}

/* n / c, and (n + k) / c with k < c. */
static bool quotient_not_above(const k_program *p, const k_node *q, k_id n, int depth)
{
    int64_t c, k;
    const k_node *a = k_at(p, q->args[0]);
    if (!k_is_const(p, q->args[1], &c) || c < 1)
        return false;
    if (ka_is(a, SOP_ADD) && a->exact && k_is_const(p, a->args[1], &k) && k >= 0 && k < c)
        return not_above(p, a->args[0], n, depth) && is_natural(p, a->args[0]);
    return is_natural(p, q->args[0]) && not_above(p, q->args[0], n, depth);
}

/* An operation is not above n when its operands, or those that decide it, are not. */
static bool operation_not_above(const k_program *p, k_id x, k_id n, int depth)
{
    const k_node *v = k_at(p, x);
    k_id up;
    switch ((opcode)v->opcode) {
    case SOP_ADD: up = rounded_up(p, x); return up && not_above(p, up, n, depth);
    case SOP_MIN: return not_above(p, v->args[0], n, depth) || not_above(p, v->args[1], n, depth);
    case SOP_SELECT:
        return not_above(p, v->args[1], n, depth) && not_above(p, v->args[2], n, depth);
    case SOP_SUB:
        return v->exact && is_natural(p, v->args[1]) && not_above(p, v->args[0], n, depth);
    case SOP_MAX: return not_above(p, v->args[0], n, depth) && not_above(p, v->args[1], n, depth);
    case SOP_DIV:
    case SOP_QUOT: return quotient_not_above(p, v, n, depth);
    default: return false;
    }
}

/* Each step down costs one of `depth`; without any left only identity and intervals count. */
static bool not_above(const k_program *p, k_id x, k_id n, int depth)
{
    const k_node *top = k_at(p, n);
    if (x == n || k_hi(p, x) <= k_lo(p, n))
        return true;
    if (depth == 0)
        return false;
    if (ka_is(top, SOP_MAX) &&
        (not_above(p, x, top->args[0], depth - 1) || not_above(p, x, top->args[1], depth - 1)))
        return true;
    if (below(p, x, n, depth - 1))
        return true;
    return k_at(p, x)->op == K_SCALAR && operation_not_above(p, x, n, depth - 1);
}

bool ka_is_not_above(const k_program *p, k_id x, k_id n)
{
    return not_above(p, x, n, PROOF_DEPTH);
}

/* ---- quotients and rests ---- */

/* strict: q is only known to be below the quotient plus one, so a maximum with 1 does no harm: no
 * quotient is negative. */
static k_id quotient_above(const k_program *p, k_id q, k_id d, bool strict, int depth)
{
    const k_node *n = k_at(p, q);
    if (depth == 0 || !q)
        return 0;
    bool floor = ka_is(n, SOP_DIV) || (ka_is(n, SOP_QUOT) && is_natural(p, n->args[0]));
    if (!strict && floor && n->args[1] == d && k_lo(p, d) >= 1)
        return n->args[0];
    if (strict && ka_is(n, SOP_ADD) && n->exact && is_one(p, n->args[1]))
        return quotient_above(p, n->args[0], d, false, depth - 1);
    if (above(p, q, strict))
        return quotient_above(p, above(p, q, strict), d, strict, depth - 1);
    if (ka_is(n, SOP_MIN)) {
        k_id x = quotient_above(p, n->args[0], d, strict, depth - 1);
        return x ? x : quotient_above(p, n->args[1], d, strict, depth - 1);
    }
    return strict ? 0 : quotient_above(p, limit_of(p, q), d, true, depth - 1);
}

/* So q * d is at most x, or 0: products of a chunk's number and its length stay in the type. */
k_id ka_quotient_bound(const k_program *p, k_id q, k_id d)
{
    return quotient_above(p, q, d, false, PROOF_DEPTH);
}

/* Looks through minima, maxima with what is not positive, and limits for n - x. */
static k_id room(const k_program *p, k_id y, k_id x, int depth)
{
    const k_node *n = k_at(p, y);
    if (depth == 0 || !y)
        return 0;
    if (ka_is(n, SOP_SUB) && n->args[1] == x && n->exact)
        return n->args[0];
    if (ka_is(n, SOP_MIN)) {
        k_id whole = room(p, n->args[0], x, depth - 1);
        return whole ? whole : room(p, n->args[1], x, depth - 1);
    }
    if (above(p, y, 0))
        return room(p, above(p, y, 0), x, depth - 1);
    return room(p, limit_of(p, y), x, depth - 1);
}

/* So x + y is at most n, or at most x. */
k_id ka_room_beside(const k_program *p, k_id y, k_id x)
{
    return room(p, y, x, PROOF_DEPTH);
}
