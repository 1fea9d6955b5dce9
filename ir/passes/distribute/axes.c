/* Work of an element of a matrix that depends on some of its indices alone: an array over those.
 *
 *   generate n, m { (i, j) ... %s = (the sum of row i) ... }      becomes
 *   %sums = generate n { (i) the sum of row i }
 *   generate n, m { (i, j) ... %s = index %sums, i ... }
 *
 * What it needs in the element is computed there again, which is bounded. */
#include "ir/passes/distribute/distribute.h"

/* Operations and operands that are looked at for one. */
enum { MOST_SEEN = 512 };

/* The parameters of a region, as bits, that an operation in it, or in one of its own, depends on; all where it has looked at
 * too much. */
static uint32_t axes_of(ir_module *m, ir_op o, const region_node *r, ir_region in, uint32_t *left)
{
    const op_node n = *ir_op_at(m, o);
    uint32_t axes = 0;
    for (uint32_t k = 0; k < n.nargs && *left; k++) {
        ir_value v = ir_arg(m, o, k);
        ir_op def = made_by(m, v);
        --*left;
        if (v - r->params < r->nparams)
            axes |= 1u << (v - r->params);
        else if (def && ir_op_at(m, def)->parent == in)
            axes |= axes_of(m, def, r, in, left);
    }
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
        for (ir_op x = ir_region_at(m, n.regions + i)->first; x && *left; x = ir_op_at(m, x)->next) {
            --*left;
            axes |= axes_of(m, x, r, in, left);
        }
    return *left ? axes : (1u << r->nparams) - 1;
}

/* The element's row of that of all elements; 0: it is no scan and no sort, or its extents are not the host's. */
static ir_value own_row(scheduler *s, const sched_element *x, ir_op o)
{
    switch (sched_work_of(s, o)) {
    case WORK_ROWS: return sched_lift_rows(s, x, o);
    case WORK_SORT: return sched_lift_sort(s, x, o);
    default: return 0;
    }
}

static ir_value own_scalar(scheduler *s, const sched_element *x, ir_op o)
{
    place in;
    ir_value all = sched_array_over(s, x, ir_op_at(s->m, o)->result, &in);
    ir_value v = all ? sched_index(s, sched_before(s, o), all, x->own, x->rank) : 0;
    sched_replace(s, o, v);
    return v;
}

/* No elements where the other axes have none. */
static void none_for_none(scheduler *s, sched_element *x)
{
    const op_node n = *ir_op_at(s->m, x->make);
    place at = sched_before(s, x->make);
    ir_type truth = type_scalar(s->m, ST_BOOL);
    for (uint32_t i = 0; i < n.nargs && !s->failed; i++) {
        ir_value args[] = {sched_int(s, 0), ir_arg(s->m, x->make, i)};
        if (x->axes >> i & 1)
            continue;
        ir_value some = sched_make(s, at, (opcode)SOP_LT, args, 2, truth);
        x->dims[0] = some ? sched_select(s, at, some, x->dims[0], sched_int(s, 0)) : 0;
    }
}

ir_value sched_axes(scheduler *s, ir_op o, bool fails)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op make = ir_region_at(m, n.parent)->owner;
    uint32_t left = MOST_SEEN;
    if (!make || ir_op_at(m, make)->opcode != OP_GENERATE)
        return 0;
    const region_node r = *ir_region_at(m, n.parent);
    uint32_t axes = axes_of(m, o, &r, n.parent, &left);
    if (!axes || axes + 1 >= 1u << r.nparams)
        return 0;
    sched_element x = sched_element_along(s, make, axes);
    if (fails)
        none_for_none(s, &x);
    ir_value v = sched_is_base(m, type_of(s, n.result)) ? own_scalar(s, &x, o) : own_row(s, &x, o);
    if (s->failed || !v)
        return 0;
    sched_tell(s, made_by(m, v), BOUND, "depends on some indices of the element alone, and is an array over those");
    return v;
}
