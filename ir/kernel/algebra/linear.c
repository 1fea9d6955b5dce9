/* Linear forms: integers as c + k0 * v0 + k1 * v1 + ..., modulo the width of their type.  They are
 * the affine expressions of polyhedral compilers, and what scalar evolution keeps for loops.
 *
 * Sums are rebuilt when that makes them shorter, so that n - (n - i - 1) - 1 is i: index functions
 * composed of index functions cancel.  Division splits a form into multiples of its divisor and
 * the rest (divide.c).
 *
 * The depth of opening and the number of terms are bounded, so a form costs constant time; what
 * is deeper stays a term of its own. */
#include "ir/kernel/algebra/fold.h"

#include "ir/scalar/scalar.h"

enum { LINEAR_DEPTH = 4, ALL_DEPTH = 8 };

/* Coefficients wrap like the type, and are signed whether it is or not. */
static int64_t residue(scalar t, uint64_t k)
{
    uint32_t unused = 64 - ir_scalar_bytes(t) * 8;
    return (int64_t)(k << unused) >> unused;
}

/* ---- taking apart ---- */

typedef struct opening {
    const k_program *p;
    scalar t;
    linear_depth depth;
    linear *l;
    bool full; /* more terms than fit */
} opening;

/* Quadratic in the terms, of which there are few.  Coefficients may become 0: drop_empty. */
static void add_term(opening *o, k_id v, int64_t k)
{
    linear *l = o->l;
    uint32_t i = 0;
    while (i < l->n && l->v[i] != v)
        i++;
    if (i == MAX_TERMS) {
        o->full = true;
        return;
    }
    if (i == l->n) {
        l->n++;
        l->v[i] = v;
        l->k[i] = 0;
    }
    l->k[i] = residue(o->t, (uint64_t)l->k[i] + (uint64_t)k);
}

static void drop_empty(linear *l)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        l->v[kept] = l->v[i];
        l->k[kept] = l->k[i];
        kept += l->k[i] != 0;
    }
    l->n = kept;
}

/* v as factor * (constant *c); false when it is no such product. */
static bool is_multiple(const k_program *p, const k_node *n, k_id *factor, int64_t *c)
{
    for (int i = 0; n->op == K_SCALAR && n->opcode == SOP_MUL && i < 2; i++)
        if (k_is_const(p, n->args[1 - i], c)) {
            *factor = n->args[i];
            return true;
        }
    return false;
}

/* ---- conversions ---- */

static void open_value(opening *o, k_id v, int64_t k, int fuel);

static uint32_t width_of(const opening *o, k_id v)
{
    scalar t = (scalar)k_at(o->p, v)->type;
    return ir_scalar_class(t) == 'I' ? ir_scalar_bytes(t) : 0;
}

/* Whether the sum, as integers, lies in the type. */
static bool fits(const k_program *p, const linear *l, uint32_t bytes)
{
    k_range r = ka_linear_range(p, l);
    int64_t most = residue(ST_I64, UINT64_MAX >> (65 - bytes * 8));
    return r.known && r.lo >= -most - 1 && r.hi <= most;
}

/* What is converted has a form of its own width; if that does not wrap, and the result holds it,
 * the conversion has the same one. */
static bool open_equal(opening *o, const k_node *n, int64_t k, int fuel)
{
    k_id x = n->args[0];
    uint32_t from = width_of(o, x), to = ir_scalar_bytes((scalar)n->type);
    linear inner = {0};
    opening own = {.p = o->p, .t = (scalar)k_at(o->p, x)->type, .depth = OPEN_EQUAL, .l = &inner};
    open_value(&own, x, 1, fuel);
    drop_empty(&inner);
    if (own.full || !fits(o->p, &inner, from < to ? from : to))
        return false;
    for (uint32_t i = 0; i < inner.n; i++)
        add_term(o, inner.v[i], residue(o->t, (uint64_t)k * (uint64_t)inner.k[i]));
    o->l->c = residue(o->t, (uint64_t)o->l->c + (uint64_t)k * (uint64_t)inner.c);
    return true;
}

/* False: it is a term. */
static bool open_conversion(opening *o, const k_node *n, int64_t k, int fuel)
{
    uint32_t from = width_of(o, n->args[0]), to = ir_scalar_bytes((scalar)n->type);
    if (o->depth < OPEN_EQUAL || ir_scalar_class((scalar)n->type) != 'I' || !from || !fuel)
        return false;
    uint32_t width = ir_scalar_bytes(o->t);
    if (o->depth != OPEN_RESIDUE || from < width || to < width)
        return open_equal(o, n, k, fuel - 1);
    open_value(o, n->args[0], k, fuel - 1);
    return true;
}

/* Adds k * v, opening sums `fuel` levels deep. */
static void open_value(opening *o, k_id v, int64_t k, int fuel)
{
    const k_node *n = k_at(o->p, v);
    bool sum = n->op == K_SCALAR && (n->opcode == SOP_ADD || n->opcode == SOP_SUB);
    k_id factor;
    int64_t c;
    if (o->full)
        return;
    if (n->op == K_CONST) {
        o->l->c = residue(o->t, (uint64_t)o->l->c + (uint64_t)k * n->bits);
    } else if (sum && fuel > 0) {
        open_value(o, n->args[0], k, fuel - 1);
        open_value(o, n->args[1], n->opcode == SOP_ADD ? k : residue(o->t, 0 - (uint64_t)k),
                   fuel - 1);
    } else if (o->depth != OPEN_SUMS && is_multiple(o->p, n, &factor, &c)) {
        k = residue(o->t, (uint64_t)k * (uint64_t)c);
        open_value(o, factor, k, o->depth >= OPEN_ALL && fuel > 0 ? fuel - 1 : 0);
    } else if (n->op != K_CONVERT || !open_conversion(o, n, k, fuel)) {
        add_term(o, v, k);
    }
}

/* Whether k * v is m times the quotient that belongs to the remainder r. */
static bool is_quotient_part(const opening *o, const k_node *r, k_id v, int64_t k, int64_t m)
{
    const k_node *n = k_at(o->p, v);
    opcode quotient = r->opcode == SOP_REM ? SOP_QUOT : SOP_DIV;
    int64_t d;
    if (k_is_const(o->p, r->args[1], &d) && n->op == K_SCALAR && n->opcode == quotient)
        return n->args[0] == r->args[0] && n->args[1] == r->args[1] &&
               k == residue(o->t, (uint64_t)m * (uint64_t)d);
    for (int i = 0; n->op == K_SCALAR && n->opcode == SOP_MUL && k == m && i < 2; i++) {
        const k_node *q = k_at(o->p, n->args[i]);
        if (q->op == K_SCALAR && q->opcode == quotient && q->args[0] == r->args[0] &&
            q->args[1] == r->args[1] && ka_is_rest_by(o->p, r, n->args[1 - i]))
            return true;
    }
    return false;
}

/* (x quot d) * d + x rem d is x, for any x and d; and with max(d, 1) for the divisor where d is not
 * 0. */
static void join_divisions(opening *o)
{
    linear *l = o->l;
    for (uint32_t i = 0; i < l->n; i++) {
        const k_node *r = k_at(o->p, l->v[i]);
        if (r->op != K_SCALAR || (r->opcode != SOP_REM && r->opcode != SOP_MOD))
            continue;
        for (uint32_t j = 0; j < l->n; j++) {
            if (j == i || !is_quotient_part(o, r, l->v[j], l->k[j], l->k[i]))
                continue;
            int64_t k = l->k[i];
            l->k[i] = l->k[j] = 0;
            open_value(o, r->args[0], k, LINEAR_DEPTH);
            break;
        }
    }
}

/* The form is exact modulo the width; whether it is so as integers is for ka_linear_range to
 * tell. */
bool ka_linear_of(const k_program *p, scalar t, k_id x, k_id y, int sign, linear_depth depth,
                  linear *out)
{
    *out = (linear){0};
    opening o = {.p = p, .t = t, .depth = depth, .l = out};
    int fuel = depth >= OPEN_ALL ? ALL_DEPTH : LINEAR_DEPTH;
    open_value(&o, x, 1, fuel);
    if (y)
        open_value(&o, y, sign, fuel);
    if (!o.full)
        join_divisions(&o);
    drop_empty(out);
    return !o.full;
}

bool ka_linear_add(linear *l, const linear *m, int64_t factor, scalar t)
{
    opening o = {.t = t, .l = l};
    l->c = residue(t, (uint64_t)l->c + (uint64_t)factor * (uint64_t)m->c);
    for (uint32_t i = 0; i < m->n; i++)
        add_term(&o, m->v[i], residue(t, (uint64_t)factor * (uint64_t)m->k[i]));
    drop_empty(l);
    return !o.full;
}

/* ---- asking ---- */

/* The interval of each term by itself: terms that depend on each other make it wider than it is. */
k_range ka_linear_range(const k_program *p, const linear *l)
{
    k_range sum = {l->c, l->c, true};
    for (uint32_t i = 0; i < l->n && sum.known; i++) {
        k_range term = ka_range_mul(ka_range_of(p, l->v[i]), (k_range){l->k[i], l->k[i], true});
        sum = term.known ? ka_range_add(sum, term) : term;
    }
    return sum;
}

/* The constant is shared out so that the rest begins in [0, g): most rests then need no
 * division. */
void ka_linear_split(const k_program *p, const linear *l, int64_t g, linear *whole, linear *rest)
{
    *whole = *rest = (linear){0};
    for (uint32_t i = 0; i < l->n; i++) {
        bool divides = l->k[i] % g == 0;
        linear *to = divides ? whole : rest;
        to->v[to->n] = l->v[i];
        to->k[to->n++] = divides ? l->k[i] / g : l->k[i];
    }
    k_range r = ka_linear_range(p, rest);
    int64_t start = l->c;
    if (!r.known || r.lo < INT64_MIN / 2 || __builtin_add_overflow(r.lo, l->c, &start))
        start = l->c;
    whole->c = ka_floor_div(start, g);
    rest->c = (int64_t)((uint64_t)l->c - (uint64_t)whole->c * (uint64_t)g);
}

/* ---- building ---- */

/* |k| * v */
static k_id multiple(k_builder *b, scalar t, k_id v, int64_t k)
{
    uint64_t size = k < 0 ? 0 - (uint64_t)k : (uint64_t)k;
    return size == 1 ? v : kb_scalar(b, SOP_MUL, v, kb_const(b, t, scalar_wrap(t, size)), 0);
}

/* The terms with coefficients of one sign, added to or subtracted from v (0: nothing yet). */
static k_id add_terms(k_builder *b, const linear *l, scalar t, bool minus, k_id v)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if ((l->k[i] < 0) != minus)
            continue;
        k_id term = multiple(b, t, l->v[i], l->k[i]);
        if (v)
            v = kb_scalar(b, minus ? SOP_SUB : SOP_ADD, v, term, 0);
        else
            v = minus ? kb_scalar(b, SOP_NEG, term, 0, 0) : term;
    }
    return v;
}

/* What is added first, then what is subtracted; the constant is last unless it is all that is
 * added. */
k_id ka_linear_value(k_builder *b, const linear *l, scalar t)
{
    k_id v = add_terms(b, l, t, false, 0);
    if (!v && l->c > 0)
        return add_terms(b, l, t, true, kb_const(b, t, scalar_wrap(t, (uint64_t)l->c)));
    v = add_terms(b, l, t, true, v);
    if (!v)
        return kb_const(b, t, scalar_wrap(t, (uint64_t)l->c));
    if (l->c == 0)
        return v;
    int64_t negated = residue(t, 0 - (uint64_t)l->c);
    bool minus = ir_scalar_class(t) == 'I' && l->c < 0 && negated != l->c;
    return kb_scalar(b, minus ? SOP_SUB : SOP_ADD, v,
                     kb_const(b, t, scalar_wrap(t, (uint64_t)(minus ? negated : l->c))), 0);
}

/* ---- sums ---- */

/* What the sum costs as it is written. */
static uint32_t count_leaves(const k_program *p, k_id v, int depth)
{
    const k_node *n = k_at(p, v);
    if (n->op == K_SCALAR && (n->opcode == SOP_ADD || n->opcode == SOP_SUB) && depth > 0)
        return count_leaves(p, n->args[0], depth - 1) + count_leaves(p, n->args[1], depth - 1);
    return 1;
}

/* Rebuilds only what gets shorter, so that folding ends. */
static k_id try_sum(k_builder *b, opcode op, scalar t, const k_id x[3], linear_depth depth)
{
    linear l;
    uint32_t before =
        count_leaves(b->p, x[0], LINEAR_DEPTH) + count_leaves(b->p, x[1], LINEAR_DEPTH);
    if (!ka_linear_of(b->p, t, x[0], x[1], op == SOP_ADD ? 1 : -1, depth, &l) ||
        l.n + (l.c != 0) >= before)
        return 0;
    for (uint32_t i = 0; i < l.n; i++) /* 3x is no shorter than x + x + x as built */
        if (l.k[i] != 1 && l.k[i] != -1)
            return 0;
    return ka_linear_value(b, &l, t);
}

/* With products as they stand first: a * 8 + 0 is a * 8; then opened: 2n - n is n. */
k_id ka_fold_sum(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    if (op == SOP_ADD && k_at(b->p, x[0])->op == K_CONST && k_lo(b->p, x[0]) == 0)
        return x[1];
    if (k_at(b->p, x[1])->op == K_CONST && k_lo(b->p, x[1]) == 0)
        return x[0];
    k_id v = try_sum(b, op, t, x, OPEN_SUMS);
    return v ? v : try_sum(b, op, t, x, OPEN_PRODUCTS);
}
