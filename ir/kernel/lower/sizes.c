/* Sizes that a program states: extents, how many elements they come to, lengths of chunks.
 *
 * What is not seen to be in range is asked where the operator stands, once, since that is where the
 * evaluator looks at it.  Most sizes are the host's, and so are their checks; inside a kernel the
 * condition is still the host's where the size is.  Behind a failed check a size is cut to what
 * there may be, so that memory is not left. */
#include "ir/kernel/lower/value.h"

/* Of min(x, y), where y is evidently not below `from`, only x can be: which the host often knows.
 */
static k_id doubtful(const lowering *L, k_id n, int32_t from)
{
    const k_builder *b = &L->b;
    const k_node *x = k_at(b->p, n);
    for (int i = 0; i < 2 && x->op == K_SCALAR && x->opcode == SOP_MIN; i++)
        if (ka_proves_between(b, x->args[i], from, INT32_MAX))
            return doubtful(L, x->args[1 - i], from);
    return n;
}

/* Whether from <= n <= to, by one comparison inside a kernel. */
static k_id is_between(lowering *L, k_id n, int32_t from, int32_t to)
{
    k_builder *b = &L->b;
    if (kb_is_host(b, n))
        return kb_scalar(b, SOP_AND, kb_scalar(b, SOP_GE, n, kb_int(b, from), 0),
                         kb_scalar(b, SOP_LE, n, kb_int(b, to), 0), 0);
    k_id moved = from ? kb_sub(b, n, kb_int(b, from)) : n;
    return kb_scalar(b, SOP_LE, kb_bitcast(b, ST_U32, moved),
                     kb_const(b, ST_U32, (uint64_t)(to - from)), 0);
}

/* Where everything is to be asked nothing that is known may decide it. */
static void ask_size(lowering *L, k_checked what, k_id n, int32_t from, int32_t to)
{
    k_builder *b = &L->b;
    k_id least = kb_int(b, from), cond;
    if (L->target.request.checks != CHECKS_ALL && k_hi(b->p, n) <= to) {
        n = doubtful(L, n, from);
        cond = kb_scalar(b, SOP_GE, n, least, 0);
    } else {
        cond = is_between(L, n, from, to);
    }
    lower_ask_early(L, what, cond, n, what == CHECKED_EXTENT ? kb_int(b, to) : least, 0);
}

/* n, cut to what is at least `from`. */
static k_id size_from(lowering *L, k_checked what, k_id n, int32_t from, int32_t to)
{
    if (!L->supposing && !lower_failed(L) &&
        lower_is_asked_early(L, what, ka_proves_between(&L->b, n, from, to)))
        ask_size(L, what, n, from, to);
    return kb_max(&L->b, n, kb_int(&L->b, from));
}

k_id lower_stated_extent(lowering *L, k_id n)
{
    return lower_extent(L, size_from(L, CHECKED_EXTENT, n, 0, MAX_EXTENT));
}

k_id lower_chunk_length(lowering *L, k_id c, int32_t from)
{
    return size_from(L, CHECKED_CHUNKSIZE, c, from, INT32_MAX);
}

/* ---- products ---- */

enum { NEAR = 4, ARGUMENTS = 8 };

/* Extents of arguments that v is computed from, near by. */
static uint32_t near_extents(const lowering *L, k_id v, int depth, k_id *list, uint32_t n)
{
    const k_node *x = k_at(L->b.p, v);
    if (x->op == K_DIM && n < ARGUMENTS)
        list[n++] = v;
    for (int i = 0; i < 3 && depth && (x->op == K_SCALAR || x->op == K_CONVERT) && x->args[i]; i++)
        n = near_extents(L, x->args[i], depth - 1, list, n);
    return n;
}

/* Whether the extents from number `from` on are not above as many axes of the argument; `axes` are
 * those that others take. */
static bool fit_axes(const lowering *L, const k_id *shape, uint32_t from, uint32_t rank,
                     uint32_t argument, uint32_t axes)
{
    k_id list[ARGUMENTS];
    uint32_t n = from < rank ? near_extents(L, shape[from], NEAR, list, 0) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const k_node *x = k_at(L->b.p, list[i]);
        if ((from == 0 || x->leaf == argument) && !(axes >> x->axis & 1u) &&
            ka_not_above(&L->b, shape[from], list[i]) &&
            fit_axes(L, shape, from + 1, rank, x->leaf, axes | 1u << x->axis))
            return true;
    }
    return from == rank;
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
        if (lower_is_asked_early(L, what, proof))
            lower_ask_early(L, what, fits, n, shape[i], 0);
        n = all;
    }
}

void lower_check_elements(lowering *L, const k_id *shape, uint32_t rank)
{
    check_product(L, CHECKED_ELEMENTS, shape, rank, MAX_ELEMENTS,
                  rank > 1 && fit_axes(L, shape, 0, rank, 0, 0) ? "it is part of an argument"
                                                                : NULL);
}

void lower_check_length(lowering *L, const k_id *shape, uint32_t rank)
{
    check_product(L, CHECKED_LENGTH, shape, rank, INT32_MAX, NULL);
}

/* ---- from round to round ---- */

void lower_check_growth(lowering *L, k_id now, k_id before)
{
    bool proved = ka_not_above(&L->b, now, before);
    if (!L->supposing && !lower_failed(L) &&
        lower_is_asked_early(L, CHECKED_GROWTH, proved ? "the step leaves it no longer" : NULL))
        lower_ask_early(L, CHECKED_GROWTH, kb_scalar(&L->b, SOP_LE, now, before, 0), now, before,
                        0);
}
