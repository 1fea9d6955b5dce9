/* Arrays of a warp that need no memory: each lane keeps its own element in a register, and lanes
 * read one another's (SPACE_LANES).  That takes a device whose lanes can exchange values, an array
 * of no more elements than lanes, and a push array that has lane i compute element i. */
#include "ir/kernel/lower/loop/loop.h"

static bool is_one(const lowering *L, k_id v)
{
    int64_t x;
    return k_is_const(L->b.p, v, &x) && x == 1;
}

/* What a branch yields, found by lowering it and dropping the code. */
static bool branch_by_lanes(lowering *L, const thunk *t)
{
    kb_open_scratch(&L->b);
    bool ok = lower_written_by_lanes(L, lower_run_thunk(L, t));
    kb_discard(&L->b);
    return ok;
}

bool lower_written_by_lanes(lowering *L, const sv *p)
{
    if (lower_failed(L) || p->kind != SV_PUSH || p->level != LEVEL_WARP)
        return false;
    switch ((sv_form)p->form) {
    case PUSH_PULL: return true;
    case PUSH_MAP: return lower_written_by_lanes(L, p->src);
    case PUSH_CONCAT: return is_one(L, p->v) && !p->v2; /* one element from each thread */
    case PUSH_IF: return branch_by_lanes(L, p->then) && branch_by_lanes(L, p->other);
    default: return false;
    }
}

bool lower_fits_lanes(lowering *L, const sv *p)
{
    if (lower_is_host(L) || !L->target.facts.lanes || p->level != LEVEL_WARP)
        return false;
    k_id n = lower_shape_count(L, p->shape, p->rank);
    return k_hi(L->b.p, n) <= L->target.facts.warp_size && lower_written_by_lanes(L, p);
}
