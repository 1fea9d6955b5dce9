/* Compiling: the default pipeline over a module, or over one of its kernels. */
#include "libfcl/compile.h"

#include "libfcl/artifact.h"
#include "ir/kernel/lower/lower.h"
#include "libfcl/target.h"

bool compile_kernel(fcl_module *m, ir_func f, const fcl_compile_options *o, const run_caps *device,
                    k_program *p)
{
    manager g = {.cx = m->ir.cx, .o = o, .device = device};
    pass_list list;
    unsigned holds;
    *p = (k_program){0};
    bool ok = pass_list_default(g.cx, o, &list) &&
              pass_list_allowed(g.cx, &list, manager_holds(m)) &&
              manager_entry(&g, m, f, &list, &holds, p) && target_fits_memory(p);
    vec_free(&g.cx->mem, &list.steps);
    return ok;
}

bool fcl_module_check_kernels(fcl_module *m)
{
    uint32_t before = m->ir.cx->diags.errors;
    if (!fcl_module_check(m))
        return false;
    const fcl_compile_options usual = {0};
    const fcl_backend *b = target_backend(m->ir.cx, &usual);
    bool ok = b != NULL;
    for (ir_func f = 1; ok && f < m->ir.funcs.len; f++) {
        if (!m->ir.funcs.at[f].kernel || m->ir.funcs.at[f].import)
            continue;
        k_program p;
        k_target t;
        ok = target_make(m, b, &usual, NULL, &t) && k_lower(&m->ir, f, &t, &p) && ok;
        k_release(&p);
    }
    return face_module_ok(m, before) && ok;
}

static fcl_artifact *compile(manager *g, fcl_module *m)
{
    pass_list list;
    fcl_kernels *k = NULL;
    const fcl_backend *b = target_backend(g->cx, g->o);
    bool ok = b && pass_list_default(g->cx, g->o, &list) &&
              pass_list_allowed(g->cx, &list, manager_holds(m)) && manager_run(g, m, &list, &k);
    if (b)
        vec_free(&g->cx->mem, &list.steps);
    fcl_artifact *a = ok ? artifact_new(g->cx, k) : NULL;
    if (a && artifact_emit(g, b, m, a))
        return a;
    fcl_artifact_destroy(a);
    return NULL;
}

bool artifact_emit(manager *g, const fcl_backend *b, fcl_module *m, fcl_artifact *a)
{
    artifact_target t = {0};
    fcl_emission made = {.cx = g->cx};
    const fcl_kernels *k = a->kernels;
    if (m)
        a->data.has_digest = fcl_module_hash(m, a->data.digest);
    bool ok = (!m || a->data.has_digest) && manager_emit(g, b, k, &made) &&
              artifact_make_target(b, k->programs.at, k->programs.len, m, &t);
    t.code = made.code;
    t.is_text = !made.is_bytes;
    t.options = made.options ? made.options : t.options;
    ok = ok && vec_push(&g->cx->mem, &a->data.targets, t);
    if (!ok)
        artifact_target_release(g->cx, &t);
    return ok;
}

fcl_artifact *fcl_compile(fcl_module *m, const fcl_compile_options *options)
{
    fcl_compile_options o = abi_compile_options(options);
    manager g = {.cx = m->ir.cx, .o = &o};
    uint32_t before = g.cx->diags.errors;
    fcl_artifact *a = face_usable(m) ? compile(&g, m) : NULL;
    if (face_module_ok(m, before) && a)
        return a;
    fcl_artifact_destroy(a);
    return NULL;
}
