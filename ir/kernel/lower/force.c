/* Lowering of force and while: where arrays get memory.
 *
 * At the host a forced array is written by a launch of its own into global memory.  Inside a kernel
 * its memory follows its level: local memory for a block, a slice per warp, private memory for a
 * thread; a barrier of that level follows. A while keeps two areas in one allocation and writes the
 * one that the step does not read.  Both are laid out by the box of the first array, if it has one.
 *
 * An array that fits the registers of a warp's lanes (lower/lanes.c) needs neither barrier nor
 * second area: each lane reads what it needs of a round before it writes its element of the
 * next. */
#include "ir/kernel/lower/value.h"

void lower_destination_init(lowering *L, destination *d, uint32_t level, k_id size)
{
    static const k_space spaces[] = {SPACE_PRIVATE, SPACE_WARP, SPACE_LOCAL, SPACE_GLOBAL};
    *d = (destination){.depth = kb_depth(&L->b), .size = size};
    d->space = (uint8_t)(lower_is_host(L) ? SPACE_GLOBAL
                                          : spaces[level <= LEVEL_GRID ? level : LEVEL_GRID]);
}

const sv *lower_memory_tree(lowering *L, const destination *d, ir_type t)
{
    const type_node n = *ir_type_at(L->m, t);
    if (n.kind != TY_TUPLE)
        return sv_scalar(L, kb_alloc_at(&L->b, d->depth, (k_space)d->space,
                                        n.kind == TY_SCALAR ? (scalar)n.a : ST_I32, d->size));
    const sv **items = ARENA_ARRAY(&L->a, const sv *, n.n ? n.n : 1u);
    for (uint32_t i = 0; items && i < n.n; i++)
        items[i] = lower_memory_tree(L, d, type_item(L->m, t, i));
    return items ? sv_tuple(L, items, n.n) : sv_none();
}

/* A bound may be negative where nothing of the kind is ever made: that a loop variable is below
 * n - 1 is no reason to think that there is one. */
k_id lower_bounded_size(lowering *L, const k_id *shape, uint32_t rank, const char *what)
{
    k_id most[MAX_RANK] = {0}, n = 0;
    uint32_t known = 0;
    while (known < rank && (most[known] = ka_upper(&L->b, shape[known]))) {
        most[known] = kb_max(&L->b, most[known], kb_int(&L->b, 0));
        known++;
    }
    if (known == rank)
        n = lower_is_host(L) ? lower_shape_elements(L, most, rank)
                             : lower_shape_count(L, most, rank);
    if (!n && !lower_failed(L)) {
        lower_fail(L, DIAG_LOWER_UNBOUNDED,
                   "the size of the array that this %s needs cannot be bounded before the launch",
                   what);
        diag_hint(L->m->cx, "derive its length from the kernel's parameters, for example with min");
    }
    return n;
}

/* Whether the box can be known wherever the array is read, also behind the branch that forces
 * it. */
static bool lasts(const lowering *L, const k_id *box, uint32_t rank)
{
    int64_t known;
    for (uint32_t i = 1; i < rank; i++)
        if (!k_is_const(L->b.p, box[i], &known) && !kb_is_host(&L->b, box[i]))
            return false;
    return true;
}

bool lower_destination_for(lowering *L, destination *d, const sv *p, const char *what)
{
    k_id box[MAX_RANK];
    bool boxed =
        !lower_is_host(L) && lower_shape_box(L, p->shape, p->rank, box) && lasts(L, box, p->rank);
    const k_id *pitch = boxed ? sv_ids(L, box, p->rank) : NULL;
    k_id size = lower_bounded_size(L, pitch ? pitch : p->shape, p->rank, what);
    lower_destination_init(L, d, p->level, size);
    d->pitch = pitch;
    return !lower_failed(L);
}

/* All threads that run a level together can wait for one another only where they all are. */
bool lower_may_force(lowering *L, uint32_t level, const char *what)
{
    if (level <= L->level)
        return true;
    lower_fail(L, DIAG_LOWER_DIVERGENT,
               "this %s runs at %s level, inside code that runs at %s level", what,
               lower_height_name(L, level), lower_height_name(L, L->level));
    diag_hint(L->m->cx, "%s it outside the function that computes the elements or chunks", what);
    return false;
}

void lower_sync_after(lowering *L, uint32_t level)
{
    if (!lower_is_host(L) && level > LEVEL_THREAD)
        kb_sync(&L->b, level);
}

const sv *lower_memory_array(lowering *L, const destination *d, k_id offset, const k_id *shape,
                             uint32_t rank, ir_type elem)
{
    sv *a = sv_new(L, SV_PULL, PULL_MEMORY);
    a->src = d->tree;
    a->v = offset;
    a->shape = shape;
    a->pitch = d->pitch;
    a->rank = (uint8_t)rank;
    a->type = elem;
    return a;
}

ir_type lower_result_element(const lowering *L, ir_op o)
{
    ir_value v = L->m->ops.at[o].result;
    return ir_type_at(L->m, L->m->values.at[v].type)->a;
}

const sv *lower_force_array(lowering *L, const sv *p, ir_type elem, const char *what)
{
    const sv *items = lower_force_items(L, p, elem);
    if (items)
        return items;
    destination d;
    k_id zero = kb_int(&L->b, 0);
    if (!lower_destination_for(L, &d, p, what))
        return sv_none();
    bool lanes = lower_fits_lanes(L, p);
    if (lanes)
        d.space = SPACE_LANES;
    lower_emit_into(L, p, &d, zero, 0);
    if (!lanes)
        lower_sync_after(L, p->level);
    return lower_memory_array(L, &d, zero, p->shape, p->rank, elem);
}

const sv *lower_FORCE(lowering *L, frame *f, ir_op o)
{
    const sv *p = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    if (p->kind != SV_PUSH || !p->shape || !lower_may_force(L, p->level, "force"))
        return sv_none();
    return lower_force_array(L, p, lower_frame_type(L, f, lower_result_element(L, o)), "force");
}

/* ---- while ---- */

/* A while or repeat in the making: the carried values are the offset of the current area, unless
 * there is only one, and the extents, when the step may change them. */
typedef struct loop {
    uint32_t level, rank;
    scalar_loop code;
    destination dest;
    k_id first_size, other_size; /* elements of the two areas */
    const k_id *start;           /* extents of the first array */
    k_id most[MAX_RANK];         /* each extent's bound: none may grow */
    bool fixed;                  /* the step leaves the extents as they are: they are not carried */
    bool in_place;               /* and needs no other area */
    bool kept[MAX_RANK];         /* the step leaves the extent as it is */
    int64_t least[MAX_RANK];     /* each extent is at least that in every round: 0 or 1 */
    bool stays;                  /* of rank 1: what is not empty stays so */
    bool tried;                  /* whether the rounds are known (lower/unrolled.c) */
    k_id go;                     /* the condition; 0: a repeat */
    k_id stmt, offset;
    bool lanes; /* the array is in registers: the offset stays 0 */
    const k_id *shape;
} loop;

static uint32_t carried_values(const loop *w)
{
    return w->in_place ? 0 : w->fixed ? 1 : w->rank + 1;
}

static const sv *current_array(lowering *L, const loop *w)
{
    return lower_memory_array(L, &w->dest, w->offset, w->shape, w->rank, w->code.elem);
}

/* The array only shrinks: what is known of offset and extents (consecutive nodes) while the loop
 * runs, and after it. */
static void bound_values(lowering *L, const loop *w, k_id first)
{
    k_program *p = L->b.p;
    int64_t size = k_hi(p, w->first_size);
    for (uint32_t i = 0; i < carried_values(w); i++) {
        k_id v = first + i, bound = i > 0 ? w->most[i - 1] : 0;
        int64_t most = size;
        if (i > 0 && w->rank > 1) /* 1000 x 0 has no elements */
            most = bound ? k_hi(p, bound) : MAX_EXTENT;
        int64_t top = k_at(p, v)->type == ST_I64 ? MAX_ELEMENTS : MAX_EXTENT;
        if (bound && k_hi(p, bound) < most)
            most = k_hi(p, bound);
        k_state_range(p, v, i > 0 ? w->least[i - 1] : 0, most < top ? most : top);
        k_state_bound(p, v, bound);
    }
}

/* Only what grows for certain: by its interval, or as the double of what it was. */
static bool refuse_growth(lowering *L, k_id now, k_id before)
{
    k_id more = kb_sub(&L->b, now, before);
    int64_t zero;
    bool grows = k_lo(L->b.p, more) > 0 ||
                 (kb_sub(&L->b, now, before) == before && !k_is_const(L->b.p, before, &zero));
    if (!grows)
        return true;
    lower_fail(L, DIAG_LOWER_GROWS, "the step of this while makes the array longer");
    diag_hint(L->m->cx, "start with an array that is long enough, or force a new array instead");
    return false;
}

/* The step's array, not yet written: it still reads the current one. */
static const sv *run_step(lowering *L, const loop *w)
{
    const sv *args[2] = {current_array(L, w), current_array(L, w)};
    if (w->code.times)
        args[0] = sv_scalar(L, kb_param(&L->b, w->stmt, 0));
    const sv *p = lower_run_region(L, w->code.step, w->code.env, w->code.env->bound, args,
                                   w->code.times ? 2 : 1);
    if (p->kind == SV_PUSH && p->shape)
        return p;
    lower_fail(L, DIAG_LOWER_INTERNAL, "the step of a while is not a push array");
    return sv_none();
}

/* Arrays that the condition or the step forces are overwritten in the next round, as are the two
 * areas. */
static void end_step(lowering *L, const loop *w)
{
    const k_node *n = k_at(L->b.p, w->stmt);
    uint32_t tested = n->op == K_WHILE ? k_highest_sync(L->b.p, n->blocks[0]) : 0;
    uint32_t stepped = k_highest_sync(L->b.p, n->blocks[n->op == K_WHILE]);
    uint32_t most = tested > stepped ? tested : stepped;
    if (!w->lanes || most)
        lower_sync_after(L, most > w->level ? most : w->level);
}

/* By identity: the builder gives equal values one id. */
static bool keeps_extents(const loop *w, const sv *p)
{
    bool kept = p->rank == w->rank;
    for (uint32_t i = 0; i < w->rank && kept; i++)
        kept = p->shape[i] == w->start[i];
    return kept;
}

/* Opens the loop; the current array is then the carried one. */
static void open_loop(lowering *L, loop *w, const k_id *init)
{
    k_builder *b = &L->b;
    uint32_t n = carried_values(w), first = w->code.times != 0;
    k_id shape[MAX_RANK];
    w->stmt = first ? kb_open_for(b, kb_int(b, 0), w->code.times, kb_int(b, 1), init, n)
                    : kb_open_while(b, init, n);
    if (lower_failed(L))
        return;
    bound_values(L, w, kb_param(b, w->stmt, first));
    w->offset = w->in_place || w->lanes ? kb_int(b, 0) : kb_param(b, w->stmt, first);
    for (uint32_t i = 0; i < w->rank; i++)
        shape[i] = w->fixed ? w->start[i] : kb_param(b, w->stmt, first + i + 1);
    w->shape = sv_ids(L, shape, w->rank);
    if (!first) {
        w->go = lower_run_region1(L, w->code.cond, w->code.env, current_array(L, w))->v;
        kb_next_block(b, &w->go, 1);
    }
}

/* Writes the step's array into the other area and yields where it lies and its extents. */
static void close_loop(lowering *L, loop *w, const sv *p, k_id other, bool proved)
{
    k_id yield[MAX_RANK + 1] = {other};
    for (uint32_t i = 0; i < w->rank; i++) {
        w->kept[i] = p->shape[i] == w->shape[i];
        yield[i + 1] = proved ? p->shape[i] : kb_min(&L->b, p->shape[i], w->shape[i]);
    }
    kb_close(&L->b, yield, carried_values(w));
}

/* The whole loop.  False, with everything dropped, when what w says of it turns out too much or too
 * little. */
static bool emit_loop(lowering *L, loop *w, const k_id *init)
{
    k_builder *b = &L->b;
    open_loop(L, w, init);
    const sv *p = lower_failed(L) ? sv_none() : run_step(L, w);
    if (lower_failed(L))
        return true;
    if (w->fixed && !keeps_extents(w, p)) {
        w->fixed = w->in_place = false;
        kb_discard(b);
        return false;
    }
    w->stays = !w->fixed && w->rank == 1 &&
               lower_keeps_least(L, w->go, w->shape[0], p->shape, 1, &(int64_t){1});
    if (!w->fixed && !lower_keeps_least(L, w->go, w->shape[0], p->shape, w->rank, w->least)) {
        kb_discard(b);
        return false;
    }
    k_id before = lower_shape_count(L, w->shape, w->rank),
         now = lower_shape_count(L, p->shape, p->rank);
    if (!refuse_growth(L, now, before))
        return true;
    bool proved = w->fixed || (w->rank == 1 && ka_not_above(b, now, before));
    bool tight =
        proved && !lower_is_host(L) && !w->dest.pitch; /* a box needs its rows up to the last one */
    k_id need = tight ? ka_upper(b, now) : 0;
    k_id other = w->in_place || w->lanes ? w->offset : kb_sub(b, w->first_size, w->offset);
    w->other_size = w->in_place ? kb_int(b, 0) : need ? need : w->first_size;
    lower_emit_into(L, p, &w->dest, other, proved ? 0 : w->first_size);
    end_step(L, w);
    if (w->fixed && !w->in_place && !w->lanes &&
        lower_updates_in_place(L, w->dest.tree, w->level, w->offset, w->first_size, w->stmt)) {
        w->in_place = true;
        kb_discard(b);
        return false;
    }
    close_loop(L, w, p, other, proved);
    return true;
}

/* Whether the array that the loop begins with fits lanes and each step's is written by them: found
 * by lowering a step and dropping the code.  Loops inside it are not looked into then, so that the
 * time stays linear. */
static bool loop_fits_lanes(lowering *L, loop w, const sv *p, const k_id *init)
{
    if (L->trying || !lower_fits_lanes(L, p))
        return false;
    L->trying = true;
    open_loop(L, &w, init);
    lower_destination_init(L, &w.dest, w.level, w.first_size);
    w.dest.tree = lower_memory_tree(L, &w.dest, lower_frame_type(L, w.code.env, w.code.elem));
    bool ok = lower_written_by_lanes(L, run_step(L, &w));
    kb_discard(&L->b);
    L->trying = false;
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

/* The array after the loop: no longer than the one before it. */
static const sv *loop_result(lowering *L, const loop *w)
{
    k_id shape[MAX_RANK], offset = w->in_place ? kb_int(&L->b, 0) : kb_result(&L->b, w->stmt, 0);
    bound_values(L, w, kb_result(&L->b, w->stmt, 0));
    for (uint32_t i = 0; i < w->rank; i++)
        shape[i] = w->kept[i] ? w->start[i]
                              : lower_extent_behind(L, w->go, w->shape[i],
                                                    kb_result(&L->b, w->stmt, i + 1));
    if (w->stays && k_hi(L->b.p, shape[0]) == 1) /* one element, or none from none */
        shape[0] = kb_min(&L->b, w->start[0], kb_int(&L->b, 1));
    if (w->lanes)
        offset = w->offset;
    return lower_memory_array(L, &w->dest, offset, sv_ids(L, shape, w->rank), w->rank,
                              w->code.elem);
}

/* In i64 the sum is exact; in i32 too many are the greatest int, which no memory takes. */
static k_id two_areas(k_builder *b, k_id x, k_id y)
{
    return k_at(b->p, x)->type == ST_I64 ? kb_add(b, x, y) : kb_saturate(b, SOP_ADD, x, y);
}

/* Before the loop. */
static const sv *first_array(lowering *L, const loop *w)
{
    return lower_memory_array(L, &w->dest, kb_int(&L->b, 0), w->start, w->rank, w->code.elem);
}

/* Forces p, then runs the loop over the two areas. */
static const sv *lower_loop(lowering *L, loop *w, const sv *p)
{
    k_builder *b = &L->b;
    w->level = p->level;
    w->rank = p->rank;
    w->start = p->shape;
    if (!lower_destination_for(L, &w->dest, p, "loop"))
        return sv_none();
    w->first_size = w->dest.size;
    w->dest.size = two_areas(b, w->first_size, w->first_size);
    k_id init[MAX_RANK + 1] = {
        kb_convert(b, (scalar)k_at(b->p, w->first_size)->type, kb_int(b, 0))};
    for (uint32_t i = 0; i < p->rank; i++) {
        init[i + 1] = p->shape[i];
        w->most[i] = ka_upper(b, p->shape[i]);
        w->least[i] = k_lo(b->p, p->shape[i]) >= 1;
    }
    w->lanes = loop_fits_lanes(L, *w, p, init);
    if (w->lanes) {
        w->first_size = kb_int(b, (int32_t)k_hi(b->p, lower_shape_count(L, p->shape, p->rank)));
        w->dest.size = w->first_size;
        w->dest.space = SPACE_LANES;
    }
    lower_emit_into(L, p, &w->dest, init[0], 0);
    if (!w->lanes)
        lower_sync_after(L, p->level);
    w->fixed =
        !lower_is_host(L); /* until the step says otherwise; at the host nothing is gained by it */
    w->in_place = w->fixed && w->lanes;
    while (!emit_loop(L, w, init) && !lower_failed(L)) {
        const sv *r =
            w->fixed || w->tried ? NULL : lower_unrolled_loop(L, &w->code, first_array(L, w));
        w->tried = !w->fixed;
        if (r) {
            patch_sizes(L, w->dest.tree, w->first_size);
            return r;
        }
    }
    if (lower_failed(L))
        return sv_none();
    if (!lower_is_host(L) && !w->lanes)
        patch_sizes(L, w->dest.tree, two_areas(b, w->first_size, w->other_size));
    return loop_result(L, w);
}

/* In registers if the array is small enough, else in memory. */
static const sv *lower_any_loop(lowering *L, scalar_loop code, const sv *p)
{
    const sv *r = lower_scalar_loop(L, &code, p);
    return r ? r : lower_loop(L, &(loop){.code = code}, p);
}

/* The condition is a block of the loop's own, run before each round by all threads of the level. */
const sv *lower_WHILE(lowering *L, frame *f, ir_op o)
{
    const sv *p = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    ir_region r = ir_op_at(L->m, o)->regions;
    if (p->kind != SV_PUSH || !p->shape || !lower_may_force(L, p->level, "while"))
        return sv_none();
    ir_type elem = lower_frame_type(L, f, lower_result_element(L, o));
    return lower_any_loop(L, (scalar_loop){.cond = r, .step = r + 1, .env = f, .elem = elem}, p);
}

const sv *lower_REPEAT(lowering *L, frame *f, ir_op o)
{
    const sv *p = lower_frame_value(L, f, ir_arg(L->m, o, 1));
    k_id times = lower_frame_scalar(L, f, ir_arg(L->m, o, 0));
    if (p->kind != SV_PUSH || !p->shape || !lower_may_force(L, p->level, "repeat"))
        return sv_none();
    ir_type elem = lower_frame_type(L, f, lower_result_element(L, o));
    scalar_loop code = {.step = ir_op_at(L->m, o)->regions, .env = f, .times = times, .elem = elem};
    return lower_any_loop(L, code, p);
}
