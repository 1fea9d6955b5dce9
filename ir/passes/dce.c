/* Dead code: marks the operations that a function's result needs, from the ends of regions
 * and from what hands something out backwards, then relinks each region's list without the others.
 *
 * Mark and sweep: what nobody asks for is never marked, a loop with its regions as a whole.  The
 * list of work is bounded by the operations, and reserved at once. */
#include "ir/passes/passes.h"

typedef struct marks {
    ir_module *m;
    VEC(bool) live; /* by operation */
    vec_u32 todo;   /* live operations whose needs are not marked yet; it never holds one twice */
} marks;

static bool marks_init(marks *k, ir_module *m)
{
    mem *mm = &m->cx->mem;
    *k = (marks){.m = m};
    if (!vec_reserve(mm, &k->live, m->ops.len) || !vec_reserve(mm, &k->todo, m->ops.len))
        return false;
    for (uint32_t i = 0; i < m->ops.len; i++)
        k->live.at[k->live.len++] = false;
    return true;
}

static void marks_free(marks *k)
{
    vec_free(&k->m->cx->mem, &k->live);
    vec_free(&k->m->cx->mem, &k->todo);
}

/* Entry 0 is no operation.  The list has room, as each operation comes once. */
static void mark(marks *k, ir_op o)
{
    if (!o || k->live.at[o])
        return;
    k->live.at[o] = true;
    k->todo.at[k->todo.len++] = o;
}

/* What a live operation needs: what defines its operands, and the ends of its regions. */
static void mark_needs(marks *k, ir_op o)
{
    ir_module *m = k->m;
    const op_node n = *ir_op_at(m, o);
    for (uint32_t i = 0; i < n.nargs; i++) {
        const value_node *v = ir_value_at(m, ir_arg(m, o, i));
        if (v->kind == V_RESULT)
            mark(k, v->def);
    }
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
        mark(k, ir_region_at(m, n.regions + i)->last);
}

/* Keeps the live ones in their order.  The nodes of the others stay, in no list. */
static void relink(marks *k, region_node *r)
{
    ir_module *m = k->m;
    ir_op first = 0, last = 0;
    for (ir_op o = r->first; o; o = ir_op_at(m, o)->next) {
        if (!k->live.at[o])
            continue;
        if (last)
            ir_op_at(m, last)->next = o;
        else
            first = o;
        last = o;
    }
    r->first = first;
    r->last = last;
}

/* What hands something out is needed, and so are the operations that it stands in.  Recursion
 * follows regions, whose depth is bounded. */
static bool mark_emits(marks *k, ir_region r)
{
    ir_module *m = k->m;
    bool any = false;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        bool emits = ir_op_info(n.opcode)->effect == EFFECT_EMIT;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            emits = mark_emits(k, n.regions + i) || emits;
        if (emits)
            mark(k, o);
        any = any || emits;
    }
    return any;
}

bool pass_dce(ir_module *m)
{
    marks k;
    bool ok = marks_init(&k, m);
    if (ok) {
        for (ir_func f = 1; f < m->funcs.len; f++) {
            mark(&k, ir_region_at(m, ir_func_at(m, f)->body)->last);
            mark_emits(&k, ir_func_at(m, f)->body);
        }
        while (k.todo.len)
            mark_needs(&k, k.todo.at[--k.todo.len]);
        for (ir_region r = 1; r < m->regions.len; r++)
            relink(&k, ir_region_at(m, r));
    }
    marks_free(&k);
    return ok;
}
