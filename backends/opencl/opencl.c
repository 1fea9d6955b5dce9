/* The OpenCL C back end: one file of OpenCL C 1.2 with all kernels of all programs.
 *
 * Kernels are written to a buffer first: what they use decides what must stand before them. */
#include "backends/opencl/opencl.h"

#include "backends/opencl/emit.h"

#include <string.h>

static const char *type_name(scalar t)
{
    return ir_scalar_info(t)->c_name;
}

static const char *const coordinates[] = {[AT_THREAD] = "(int)get_local_id(0)",
                                          [AT_GROUP] = "(int)get_group_id(0)",
                                          [AT_GROUPS] = "(int)get_num_groups(0)"};

static const c_language language = {.type = type_name,
                                    .operators = opencl_operators,
                                    .helper = "static inline",
                                    .reinterpret = "as_",
                                    .saturate = {"convert_", "_sat"},
                                    .saturating_add = "add_sat",
                                    .coordinates = coordinates,
                                    .load_wide = cl_load_wide,
                                    .lane = cl_lane,
                                    .store_wide = cl_store_wide,
                                    .atomic = cl_atomic,
                                    .shuffle = cl_shuffle,
                                    .sync = cl_sync,
                                    .report = cl_report,
                                    .failed = cl_failed};

/* What all programs of a file have in common: one buffer, one set of helpers and extensions. */
typedef struct emission {
    vec_char kernels;
    c_helpers helpers;
    cl_uses uses;
    opencl_dialect dialect;
    bool fast_math;
} emission;

/* Marks the memories that are results, so that they are called so: the first one of each leaf, as
 * names must differ. */
static bool name_results(c_emitter *e)
{
    vec_u32 named = {0};
    bool ok = true;
    for (k_id id = 1; ok && id < e->p->nodes.len; id++) {
        const k_node *n = k_at(e->p, id);
        if (n->op != K_OUTPUT)
            continue;
        while (ok && named.len <= n->leaf)
            ok = vec_push(e->m, &named, 0);
        if (ok && !named.at[n->leaf] && !c_note_of(e, n->args[0])->result) {
            named.at[n->leaf] = n->args[0];
            c_note_of(e, n->args[0])->result = n->leaf + 1u;
        }
    }
    vec_free(e->m, &named);
    return ok;
}

static bool number_checks(c_emitter *e)
{
    vec_u32 checks = {0};
    bool ok = k_list_checks(e->p, e->p->host, &checks);
    for (uint32_t i = 0; ok && i < checks.len; i++)
        c_note_of(e, checks.at[i])->check = i + 1;
    vec_free(e->m, &checks);
    return ok;
}

/* Tables that some kernel takes as an argument are in global memory. */
static void note_given(c_emitter *e)
{
    for (uint32_t i = 0; i < e->p->kernels.len; i++) {
        const k_kernel *k = &e->p->kernels.at[i];
        for (uint32_t j = 0; j < k->nglobals; j++)
            c_note_of(e, e->p->pool.at[k->globals + j])->given = true;
    }
}

/* Each kernel is scanned just before it is printed, and its quirks are found then. */
static bool emit_kernels(c_emitter *e)
{
    if (!name_results(e) || !number_checks(e))
        return false;
    note_given(e);
    for (k_id id = k_block_at(e->p, e->p->host)->first; id; id = k_at(e->p, id)->next)
        if (k_at(e->p, id)->op == K_TABLE && !c_note_of(e, id)->given)
            cl_table(e, id);
    for (uint32_t i = 0; i < e->p->kernels.len && !e->failed; i++) {
        e->kernel = &e->p->kernels.at[i];
        if (!c_scan(e))
            break;
        c_find_quirks(e);
        cl_kernel(e, e->kernel);
    }
    return !e->failed;
}

/* Notes take an entry for every node, so time and memory are linear in the program. */
static bool emit_program(const k_program *p, emission *o)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(c_note);
    c_note *notes = mem_resize(m, NULL, 0, size);
    if (!notes)
        return false;
    memset(notes, 0, size);
    c_emitter e = {.p = p,
                   .m = m,
                   .out = &o->kernels,
                   .notes = notes,
                   .helpers = &o->helpers,
                   .language = &language,
                   .own = &o->uses};
    bool ok = emit_kernels(&e);
    mem_free(m, notes, size);
    return ok;
}

/* Contraction is off so that every device rounds every operation, as constant folding does; unless
 * speed is asked for. */
static bool print_file(mem *m, const emission *o, vec_char *out)
{
    return text_addf(m, out, "/* OpenCL C 1.2, emitted by libfcl. */\n") &&
           cl_print_extensions(m, &o->uses, &o->helpers, o->dialect, out) &&
           text_addf(m, out, "#pragma OPENCL FP_CONTRACT %s\n", o->fast_math ? "ON" : "OFF") &&
           c_print_helpers(&language, m, &o->helpers, out) &&
           cl_print_devices(m, &o->uses, &o->helpers, o->dialect, out) &&
           text_add(m, out, o->kernels.at, o->kernels.len);
}

/* The dialect and fast math are those of the last program: all come from the same options. */
static bool emit(const k_program *const *programs, uint32_t n, vec_char *out)
{
    emission o = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        o.dialect = (opencl_dialect)programs[i]->target.request.dialect;
        o.fast_math = programs[i]->target.request.fast_math;
        ok = emit_program(programs[i], &o);
    }
    ok = ok && (!n || print_file(&programs[0]->cx->mem, &o, out));
    if (n)
        vec_free(&programs[0]->cx->mem, &o.kernels);
    return ok;
}

static const backend_dialect dialects[] = {
    [OPENCL_PLAIN] = {.name = "local", .options = "-cl-std=CL1.2"},
    [OPENCL_PTX] = {.name = "ptx", .lanes = 32, .warps_wait = true, .options = "-cl-std=CL1.2"},
    /* subgroups came with OpenCL 2.1; the devices that they are used on have 3.0 */
    [OPENCL_SUBGROUPS] = {.name = "subgroups",
                          .lanes = 32,
                          .warps_wait = true,
                          .options = "-cl-std=CL3.0"},
};

const backend backend_opencl = {
    .name = "opencl-c",
    .summary = "OpenCL C 1.2 source",
    .facts =
        {.max_block = 1024, .warp_size = 32, .groups_wait = true, .atomics64 = true, .f64 = true},
    .dialects = dialects,
    .ndialects = sizeof dialects / sizeof *dialects,
    .emit = emit,
};
