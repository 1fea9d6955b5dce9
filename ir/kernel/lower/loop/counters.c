/* Counters: numbers of a state that begin with 0 and go up by 1 at most in a turn, as that of the
 * elements that are kept so far.  In turn i such a number is at most i, so it is below the number
 * of turns, and the position that it is lies in an array of as many elements.
 *
 * By induction over the turns: what the step adds is seen to be 0 or 1 where nothing is known of
 * the number itself. */
#include "ir/kernel/lower/loop/loop.h"

static bool is_step(const k_program *p, k_id by)
{
    return k_at(p, by)->type == ST_I32 && k_lo(p, by) >= 0 && k_hi(p, by) <= 1;
}

bool lower_is_counter(const lowering *L, const state_loop *w, k_id first, k_id now, k_id next)
{
    const k_program *p = L->b.p;
    const k_node *n = k_at(p, next);
    int64_t start;
    if (!w->times || !k_is_const(p, first, &start) || start || k_at(p, now)->type != ST_I32 ||
        n->op != K_SCALAR || n->opcode != SOP_ADD)
        return false;
    return (n->args[0] == now && is_step(p, n->args[1])) ||
           (n->args[1] == now && is_step(p, n->args[0]));
}

void lower_state_counter(lowering *L, const state_loop *w, k_id now)
{
    k_state_range(L->b.p, now, 0, k_hi(L->b.p, w->times) - 1);
    k_state_below(L->b.p, now, w->times);
}

void lower_state_counted(lowering *L, const state_loop *w, k_id result)
{
    int64_t most = k_hi(L->b.p, w->times);
    k_state_range(L->b.p, result, 0, most > 0 ? most : 0);
}
