/* Cells of the grid that nobody clears: kept from run to run, they are zeros whenever a launch
 * begins to combine into them.
 *
 * A launch of one group takes what is in them, as the array that the program is given, and leaves
 * zeros.  It takes the place of the one that would write what the cells begin with, and can be done
 * by the last group of the launch before (pass/join.c).  So it is worth it where launches cost, for
 * cells that begin with zeros and are few enough for one group. */
#include "ir/kernel/lower/cells/cells.h"

/* Whether a scalar is known to be 0, in all of its bits. */
static bool is_zero(const lowering *L, const sv *v)
{
    const k_node *n = v->kind == SV_SCALAR ? k_at(L->b.p, v->v) : NULL;
    return n && n->op == K_CONST && !n->bits;
}

/* An element whose number is not known is computed, and forgotten. */
static bool begins_with_zeros(lowering *L, const sv *init)
{
    k_builder *b = &L->b;
    bool supposing = L->supposing;
    if (init->kind != SV_PULL || init->rank != 1)
        return false;
    L->supposing = true;
    k_id s = kb_open_for(b, kb_int(b, 0), init->shape[0], kb_int(b, 1), NULL, 0),
         i = kb_param(b, s, 0);
    bool zeros = is_zero(L, sv_index(L, init, &i));
    kb_discard(b);
    L->supposing = supposing;
    return zeros && !lower_failed(L);
}

bool lower_cells_stay(lowering *L, const sv *init, uint32_t level, ir_type elem)
{
    int64_t n = 0;
    const type_node t = *ir_type_at(L->m, elem);
    return L->target.facts.launches_cost && lower_is_host(L) && level == LEVEL_GRID &&
           t.kind == TY_SCALAR && k_is_const(L->b.p, init->shape[0], &n) && n > 0 &&
           n <= L->target.tuning.kept_cells && begins_with_zeros(L, init);
}

void lower_cells_kept(lowering *L, destination *d, k_id size, ir_type elem)
{
    *d = (destination){.space = SPACE_GLOBAL, .size = size};
    d->tree = lower_memory_tree(L, d, elem);
    if (!lower_failed(L))
        k_at(L->b.p, d->tree->v)->kept = true;
}

/* Its group has as many threads as those before it.  What they have combined by atomic steps is
 * taken by such, too: no cache stands between them. */
void lower_take_cells(lowering *L, const destination *kept, const destination *to, uint32_t threads)
{
    k_builder *b = &L->b;
    uint32_t block = L->block;
    if (lower_failed(L))
        return;
    k_id cells = kept->tree->v;
    scalar t = (scalar)k_at(b->p, cells)->type, bits = kb_atomic_type(t);
    L->block = threads;
    kb_open_launch(b, LEVEL_GRID, kb_int(b, 1), lower_launch_threads(L, LEVEL_GRID));
    kb_open_par(b, OVER_BLOCKS, kb_int(b, 1));
    k_id i = kb_param(b, kb_open_par(b, OVER_THREADS, kept->size), 0);
    k_id found = kb_atomic(b, ATOMIC_EXCHANGE, cells, i, kb_const(b, bits, 0), 0);
    kb_store(b, to->tree->v, i, kb_bitcast(b, t, found));
    for (int k = 0; k < 3; k++)
        kb_close(b, NULL, 0);
    L->block = block;
}
