/* Arrays of a loop of the host that may grow: of their two memories (loop/pair.c) the one that a round
 * writes gets more room where it has too little.  Nobody needs what is in it then.
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

k_id lower_first_room(lowering *L, k_id size, uint32_t rank)
{
    return kb_convert(&L->b, room_type(L, rank), size);
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

k_id lower_room_for(lowering *L, destination *d, k_id spare, const k_id *shape, uint32_t rank)
{
    k_builder *b = &L->b;
    d->size = lower_shape_elements(L, shape, rank);
    k_id need = kb_convert(b, room_type(L, rank), d->size);
    k_id s = kb_open_if(b, kb_lt(b, spare, need)), more = with_more(b, need);
    resize_tree(L, d->tree, more);
    kb_next_block(b, &more, 1);
    kb_close(b, &spare, 1);
    return kb_result(b, s, 0);
}
