/* Collectives, and the kernels that have none: see scheduled.h.
 *
 * A walk over what a kernel reaches, function by function, each once: linear in that. */
#include "ir/scheduled.h"

bool ir_holds_pull(const ir_module *m, ir_type t)
{
    const type_node n = *ir_type_at(m, t);
    bool holds = n.kind == TY_PULL;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n && !holds; i++)
        holds = ir_holds_pull(m, type_item(m, t, i));
    return holds;
}

/* ---- operators ---- */

enum {
#define LEVELRULE(e, what) RULE_##e,
#include "ir/ops.def"
#undef LEVELRULE
};

/* Collectives whatever their operands are. */
static const bool always[OP_END] = {
#define OP(e, wire, name, min, max, regions, attr, result, since, kinds, params, effect, level,    \
           ...)                                                                                    \
    [OP_##e] = RULE_##level == RULE_COLLECTIVE || RULE_##level == RULE_STREAM,
#include "ir/ops.def"
#undef OP
};

bool ir_puts_elements(uint32_t code)
{
    static const bool puts[OP_END] = {
#define OP(e, wire, name, min, max, regions, attr, result, since, kinds, params, effect, level,    \
           ...)                                                                                    \
    [OP_##e] = RULE_##level == RULE_ACCUMULATE,
#include "ir/ops.def"
#undef OP
    };
    return code < OP_END && puts[code];
}

bool ir_makes_memory(uint32_t code)
{
    switch (code) {
    case OP_FORCE:
    case OP_WHILE:
    case OP_REPEAT:
    case OP_REDUCE:
    case OP_SCAN:
    case OP_SCANEX:
    case OP_FILTER:
    case OP_SORT:
    case OP_STREAMRED:
    case OP_STREAMMAP: return true;
    default: return ir_puts_elements(code);
    }
}

enum { NARROW_PUSH, NARROW_SCALARS, NARROW_LEVELS, NARROW_BASE };

/* Operand k; -1: the last one. */
static ir_type type_of_operand(const ir_module *m, ir_op o, int k)
{
    ir_value v = ir_arg(m, o, k < 0 ? m->ops.at[o].nargs - 1u : (uint32_t)k);
    return m->values.at[v < m->values.len ? v : 0].type;
}

/* Of the rows WIDER those count whose operand may now be a pull array. */
bool ir_is_collective(const ir_module *m, ir_op o)
{
    const op_node *n = &m->ops.at[o < m->ops.len ? o : 0];
    bool is = n->opcode < OP_END && always[n->opcode];
#define WIDER(e, k, was, since)                                                                    \
    if (n->opcode == OP_##e && NARROW_##was == NARROW_LEVELS)                                      \
        is = ir_holds_pull(m, type_of_operand(m, o, k));
#include "ir/ops.def"
#undef WIDER
    return is;
}

/* ---- kernels ---- */

typedef struct walk {
    ir_module *m;
    vec_u32 funcs; /* that have been met */
    vec_u32 met;   /* by function: 1 */
} walk;

static bool meet(walk *w, ir_func f)
{
    if (f >= w->met.len || w->met.at[f])
        return true;
    w->met.at[f] = 1;
    return vec_push(&w->m->cx->mem, &w->funcs, f);
}

typedef bool (*op_test)(const ir_module *m, ir_op o);

/* The first operation of that kind in a region, 0: none.  Recursion follows regions, whose depth is
 * bounded. */
static ir_op first_in(walk *w, ir_region r, op_test is, bool *ok)
{
    ir_module *m = w->m;
    ir_op found = 0;
    for (ir_op o = ir_region_at(m, r)->first; o && !found && *ok; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        found = is(m, o) ? o : 0;
        for (uint32_t i = 0; i < info->regions && !found; i++)
            found = first_in(w, n.regions + i, is, ok);
        *ok = *ok && (info->attr != ATTR_CALL || meet(w, n.attr));
    }
    return found;
}

static bool make_room(walk *w)
{
    bool ok = true;
    for (ir_func f = 0; ok && f < w->m->funcs.len; f++)
        ok = vec_push(&w->m->cx->mem, &w->met, 0);
    return ok;
}

/* The first one in what was met, and what that reaches; the walk ends there. */
static ir_op first_met(walk *w, op_test is, bool *ok)
{
    ir_op found = 0;
    for (uint32_t i = 0; *ok && i < w->funcs.len && !found; i++)
        found = first_in(w, ir_func_at(w->m, w->funcs.at[i])->body, is, ok);
    vec_free(&w->m->cx->mem, &w->funcs);
    vec_free(&w->m->cx->mem, &w->met);
    return found;
}

/* The first one in what a kernel reaches. */
static ir_op first_reached(ir_module *m, ir_func kernel, op_test is, bool *ok)
{
    walk w = {.m = m};
    *ok = make_room(&w) && meet(&w, kernel);
    return first_met(&w, is, ok);
}

bool ir_is_scheduled(ir_module *m, ir_func kernel, ir_op *why)
{
    bool ok;
    *why = first_reached(m, kernel, ir_is_collective, &ok);
    if (ok && !*why && ir_holds_pull(m, ir_func_at(m, kernel)->result))
        *why = ir_region_at(m, ir_func_at(m, kernel)->body)->last;
    return ok && !*why;
}

/* All at once: what several kernels reach is walked once. */
bool ir_module_is_scheduled(ir_module *m)
{
    walk w = {.m = m};
    bool may = make_room(&w);
    for (ir_func f = 1; may && f < m->funcs.len; f++) {
        const func_node *n = ir_func_at(m, f);
        if (n->kernel && !n->import)
            may = !ir_holds_pull(m, n->result) && meet(&w, f);
    }
    return !first_met(&w, ir_is_collective, &may) && may;
}

static bool region_emits(const ir_module *m, ir_region r)
{
    bool found = false;
    for (ir_op o = m->regions.at[r].first; o && !found; o = m->ops.at[o].next) {
        const op_node n = m->ops.at[o];
        found = ir_op_info(n.opcode)->effect == EFFECT_EMIT;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && !found; i++)
            found = region_emits(m, n.regions + i);
    }
    return found;
}

bool ir_emits(const ir_module *m, ir_func kernel)
{
    return region_emits(m, m->funcs.at[kernel].body);
}

static bool gives(const ir_module *m, ir_op o, type_kind of)
{
    ir_value v = m->ops.at[o].result;
    return v && m->types.at[m->values.at[v].type].kind == of;
}

static bool gives_push(const ir_module *m, ir_op o)
{
    return gives(m, o, TY_PUSH);
}

static bool gives_pull(const ir_module *m, ir_op o)
{
    return gives(m, o, TY_PULL);
}

bool ir_says_no_level(ir_module *m, ir_func kernel)
{
    bool ok;
    return first_reached(m, kernel, gives_pull, &ok) && ok && !first_reached(m, kernel, gives_push, &ok) && ok;
}

bool ir_module_says_levels(ir_module *m)
{
    bool says = ir_module_is_scheduled(m);
    for (ir_func f = 1; says && f < m->funcs.len; f++)
        says = !ir_func_at(m, f)->kernel || ir_func_at(m, f)->import || !ir_says_no_level(m, f);
    return says;
}

bool ir_imports_collectives(ir_module *m)
{
    walk w = {.m = m};
    bool ok = make_room(&w), found = false;
    for (ir_func f = 1; ok && !found && f < m->funcs.len; f++)
        found = ir_func_at(m, f)->import && first_in(&w, ir_func_at(m, f)->body, ir_is_collective, &ok);
    vec_free(&m->cx->mem, &w.funcs);
    vec_free(&m->cx->mem, &w.met);
    return ok && found;
}
