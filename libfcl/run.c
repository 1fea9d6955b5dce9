/* Running kernels: on the evaluator ("interp") or, compiled, on an OpenCL device. */
#include "libfcl/compile.h"

#include "backends/run/run.h"
#include "ir/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A public array is a host array; they are copied field by field through memcpy, never aliased. */
#define SAME_PLACE(field) _Static_assert(offsetof(fcl_array, field) == offsetof(host_array, field), #field)
SAME_PLACE(type);
SAME_PLACE(rank);
SAME_PLACE(dims);
SAME_PLACE(data);
_Static_assert(sizeof(fcl_array) == sizeof(host_array), "fcl_array is host_array");

/* ---- devices ---- */

struct fcl_device {
    fcl_context *cx;
    run_device *opencl; /* NULL: the evaluator */
};

static const char interp_name[] = "interp";

size_t fcl_device_count(fcl_context *cx)
{
    return 1 + (size_t)run_opencl_count(cx);
}

/* A text that lives as long as the context. */
static const char *keep(fcl_context *cx, vec_char *text)
{
    const char *s = intern_str(&cx->strings, intern_add(&cx->strings, text->at, text->len));
    vec_free(&cx->mem, text);
    return s;
}

const char *fcl_device_name(fcl_context *cx, size_t i)
{
    if (i >= fcl_device_count(cx))
        return NULL;
    if (i == 0)
        return interp_name;
    vec_char text = {0};
    text_addf(&cx->mem, &text, "opencl:%zu", i - 1);
    return keep(cx, &text);
}

const char *fcl_device_description(fcl_context *cx, size_t i)
{
    if (i >= fcl_device_count(cx))
        return NULL;
    if (i == 0)
        return "the reference evaluator, built in";
    vec_char text = {0};
    run_opencl_describe(cx, (uint32_t)i - 1, &text);
    return keep(cx, &text);
}

/* Reads "opencl" or "opencl:N"; false when the name is neither. */
static bool opencl_number(const char *name, uint32_t *n)
{
    static const char prefix[] = "opencl";
    size_t len = sizeof prefix - 1;
    *n = 0;
    if (strncmp(name, prefix, len) != 0)
        return false;
    if (!name[len])
        return true;
    const char *digits = name + len + 1;
    if (name[len] != ':' || !*digits || strlen(digits) > 4 || digits[strspn(digits, "0123456789")])
        return false;
    *n = (uint32_t)strtoul(digits, NULL, 10);
    return true;
}

/* Opens what the name says into *d; false with a diagnostic. */
static bool open_named(fcl_device *d, const char *name)
{
    uint32_t n = 0;
    bool is_auto = strcmp(name, "auto") == 0;
    if (strcmp(name, interp_name) == 0 || (is_auto && run_opencl_count(d->cx) == 0))
        return true;
    if (!is_auto && !opencl_number(name, &n)) {
        diag_error(d->cx, DIAG_NO_DEVICE, (location){0}, "there is no device %s", name);
        diag_hint(d->cx, "devices are called interp, opencl, opencl:N or auto");
        return false;
    }
    d->opencl = run_opencl_open(d->cx, n);
    return d->opencl != NULL;
}

fcl_device *fcl_device_open(fcl_context *cx, const char *name)
{
    uint32_t before = cx->diags.errors;
    fcl_device *d = mem_resize(&cx->mem, NULL, 0, sizeof *d);
    if (d)
        *d = (fcl_device){.cx = cx};
    bool ok = d && open_named(d, name ? name : interp_name);
    if (face_ok(cx, before) && ok)
        return d;
    fcl_device_close(d);
    return NULL;
}

void fcl_device_close(fcl_device *d)
{
    if (!d)
        return;
    run_close(d->opencl);
    mem_free(&d->cx->mem, d, sizeof *d);
}

/* ---- arguments ---- */

/* One call of fcl_run. */
typedef struct job {
    fcl_module *m;
    ir_func f;
    fcl_device *device;
    fcl_run_options o;
    vec_leaf in, out;
    VEC(host_array) args, results;
} job;

static bool bad_argument(job *j, uint32_t i, const char *what)
{
    location at = ir_loc_at(&j->m->ir, ir_func_at(&j->m->ir, j->f)->loc);
    ir_region body = ir_func_at(&j->m->ir, j->f)->body;
    ir_value param = ir_region_at(&j->m->ir, body)->params + j->in.at[i].param;
    return diag_error(j->m->ir.cx, DIAG_ARGUMENTS, at, "argument %u, for parameter %%%s: %s", i,
                      ir_str(&j->m->ir, ir_value_at(&j->m->ir, param)->name), what);
}

/* The type, as the core writes it, of a leaf. */
static const char *leaf_type(job *j, leaf l)
{
    ir_type t = type_scalar(&j->m->ir, l.type);
    return type_str(&j->m->ir, l.rank ? type_pull(&j->m->ir, t, l.rank) : t);
}

/* The number of elements fits memory, and they are there. */
static bool has_data(const host_array *a)
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
    return a->data != NULL;
}

static bool check_leaf(job *j, uint32_t i)
{
    const host_array *a = &j->args.at[i];
    leaf l = j->in.at[i];
    if (a->type != l.type || a->rank != l.rank) {
        char what[160];
        leaf given = {.type = a->type < ST_COUNT ? a->type : ST_NONE, .rank = a->rank};
        snprintf(what, sizeof what, "it takes %s, not %s", leaf_type(j, l), leaf_type(j, given));
        return bad_argument(j, i, what);
    }
    return has_data(a) || bad_argument(j, i, "its elements are missing, or more than memory holds");
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
static bool check_shapes(job *j, ir_type t, uint32_t *i)
{
    ir_module *m = &j->m->ir;
    const type_node n = *ir_type_at(m, t);
    if (n.kind == TY_TUPLE) {
        for (uint32_t k = 0; k < n.n; k++)
            if (!check_shapes(j, type_item(m, t, k), i))
                return false;
        return true;
    }
    uint32_t first = *i;
    *i += n.kind == TY_PULL ? leaf_count(m, n.a) : 1;
    for (uint32_t k = first + 1; k < *i; k++)
        if (memcmp(j->args.at[k].dims, j->args.at[first].dims, j->args.at[k].rank * sizeof(uint64_t)) != 0)
            return bad_argument(j, k, "the components of an array of tuples have the same extents");
    return true;
}

static bool check_args(job *j)
{
    ir_module *m = &j->m->ir;
    if (j->args.len != j->in.len)
        return diag_error(m->cx, DIAG_ARGUMENTS, ir_loc_at(m, ir_func_at(m, j->f)->loc),
                          "kernel %s takes %u arguments, not %u", ir_str(m, ir_func_at(m, j->f)->name), j->in.len,
                          j->args.len);
    for (uint32_t i = 0; i < j->args.len; i++)
        if (!check_leaf(j, i))
            return false;
    region_node body = *ir_region_at(m, ir_func_at(m, j->f)->body);
    uint32_t next = 0;
    for (uint32_t p = 0; p < body.nparams; p++)
        if (!check_shapes(j, ir_value_at(m, body.params + p)->type, &next))
            return false;
    return true;
}

/* ---- running ---- */

static bool run_interp(job *j)
{
    eval_options eo = {.block_size = j->o.compile.block_size};
    return ir_eval(&j->m->ir, j->f, &eo, j->args.at, j->args.len, j->results.at, j->results.len);
}

/* Options that were left open are the device's. */
static fcl_compile_options device_options(const job *j)
{
    enum { DEFAULT_BLOCK = 256 };
    fcl_compile_options o = j->o.compile;
    run_caps caps = run_device_caps(j->device->opencl);
    o.target = j->o.via;
    if (!o.block_size)
        o.block_size = caps.max_block_size < DEFAULT_BLOCK ? (unsigned)caps.max_block_size : DEFAULT_BLOCK;
    if (!o.local_limit)
        o.local_limit = (size_t)caps.local_bytes;
    return o;
}

static bool run_opencl(job *j)
{
    fcl_context *cx = j->m->ir.cx;
    fcl_compile_options o = device_options(j);
    const backend *b = compile_target(cx, &o);
    if (!b)
        return false;
    vec_char code = {0};
    k_program p;
    bool ok = compile_kernel(j->m, j->f, b, &o, NULL, &p);
    const k_program *one = &p;
    ok = ok && b->emit(&one, 1, &code) &&
         run_program(j->device->opencl, &p, text_cstr(&cx->mem, &code), code.len, j->args.at, j->args.len,
                     j->results.at, j->results.len);
    vec_free(&cx->mem, &code);
    k_release(&p);
    return ok;
}

/* Finds the kernel and copies the arguments; true when they fit each other. */
static bool prepare(job *j, const char *entry, const fcl_array *args, size_t nargs, size_t nresults)
{
    fcl_module *m = j->m;
    mem *mm = &m->ir.cx->mem;
    j->f = fcl_module_check(m) ? face_kernel(m, entry) : 0;
    if (!j->f || !kernel_leaves_in(&m->ir, j->f, &j->in) || !kernel_leaves_out(&m->ir, j->f, &j->out))
        return false;
    if (nresults != j->out.len)
        return diag_error(m->ir.cx, DIAG_ARGUMENTS, (location){0}, "kernel %s has %u results, not %zu",
                          ir_str(&m->ir, ir_func_at(&m->ir, j->f)->name), j->out.len, nresults);
    if (!vec_reserve(mm, &j->args, nargs) || !vec_reserve(mm, &j->results, nresults))
        return false;
    for (size_t i = 0; i < nargs; i++)
        memcpy(&j->args.at[j->args.len++], &args[i], sizeof *args);
    for (size_t i = 0; i < nresults; i++)
        j->results.at[j->results.len++] = (host_array){0};
    return check_args(j);
}

static void job_free(job *j)
{
    mem *mm = &j->m->ir.cx->mem;
    vec_free(mm, &j->in);
    vec_free(mm, &j->out);
    vec_free(mm, &j->args);
    vec_free(mm, &j->results);
}

bool fcl_run(fcl_module *m, const char *entry, fcl_device *d, const fcl_run_options *options, const fcl_array *args,
             size_t nargs, fcl_array *results, size_t nresults)
{
    uint32_t before = m->ir.cx->diags.errors;
    job j = {.m = m, .device = d};
    if (options)
        j.o = *options;
    bool ok = prepare(&j, entry, args, nargs, nresults) && (d->opencl ? run_opencl(&j) : run_interp(&j));
    if (ok && j.results.len)
        memcpy(results, j.results.at, j.results.len * sizeof *results);
    job_free(&j);
    return face_module_ok(m, before) && ok;
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
