/* Arguments against the kernel that gets them: number, types, ranks, and equal extents within an
 * array of tuples. */
#include "libfcl/run.h"

#include <stdio.h>
#include <string.h>

/* What is checked. */
typedef struct call {
    const fcl_program *p;
    const host_array *args;
    bool on_device; /* arrays have their elements there, and data NULL */
} call;

static bool bad_argument(const call *c, uint32_t i, const char *what)
{
    const fcl_program *p = c->p;
    location at = ir_loc_at(&p->m->ir, ir_func_at(&p->m->ir, p->f)->loc);
    ir_region body = ir_func_at(&p->m->ir, p->f)->body;
    ir_value param = ir_region_at(&p->m->ir, body)->params + p->in.at[i].param;
    return diag_error(p->m->ir.cx, DIAG_ARGUMENTS, at, "argument %u, for parameter %%%s: %s", i,
                      ir_str(&p->m->ir, ir_value_at(&p->m->ir, param)->name), what);
}

/* The type, as the core writes it, of a leaf. */
static const char *leaf_type(const fcl_program *p, leaf l)
{
    ir_type t = type_scalar(&p->m->ir, l.type);
    return type_str(&p->m->ir, l.rank ? type_pull(&p->m->ir, t, l.rank) : t);
}

/* The number of elements fits memory, and they are there. */
static bool has_data(const call *c, const host_array *a)
{
    uint64_t n = ir_scalar_bytes(a->type);
    bool empty = false;
    for (unsigned i = 0; i < a->rank; i++)
        empty = empty || a->dims[i] == 0;
    if (empty)
        return true;
    for (unsigned i = 0; i < a->rank; i++) {
        if (n > SIZE_MAX / 2 / a->dims[i])
            return false;
        n *= a->dims[i];
    }
    return a->data || (c->on_device && a->rank);
}

static bool check_leaf(const call *c, uint32_t i)
{
    const host_array *a = &c->args[i];
    leaf l = c->p->in.at[i];
    if (a->type != l.type || a->rank != l.rank) {
        char what[160];
        leaf given = {.type = a->type < ST_COUNT ? a->type : ST_NONE, .rank = a->rank};
        snprintf(what, sizeof what, "it takes %s, not %s", leaf_type(c->p, l),
                 leaf_type(c->p, given));
        return bad_argument(c, i, what);
    }
    return has_data(c, a) ||
           bad_argument(c, i, "its elements are missing, or more than memory holds");
}

static uint32_t leaf_count(ir_module *m, ir_type t)
{
    const type_node n = *ir_type_at(m, t);
    uint32_t sum = n.kind != TY_TUPLE;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n; i++)
        sum += leaf_count(m, type_item(m, t, i));
    return sum;
}

/* The leaves of one array of tuples have the same extents.  *i: the next leaf. */
static bool check_shapes(const call *c, ir_type t, uint32_t *i)
{
    ir_module *m = &c->p->m->ir;
    const type_node n = *ir_type_at(m, t);
    if (n.kind == TY_TUPLE) {
        for (uint32_t k = 0; k < n.n; k++)
            if (!check_shapes(c, type_item(m, t, k), i))
                return false;
        return true;
    }
    uint32_t first = *i;
    *i += n.kind == TY_PULL ? leaf_count(m, n.a) : 1;
    for (uint32_t k = first + 1; k < *i; k++)
        if (memcmp(c->args[k].dims, c->args[first].dims, c->args[k].rank * sizeof(uint64_t)) != 0)
            return bad_argument(c, k, "the components of an array of tuples have the same extents");
    return true;
}

bool program_check_args(const fcl_program *p, const host_array *args, uint32_t nargs,
                        bool on_device)
{
    call c = {.p = p, .args = args, .on_device = on_device};
    ir_module *m = &p->m->ir;
    const func_node f = *ir_func_at(m, p->f);
    if (nargs != p->in.len)
        return diag_error(m->cx, DIAG_ARGUMENTS, ir_loc_at(m, f.loc),
                          "kernel %s takes %u arguments, not %u", ir_str(m, f.name), p->in.len,
                          nargs);
    for (uint32_t i = 0; i < nargs; i++)
        if (!check_leaf(&c, i))
            return false;
    region_node body = *ir_region_at(m, f.body);
    uint32_t next = 0;
    for (uint32_t i = 0; i < body.nparams; i++)
        if (!check_shapes(&c, ir_value_at(m, body.params + i)->type, &next))
            return false;
    return true;
}
