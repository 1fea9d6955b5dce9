/* Sorts of elements, as one sort of what all elements have.
 *
 *   generate n { (i) ... ys = sort xs { (x) key } ... }
 *   all = generate n * m { (p) (p / m, xs[p mod m] of element p / m) }
 *   sorted = sort (sort all { (i, x) key }) { (i, x) i }
 *   generate n { (i) ... ys = generate m { (j) sorted[i * m + j] } ... }
 *
 * The sort is stable, so the second one leaves the elements of a row in the order of the first.  It goes by sixteen bits of the row's
 * number, and a third one by the others where there are more rows, so that it has few rounds.  A key that uses what is the element's
 * own goes with what it is the key of. */
#include "ir/passes/distribute/distribute.h"

enum { ROW, KEY, HALF = 16 };

typedef struct rows {
    ir_value xs, keys;  /* matrices; keys: 0 where they are computed of the elements alone */
    ir_value count, length;
    ir_type item;       /* of what is sorted: a row's number, its key, an element */
} rows;

static ir_type elem_of(const scheduler *s, ir_value xs)
{
    return ir_type_at(s->m, type_of(s, xs))->a;
}

static ir_value item_of(scheduler *s, place at, ir_value t, uint32_t which)
{
    ir_value args[] = {t, sched_int(s, which)};
    return s->failed ? 0 : sched_make(s, at, OP_PROJ, args, 2, type_item(s->m, type_of(s, t), which));
}

/* ---- what is sorted ---- */

/* The keys of all elements, as they use what is an element's own. */
static ir_value all_keys(scheduler *s, const sched_element *x, ir_op o, const sched_shape *h)
{
    ir_module *m = s->m;
    ir_region key = ir_op_at(m, o)->regions;
    ir_type t = type_of(s, ir_arg(m, ir_region_at(m, key)->last, 0));
    ir_value j, own;
    place in;
    ir_value v = sched_generate(s, sched_before(s, o), h->extents, 1, t, &in, &j);
    ir_value e = s->failed ? 0 : sched_index(s, in, ir_arg(m, o, 0), &j, 1);
    ir_value k = e ? ir_copy_body(&s->e, key, in.region, &e) : 0;
    s->failed = s->failed || !k;
    if (s->failed)
        return 0;
    sched_yield(s, in, k);
    own = sched_all_of(s, x, v, SCHED_WHOLE, h);
    s->failed = !ir_erase_op(&s->e, made_by(m, v)) || s->failed;
    return own;
}

static ir_value all_items(scheduler *s, place at, const rows *r)
{
    ir_value p, n = sched_make2(s, at, (opcode)SOP_MUL, r->count, r->length), items[3];
    place in;
    ir_value v = s->failed ? 0 : sched_generate(s, at, &n, 1, r->item, &in, &p);
    if (!v)
        return 0;
    ir_value ix[] = {sched_make2(s, in, (opcode)SOP_DIV, p, r->length), sched_make2(s, in, (opcode)SOP_MOD, p, r->length)};
    uint32_t used = 0;
    items[used++] = ix[0];
    if (r->keys && !s->failed)
        items[used++] = sched_index(s, in, r->keys, ix, 2);
    if (!s->failed)
        items[used++] = sched_index(s, in, r->xs, ix, 2);
    if (!s->failed)
        sched_yield(s, in, sched_make(s, in, OP_TUPLE, items, used, r->item));
    return s->failed ? 0 : v;
}

/* ---- the sorts ---- */

static ir_value sort_of(scheduler *s, place at, ir_value xs, place *in, ir_value *x)
{
    ir_value v = sched_make(s, at, OP_SORT, &xs, 1, type_of(s, xs));
    if (!v)
        return 0;
    *in = (place){ir_op_at(s->m, made_by(s->m, v))->regions, 0, at.loc};
    *x = ir_add_param(s->m, in->region, elem_of(s, xs), 0, true);
    s->failed = s->failed || !*x;
    return s->failed ? 0 : v;
}

static ir_value by_keys(scheduler *s, place at, ir_op o, const rows *r, ir_value items)
{
    place in;
    ir_value t, v = sort_of(s, at, items, &in, &t);
    ir_value x = v ? item_of(s, in, t, KEY) : 0;
    ir_value k = x && !r->keys ? ir_copy_body(&s->e, ir_op_at(s->m, o)->regions, in.region, &x) : x;
    s->failed = s->failed || !k;
    if (!s->failed)
        sched_yield(s, in, k);
    return s->failed ? 0 : v;
}

/* By sixteen bits of the number of the row. */
static ir_value by_rows(scheduler *s, place at, ir_value items, uint32_t low)
{
    place in;
    ir_value t, v = sort_of(s, at, items, &in, &t);
    ir_value row = v ? item_of(s, in, t, ROW) : 0;
    if (row && low)
        row = sched_make2(s, in, (opcode)SOP_SHR, row, sched_int(s, low));
    if (row)
        sched_yield(s, in, sched_cast(s, in, OP_CONVERT, row, ST_U16));
    return s->failed ? 0 : v;
}

static ir_value by_high_rows(scheduler *s, place at, const rows *r, ir_value items)
{
    ir_module *m = s->m;
    ir_value args[] = {sched_int(s, 1 << HALF), r->count};
    ir_value many = sched_make(s, at, (opcode)SOP_LT, args, 2, type_scalar(m, ST_BOOL));
    ir_value v = many ? sched_make(s, at, OP_IF, &many, 1, type_of(s, items)) : 0;
    if (!v)
        return 0;
    ir_region then = ir_op_at(m, made_by(m, v))->regions;
    place in = {then, 0, at.loc};
    ir_value sorted = by_rows(s, in, items, HALF);
    if (!sorted)
        return 0;
    sched_yield(s, in, sorted);
    sched_yield(s, (place){then + 1, 0, at.loc}, items);
    return s->failed ? 0 : v;
}

/* ---- what elements have of it ---- */

static ir_value shaped(scheduler *s, place at, const sched_element *x, const rows *r, ir_value sorted)
{
    ir_value dims[MAX_RANK], ix[MAX_RANK];
    uint32_t rank = x->rank + 1;
    place in;
    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = x->dims[i];
    dims[x->rank] = r->length;
    ir_value v = sched_generate(s, at, dims, rank, elem_of(s, r->xs), &in, ix);
    ir_value k = v ? sched_number_of(s, in, dims, ix, rank) : 0;
    ir_value t = k && !s->failed ? sched_index(s, in, sorted, &k, 1) : 0;
    if (t)
        sched_yield(s, in, item_of(s, in, t, r->keys ? KEY + 1 : KEY));
    return s->failed ? 0 : v;
}

static ir_type item_type(const scheduler *s, const rows *r)
{
    ir_type types[] = {type_scalar(s->m, ST_I32), elem_of(s, r->keys ? r->keys : r->xs), elem_of(s, r->xs)};
    return type_tuple(s->m, types, r->keys ? 3 : 2);
}

ir_value sched_lift_sort(scheduler *s, const sched_element *x, ir_op o)
{
    ir_module *m = s->m;
    rows r = {0};
    sched_shape h;
    if (!sched_shape_of(s, x, ir_arg(m, o, 0), &h))
        return 0;
    bool free = sched_is_free(s, ir_op_at(m, o)->regions, x->body, x->make);
    ir_value keys = free ? 0 : all_keys(s, x, o, &h);
    ir_value xs = free || keys ? sched_all_of(s, x, ir_arg(m, o, 0), SCHED_WHOLE, &h) : 0;
    if (!xs)
        return 0;
    place at = sched_before(s, x->make);
    r.length = h.extents[0];
    r.count = sched_product(s, at, x->dims, x->rank);
    r.xs = sched_rows(s, at, xs);
    r.keys = keys ? sched_rows(s, at, keys) : 0;
    r.item = s->failed ? 0 : item_type(s, &r);
    ir_value v = s->failed ? 0 : all_items(s, at, &r);
    v = v ? by_keys(s, at, o, &r, v) : 0;
    v = v ? by_rows(s, at, v, 0) : 0;
    v = v ? by_high_rows(s, at, &r, v) : 0;
    return sched_lifted(s, x, o, v ? shaped(s, at, x, &r, v) : 0, &h);
}
