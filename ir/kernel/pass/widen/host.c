/* Columns of elements (column.c), as the host sees them: how many there are, whether they pay, and
 * whether what they take for granted is so.  All of it is computed in 64 bits, where products of
 * what a program divides by do not wrap. */
#include "ir/kernel/pass/widen/widen.h"

#include "ir/host.h"

static k_id wide(widening *w, k_id v)
{
    return kb_convert(&w->r.b, ST_I64, v);
}

static k_id wide_int(widening *w, int64_t x)
{
    return kb_const(&w->r.b, ST_I64, (uint64_t)x);
}

/* The product in 64 bits, of factors from 1 on; what is more than 2^31 stays that. */
static k_id wide_product(widening *w, const monomial *m)
{
    k_builder *b = &w->r.b;
    k_id all = wide_int(w, m->k);
    for (uint32_t i = 0; i < m->n; i++) {
        all = kb_mul(b, all, kb_max(b, wide(w, widen_outer(w, m->v[i])), wide_int(w, 1)));
        all = kb_min(b, all, wide_int(w, INT64_C(1) << 31));
    }
    return all;
}

static k_id both(widening *w, k_id x, k_id y)
{
    return kb_scalar(&w->r.b, SOP_AND, x, y, 0);
}

static k_id not_above(widening *w, k_id x, k_id y)
{
    return kb_scalar(&w->r.b, SOP_LE, x, y, 0);
}

/* n by so many planes, rounded up. */
static k_id pieces(widening *w, k_id n, int64_t planes)
{
    k_builder *b = &w->r.b;
    k_id by = kb_mul(b, wide_product(w, &w->column.plane), wide_int(w, planes));
    k_id up = kb_add(b, wide(w, n), kb_sub(b, by, wide_int(w, 1)));
    return kb_scalar(b, SOP_QUOT, up, by, 0);
}

static k_id columns(widening *w, k_id n)
{
    return kb_mul(&w->r.b, pieces(w, n, w->lanes), wide_product(w, &w->column.plane));
}

k_id widen_column_count(widening *w, k_id n)
{
    k_builder *b = &w->r.b;
    k_id most = kb_min(b, columns(w, n), wide_int(w, MAX_EXTENT));
    return kb_convert(b, ST_I32, kb_max(b, most, wide_int(w, 0)));
}

k_id widen_column_planes(widening *w, k_id n)
{
    return kb_narrow(&w->r.b, pieces(w, n, 1));
}

/* The last place that a digit counts. */
static k_id last_place(widening *w, const widen_digit *d, k_id n)
{
    k_id places = d->below.k ? wide_product(w, &d->below) : pieces(w, n, 1);
    return kb_sub(&w->r.b, places, wide_int(w, 1));
}

static k_id holds(widening *w, const widen_limit *l, k_id n)
{
    k_builder *b = &w->r.b;
    k_id most = wide(w, widen_outer(w, l->most));
    switch (l->is) {
    case LIMIT_NOT_BELOW_LAST: return not_above(w, last_place(w, &l->digit, n), most);
    case LIMIT_IS_LAST: return kb_scalar(b, SOP_EQ, last_place(w, &l->digit, n), most, 0);
    case LIMIT_ALL:
        return not_above(w, kb_mul(b, pieces(w, n, 1), wide_product(w, &w->column.plane)), most);
    }
    return 0;
}

/* Columns of fewer than so many pieces have many ends.  The threads of the last block that have no
 * column must be able to count on. */
k_id widen_column_pays(widening *w, k_id n)
{
    enum { PIECES = 4 };
    k_builder *b = &w->r.b;
    const widen_column *c = &w->column;
    k_id plane = wide_product(w, &c->plane), all = columns(w, n);
    k_id rows = kb_mul(b, plane, wide_int(w, PIECES * (int64_t)w->lanes));
    k_id go = not_above(w, rows, wide(w, n));
    go = both(w, go, not_above(w, wide_int(w, w->r.old->target.facts.warp_size), plane));
    go = both(w, go, not_above(w, wide_int(w, w->r.old->target.tuning.widen_columns), all));
    int64_t idle = (int64_t)w->r.old->target.tuning.widen_block + w->threads;
    k_id most = kb_add(b, kb_add(b, all, plane), wide_int(w, idle));
    go = both(w, go, not_above(w, kb_mul(b, most, wide_int(w, w->lanes)), wide_int(w, MAX_EXTENT)));
    for (uint32_t i = 0; i < c->plane.n; i++)
        go = both(w, go, not_above(w, kb_int(b, 1), widen_outer(w, c->plane.v[i])));
    for (uint32_t i = 0; i < c->limits.len; i++)
        go = both(w, go, holds(w, &c->limits.at[i], n));
    return go;
}
