/* Compiling: check, lower, the kernel pipeline, emit.  The stages in between are kept as text in
 * the artifact. */
#include "libfcl/compile.h"

#include "ir/kernel/analysis/local.h"
#include "ir/kernel/verify.h"

#include <string.h>

/* ---- one kernel ---- */

/* Adds a program's text to the stage of that name, which is made for the first entry. */
static bool keep_stage(fcl_artifact *a, const char *name, const k_program *p)
{
    mem *mm = &a->cx->mem;
    uint32_t number = 0;
    while (number < a->stages.len && strcmp(a->stages.at[number].name, name) != 0)
        number++;
    if (number == a->stages.len && !vec_push(mm, &a->stages, (stage){.name = name}))
        return false;
    bool ok = k_print(p, &a->stages.at[number].text);
    text_cstr(mm, &a->stages.at[number].text);
    return ok;
}

/* Sizes that only the launch knows are checked there. */
static bool fits_memory(const k_program *p, const k_kernel *k)
{
    uint64_t bytes = k_map_bytes(p, k, (k_sizes){0});
    uint32_t limit = p->target.facts.local_bytes;
    if (!limit || bytes <= limit)
        return true;
    location at = k_loc_of(p, k->launch);
    diag_error(p->cx, DIAG_LOCAL_MEMORY, at,
               "kernel %s needs %llu bytes of local memory; the limit is %u",
               intern_str(&p->cx->strings, k->name), (unsigned long long)bytes, limit);
    k_map_note(p, k, (k_sizes){0});
    diag_hint(p->cx, "work on smaller chunks, or force less at block level");
    return false;
}

/* ---- kernel passes ---- */

size_t fcl_kernel_pass_count(void)
{
    return k_pass_count;
}

const char *fcl_kernel_pass_name(size_t i)
{
    return i < k_pass_count ? k_passes[i].name : NULL;
}

const char *fcl_kernel_pass_summary(size_t i)
{
    return i < k_pass_count ? k_passes[i].summary : NULL;
}

bool fcl_kernel_pass_is_needed(size_t i)
{
    return i < k_pass_count && k_passes[i].needed;
}

/* Whether the list, names separated by commas, has the first n characters of name. */
static bool is_listed(const char *list, const char *name, size_t n)
{
    while (*list) {
        size_t len = strcspn(list, ",");
        if (len == n && memcmp(list, name, n) == 0)
            return true;
        list += len + (list[len] == ',');
    }
    return false;
}

/* Every name in the list must be a pass. */
static bool known_passes(fcl_context *cx, const char *list)
{
    for (size_t len; *list; list += len + (list[len] == ',')) {
        bool known = false;
        len = strcspn(list, ",");
        for (uint32_t i = 0; i < k_pass_count && !known; i++)
            known = is_listed(k_passes[i].name, list, len);
        if (known || !len)
            continue;
        diag_error(cx, DIAG_NO_PASS, (location){0}, "there is no kernel pass %.*s",
                   (int)(len < 64 ? len : 64), list);
        diag_hint(cx, "fcl-opt --list-passes lists them");
        return false;
    }
    return true;
}

static bool is_wanted(const fcl_compile_options *o, const k_pass *pass)
{
    return pass->needed || !o->kernel_passes ||
           is_listed(o->kernel_passes, pass->name, strlen(pass->name));
}

bool compile_kernel(fcl_module *m, ir_func f, const backend *b, const fcl_compile_options *o,
                    const run_caps *device, fcl_artifact *into, k_program *p)
{
    k_target t;
    *p = (k_program){0};
    bool ok = target_make(m, b, o, device, &t) &&
              (!o->kernel_passes || known_passes(m->ir.cx, o->kernel_passes)) &&
              k_lower(&m->ir, f, &t, p);
    if (ok && into)
        ok = keep_stage(into, "lower", p);
    ok = ok && k_verify(p, p->stage);
    for (uint32_t i = 0; ok && i < k_pass_count; i++) {
        if (!is_wanted(o, &k_passes[i]))
            continue;
        ok = k_passes[i].run(p) && k_verify(p, p->stage) &&
             (!into || keep_stage(into, k_passes[i].name, p));
    }
    for (uint32_t i = 0; ok && i < p->kernels.len; i++)
        ok = fits_memory(p, &p->kernels.at[i]);
    return ok;
}

bool fcl_module_check_kernels(fcl_module *m)
{
    uint32_t before = m->ir.cx->diags.errors;
    if (!fcl_module_check(m))
        return false;
    const fcl_compile_options usual = {0};
    const backend *b = target_backend(m->ir.cx, &usual);
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

/* ---- artifacts ---- */

typedef VEC(ir_func) func_list;
typedef VEC(k_program) program_list;

/* The kernels to compile: the entry, or all of them. */
static bool find_entries(fcl_module *m, const fcl_compile_options *o, func_list *out)
{
    mem *mm = &m->ir.cx->mem;
    size_t n = o->entry ? 1 : fcl_kernel_count(m);
    if (n == 0)
        return face_kernel(m, NULL) != 0;
    for (size_t i = 0; i < n; i++) {
        ir_func f = face_kernel(m, o->entry ? o->entry : fcl_kernel_name(m, i));
        if (!f || !vec_push(mm, out, f))
            return false;
    }
    return true;
}

static bool emit_all(const backend *b, const program_list *programs, fcl_artifact *a)
{
    mem *mm = &a->cx->mem;
    VEC(const k_program *) refs = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < programs->len; i++)
        ok = vec_push(mm, &refs, &programs->at[i]) && k_print_plan(&programs->at[i], &a->plan) &&
             k_report(&programs->at[i], &a->report);
    ok = ok && b->emit(refs.at, refs.len, &a->code);
    vec_free(mm, &refs);
    text_cstr(mm, &a->code);
    text_cstr(mm, &a->plan);
    text_cstr(mm, &a->report);
    return ok;
}

static bool compile_into(fcl_module *m, const fcl_compile_options *o, fcl_artifact *a)
{
    mem *mm = &a->cx->mem;
    const backend *b = target_backend(a->cx, o);
    func_list entries = {0};
    program_list programs = {0};
    bool ok = b && find_entries(m, o, &entries) && vec_reserve(mm, &programs, entries.len);
    for (uint32_t i = 0; ok && i < entries.len; i++)
        ok = compile_kernel(m, entries.at[i], b, o, NULL, a, &programs.at[programs.len++]);
    ok = ok && emit_all(b, &programs, a);
    for (uint32_t i = 0; i < programs.len; i++)
        k_release(&programs.at[i]);
    vec_free(mm, &programs);
    vec_free(mm, &entries);
    return ok;
}

fcl_artifact *fcl_compile(fcl_module *m, const fcl_compile_options *options)
{
    fcl_context *cx = m->ir.cx;
    uint32_t before = cx->diags.errors;
    if (!fcl_module_check(m))
        return NULL;
    fcl_compile_options o = options ? *options : (fcl_compile_options){0};
    fcl_artifact *a = mem_resize(&cx->mem, NULL, 0, sizeof *a);
    if (a)
        *a = (fcl_artifact){.cx = cx};
    bool ok = a && compile_into(m, &o, a);
    if (face_module_ok(m, before) && ok)
        return a;
    fcl_artifact_destroy(a);
    return NULL;
}

void fcl_artifact_destroy(fcl_artifact *a)
{
    if (!a)
        return;
    fcl_context *cx = a->cx;
    for (uint32_t i = 0; i < a->stages.len; i++)
        vec_free(&cx->mem, &a->stages.at[i].text);
    vec_free(&cx->mem, &a->stages);
    vec_free(&cx->mem, &a->code);
    vec_free(&cx->mem, &a->plan);
    vec_free(&cx->mem, &a->report);
    mem_free(&cx->mem, a, sizeof *a);
}

static const char *borrow(const vec_char *text, size_t *size)
{
    *size = text->len;
    return text->len ? text->at : "";
}

const char *fcl_artifact_code(const fcl_artifact *a, size_t *size)
{
    return borrow(&a->code, size);
}

const char *fcl_artifact_plan(const fcl_artifact *a, size_t *size)
{
    return borrow(&a->plan, size);
}

const char *fcl_artifact_report(const fcl_artifact *a, size_t *size)
{
    return borrow(&a->report, size);
}

const char *fcl_artifact_kernel_ir(const fcl_artifact *a, size_t *size)
{
    return fcl_artifact_stage_text(a, a->stages.len - 1, size);
}

size_t fcl_artifact_stage_count(const fcl_artifact *a)
{
    return a->stages.len;
}

const char *fcl_artifact_stage_name(const fcl_artifact *a, size_t i)
{
    return i < a->stages.len ? a->stages.at[i].name : NULL;
}

const char *fcl_artifact_stage_text(const fcl_artifact *a, size_t i, size_t *size)
{
    *size = 0;
    return i < a->stages.len ? borrow(&a->stages.at[i].text, size) : NULL;
}
