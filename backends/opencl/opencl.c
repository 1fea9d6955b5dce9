/* The OpenCL C back end: one file of OpenCL C 1.2 with all kernels of all programs.
 *
 * Kernels are written to a buffer first: what they use decides what must stand before them. */
#include "backends/opencl/opencl.h"

#include "backends/opencl/emit.h"

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
                                    .failed = cl_failed,
                                    .table = cl_table,
                                    .kernel = cl_kernel};

/* What all programs of a file have in common: one buffer, one set of helpers and extensions. */
typedef struct emission {
    vec_char kernels;
    c_helpers helpers;
    cl_uses uses;
    opencl_dialect dialect;
    bool fast_math;
} emission;

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
        ok = c_emit_program(programs[i], &language, &o.helpers, &o.uses, &o.kernels);
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
    .whole_half = true,
    .dialects = dialects,
    .ndialects = sizeof dialects / sizeof *dialects,
    .emit = emit,
};
