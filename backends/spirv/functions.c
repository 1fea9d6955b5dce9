/* Operators as functions of the module: what is too long to stand wherever it is used.
 *
 * A function is written when it is first called, before the kernel that calls it. */
#include "backends/spirv/emit.h"

#include "ir/scalar/scalar.h"

#include <stdio.h>

static bool is_signed(const sp_operation *o)
{
    return ir_scalar_class(o->type) == 'I';
}

static sp_id type_of(sp_emitter *e, const sp_operation *o)
{
    return sp_scalar(e, o->type);
}

static sp_id constant(sp_emitter *e, const sp_operation *o, uint64_t x)
{
    return sp_const(e, o->type, scalar_wrap(o->type, x));
}

static sp_id choose(sp_emitter *e, const sp_operation *o, sp_id test, sp_id yes, sp_id no)
{
    return sp_3(e, SpvOpSelect, type_of(e, o), test, yes, no);
}

/* ---- division of integers: total, and rounded down or towards zero ---- */

/* What is never 0, and -1 neither, by which the least integer cannot be divided: 1 in their place,
 * whose results are not taken. */
static sp_id safe_divisor(sp_emitter *e, const sp_operation *o, sp_id is_zero, sp_id is_minus_one)
{
    sp_id bad = is_signed(o) ? sp_relate(e, SpvOpLogicalOr, is_zero, is_minus_one) : is_zero;
    return choose(e, o, bad, constant(e, o, 1), o->y);
}

static sp_id is_minus_one(sp_emitter *e, const sp_operation *o, sp_id v)
{
    return is_signed(o) ? sp_relate(e, SpvOpIEqual, v, constant(e, o, ~(uint64_t)0)) : 0;
}

/* Whether rounding down differs from rounding towards zero: there is a rest, and it has not the
 * sign of the divisor. */
static sp_id rounds_down(sp_emitter *e, const sp_operation *o, sp_id rest)
{
    sp_id none = constant(e, o, 0);
    sp_id signs = sp_2(e, SpvOpBitwiseXor, type_of(e, o), rest, o->y);
    return sp_relate(e, SpvOpLogicalAnd, sp_relate(e, SpvOpINotEqual, rest, none),
                     sp_relate(e, SpvOpSLessThan, signs, none));
}

static sp_id quotient(sp_emitter *e, const sp_operation *o)
{
    sp_id none = constant(e, o, 0), is_zero = sp_relate(e, SpvOpIEqual, o->y, none),
          minus = is_minus_one(e, o, o->y), by = safe_divisor(e, o, is_zero, minus);
    sp_id q = sp_2(e, is_signed(o) ? SpvOpSDiv : SpvOpUDiv, type_of(e, o), o->x, by);
    if (is_signed(o) && o->op != SOP_QUOT) {
        sp_id down = rounds_down(e, o, sp_signed_rest(e, type_of(e, o), o->x, by));
        q = choose(e, o, down, sp_2(e, SpvOpISub, type_of(e, o), q, constant(e, o, 1)), q);
    }
    if (is_signed(o))
        q = choose(e, o, minus, sp_1(e, SpvOpSNegate, type_of(e, o), o->x), q);
    return choose(e, o, is_zero, none, q);
}

/* Divided by 1 in the place of -1 there is no rest, as there is none. */
static sp_id rest_of(sp_emitter *e, const sp_operation *o)
{
    sp_id is_zero = sp_relate(e, SpvOpIEqual, o->y, constant(e, o, 0)),
          by = safe_divisor(e, o, is_zero, is_minus_one(e, o, o->y));
    sp_id r = is_signed(o) ? sp_signed_rest(e, type_of(e, o), o->x, by)
                           : sp_2(e, SpvOpUMod, type_of(e, o), o->x, by);
    if (is_signed(o) && o->op == SOP_MOD) {
        sp_id down = rounds_down(e, o, r);
        r = choose(e, o, down, sp_2(e, SpvOpIAdd, type_of(e, o), r, o->y), r);
    }
    return choose(e, o, is_zero, o->x, r);
}

/* ---- powers of integers ---- */

/* Of negative exponents only the powers of 1 and -1 are integers. */
static sp_id negative_power(sp_emitter *e, const sp_operation *o, sp_id is_odd, sp_id power)
{
    sp_id one = constant(e, o, 1), none = constant(e, o, 0);
    sp_id of_minus = choose(e, o, is_odd, o->x, one);
    sp_id small = choose(e, o, is_minus_one(e, o, o->x), of_minus, none);
    sp_id is_one = sp_relate(e, SpvOpIEqual, o->x, one);
    return choose(e, o, sp_relate(e, SpvOpSLessThan, o->y, none), choose(e, o, is_one, one, small),
                  power);
}

static sp_id is_odd(sp_emitter *e, const sp_operation *o, sp_id v)
{
    sp_id bit = sp_2(e, SpvOpBitwiseAnd, type_of(e, o), v, constant(e, o, 1));
    return sp_relate(e, SpvOpINotEqual, bit, constant(e, o, 0));
}

static void branch(sp_emitter *e, sp_id to)
{
    sp_put(e->s, e->where, SpvOpBranch, SP_WORDS(to));
}

/* Square and multiply: header, the turn, what follows. */
static sp_id power_of(sp_emitter *e, const sp_operation *o)
{
    sp_module *s = e->s;
    sp_id type = type_of(e, o), one = constant(e, o, 1), none = constant(e, o, 0);
    sp_id before = e->block, header = sp_new_id(s), turn = sp_new_id(s), end = sp_new_id(s);
    sp_id r = sp_new_id(s), b = sp_new_id(s), n = sp_new_id(s);
    sp_id next_r = sp_new_id(s), next_b = sp_new_id(s), next_n = sp_new_id(s);
    branch(e, header);
    sp_label(e, header);
    sp_put(s, e->where, SpvOpPhi, SP_WORDS(type, r, one, before, next_r, turn));
    sp_put(s, e->where, SpvOpPhi, SP_WORDS(type, b, o->x, before, next_b, turn));
    sp_put(s, e->where, SpvOpPhi, SP_WORDS(type, n, o->y, before, next_n, turn));
    sp_id more = sp_relate(e, SpvOpINotEqual, n, none);
    sp_put(s, e->where, SpvOpLoopMerge, SP_WORDS(end, turn, SpvLoopControlMaskNone));
    sp_put(s, e->where, SpvOpBranchConditional, SP_WORDS(more, turn, end));
    sp_label(e, turn);
    sp_id odd = is_odd(e, o, n), times = sp_2(e, SpvOpIMul, type, r, b);
    sp_put(s, e->where, SpvOpSelect, SP_WORDS(type, next_r, odd, times, r));
    sp_put(s, e->where, SpvOpIMul, SP_WORDS(type, next_b, b, b));
    sp_put(s, e->where, SpvOpShiftRightLogical, SP_WORDS(type, next_n, n, one));
    branch(e, header);
    sp_label(e, end);
    return is_signed(o) ? negative_power(e, o, is_odd(e, o, o->y), r) : r;
}

/* ---- functions ---- */

/* Opens a function of parameters of these types, whose ids it puts into params. */
static sp_id open_function(sp_emitter *e, sp_id result, const sp_id *types, uint32_t n,
                           sp_id *params)
{
    enum { MOST = 4 };
    uint32_t words[1 + MOST] = {result};
    for (uint32_t i = 0; i < n && i < MOST; i++)
        words[1 + i] = types[i];
    sp_id type = sp_once(e->s, SP_GLOBALS, SpvOpTypeFunction, 0, words, n + 1);
    sp_id id =
        sp_make(e->s, e->where, SpvOpFunction, result, SP_WORDS(SpvFunctionControlMaskNone, type));
    for (uint32_t i = 0; i < n; i++)
        params[i] = sp_make(e->s, e->where, SpvOpFunctionParameter, types[i], NULL, 0);
    sp_label(e, sp_new_id(e->s));
    return id;
}

static void close_function(sp_emitter *e, sp_id id, sp_id result, const char *name)
{
    sp_put(e->s, e->where, SpvOpReturnValue, SP_WORDS(result));
    sp_put(e->s, e->where, SpvOpFunctionEnd, NULL, 0);
    sp_name_as(e, id, name);
}

static sp_sequence *body_of(const sp_operation *o)
{
    if (ir_scalar_is_float(o->type))
        return sp_real_body;
    switch ((int)o->op) {
    case SOP_DIV:
    case SOP_DIVIDE:
    case SOP_QUOT: return quotient;
    case SOP_MOD:
    case SOP_REM: return rest_of;
    default: return power_of;
    }
}

enum { MOST_OPERANDS = 3 };

static sp_id define(sp_emitter *e, const sp_operation *o)
{
    char name[64];
    sp_operation own = {.op = o->op, .type = o->type};
    sp_id type = type_of(e, o), params[MOST_OPERANDS] = {0},
          types[MOST_OPERANDS] = {type, type, type};
    sp_id id = open_function(e, type, types, ir_op_info(o->op)->max_args, params);
    own.x = params[0];
    own.y = params[1];
    own.z = params[2];
    snprintf(name, sizeof name, "fcl_%s_%s", ir_op_info(o->op)->name, ir_scalar_name(o->type));
    close_function(e, id, body_of(o)(e, &own), name);
    return id;
}

/* Where instructions go when a function has been written. */
typedef struct place {
    sp_section where;
    sp_id block;
    uint32_t line;
} place;

static place enter_functions(sp_emitter *e)
{
    place before = {e->where, e->block, e->line};
    e->where = SP_FUNCTIONS;
    return before;
}

static void leave_functions(sp_emitter *e, place before)
{
    e->where = before.where;
    e->block = before.block;
    e->line = before.line;
}

/* Inside of a function nothing is fused, whatever the kernels ask for: it may count on it. */
sp_id sp_call(sp_emitter *e, const sp_operation *o)
{
    sp_id *f = &e->shared->functions[o->op][o->type];
    if (!*f) {
        place before = enter_functions(e);
        *f = define(e, o);
        leave_functions(e, before);
    }
    return sp_make(e->s, e->where, SpvOpFunctionCall, type_of(e, o),
                   (const uint32_t[]){*f, o->x, o->y, o->z}, 1 + ir_op_info(o->op)->max_args);
}

sp_id sp_call_of_one(sp_emitter *e, sp_id *f, const sp_unary *is, sp_id x)
{
    sp_id to = sp_scalar(e, is->to), from = sp_scalar(e, is->from);
    if (!*f) {
        place before = enter_functions(e);
        sp_id own;
        *f = open_function(e, to, &from, 1, &own);
        close_function(e, *f, is->body(e, own), is->name);
        leave_functions(e, before);
    }
    return sp_2(e, SpvOpFunctionCall, to, *f, x);
}
