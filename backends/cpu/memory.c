/* What goes beyond a plain element: wide accesses, atomic steps, checks.
 *
 * Elements of wide accesses are read and written one by one, of a position that is computed once:
 * compilers put them together where that is faster.  Atomic steps are GCC's builtins, which clang
 * has as well, by the address of the value, so that they take every type. */
#include "backends/cpu/emit.h"

#include <stdio.h>

/* ---- wide accesses ---- */

static void put_element(c_emitter *e, const k_node *n, const char *at, uint32_t i)
{
    c_name(e, n->args[0]);
    c_put(e, i ? "[%s + %u]" : "[%s]", at, i);
}

/* The position of the first element. */
static void put_position(c_emitter *e, const k_node *n, const char *at)
{
    c_indent(e);
    c_put(e, "const %s %s = ", c_type(e->language, c_held_by(e, n->args[1])), at);
    c_value(e, n->args[1], BIND_ANY);
    c_put(e, ";\n");
}

/* A value for each element that somebody reads. */
void cpu_load_wide(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    char at[16];
    snprintf(at, sizeof at, "at%u", id);
    put_position(e, n, at);
    for (uint32_t i = 0; i < n->nresults; i++) {
        if (!c_note_of(e, n->results + i)->uses)
            continue;
        c_indent(e);
        c_put(e, "const %s w%u_%u = ", c_type(e->language, c_held(e, (scalar)n->type)), id, i);
        put_element(e, n, at, i);
        c_put(e, ";\n");
    }
}

void cpu_lane(c_emitter *e, const k_node *result)
{
    c_put(e, "w%u_%u", result->owner, result->number);
}

/* All values are there before the first one is stored, as expressions may read what it overwrites.
 */
void cpu_store_wide(c_emitter *e, const k_node *n)
{
    c_indent(e);
    c_put(e, "{\n");
    e->indent++;
    put_position(e, n, "at");
    for (uint32_t i = 0; i < n->nlist; i++) {
        c_indent(e);
        c_put(e, "const %s s%u = ", c_type(e->language, c_held(e, (scalar)n->type)), i);
        c_value(e, k_listed(e->p, n, i), BIND_ANY);
        c_put(e, ";\n");
    }
    for (uint32_t i = 0; i < n->nlist; i++) {
        c_indent(e);
        put_element(e, n, "at", i);
        c_put(e, " = s%u;\n", i);
    }
    e->indent--;
    c_indent(e);
    c_put(e, "}\n");
}

/* ---- atomic steps ---- */

/* In a body T is the type, p the cell, x the operand, y the second one. */
typedef struct atomic_function {
    const char *name, *body;
    uint32_t operands;
    bool gives; /* the value before */
} atomic_function;

#define FETCH(name)                                                                                \
    {                                                                                              \
        name, "    return __atomic_fetch_" name "(p, x, __ATOMIC_RELAXED);\n", 1, true             \
    }
#define EXTREME(name, sign)                                                                        \
    {                                                                                              \
        name,                                                                                      \
            "    T old;\n"                                                                         \
            "    __atomic_load(p, &old, __ATOMIC_RELAXED);\n"                                      \
            "    while (x " sign " old)\n"                                                         \
            "        if (__atomic_compare_exchange(p, &old, &x, 1, __ATOMIC_RELAXED,\n"            \
            "                                      __ATOMIC_RELAXED))\n"                           \
            "            break;\n"                                                                 \
            "    return old;\n",                                                                   \
            1, true                                                                                \
    }
#define LOADING(name, order)                                                                       \
    {                                                                                              \
        name, "    T x;\n    __atomic_load(p, &x, " order ");\n    return x;\n", 0, true           \
    }
#define STORING(name, order)                                                                       \
    {                                                                                              \
        name, "    __atomic_store(p, &x, " order ");\n", 1, false                                  \
    }

static const atomic_function atomics[CPU_ATOMICS] = {
    [ATOMIC_ADD] = FETCH("add"),
    [ATOMIC_MIN] = EXTREME("min", "<"),
    [ATOMIC_MAX] = EXTREME("max", ">"),
    [ATOMIC_AND] = FETCH("and"),
    [ATOMIC_OR] = FETCH("or"),
    [ATOMIC_XOR] = FETCH("xor"),
    [ATOMIC_EXCHANGE] = {"exchange",
                         "    T old;\n"
                         "    __atomic_exchange(p, &x, &old, __ATOMIC_RELAXED);\n"
                         "    return old;\n",
                         1, true},
    [ATOMIC_COMPARE] = {"compare",
                        "    __atomic_compare_exchange(p, &x, &y, 0, __ATOMIC_RELAXED, "
                        "__ATOMIC_RELAXED);\n"
                        "    return x;\n",
                        2, true},
    [ATOMIC_LOAD] = LOADING("load", "__ATOMIC_RELAXED"),
    [ATOMIC_ACQUIRE] = LOADING("acquire", "__ATOMIC_ACQUIRE"),
    [ATOMIC_STORE] = STORING("store", "__ATOMIC_RELAXED"),
    [ATOMIC_RELEASE] = STORING("release", "__ATOMIC_RELEASE"),
};

static scalar cell_type(const c_emitter *e, const k_node *n)
{
    return c_held(e, (scalar)n->type);
}

/* The address of an element, which may be of another type of that size. */
static void put_cell(c_emitter *e, const k_node *n)
{
    if (cell_type(e, n) != c_held_by(e, n->args[0]))
        c_put(e, "(%s *)", c_type(e->language, cell_type(e, n)));
    c_put(e, "&");
    c_name(e, n->args[0]);
    c_put(e, "[");
    c_value(e, n->args[1], BIND_ANY);
    c_put(e, "]");
}

/* What nobody uses is not named. */
void cpu_atomic(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    const atomic_function *f = &atomics[n->atomic];
    const char *type = c_type(e->language, cell_type(e, n));
    cpu_uses_of(e)->atomics[n->atomic] |= (uint16_t)(1u << cell_type(e, n));
    c_indent(e);
    if (f->gives && c_note_of(e, id)->uses) {
        c_put(e, "const %s ", type);
        c_name(e, id);
        c_put(e, " = ");
    }
    c_put(e, "fcl_atomic_%s_%s(", f->name, type);
    put_cell(e, n);
    for (uint32_t i = 0; i < f->operands; i++) {
        c_put(e, ", ");
        c_value(e, i ? k_listed(e->p, n, 0) : n->args[2], BIND_ANY);
    }
    c_put(e, ");\n");
}

static bool print_body(mem *m, const char *body, const char *type, vec_char *out)
{
    bool ok = true;
    for (const char *s = body; ok && *s; s++)
        ok = s[0] == 'T' && s[1] == ' ' ? text_addf(m, out, "%s", type) : text_add(m, out, s, 1);
    return ok;
}

static bool print_atomic(const c_language *l, mem *m, uint32_t which, scalar t, vec_char *out)
{
    static const char *const operands[] = {"", ", T x", ", T x, T y"};
    const atomic_function *f = &atomics[which];
    const char *type = c_type(l, t);
    return text_addf(m, out, "\nstatic inline %s fcl_atomic_%s_%s(%s *p", f->gives ? type : "void",
                     f->name, type, type) &&
           print_body(m, operands[f->operands], type, out) && text_addf(m, out, ")\n{\n") &&
           print_body(m, f->body, type, out) && text_addf(m, out, "}\n");
}

/* ---- threads ---- */

/* A block is one thread: nobody hands it values, and it waits for nobody. */
void cpu_shuffle(c_emitter *e, const k_node *n)
{
    c_value(e, n->args[0], BIND_ANY);
}

void cpu_sync(c_emitter *e, uint32_t level)
{
    (void)e;
    (void)level;
}

/* ---- checks ---- */

void cpu_report(c_emitter *e, k_id check)
{
    const k_node *n = k_at(e->p, check);
    cpu_uses_of(e)->report = true;
    c_put(e, "fcl_report(checks, %uu, ", c_note_of(e, check)->check);
    c_value(e, n->args[1], BIND_ANY);
    c_put(e, ", ");
    c_value(e, n->args[2], BIND_ANY);
    c_put(e, ")");
}

void cpu_failed(c_emitter *e)
{
    c_put(e, "(__atomic_load_n(checks, __ATOMIC_RELAXED) != 0)");
}

/* The first check that fails is the one that is reported. */
static const char report[] =
    "\nstatic inline void fcl_report(uint32_t *checks, uint32_t check, int64_t first, int64_t "
    "second)\n{\n"
    "    uint32_t none = 0;\n"
    "    if (__atomic_compare_exchange_n(checks, &none, check, 0, __ATOMIC_RELAXED, "
    "__ATOMIC_RELAXED)) {\n"
    "        checks[1] = (uint32_t)first;\n        checks[2] = (uint32_t)((uint64_t)first >> 32);\n"
    "        checks[3] = (uint32_t)second;\n        checks[4] = (uint32_t)((uint64_t)second >> "
    "32);\n    }\n}\n";

bool cpu_print_functions(const c_language *l, mem *m, const cpu_uses *u, vec_char *out)
{
    bool ok = true;
    for (uint32_t i = 0; i < CPU_ATOMICS; i++)
        for (uint32_t t = 1; t < ST_COUNT; t++)
            if (u->atomics[i] & 1u << t)
                ok = ok && print_atomic(l, m, i, (scalar)t, out);
    return ok && (!u->report || text_addf(m, out, "%s", report));
}
