/* Reads of an array stand in front of what overwrites it.
 *
 *   u = update t, i, x        y = index t, j
 *   y = index t, j            u = update t, i, x
 *
 * A program that is a graph says nothing of the order of the two; as on the left, the update would have to
 * overwrite a copy.  The numbers that the read needs go with it.  Linear. */
#include "ir/passes/passes.h"
#include "ir/rewrite/edit.h"
#include "ir/scheduled.h"

/* Operations that one needs; those between it and the update; uses of an array that are looked at. */
enum { DEEPEST = 16, MOST_BETWEEN = 64, MOST_USES = 256 };

/* Operations of scalars, and elements: they can stand wherever what they use is there. */
static bool is_movable(const ir_module *m, ir_op o)
{
    const op_node *n = &m->ops.at[o];
    bool plain = ir_op_info(n->opcode)->is_scalar || n->opcode == OP_CONVERT || n->opcode == OP_DIM || n->opcode == OP_LENGTH;
    return plain || (n->opcode == OP_INDEX && !ir_holds_pull(m, m->values.at[n->result].type));
}

static bool stands_behind(const ir_editor *e, ir_op o, ir_op update)
{
    return ir_op_at(e->m, o)->parent == ir_op_at(e->m, update)->parent && e->order.at[o] > e->order.at[update];
}

/* In front of the update, with what it needs. */
static bool bring(ir_editor *e, ir_op o, ir_op update, uint32_t depth)
{
    ir_module *m = e->m;
    bool may = is_movable(m, o) && depth > 0;
    for (uint32_t k = 0; may && k < ir_op_at(m, o)->nargs; k++) {
        const value_node *v = ir_value_at(m, ir_arg(m, o, k));
        if (v->kind == V_RESULT && stands_behind(e, v->def, update))
            may = bring(e, v->def, update, depth - 1);
    }
    return may && ir_move_op(e, o, ir_op_at(m, update)->parent, update);
}

/* Whether an operation, or one in it, hands something out or asserts: reads may fail, and what stands in front of them is done then. */
static bool is_passed(ir_module *m, ir_op o)
{
    const op_node n = *ir_op_at(m, o);
    const op_info *info = ir_op_info(n.opcode);
    bool may = info->effect != EFFECT_EMIT && info->effect != EFFECT_FAIL && info->attr != ATTR_CALL;
    for (uint32_t i = 0; i < info->regions && may; i++)
        for (ir_op in = ir_region_at(m, n.regions + i)->first; in && may; in = ir_op_at(m, in)->next)
            may = is_passed(m, in);
    return may;
}

/* Nothing stands between them that a read may not pass, and not much. */
static bool is_near(ir_module *m, ir_op update, ir_op read)
{
    uint32_t left = MOST_BETWEEN;
    ir_op o = update;
    while (o != read && left-- && is_passed(m, o))
        o = ir_op_at(m, o)->next;
    return o == read;
}

static void look_at_update(ir_editor *e, ir_op update)
{
    ir_value xs = ir_arg(e->m, update, 0);
    uint32_t left = MOST_USES;
    for (uint32_t u = ir_first_use(e, xs), next; u && left-- && !e->failed; u = next) {
        ir_op o = ir_user(e, u);
        next = ir_next_use(e, u);
        if (ir_op_at(e->m, o)->opcode == OP_INDEX && ir_arg(e->m, o, 0) == xs && stands_behind(e, o, update) &&
            is_near(e->m, update, o))
            bring(e, o, update, DEEPEST);
    }
}

static bool is_update(const ir_module *m, ir_op o)
{
    return m->ops.at[o].opcode == OP_UPDATE && m->ops.at[o].parent && ir_is_collective(m, o);
}

bool pass_read_early(ir_module *m)
{
    ir_editor e;
    bool any = false;
    for (ir_op o = 1; o < m->ops.len && !any; o++)
        any = is_update(m, o);
    if (!any)
        return true;
    bool ok = ir_editor_init(&e, m);
    for (ir_op o = 1; ok && o < m->ops.len && !e.failed; o++)
        if (is_update(m, o))
            look_at_update(&e, o);
    return ir_editor_end(&e) && ok;
}
