/* Statements of a kernel as OpenCL C.
 *
 * A loop's carried values are variables, shared by its block's parameters and its results; a
 * branch's results are variables that both blocks assign, or conditional expressions when the
 * blocks compute nothing else.  Recursion goes into blocks, whose nesting scan.c has checked. */
#include "backends/opencl/emit.h"

#include "ir/kernel/facts.h"

static void begin(cl_emitter *e)
{
    cl_indent(e);
}

static void put_type(cl_emitter *e, k_id v)
{
    cl_put(e, "%s ", cl_type(cl_held_by(e, v)));
}

static void put_const(cl_emitter *e, k_id v)
{
    begin(e);
    cl_put(e, "const ");
    put_type(e, v);
    cl_name(e, v);
    cl_put(e, " = ");
    cl_operation(e, v);
    cl_put(e, ";\n");
}

static void put_assign(cl_emitter *e, k_id variable, k_id value)
{
    begin(e);
    cl_name(e, variable);
    cl_put(e, " = ");
    cl_value(e, value, BIND_ANY);
    cl_put(e, ";\n");
}

static void put_nested(cl_emitter *e, k_block b, cl_place at)
{
    e->indent++;
    cl_block(e, b, at);
    e->indent--;
}

/* ---- loops ---- */

static k_id carried(const cl_emitter *e, const k_node *loop, uint32_t i)
{
    return cl_carried(e->p, loop, i);
}

static bool is_read(const cl_emitter *e, const k_node *loop, uint32_t i)
{
    return cl_note_of(e, carried(e, loop, i))->uses || cl_note_of(e, loop->results + i)->uses;
}

/* i + step may pass the greatest int only when the bound is within a step of it. */
static bool step_may_wrap(const cl_emitter *e, const k_node *n)
{
    scalar t = (scalar)k_at(e->p, n->args[1])->type;
    int64_t most = k_hi(e->p, n->args[1]), by = k_hi(e->p, n->args[2]);
    return cl_saturates_steps(e) || (t != ST_I64 && most + by - 1 > INT32_MAX);
}

static void put_step(cl_emitter *e, const k_node *n, k_id i)
{
    int64_t by;
    bool one = k_is_const(e->p, n->args[2], &by) && by == 1;
    cl_name(e, i);
    if (one) {
        cl_put(e, "++");
    } else if (step_may_wrap(e, n)) {
        cl_put(e, " = add_sat(");
        cl_name(e, i);
        cl_put(e, ", ");
        cl_value(e, n->args[2], BIND_ANY);
        cl_put(e, ")");
    } else {
        cl_put(e, " += ");
        cl_value(e, n->args[2], BIND_ANY);
    }
}

static void put_carried(cl_emitter *e, const k_node *loop, k_id id)
{
    for (uint32_t i = 0; i < loop->nresults; i++) {
        if (!is_read(e, loop, i))
            continue;
        begin(e);
        if (cl_is_volatile(e, id))
            cl_put(e, "volatile ");
        put_type(e, carried(e, loop, i));
        cl_name(e, carried(e, loop, i));
        cl_put(e, " = ");
        cl_value(e, k_listed(e->p, loop, i), BIND_ANY);
        cl_put(e, ";\n");
    }
}

static void put_first_barrier(cl_emitter *e, bool wanted)
{
    e->indent++;
    if (wanted)
        cl_sync(e, LEVEL_BLOCK);
    e->indent--;
}

static void put_for(cl_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    k_id i = k_block_at(e->p, n->blocks[0])->params;
    put_carried(e, n, id);
    begin(e);
    cl_put(e, "for (");
    put_type(e, i);
    cl_name(e, i);
    cl_put(e, " = ");
    cl_value(e, n->args[0], BIND_ANY);
    cl_put(e, "; ");
    cl_name(e, i);
    cl_put(e, " < ");
    cl_value(e, n->args[1], BIND_ADD);
    cl_put(e, "; ");
    put_step(e, n, i);
    cl_put(e, ") {\n");
    bool rotated = cl_parting_of(e, id) == PARTING_BEFORE;
    put_first_barrier(e, rotated);
    put_nested(e, n->blocks[0], (cl_place){.owner = n, .owner_id = id});
    begin(e);
    cl_put(e, "}\n");
    if (rotated)
        cl_sync(e, LEVEL_BLOCK);
}

static void put_while(cl_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    bool rotated = cl_parting_of(e, id) == PARTING_BEFORE;
    put_carried(e, n, id);
    begin(e);
    cl_put(e, "for (;;) {\n");
    put_first_barrier(e, rotated);
    put_nested(e, n->blocks[0], (cl_place){.owner = n, .owner_id = id});
    put_nested(e, n->blocks[1], (cl_place){.owner = n, .owner_id = id, .which = 1});
    begin(e);
    cl_put(e, "}\n");
}

/* ---- branches ---- */

static const k_node *yield_in(const cl_emitter *e, k_block b)
{
    k_id id = k_block_at(e->p, b)->first;
    while (id && k_at(e->p, id)->op != K_YIELD)
        id = k_at(e->p, id)->next;
    return k_at(e->p, id);
}

static void put_choice(cl_emitter *e, const k_node *n)
{
    const k_node *yes = yield_in(e, n->blocks[0]), *no = yield_in(e, n->blocks[1]);
    for (uint32_t i = 0; i < n->nresults; i++) {
        if (!cl_note_of(e, n->results + i)->uses)
            continue;
        begin(e);
        cl_put(e, "const ");
        put_type(e, n->results + i);
        cl_name(e, n->results + i);
        cl_put(e, " = ");
        cl_value(e, n->args[0], BIND_REL);
        cl_put(e, " ? ");
        cl_value(e, k_listed(e->p, yes, i), BIND_ADD);
        cl_put(e, " : ");
        cl_value(e, k_listed(e->p, no, i), BIND_ADD);
        cl_put(e, ";\n");
    }
}

static void put_result_variables(cl_emitter *e, const k_node *n)
{
    for (uint32_t i = 0; i < n->nresults; i++) {
        if (!cl_note_of(e, n->results + i)->uses)
            continue;
        begin(e);
        put_type(e, n->results + i);
        cl_name(e, n->results + i);
        cl_put(e, ";\n");
    }
}

static void put_branches(cl_emitter *e, const k_node *n, k_id id)
{
    bool yes = n->nresults || !cl_is_silent(e, n->blocks[0]),
         no = n->nresults || !cl_is_silent(e, n->blocks[1]);
    if (!yes && !no)
        return;
    begin(e);
    cl_put(e, yes ? "if (" : "if (!");
    cl_value(e, n->args[0], yes ? BIND_ANY : BIND_ATOM);
    cl_put(e, ") {\n");
    if (yes)
        put_nested(e, n->blocks[0], (cl_place){.owner = n, .owner_id = id});
    if (yes && no) {
        begin(e);
        cl_put(e, "} else {\n");
    }
    if (no)
        put_nested(e, n->blocks[1], (cl_place){.owner = n, .owner_id = id, .which = 1});
    begin(e);
    cl_put(e, "}\n");
}

static void put_if(cl_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    if (n->nresults && cl_is_silent(e, n->blocks[0]) && cl_is_silent(e, n->blocks[1])) {
        put_choice(e, n);
        return;
    }
    put_result_variables(e, n);
    put_branches(e, n, id);
}

/* ---- yields ---- */

/* Whether a value yielded by a loop is a variable of that loop that an earlier assignment has
 * already changed. */
static bool is_overwritten(const cl_emitter *e, const k_node *loop, const k_node *y, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (k_listed(e->p, y, i) == carried(e, loop, k) &&
            k_listed(e->p, y, k) != carried(e, loop, k))
            return true;
    return false;
}

static void put_saved(cl_emitter *e, const k_node *loop, const k_node *y)
{
    for (uint32_t i = 0; i < y->nlist; i++) {
        if (!is_read(e, loop, i) || !is_overwritten(e, loop, y, i))
            continue;
        begin(e);
        cl_put(e, "const ");
        put_type(e, carried(e, loop, i));
        cl_put(e, "next%u = ", carried(e, loop, i));
        cl_value(e, k_listed(e->p, y, i), BIND_ANY);
        cl_put(e, ";\n");
    }
}

static void put_next(cl_emitter *e, const k_node *loop, const k_node *y)
{
    put_saved(e, loop, y);
    for (uint32_t i = 0; i < y->nlist && i < loop->nresults; i++) {
        k_id variable = carried(e, loop, i), value = k_listed(e->p, y, i);
        if (!is_read(e, loop, i))
            continue;
        if (is_overwritten(e, loop, y, i)) {
            begin(e);
            cl_name(e, variable);
            cl_put(e, " = next%u;\n", variable);
        } else if (value != variable) {
            put_assign(e, variable, value);
        }
    }
}

static void put_yield(cl_emitter *e, const k_node *y, cl_place at)
{
    const k_node *n = at.owner;
    if (n->op == K_WHILE && at.which == 0) {
        begin(e);
        cl_put(e, "if (!");
        cl_value(e, k_listed(e->p, y, 0), BIND_ATOM);
        cl_put(e, ")\n");
        begin(e);
        cl_put(e, "    break;\n");
    } else if (n->op == K_IF) {
        for (uint32_t i = 0; i < y->nlist && i < n->nresults; i++)
            if (cl_note_of(e, n->results + i)->uses)
                put_assign(e, n->results + i, k_listed(e->p, y, i));
    } else if (n->op == K_FOR || n->op == K_WHILE) {
        put_next(e, n, y);
        if (cl_parting_of(e, at.owner_id) == PARTING_BEHIND)
            cl_sync(e, LEVEL_BLOCK);
    }
}

/* ---- the rest ---- */

static void put_store(cl_emitter *e, const k_node *n)
{
    begin(e);
    cl_name(e, n->args[0]);
    cl_put(e, "[");
    cl_value(e, n->args[1], BIND_ANY);
    cl_put(e, "] = ");
    cl_value(e, n->args[2], BIND_ANY);
    cl_put(e, ";\n");
}

static void put_named(cl_emitter *e, k_id id)
{
    const cl_note *note = cl_note_of(e, id);
    if (!note->in_place && note->uses)
        put_const(e, id);
}

static void put_statement(cl_emitter *e, k_id id, cl_place at)
{
    const k_node *n = k_at(e->p, id);
    cl_line_for(e, n);
    switch (n->op) {
    case K_SCALAR:
    case K_CONVERT:
    case K_BITCAST:
    case K_BUILTIN:
    case K_SHUFFLE:
    case K_LOAD: put_named(e, id); break;
    case K_LOADWIDE: cl_load_wide(e, id); break;
    case K_STOREWIDE: cl_store_wide(e, n); break;
    case K_ATOMIC: cl_atomic(e, id); break;
    case K_STORE: put_store(e, n); break;
    case K_SYNC: cl_sync(e, n->level); break;
    case K_IF: put_if(e, id); break;
    case K_FOR: put_for(e, id); break;
    case K_WHILE: put_while(e, id); break;
    case K_YIELD: put_yield(e, n, at); break;
    default:
        break; /* constants and arguments are written where they are used, memories are declared at
                  the top */
    }
}

void cl_block(cl_emitter *e, k_block b, cl_place at)
{
    bool body = at.owner->op == K_FOR || (at.owner->op == K_WHILE && at.which == 1);
    k_id replaced = body ? cl_replaced_barrier(e, at.owner_id) : 0;
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next)
        if (id != replaced)
            put_statement(e, id, at);
    e->lines.pending = 0; /* of a statement that needed no line */
}
