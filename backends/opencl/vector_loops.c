/* A loop several turns of which are taken side by side: its statements with a value of each lane's own as a
 * vector.
 *
 *     int v21 = 0;
 *     double8 w22 = (double8)(-0.0);
 *     for (; v21 < v19 - 7; v21 += 8) {
 *         const double8 w27 = sin(...);
 *         w22 = w22 + w27;
 *     }
 *     w22.s0 = w22.s0 + w22.s4;
 *     ...
 *     v22 = v22 + w22.s0;
 *
 * The loop of single turns behind it takes what is left.  What is the same in all lanes, and the first one's
 * value of what goes up by a step, have the names and the text that they have there. */
#include "backends/opencl/vectors.h"

#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

static void put_block(c_emitter *e, cl_vectors *x, k_block b, c_place at);

static void line(c_emitter *e, const char *text)
{
    c_indent(e);
    c_put(e, "%s", text);
}

static void put_type(c_emitter *e, const cl_vectors *x, k_id v)
{
    if (cl_kind_of(x, v) == CL_OWN)
        cl_vector_type(e, x, (scalar)k_at(e->p, v)->type);
    else
        c_put(e, "%s", c_type(e->language, c_held_by(e, v)));
}

static void put_name(c_emitter *e, const cl_vectors *x, k_id v)
{
    if (cl_kind_of(x, v) == CL_OWN)
        cl_vector_name(e, v);
    else
        c_name(e, v);
}

static void declare(c_emitter *e, const cl_vectors *x, k_id v, const char *before)
{
    line(e, before);
    put_type(e, x, v);
    c_put(e, " ");
    put_name(e, x, v);
}

/* A value where v's kind is wanted. */
static void put_as(c_emitter *e, const cl_vectors *x, k_id v, k_id value)
{
    if (cl_kind_of(x, v) == CL_OWN)
        cl_vector(e, x, value);
    else
        c_value(e, value, FCL_C_ANY);
}

static void assign(c_emitter *e, const cl_vectors *x, k_id v, k_id value)
{
    c_indent(e);
    put_name(e, x, v);
    c_put(e, " = ");
    put_as(e, x, v, value);
    c_put(e, ";\n");
}

/* ---- memory ---- */

/* Behind what begins an access: `0, &tmp5[v21])`, the first lane's element. */
static void put_place(c_emitter *e, cl_vectors *x, const k_node *access)
{
    c_put(e, "0, &");
    c_name(e, access->args[0]);
    c_put(e, "[");
    x->lane = cl_kind_of(x, access->args[1]) == CL_OWN ? 0 : -1;
    c_value(e, access->args[1], FCL_C_ANY);
    x->lane = -1;
    c_put(e, "])");
}

/* A bool is a byte in memory. */
static void put_wide_load(c_emitter *e, cl_vectors *x, const k_node *n)
{
    bool is_bool = n->type == ST_BOOL;
    c_put(e, is_bool ? "convert_int%u(vload%u(" : "vload%u(", x->width, x->width);
    put_place(e, x, n);
    if (is_bool)
        c_put(e, " != (uchar%u)0)", x->width);
}

static void open_for_all(c_emitter *e, const cl_vectors *x)
{
    line(e, "if (all(");
    cl_mask_name(e, x);
    c_put(e, "))\n");
}

static void put_load(c_emitter *e, cl_vectors *x, k_id id)
{
    const k_node *n = k_at(e->p, id);
    bool wide = cl_is_consecutive(x, n), parted = wide && x->mask;
    declare(e, x, id, parted ? "" : "const ");
    c_put(e, parted ? ";\n" : " = ");
    if (parted) {
        open_for_all(e, x);
        line(e, "    ");
        cl_vector_name(e, id);
        c_put(e, " = ");
    }
    if (wide) {
        put_wide_load(e, x, n);
        c_put(e, ";\n");
    }
    if (parted) {
        line(e, "else\n");
        line(e, "    ");
        cl_vector_name(e, id);
        c_put(e, " = ");
    }
    if (!wide || parted) {
        cl_vector_operation(e, x, id);
        c_put(e, ";\n");
    }
}

static void put_wide_store(c_emitter *e, cl_vectors *x, const k_node *n)
{
    bool is_bool = k_at(e->p, n->args[2])->type == ST_BOOL;
    c_put(e, is_bool ? "vstore%u(convert_uchar%u(" : "vstore%u(", x->width, x->width);
    cl_vector(e, x, n->args[2]);
    c_put(e, is_bool ? " & 1), " : ", ");
    put_place(e, x, n);
    c_put(e, ";\n");
}

/* Lane by lane, those that are at work. */
static void put_store_alone(c_emitter *e, cl_vectors *x, const k_node *n)
{
    for (x->lane = 0; x->lane < (int)x->width; x->lane++) {
        c_indent(e);
        if (x->mask) {
            c_put(e, "if (");
            cl_mask_name(e, x);
            c_put(e, ".s%x) ", (unsigned)x->lane);
        }
        c_put_store(e, n);
    }
    x->lane = -1;
}

static void put_store(c_emitter *e, cl_vectors *x, const k_node *n)
{
    bool wide = cl_is_consecutive(x, n);
    if (!wide) {
        put_store_alone(e, x, n);
        return;
    }
    if (x->mask)
        open_for_all(e, x);
    line(e, x->mask ? "    " : "");
    put_wide_store(e, x, n);
    if (!x->mask)
        return;
    line(e, "else {\n");
    e->indent++;
    put_store_alone(e, x, n);
    e->indent--;
    line(e, "}\n");
}

/* `if (m9.s0 && !(w7.s0 != 0))`; where the condition is known not to hold, what is left of that. */
static void open_check(c_emitter *e, const cl_vectors *x, k_id condition)
{
    bool known = k_at(e->p, condition)->op == K_CONST;
    if (known && !x->mask)
        return;
    line(e, "if (");
    if (x->mask) {
        cl_mask_name(e, x);
        c_put(e, ".s%x%s", (unsigned)x->lane, known ? "" : " && ");
    }
    if (!known) {
        c_put(e, "!");
        c_value(e, condition, FCL_C_ATOM);
    }
    c_put(e, ")\n");
}

static void put_check(c_emitter *e, cl_vectors *x, k_id id)
{
    for (x->lane = 0; x->lane < (int)x->width; x->lane++) {
        open_check(e, x, k_at(e->p, id)->args[0]);
        line(e, "    ");
        c_report(e, id);
        c_put(e, ";\n");
    }
    x->lane = -1;
}

/* ---- branches ---- */

/* The lanes of one block of a branch, among those that are at work: `const int8 m9 = n4 & ~w7;`. */
static void put_mask(c_emitter *e, cl_vectors *x, k_id id, bool otherwise)
{
    c_indent(e);
    c_put(e, "const int%u %s%u = ", x->width, otherwise ? "n" : "m", id);
    if (x->mask) {
        cl_mask_name(e, x);
        c_put(e, " & ");
    }
    c_put(e, otherwise ? "~" : "");
    cl_vector_name(e, k_at(e->p, id)->args[0]);
    c_put(e, ";\n");
    x->mask = id;
    x->otherwise = otherwise;
}

static void put_chosen(c_emitter *e, cl_vectors *x, const k_node *n, uint32_t i)
{
    k_id result = n->results + i;
    k_id yes = k_listed(e->p, k_yield_of(e->p, n->blocks[0]), i);
    k_id no = k_listed(e->p, k_yield_of(e->p, n->blocks[1]), i);
    declare(e, x, result, "const ");
    c_put(e, " = ");
    cl_choose(e, x, n->args[0], yes, no);
    c_put(e, ";\n");
}

/* Both blocks, each for its lanes, and then a choice. */
static void put_masked_if(c_emitter *e, cl_vectors *x, k_id id)
{
    const k_node *n = k_at(e->p, id);
    k_id mask = x->mask;
    bool otherwise = x->otherwise;
    for (int which = 0; which < 2; which++) {
        put_mask(e, x, id, which == 1);
        put_block(e, x, n->blocks[which], (c_place){.owner = n, .owner_id = id, .which = 2});
        x->mask = mask;
        x->otherwise = otherwise;
    }
    for (uint32_t i = 0; i < n->nresults; i++)
        put_chosen(e, x, n, i);
}

static void put_if(c_emitter *e, cl_vectors *x, k_id id)
{
    const k_node *n = k_at(e->p, id);
    if (cl_kind_of(x, n->args[0]) == CL_OWN) {
        put_masked_if(e, x, id);
        return;
    }
    for (uint32_t i = 0; i < n->nresults; i++) {
        declare(e, x, n->results + i, "");
        c_put(e, ";\n");
    }
    line(e, "if (");
    c_value(e, n->args[0], FCL_C_ANY);
    c_put(e, ") {\n");
    for (int which = 0; which < 2; which++) {
        e->indent++;
        put_block(e, x, n->blocks[which], (c_place){.owner = n, .owner_id = id, .which = which});
        e->indent--;
        line(e, which ? "}\n" : "} else {\n");
    }
}

/* ---- loops ---- */

static void put_for(c_emitter *e, cl_vectors *x, k_id id)
{
    const k_node *n = k_at(e->p, id);
    for (uint32_t i = 0; i < n->nresults; i++) {
        k_id v = c_carried(e->p, n, i);
        declare(e, x, v, "");
        c_put(e, " = ");
        put_as(e, x, v, k_listed(e->p, n, i));
        c_put(e, ";\n");
    }
    c_open_for(e, n, false);
    e->indent++;
    put_block(e, x, n->blocks[0], (c_place){.owner = n, .owner_id = id});
    e->indent--;
    line(e, "}\n");
}

/* All at once: each value may hang on variables that others are assigned to. */
static void put_next(c_emitter *e, cl_vectors *x, const k_node *loop, const k_node *y)
{
    if (y->nlist == 1) {
        assign(e, x, c_carried(e->p, loop, 0), k_listed(e->p, y, 0));
        return;
    }
    for (uint32_t i = 0; i < y->nlist; i++) {
        k_id v = c_carried(e->p, loop, i);
        c_indent(e);
        put_type(e, x, v);
        c_put(e, " next%u = ", v);
        put_as(e, x, v, k_listed(e->p, y, i));
        c_put(e, ";\n");
    }
    for (uint32_t i = 0; i < y->nlist; i++) {
        k_id v = c_carried(e->p, loop, i);
        c_indent(e);
        put_name(e, x, v);
        c_put(e, " = next%u;\n", v);
    }
}

static void put_yield(c_emitter *e, cl_vectors *x, const k_node *y, c_place at)
{
    if (at.owner->op == K_FOR)
        put_next(e, x, at.owner, y);
    else if (at.which < 2)
        for (uint32_t i = 0; i < y->nlist; i++)
            assign(e, x, at.owner->results + i, k_listed(e->p, y, i));
}

/* ---- statements ---- */

/* Loads that nobody reads vanish here, too. */
static void put_value(c_emitter *e, cl_vectors *x, k_id id)
{
    if (!c_note_of(e, id)->uses)
        return;
    if (cl_kind_of(x, id) != CL_OWN) {
        c_put_named(e, id);
        return;
    }
    if (k_at(e->p, id)->op == K_LOAD) {
        put_load(e, x, id);
        return;
    }
    declare(e, x, id, "const ");
    c_put(e, " = ");
    cl_vector_operation(e, x, id);
    c_put(e, ";\n");
}

static void put_statement(c_emitter *e, cl_vectors *x, k_id id, c_place at)
{
    const k_node *n = k_at(e->p, id);
    c_line_for(e, n);
    switch (n->op) {
    case K_CONST: break;
    case K_STORE: put_store(e, x, n); break;
    case K_CHECK: put_check(e, x, id); break;
    case K_IF: put_if(e, x, id); break;
    case K_FOR: put_for(e, x, id); break;
    case K_YIELD: put_yield(e, x, n, at); break;
    default: put_value(e, x, id); break; /* nothing else is in a body that is taken side by side */
    }
}

static void put_block(c_emitter *e, cl_vectors *x, k_block b, c_place at)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next)
        put_statement(e, x, id, at);
    e->lines.pending = 0;
}

/* ---- the loop ---- */

/* What changes nothing that it is combined with; a minimum or the like has what it began with in all lanes. */
static void put_neutral(c_emitter *e, const cl_vectors *x, const k_node *loop, uint32_t i)
{
    c_combined c = c_combined_at(e, loop, i);
    const k_node *n = k_at(e->p, c.next);
    scalar t = (scalar)n->type;
    uint64_t bits;
    if (n->opcode == SOP_SELECT || !scalar_neutral((opcode)n->opcode, t, &bits)) {
        cl_vector(e, x, k_listed(e->p, loop, i));
        return;
    }
    c_put(e, "(");
    cl_vector_type(e, x, t);
    c_put(e, ")(");
    if (!c_constant(e->language, e->m, t, bits, e->out))
        e->failed = true;
    c_put(e, ")");
}

/* Halves of the lanes with each other, so that each waits for few, and the first with what was before. */
static void put_combined(c_emitter *e, cl_vectors *x, const k_node *loop, uint32_t i)
{
    c_combined c = c_combined_at(e, loop, i);
    for (int half = (int)x->width / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) {
            c_indent(e);
            cl_vector_name(e, c.before);
            c_put(e, ".s%x = ", (unsigned)lane);
            cl_combine(e, x, c, lane, lane + half);
            c_put(e, ";\n");
        }
    c_indent(e);
    c_name(e, c.before);
    c_put(e, " = ");
    cl_combine(e, x, c, -1, 0);
    c_put(e, ";\n");
}

/* All lanes have turns.  A limit that may be next to the least integer has none taken off. */
static void put_condition(c_emitter *e, const cl_vectors *x, const k_node *loop)
{
    k_id v = k_block_at(e->p, loop->blocks[0])->params;
    bool low = k_lo(e->p, loop->args[1]) < INT32_MIN + MAX_LANES;
    c_put(e, low ? "(long)" : "");
    c_name(e, v);
    if (low)
        c_put(e, " + %u", x->width - 1);
    c_put(e, " < ");
    c_value(e, loop->args[1], FCL_C_SUM);
    if (!low)
        c_put(e, " - %u", x->width - 1);
}

static void put_turns(c_emitter *e, cl_vectors *x, const k_node *loop)
{
    k_id v = k_block_at(e->p, loop->blocks[0])->params;
    c_indent(e);
    c_put(e, "int ");
    c_name(e, v);
    c_put(e, " = ");
    c_value(e, loop->args[0], FCL_C_ANY);
    c_put(e, ";\n");
    for (uint32_t i = 0; i < loop->nresults; i++) {
        declare(e, x, c_carried(e->p, loop, i), "");
        c_put(e, " = ");
        put_neutral(e, x, loop, i);
        c_put(e, ";\n");
    }
    line(e, "for (; ");
    put_condition(e, x, loop);
    c_put(e, "; ");
    c_name(e, v);
    c_put(e, " += %u) {\n", x->width);
    e->indent++;
    put_block(e, x, loop->blocks[0], (c_place){.owner = loop, .owner_id = x->loop});
    e->indent--;
    line(e, "}\n");
    for (uint32_t i = 0; i < loop->nresults; i++)
        put_combined(e, x, loop, i);
}

static bool write_if_fits(c_emitter *e, cl_vectors *x)
{
    if (!cl_look_at_loop(e, x))
        return false;
    cl_uses_of(e)->vectors = x;
    e->operand = cl_lane_operand;
    put_turns(e, x, k_at(e->p, x->loop));
    e->operand = NULL;
    cl_uses_of(e)->vectors = NULL;
    return true;
}

bool cl_together(c_emitter *e, k_id loop)
{
    size_t n = e->p->nodes.len;
    const k_node *l = k_at(e->p, loop);
    if (!e->p->target.facts.simd || (!l->independent && !l->unordered))
        return false;
    cl_vectors x = {.loop = loop, .lane = -1};
    x.kinds = mem_zeroed(e->m, n * sizeof *x.kinds);
    x.steps = mem_zeroed(e->m, n * sizeof *x.steps);
    e->failed = e->failed || !x.kinds || !x.steps;
    bool written = !e->failed && write_if_fits(e, &x);
    mem_free(e->m, x.kinds, n * sizeof *x.kinds);
    mem_free(e->m, x.steps, n * sizeof *x.steps);
    return written;
}
