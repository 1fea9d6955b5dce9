/* The evaluator's inner loop: one step for each decoded operation, strictly in order.
 *
 * Results are written straight into the frame's slots.  Recursion on the C stack is one level
 * for each region, call or deferred element, and limits.call_depth bounds it (eval_enter). */
#include "ir/eval/value.h"
#include "ir/scalar/overflow.h"
#include "ir/scalar/scalar.h"

/* Slots are not cleared: in SSA form each is written before it is read. */
eval_frame *eval_frame_new(machine *M, const code *c, const eval_frame *parent)
{
    eval_frame *f = stack_alloc(M, sizeof *f + c->nslots * sizeof f->slots[0]);
    if (!f)
        return NULL;
    f->parent = parent;
    f->code = c;
    f->number = ++M->frames;
    f->by = parent ? parent->by : 0;
    f->block = parent ? parent->block : c->block ? c->block : M->block_size;
    return f;
}

/* ---- scalars ---- */

/* The type is that of operand b: of select's branches, and for others of any operand. */
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

static bool report_overflow(machine *M, const inst *i, scalar t, const uint64_t *args, uint32_t n)
{
    vec_char x = {0}, y = {0};
    bool ok = scalar_text(M->mm, t, args[0], &x) && scalar_text(M->mm, t, args[1], &y) &&
              vec_push(M->mm, &x, '\0') && vec_push(M->mm, &y, '\0');
    if (ok)
        eval_fail(M, DIAG_EVAL_OVERFLOW, i->op,
                  "integer overflow: %s of %s%s%s does not fit its type",
                  ir_op_info(i->opcode)->name, x.at, n > 1 ? " and " : "", n > 1 ? y.at : "");
    vec_free(M->mm, &x);
    vec_free(M->mm, &y);
    return false;
}

static bool do_checked(machine *M, const code *c, const eval_frame *f, const inst *i, value *out)
{
    uint64_t args[3] = {operand_value(c, f, i->a)->bits, operand_value(c, f, i->b)->bits};
    scalar t = (scalar)operand_value(c, f, i->b)->type;
    if (scalar_overflows((opcode)i->opcode, t, args))
        return report_overflow(M, i, t, args, i->nargs);
    do_scalar(c, f, i, out);
    return true;
}

bool eval_CONVERT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const value *x = operand_value(c, f, i->a);
    scalar to = (scalar)(i->type ? i->type : eval_level_height(c, f, &i->level));
    if (M->overflow && scalar_convert_overflows(to, (scalar)x->type, x->bits))
        return report_overflow(M, i, (scalar)x->type, (uint64_t[]){x->bits, 0}, 1);
    *out = scalar_value(to, scalar_convert(to, (scalar)x->type, x->bits));
    return true;
}

/* The pattern stays; wrap makes it canonical for the new type.  That of a type parameter is the
 * operand's own. */
bool eval_BITCAST(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    (void)M;
    const value *x = operand_value(c, f, i->a);
    scalar to = (scalar)(i->type ? i->type : x->type);
    *out = scalar_value(to, scalar_wrap(to, x->bits));
    return true;
}

/* ---- tuples and branches ---- */

bool eval_TUPLE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    value *items = stack_alloc(M, i->nargs * sizeof *items);
    for (uint32_t k = 0; items && k < i->nargs; k++)
        items[k] = *operand_value(c, f, i->args[k]);
    *out = (value){.tag = VAL_TUPLE, .n = (uint16_t)i->nargs, .items = items};
    return items != NULL;
}

bool eval_PROJ(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const value *t = operand_value(c, f, i->a);
    uint64_t k = operand_value(c, f, i->b)->bits;
    if (t->tag != VAL_TUPLE || k >= t->n)
        return eval_stuck(M, i->op, t, "a tuple that has this component");
    *out = t->items[k];
    return true;
}

/* n is the number of the region's parameters, as the checker has seen to. */
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

/* Only the branch that is taken runs. */
bool eval_IF(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    bool taken = operand_value(c, f, i->a)->bits != 0;
    return eval_region_value(M, i->regions + (taken ? 0 : 1), f, NULL, 0, out);
}

bool eval_ASSERT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    if (operand_value(c, f, i->a)->bits)
        return eval_region_value(M, i->regions, f, NULL, 0, out);
    return eval_fail(M, DIAG_EVAL_ASSERT, i->op, "%s", ir_str(M->m, ir_assert_text(M->m, i->op)));
}

/* ---- everything else ---- */

bool eval_DIM(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    return eval_LENGTH(M, c, f, i, out); /* which looks at the operator */
}

bool eval_INTERLEAVESEQ(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    return eval_INTERLEAVE(M, c, f, i, out); /* which looks at the operator */
}

/* What is configured, not what a device would choose: results may depend on it. */
bool eval_BLOCKSIZE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    (void)M, (void)c, (void)i;
    *out = int_value((int64_t)f->block);
    return true;
}

bool eval_WARPSIZE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    (void)c, (void)f, (void)i;
    *out = int_value((int64_t)M->warp_size);
    return true;
}

bool eval_LOCALSIZE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    (void)c, (void)f, (void)i;
    *out = int_value((int64_t)M->local_size);
    return true;
}

/* The ends of regions are not steps: run_insts stops there. */
bool eval_YIELD(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    (void)c, (void)f, (void)out;
    return eval_fail(M, DIAG_EVAL_STUCK, i->op, "a region ends without a value");
}

bool eval_RETURN(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    return eval_YIELD(M, c, f, i, out);
}

static eval_step *const steps[OP_END] = {
#define OP(e, ...) [OP_##e] = eval_##e,
#include "ir/ops.def"
#undef OP
};

/* A step that no operator has, a zeroed one, is the end of a region without a terminator. */
static bool do_core(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    M->at = i->op;
    eval_step *step = i->opcode < OP_END ? steps[i->opcode] : NULL;
    return step ? step(M, c, f, i, out) : eval_YIELD(M, c, f, i, out);
}

static bool do_once(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const eval_frame *around = frame_out(f, i->around);
    if (eval_once_there(c, around, i, out))
        return true;
    if (!do_core(M, c, f, i, out))
        return false;
    eval_once_keep(c, around, i, out);
    return true;
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
        case STEP_CHECKED:
            if (!do_checked(M, c, f, i, out))
                return false;
            break;
        case STEP_SAME: *out = *operand_value(c, f, i->a); break;
        case STEP_ONCE:
            if (!do_once(M, c, f, i, out))
                return false;
            break;
        default:
            if (!do_core(M, c, f, i, out))
                return false;
        }
    }
}

/* A value that is no scalar may point to what the region has made, so that stays until the caller's
 * own mark. */
bool eval_region_run(machine *M, const code *c, eval_frame *f, mark k, value *out)
{
    const value *result;
    const eval_frame *outer = M->running;
    if (!eval_enter(M))
        return false;
    M->running = f;
    bool ok = run_insts(M, c, f, &result);
    M->running = outer;
    M->depth--;
    if (!ok)
        return false;
    *out = *result;
    if (out->tag == VAL_SCALAR)
        stack_release(M, k);
    return true;
}
