/* Lowering of force: where arrays get memory.
 *
 * At the host a forced array is written by a launch of its own into global memory.  Inside a kernel
 * its memory follows its level: local memory for a block, a slice per warp, private memory for a
 * thread; a barrier of that level follows.  An array that fits the registers of a warp's lanes
 * (loop/lanes.c) needs no barrier. */
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
        diag_hint(L->m->cx,
                  "derive its length from the kernel's parameters, for example with min; or make no array of it, and fold "
                  "its elements where they are computed");
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

const sv *lower_sized_array(lowering *L, const sv *a)
{
    sv *r = sv_like(L, a);
    r->v2 = lower_shape_elements(L, a->shape, a->rank);
    return r;
}

const sv *lower_marked(lowering *L, const sv *a, bool updated)
{
    if (!updated)
        return a;
    sv *r = sv_like(L, a);
    r->updated = true;
    if (a->form == PULL_MEMORY && a->src)
        sv_leaves(L, a->src, &L->overwritten);
    return r;
}

ir_type lower_result_element(const lowering *L, ir_op o)
{
    ir_value v = L->m->ops.at[o].result;
    return ir_type_at(L->m, L->m->values.at[v].type)->a;
}

bool lower_is_forced_at(const lowering *L, const sv *tree, uint32_t level)
{
    destination d;
    const k_node *n = k_at(L->b.p, tree->v);
    lower_destination_init((lowering *)L, &d, level, 0);
    bool all = tree->kind == SV_TUPLE ||
               (n->op == K_ALLOC &&
                (n->space == d.space || (level == LEVEL_WARP && n->space == SPACE_LANES)));
    for (uint32_t i = 0; all && tree->kind == SV_TUPLE && i < tree->n; i++)
        all = lower_is_forced_at(L, tree->items[i], level);
    return all;
}

/* What is pushed at the level where it lies in memory needs no copy: nobody writes it any more, or
 * not before the array that is made of it has been written.  NULL for others. */
static const sv *forced_already(lowering *L, const sv *p)
{
    const sv *a = p->form == PUSH_PULL ? p->src : NULL;
    if (!a || a->form != PULL_MEMORY || a->partial || a->updated || !a->src ||
        !lower_is_forced_at(L, a->src, p->level))
        return NULL;
    sv *same = sv_like(L, a);
    same->shared = true;
    return same;
}

const sv *lower_force_array(lowering *L, const sv *p, ir_type elem, const char *what, bool updated)
{
    const sv *same = updated ? NULL : forced_already(L, p);
    if (same)
        return same;
    const sv *items = lower_force_items(L, p, elem);
    if (items)
        return items;
    destination d;
    k_id zero = kb_int(&L->b, 0);
    if (!lower_destination_for(L, &d, p, what))
        return sv_none();
    bool lanes = !updated && lower_fits_lanes(L, p);
    if (lanes)
        d.space = SPACE_LANES;
    if (L->measuring || (L->foresight && lower_is_host(L))) /* nothing writes a first element, which would tell */
        d.tree = lower_memory_tree(L, &d, elem);
    if (!L->measuring)
        lower_emit_into(L, p, &d, zero, 0);
    if (!lanes)
        lower_sync_after(L, p->level);
    return lower_marked(L, lower_memory_array(L, &d, zero, p->shape, p->rank, elem), updated);
}

const sv *lower_FORCE(lowering *L, frame *f, ir_op o)
{
    const sv *p = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    if (p->kind != SV_PUSH || !p->shape || !lower_may_force(L, p->level, "force"))
        return sv_none();
    return lower_force_array(L, p, lower_frame_type(L, f, lower_result_element(L, o)), "force",
                             lower_is_updated(L, ir_op_at(L->m, o)->result));
}
