/* Folding: the algebra of scalar operations as they are built.  Compilers call it instruction
 * combining, or peephole rewriting on SSA form.
 *
 * Everything here is exact for wrapping integers.  Integer values carry an interval (range.c); it
 * decides comparisons, removes needless minima, and marks arithmetic that cannot wrap.  Sums are
 * linear forms (linear.c), and so is what is divided (divide.c). */
#include "ir/kernel/algebra/fold.h"

#include "ir/scalar/scalar.h"

#include <math.h>

/* ---- identities ---- */

static bool is_value(const k_program *p, k_id n, int64_t x)
{
    int64_t v;
    return k_is_const(p, n, &v) && v == x;
}

static k_id fold_mul(k_builder *b, scalar t, const k_id x[3])
{
    for (int i = 0; i < 2; i++) {
        if (is_value(b->p, x[i], 1))
            return x[1 - i];
        if (is_value(b->p, x[i], 0))
            return kb_const(b, t, 0);
    }
    return 0;
}

/* By intervals, then by structure; the latter wants the bound natural (ka_is_not_above). */
static k_id fold_minmax(const k_program *p, opcode op, const k_id x[3])
{
    const k_facts *l = k_facts_of(p, x[0]), *r = k_facts_of(p, x[1]);
    if (x[0] == x[1] || (op == SOP_MIN ? l->hi <= r->lo : l->lo >= r->hi))
        return x[0];
    if (op == SOP_MIN ? r->hi <= l->lo : r->lo >= l->hi)
        return x[1];
    for (int i = 0; i < 2; i++)
        if (k_lo(p, x[1 - i]) >= 0 && ka_is_not_above(p, x[i], x[1 - i]))
            return op == SOP_MIN ? x[i] : x[1 - i];
    return 0;
}

/* The known truth of x < y: 1, 0, or -1 when unknown. */
static int less(const k_program *p, k_id x, k_id y)
{
    if (x == y || k_lo(p, x) >= k_hi(p, y))
        return 0;
    return ka_is_below(p, x, y) ? 1 : -1;
}

static int compare(const k_program *p, opcode op, const k_id x[3])
{
    int lt = less(p, x[0], x[1]), gt = less(p, x[1], x[0]);
    switch (op) {
    case SOP_LT: return lt;
    case SOP_GT: return gt;
    case SOP_LE: return gt < 0 ? -1 : !gt;
    case SOP_GE: return lt < 0 ? -1 : !lt;
    case SOP_EQ: return x[0] == x[1] ? 1 : lt == 1 || gt == 1 ? 0 : -1;
    case SOP_NE: return x[0] == x[1] ? 0 : lt == 1 || gt == 1 ? 1 : -1;
    default: return -1;
    }
}

/* The integers between which x lies when a comparison with a constant holds (or fails). */
static bool compared_to(const k_program *p, k_id cond, bool holds, k_id *x, int64_t *lo,
                        int64_t *hi)
{
    const k_node *n = k_at(p, cond);
    int64_t c;
    uint16_t op = n->opcode;
    if (n->op != K_SCALAR || !k_is_const(p, n->args[1], &c) || k_at(p, n->args[1])->type == ST_U64)
        return false;
    if (!holds)
        op = op == SOP_LT   ? SOP_GE
             : op == SOP_GE ? SOP_LT
             : op == SOP_LE ? SOP_GT
             : op == SOP_GT ? SOP_LE
                            : SOP_NE;
    *x = n->args[0];
    *lo = op == SOP_GE ? c : op == SOP_GT && c < INT64_MAX ? c + 1 : INT64_MIN;
    *hi = op == SOP_LE ? c : op == SOP_LT && c > INT64_MIN ? c - 1 : INT64_MAX;
    return op == SOP_GE || op == SOP_GT || op == SOP_LE || op == SOP_LT;
}

/* Whether two comparisons never both hold (or both fail). */
static bool exclude(const k_program *p, const k_id x[3], bool hold)
{
    k_id v[2];
    int64_t lo[2], hi[2];
    return compared_to(p, x[0], hold, &v[0], &lo[0], &hi[0]) &&
           compared_to(p, x[1], hold, &v[1], &lo[1], &hi[1]) && v[0] == v[1] &&
           (lo[0] > hi[1] || lo[1] > hi[0]);
}

/* Zeros, ones, equal operands, and comparisons of one value that exclude each other. */
static k_id fold_bits(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    uint64_t ones = scalar_wrap(t, t == ST_BOOL ? 1 : ~(uint64_t)0);
    for (int i = 0; i < 2; i++) {
        if (is_value(b->p, x[i], 0))
            return op == SOP_AND ? kb_const(b, t, 0) : x[1 - i];
        if (is_value(b->p, x[i], (int64_t)ones) && op != SOP_XOR)
            return op == SOP_AND ? x[1 - i] : kb_const(b, t, ones);
    }
    if (t == ST_BOOL && op != SOP_XOR && exclude(b->p, x, op == SOP_AND))
        return kb_const(b, ST_BOOL, op == SOP_OR);
    if (x[0] == x[1])
        return op == SOP_XOR ? kb_const(b, t, 0) : x[0];
    return 0;
}

static k_id fold_select(k_builder *b, const k_id x[3])
{
    int64_t c;
    if (k_is_const(b->p, x[0], &c))
        return c ? x[1] : x[2];
    return x[1] == x[2] ? x[1] : 0;
}

/* With the evaluator's own functions (ir/scalar), so that folding cannot differ from running. */
static k_id fold_constants(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    uint64_t bits[3] = {0};
    for (uint32_t i = 0; i < ir_op_info(op)->min_args; i++) {
        const k_node *n = k_at(b->p, x[i]);
        if (n->op != K_CONST)
            return 0;
        bits[i] = n->bits;
    }
    return kb_const(b, ir_op_info(op)->result_bool ? ST_BOOL : t, scalar_eval(op, t, bits));
}

/* The other operand of a minimum of y and x, 0: v is none. */
static k_id bounded_by(const k_program *p, k_id v, k_id x)
{
    const k_node *n = k_at(p, v);
    bool is_min = n->op == K_SCALAR && n->opcode == SOP_MIN;
    return is_min && n->args[0] == x ? n->args[1] : is_min && n->args[1] == x ? n->args[0] : 0;
}

/* Whether v has reached c, which it is never above: min(y, c) has where y >= c, and
 * max(min(y, c), z) with z <= c where max(y, z) >= c.  NVIDIA's ptxas 13.0 gets the longer form
 * wrong on sm_90. */
static k_id reached(k_builder *b, opcode op, k_id v, k_id c)
{
    const k_node n = *k_at(b->p, v);
    opcode how = op == SOP_EQ ? SOP_GE : SOP_LT;
    k_id y = bounded_by(b->p, v, c);
    for (int i = 0; i < 2 && !y && n.op == K_SCALAR && n.opcode == SOP_MAX; i++) {
        k_id z = n.args[i];
        y = bounded_by(b->p, n.args[1 - i], c);
        if (y && k_hi(b->p, z) > k_lo(b->p, c))
            y = 0;
        else if (y && k_hi(b->p, z) == k_lo(b->p, c))
            y = kb_scalar(b, SOP_MAX, y, z, 0);
    }
    return y ? kb_scalar(b, how, y, c, 0) : 0;
}

static k_id fold_reached(k_builder *b, opcode op, const k_id x[3])
{
    k_id found = reached(b, op, x[0], x[1]);
    return found ? found : reached(b, op, x[1], x[0]);
}

/* Intervals are of signed 64-bit numbers, so of u64 only identity tells. */
static k_id fold_compare(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    int known = t == ST_U64 && x[0] != x[1] ? -1 : compare(b->p, op, x);
    if (known >= 0)
        return kb_const(b, ST_BOOL, (uint64_t)known);
    return t != ST_U64 && (op == SOP_EQ || op == SOP_NE) ? fold_reached(b, op, x) : 0;
}

/* ---- the rules of scalars.def, column fold: what else than computing may give the result ---- */

typedef k_id fold_rule(k_builder *b, opcode op, scalar t, const k_id x[3]);

static k_id fold_NONE(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    (void)b, (void)op, (void)t, (void)x;
    return 0;
}

static k_id fold_SUM(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    return k_type_is_int(t) ? ka_fold_sum(b, op, t, x) : 0;
}

static k_id fold_PRODUCT(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    (void)op;
    return k_type_is_int(t) ? fold_mul(b, t, x) : 0;
}

static k_id fold_DIVISION(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    return k_type_is_int(t) ? ka_fold_division(b, op, t, x) : 0;
}

static k_id fold_EXTREME(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    return k_type_is_int(t) && t != ST_U64 ? fold_minmax(b->p, op, x) : 0;
}

static k_id fold_BITS(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    return k_type_is_int(t) ? fold_bits(b, op, t, x) : 0;
}

/* A condition that is compared with one that is known. */
static k_id fold_agreement(k_builder *b, opcode op, const k_id x[3])
{
    int64_t known;
    for (int i = 0; (op == SOP_EQ || op == SOP_NE) && i < 2; i++)
        if (k_is_const(b->p, x[i], &known))
            return (op == SOP_EQ) == (known != 0) ? x[1 - i] : kb_scalar(b, SOP_NOT, x[1 - i], 0, 0);
    return 0;
}

static k_id fold_COMPARE(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    return t == ST_BOOL ? fold_agreement(b, op, x) : k_type_is_int(t) ? fold_compare(b, op, t, x) : 0;
}

static k_id fold_CHOICE(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    (void)op, (void)t;
    return fold_select(b, x);
}

/* The square root, but for -0 and -inf, whose powers are 0 and inf. */
static k_id fold_root(k_builder *b, scalar t, k_id x)
{
    k_id zero = kb_const(b, t, scalar_from_double(t, 0)),
         low = kb_const(b, t, scalar_from_double(t, -INFINITY)),
         root = kb_scalar(b, SOP_SQRT, kb_scalar(b, SOP_ADD, x, zero, 0), 0, 0);
    return kb_scalar(b, SOP_SELECT, kb_scalar(b, SOP_EQ, x, low, 0),
                     kb_const(b, t, scalar_from_double(t, INFINITY)), root);
}

/* The n-th power by squaring: for n up to 8 the error is below 6 units in the last place. */
static k_id fold_squares(k_builder *b, k_id x, unsigned n)
{
    k_id out = 0, square = x;
    for (; n; n /= 2, square = n ? kb_scalar(b, SOP_MUL, square, square, 0) : 0)
        if (n % 2)
            out = out ? kb_scalar(b, SOP_MUL, out, square, 0) : square;
    return out;
}

/* Powers of floats whose exponents are known: programs of array languages write squares and roots
 * so.  Half floats keep theirs, which are rounded once. */
static k_id fold_POWER(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    (void)op;
    const k_node *n = k_at(b->p, x[1]);
    if ((t != ST_F32 && t != ST_F64) || n->op != K_CONST)
        return 0;
    double y = scalar_as_double(t, n->bits);
    if (y == 0.5)
        return fold_root(b, t, x[0]);
    return y >= 1 && y <= 8 && y == floor(y) ? fold_squares(b, x[0], (unsigned)y) : 0;
}

static fold_rule *const fold_rules[SOP_END] = {
#define SCALAROP(e, wire, name, arity, operands, result, cost, since, fold, ...)                   \
    [SOP_##e] = fold_##fold,
#include "ir/scalars.def"
#undef SCALAROP
};

/* What comes back may be a new value, which was folded when it was built; there is no second
 * round. */
k_id ka_fold_scalar(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    k_id v = fold_constants(b, op, t, x);
    return v ? v : fold_rules[op](b, op, t, x);
}
