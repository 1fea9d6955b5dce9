/* What the caller of a kernel sees: the leaves of its parameters and of its result. */
#include "libfcl/face.h"

/* One side of a kernel: the leaves, and where their whole types and names come from. */
typedef struct side {
    ir_func f;
    bool in;
    vec_leaf leaves;
} side;

/* Checks the module if need be and finds the leaves; the caller frees them either way. */
static bool find_side(fcl_module *m, const char *entry, bool in, side *s)
{
    *s = (side){.in = in};
    uint32_t before = m->ir.cx->diags.errors;
    if (!fcl_module_check(m))
        return false;
    s->f = face_kernel(m, entry);
    if (!s->f)
        return false;
    bool ok =
        in ? host_leaves_in(&m->ir, s->f, &s->leaves) : host_leaves_out(&m->ir, s->f, &s->leaves);
    return face_module_ok(m, before) && ok;
}

static void free_side(fcl_module *m, side *s)
{
    vec_free(&m->ir.cx->mem, &s->leaves);
}

static size_t side_len(fcl_module *m, const side *s)
{
    if (s->in)
        return ir_region_at(&m->ir, ir_func_at(&m->ir, s->f)->body)->nparams;
    const type_node *t = ir_type_at(&m->ir, ir_func_at(&m->ir, s->f)->result);
    return t->kind == TY_TUPLE ? t->n : 1;
}

bool fcl_kernel_signature(fcl_module *m, const char *entry, fcl_signature *out)
{
    side in, results;
    bool ok = find_side(m, entry, true, &in);
    bool both = ok && find_side(m, entry, false, &results);
    if (both)
        *out = (fcl_signature){
            .nparams = side_len(m, &in),
            .nresults = side_len(m, &results),
            .nleaves_in = in.leaves.len,
            .nleaves_out = results.leaves.len,
        };
    if (ok)
        free_side(m, &results);
    free_side(m, &in);
    return both;
}

/* The value that a leaf belongs to (a parameter), and its whole type. */
static ir_type whole_type(fcl_module *m, const side *s, uint32_t k, ir_value *param)
{
    const func_node f = *ir_func_at(&m->ir, s->f);
    *param = s->in ? ir_region_at(&m->ir, f.body)->params + k : 0;
    if (s->in)
        return ir_value_at(&m->ir, *param)->type;
    return ir_type_at(&m->ir, f.result)->kind == TY_TUPLE ? type_item(&m->ir, f.result, k)
                                                          : f.result;
}

static bool get_leaf(fcl_module *m, const char *entry, bool in, size_t i, fcl_leaf *out)
{
    side s;
    bool ok = find_side(m, entry, in, &s) && i < s.leaves.len;
    if (ok) {
        leaf l = s.leaves.at[i];
        ir_value param;
        ir_type whole = whole_type(m, &s, l.param, &param);
        *out = (fcl_leaf){
            .param = l.param,
            .type = (fcl_scalar)l.type,
            .rank = l.rank,
            .name = ir_str(&m->ir, ir_value_at(&m->ir, param)->name),
            .type_text = type_str(&m->ir, whole),
        };
    }
    free_side(m, &s);
    return ok;
}

bool fcl_kernel_leaf_in(fcl_module *m, const char *entry, size_t i, fcl_leaf *out)
{
    return get_leaf(m, entry, true, i, out);
}

bool fcl_kernel_leaf_out(fcl_module *m, const char *entry, size_t i, fcl_leaf *out)
{
    return get_leaf(m, entry, false, i, out);
}
