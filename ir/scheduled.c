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

/* The first collective in a region, 0: none.  Recursion follows regions, whose depth is bounded. */
static ir_op first_in(walk *w, ir_region r, bool *ok)
{
    ir_module *m = w->m;
    ir_op found = 0;
    for (ir_op o = ir_region_at(m, r)->first; o && !found && *ok; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        found = ir_is_collective(m, o) ? o : 0;
        for (uint32_t i = 0; i < info->regions && !found; i++)
            found = first_in(w, n.regions + i, ok);
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

bool ir_is_scheduled(ir_module *m, ir_func kernel, ir_op *why)
{
    walk w = {.m = m};
    bool ok = make_room(&w) && meet(&w, kernel);
    *why = 0;
    for (uint32_t i = 0; ok && i < w.funcs.len && !*why; i++)
        *why = first_in(&w, ir_func_at(m, w.funcs.at[i])->body, &ok);
    if (ok && !*why && ir_holds_pull(m, ir_func_at(m, kernel)->result))
        *why = ir_region_at(m, ir_func_at(m, kernel)->body)->last;
    vec_free(&m->cx->mem, &w.funcs);
    vec_free(&m->cx->mem, &w.met);
    return ok && !*why;
}

/* All at once: what several kernels reach is walked once. */
bool ir_module_is_scheduled(ir_module *m)
{
    walk w = {.m = m};
    bool ok = make_room(&w), found = false;
    for (ir_func f = 1; ok && f < m->funcs.len && !found; f++) {
        const func_node *n = ir_func_at(m, f);
        if (n->kernel && !n->import) {
            found = ir_holds_pull(m, n->result);
            ok = meet(&w, f);
        }
    }
    for (uint32_t i = 0; ok && !found && i < w.funcs.len; i++)
        found = first_in(&w, ir_func_at(m, w.funcs.at[i])->body, &ok) != 0;
    vec_free(&m->cx->mem, &w.funcs);
    vec_free(&m->cx->mem, &w.met);
    return ok && !found;
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

bool ir_imports_collectives(ir_module *m)
{
    walk w = {.m = m};
    bool ok = make_room(&w), found = false;
    for (ir_func f = 1; ok && !found && f < m->funcs.len; f++)
        found = ir_func_at(m, f)->import && first_in(&w, ir_func_at(m, f)->body, &ok);
    vec_free(&m->cx->mem, &w.funcs);
    vec_free(&m->cx->mem, &w.met);
    return ok && found;
}
