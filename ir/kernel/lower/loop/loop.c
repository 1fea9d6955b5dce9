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
#include "ir/kernel/lower/loop/track.h"

#include "ir/properties.h"

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
static uint32_t number_carried(tracked *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        w->tracks[i].from = n;
        n += carried_by(&w->tracks[i]);
    }
    return n;
}

/* A list of carried values for the loop: of each array what it carries, then scalars. */
static void arrayscarried(const tracked *w, const handed *arrays, const k_id *scalars, k_id *list)
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

static k_id *carried_list(lowering *L, const tracked *w, uint32_t *n)
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
static const sv *current_state(lowering *L, const tracked *w, k_id first_scalar)
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
static const sv *open_loop(lowering *L, tracked *w)
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
static void end_step(lowering *L, const tracked *w)
{
    const k_node *n = k_at(L->b.p, w->stmt);
    uint32_t tested = n->op == K_WHILE ? k_highest_sync(L->b.p, n->blocks[0]) : 0;
    uint32_t stepped = k_highest_sync(L->b.p, n->blocks[n->op == K_WHILE]);
    uint32_t most = tested > stepped ? tested : stepped;
    if (!w->tracks[0].lanes || most)
        lower_sync_after(L, most > w->level ? most : w->level);
}

/* Writes all arrays of the next state; the values to be carried on.  NULL after a failure. */
static k_id *write_arrays(lowering *L, tracked *w, const state_parts *next)
{
    uint32_t n;
    handed *to = ARENA_ARRAY(&L->a, handed, w->n + 1);
    if (!to)
        return NULL;
    lower_place_arrays(L, w, next, to);
    k_id *list = carried_list(L, w, &n);
    if (list && !lower_failed(L))
        arrayscarried(w, to, next->scalars, list);
    return list;
}

/* The step, whose array may be made where it is to go. */
static bool run_step(lowering *L, const tracked *w, const sv *state, state_parts *next)
{
    const track *t = w->tracks;
    const state_room *outer = L->room;
    state_room room = {.dest = lower_other_memory(&w->tracks[0]), .shape = t->shape, .rank = t->rank};
    if (w->n == 1 && !t->grows && (room.maker = lower_state_maker(L, w->code)))
        room.offset = lower_other_area(&L->b, t);
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
static void begin_pairs(lowering *L, tracked *w)
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
static void write_first(lowering *L, tracked *w)
{
    uint32_t n = 0;
    written *arrays = ARENA_ARRAY(&L->a, written, w->n + 1);
    for (uint32_t i = 0; arrays && i < w->n; i++) {
        track *t = &w->tracks[i];
        if (L->measuring && !t->dest.tree)
            t->dest.tree = lower_memory_tree(L, &t->dest, t->elem);
        if (!t->dest.tree)
            arrays[n++] = (written){w->start->arrays[i], &t->dest, t->zero, 0};
    }
    if (arrays)
        lower_emit_together(L, arrays, n);
    if (!w->tracks[0].lanes)
        lower_sync_after(L, w->level);
}

/* What was adopted is copied after all. */
static void part_from_start(lowering *L, tracked *w)
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

/* Whether a step of the host may tell of arrays that they keep their extents, or grow, which is most of what there is to learn. */
static bool may_learn(const lowering *L, const tracked *w)
{
    bool any = false;
    for (uint32_t i = 0; i < w->n; i++)
        any |= !w->tracks[i].fixed && !w->tracks[i].grows;
    return any && lower_is_host(L) && !L->measuring;
}

/* A step for what it tells alone. */
static void measure_step(lowering *L, tracked *w)
{
    state_parts next;
    begin_pairs(L, w);
    L->measuring = true;
    const sv *state = open_loop(L, w);
    w->tries++;
    if (!lower_failed(L) && run_step(L, w, state, &next))
        lower_learns_of_step(L, w, &next);
    kb_discard(&L->b);
    L->measuring = false;
}

/* The whole loop.  False, with everything dropped, when what w says of it turns out too much or too
 * little. */
static bool emit_loop(lowering *L, tracked *w)
{
    state_parts next;
    if (w->tries == 0 && may_learn(L, w))
        measure_step(L, w);
    begin_pairs(L, w);
    const sv *state = open_loop(L, w);
    w->tries++;
    if (lower_failed(L) || !run_step(L, w, state, &next))
        return true;
    if (lower_leaves_start(w, &next)) {
        kb_discard(&L->b);
        part_from_start(L, w);
        return false;
    }
    if (lower_learns_of_step(L, w, &next)) {
        kb_discard(&L->b);
        return false;
    }
    k_id *yield = write_arrays(L, w, &next);
    if (!yield || lower_failed(L))
        return true;
    end_step(L, w);
    if (lower_learns_in_place(L, w, &next)) {
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
static bool loop_fits_lanes(lowering *L, tracked w)
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
static void adopt(lowering *L, const tracked *w, uint32_t i)
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
static bool begin_track(lowering *L, const tracked *w, track *t, const sv *p, ir_type elem)
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
static bool begin_loop(lowering *L, tracked *w)
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
        t->grows = !t->fixed && lower_has_grown(L, w, i);
        t->in_place = t->fixed && t->lanes;
        adopt(L, w, i);
    }
    write_first(L, w);
    return !lower_failed(L);
}

/* An array after the loop: no longer than the one before it, unless it grows. */
static const sv *result_array(lowering *L, const tracked *w, const track *t)
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

static const sv *loop_result(lowering *L, tracked *w)
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
static const sv *unrolled(lowering *L, tracked *w)
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

static const sv *memory_loop(lowering *L, const state_loop *code, const state_parts *s)
{
    tracked w = {.code = code, .start = s, .n = s->narrays, .level = s->arrays[0]->level, .grown = L->grown.len};
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

const sv *lower_memory_loop(lowering *L, const state_loop *code, const state_parts *s)
{
    L->loops++;
    const sv *r = memory_loop(L, code, s);
    if (--L->loops == 0)
        L->grown.len = 0;
    return r;
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
