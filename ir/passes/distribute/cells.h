/* What the files of loops over tables share: cells.c finds them, and lets any order of turns do; turns.c keeps it. */
#ifndef FCL_IR_PASSES_DISTRIBUTE_CELLS_H
#define FCL_IR_PASSES_DISTRIBUTE_CELLS_H

#include "ir/passes/distribute/distribute.h"

enum { MOST_INLINED = 16 };

typedef struct table_loop {
    ir_op op, loop;    /* op: what gives way, a stream or the loop itself */
    ir_value n, table; /* how often; what all begins with */
    ir_op update, row; /* row: what describes the elements that are written */
    ir_op sum;         /* in there */
    uint32_t own;      /* which of its operands is not of the table */
    opcode f;
    uint32_t rank;
    scalar elem;
    ir_value extents[MAX_RANK]; /* of the row, as the host has them */
    bool one[MAX_RANK];         /* axes along which it has one element */
} table_loop;

static inline ir_region cells_body(const scheduler *s, ir_op o)
{
    return ir_op_at(s->m, o)->regions;
}

static inline ir_value cells_param(const scheduler *s, ir_op o, uint32_t k)
{
    return ir_region_at(s->m, cells_body(s, o))->params + k;
}

static inline ir_value cells_yielded(const scheduler *s, ir_region r)
{
    return ir_arg(s->m, ir_region_at(s->m, r)->last, 0);
}

/* ---- cells.c ---- */
ir_value cells_compare(scheduler *s, place at, opcode code, ir_value x, ir_value y);
/* What an element of the row is there, of type t: ix is its place in the row, term what is combined into the table; 0 after a failure. */
typedef ir_value cells_element(scheduler *s, const table_loop *x, place in, const ir_value *ix, ir_value term, ir_type t);
/* generate as the row { (ix) what is given }, where the row is written. */
ir_value cells_row(scheduler *s, const table_loop *x, ir_type t, cells_element *give);
/* Yields what an element of a generate is, in which what it reads of others is put in place. */
void cells_end(scheduler *s, ir_value all, place in, ir_value element);

/* ---- turns.c ---- */
/* Lets each element of the table go through all turns of the loop, where that pays: whether it may. */
bool cells_by_turns(scheduler *s, const table_loop *x);

#endif
