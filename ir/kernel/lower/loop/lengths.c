/* What the lengths of an array in a loop must be: a loop that starts with one element at least, and
 * whose step leaves one when its condition holds, ends with one at least; and behind it the
 * condition does not hold.  So a reduction `while more than one` has a result of one element, which
 * a concat of such can count on.
 *
 * Intervals, narrowed by comparisons with constants (conditional constant propagation); induction
 * over the rounds is tried once for each extent. */
#include "ir/kernel/lower/loop/loop.h"

enum { LENGTH_DEPTH = 8 };

static opcode swapped(opcode op)
{
    return op == SOP_LT   ? SOP_GT
           : op == SOP_GT ? SOP_LT
           : op == SOP_LE ? SOP_GE
           : op == SOP_GE ? SOP_LE
                          : op;
}

static opcode negated(opcode op)
{
    static const uint8_t pairs[][2] = {{SOP_LT, SOP_GE}, {SOP_GT, SOP_LE}, {SOP_EQ, SOP_NE}};
    for (uint32_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (int k = 0; k < 2; k++)
            if (pairs[i][k] == op)
                return (opcode)pairs[i][1 - k];
    return op;
}

/* x op c holds. */
static void narrow_by(k_range *x, opcode op, int64_t c)
{
    bool up = op == SOP_GT || op == SOP_GE || op == SOP_EQ,
         down = op == SOP_LT || op == SOP_LE || op == SOP_EQ;
    int64_t lo = c + (op == SOP_GT), hi = c - (op == SOP_LT);
    if (up && lo > x->lo)
        x->lo = lo;
    if (down && hi < x->hi)
        x->hi = hi;
    if (op == SOP_NE) {
        x->lo += x->lo == c;
        x->hi -= x->hi == c;
    }
}

/* Where cond is as `holds` says, v is in a smaller interval than *x. */
static void narrow(const k_program *p, k_id cond, bool holds, k_id v, k_range *x, int depth)
{
    const k_node *n = k_at(p, cond);
    opcode op = (opcode)n->opcode;
    int64_t c;
    if (depth == 0 || n->op != K_SCALAR)
        return;
    if (op == SOP_NOT)
        narrow(p, n->args[0], !holds, v, x, depth - 1);
    if (op == (holds ? SOP_AND : SOP_OR)) {
        narrow(p, n->args[0], holds, v, x, depth - 1);
        narrow(p, n->args[1], holds, v, x, depth - 1);
    }
    for (int i = 0; i < 2; i++) {
        opcode is = i ? swapped(op) : op;
        bool compares = op == SOP_EQ || negated(op) != op;
        if (compares && n->args[i] == v && k_is_const(p, n->args[1 - i], &c))
            narrow_by(x, holds ? is : negated(is), c);
    }
}

/* The least value of v when the n consecutive nodes from x on are at least as `least` says. */
static int64_t least_of(const k_program *p, k_id v, k_id x, const int64_t *least, uint32_t n,
                        int depth)
{
    const k_node *s = k_at(p, v);
    int64_t known = k_lo(p, v), c, a, b;
    if (v >= x && v < x + n)
        return least[v - x];
    if (depth == 0 || s->op != K_SCALAR || !s->args[0] || !s->args[1] || s->args[2])
        return known;
    a = least_of(p, s->args[0], x, least, n, depth - 1);
    b = least_of(p, s->args[1], x, least, n, depth - 1);
    bool divisor = k_is_const(p, s->args[1], &c) && c >= 1 && a >= 0;
    int64_t found = known;
    switch ((opcode)s->opcode) {
    case SOP_ADD: found = s->exact ? a + b : known; break;
    case SOP_SUB: found = s->exact ? a - k_hi(p, s->args[1]) : known; break;
    case SOP_MIN: found = a < b ? a : b; break;
    case SOP_MAX: found = a > b ? a : b; break;
    case SOP_DIV:
    case SOP_QUOT: found = divisor ? a / c : known; break;
    case SOP_SHR: found = divisor && c < 31 ? a >> c : known; break;
    default: break;
    }
    return found > known ? found : known;
}

bool lower_keeps_least(const lowering *L, k_id cond, k_id now, const k_id *next, uint32_t n,
                       int64_t *least)
{
    int64_t inside[MAX_RANK];
    bool all = true;
    for (uint32_t i = 0; i < n; i++) {
        k_range r = {least[i], MAX_EXTENT, true};
        if (cond)
            narrow(L->b.p, cond, true, now + i, &r, LENGTH_DEPTH);
        inside[i] = r.lo;
    }
    for (uint32_t i = 0; i < n; i++)
        if (least[i] && least_of(L->b.p, next[i], now, inside, n, LENGTH_DEPTH) < least[i]) {
            least[i] = 0;
            all = false;
        }
    return all;
}

k_id lower_extent_behind(lowering *L, k_id cond, k_id now, k_id result)
{
    k_range r = {k_lo(L->b.p, result), k_hi(L->b.p, result), true};
    if (cond)
        narrow(L->b.p, cond, false, now, &r, LENGTH_DEPTH);
    k_state_range(L->b.p, result, r.lo, r.hi);
    return r.lo == r.hi ? kb_int(&L->b, (int32_t)r.lo) : result;
}
