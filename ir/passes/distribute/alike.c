/* Work of an element that all elements have alike, or of a turn, and that may fail: done in front of them, where there are some.
 *
 *   map xs { (x) %s = (a sum of what is gathered) ... }      becomes
 *   %once = if 0 < length xs { that sum, as an array of one element } { an empty array }
 *   map xs { (x) %s = index %once, 0 ... }
 *
 * Where there are no elements nobody has asked for it; nor is it done in front of elements that nobody may ask for (wanted.c).  An
 * array stays as it is, in the choice.  Elements inside of elements have it in front of the outermost ones whose extents are known
 * there, and so has a branch of a condition that is known there. */
#include "ir/passes/distribute/distribute.h"
#include "ir/scheduled.h"

enum { MOST_NEEDED = 12, MOST_LEFT = 16 };

/* What has to hold for work to be asked for: a number is positive, or an axis of an array has elements; or a condition says which branch
 * is taken. */
typedef enum need_kind { NUMBER_IS_POSITIVE, AXIS_HAS_ELEMENTS, CONDITION_HOLDS, CONDITION_FAILS } need_kind;

typedef struct need {
    need_kind kind;
    ir_value of;
    uint32_t axis;
} need;

/* The operations whose regions work may leave, the innermost first, and what it needs in front of each: the first so many. */
typedef struct path {
    need needed[MOST_NEEDED];
    uint32_t nneeded, n, before[MOST_LEFT];
    ir_op left[MOST_LEFT];
} path;

static bool add(path *w, need_kind what, ir_value of, uint32_t axis)
{
    if (w->nneeded == MOST_NEEDED)
        return false;
    w->needed[w->nneeded++] = (need){what, of, axis};
    return true;
}

static bool add_axes(const scheduler *s, path *w, ir_value xs)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < ir_type_at(s->m, type_of(s, xs))->n; i++)
        ok = add(w, AXIS_HAS_ELEMENTS, xs, i);
    return ok;
}

/* What the region of an operation needs to run: elements, turns or a choice; false: it is none of these, or there are too many. */
static bool add_needs(scheduler *s, ir_op o, ir_region r, path *w)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    bool ok = true;
    if (sched_goes_through(m, o)) /* what combines runs where two have one place */
        return r == n.regions && add_axes(s, w, ir_arg(m, o, n.nargs - 1u));
    switch (n.opcode) {
    case OP_REPEAT: return add(w, NUMBER_IS_POSITIVE, ir_arg(m, o, 0), 0);
    case OP_IF: return add(w, r == n.regions ? CONDITION_HOLDS : CONDITION_FAILS, ir_arg(m, o, 0), 0);
    case OP_GENERATE:
        for (uint32_t i = 0; ok && i < n.nargs; i++)
            ok = add(w, NUMBER_IS_POSITIVE, ir_arg(m, o, i), 0);
        return ok;
    default: return false;
    }
}

enum { MOST_SEEN = 1024 };

/* Whether a region hands out, asserts or receives: what fails in a turn fails behind what the turn has handed out. */
static bool tells(const ir_module *m, ir_region r, uint32_t *left)
{
    bool does = false;
    for (ir_op o = m->regions.at[r].first; o && !does; o = m->ops.at[o].next) {
        const op_node n = m->ops.at[o];
        const op_info *info = ir_op_info(n.opcode);
        does = !*left || info->effect == EFFECT_EMIT || n.opcode == OP_ASSERT;
        for (uint32_t i = 0; i < info->regions && !does; i++)
            does = tells(m, n.regions + i, left);
        *left -= *left != 0;
    }
    return does;
}

/* Out of a region, if what is needed is seen in front of it and it runs whenever that holds. */
static bool leave(scheduler *s, ir_op around, ir_region r, path *w)
{
    uint32_t left = MOST_SEEN;
    bool may = around && w->n < MOST_LEFT && add_needs(s, around, r, w) && !tells(s->m, r, &left) && sched_is_wanted(s, around);
    for (uint32_t i = 0; may && i < w->nneeded; i++)
        may = sched_sees(s, w->needed[i].of, around);
    if (!may)
        return false;
    w->before[w->n] = w->nneeded;
    w->left[w->n++] = around;
    return true;
}

/* As far as it may go; a branch alone is not worth leaving. */
static path path_of(scheduler *s, ir_op o, uint32_t levels)
{
    path w = {.n = 0};
    ir_region r = ir_op_at(s->m, o)->parent;
    for (ir_op around; levels && leave(s, around = ir_region_at(s->m, r)->owner, r, &w); levels--)
        r = ir_op_at(s->m, around)->parent;
    while (w.n && ir_op_at(s->m, w.left[w.n - 1])->opcode == OP_IF)
        w.n--;
    return w;
}

static ir_value holds(scheduler *s, place at, const need *x)
{
    ir_type truth = type_scalar(s->m, ST_BOOL);
    if (x->kind == CONDITION_HOLDS)
        return x->of;
    if (x->kind == CONDITION_FAILS)
        return sched_make(s, at, (opcode)SOP_NOT, &x->of, 1, truth);
    ir_value number = x->kind == AXIS_HAS_ELEMENTS ? sched_dim(s, at, x->of, x->axis) : x->of, test[] = {sched_int(s, 0), number};
    return number ? sched_make(s, at, (opcode)SOP_LT, test, 2, truth) : 0;
}

/* Whether the first n of what is needed hold. */
static ir_value all_hold(scheduler *s, place at, const path *w, uint32_t n)
{
    ir_value all = 0;
    for (uint32_t i = 0; i < n && !s->failed; i++) {
        ir_value one = holds(s, at, &w->needed[i]), both[] = {all, one};
        all = all && one ? sched_make(s, at, (opcode)SOP_AND, both, 2, type_scalar(s->m, ST_BOOL)) : one;
    }
    return s->failed ? 0 : all;
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

/* A value of a region, in front of the operation that has it; a scalar as an array of one. */
static ir_value once(scheduler *s, const path *w, uint32_t level, ir_value v)
{
    ir_module *m = s->m;
    const ir_op around = w->left[level];
    const sched_element element = {.make = around, .body = ir_value_region(m, v)};
    const bool is_scalar = sched_is_base(m, type_of(s, v));
    const ir_type t = is_scalar ? type_pull(m, type_of(s, v), 1) : type_of(s, v);
    place at = sched_before(s, around);
    ir_value some = all_hold(s, at, w, w->before[level]), choice = some ? sched_make(s, at, OP_IF, &some, 1, t) : 0;
    if (!choice)
        return 0;
    ir_region then = ir_op_at(m, made_by(m, choice))->regions;
    place there = {then, 0, at.loc}, otherwise = {then + 1, 0, at.loc};
    ir_value done = sched_copy_at(s, &element, v, then, NULL), none = done ? sched_empty(s, otherwise, t) : 0;
    if (done && is_scalar)
        done = array_of_one(s, there, done);
    if (!none || !done)
        return 0;
    sched_yield(s, there, done);
    sched_yield(s, otherwise, none);
    return s->failed ? 0 : choice;
}

/* What is copied is not to be work itself, which would be done once more. */
static bool is_no_work(const scheduler *s, ir_op o, place to)
{
    (void)to;
    return !ir_is_collective(s->m, o) || sched_work_of(s, o) == WORK_SHORT || sched_work_of(s, o) == WORK_INNER;
}

/* From level to level: what stands for it in front of one is what is copied for the next. */
static ir_value once_for_all(scheduler *s, ir_op o, const path *w)
{
    ir_module *m = s->m;
    ir_value v = ir_op_at(m, o)->result, all = 0, zero = sched_int(s, 0);
    const bool is_scalar = sched_is_base(m, type_of(s, v));
    for (uint32_t level = 0; level < w->n && !s->failed; level++) {
        if (!sched_may_need(s, made_by(m, v), sched_before(s, w->left[level]), is_no_work))
            break;
        ir_value next = once(s, w, level, v), before = all;
        if (before && is_scalar && !s->failed)
            ir_erase_op(&s->e, made_by(m, v));
        if (before && !s->failed)
            ir_erase_op(&s->e, made_by(m, before));
        all = v = next;
        if (next && is_scalar)
            v = sched_index(s, sched_before(s, w->left[level]), next, &zero, 1);
        s->failed = s->failed || !v;
    }
    if (s->failed || !all || !is_scalar)
        return s->failed ? 0 : all;
    ir_erase_op(&s->e, made_by(m, v));
    return sched_index(s, sched_before(s, o), all, &zero, 1);
}

/* A scalar, or an array of these of one axis that somebody goes through. */
static bool may_be_chosen(scheduler *s, ir_op o)
{
    const ir_type t = type_of(s, ir_op_at(s->m, o)->result);
    const type_node n = *ir_type_at(s->m, t);
    return sched_is_base(s->m, t) || (n.kind == TY_PULL && n.n == 1 && sched_is_base(s->m, n.a) && sched_is_wanted(s, o));
}

ir_value sched_alike(scheduler *s, ir_op o, uint32_t levels)
{
    const path w = may_be_chosen(s, o) ? path_of(s, o, levels) : (path){.n = 0};
    ir_value v = w.n ? once_for_all(s, o, &w) : 0;
    if (v)
        sched_replace(s, o, v);
    if (v && !s->failed)
        sched_tell(s, made_by(s->m, v), BOUND, "is the same for all, and is computed once, in front of them, where there are some");
    return s->failed ? 0 : v;
}
