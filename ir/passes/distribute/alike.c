/* Work of an element that all elements have alike, or of a turn, and that may fail: done in front of them, where there are some.
 *
 *   map xs { (x) %s = (a sum of what is gathered) ... }      becomes
 *   %once = if 0 < length xs { that sum, as an array of one element } { an empty array }
 *   map xs { (x) %s = index %once, 0 ... }
 *
 * Where there are no elements nobody has asked for it; nor is it done in front of elements that nobody may ask for (wanted.c).  An
 * array stays as it is, in the choice.  Elements inside of elements have it in front of the outermost ones whose extents are known
 * there. */
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
    bool seen = make && add_of(s, make, x) && sched_is_wanted(s, make);
    for (uint32_t i = 0; seen && i < x->n; i++)
        seen = sched_sees(s, x->of[i], make);
    return seen ? make : 0;
}

/* Whether all are positive. */
static ir_value are_some(scheduler *s, place at, const extents *x)
{
    ir_value least = sched_int(s, 1);
    for (uint32_t i = 0; i < x->n && !s->failed; i++) {
        ir_value number = x->axis[i] == EXTENT_NUMBER ? x->of[i] : sched_dim(s, at, x->of[i], x->axis[i]);
        least = sched_make2(s, at, (opcode)SOP_MIN, least, number);
    }
    ir_value test[] = {sched_int(s, 0), least};
    return s->failed ? 0 : sched_make(s, at, (opcode)SOP_LT, test, 2, type_scalar(s->m, ST_BOOL));
}

static ir_value array_of_one(scheduler *s, place at, ir_value v)
{
    ir_value one = sched_int(s, 1), i;
    place in;
    ir_value a = sched_generate(s, at, &one, 1, type_of(s, v), &in, &i);
    if (a)
        sched_yield(s, in, v);
    return s->failed ? 0 : a;
}

/* A value of the elements of an array, in front of that; a scalar as an array of one. */
static ir_value once(scheduler *s, ir_op make, const extents *x, ir_value v)
{
    ir_module *m = s->m;
    const sched_element element = {.make = make, .body = ir_op_at(m, make)->regions};
    const bool is_scalar = sched_is_base(m, type_of(s, v));
    const ir_type t = is_scalar ? type_pull(m, type_of(s, v), 1) : type_of(s, v);
    place at = sched_before(s, make);
    ir_value some = are_some(s, at, x), choice = some ? sched_make(s, at, OP_IF, &some, 1, t) : 0;
    if (!choice)
        return 0;
    ir_region then = ir_op_at(m, made_by(m, choice))->regions;
    place there = {then, 0, at.loc}, otherwise = {then + 1, 0, at.loc};
    ir_value done = sched_copy_at(s, &element, v, then, NULL), none = done ? sched_make(s, otherwise, OP_ARRAY, NULL, 0, t) : 0;
    if (done && is_scalar)
        done = array_of_one(s, there, done);
    if (!none || !done)
        return 0;
    ir_value_at(m, none)->annotated = 1;
    sched_yield(s, there, done);
    sched_yield(s, otherwise, none);
    return s->failed ? 0 : choice;
}

/* A scalar, from level to level: what stands for it in front of one is what is copied for the next. */
static ir_value once_scalar(scheduler *s, ir_op o, uint32_t levels)
{
    ir_module *m = s->m;
    extents x = {.n = 0};
    ir_op from = o, make;
    ir_value all = 0, zero = sched_int(s, 0);
    for (; levels && !s->failed && (make = elements_around(s, from, &x)) != 0; levels--) {
        ir_value next = once(s, make, &x, ir_op_at(m, from)->result);
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

/* An array of scalars, of one axis. */
static ir_value once_array(scheduler *s, ir_op o)
{
    const ir_value v = ir_op_at(s->m, o)->result;
    const type_node t = *ir_type_at(s->m, type_of(s, v));
    extents x = {.n = 0};
    ir_op make = t.kind == TY_PULL && t.n == 1 && sched_is_base(s->m, t.a) ? elements_around(s, o, &x) : 0;
    return make ? once(s, make, &x, v) : 0;
}

ir_value sched_alike(scheduler *s, ir_op o, uint32_t levels)
{
    const bool is_scalar = sched_is_base(s->m, type_of(s, ir_op_at(s->m, o)->result));
    ir_value v = is_scalar ? once_scalar(s, o, levels) : once_array(s, o);
    if (v)
        sched_replace(s, o, v);
    if (v && !s->failed)
        sched_tell(s, made_by(s->m, v), BOUND, "is the same for all, and is computed once, in front of them, where there are some");
    return s->failed ? 0 : v;
}
