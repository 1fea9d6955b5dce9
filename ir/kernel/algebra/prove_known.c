/* What is known where the builder is: the conditions of the loops and branches around, and what the
 * plan has checked before. */
#include "ir/kernel/algebra/prove.h"

enum { POSITIVE_DEPTH = 8 };

/* ---- intervals ---- */

static narrowed *interval_of(known_polys *known, k_id v)
{
    for (uint32_t i = 0; i < known->intervals; i++)
        if (known->in[i].v == v)
            return &known->in[i];
    if (known->intervals == PROVE_KNOWN)
        return NULL;
    known->narrow |= prove_bit(v);
    known->in[known->intervals] = (narrowed){v, INT64_MIN, INT64_MAX};
    return &known->in[known->intervals++];
}

/* Of k * v + c what it says of v, and whether that can be. */
static void narrow(prover *q, const poly *x)
{
    int64_t k = x->m[0].k;
    bool single = x->n == 1 && x->m[0].n == 1 && k != INT64_MIN && x->c != INT64_MIN;
    narrowed *in = single ? interval_of(&q->known, x->m[0].v[0]) : NULL;
    if (in) {
        int64_t bound = k > 0 ? -ka_floor_div(x->c, k) : ka_floor_div(x->c, -k);
        if (k > 0 && bound > in->lo)
            in->lo = bound;
        if (k < 0 && bound < in->hi)
            in->hi = bound;
    }
    k_range r = in ? prove_range(q, in->v) : prove_poly_range(q, x);
    q->known.empty |= in ? r.lo > r.hi : r.known && r.hi < 0;
}

k_range prove_range(const prover *q, k_id v)
{
    k_range r = ka_range_of(q->b->p, v);
    if (!(q->known.narrow & prove_bit(v)))
        return r;
    for (uint32_t i = 0; i < q->known.intervals; i++) {
        const narrowed *in = &q->known.in[i];
        if (in->v != v)
            continue;
        r.lo = in->lo > r.lo ? in->lo : r.lo;
        r.hi = in->hi < r.hi ? in->hi : r.hi;
    }
    return r;
}

k_range prove_monomial_range(const prover *q, const monomial *m)
{
    k_range r = m->n ? prove_range(q, m->v[0]) : (k_range){1, 1, true};
    for (uint32_t i = 1; i < m->n && r.known; i++)
        r = ka_range_mul(r, prove_range(q, m->v[i]));
    return r.known ? ka_range_scale(r, m->k) : r;
}

k_range prove_poly_range(const prover *q, const poly *x)
{
    k_range sum = {x->c, x->c, true};
    for (uint32_t i = 0; i < x->n && sum.known; i++) {
        k_range term = prove_monomial_range(q, &x->m[i]);
        sum = term.known ? ka_range_add(sum, term) : term;
    }
    return sum;
}

/* ---- hashes ---- */

uint64_t prove_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15u;
    return x ^ x >> 29;
}

uint64_t prove_hash(const poly *x)
{
    uint64_t sum = prove_mix((uint64_t)x->c + 1);
    for (uint32_t i = 0; i < x->n; i++) {
        uint64_t h = (uint64_t)x->m[i].k;
        for (uint32_t j = 0; j < x->m[i].n; j++)
            h = prove_mix(h ^ (uint64_t)x->m[i].v[j] << 20);
        sum += prove_mix(h);
    }
    return sum;
}

/* ---- what is known ---- */

/* Whether they differ in their constant at most. */
static bool is_alike(const poly *x, const poly *y)
{
    bool alike = x->n == y->n;
    for (uint32_t i = 0; alike && i < x->n; i++)
        alike = x->m[i].k == y->m[i].k && ka_monomials_match(&x->m[i], &y->m[i]);
    return alike;
}

static void put(known_polys *known, uint32_t i, const poly *x)
{
    ka_poly_copy(&known->at[i], x);
    known->has[i] = 0;
    for (uint32_t t = 0; t < x->n; t++)
        for (uint32_t k = 0; k < x->m[t].n; k++)
            known->has[i] |= prove_bit(x->m[t].v[k]);
}

/* What differs from it in its constant alone and is smaller says all that it does. */
void prove_learn(prover *q, const poly *x)
{
    known_polys *known = &q->known;
    for (uint32_t i = 0; i < known->n; i++)
        if (known->at[i].c <= x->c && is_alike(&known->at[i], x))
            return;
    narrow(q, x);
    if (x->n > 0 && known->n < PROVE_KNOWN) {
        known->hash += prove_mix(prove_hash(x));
        put(known, known->n++, x);
    }
}

void prove_replace(prover *q, k_id v, const poly *by)
{
    for (uint32_t i = 0; i < q->known.n; i++) {
        poly with;
        if (!known_has(&q->known, i, v))
            continue;
        ka_poly_copy(&with, &q->known.at[i]);
        if (!ka_poly_replace(&with, v, by))
            continue;
        q->known.hash += prove_mix(prove_hash(&with)) - prove_mix(prove_hash(&q->known.at[i]));
        put(&q->known, i, &with);
        narrow(q, &with);
    }
}

static void learn_positive(prover *q, k_id v, int depth);

/* Of equal values one is known to be positive. */
static void learn_equal(prover *q, k_id x, k_id y)
{
    if (k_lo(q->b->p, y) >= 1 && k_lo(q->b->p, x) == 0)
        learn_positive(q, x, POSITIVE_DEPTH);
}

static void learn_condition(prover *q, k_id cond, bool holds)
{
    enum { PARTS = 8 };
    poly list[PARTS];
    const k_node n = *k_at(q->b->p, cond);
    uint32_t count = prove_condition(q, cond, holds, list, PARTS);
    for (uint32_t i = 0; i < count; i++)
        prove_learn(q, &list[i]);
    if (ka_is(&n, holds ? SOP_EQ : SOP_NE)) {
        learn_equal(q, n.args[0], n.args[1]);
        learn_equal(q, n.args[1], n.args[0]);
    }
}

/* A choice of which one is not positive is the other. */
static void learn_choice(prover *q, const k_node *n, int depth)
{
    for (uint32_t i = 0; i < 2; i++)
        if (k_hi(q->b->p, n->args[2 - i]) <= 0) {
            learn_condition(q, n->args[0], i == 0);
            learn_positive(q, n->args[1 + i], depth);
        }
}

static bool are_natural(const k_program *p, const k_node *n)
{
    return k_lo(p, n->args[0]) >= 0 && k_lo(p, n->args[1]) >= 0;
}

/* v is at least 1: so are the factors of a product, none of which is negative, whether it wraps or
 * not, what the least of values is, what leaves a remainder or has a bit, what is divided, and what
 * something is taken from. */
static void learn_positive(prover *q, k_id v, int depth)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, v);
    poly x;
    if (depth == 0 || k_lo(p, v) >= 1)
        return;
    if (prove_keeps(p, n)) {
        learn_positive(q, n->args[0], depth - 1);
        return;
    }
    if (prove_open(q, v, &x)) {
        x.c--;
        prove_learn(q, &x);
    }
    const k_node *saturated = ka_saturated(p, n);
    n = saturated ? saturated : n;
    bool product = ka_is(n, SOP_MUL) && are_natural(p, n);
    bool all = product || ka_is(n, SOP_MIN) || (ka_is(n, SOP_AND) && are_natural(p, n));
    for (int i = 0; i < 2 && all; i++)
        learn_positive(q, n->args[i], depth - 1);
    bool quotient = (ka_is(n, SOP_QUOT) || ka_is(n, SOP_DIV)) && k_lo(p, n->args[0]) >= 0;
    bool lessened = ka_is(n, SOP_REM) || ka_is(n, SOP_MOD) || ka_is(n, SOP_SUB);
    int64_t by;
    if (quotient && k_is_const(p, n->args[1], &by) && by >= 1 && prove_open(q, n->args[0], &x)) {
        x.c -= by;
        prove_learn(q, &x);
    }
    if (quotient ? k_lo(p, n->args[1]) >= 0 : lessened && are_natural(p, n))
        learn_positive(q, n->args[0], depth - 1);
    if (ka_is(n, SOP_MAX) && k_hi(p, n->args[1]) <= 0)
        learn_positive(q, n->args[0], depth - 1);
    if (ka_is(n, SOP_SELECT))
        learn_choice(q, n, depth - 1);
}

/* A loop's variable is below its limit, so there is a turn; where a branch or the body of a while
 * runs, its condition holds. */
static void learn_scope(prover *q, const k_scope *s)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, s->owner);
    k_id i = k_block_at(p, n->blocks[0])->params;
    poly room;
    if (n->op == K_IF)
        learn_condition(q, n->args[0], s->block == n->blocks[0]);
    if (n->op == K_WHILE && s->block == n->blocks[1])
        learn_condition(q, k_listed(p, k_yield_of(p, n->blocks[0]), 0), true);
    if ((n->op != K_FOR && n->op != K_PAR) || !i || !k_below(p, i))
        return;
    if (prove_below(q, i, k_below(p, i), &room))
        prove_learn(q, &room);
    if (k_lo(p, i) >= 0)
        learn_positive(q, k_below(p, i), POSITIVE_DEPTH);
}

/* What the host has asked for in blocks that are open holds in all that follows: kernels do not
 * start where it does not.  0: no more of it. */
static k_id next_passed(const k_builder *b, uint32_t *from)
{
    enum { LATEST = 8 };
    uint32_t n = b->passed.len;
    if (n > LATEST && *from < n - LATEST)
        *from = n - LATEST;
    while (*from < n) {
        const k_passed *passed = &b->passed.at[(*from)++];
        if (kb_is_open(b, passed->block))
            return passed->cond;
    }
    return 0;
}

static void learn_passed(prover *q)
{
    uint32_t at = 0;
    for (k_id cond; (cond = next_passed(q->b, &at)) != 0;)
        learn_condition(q, cond, true);
}

/* What was learnt before it was known that v is another value speaks of that one. */
static void simplify(prover *q, k_id v)
{
    poly by;
    if (prove_same_here(q, v) != v && prove_open(q, v, &by) && !ka_poly_has(&by, v))
        prove_replace(q, v, &by);
}

static void simplify_known(prover *q)
{
    for (uint32_t i = 0; i < q->known.n; i++) {
        const poly x = q->known.at[i];
        for (uint32_t j = 0; j < x.n; j++)
            for (uint32_t k = 0; k < x.m[j].n; k++)
                simplify(q, x.m[j].v[k]);
    }
}

/* ---- where proofs begin ---- */

enum { START_SCOPES = 16 };

/* What is known in so many of the open blocks, and what it took to learn that. */
typedef struct learnt {
    uint64_t place; /* 0: nothing was learnt */
    int steps;
    uint32_t tried;
    known_polys known;
} learnt;

/* Of the last proof, as the next one mostly begins in the same blocks or in one more: what was known
 * in those around each, and in all of them when that had been simplified. */
struct prove_start {
    learnt here, around[START_SCOPES];
    opened_value opened[PROVE_OPENED];
};

prove_start *prove_start_new(mem *m)
{
    return mem_zeroed(m, sizeof(prove_start));
}

void prove_start_free(mem *m, prove_start *s)
{
    mem_free(m, s, sizeof *s);
}

static void keep_learnt(const prover *q, uint64_t place, learnt *to)
{
    to->place = place;
    to->steps = q->steps;
    to->tried = q->tried;
    known_copy(&to->known, &q->known);
}

static bool take_learnt(prover *q, uint64_t place, const learnt *from)
{
    if (from->place != place)
        return false;
    q->steps = from->steps;
    q->tried = from->tried;
    known_copy(&q->known, &from->known);
    return true;
}

/* Blocks that are open, up to so many, and what the host has asked for. */
static uint64_t place_of(const k_builder *b, uint32_t scopes)
{
    uint64_t place = 1;
    uint32_t at = 0;
    for (k_id cond; (cond = next_passed(b, &at)) != 0;)
        place = prove_mix(place + cond);
    for (uint32_t i = 1; i < scopes; i++)
        place = prove_mix(place + ((uint64_t)b->scopes.at[i].block << 32) + b->scopes.at[i].owner);
    return place | 1;
}

/* What is known in so many of the open blocks; in one: what the host has asked for. */
static void learn_scopes(prover *q, uint32_t scopes)
{
    const k_builder *b = q->b;
    learnt *kept = scopes < START_SCOPES ? &b->start->around[scopes] : NULL;
    uint64_t place = place_of(b, scopes);
    if (kept && take_learnt(q, place, kept))
        return;
    if (scopes <= 1) {
        learn_passed(q);
    } else {
        learn_scopes(q, scopes - 1);
        learn_scope(q, &b->scopes.at[scopes - 1]);
    }
    if (kept)
        keep_learnt(q, place, kept);
}

void prove_begin(prover *q, const k_builder *b)
{
    uint64_t place = place_of(b, b->scopes.len);
    *q = (prover){.b = b, .opened = b->start->opened};
    q->steps = PROOF_STEPS;
    q->most = b->p->goals < PROOF_ALL ? PROOF_GOALS : PROOF_FEW;
    if (take_learnt(q, place, &b->start->here))
        return;
    learn_scopes(q, b->scopes.len);
    simplify_known(q);
    keep_learnt(q, place, &b->start->here);
}
