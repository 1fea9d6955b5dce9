/* Positions that are clamped: minima and maxima of a place and the bounds of an array, where what is asked for by the branches
 * and loops around says that there is an element; and those of a run of elements that is asked for as a whole.  What code for
 * segments, filters and stencils asks most is of these kinds, and such a walk down the clamps costs next to nothing where the
 * search of prove.c opens all that the place is made of. */
#include "ir/kernel/algebra/fold.h"

enum { CLAMP_DEPTH = 8, RUN_DEPTH = 3 };

/* ---- what is asked for here ---- */

static bool is_const(const k_program *p, k_id v, int64_t c)
{
    int64_t x;
    return k_is_const(p, v, &x) && x == c;
}

/* Whether a comparison says that v is at least `least`. */
static bool says_least(const k_program *p, const k_node *n, k_id v, int64_t least)
{
    k_id x = n->args[0], y = n->args[1];
    switch ((opcode)n->opcode) {
    case SOP_GT: return x == v && k_lo(p, y) >= least - 1;
    case SOP_LT: return y == v && k_lo(p, x) >= least - 1;
    case SOP_GE: return x == v && k_lo(p, y) >= least;
    case SOP_LE: return y == v && k_lo(p, x) >= least;
    case SOP_NE: return x == v && is_const(p, y, 0) && k_lo(p, v) >= 0 && least == 1;
    default: return false;
    }
}

/* Whether it says that there are more than c numbers from v on to some number that is not above n. */
static bool says_room(const k_program *p, const k_node *n, k_id v, int64_t c, k_id end)
{
    k_id d = n->opcode == SOP_GE || n->opcode == SOP_GT ? n->args[0] : n->args[1];
    const k_node *left = k_at(p, d);
    return ka_is(left, SOP_SUB) && left->args[1] == v && k_lo(p, left->args[0]) >= 0 && says_least(p, n, d, c + 1) &&
           ka_is_not_above(p, left->args[0], end);
}

/* That v is at least `least` or, where there is an end, that it is `least` numbers and one before that. */
typedef struct question {
    k_id v, end;
    int64_t least;
} question;

static bool says(const k_program *p, k_id cond, const question *q, int depth)
{
    const k_node *n = k_at(p, cond);
    if (n->op != K_SCALAR || depth == 0)
        return false;
    if (n->opcode == SOP_AND)
        return says(p, n->args[0], q, depth - 1) || says(p, n->args[1], q, depth - 1);
    return q->end ? says_room(p, n, q->v, q->least, q->end) : says_least(p, n, q->v, q->least);
}

/* Whether an open branch is taken only where it is so, or an open loop has no turn else. */
static bool is_asked(const k_builder *b, question q)
{
    const k_program *p = b->p;
    for (uint32_t i = b->scopes.len; i > 1; i--) {
        const k_scope *s = &b->scopes.at[i - 1];
        const k_node *n = k_at(p, s->owner);
        if (n->op == K_IF && s->block == n->blocks[0] && says(p, n->args[0], &q, CLAMP_DEPTH))
            return true;
        k_id turn = n->op == K_FOR || n->op == K_PAR ? k_block_at(p, n->blocks[0])->params : 0;
        if (turn && !q.end && q.least <= 1 && k_below(p, turn) == q.v && k_lo(p, turn) >= 0)
            return true;
    }
    return false;
}

/* ---- clamps ---- */

/* What holds of a value where it does of both operands of a minimum, and of either one of a maximum; or the other way around. */
typedef bool property(const k_builder *b, k_id v, k_id n, int depth);

static bool of_operands(const k_builder *b, k_id v, k_id n, opcode both, property *holds, int depth)
{
    const k_node *x = k_at(b->p, v);
    if (depth == 0 || (!ka_is(x, SOP_MIN) && !ka_is(x, SOP_MAX)))
        return false;
    bool first = holds(b, x->args[0], n, depth - 1);
    return first == ka_is(x, both) ? holds(b, x->args[1], n, depth - 1) : first;
}

static bool is_positive(const k_builder *b, k_id v, k_id none, int depth)
{
    return k_lo(b->p, v) >= 1 || is_asked(b, (question){v, 0, 1}) || of_operands(b, v, none, SOP_MIN, is_positive, depth);
}

/* x, where v is x - 1 and x is positive. */
static k_id before(const k_builder *b, k_id v)
{
    const k_node *n = k_at(b->p, v);
    bool next = ka_is(n, SOP_SUB) && is_const(b->p, n->args[1], 1);
    return next && is_positive(b, n->args[0], 0, CLAMP_DEPTH) ? n->args[0] : 0;
}

/* ---- both bounds ---- */

static bool is_natural(const k_builder *b, k_id v, k_id none, int depth)
{
    return k_lo(b->p, v) >= 0 || before(b, v) || of_operands(b, v, none, SOP_MIN, is_natural, depth);
}

static bool is_below(const k_builder *b, k_id v, k_id n, int depth)
{
    k_id x = before(b, v);
    return ka_is_below(b->p, v, n) || (x && ka_is_not_above(b->p, x, n)) || of_operands(b, v, n, SOP_MAX, is_below, depth);
}

/* ---- runs ---- */

/* A number m that is positive, of which v is at most m - 1; or 0. */
static k_id limit_of(const k_builder *b, k_id v, int depth)
{
    const k_node *n = k_at(b->p, v);
    k_id m = before(b, v);
    for (int i = 0; i < 2 && !m && depth > 0 && ka_is(n, SOP_MIN); i++)
        m = limit_of(b, n->args[i], depth - 1);
    return m;
}

/* Whether m is what a natural number that is not above n comes to when it is divided by c. */
static bool is_quotient(const k_program *p, k_id m, int64_t c, k_id n)
{
    const k_node *q = k_at(p, m);
    int64_t by;
    if (q->op != K_SCALAR || !k_is_const(p, q->args[1], &by) || k_lo(p, q->args[0]) < 0)
        return false;
    bool shifted = (q->opcode == SOP_SHR || q->opcode == SOP_LSHR) && by >= 0 && by < 31 && INT64_C(1) << by == c;
    bool divided = (q->opcode == SOP_DIV || q->opcode == SOP_QUOT) && by == c;
    return (shifted || divided) && ka_is_not_above(p, q->args[0], n);
}

/* Whether v is the start of one of the runs of c that n has, and c is more than far. */
static bool begins_run(const k_builder *b, k_id v, int64_t far, k_id n)
{
    const k_node *x = k_at(b->p, v);
    int64_t c;
    if (!ka_is(x, SOP_MUL) || !k_is_const(b->p, x->args[1], &c) || far >= c || !is_natural(b, x->args[0], 0, CLAMP_DEPTH))
        return false;
    k_id m = limit_of(b, x->args[0], CLAMP_DEPTH);
    return m && is_quotient(b->p, m, c, n);
}

/* One of the numbers from v on that are asked for, or of a run, with all of `far` behind it: what is added to v is so much at most. */
static bool is_among(const k_builder *b, k_id v, int64_t far, k_id n, int depth)
{
    const k_node *x = k_at(b->p, v);
    bool natural = k_lo(b->p, v) >= 0 || is_asked(b, (question){v, 0, 0});
    if ((natural && is_asked(b, (question){v, n, far})) || begins_run(b, v, far, n))
        return true;
    for (int i = 0; i < 2 && depth > 0 && ka_is(x, SOP_ADD); i++) {
        int64_t more, hi = k_hi(b->p, x->args[i]);
        if (k_lo(b->p, x->args[i]) >= 0 && !__builtin_add_overflow(far, hi, &more) && more <= INT32_MAX &&
            is_among(b, x->args[1 - i], more, n, depth - 1))
            return true;
    }
    return false;
}

bool ka_is_clamped(const k_builder *b, k_id i, k_id n)
{
    return (is_natural(b, i, 0, CLAMP_DEPTH) && is_below(b, i, n, CLAMP_DEPTH)) || is_among(b, i, 0, n, RUN_DEPTH);
}
