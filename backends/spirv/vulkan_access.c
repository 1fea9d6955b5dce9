/* How Vulkan's kernels reach the elements of their memories: see vulkan_access.h. */
#include "backends/spirv/vulkan_access.h"

/* ---- elements ---- */

static bool is_table(const sp_emitter *e, k_id memory)
{
    return k_at(e->p, memory)->op == K_TABLE && !(e->notes[memory] & SP_GIVEN);
}

static SpvStorageClass storage_of(const sp_emitter *e, k_id memory)
{
    const k_node *n = k_at(e->p, memory);
    return is_table(e, memory)                             ? SpvStorageClassPrivate
           : n->op == K_ALLOC && n->space == SPACE_LOCAL   ? SpvStorageClassWorkgroup
           : n->op == K_ALLOC && n->space == SPACE_PRIVATE ? SpvStorageClassFunction
                                                           : e->environment->buffers;
}

/* Numbers of elements have 32 bits: a device lets a kernel see fewer bytes of a buffer than they
 * count, and drivers (lavapipe 22.3) go wrong with 64.  Behind an address there may be more. */
static scalar number_type(const sp_emitter *e, k_id memory, k_id index)
{
    bool is_long = ir_scalar_bytes((scalar)k_at(e->p, index)->type) == 8;
    return is_long && storage_of(e, memory) == SpvStorageClassPhysicalStorageBuffer ? ST_U64
                                                                                    : ST_U32;
}

/* That of an element `by` behind the one of an index. */
static sp_id number_of(sp_emitter *e, k_id memory, k_id index, uint32_t by)
{
    scalar t = number_type(e, memory, index);
    sp_id at = sp_resize(e, t, (scalar)k_at(e->p, index)->type, sp_value(e, index));
    return by ? sp_2(e, SpvOpIAdd, sp_scalar(e, t), at, sp_const(e, t, by)) : at;
}

static sp_id in_table(sp_emitter *e, k_id table, sp_id index)
{
    sp_table_shape shape;
    sp_id all = sp_table(e, table, &shape), type = sp_scalar(e, ST_U32),
          to = sp_pointer(e, SpvStorageClassPrivate, sp_scalar(e, vulkan_kept(e, table)));
    if (!shape.rows)
        return sp_2(e, SpvOpInBoundsAccessChain, to, all, index);
    sp_id row = sp_2(e, SpvOpUDiv, type, index, sp_u32(e, TABLE_ROW)),
          rest = sp_2(e, SpvOpUMod, type, index, sp_u32(e, TABLE_ROW));
    return sp_3(e, SpvOpInBoundsAccessChain, to, all, row, rest);
}

/* Unit `number` of a local area, or an element of it. */
static sp_id unit_at(sp_emitter *e, k_id memory, sp_id number)
{
    sp_id of = sp_scalar(e, vulkan_kept(e, memory)),
          type = sp_vector(e, of, vulkan_unit(e, memory));
    return sp_2(e, SpvOpInBoundsAccessChain, sp_pointer(e, SpvStorageClassWorkgroup, type),
                sp_value(e, memory), number);
}

static sp_id in_local(sp_emitter *e, k_id memory, sp_id at)
{
    sp_id word = sp_scalar(e, ST_U32), unit = sp_u32(e, vulkan_unit(e, memory)),
          to = sp_pointer(e, SpvStorageClassWorkgroup, sp_scalar(e, vulkan_kept(e, memory)));
    if (vulkan_unit(e, memory) == 1)
        return sp_2(e, SpvOpInBoundsAccessChain, to, sp_value(e, memory), at);
    sp_id number = sp_2(e, SpvOpUDiv, word, at, unit), rest = sp_2(e, SpvOpUMod, word, at, unit);
    return sp_3(e, SpvOpInBoundsAccessChain, to, sp_value(e, memory), number, rest);
}

/* An element `by` behind the one of an index. */
static sp_id element_at(sp_emitter *e, k_id memory, k_id index, uint32_t by)
{
    SpvStorageClass storage = storage_of(e, memory);
    sp_id to = sp_pointer(e, storage, sp_scalar(e, vulkan_kept(e, memory))),
          at = number_of(e, memory, index, by + e->places[memory]);
    if (is_table(e, memory))
        return in_table(e, memory, at);
    if (storage == SpvStorageClassWorkgroup)
        return in_local(e, memory, at);
    if (storage == e->environment->buffers)
        return sp_3(e, SpvOpInBoundsAccessChain, to, sp_value(e, memory), sp_u32(e, 0), at);
    return sp_2(e, SpvOpInBoundsAccessChain, to, sp_value(e, memory), at);
}

sp_id vulkan_element(sp_emitter *e, k_id memory, k_id index)
{
    return element_at(e, memory, index, 0);
}

sp_id vulkan_word(sp_emitter *e, uint32_t i)
{
    return sp_3(e, SpvOpInBoundsAccessChain,
                sp_pointer(e, e->environment->buffers, sp_scalar(e, ST_U32)), e->checks,
                sp_u32(e, 0), sp_u32(e, i));
}

sp_id vulkan_cell(sp_emitter *e, const k_node *n)
{
    return vulkan_element(e, n->args[0], n->args[1]);
}

/* ---- several at once ---- */

static bool is_buffer(const sp_emitter *e, const k_node *n)
{
    return storage_of(e, n->args[0]) == e->environment->buffers;
}

/* Local and private memory has one type only: how many elements an access of so many moves at once,
 * whole units or single ones. */
static uint32_t step_of(const sp_emitter *e, const k_node *n, uint32_t lanes)
{
    bool is_local = storage_of(e, n->args[0]) == SpvStorageClassWorkgroup;
    uint32_t unit = is_local ? vulkan_unit(e, n->args[0]) : 1;
    return lanes % unit == 0 ? unit : 1;
}

/* What is moved at once from element i of an access on. */
static sp_id piece_at(sp_emitter *e, const k_node *n, uint32_t step, uint32_t i)
{
    k_id memory = n->args[0];
    if (step == 1)
        return element_at(e, memory, n->args[1], i);
    sp_id at = number_of(e, memory, n->args[1], i + e->places[memory]);
    return unit_at(e, memory, sp_2(e, SpvOpUDiv, sp_scalar(e, ST_U32), at, sp_u32(e, step)));
}

/* The number of a vector: that of its first element is a multiple of its lanes. */
static sp_id vector_at(sp_emitter *e, const k_node *n, const sp_freight *f)
{
    scalar t = number_type(e, n->args[0], n->args[1]);
    sp_id to = sp_pointer(e, e->environment->buffers, f->vector);
    sp_id at = sp_2(e, SpvOpUDiv, sp_scalar(e, t), number_of(e, n->args[0], n->args[1], 0),
                    sp_const(e, t, f->lanes));
    return sp_3(e, SpvOpInBoundsAccessChain, to, vulkan_wide(e, n->args[0], f), sp_u32(e, 0), at);
}

/* Elements of a part of a vector: of all of it, or, where they travel as words, of one word, since
 * a vector has four elements at most. */
static uint32_t part_of(const sp_freight *f)
{
    return f->elements ? f->lanes : f->lanes / f->n;
}

static sp_id part_type(sp_emitter *e, const k_node *n, const sp_freight *f)
{
    return f->elements ? f->elements : sp_vector(e, sp_stored(e, (scalar)n->type), part_of(f));
}

static sp_id read_part(sp_emitter *e, const k_node *n, const sp_freight *f, sp_id all, uint32_t i)
{
    if (f->elements)
        return all;
    sp_id word = f->n > 1 ? sp_2(e, SpvOpCompositeExtract, sp_scalar(e, ST_U32), all, i) : all;
    return sp_1(e, SpvOpBitcast, part_type(e, n, f), word);
}

static void load_vector(sp_emitter *e, const k_node *n)
{
    scalar t = (scalar)n->type;
    sp_freight f = sp_freight_of(e, n, n->nresults);
    sp_id part = 0, all = sp_make(e->s, e->where, SpvOpLoad, f.vector,
                                  SP_WORDS(vector_at(e, n, &f), SpvMemoryAccessAlignedMask,
                                           f.n * ir_scalar_bytes(f.type)));
    for (uint32_t i = 0, size = part_of(&f); i < n->nresults; i++) {
        if (i % size == 0)
            part = read_part(e, n, &f, all, i / size);
        e->ids[n->results + i] =
            sp_from_memory(e, t, sp_2(e, SpvOpCompositeExtract, sp_stored(e, t), part, i % size));
    }
}

static void load_pieces(sp_emitter *e, const k_node *n)
{
    scalar t = (scalar)n->type;
    uint32_t step = step_of(e, n, n->nresults);
    sp_id one = sp_stored(e, t), type = step > 1 ? sp_vector(e, one, step) : one, all = 0;
    for (uint32_t i = 0; i < n->nresults; i++) {
        if (i % step == 0)
            all = sp_1(e, SpvOpLoad, type, piece_at(e, n, step, i));
        sp_id v = step > 1 ? sp_2(e, SpvOpCompositeExtract, one, all, i % step) : all;
        e->ids[n->results + i] = sp_from_memory(e, t, v);
    }
}

void vulkan_load_wide(sp_emitter *e, const k_node *n)
{
    if (is_buffer(e, n))
        load_vector(e, n);
    else
        load_pieces(e, n);
}

/* One value into a vector at a place. */
static sp_id put_into(sp_emitter *e, sp_id type, sp_id all, sp_id one, uint32_t at)
{
    return sp_make(e->s, e->where, SpvOpCompositeInsert, type, SP_WORDS(one, all, at));
}

static sp_id nothing(sp_emitter *e, sp_id type)
{
    return sp_once(e->s, SP_GLOBALS, SpvOpUndef, type, NULL, 0);
}

static void store_vector(sp_emitter *e, const k_node *n)
{
    sp_freight f = sp_freight_of(e, n, n->nlist);
    sp_id type = part_type(e, n, &f), part = 0, all = nothing(e, f.vector);
    for (uint32_t i = 0, size = part_of(&f); i < n->nlist; i++) {
        sp_id one = sp_to_memory(e, (scalar)n->type, sp_value(e, k_listed(e->p, n, i)));
        part = put_into(e, type, i % size ? part : nothing(e, type), one, i % size);
        if ((i + 1) % size)
            continue;
        sp_id whole = f.elements ? part : sp_1(e, SpvOpBitcast, sp_scalar(e, ST_U32), part);
        all = f.elements || f.n == 1 ? whole : put_into(e, f.vector, all, whole, i / size);
    }
    sp_put(e->s, e->where, SpvOpStore,
           SP_WORDS(vector_at(e, n, &f), all, SpvMemoryAccessAlignedMask,
                    f.n * ir_scalar_bytes(f.type)));
}

static void store_pieces(sp_emitter *e, const k_node *n)
{
    uint32_t step = step_of(e, n, n->nlist);
    sp_id one = sp_stored(e, (scalar)n->type), type = step > 1 ? sp_vector(e, one, step) : one,
          all = 0;
    for (uint32_t i = 0; i < n->nlist; i++) {
        sp_id v = sp_to_memory(e, (scalar)n->type, sp_value(e, k_listed(e->p, n, i)));
        all = step > 1 ? put_into(e, type, i % step ? all : nothing(e, type), v, i % step) : v;
        if ((i + 1) % step == 0)
            sp_put(e->s, e->where, SpvOpStore, SP_WORDS(piece_at(e, n, step, i + 1 - step), all));
    }
}

void vulkan_store_wide(sp_emitter *e, const k_node *n)
{
    if (is_buffer(e, n))
        store_vector(e, n);
    else
        store_pieces(e, n);
}
