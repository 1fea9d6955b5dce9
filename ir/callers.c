/* The way from a module's own calls into libraries: see callers.h.
 *
 * A reachability over the call graph, backwards: functions that hold the operation lead to it, then
 * those of libraries that call one that does, until no more are found. */
#include "ir/callers.h"

#include "ir/base/source.h"

bool ir_in_library(const ir_module *m, location at)
{
    return at.line && source_is_library(m->cx, at.file);
}

bool ir_place_in_library(const ir_module *m, uint32_t loc)
{
    return loc && source_is_library(m->cx, ir_loc_file(m, loc));
}

typedef struct leading {
    ir_module *m;
    location at;
    vec_u32 leads; /* by function */
    bool changed;
} leading;

static bool same_place(location a, location b)
{
    return a.file == b.file && a.line == b.line && a.col == b.col;
}

static void mark(leading *k, ir_func f)
{
    k->changed = k->changed || !k->leads.at[f];
    k->leads.at[f] = 1;
}

/* The function that an operation calls and that leads there; 0 when it calls none such. */
static ir_func leading_callee(const leading *k, const op_node *n)
{
    bool calls = ir_op_info(n->opcode)->attr == ATTR_CALL && n->attr < k->leads.len;
    return calls && k->leads.at[n->attr] ? n->attr : 0;
}

/* Visits the operations of all regions: marks functions of libraries; true at a call from
 * elsewhere, which is noted. */
static bool visit(leading *k, location *call, ir_func *callee)
{
    ir_module *m = k->m;
    for (ir_region r = 1; r < m->regions.len; r++)
        for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
            location here = ir_op_loc(m, o);
            ir_func to = leading_callee(k, ir_op_at(m, o));
            if (to && here.line && !ir_in_library(m, here)) {
                *call = here;
                *callee = to;
                return true;
            }
            if (to || same_place(here, k->at))
                mark(k, ir_region_at(m, r)->func);
        }
    return false;
}

bool ir_call_into(ir_module *m, location at, location *call, ir_func *callee)
{
    leading k = {.m = m, .at = at, .changed = true};
    bool found = false, ok = ir_in_library(m, at);
    for (ir_func f = 0; ok && f < m->funcs.len; f++)
        ok = vec_push(&m->cx->mem, &k.leads, 0);
    while (ok && !found && k.changed) {
        k.changed = false;
        found = visit(&k, call, callee);
    }
    vec_free(&m->cx->mem, &k.leads);
    return found;
}

bool ir_written_around(ir_module *m, location at, location *around)
{
    bool in = ir_in_library(m, at);
    for (ir_region r = 1; in && r < m->regions.len; r++)
        for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
            ir_op out = same_place(ir_op_loc(m, o), at) ? o : 0;
            while (out && ir_in_library(m, *around = ir_op_loc(m, out)))
                out = ir_region_at(m, ir_op_at(m, out)->parent)->owner;
            if (out && around->line)
                return true;
        }
    return false;
}
