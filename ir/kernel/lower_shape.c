/* Extents of arrays: how many elements they have, and how an element's indices and its number belong together. */
#include "ir/kernel/lower_value.h"

/* Larger arrays than MAX_EXTENT are refused when they get memory. */
k_id extent(lowering *L, k_id n)
{
    k_id e = kb_max(&L->b, n, kb_int(&L->b, 0));
    k_node *x = k_at(L->b.p, e);
    if ((x->op == K_SCALAR || x->op == K_CONVERT) && x->hi > MAX_EXTENT) {
        x->hi = MAX_EXTENT;
        x->extent = 1;
    }
    return e;
}

static bool is_host_pair(const lowering *L, k_id x, k_id y)
{
    return kb_is_host(&L->b, x) && kb_is_host(&L->b, y);
}

k_id count(lowering *L, opcode op, k_id x, k_id y)
{
    return is_host_pair(L, x, y) ? kb_saturate(&L->b, op, x, y) : kb_scalar(&L->b, op, x, y, 0);
}

k_id shape_turns(lowering *L, const k_id *shape, uint32_t rank)
{
    k_id n = shape[0];
    for (uint32_t i = 1; i < rank; i++)
        n = is_host_pair(L, n, shape[i]) ? count(L, SOP_MUL, n, shape[i]) : kb_claim(&L->b, SOP_MUL, n, shape[i]);
    return rank > 1 ? extent(L, n) : n;
}

k_id shape_count(lowering *L, const k_id *shape, uint32_t rank)
{
    k_id n = shape[0];
    for (uint32_t i = 1; i < rank; i++)
        n = count(L, SOP_MUL, n, shape[i]);
    return rank > 1 ? extent(L, n) : n;
}

/* f, when q and r are its quotient and remainder by max(n, 1); where the element exists n is at least 1. */
static k_id unflattened(lowering *L, k_id q, k_id r, k_id n)
{
    const k_node *x = k_at(L->b.p, q), *y = k_at(L->b.p, r);
    bool pair = x->op == K_SCALAR && x->sub == SOP_QUOT && y->op == K_SCALAR && y->sub == SOP_REM &&
                x->args[0] == y->args[0] && x->args[1] == y->args[1];
    return pair && x->args[1] == kb_max(&L->b, n, kb_int(&L->b, 1)) ? x->args[0] : 0;
}

k_id shape_flatten(lowering *L, const k_id *shape, uint32_t rank, const k_id *ix, bool exists)
{
    k_builder *b = &L->b;
    k_id flat = exists ? kb_position(b, ix[0]) : ix[0];
    for (uint32_t i = 1; i < rank; i++) {
        k_id whole = exists ? unflattened(L, flat, ix[i], shape[i]) : 0;
        if (whole)
            flat = whole;
        else if (exists)
            flat = kb_claim(b, SOP_ADD, kb_claim(b, SOP_MUL, flat, shape[i]), kb_position(b, ix[i]));
        else
            flat = kb_add(b, kb_mul(b, flat, shape[i]), ix[i]);
    }
    return flat;
}

/* An element exists, so every extent is at least one: dividing by max(extent, 1) needs no test for zero. */
void shape_unflatten(lowering *L, const k_id *shape, uint32_t rank, k_id flat, k_id *ix)
{
    k_builder *b = &L->b;
    for (uint32_t i = rank; i-- > 1;) {
        k_id n = kb_max(b, shape[i], kb_int(b, 1));
        k_id q = kb_scalar(b, SOP_QUOT, flat, n, 0);
        ix[i] = kb_scalar(b, SOP_REM, flat, n, 0);
        flat = q;
    }
    ix[0] = flat;
}

/* ---- boxes ---- */

/* A box of more elements is not worth filling: its corner may be all that there is. */
enum { BOX_MOST = 4096 };

/* Taking a number apart costs a division for every extent but the first, unless the extent is constant; so the others
 * count more than the first. */
bool shape_box(lowering *L, const k_id *shape, uint32_t rank, k_id *box)
{
    const k_program *p = L->b.p;
    int64_t count = 1, known;
    bool padded = false;
    for (uint32_t i = rank; i-- > 0;) {
        int64_t most = k_at(p, shape[i])->hi;
        box[i] = shape[i];
        if (k_is_const(p, shape[i], &known))
            count = known > BOX_MOST || count > BOX_MOST ? BOX_MOST + 1 : count * known;
        else if (count > BOX_MOST || most > BOX_MOST || count * most > BOX_MOST || (i == 0 && !padded))
            count = BOX_MOST + 1;
        else {
            box[i] = kb_int(&L->b, (int32_t)most);
            count *= most;
            padded = true;
        }
    }
    return padded;
}

k_id shape_contains(lowering *L, const k_id *shape, const k_id *box, uint32_t rank, const k_id *ix)
{
    k_builder *b = &L->b;
    k_id all = kb_const(b, ST_BOOL, 1);
    for (uint32_t i = 0; i < rank; i++)
        if (box[i] != shape[i])
            all = kb_scalar(b, SOP_AND, all, kb_lt(b, ix[i], shape[i]), 0);
    return all;
}
