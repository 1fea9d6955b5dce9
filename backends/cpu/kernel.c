/* A kernel as three functions of C: one that runs a range of its groups, with its arguments by their
 * types; the same with a list of arguments, for whoever has threads of their own; and the entry,
 * which spreads all groups over the cores by OpenMP.
 *
 * The groups of a range are the turns of a plain loop, which compilers vectorise where a group is
 * an element.  Local memory belongs to the range, since its groups run one after the other. */
#include "backends/c/emit.h"
#include "backends/cpu/cpu.h"

/* The pieces that the groups of a launch are cut into, for each thread: enough for groups of uneven
 * work, few enough that handing them out costs little beside a thousand small groups. */
enum { PIECES = 8 };

/* The arguments of the first function, as the entry takes them from its list: values by their
 * addresses, in the order of the parameters. */
static void pass_arguments(c_emitter *e, const k_kernel *k)
{
    c_argument a;
    for (uint32_t i = 0; c_argument_at(e, k, i, &a); i++) {
        c_put(e, ",\n        ");
        if (a.kind == C_SCALAR)
            c_put(e, "*(const %s *)", c_memory_type(e->language, c_held_by(e, a.v)));
        else if (a.kind == C_AREA)
            c_put(e, "*(const uint64_t *)");
        c_put(e, "args[%u]", i);
    }
}

static bool takes_any(const c_emitter *e, const k_kernel *k)
{
    c_argument first;
    return c_argument_at(e, k, 0, &first);
}

/* ---- functions ---- */

static const char *name_of(const c_emitter *e, const k_kernel *k)
{
    return intern_str(&e->p->cx->strings, k->name);
}

static void put_range(c_emitter *e, const k_kernel *k)
{
    c_put(e, "static void %s_range(const int32_t from, const int32_t to, const int32_t groups%s",
          name_of(e, k), takes_any(e, k) ? ",\n    " : "");
    c_put_parameters(e, k);
    c_put(e, ")\n{\n    (void)groups;\n");
    c_put_locals(e, k);
    c_put(e, "    for (int32_t group = from; group < to; group++) {\n");
    e->indent = 2;
    c_put_privates(e, k);
    c_put_body(e, k);
    c_put(e, "    }\n}\n");
}

/* A function that nobody else may have declared is declared first, for compilers that warn. */
static void put_head(c_emitter *e, const char *name, const char *parameters)
{
    c_put(e, "\nvoid %s(%s);\n", name, parameters);
    c_put(e, "\nvoid %s(%s)\n{\n", name, parameters);
}

static void put_some(c_emitter *e, const k_kernel *k)
{
    vec_char name = {0};
    e->failed |= !text_addf(e->m, &name, "%s_some", name_of(e, k));
    put_head(e, text_cstr(e->m, &name),
             "int32_t from, int32_t to, int32_t groups, void *const *args");
    vec_free(e->m, &name);
    c_put(e, "%s    %s_range(from, to, groups", takes_any(e, k) ? "" : "    (void)args;\n",
          name_of(e, k));
    pass_arguments(e, k);
    c_put(e, ");\n}\n");
}

static void put_entry(c_emitter *e, const k_kernel *k)
{
    put_head(e, name_of(e, k), "int32_t groups, void *const *args");
    c_put(e, "    const int64_t piece = (groups - 1) / (%d * (int64_t)fcl_threads()) + 1;\n", PIECES);
    c_put(e, "#pragma omp parallel for schedule(dynamic) if (groups > 1)\n");
    c_put(e, "    for (int64_t from = 0; from < groups; from += piece)\n");
    c_put(e,
          "        %s_some((int32_t)from, (int32_t)(groups - from < piece ? groups : from + "
          "piece),\n            groups, args);\n}\n",
          name_of(e, k));
}

/* Programs of blocks of threads come from somebody who has lowered them for another target. */
void cpu_kernel(fcl_printer *e, size_t number)
{
    const k_kernel *k = &e->p->kernels.at[number];
    if (c_threads(e, k) != 1) {
        e->failed = true;
        diag_error(e->p->cx, DIAG_EMIT_STAGE, k_loc_of(e->p, k->launch),
                   "kernel %s has blocks of %lld threads; cpu-c takes programs that were lowered "
                   "for it, whose blocks are one thread",
                   name_of(e, k), (long long)c_threads(e, k));
        return;
    }
    e->before_loop = cpu_before_loop;
    e->is_wide = cpu_is_cursor;
    put_range(e, k);
    put_some(e, k);
    put_entry(e, k);
}
