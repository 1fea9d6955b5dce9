/* What the grid accumulates into cells that no device combines in one step: narrow ones are words
 * meanwhile; of tuples the elements are sorted by their cells. */
#include "ir/passes/schedule/schedule.h"

static ir_type type_of(const scheduler *s, ir_value v)
{
    return ir_value_at(s->m, v)->type;
}

/* ---- a cell as a word, and back ---- */

static ir_value as_word(scheduler *s, place at, ir_value v, scalar t)
{
    if (ir_scalar_is_float(t))
        v = sched_cast(s, at, OP_BITCAST, v, (scalar)ir_scalar_info(t)->bits);
    return v ? sched_cast(s, at, OP_CONVERT, v, ST_U32) : 0;
}

static ir_value of_word(scheduler *s, place at, ir_value v, scalar t)
{
    if (!ir_scalar_is_float(t))
        return sched_cast(s, at, OP_CONVERT, v, t);
    v = sched_cast(s, at, OP_CONVERT, v, (scalar)ir_scalar_info(t)->bits);
    return v ? sched_cast(s, at, OP_BITCAST, v, t) : 0;
}

/* fn { (x: from) change x } */
static ir_value conversion(scheduler *s, place at, scalar from, scalar cell,
                           ir_value change(scheduler *, place, ir_value, scalar))
{
    ir_module *m = s->m;
    scalar to = from == cell ? ST_U32 : cell;
    ir_type param = type_scalar(m, from);
    ir_value f = sched_make(s, at, OP_FN, NULL, 0, type_fun(m, param, type_scalar(m, to)));
    if (!f)
        return 0;
    place in = {ir_op_at(m, ir_value_at(m, f)->def)->regions, 0, at.loc};
    ir_value x = ir_add_param(m, in.region, param, 0, true), y = x ? change(s, in, x, cell) : 0;
    s->failed = s->failed || !y;
    if (y)
        sched_yield(s, in, y);
    return s->failed ? 0 : f;
}

static scalar cell_of(scheduler *s, ir_op o)
{
    return type_as_scalar(s->m, ir_type_at(s->m, type_of(s, ir_arg(s->m, o, 0)))->a);
}

/* ---- the calls ---- */

bool sched_accumulates_apart(scheduler *s, ir_op o)
{
    const type_node *elem = ir_type_at(s->m, ir_type_at(s->m, type_of(s, ir_arg(s->m, o, 0)))->a);
    scalar t = cell_of(s, o);
    return elem->kind == TY_TUPLE || (t && ir_scalar_bytes(t) < 4);
}

void sched_accumulate_apart(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    ir_region r = ir_op_at(m, o)->regions;
    place at = sched_before(s, o);
    scalar t = cell_of(s, o);
    ir_value init = ir_arg(m, o, 0), xs = ir_arg(m, o, 1), args[6];
    uint32_t n = 0;
    sched_region(s, r, BY_THREAD);
    if (!s->failed)
        sched_region(s, r + 1, BY_THREAD);
    xs = s->failed ? 0 : sched_flat(s, at, xs);
    if (!xs)
        return;
    const char *name = t                      ? "accumulateWide"
                       : sched_sums(m, r + 1) ? "accumulateSorted"
                                              : "accumulateInOrder";
    sched_tell(s, o, ACCUMULATE, "accumulated as @grid.%s: %s", name,
               t                      ? "devices combine words of 32 bits in one step, and no narrower ones"
               : sched_sums(m, r + 1) ? "devices cannot combine tuples in one step; sorted by their cells, they are summed by a scan"
                                      : "devices cannot combine tuples in one step, and the function is not seen to be a sum, so a thread goes through each cell's elements");
    if (t) {
        args[n++] = conversion(s, at, t, t, as_word);
        args[n++] = conversion(s, at, ST_U32, t, of_word);
    }
    args[n++] = ir_region_to_fn(&s->e, o, 1);
    args[n++] = ir_region_to_fn(&s->e, o, 0);
    args[n++] = init;
    args[n++] = xs;
    for (uint32_t i = 0; i < n; i++)
        s->failed = s->failed || !args[i];
    sched_replace(s, o,
                  s->failed ? 0 : sched_call(s, at, name, BY_GRID, args, n, type_of(s, init)));
}
