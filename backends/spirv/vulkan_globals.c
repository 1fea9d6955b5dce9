/* The global memory of Vulkan's kernels: storage buffers, or addresses: see vulkan_access.h.
 *
 * A buffer is a variable, whose bytes a second variable at its binding may have as vectors.  An
 * address is a scalar of the kernel, which is made a pointer, and that one a pointer to vectors. */
#include "backends/spirv/vulkan_access.h"

#include <string.h>

/* ---- what has no result ---- */

void vulkan_extension(sp_module *s, const char *name)
{
    uint32_t words[8] = {0};
    size_t n = strlen(name);
    if (n < sizeof words)
        memcpy(words, name, n);
    sp_put_once(s, SP_EXTENSIONS, SpvOpExtension, words, (uint32_t)n / 4 + 1);
}

void vulkan_decorate(sp_emitter *e, sp_id id, SpvDecoration what)
{
    sp_put_once(e->s, SP_DECORATIONS, SpvOpDecorate, SP_WORDS(id, (uint32_t)what));
}

void vulkan_decorate_by(sp_emitter *e, sp_id id, SpvDecoration what, uint32_t number)
{
    sp_put_once(e->s, SP_DECORATIONS, SpvOpDecorate, SP_WORDS(id, (uint32_t)what, number));
}

void vulkan_place_member(sp_emitter *e, sp_id block, uint32_t member, uint32_t offset)
{
    sp_put_once(e->s, SP_DECORATIONS, SpvOpMemberDecorate,
                SP_WORDS(block, member, SpvDecorationOffset, offset));
}

sp_id vulkan_variable(sp_emitter *e, SpvStorageClass storage, sp_id type)
{
    sp_section where = storage == SpvStorageClassFunction ? SP_HEAD : SP_GLOBALS;
    return sp_make(e->s, where, SpvOpVariable, sp_pointer(e, storage, type),
                   SP_WORDS((uint32_t)storage));
}

/* ---- types ---- */

static void require_storage(sp_emitter *e, uint32_t bytes)
{
    if (bytes == 1) {
        vulkan_extension(e->s, "SPV_KHR_8bit_storage");
        sp_require(e->s, SpvCapabilityStorageBuffer8BitAccess);
    }
    if (bytes == 2)
        sp_require(e->s, SpvCapabilityStorageBuffer16BitAccess);
}

/* Elements, or vectors of them, without an end. */
static sp_id row_of(sp_emitter *e, scalar t, uint32_t lanes)
{
    sp_id one = sp_scalar(e, t), all = lanes > 1 ? sp_vector(e, one, lanes) : one;
    sp_id row = sp_once(e->s, SP_GLOBALS, SpvOpTypeRuntimeArray, 0, SP_WORDS(all));
    require_storage(e, ir_scalar_bytes(t));
    vulkan_decorate_by(e, row, SpvDecorationArrayStride, ir_scalar_bytes(t) * lanes);
    return row;
}

static sp_id block_of(sp_emitter *e, sp_id block)
{
    vulkan_decorate(e, block, SpvDecorationBlock);
    vulkan_place_member(e, block, 0, 0);
    return block;
}

/* What other groups look at while a kernel runs is not to stay in caches; what nobody reads before
 * the kernel has ended may. */
static bool access_of(const sp_emitter *e, k_id memory, SpvDecoration *what)
{
    uint8_t note = e->notes[memory];
    *what = note & SP_STORED ? SpvDecorationCoherent : SpvDecorationNonWritable;
    return !(note & SP_STORED) || (note & SP_LOADED && (e->kernel->shares_global || e->orders));
}

/* ---- buffers ---- */

static sp_id buffer_of(sp_emitter *e, scalar t, uint32_t lanes, uint32_t binding)
{
    sp_id row = row_of(e, t, lanes);
    sp_id block = sp_once(e->s, SP_GLOBALS, SpvOpTypeStruct, 0, SP_WORDS(row));
    sp_id v = vulkan_variable(e, SpvStorageClassStorageBuffer, block_of(e, block));
    vulkan_decorate_by(e, v, SpvDecorationDescriptorSet, 0);
    vulkan_decorate_by(e, v, SpvDecorationBinding, binding);
    return v;
}

static void say_access(sp_emitter *e, k_id memory, sp_id variable)
{
    SpvDecoration what;
    if (access_of(e, memory, &what))
        vulkan_decorate(e, variable, what);
}

void vulkan_put_buffers(sp_emitter *e)
{
    const k_kernel *k = e->kernel;
    for (uint32_t i = 0; i < k->nglobals; i++) {
        k_id id = k_pooled(e->p, k->globals, i);
        e->ids[id] = buffer_of(e, vulkan_kept(e, id), 1, i);
        sp_name(e, e->ids[id], id);
        say_access(e, id, e->ids[id]);
    }
    if (k->checks)
        e->checks = buffer_of(e, ST_U32, 1, k->nglobals);
}

static uint32_t binding_of(const sp_emitter *e, k_id memory)
{
    uint32_t i = 0;
    while (i < e->kernel->nglobals && k_pooled(e->p, e->kernel->globals, i) != memory)
        i++;
    return i;
}

/* A second variable at its binding, whose type is another. */
static sp_id buffer_again(sp_emitter *e, k_id memory, const sp_freight *f)
{
    sp_id v = buffer_of(e, f->type, f->n, binding_of(e, memory));
    say_access(e, memory, v);
    vulkan_decorate(e, v, SpvDecorationAliased);
    vulkan_decorate(e, e->ids[memory], SpvDecorationAliased);
    return v;
}

/* ---- addresses ---- */

/* Access is the type's here, so that each memory has types of its own. */
static sp_id pointer_of(sp_emitter *e, k_id memory, scalar t, uint32_t lanes)
{
    SpvDecoration what;
    sp_id row = row_of(e, t, lanes),
          block = sp_make(e->s, SP_GLOBALS, SpvOpTypeStruct, 0, SP_WORDS(row));
    if (memory && access_of(e, memory, &what))
        sp_put_once(e->s, SP_DECORATIONS, SpvOpMemberDecorate, SP_WORDS(block, 0, (uint32_t)what));
    return sp_pointer(e, SpvStorageClassPhysicalStorageBuffer, block_of(e, block));
}

static sp_id pointer_at(sp_emitter *e, sp_id type, sp_id address)
{
    return sp_make(e->s, SP_ENTRY, SpvOpConvertUToPtr, type, SP_WORDS(address));
}

void vulkan_take_address(sp_emitter *e, uint32_t i, sp_id address)
{
    const k_kernel *k = e->kernel;
    if (i == k->nglobals) {
        e->checks = pointer_at(e, pointer_of(e, 0, ST_U32, 1), address);
        return;
    }
    k_id id = k_pooled(e->p, k->globals, i);
    e->ids[id] = pointer_at(e, pointer_of(e, id, vulkan_kept(e, id), 1), address);
    sp_name(e, e->ids[id], id);
}

/* The same pointer, to vectors. */
static sp_id pointer_again(sp_emitter *e, k_id memory, const sp_freight *f)
{
    return sp_make(e->s, SP_ENTRY, SpvOpBitcast, pointer_of(e, memory, f->type, f->n),
                   SP_WORDS(e->ids[memory]));
}

/* ---- both ---- */

sp_id vulkan_wide(sp_emitter *e, k_id memory, const sp_freight *f)
{
    for (uint32_t i = 0; i < e->wide.len; i++)
        if (e->wide.at[i].memory == memory && e->wide.at[i].vector == f->vector)
            return e->wide.at[i].variable;
    sp_wide made = {.memory = memory, .vector = f->vector};
    made.variable =
        vulkan_has_addresses(e) ? pointer_again(e, memory, f) : buffer_again(e, memory, f);
    if (!vec_push(e->s->m, &e->wide, made))
        e->s->failed = true;
    return made.variable;
}
