/* Where the arrays of the next round go: into the other area or memory, unless they are there already, or where another array of the
 * state was, which leaves that. */
#include "ir/kernel/lower/loop/track.h"

bool lower_lies_at(const track *t, const sv *p, const destination *d, k_id offset)
{
    const sv *a = p->src;
    bool same = p->form == PUSH_PULL && a->form == PULL_MEMORY && a->src == d->tree &&
                a->v == offset && a->pitch == d->pitch;
    for (uint32_t i = 0; i < t->rank && same; i++)
        same = p->shape[i] == t->shape[i];
    return same;
}

/* How many elements the array of every other round needs: 0, not less, where there is nobody who
 * could run the loop. */
static k_id area_for(k_builder *b, k_id count)
{
    k_id most = ka_upper(b, count);
    return most ? kb_max(b, most, kb_int(b, 0)) : 0;
}

k_id lower_other_area(k_builder *b, const track *t)
{
    return t->pair ? kb_int(b, 0) : kb_sub(b, t->first_size, t->offset);
}

destination *lower_other_memory(track *t)
{
    return t->pair ? &t->other : &t->dest;
}

/* The step's array goes into the other memory, unless it is what the step has got. */
static handed place_growing(lowering *L, track *t, const sv *p, written *to)
{
    t->same = t->stands = lower_lies_at(t, p, &t->dest, t->offset);
    for (uint32_t i = 0; i < t->rank; i++)
        t->kept[i] = false;
    *to = (written){.array = t->same ? NULL : p, .dest = &t->other, .offset = kb_int(&L->b, 0)};
    if (t->same)
        return (handed){t->g.spare, p->shape, t->g.room};
    k_id room = lower_room_for(L, &t->other, t->g.spare, p->shape, t->rank);
    return (handed){t->g.room, p->shape, room};
}

/* The step's array goes into the other area: to be written, unless it lies there; and its
 * extents. */
static handed place_array(lowering *L, track *t, const sv *p, written *to)
{
    k_builder *b = &L->b;
    k_id shape[MAX_RANK];
    if (t->grows)
        return place_growing(L, t, p, to);
    k_id before = lower_shape_count(L, t->shape, t->rank),
         now = lower_shape_count(L, p->shape, p->rank);
    bool proved = t->fixed || (t->rank == 1 && ka_not_above(&L->b, now, before));
    for (uint32_t i = 0; i < t->rank && !t->fixed; i++)
        lower_check_growth(L, p->shape[i], t->shape[i]);
    t->shrinks = proved && !t->fixed;
    bool tight =
        proved && !lower_is_host(L) && !t->dest.pitch; /* a box needs its rows up to the last one */
    k_id need = tight ? area_for(b, now) : 0;
    t->same = lower_lies_at(t, p, &t->dest, t->offset);
    t->stands = t->in_place || t->lanes || t->same;
    *to = (written){.array = t->same ? NULL : p, .dest = t->stands ? &t->dest : lower_other_memory(t)};
    to->offset = t->stands ? t->offset : lower_other_area(b, t);
    if (!t->stands && lower_lies_at(t, p, to->dest, to->offset)) /* made there: loop/room.c */
        to->array = NULL;
    to->limit = proved ? 0 : t->first_size;
    t->other_size = t->in_place ? kb_int(b, 0) : need ? need : t->first_size;
    for (uint32_t i = 0; i < t->rank; i++) {
        t->kept[i] = p->shape[i] == t->shape[i];
        shape[i] = proved ? p->shape[i] : kb_min(b, p->shape[i], t->shape[i]);
    }
    return (handed){.offset = to->offset, .shape = sv_ids(L, shape, t->rank)};
}

/* Whether an array of the next state is what was another one of this round, in a memory as large, which that leaves. */
static bool takes_over(const tracked *w, const state_parts *next, uint32_t i, uint32_t from)
{
    const track *t = &w->tracks[i], *u = &w->tracks[from];
    return i != from && t->pair && t->fixed && u->fixed && !t->grows && !u->grows && t->elem == u->elem &&
           t->first_size == u->first_size && lower_lies_at(t, next->arrays[i], &u->dest, u->offset) &&
           !lower_lies_at(u, next->arrays[from], &u->dest, u->offset);
}

/* Where the next array number i is behind the round: lower_change_places. */
static uint32_t memory_of(const tracked *w, const state_parts *next, uint32_t i, bool *taken)
{
    for (uint32_t from = 0; from < w->n; from++)
        if (!taken[from] && takes_over(w, next, i, from)) {
            taken[from] = true;
            return from;
        }
    return w->tracks[i].stands ? i : w->n + i;
}

/* At the end of a round of the host. */
static void change_places(lowering *L, const tracked *w, const uint32_t *where)
{
    const sv **trees = ARENA_ARRAY(&L->a, const sv *, 2 * w->n);
    for (uint32_t i = 0; trees && i < w->n; i++) {
        trees[i] = w->tracks[i].dest.tree;
        trees[w->n + i] = w->tracks[i].other.tree;
    }
    if (trees)
        lower_change_places(L, trees, where, w->n);
}

void lower_place_arrays(lowering *L, tracked *w, const state_parts *next, handed *to)
{
    uint32_t moved = 0, *where = ARENA_ARRAY(&L->a, uint32_t, w->n + 1);
    written *arrays = ARENA_ARRAY(&L->a, written, w->n + 1);
    bool *taken = ARENA_ARRAY(&L->a, bool, w->n + 1);
    if (!arrays || !where || !taken)
        return;
    for (uint32_t i = 0; i < w->n; i++) {
        to[i] = place_array(L, &w->tracks[i], next->arrays[i], &arrays[moved]);
        where[i] = memory_of(w, next, i, taken);
        moved += arrays[moved].array != NULL && (w->tracks[i].stands || where[i] >= w->n);
    }
    if (!L->measuring)
        lower_emit_together(L, arrays, moved);
    if (w->tracks[0].pair)
        change_places(L, w, where);
}
