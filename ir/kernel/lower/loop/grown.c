/* Arrays of a loop of the host that may grow: two memories, of which a round reads one and writes the
 * other, which gets more room where it has too little.  Nobody needs what is in it then.  At the end
 * of the round they change places, so that the array is always in the same one.
 *
 * Room is made for more elements than are there, as a dynamic array's is, so that one that grows by an
 * element in each round gets new room in few of them. */
#include "ir/kernel/lower/loop/loop.h"

/* What is added, half of what is there, is no more than this. */
enum { MOST_MORE = 1 << 20 };

/* Rooms are carried, and have one type from round to round. */
static scalar room_type(const lowering *L, uint32_t rank)
{
    uint32_t bits = L->target.request.index_bits;
    return bits == 64 || (rank > 1 && bits != 32) ? ST_I64 : ST_I32;
}

static const sv *like_tree(lowering *L, const sv *tree, const destination *d)
{
    if (tree->kind == SV_SCALAR)
        return sv_scalar(L, kb_alloc_at(&L->b, d->depth, (k_space)d->space,
                                        (scalar)k_at(L->b.p, tree->v)->type, d->size));
    const sv **items = ARENA_ARRAY(&L->a, const sv *, tree->n ? tree->n : 1u);
    for (uint32_t i = 0; items && i < tree->n; i++)
        items[i] = like_tree(L, tree->items[i], d);
    return items ? sv_tuple(L, items, tree->n) : sv_none();
}

void lower_begin_growing(lowering *L, growing *g, const destination *own, k_id room, uint32_t rank)
{
    g->other = *own;
    g->other.size = room;
    g->other.tree = like_tree(L, own->tree, &g->other);
    g->first = kb_convert(&L->b, room_type(L, rank), room);
}

static void resize_tree(lowering *L, const sv *tree, k_id room)
{
    if (tree->kind == SV_SCALAR)
        kb_resize(&L->b, tree->v, room);
    for (uint32_t i = 0; tree->kind == SV_TUPLE && i < tree->n; i++)
        resize_tree(L, tree->items[i], room);
}

/* No more than there may be, unless that is asked for, and refused. */
static k_id with_more(k_builder *b, k_id need)
{
    scalar t = (scalar)k_at(b->p, need)->type;
    uint64_t most = t == ST_I64 ? MAX_ELEMENTS : MAX_EXTENT;
    k_id half = kb_scalar(b, SOP_QUOT, need, kb_const(b, t, 2), 0);
    k_id sum = kb_add(b, kb_min(b, need, kb_const(b, t, most - MOST_MORE)),
                      kb_min(b, half, kb_const(b, t, MOST_MORE)));
    return kb_max(b, sum, need);
}

k_id lower_room_for(lowering *L, growing *g, const k_id *shape, uint32_t rank)
{
    k_builder *b = &L->b;
    g->other.size = lower_shape_elements(L, shape, rank);
    k_id need = kb_convert(b, room_type(L, rank), g->other.size);
    k_id s = kb_open_if(b, kb_lt(b, g->spare, need)), more = with_more(b, need);
    resize_tree(L, g->other.tree, more);
    kb_next_block(b, &more, 1);
    kb_close(b, &g->spare, 1);
    return kb_result(b, s, 0);
}

void lower_swap_trees(lowering *L, const sv *x, const sv *y)
{
    if (x->kind == SV_SCALAR)
        kb_swap(&L->b, x->v, y->v);
    for (uint32_t i = 0; x->kind == SV_TUPLE && i < x->n; i++)
        lower_swap_trees(L, x->items[i], y->items[i]);
}
