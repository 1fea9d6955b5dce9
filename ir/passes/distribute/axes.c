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
    for (uint32_t k = 0; k < n.nargs && *left; k++, --*left) {
        ir_value v = ir_arg(m, o, k);
        ir_op def = made_by(m, v);
        if (v - r->params < r->nparams)
            axes |= 1u << (v - r->params);
        else if (def && ir_op_at(m, def)->parent == in)
            axes |= axes_of(m, def, r, in, left);
    }
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
        for (ir_op x = ir_region_at(m, n.regions + i)->first; x && *left; x = ir_op_at(m, x)->next, --*left)
            axes |= axes_of(m, x, r, in, left);
    return *left ? axes : UINT32_MAX;
}

/* The array over those axes, in front of the generate; own: the element's numbers of them. */
static ir_value array_over(scheduler *s, ir_op make, uint32_t axes, ir_value result, ir_value *own,
                           uint32_t *rank)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, make);
    const region_node r = *ir_region_at(m, n.regions);
    ir_value dims[MAX_RANK], ix[MAX_RANK], args[MAX_RANK];
    place in;
    *rank = 0;
    for (uint32_t k = 0; k < r.nparams; k++)
        if (axes >> k & 1) {
            own[*rank] = r.params + k;
            dims[(*rank)++] = ir_arg(m, make, k);
        }
    ir_value v = sched_generate(s, sched_before(s, make), dims, *rank, type_of(s, result), &in, ix);
    if (s->failed)
        return 0;
    for (uint32_t k = 0, used = 0; k < r.nparams; k++)
        args[k] = axes >> k & 1 ? ix[used++] : sched_int(s, 0);
    ir_value copy = ir_copy_needed(&s->e, n.regions, result, in.region, args);
    s->failed = s->failed || !copy;
    if (copy)
        sched_yield(s, in, copy);
    return s->failed ? 0 : v;
}

ir_value sched_axes(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op make = ir_region_at(m, n.parent)->owner;
    uint32_t left = MOST_SEEN;
    if (!make || ir_op_at(m, make)->opcode != OP_GENERATE || !sched_is_base(m, type_of(s, n.result)))
        return 0;
    const region_node r = *ir_region_at(m, n.parent);
    uint32_t axes = axes_of(m, o, &r, n.parent, &left), rank;
    if (!axes || axes + 1 >= 1u << r.nparams)
        return 0;
    sched_tell(s, o, BOUND, "depends on some indices of the element alone, and is an array over those");
    ir_value own[MAX_RANK], all = array_over(s, make, axes, n.result, own, &rank);
    ir_value v = all ? sched_index(s, sched_before(s, o), all, own, rank) : 0;
    sched_replace(s, o, v);
    return s->failed ? 0 : v;
}
