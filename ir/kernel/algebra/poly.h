/* Polynomials over values, as integers that do not wrap: c + k0 * x * y + k1 * z + ...  What
 * indices into arrays of arrays come to, where rows have lengths that nobody knows. */
#ifndef FCL_IR_KERNEL_POLY_H
#define FCL_IR_KERNEL_POLY_H

#include "ir/kernel/algebra/fold.h"

#include <stddef.h>
#include <string.h>

enum { POLY_TERMS = 12, POLY_DEGREE = 3 };

typedef struct monomial {
    int64_t k;
    uint32_t n;
    k_id v[POLY_DEGREE]; /* in order; 0 behind the last one */
} monomial;

typedef struct poly {
    int64_t c;
    uint32_t n;
    monomial m[POLY_TERMS];
} poly;

/* Each is false when a coefficient, the degree or the number of terms becomes too large; a coefficient
 * of a term is where its opposite would be, so that whoever has a polynomial may negate it. */
bool ka_poly_add(poly *to, const poly *x, int64_t factor);
/* to becomes x * y. */
bool ka_poly_multiply(poly *to, const poly *x, const poly *y);
/* to becomes x times a term. */
bool ka_poly_scale(poly *to, const poly *x, const monomial *by);
/* x with a polynomial in the place of v. */
bool ka_poly_replace(poly *x, k_id v, const poly *by);

static inline poly ka_poly_constant(int64_t c)
{
    return (poly){.c = c};
}
static inline poly ka_poly_atom(k_id v)
{
    return (poly){.n = 1, .m[0] = {.k = 1, .n = 1, .v[0] = v}};
}
/* The same in place: the terms that there are not stay what they were, as proofs make many. */
static inline void ka_poly_set(poly *x, int64_t c)
{
    x->c = c;
    x->n = 0;
}
static inline void ka_poly_set_atom(poly *x, k_id v)
{
    ka_poly_set(x, 0);
    x->m[x->n++] = (monomial){.k = 1, .n = 1, .v[0] = v};
}
static inline void ka_poly_copy(poly *to, const poly *from)
{
    memcpy(to, from, offsetof(poly, m) + from->n * sizeof *from->m);
}

bool ka_monomial_has(const monomial *m, k_id v);
/* The term without one v. */
monomial ka_monomial_without(const monomial *m, k_id v);
bool ka_poly_has(const poly *x, k_id v);
/* Whether both are products of the same values, whatever their coefficients. */
static inline bool ka_monomials_match(const monomial *x, const monomial *y)
{
    return memcmp(&x->n, &y->n, sizeof *x - offsetof(monomial, n)) == 0;
}

#endif
