/* What reads and writes memory, atomic steps, barriers: see emit.h. */
#include "backends/spirv/emit.h"

/* ---- elements ---- */

void sp_load(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    scalar t = (scalar)n->type;
    sp_id at = e->environment->element(e, n->args[0], n->args[1]);
    sp_id v = sp_make(e->s, e->where, SpvOpLoad, sp_stored(e, t),
                      SP_WORDS(at, SpvMemoryAccessAlignedMask, ir_scalar_bytes(t)));
    e->ids[id] = sp_from_memory(e, t, v);
}

void sp_store(sp_emitter *e, const k_node *n)
{
    scalar t = (scalar)k_at(e->p, n->args[2])->type;
    sp_id at = e->environment->element(e, n->args[0], n->args[1]);
    sp_id v = sp_to_memory(e, t, sp_value(e, n->args[2]));
    sp_put(e->s, e->where, SpvOpStore,
           SP_WORDS(at, v, SpvMemoryAccessAlignedMask, ir_scalar_bytes(t)));
}

/* ---- wide accesses ---- */

sp_freight sp_freight_of(sp_emitter *e, const k_node *n, uint32_t lanes)
{
    scalar own = sp_kept(e, (scalar)n->type);
    sp_freight f = {.type = own, .n = lanes, .lanes = lanes};
    if (lanes > 4) {
        f.type = ST_U32;
        f.n = lanes * ir_scalar_bytes(own) / 4;
    }
    f.vector = f.n > 1 ? sp_vector(e, sp_scalar(e, f.type), f.n) : sp_scalar(e, f.type);
    if (lanes <= 4 || !e->environment->keeps_bits)
        f.elements = sp_vector(e, sp_scalar(e, own), lanes);
    return f;
}

/* ---- atomic steps ---- */

static bool is_local(const sp_emitter *e, k_id memory)
{
    const k_node *n = k_at(e->p, memory);
    return n->op == K_ALLOC && n->space == SPACE_LOCAL;
}

static uint32_t order_of(const sp_emitter *e, const k_node *n)
{
    uint32_t memory = e->environment->buffers == SpvStorageClassCrossWorkgroup
                          ? SpvMemorySemanticsCrossWorkgroupMemoryMask
                          : SpvMemorySemanticsUniformMemoryMask;
    return n->atomic == ATOMIC_ACQUIRE   ? SpvMemorySemanticsAcquireMask | memory
           : n->atomic == ATOMIC_RELEASE ? SpvMemorySemanticsReleaseMask | memory
           : n->atomic == ATOMIC_ARRIVE  ? SpvMemorySemanticsAcquireReleaseMask | memory
                                         : (uint32_t)SpvMemorySemanticsMaskNone;
}

static SpvOp atomic_op(const k_node *n)
{
    bool is_signed = ir_scalar_class((scalar)n->type) == 'I';
    switch ((k_atomic)n->atomic) {
    case ATOMIC_ADD:
    case ATOMIC_ARRIVE: return SpvOpAtomicIAdd;
    case ATOMIC_MIN: return is_signed ? SpvOpAtomicSMin : SpvOpAtomicUMin;
    case ATOMIC_MAX: return is_signed ? SpvOpAtomicSMax : SpvOpAtomicUMax;
    case ATOMIC_AND: return SpvOpAtomicAnd;
    case ATOMIC_OR: return SpvOpAtomicOr;
    case ATOMIC_XOR: return SpvOpAtomicXor;
    case ATOMIC_EXCHANGE: return SpvOpAtomicExchange;
    case ATOMIC_COMPARE: return SpvOpAtomicCompareExchange;
    case ATOMIC_LOAD:
    case ATOMIC_ACQUIRE: return SpvOpAtomicLoad;
    case ATOMIC_STORE:
    case ATOMIC_RELEASE: break;
    }
    return SpvOpAtomicStore;
}

static sp_id operand(sp_emitter *e, const k_node *n, k_id v)
{
    return sp_to_memory(e, (scalar)n->type, sp_value(e, v));
}

void sp_atomic(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    SpvOp op = atomic_op(n);
    sp_id type = sp_stored(e, (scalar)n->type), at = e->environment->cell(e, n),
          scope = sp_u32(e, is_local(e, n->args[0]) ? SpvScopeWorkgroup : SpvScopeDevice),
          order = sp_u32(e, order_of(e, n)), v = n->args[2] ? operand(e, n, n->args[2]) : 0,
          had = 0;
    if (ir_scalar_bytes((scalar)n->type) == 8)
        sp_require(e->s, SpvCapabilityInt64Atomics);
    if (op == SpvOpAtomicStore)
        sp_put(e->s, e->where, op, SP_WORDS(at, scope, order, v));
    else if (op == SpvOpAtomicLoad)
        had = sp_make(e->s, e->where, op, type, SP_WORDS(at, scope, order));
    else if (op == SpvOpAtomicCompareExchange)
        had = sp_make(e->s, e->where, op, type,
                      SP_WORDS(at, scope, order, order, operand(e, n, k_listed(e->p, n, 0)), v));
    else
        had = sp_make(e->s, e->where, op, type, SP_WORDS(at, scope, order, v));
    if (had)
        e->ids[id] = sp_from_memory(e, (scalar)n->type, had);
}

/* ---- barriers ---- */

/* What a barrier orders costs time: legalise says whether global memory is in it. */
void sp_sync(sp_emitter *e, uint32_t level, bool fenced)
{
    uint32_t global = e->environment->buffers == SpvStorageClassCrossWorkgroup
                          ? SpvMemorySemanticsCrossWorkgroupMemoryMask
                          : SpvMemorySemanticsUniformMemoryMask;
    sp_id scope = sp_u32(e, level > LEVEL_WARP ? SpvScopeWorkgroup : SpvScopeSubgroup);
    uint32_t order = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask |
                     (fenced ? global : 0);
    sp_put(e->s, e->where, SpvOpControlBarrier, SP_WORDS(scope, scope, sp_u32(e, order)));
}
