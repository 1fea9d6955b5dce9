/* Compiling: the default pipeline over a module, or over one of its kernels. */
#include "libfcl/compile.h"

#include "libfcl/artifact/artifact.h"
#include "ir/kernel/lower/lower.h"
#include "ir/scheduled.h"
#include "libfcl/target.h"

#include <string.h>

/* Blocks of the usual size, or where those need more local memory than there is, of half as many
 * threads, and so on. */
static bool lower_to_fit(manager *g, fcl_module *m, ir_func f, const pass_list *list,
                         k_program *p)
{
    uint32_t smaller = 0;
    unsigned holds;
    bool ok;
    do {
        if (smaller)
            k_release(p);
        *p = (k_program){0};
        g->most_block = smaller;
        ok = manager_entry(g, m, f, list, &holds, p);
        smaller = ok ? target_smaller_block(g->o, p) : 0;
    } while (smaller);
    return ok && target_fits_memory(p);
}

bool compile_kernel(fcl_module *m, ir_func f, const fcl_compile_options *o, const run_caps *device,
                    k_program *p)
{
    manager g = {.cx = m->ir.cx, .o = o, .device = device};
    pass_list list;
    *p = (k_program){0};
    fcl_module *own = module_to_lower(m, o);
    ir_func g_f = own && own != m ? ir_func_named(&own->ir, ir_func_at(&m->ir, f)->name) : f;
    bool ok = own && pass_list_default(g.cx, o, &list);
    if (ok)
        ok = pass_list_allowed(g.cx, &list, manager_holds(own)) &&
             lower_to_fit(&g, own, g_f, &list, p);
    if (own)
        vec_free(&g.cx->mem, &list.steps);
    module_lowered(m, own);
    return ok;
}

bool fcl_module_check_kernels(fcl_module *m)
{
    if (!m)
        return false;
    uint32_t before = m->ir.cx->diags.errors;
    if (!fcl_module_check(m))
        return false;
    const fcl_compile_options usual = {0};
    const fcl_backend *b = target_backend(m->ir.cx, &usual);
    fcl_module *own = module_to_lower(m, &usual);
    bool ok = b && own;
    for (ir_func f = 1; ok && f < own->ir.funcs.len; f++) {
        if (!own->ir.funcs.at[f].kernel || own->ir.funcs.at[f].import || ir_emits(&own->ir, f))
            continue;
        k_program p;
        k_target t;
        ok = target_make(own, b, &usual, NULL, &t) && k_lower(&own->ir, f, &t, &p) && ok;
        k_release(&p);
    }
    module_lowered(m, own);
    return face_module_ok(m, before) && ok;
}

/* For one target: the options'.  own: m, as it is lowered. */
static fcl_artifact *compile(manager *g, fcl_module *m, fcl_module *own)
{
    pass_list list;
    fcl_kernels *k = NULL;
    const fcl_backend *b = target_backend(g->cx, g->o);
    bool ok = b && pass_list_default(g->cx, g->o, &list) &&
              pass_list_allowed(g->cx, &list, manager_holds(own)) && manager_run(g, own, &list, &k);
    if (b)
        vec_free(&g->cx->mem, &list.steps);
    fcl_artifact *a = ok ? artifact_new(g->cx, k) : NULL;
    if (a && artifact_emit(g, b, m, a))
        return a;
    fcl_artifact_destroy(a);
    return NULL;
}

/* The first name of a list takes its place in the options; what stands behind it, NULL: nothing. */
static const char *next_target(fcl_context *cx, fcl_compile_options *o)
{
    const char *list = o->target;
    size_t len = list ? strcspn(list, ",") : 0;
    if (!list || !list[len])
        return NULL;
    str_id name = intern_add(&cx->strings, list, len);
    o->target = intern_str(&cx->strings, name);
    return list + len + 1;
}

static bool was_there(const fcl_artifact *a, const char *target)
{
    bool found = false;
    for (uint32_t i = 0; i < a->data.targets.len; i++)
        found =
            found || strcmp(intern_str(&a->cx->strings, a->data.targets.at[i].name), target) == 0;
    return found &&
           !diag_error(a->cx, DIAG_OPTION, (location){0}, "the target %s is named twice", target);
}

/* For each target of a list, into one artifact. */
static fcl_artifact *compile_all(manager *g, fcl_module *m, fcl_module *own,
                                 fcl_compile_options *o)
{
    const char *rest = next_target(g->cx, o);
    fcl_artifact *a = compile(g, m, own);
    bool ok = a != NULL;
    while (ok && rest) {
        o->target = rest;
        rest = next_target(g->cx, o);
        fcl_artifact *more = was_there(a, o->target) ? NULL : compile(g, m, own);
        ok = more && fcl_artifact_join(a, more);
    }
    if (ok)
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
              artifact_make_target(b, &made, k->programs.at, k->programs.len, m, &t);
    t.code = made.code;
    ok = ok && vec_push(&g->cx->mem, &a->data.targets, t);
    if (!ok)
        artifact_target_release(g->cx, &t);
    return ok;
}

fcl_artifact *fcl_compile(fcl_module *m, const fcl_compile_options *options)
{
    if (!m)
        return NULL;
    fcl_compile_options o = abi_compile_options(options);
    manager g = {.cx = m->ir.cx, .o = &o};
    uint32_t before = g.cx->diags.errors;
    fcl_module *own = face_usable(m) ? module_to_lower(m, &o) : NULL;
    fcl_artifact *a = own ? compile_all(&g, m, own, &o) : NULL;
    module_lowered(m, own);
    if (face_module_ok(m, before) && a)
        return a;
    fcl_artifact_destroy(a);
    return NULL;
}
