/* Arrays whose elements are arrays that threads make: written to memory, each by one thread.
 *
 *   xs = generate n { (i) ... a loop ... row }
 *   all = rowsByThreads n, m, fn { (i) ... row }; xs = generate n { (i) generate m { (j) all[i * m + j] } }
 *
 * An array of arrays is never written, so each element of an element would do all of the work again.  The rows have
 * extents that the host knows, the same for all. */
#include "ir/passes/distribute/distribute.h"

/* What a branch does to describe an array would be done wherever an element of the choice is asked for. */
static bool is_choice(scheduler *s, ir_value v)
{
    ir_op o = made_by(s->m, v);
    return o && ir_op_at(s->m, o)->opcode == OP_IF;
}

/* fn { (i) the element, as an array of rank 1 } */
static ir_value row_function(scheduler *s, const sched_element *x, ir_value row)
{
    ir_module *m = s->m;
    ir_value f = sched_make(s, sched_before(s, x->make), OP_FN, NULL, 0, 0);
    if (s->failed)
        return 0;
    place in = {ir_op_at(m, made_by(m, f))->regions, 0, ir_op_at(m, x->make)->loc};
    ir_value i = ir_add_param(m, in.region, type_scalar(m, ST_I32), 0, true);
    ir_value copy = i ? sched_copy_at(s, x, row, in.region, &i) : 0;
    if (!copy)
        return 0;
    ir_value_at(m, i)->annotated = 1;
    if (is_choice(s, copy))
        copy = sched_forced(s, in, copy, BY_THREAD);
    sched_yield(s, in, s->failed ? 0 : sched_flat(s, in, copy));
    return s->failed ? 0 : f;
}

/* generate n { (i) generate the row's extents { (j) what stands there in all } } */
static ir_value rows_of(scheduler *s, const sched_element *x, ir_value all, const sched_shape *h)
{
    ir_value dims[2 * MAX_RANK] = {x->dims[0]}, ix[2 * MAX_RANK];
    place in, inner;
    ir_module *m = s->m;
    ir_type elem = ir_type_at(m, type_of(s, all))->a;
    ir_value rows = sched_generate(s, sched_before(s, x->make), x->dims, 1, type_pull(m, elem, h->rank), &in, ix);
    ir_value row = rows ? sched_generate(s, in, h->extents, h->rank, elem, &inner, ix + 1) : 0;
    for (uint32_t k = 0; k < h->rank; k++)
        dims[k + 1] = h->extents[k];
    ir_value at = row ? sched_number_of(s, inner, dims, ix, 1 + h->rank) : 0;
    if (at && !s->failed)
        sched_yield(s, inner, sched_index(s, inner, all, &at, 1));
    if (!s->failed)
        sched_yield(s, in, row);
    return s->failed ? 0 : rows;
}

bool sched_write_rows(scheduler *s, ir_op make)
{
    ir_module *m = s->m;
    sched_element x = sched_element_of(s, make);
    ir_op end = ir_region_at(m, x.body)->last;
    ir_value row = ir_arg(m, end, 0);
    sched_shape h;
    if (x.rank != 1 || !sched_shape_of(s, &x, row, &h) || h.rank == 0)
        return false;
    place at = sched_before(s, make);
    ir_type elem = ir_type_at(m, type_of(s, row))->a;
    ir_value args[] = {x.dims[0], sched_product(s, at, h.extents, h.rank), row_function(s, &x, row)};
    ir_value all = args[1] && args[2] ? sched_call(s, at, "rowsByThreads", BY_GRID, args, 3, type_pull(m, elem, 1)) : 0;
    ir_value rows = all ? rows_of(s, &x, all, &h) : 0;
    if (rows)
        sched_replace(s, make, rows);
    return rows && !s->failed;
}
