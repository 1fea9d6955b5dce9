/* A kernel as two functions of C: one that runs a range of its groups, with its arguments by their
 * types, and the entry, which spreads all groups over the cores.
 *
 * The groups of a range are the turns of a plain loop, which compilers vectorise where a group is
 * an element.  Local memory belongs to the range, since its groups run one after the other. */
#include "backends/cpu/emit.h"

/* The pieces that the groups of a launch are cut into, at most: enough for groups of uneven work,
 * few enough that handing them out costs nothing. */
enum { PIECES = 128 };

static k_id in_pool(const c_emitter *e, uint32_t list, uint32_t i)
{
    return e->p->pool.at[list + i];
}

static const char *memory_type(const c_emitter *e, k_id v)
{
    return c_memory_type(e->language, c_held_by(e, v));
}

void cpu_table(c_emitter *e, k_id id)
{
    c_put_table(e, id, "static const");
}

/* ---- local memory ---- */

static const char *area_type(const c_emitter *e, const c_area *a)
{
    return a->mixed ? "uint64_t" : memory_type(e, a->locals->alloc);
}

/* The arrays of an area as pointers into it. */
static void put_area_arrays(c_emitter *e, const c_area *a)
{
    for (uint32_t i = 0; i < a->n && !c_area_is_plain(a); i++) {
        const k_local *l = &a->locals[i];
        const char *type = memory_type(e, l->alloc);
        c_put(e, "    %s *const ", type);
        c_name(e, l->alloc);
        c_put(e, " = (%s *)((char *)", type);
        c_put_area_name(e, a);
        c_put(e, " + %llu);\n", (unsigned long long)l->offset);
    }
}

/* What only the launch knows the size of has one unit more than it needs, as no array is empty. */
static void put_locals(c_emitter *e, const k_kernel *k)
{
    for (uint32_t i = 0; i < k->nareas; i++) {
        c_area a = c_area_of(e, k, i);
        const char *type = area_type(e, &a);
        c_put(e, "    %s ", type);
        c_put_area_name(e, &a);
        if (a.constant) {
            uint64_t n = c_area_elements(e, k, i, &a, sizeof(uint64_t));
            c_put(e, "[%llu];\n", (unsigned long long)n);
        } else {
            c_put(e, "[bytes%u / sizeof(%s) + 1];\n", i, type);
        }
        put_area_arrays(e, &a);
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
        c_put(e, "        %s ", memory_type(e, v));
        c_name(e, v);
        c_put(e, "[%lld];\n", (long long)size);
    }
}

/* ---- arguments ---- */

/* What an argument of either function is: its parameter in the first, in the second how it is taken
 * from the list. */
typedef struct passing {
    bool declare;
    uint32_t next; /* in the list */
} passing;

static void put_comma(c_emitter *e, const passing *how)
{
    c_put(e, how->declare ? ",\n    " : ",\n            ");
}

static void put_value(c_emitter *e, passing *how, const char *type)
{
    put_comma(e, how);
    if (how->declare)
        c_put(e, "const %s ", type);
    else
        c_put(e, "*(const %s *)args[%u]", type, how->next++);
}

static void put_scalar(c_emitter *e, passing *how, k_id v)
{
    put_value(e, how, memory_type(e, v));
    if (how->declare)
        c_name(e, v);
}

/* restrict is true: see opencl/kernel.c. */
static void put_global(c_emitter *e, passing *how, k_id v)
{
    put_comma(e, how);
    if (how->declare) {
        c_put(e, "%s%s *restrict ", c_note_of(e, v)->stored ? "" : "const ", memory_type(e, v));
        c_name(e, v);
    } else {
        c_put(e, "args[%u]", how->next++);
    }
}

/* The order is a contract with the plan runner, which ir/kernel/plan lists in it. */
static void put_arguments(c_emitter *e, const k_kernel *k, bool declare)
{
    passing how = {.declare = declare};
    for (uint32_t i = 0; i < k->nscalars; i++)
        put_scalar(e, &how, in_pool(e, k->scalars, i));
    for (uint32_t i = 0; i < k->nglobals; i++)
        put_global(e, &how, in_pool(e, k->globals, i));
    for (uint32_t i = 0; i < k->nareas; i++) {
        c_area a = c_area_of(e, k, i);
        if (a.constant)
            continue;
        put_value(e, &how, "uint64_t");
        if (declare)
            c_put(e, "bytes%u", i);
    }
    if (k->checks) {
        put_comma(e, &how);
        if (declare)
            c_put(e, "uint32_t *restrict checks");
        else
            c_put(e, "args[%u]", how.next);
    }
}

/* ---- functions ---- */

static const char *name_of(const c_emitter *e, const k_kernel *k)
{
    return intern_str(&e->p->cx->strings, k->name);
}

static void put_range(c_emitter *e, const k_kernel *k)
{
    const k_node *launch = k_at(e->p, k->launch);
    c_put(e, "static void %s_range(const int32_t from, const int32_t to, const int32_t groups",
          name_of(e, k));
    put_arguments(e, k, true);
    c_put(e, ")\n{\n    (void)groups;\n");
    put_locals(e, k);
    c_put(e, "    for (int32_t group = from; group < to; group++) {\n");
    put_privates(e, k);
    e->indent = 2;
    c_block(e, launch->blocks[0], (c_place){.owner = launch, .owner_id = k->launch});
    c_put(e, "    }\n}\n");
}

static void put_entry(c_emitter *e, const k_kernel *k)
{
    const char *name = name_of(e, k);
    c_put(e, "\nvoid %s(int32_t groups, void *const *args);\n", name);
    c_put(e, "\nvoid %s(int32_t groups, void *const *args)\n{\n", name);
    c_put(e, "    const int64_t piece = groups / %d + 1;\n", PIECES);
    c_put(e, "#pragma omp parallel for schedule(dynamic) if (groups > 1)\n");
    c_put(e, "    for (int64_t from = 0; from < groups; from += piece)\n");
    c_put(e,
          "        %s_range((int32_t)from, (int32_t)(groups - from < piece ? groups : from + "
          "piece),\n            groups",
          name);
    put_arguments(e, k, false);
    c_put(e, ");\n}\n");
}

/* Programs of blocks of threads come from somebody who has lowered them for another target. */
void cpu_kernel(c_emitter *e, const k_kernel *k)
{
    int64_t threads = 0;
    const k_node *launch = k_at(e->p, k->launch);
    k_is_const(e->p, launch->args[1], &threads);
    if (threads != 1) {
        e->failed = true;
        diag_error(e->p->cx, DIAG_EMIT_STAGE, k_loc_of(e->p, k->launch),
                   "kernel %s has blocks of %lld threads; cpu-c takes programs that were lowered "
                   "for it, whose blocks are one thread",
                   name_of(e, k), (long long)threads);
        return;
    }
    c_put_comment(e, k, threads);
    put_range(e, k);
    put_entry(e, k);
}
