/* Programs: kernels made ready for a device once, and run any number of times.  On an OpenCL device
 * they are compiled; the evaluator takes the module as it is. */
#include "libfcl/run.h"

#include "ir/eval/eval.h"

#include <string.h>
#include <time.h>

/* A public array is a host array; they are copied field by field through memcpy, never aliased. */
#define SAME_PLACE(field)                                                                          \
    _Static_assert(offsetof(fcl_array, field) == offsetof(host_array, field), #field)
SAME_PLACE(type);
SAME_PLACE(rank);
SAME_PLACE(dims);
SAME_PLACE(data);
_Static_assert(sizeof(fcl_array) == sizeof(host_array), "fcl_array is host_array");

typedef VEC(host_array) vec_host;

/* ---- making ---- */

static bool prepare(fcl_program *p, const artifact_target *t, const plan *how)
{
    run_code code = {.at = t->code.at ? t->code.at : "",
                     .size = t->code.len,
                     .options = intern_str(&p->cx->strings, t->options)};
    p->prepared = run_prepare(p->device->opencl, how, &code);
    return p->prepared != NULL;
}

/* Compiles for OpenCL; the evaluator needs nothing. */
static bool build(fcl_program *p)
{
    if (!p->device->opencl)
        return true;
    fcl_compile_options o = p->o.compile;
    o.target = p->o.via;
    run_caps caps = run_device_caps(p->device->opencl);
    const backend *b = target_backend(p->cx, &o);
    k_program program = {0};
    const k_program *one = &program;
    bool ok = b && compile_kernel(p->m, p->f, &o, &caps, &program) &&
              b->emit(&one, 1, &p->made.code) &&
              artifact_make_target(b, &program, 1, NULL, &p->made);
    k_release(&program);
    ok = ok && prepare(p, &p->made, &p->made.entries.at[0]);
    vec_free(&p->cx->mem, &p->made.code);
    return ok;
}

/* A program that is not built yet, with its kernel found. */
static fcl_program *program_new(fcl_module *m, const char *entry, fcl_device *d,
                                const fcl_run_options *options)
{
    fcl_program *p = fcl_module_check(m) ? mem_resize(&m->ir.cx->mem, NULL, 0, sizeof *p) : NULL;
    if (!p)
        return NULL;
    *p = (fcl_program){.cx = m->ir.cx, .m = m, .device = d};
    if (options)
        p->o = *options;
    p->f = face_kernel(m, entry);
    if (p->f && face_signature(m, p->f, &p->face))
        return p;
    fcl_program_destroy(p);
    return NULL;
}

fcl_program *fcl_program_create(fcl_module *m, const char *entry, fcl_device *d,
                                const fcl_run_options *options)
{
    uint32_t before = m->ir.cx->diags.errors;
    fcl_program *p = program_new(m, entry, d, options);
    bool ok = p && build(p);
    if (face_module_ok(m, before) && ok)
        return p;
    fcl_program_destroy(p);
    return NULL;
}

/* ---- programs of artifacts ---- */

static bool dialect_is_taken(const fcl_program *p, const artifact_target *t)
{
    run_caps caps = run_device_caps(p->device->opencl);
    const backend *b = backend_named(intern_str(&p->cx->strings, t->name));
    bool plain = !t->exchange;
    for (uint32_t i = 0; b && i < b->ndialects && !plain; i++)
        plain = (caps.dialects >> i & 1) &&
                strcmp(b->dialects[i].name, intern_str(&p->cx->strings, t->exchange)) == 0;
    return plain && b;
}

/* The first target that the device can take. */
static const artifact_target *choose_target(const fcl_program *p, const artifact *a)
{
    if (!p->device->opencl) {
        diag_error(p->cx, DIAG_NO_DEVICE, (location){0},
                   "an artifact has code, which the device interp does not run");
        diag_hint(p->cx, "run it with --device=opencl, or run the module that it was made from");
        return NULL;
    }
    for (uint32_t i = 0; i < a->targets.len; i++)
        if (dialect_is_taken(p, &a->targets.at[i]))
            return &a->targets.at[i];
    diag_error(p->cx, DIAG_NO_TARGET, (location){0},
               "the artifact has no code that this device takes");
    return NULL;
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
    fcl_context *cx = a->cx;
    uint32_t before = cx->diags.errors;
    fcl_program *p = mem_resize(&cx->mem, NULL, 0, sizeof *p);
    if (p)
        *p = (fcl_program){.cx = cx, .device = d};
    if (p && options)
        p->o = *options;
    const artifact_target *t = p ? choose_target(p, &a->data) : NULL;
    const plan *found = t ? artifact_plan_of(a, t, entry) : NULL;
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
    run_prepared_free(p->prepared);
    artifact_target_release(cx, &p->made);
    host_signature_free(&cx->mem, &p->face);
    mem_free(&cx->mem, p, sizeof *p);
}

/* As face_module_ok for what belongs to a module. */
static bool ended_well(const fcl_program *p, uint32_t before)
{
    return p->m ? face_module_ok(p->m, before) : face_ok(p->cx, before);
}

/* ---- what runs take and give ---- */

static bool check_results(const fcl_program *p, size_t nresults)
{
    return nresults == p->face.out.len ||
           diag_error(p->cx, DIAG_ARGUMENTS, (location){0}, "kernel %s has %u results, not %zu",
                      intern_str(&p->cx->strings, p->face.entry), p->face.out.len, nresults);
}

/* Room for n arrays. */
static bool make_room(const fcl_program *p, vec_host *v, size_t n)
{
    if (!vec_reserve(&p->cx->mem, v, n + 1))
        return false;
    memset(v->at, 0, (n + 1) * sizeof *v->at);
    v->len = (uint32_t)n;
    return true;
}

static uint64_t now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool evaluate(fcl_program *p, const vec_host *args, const vec_host *results)
{
    eval_options eo = {.block_size = p->o.compile.block_size, .warp_size = p->o.compile.warp_size};
    uint64_t start = now();
    bool ok = ir_eval(&p->m->ir, p->f, &eo, args->at, args->len, results->at, results->len);
    uint64_t took = now() - start;
    if (p->o.timed)
        p->time = (run_time){.kernels = took, .span = took};
    return ok;
}

/* ---- runs over buffers ---- */

typedef VEC(run_array) vec_array;

static bool wrong_device(const fcl_program *p, size_t i)
{
    return diag_error(p->cx, DIAG_ARGUMENTS, (location){0},
                      "argument %zu is a buffer of another device", i);
}

static bool take_arguments(const fcl_program *p, const fcl_argument *args, size_t nargs,
                           vec_array *out)
{
    if (!vec_reserve(&p->cx->mem, out, nargs + 1))
        return false;
    for (size_t i = 0; i < nargs; i++) {
        const fcl_buffer *b = args[i].buffer;
        run_array scalar_arg = {.shape = {.type = (scalar)args[i].type}};
        scalar_arg.shape.data = (void *)(uintptr_t)args[i].scalar; /* only read */
        if (b && b->device != p->device)
            return wrong_device(p, i);
        out->at[out->len++] = b ? b->array : scalar_arg;
    }
    return true;
}

static bool run_arrays(fcl_program *p, const vec_array *args, vec_array *results)
{
    vec_host in = {0}, out = {0};
    bool ok = make_room(p, &in, args->len) && make_room(p, &out, results->len);
    for (uint32_t i = 0; ok && i < args->len; i++)
        in.at[i] = args->at[i].shape;
    ok = ok && program_check_args(p, in.at, in.len, p->prepared != NULL);
    if (ok && p->prepared)
        ok = run_execute(p->prepared, args->at, args->len, results->at, results->len,
                         p->o.timed ? &p->time : NULL);
    else
        ok = ok && evaluate(p, &in, &out);
    for (uint32_t i = 0; ok && !p->prepared && i < results->len; i++)
        results->at[i] = (run_array){.shape = out.at[i]};
    vec_free(&p->cx->mem, &in);
    vec_free(&p->cx->mem, &out);
    return ok;
}

/* All arrays become buffers, or none stays. */
static bool make_buffers(fcl_program *p, const vec_array *arrays, fcl_buffer **results)
{
    VEC(fcl_buffer *) made = {0};
    bool ok = !p->cx->mem.oom && vec_reserve(&p->cx->mem, &made, arrays->len + 1u);
    for (uint32_t i = 0; i < arrays->len; i++) {
        bool own = !arrays->at[i].over;
        fcl_buffer *b = own ? buffer_of_array(p->device, &arrays->at[i]) : NULL;
        ok = ok && (b || !own);
        if (ok)
            made.at[made.len++] = b;
        else
            fcl_buffer_destroy(b);
    }
    for (uint32_t i = 0; i < made.len; i++) {
        if (ok)
            results[i] = made.at[i];
        else
            fcl_buffer_destroy(made.at[i]);
    }
    vec_free(&p->cx->mem, &made);
    return ok;
}

bool fcl_program_run(fcl_program *p, const fcl_argument *args, size_t nargs, fcl_buffer **results,
                     size_t nresults)
{
    mem *mm = &p->cx->mem;
    uint32_t before = p->cx->diags.errors;
    vec_array in = {0}, out = {0};
    bool ok = (!p->m || face_usable(p->m)) && check_results(p, nresults) &&
              take_arguments(p, args, nargs, &in) && vec_reserve(mm, &out, nresults + 1);
    if (ok) {
        memset(out.at, 0, nresults * sizeof *out.at);
        out.len = (uint32_t)nresults;
    }
    ok = ok && run_arrays(p, &in, &out) && make_buffers(p, &out, results);
    vec_free(mm, &in);
    vec_free(mm, &out);
    return ended_well(p, before) && ok;
}

void fcl_program_reuse(fcl_program *p, fcl_buffer *b)
{
    if (b && p->prepared && b->device == p->device)
        run_give_back(p->prepared, &b->array);
    fcl_buffer_destroy(b);
}

uint64_t fcl_program_nanoseconds(const fcl_program *p, uint64_t *span)
{
    if (span)
        *span = p->time.span;
    return p->time.kernels;
}

/* ---- runs over host arrays ---- */

/* Builds the program when the arguments fit. */
static bool run_once(fcl_program *p, const fcl_array *args, size_t nargs, fcl_array *results,
                     size_t nresults)
{
    mem *mm = &p->cx->mem;
    vec_host in = {0}, out = {0};
    bool ok =
        check_results(p, nresults) && make_room(p, &in, nargs) && make_room(p, &out, nresults);
    if (ok && nargs)
        memcpy(in.at, args, nargs * sizeof *args);
    ok = ok && program_check_args(p, in.at, in.len, false) && (p->prepared || build(p));
    if (ok && p->prepared)
        ok = run_on_host(p->prepared, in.at, in.len, out.at, out.len);
    else
        ok = ok && evaluate(p, &in, &out);
    if (ok && nresults)
        memcpy(results, out.at, nresults * sizeof *results);
    vec_free(mm, &in);
    vec_free(mm, &out);
    return ok;
}

bool fcl_run(fcl_module *m, const char *entry, fcl_device *d, const fcl_run_options *options,
             const fcl_array *args, size_t nargs, fcl_array *results, size_t nresults)
{
    uint32_t before = m->ir.cx->diags.errors;
    fcl_program *p = program_new(m, entry, d, options);
    bool ok = p && run_once(p, args, nargs, results, nresults);
    fcl_program_destroy(p);
    return face_module_ok(m, before) && ok;
}

bool fcl_program_run_host(fcl_program *p, const fcl_array *args, size_t nargs, fcl_array *results,
                          size_t nresults)
{
    uint32_t before = p->cx->diags.errors;
    bool ok = (!p->m || face_usable(p->m)) && run_once(p, args, nargs, results, nresults);
    return ended_well(p, before) && ok;
}

void fcl_results_free(fcl_context *cx, fcl_array *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        host_array a;
        memcpy(&a, &results[i], sizeof a);
        host_free(&cx->mem, &a);
        results[i].data = NULL;
    }
}
