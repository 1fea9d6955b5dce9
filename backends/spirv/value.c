/* Instructions with results, and what stands for values of the program: see emit.h. */
#include "backends/spirv/emit.h"

sp_id sp_1(sp_emitter *e, SpvOp op, sp_id type, sp_id a)
{
    return sp_make(e->s, e->where, op, type, SP_WORDS(a));
}

sp_id sp_2(sp_emitter *e, SpvOp op, sp_id type, sp_id a, sp_id b)
{
    return sp_make(e->s, e->where, op, type, SP_WORDS(a, b));
}

/* Vulkan leaves OpSRem of negative numbers undefined. */
sp_id sp_signed_rest(sp_emitter *e, sp_id type, sp_id x, sp_id y)
{
    if (!e->environment->divides_only)
        return sp_2(e, SpvOpSRem, type, x, y);
    sp_id product = sp_2(e, SpvOpIMul, type, sp_2(e, SpvOpSDiv, type, x, y), y);
    return sp_2(e, SpvOpISub, type, x, product);
}

sp_id sp_3(sp_emitter *e, SpvOp op, sp_id type, sp_id a, sp_id b, sp_id c)
{
    return sp_make(e->s, e->where, op, type, SP_WORDS(a, b, c));
}

sp_id sp_relate(sp_emitter *e, SpvOp op, sp_id a, sp_id b)
{
    return sp_2(e, op, sp_scalar(e, ST_BOOL), a, b);
}

enum { MOST_EXTENDED = 3 };

sp_id sp_extended(sp_emitter *e, sp_id type, uint32_t number, const sp_id *words, uint32_t n)
{
    uint32_t all[2 + MOST_EXTENDED] = {e->shared->extended, number};
    for (uint32_t i = 0; i < n && i < MOST_EXTENDED; i++)
        all[2 + i] = words[i];
    return sp_make(e->s, e->where, SpvOpExtInst, type, all, 2 + n);
}

/* ---- values of the program ---- */

static sp_id read_cell(sp_emitter *e, k_id v)
{
    scalar t = (scalar)k_at(e->p, v)->type;
    sp_id x = sp_make(e->s, e->where, SpvOpLoad, sp_stored(e, t),
                      SP_WORDS(e->cells[v], SpvMemoryAccessVolatileMask));
    return sp_from_memory(e, t, x);
}

/* Cells are made at the first value, at the head of the kernel. */
void sp_keep(sp_emitter *e, k_id v, sp_id value)
{
    scalar t = (scalar)k_at(e->p, v)->type;
    if (!e->cells)
        return;
    if (!e->cells[v])
        e->cells[v] = sp_make(e->s, SP_HEAD, SpvOpVariable,
                              sp_pointer(e, SpvStorageClassFunction, sp_stored(e, t)),
                              SP_WORDS(SpvStorageClassFunction));
    sp_id x = sp_to_memory(e, t, value);
    sp_put(e->s, e->where, SpvOpStore, SP_WORDS(e->cells[v], x, SpvMemoryAccessVolatileMask));
}

void sp_share(sp_emitter *e, k_id v, k_id other)
{
    e->ids[v] = e->ids[other];
    if (e->cells)
        e->cells[v] = e->cells[other];
}

uint32_t sp_push_values(sp_emitter *e, const k_node *n)
{
    uint32_t at = e->stack.len;
    for (uint32_t i = 0; i < n->nlist; i++)
        if (!vec_push(e->s->m, &e->stack, sp_value(e, k_listed(e->p, n, i))))
            e->s->failed = true;
    return at;
}

sp_id sp_pushed(const sp_emitter *e, uint32_t at, uint32_t i)
{
    return at + i < e->stack.len ? e->stack.at[at + i] : 0;
}

void sp_pop_values(sp_emitter *e, uint32_t at)
{
    e->stack.len = at;
}

/* Constants are made where they are used; whatever else a kernel uses has its id by then. */
sp_id sp_value(sp_emitter *e, k_id v)
{
    const k_node *n = k_at(e->p, v);
    if (e->cells && e->cells[v])
        return read_cell(e, v);
    if (!e->ids[v] && n->op == K_CONST)
        e->ids[v] = sp_const(e, (scalar)n->type, n->bits);
    if (!e->ids[v])
        e->failed = true; /* the verifier lets no value be used before its definition */
    return e->ids[v];
}

static sp_id change(sp_emitter *e, sp_id from, sp_id to, sp_id v)
{
    return from == to ? v : sp_1(e, SpvOpBitcast, to, v);
}

/* A bool has no size that SPIR-V promises: a byte stands for it. */
sp_id sp_to_memory(sp_emitter *e, scalar t, sp_id v)
{
    if (t != ST_BOOL)
        return change(e, sp_scalar(e, t), sp_stored(e, t), v);
    return sp_3(e, SpvOpSelect, sp_scalar(e, ST_U8), v, sp_const(e, ST_U8, 1), sp_zero(e, ST_U8));
}

sp_id sp_from_memory(sp_emitter *e, scalar t, sp_id v)
{
    return t == ST_BOOL ? sp_relate(e, SpvOpINotEqual, v, sp_zero(e, ST_U8))
                        : change(e, sp_stored(e, t), sp_scalar(e, t), v);
}
