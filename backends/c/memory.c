/* What goes beyond a plain element: wide accesses, atomic steps, exchange between lanes, barriers,
 * checks.  A language's own function comes first, else its words are taken.
 *
 * Without a function, elements of wide accesses are read and written one by one, of a position that
 * is computed once: compilers put them together where that is faster.  Atomic steps are functions
 * that take the address of the element, so that they are there for every type. */
#include "backends/c/emit.h"

#include <stdio.h>

void c_lacks(c_emitter *e, k_id n, const char *what)
{
    if (!e->failed)
        diag_error(e->p->cx, DIAG_EMIT_DECLINED, k_loc_of(e->p, n),
                   "kernel %s needs %s, for which the target's language has no words",
                   intern_str(&e->p->cx->strings, e->kernel->name), what);
    e->failed = true;
}

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
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, ";\n");
}

/* A value for each element that somebody reads. */
static void load_each(c_emitter *e, k_id id)
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

void c_load_wide(c_emitter *e, k_id id)
{
    (e->language->words.load_wide ? e->language->words.load_wide : load_each)(e, id);
}

void c_lane(c_emitter *e, k_id result)
{
    const k_node *n = k_at(e->p, result);
    if (e->language->words.load_wide && e->language->words.lane)
        e->language->words.lane(e, result);
    else
        c_put(e, "w%u_%u", n->owner, n->number);
}

/* All values are there before the first one is stored, as expressions may read what it overwrites.
 */
static void store_each(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    c_indent(e);
    c_put(e, "{\n");
    e->indent++;
    put_position(e, n, "at");
    for (uint32_t i = 0; i < n->nlist; i++) {
        c_indent(e);
        c_put(e, "const %s s%u = ", c_type(e->language, c_held(e, (scalar)n->type)), i);
        c_value(e, k_listed(e->p, n, i), FCL_C_ANY);
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

void c_store_wide(c_emitter *e, k_id id)
{
    (e->language->words.store_wide ? e->language->words.store_wide : store_each)(e, id);
}

/* ---- atomic steps ---- */

static bool gives_value(uint32_t step)
{
    return step != ATOMIC_STORE && step != ATOMIC_RELEASE;
}

static uint32_t operands_of(uint32_t step)
{
    return step == ATOMIC_COMPARE ? 2 : step == ATOMIC_LOAD || step == ATOMIC_ACQUIRE ? 0 : 1;
}

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
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, "]");
}

/* What nobody uses is not named. */
static void call_step(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    const char *type = c_type(e->language, cell_type(e, n));
    if (!e->language->atomics[n->atomic]) {
        c_lacks(e, id, "an atomic step");
        return;
    }
    e->file->helpers.atomics[n->atomic] |= (uint16_t)(1u << cell_type(e, n));
    c_indent(e);
    if (gives_value(n->atomic) && c_note_of(e, id)->uses) {
        c_put(e, "const %s ", type);
        c_name(e, id);
        c_put(e, " = ");
    }
    c_put(e, "fcl_atomic_%s_%s(", k_attribute_name(HAS_ATOMIC, n->atomic), type);
    put_cell(e, n);
    for (uint32_t i = 0; i < operands_of(n->atomic); i++) {
        c_put(e, ", ");
        c_value(e, i ? k_listed(e->p, n, 0) : n->args[2], FCL_C_ANY);
    }
    c_put(e, ");\n");
}

void c_step(c_emitter *e, k_id id)
{
    if (c_is_own(e, k_at(e->p, id)))
        c_own_step(e, id);
    else
        (e->language->words.step ? e->language->words.step : call_step)(e, id);
}

static bool print_body(mem *m, const char *body, const char *type, vec_char *out)
{
    bool ok = true;
    for (const char *s = body; ok && *s; s++) {
        bool is_type = s[0] == '$' && s[1] == 'T';
        ok = is_type ? text_addf(m, out, "%s", type) : text_add(m, out, s, 1);
        s += is_type;
    }
    return ok;
}

static bool print_step(const c_language *l, mem *m, uint32_t step, scalar t, vec_char *out)
{
    static const char *const operands[] = {"", ", $T x", ", $T x, $T y"};
    const char *type = c_type(l, t);
    return text_addf(m, out, "\n%s %s fcl_atomic_%s_%s(%s *p", l->words.helper,
                     gives_value(step) ? type : "void", k_attribute_name(HAS_ATOMIC, step), type,
                     type) &&
           print_body(m, operands[operands_of(step)], type, out) && text_addf(m, out, ")\n{\n") &&
           print_body(m, l->atomics[step], type, out) && text_addf(m, out, "}\n");
}

bool c_print_steps(const c_language *l, mem *m, const c_helpers *used, vec_char *out)
{
    bool ok = true;
    for (uint32_t i = 0; i < C_ATOMICS; i++)
        for (uint32_t t = 1; t < ST_COUNT; t++)
            if (used->atomics[i] & 1u << t)
                ok = ok && print_step(l, m, i, (scalar)t, out);
    return ok;
}

/* ---- threads ---- */

void c_exchange(c_emitter *e, k_id id)
{
    const fcl_c_language *w = &e->language->words;
    if (w->exchange)
        w->exchange(e, id);
    else if (w->shuffle)
        c_put_template(e, k_at(e->p, id), w->shuffle);
    else
        c_lacks(e, id, "an exchange between the lanes of a warp");
}

void c_barrier(c_emitter *e, uint32_t level, bool fenced)
{
    e->fenced = fenced;
    const fcl_c_language *w = &e->language->words;
    const char *words = level > LEVEL_WARP ? w->block_barrier : w->warp_barrier;
    if (w->barrier)
        w->barrier(e, (fcl_height)level);
    else if (!words)
        c_lacks(e, e->kernel->launch, "a barrier");
    else if (*words) {
        c_indent(e);
        c_put(e, "%s;\n", words);
    }
}

/* ---- checks ---- */

static void put_long(c_emitter *e, k_id v)
{
    c_put(e, "(%s)", c_type(e->language, ST_I64));
    c_value(e, v, FCL_C_UNARY);
}

void c_report(c_emitter *e, k_id check)
{
    const k_node *n = k_at(e->p, check);
    e->file->helpers.report = true;
    c_put(e, "fcl_report(checks, %uu, ", c_note_of(e, check)->check);
    put_long(e, n->args[1]);
    c_put(e, ", ");
    put_long(e, n->args[2]);
    c_put(e, ")");
}
