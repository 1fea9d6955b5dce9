/* Statements of a kernel as C.
 *
 * A loop's carried values are variables, shared by its block's parameters and its results; a
 * branch's results are variables that both blocks assign, or conditional expressions when the
 * blocks compute nothing else.  Recursion goes into blocks, whose nesting scan.c has checked. */
#include "backends/c/emit.h"

#include "ir/kernel/facts.h"

static void begin(c_emitter *e)
{
    c_indent(e);
}

static void put_type(c_emitter *e, k_id v)
{
    c_put(e, "%s ", c_type(e->language, c_held_by(e, v)));
}

/* What is computed once: const, but for the quirks that make it volatile.  Nor is what is chosen:
 * where such values follow from one another, clang looks in vain for constants in all combinations
 * of choices, whose number doubles with each. */
static void put_once(c_emitter *e, k_id v)
{
    bool chosen = c_note_of(e, v)->chooses || k_at(e->p, v)->op == K_RESULT;
    begin(e);
    c_put(e, barriers_volatile(&e->barriers, v) ? "volatile " : chosen ? "" : "const ");
    put_type(e, v);
    c_name(e, v);
    c_put(e, " = ");
}

static void put_const(c_emitter *e, k_id v)
{
    put_once(e, v);
    c_operation(e, v);
    c_put(e, ";\n");
}

/* Carried values and results of branches are the only variables that are assigned twice. */
static void put_assign(c_emitter *e, k_id variable, k_id value)
{
    begin(e);
    c_name(e, variable);
    c_put(e, " = ");
    c_value(e, value, FCL_C_ANY);
    c_put(e, ";\n");
}

static void put_nested(c_emitter *e, k_block b, c_place at)
{
    e->indent++;
    c_block(e, b, at);
    e->indent--;
}

/* ---- loops ---- */

static k_id carried(const c_emitter *e, const k_node *loop, uint32_t i)
{
    return c_carried(e->p, loop, i);
}

/* What neither the loop nor anything behind it reads gets no variable. */
static bool is_read(const c_emitter *e, const k_node *loop, uint32_t i)
{
    return c_note_of(e, carried(e, loop, i))->uses || c_note_of(e, loop->results + i)->uses;
}

static void put_step(c_emitter *e, const k_node *n, k_id i)
{
    int64_t by;
    bool one = k_is_const(e->p, n->args[2], &by) && by == 1;
    c_name(e, i);
    if (one) {
        c_put(e, "++");
    } else if (n->form == FORM_SATURATING || barriers_saturate_steps(&e->barriers)) {
        c_put(e, " = %s(", e->language->words.saturating_add);
        c_name(e, i);
        c_put(e, ", ");
        c_value(e, n->args[2], FCL_C_ANY);
        c_put(e, ")");
    } else {
        c_put(e, " += ");
        c_value(e, n->args[2], FCL_C_ANY);
    }
}

/* The variables stand before the loop, as its results are read behind it. */
static void put_carried(c_emitter *e, const k_node *loop, k_id id)
{
    for (uint32_t i = 0; i < loop->nresults; i++) {
        if (!is_read(e, loop, i))
            continue;
        begin(e);
        if (barriers_volatile_loop(&e->barriers, id))
            c_put(e, "volatile ");
        if (e->is_wide && e->is_wide(e, id, i))
            c_put(e, "%s ", c_type(e->language, ST_I64));
        else
            put_type(e, carried(e, loop, i));
        c_name(e, carried(e, loop, i));
        c_put(e, " = ");
        c_value(e, k_listed(e->p, loop, i), FCL_C_ANY);
        c_put(e, ";\n");
    }
}

/* For the quirk that parts turns: see barriers.h. */
static void put_first_barrier(c_emitter *e, bool wanted)
{
    e->indent++;
    if (wanted)
        c_barrier(e, LEVEL_BLOCK, e->kernel->shares_global);
    e->indent--;
}

void c_open_for(c_emitter *e, const k_node *n, bool declared)
{
    k_id i = k_block_at(e->p, n->blocks[0])->params;
    begin(e);
    c_put(e, "for (");
    if (!declared) {
        put_type(e, i);
        c_name(e, i);
        c_put(e, " = ");
        c_value(e, n->args[0], FCL_C_ANY);
    }
    c_put(e, "; ");
    c_name(e, i);
    c_put(e, " < ");
    c_value(e, n->args[1], FCL_C_SUM);
    c_put(e, "; ");
    put_step(e, n, i);
    c_put(e, ") {\n");
}

static void put_for(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    put_carried(e, n, id);
    bool begun = e->together && e->together(e, id);
    if (e->before_loop)
        e->before_loop(e, id);
    c_open_for(e, n, begun);
    bool rotated = barriers_parting(&e->barriers, id) == PARTING_BEFORE;
    put_first_barrier(e, rotated);
    put_nested(e, n->blocks[0], (c_place){.owner = n, .owner_id = id});
    begin(e);
    c_put(e, "}\n");
    if (rotated)
        c_barrier(e, LEVEL_BLOCK, e->kernel->shares_global);
}

/* An endless loop whose condition block ends with a break: the condition may need statements. */
static void put_while(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    bool rotated = barriers_parting(&e->barriers, id) == PARTING_BEFORE;
    put_carried(e, n, id);
    begin(e);
    c_put(e, "for (;;) {\n");
    put_first_barrier(e, rotated);
    put_nested(e, n->blocks[0], (c_place){.owner = n, .owner_id = id});
    put_nested(e, n->blocks[1], (c_place){.owner = n, .owner_id = id, .which = 1});
    begin(e);
    c_put(e, "}\n");
}

/* ---- branches ---- */

static const k_node *yield_in(const c_emitter *e, k_block b)
{
    k_id id = k_block_at(e->p, b)->first;
    while (id && k_at(e->p, id)->op != K_YIELD)
        id = k_at(e->p, id)->next;
    return k_at(e->p, id);
}

/* A conditional expression for each result; both blocks compute nothing but values written in
 * place. */
static void put_choice(c_emitter *e, const k_node *n)
{
    const k_node *yes = yield_in(e, n->blocks[0]), *no = yield_in(e, n->blocks[1]);
    for (uint32_t i = 0; i < n->nresults; i++) {
        if (!c_note_of(e, n->results + i)->uses)
            continue;
        put_once(e, n->results + i);
        c_value(e, n->args[0], FCL_C_RELATION);
        c_put(e, " ? ");
        c_value(e, k_listed(e->p, yes, i), FCL_C_SUM);
        c_put(e, " : ");
        c_value(e, k_listed(e->p, no, i), FCL_C_SUM);
        c_put(e, ";\n");
    }
}

static void put_result_variables(c_emitter *e, const k_node *n)
{
    for (uint32_t i = 0; i < n->nresults; i++) {
        if (!c_note_of(e, n->results + i)->uses)
            continue;
        begin(e);
        if (barriers_volatile(&e->barriers, n->results + i))
            c_put(e, "volatile ");
        put_type(e, n->results + i);
        c_name(e, n->results + i);
        c_put(e, ";\n");
    }
}

/* A block that does nothing is left out, and the condition is turned round when it is the first. */
static void put_branches(c_emitter *e, const k_node *n, k_id id)
{
    bool yes = n->nresults || !c_is_silent(e, n->blocks[0]),
         no = n->nresults || !c_is_silent(e, n->blocks[1]);
    if (!yes && !no)
        return;
    begin(e);
    c_put(e, yes ? "if (" : "if (!");
    c_value(e, n->args[0], yes ? FCL_C_ANY : FCL_C_ATOM);
    c_put(e, ") {\n");
    if (yes)
        put_nested(e, n->blocks[0], (c_place){.owner = n, .owner_id = id});
    if (yes && no) {
        begin(e);
        c_put(e, "} else {\n");
    }
    if (no)
        put_nested(e, n->blocks[1], (c_place){.owner = n, .owner_id = id, .which = 1});
    begin(e);
    c_put(e, "}\n");
}

static void put_if(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    if (n->nresults && c_is_silent(e, n->blocks[0]) && c_is_silent(e, n->blocks[1])) {
        put_choice(e, n);
        return;
    }
    put_result_variables(e, n);
    put_branches(e, n, id);
}

/* ---- yields ---- */

/* Whether a value yielded by a loop is a variable of that loop that an earlier assignment has
 * already changed. */
static bool is_overwritten(const c_emitter *e, const k_node *loop, const k_node *y, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (k_listed(e->p, y, i) == carried(e, loop, k) &&
            k_listed(e->p, y, k) != carried(e, loop, k))
            return true;
    return false;
}

static void put_saved(c_emitter *e, const k_node *loop, const k_node *y)
{
    for (uint32_t i = 0; i < y->nlist; i++) {
        if (!is_read(e, loop, i) || !is_overwritten(e, loop, y, i))
            continue;
        begin(e);
        c_put(e, "const ");
        put_type(e, carried(e, loop, i));
        c_put(e, "next%u = ", carried(e, loop, i));
        c_value(e, k_listed(e->p, y, i), FCL_C_ANY);
        c_put(e, ";\n");
    }
}

/* All values are assigned as if at once: what an assignment would spoil is saved first. */
static void put_next(c_emitter *e, const k_node *loop, const k_node *y)
{
    put_saved(e, loop, y);
    for (uint32_t i = 0; i < y->nlist && i < loop->nresults; i++) {
        k_id variable = carried(e, loop, i), value = k_listed(e->p, y, i);
        if (!is_read(e, loop, i))
            continue;
        if (is_overwritten(e, loop, y, i)) {
            begin(e);
            c_name(e, variable);
            c_put(e, " = next%u;\n", variable);
        } else if (value != variable) {
            put_assign(e, variable, value);
        }
    }
}

/* What a yield means depends on the statement around its block: a condition, results, or the next
 * turn. */
static void put_yield(c_emitter *e, const k_node *y, c_place at)
{
    const k_node *n = at.owner;
    if (n->op == K_WHILE && at.which == 0) {
        begin(e);
        c_put(e, "if (!");
        c_value(e, k_listed(e->p, y, 0), FCL_C_ATOM);
        c_put(e, ")\n");
        begin(e);
        c_put(e, "    break;\n");
    } else if (n->op == K_IF) {
        for (uint32_t i = 0; i < y->nlist && i < n->nresults; i++)
            if (c_note_of(e, n->results + i)->uses)
                put_assign(e, n->results + i, k_listed(e->p, y, i));
    } else if (n->op == K_FOR || n->op == K_WHILE) {
        put_next(e, n, y);
        if (barriers_parting(&e->barriers, at.owner_id) == PARTING_BEHIND)
            c_barrier(e, LEVEL_BLOCK, e->kernel->shares_global);
    }
}

/* ---- the rest ---- */

void c_put_store(c_emitter *e, const k_node *n)
{
    c_name(e, n->args[0]);
    c_put(e, "[");
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, "] = ");
    c_value(e, n->args[2], FCL_C_ANY);
    c_put(e, ";\n");
}

/* Loads that nobody reads vanish here as well. */
void c_put_named(c_emitter *e, k_id id)
{
    const c_note *note = c_note_of(e, id);
    if (!note->in_place && note->uses)
        put_const(e, id);
}

/* Where the condition is known not to hold, only the report is left. */
static void put_check(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    bool known = k_at(e->p, n->args[0])->op == K_CONST;
    begin(e);
    if (!known) {
        c_put(e, "if (!");
        c_value(e, n->args[0], FCL_C_ATOM);
        c_put(e, ")\n");
        begin(e);
        c_put(e, "    ");
    }
    c_report(e, id);
    c_put(e, ";\n");
}

static void put_statement(c_emitter *e, k_id id, c_place at)
{
    const k_node *n = k_at(e->p, id);
    c_line_for(e, n);
    switch (n->op) {
    case K_SCALAR:
    case K_CONVERT:
    case K_BITCAST:
    case K_BUILTIN:
    case K_SHUFFLE:
    case K_FAILED:
    case K_LOAD: c_put_named(e, id); break;
    case K_CHECK: put_check(e, id); break;
    case K_LOADWIDE: c_load_wide(e, id); break;
    case K_STOREWIDE: c_store_wide(e, id); break;
    case K_ATOMIC: c_step(e, id); break;
    case K_STORE:
        begin(e);
        c_put_store(e, n);
        break;
    case K_SYNC: c_barrier(e, n->level, n->fenced); break;
    case K_IF: put_if(e, id); break;
    case K_FOR: put_for(e, id); break;
    case K_WHILE: put_while(e, id); break;
    case K_YIELD: put_yield(e, n, at); break;
    default:
        break; /* constants and arguments are written where they are used, memories are declared at
                  the top */
    }
}

void c_block(c_emitter *e, k_block b, c_place at)
{
    bool body = at.owner->op == K_FOR || (at.owner->op == K_WHILE && at.which == 1);
    k_id replaced = body ? barriers_replaced(&e->barriers, at.owner_id) : 0;
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next)
        if (id != replaced)
            put_statement(e, id, at);
    e->lines.pending = 0; /* of a statement that needed no line */
}
