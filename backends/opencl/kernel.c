/* A kernel as a function of OpenCL C: its comment, its arguments in the order of
 * backends/backend.h, its memories, its body. */
#include "backends/opencl/emit.h"

static k_id in_pool(const c_emitter *e, uint32_t list, uint32_t i)
{
    return e->p->pool.at[list + i];
}

static void put_comma(c_emitter *e, bool *first)
{
    if (!*first)
        c_put(e, ",\n    ");
    *first = false;
}

/* Scalars are passed by value, in the type that memory has: a bool is no argument of OpenCL. */
static void put_scalar_argument(c_emitter *e, k_id v)
{
    c_put(e, "const %s ", c_memory_type(e->language, c_held_by(e, v)));
    c_name(e, v);
}

/* restrict is true: two arguments may be one array only where both are just read, since what is
 * overwritten must be no other argument (run/memory.c). With const, compilers may read through
 * caches that see no stores. */
static void put_global_argument(c_emitter *e, k_id v)
{
    bool written = c_note_of(e, v)->stored;
    c_put(e, "__global %s%s *restrict ", written ? "" : "const ",
          c_memory_type(e->language, c_held_by(e, v)));
    c_name(e, v);
}

/* ---- local memory ---- */

/* uint4 is the largest unit that accesses want, so that pointers of any type into it are aligned.
 */
static const char *area_type(const c_emitter *e, const c_area *a)
{
    return a->mixed ? "uint4" : c_memory_type(e->language, c_held_by(e, a->locals->alloc));
}

/* Local memory of a size that only the launch knows is an argument in OpenCL. */
static void put_local_argument(c_emitter *e, const c_area *a)
{
    c_put(e, "__local %s *restrict ", area_type(e, a));
    c_put_area_name(e, a);
}

/* The arrays of an area as pointers into it. */
static void put_area_arrays(c_emitter *e, const c_area *a)
{
    for (uint32_t i = 0; i < a->n && !c_area_is_plain(a); i++) {
        const k_local *l = &a->locals[i];
        scalar t = c_held_by(e, l->alloc);
        uint64_t offset = l->offset / (a->mixed ? AREA_ALIGNMENT : ir_scalar_bytes(t));
        c_put(e, "    __local %s *const ", c_memory_type(e->language, t));
        c_name(e, l->alloc);
        c_put(e, " = ");
        if (a->mixed)
            c_put(e, offset ? "(__local %s *)(" : "(__local %s *)", c_memory_type(e->language, t));
        c_put_area_name(e, a);
        if (offset)
            c_put(e, a->mixed ? " + %llu)" : " + %llu", (unsigned long long)offset);
        c_put(e, ";\n");
    }
}

/* Wide accesses want their alignment. */
static const char *alignment(bool wide)
{
    return wide ? " __attribute__((aligned(16)))" : "";
}

/* Arrays of constant size are declared at the head of the body, the only place that OpenCL allows.
 */
static void put_locals(c_emitter *e, const k_kernel *k)
{
    for (uint32_t i = 0; i < k->nareas; i++) {
        c_area a = c_area_of(e, k, i);
        if (a.constant) {
            c_put(e, "    __local %s ", area_type(e, &a));
            c_put_area_name(e, &a);
            c_put(e, "[%llu]%s;\n",
                  (unsigned long long)c_area_elements(e, k, i, &a, AREA_ALIGNMENT),
                  alignment(a.wide && !a.mixed));
        }
        put_area_arrays(e, &a);
    }
}

/* ---- arguments ---- */

/* The order is a contract with the plan runner, which ir/kernel/plan lists in it. */
static void put_arguments(c_emitter *e, const k_kernel *k)
{
    bool first = true;
    for (uint32_t i = 0; i < k->nscalars; i++) {
        put_comma(e, &first);
        put_scalar_argument(e, in_pool(e, k->scalars, i));
    }
    for (uint32_t i = 0; i < k->nglobals; i++) {
        put_comma(e, &first);
        put_global_argument(e, in_pool(e, k->globals, i));
    }
    for (uint32_t i = 0; i < k->nareas; i++) {
        c_area a = c_area_of(e, k, i);
        if (a.constant)
            continue;
        put_comma(e, &first);
        put_local_argument(e, &a);
    }
    if (k->checks) {
        put_comma(e, &first);
        c_put(e, "volatile __global uint *restrict checks");
    }
}

/* Sizes are constants after virtualise, which the verifier asks for. */
static void put_privates(c_emitter *e, const k_kernel *k)
{
    for (uint32_t i = 0; i < k->nprivates; i++) {
        k_id v = in_pool(e, k->privates, i);
        int64_t size;
        if (!k_local_count(e->p, v, &size))
            continue;
        c_put(e, "    %s ", c_memory_type(e->language, c_held_by(e, v)));
        c_name(e, v);
        c_put(e, "[%lld]%s;\n", (long long)size, alignment(c_note_of(e, v)->wide));
    }
}

void cl_table(c_emitter *e, k_id id)
{
    c_put_table(e, id, "__constant");
}

/* The required size is exact, not a limit: compilers choose registers by it. Lanes by subgroups ask
 * for subgroups of the warp's size where the extension exists. */
void cl_kernel(c_emitter *e, const k_kernel *k)
{
    int64_t threads = 1;
    const k_node *launch = k_at(e->p, k->launch);
    k_is_const(e->p, launch->args[1], &threads);
    c_put_comment(e, k, threads);
    if (e->by_warps && e->p->target.request.dialect == OPENCL_SUBGROUPS)
        c_put(e,
              "#ifdef "
              "cl_intel_required_subgroup_size\n__attribute__((intel_reqd_sub_group_size(%u)))\n#"
              "endif\n",
              e->p->target.facts.warp_size);
    c_put(e, "__kernel __attribute__((reqd_work_group_size(%lld, 1, 1)))\nvoid %s(",
          (long long)threads, intern_str(&e->p->cx->strings, k->name));
    put_arguments(e, k);
    c_put(e, ")\n{\n");
    put_locals(e, k);
    put_privates(e, k);
    e->indent = 1;
    c_block(e, launch->blocks[0], (c_place){.owner = launch, .owner_id = k->launch});
    c_put(e, "}\n");
}
