/* Proofs about accesses: whether an index lies inside its axis, whatever the arguments are.
 * Compilers that eliminate bounds checks ask the same.
 *
 * What is to be shown is that a polynomial over values is not negative.  What is known are others
 * that are not: the conditions of the branches and loops around, and what the structure of values
 * tells (prove_facts.c).  A step takes from the goal a multiple of what is known, so that a term
 * goes that may be negative; a minimum, maximum or choice is looked at in either case.  Values that
 * were made later go first, since what is known of a value speaks of those that it was made from.
 * That is elimination as Fourier and Motzkin have it, without the parts that take long: the steps
 * are counted, and beyond PROOF_STEPS nothing is known.  Nothing is built. */
#include "ir/kernel/algebra/prove.h"

enum { PROOF_DEPTH = 16, EXCLUDING_STEPS = 16, NEAR_DEPTH = 3, NEAR_STEPS = 30 };

static bool prove(prover *q, const poly *goal, int depth);

/* ---- steps ---- */

/* goal * a + a - 1 - known * b for the smallest positive a and b that cancel term t of the goal
 * against term u of what is known; false where the signs differ.  The goal is an integer, so a
 * times it is not negative where it is above -a. */
static bool cancel(const poly *goal, uint32_t t, const poly *known, uint32_t u, poly *out)
{
    int64_t k = goal->m[t].k, h = known->m[u].k;
    if ((k < 0) != (h < 0))
        return false;
    k = k < 0 ? -k : k;
    h = h < 0 ? -h : h;
    int64_t x = k, y = h;
    while (y) {
        int64_t r = x % y;
        x = y;
        y = r;
    }
    ka_poly_set(out, h / x - 1);
    return ka_poly_add(out, goal, h / x) && ka_poly_add(out, known, -(k / x));
}

/* Which steps are tried: any, those that leave fewer terms, or those that leave as many and more.
 */
typedef enum step_order { STEP_ANY, STEP_SHORTER, STEP_OTHER } step_order;

/* Takes what is known from the goal where both have term t, and goes on. */
static bool prove_by(prover *q, const poly *goal, uint32_t t, const poly *known, step_order order,
                     int depth)
{
    poly rest;
    for (uint32_t u = 0; u < known->n; u++)
        if (ka_monomials_match(&goal->m[t], &known->m[u]) && cancel(goal, t, known, u, &rest))
            return (order == STEP_ANY || (rest.n < goal->n) == (order == STEP_SHORTER)) &&
                   prove(q, &rest, depth - 1);
    return false;
}

/* Whether what is known, times the other values of the term, can cancel it: where it has v alone, on
 * the same side. */
static bool has_alone(const poly *known, k_id v, bool negative)
{
    for (uint32_t u = 0; u < known->n; u++)
        if (known->m[u].n == 1 && known->m[u].v[0] == v)
            return (known->m[u].k < 0) == negative;
    return false;
}

/* Likewise, of what is known times `rest`, the other values of the term, none of which is negative. */
static bool prove_by_multiple(prover *q, const poly *goal, uint32_t t, k_id v, const monomial *rest,
                              const poly *known, step_order order, int depth)
{
    poly product;
    return prove_by(q, goal, t, known, order, depth) ||
           (rest->n && has_alone(known, v, goal->m[t].k < 0) && ka_poly_scale(&product, known, rest) &&
            prove_by(q, goal, t, &product, order, depth));
}

/* By what is known of v, a value of term t: here first, as that is said of this place, the latest
 * condition before others. */
static bool prove_by_steps(prover *q, const poly *goal, uint32_t t, k_id v, const poly *facts,
                           uint32_t n, step_order order, int depth)
{
    monomial rest = ka_monomial_without(&goal->m[t], v);
    rest.k = 1;
    for (uint32_t i = 0; i < rest.n; i++)
        if (prove_range(q, rest.v[i]).lo < 0)
            return false;
    for (uint32_t i = q->known.n; i-- > 0;) {
        const poly *known = &q->known.at[i]; /* other cases change it, and put it back */
        if (known_has(&q->known, i, v) && prove_by_multiple(q, goal, t, v, &rest, known, order, depth))
            return true;
    }
    for (uint32_t i = 0; i < n; i++)
        if (prove_by_multiple(q, goal, t, v, &rest, &facts[i], order, depth))
            return true;
    return false;
}

/* In some term that the value is in. */
static bool prove_by_facts(prover *q, const poly *goal, k_id v, int depth)
{
    poly facts[PROVE_FACTS];
    uint32_t n = prove_facts(q, v, facts);
    step_order order = q->shortens ? STEP_SHORTER : STEP_ANY;
    for (uint32_t t = 0; t < goal->n; t++) {
        if (!ka_monomial_has(&goal->m[t], v))
            continue;
        if (prove_by_steps(q, goal, t, v, facts, n, order, depth) ||
            (q->shortens && prove_by_steps(q, goal, t, v, facts, n, STEP_OTHER, depth)))
            return true;
    }
    return false;
}

/* ---- cases ---- */

/* Whether a condition of the case cannot hold by what was known before it, as few steps show. */
static bool is_excluded(prover *q, const value_case *c, int depth)
{
    bool ok = false;
    for (uint32_t i = 0; i < c->n && !ok; i++) {
        poly not = ka_poly_constant(-1);
        int steps = q->steps, few = steps < EXCLUDING_STEPS ? steps : EXCLUDING_STEPS;
        q->steps = few;
        ok = ka_poly_add(&not, &c->where[i], -1) && prove(q, &not, depth);
        q->steps += steps - few;
    }
    return ok;
}

/* One case: v is x there, and what is not negative comes on top.  Where that cannot be, anything
 * is true. */
static bool prove_case(prover *q, poly goal, k_id v, const value_case *c, int depth)
{
    known_polys before;
    bool outermost = !q->before_cases;
    if (outermost)
        q->before_cases = known_copy(&before, &q->known);
    else
        known_keep(&before, &q->known, v);
    bool fits = ka_poly_replace(&goal, v, &c->is);
    for (uint32_t i = 0; i < c->n; i++)
        prove_learn(q, &c->where[i]);
    prove_replace(q, v, &c->is);
    bool ok = fits && prove(q, &goal, depth - 1);
    known_keep(&q->known, &before, v);
    if (outermost)
        q->before_cases = NULL;
    return ok || is_excluded(q, c, depth - 1);
}

/* ---- the search ---- */

/* Where a value stands among those that a goal is taken apart by: what is said of one in a block inside speaks of those outside,
 * whenever these were made. */
static uint64_t place_of(const prover *q, k_id v)
{
    return (uint64_t)k_at(q->b->p, v)->depth << 32 | v;
}

/* The last value of the goal in front of `before`; 0 as that: of all. */
static k_id next_value(const prover *q, const poly *goal, k_id before)
{
    uint64_t best = 0, end = before ? place_of(q, before) : UINT64_MAX;
    k_id v = 0;
    for (uint32_t i = 0; i < goal->n; i++)
        for (uint32_t j = 0; j < goal->m[i].n; j++) {
            uint64_t place = place_of(q, goal->m[i].v[j]);
            if (place < end && place > best) {
                best = place;
                v = goal->m[i].v[j];
            }
        }
    return v;
}

/* Whether a term that v is in may be negative. */
static bool counts_against(const prover *q, const poly *goal, k_id v)
{
    for (uint32_t t = 0; t < goal->n; t++) {
        if (!ka_monomial_has(&goal->m[t], v))
            continue;
        k_range r = prove_monomial_range(q, &goal->m[t]);
        if (!r.known || r.lo < 0)
            return true;
    }
    return false;
}

/* Either case of a value that is one of two; `split`: it is one. */
static bool prove_cases(prover *q, const poly *goal, k_id v, int depth, bool *split)
{
    value_case cases[2];
    *split = prove_split(q, v, cases);
    return *split && prove_case(q, *goal, v, &cases[0], depth) &&
           prove_case(q, *goal, v, &cases[1], depth);
}

static bool prove_by_value(prover *q, const poly *goal, k_id v, int depth)
{
    bool split;
    return prove_by_facts(q, goal, v, depth) || prove_cases(q, goal, v, depth, &split);
}

/* Whether what makes the goal smaller must be looked at in both cases: a maximum that is taken from
 * it, or a minimum that is added. */
static bool needs_both(const prover *q, const poly *goal, k_id v)
{
    const k_node *n = k_at(q->b->p, v);
    bool all = ka_is(n, SOP_MIN) || ka_is(n, SOP_MAX);
    for (uint32_t t = 0; all && t < goal->n; t++) {
        const monomial *m = &goal->m[t];
        if (ka_monomial_has(m, v))
            all = m->n == 1 && (m->k > 0) == ka_is(n, SOP_MIN);
    }
    return all;
}

/* ---- goals that were tried ---- */

static uint64_t hash_goal(const prover *q, const poly *goal)
{
    return prove_hash(goal) + q->known.hash + q->shortens;
}

static bool fails(failed_goal *slot, uint64_t hash, int depth)
{
    *slot = (failed_goal){hash, depth};
    return false;
}

static bool prove(prover *q, const poly *goal, int depth)
{
    k_range r = prove_poly_range(q, goal);
    q->tried++;
    q->b->p->goals++;
    if (q->known.empty || (r.known && r.lo >= 0))
        return true;
    if (depth == 0 || q->steps == 0 || q->tried > q->most || (r.known && r.hi < 0))
        return false;
    uint64_t hash = hash_goal(q, goal);
    failed_goal *slot = &q->failed[hash % PROVE_FAILED];
    if (slot->hash == hash && slot->depth >= depth)
        return false;
    q->steps--;
    for (k_id v = 0; !q->shortens && (v = next_value(q, goal, v)) != 0;) {
        bool split = false,
             shown = needs_both(q, goal, v) && prove_cases(q, goal, v, depth, &split);
        if (split)
            return shown || fails(slot, hash, depth);
    }
    for (k_id v = 0; (v = next_value(q, goal, v)) != 0;) {
        uint32_t tried = q->tried;
        if (prove_by_value(q, goal, v, depth))
            return true;
        if (q->tried != tried && counts_against(q, goal, v))
            break; /* it must go, and cannot */
    }
    return fails(slot, hash, depth);
}

/* The least that the goal can be as far as values of small intervals go, alone in their terms. */
static poly without_small(const prover *q, const poly *goal)
{
    poly rest = ka_poly_constant(goal->c);
    for (uint32_t t = 0; t < goal->n; t++) {
        const monomial *m = &goal->m[t];
        poly one = {.n = 1, .m[0] = *m};
        k_range r = prove_monomial_range(q, m);
        bool small = m->n == 1 && r.known && r.hi - r.lo <= PROVE_SMALL;
        if (small)
            one = ka_poly_constant(r.lo);
        if (!ka_poly_add(&rest, &one, 1))
            return *goal;
    }
    return rest;
}

/* By few steps, whichever they are: what is easy is not to be missed behind a long way. */
static bool prove_nearby(prover *q, const poly *goal)
{
    int steps = q->steps, few = steps < NEAR_STEPS ? steps : NEAR_STEPS;
    q->steps = few;
    bool ok = prove(q, goal, NEAR_DEPTH);
    q->steps = steps;
    return ok;
}

/* By steps that shorten the goal before others, before cases, and not many of them: a position is
 * below a product of lengths by steps of which each takes one of its parts, and others lead far
 * away. */
static bool prove_shortening(prover *q, const poly *goal)
{
    int steps = q->steps, few = steps / 8;
    bool before = q->shortens;
    q->steps = few;
    q->shortens = true;
    bool ok = prove(q, goal, PROOF_DEPTH);
    q->shortens = before;
    q->steps = steps;
    return ok;
}

static bool prove_far(prover *q, const poly *goal)
{
    if (prove_is_vain(q, goal))
        return false;
    if (prove_shortening(q, goal))
        return true;
    poly rest = without_small(q, goal);
    int steps = q->steps / 2;
    if (rest.n == goal->n)
        return prove(q, goal, PROOF_DEPTH);
    q->steps -= steps;
    if (prove(q, &rest, PROOF_DEPTH))
        return true;
    q->steps += steps;
    return prove(q, goal, PROOF_DEPTH);
}

bool prove_natural(prover *q, const poly *goal)
{
    return prove_nearby(q, goal) || prove_far(q, goal);
}

/* ---- questions ---- */

/* x + room <= n */
static bool fits_below(prover *q, k_id x, int64_t room, k_id n)
{
    poly goal, other;
    return prove_open(q, n, &goal) && prove_open(q, x, &other) && ka_poly_add(&goal, &other, -1) &&
           !__builtin_sub_overflow(goal.c, room, &goal.c) && prove_natural(q, &goal);
}

bool ka_not_above(const k_builder *b, k_id x, k_id n)
{
    prover q;
    if (k_hi(b->p, x) <= k_lo(b->p, n) || ka_is_not_above(b->p, x, n))
        return true;
    prove_begin(&q, b);
    return fits_below(&q, x, 0, n);
}

/* Of the number of the chunk is known that there is one behind it, and one before it if the first
 * one does not count. */
bool ka_fills_chunk(const k_builder *b, k_id n, k_id c, k_id i, bool first)
{
    prover q;
    poly before = ka_poly_atom(i), behind;
    prove_begin(&q, b);
    before.c = -1;
    if (!first)
        prove_learn(&q, &before);
    if (k_below(b->p, i) && prove_below(&q, i, k_below(b->p, i), &behind)) {
        behind.c--;
        prove_learn(&q, &behind);
    }
    return fits_below(&q, c, 0, n);
}

/* An index as a polynomial, and what is left above it: inside where neither is negative. */
typedef struct index_form {
    poly i, above;
    bool is, natural; /* there is such a form; it has been shown not to be negative */
} index_form;

static void make_form(prover *q, k_id n, index_form *f)
{
    poly room;
    f->above = ka_poly_constant(-1);
    f->is = f->is && prove_open(q, n, &room) && ka_poly_add(&f->above, &room, 1) &&
            ka_poly_add(&f->above, &f->i, -1);
}

/* 0 <= i < n for that form of i, where that way of proving shows it. */
static bool is_inside(prover *q, index_form *f, bool (*shows)(prover *, const poly *))
{
    q->steps = PROOF_STEPS;
    f->natural = f->is && (f->natural || shows(q, &f->i));
    q->natural = f->natural ? &f->i : NULL;
    bool inside = f->natural && shows(q, &f->above);
    q->natural = NULL;
    return inside;
}

static bool is_atom(const poly *x, k_id v)
{
    return x->c == 0 && x->n == 1 && x->m[0].k == 1 && x->m[0].n == 1 && x->m[0].v[0] == v;
}

/* As it stands, or opened: the polynomial is the index up to multiples of 2^32, so where it lies
 * within the axis it is the index.  What is far is not looked for from an index that opens: little is
 * known of a sum that may have wrapped. */
const char *ka_proves_index(const k_builder *b, k_id i, k_id n)
{
    prover q;
    i = kb_known(b, i);
    n = kb_known(b, n);
    index_form as_is = {.i = ka_poly_atom(i), .is = true}, opened = {.is = false};
    if (k_lo(b->p, i) >= 0 && k_hi(b->p, i) < k_lo(b->p, n))
        return "its interval is inside";
    if (ka_is_clamped(b, i, n) || ka_is_numbered(b, i, n))
        return "its structure says so";
    prove_begin(&q, b);
    opened.is = prove_open_wrapping(&q, i, &opened.i);
    make_form(&q, n, &as_is);
    make_form(&q, n, &opened);
    bool opens = opened.is && !is_atom(&opened.i, i);
    if (is_inside(&q, &as_is, prove_nearby) || (!opens && is_inside(&q, &as_is, prove_far)))
        return "what is known of the values around it says so";
    if (opens && (is_inside(&q, &opened, prove_nearby) || is_inside(&q, &opened, prove_far)))
        return "as a polynomial in the values around it it is inside";
    return NULL;
}

const char *ka_proves_between(const k_builder *b, k_id v, int64_t lo, int64_t hi)
{
    prover q;
    poly above, below = ka_poly_constant(hi);
    bool low = k_lo(b->p, v) >= lo, high = k_hi(b->p, v) <= hi;
    if (low && high)
        return "its interval is inside";
    prove_begin(&q, b);
    if (!prove_open(&q, v, &above) || __builtin_sub_overflow(above.c, lo, &above.c))
        return NULL;
    bool ok = (low || prove_natural(&q, &above)) && !__builtin_add_overflow(above.c, lo, &above.c);
    return ok && (high || (ka_poly_add(&below, &above, -1) && prove_natural(&q, &below)))
               ? "what is known of the values around it says so"
               : NULL;
}
