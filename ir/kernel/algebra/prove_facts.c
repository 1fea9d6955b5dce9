/* What is known of values by how they are made, as polynomials that are not negative. */
#include "ir/kernel/algebra/prove.h"

enum { OPEN_DEPTH = 6, CONDITION_DEPTH = 8, OPEN_STEPS = 60, OPENINGS = 2 };

/* ---- values as polynomials ---- */

static bool open_value(prover *q, k_id v, bool wrapping, int depth, poly *out);

static bool is_signed(uint32_t t)
{
    return t == ST_I32 || t == ST_I64;
}

/* The least that v can be; what is known here is said of the value that an extent is made of, as max(x, 0). */
static int64_t least_here(const prover *q, k_id v)
{
    const k_node *n = k_at(q->b->p, v);
    int64_t lo = prove_range(q, v).lo, inner = ka_is(n, SOP_MAX) ? prove_range(q, n->args[0]).lo : lo;
    return inner > lo ? inner : lo;
}

static bool is_natural(const prover *q, k_id v)
{
    return least_here(q, v) >= 0;
}

static bool is_positive(const prover *q, k_id v)
{
    return least_here(q, v) >= 1;
}

/* x * 2^c */
static bool open_shift(prover *q, const k_node *n, bool wrapping, int depth, poly *out)
{
    poly x;
    int64_t c;
    if (!k_is_const(q->b->p, n->args[1], &c) || c < 0 || c > 30 ||
        !open_value(q, n->args[0], wrapping, depth - 1, &x))
        return false;
    ka_poly_set(out, 0);
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
    ka_poly_copy(out, &x);
    return ka_poly_add(out, &y, n->opcode == SOP_ADD ? 1 : -1);
}

/* Whether the integers fit the type, so that nothing has wrapped. */
static bool is_within_type(prover *q, const poly *x, scalar t)
{
    bool shortens = q->shortens;
    int64_t lo, hi;
    int steps = q->steps;
    k_type_range(t, &lo, &hi);
    poly above = ka_poly_constant(hi), below = {0};
    q->opening++;
    q->steps = OPEN_STEPS;
    q->shortens = false;
    bool ok = ka_poly_add(&above, x, -1) && ka_poly_add(&below, x, 1) &&
              !__builtin_sub_overflow(below.c, lo, &below.c) && prove_natural(q, &above) &&
              prove_natural(q, &below);
    q->opening--;
    q->steps = steps;
    q->shortens = shortens;
    return ok;
}

/* Likewise, by what was known before cases were told apart. */
static bool is_within_before(prover *q, const poly *x, scalar t)
{
    const known_polys *before = q->before_cases;
    known_polys here;
    known_copy(&here, &q->known);
    known_copy(&q->known, before);
    q->before_cases = NULL;
    bool ok = is_within_type(q, x, t);
    q->before_cases = before;
    known_copy(&q->known, &here);
    return ok;
}

/* Asked once, as values are opened at each step and in each case. */
static bool fits_type(prover *q, const poly *x, scalar t)
{
    if (t == ST_I64 || q->opening >= OPENINGS)
        return false;
    const known_polys *by = q->before_cases ? q->before_cases : &q->known;
    uint64_t asked = (uint64_t)t << 1 | (uint64_t)q->opening;
    uint64_t hash = prove_mix(prove_hash(x) + asked) + by->hash;
    opened_value *slot = &q->opened[hash % PROVE_OPENED];
    if (slot->hash != hash) {
        bool fits = q->before_cases ? is_within_before(q, x, t) : is_within_type(q, x, t);
        *slot = (opened_value){hash, fits};
    }
    return slot->fits;
}

static bool opens(const k_node *n)
{
    return n->op == K_SCALAR && is_signed(n->type) &&
           (n->opcode == SOP_ADD || n->opcode == SOP_SUB || n->opcode == SOP_MUL ||
            n->opcode == SOP_SHL);
}

bool prove_keeps(const k_program *p, const k_node *n)
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
    return ka_is(n, SOP_MAX) && k_is_const(q->b->p, n->args[1], &c) && c <= least_here(q, n->args[0]);
}

/* 1 or 0: what a comparison of values comes to by their intervals here; -1 where they do not tell. */
static int decided_here(const prover *q, k_id cond)
{
    const k_node *n = k_at(q->b->p, cond);
    if (n->op != K_SCALAR || (n->opcode != SOP_LT && n->opcode != SOP_LE) ||
        !is_signed(k_at(q->b->p, n->args[0])->type))
        return -1;
    k_range x = prove_range(q, n->args[0]), y = prove_range(q, n->args[1]);
    int64_t strict = n->opcode == SOP_LT;
    return x.hi <= y.lo - strict ? 1 : x.lo > y.hi - strict ? 0 : -1;
}

k_id prove_same_here(const prover *q, k_id v)
{
    const k_node *n = k_at(q->b->p, v);
    if (!is_signed(n->type))
        return v;
    if (is_needless(q, n))
        return n->args[0];
    int holds = ka_is(n, SOP_SELECT) ? decided_here(q, n->args[0]) : -1;
    return holds < 0 ? v : n->args[holds ? 1 : 2];
}

static bool open_value(prover *q, k_id v, bool wrapping, int depth, poly *out)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, v);
    int64_t c;
    k_id same = prove_same_here(q, v);
    ka_poly_set_atom(out, v);
    if (k_is_const(p, v, &c)) {
        ka_poly_set(out, c);
    } else if (depth > 0 && same != v) {
        return open_value(q, same, wrapping, depth - 1, out);
    } else if (depth > 0 && prove_keeps(p, n)) {
        return open_value(q, n->args[0], false, depth - 1, out);
    } else if (depth > 0 && opens(n)) {
        poly opened;
        bool plain = wrapping || n->exact == PROVED;
        if (open_operation(q, n, wrapping, depth, &opened) &&
            (plain || fits_type(q, &opened, (scalar)n->type)))
            ka_poly_copy(out, &opened);
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

/* Keeps the fact that was written behind those that count, if it is one and there is room. */
static void add_fact(uint32_t *n, bool ok)
{
    *n += ok && *n + 1 < PROVE_FACTS;
}

/* v lies in an interval. */
static void interval_facts(k_id v, int64_t lo, int64_t hi, poly facts[PROVE_FACTS], uint32_t *count)
{
    poly self;
    ka_poly_set_atom(&self, v);
    ka_poly_copy(&facts[*count], &self);
    add_fact(count, !__builtin_sub_overflow(0, lo, &facts[*count].c));
    ka_poly_set(&facts[*count], hi);
    add_fact(count, ka_poly_add(&facts[*count], &self, -1));
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
    poly product, self;
    ka_poly_set_atom(&self, v);
    if (!ka_poly_multiply(&product, d, &self))
        return;
    ka_poly_copy(&facts[*count], x);
    add_fact(count, ka_poly_add(&facts[*count], &product, -1));
    ka_poly_copy(&facts[*count], &product);
    facts[*count].c--;
    add_fact(count, ka_poly_add(&facts[*count], d, 1) && ka_poly_add(&facts[*count], x, -1));
}

/* The divisor is often max(d, 1) where d is positive. */
static void quotient_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, v), *by = k_at(p, n->args[1]);
    poly x, d;
    bool floors = n->opcode != SOP_QUOT || is_natural(q, n->args[0]);
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
    bool natural = is_natural(q, n->args[0]);
    if (!is_positive(q, n->args[1]) || (n->opcode == SOP_REM && !natural))
        return;
    ka_poly_set_atom(&facts[*count], v);
    add_fact(count, true);
    add_fact(count, difference(q, n->args[1], v, -1, &facts[*count]));
    if (natural)
        add_fact(count, difference(q, n->args[0], v, 0, &facts[*count]));
}

/* x shifted right and left again has lost its low bits; it is not below what was between. */
static void cleared_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_node *n = k_at(q->b->p, v), *right = k_at(q->b->p, n->args[0]);
    if (!ka_is(right, SOP_SHR) || right->args[1] != n->args[1] || n->type != ST_I32 ||
        right->type != ST_I32 || !is_natural(q, right->args[0]))
        return;
    add_fact(count, difference(q, right->args[0], v, 0, &facts[*count]));
    ka_poly_set_atom(&facts[*count], v);
    add_fact(count, true);
    if (k_lo(q->b->p, n->args[1]) >= 0 && k_hi(q->b->p, n->args[1]) < 32)
        add_fact(count, difference(q, v, n->args[0], 0, &facts[*count]));
}

/* Bits of natural numbers: those of both are not above either, those of one or both not above the
 * sum. */
static void bit_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_node *n = k_at(q->b->p, v);
    bool natural[2] = {is_natural(q, n->args[0]), is_natural(q, n->args[1])};
    bool both = n->opcode == SOP_AND;
    poly x, y, self;
    if (both ? !natural[0] && !natural[1] : !natural[0] || !natural[1])
        return;
    ka_poly_set_atom(&self, v);
    ka_poly_copy(&facts[*count], &self);
    add_fact(count, true);
    for (uint32_t i = 0; both && i < 2; i++)
        add_fact(count, natural[i] && difference(q, n->args[i], v, 0, &facts[*count]));
    if (both || !prove_open(q, n->args[0], &x) || !prove_open(q, n->args[1], &y))
        return;
    ka_poly_copy(&facts[*count], &x);
    add_fact(count, ka_poly_add(&facts[*count], &y, 1) && ka_poly_add(&facts[*count], &self, -1));
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

/* A minimum is not above either operand, a maximum not below.  A constant comes last, as it says nothing of other values. */
static void extreme_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_node *n = k_at(q->b->p, v);
    bool least = n->opcode == SOP_MIN, swapped = k_at(q->b->p, n->args[0])->op == K_CONST;
    for (uint32_t i = 0; i < 2; i++) {
        k_id x = n->args[swapped ? 1 - i : i];
        add_fact(count, difference(q, least ? x : v, least ? v : x, 0, &facts[*count]));
    }
}

/* Because of the operation that gives v. */
static void operation_facts(prover *q, k_id v, poly facts[PROVE_FACTS], uint32_t *count)
{
    const k_node *n = k_at(q->b->p, v);
    if (n->op != K_SCALAR || !is_signed(n->type))
        return;
    switch ((opcode)n->opcode) {
    case SOP_QUOT:
    case SOP_DIV:
    case SOP_SHR: quotient_facts(q, v, facts, count); break;
    case SOP_SHL:
        shift_facts(q, v, facts, count);
        cleared_facts(q, v, facts, count);
        break;
    case SOP_AND:
    case SOP_OR:
    case SOP_XOR: bit_facts(q, v, facts, count); break;
    case SOP_MIN:
    case SOP_MAX: extreme_facts(q, v, facts, count); break;
    case SOP_REM:
    case SOP_MOD: remainder_facts(q, v, facts, count); break;
    default: break;
    }
}

/* The interval last: it says nothing of other values. */
uint32_t prove_facts(prover *q, k_id v, poly facts[PROVE_FACTS])
{
    const k_program *p = q->b->p;
    uint32_t count = 0;
    k_id limit = ka_limit(q->b, v), bound = k_bound(p, v);
    if (limit)
        add_fact(&count, difference(q, limit, v, -1, &facts[count]));
    if (bound)
        add_fact(&count, difference(q, bound, v, 0, &facts[count]));
    operation_facts(q, v, facts, &count);
    if (k_hi(p, v) <= PROVE_SMALL && k_lo(p, v) >= -PROVE_SMALL)
        interval_facts(v, k_lo(p, v), k_hi(p, v), facts, &count);
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
bool prove_below(prover *q, k_id x, k_id y, poly *out)
{
    const k_program *p = q->b->p;
    const k_node *n = k_at(p, y);
    for (int i = 0; i < 2 && ka_is(n, SOP_MAX); i++)
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
    case SOP_LT: return holds ? prove_below(q, x, y, out) : difference(q, x, y, 0, out);
    case SOP_LE: return holds ? difference(q, y, x, 0, out) : prove_below(q, y, x, out);
    case SOP_GT: return holds ? prove_below(q, y, x, out) : difference(q, y, x, 0, out);
    case SOP_GE: return holds ? difference(q, x, y, 0, out) : prove_below(q, x, y, out);
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

uint32_t prove_condition(prover *q, k_id cond, bool holds, poly *out, uint32_t room)
{
    return condition(q, cond, holds, out, room, CONDITION_DEPTH);
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

/* In a branch that is taken because of that very condition nothing is chosen. */
static bool of_select(prover *q, const k_node *n, value_case cases[2])
{
    int64_t holds;
    bool decided = k_is_const(q->b->p, kb_known(q->b, n->args[0]), &holds);
    for (uint32_t i = 0; i < 2; i++) {
        if (!prove_open(q, n->args[decided ? (holds ? 1 : 2) : 1u + i], &cases[i].is))
            return false;
        if (decided) {
            cases[i].n = 0;
            continue;
        }
        cases[i].n = prove_condition(q, n->args[0], i == 0, cases[i].where, 4);
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
