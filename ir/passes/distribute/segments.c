/* Scans of what elements have, where data says how much that is, as one of what all have (laid.c).
 *
 *   generate n { (i) ... ys = scan z, xs { f } ... }
 *   all = scan (false, z), generate total { (p) (p begins an element, xs[p]) }, in which what begins an element forgets what is before it
 *   generate n { (i) ... ys = generate length { (j) all[start + j] } ... } */
#include "ir/passes/distribute/distribute.h"

static ir_value pair_of(scheduler *s, place at, ir_value x, ir_value y)
{
    ir_type types[] = {x ? type_of(s, x) : 0, y ? type_of(s, y) : 0};
    ir_value args[] = {x, y};
    return s->failed || !x || !y ? 0 : sched_make(s, at, OP_TUPLE, args, 2, type_tuple(s->m, types, 2));
}

/* Whether number p of all is the first of an element. */
static ir_value begins(scheduler *s, place at, const sched_laid *l, ir_value p)
{
    ir_value row = sched_laid_row(s, at, l, p), args[] = {p, row ? sched_laid_first(s, at, l, row) : 0};
    return args[1] ? sched_make(s, at, (opcode)SOP_EQ, args, 2, type_scalar(s->m, ST_BOOL)) : 0;
}

/* generate total { (p) (p begins an element, all[p]) } */
static ir_value pairs_of(scheduler *s, place at, const sched_laid *l, ir_value all)
{
    ir_type types[] = {type_scalar(s->m, ST_BOOL), elem_of(s, all)};
    ir_value p;
    place in;
    ir_value v = sched_generate(s, at, &l->total, 1, type_tuple(s->m, types, 2), &in, &p);
    ir_value t = v ? pair_of(s, in, begins(s, in, l, p), sched_index(s, in, all, &p, 1)) : 0;
    if (t)
        sched_yield(s, in, t);
    return t && !s->failed ? v : 0;
}

/* { (a, b) (either begins, b's number if it begins, else both combined) } */
static void say_join(scheduler *s, ir_op scan, ir_op of, ir_type pair)
{
    ir_module *m = s->m;
    place in = {ir_op_at(m, scan)->regions, 0, ir_op_at(m, scan)->loc};
    ir_value a = ir_add_param(m, in.region, pair, 0, true), b = ir_add_param(m, in.region, pair, 0, true);
    s->failed = s->failed || !a || !b;
    if (s->failed)
        return;
    ir_value flag = sched_item(s, in, b, 0), x = sched_item(s, in, a, 1), y = sched_item(s, in, b, 1);
    ir_value either = flag ? sched_make2(s, in, (opcode)SOP_OR, sched_item(s, in, a, 0), flag) : 0;
    ir_value v = y && either ? sched_make(s, in, OP_IF, &flag, 1, type_of(s, y)) : 0;
    if (!v)
        return;
    ir_region then = ir_op_at(m, made_by(m, v))->regions;
    ir_value args[] = {x, y}, both = ir_copy_body(&s->e, ir_op_at(m, of)->regions, then + 1, args);
    s->failed = s->failed || !both;
    if (s->failed)
        return;
    sched_yield(s, (place){then, 0, in.loc}, y);
    sched_yield(s, (place){then + 1, 0, in.loc}, both);
    sched_yield(s, in, pair_of(s, in, either, v));
}

/* What an exclusive scan gives: z for the first, else what stands before it in that of all. */
static ir_value exclusive(scheduler *s, place at, ir_value z, ir_value all, ir_value start, ir_value n)
{
    ir_module *m = s->m;
    ir_value j;
    place in;
    ir_value v = sched_generate(s, at, &n, 1, type_of(s, z), &in, &j), args[] = {v ? j : 0, sched_int(s, 0)};
    ir_value first = v ? sched_make(s, in, (opcode)SOP_EQ, args, 2, type_scalar(m, ST_BOOL)) : 0;
    ir_value y = first ? sched_make(s, in, OP_IF, &first, 1, type_of(s, z)) : 0;
    if (!y)
        return 0;
    ir_region then = ir_op_at(m, made_by(m, y))->regions;
    place later = {then + 1, 0, at.loc};
    ir_value p = sched_make2(s, later, (opcode)SOP_SUB, sched_make2(s, later, (opcode)SOP_ADD, start, j), sched_int(s, 1));
    ir_value x = p ? sched_item(s, later, sched_index(s, later, all, &p, 1), 1) : 0;
    if (!x)
        return 0;
    sched_yield(s, (place){then, 0, at.loc}, z);
    sched_yield(s, later, x);
    sched_yield(s, in, y);
    return s->failed ? 0 : v;
}

ir_value sched_lift_scan(scheduler *s, const sched_element *x, ir_op o)
{
    ir_module *m = s->m;
    sched_laid l;
    ir_value z = ir_arg(m, o, 0), xs = ir_arg(m, o, 1);
    place at = sched_before(s, x->make), here = sched_before(s, o);
    bool may = sched_is_free(s, ir_op_at(m, o)->regions, x->body, x->make) && sched_is_hosts(s, z, x->make);
    ir_value all = may && sched_lay(s, x, o, xs, &l) ? sched_laid_of(s, x, xs, &l) : 0;
    ir_value pairs = all ? pairs_of(s, at, &l, all) : 0;
    if (!pairs)
        return 0;
    ir_type pair = elem_of(s, pairs);
    ir_value args[] = {pair_of(s, at, ir_const(m, ST_BOOL, 0), z), pairs};
    ir_value scan = args[0] ? sched_make(s, at, OP_SCAN, args, 2, type_of(s, pairs)) : 0;
    if (scan)
        say_join(s, made_by(m, scan), o, pair);
    ir_value start = scan && !s->failed ? sched_laid_start(s, here, x, &l) : 0, n = start ? sched_dim(s, here, xs, 0) : 0;
    if (!n)
        return 0;
    bool before = ir_op_at(m, o)->opcode == OP_SCANEX;
    ir_value v = before ? exclusive(s, here, z, scan, start, n) : sched_laid_own(s, here, scan, 1, start, n);
    if (v)
        sched_replace(s, o, v);
    return v;
}
