/* What a lowered step tells of the arrays of its state: which extents stay, which arrays grow, which need one area only.  Where
 * that is not what was said of them the step is lowered again. */
#include "ir/kernel/lower/loop/track.h"

/* By identity: the builder gives equal values one id. */
static bool keeps_extents(const track *t, const sv *p)
{
    bool kept = p->rank == t->rank;
    for (uint32_t i = 0; i < t->rank && kept; i++)
        kept = p->shape[i] == t->start[i];
    return kept;
}

/* Whether an array that is said to keep its extents does not.  The second time all are carried, so
 * that the step is lowered a few times at most. */
static bool gives_up_fixed(tracked *w, const state_parts *next)
{
    bool any = false;
    for (uint32_t i = 0; i < w->n; i++)
        any |= w->tracks[i].fixed && !keeps_extents(&w->tracks[i], next->arrays[i]);
    for (uint32_t i = 0; any && i < w->n; i++) {
        track *t = &w->tracks[i];
        if (w->tries > 1 || !keeps_extents(t, next->arrays[i]))
            t->fixed = t->in_place = false;
    }
    return any;
}

/* What an extent that an array carries is in front of the loop; any other one itself. */
static k_id first_extent_of(const tracked *w, k_id extent)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->tracks[i].rank; k++)
            if (w->tracks[i].shape[k] == extent)
                return w->tracks[i].start[k];
    return extent;
}

/* Whether the first step of the host shows that arrays keep the extents which it was to carry. */
static bool finds_kept(lowering *L, tracked *w, const state_parts *next)
{
    bool any = false;
    for (uint32_t i = 0; i < w->n && w->tries == 1 && lower_is_host(L); i++) {
        track *t = &w->tracks[i];
        bool kept = !t->fixed && !t->grows && next->arrays[i]->rank == t->rank;
        for (uint32_t k = 0; k < t->rank && kept; k++)
            kept = first_extent_of(w, next->arrays[i]->shape[k]) == t->start[k];
        t->fixed = t->fixed || kept;
        any |= kept;
    }
    if (any)
        L->grown.len = w->grown; /* what grew may not, now that more is known */
    return any;
}

bool lower_has_grown(const lowering *L, const tracked *w, uint32_t array)
{
    bool grown = false;
    for (uint32_t i = 0; i < L->grown.len && !grown; i += 2)
        grown = L->grown.at[i] == w->code->step && L->grown.at[i + 1] == array;
    return grown;
}

static void note_growth(lowering *L, const tracked *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->tracks[i].grows && !lower_has_grown(L, w, i) &&
            !(vec_push(&L->m->cx->mem, &L->grown, w->code->step) && vec_push(&L->m->cx->mem, &L->grown, i)))
            L->failed = true;
}

/* Whether an array is found that may grow, is let, and is not taken for such yet.  What is known of
 * the others follows from what is known of it, so that each may be found later; the third time all
 * that could are. */
static bool finds_growth(lowering *L, tracked *w, const state_parts *next)
{
    bool any = false;
    for (uint32_t i = 0; i < w->n && w->code->grows && lower_is_host(L); i++) {
        track *t = &w->tracks[i];
        const sv *p = next->arrays[i];
        bool least = t->fixed || t->grows || p->level != LEVEL_GRID;
        for (uint32_t k = 0; k < t->rank && !least && !t->grows; k++)
            t->grows = !ka_not_above(&L->b, p->shape[k], t->shape[k]);
        any |= !least && t->grows;
    }
    for (uint32_t i = 0; any && i < w->n && w->tries > 2; i++)
        w->tracks[i].grows |= !w->tracks[i].fixed && next->arrays[i]->level == LEVEL_GRID;
    if (any)
        note_growth(L, w);
    return any;
}

/* Whether a number of the state is found to count turns, and is not taken for such yet. */
static bool finds_counter(const lowering *L, const tracked *w, const state_parts *next)
{
    const k_node *n = k_at(L->b.p, w->stmt);
    k_id now = k_block_at(L->b.p, n->blocks[0])->params + n->nresults + (w->code->times != 0) -
               w->start->nscalars;
    bool any = false;
    for (uint32_t i = 0; i < w->start->nscalars; i++) {
        bool counts = lower_is_counter(L, w->code, w->start->scalars[i], now + i, next->scalars[i]);
        any |= counts && !w->counts[i];
        w->counts[i] |= counts;
    }
    return any;
}

/* Whether the extents that are carried are at least what was stated of them: see loop/lengths.c.
 */
static bool keeps_least(lowering *L, tracked *w, const state_parts *next)
{
    bool all = true;
    for (uint32_t i = 0; i < w->n; i++) {
        track *t = &w->tracks[i];
        const k_id *shape = next->arrays[i]->shape;
        t->stays = !t->fixed && t->rank == 1 && !t->grows &&
                   lower_keeps_least(L, w->go, t->shape[0], shape, 1, &(int64_t){1});
        if (!t->fixed)
            all &= lower_keeps_least(L, w->go, t->shape[0], shape, t->rank, t->least);
    }
    return all;
}

bool lower_learns_of_step(lowering *L, tracked *w, const state_parts *next)
{
    bool counts = finds_counter(L, w, next);
    return gives_up_fixed(w, next) || finds_kept(L, w, next) || !keeps_least(L, w, next) || finds_growth(L, w, next) ||
           counts;
}

bool lower_leaves_start(const tracked *w, const state_parts *next)
{
    bool any = false;
    for (uint32_t i = 0; i < w->n; i++) {
        const track *t = &w->tracks[i];
        any |= t->adopted && !lower_lies_at(t, next->arrays[i], &t->dest, t->offset);
    }
    return any;
}

bool lower_learns_in_place(lowering *L, tracked *w, const state_parts *next)
{
    bool any = false;
    for (uint32_t i = 0; i < w->n; i++) {
        track *t = &w->tracks[i];
        if (t->in_place || t->lanes || t->grows)
            continue;
        bool updated = t->same && (t->updated || !lower_is_host(L)) && (t->fixed || w->tries < 2);
        areas two = {w->level, t->offset, t->first_size, t->fixed ? 0 : next->arrays[i]->shape[0]};
        if (!updated && ((!t->fixed && !t->shrinks) || lower_is_host(L) ||
                         !lower_updates_in_place(L, t->dest.tree, &two, w->stmt)))
            continue;
        t->fixed = t->fixed || updated;
        any = t->in_place = true;
    }
    return any;
}
