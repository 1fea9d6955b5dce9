/* A kernel as a function of OpenCL C: its comment, its arguments in the order of backends/backend.h, its memories, its
 * body. */
#include "backends/opencl/emit.h"

static k_id in_pool(const cl_emitter *e, uint32_t list, uint32_t i)
{
    return e->p->pool.at[list + i];
}

static bool has_constant_size(const cl_emitter *e, k_id memory, int64_t *size)
{
    bool constant = k_is_const(e->p, k_at(e->p, memory)->args[0], size);
    if (constant && *size < 1)
        *size = 1; /* C has no empty arrays */
    return constant;
}

static void put_comma(cl_emitter *e, bool *first)
{
    if (!*first)
        cl_put(e, ",\n    ");
    *first = false;
}

static void put_scalar_argument(cl_emitter *e, k_id v)
{
    cl_put(e, "const %s ", cl_memory_type((scalar)k_at(e->p, v)->type));
    cl_name(e, v);
}

static void put_global_argument(cl_emitter *e, k_id v)
{
    bool written = cl_note_of(e, v)->stored;
    cl_put(e, "__global %s%s *restrict ", written ? "" : "const ", cl_memory_type((scalar)k_at(e->p, v)->type));
    cl_name(e, v);
}

static void put_local_argument(cl_emitter *e, k_id v)
{
    cl_put(e, "__local %s *restrict ", cl_memory_type((scalar)k_at(e->p, v)->type));
    cl_name(e, v);
}

static void put_arguments(cl_emitter *e, const k_kernel *k)
{
    bool first = true;
    int64_t size;
    for (uint32_t i = 0; i < k->nscalars; i++) {
        put_comma(e, &first);
        put_scalar_argument(e, in_pool(e, k->scalars, i));
    }
    for (uint32_t i = 0; i < k->nglobals; i++) {
        put_comma(e, &first);
        put_global_argument(e, in_pool(e, k->globals, i));
    }
    for (uint32_t i = 0; i < k->nlocals; i++) {
        if (has_constant_size(e, in_pool(e, k->locals, i), &size))
            continue;
        put_comma(e, &first);
        put_local_argument(e, in_pool(e, k->locals, i));
    }
}

/* Wide accesses want their alignment. */
static const char *alignment(const cl_emitter *e, k_id memory)
{
    return cl_note_of(e, memory)->wide ? " __attribute__((aligned(16)))" : "";
}

static void put_arrays(cl_emitter *e, uint32_t list, uint32_t n, const char *space)
{
    int64_t size;
    for (uint32_t i = 0; i < n; i++) {
        k_id v = in_pool(e, list, i);
        if (!has_constant_size(e, v, &size))
            continue;
        cl_put(e, "    %s%s ", space, cl_memory_type((scalar)k_at(e->p, v)->type));
        cl_name(e, v);
        cl_put(e, "[%lld]%s;\n", (long long)size, alignment(e, v));
    }
}

/* Names that the checker allows but C does not are cut to what a comment may hold. */
static void put_comment(cl_emitter *e, const k_kernel *k, int64_t threads)
{
    const char *entry = intern_str(&e->p->cx->strings, e->p->name);
    cl_put(e, "\n/* Entry ");
    for (int i = 0; entry[i] && i < 64; i++)
        cl_put(e, "%c", entry[i] == '*' || (unsigned char)entry[i] < ' ' ? '?' : entry[i]);
    cl_put(e, ", launch %u of %u: blocks of %lld threads. */\n", (uint32_t)(k - e->p->kernels.at) + 1,
           e->p->kernels.len, (long long)threads);
}

void cl_kernel(cl_emitter *e, const k_kernel *k)
{
    int64_t threads = 1;
    const k_node *launch = k_at(e->p, k->launch);
    k_is_const(e->p, launch->args[1], &threads);
    put_comment(e, k, threads);
    if (e->by_warps && e->p->target.exchange == EXCHANGE_SUBGROUPS)
        cl_put(e, "#ifdef cl_intel_required_subgroup_size\n__attribute__((intel_reqd_sub_group_size(%u)))\n#endif\n",
               e->p->target.warp_size);
    cl_put(e, "__kernel __attribute__((reqd_work_group_size(%lld, 1, 1)))\nvoid %s(", (long long)threads,
           intern_str(&e->p->cx->strings, k->name));
    put_arguments(e, k);
    cl_put(e, ")\n{\n");
    put_arrays(e, k->locals, k->nlocals, "__local ");
    put_arrays(e, k->privates, k->nprivates, "");
    e->indent = 1;
    cl_block(e, launch->blocks[0], (cl_place){.owner = launch, .owner_id = k->launch});
    cl_put(e, "}\n");
}
