/* Sorts and filters of what elements have, as those of items: whose an element is, and the element.
 *
 *   generate n { (i) ... ys = sort xs { (x) key } ... }
 *   all = generate total { (p) (whose p is, xs[p]) }                 (laid.c)
 *   sorted = sort (sort all { (i, x) key }) { (i, x) i }
 *   generate n { (i) ... ys = generate length { (j) sorted[start + j] } ... }
 *
 *   ys = filter xs { keep }: kept = filter all { (i, x) keep }; firsts[i] = the first of those that is of element i or later
 *   ys = generate firsts[i + 1] - firsts[i] { (j) kept[firsts[i] + j] }
 *
 * The sort is stable, so the second one leaves the elements of a row in the order of the first.  It goes by sixteen bits of the row's
 * number, and a third one by the others where there are more rows, so that it has few rounds.  A key that uses what is the element's
 * own goes with what it is the key of, and likewise what says whether an element is kept. */
#include "ir/passes/distribute/distribute.h"

enum { ROW, KEY, HALF = 16 };

/* A row's number, a key that cannot be computed of an element alone, an element. */
typedef struct items {
    sched_laid laid;
    ir_value xs, keys, count; /* keys: 0 where there are none; how many rows */
    ir_type type;
} items;

/* ---- items ---- */

static bool lay_items(scheduler *s, const sched_element *x, ir_op o, items *r)
{
    ir_value xs = ir_arg(s->m, o, 0);
    *r = (items){0};
    if (!sched_lay(s, x, o, xs, &r->laid) || !(r->xs = sched_laid_of(s, x, xs, &r->laid)))
        return false;
    ir_value keys = sched_is_free(s, ir_op_at(s->m, o)->regions, x->body, x->make) ? 0 : sched_own_of_each(s, o, xs);
    r->keys = keys ? sched_laid_of(s, x, keys, &r->laid) : 0;
    r->count = sched_product(s, sched_before(s, x->make), x->dims, x->rank);
    return !s->failed && (!keys || r->keys);
}

static ir_type item_type(const scheduler *s, const items *r)
{
    ir_type types[] = {type_scalar(s->m, ST_I32), elem_of(s, r->keys ? r->keys : r->xs), elem_of(s, r->xs)};
    return type_tuple(s->m, types, r->keys ? 3 : 2);
}

static ir_value all_items(scheduler *s, place at, items *r)
{
    r->type = item_type(s, r);
    ir_value p, parts[3];
    place in;
    uint32_t used = 0;
    ir_value v = sched_generate(s, at, &r->laid.total, 1, r->type, &in, &p);
    if (!v)
        return 0;
    parts[used++] = sched_laid_row(s, in, &r->laid, p);
    if (r->keys && !s->failed)
        parts[used++] = sched_index(s, in, r->keys, &p, 1);
    if (!s->failed)
        parts[used++] = sched_index(s, in, r->xs, &p, 1);
    if (!s->failed)
        sched_yield(s, in, sched_make(s, in, OP_TUPLE, parts, used, r->type));
    return s->failed ? 0 : v;
}

/* ---- the sorts ---- */

/* The operation, of items. */
static ir_value by_keys(scheduler *s, place at, ir_op o, const items *r, ir_value all)
{
    place in;
    ir_value t, v = sched_open_each(s, at, (opcode)ir_op_at(s->m, o)->opcode, all, type_of(s, all), &in, &t);
    ir_value x = v ? sched_item(s, in, t, KEY) : 0;
    ir_value k = x && !r->keys ? ir_copy_body(&s->e, ir_op_at(s->m, o)->regions, in.region, &x) : x;
    s->failed = s->failed || !k;
    if (!s->failed)
        sched_yield(s, in, k);
    return s->failed ? 0 : v;
}

/* By sixteen bits of the number of the row. */
static ir_value by_rows(scheduler *s, place at, ir_value all, uint32_t low)
{
    place in;
    ir_value t, v = sched_open_each(s, at, OP_SORT, all, type_of(s, all), &in, &t);
    ir_value row = v ? sched_item(s, in, t, ROW) : 0;
    if (row && low)
        row = sched_make2(s, in, (opcode)SOP_SHR, row, sched_int(s, low));
    if (row)
        sched_yield(s, in, sched_cast(s, in, OP_CONVERT, row, ST_U16));
    return s->failed ? 0 : v;
}

static ir_value by_high_rows(scheduler *s, place at, const items *r, ir_value all)
{
    ir_module *m = s->m;
    ir_value args[] = {sched_int(s, 1 << HALF), r->count};
    ir_value many = sched_make(s, at, (opcode)SOP_LT, args, 2, type_scalar(m, ST_BOOL));
    ir_value v = many ? sched_make(s, at, OP_IF, &many, 1, type_of(s, all)) : 0;
    if (!v)
        return 0;
    ir_region then = ir_op_at(m, made_by(m, v))->regions;
    place in = {then, 0, at.loc};
    ir_value sorted = by_rows(s, in, all, HALF);
    if (!sorted)
        return 0;
    sched_yield(s, in, sorted);
    sched_yield(s, (place){then + 1, 0, at.loc}, all);
    return s->failed ? 0 : v;
}

/* ---- what elements have of it ---- */

/* n elements of items, from the one at start on. */
static ir_value own_of(scheduler *s, place at, const items *r, ir_value all, ir_value start, ir_value n)
{
    return sched_laid_own(s, at, all, r->keys ? KEY + 1 : KEY, start, n);
}

ir_value sched_lift_sort(scheduler *s, const sched_element *x, ir_op o)
{
    items r;
    if (!lay_items(s, x, o, &r))
        return 0;
    place at = sched_before(s, x->make), here = sched_before(s, o);
    ir_value v = all_items(s, at, &r);
    v = v ? by_keys(s, at, o, &r, v) : 0;
    v = v ? by_rows(s, at, v, 0) : 0;
    v = v ? by_high_rows(s, at, &r, v) : 0;
    if (!v)
        return 0;
    ir_value start = sched_laid_start(s, here, x, &r.laid), n = r.laid.length;
    n = n ? n : sched_dim(s, here, ir_arg(s->m, o, 0), 0);
    v = own_of(s, here, &r, v, start, n);
    if (v)
        sched_replace(s, o, v);
    return v;
}

/* Where the items of each row begin, and where all of them end. */
static ir_value firsts_of(scheduler *s, place at, const items *r, ir_value kept)
{
    ir_type t = type_scalar(s->m, ST_I32);
    ir_value i, item;
    place in;
    ir_value rows = sched_open_each(s, at, OP_MAP, kept, type_pull(s->m, t, 1), &in, &item);
    if (!rows)
        return 0;
    sched_yield(s, in, sched_item(s, in, item, ROW));
    ir_value n = sched_make2(s, at, (opcode)SOP_ADD, r->count, sched_int(s, 1));
    ir_value v = n && !s->failed ? sched_generate(s, at, &n, 1, t, &in, &i) : 0;
    if (!v)
        return 0;
    sched_yield(s, in, sched_plain_call(s, in, "laid.before", (ir_value[]){rows, i}, 2, t));
    sched_say(s, made_by(s->m, v), PROPERTY_WRITE, 1);
    return s->failed ? 0 : v;
}

ir_value sched_lift_filter(scheduler *s, const sched_element *x, ir_op o)
{
    items r;
    if (!lay_items(s, x, o, &r))
        return 0;
    place at = sched_before(s, x->make), here = sched_before(s, o);
    ir_value v = all_items(s, at, &r), kept = v ? by_keys(s, at, o, &r, v) : 0, firsts = kept ? firsts_of(s, at, &r, kept) : 0;
    if (!firsts)
        return 0;
    ir_value row = sched_number_of(s, here, x->dims, x->own, x->rank), next = sched_make2(s, here, (opcode)SOP_ADD, row, sched_int(s, 1));
    ir_value start = sched_index(s, here, firsts, &row, 1), end = next ? sched_index(s, here, firsts, &next, 1) : 0;
    ir_value n = start && end ? sched_make2(s, here, (opcode)SOP_SUB, end, start) : 0;
    v = n ? own_of(s, here, &r, kept, start, n) : 0;
    if (v)
        sched_replace(s, o, v);
    return v;
}
