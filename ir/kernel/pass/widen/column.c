/* Elements of a thread that lie one above the other: neighbours along the outermost axis.  What a
 * stencil reads for one of them it reads for the next ones too, so a column of four elements loads
 * six of its own axis, not twelve, while neighbouring threads still read neighbours.  The usual
 * names are register blocking along the outermost axis, and 2.5D blocking.
 *
 * The number of an element is (row, rest) by the plane, the elements between neighbours of a
 * column. A digit of it (digits.c) is then known in each lane without dividing again: the row, or a
 * digit of the rest, which all lanes share.  A minimum with a digit, as boundaries have, is that
 * digit where the host has seen that the digit is never above; so the elements inside a column are
 * read without it.  What they read is compared in forms.c. */
#include "ir/kernel/pass/widen/widen.h"

#include "ir/host.h"

static const monomial ONE = {.k = 1};

static bool is_same(const monomial *x, const monomial *y)
{
    return x->k == y->k && ka_monomials_match(x, y);
}

/* The new value of an old one that the host has. */
k_id widen_outer(const widening *w, k_id old)
{
    return w->common ? w->common[old] : rebuild_value(&w->r, old);
}

k_id widen_product(widening *w, const monomial *m)
{
    k_builder *b = &w->r.b;
    k_id all = m->n && m->k == 1 ? 0 : kb_int(b, (int32_t)m->k);
    for (uint32_t i = 0; i < m->n; i++)
        all = all ? kb_mul(b, all, widen_outer(w, m->v[i])) : widen_outer(w, m->v[i]);
    return all;
}

/* As it was divided by: at least 1, as the host has asked, so that no sign is asked for. */
static k_id divisor(widening *w, const monomial *m)
{
    return kb_max(&w->r.b, widen_product(w, m), kb_int(&w->r.b, 1));
}

/* The elements of so many planes. */
k_id widen_planes(widening *w, uint32_t n)
{
    return kb_mul(&w->r.b, widen_product(w, &w->column.plane), kb_int(&w->r.b, (int32_t)n));
}

/* ---- elements and their digits ---- */

void widen_column_elements(widening *w, k_id var, k_id t)
{
    k_builder *b = &w->r.b;
    widen_column *c = &w->column;
    k_id plane = divisor(w, &c->plane), across = widen_planes(w, 1);
    k_id row = kb_scalar(b, SOP_QUOT, t, plane, 0);
    poly form;
    c->rest = kb_scalar(b, SOP_REM, t, plane, 0);
    c->forms.len = c->sums.len = c->loaded.len = c->asked = c->loads = 0;
    k_state_range(b->p, row, 0, MAX_EXTENT / (int64_t)w->lanes - 1);
    k_id first = kb_mul(b, row, kb_int(b, (int32_t)w->lanes)),
         lowest = kb_add(b, kb_mul(b, first, across), c->rest);
    for (uint32_t j = 0; j < w->lanes; j++) {
        c->row[j] = kb_add(b, first, kb_int(b, (int32_t)j));
        w->lane[j][var] = kb_add(b, lowest, widen_planes(w, j));
        k_state_range(b->p, w->lane[j][var], 0, MAX_EXTENT);
    }
    if (widen_form_of(w, lowest, &form))
        widen_keep_sum(w, lowest, &form);
}

/* The rest by a stride of the plane; 0: as much as the plane. */
static k_id rest_by(widening *w, const monomial *stride)
{
    k_builder *b = &w->r.b;
    if (is_same(stride, &w->column.plane))
        return kb_int(b, 0);
    return is_same(stride, &ONE) ? w->column.rest
                                 : kb_scalar(b, SOP_QUOT, w->column.rest, divisor(w, stride), 0);
}

/* r = q - below * (q quot below), where the quotient is that by a longer stride. */
static bool note_remainder(widening *w, const widen_digit *d, k_id q, k_id r)
{
    monomial longer;
    widen_form f = {.value = r};
    poly by, more, both;
    if (!widen_multiply(&d->stride, &d->below, &longer))
        return true;
    k_id above = rest_by(w, &longer);
    return !widen_form_of(w, q, &f.form) || !widen_form_of(w, above, &more) ||
           !widen_product_form(w, &d->below, &by) || !ka_poly_multiply(&both, &by, &more) ||
           !ka_poly_add(&f.form, &both, -1) || vec_push(&w->r.old->cx->mem, &w->column.forms, f);
}

/* (rest quot stride) rem below. */
static k_id digit_of_rest(widening *w, const widen_digit *d)
{
    k_builder *b = &w->r.b;
    k_id q = rest_by(w, &d->stride), r = kb_scalar(b, SOP_REM, q, divisor(w, &d->below), 0);
    if (k_at(b->p, r)->op == K_SCALAR && k_at(b->p, r)->opcode == SOP_REM &&
        !note_remainder(w, d, q, r))
        b->failed = true;
    return r;
}

bool widen_belongs(const widen_column *c, const widen_digit *d, monomial *left)
{
    monomial longer;
    if (d->below.k == 0)
        return widen_divide(&c->plane, &d->stride, left);
    return widen_multiply(&d->stride, &d->below, &longer) && widen_divide(&c->plane, &longer, left);
}

static k_id digit_value(widening *w, const widen_digit *d, uint32_t lane)
{
    k_builder *b = &w->r.b;
    monomial left;
    if (!widen_belongs(&w->column, d, &left))
        return 0;
    if (d->below.k == 0)
        return kb_add(b, kb_mul(b, w->column.row[lane], widen_product(w, &left)),
                      rest_by(w, &d->stride));
    return is_same(&left, &ONE) ? rest_by(w, &d->stride) : digit_of_rest(w, d);
}

/* ---- boundaries ---- */

/* The digit that a value is when so much is added to it; NULL: none.  A maximum that is its first
 * operand in this lane is that. */
static const widen_digit *digit_and(const widening *w, k_id old, uint32_t lane, int64_t *more)
{
    const k_node *n = k_at(w->r.old, old);
    *more = 0;
    for (int i = 0; i < 2 && n->op == K_SCALAR && n->opcode == SOP_MAX; i++) {
        const k_id x = n->args[i];
        if ((w->notes[x] & NOTE_BODY) && w->lane[lane][x] == w->lane[lane][old]) {
            old = x;
            n = k_at(w->r.old, x);
        }
    }
    bool adds = n->op == K_SCALAR && (n->opcode == SOP_ADD || n->opcode == SOP_SUB);
    for (int i = 0; i < 2 && adds; i++)
        if (k_is_const(w->r.old, n->args[i], more) && (i == 1 || n->opcode == SOP_ADD)) {
            *more = n->opcode == SOP_ADD ? *more : -*more;
            return widen_digit_at(w, n->args[1 - i]);
        }
    return widen_digit_at(w, old);
}

bool widen_note_limit(widening *w, const widen_digit *d, k_id most, widen_relation is)
{
    const widen_digit all = {0};
    d = d ? d : &all;
    for (uint32_t i = 0; i < w->column.limits.len; i++) {
        const widen_limit *l = &w->column.limits.at[i];
        if (l->digit.value == d->value && l->most == most && l->is == is)
            return true;
    }
    return vec_push(&w->r.old->cx->mem, &w->column.limits, ((widen_limit){*d, most, is}));
}

bool widen_is_outer(const widening *w, k_id old)
{
    return !(w->notes[old] & NOTE_BODY) && widen_outer(w, old) &&
           kb_is_host(&w->r.b, widen_outer(w, old));
}

/* The operand that a minimum is in a column all of whose elements exist, where a digit is not above
 * the other one; 0: neither. */
static k_id never_above(widening *w, const k_node *n, uint32_t lane)
{
    for (int i = 0; i < 2; i++) {
        k_id x = n->args[i], most = n->args[1 - i];
        int64_t more;
        if (!(w->notes[x] & NOTE_BODY))
            continue;
        const widen_digit *d = digit_and(w, x, lane, &more);
        monomial left;
        if (!d || !widen_belongs(&w->column, d, &left) || !widen_is_outer(w, most))
            continue;
        bool row = d->below.k == 0 && is_same(&left, &ONE), rest = d->below.k != 0;
        int64_t room = row ? (int64_t)(w->lanes - 1 - lane) : 0;
        if ((row || rest) && more <= room && widen_note_limit(w, d, most, LIMIT_NOT_BELOW_LAST))
            return x;
    }
    return 0;
}

bool widen_column_value(widening *w, k_id old, uint32_t lane)
{
    const k_node *n = k_at(w->r.old, old);
    if (n->op != K_SCALAR || n->type != ST_I32)
        return false;
    const widen_digit *d = widen_digit_at(w, old);
    k_id same = n->opcode == SOP_MIN ? never_above(w, n, lane) : 0;
    k_id v = d ? digit_value(w, d, lane) : same ? w->lane[lane][same] : 0;
    if (v)
        w->lane[lane][old] = v;
    return v != 0;
}
