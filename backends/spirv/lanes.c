/* Warps that are the device's subgroups: their lanes hand values to one another.  See emit.h.
 *
 * Values travel as words of 32 bits, which every device moves; those of 64 bits as two. */
#include "backends/spirv/emit.h"

#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

enum { SPIRV_1_3 = 0x00010300 };

static sp_id input(sp_emitter *e, uint32_t which, SpvBuiltIn what)
{
    sp_id word = sp_scalar(e, ST_U32), v = sp_input(e, which, what, word);
    return sp_make(e->s, SP_ENTRY, SpvOpLoad, word, SP_WORDS(v, SpvMemoryAccessAlignedMask, 4));
}

/* Which threads a subgroup has is the device's choice, and blocks are of whole ones: threads are
 * counted by subgroup. */
sp_id sp_thread_of_lane(sp_emitter *e)
{
    sp_id word = sp_scalar(e, ST_U32), subgroup = input(e, SP_SUBGROUP, SpvBuiltInSubgroupId),
          lane = input(e, SP_LANE, SpvBuiltInSubgroupLocalInvocationId),
          first = sp_make(e->s, SP_ENTRY, SpvOpIMul, word,
                          SP_WORDS(subgroup, sp_u32(e, e->p->target.facts.warp_size)));
    sp_require(e->s, SpvCapabilityGroupNonUniform);
    sp_need_version(e->s, SPIRV_1_3);
    return sp_make(e->s, SP_ENTRY, SpvOpIAdd, word, SP_WORDS(first, lane));
}

static sp_id move(sp_emitter *e, sp_id v, sp_id lane)
{
    sp_id scope = sp_u32(e, SpvScopeSubgroup);
    return sp_3(e, SpvOpGroupNonUniformShuffle, sp_scalar(e, ST_U32), scope, v, lane);
}

/* Two words: a vector of them has the same bits. */
static sp_id move_wide(sp_emitter *e, sp_id type, sp_id v, sp_id lane)
{
    sp_id word = sp_scalar(e, ST_U32), two = sp_vector(e, word, 2),
          from = sp_1(e, SpvOpBitcast, two, v),
          to = sp_once(e->s, SP_GLOBALS, SpvOpUndef, two, NULL, 0);
    for (uint32_t i = 0; i < 2; i++) {
        sp_id one = sp_make(e->s, e->where, SpvOpCompositeExtract, word, SP_WORDS(from, i));
        to =
            sp_make(e->s, e->where, SpvOpCompositeInsert, two, SP_WORDS(move(e, one, lane), to, i));
    }
    return sp_1(e, SpvOpBitcast, type, to);
}

/* A value of less than 32 bits, as integers of its width. */
static sp_id move_small(sp_emitter *e, scalar t, sp_id v, sp_id lane)
{
    bool is_float = ir_scalar_class(t) == 'F';
    scalar bits = ir_scalar_bytes(t) == 1 ? ST_U8 : ST_U16;
    if (is_float)
        v = sp_1(e, SpvOpBitcast, sp_scalar(e, bits), v);
    v = move(e, sp_1(e, SpvOpUConvert, sp_scalar(e, ST_U32), v), lane);
    v = sp_1(e, SpvOpUConvert, sp_scalar(e, bits), v);
    return is_float ? sp_1(e, SpvOpBitcast, sp_scalar(e, t), v) : v;
}

static sp_id move_bool(sp_emitter *e, sp_id v, sp_id lane)
{
    sp_id word = sp_3(e, SpvOpSelect, sp_scalar(e, ST_U32), v, sp_u32(e, 1), sp_u32(e, 0));
    return sp_relate(e, SpvOpINotEqual, move(e, word, lane), sp_u32(e, 0));
}

/* The lane's number is modulo the warp's size. */
static sp_id lane_of(sp_emitter *e, const k_node *n)
{
    int64_t last = (int64_t)e->p->target.facts.warp_size - 1;
    sp_id lane = sp_resize(e, ST_U32, sp_type_of(e, n->args[1]), sp_value(e, n->args[1]));
    if (k_lo(e->p, n->args[1]) >= 0 && k_hi(e->p, n->args[1]) <= last)
        return lane;
    return sp_2(e, SpvOpBitwiseAnd, sp_scalar(e, ST_U32), lane, sp_u32(e, (uint32_t)last));
}

void sp_shuffle(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    scalar t = sp_type_of(e, n->args[0]);
    sp_id lane = lane_of(e, n), v = sp_value(e, n->args[0]), type = sp_scalar(e, t);
    sp_require(e->s, SpvCapabilityGroupNonUniformShuffle);
    sp_need_version(e->s, SPIRV_1_3);
    if (t == ST_BOOL)
        v = move_bool(e, v, lane);
    else if (ir_scalar_bytes(t) == 8)
        v = move_wide(e, type, v, lane);
    else if (ir_scalar_bytes(t) < 4)
        v = move_small(e, t, v, lane);
    else if (t == ST_F32)
        v = sp_1(e, SpvOpBitcast, type,
                 move(e, sp_1(e, SpvOpBitcast, sp_scalar(e, ST_U32), v), lane));
    else
        v = move(e, v, lane);
    e->ids[id] = v;
}
