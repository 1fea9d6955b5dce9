/* Which calls and applications are inlined before anything is chosen.
 *
 * A skeleton is chosen by the key of a sort, by the cells that are accumulated into, by the bytes of elements, and by whether
 * these are arrays; and it counts whether the function of a reduction commutes.  In a function that has type parameters, or
 * that is given a function, neither is to be seen: so its body stands where it is called, where
 * both are.  So is the body of an fn that somebody has given a name, as a loop's step: what the grid works on
 * would be a thread's in it; and of calls that describe arrays of arrays, as the extents of these are to be seen, or are given
 * an fn that reaches a collective.  Other functions that reach no collective stay. */
#include "ir/passes/passes.h"
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

static bool takes_function(const ir_module *m, ir_func f)
{
    const region_node *body = &m->regions.at[m->funcs.at[f].body];
    bool takes = false;
    for (uint32_t i = 0; i < body->nparams && !takes; i++)
        takes = ir_type_at(m, m->values.at[body->params + i].type)->kind == TY_FUN;
    return takes;
}

static bool wanted(const void *arg, const ir_module *m, ir_op call)
{
    const scheduler *s = arg;
    ir_func f = m->ops.at[call].attr;
    return f < s->reaches.len && s->reaches.at[f] && (m->funcs.at[f].ntypes || takes_function(m, f));
}

/* Applications of what is left of a function that are followed; operations of one that are looked at. */
enum { MOST_APPLIED = 16, MOST_LOOKED_AT = 64 };

/* The fn that an operation applies, seen where it stands, where it reaches a collective or gives arrays; 0: it is none. */
static ir_op applied(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op f = n.opcode == OP_APPLY ? made_by(m, ir_arg(m, o, 0)) : 0;
    for (int turn = 0; f && turn < MOST_APPLIED && ir_op_at(m, f)->opcode == OP_APPLY; turn++)
        f = made_by(m, ir_arg(m, f, 0)); /* what is left of it after some operands */
    bool counts = f && ir_op_at(m, f)->opcode == OP_FN && (sched_has_collective(s, f) || ir_holds_pull(m, ir_value_at(m, n.result)->type));
    return counts ? f : 0;
}

/* The body in the place of the application, and no fn where that was the last one.  What to look at next: the body. */
static ir_op open_applied(ir_editor *e, ir_op apply, ir_op f)
{
    ir_module *m = e->m;
    ir_region r = ir_op_at(m, apply)->parent;
    ir_op before = e->before.at[apply], next = ir_op_at(m, apply)->next;
    if (!ir_inline_apply(e, apply))
        return next;
    if (!ir_first_use(e, ir_op_at(m, f)->result)) {
        before = before == f ? e->before.at[f] : before;
        ir_erase_op(e, f);
    }
    return before ? ir_op_at(m, before)->next : ir_region_at(m, r)->first;
}

static bool is_of_arrays(const ir_module *m, ir_value v)
{
    const type_node t = *ir_type_at(m, m->values.at[v].type);
    return t.kind == TY_PULL && !sched_is_base(m, t.a);
}

/* A call that describes an array of arrays, or an element of one: it is to be seen how much is in each. */
static bool gives_arrays(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op owner = ir_region_at(m, n.parent)->owner;
    uint32_t around = owner ? ir_op_at(m, owner)->opcode : OP_NONE;
    bool element = (around == OP_GENERATE || around == OP_MAP) && is_of_arrays(m, ir_op_at(m, owner)->result);
    return is_of_arrays(m, n.result) || (element && ir_holds_pull(m, ir_value_at(m, n.result)->type));
}

/* A call that is given an fn which reaches a collective, as `zipWith` may be: the element that has it is to be seen. */
static bool is_given_work(const scheduler *s, ir_op o)
{
    bool given = false;
    for (uint32_t i = 0; i < ir_op_at(s->m, o)->nargs && !given; i++) {
        ir_op f = made_by(s->m, ir_arg(s->m, o, i));
        given = f && ir_op_at(s->m, f)->opcode == OP_FN && sched_has_collective(s, f);
    }
    return given;
}

/* A call of a function that describes arrays, which may read one another, and gives none: where it stands they may be written. */
static bool describes_arrays(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    uint32_t arrays = 0, left = MOST_LOOKED_AT;
    if (s->reaches.at[n.attr] || ir_func_at(m, n.attr)->import || ir_holds_pull(m, ir_value_at(m, n.result)->type))
        return false;
    for (ir_op in = ir_region_at(m, ir_func_at(m, n.attr)->body)->first; in && left-- && arrays < 2; in = ir_op_at(m, in)->next) {
        ir_value v = ir_op_at(m, in)->result;
        arrays += v && ir_type_at(m, ir_value_at(m, v)->type)->kind == TY_PULL;
    }
    return arrays > 1;
}

/* What describes the innermost element around an operation; 0: it is none's. */
static ir_op element_around(const ir_module *m, ir_op o)
{
    do
        o = m->regions.at[m->ops.at[o].parent].owner;
    while (o && m->ops.at[o].opcode != OP_GENERATE && m->ops.at[o].opcode != OP_MAP);
    return o;
}

/* A call in an element of a function that has collectives, and is given an array that is the same for all elements and something that
 * is not: what the function does with the array alone need not be done for each. */
static bool works_alike(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op by = s->reaches.at[n.attr] && !ir_func_at(m, n.attr)->import ? element_around(m, o) : 0;
    bool alike = false, own = false;
    for (uint32_t i = 0; by && i < n.nargs; i++) {
        ir_value v = ir_arg(m, o, i);
        bool is_own = ir_value_at(m, v)->kind != V_CONST && ir_is_inside(m, ir_value_region(m, v), by);
        own = own || is_own;
        alike = alike || (!is_own && ir_type_at(m, ir_value_at(m, v)->type)->kind == TY_PULL);
    }
    return alike && own;
}

static bool opens(const scheduler *s, ir_op o)
{
    return ir_op_at(s->m, o)->opcode == OP_CALL && (gives_arrays(s, o) || is_given_work(s, o) || describes_arrays(s, o) || works_alike(s, o));
}

static ir_op open_call(ir_editor *e, ir_op call)
{
    ir_module *m = e->m;
    ir_region r = ir_op_at(m, call)->parent;
    ir_op before = e->before.at[call], next = ir_op_at(m, call)->next;
    if (!ir_inline_call(e, call))
        return next;
    return before ? ir_op_at(m, before)->next : ir_region_at(m, r)->first;
}

static void open_in(scheduler *s, ir_editor *e, ir_region r, uint64_t most)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !e->failed; o = next) {
        const op_node n = *ir_op_at(m, o);
        bool may = m->ops.len < most;
        ir_op f = may ? applied(s, o) : 0;
        next = f ? open_applied(e, o, f) : may && opens(s, o) ? open_call(e, o) : n.next;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            open_in(s, e, n.regions + i, most);
    }
}

bool sched_open_seen(scheduler *s)
{
    ir_module *m = s->m;
    uint64_t most = (uint64_t)m->ops.len + m->cx->limits.copies;
    ir_editor e;
    bool any = false;
    for (ir_op o = 1; o < m->ops.len && !any; o++)
        any = applied(s, o) || opens(s, o);
    if (!any)
        return true;
    bool ok = ir_editor_init(&e, m);
    for (ir_func f = 1; ok && f < m->funcs.len; f++) {
        if (!ir_func_at(m, f)->import)
            open_in(s, &e, ir_func_at(m, f)->body, most);
        ok = !e.failed;
    }
    return ir_editor_end(&e) && ok;
}

/* ---- calls in an element ---- */

enum { MOST_OPENED = 512 };

static bool shows_more(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    return n.opcode == OP_CALL && (sched_has_collective(s, o) || ir_holds_pull(m, ir_value_at(m, n.result)->type));
}

static void open_calls(scheduler *s, ir_region r, uint32_t *left)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        const op_node n = *ir_op_at(m, o);
        next = n.next;
        if (*left && shows_more(s, o)) {
            --*left;
            next = open_call(&s->e, o);
            continue;
        }
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            open_calls(s, n.regions + i, left);
    }
}

void sched_open_calls(scheduler *s, ir_region r)
{
    uint32_t left = MOST_OPENED;
    open_calls(s, r, &left);
}

bool sched_open_generic(scheduler *s)
{
    bool any = false;
    for (ir_op o = 0; o < s->m->ops.len && !any; o++)
        any = ir_op_at(s->m, o)->opcode == OP_CALL && s->reaches.at[ir_op_at(s->m, o)->attr];
    return !any || pass_inline_wanted(s->m, wanted, s);
}
