/* Positions in columns as polynomials over the digits of an element's number (column.c): indices
 * that are equal may be computed in several ways, by the indices of an axis or by the whole number.
 * So what two lanes read of one element is one load, and positions that are some planes above one
 * another are one sum each. */
#include "ir/kernel/pass/widen/widen.h"

bool widen_product_form(const widening *w, const monomial *m, poly *out)
{
    *out = ka_poly_constant(m->k);
    for (uint32_t i = 0; i < m->n; i++) {
        poly x = *out, y = ka_poly_atom(widen_outer(w, m->v[i]));
        if (!ka_poly_multiply(out, &x, &y))
            return false;
    }
    return true;
}

/* ---- loads ---- */

static bool is_factor(const widening *w, k_id v)
{
    const monomial *plane = &w->column.plane;
    for (uint32_t i = 0; i < plane->n; i++)
        if (widen_outer(w, plane->v[i]) == v)
            return true;
    return false;
}

/* A value as a polynomial: the same modulo 2^32, as sums and products are. */
static bool form_of(const widening *w, k_id v, int depth, poly *out)
{
    enum { DEEPEST = 12 };
    const k_program *p = w->r.b.p;
    const k_node *n = k_at(p, v);
    int64_t c;
    poly x, y;
    for (uint32_t i = 0; i < w->column.forms.len; i++)
        if (w->column.forms.at[i].value == v) {
            *out = w->column.forms.at[i].form;
            return true;
        }
    *out = k_is_const(p, v, &c) ? ka_poly_constant(c) : ka_poly_atom(v);
    if (n->op != K_SCALAR || n->type != ST_I32 || depth > DEEPEST)
        return true;
    if (n->opcode == SOP_MAX && k_is_const(p, n->args[1], &c) && c == 1 && is_factor(w, n->args[0]))
        *out = ka_poly_atom(n->args[0]); /* which is at least 1 */
    if (n->opcode != SOP_ADD && n->opcode != SOP_SUB && n->opcode != SOP_MUL)
        return true;
    if (!form_of(w, n->args[0], depth + 1, &x) || !form_of(w, n->args[1], depth + 1, &y))
        return false;
    if (n->opcode == SOP_MUL)
        return ka_poly_multiply(out, &x, &y);
    *out = x;
    return ka_poly_add(out, &y, n->opcode == SOP_ADD ? 1 : -1);
}

bool widen_form_of(const widening *w, k_id v, poly *out)
{
    return form_of(w, v, 0, out);
}

static bool is_equal(const poly *x, const poly *y)
{
    poly d = *x;
    return ka_poly_add(&d, y, -1) && d.n == 0 && d.c == 0;
}

/* How many planes, fewer than there are lanes, x is above y; -1: it is not so. */
static int planes_above(const widening *w, const poly *x, const poly *y)
{
    poly plane, z = *y;
    bool ok = widen_product_form(w, &w->column.plane, &plane);
    for (int i = 0; ok && i < (int)w->lanes; i++) {
        if (is_equal(x, &z))
            return i;
        ok = ka_poly_add(&z, &plane, 1);
    }
    return -1;
}

/* v is kept, and what is found to be some planes above it is made of it. */
void widen_keep_sum(widening *w, k_id v, const poly *form)
{
    if (!vec_push(&w->r.old->cx->mem, &w->column.sums, ((widen_form){v, *form})))
        w->r.b.failed = true;
}

void widen_column_step(widening *w, k_id old, uint32_t lane)
{
    k_builder *b = &w->r.b;
    const k_node *n = k_at(w->r.old, old);
    k_id *v = &w->lane[lane][old];
    poly form;
    if (n->op != K_SCALAR || n->opcode != SOP_ADD || n->type != ST_I32 ||
        !widen_form_of(w, *v, &form))
        return;
    for (uint32_t i = 0; i < w->column.sums.len; i++) {
        const widen_form *low = &w->column.sums.at[i];
        int up = planes_above(w, &form, &low->form);
        if (up < 0)
            continue;
        k_id more = widen_planes(w, (uint32_t)up);
        *v = n->exact == CLAIMED ? kb_claim(b, SOP_ADD, low->value, more)
                                 : kb_add(b, low->value, more);
        return;
    }
    widen_keep_sum(w, *v, &form);
}

static k_id loaded(const widening *w, k_id memory, const poly *at)
{
    for (uint32_t i = 0; i < w->column.loaded.len; i++) {
        const widen_loaded *l = &w->column.loaded.at[i];
        if (l->memory == memory && l->writes == w->column.writes && is_equal(&l->at, at))
            return l->value;
    }
    return 0;
}

/* In one lane; true: it was there. */
static bool load(widening *w, k_id old, uint32_t lane)
{
    const k_node *n = k_at(w->r.old, old);
    widen_loaded l = {.memory = w->lane[lane][n->args[0]], .writes = w->column.writes};
    bool told = widen_form_of(w, w->lane[lane][n->args[1]], &l.at);
    k_id known = told ? loaded(w, l.memory, &l.at) : 0;
    if (known) {
        w->lane[lane][old] = known;
        return true;
    }
    w->r.map = w->lane[lane];
    rebuild_statement(&w->r, old);
    w->r.map = w->common;
    l.value = w->lane[lane][old];
    if (told && !vec_push(&w->r.old->cx->mem, &w->column.loaded, l))
        w->r.b.failed = true;
    return false;
}

void widen_column_load(widening *w, k_id old)
{
    for (uint32_t j = 0; j < w->lanes; j++) {
        bool was = load(w, old, j);
        w->column.asked++;
        w->column.loads += !was;
    }
}
