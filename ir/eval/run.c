/* The evaluator's inner loop: one step for each decoded operation, strictly in order. */
#include "ir/eval/value.h"
#include "ir/scalar/scalar.h"

eval_frame *eval_frame_new(machine *M, const code *c, const eval_frame *parent)
{
    eval_frame *f = stack_alloc(M, sizeof *f + c->nslots * sizeof f->slots[0]);
    if (f)
        f->parent = parent;
    return f;
}

/* ---- scalars ---- */

static bool do_scalar(const code *c, const eval_frame *f, const inst *i, value *out)
{
    uint64_t args[3] = {0};
    for (uint32_t k = 0; k < i->nargs && k < 3; k++)
        args[k] = operand_value(c, f, i->args[k])->bits;
    scalar t = (scalar)operand_value(c, f, i->b)->type;
    scalar result = ir_op_info(i->opcode)->result_bool ? ST_BOOL : t;
    *out = scalar_value(result, scalar_eval((opcode)i->opcode, t, args));
    return true;
}

static bool do_convert(const code *c, const eval_frame *f, const inst *i, value *out)
{
    const value *x = operand_value(c, f, i->a);
    scalar to = (scalar)i->type;
    uint64_t bits = i->opcode == OP_CONVERT ? scalar_convert(to, (scalar)x->type, x->bits)
                                            : scalar_wrap(to, x->bits);
    *out = scalar_value(to, bits);
    return true;
}

/* ---- tuples and branches ---- */

static bool do_tuple(machine *M, const code *c, const eval_frame *f, const inst *i, value *out)
{
    value *items = stack_alloc(M, i->nargs * sizeof *items);
    for (uint32_t k = 0; items && k < i->nargs; k++)
        items[k] = *operand_value(c, f, i->args[k]);
    *out = (value){.tag = VAL_TUPLE, .n = i->nargs, .items = items};
    return items != NULL;
}

static bool do_proj(machine *M, const code *c, const eval_frame *f, const inst *i, value *out)
{
    const value *t = operand_value(c, f, i->a);
    uint64_t k = operand_value(c, f, i->b)->bits;
    if (t->tag != VAL_TUPLE || k >= t->n)
        return eval_stuck(M, i->op, t, "a tuple that has this component");
    *out = t->items[k];
    return true;
}

bool eval_region_value(machine *M, ir_region r, const eval_frame *env, const value *args,
                       uint32_t n, value *out)
{
    const code *c = code_of(M, r);
    mark k = stack_mark(M);
    eval_frame *f = c ? eval_frame_new(M, c, env) : NULL;
    if (!f)
        return false;
    for (uint32_t j = 0; j < n && j < c->nparams; j++)
        f->slots[c->params[j]] = args[j];
    return eval_region_run(M, c, f, k, out);
}

static bool do_if(machine *M, const code *c, const eval_frame *f, const inst *i, value *out)
{
    bool taken = operand_value(c, f, i->a)->bits != 0;
    return eval_region_value(M, i->regions + (taken ? 0 : 1), f, NULL, 0, out);
}

/* ---- everything else ---- */

static bool do_core(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    M->at = i->op;
    switch (i->step) {
    case OP_CONVERT:
    case OP_BITCAST: return do_convert(c, f, i, out);
    case OP_TUPLE: return do_tuple(M, c, f, i, out);
    case OP_PROJ: return do_proj(M, c, f, i, out);
    case OP_IF: return do_if(M, c, f, i, out);
    case OP_ARRAY: return eval_array(M, c, f, i, out);
    case OP_GENERATE: return eval_generate(M, c, f, i, out);
    case OP_MAP: return eval_map(M, c, f, i, out);
    case OP_INDEX: return eval_index(M, c, f, i, out);
    case OP_LENGTH:
    case OP_DIM: return eval_length(M, c, f, i, out);
    case OP_FN: return eval_fn(M, f, i, out);
    case OP_APPLY: return eval_apply(M, c, f, i, out);
    case OP_LAPPLY: return eval_lapply(M, c, f, i, out);
    case OP_CALL: return eval_call(M, c, f, i, out);
    case OP_FUNC: return eval_func(M, c, f, i, out);
    case OP_PUSH: return eval_push(M, c, f, i, out);
    case OP_FORCE: return eval_force(M, c, f, i, out);
    case OP_WHILE: return eval_while(M, c, f, i, out);
    case OP_REPEAT: return eval_repeat(M, c, f, i, out);
    case OP_SEQFOR: return eval_seqfor(M, c, f, i, out);
    case OP_MAPACCUM: return eval_mapaccum(M, c, f, i, out);
    case OP_ACCUMULATE: return eval_accumulate(M, c, f, i, out);
    case OP_CONCAT: return eval_concat(M, c, f, i, out);
    case OP_CHAIN: return eval_chain(M, c, f, i, out);
    case OP_INTERLEAVE:
    case OP_INTERLEAVESEQ: return eval_interleave(M, c, f, i, out);
    case OP_BLOCKSIZE: *out = int_value((int64_t)M->block_size); return true;
    case OP_WARPSIZE: *out = int_value((int64_t)M->warp_size); return true;
    default: return eval_fail(M, DIAG_EVAL_STUCK, i->op, "a region ends without a value");
    }
}

/* A step for operators on i32 whose result is found without the general way: x and y as int64_t. */
#define I32_STEP(op, result)                                                                       \
    case STEP_I32 + SOP_##op: {                                                                    \
        int64_t x = (int64_t)operand_value(c, f, i->a)->bits,                                      \
                y = (int64_t)operand_value(c, f, i->b)->bits;                                      \
        *out = (result);                                                                           \
        break;                                                                                     \
    }
#define WRAPPED(e) int_value((int32_t)(uint32_t)(uint64_t)(e))
#define TRUTH(e)   scalar_value(ST_BOOL, (e) ? 1u : 0u)

/* Division of what is not negative is the same towards zero and down; the rest goes the general
 * way. */
#define DIVISION(op, e)                                                                            \
    case STEP_I32 + SOP_##op: {                                                                    \
        int64_t x = (int64_t)operand_value(c, f, i->a)->bits,                                      \
                y = (int64_t)operand_value(c, f, i->b)->bits;                                      \
        if (x >= 0 && y > 0)                                                                       \
            *out = int_value(e);                                                                   \
        else                                                                                       \
            do_scalar(c, f, i, out);                                                               \
        break;                                                                                     \
    }

/* Runs to the terminator; its value is where *result points. */
static bool run_insts(machine *M, const code *c, eval_frame *f, const value **result)
{
    for (const inst *i = c->insts;; i++) {
        value *out = &f->slots[i->dst];
        switch (i->step) {
        case OP_YIELD:
        case OP_RETURN:
            *result = operand_value(c, f, i->a);
            return true;
            I32_STEP(ADD, WRAPPED(x + y))
            I32_STEP(SUB, WRAPPED(x - y))
            I32_STEP(MUL, WRAPPED(x * y))
            I32_STEP(MIN, int_value(x < y ? x : y))
            I32_STEP(MAX, int_value(x > y ? x : y))
            I32_STEP(EQ, TRUTH(x == y))
            I32_STEP(NE, TRUTH(x != y))
            I32_STEP(LT, TRUTH(x < y))
            I32_STEP(LE, TRUTH(x <= y))
            I32_STEP(GT, TRUTH(x > y))
            I32_STEP(GE, TRUTH(x >= y))
            DIVISION(DIV, x / y)
            DIVISION(MOD, x % y)
        case STEP_SCALAR: do_scalar(c, f, i, out); break;
        default:
            if (!do_core(M, c, f, i, out))
                return false;
        }
    }
}

bool eval_region_run(machine *M, const code *c, eval_frame *f, mark k, value *out)
{
    const value *result;
    if (!eval_enter(M))
        return false;
    bool ok = run_insts(M, c, f, &result);
    M->depth--;
    if (!ok)
        return false;
    *out = *result;
    if (out->tag == VAL_SCALAR)
        stack_release(M, k);
    return true;
}
