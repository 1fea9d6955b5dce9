/* A kernel as a function of OpenCL C: its comment, its arguments in the order of
 * backends/backend.h, its memories, its body. */
#include "backends/opencl/emit.h"
#include "ir/kernel/analysis/local.h"

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

/* What the kernel declares of local memory: an array, or what several share. */
typedef struct area {
    const k_local *locals;
    uint32_t n;
    bool constant; /* declared in the body; else an argument */
    bool wide;     /* some access is */
    bool mixed;    /* declared in units of 16 bytes, for types or alignments that differ */
} area;

/* What the first array of an area tells, and what only all of them together do. */
static area area_of(const c_emitter *e, const k_kernel *k, uint32_t number)
{
    uint32_t first;
    area a = {.n = k_area_locals(e->p, k, number, &first)};
    int64_t size;
    a.locals = k_local_at(e->p, k, first);
    a.constant = k_local_count(e->p, a.locals->alloc, &size);
    for (uint32_t i = 0; i < a.n; i++) {
        a.wide = a.wide || c_note_of(e, a.locals[i].alloc)->wide;
        a.mixed =
            a.mixed || k_at(e->p, a.locals[i].alloc)->type != k_at(e->p, a.locals->alloc)->type;
    }
    a.mixed = a.mixed || (a.wide && !a.constant);
    return a;
}

/* An area that is one array is called as the array is. */
static bool is_plain(const area *a)
{
    return a->n == 1 && !a->mixed;
}

static void put_area_name(c_emitter *e, const area *a)
{
    if (is_plain(a))
        c_name(e, a->locals->alloc);
    else
        c_put(e, "area%u", a->locals->alloc);
}

/* uint4 is the largest unit that accesses want, so that pointers of any type into it are aligned.
 */
static const char *area_type(const c_emitter *e, const area *a)
{
    return a->mixed ? "uint4" : c_memory_type(e->language, c_held_by(e, a->locals->alloc));
}

/* Local memory of a size that only the launch knows is an argument in OpenCL. */
static void put_local_argument(c_emitter *e, const area *a)
{
    c_put(e, "__local %s *restrict ", area_type(e, a));
    put_area_name(e, a);
}

/* The arrays of an area as pointers into it. */
static void put_area_arrays(c_emitter *e, const area *a)
{
    for (uint32_t i = 0; i < a->n && !is_plain(a); i++) {
        const k_local *l = &a->locals[i];
        scalar t = c_held_by(e, l->alloc);
        uint64_t offset = l->offset / (a->mixed ? AREA_ALIGNMENT : ir_scalar_bytes(t));
        c_put(e, "    __local %s *const ", c_memory_type(e->language, t));
        c_name(e, l->alloc);
        c_put(e, " = ");
        if (a->mixed)
            c_put(e, offset ? "(__local %s *)(" : "(__local %s *)", c_memory_type(e->language, t));
        put_area_name(e, a);
        if (offset)
            c_put(e, a->mixed ? " + %llu)" : " + %llu", (unsigned long long)offset);
        c_put(e, ";\n");
    }
}

/* In units of the declared type. */
static uint64_t declared_elements(const c_emitter *e, const k_kernel *k, uint32_t number,
                                  const area *a)
{
    uint64_t bytes = k_area_bytes(e->p, k, number, (k_sizes){0});
    return bytes / (a->mixed ? AREA_ALIGNMENT
                             : ir_scalar_bytes((scalar)k_at(e->p, a->locals->alloc)->type));
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
        area a = area_of(e, k, i);
        if (a.constant) {
            c_put(e, "    __local %s ", area_type(e, &a));
            put_area_name(e, &a);
            c_put(e, "[%llu]%s;\n", (unsigned long long)declared_elements(e, k, i, &a),
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
        area a = area_of(e, k, i);
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

/* Names that the checker allows but C does not are cut to what a comment may hold. */
static void put_comment(c_emitter *e, const k_kernel *k, int64_t threads)
{
    const char *entry = intern_str(&e->p->cx->strings, e->p->name);
    c_put(e, "\n/* Entry ");
    for (int i = 0; entry[i] && i < 64; i++)
        c_put(e, "%c", entry[i] == '*' || (unsigned char)entry[i] < ' ' ? '?' : entry[i]);
    c_put(e, ", launch %u of %u: blocks of %lld threads. */\n",
          (uint32_t)(k - e->p->kernels.at) + 1, e->p->kernels.len, (long long)threads);
}

/* A table stands before the first kernel, in lines of some elements. */
void cl_table(c_emitter *e, k_id id)
{
    enum { IN_LINE = 16 };
    const k_node *n = k_at(e->p, id);
    c_put(e, "\n__constant %s ", c_memory_type(e->language, c_held_by(e, id)));
    c_name(e, id);
    c_put(e, "[%u] = {", n->nlist);
    for (uint32_t i = 0; i < n->nlist; i++) {
        c_put(e, i % IN_LINE ? " " : "\n    ");
        c_value(e, k_listed(e->p, n, i), BIND_ANY);
        c_put(e, i + 1 < n->nlist ? "," : "");
    }
    c_put(e, "};\n");
}

/* The required size is exact, not a limit: compilers choose registers by it. Lanes by subgroups ask
 * for subgroups of the warp's size where the extension exists. */
void cl_kernel(c_emitter *e, const k_kernel *k)
{
    int64_t threads = 1;
    const k_node *launch = k_at(e->p, k->launch);
    k_is_const(e->p, launch->args[1], &threads);
    put_comment(e, k, threads);
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
