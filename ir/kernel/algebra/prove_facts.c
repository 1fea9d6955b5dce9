/* What is known of values, as polynomials that are not negative: by how they are made, by loops and
 * conditions around the place where the builder is. */
#include "ir/kernel/algebra/prove.h"

enum {
    OPEN_DEPTH = 6,
    CONDITION_DEPTH = 4,
    POSITIVE_DEPTH = 8,
    OPEN_STEPS = 60,
    OPENINGS = 2,
    SMALL = 1 << 12
};

/* ---- values as polynomials ---- */

static bool open_value(prover *q, k_id v, bool wrapping, int depth, poly *out);

static bool is_scalar(const k_node *n, opcode op)
{
    return n->op == K_SCALAR && n->opcode == op;
}

static bool is_signed(uint32_t t)
{
    return t == ST_I32 || t == ST_I64;
}

/* Whether v is at least 1, by its interval or since a loop around here has turns. */
static bool is_positive(const prover *q, k_id v)
{
    for (uint32_t i = 0; i < q->known.n; i++) {
        const poly *x = &q->known.at[i];
        if (x->n == 1 && x->c == -1 && x->m[0].n == 1 && x->m[0].k == 1 && x->m[0].v[0] == v)
            return true;
    }
    return k_lo(q->b->p, v) >= 1;
}

/* x * 2^c */
static bool open_shift(prover *q, const k_node *n, bool wrapping, int depth, poly *out)
{
    poly x;
    int64_t c;
    if (!k_is_const(q->b->p, n->args[1], &c) || c < 0 || c > 30 ||
        !open_value(q, n->args[0], wrapping, depth - 1, &x))
        return false;
    *out = (poly){0};
    return ka_poly_add(out, &x, (int64_t)1 << c);
}

/* The operation on the polynomials of its operands. */
static bool open_operation(prover *q, const k_node *n, bool wrapping, int depth, poly *out)
{
    poly x, y;
    if (n->opcode == SOP_SHL)
        return open_shift(q, n, wrapping, depth, out);
    if (!open_value(q, n->args[0], wrapping, depth - 1, &x) ||
        !open_value(q, n->args[1], wrapping, depth - 1, &y))
        return false;
    if (n->opcode == SOP_MUL)
        return ka_poly_multiply(out, &x, &y);
    *out = x;
    return ka_poly_add(out, &y, n->opcode == SOP_ADD ? 1 : -1);
}

/* Whether the integers fit the type, so that nothing has wrapped. */
static bool fits_type(prover *q, const poly *x, scalar t)
{
    int64_t lo, hi;
    int steps = q->steps;
    k_type_range(t, &lo, &hi);
    poly above = ka_poly_constant(hi), below = {0};
    if (t == ST_I64 || q->opening >= OPENINGS)
        return false;
    q->opening++;
    q->steps = OPEN_STEPS;
    bool ok = ka_poly_add(&above, x, -1) && ka_poly_add(&below, x, 1) &&
              !__builtin_sub_overflow(below.c, lo, &below.c) && prove_natural(q, &above) &&
              prove_natural(q, &below);
    q->opening--;
    q->steps = steps;
    return ok;
}

static bool opens(const k_node *n)
{
    return n->op == K_SCALAR && is_signed(n->type) &&
           (n->opcode == SOP_ADD || n->opcode == SOP_SUB || n->opcode == SOP_MUL ||
            n->opcode == SOP_SHL);
}

/* A conversion that keeps every value that its operand can have. */
static bool keeps(const k_program *p, const k_node *n)
{
    int64_t lo, hi;
    const k_node *x = k_at(p, n->args[0]);
    k_type_range((scalar)n->type, &lo, &hi);
    return n->op == K_CONVERT && is_signed(n->type) && is_signed(x->type) &&
           k_lo(p, n->args[0]) >= lo && k_hi(p, n->args[0]) <= hi;
}

/* max(x, c), where x is evidently not below c. */
static bool is_needless(const prover *q, const k_node *n)
{
    int64_t c;
    return is_scalar(n, SOP_MAX) && k_is_const(q->b->p, n->args[1], &c) &&
           (c <= k_lo(q->b->p, n->args[0]) || (c <= 1 && is_positive(q, n->args[0])));
}

static bool open_value(prover *q, k_id v, bool wrapping, int depth, poly *out)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, v);
    int64_t c;
    *out = ka_poly_atom(v);
    if (k_is_const(p, v, &c)) {
        *out = ka_poly_constant(c);
    } else if (depth > 0 && keeps(p, n)) {
        return open_value(q, n->args[0], false, depth - 1, out);
    } else if (depth > 0 && opens(n)) {
        poly opened;
        bool plain = wrapping || n->exact == PROVED;
        if (open_operation(q, n, wrapping, depth, &opened) &&
            (plain || fits_type(q, &opened, (scalar)n->type)))
            *out = opened;
    }
    return is_signed(n->type);
}

bool prove_open(prover *q, k_id v, poly *out)
{
    return open_value(q, v, false, OPEN_DEPTH, out);
}

bool prove_open_wrapping(prover *q, k_id v, poly *out)
{
    return k_at(q->b->p, v)->type == ST_I32 && open_value(q, v, true, OPEN_DEPTH, out);
}

/* ---- how values are made ---- */

/* x - y + c, where both can be opened. */
static bool difference(prover *q, k_id x, k_id y, int64_t c, poly *out)
{
    poly other;
    if (!prove_open(q, x, out) || !prove_open(q, y, &other) || !ka_poly_add(out, &other, -1))
        return false;
    return !__builtin_add_overflow(out->c, c, &out->c);
}

static void add_fact(poly facts[PROVE_FACTS], uint32_t *n, bool ok)
{
    *n += ok && *n + 1 < PROVE_FACTS;
    (void)facts;
}

/* v lies in an interval. */
static void interval_facts(k_id v, int64_t lo, int64_t hi, poly facts[PROVE_FACTS], uint32_t *count)
{
    poly self = ka_poly_atom(v);
    facts[*count] = self;
    add_fact(facts, count, !__builtin_sub_overflow(0, lo, &facts[*count].c));
    facts[*count] = ka_poly_constant(hi);
    add_fact(facts, count, ka_poly_add(&facts[*count], &self, -1));
}

/* A divisor that is at least 1, as a polynomial; of a shift a power of two. */
static bool divisor_of(prover *q, const k_node *n, poly *d)
{
    int64_t c;
    const k_program *p = q->b->p;
    if (n->opcode == SOP_SHR) {
        *d = ka_poly_constant(k_is_const(p, n->args[1], &c) && c >= 0 && c < 31 ? (int64_t)1 << c
                                                                                : 0);
        return d->c > 0;
    }
    return is_positive(q, n->args[1]) && prove_open(q, n->args[1], d);
}

/* For the quotient v that floors x / d: x - d * v and d * v + d - 1 - x are not negative. */
static void divided(const poly *x, const poly *d, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    poly product, self = ka_poly_atom(v);
    if (!ka_poly_multiply(&product, d, &self))
        return;
    facts[*count] = *x;
    add_fact(facts, count, ka_poly_add(&facts[*count], &product, -1));
    facts[*count] = product;
    facts[*count].c--;
    add_fact(facts, count, ka_poly_add(&facts[*count], d, 1) && ka_poly_add(&facts[*count], x, -1));
}

/* The divisor is often max(d, 1) where d is positive. */
static void quotient_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, v), *by = k_at(p, n->args[1]);
    poly x, d;
    bool floors = n->opcode != SOP_QUOT || k_lo(p, n->args[0]) >= 0;
    if (!floors || !divisor_of(q, n, &d) || !prove_open(q, n->args[0], &x))
        return;
    divided(&x, &d, v, facts, count);
    if (is_needless(q, by) && prove_open(q, by->args[0], &d))
        divided(&x, &d, v, facts, count);
    if (k_lo(p, v) < 0 || k_hi(p, v) == INT32_MAX) {
        int64_t lo = k_lo(p, n->args[0]), hi = k_hi(p, n->args[0]);
        interval_facts(v, lo < 0 ? lo : 0, hi > 0 ? hi : 0, facts, count);
    }
}

/* Below its divisor, and not above its dividend. */
static void remainder_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_node *n = k_at(q->b->p, v);
    bool natural = k_lo(q->b->p, n->args[0]) >= 0;
    if (!is_positive(q, n->args[1]) || (n->opcode == SOP_REM && !natural))
        return;
    interval_facts(v, 0, INT32_MAX, facts, count);
    add_fact(facts, count, difference(q, n->args[1], v, -1, &facts[*count]));
    if (natural)
        add_fact(facts, count, difference(q, n->args[0], v, 0, &facts[*count]));
}

/* What is not negative, shifted by an amount that lies in an interval. */
static void shift_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, v);
    int64_t x = k_lo(p, n->args[0]), y = k_hi(p, n->args[0]), from = k_lo(p, n->args[1]),
            to = k_hi(p, n->args[1]);
    if (x >= 0 && from >= 0 && to <= 30 && n->type == ST_I32 && y <= INT32_MAX >> to)
        interval_facts(v, x << from, y << to, facts, count);
}

/* A minimum is not above either operand, a maximum not below. */
static void extreme_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_node *n = k_at(q->b->p, v);
    bool least = n->opcode == SOP_MIN;
    for (uint32_t i = 0; i < 2; i++)
        add_fact(facts, count,
                 difference(q, least ? n->args[i] : v, least ? v : n->args[i], 0, &facts[*count]));
}

uint32_t prove_facts(prover *q, k_id v, poly facts[PROVE_FACTS])
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, v);
    uint32_t count = 0;
    k_id limit = ka_limit(q->b, v), bound = k_bound(p, v);
    if (k_hi(p, v) <= SMALL && k_lo(p, v) >= -SMALL) /* what is wider seldom helps */
        interval_facts(v, k_lo(p, v), k_hi(p, v), facts, &count);
    if (limit)
        add_fact(facts, &count, difference(q, limit, v, -1, &facts[count]));
    if (bound)
        add_fact(facts, &count, difference(q, bound, v, 0, &facts[count]));
    if (n->op != K_SCALAR || !is_signed(n->type))
        return count;
    switch ((opcode)n->opcode) {
    case SOP_QUOT:
    case SOP_DIV:
    case SOP_SHR: quotient_facts(q, v, facts, &count); break;
    case SOP_SHL: shift_facts(q, v, facts, &count); break;
    case SOP_MIN:
    case SOP_MAX: extreme_facts(q, v, facts, &count); break;
    case SOP_REM:
    case SOP_MOD: remainder_facts(q, v, facts, &count); break;
    default: break;
    }
    return count;
}

/* ---- conditions ---- */

static uint32_t condition(prover *q, k_id cond, bool holds, poly *out, uint32_t room, int depth);

/* x > y, where they differ and x is not below. */
static bool different(prover *q, k_id x, k_id y, poly *out)
{
    return k_lo(q->b->p, x) >= k_hi(q->b->p, y) && difference(q, x, y, -1, out);
}

/* x < y.  Of a maximum one operand says so, where the other one is never above x. */
static bool below(prover *q, k_id x, k_id y, poly *out)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, y);
    for (int i = 0; i < 2 && is_scalar(n, SOP_MAX); i++)
        if (k_hi(p, n->args[i]) <= k_lo(p, x))
            return difference(q, n->args[1 - i], x, -1, out);
    return difference(q, y, x, -1, out);
}

/* x < y, x <= y and so on, as what is not negative. */
static uint32_t comparison(prover *q, const k_node *n, bool holds, poly *out, uint32_t room)
{
    k_id x = n->args[0], y = n->args[1];
    if (room == 0 || !is_signed(k_at(q->b->p, x)->type))
        return 0;
    switch ((opcode)n->opcode) {
    case SOP_LT: return holds ? below(q, x, y, out) : difference(q, x, y, 0, out);
    case SOP_LE: return holds ? difference(q, y, x, 0, out) : below(q, y, x, out);
    case SOP_GT: return holds ? below(q, y, x, out) : difference(q, y, x, 0, out);
    case SOP_GE: return holds ? difference(q, x, y, 0, out) : below(q, x, y, out);
    case SOP_EQ:
    case SOP_NE:
        if (holds != (n->opcode == SOP_EQ))
            return different(q, x, y, out) || different(q, y, x, out);
        if (room < 2)
            return 0;
        return difference(q, x, y, 0, out) && difference(q, y, x, 0, out + 1) ? 2 : 0;
    default: return 0;
    }
}

/* What both parts of a conjunction say, or of a disjunction that does not hold. */
static uint32_t condition(prover *q, k_id cond, bool holds, poly *out, uint32_t room, int depth)
{
    const k_node n = *k_at(q->b->p, cond);
    if (n.op != K_SCALAR || depth == 0)
        return 0;
    if (n.opcode == SOP_NOT)
        return condition(q, n.args[0], !holds, out, room, depth - 1);
    if (n.opcode == (holds ? SOP_AND : SOP_OR)) {
        uint32_t count = condition(q, n.args[0], holds, out, room, depth - 1);
        return count + condition(q, n.args[1], holds, out + count, room - count, depth - 1);
    }
    return comparison(q, &n, holds, out, room);
}

/* ---- cases ---- */

static bool of_extreme(prover *q, const k_node *n, value_case cases[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        k_id is = n->args[i], other = n->args[1 - i];
        bool least = n->opcode == SOP_MIN;
        cases[i].n = 1;
        if (!prove_open(q, is, &cases[i].is) ||
            !difference(q, least ? other : is, least ? is : other, 0, &cases[i].where[0]))
            return false;
    }
    return true;
}

static bool of_select(prover *q, const k_node *n, value_case cases[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        if (!prove_open(q, n->args[1 + i], &cases[i].is))
            return false;
        cases[i].n = condition(q, n->args[0], i == 0, cases[i].where, 4, CONDITION_DEPTH);
    }
    return true;
}

bool prove_split(prover *q, k_id v, value_case cases[2])
{
    const k_node n = *k_at(q->b->p, v);
    if (n.op != K_SCALAR || !is_signed(n.type))
        return false;
    if (n.opcode == SOP_MIN || n.opcode == SOP_MAX)
        return of_extreme(q, &n, cases);
    return n.opcode == SOP_SELECT && of_select(q, &n, cases);
}

/* ---- where the builder is ---- */

static bool is_same(const poly *x, const poly *y)
{
    bool same = x->c == y->c && x->n == y->n;
    for (uint32_t i = 0; same && i < x->n; i++)
        same = x->m[i].k == y->m[i].k && ka_monomials_match(&x->m[i], &y->m[i]);
    return same;
}

void prove_learn(prover *q, const poly *x)
{
    for (uint32_t i = 0; i < q->known.n; i++)
        if (is_same(&q->known.at[i], x))
            return;
    if (q->known.n < PROVE_KNOWN)
        q->known.at[q->known.n++] = *x;
}

static void learn_condition(prover *q, k_id cond, bool holds)
{
    poly list[4];
    uint32_t n = condition(q, cond, holds, list, 4, CONDITION_DEPTH);
    for (uint32_t i = 0; i < n; i++)
        prove_learn(q, &list[i]);
}

/* v is at least 1: so are the factors of a product, none of which is negative, whether it wraps or
 * not, and what the least of values is. */
static void learn_positive(prover *q, k_id v, int depth)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, v);
    poly x;
    if (depth == 0 || k_lo(p, v) >= 1)
        return;
    if (n->op == K_CONVERT && keeps(p, n)) {
        learn_positive(q, n->args[0], depth - 1);
        return;
    }
    if (prove_open(q, v, &x)) {
        x.c--;
        prove_learn(q, &x);
    }
    bool product = is_scalar(n, SOP_MUL) && k_lo(p, n->args[0]) >= 0 && k_lo(p, n->args[1]) >= 0;
    for (int i = 0; i < 2 && (product || is_scalar(n, SOP_MIN)); i++)
        learn_positive(q, n->args[i], depth - 1);
    bool quotient = (is_scalar(n, SOP_QUOT) || is_scalar(n, SOP_DIV)) && k_lo(p, n->args[0]) >= 0;
    int64_t by;
    if (quotient && k_is_const(p, n->args[1], &by) && by >= 1 && prove_open(q, n->args[0], &x)) {
        x.c -= by;
        prove_learn(q, &x);
    }
    if (is_scalar(n, SOP_MAX) && k_hi(p, n->args[1]) <= 0)
        learn_positive(q, n->args[0], depth - 1);
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
    if (below(q, i, k_below(p, i), &room))
        prove_learn(q, &room);
    if (k_lo(p, i) >= 0)
        learn_positive(q, k_below(p, i), POSITIVE_DEPTH);
}

/* What the host has asked for in blocks that are open holds in all that follows: kernels do not
 * start where it does not. */
static void learn_passed(prover *q)
{
    enum { LATEST = 8 };
    const k_builder *b = q->b;
    uint32_t n = b->passed.len;
    for (uint32_t i = n > LATEST ? n - LATEST : 0; i < n; i++)
        for (uint32_t k = 0; k < b->scopes.len; k++)
            if (b->scopes.at[k].block == b->passed.at[i].block)
                learn_condition(q, b->passed.at[i].cond, true);
}

void prove_begin(prover *q, const k_builder *b)
{
    *q = (prover){.b = b};
    q->steps = PROOF_STEPS;
    learn_passed(q);
    for (uint32_t i = 1; i < b->scopes.len; i++)
        learn_scope(q, &b->scopes.at[i]);
}
