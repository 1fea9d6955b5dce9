/* Sizes that a program states: extents, how many elements they come to, lengths of chunks.
 *
 * What is not seen to be in range is asked where the operator stands, once, since that is where the
 * evaluator looks at it.  Most sizes are the host's, and so are their checks; inside a kernel the
 * condition is still the host's where the size is.  Behind a failed check a size is cut to what
 * there may be, so that memory is not left. */
#include "ir/kernel/lower/value.h"

/* Whether from <= n <= to, by one comparison where from is 0 or 1; where everything is to be asked
 * nothing that is known may decide it. */
static k_id is_between(lowering *L, k_id n, int32_t from, int32_t to)
{
    k_builder *b = &L->b;
    if (L->target.request.checks != CHECKS_ALL && k_hi(b->p, n) <= to)
        return kb_scalar(b, SOP_GE, n, kb_int(b, from), 0);
    k_id moved = from ? kb_sub(b, n, kb_int(b, from)) : n;
    return kb_scalar(b, SOP_LE, kb_bitcast(b, ST_U32, moved),
                     kb_const(b, ST_U32, (uint64_t)(to - from)), 0);
}

/* n, cut to what is at least `from`. */
static k_id size_from(lowering *L, k_checked what, k_id n, int32_t from, int32_t to)
{
    k_builder *b = &L->b;
    if (!L->supposing && !lower_failed(L) &&
        lower_is_asked(L, what, ka_proves_between(b, n, from, to)))
        kb_check(b, what, is_between(L, n, from, to), n,
                 kb_int(b, what == CHECKED_EXTENT ? to : from), 0);
    return kb_max(b, n, kb_int(b, from));
}

k_id lower_stated_extent(lowering *L, k_id n)
{
    return lower_extent(L, size_from(L, CHECKED_EXTENT, n, 0, MAX_EXTENT));
}

k_id lower_chunk_length(lowering *L, k_id c, int32_t from)
{
    return size_from(L, CHECKED_CHUNKSIZE, c, from, INT32_MAX);
}

/* Whether they are extents of one argument, whose elements there are. */
static bool are_of_argument(const lowering *L, const k_id *shape, uint32_t rank)
{
    const k_program *p = L->b.p;
    uint32_t axes = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const k_node *n = k_at(p, shape[i]);
        if (n->op != K_DIM || n->leaf != k_at(p, shape[0])->leaf || (axes >> n->axis & 1u))
            return false;
        axes |= 1u << n->axis;
    }
    return true;
}

/* The numbers of elements of the first axes are asked for one after the other, as the evaluator
 * multiplies them. */
static void check_product(lowering *L, k_checked what, const k_id *shape, uint32_t rank,
                          int64_t most, const char *known)
{
    k_builder *b = &L->b;
    k_id n = kb_convert(b, ST_I64, shape[0]);
    for (uint32_t i = 1; i < rank && !L->supposing && !lower_failed(L); i++) {
        k_id all = lower_product(L, n, kb_convert(b, ST_I64, shape[i]));
        k_id fits = kb_scalar(b, SOP_LE, all, kb_const(b, ST_I64, (uint64_t)most), 0);
        const char *proof = k_hi(b->p, all) <= most ? "its interval is inside" : known;
        if (lower_is_asked(L, what, proof))
            kb_check(b, what, fits, n, shape[i], 0);
        n = all;
    }
}

void lower_check_elements(lowering *L, const k_id *shape, uint32_t rank)
{
    check_product(L, CHECKED_ELEMENTS, shape, rank, MAX_ELEMENTS,
                  are_of_argument(L, shape, rank) ? "it has the extents of an argument" : NULL);
}

void lower_check_length(lowering *L, const k_id *shape, uint32_t rank)
{
    check_product(L, CHECKED_LENGTH, shape, rank, INT32_MAX, NULL);
}
