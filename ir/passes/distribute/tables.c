/* Tables that elements accumulate into, as one table of what all have.
 *
 *   generate n { (i) ... h = accumulate zs, xs { (x) (place, number) } { f } ... }
 *   all = accumulate zs of all, generate total { (p) (whose p is * size + place, number) } { f }
 *   generate n { (i) ... h = generate size { (j) all[i * size + j] } ... }
 *
 * A place outside of its own table is none of all, so it is refused as before. */
#include "ir/passes/distribute/distribute.h"

typedef struct table {
    sched_laid cells, laid; /* of a table, of what goes into it */
    ir_value begin, pairs;  /* of all */
    ir_type pair;
} table;

/* The place in the table of all: -1 of one that is outside. */
static ir_value place_in_all(scheduler *s, place at, const table *t, ir_value row, ir_value cell)
{
    ir_type truth = type_scalar(s->m, ST_BOOL);
    ir_value low[] = {sched_int(s, 0), cell}, high[] = {cell, t->cells.length};
    ir_value above = sched_make(s, at, (opcode)SOP_LE, low, 2, truth), below = sched_make(s, at, (opcode)SOP_LT, high, 2, truth);
    ir_value inside = s->failed ? 0 : sched_make2(s, at, (opcode)SOP_AND, above, below);
    ir_value start = inside ? sched_make2(s, at, (opcode)SOP_MUL, row, t->cells.length) : 0;
    ir_value there = start ? sched_make2(s, at, (opcode)SOP_ADD, start, cell) : 0;
    return there ? sched_select(s, at, inside, there, sched_int(s, -1)) : 0;
}

static ir_value placed(scheduler *s, place at, const table *t)
{
    ir_value p, parts[2];
    place in;
    ir_value v = sched_generate(s, at, &t->laid.total, 1, t->pair, &in, &p);
    ir_value one = v ? sched_index(s, in, t->pairs, &p, 1) : 0, row = one ? sched_laid_row(s, in, &t->laid, p) : 0;
    parts[0] = row ? place_in_all(s, in, t, row, sched_item(s, in, one, 0)) : 0;
    parts[1] = parts[0] ? sched_item(s, in, one, 1) : 0;
    if (parts[1])
        sched_yield(s, in, sched_make(s, in, OP_TUPLE, parts, 2, t->pair));
    return parts[1] && !s->failed ? v : 0;
}

/* { (pair) pair } { f } */
static void say_regions(scheduler *s, ir_op of, ir_op all, const table *t)
{
    ir_module *m = s->m;
    ir_region first = ir_op_at(m, all)->regions;
    ir_type elem = type_item(m, t->pair, 1);
    ir_value pair = ir_add_param(m, first, t->pair, 0, true), x = ir_add_param(m, first + 1, elem, 0, true),
             y = ir_add_param(m, first + 1, elem, 0, true), args[] = {x, y};
    s->failed = s->failed || !pair || !x || !y;
    ir_value both = s->failed ? 0 : ir_copy_body(&s->e, ir_op_at(m, of)->regions + 1, first + 1, args);
    s->failed = s->failed || !both;
    if (s->failed)
        return;
    sched_yield(s, (place){first, 0, ir_op_at(m, of)->loc}, pair);
    sched_yield(s, (place){first + 1, 0, ir_op_at(m, of)->loc}, both);
}

static bool lay_table(scheduler *s, const sched_element *x, ir_op o, table *t)
{
    ir_module *m = s->m;
    ir_value begin = ir_arg(m, o, 0), xs = ir_arg(m, o, 1);
    *t = (table){0};
    if (!sched_is_free(s, ir_op_at(m, o)->regions + 1, x->body, x->make) || !sched_lay(s, x, o, begin, &t->cells) ||
        !t->cells.length || !sched_lay(s, x, o, xs, &t->laid) || !(t->begin = sched_laid_of(s, x, begin, &t->cells)))
        return false;
    ir_value pairs = sched_own_of_each(s, o, xs);
    t->pairs = pairs ? sched_laid_of(s, x, pairs, &t->laid) : 0;
    t->pair = t->pairs ? elem_of(s, t->pairs) : 0;
    return !s->failed && t->pairs;
}

ir_value sched_lift_table(scheduler *s, const sched_element *x, ir_op o)
{
    ir_module *m = s->m;
    table t;
    if (!lay_table(s, x, o, &t))
        return 0;
    place at = sched_before(s, x->make), here = sched_before(s, o);
    ir_value args[] = {t.begin, placed(s, at, &t)};
    ir_value all = args[1] ? sched_make(s, at, OP_ACCUMULATE, args, 2, type_of(s, t.begin)) : 0;
    if (all)
        say_regions(s, o, made_by(m, all), &t);
    ir_value start = all && !s->failed ? sched_laid_start(s, here, x, &t.cells) : 0;
    ir_value v = start ? sched_laid_own(s, here, all, SCHED_WHOLE, start, t.cells.length) : 0;
    if (v)
        sched_replace(s, o, v);
    return v;
}
