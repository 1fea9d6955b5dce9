/* How a body takes the number of its element apart: its digits in mixed radix, as the indices of an
 * array of rank 2 or more are, or what a program computes itself for an array of rank 1. Polyhedral
 * compilers call it delinearisation; here only quotients and remainders by values of the host are
 * looked at, each as a product of such.
 *
 * Nothing is said here of these values but that digits are what they are where all factors are at
 * least 1 and the products do not wrap.  The host asks for that (column.c). */
#include "ir/kernel/pass/widen/widen.h"

static bool is_none(const monomial *m)
{
    return m->k == 0;
}

bool widen_multiply(const monomial *x, const monomial *y, monomial *product)
{
    uint32_t i = 0, j = 0;
    *product = (monomial){.n = x->n + y->n};
    if (product->n > POLY_DEGREE || __builtin_mul_overflow(x->k, y->k, &product->k) ||
        product->k > INT32_MAX)
        return false;
    for (uint32_t k = 0; k < product->n; k++) {
        bool first = j == y->n || (i < x->n && x->v[i] <= y->v[j]);
        product->v[k] = first ? x->v[i++] : y->v[j++];
    }
    return true;
}

bool widen_divide(const monomial *x, const monomial *y, monomial *quotient)
{
    uint32_t j = 0;
    if (is_none(x) || is_none(y) || x->k % y->k != 0)
        return false;
    *quotient = (monomial){.k = x->k / y->k};
    for (uint32_t i = 0; i < x->n; i++)
        if (j < y->n && x->v[i] == y->v[j])
            j++;
        else
            quotient->v[quotient->n++] = x->v[i];
    return j == y->n;
}

static bool factors_of(const widening *w, k_id v, int depth, monomial *m)
{
    enum { DEEPEST = 4 };
    const k_node *n = k_at(w->r.old, v);
    monomial x, y;
    int64_t c;
    if (k_is_const(w->r.old, v, &c)) {
        *m = (monomial){.k = c};
        return c > 0;
    }
    if (n->op == K_SCALAR && n->opcode == SOP_MAX && k_is_const(w->r.old, n->args[1], &c) && c == 1)
        return factors_of(w, n->args[0], depth, m);
    if (n->op == K_SCALAR && n->opcode == SOP_MUL && depth < DEEPEST)
        return factors_of(w, n->args[0], depth + 1, &x) &&
               factors_of(w, n->args[1], depth + 1, &y) && widen_multiply(&x, &y, m);
    *m = (monomial){.k = 1, .n = 1, .v = {v}};
    return rebuild_value(&w->r, v) && kb_is_host(&w->r.b, rebuild_value(&w->r, v));
}

bool widen_factors_of(const widening *w, k_id v, monomial *m)
{
    return factors_of(w, v, 0, m);
}

const widen_digit *widen_digit_at(const widening *w, k_id value)
{
    const widen_digits *all = &w->column.digits;
    for (uint32_t i = 0; i < all->len; i++)
        if (all->at[i].value == value)
            return &all->at[i];
    return NULL;
}

static bool quotient_of(const widen_digit *x, const monomial *by, widen_digit *q)
{
    bool whole = is_none(&x->below) || widen_divide(&x->below, by, &q->below);
    return whole && widen_multiply(&x->stride, by, &q->stride);
}

static bool remainder_of(const widen_digit *x, const monomial *by, widen_digit *r)
{
    monomial times;
    r->stride = x->stride;
    r->below = *by;
    return is_none(&x->below) || widen_divide(&x->below, by, &times);
}

/* x - (x quot d) * d: x and d. */
static bool is_what_is_left(const k_program *p, const k_node *n, k_id *x, k_id *d)
{
    const k_node *product = k_at(p, n->args[1]);
    *x = n->args[0];
    if (n->opcode != SOP_SUB || product->op != K_SCALAR || product->opcode != SOP_MUL)
        return false;
    for (int i = 0; i < 2; i++) {
        const k_node *q = k_at(p, product->args[i]);
        *d = product->args[1 - i];
        if (q->op == K_SCALAR && (q->opcode == SOP_QUOT || q->opcode == SOP_DIV) &&
            q->args[0] == *x && q->args[1] == *d)
            return true;
    }
    return false;
}

static bool note_digit(widening *w, k_id id)
{
    const k_program *p = w->r.old;
    const k_node *n = k_at(p, id);
    k_id x = n->args[0], d = n->args[1];
    monomial by;
    widen_digit fresh = {.value = id};
    if (n->op != K_SCALAR || n->type != ST_I32)
        return true;
    bool quotient = n->opcode == SOP_QUOT || n->opcode == SOP_DIV;
    bool rest = n->opcode == SOP_REM || n->opcode == SOP_MOD || is_what_is_left(p, n, &x, &d);
    const widen_digit *of = quotient || rest ? widen_digit_at(w, x) : NULL;
    if (!of || (w->notes[d] & NOTE_BODY) || !widen_factors_of(w, d, &by) ||
        !(quotient ? quotient_of : remainder_of)(of, &by, &fresh))
        return true;
    return vec_push(&p->cx->mem, &w->column.digits, fresh);
}

static bool note_digits(widening *w, k_block body)
{
    const k_program *p = w->r.old;
    bool ok = true;
    for (k_id id = k_block_at(p, body)->first; ok && id; id = k_at(p, id)->next) {
        ok = note_digit(w, id);
        for (int i = 0; i < 2 && ok; i++)
            ok = !k_at(p, id)->blocks[i] || note_digits(w, k_at(p, id)->blocks[i]);
    }
    return ok;
}

/* The plane is the largest number that the whole number is divided by. */
bool widen_digits_find(widening *w, k_block body)
{
    widen_column *c = &w->column;
    widen_digit number = {.value = k_block_at(w->r.old, body)->params, .stride = {.k = 1}};
    c->digits.len = 0;
    c->plane = (monomial){.k = 1};
    if (!vec_push(&w->r.old->cx->mem, &c->digits, number) || !note_digits(w, body))
        return false;
    for (uint32_t i = 0; i < c->digits.len; i++) {
        const widen_digit *d = &c->digits.at[i];
        bool more =
            d->stride.n > c->plane.n || (d->stride.n == c->plane.n && d->stride.k > c->plane.k);
        if (is_none(&d->below) && more)
            c->plane = d->stride;
    }
    return c->plane.n > 0 || c->plane.k > 1;
}
