/* Arrays of any rank as the rows of a matrix, which is what skeletons take.  These are pull arrays,
 * which fuse. */
#include "ir/passes/schedule/schedule.h"

ir_value sched_rows(scheduler *s, place at, ir_value xs)
{
    uint32_t rank = ir_type_at(s->m, ir_value_at(s->m, xs)->type)->n;
    ir_value dims[MAX_RANK] = {0}, ix[MAX_RANK] = {0}, at_row[2], rows;
    place in;
    if (rank == 2)
        return xs;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = sched_dim(s, at, xs, i);
    rows = sched_product(s, at, dims, rank - 1);
    ir_value extents[] = {rows, dims[rank - 1]};
    ir_value v = sched_generate(s, at, extents, 2, elem_of(s, xs), &in, at_row);
    if (s->failed)
        return 0;
    ir_value left = at_row[0];
    ix[rank - 1] = at_row[1];
    for (uint32_t i = rank - 1; i-- > 1;) {
        ix[i] = sched_make2(s, in, (opcode)SOP_MOD, left, dims[i]);
        left = sched_make2(s, in, (opcode)SOP_DIV, left, dims[i]);
    }
    ix[0] = left;
    sched_yield(s, in, sched_index(s, in, xs, ix, rank));
    return s->failed ? 0 : v;
}

ir_value sched_flat(scheduler *s, place at, ir_value xs)
{
    ir_value k, dims[2], ix[2];
    place in;
    if (ir_type_at(s->m, ir_value_at(s->m, xs)->type)->n == 1)
        return xs;
    ir_value rows = sched_rows(s, at, xs);
    if (!rows)
        return 0;
    for (uint32_t i = 0; i < 2; i++)
        dims[i] = sched_dim(s, at, rows, i);
    ir_value count = sched_make2(s, at, (opcode)SOP_MUL, dims[0], dims[1]);
    ir_value v = sched_generate(s, at, &count, 1, elem_of(s, xs), &in, &k);
    if (s->failed)
        return 0;
    ix[0] = sched_make2(s, in, (opcode)SOP_DIV, k, dims[1]);
    ix[1] = sched_make2(s, in, (opcode)SOP_MOD, k, dims[1]);
    sched_yield(s, in, sched_index(s, in, rows, ix, 2));
    return s->failed ? 0 : v;
}

/* of: [t] or [t;2], whose outer axis stands for all but the last of xs. */
ir_value sched_unrows(scheduler *s, place at, ir_value of, ir_value xs, uint32_t rank)
{
    uint32_t given = ir_type_at(s->m, ir_value_at(s->m, of)->type)->n;
    uint32_t outer = rank + 1 - given;
    ir_value dims[MAX_RANK], ix[MAX_RANK];
    place in;
    if (rank == given)
        return of;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = sched_dim(s, at, xs, i);
    ir_value v = sched_generate(s, at, dims, rank, elem_of(s, of), &in, ix);
    if (s->failed)
        return 0;
    ir_value where[] = {sched_number_of(s, in, dims, ix, outer), ix[rank - 1]};
    sched_yield(s, in, sched_index(s, in, of, where, given));
    return s->failed ? 0 : v;
}
