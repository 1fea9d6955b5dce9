/* The OpenCL C back end: one file of OpenCL C 1.2 with all kernels of all programs. */
#include "backends/opencl/opencl.h"

#include "backends/opencl/vectors.h"

static const char *type_name(fcl_scalar t)
{
    return ir_scalar_info((scalar)t)->c_name;
}

/* Contraction is off so that every device rounds every operation, as constant folding does; unless
 * speed is asked for. */
static void begin(fcl_printer *e)
{
    opencl_dialect dialect = (opencl_dialect)e->p->target.request.dialect;
    c_put(e, "/* OpenCL C 1.2, emitted by libfcl. */\n");
    if (!cl_print_extensions(e->m, cl_uses_of(e), &e->file->helpers, dialect, e->out))
        e->failed = true;
    c_put(e, "#pragma OPENCL FP_CONTRACT %s\n", e->p->target.request.fast_math ? "ON" : "OFF");
}

static void declare(fcl_printer *e)
{
    if (!cl_print_devices(e->m, cl_uses_of(e), &e->file->helpers, &e->p->target, e->out))
        e->failed = true;
}

static bool is_by_subgroups(const fcl_printer *e)
{
    return e->by_warps && e->p->target.request.dialect == OPENCL_SUBGROUPS;
}

/* Which threads a subgroup has is the device's choice, and blocks are of whole ones: threads are
 * counted by subgroup where a warp is one. */
static void coordinate(fcl_printer *e, fcl_k_node builtin)
{
    switch ((k_coordinate)k_at(e->p, builtin)->coordinate) {
    case AT_THREAD:
        cl_uses_of(e)->thread |= is_by_subgroups(e);
        c_put(e, is_by_subgroups(e) ? "fcl_thread()" : "(int)get_local_id(0)");
        break;
    case AT_GROUP: c_put(e, "(int)get_group_id(0)"); break;
    case AT_GROUPS: c_put(e, "(int)get_num_groups(0)"); break;
    }
}

/* So many loads from global memory of one turn, loops inside not counted. */
static uint32_t loads_of_turn(const k_program *p, k_block b)
{
    uint32_t loads = 0;
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        loads += (n->op == K_LOAD || n->op == K_LOADWIDE) && k_is_global(k_at(p, n->args[0]));
        for (int i = 0; i < 2 && !k_is_loop(n); i++)
            loads += loads_of_turn(p, n->blocks[i]);
    }
    return loads;
}

/* A loop that loads ahead: within a turn, NVIDIA's compiler puts products where their operands wait
 * for one another; in several turns it finds others.  That takes the driver several times as long, so
 * somebody who runs the kernel once leaves it out (backends/run/opencl/build.c).  Where a turn has many
 * loads under way already, several turns at once would only take longer to compile. */
static void before_loop(fcl_printer *e, fcl_k_node loop)
{
    const k_target *t = &e->p->target;
    if (t->request.dialect != OPENCL_PTX)
        return;
    if (c_note_of(e, loop)->ahead && t->tuning.ahead_turns > 1) {
        c_put(e, "#ifndef FCL_QUICK_%s\n", intern_str(&e->p->cx->strings, e->kernel->name));
        c_indent(e);
        c_put(e, "#pragma unroll %u\n#endif\n", t->tuning.ahead_turns);
    } else if (loads_of_turn(e->p, k_at(e->p, loop)->blocks[0]) >= t->tuning.turn_loads) {
        c_indent(e);
        c_put(e, "#pragma unroll 1\n");
    }
}

/* One of several kernels can be had alone, by defining FCL_ONLY and FCL_ONLY_ with its name, for drivers
 * that compile whatever is there.  Lanes by subgroups ask for subgroups of the warp's size where the
 * extension exists. */
static void kernel(fcl_printer *e, size_t number)
{
    const char *name = intern_str(&e->p->cx->strings, e->kernel->name);
    bool several = e->file->programs > 1 || e->p->kernels.len > 1;
    (void)number;
    if (several)
        c_put(e, "#if !defined(FCL_ONLY) || defined(FCL_ONLY_%s)\n", name);
    if (is_by_subgroups(e))
        c_put(e,
              "#ifdef "
              "cl_intel_required_subgroup_size\n__attribute__((intel_reqd_sub_group_size(%u)))\n#"
              "endif\n",
              e->p->target.facts.warp_size);
    e->together = cl_together;
    e->before_loop = before_loop;
    c_put_kernel(e, e->kernel);
    if (several)
        c_put(e, "#endif\n");
}

/* Wide accesses want their alignment.  uint4 is the largest unit that they want, so that pointers
 * of any type into it are aligned.  The required size of a group is exact, not a limit: compilers
 * choose registers by it.  That a check has failed is no atomic load: an atomic step that adds
 * nothing, as loads are written elsewhere, would make all threads wait for one another. */
static const fcl_c_language language = {
    .size = sizeof language,
    .type = type_name,
    .operators = opencl_operators,
    .reinterpret = "as_",
    .saturate = {"convert_", "_sat"},
    .saturating_add = "add_sat",
    .table = "__constant",
    .global = "__global ",
    .local = "__local ",
    .shared = "__local ",
    .aligned = " __attribute__((aligned(16)))",
    .unit = "uint4",
    .unit_bytes = 16,
    .areas = FCL_C_POINTERS,
    .checks = "volatile __global uint *restrict checks",
    .kernel = "__kernel __attribute__((reqd_work_group_size($t, 1, 1)))\nvoid $n(",
    .failed = "*checks != 0u",
    .begin = begin,
    .declare = declare,
    .kernel_frame = kernel,
    .coordinate = coordinate,
    .load_wide = cl_load_wide,
    .lane = cl_lane,
    .store_wide = cl_store_wide,
    .step = cl_atomic,
    .exchange = cl_shuffle,
    .barrier = cl_sync,
    .state = sizeof(cl_uses),
};

static const fcl_dialect dialects[] = {
    [OPENCL_PLAIN] = {.name = "local", .options = "-cl-std=CL1.2"},
    [OPENCL_PTX] = {.name = "ptx", .lanes = 32, .warps_wait = true, .options = "-cl-std=CL1.2"},
    /* subgroups came with OpenCL 2.1; the devices that they are used on have 3.0 */
    [OPENCL_SUBGROUPS] = {.name = "subgroups",
                          .lanes = FCL_LANES_OF_WARP,
                          .warps_wait = true,
                          .options = "-cl-std=CL3.0"},
};

const fcl_target_facts opencl_facts = {.size = sizeof opencl_facts,
                                       .max_block = 1024,
                                       .warp_size = 32,
                                       .groups_wait = true,
                                       .atomics64 = true,
                                       .f64 = true,
                                       .f16 = true};

const fcl_backend backend_opencl = {
    .size = sizeof backend_opencl,
    .name = "opencl-c",
    .summary = "OpenCL C 1.2 source",
    .facts = &opencl_facts,
    .dialects = dialects,
    .ndialects = sizeof dialects / sizeof *dialects,
    .language = &language,
    .simd_tuning = SERIAL_TUNING,
};
