/* Loops over arrays of known lengths (section 3.3 of the paper): where the number of rounds follows
 * from lengths that are constants, the rounds are lowered one after the other.  No loop is left,
 * and each step has memory of its own, of the size it needs.
 *
 * The rounds are built in a scope that goes when one of them turns out to be unknown; a loop does
 * it then.  Steps that leave the length as it is are left to loops, which the pass `unroll`
 * unrolls. */
#include "ir/kernel/lower/loop/loop.h"

bool lower_has_constant_extents(const lowering *L, const sv *p)
{
    int64_t n;
    for (uint32_t i = 0; i < p->rank; i++)
        if (!p->shape || !k_is_const(L->b.p, p->shape[i], &n))
            return false;
    return true;
}

/* Longer arrays are for the loop, which refuses them when it is run. */
static bool no_longer(lowering *L, const sv *p, const sv *than)
{
    bool none = p->rank == than->rank;
    for (uint32_t i = 0; i < p->rank && none; i++)
        none = k_hi(L->b.p, p->shape[i]) <= k_hi(L->b.p, than->shape[i]);
    return none;
}

/* Whether there is another round: 1, 0, or -1 when only the program's run can tell. */
static int another(lowering *L, const state_loop *w, uint32_t round, const sv *state)
{
    int64_t known;
    if (w->times)
        return k_is_const(L->b.p, w->times, &known) ? round < known : -1;
    k_id go = lower_run_region1(L, w->cond, w->env, state)->v;
    return k_is_const(L->b.p, go, &known) ? known != 0 : -1;
}

/* The state after a round, its arrays (a list that is overwritten) in memory; NULL when their
 * lengths are not known. */
static const sv *one_round(lowering *L, const state_loop *w, uint32_t round, const sv *state,
                           const sv **arrays)
{
    state_parts next;
    if (!lower_run_round(L, w, kb_int(&L->b, (int32_t)round), state, &next))
        return NULL;
    for (uint32_t i = 0; i < next.narrays; i++)
        if (!lower_has_constant_extents(L, next.arrays[i]) ||
            !no_longer(L, next.arrays[i], arrays[i]))
            return NULL;
    for (uint32_t i = 0; i < next.narrays; i++)
        arrays[i] = lower_force_array(L, next.arrays[i], next.elems[i], w->what, w->updated);
    return lower_state_with(L, &next, arrays, next.scalars);
}

const sv *lower_unrolled_loop(lowering *L, const state_loop *w, const state_parts *s,
                              const sv **arrays)
{
    int more;
    if (w->chunks)
        return NULL;
    for (uint32_t i = 0; i < s->narrays; i++)
        if (!lower_has_constant_extents(L, arrays[i]))
            return NULL;
    kb_open_if(&L->b, kb_const(&L->b, ST_BOOL, 1));
    const sv *state = lower_state_with(L, s, arrays, s->scalars);
    for (uint32_t round = 0; (more = another(L, w, round, state)) == 1; round++) {
        state = round < L->target.tuning.loop_rounds ? one_round(L, w, round, state, arrays) : NULL;
        if (!state || lower_failed(L))
            break;
    }
    if (lower_failed(L))
        return sv_none();
    if (more == 0) {
        kb_dissolve(&L->b);
        return state;
    }
    kb_discard(&L->b);
    return NULL;
}
