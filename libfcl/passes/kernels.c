/* Kernel programs as callers hold them, and lists of passes over them and over modules. */
#include "libfcl/passes/passes.h"

#include "ir/kernel/read.h"
#include "libfcl/artifact/artifact.h"
#include "libfcl/core/core.h"
#include "libfcl/target.h"

#include <string.h>

/* ---- the handle ---- */

/* NULL when memory runs out; the context must outlive what is returned. */
fcl_kernels *kernels_new(fcl_context *cx)
{
    fcl_kernels *k = mem_resize(&cx->mem, NULL, 0, sizeof *k);
    if (!k)
        return NULL;
    *k = (fcl_kernels){.cx = cx};
    cx->holders++;
    return k;
}

void fcl_kernels_destroy(fcl_kernels *k)
{
    if (!k)
        return;
    mem *mm = &k->cx->mem;
    for (uint32_t i = 0; i < k->programs.len; i++)
        k_release(&k->programs.at[i]);
    vec_free(mm, &k->programs);
    k->cx->holders--;
    mem_free(mm, k, sizeof *k);
}

/* Text that was begun is given back to the context when printing fails. */
char *fcl_kernels_print(const fcl_kernels *k, size_t *size)
{
    if (!k)
        return NULL;
    uint32_t before = k->cx->diags.errors;
    vec_char text = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < k->programs.len; i++)
        ok = k_print(&k->programs.at[i], &text);
    char *copy = face_take_text(k->cx, &text, size);
    if (face_ok(k->cx, before) && ok)
        return copy;
    if (copy)
        fcl_free(k->cx, copy, *size);
    return NULL;
}

/* The verifier knows stages, the passes properties: the latest stage that holds counts. */
k_stage kernels_stage(unsigned holds)
{
    return holds & IS_LEGALISED     ? K_LEGALISED
           : holds & IS_OUTLINED    ? K_OUTLINED
           : holds & IS_VIRTUALISED ? K_VIRTUALISED
                                    : K_LOWERED;
}

/* What holds of a program that was read. */
static unsigned holds_of(const k_program *p)
{
    switch (p->stage) {
    case K_LOWERED: return IS_LOWERED;
    case K_VIRTUALISED: return IS_VIRTUALISED;
    case K_OUTLINED: return IS_VIRTUALISED | IS_OUTLINED;
    case K_LEGALISED: return IS_VIRTUALISED | IS_OUTLINED | IS_LEGALISED;
    }
    return 0;
}

/* The program is counted before it is read, since a failed read leaves something to release, too.
 */
fcl_kernels *fcl_kernels_load(fcl_context *cx, const char *name, const void *text, size_t size)
{
    if (!cx)
        return NULL;
    if (!GIVEN(cx, name) || !GIVEN_ALL(cx, text, size))
        return NULL;
    uint32_t before = cx->diags.errors;
    fcl_kernels *k = kernels_new(cx);
    bool ok = k && vec_reserve(&cx->mem, &k->programs, 1);
    if (ok) {
        k->programs.at[0] = (k_program){0};
        k->programs.len = 1;
        ok = k_read(cx, name, text, size, &k->programs.at[0]);
        k->holds = holds_of(&k->programs.at[0]);
    }
    if (face_ok(cx, before) && ok)
        return k;
    fcl_kernels_destroy(k);
    return NULL;
}

bool fcl_kernels_verify(const fcl_kernels *k)
{
    if (!k)
        return false;
    uint32_t before = k->cx->diags.errors;
    bool ok = true;
    for (uint32_t i = 0; i < k->programs.len; i++)
        ok = k_verify(&k->programs.at[i], kernels_stage(k->holds)) && ok;
    return face_ok(k->cx, before) && ok;
}

fcl_artifact *fcl_kernels_emit(fcl_kernels *k, const fcl_compile_options *options)
{
    if (!k)
        return NULL;
    fcl_compile_options o = abi_compile_options(options);
    fcl_context *cx = k->cx;
    uint32_t before = cx->diags.errors;
    manager g = {.cx = cx, .o = &o};
    const fcl_backend *b = target_backend(cx, &o);
    fcl_artifact *a = artifact_new(cx, k);
    bool ok = a && b && artifact_emit(&g, b, NULL, a);
    if (face_ok(cx, before) && ok)
        return a;
    fcl_artifact_destroy(a);
    return NULL;
}

/* ---- lists ---- */

/* `list` has a lowering step: find_pass has put one before the first kernel pass. */
bool manager_entry(manager *g, fcl_module *m, ir_func f, const pass_list *list, unsigned *holds,
                   k_program *p)
{
    const pass_step *lower = NULL;
    for (uint32_t i = 0; !lower; i++)
        if (list->steps.at[i].pass->about.kind == FCL_PASS_LOWERING)
            lower = &list->steps.at[i];
    *holds = 0;
    if (!manager_lower(g, m, f, lower, p))
        return false;
    *holds = pass_holds(&lower->pass->about, *holds);
    return manager_run_kernel(g, p, list, holds);
}

/* The kernels to compile: the entry, or all of them. */
static bool find_entries(fcl_module *m, const char *entry, vec_u32 *out)
{
    mem *mm = &m->ir.cx->mem;
    size_t n = entry ? 1 : fcl_kernel_count(m);
    if (n == 0)
        return face_kernel(m, NULL) != 0;
    for (size_t i = 0; i < n; i++) {
        ir_func f = face_kernel(m, entry ? entry : fcl_kernel_name(m, i));
        if (!f || !vec_push(mm, out, f))
            return false;
    }
    return true;
}

/* Lowers the entries, each followed through all its kernel passes. */
static fcl_kernels *make_kernels(manager *g, fcl_module *m, const char *entry,
                                 const pass_list *list)
{
    vec_u32 entries = {0};
    fcl_kernels *k = kernels_new(g->cx);
    bool ok = k && find_entries(m, entry, &entries) &&
              vec_reserve(&g->cx->mem, &k->programs, entries.len);
    for (uint32_t i = 0; ok && i < entries.len; i++)
        ok =
            manager_entry(g, m, entries.at[i], list, &k->holds, &k->programs.at[k->programs.len++]);
    vec_free(&g->cx->mem, &entries);
    if (ok)
        return k;
    fcl_kernels_destroy(k);
    return NULL;
}

/* The step that lowers; NULL when the list ends in the core. */
static const pass_step *lowering(const pass_list *list)
{
    for (uint32_t i = 0; i < list->steps.len; i++)
        if (list->steps.at[i].pass->about.kind == FCL_PASS_LOWERING)
            return &list->steps.at[i];
    return NULL;
}

/* Where every pass is verified, the module is checked beforehand, so that a broken input is not
 * blamed on the first pass. */
static bool run_core(manager *g, fcl_module *m, const pass_list *list)
{
    bool ok = !g->o->verify_each || fcl_module_check(m);
    for (uint32_t i = 0; ok && i < list->steps.len; i++)
        if (list->steps.at[i].pass->about.kind == FCL_PASS_CORE)
            ok = manager_run_core(g, m, &list->steps.at[i]);
    return ok;
}

/* The entry of `lower(entry=...)` comes before that of the options. */
bool manager_run(manager *g, fcl_module *m, const pass_list *list, fcl_kernels **kernels)
{
    const pass_step *lower = lowering(list);
    if (!run_core(g, m, list))
        return false;
    if (!lower)
        return true;
    const char *entry = lower->options.entry ? lower->options.entry : g->o->entry;
    *kernels = make_kernels(g, m, entry, list);
    return *kernels != NULL;
}

/* A list over kernel programs that are there already. */
static bool run_kernels(manager *g, fcl_kernels *k, const pass_list *list)
{
    unsigned holds = k->holds;
    bool ok = true;
    for (uint32_t i = 0; ok && i < k->programs.len; i++) {
        holds = k->holds;
        ok = manager_run_kernel(g, &k->programs.at[i], list, &holds);
    }
    k->holds = holds;
    return ok;
}

/* Programs that are there already are changed in place; a module's new ones go to *kernels, or are
 * dropped where nobody asks for them. */
static bool run_list(manager *g, fcl_module *m, fcl_kernels **kernels, const char *text,
                     pass_list *list)
{
    fcl_kernels *there = kernels ? *kernels : NULL;
    if (!pass_list_read(g->cx, text, there != NULL, list) ||
        !pass_list_allowed(g->cx, list, there ? there->holds : manager_holds(m)))
        return false;
    if (there)
        return run_kernels(g, there, list);
    fcl_kernels *made = NULL;
    bool ok = manager_run(g, m, list, &made);
    if (kernels)
        *kernels = made;
    else
        fcl_kernels_destroy(made);
    return ok;
}

bool fcl_passes_run(fcl_module *m, fcl_kernels **kernels, const char *list,
                    const fcl_compile_options *options)
{
    fcl_compile_options o = abi_compile_options(options);
    fcl_kernels *there = kernels ? *kernels : NULL;
    if (!there && !m)
        return false;
    fcl_context *cx = there ? there->cx : m->ir.cx;
    if (!GIVEN(cx, list) || (m && !SAME(cx, &m->ir)))
        return false;
    uint32_t before = cx->diags.errors;
    manager g = {.cx = cx, .o = &o};
    pass_list steps = {0};
    if (m && !face_usable(m))
        return false;
    if (m && m->rewrite)
        return core_refuse(m, "passes cannot run while the module is rewritten");
    bool ok = run_list(&g, m, kernels, list, &steps);
    vec_free(&cx->mem, &steps.steps);
    return (m ? face_module_ok(m, before) : face_ok(cx, before)) && ok;
}
