/* Extents of arrays: how many elements they have, and how an element's indices and its number
 * belong together. */
#include "ir/kernel/lower/value.h"

/* Larger arrays than MAX_EXTENT are refused when they get memory. */
k_id lower_extent(lowering *L, k_id n)
{
    k_id e = kb_max(&L->b, n, kb_int(&L->b, 0));
    k_state_extent(L->b.p, e);
    return e;
}

static bool is_host_pair(const lowering *L, k_id x, k_id y)
{
    return kb_is_host(&L->b, x) && kb_is_host(&L->b, y);
}

k_id lower_count(lowering *L, opcode op, k_id x, k_id y)
{
    return is_host_pair(L, x, y) ? kb_saturate(&L->b, op, x, y) : kb_scalar(&L->b, op, x, y, 0);
}

/* A loop over all elements is run where they exist, hence the claims inside kernels. */
k_id lower_shape_turns(lowering *L, const k_id *shape, uint32_t rank)
{
    k_id n = shape[0];
    for (uint32_t i = 1; i < rank; i++)
        n = is_host_pair(L, n, shape[i]) ? lower_count(L, SOP_MUL, n, shape[i])
                                         : kb_claim(&L->b, SOP_MUL, n, shape[i]);
    return rank > 1 ? lower_extent(L, n) : n;
}

k_id lower_shape_count(lowering *L, const k_id *shape, uint32_t rank)
{
    k_id n = shape[0];
    for (uint32_t i = 1; i < rank; i++)
        n = lower_count(L, SOP_MUL, n, shape[i]);
    return rank > 1 ? lower_extent(L, n) : n;
}

/* ---- numbers of elements beyond 32 bits ---- */

k_id lower_product(lowering *L, k_id x, k_id y)
{
    k_builder *b = &L->b;
    k_id low = x < y ? kb_mul(b, x, y) : kb_mul(b, y, x), zero = kb_const(b, ST_I64, 0),
         many = kb_const(b, ST_I64, (uint64_t)MAX_ELEMENTS + 1);
    if (k_lo(b->p, low) >= 0)
        return low;
    k_id fits =
        kb_scalar(b, SOP_AND, kb_scalar(b, SOP_EQ, kb_scalar(b, SOP_MULHI, x, y, 0), zero, 0),
                  kb_scalar(b, SOP_GE, low, zero, 0), 0);
    return kb_max(b, kb_select(b, fits, low, many), zero);
}

k_id lower_shape_elements(lowering *L, const k_id *shape, uint32_t rank)
{
    uint32_t bits = L->target.request.index_bits;
    if (bits == 32 || (rank == 1 && bits != 64))
        return lower_shape_count(L, shape, rank);
    k_id n = kb_convert(&L->b, ST_I64, shape[0]);
    for (uint32_t i = 1; i < rank; i++)
        n = lower_product(L, n, kb_convert(&L->b, ST_I64, shape[i]));
    return bits != 64 && k_hi(L->b.p, n) <= MAX_EXTENT ? lower_shape_count(L, shape, rank) : n;
}

bool lower_is_wide(lowering *L, k_id elements)
{
    if (k_at(L->b.p, elements)->type != ST_I64)
        return false;
    if (lower_is_host(L) || L->wide)
        return true;
    for (uint32_t i = 0; i < L->limits.len; i++)
        if (L->limits.at[i] == elements)
            return false;
    L->failed = !vec_push(&L->m->cx->mem, &L->limits, elements) || L->failed;
    return false;
}

/* ---- positions ---- */

/* v before it was converted between the types of positions. */
static k_id unconverted(const lowering *L, k_id v, scalar from, scalar to)
{
    const k_node *n = k_at(L->b.p, v);
    return n->op == K_CONVERT && n->type == to && k_at(L->b.p, n->args[0])->type == from
               ? n->args[0]
               : v;
}

/* Whether an i64 counts elements: the number of one, or of one's row.  Programs compute with such
 * only as indices. */
static bool is_counted(const lowering *L, k_id v)
{
    const k_program *p = L->b.p;
    while (k_at(p, v)->op == K_SCALAR && k_at(p, v)->opcode == SOP_QUOT)
        v = k_at(p, v)->args[0];
    return k_at(p, v)->op == K_PARAM && k_at(p, v)->type == ST_I64 && k_below(p, v);
}

/* f, when q and r are its quotient and remainder by max(n, 1); where the element exists n is at
 * least 1. */
static k_id unflattened(lowering *L, k_id q, k_id r, k_id n)
{
    const k_node x = *k_at(L->b.p, unconverted(L, q, ST_I64, ST_I32)),
                 y = *k_at(L->b.p, unconverted(L, r, ST_I64, ST_I32));
    bool pair = x.op == K_SCALAR && x.opcode == SOP_QUOT && y.op == K_SCALAR &&
                y.opcode == SOP_REM && x.args[0] == y.args[0] && x.args[1] == y.args[1] &&
                (x.type != ST_I64 || is_counted(L, x.args[0]));
    return pair && unconverted(L, x.args[1], ST_I32, ST_I64) == kb_max(&L->b, n, kb_int(&L->b, 1))
               ? x.args[0]
               : 0;
}

/* The number so far may be one of 64 bits that was found again. */
static k_id next_row(lowering *L, k_id flat, k_id extent, k_id i, position p)
{
    k_builder *b = &L->b;
    scalar t = (scalar)k_at(b->p, flat)->type;
    extent = kb_convert(b, t, extent);
    i = kb_convert(b, t, i);
    if (p == POSITION_EXISTING)
        return kb_claim(b, SOP_ADD, kb_claim(b, SOP_MUL, flat, extent), kb_position(b, i));
    return kb_add(b, kb_mul(b, flat, extent), i);
}

k_id lower_shape_flatten(lowering *L, const k_id *shape, uint32_t rank, const k_id *ix, position p)
{
    k_builder *b = &L->b;
    k_id flat = p == POSITION_EXISTING ? kb_position(b, ix[0]) : ix[0];
    for (uint32_t i = 1; i < rank; i++) {
        k_id whole = p != POSITION_ANY ? unflattened(L, flat, ix[i], shape[i]) : 0;
        if (!whole && p == POSITION_WIDE)
            flat = kb_convert(b, ST_I64, flat);
        flat = whole ? whole : next_row(L, flat, shape[i], ix[i], p);
    }
    return p == POSITION_WIDE ? kb_convert(b, ST_I64, flat) : flat;
}

/* An index below an extent, which is an i32 though it comes from an i64. */
static k_id index_below(lowering *L, k_id i, k_id extent)
{
    if (k_at(L->b.p, i)->type == ST_I32)
        return i;
    k_id v = kb_convert(&L->b, ST_I32, i), last = kb_sub(&L->b, extent, kb_int(&L->b, 1));
    int64_t most = k_hi(L->b.p, extent) - 1;
    if (k_at(L->b.p, v)->op == K_CONVERT) {
        k_state_range(L->b.p, v, 0, most > 0 ? most : 0);
        k_state_bound(L->b.p, v, last);
    }
    return v;
}

/* An element exists, so every extent is at least one: dividing by max(extent, 1) needs no test for
 * zero. */
void lower_shape_unflatten(lowering *L, const k_id *shape, uint32_t rank, k_id flat, k_id *ix)
{
    k_builder *b = &L->b;
    for (uint32_t i = rank; i-- > 1;) {
        k_id n = kb_max(b, shape[i], kb_int(b, 1));
        k_id q = kb_scalar(b, SOP_QUOT, flat, n, 0);
        ix[i] = index_below(L, kb_scalar(b, SOP_REM, flat, n, 0), shape[i]);
        flat = q;
    }
    ix[0] = index_below(L, flat, shape[0]);
}

/* ---- boxes ---- */

/* A box of many elements is not worth filling: its corner may be all that there is.  Taking a
 * number apart costs a division for every extent but the first, unless the extent is constant; so
 * the others count more than the first. */
bool lower_shape_box(lowering *L, const k_id *shape, uint32_t rank, k_id *box)
{
    const k_program *p = L->b.p;
    int64_t count = 1, known, limit = L->target.tuning.box_elements;
    bool padded = false;
    for (uint32_t i = rank; i-- > 0;) {
        int64_t most = k_hi(p, shape[i]);
        box[i] = shape[i];
        if (k_is_const(p, shape[i], &known))
            count = known > limit || count > limit ? limit + 1 : count * known;
        else if (count > limit || most > limit || count * most > limit || (i == 0 && !padded))
            count = limit + 1;
        else {
            box[i] = kb_int(&L->b, (int32_t)most);
            count *= most;
            padded = true;
        }
    }
    return padded;
}

k_id lower_shape_contains(lowering *L, const k_id *shape, const k_id *box, uint32_t rank,
                          const k_id *ix)
{
    k_builder *b = &L->b;
    k_id all = kb_const(b, ST_BOOL, 1);
    for (uint32_t i = 0; i < rank; i++)
        if (box[i] != shape[i])
            all = kb_scalar(b, SOP_AND, all, kb_lt(b, ix[i], shape[i]), 0);
    return all;
}
