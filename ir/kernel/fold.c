/* Folding: the algebra of scalar operations as they are built.
 *
 * Everything here is exact for wrapping integers.  Integer values carry an interval; it decides comparisons, removes
 * needless minima, and marks arithmetic that cannot wrap.  Sums of integers are kept as linear forms while they are
 * small, so that n - (n - i - 1) - 1 is i: index functions composed of index functions cancel. */
#include "ir/kernel/build.h"

#include "ir/scalar.h"

bool scalar_is_int(scalar t)
{
    char c = ir_scalar_class(t);
    return c == 'I' || c == 'U' || c == 'B';
}

void scalar_range(scalar t, int64_t *lo, int64_t *hi)
{
    uint32_t bits = ir_scalar_bytes(t) * 8;
    char c = ir_scalar_class(t);
    *lo = c == 'I' || c == 'F' ? INT64_MIN : 0;
    *hi = INT64_MAX;
    if (c == 'B')
        *hi = 1;
    else if (c == 'I' && bits < 64) {
        *lo = -((int64_t)1 << (bits - 1));
        *hi = -*lo - 1;
    } else if (c == 'U' && bits < 64)
        *hi = ((int64_t)1 << bits) - 1;
    else if (c == 'U')
        *lo = INT64_MIN; /* u64 as a bit pattern: nothing known */
}

/* ---- intervals ---- */

typedef struct range {
    int64_t lo, hi;
    bool known; /* false: overflowed while computing */
} range;

static range range_of(const k_node *n)
{
    return (range){n->lo, n->hi, true};
}

static range hull4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    int64_t lo = a < b ? a : b, hi = a > b ? a : b;
    lo = lo < c ? lo : c;
    hi = hi > c ? hi : c;
    return (range){lo < d ? lo : d, hi > d ? hi : d, true};
}

static range range_add(range x, range y)
{
    range r = {.known = true};
    if (__builtin_add_overflow(x.lo, y.lo, &r.lo) || __builtin_add_overflow(x.hi, y.hi, &r.hi))
        r.known = false;
    return r;
}

static range range_sub(range x, range y)
{
    range r = {.known = true};
    if (__builtin_sub_overflow(x.lo, y.hi, &r.lo) || __builtin_sub_overflow(x.hi, y.lo, &r.hi))
        r.known = false;
    return r;
}

static range range_mul(range x, range y)
{
    int64_t a, b, c, d;
    if (__builtin_mul_overflow(x.lo, y.lo, &a) || __builtin_mul_overflow(x.lo, y.hi, &b) ||
        __builtin_mul_overflow(x.hi, y.lo, &c) || __builtin_mul_overflow(x.hi, y.hi, &d))
        return (range){0};
    return hull4(a, b, c, d);
}

static int64_t floor_div(int64_t x, int64_t y)
{
    return x / y - (x % y < 0);
}

/* div and quot agree on non-negative operands; otherwise only a constant divisor is worth an answer. */
static range range_div(opcode op, range x, range y)
{
    if (y.lo == y.hi && y.lo > 0)
        return op == SOP_DIV ? (range){floor_div(x.lo, y.lo), floor_div(x.hi, y.lo), true}
                             : (range){x.lo / y.lo, x.hi / y.lo, true};
    if (x.lo < 0 || y.lo < 0)
        return (range){0};
    int64_t least = y.lo > 0 ? y.lo : 1, most = y.hi > 0 ? y.hi : 1;
    return (range){y.lo > 0 ? x.lo / most : 0, x.hi / least, true};
}

static range range_mod(range x, range y)
{
    if (x.lo < 0 || y.lo < 0)
        return (range){0};
    int64_t top = y.hi > 0 ? y.hi - 1 : 0;
    return (range){0, y.lo > 0 && top < x.hi ? top : x.hi, true};
}

static range range_minmax(opcode op, range x, range y)
{
    if (op == SOP_MIN)
        return (range){x.lo < y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi, true};
    return (range){x.lo > y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi, true};
}

static range range_shift(opcode op, range x, range y)
{
    if (x.lo < 0 || y.lo != y.hi || y.lo < 0 || y.lo > 62)
        return (range){0};
    if (op == SOP_SHL)
        return range_mul(x, (range){(int64_t)1 << y.lo, (int64_t)1 << y.lo, true});
    return (range){x.lo >> y.lo, x.hi >> y.lo, true};
}

static range range_and(range x, range y)
{
    if (x.lo < 0 && y.lo < 0)
        return (range){0};
    int64_t hi = x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : x.hi < y.hi ? x.hi : y.hi;
    return (range){0, hi, true};
}

static range op_range(const k_program *p, const k_node *n)
{
    range x = range_of(k_at(p, n->args[0])), y = range_of(k_at(p, n->args[1]));
    switch ((opcode)n->sub) {
    case SOP_ADD: return range_add(x, y);
    case SOP_SUB: return range_sub(x, y);
    case SOP_MUL: return range_mul(x, y);
    case SOP_DIV:
    case SOP_QUOT: return range_div((opcode)n->sub, x, y);
    case SOP_MOD:
    case SOP_REM: return range_mod(x, y);
    case SOP_MIN:
    case SOP_MAX: return range_minmax((opcode)n->sub, x, y);
    case SOP_SHL:
    case SOP_SHR: return range_shift((opcode)n->sub, x, y);
    case SOP_AND: return range_and(x, y);
    case SOP_NEG: return range_sub((range){0, 0, true}, x);
    case SOP_SELECT: {
        range z = range_of(k_at(p, n->args[2]));
        return (range){y.lo < z.lo ? y.lo : z.lo, y.hi > z.hi ? y.hi : z.hi, true};
    }
    case SOP_POPCOUNT:
    case SOP_CLZ:
    case SOP_CTZ: return (range){0, 64, true};
    default: return (range){0};
    }
}

void fold_interval(const k_program *p, k_node *n)
{
    scalar t = (scalar)n->type;
    int64_t lo, hi;
    scalar_range(t, &lo, &hi);
    n->lo = lo;
    n->hi = hi;
    if (!scalar_is_int(t) || t == ST_U64)
        return;
    range r = op_range(p, n);
    if (!r.known || r.lo < lo || r.hi > hi)
        return;
    n->lo = r.lo;
    n->hi = r.hi;
    n->exact = 1;
}

/* ---- linear forms: c + sum of coefficient * value, modulo the width of the type ---- */

enum { MAX_TERMS = 8 };

typedef struct linear {
    uint64_t c;
    uint32_t n;
    k_id v[MAX_TERMS];
    uint64_t k[MAX_TERMS];
    bool overflow; /* more terms than fit */
} linear;

static void linear_term(linear *l, k_id v, uint64_t k)
{
    uint32_t i = 0;
    while (i < l->n && l->v[i] != v)
        i++;
    if (i == MAX_TERMS) {
        l->overflow = true;
        return;
    }
    if (i == l->n) {
        l->n++;
        l->v[i] = v;
        l->k[i] = 0;
    }
    l->k[i] += k;
}

/* Adds k * v, opening sums a few levels deep, and products by a constant if asked to. */
static void linear_add(const k_program *p, linear *l, k_id v, uint64_t k, int depth, bool products)
{
    const k_node *n = k_at(p, v);
    bool sum = n->op == K_SCALAR && (n->sub == SOP_ADD || n->sub == SOP_SUB) && depth > 0;
    if (n->op == K_CONST) {
        l->c += k * (uint64_t)n->lo;
    } else if (sum) {
        linear_add(p, l, n->args[0], k, depth - 1, products);
        linear_add(p, l, n->args[1], n->sub == SOP_ADD ? k : 0 - k, depth - 1, products);
    } else if (products && n->op == K_SCALAR && n->sub == SOP_MUL && k_at(p, n->args[1])->op == K_CONST) {
        linear_term(l, n->args[0], k * (uint64_t)k_at(p, n->args[1])->lo);
    } else {
        linear_term(l, v, k);
    }
}

static void linear_tidy(linear *l, scalar t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        uint64_t k = scalar_wrap(t, l->k[i]);
        if (k == 0)
            continue;
        l->v[kept] = l->v[i];
        l->k[kept++] = k;
    }
    l->n = kept;
    l->c = scalar_wrap(t, l->c);
}

static uint32_t count_leaves(const k_program *p, k_id v, int depth)
{
    const k_node *n = k_at(p, v);
    if (n->op == K_SCALAR && (n->sub == SOP_ADD || n->sub == SOP_SUB) && depth > 0)
        return count_leaves(p, n->args[0], depth - 1) + count_leaves(p, n->args[1], depth - 1);
    return 1;
}

/* The value of a linear form whose coefficients are 1 and -1: positive terms first, then what is subtracted, then the
 * constant. */
static k_id linear_value(k_builder *b, const linear *l, scalar t)
{
    k_id v = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < l->n; i++) {
            bool minus = l->k[i] != 1;
            if (minus != (pass == 1))
                continue;
            if (v)
                v = kb_scalar(b, minus ? SOP_SUB : SOP_ADD, v, l->v[i], 0);
            else
                v = minus ? kb_scalar(b, SOP_NEG, l->v[i], 0, 0) : l->v[i];
        }
    }
    if (!v)
        return kb_const(b, t, l->c);
    if (l->c == 0)
        return v;
    bool minus = ir_scalar_class(t) == 'I' && (int64_t)l->c < 0 && scalar_wrap(t, 0 - l->c) != l->c;
    return kb_scalar(b, minus ? SOP_SUB : SOP_ADD, v, kb_const(b, t, minus ? scalar_wrap(t, 0 - l->c) : l->c), 0);
}

enum { LINEAR_DEPTH = 4 };

/* x + y or x - y when terms cancel or constants meet; 0 when the plain operation is as good. */
static k_id try_sum(k_builder *b, opcode op, scalar t, const k_id x[3], bool products)
{
    linear l = {0};
    linear_add(b->p, &l, x[0], 1, LINEAR_DEPTH, products);
    linear_add(b->p, &l, x[1], op == SOP_ADD ? 1 : ~(uint64_t)0, LINEAR_DEPTH, products);
    linear_tidy(&l, t);
    uint32_t before = count_leaves(b->p, x[0], LINEAR_DEPTH) + count_leaves(b->p, x[1], LINEAR_DEPTH);
    uint32_t after = l.n + (l.c != 0);
    if (l.overflow || after >= before)
        return 0;
    for (uint32_t i = 0; i < l.n; i++) /* 3x is no shorter than x + x + x as built */
        if (l.k[i] != 1 && scalar_wrap(t, 0 - l.k[i]) != 1)
            return 0;
    return linear_value(b, &l, t);
}

/* With products as they stand first: a * 8 + 0 is a * 8; then opened: 2n - n is n. */
static k_id fold_sum(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    k_id v = try_sum(b, op, t, x, false);
    return v ? v : try_sum(b, op, t, x, true);
}

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

/* x / y and the remainder for the cases that need no division. */
static k_id fold_div(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    const k_node *num = k_at(b->p, x[0]), *den = k_at(b->p, x[1]);
    bool quotient = op == SOP_DIV || op == SOP_QUOT;
    if (is_value(b->p, x[1], 1))
        return quotient ? x[0] : kb_const(b, t, 0);
    if (t != ST_U64 && num->lo >= 0 && num->hi < den->lo)
        return quotient ? kb_const(b, t, 0) : x[0];
    return 0;
}

static k_id fold_minmax(const k_program *p, opcode op, const k_id x[3])
{
    const k_node *l = k_at(p, x[0]), *r = k_at(p, x[1]);
    if (x[0] == x[1] || (op == SOP_MIN ? l->hi <= r->lo : l->lo >= r->hi))
        return x[0];
    if (op == SOP_MIN ? r->hi <= l->lo : r->lo >= l->hi)
        return x[1];
    return 0;
}

/* The known truth of x < y: 1, 0, or -1 when unknown. */
static int less(const k_program *p, k_id x, k_id y)
{
    const k_node *l = k_at(p, x), *r = k_at(p, y);
    if (x == y || l->lo >= r->hi)
        return 0;
    if (l->hi < r->lo || (l->op == K_PARAM && l->args[1] == y))
        return 1;
    return -1;
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

static k_id fold_bits(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    uint64_t ones = scalar_wrap(t, t == ST_BOOL ? 1 : ~(uint64_t)0);
    for (int i = 0; i < 2; i++) {
        if (is_value(b->p, x[i], 0))
            return op == SOP_AND ? kb_const(b, t, 0) : x[1 - i];
        if (is_value(b->p, x[i], (int64_t)ones) && op != SOP_XOR)
            return op == SOP_AND ? x[1 - i] : kb_const(b, t, ones);
    }
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

static k_id fold_constants(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    uint64_t bits[3] = {0};
    for (uint32_t i = 0; i < ir_op_info(op)->min_args; i++) {
        const k_node *n = k_at(b->p, x[i]);
        if (n->op != K_CONST)
            return 0;
        bits[i] = (uint64_t)n->lo;
    }
    return kb_const(b, ir_op_info(op)->result_bool ? ST_BOOL : t, scalar_eval(op, t, bits));
}

static k_id fold_compare(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    int known = t == ST_U64 && x[0] != x[1] ? -1 : compare(b->p, op, x);
    return known < 0 ? 0 : kb_const(b, ST_BOOL, (uint64_t)known);
}

static k_id fold_integers(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    switch (op) {
    case SOP_ADD:
    case SOP_SUB: return fold_sum(b, op, t, x);
    case SOP_MUL: return fold_mul(b, t, x);
    case SOP_DIV:
    case SOP_QUOT:
    case SOP_MOD:
    case SOP_REM: return fold_div(b, op, t, x);
    case SOP_MIN:
    case SOP_MAX: return t == ST_U64 ? 0 : fold_minmax(b->p, op, x);
    case SOP_AND:
    case SOP_OR:
    case SOP_XOR: return fold_bits(b, op, t, x);
    case SOP_EQ:
    case SOP_NE:
    case SOP_LT:
    case SOP_LE:
    case SOP_GT:
    case SOP_GE: return fold_compare(b, op, t, x);
    default: return 0;
    }
}

k_id fold_scalar(k_builder *b, opcode op, scalar t, const k_id x[3])
{
    k_id v = fold_constants(b, op, t, x);
    if (v)
        return v;
    if (op == SOP_SELECT)
        return fold_select(b, x);
    return scalar_is_int(t) ? fold_integers(b, op, t, x) : 0;
}
