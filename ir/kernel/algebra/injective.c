/* Proofs that no two elements go to one position, as vectorisers and those who parallelise loops of
 * scattered stores ask.
 *
 * Two elements are supposed to have one position.  What they then have in common is collected, until
 * it is all of the variables that count them: then they are one.  A sum that they have in common
 * falls apart into its multiples of m and a rest that covers less than m (mixed radix); a remainder,
 * where what is divided covers less than the divisor, into that; an exclusive or with something
 * common, a reversal and a shift into what they change; disjoint bits into each other; and quotient
 * and remainder by one number are put together again.  A choice is followed in either case, where
 * one branch never gives what the other does.  Nothing is built. */
#include "ir/kernel/algebra/prove.h"

enum { COMMON = 32, SUMS = 12, DIGITS = 40, CHOICES = 5, KNOWN_DEPTH = 8, BITS_DEPTH = 6 };

/* (of / over) rem below; below 0: the whole quotient. */
typedef struct digit {
    k_id of;
    int64_t over, below;
} digit;

/* What two elements at one position have in common. */
typedef struct pair {
    prover *q;
    uint16_t outer; /* values that are not deeper are the same for all elements */
    uint32_t n, nsums, ndigits;
    k_id common[COMMON];
    poly sums[SUMS];
    digit digits[DIGITS];
    bool grew;
} pair;

static bool is_scalar(const k_node *n, opcode op)
{
    return n->op == K_SCALAR && n->opcode == op;
}

static bool is_signed(uint32_t t)
{
    return t == ST_I32 || t == ST_I64;
}

/* ---- what is common ---- */

static bool is_listed(const pair *e, k_id v)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (e->common[i] == v)
            return true;
    return false;
}

static bool is_pure(const k_node *n)
{
    return n->op == K_SCALAR || n->op == K_CONVERT || n->op == K_BITCAST;
}

/* Whether both elements have the same v. */
static bool is_common(const pair *e, k_id v, int depth)
{
    const k_program *p = e->q->b->p;
    const k_node *n = k_at(p, v);
    if (n->depth <= e->outer || is_listed(e, v) ||
        (k_type_is_int((scalar)n->type) && k_lo(p, v) == k_hi(p, v)))
        return true;
    if (depth == 0 || !is_pure(n))
        return false;
    for (uint32_t i = 0; i < k_operand_count(n); i++)
        if (!is_common(e, n->args[i], depth - 1))
            return false;
    return true;
}

static bool common(const pair *e, k_id v)
{
    return is_common(e, v, KNOWN_DEPTH);
}

static void add_common(pair *e, k_id v)
{
    if (common(e, v))
        return;
    if (e->n < COMMON) {
        e->common[e->n++] = v;
        e->grew = true;
    }
}

static void add_sum(pair *e, const poly *x)
{
    if (e->nsums < SUMS) {
        e->sums[e->nsums++] = *x;
        e->grew = true;
    }
}

static void add_digit(pair *e, digit d)
{
    for (uint32_t i = 0; i < e->ndigits; i++)
        if (e->digits[i].of == d.of && e->digits[i].over == d.over &&
            e->digits[i].below == d.below)
            return;
    if (e->ndigits < DIGITS) {
        e->digits[e->ndigits++] = d;
        e->grew = true;
    }
}

/* ---- sums ---- */

/* A term: a common factor times a value that is not. */
typedef struct factored {
    monomial by;
    k_id v;
} factored;

/* False where the term has several values that are not common; v = 0: it has none. */
static bool factor(const pair *e, const monomial *m, factored *out)
{
    *out = (factored){.by.k = m->k};
    for (uint32_t i = 0; i < m->n; i++) {
        if (common(e, m->v[i]))
            out->by.v[out->by.n++] = m->v[i];
        else if (out->v)
            return false;
        else
            out->v = m->v[i];
    }
    return true;
}

/* by = m * quotient */
static bool is_multiple(const monomial *by, const monomial *m, monomial *quotient)
{
    uint32_t j = 0;
    if (m->k == 0 || by->k % m->k)
        return false;
    *quotient = (monomial){.k = by->k / m->k};
    for (uint32_t i = 0; i < by->n; i++) {
        if (j < m->n && by->v[i] == m->v[j])
            j++;
        else
            quotient->v[quotient->n++] = by->v[i];
    }
    return j == m->n;
}

static poly poly_of(const monomial *m)
{
    return m->n ? (poly){.n = 1, .m[0] = *m} : ka_poly_constant(m->k);
}

/* by * v */
static poly term(const monomial *by, k_id v)
{
    poly x = poly_of(by), y = ka_poly_atom(v), out;
    return ka_poly_multiply(&out, &x, &y) ? out : (poly){0};
}

static bool is_natural(pair *e, const poly *x)
{
    e->q->steps = PROOF_STEPS;
    return prove_natural(e->q, x);
}

/* to + factor - x is not negative. */
static bool is_not_above(pair *e, const poly *x, const poly *to, int64_t less)
{
    poly room = ka_poly_constant(-less);
    return ka_poly_add(&room, to, 1) && ka_poly_add(&room, x, -1) && is_natural(e, &room);
}

/* How far values of v may be apart: by its interval, or its limit where that is common. */
static bool span(const pair *e, k_id v, poly *out)
{
    const k_program *p = e->q->b->p;
    k_id limit = k_lo(p, v) >= 0 ? ka_limit(e->q->b, v) : 0;
    int64_t width;
    *out = ka_poly_constant(-1);
    if (limit && common(e, limit) && k_lo(p, limit) != k_hi(p, limit)) {
        poly n;
        return prove_open(e->q, limit, &n) && ka_poly_add(out, &n, 1);
    }
    *out = ka_poly_constant(0);
    return !__builtin_sub_overflow(k_hi(p, v), k_lo(p, v), &width) &&
           !__builtin_add_overflow(out->c, width, &out->c);
}

/* Whether the terms of a sum together cover less than m, each as far as it may. */
static bool covers_less(pair *e, const poly *x, const poly *m)
{
    poly all = {0};
    for (uint32_t i = 0; i < x->n; i++) {
        factored f;
        poly far, by, product;
        if (!factor(e, &x->m[i], &f))
            return false;
        if (!f.v)
            continue;
        f.by.k = f.by.k < 0 ? -f.by.k : f.by.k; /* the other factors are natural, or nothing is seen */
        by = poly_of(&f.by);
        if (!span(e, f.v, &far) || !ka_poly_multiply(&product, &by, &far) ||
            (f.by.n && !is_natural(e, &by)) || !ka_poly_add(&all, &product, 1))
            return false;
    }
    return is_not_above(e, &all, m, 1);
}

/* 0 <= x < m, or 0 <= -x < m. */
static bool lies_below(pair *e, const poly *x, const poly *m)
{
    poly zero = {0}, negative = {0};
    if (!ka_poly_add(&negative, x, -1))
        return false;
    return (is_natural(e, x) && is_not_above(e, x, m, 1)) ||
           (is_not_above(e, x, &zero, 0) && is_not_above(e, &negative, m, 1));
}

/* Whether cond holds for all t in [lo, hi], a comparison of it with a number: 1, 0, or -1 where that
 * is not known. */
static int decided_by(const k_program *p, k_id cond, k_id t, int64_t lo, int64_t hi)
{
    const k_node *n = k_at(p, cond);
    int64_t c;
    if (n->op != K_SCALAR || n->args[0] != t || !k_is_const(p, n->args[1], &c))
        return -1;
    switch ((opcode)n->opcode) {
    case SOP_LT: return hi < c ? 1 : lo >= c ? 0 : -1;
    case SOP_LE: return hi <= c ? 1 : lo > c ? 0 : -1;
    case SOP_GT: return lo > c ? 1 : hi <= c ? 0 : -1;
    case SOP_GE: return lo >= c ? 1 : hi < c ? 0 : -1;
    case SOP_EQ: return lo == c && hi == c ? 1 : hi < c || lo > c ? 0 : -1;
    case SOP_NE: return lo == c && hi == c ? 0 : hi < c || lo > c ? 1 : -1;
    default: return -1;
    }
}

/* What the only term of x, a variable, is below where t lies in [lo, hi], by the choices that this
 * decides; 0: x is another sum. */
static k_id limit_where(const pair *e, const poly *x, k_id t, int64_t lo, int64_t hi)
{
    const k_program *p = e->q->b->p;
    int holds = 0;
    if (x->n != 1 || x->c || x->m[0].n != 1 || x->m[0].k != 1)
        return 0;
    k_id limit = ka_limit(e->q->b, x->m[0].v[0]);
    while (is_scalar(k_at(p, limit), SOP_SELECT) &&
           (holds = decided_by(p, k_at(p, limit)->args[0], t, lo, hi)) >= 0)
        limit = k_at(p, limit)->args[holds ? 1 : 2];
    return limit;
}

/* Likewise, whether it is below m. */
static bool lies_below_where(pair *e, const poly *x, const poly *m, k_id t, int64_t lo, int64_t hi)
{
    k_id limit = limit_where(e, x, t, lo, hi);
    poly most;
    return limit && prove_open(e->q, limit, &most) && is_not_above(e, &most, m, 0);
}

/* Where the multiples of m are t times 1 or -1, with 0 <= t < n: x is natural, and below m unless t
 * is its last value.  Of two elements with different t, the lower one is then below the other. */
static bool lies_below_but_last(pair *e, const poly *x, const poly *m, const factored *t)
{
    const known_polys before = e->q->known;
    const k_program *p = e->q->b->p;
    poly last, not_last = ka_poly_constant(-1), self = ka_poly_atom(t->v);
    k_id limit = ka_limit(e->q->b, t->v);
    if (t->by.n || (t->by.k != 1 && t->by.k != -1) || k_lo(p, t->v) < 0 || !limit ||
        !common(e, limit) || !prove_open(e->q, limit, &last) || !is_natural(e, x))
        return false;
    int64_t lo = t->by.k == 1 ? 0 : 1, hi = k_hi(p, t->v) - (t->by.k == 1);
    if (lies_below_where(e, x, m, t->v, lo, hi))
        return true;
    last.c--;
    bool ok = t->by.k == 1 ? ka_poly_add(&not_last, &last, 1) && ka_poly_add(&not_last, &self, -1)
                           : ka_poly_add(&not_last, &self, 1);
    if (ok)
        prove_learn(e->q, &not_last);
    ok = ok && is_not_above(e, x, m, 1);
    e->q->known = before;
    return ok;
}

/* The sum as multiples of m, divided by it, and the rest; false where either is nothing. */
static bool split_by(const pair *e, const poly *sum, const monomial *m, poly *multiples, poly *rest)
{
    *multiples = *rest = (poly){0};
    for (uint32_t i = 0; i < sum->n; i++) {
        factored f;
        monomial quotient;
        poly one;
        if (!factor(e, &sum->m[i], &f))
            return false;
        if (!f.v)
            continue;
        bool whole = is_multiple(&f.by, m, &quotient);
        one = whole ? term(&quotient, f.v) : (poly){.n = 1, .m[0] = sum->m[i]};
        if (!one.n || !ka_poly_add(whole ? multiples : rest, &one, 1))
            return false;
    }
    return multiples->n && rest->n;
}

static bool separates(pair *e, const poly *multiples, const poly *rest, const monomial *by)
{
    poly m = poly_of(by);
    factored one = {0};
    bool single = multiples->n == 1 && factor(e, &multiples->m[0], &one);
    return covers_less(e, rest, &m) || lies_below(e, rest, &m) ||
           (single && lies_below_but_last(e, rest, &m, &one));
}

/* One term: its value is common unless the factor may be 0. */
static bool take_single(pair *e, const factored *f)
{
    poly by = poly_of(&f->by);
    by.c -= by.n ? 1 : 0;
    if (f->by.n ? !is_natural(e, &by) : f->by.k == 0)
        return false;
    add_common(e, f->v);
    return true;
}

/* Terms that are common go; true: nothing more can be learnt of the sum. */
static bool take_sum(pair *e, const poly *sum)
{
    poly open = {0}, multiples, rest;
    factored last = {0}, f;
    for (uint32_t i = 0; i < sum->n; i++) {
        if (!factor(e, &sum->m[i], &f))
            return false;
        if (!f.v)
            continue;
        last = f;
        open.m[open.n++] = sum->m[i];
    }
    if (open.n < 2)
        return open.n == 0 || take_single(e, &last);
    for (uint32_t i = 0; i < open.n; i++) {
        factor(e, &open.m[i], &f);
        f.by.k = f.by.k < 0 ? -f.by.k : f.by.k;
        if (split_by(e, &open, &f.by, &multiples, &rest) &&
            separates(e, &multiples, &rest, &f.by)) {
            add_sum(e, &multiples);
            add_sum(e, &rest);
            return true;
        }
    }
    return false;
}

/* ---- values ---- */

static uint64_t bits_of(const k_program *p, k_id v, int depth);

static uint64_t bits_of_operation(const k_program *p, const k_node *n, int depth)
{
    int64_t c;
    uint64_t x = bits_of(p, n->args[0], depth - 1), y = bits_of(p, n->args[1], depth - 1);
    if (n->opcode == SOP_AND)
        return x & y;
    if (n->opcode == SOP_OR || n->opcode == SOP_XOR)
        return x | y;
    bool shifts = n->opcode == SOP_SHL && k_is_const(p, n->args[1], &c) && c >= 0 && c < 32;
    return shifts && x <= (uint64_t)INT32_MAX >> c ? x << c : ~(uint64_t)0;
}

/* The bits that a value may have. */
static uint64_t bits_of(const k_program *p, k_id v, int depth)
{
    const k_node *n = k_at(p, v);
    uint64_t all = ~(uint64_t)0, most = (uint64_t)k_hi(p, v);
    if (k_lo(p, v) >= 0)
        for (all = 0; all < most; all = all << 1 | 1) {}
    if (depth == 0 || n->op != K_SCALAR || k_operand_count(n) != 2)
        return all;
    return all & bits_of_operation(p, n, depth);
}

/* An exclusive or with what is common, or any of both of disjoint bits. */
static void take_bits(pair *e, const k_node *n)
{
    const k_program *p = e->q->b->p;
    for (uint32_t i = 0; n->opcode == SOP_XOR && i < 2; i++)
        if (common(e, n->args[1 - i]))
            add_common(e, n->args[i]);
    if ((bits_of(p, n->args[0], BITS_DEPTH) & bits_of(p, n->args[1], BITS_DEPTH)) == 0) {
        add_common(e, n->args[0]);
        add_common(e, n->args[1]);
    }
}

/* What is equal modulo d and lies less than d apart is equal. */
static void take_remainder(pair *e, const k_node *n)
{
    poly x, d;
    if (common(e, n->args[1]) && prove_open(e->q, n->args[0], &x) &&
        prove_open(e->q, n->args[1], &d) && (covers_less(e, &x, &d) || lies_below(e, &x, &d)))
        add_common(e, n->args[0]);
}

/* Whether every value of x is one of the type. */
static bool keeps(const k_program *p, scalar t, k_id x)
{
    int64_t lo, hi;
    k_type_range(t, &lo, &hi);
    return k_lo(p, x) >= lo && k_hi(p, x) <= hi;
}

static void take_conversion(pair *e, const k_node *n)
{
    const k_program *p = e->q->b->p;
    const k_node *x = k_at(p, n->args[0]);
    bool ints = k_type_is_int((scalar)n->type) && k_type_is_int((scalar)x->type);
    if (ints && (n->op == K_BITCAST || keeps(p, (scalar)n->type, n->args[0])))
        add_common(e, n->args[0]);
}

/* A value as a sum, where it is one that does not wrap. */
static void take_value(pair *e, k_id v)
{
    const k_node n = *k_at(e->q->b->p, v);
    poly x;
    if (n.op == K_CONVERT || n.op == K_BITCAST)
        take_conversion(e, &n);
    if (is_signed(n.type) && prove_open(e->q, v, &x) &&
        !(x.n == 1 && x.c == 0 && x.m[0].n == 1 && x.m[0].v[0] == v))
        add_sum(e, &x);
    if (n.op != K_SCALAR || !k_type_is_int((scalar)n.type))
        return;
    if (n.opcode == SOP_XOR || n.opcode == SOP_OR)
        take_bits(e, &n);
    if (n.opcode == SOP_REM || n.opcode == SOP_MOD)
        take_remainder(e, &n);
    if (n.opcode == SOP_NOT || n.opcode == SOP_NEG)
        add_common(e, n.args[0]);
}

/* ---- digits ---- */

/* d / c, for c > 0. */
static bool divide_digit(digit *d, int64_t c)
{
    if (d->below && d->below % c)
        return false;
    d->below /= c;
    return !__builtin_mul_overflow(d->over, c, &d->over) && (!d->below || d->below > 1);
}

/* d rem c. */
static bool cut_digit(digit *d, int64_t c)
{
    if (d->below && d->below % c)
        return false;
    d->below = c;
    return c > 1;
}

/* The value as digits of one that is not negative and is no quotient or remainder itself. */
static bool digit_of(const k_program *p, k_id v, digit *d, int depth)
{
    const k_node *n = k_at(p, v);
    int64_t c;
    *d = (digit){.of = v, .over = 1};
    if (k_lo(p, v) < 0)
        return false;
    if (depth == 0 || n->op != K_SCALAR || k_operand_count(n) != 2 ||
        !k_is_const(p, n->args[1], &c) || k_lo(p, n->args[0]) < 0)
        return true;
    digit x;
    bool ok = false;
    if (!digit_of(p, n->args[0], &x, depth - 1))
        return true;
    if (n->opcode == SOP_QUOT || n->opcode == SOP_DIV)
        ok = c > 0 && divide_digit(&x, c);
    else if (n->opcode == SOP_REM || n->opcode == SOP_MOD)
        ok = c > 0 && cut_digit(&x, c);
    else if (n->opcode == SOP_SHR)
        ok = c >= 0 && c < 31 && divide_digit(&x, (int64_t)1 << c);
    else if (n->opcode == SOP_AND)
        ok = c > 0 && (c & (c + 1)) == 0 && cut_digit(&x, c + 1);
    if (ok)
        *d = x;
    return true;
}

/* The runs of ones of a mask are digits. */
static void take_masked(pair *e, const k_node *n)
{
    const k_program *p = e->q->b->p;
    int64_t mask;
    digit x;
    if (!is_scalar(n, SOP_AND) || !k_is_const(p, n->args[1], &mask) || mask <= 0 ||
        !digit_of(p, n->args[0], &x, KNOWN_DEPTH) || (x.below & (x.below - 1)))
        return;
    for (int64_t low = 1; low <= mask; low <<= 1) {
        digit d = x;
        int64_t end = low;
        if (!(mask & low))
            continue;
        while (mask & end)
            end <<= 1;
        if (divide_digit(&d, low) && (d.below && d.below <= end / low ? true : cut_digit(&d, end / low)))
            add_digit(e, d);
        low = end;
    }
}

static void take_digits(pair *e, k_id v)
{
    const k_program *p = e->q->b->p;
    const k_node *n = k_at(p, v);
    digit d;
    if (k_type_is_int((scalar)n->type) && digit_of(p, v, &d, KNOWN_DEPTH) && d.of != v)
        add_digit(e, d);
    take_masked(e, n);
}

/* Two digits beside each other are one; one that holds all of a value is that value. */
static void join_digits(pair *e)
{
    const k_program *p = e->q->b->p;
    for (uint32_t i = 0; i < e->ndigits; i++) {
        const digit x = e->digits[i];
        if (x.over == 1 && (!x.below || k_hi(p, x.of) < x.below))
            add_common(e, x.of);
        for (uint32_t j = 0; x.below && j < e->ndigits; j++) {
            const digit y = e->digits[j];
            int64_t over, below;
            if (y.of == x.of && !__builtin_mul_overflow(x.over, x.below, &over) &&
                y.over == over && !__builtin_mul_overflow(x.below, y.below, &below))
                add_digit(e, (digit){x.of, x.over, below});
        }
    }
}

/* Quotient and remainder by one common number are the value. */
static void join_division(pair *e, k_id v)
{
    const k_program *p = e->q->b->p;
    const k_node *n = k_at(p, v);
    bool floors = is_scalar(n, SOP_DIV), truncates = is_scalar(n, SOP_QUOT);
    poly by;
    if ((!floors && !truncates) || !common(e, n->args[1]) || !prove_open(e->q, n->args[1], &by))
        return;
    by.c--;
    if (!is_natural(e, &by))
        return;
    for (uint32_t i = 0; i < e->n; i++) {
        const k_node *r = k_at(p, e->common[i]);
        bool natural = k_lo(p, n->args[0]) >= 0;
        bool same = natural ? is_scalar(r, SOP_MOD) || is_scalar(r, SOP_REM)
                            : is_scalar(r, floors ? SOP_MOD : SOP_REM);
        if (same && r->args[0] == n->args[0] && r->args[1] == n->args[1])
            add_common(e, n->args[0]);
    }
}

/* ---- choices ---- */

static int64_t gcd(int64_t x, int64_t y)
{
    x = x < 0 ? -x : x;
    y = y < 0 ? -y : y;
    while (y) {
        int64_t r = x % y;
        x = y;
        y = r;
    }
    return x;
}

/* Whether x of one element never is y of the other.  What is common to both cancels; other terms are
 * multiples of g on either side. */
static bool never_meet(pair *e, k_id x, k_id y)
{
    const k_program *p = e->q->b->p;
    poly a, b, fixed = {0}, rest[2] = {{0}, {0}};
    int64_t g = 0;
    if (k_lo(p, x) > k_hi(p, y) || k_lo(p, y) > k_hi(p, x))
        return true;
    if (!prove_open(e->q, x, &a) || !prove_open(e->q, y, &b))
        return false;
    for (int side = 0; side < 2; side++) {
        const poly *of = side ? &b : &a;
        poly c = ka_poly_constant(of->c);
        if (!ka_poly_add(&fixed, &c, side ? -1 : 1))
            return false;
        for (uint32_t i = 0; i < of->n; i++) {
            factored f;
            poly one = {.n = 1, .m[0] = of->m[i]};
            if (!factor(e, &of->m[i], &f) ||
                !ka_poly_add(f.v ? &rest[side] : &fixed, &one, side && !f.v ? -1 : 1))
                return false;
            if (f.v)
                g = gcd(g, of->m[i].k);
        }
    }
    for (uint32_t i = 0; i < fixed.n; i++)
        g = gcd(g, fixed.m[i].k);
    if (g > 1 && fixed.c % g)
        return true; /* they differ by a remainder */
    poly apart = rest[0];
    if (!ka_poly_add(&apart, &rest[1], -1) || apart.n)
        return false;
    /* They differ by what is fixed, and cover less than that. */
    poly other = {0};
    return ka_poly_add(&other, &fixed, -1) &&
           (covers_less(e, &rest[0], &fixed) || covers_less(e, &rest[0], &other));
}

/* ---- the search ---- */

static void take_all(pair *e)
{
    uint32_t n = 0;
    do {
        e->grew = false;
        for (; n < e->n; n++) {
            take_value(e, e->common[n]);
            take_digits(e, e->common[n]);
        }
        for (uint32_t i = 0; i < e->n; i++) {
            join_division(e, e->common[i]);
            const k_node *v = k_at(e->q->b->p, e->common[i]);
            if (is_scalar(v, SOP_XOR))
                take_bits(e, v);
        }
        join_digits(e);
        for (uint32_t sums = 0; sums < e->nsums; sums++) {
            const poly sum = e->sums[sums];
            if (take_sum(e, &sum))
                e->sums[sums--] = e->sums[--e->nsums];
        }
    } while (e->grew);
}

static bool decides(pair *e, const k_id *vars, uint32_t n, int choices);

/* A common value that is a choice comes from the same branch for both elements, whichever that
 * is. */
static bool decides_by_choice(const pair *e, k_id v, const k_id *vars, uint32_t n, int choices)
{
    const k_node c = *k_at(e->q->b->p, v);
    for (int i = 1; i <= 2; i++) {
        pair with = *e;
        add_common(&with, c.args[i]);
        if (!with.grew && !common(e, c.args[i]))
            return false;
        if (!decides(&with, vars, n, choices - 1))
            return false;
    }
    return true;
}

static bool decides(pair *e, const k_id *vars, uint32_t n, int choices)
{
    bool all = true;
    take_all(e);
    for (uint32_t i = 0; i < n && all; i++)
        all = common(e, vars[i]);
    if (all)
        return true;
    for (uint32_t i = 0; i < e->n && choices > 0; i++) {
        const k_node c = *k_at(e->q->b->p, e->common[i]);
        if (is_scalar(&c, SOP_SELECT) && k_type_is_int((scalar)c.type) &&
            !(common(e, c.args[1]) && common(e, c.args[2])) &&
            (common(e, c.args[0]) || never_meet(e, c.args[1], c.args[2])))
            return decides_by_choice(e, e->common[i], vars, n, choices);
    }
    return false;
}

/* Factors of products are often lengths, of which there is an element: they are at least 1. */
static void learn_factors(pair *e, const poly *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t j = 0; x->m[i].n > 1 && j < x->m[i].n; j++) {
            poly some = ka_poly_atom(x->m[i].v[j]);
            some.c = -1;
            if (k_lo(e->q->b->p, x->m[i].v[j]) < 0 && is_natural(e, &some))
                prove_learn(e->q, &some);
        }
}

/* Extents are often max(x, 0) of lengths that are not negative where there is an element: such an x
 * of the form becomes what it is in the sum. */
static void name_extents(prover *q, const poly *sum, poly *form)
{
    const k_program *p = q->b->p;
    for (uint32_t i = 0; i < sum->n; i++)
        for (uint32_t j = 0; j < sum->m[i].n; j++) {
            k_id v = sum->m[i].v[j];
            const k_node *n = k_at(p, v);
            poly self = ka_poly_atom(v), x = ka_poly_atom(n->args[0]);
            int64_t c;
            q->steps = PROOF_STEPS;
            if (is_scalar(n, SOP_MAX) && k_is_const(p, n->args[1], &c) && c == 0 &&
                ka_poly_has(form, n->args[0]) && prove_natural(q, &x))
                ka_poly_replace(form, n->args[0], &self);
        }
}

/* A position that is inside its axis as a sum of integers is that sum, as it stands otherwise. */
static void take_position(pair *e, k_id at, k_id extent, k_id some)
{
    poly form, room, below = ka_poly_constant(-1);
    add_common(e, at);
    if (!prove_open_wrapping(e->q, at, &form))
        return;
    learn_factors(e, &form);
    if (some && prove_open(e->q, some, &room))
        name_extents(e->q, &room, &form);
    if (prove_open(e->q, extent, &room) && ka_poly_add(&below, &room, 1) &&
        ka_poly_add(&below, &form, -1) && is_natural(e, &form) && is_natural(e, &below))
        add_sum(e, &form);
}

static void learn_same(prover *q, k_id x, k_id y)
{
    poly less, more = {0};
    poly one, other;
    if (!x || !y || !prove_open(q, x, &one) || !prove_open(q, y, &other))
        return;
    less = one;
    if (ka_poly_add(&less, &other, -1) && ka_poly_add(&more, &less, -1)) {
        prove_learn(q, &less);
        prove_learn(q, &more);
    }
}

const char *ka_proves_injective(const k_builder *b, const k_id *at, const k_id *shape,
                                uint32_t rank, const k_id *vars, uint32_t n, k_id x, k_id y)
{
    prover q;
    pair e = {.q = &q, .outer = UINT16_MAX};
    prove_begin(&q, b);
    learn_same(&q, x, y);
    for (uint32_t i = 0; i < n; i++)
        if (k_at(b->p, vars[i])->depth <= e.outer)
            e.outer = (uint16_t)(k_at(b->p, vars[i])->depth - 1);
    for (uint32_t i = 0; i < rank; i++)
        take_position(&e, at[i], shape[i], x);
    return decides(&e, vars, n, CHOICES) ? "two elements with one position are the same element"
                                         : NULL;
}

bool ka_proves_covered(const k_builder *b, uint32_t depth, k_id n, k_id t, k_id c)
{
    prover q;
    poly x, parts, length, room;
    k_builder outside = *b; /* only read: what is known further in does not count */
    outside.scopes.len = depth + 1 < b->scopes.len ? depth + 1 : b->scopes.len;
    prove_begin(&q, &outside);
    return prove_open(&q, n, &x) && prove_open(&q, t, &parts) && prove_open(&q, c, &length) &&
           ka_poly_multiply(&room, &parts, &length) && ka_poly_add(&room, &x, -1) &&
           prove_natural(&q, &room);
}

bool ka_proves_same(const k_builder *b, k_id x, k_id y)
{
    prover q;
    poly one, other;
    prove_begin(&q, b);
    return prove_open(&q, x, &one) && prove_open(&q, y, &other) && ka_poly_add(&one, &other, -1) &&
           one.n == 0 && one.c == 0;
}
