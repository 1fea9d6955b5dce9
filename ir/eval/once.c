/* Scalars that a region computes anew in each run though nothing in them depends on the run: the mean of all elements,
 * asked for by each of them.  Programs are pure, so it is computed in the first run that asks for it and found from then
 * on, as long as the frame is the same that holds what it depends on; nothing is computed that the program would not, and
 * what fails does so where it would have.
 *
 * The innermost frame that a value depends on is found when a region is decoded, enclosing regions first.  Modules that
 * hand something out or take something in do without, since how often they do so counts. */
#include "ir/eval/value.h"

/* ---- what a value depends on ---- */

/* Regions around it, up to the body of its function. */
static uint32_t nesting(ir_module *m, ir_region r)
{
    uint32_t n = 0;
    for (ir_op owner; (owner = ir_region_at(m, r)->owner) != 0; n++)
        r = ir_op_at(m, owner)->parent;
    return n;
}

/* Whether levels or types are bound between the region and the body of its function. */
static bool is_generic(ir_module *m, ir_region r)
{
    for (ir_op owner; (owner = ir_region_at(m, r)->owner) != 0; r = ir_op_at(m, owner)->parent)
        if (ir_op_at(m, owner)->opcode == OP_FN && ir_op_at(m, owner)->inst)
            return true;
    return false;
}

/* The nesting of that frame; a value of a region that has not been decoded depends on the run of that. */
static uint32_t innermost(const machine *M, ir_value v)
{
    const value_node *n = ir_value_at(M->m, v);
    if (n->kind == V_CONST || n->kind == V_NONE)
        return 0;
    return M->innermost[v] ? M->innermost[v] - 1 : nesting(M->m, ir_value_region(M->m, v));
}

static void uses_region(const machine *M, ir_region r, uint32_t here, uint32_t *most);

/* What the operation reads of regions at that nesting and around, those of its own regions included. */
static void uses(const machine *M, ir_op o, uint32_t here, uint32_t *most)
{
    const op_node *n = ir_op_at(M->m, o);
    for (uint32_t i = 0; i < n->nargs; i++) {
        uint32_t depth = innermost(M, M->m->pool.at[n->args + i]);
        if (depth <= here && depth > *most)
            *most = depth;
    }
    for (uint32_t i = 0; i < ir_op_info(n->opcode)->regions; i++)
        uses_region(M, n->regions + i, here, most);
}

static void uses_region(const machine *M, ir_region r, uint32_t here, uint32_t *most)
{
    for (ir_op o = ir_region_at(M->m, r)->first; o && *most < here; o = ir_op_at(M->m, o)->next)
        uses(M, o, here, most);
}

/* ---- decoding ---- */

/* Whether finding the value again is less than computing it. */
static bool is_work(ir_module *m, const op_node *n)
{
    const type_node *t = ir_type_at(m, ir_value_at(m, n->result)->type);
    return (t->kind == TY_SCALAR || t->kind == TY_VAR) &&
           (n->opcode == OP_CALL || n->opcode == OP_APPLY || ir_op_info(n->opcode)->regions > 0);
}

once_region eval_once_begin(machine *M, ir_region r)
{
    return (once_region){.nesting = M->talks ? 0 : nesting(M->m, r), .generic = is_generic(M->m, r)};
}

void eval_once_decode(machine *M, once_region *r, ir_op o, inst *i)
{
    const op_node *n = ir_op_at(M->m, o);
    uint32_t most = n->opcode == OP_UPDATE || r->generic ? r->nesting : 0;
    if (!n->result || !r->nesting)
        return;
    uses(M, o, r->nesting, &most);
    M->innermost[n->result] = most + 1;
    if (most < r->nesting && is_work(M->m, n)) {
        i->step = STEP_ONCE;
        i->around = r->nesting - most;
        i->once = r->count++;
    }
}

/* ---- running ---- */

bool eval_once_there(const code *c, const eval_frame *around, const inst *i, value *out)
{
    const once_value *once = &c->once[i->once];
    *out = once->value;
    return once->frame == around->number;
}

void eval_once_keep(const code *c, const eval_frame *around, const inst *i, const value *v)
{
    if (v->tag == VAL_SCALAR)
        c->once[i->once] = (once_value){around->number, *v};
}
