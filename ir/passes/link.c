/* Linking: walks the module's own functions and all that they call, then renumbers the functions
 * that were met.
 *
 * The reachability part of a linker: functions are the symbols, own ones the roots, calls the
 * edges.  What is reached is compacted in place, so that ids only fall. */
#include "ir/passes/passes.h"

typedef struct reach {
    ir_module *m;
    vec_u32 number; /* by function: its new id; 0: not met */
    vec_u32 todo;   /* regions to walk */
} reach;

/* The number is set now to mark it, and to its new id when the functions are compacted. */
static bool meet(reach *k, ir_func f)
{
    if (!f || f >= k->number.len || k->number.at[f])
        return true;
    k->number.at[f] = f;
    return vec_push(&k->m->cx->mem, &k->todo, ir_func_at(k->m, f)->body);
}

/* Meets what the operations of a region call, and queues the regions inside it. */
static bool walk(reach *k, ir_region r)
{
    ir_module *m = k->m;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        if (info->attr == ATTR_CALL && !meet(k, n.attr))
            return false;
        for (uint32_t i = 0; i < info->regions; i++)
            if (!vec_push(&m->cx->mem, &k->todo, n.regions + i))
                return false;
    }
    return true;
}

static bool find_reached(reach *k)
{
    ir_module *m = k->m;
    for (ir_func f = 0; f < m->funcs.len; f++)
        if (!vec_push(&m->cx->mem, &k->number, 0))
            return false;
    bool ok = true;
    for (ir_func f = 1; ok && f < m->funcs.len; f++)
        ok = ir_func_at(m, f)->import || meet(k, f);
    while (ok && k->todo.len)
        ok = walk(k, k->todo.at[--k->todo.len]);
    return ok;
}

/* A function whose name another one hides gets that of its import before its own:
 * prelude.reduce. */
static bool rename_hidden(reach *k)
{
    ir_module *m = k->m;
    fcl_context *cx = m->cx;
    for (ir_func f = 1; f < m->funcs.len; f++) {
        func_node *n = &m->funcs.at[f];
        vec_char name = {0};
        if (!k->number.at[f] || ir_func_named(m, n->name) == f)
            continue;
        bool ok = text_addf(&cx->mem, &name, "%s.%s", ir_str(m, m->imports.at[n->import - 1].name),
                            ir_str(m, n->name));
        while (ok && ir_func_named(m, intern_find(&cx->strings, name.at, name.len)))
            ok = text_add(&cx->mem, &name, "'", 1);
        n->name = ok ? intern_add(&cx->strings, name.at, name.len) : 0;
        vec_free(&cx->mem, &name);
        if (!n->name)
            return false;
    }
    return true;
}

/* Keeps the functions that were met, in their order. */
static void compact(reach *k)
{
    ir_module *m = k->m;
    uint32_t kept = 1;
    for (ir_func f = 1; f < m->funcs.len; f++) {
        if (!k->number.at[f])
            continue;
        k->number.at[f] = kept;
        ir_attr_move(&m->attrs, ON_FUNC, f, kept);
        ir_attr_move(&m->props, ON_FUNC, f, kept);
        m->funcs.at[kept++] = m->funcs.at[f];
    }
    m->funcs.len = kept;
    ir_attr_cut(&m->attrs, ON_FUNC, kept);
    ir_attr_cut(&m->props, ON_FUNC, kept);
}

static void own_all(ir_module *m)
{
    for (ir_func f = 1; f < m->funcs.len; f++)
        m->funcs.at[f].import = 0;
    m->imports.len = 0;
}

/* Dead operations too: they may name functions that are gone, which become 0, none. */
static void renumber(reach *k)
{
    ir_module *m = k->m;
    for (ir_op o = 1; o < m->ops.len; o++)
        if (ir_op_info(m->ops.at[o].opcode)->attr == ATTR_CALL && m->ops.at[o].attr < k->number.len)
            m->ops.at[o].attr = k->number.at[m->ops.at[o].attr];
    for (ir_region r = 1; r < m->regions.len; r++)
        m->regions.at[r].func = k->number.at[m->regions.at[r].func];
    for (ir_tvar v = 1; v < m->tvars.len; v++)
        m->tvars.at[v].func = k->number.at[m->tvars.at[v].func];
}

static bool keep_reached(ir_module *m, bool as_own)
{
    reach k = {.m = m};
    bool ok = find_reached(&k) && (!as_own || rename_hidden(&k));
    if (ok) {
        compact(&k);
        renumber(&k);
    }
    if (ok && as_own)
        own_all(m);
    vec_free(&m->cx->mem, &k.number);
    vec_free(&m->cx->mem, &k.todo);
    return ok;
}

bool pass_link(ir_module *m)
{
    return keep_reached(m, true);
}

bool pass_drop_imports(ir_module *m)
{
    return keep_reached(m, false);
}
