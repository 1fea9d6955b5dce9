/* Decoding regions for the evaluator: operands become (frame hops, slot), constants become values,
 * and scalar operators on i32 become steps of their own.  Each region is decoded once, when it is
 * first run.
 *
 * This is the compilation of names to addresses that an environment machine does: a value is
 * found by hops and slot in constant time, and types are only asked for what decides a step. */
#include "ir/block.h"
#include "ir/callers.h"
#include "ir/eval/lanes.h"
#include "ir/scalar/overflow.h"

/* Finds the frame: how many regions lie between r and the one that holds the value.  False when it
 * does not enclose r. */
static bool hops(machine *M, ir_region r, ir_region home, uint32_t *out)
{
    for (uint32_t n = 0; r; n++) {
        if (r == home) {
            *out = n;
            return true;
        }
        r = ir_op_at(M->m, ir_region_at(M->m, r)->owner)->parent;
    }
    return false;
}

/* The verifier refuses such modules; this is for those that changed since. */
static bool out_of_scope(machine *M, ir_op op)
{
    return eval_fail(M, DIAG_EVAL_STUCK, op,
                     "this operation uses a value of a region that does not enclose it");
}

/* A decoder's state: the region, and its constants and operands so far. */
typedef struct decoder {
    machine *M;
    ir_region region;
    ir_op op;
    value *consts;
    uint32_t nconsts;
    same_calls same;
} decoder;

/* Constants are copied into the region's own table, once for each use. */
static bool decode_operand(decoder *d, ir_value v, operand *out)
{
    const value_node n = *ir_value_at(d->M->m, v);
    if (n.kind == V_CONST) {
        *out = (operand){d->nconsts, DEPTH_CONST};
        d->consts[d->nconsts++] =
            scalar_value(type_as_scalar(d->M->m, n.type), ir_const_bits(d->M->m, v));
        return true;
    }
    *out = (operand){.slot = n.slot};
    return (n.kind != V_NONE && hops(d->M, d->region, ir_value_region(d->M->m, v), &out->depth)) ||
           out_of_scope(d->M, d->op);
}

/* A variable's value is in the frame of the region that binds it, behind the slots of values. */
static bool decode_variable(decoder *d, ir_tvar v, level_operand *out)
{
    if (v >= d->M->ntvars)
        return out_of_scope(d->M, d->op);
    out->var.slot = d->M->homes[v].slot;
    return hops(d->M, d->region, d->M->homes[v].region, &out->var.depth) ||
           out_of_scope(d->M, d->op);
}

static bool decode_level(decoder *d, ir_level l, level_operand *out)
{
    *out = (level_operand){.var = {0, DEPTH_NONE}, .offset = level_offset(l)};
    if (level_base(l) == LV_CONST)
        return true;
    return level_base(l) == LV_VAR ? decode_variable(d, level_index(l), out)
                                   : out_of_scope(d->M, d->op);
}

/* A scalar type: a number that is known, or one that a frame holds as it holds levels. */
static bool decode_type(decoder *d, ir_type t, level_operand *out)
{
    const type_node *n = ir_type_at(d->M->m, t);
    *out = (level_operand){.var = {0, DEPTH_NONE}, .offset = type_as_scalar(d->M->m, t)};
    return n->kind != TY_VAR || decode_variable(d, n->a, out);
}

/* Whether the operations on values of a type parameter may ask which type it is. */
static bool is_passed(const ir_module *m, ir_tvar v)
{
    return ir_kind_is_bound((kind)m->tvars.at[v].kind);
}

static uint32_t passed_types(const ir_module *m, const func_node *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->ntypes; i++)
        n += is_passed(m, f->tparams + i);
    return n;
}

/* Levels are numbers at run time: the instance that is running has made them so. */
uint32_t eval_level_height(const code *c, const eval_frame *f, const level_operand *l)
{
    uint32_t base = l->var.depth == DEPTH_NONE ? 0 : (uint32_t)operand_value(c, f, l->var)->bits;
    return base + l->offset;
}

/* The levels of a call's instance, and the types that are passed. */
static bool decode_call(decoder *d, const op_node *n, inst *i)
{
    i->call.func = n->attr;
    if (!n->inst)
        return true;
    const ir_module *m = d->M->m;
    const uint32_t *at = &m->pool.at[n->inst];
    const func_node *f = &m->funcs.at[n->attr];
    uint32_t ntypes = at[0] < f->ntypes ? at[0] : f->ntypes;
    level_operand *levels = ARENA_ARRAY(&d->M->codes, level_operand, at[1] + ntypes + 1);
    if (!levels)
        return false;
    i->call.levels = levels;
    for (uint32_t k = 0; k < at[1]; k++)
        if (!decode_level(d, at[2 + at[0] + k], &levels[i->call.nlevels++]))
            return false;
    for (uint32_t k = 0; k < ntypes; k++)
        if (is_passed(m, f->tparams + k) && !decode_type(d, at[2 + k], &levels[i->call.nlevels++]))
            return false;
    return true;
}

/* The unknown type for an operand that is not there. */
static ir_type operand_type(decoder *d, const op_node *n, uint32_t k)
{
    return ir_value_at(d->M->m, k < n->nargs ? d->M->m->pool.at[n->args + k] : 0)->type;
}

static uint8_t rank_of(ir_module *m, ir_type t)
{
    const type_node *n = ir_type_at(m, t);
    return (uint8_t)(n->kind == TY_PULL || n->kind == TY_PUSH ? n->n : 0);
}

/* Scalar operators on i32 that are worth a step of their own: see eval/run.c. */
static bool has_i32_step(uint32_t op)
{
    switch (op) {
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MUL:
    case SOP_DIV:
    case SOP_MOD:
    case SOP_MIN:
    case SOP_MAX:
    case SOP_EQ:
    case SOP_NE:
    case SOP_LT:
    case SOP_LE:
    case SOP_GT:
    case SOP_GE: return true;
    default: return false;
    }
}

/* The type of the first operand decides, as all operands of these operators have it. */
static void decode_scalar(decoder *d, const op_node *n, inst *i)
{
    if (d->M->overflow && scalar_can_overflow(n->opcode)) {
        i->step = STEP_CHECKED;
        return;
    }
    bool i32 = type_as_scalar(d->M->m, operand_type(d, n, 0)) == ST_I32;
    i->step = (uint16_t)(i32 && has_i32_step(n->opcode) ? STEP_I32 + n->opcode : STEP_SCALAR);
}

/* What works at a level where it stands and gives a push array does so at that array's level. */
static bool decode_work(decoder *d, const op_node *n, inst *i)
{
    const type_node *result = ir_type_at(d->M->m, ir_value_at(d->M->m, n->result)->type);
    bool works = ir_op_info(n->opcode)->effect == EFFECT_WORK && result->kind == TY_PUSH;
    return !works || decode_level(d, result->b, &i->level);
}

/* What the attribute or the result's type says. */
static bool decode_attr(decoder *d, const op_node *n, inst *i)
{
    switch ((attr_kind)ir_op_info(n->opcode)->attr) {
    case ATTR_LEVEL: return decode_level(d, n->attr, &i->level);
    case ATTR_CALL: return decode_call(d, n, i);
    case ATTR_TYPE:
        i->type = (uint8_t)type_as_scalar(d->M->m, n->attr);
        return i->type || decode_type(d, n->attr, &i->level);
    case ATTR_BIND:
    case ATTR_DATA:
    case ATTR_NONE: return decode_work(d, n, i);
    }
    return false;
}

/* `a` and `b` are copies of the first two, which most steps read. */
static bool decode_operands(decoder *d, const op_node *n, inst *i)
{
    operand *args = ARENA_ARRAY(&d->M->codes, operand, n->nargs + 1u);
    if (!args)
        return false;
    for (uint32_t k = 0; k < n->nargs; k++)
        if (!decode_operand(d, d->M->m->pool.at[n->args + k], &args[k]))
            return false;
    i->args = args;
    i->a = args[0];
    i->b = n->nargs > 1 ? args[1] : args[0];
    return true;
}

/* `rank` is what the step needs: that of the array read by an index, else of the array made. */
static bool decode_op(decoder *d, ir_op op, inst *i)
{
    const op_node n = *ir_op_at(d->M->m, op);
    d->op = op;
    *i = (inst){
        .step = n.opcode, .opcode = n.opcode, .nargs = n.nargs, .op = op, .regions = n.regions};
    i->dst = ir_value_at(d->M->m, n.result)->slot;
    if (ir_op_info(n.opcode)->is_scalar)
        decode_scalar(d, &n, i);
    uint8_t made = rank_of(d->M->m, ir_value_at(d->M->m, n.result)->type);
    i->rank = n.opcode == OP_INDEX ? rank_of(d->M->m, operand_type(d, &n, 0)) : made;
    return decode_operands(d, &n, i) && decode_attr(d, &n, i);
}

/* The number of level parameters that the region binds: of its function, or of its fn.  Types that
 * are passed count with them. */
static uint32_t levels_of_region(ir_module *m, ir_region r)
{
    const region_node *rn = ir_region_at(m, r);
    const op_node *owner = ir_op_at(m, rn->owner);
    if (!rn->owner)
        return ir_func_at(m, rn->func)->nlevels + passed_types(m, ir_func_at(m, rn->func));
    return owner->opcode == OP_FN && owner->inst ? m->pool.at[owner->inst + 1] : 0;
}

/* Frames have room for values first, then for the levels that the region binds. */
static bool decode_params(machine *M, ir_region r, code *c)
{
    const region_node rn = *ir_region_at(M->m, r);
    uint32_t *params = ARENA_ARRAY(&M->codes, uint32_t, rn.nparams + 1u);
    for (uint32_t k = 0; params && k < rn.nparams; k++)
        params[k] = ir_value_at(M->m, rn.params + k)->slot;
    c->params = params;
    c->nparams = rn.nparams;
    c->level_slot = rn.nslots;
    c->nlevels = levels_of_region(M->m, r);
    c->nslots = rn.nslots + c->nlevels;
    return params != NULL;
}

/* A call that was made before is no step of its own. */
static bool decode_again(decoder *d, ir_op o, inst *i)
{
    ir_op before = eval_same_call(d->M, &d->same, o);
    if (before) {
        i->step = STEP_SAME;
        return decode_operand(d, ir_op_at(d->M->m, before)->result, &i->a);
    }
    return true;
}

/* So that instructions and constants are one block each. */
static void count_ops(machine *M, ir_region r, uint32_t *ops, uint32_t *operands)
{
    for (ir_op o = ir_region_at(M->m, r)->first; o; o = ir_op_at(M->m, o)->next) {
        ++*ops;
        *operands += ir_op_at(M->m, o)->nargs;
    }
}

static bool decode_insts(machine *M, ir_region r, code *c)
{
    uint32_t nops = 0, noperands = 0, k = 0;
    count_ops(M, r, &nops, &noperands);
    inst *insts = ARENA_ARRAY(&M->codes, inst, nops + 1u);
    value *consts = ARENA_ARRAY(&M->codes, value, noperands + 1u);
    if (!insts || !consts)
        return false;
    decoder d = {.M = M, .region = r, .consts = consts};
    once_region once = eval_once_begin(M, r);
    bool ok = eval_same_init(M, &d.same, r, nops);
    c->in_lanes = true;
    for (ir_op o = ir_region_at(M->m, r)->first; o && ok; o = ir_op_at(M->m, o)->next) {
        ok = decode_op(&d, o, &insts[k]);
        eval_once_decode(M, &once, o, &insts[k]);
        ok = ok && decode_again(&d, o, &insts[k]);
        c->in_lanes = c->in_lanes && eval_batch_does(M, &insts[k]);
        k++;
    }
    eval_same_free(M, &d.same);
    c->once = ARENA_ARRAY(&M->codes, once_value, once.count + 1u);
    c->insts = insts; /* ends with a zeroed step, which no operator has */
    c->consts = consts;
    return ok && c->once;
}

/* Of a function's body alone: other regions have that of the code around them. */
static uint32_t block_of(const machine *M, ir_region r)
{
    const region_node *n = ir_region_at(M->m, r);
    return n->owner || M->block_given ? 0 : ir_block_of(M->m, n->func);
}

static bool is_library(const machine *M, ir_func f)
{
    return ir_place_in_library(M->m, ir_func_at(M->m, f)->loc);
}

/* A region that fails to decode is not kept: the run ends with the diagnostic. */
code *eval_code_decode(machine *M, ir_region r)
{
    code *c = r && r < M->nregions ? ARENA_NEW(&M->codes, code) : NULL;
    if (!c || !decode_params(M, r, c) || !decode_insts(M, r, c))
        return NULL;
    c->region = r;
    c->block = block_of(M, r);
    c->library = !ir_region_at(M->m, r)->owner && is_library(M, ir_region_at(M->m, r)->func);
    return M->by_region[r] = c;
}

/* ---- where level variables live ---- */

/* `vars` lists them for an fn; a function's are consecutive from `first`. */
static void home_levels(machine *M, ir_region r, const uint32_t *vars, uint32_t first, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = vars ? vars[k] : first + k;
        if (v < M->ntvars)
            M->homes[v] = (level_home){r, ir_region_at(M->m, r)->nslots + k};
    }
}

/* Behind the levels of the function. */
static void home_types(machine *M, const func_node *f)
{
    uint32_t slot = ir_region_at(M->m, f->body)->nslots + f->nlevels;
    for (uint32_t v = f->tparams; v - f->tparams < f->ntypes && v < M->ntvars; v++)
        if (is_passed(M->m, v))
            M->homes[v] = (level_home){f->body, slot++};
}

/* Reads the whole module once, operations that no region holds included, which does no harm. */
bool eval_code_homes(machine *M)
{
    ir_module *m = M->m;
    M->ntvars = m->tvars.len;
    M->nregions = m->regions.len;
    M->homes = ARENA_ARRAY(&M->codes, level_home, M->ntvars + 1u);
    M->by_region = ARENA_ARRAY(&M->codes, code *, M->nregions + 1u);
    M->innermost = ARENA_ARRAY(&M->codes, uint32_t, m->values.len + 1u);
    if (!M->homes || !M->by_region || !M->innermost)
        return false;
    for (ir_func f = 1; f < m->funcs.len; f++) {
        const func_node *n = ir_func_at(m, f);
        home_levels(M, n->body, NULL, n->tparams + n->ntypes, n->nlevels);
        home_types(M, n);
    }
    for (ir_op o = 1; o < m->ops.len; o++) {
        const op_node *n = ir_op_at(m, o);
        M->updates = M->updates || n->opcode == OP_UPDATE;
        M->talks = M->talks || ir_op_info(n->opcode)->effect == EFFECT_EMIT;
        if (n->opcode == OP_FN && n->inst) {
            const uint32_t *at = &m->pool.at[n->inst];
            home_levels(M, n->regions, at + 2 + at[0], 0, at[1]);
        }
    }
    return true;
}
