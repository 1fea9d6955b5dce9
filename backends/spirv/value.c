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

/* Constants are made where they are used; whatever else a kernel uses has its id by then. */
sp_id sp_value(sp_emitter *e, k_id v)
{
    const k_node *n = k_at(e->p, v);
    if (!e->ids[v] && n->op == K_CONST)
        e->ids[v] = sp_const(e, (scalar)n->type, n->bits);
    if (!e->ids[v])
        e->failed = true; /* the verifier lets no value be used before its definition */
    return e->ids[v];
}

/* A bool has no size that SPIR-V promises: a byte stands for it. */
sp_id sp_to_memory(sp_emitter *e, scalar t, sp_id v)
{
    if (t != ST_BOOL)
        return v;
    return sp_3(e, SpvOpSelect, sp_scalar(e, ST_U8), v, sp_const(e, ST_U8, 1), sp_zero(e, ST_U8));
}

sp_id sp_from_memory(sp_emitter *e, scalar t, sp_id v)
{
    return t == ST_BOOL ? sp_relate(e, SpvOpINotEqual, v, sp_zero(e, ST_U8)) : v;
}
