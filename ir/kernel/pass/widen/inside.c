/* Checks of positions in columns (column.c) that the host can make for all elements at once.  A
 * position x * m + y with y below m is below b * m where x is below b; the digits of an element's
 * number are below their radix, and so is what a boundary makes of a neighbour's, where the
 * boundary is where the array ends.  So a check that a position is below the length of an array
 * comes to a comparison of that length with a product, once. */
#include "ir/kernel/pass/widen/widen.h"

/* 0 <= value < below, or that many planes' elements: below.k times as many as there are planes. */
typedef struct bounds {
    monomial below;
    bool planes;
} bounds;

static bool is_scalar(const k_node *n, opcode op)
{
    return n->op == K_SCALAR && n->opcode == op;
}

/* The digit that a value is but for what is added to it; NULL: none. */
static const widen_digit *digit_near(const widening *w, k_id v, int64_t *more)
{
    const k_program *p = w->r.old;
    const k_node *n = k_at(p, v);
    *more = 0;
    for (int i = 0; i < 2; i++)
        if ((is_scalar(n, SOP_ADD) || (is_scalar(n, SOP_SUB) && i == 1)) &&
            k_is_const(p, n->args[i], more)) {
            *more = n->opcode == SOP_ADD ? *more : -*more;
            return widen_digit_at(w, n->args[1 - i]);
        }
    return widen_digit_at(w, v);
}

static bool bounds_of_digit(const widening *w, const widen_digit *d, bounds *out)
{
    monomial left;
    if (!d || !widen_belongs(&w->column, d, &left))
        return false;
    out->planes = d->below.k == 0;
    out->below = out->planes ? left : d->below;
    return !out->planes || (left.n == 0 && left.k == 1);
}

/* The operand of an operation with a constant, 0; 0: there is none. */
static k_id beside_zero(const k_program *p, const k_node *n)
{
    int64_t c;
    for (int i = 0; i < 2; i++)
        if (k_is_const(p, n->args[i], &c) && c == 0)
            return n->args[1 - i];
    return 0;
}

/* x, where a value is max(0, x); else itself. */
static k_id without_zero(const k_program *p, k_id v)
{
    k_id x = is_scalar(k_at(p, v), SOP_MAX) ? beside_zero(p, k_at(p, v)) : 0;
    return x ? x : v;
}

/* min(x, c), where that is not negative when nothing else sees to it: where c is the last place of
 * the axis. */
static bool bounds_of_least(widening *w, k_id v, bool natural, bounds *out)
{
    const k_node *n = k_at(w->r.old, v);
    for (int i = 0; i < 2 && is_scalar(n, SOP_MIN); i++) {
        k_id x = n->args[i], plain = without_zero(w->r.old, x), c = n->args[1 - i];
        int64_t more;
        const widen_digit *d = digit_near(w, plain, &more);
        bool least = natural || x != plain || more >= 0;
        if (least && widen_is_outer(w, c) && bounds_of_digit(w, d, out))
            return widen_note_limit(w, d, c, LIMIT_IS_LAST);
    }
    return false;
}

/* max(0, min(x, c)), min(max(0, x), c), max(0, x - k), min(x + k, c): a neighbour's place, or the
 * nearest one. */
static bool bounds_of_clamped(widening *w, k_id v, bounds *out)
{
    k_id inner = without_zero(w->r.old, v);
    int64_t more;
    const widen_digit *d = inner != v ? digit_near(w, inner, &more) : NULL;
    return (d && more <= 0 && bounds_of_digit(w, d, out)) ||
           bounds_of_least(w, inner, inner != v, out);
}

static bool is_one(const monomial *m)
{
    return m->n == 0 && m->k == 1;
}

static bool bounds_of(widening *w, k_id v, int depth, bounds *out);

/* x * m + y. */
static bool bounds_of_sum(widening *w, const k_node *n, int depth, bounds *out)
{
    const k_program *p = w->r.old;
    for (int i = 0; i < 2; i++) {
        const k_node *product = k_at(p, n->args[i]);
        bounds x, y;
        monomial m;
        for (int k = 0; k < 2 && is_scalar(product, SOP_MUL); k++)
            if (widen_factors_of(w, product->args[1 - k], &m) &&
                bounds_of(w, product->args[k], depth + 1, &x) &&
                bounds_of(w, n->args[1 - i], depth + 1, &y) && !y.planes &&
                ka_monomials_match(&m, &y.below) && m.k == y.below.k &&
                widen_multiply(&x.below, &m, &out->below)) {
                out->planes = x.planes;
                return true;
            }
    }
    return false;
}

static bool bounds_of(widening *w, k_id v, int depth, bounds *out)
{
    enum { DEEPEST = 6 };
    const k_node *n = k_at(w->r.old, v);
    const widen_digit *d = widen_digit_at(w, v);
    if (depth > DEEPEST || !(w->notes[v] & NOTE_BODY))
        return false;
    if (d && is_one(&d->stride) && d->below.k == 0) { /* the number of the element */
        *out = (bounds){w->column.plane, true};
        return true;
    }
    if (is_scalar(n, SOP_ADD) && bounds_of_sum(w, n, depth, out))
        return true;
    return bounds_of_digit(w, d, out) || bounds_of_clamped(w, v, out);
}

/* A number before its bits are taken for one without a sign. */
static k_id before_bits(const k_program *p, k_id v)
{
    return k_at(p, v)->op == K_BITCAST ? k_at(p, v)->args[0] : v;
}

bool widen_column_inside(widening *w, k_id cond)
{
    const k_program *p = w->r.old;
    const k_node *n = k_at(p, cond);
    if (!is_scalar(n, SOP_LT))
        return false;
    k_id at = before_bits(p, n->args[0]), length = before_bits(p, n->args[1]);
    uint32_t before = w->column.limits.len;
    bounds b;
    bool ok = k_at(p, at)->type == ST_I32 && k_at(p, length)->type == ST_I32 &&
              widen_is_outer(w, length) && bounds_of(w, at, 0, &b) && b.planes &&
              ka_monomials_match(&b.below, &w->column.plane) && b.below.k == w->column.plane.k;
    if (!ok)
        w->column.limits.len = before;
    return ok && widen_note_limit(w, NULL, length, LIMIT_ALL);
}
