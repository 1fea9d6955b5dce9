/* What the caller of a kernel sees: the leaves of its parameters and of its result. */
#include "libfcl/face.h"

/* Components of a tuple result are counted like parameters. */
static bool add_results(fcl_module *m, ir_func f, host_signature *out)
{
    ir_module *ir = &m->ir;
    ir_type whole = ir_func_at(ir, f)->result;
    const type_node n = *ir_type_at(ir, whole);
    bool tuple = n.kind == TY_TUPLE;
    for (uint32_t i = 0; i < (tuple ? n.n : 1); i++) {
        ir_type t = tuple ? type_item(ir, whole, i) : whole;
        host_whole w = {.type = intern_cstr(&ir->cx->strings, type_str(ir, t))};
        if (!vec_push(&ir->cx->mem, &out->results, w))
            return false;
    }
    return host_leaves_out(ir, f, &out->out) && !ir->cx->mem.oom; /* texts are all there */
}

bool face_signature(fcl_module *m, ir_func f, host_signature *out)
{
    ir_module *ir = &m->ir;
    region_node body = *ir_region_at(ir, ir_func_at(ir, f)->body);
    *out = (host_signature){.entry = ir_func_at(ir, f)->name,
                            .at = ir_loc_at(ir, ir_func_at(ir, f)->loc)};
    for (uint32_t i = 0; i < body.nparams; i++) {
        const value_node *v = ir_value_at(ir, body.params + i);
        host_whole w = {.name = v->name};
        w.type = intern_cstr(&ir->cx->strings, type_str(ir, v->type));
        if (!vec_push(&ir->cx->mem, &out->params, w))
            return false;
    }
    return host_leaves_in(ir, f, &out->in) && add_results(m, f, out);
}

fcl_signature face_counts(const host_signature *s)
{
    return (fcl_signature){.nparams = s->params.len,
                           .nresults = s->results.len,
                           .nleaves_in = s->in.len,
                           .nleaves_out = s->out.len};
}

bool face_leaf(fcl_context *cx, const host_signature *s, bool in, size_t i, fcl_leaf *out)
{
    const vec_leaf *leaves = in ? &s->in : &s->out;
    const vec_whole *wholes = in ? &s->params : &s->results;
    if (i >= leaves->len)
        return false;
    const leaf *l = &leaves->at[i];
    const host_whole *w = &wholes->at[l->param];
    *out = (fcl_leaf){.param = l->param,
                      .type = (fcl_scalar)l->type,
                      .rank = l->rank,
                      .name = intern_str(&cx->strings, w->name),
                      .type_text = intern_str(&cx->strings, w->type),
                      .back = l->back};
    return true;
}

/* Checks the module if need be; *out is freed by the caller either way. */
static bool find(fcl_module *m, const char *entry, host_signature *out)
{
    uint32_t before = m->ir.cx->diags.errors;
    *out = (host_signature){0};
    if (!fcl_module_check(m))
        return false;
    ir_func f = face_kernel(m, entry);
    bool ok = f && face_signature(m, f, out);
    return face_module_ok(m, before) && ok;
}

bool fcl_kernel_signature(fcl_module *m, const char *entry, fcl_signature *out, size_t size)
{
    if (!m)
        return false;
    host_signature s;
    bool ok = find(m, entry, &s);
    fcl_signature counts = face_counts(&s);
    ok = ok && ABI_GIVE(out, size, counts);
    host_signature_free(&m->ir.cx->mem, &s);
    return ok;
}

static bool get_leaf(fcl_module *m, const char *entry, bool in, size_t i, fcl_leaf *out,
                     size_t size)
{
    host_signature s;
    fcl_leaf l;
    bool ok = find(m, entry, &s) && face_leaf(m->ir.cx, &s, in, i, &l) && ABI_GIVE(out, size, l);
    host_signature_free(&m->ir.cx->mem, &s);
    return ok;
}

bool fcl_kernel_leaf_in(fcl_module *m, const char *entry, size_t i, fcl_leaf *out, size_t size)
{
    if (!m)
        return false;
    return get_leaf(m, entry, true, i, out, size);
}

bool fcl_kernel_leaf_out(fcl_module *m, const char *entry, size_t i, fcl_leaf *out, size_t size)
{
    if (!m)
        return false;
    return get_leaf(m, entry, false, i, out, size);
}
