/* Pure values as the builder makes them: folded first (ir/kernel/algebra), then shared, placed. */
#include "ir/kernel/build/inside.h"

#include "ir/kernel/algebra/fold.h"
#include "ir/scalar/scalar.h"

static k_range range(int64_t lo, int64_t hi)
{
    return (k_range){lo, hi, true};
}

static k_range range_of(const k_program *p, k_id v)
{
    return range(k_lo(p, v), k_hi(p, v));
}

static const k_range anything = {0};

/* Constants are pure values without operands, so that equal ones are one node of the host block. */
k_id kb_const(k_builder *b, scalar t, uint64_t bits)
{
    k_range r = range((int64_t)bits, (int64_t)bits);
    return kb_pure(b, (k_node){.op = K_CONST, .type = (uint8_t)t, .bits = bits},
                   k_type_is_int(t) ? r : anything);
}

k_id kb_int(k_builder *b, int32_t x)
{
    return kb_const(b, ST_I32, (uint64_t)(int64_t)x);
}

k_id kb_known(const k_builder *b, k_id x)
{
    const k_givens *g = &b->given[kb_given_kind(b, x)];
    for (uint32_t i = 0; i < g->len; i++)
        if (g->at[i].x == x)
            return g->at[i].value;
    return x;
}

/* Positions are i32 or i64: where both meet, the narrower one is widened. */
static void meet(k_builder *b, k_id *x, k_id *y)
{
    scalar s = (scalar)k_at(b->p, *x)->type, t = (scalar)k_at(b->p, *y)->type;
    if (s == ST_I32 && t == ST_I64)
        *x = kb_convert(b, ST_I64, *x);
    else if (s == ST_I64 && t == ST_I32)
        *y = kb_convert(b, ST_I64, *y);
}

/* Folds make values, which are folded.  In a branch that nothing takes, where x - 1 and x + 1 are
 * said to be the same, that might have no end. */
static k_id fold(k_builder *b, opcode op, scalar t, const k_id args[3])
{
    enum { MOST_FOLDS = 24 };
    if (b->folds == MOST_FOLDS)
        return 0;
    b->folds++;
    k_id folded = ka_fold_scalar(b, op, t, args);
    b->folds--;
    return folded;
}

/* What is known of the operands here, by branches around it, comes before folding; a fold may give
 * an older value and make no node.  Types are known here, so divide is one of its two operators. */
k_id kb_scalar(k_builder *b, opcode op, k_id x, k_id y, k_id z)
{
    x = kb_known(b, x);
    y = kb_known(b, y);
    z = kb_known(b, z);
    if (op == SOP_SELECT)
        meet(b, &y, &z);
    else if (y)
        meet(b, &x, &y);
    const k_id args[3] = {x, y, z};
    scalar t = (scalar)k_at(b->p, op == SOP_SELECT ? y : x)->type;
    if (op == SOP_DIVIDE)
        op = ir_scalar_is_float(t) ? SOP_FDIV : SOP_DIV;
    k_id folded = fold(b, op, t, args);
    if (folded || b->failed)
        return folded;
    k_node n = {.op = K_SCALAR, .opcode = (uint16_t)op, .args = {x, y, z}};
    n.type = (uint8_t)(ir_op_info(op)->result_bool ? ST_BOOL : t);
    k_range r = ka_fold_interval(b->p, &n);
    return kb_pure(b, n, r);
}

/* What is proved needs no claim, and may be shared and moved like any value. */
k_id kb_claimed(k_builder *b, opcode op, k_id x, k_id y)
{
    k_node n = {
        .op = K_SCALAR, .type = k_at(b->p, x)->type, .opcode = (uint16_t)op, .args = {x, y}};
    k_range r = ka_fold_interval(b->p, &n);
    if (n.exact)
        return kb_pure(b, n, r);
    n.exact = CLAIMED;
    return kb_here(b, n, range(0, MAX_EXTENT));
}

/* Whether every value of x is one of an integer type, as an integer. */
static bool keeps_integers(const k_program *p, k_id x, scalar to)
{
    int64_t lo, hi;
    k_type_range(to, &lo, &hi);
    return k_type_is_int((scalar)k_at(p, x)->type) && k_type_is_int(to) && to != ST_BOOL &&
           k_lo(p, x) >= lo && k_hi(p, x) <= hi;
}

/* Whether a conversion between integers keeps every value that its operand can have. */
static bool is_widening(const k_program *p, const k_node *n)
{
    return k_at(p, n->args[0])->type != ST_U64 && n->type != ST_U64 &&
           keeps_integers(p, n->args[0], (scalar)n->type);
}

/* A widening and the way back cancel out. */
k_id kb_convert(k_builder *b, scalar to, k_id x)
{
    x = kb_known(b, x);
    const k_node *n = k_at(b->p, x);
    if (n->type == to)
        return x;
    if (n->op == K_CONST)
        return kb_const(b, to, scalar_convert(to, (scalar)n->type, n->bits));
    if (n->op == K_CONVERT && k_at(b->p, n->args[0])->type == to && is_widening(b->p, n))
        return n->args[0];
    k_id whole = to == ST_I32 ? kb_whole(b, x) : 0;
    if (whole || b->failed)
        return whole;
    return kb_pure(b, (k_node){.op = K_CONVERT, .type = (uint8_t)to, .args = {x}},
                   keeps_integers(b->p, x, to) ? range_of(b->p, x) : anything);
}

/* Bits may stand for anything, so no range is known of the result. */
k_id kb_bitcast(k_builder *b, scalar to, k_id x)
{
    const k_node *n = k_at(b->p, x);
    if (n->type == to)
        return x;
    if (n->op == K_CONST)
        return kb_const(b, to, scalar_wrap(to, n->bits));
    return kb_pure(b, (k_node){.op = K_BITCAST, .type = (uint8_t)to, .args = {x}}, anything);
}

k_id kb_arg(k_builder *b, uint32_t leaf_no, scalar t)
{
    return kb_pure(b, (k_node){.op = K_ARG, .type = (uint8_t)t, .leaf = (uint16_t)leaf_no},
                   anything);
}

/* An extent is bounded by what runs accept (MAX_EXTENT), so arithmetic on it starts from a range.
 */
k_id kb_dim(k_builder *b, uint32_t leaf_no, uint32_t axis)
{
    k_node n = {.op = K_DIM, .type = ST_I32, .leaf = (uint16_t)leaf_no, .axis = (uint8_t)axis};
    return kb_pure(b, n, range(0, MAX_EXTENT));
}

/* A coordinate that can only be 0 is a constant: kernels of one group then need no group number. */
k_id kb_builtin(k_builder *b, k_coordinate which, int64_t hi)
{
    if (hi == 0 && which != AT_GROUPS)
        return kb_int(b, 0);
    return kb_pure(b, (k_node){.op = K_BUILTIN, .type = ST_I32, .coordinate = (uint8_t)which},
                   range(0, hi > 0 ? hi : 0));
}

/* ---- shorthands ---- */

k_id kb_add(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_ADD, x, y, 0);
}

k_id kb_sub(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_SUB, x, y, 0);
}

k_id kb_mul(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_MUL, x, y, 0);
}

k_id kb_min(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_MIN, x, y, 0);
}

k_id kb_max(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_MAX, x, y, 0);
}

k_id kb_lt(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_LT, x, y, 0);
}

k_id kb_select(k_builder *b, k_id c, k_id x, k_id y)
{
    return kb_scalar(b, SOP_SELECT, c, x, y);
}
