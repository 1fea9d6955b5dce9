/* Changing modules in place, through the public interface: an ir_editor (ir/rewrite/edit.h) that
 * callers hold, and that every call of the builder goes through while it is there.
 *
 * Ids that the module does not have break it, as in the builder; a change that would break a rule
 * of scopes is not made, which is no failure. */
#include "libfcl/core/core.h"

#include "ir/check/check.h"

fcl_rewrite *fcl_rewrite_begin(fcl_module *m)
{
    if (!m)
        return NULL;
    fcl_context *cx = m->ir.cx;
    uint32_t before = cx->diags.errors;
    if (!face_usable(m))
        return NULL;
    if (m->rewrite)
        return core_refuse(m, "the module is being rewritten already"), NULL;
    fcl_rewrite *w =
        m->ir.checked || ir_verify(&m->ir) ? mem_resize(&cx->mem, NULL, 0, sizeof *w) : NULL;
    if (w) {
        w->m = m;
        m->rewrite = w;
        m->insert = 0;
        if (!ir_editor_init(&w->editor, &m->ir)) {
            fcl_rewrite_end(w);
            w = NULL;
        }
    }
    face_module_ok(m, before);
    return w;
}

bool fcl_rewrite_end(fcl_rewrite *w)
{
    if (!w)
        return true;
    fcl_module *m = w->m;
    uint32_t before = m->ir.cx->diags.errors;
    m->broken = !ir_editor_end(&w->editor) || m->broken;
    m->rewrite = NULL;
    m->insert = 0;
    mem_free(&m->ir.cx->mem, w, sizeof *w);
    return face_module_ok(m, before) && !m->broken;
}

/* ---- places ---- */

/* Whether an operation stands in the body of an own function: neither it nor what holds it has been
 * dropped. */
static bool is_there(const fcl_module *m, ir_op o)
{
    const ir_editor *e = &m->rewrite->editor;
    ir_module *ir = e->m;
    const region_node *r = NULL;
    for (; o; o = r->owner) {
        r = ir_region_at(ir, ir_op_at(ir, o)->parent);
        ir_op last = e->before.at[o];
        if ((last ? ir_op_at(ir, last)->next : r->first) != o)
            return false;
    }
    return r && !ir_func_at(ir, r->func)->import &&
           r == ir_region_at(ir, ir_func_at(ir, r->func)->body);
}

bool core_inserts(const fcl_module *m, ir_region r)
{
    return m->rewrite && m->insert && m->ir.ops.at[m->insert].parent == r && is_there(m, m->insert);
}

ir_op core_insert(fcl_module *m, ir_region r, opcode code, const ir_value *args, uint32_t n,
                  uint32_t loc)
{
    ir_op before = core_inserts(m, r) ? m->insert : 0;
    if (before && !m->at.file)
        loc = m->ir.ops.at[before].loc;
    return ir_insert_op(&m->rewrite->editor, r, before, code, args, n, loc);
}

/* ---- uses ---- */

fcl_use fcl_use_first(const fcl_rewrite *w, fcl_value v)
{
    if (!w)
        return 0;
    return ir_first_use(&w->editor, id_inside(w->m->stretch, ID_VALUE, v));
}

fcl_use fcl_use_next(const fcl_rewrite *w, fcl_use u)
{
    if (!w)
        return 0;
    return u < w->editor.uses.len ? ir_next_use(&w->editor, u) : 0;
}

fcl_operation fcl_use_operation(const fcl_rewrite *w, fcl_use u, size_t *operand)
{
    if (!w)
        return 0;
    ir_op user = u < w->editor.uses.len ? ir_user(&w->editor, u) : 0;
    if (user && operand)
        *operand = u - w->m->ir.ops.at[user].args;
    return id_outside(w->m->stretch, ID_OP, user);
}

/* ---- changes ---- */

/* Takes ids as callers see them; 0, and the module is broken, for those of others. */
static ir_op take_op(fcl_rewrite *w, fcl_operation o)
{
    uint32_t inside = id_inside(w->m->stretch, ID_OP, o);
    return inside && inside < w->m->ir.ops.len
               ? inside
               : core_refuse(w->m, "this is not an operation of this module");
}

static ir_value take_value(fcl_rewrite *w, fcl_value v)
{
    uint32_t inside = id_inside(w->m->stretch, ID_VALUE, v);
    return inside && inside < w->m->ir.values.len
               ? inside
               : core_refuse(w->m, "this is not a value of this module");
}

static bool ends_region(const fcl_rewrite *w, ir_op o)
{
    return !ir_op_info(ir_op_at(&w->m->ir, o)->opcode)->has_result;
}

bool fcl_rewrite_before(fcl_rewrite *w, fcl_operation o)
{
    if (!w)
        return false;
    ir_op inside = o ? take_op(w, o) : 0;
    if (o && (!inside || !is_there(w->m, inside)))
        return false;
    w->m->insert = inside;
    return true;
}

/* Types that are known must be the same. */
static bool fits(const fcl_rewrite *w, ir_value v, ir_value by)
{
    const value_node *x = ir_value_at(&w->m->ir, v), *y = ir_value_at(&w->m->ir, by);
    return !x->type || !y->type || x->type == y->type;
}

static bool visible_at(const fcl_rewrite *w, ir_value v, ir_op user)
{
    return ir_visible_at(&w->editor, v, ir_op_at(&w->m->ir, user)->parent, user);
}

bool fcl_rewrite_operand(fcl_rewrite *w, fcl_operation o, size_t i, fcl_value v)
{
    if (!w)
        return false;
    ir_op op = take_op(w, o);
    ir_value value = op ? take_value(w, v) : 0;
    if (!value || !is_there(w->m, op) || i >= ir_op_at(&w->m->ir, op)->nargs ||
        !fits(w, ir_arg(&w->m->ir, op, (uint32_t)i), value) || !visible_at(w, value, op))
        return false;
    ir_set_operand(&w->editor, op, (uint32_t)i, value);
    return !w->editor.failed;
}

bool fcl_rewrite_replace(fcl_rewrite *w, fcl_value v, fcl_value by)
{
    if (!w)
        return false;
    ir_value old = take_value(w, v), value = old ? take_value(w, by) : 0;
    if (!value || !fits(w, old, value))
        return false;
    for (uint32_t u = ir_first_use(&w->editor, old); u; u = ir_next_use(&w->editor, u))
        if (!visible_at(w, value, ir_user(&w->editor, u)))
            return false;
    ir_replace_uses(&w->editor, old, value);
    return !w->editor.failed;
}

bool fcl_rewrite_erase(fcl_rewrite *w, fcl_operation o)
{
    if (!w)
        return false;
    ir_op op = take_op(w, o);
    return op && is_there(w->m, op) && !ends_region(w, op) && ir_erase_op(&w->editor, op);
}

bool fcl_rewrite_move(fcl_rewrite *w, fcl_operation o, fcl_operation before)
{
    if (!w)
        return false;
    ir_op op = take_op(w, o), at = op ? take_op(w, before) : 0;
    return at && is_there(w->m, op) && is_there(w->m, at) && !ends_region(w, op) &&
           ir_move_op(&w->editor, op, ir_op_at(&w->m->ir, at)->parent, at);
}
