/* Handing a region with all in it from one operation to another: see edit.h.
 *
 * The nodes of the operations stay, and so do their order and their uses; what changes is which
 * region they say they are in.  Costs the operations of the region, not what is inside of them. */
#include "ir/rewrite/edit.h"

#include "ir/append.h"

/* The operations of a region and its end are those of another one now. */
static void take_operations(ir_module *m, ir_region from, ir_region to)
{
    region_node *f = ir_region_at(m, from), *t = ir_region_at(m, to);
    t->first = f->first;
    t->last = f->last;
    f->first = f->last = 0;
    for (ir_op o = t->first; o; o = ir_op_at(m, o)->next)
        ir_op_at(m, o)->parent = to;
    m->checked = false;
}

void ir_take_region(ir_editor *e, ir_region from, ir_region to)
{
    ir_module *m = e->m;
    region_node *f = ir_region_at(m, from), *t = ir_region_at(m, to);
    t->params = f->params;
    t->nparams = f->nparams;
    t->nslots = f->nslots;
    f->params = f->nparams = 0;
    for (uint32_t i = 0; i < t->nparams; i++)
        ir_value_at(m, t->params + i)->def = to;
    take_operations(m, from, to);
}

void ir_take_body(ir_editor *e, ir_region from, ir_region to, const ir_value *args)
{
    ir_module *m = e->m;
    const region_node f = *ir_region_at(m, from);
    for (uint32_t i = 0; i < f.nparams; i++)
        ir_replace_uses(e, f.params + i, args[i]);
    take_operations(m, from, to);
    for (ir_op o = ir_region_at(m, to)->first; o; o = ir_op_at(m, o)->next)
        if (ir_op_at(m, o)->result)
            ir_value_at(m, ir_op_at(m, o)->result)->slot =
                ir_region_at(m, to)->nslots++ & SLOT_MASK;
}

/* Parameters of an fn say their types, in files too. */
ir_value ir_region_to_fn(ir_editor *e, ir_op o, uint32_t k)
{
    ir_module *m = e->m;
    const op_node n = *ir_op_at(m, o);
    ir_op fn = ir_insert_op(e, n.parent, o, OP_FN, NULL, 0, n.loc);
    if (!fn)
        return 0;
    ir_region to = ir_op_at(m, fn)->regions;
    ir_take_region(e, n.regions + k, to);
    const region_node *r = ir_region_at(m, to);
    for (uint32_t i = 0; i < r->nparams; i++)
        ir_value_at(m, r->params + i)->annotated = 1;
    return ir_op_at(m, fn)->result;
}
