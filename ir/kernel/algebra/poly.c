/* Arithmetic of polynomials over values: see poly.h.  Terms are few, so all is quadratic. */
#include "ir/kernel/algebra/poly.h"

/* A term that comes to nothing goes; none has a coefficient without an opposite. */
static bool add_term(poly *to, const monomial *m)
{
    uint32_t i = 0;
    if (m->n == 0)
        return !__builtin_add_overflow(to->c, m->k, &to->c);
    while (i < to->n && !ka_monomials_match(&to->m[i], m))
        i++;
    if (i == POLY_TERMS)
        return false;
    if (i == to->n) {
        to->m[i] = *m;
        to->n += m->k != 0;
        return m->k != INT64_MIN;
    }
    if (__builtin_add_overflow(to->m[i].k, m->k, &to->m[i].k) || to->m[i].k == INT64_MIN)
        return false;
    if (to->m[i].k == 0)
        to->m[i] = to->m[--to->n];
    return true;
}

bool ka_poly_add(poly *to, const poly *x, int64_t factor)
{
    int64_t c;
    bool ok =
        !__builtin_mul_overflow(x->c, factor, &c) && !__builtin_add_overflow(to->c, c, &to->c);
    for (uint32_t i = 0; ok && i < x->n; i++) {
        monomial m = x->m[i];
        ok = !__builtin_mul_overflow(m.k, factor, &m.k) && add_term(to, &m);
    }
    return ok;
}

static bool multiply_terms(const monomial *x, const monomial *y, monomial *out)
{
    uint32_t i = 0, j = 0;
    *out = (monomial){.n = x->n + y->n};
    if (out->n > POLY_DEGREE || __builtin_mul_overflow(x->k, y->k, &out->k))
        return false;
    for (uint32_t k = 0; k < out->n; k++) {
        bool first = j == y->n || (i < x->n && x->v[i] <= y->v[j]);
        out->v[k] = first ? x->v[i++] : y->v[j++];
    }
    return true;
}

/* A constant is a term without values. */
static monomial term_of(const poly *x, uint32_t i)
{
    return i < x->n ? x->m[i] : (monomial){.k = x->c};
}

/* Of a term, which may be a constant, and a polynomial. */
static bool add_product(poly *to, const monomial *m, const poly *by)
{
    for (uint32_t i = 0; i <= by->n; i++) {
        monomial b = term_of(by, i), both;
        if (b.k && !(multiply_terms(m, &b, &both) && add_term(to, &both)))
            return false;
    }
    return true;
}

bool ka_poly_multiply(poly *to, const poly *x, const poly *y)
{
    ka_poly_set(to, 0);
    for (uint32_t i = 0; i <= x->n; i++) {
        monomial a = term_of(x, i);
        if (a.k && !add_product(to, &a, y))
            return false;
    }
    return true;
}

bool ka_poly_scale(poly *to, const poly *x, const monomial *by)
{
    ka_poly_set(to, 0);
    return add_product(to, by, x);
}

bool ka_monomial_has(const monomial *m, k_id v)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->v[i] == v)
            return true;
    return false;
}

bool ka_poly_has(const poly *x, k_id v)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (ka_monomial_has(&x->m[i], v))
            return true;
    return false;
}

monomial ka_monomial_without(const monomial *m, k_id v)
{
    monomial rest = {.k = m->k};
    bool taken = false;
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->v[i] == v && !taken)
            taken = true;
        else
            rest.v[rest.n++] = m->v[i];
    }
    return rest;
}

bool ka_poly_replace(poly *x, k_id v, const poly *by)
{
    for (int turn = 0; turn < POLY_DEGREE && ka_poly_has(x, v); turn++) {
        poly sum;
        ka_poly_set(&sum, x->c);
        for (uint32_t i = 0; i < x->n; i++) {
            bool has = ka_monomial_has(&x->m[i], v);
            monomial rest = has ? ka_monomial_without(&x->m[i], v) : x->m[i];
            if (!(has ? add_product(&sum, &rest, by) : add_term(&sum, &rest)))
                return false;
        }
        ka_poly_copy(x, &sum);
    }
    return true;
}
