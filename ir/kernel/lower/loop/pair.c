/* Arrays of a loop of the host: two memories, of which a round reads one and writes the other.  At the
 * end of the round they change places, so that the array is always in the same one, and always begins
 * there.  Double buffering is the usual name. */
#include "ir/kernel/lower/loop/loop.h"

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

void lower_begin_pair(lowering *L, destination *own, destination *other, ir_type elem)
{
    if (!own->tree)
        own->tree = lower_memory_tree(L, own, elem);
    *other = *own;
    other->tree = like_tree(L, own->tree, other);
}

void lower_swap_trees(lowering *L, const sv *x, const sv *y)
{
    if (x->kind == SV_SCALAR)
        kb_swap(&L->b, x->v, y->v);
    for (uint32_t i = 0; x->kind == SV_TUPLE && i < x->n; i++)
        lower_swap_trees(L, x->items[i], y->items[i]);
}
