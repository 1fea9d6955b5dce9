/* Loops over arrays of known lengths (section 3.3 of the paper): where the number of rounds follows
 * from lengths that are constants, the rounds are lowered one after the other.  No loop is left,
 * and each step has memory of its own, of the size it needs.
 *
 * The rounds are built in a scope that goes when one of them turns out to be unknown; a loop does
 * it then.  Steps that leave the length as it is are left to loops, which the pass `unroll`
 * unrolls. */
#include "ir/kernel/lower/value.h"

static bool constant_extents(const lowering *L, const sv *p)
{
    int64_t n;
    for (uint32_t i = 0; i < p->rank; i++)
        if (!p->shape || !k_is_const(L->b.p, p->shape[i], &n))
            return false;
    return true;
}

/* Longer arrays are for the loop to refuse (E0505). */
static bool no_longer(lowering *L, const sv *p, const sv *than)
{
    int64_t now = k_hi(L->b.p, lower_shape_count(L, p->shape, p->rank)),
            before = k_hi(L->b.p, lower_shape_count(L, than->shape, than->rank));
    return p->rank == than->rank && now <= before;
}

/* Whether there is another round: 1, 0, or -1 when only the program's run can tell. */
static int another(lowering *L, const scalar_loop *w, uint32_t round, const sv *a)
{
    int64_t known;
    if (w->times)
        return k_is_const(L->b.p, w->times, &known) ? round < known : -1;
    k_id go = lower_run_region1(L, w->cond, w->env, a)->v;
    return k_is_const(L->b.p, go, &known) ? known != 0 : -1;
}

/* The array after a round, in memory; NULL when its lengths are not known. */
static const sv *one_round(lowering *L, const scalar_loop *w, uint32_t round, const sv *a)
{
    const sv *args[2] = {a, a};
    if (w->times)
        args[0] = sv_int(L, (int32_t)round);
    const sv *p = lower_run_region(L, w->step, w->env, w->env->bound, args, w->times ? 2 : 1);
    if (p->kind != SV_PUSH || !constant_extents(L, p) || !no_longer(L, p, a))
        return NULL;
    return lower_force_array(L, p, w->elem, "loop");
}

const sv *lower_unrolled_loop(lowering *L, const scalar_loop *w, const sv *first)
{
    const sv *a = first;
    int more;
    if (lower_is_host(L) || !constant_extents(L, a))
        return NULL;
    kb_open_if(&L->b, kb_const(&L->b, ST_BOOL, 1));
    for (uint32_t round = 0; (more = another(L, w, round, a)) == 1; round++) {
        a = round < L->target.tuning.loop_rounds ? one_round(L, w, round, a) : NULL;
        if (!a || lower_failed(L))
            break;
    }
    if (lower_failed(L))
        return sv_none();
    if (more == 0) {
        kb_dissolve(&L->b);
        return a;
    }
    kb_discard(&L->b);
    return NULL;
}
