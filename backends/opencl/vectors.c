/* Which loops have turns that can be taken side by side as vectors, and what their values are.
 *
 * The turns of such a loop do not depend on one another (`independent`), or combine what they compute in any
 * order (`unordered`).  A walk over the body finds what is the same in all turns, what goes up by a step,
 * which tells consecutive elements, and what is a turn's own.  It is what ispc calls uniform and varying,
 * and a divergence analysis elsewhere.  Loops inside are gone through by all lanes together, so their bounds are
 * the same for all; what a branch does for some lanes is done under a mask.
 *
 * Left alone are loops with atomic steps, barriers, loops of an unknown number of turns, or memory of their own,
 * which all turns would have in common; and those where too much has to be done lane by lane. */
#include "backends/opencl/vectors.h"

#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

enum {
    LOOP_WEIGHT = 8,     /* turns that a loop inside is taken to have */
    WEIGHT_MOST = 4096,
    ALONE_LANES = 8,     /* at most, of what is combined and has statements for each lane */
    ACCESS_COST = 2,
    STEP_MOST = 1 << 20, /* elements from lane to lane */
    CHEAPER_TOP = 3,     /* side by side should cost less than 3/4 */
    CHEAPER_BOTTOM = 4
};

static void look_at_block(const c_emitter *e, cl_vectors *x, k_block b, bool masked);

static bool is_counted(scalar t)
{
    return t == ST_I32 || t == ST_I64;
}

static cl_kind kind_of_all(const cl_vectors *x, const k_node *n)
{
    cl_kind most = CL_SAME;
    for (int i = 0; i < 3; i++) {
        cl_kind k = n->args[i] ? cl_kind_of(x, n->args[i]) : CL_SAME;
        most = k > most ? k : most;
    }
    return most;
}

/* What a lane has of its own of a type: a bool is an int. */
static uint32_t bytes_in_lanes(scalar t)
{
    return t == ST_BOOL ? 4 : ir_scalar_bytes(t);
}

static void is_own(cl_vectors *x, const k_node *n, k_id id)
{
    uint32_t bytes = bytes_in_lanes((scalar)n->type);
    x->kinds[id] = CL_OWN;
    x->steps[id] = 0;
    x->widest = bytes > x->widest ? bytes : x->widest;
    x->fits = x->fits && n->type != ST_F16;
}

static void costs(cl_vectors *x, uint32_t cost, bool together)
{
    *(together ? &x->statements : &x->lines) += 1;
    *(together ? &x->together : &x->alone) += (uint64_t)cost * x->weight;
}

/* Which may be taken side by side, by what is known of them: one turn after the other, and not too few. */
static bool is_for_lanes(const c_emitter *e, const k_node *loop)
{
    int64_t step;
    k_id variable = k_block_at(e->p, loop->blocks[0])->params;
    bool free = loop->independent && !loop->nresults;
    return (free || (c_is_combining(e, loop) && c_only_computes(e, loop->blocks[0], true))) && loop->form == FORM_PLAIN &&
           k_is_const(e->p, loop->args[2], &step) && step == 1 && k_at(e->p, variable)->type == ST_I32 &&
           k_hi(e->p, loop->args[1]) - k_lo(e->p, loop->args[0]) >= MAX_LANES;
}

/* ---- values ---- */

/* Of sums and products with constants. */
static bool find_step(const c_emitter *e, const cl_vectors *x, const k_node *n, int64_t *step)
{
    int64_t a = n->args[0] ? x->steps[n->args[0]] : 0, b = n->args[1] ? x->steps[n->args[1]] : 0, by;
    if (n->op == K_CONVERT && n->type == ST_I64 && k_at(e->p, n->args[0])->type == ST_I32)
        *step = a;
    else if (n->op != K_SCALAR || !is_counted((scalar)n->type))
        return false;
    else if (n->opcode == SOP_ADD)
        *step = a + b;
    else if (n->opcode == SOP_SUB)
        *step = a - b;
    else if (n->opcode == SOP_MUL && k_is_const(e->p, n->args[1], &by) && by > -STEP_MOST && by < STEP_MOST)
        *step = a * by;
    else
        return false;
    return *step > -STEP_MOST && *step < STEP_MOST;
}

/* Whether what a value is made of is the same for all lanes, or goes up by steps, which may wrap. */
static bool goes_by_steps(const cl_vectors *x, const k_node *n)
{
    for (int i = 0; i < 3; i++)
        if (n->args[i] && cl_kind_of(x, n->args[i]) == CL_OWN && !x->steps[n->args[i]])
            return false;
    return true;
}

static void look_at_value(const c_emitter *e, cl_vectors *x, k_id id)
{
    const k_node *n = k_at(e->p, id);
    cl_kind most = kind_of_all(x, n);
    int64_t step;
    x->steps[id] = 0;
    if (most == CL_SAME) {
        x->kinds[id] = CL_SAME;
    } else if (most == CL_STEP && n->form == FORM_PLAIN && find_step(e, x, n, &step)) {
        x->steps[id] = (int32_t)step;
        x->kinds[id] = step ? CL_STEP : CL_SAME;
    } else {
        is_own(x, n, id);
        if (n->op != K_CONVERT && goes_by_steps(x, n) && find_step(e, x, n, &step))
            x->steps[id] = (int32_t)step;
        costs(x, n->op == K_SCALAR ? ir_op_info(n->opcode)->cost : 1, cl_vector_text(e, id) != NULL);
    }
}

/* ---- memory ---- */

static void look_at_load(const c_emitter *e, cl_vectors *x, k_id id, bool masked)
{
    const k_node *n = k_at(e->p, id);
    if (cl_kind_of(x, n->args[1]) == CL_SAME && !masked) {
        x->kinds[id] = CL_SAME;
        return;
    }
    is_own(x, n, id);
    costs(x, ACCESS_COST, cl_is_consecutive(x, n));
}

/* What turns store at places that others have, too, is theirs while they run; what is stored and loaded must
 * be at their own places, so that nothing is loaded that another lane has stored. */
static void look_at_store(const c_emitter *e, cl_vectors *x, const k_node *n)
{
    const k_node *memory = k_at(e->p, n->args[0]);
    k_block body = k_at(e->p, x->loop)->blocks[0];
    cl_kind at = cl_kind_of(x, n->args[1]);
    bool read = k_reads(e->p, body, n->args[0]);
    x->fits = x->fits && n->type != ST_F16 && memory->type != ST_F16 && at != CL_SAME &&
              (!read || (at == CL_STEP && k_is_global(memory))) &&
              (k_is_global(memory) || memory->space == SPACE_LOCAL);
    uint32_t bytes = ir_scalar_bytes((scalar)memory->type);
    x->widest = bytes > x->widest ? bytes : x->widest;
    costs(x, ACCESS_COST, cl_is_consecutive(x, n));
}

/* ---- regions ---- */

/* A result or what is carried is each lane's own once it was anywhere. */
static bool joins(const c_emitter *e, cl_vectors *x, k_id v, k_id from)
{
    if (cl_kind_of(x, from) == CL_SAME || cl_kind_of(x, v) == CL_OWN)
        return false;
    is_own(x, k_at(e->p, v), v);
    return true;
}

static void look_at_if(const c_emitter *e, cl_vectors *x, const k_node *n, bool masked)
{
    bool own = cl_kind_of(x, n->args[0]) == CL_OWN;
    for (int which = 0; which < 2; which++)
        look_at_block(e, x, n->blocks[which], masked || own);
    for (uint32_t i = 0; i < n->nresults; i++) {
        k_id result = n->results + i;
        x->kinds[result] = CL_SAME;
        if (own)
            is_own(x, k_at(e->p, result), result);
        for (int which = 0; which < 2; which++)
            joins(e, x, result, k_listed(e->p, k_yield_of(e->p, n->blocks[which]), i));
        costs(x, 1, true);
    }
}

/* Again until nothing more becomes a lane's own.  A loop whose own turns may be taken side by side is better at
 * that where lanes of this one would access elements that are apart. */
static void look_at_for(const c_emitter *e, cl_vectors *x, const k_node *n, bool masked)
{
    uint32_t before = x->weight;
    uint64_t apart = x->alone;
    bool again = true;
    x->fits = x->fits && kind_of_all(x, n) == CL_SAME;
    x->weight = before * LOOP_WEIGHT < WEIGHT_MOST ? before * LOOP_WEIGHT : WEIGHT_MOST;
    x->kinds[k_block_at(e->p, n->blocks[0])->params] = CL_SAME;
    for (uint32_t i = 0; i < n->nresults; i++) {
        x->kinds[c_carried(e->p, n, i)] = CL_SAME;
        joins(e, x, c_carried(e->p, n, i), k_listed(e->p, n, i));
    }
    while (again && x->fits) {
        uint64_t together = x->together, alone = x->alone;
        uint32_t statements = x->statements, lines = x->lines;
        again = false;
        look_at_block(e, x, n->blocks[0], masked);
        for (uint32_t i = 0; i < n->nresults; i++)
            again = joins(e, x, c_carried(e->p, n, i),
                          k_listed(e->p, k_yield_of(e->p, n->blocks[0]), i)) || again;
        if (again) {
            x->together = together;
            x->alone = alone;
            x->statements = statements;
            x->lines = lines;
        }
    }
    for (uint32_t i = 0; i < n->nresults; i++)
        x->kinds[n->results + i] = x->kinds[c_carried(e->p, n, i)];
    x->weight = before;
    x->fits = x->fits && (x->alone == apart || !is_for_lanes(e, n));
}

static void look_at_statement(const c_emitter *e, cl_vectors *x, k_id id, bool masked)
{
    const k_node *n = k_at(e->p, id);
    switch (n->op) {
    case K_CONST:
    case K_BUILTIN: x->kinds[id] = CL_SAME; break;
    case K_SCALAR:
    case K_CONVERT:
    case K_BITCAST: look_at_value(e, x, id); break;
    case K_LOAD: look_at_load(e, x, id, masked); break;
    case K_STORE: look_at_store(e, x, n); break;
    case K_IF: look_at_if(e, x, n, masked); break;
    case K_FOR: look_at_for(e, x, n, masked); break;
    case K_CHECK: costs(x, 1, false); break;
    case K_YIELD: break;
    default: x->fits = false; break;
    }
}

static void look_at_block(const c_emitter *e, cl_vectors *x, k_block b, bool masked)
{
    for (k_id id = k_block_at(e->p, b)->first; id && x->fits; id = k_at(e->p, id)->next)
        look_at_statement(e, x, id, masked);
}

/* ---- whether it pays ---- */

/* What is combined has an end at which lanes are, too, and what is written for each lane is not done sooner where there are many. */
static uint32_t width_for(const c_emitter *e, const cl_vectors *x)
{
    uint32_t bytes = e->p->target.facts.simd, width = 1;
    uint32_t most = x->lines && k_at(e->p, x->loop)->nresults ? ALONE_LANES : MAX_LANES;
    while (width * 2 <= most && width * 2 * x->widest <= bytes)
        width *= 2;
    return width;
}

/* Compilers take long for much code: that of a statement for each lane is as much as of so many. */
static bool is_short(const c_emitter *e, const cl_vectors *x)
{
    return x->statements + x->width * x->lines <= e->p->target.tuning.simd_statements;
}

static bool pays(const cl_vectors *x)
{
    uint64_t one_by_one = x->width * (x->together + x->alone);
    uint64_t side_by_side = x->together + 2 * x->width * x->alone;
    return x->width > 1 && side_by_side * CHEAPER_BOTTOM < one_by_one * CHEAPER_TOP;
}

bool cl_look_at_loop(const c_emitter *e, cl_vectors *x)
{
    const k_node *loop = k_at(e->p, x->loop);
    k_id variable = k_block_at(e->p, loop->blocks[0])->params;
    if (!is_for_lanes(e, loop))
        return false;
    x->fits = true;
    x->weight = x->widest = 1;
    x->kinds[variable] = CL_STEP;
    x->steps[variable] = 1;
    for (uint32_t i = 0; i < loop->nresults; i++)
        is_own(x, k_at(e->p, c_carried(e->p, loop, i)), c_carried(e->p, loop, i));
    look_at_block(e, x, loop->blocks[0], false);
    x->width = width_for(e, x);
    return x->fits && pays(x) && is_short(e, x);
}
