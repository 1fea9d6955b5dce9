/* Lowering of loops whose state has arrays in memory: while, repeat, mapaccum.
 *
 * Every array of the state keeps two areas in one allocation: a round reads one and writes the
 * other.  One barrier ends the round for all of them.  What the loop carries is, for each array,
 * the offset of the current area and the extents, and then the scalars of the state.  Arrays of a loop
 * of the host have two memories in place of two areas, which change places at the end of a round
 * (loop/pair.c): the array is always in the same one, from its beginning on, which is the program's
 * result then where the loop gives that.  Most of what is carried
 * turns out not to be needed, which is seen in the lowered step: extents that the step leaves as
 * they are are not carried, and an array whose step could as well write where it reads
 * (loop/in_place.c) has one area.  Then the step is lowered again, with what is known now.
 *
 * An array that fits the registers of a warp's lanes (loop/lanes.c) needs neither barrier nor
 * second area: each lane reads what it needs of a round before it writes its element of the next.
 * That is so only where it is the state's one array, as others would be read after it is written.
 *
 * Where an array of the grid is let grow (the property `grows`), and is not seen to stay or shrink, the
 * other memory gets more room where it has too little (loop/grown.c).
 */
#include "ir/kernel/lower/loop/loop.h"

#include "ir/properties.h"

/* An array of the state. */
typedef struct track {
    uint32_t rank;
    ir_type elem;
    destination dest;
    k_id first_size, other_size; /* elements of the two areas */
    k_id zero;                   /* the first offset: of an array that is adopted, where that lies */
    const k_id *start;           /* extents of the first array */
    k_id most[MAX_RANK];         /* each extent's bound: none may grow */
    bool fixed;                  /* the step leaves the extents as they are: they are not carried */
    bool shrinks;                /* of rank 1: the step's array is seen to be no longer */
    bool in_place;               /* it needs no other area */
    bool same;                   /* the step hands it on, in the memory where it was */
    bool stands;                 /* the step's array lies where this round has read it */
    bool updated;                /* an update overwrites it */
    bool lanes;                  /* in registers: the offset stays 0 */
    bool kept[MAX_RANK];         /* the step leaves the extent as it is */
    bool adopted;                /* in the memory of the array that it begins with */
    bool pair;                   /* it has two memories, `dest` and `other` */
    destination other;
    bool grows;                  /* `other` gets more room where a round needs it */
    growing g;
    int64_t least[MAX_RANK];     /* each extent is at least that in every round: 0 or 1 */
    bool stays;                  /* of rank 1: what is not empty stays so */
    uint32_t from;               /* its first carried value */
    k_id offset;                 /* in this round; with the extents */
    const k_id *shape;
} track;

/* What an array hands on to the next round, where it carries it. */
typedef struct handed {
    k_id offset; /* of one that grows: the room of the other memory */
    const k_id *shape;
    k_id room; /* of one that grows: that of its own memory */
} handed;

typedef struct loop {
    const state_loop *code;
    const state_parts *start;
    track *tracks;
    bool *counts;      /* which of the state's scalars are seen to count turns (loop/counters.c) */
    uint32_t n, level; /* tracks; the level of their arrays */
    uint32_t tries;    /* lowerings of the step so far */
    bool tried;        /* whether the rounds are known (loop/unrolled.c) */
    k_id stmt, go;     /* the condition; 0: a repeat */
} loop;

/* ---- what is carried ---- */

/* Where an array lies that carries no offset. */
static k_id resting_place(lowering *L, const track *t)
{
    return t->adopted ? t->zero : kb_int(&L->b, 0);
}

/* Whether its rounds read now here, now there. */
static bool has_offset(const track *t)
{
    return !t->in_place && !t->pair;
}

/* The offset comes first, or the room of the other memory, then the extents. */
static uint32_t first_extent(const track *t)
{
    return has_offset(t) || t->grows;
}

static uint32_t carried_by(const track *t)
{
    return first_extent(t) + (t->fixed ? 0 : t->rank) + t->grows;
}

/* Numbers the carried values; how many the arrays have. */
static uint32_t number_carried(loop *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        w->tracks[i].from = n;
        n += carried_by(&w->tracks[i]);
    }
    return n;
}

/* A list of carried values for the loop: of each array what it carries, then scalars. */
static void arrayscarried(const loop *w, const handed *arrays, const k_id *scalars, k_id *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const track *t = &w->tracks[i];
        if (first_extent(t))
            list[n++] = arrays[i].offset;
        for (uint32_t k = 0; !t->fixed && k < t->rank; k++)
            list[n++] = arrays[i].shape[k];
        if (t->grows)
            list[n++] = arrays[i].room;
    }
    for (uint32_t i = 0; i < w->start->nscalars; i++)
        list[n++] = scalars[i];
}

static k_id *carried_list(lowering *L, const loop *w, uint32_t *n)
{
    *n = w->start->nscalars;
    for (uint32_t i = 0; i < w->n; i++)
        *n += carried_by(&w->tracks[i]);
    return ARENA_ARRAY(&L->a, k_id, *n + 1);
}

/* What is known of extents (consecutive nodes) that may grow, and of rooms. */
static void bound_growing(lowering *L, const track *t, k_id first)
{
    for (uint32_t i = 0; i < t->rank + 2; i++) {
        bool room = i == 0 || i > t->rank, wide = k_at(L->b.p, first + i)->type == ST_I64;
        k_state_range(L->b.p, first + i, room ? 0 : t->least[i - 1],
                      wide ? MAX_ELEMENTS : MAX_EXTENT);
    }
}

/* Any other array only shrinks: what is known of offset and extents (consecutive nodes) while the
 * loop runs, and after it. */
static void bound_values(lowering *L, const track *t, k_id first)
{
    k_program *p = L->b.p;
    int64_t size = k_hi(p, t->first_size);
    if (t->grows) {
        bound_growing(L, t, first);
        return;
    }
    for (uint32_t k = 0; k < carried_by(t); k++) {
        uint32_t i = k + 1 - first_extent(t); /* 0: the offset */
        k_id v = first + k, bound = i > 0 ? t->most[i - 1] : 0;
        int64_t most = size;
        if (i > 0 && t->rank > 1) /* 1000 x 0 has no elements */
            most = bound ? k_hi(p, bound) : MAX_EXTENT;
        int64_t top = k_at(p, v)->type == ST_I64 ? MAX_ELEMENTS : MAX_EXTENT;
        if (bound && k_hi(p, bound) < most)
            most = k_hi(p, bound);
        k_state_range(p, v, i > 0 ? t->least[i - 1] : 0, most < top ? most : top);
        k_state_bound(p, v, bound);
    }
}

/* ---- a round ---- */

static const sv *array_of(lowering *L, const track *t, k_id offset, const k_id *shape)
{
    const sv *a = lower_memory_array(L, &t->dest, offset, shape, t->rank, t->elem);
    if (t->grows)
        a = lower_sized_array(L, a);
    return lower_marked(L, a, t->updated);
}

/* The state that the loop has in a round; its scalars are consecutive nodes. */
static const sv *current_state(lowering *L, const loop *w, k_id first_scalar)
{
    const sv **arrays = ARENA_ARRAY(&L->a, const sv *, w->n + 1);
    k_id *scalars = ARENA_ARRAY(&L->a, k_id, w->start->nscalars + 1);
    if (!arrays || !scalars)
        return sv_none();
    for (uint32_t i = 0; i < w->n; i++)
        arrays[i] = array_of(L, &w->tracks[i], w->tracks[i].offset, w->tracks[i].shape);
    for (uint32_t i = 0; i < w->start->nscalars; i++)
        scalars[i] = first_scalar + i;
    return lower_state_with(L, w->start, arrays, scalars);
}

/* Opens the loop: the state of the round. */
static const sv *open_loop(lowering *L, loop *w)
{
    uint32_t n, first = w->code->times != 0, arrays = number_carried(w);
    k_id *init = carried_list(L, w, &n);
    handed *list = ARENA_ARRAY(&L->a, handed, w->n + 1);
    if (!init || !list)
        return sv_none();
    for (uint32_t i = 0; i < w->n; i++) {
        const track *t = &w->tracks[i];
        list[i] = (handed){t->grows ? t->g.first : t->zero, t->start, t->g.first};
    }
    arrayscarried(w, list, w->start->scalars, init);
    w->stmt = lower_open_rounds(L, w->code, init, n);
    for (uint32_t i = 0; i < w->n && !lower_failed(L); i++) {
        track *t = &w->tracks[i];
        k_id shape[MAX_RANK], own = kb_param(&L->b, w->stmt, first + t->from);
        bound_values(L, t, own);
        t->offset = !has_offset(t) || t->lanes ? resting_place(L, t) : own;
        t->g.spare = own;
        t->g.room = own + t->rank + 1;
        for (uint32_t k = 0; k < t->rank; k++)
            shape[k] = t->fixed ? t->start[k] : own + first_extent(t) + k;
        t->shape = sv_ids(L, shape, t->rank);
    }
    if (lower_failed(L))
        return sv_none();
    k_id scalars = kb_param(&L->b, w->stmt, first + arrays);
    for (uint32_t i = 0; i < w->start->nscalars; i++)
        if (w->counts[i])
            lower_state_counter(L, w->code, scalars + i);
    const sv *state = current_state(L, w, scalars);
    w->go = lower_test_round(L, w->code, state);
    return state;
}

/* Arrays that the condition or the step forces are overwritten in the next round, as are the areas
 * of the state. */
static void end_step(lowering *L, const loop *w)
{
    const k_node *n = k_at(L->b.p, w->stmt);
    uint32_t tested = n->op == K_WHILE ? k_highest_sync(L->b.p, n->blocks[0]) : 0;
    uint32_t stepped = k_highest_sync(L->b.p, n->blocks[n->op == K_WHILE]);
    uint32_t most = tested > stepped ? tested : stepped;
    if (!w->tracks[0].lanes || most)
        lower_sync_after(L, most > w->level ? most : w->level);
}

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
static bool gives_up_fixed(loop *w, const state_parts *next)
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
static k_id first_extent_of(const loop *w, k_id extent)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->tracks[i].rank; k++)
            if (w->tracks[i].shape[k] == extent)
                return w->tracks[i].start[k];
    return extent;
}

/* Whether the first step of the host shows that arrays keep the extents which it was to carry. */
static bool finds_kept(const lowering *L, loop *w, const state_parts *next)
{
    bool any = false;
    for (uint32_t i = 0; i < w->n && w->tries == 1 && lower_is_host(L); i++) {
        track *t = &w->tracks[i];
        bool kept = !t->fixed && next->arrays[i]->rank == t->rank;
        for (uint32_t k = 0; k < t->rank && kept; k++) {
            kept = first_extent_of(w, next->arrays[i]->shape[k]) == t->start[k];
        }
        t->fixed = t->fixed || kept;
        any |= kept;
    }
    return any;
}

/* Whether an array is found that may grow, is let, and is not taken for such yet.  What is known of
 * the others follows from what is known of it, so that each may be found later; the third time all
 * that could are. */
static bool finds_growth(lowering *L, loop *w, const state_parts *next)
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
    return any;
}

/* Whether a number of the state is found to count turns, and is not taken for such yet. */
static bool finds_counter(const lowering *L, const loop *w, const state_parts *next)
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
static bool keeps_least(lowering *L, loop *w, const state_parts *next)
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

/* Whether the array that the step hands on is in a memory of the state, from an offset on. */
static bool lies_at(const track *t, const sv *p, const destination *d, k_id offset)
{
    const sv *a = p->src;
    bool same = p->form == PUSH_PULL && a->form == PULL_MEMORY && a->src == d->tree &&
                a->v == offset && a->pitch == d->pitch;
    for (uint32_t i = 0; i < t->rank && same; i++)
        same = p->shape[i] == t->shape[i];
    return same;
}

/* Whether an array that has been adopted turns out not to stay where it is.  Then all get memory of their own. */
static bool gives_up_adopted(const loop *w, const state_parts *next)
{
    bool any = false;
    for (uint32_t i = 0; i < w->n; i++) {
        const track *t = &w->tracks[i];
        any |= t->adopted && !lies_at(t, next->arrays[i], &t->dest, t->offset);
    }
    return any;
}

/* How many elements the array of every other round needs: 0, not less, where there is nobody who
 * could run the loop. */
static k_id area_for(k_builder *b, k_id count)
{
    k_id most = ka_upper(b, count);
    return most ? kb_max(b, most, kb_int(b, 0)) : 0;
}

/* Where the step's array begins in the memory that it goes to. */
static k_id other_area(k_builder *b, const track *t)
{
    return t->pair ? kb_int(b, 0) : kb_sub(b, t->first_size, t->offset);
}

static destination *other_memory(track *t)
{
    return t->pair ? &t->other : &t->dest;
}

/* The step's array goes into the other memory, unless it is what the step has got. */
static handed place_growing(lowering *L, track *t, const sv *p, written *to)
{
    t->same = t->stands = lies_at(t, p, &t->dest, t->offset);
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
    t->same = lies_at(t, p, &t->dest, t->offset);
    t->stands = t->in_place || t->lanes || t->same;
    *to = (written){.array = t->same ? NULL : p, .dest = t->stands ? &t->dest : other_memory(t)};
    to->offset = t->stands ? t->offset : other_area(b, t);
    if (!t->stands && lies_at(t, p, to->dest, to->offset)) /* made there: loop/room.c */
        to->array = NULL;
    to->limit = proved ? 0 : t->first_size;
    t->other_size = t->in_place ? kb_int(b, 0) : need ? need : t->first_size;
    for (uint32_t i = 0; i < t->rank; i++) {
        t->kept[i] = p->shape[i] == t->shape[i];
        shape[i] = proved ? p->shape[i] : kb_min(b, p->shape[i], t->shape[i]);
    }
    return (handed){.offset = to->offset, .shape = sv_ids(L, shape, t->rank)};
}

/* Whether the lowered step says of more arrays that one area is enough. */
static bool finds_in_place(lowering *L, loop *w, const state_parts *next)
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

/* Whether an array of the next state is what was another one of this round, in a memory as large, which that leaves. */
static bool takes_over(const loop *w, const state_parts *next, uint32_t i, uint32_t from)
{
    const track *t = &w->tracks[i], *u = &w->tracks[from];
    return i != from && t->pair && t->fixed && u->fixed && !t->grows && !u->grows && t->elem == u->elem &&
           t->first_size == u->first_size && lies_at(t, next->arrays[i], &u->dest, u->offset) &&
           !lies_at(u, next->arrays[from], &u->dest, u->offset);
}

/* Where the next array number i is behind the round: lower_change_places. */
static uint32_t memory_of(const loop *w, const state_parts *next, uint32_t i, bool *taken)
{
    for (uint32_t from = 0; from < w->n; from++)
        if (!taken[from] && takes_over(w, next, i, from)) {
            taken[from] = true;
            return from;
        }
    return w->tracks[i].stands ? i : w->n + i;
}

/* At the end of a round of the host. */
static void change_places(lowering *L, const loop *w, const uint32_t *where)
{
    const sv **trees = ARENA_ARRAY(&L->a, const sv *, 2 * w->n);
    for (uint32_t i = 0; trees && i < w->n; i++) {
        trees[i] = w->tracks[i].dest.tree;
        trees[w->n + i] = w->tracks[i].other.tree;
    }
    if (trees)
        lower_change_places(L, trees, where, w->n);
}

/* Writes all arrays of the next state; the values to be carried on.  NULL after a failure. */
static k_id *write_arrays(lowering *L, loop *w, const state_parts *next)
{
    uint32_t n, moved = 0, *where = ARENA_ARRAY(&L->a, uint32_t, w->n + 1);
    handed *to = ARENA_ARRAY(&L->a, handed, w->n + 1);
    written *arrays = ARENA_ARRAY(&L->a, written, w->n + 1);
    bool *taken = ARENA_ARRAY(&L->a, bool, w->n + 1);
    if (!to || !arrays || !where || !taken)
        return NULL;
    for (uint32_t i = 0; i < w->n; i++) {
        to[i] = place_array(L, &w->tracks[i], next->arrays[i], &arrays[moved]);
        where[i] = memory_of(w, next, i, taken);
        moved += arrays[moved].array != NULL && (w->tracks[i].stands || where[i] >= w->n);
    }
    lower_emit_together(L, arrays, moved);
    if (w->tracks[0].pair)
        change_places(L, w, where);
    k_id *list = carried_list(L, w, &n);
    if (list && !lower_failed(L))
        arrayscarried(w, to, next->scalars, list);
    return list;
}

/* The step, whose array may be made where it is to go. */
static bool run_step(lowering *L, const loop *w, const sv *state, state_parts *next)
{
    const track *t = w->tracks;
    const state_room *outer = L->room;
    state_room room = {.dest = other_memory(&w->tracks[0]), .shape = t->shape, .rank = t->rank};
    if (w->n == 1 && !t->grows && (room.maker = lower_state_maker(L, w->code)))
        room.offset = other_area(&L->b, t);
    L->room = &room;
    bool ok = lower_run_round(L, w->code, kb_param(&L->b, w->stmt, 0), state, next);
    L->room = outer;
    return ok;
}

/* The areas' sizes are known only when the step has been lowered: the allocations made before are
 * given them here. */
static void patch_sizes(lowering *L, const sv *tree, k_id size)
{
    if (!tree)
        return;
    if (tree->kind == SV_SCALAR)
        k_at(L->b.p, tree->v)->args[0] = size;
    for (uint32_t i = 0; tree->kind == SV_TUPLE && i < tree->n; i++)
        patch_sizes(L, tree->items[i], size);
}

/* In front of the loop: the other memories, and the rooms of arrays that have been found to grow. */
static void begin_pairs(lowering *L, loop *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        track *t = &w->tracks[i];
        if (t->pair && !t->other.tree && !lower_failed(L))
            lower_begin_pair(L, &t->dest, &t->other, t->elem);
        if (t->grows && !t->g.first && !lower_failed(L))
            t->g.first = lower_first_room(L, t->first_size, t->rank);
    }
}

static k_id own_zero(k_builder *b, const track *t)
{
    return kb_convert(b, (scalar)k_at(b->p, t->first_size)->type, kb_int(b, 0));
}

/* Writes the first arrays that have no memory yet. */
static void write_first(lowering *L, loop *w)
{
    uint32_t n = 0;
    written *arrays = ARENA_ARRAY(&L->a, written, w->n + 1);
    for (uint32_t i = 0; arrays && i < w->n; i++)
        if (!w->tracks[i].dest.tree)
            arrays[n++] = (written){w->start->arrays[i], &w->tracks[i].dest, w->tracks[i].zero, 0};
    if (arrays)
        lower_emit_together(L, arrays, n);
    if (!w->tracks[0].lanes)
        lower_sync_after(L, w->level);
}

/* What was adopted is copied after all. */
static void part_from_start(lowering *L, loop *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        track *t = &w->tracks[i];
        if (!t->adopted)
            continue;
        t->adopted = t->in_place = false;
        t->dest.tree = NULL;
        t->zero = own_zero(&L->b, t);
    }
    w->tries = 0;
    write_first(L, w);
}

/* The whole loop.  False, with everything dropped, when what w says of it turns out too much or too
 * little. */
static bool emit_loop(lowering *L, loop *w)
{
    state_parts next;
    begin_pairs(L, w);
    const sv *state = open_loop(L, w);
    w->tries++;
    if (lower_failed(L) || !run_step(L, w, state, &next))
        return true;
    if (gives_up_adopted(w, &next)) {
        kb_discard(&L->b);
        part_from_start(L, w);
        return false;
    }
    bool counts = finds_counter(L, w, &next);
    if (gives_up_fixed(w, &next) || finds_kept(L, w, &next) || !keeps_least(L, w, &next) ||
        finds_growth(L, w, &next) || counts) {
        kb_discard(&L->b);
        return false;
    }
    k_id *yield = write_arrays(L, w, &next);
    if (!yield || lower_failed(L))
        return true;
    end_step(L, w);
    if (finds_in_place(L, w, &next)) {
        kb_discard(&L->b);
        return false;
    }
    uint32_t n = number_carried(w) + w->start->nscalars;
    kb_close(&L->b, yield, n);
    return true;
}

/* ---- before and after ---- */

/* Whether the array that the loop begins with fits lanes and each step's is written by them: found
 * by lowering a step and dropping the code.  Loops inside it are not looked into then, so that the
 * time stays linear. */
static bool loop_fits_lanes(lowering *L, loop w)
{
    track t = w.tracks[0];
    state_parts next;
    if (L->trying || w.n != 1 || w.code->updated || !lower_fits_lanes(L, w.start->arrays[0]))
        return false;
    L->trying = true;
    w.tracks = &t;
    lower_destination_init(L, &t.dest, w.level, t.first_size);
    t.dest.tree = lower_memory_tree(L, &t.dest, t.elem);
    const sv *state = open_loop(L, &w);
    bool ok = lower_run_round(L, w.code, kb_param(&L->b, w.stmt, 0), state, &next) &&
              lower_written_by_lanes(L, next.arrays[0]);
    kb_discard(&L->b);
    L->trying = false;
    return ok;
}

/* In i64 the sum is exact; in i32 too many are the greatest int, which no memory takes. */
static k_id two_areas(k_builder *b, k_id x, k_id y)
{
    return k_at(b->p, x)->type == ST_I64 ? kb_add(b, x, y) : kb_saturate(b, SOP_ADD, x, y);
}

/* An array that the loop begins with, which nobody else reads, is worked on where it is. */
static void adopt(lowering *L, const loop *w, uint32_t i)
{
    track *t = &w->tracks[i];
    destination d = t->dest;
    if (lower_is_host(L) || t->lanes || d.pitch || !lower_gives_up(L, w->code, i) ||
        !lower_take_memory(L, w->start->arrays[i]->src, &d, &t->zero))
        return;
    t->dest.tree = d.tree;
    t->adopted = t->in_place = true;
}

/* Memory for an array of the state: two memories or areas of the first array's size, until more is known. */
static bool begin_track(lowering *L, const loop *w, track *t, const sv *p, ir_type elem)
{
    k_builder *b = &L->b;
    *t = (track){.rank = p->rank, .start = p->shape, .elem = elem, .updated = w->code->updated};
    if (!lower_destination_for(L, &t->dest, p, w->code->what))
        return false;
    t->first_size = t->dest.size;
    t->pair = lower_is_host(L);
    if (!t->pair)
        t->dest.size = two_areas(b, t->first_size, t->first_size);
    t->zero = own_zero(b, t);
    for (uint32_t i = 0; i < p->rank; i++) {
        t->most[i] = ka_upper(b, p->shape[i]);
        t->least[i] = k_lo(b->p, p->shape[i]) >= 1;
    }
    return true;
}

/* Writes the first arrays. */
static bool begin_loop(lowering *L, loop *w)
{
    k_builder *b = &L->b;
    for (uint32_t i = 0; i < w->n; i++)
        if (!begin_track(L, w, &w->tracks[i], w->start->arrays[i], w->start->elems[i]))
            return false;
    if (loop_fits_lanes(L, *w)) {
        track *t = w->tracks;
        t->lanes = true;
        t->first_size = kb_int(b, (int32_t)k_hi(b->p, lower_shape_count(L, t->start, t->rank)));
        t->dest.size = t->first_size;
        t->dest.space = SPACE_LANES;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        track *t = &w->tracks[i];
        /* until the step says otherwise, which takes time at the host, where it has most of a program */
        t->fixed = !lower_is_host(L) || lower_has_constant_extents(L, w->start->arrays[i]) ||
                   lower_state_keeps(L, w->code, i);
        t->in_place = t->fixed && t->lanes;
        adopt(L, w, i);
    }
    write_first(L, w);
    return !lower_failed(L);
}

/* An array after the loop: no longer than the one before it, unless it grows. */
static const sv *result_array(lowering *L, const loop *w, const track *t)
{
    k_id shape[MAX_RANK], own = kb_result(&L->b, w->stmt, t->from),
                          offset = has_offset(t) ? own : resting_place(L, t);
    bound_values(L, t, own);
    for (uint32_t i = 0; i < t->rank; i++)
        shape[i] =
            t->kept[i] ? t->start[i]
                       : lower_extent_behind(L, w->go, t->shape[i], own + first_extent(t) + i);
    if (t->stays && k_hi(L->b.p, shape[0]) == 1) /* one element, or none from none */
        shape[0] = kb_min(&L->b, t->start[0], kb_int(&L->b, 1));
    return array_of(L, t, t->lanes ? t->offset : offset, sv_ids(L, shape, t->rank));
}

static const sv *loop_result(lowering *L, loop *w)
{
    const sv **arrays = ARENA_ARRAY(&L->a, const sv *, w->n + 1);
    k_id *scalars = ARENA_ARRAY(&L->a, k_id, w->start->nscalars + 1);
    uint32_t n = number_carried(w);
    if (!arrays || !scalars)
        return sv_none();
    for (uint32_t i = 0; i < w->n; i++) {
        const track *t = &w->tracks[i];
        if (!t->pair && !t->lanes && !t->adopted)
            patch_sizes(L, t->dest.tree, two_areas(&L->b, t->first_size, t->other_size));
        arrays[i] = result_array(L, w, t);
    }
    for (uint32_t i = 0; i < w->start->nscalars; i++) {
        scalars[i] = kb_result(&L->b, w->stmt, n + i);
        if (w->counts[i])
            lower_state_counted(L, w->code, scalars[i]);
    }
    return lower_failed(L) ? sv_none() : lower_state_with(L, w->start, arrays, scalars);
}

/* The loop without a loop, where the extents change, and are known in every round.  Then the first
 * arrays need one area. */
static const sv *unrolled(lowering *L, loop *w)
{
    const sv **arrays = ARENA_ARRAY(&L->a, const sv *, w->n + 1), *r;
    bool all_fixed = true;
    for (uint32_t i = 0; arrays && i < w->n; i++) {
        const track *t = &w->tracks[i];
        all_fixed = all_fixed && t->fixed;
        arrays[i] = array_of(L, t, resting_place(L, t), t->start);
    }
    bool tried = w->tried;
    w->tried = tried || !all_fixed;
    if (!arrays || all_fixed || tried || !(r = lower_unrolled_loop(L, w->code, w->start, arrays)))
        return NULL;
    for (uint32_t i = 0; i < w->n; i++)
        if (!w->tracks[i].adopted)
            patch_sizes(L, w->tracks[i].dest.tree, w->tracks[i].first_size);
    return r;
}

const sv *lower_memory_loop(lowering *L, const state_loop *code, const state_parts *s)
{
    loop w = {.code = code, .start = s, .n = s->narrays, .level = s->arrays[0]->level};
    w.tracks = ARENA_ARRAY(&L->a, track, w.n);
    w.counts = ARENA_ARRAY(&L->a, bool, s->nscalars + 1);
    if (!w.tracks || !w.counts || !begin_loop(L, &w))
        return sv_none();
    while (!emit_loop(L, &w) && !lower_failed(L)) {
        const sv *r = unrolled(L, &w);
        if (r)
            return r;
    }
    return lower_failed(L) ? sv_none() : loop_result(L, &w);
}

const sv *lower_any_loop(lowering *L, const state_loop *code, const sv *start)
{
    state_parts s;
    if (!lower_state_parts(L, start, code->type, &s))
        return sv_none();
    for (uint32_t i = 0; i < s.narrays; i++)
        if (!lower_may_force(L, s.arrays[i]->level, code->what))
            return sv_none();
    const sv *r = lower_scalar_loop(L, code, &s);
    return r ? r : lower_memory_loop(L, code, &s);
}

static bool may_grow(const lowering *L, ir_op o)
{
    return ir_property_number(L->m, (subject){ON_OP, o}, PROPERTY_GROWS, 0) > 0;
}

/* The condition is a block of the loop's own, run before each round by all threads of the level. */
const sv *lower_WHILE(lowering *L, frame *f, ir_op o)
{
    ir_region r = ir_op_at(L->m, o)->regions;
    state_loop code = {.cond = r, .step = r + 1, .env = f, .type = lower_state_type(L, f, r, 0)};
    code.what = "while";
    code.grows = may_grow(L, o);
    code.updated = lower_is_updated(L, ir_region_at(L->m, r + 1)->params) ||
                   lower_is_updated(L, ir_op_at(L->m, o)->result);
    return lower_any_loop(L, &code, lower_frame_value(L, f, ir_arg(L->m, o, 0)));
}

const sv *lower_REPEAT(lowering *L, frame *f, ir_op o)
{
    ir_region r = ir_op_at(L->m, o)->regions;
    state_loop code = {.step = r, .env = f, .type = lower_state_type(L, f, r, 1)};
    code.times = lower_frame_scalar(L, f, ir_arg(L->m, o, 0));
    code.what = "repeat";
    code.grows = may_grow(L, o);
    code.unordered = ir_property_number(L->m, (subject){ON_OP, o}, PROPERTY_UNORDERED, 0) > 0;
    code.updated = lower_is_updated(L, ir_region_at(L->m, r)->params + 1) ||
                   lower_is_updated(L, ir_op_at(L->m, o)->result);
    return lower_any_loop(L, &code, lower_frame_value(L, f, ir_arg(L->m, o, 1)));
}
