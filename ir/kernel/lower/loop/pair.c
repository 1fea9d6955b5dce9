/* Arrays of a loop of the host: two memories, of which a round reads one and writes the other.  At the
 * end of the round they change places, so that the array is always in the same one, and always begins
 * there.  Double buffering is the usual name.
 *
 * What a round hands on as it was, in the place of another array, is where that was: then these memories change places as
 * well, and nothing is copied, as where a step makes the next level of time of the last two. */
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

static void swap_trees(lowering *L, const sv *x, const sv *y)
{
    if (x->kind == SV_SCALAR)
        kb_swap(&L->b, x->v, y->v);
    for (uint32_t i = 0; x->kind == SV_TUPLE && i < x->n; i++)
        swap_trees(L, x->items[i], y->items[i]);
}

void lower_change_places(lowering *L, const sv *const *trees, const uint32_t *where, uint32_t n)
{
    uint32_t *holds = ARENA_ARRAY(&L->a, uint32_t, 2 * n);
    for (uint32_t i = 0; holds && i < 2 * n; i++)
        holds[i] = i;
    for (uint32_t i = 0; holds && i < n; i++) {
        uint32_t x = 0;
        while (holds[x] != where[i])
            x++;
        if (x == i)
            continue;
        swap_trees(L, trees[i], trees[x]);
        holds[x] = holds[i];
        holds[i] = where[i];
    }
}
