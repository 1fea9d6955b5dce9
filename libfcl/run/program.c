/* Making programs: of a module, which is compiled for the device, or of an artifact.  The evaluator
 * takes the module as it is. */
#include "libfcl/run/made.h"

#include "backends/spirv/spirv.h"

#include <string.h>

static bool prepare(fcl_program *p, const artifact_target *t, const plan *how)
{
    run_code code = {.at = t->code.at ? t->code.at : "",
                     .size = t->code.len,
                     .options = intern_str(&p->cx->strings, t->options),
                     .target = intern_str(&p->cx->strings, t->name),
                     .lanes = t->warp_size};
    p->prepared = run_prepare(p->device->runner, how, &code);
    if (p->prepared)
        run_bound(p->prepared, &p->bounds);
    return p->prepared != NULL;
}

/* Whether the device takes what is compiled for b. */
static bool takes(fcl_program *p, const fcl_backend *b, const run_caps *caps)
{
    if (run_ways_of(caps, b->name))
        return true;
    diag_error(p->cx, DIAG_NO_TARGET, (location){0}, "this device takes no code of target %s",
               b->name);
    vec_char list = {0};
    if (run_list_targets(&p->cx->mem, &list, caps))
        diag_hint(p->cx, "it takes that of %s", text_cstr(&p->cx->mem, &list));
    vec_free(&p->cx->mem, &list);
    return false;
}

/* "spirv" is that of the device, or else OpenCL's; NULL: any. */
static const char *target_of(const char *via, const run_caps *caps)
{
    if (via && strcmp(via, "spirv") == 0)
        return caps->spirv ? caps->spirv : backend_spirv_opencl.name;
    return via;
}

/* For the evaluator: tunables of skeletons are none of its, but names that nobody has are refused there as on devices. */
static bool is_tuned(fcl_program *p)
{
    const char *list = p->compile.tuning;
    if (!list || target_tunes_own(p->m, list))
        return target_tuned(p->m, list);
    fcl_module *own = module_to_lower(p->m, &p->compile);
    bool ok = own && target_tuned(own, list);
    module_lowered(p->m, own);
    return ok;
}

static bool make(fcl_program *p, const fcl_backend *b, const fcl_compile_options *o,
                 const run_caps *caps)
{
    k_program program = {0};
    fcl_emission made = {.cx = p->cx};
    const k_program *one = &program;
    bool ok = compile_kernel(p->m, p->f, o, caps, &program) && backend_emit(b, &one, 1, &made) &&
              artifact_make_target(b, &made, &program, 1, NULL, &p->made);
    p->made.code = made.code;
    k_release(&program);
    return ok;
}

/* The same, or what this gave another time; where nothing was told, it is kept for the next one. */
static bool make_or_take(fcl_program *p, const fcl_backend *b, const fcl_compile_options *o,
                         const run_caps *caps)
{
    const diag_list *told = &p->cx->diags;
    const uint64_t before = (uint64_t)told->errors + told->warned + told->remarked;
    cache_key k;
    bool named = target_is_own(b) && made_name(p, o, caps, &k);
    if (named && made_take(p, &k))
        return true;
    if (!make(p, b, o, caps))
        return false;
    if (named && (uint64_t)told->errors + told->warned + told->remarked == before)
        made_keep(p, &k);
    return true;
}

/* Compiles for what the device takes; the evaluator needs little. */
bool program_build(fcl_program *p)
{
    if (!p->device->runner)
        return target_names_known(p->cx, &p->compile) && is_tuned(p);
    fcl_compile_options o = p->compile;
    run_caps caps = run_device_caps(p->device->runner);
    o.target = o.target ? target_of(o.target, &caps) : caps.target;
    const fcl_backend *b = target_backend(p->cx, &o);
    bool ok = b && takes(p, b, &caps) && make_or_take(p, b, &o, &caps) &&
              prepare(p, &p->made, &p->made.entries.at[0]);
    vec_free(&p->cx->mem, &p->made.code);
    return ok;
}

/* Texts are read while the program is made, and not later. */
static void take_options(fcl_program *p, const fcl_run_options *options)
{
    fcl_run_options o = abi_run_options(options);
    p->compile = abi_compile_options(o.compile);
    p->compile.target = o.via;
    p->overflow = p->compile.checks && strcmp(p->compile.checks, "overflow") == 0;
    if (p->compile.tuning)
        p->compile.tuning =
            intern_str(&p->cx->strings, intern_cstr(&p->cx->strings, p->compile.tuning));
    p->timed = o.timed;
    p->output = o.output;
    p->output_user = o.output_user;
    p->input = o.input;
    p->input_user = o.input_user;
    p->bounds = (run_bounds){.most_bytes = o.memory,
                             .progress = o.progress,
                             .user = o.user,
                             .output = o.output ? program_hand_out : NULL,
                             .output_user = p,
                             .input = o.input ? program_take_in : NULL,
                             .input_user = p};
}

/* A program that is not built yet, with its kernel found. */
fcl_program *program_new(fcl_module *m, const char *entry, fcl_device *d,
                         const fcl_run_options *options)
{
    fcl_program *p = fcl_module_check(m) ? mem_resize(&m->ir.cx->mem, NULL, 0, sizeof *p) : NULL;
    if (!p)
        return NULL;
    *p = (fcl_program){.cx = m->ir.cx, .m = m, .device = d};
    p->cx->holders++;
    take_options(p, options);
    p->f = face_kernel(m, entry);
    if (p->f && face_signature(m, p->f, &p->face))
        return p;
    fcl_program_destroy(p);
    return NULL;
}

fcl_program *fcl_program_create(fcl_module *m, const char *entry, fcl_device *d,
                                const fcl_run_options *options)
{
    if (!m || !d)
        return NULL;
    if (!SAME(m->ir.cx, d))
        return NULL;
    uint32_t before = m->ir.cx->diags.errors;
    fcl_program *p = program_new(m, entry, d, options);
    bool ok = p && program_build(p);
    if (face_module_ok(m, before) && ok)
        return p;
    fcl_program_destroy(p);
    return NULL;
}

/* ---- programs of artifacts ---- */

static bool has_runner(const fcl_program *p)
{
    if (p->device->runner)
        return true;
    diag_error(p->cx, DIAG_NO_DEVICE, (location){0},
               "an artifact has code, which the device interp does not run");
    diag_hint(p->cx, "run it with --device=opencl or cpu, or run the module that it was made from");
    return false;
}

/* The plan of the entry in the code that the device runs, *t. */
static const plan *choose(const fcl_program *p, const fcl_artifact *a, const char *entry,
                          const artifact_target **t)
{
    const plan *known = has_runner(p) ? artifact_plan_named(a, entry) : NULL;
    *t = NULL;
    if (!known)
        return NULL;
    const char *name = intern_str(&a->cx->strings, known->face.entry);
    run_caps caps = run_device_caps(p->device->runner);
    *t = artifact_choose(a, name, target_of(p->compile.target, &caps), p->device->runner);
    return *t ? artifact_plan_of(a, *t, name) : NULL;
}

static bool copy_face(fcl_program *p, const host_signature *from)
{
    mem *m = &p->cx->mem;
    bool ok = true;
    p->face = (host_signature){.entry = from->entry, .at = from->at};
    for (uint32_t i = 0; ok && i < from->params.len; i++)
        ok = vec_push(m, &p->face.params, from->params.at[i]);
    for (uint32_t i = 0; ok && i < from->in.len; i++)
        ok = vec_push(m, &p->face.in, from->in.at[i]);
    for (uint32_t i = 0; ok && i < from->out.len; i++)
        ok = vec_push(m, &p->face.out, from->out.at[i]);
    return ok;
}

fcl_program *fcl_program_from_artifact(fcl_artifact *a, const char *entry, fcl_device *d,
                                       const fcl_run_options *options)
{
    if (!a || !d)
        return NULL;
    fcl_context *cx = a->cx;
    if (!SAME(cx, d))
        return NULL;
    uint32_t before = cx->diags.errors;
    fcl_program *p = mem_resize(&cx->mem, NULL, 0, sizeof *p);
    if (p) {
        *p = (fcl_program){.cx = cx, .device = d};
        cx->holders++;
        take_options(p, options);
    }
    const artifact_target *t = NULL;
    const plan *found = p ? choose(p, a, entry, &t) : NULL;
    bool ok = found && copy_face(p, &found->face) && prepare(p, t, found);
    if (face_ok(cx, before) && ok)
        return p;
    fcl_program_destroy(p);
    return NULL;
}

void fcl_program_destroy(fcl_program *p)
{
    if (!p)
        return;
    fcl_context *cx = p->cx;
    job_settle_all(p->device);
    run_prepared_free(p->prepared);
    artifact_target_release(cx, &p->made);
    program_room_free(&cx->mem, &p->room);
    host_signature_free(&cx->mem, &p->face);
    cx->holders--;
    mem_free(&cx->mem, p, sizeof *p);
}
