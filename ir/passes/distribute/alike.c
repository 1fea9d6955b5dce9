/* Work of an element that all elements have alike, or of a turn, and that may fail: an array of one element in front of them, or of none.
 *
 *   map xs { (x) %s = (a sum of what is gathered) ... }      becomes
 *   %once = generate min (length xs), 1 { that sum }
 *   map xs { (x) %s = index %once, 0 ... }
 *
 * Where there are no elements nobody has asked for it, and nothing is computed; nor is it in front of elements that nobody may ask for
 * (wanted.c).  Elements inside of elements have it in front of the outermost ones whose extents are known there.  An array whose
 * length its elements tell is a choice: where there are no elements it is empty. */
#include "ir/passes/distribute/distribute.h"

enum { MOST_EXTENTS = 8 };

/* What there are elements of: each a number, or an axis of an array. */
typedef struct extents {
    ir_value of[MOST_EXTENTS];
    uint32_t axis[MOST_EXTENTS]; /* EXTENT_NUMBER: a number */
    uint32_t n;
} extents;

static bool add(extents *x, ir_value of, uint32_t axis)
{
    if (x->n == MOST_EXTENTS)
        return false;
    x->of[x->n] = of;
    x->axis[x->n++] = axis;
    return true;
}

/* Whether a number is at most 1 by how it is made, as those that are made here. */
static bool is_one_at_most(ir_module *m, ir_value v, uint32_t depth)
{
    const value_node n = *ir_value_at(m, v);
    ir_op o = made_by(m, v);
    uint32_t code = o ? ir_op_at(m, o)->opcode : OP_NONE;
    if (n.kind == V_CONST)
        return (int32_t)n.low <= 1;
    if (!depth || (code != SOP_MIN && code != SOP_MAX))
        return false;
    bool x = is_one_at_most(m, ir_arg(m, o, 0), depth - 1), y = is_one_at_most(m, ir_arg(m, o, 1), depth - 1);
    return code == SOP_MIN ? x || y : x && y;
}

/* Whether an array has one element at most, so that what it computes is computed once. */
static bool is_single(ir_module *m, ir_op make)
{
    const op_node n = *ir_op_at(m, make);
    bool is = n.opcode == OP_GENERATE;
    for (uint32_t i = 0; i < n.nargs && is; i++)
        is = is_one_at_most(m, ir_arg(m, make, i), MOST_EXTENTS + 1);
    return is;
}

/* Those of the elements that an operation describes, or how many turns a loop has; false: it does neither, or there are too many. */
static bool add_of(scheduler *s, ir_op make, extents *x)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, make);
    bool ok = n.opcode == OP_GENERATE || n.opcode == OP_MAP;
    uint32_t rank = ok ? ir_type_at(m, type_of(s, n.result))->n : 0;
    if (n.opcode == OP_REPEAT)
        return add(x, ir_arg(m, make, 0), EXTENT_NUMBER);
    for (uint32_t i = 0; ok && i < rank; i++)
        ok = n.opcode == OP_GENERATE ? add(x, ir_arg(m, make, i), EXTENT_NUMBER) : add(x, ir_arg(m, make, 0), i);
    return ok;
}

/* The elements or turns around an operation of a region; their extents are seen in front of them, and so are those inside that count
 * already. */
static ir_op elements_around(scheduler *s, ir_op o, extents *x)
{
    ir_op make = ir_region_at(s->m, ir_op_at(s->m, o)->parent)->owner;
    bool seen = make && !is_single(s->m, make) && add_of(s, make, x) && sched_is_wanted(s, make);
    for (uint32_t i = 0; seen && i < x->n; i++)
        seen = sched_sees(s, x->of[i], make);
    return seen ? make : 0;
}

/* 1 where all are positive, else 0. */
static ir_value one_or_none(scheduler *s, place at, const extents *x)
{
    ir_value least = sched_int(s, 1);
    for (uint32_t i = 0; i < x->n && !s->failed; i++) {
        ir_value number = x->axis[i] == EXTENT_NUMBER ? x->of[i] : sched_dim(s, at, x->of[i], x->axis[i]);
        least = sched_make2(s, at, (opcode)SOP_MIN, least, number);
    }
    return sched_make2(s, at, (opcode)SOP_MAX, least, sched_int(s, 0));
}

static sched_element once_for(scheduler *s, ir_op make, const extents *x)
{
    sched_element one = {.make = make, .body = ir_op_at(s->m, make)->regions, .rank = 1};
    one.dims[0] = one_or_none(s, sched_before(s, make), x);
    one.own[0] = sched_int(s, 0);
    return one;
}

/* A scalar, from level to level: what stands for it in front of one is what is copied for the next. */
static ir_value once_scalar(scheduler *s, ir_op o, uint32_t levels)
{
    ir_module *m = s->m;
    extents x = {.n = 0};
    ir_op from = o, make;
    ir_value all = 0, zero = sched_int(s, 0);
    place in;
    for (; levels && !s->failed && (make = elements_around(s, from, &x)) != 0; levels--) {
        sched_element one = once_for(s, make, &x);
        ir_value next = sched_array_over(s, &one, ir_op_at(m, from)->result, &in);
        if (all && !s->failed) { /* it was for this */
            ir_erase_op(&s->e, from);
            ir_erase_op(&s->e, made_by(m, all));
        }
        all = next;
        ir_value v = all ? sched_index(s, sched_before(s, make), all, &zero, 1) : 0;
        s->failed = s->failed || !v;
        from = v ? made_by(m, v) : 0;
    }
    if (!all || s->failed)
        return 0;
    ir_erase_op(&s->e, from);
    return sched_index(s, sched_before(s, o), all, &zero, 1);
}

/* What a filter keeps, or a table: in front of the elements where there are some, else an empty array. */
static ir_value once_chosen(scheduler *s, const sched_element *x, ir_op o)
{
    ir_module *m = s->m;
    const ir_value result = ir_op_at(m, o)->result;
    const type_node t = *ir_type_at(m, type_of(s, result));
    place at = sched_before(s, x->make);
    ir_value test[] = {sched_int(s, 0), x->dims[0]};
    if (t.n != 1 || !sched_is_base(m, t.a))
        return 0;
    ir_value some = sched_make(s, at, (opcode)SOP_LT, test, 2, type_scalar(m, ST_BOOL));
    ir_value v = some ? sched_make(s, at, OP_IF, &some, 1, type_of(s, result)) : 0;
    if (!v)
        return 0;
    ir_region then = ir_op_at(m, made_by(m, v))->regions;
    place there = {then, 0, at.loc}, empty = {then + 1, 0, at.loc};
    ir_value copy = sched_copy_at(s, x, result, then, NULL), none = copy ? sched_make(s, empty, OP_ARRAY, NULL, 0, type_of(s, result)) : 0;
    if (!none)
        return 0;
    ir_value_at(m, none)->annotated = 1;
    sched_yield(s, there, copy);
    sched_yield(s, empty, none);
    sched_replace(s, o, v);
    return s->failed ? 0 : v;
}

/* An array: of a scan or a sort the row of a matrix of one. */
static ir_value once_array(scheduler *s, ir_op o)
{
    const sched_work work = sched_work_of(s, o);
    const bool is_row = work == WORK_ROWS || work == WORK_SORT, is_chosen = work == WORK_FILTER || work == WORK_TABLE;
    extents x = {.n = 0};
    ir_op make = is_row || is_chosen ? elements_around(s, o, &x) : 0;
    if (!make)
        return 0;
    const sched_element one = once_for(s, make, &x);
    if (s->failed)
        return 0;
    return is_row ? sched_own_row(s, &one, o) : once_chosen(s, &one, o);
}

ir_value sched_alike(scheduler *s, ir_op o, uint32_t levels)
{
    const bool is_scalar = sched_is_base(s->m, type_of(s, ir_op_at(s->m, o)->result));
    ir_value v = is_scalar ? once_scalar(s, o, levels) : once_array(s, o);
    if (v && is_scalar)
        sched_replace(s, o, v);
    if (v && !s->failed)
        sched_tell(s, made_by(s->m, v), BOUND, "is the same for all elements, and is an array of one, or none where there are no elements");
    return s->failed ? 0 : v;
}
