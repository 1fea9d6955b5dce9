/* Going through the code of a function, in order: collectives give way to calls, and what surrounds
 * them hands on what those need.  Recursion follows regions, whose depth is bounded. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

static void all_regions(scheduler *s, ir_op o, worker by)
{
    const op_node n = *ir_op_at(s->m, o);
    bool worked = false;
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && !s->failed; i++) {
        s->worked = false;
        sched_region(s, n.regions + i, sched_region_worker(s->m, o, i, by));
        worked = worked || s->worked;
    }
    s->worked = worked;
}

void sched_each(scheduler *s, ir_region r, void look(scheduler *, ir_op))
{
    ir_module *m = s->m;
    VEC(ir_op) all = {0};
    for (ir_op o = ir_region_at(m, r)->first; o && !s->failed; o = ir_op_at(m, o)->next)
        s->failed = !vec_push(&m->cx->mem, &all, o);
    for (uint32_t k = 0; k < all.len && !s->failed; k++) {
        const op_node n = *ir_op_at(m, all.at[k]);
        if (n.parent != r)
            continue; /* it is erased */
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            if (sched_region_worker(m, all.at[k], i, BY_GRID) == BY_GRID)
                sched_each(s, n.regions + i, look);
        if (!s->failed)
            look(s, all.at[k]);
    }
    vec_free(&m->cx->mem, &all);
}

/* What a region gives, handed on in another form. */
static void change_yield(scheduler *s, ir_region r, worker by,
                         ir_value change(scheduler *, place, ir_value, worker))
{
    ir_op end = ir_region_at(s->m, r)->last;
    ir_value v = change(s, sched_before(s, end), ir_arg(s->m, end, 0), by);
    s->failed = s->failed || !v;
    if (v)
        ir_set_operand(&s->e, end, 0, v);
}

/* A state of pull arrays is one of push arrays, whose steps are written; as before they may be of any
 * length. */
static void loop(scheduler *s, ir_op o, worker by)
{
    ir_module *m = s->m;
    bool repeats = ir_op_at(m, o)->opcode == OP_REPEAT;
    uint32_t state = repeats ? 1 : 0;
    ir_region step = ir_op_at(m, o)->regions + (repeats ? 0u : 1u);
    ir_value z = ir_arg(m, o, state);
    all_regions(s, o, by);
    if (!ir_holds_pull(m, ir_value_at(m, z)->type))
        return;
    if (by == BY_GRID) {
        sched_tell(s, o, LOOP, "the arrays that this loop carries are written to memory in each turn");
        sched_say(s, o, PROPERTY_GROWS, sched_told(s, o, PROPERTY_GROWS, 1));
    }
    ir_value p = sched_pushed(s, sched_before(s, o), z, by);
    if (p)
        ir_set_operand(&s->e, o, state, p);
    change_yield(s, step, by, sched_pushed);
}

/* ---- branches ---- */

/* An array of the state of a loop: the region's parameter, or a component of it. */
typedef struct state_array {
    ir_value state;
    uint64_t component;
} state_array;

static state_array result_lies_in(ir_module *m, ir_op o, uint32_t k, uint32_t depth);
static state_array item_lies_in(ir_module *m, ir_value v, uint32_t k, uint32_t depth);

/* Of whose memory an array is: the state's, or what updates in that overwrite; state 0: that is not seen. */
static state_array lies_in(ir_module *m, ir_value v, uint32_t depth)
{
    ir_op o = made_by(m, v);
    const op_node n = *ir_op_at(m, o);
    if (!v || !depth)
        return (state_array){0};
    if (!o)
        return (state_array){ir_value_at(m, v)->kind == V_PARAM ? v : 0, 0};
    if ((n.opcode == OP_UPDATE && !ir_copies(m, o)) || n.opcode == OP_PUSH)
        return lies_in(m, ir_arg(m, o, 0), depth - 1);
    if (n.opcode != OP_PROJ)
        return result_lies_in(m, o, 0, depth - 1);
    return item_lies_in(m, ir_arg(m, o, 0), (uint32_t)ir_const_bits(m, ir_arg(m, o, 1)), depth - 1);
}

/* The same of component k of a tuple; of a value that is none, of itself. */
static state_array item_lies_in(ir_module *m, ir_value v, uint32_t k, uint32_t depth)
{
    ir_op o = made_by(m, v);
    if (ir_type_at(m, ir_value_at(m, v)->type)->kind != TY_TUPLE)
        return lies_in(m, v, depth);
    if (!o)
        return (state_array){ir_value_at(m, v)->kind == V_PARAM ? v : 0, k};
    return ir_op_at(m, o)->opcode == OP_TUPLE ? lies_in(m, ir_arg(m, o, k), depth) : result_lies_in(m, o, k, depth);
}

/* What a function gives lies where its parameter does, and so where the argument does. */
static state_array lies_in_call(ir_module *m, ir_op o, uint32_t k, uint32_t depth)
{
    const op_node n = *ir_op_at(m, o);
    ir_region body = ir_func_at(m, n.attr)->body;
    ir_op end = ir_region_at(m, body)->last;
    if (!depth || !end)
        return (state_array){0};
    state_array x = item_lies_in(m, ir_arg(m, end, 0), k, depth - 1);
    bool is_param = x.state && ir_value_at(m, x.state)->kind == V_PARAM && ir_value_region(m, x.state) == body;
    return is_param ? item_lies_in(m, ir_arg(m, o, x.state - ir_region_at(m, body)->params), (uint32_t)x.component, depth - 1)
                    : (state_array){0};
}

/* An inner loop whose turns leave the array where it is works in the memory of the outer one (the kernel pass lend). */
static state_array lies_in_loop(ir_module *m, ir_op o, uint32_t k, uint32_t depth)
{
    bool repeats = ir_op_at(m, o)->opcode == OP_REPEAT;
    const region_node step = *ir_region_at(m, ir_op_at(m, o)->regions + !repeats);
    if (!depth)
        return (state_array){0};
    state_array kept = item_lies_in(m, ir_arg(m, step.last, 0), k, depth - 1);
    bool stays = kept.state == step.params + repeats && kept.component == k;
    return stays ? item_lies_in(m, ir_arg(m, o, repeats), k, depth - 1) : (state_array){0};
}

static state_array lies_in_branches(ir_module *m, ir_op o, uint32_t k, uint32_t depth)
{
    ir_region r = ir_op_at(m, o)->regions;
    if (!depth)
        return (state_array){0};
    state_array x = item_lies_in(m, ir_arg(m, ir_region_at(m, r)->last, 0), k, depth - 1),
                y = item_lies_in(m, ir_arg(m, ir_region_at(m, r + 1)->last, 0), k, depth - 1);
    return x.state == y.state && x.component == y.component ? x : (state_array){0};
}

/* What an operation with regions or a call gives: itself, or its component k. */
static state_array result_lies_in(ir_module *m, ir_op o, uint32_t k, uint32_t depth)
{
    switch (ir_op_at(m, o)->opcode) {
    case OP_IF: return lies_in_branches(m, o, k, depth);
    case OP_WHILE:
    case OP_REPEAT: return lies_in_loop(m, o, k, depth);
    case OP_CALL: return lies_in_call(m, o, k, depth);
    default: return (state_array){0};
    }
}

/* Whether the branches give arrays of the state that are in memory already, and each the same, which they may have overwritten. */
static bool stay_where_they_are(ir_module *m, ir_op o)
{
    enum { DEPTH = 16 };
    const op_node n = *ir_op_at(m, o);
    const type_node t = *ir_type_at(m, ir_value_at(m, n.result)->type);
    bool all = n.opcode == OP_IF;
    for (uint32_t k = 0; k < (t.kind == TY_TUPLE ? t.n : 1) && all; k++) {
        if (t.kind == TY_TUPLE && ir_type_at(m, type_item(m, ir_value_at(m, n.result)->type, k))->kind == TY_SCALAR)
            continue;
        ir_value state = lies_in_branches(m, o, k, DEPTH).state;
        all = state && ir_region_at(m, ir_value_region(m, state))->owner;
    }
    return all;
}

/* Arrays of branches in which the grid works are in memory in both, as an element cannot wait for a
 * grid. */
static void branches(scheduler *s, ir_op o, worker by)
{
    const op_node n = *ir_op_at(s->m, o);
    all_regions(s, o, by);
    if (!s->worked || by != BY_GRID || !ir_holds_pull(s->m, ir_value_at(s->m, n.result)->type) ||
        stay_where_they_are(s->m, o))
        return;
    sched_tell(s, o, BRANCHES, "the arrays that the branches give are written to memory, as the grid works in one of them");
    change_yield(s, n.regions, by, sched_forced);
    if (n.opcode == OP_IF)
        change_yield(s, n.regions + 1, by, sched_forced);
}

/* ---- updates ---- */

static void overwrite_copy(scheduler *s, ir_op o, worker by)
{
    ir_value copy = sched_forced(s, sched_before(s, o), ir_arg(s->m, o, 0), by);
    sched_tell(s, o, COPY, "`update` overwrites a copy of its array, which %s",
               ir_copies(s->m, o) ? "is not seen to be its own, or is used again" : "could be its own: inplace is off");
    if (copy)
        ir_set_operand(&s->e, o, 0, copy);
}

static bool needs_copy(scheduler *s, ir_op o, worker by)
{
    return ir_op_at(s->m, o)->opcode == OP_UPDATE &&
           ((by == BY_GRID && sched_is_off(s, DECIDE_INPLACE)) || ir_copies(s->m, o));
}

/* The array is the last operand.  That of an update may be computed from what it overwrites: it is all
 * there before, then. */
static void push_operand(scheduler *s, ir_op o, worker by)
{
    uint32_t last = ir_op_at(s->m, o)->nargs - 1u;
    place at = sched_before(s, o);
    ir_value xs = ir_arg(s->m, o, last);
    if (ir_op_at(s->m, o)->opcode == OP_UPDATE && !sched_is_apart(s, o))
        xs = sched_forced(s, at, xs, by);
    if (xs && needs_copy(s, o, by))
        overwrite_copy(s, o, by);
    ir_value p = xs ? sched_pushed(s, at, xs, by) : 0;
    all_regions(s, o, by);
    if (p)
        ir_set_operand(&s->e, o, last, p);
    s->worked = s->worked || by == BY_GRID;
}

/* Arguments, states of loops, and what was written before. */
static bool is_stored(const ir_module *m, ir_value v)
{
    const value_node n = m->values.at[v];
    return n.kind == V_PARAM || (n.kind == V_RESULT && m->ops.at[n.def].opcode == OP_FORCE);
}

/* What is handed out is in memory. */
static void emit(scheduler *s, ir_op o, worker by)
{
    if (!ir_holds_pull(s->m, ir_value_at(s->m, ir_arg(s->m, o, 0))->type) || is_stored(s->m, ir_arg(s->m, o, 0)))
        return;
    ir_value v = sched_forced(s, sched_before(s, o), ir_arg(s->m, o, 0), by);
    if (v)
        ir_set_operand(&s->e, o, 0, v);
    s->worked = by == BY_GRID;
}

static void call(scheduler *s, ir_op o, worker by)
{
    op_node *n = ir_op_at(s->m, o);
    ir_func f = sched_version(s, n->attr, n->opcode == OP_FUNC ? BY_THREAD : by);
    s->worked = s->worked || (by == BY_GRID && n->opcode == OP_CALL && sched_works(s, n->attr));
    if (f)
        n->attr = f;
}

static void any_other(scheduler *s, ir_op o, worker by)
{
    if (ir_is_collective(s->m, o))
        push_operand(s, o, by);
    else
        all_regions(s, o, by);
}

void sched_op(scheduler *s, ir_op o, worker by)
{
    switch (ir_op_at(s->m, o)->opcode) {
    case OP_REDUCE:
    case OP_SCAN:
    case OP_SCANEX:
    case OP_FILTER:
    case OP_SORT: sched_collective(s, o, by); break;
    case OP_STREAMRED:
    case OP_STREAMMAP: sched_stream(s, o, by); break;
    case OP_WHILE:
    case OP_REPEAT: loop(s, o, by); break;
    case OP_IF:
    case OP_ASSERT: branches(s, o, by); break;
    case OP_CALL:
    case OP_FUNC: call(s, o, by); break;
    case OP_FORCE: s->worked = by == BY_GRID; break;
    case OP_ACCUMULATE:
    case OP_FETCH:
        if (by != BY_GRID || !ir_is_collective(s->m, o) || !sched_accumulate(s, o))
            any_other(s, o, by);
        break;
    case OP_EMIT:
    case OP_RECEIVE: emit(s, o, by); break;
    default: any_other(s, o, by);
    }
}

void sched_region(scheduler *s, ir_region r, worker by)
{
    bool worked = false;
    for (ir_op o = ir_region_at(s->m, r)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(s->m, o)->next;
        s->worked = false;
        sched_op(s, o, by);
        worked = worked || s->worked;
    }
    s->worked = worked;
}
