/* SPIR-V for Vulkan: GLCompute, version 1.3: see emit.h and vulkan.h.
 *
 * There are no pointers to be computed with: a memory is a variable, an element of it is named by
 * its number.  Since nothing can be read as another type either, every memory holds the bits of its
 * elements, as integers of their width, so that arrays of one width may have bytes in common and
 * atomic steps have integers to work on. */
#include "backends/spirv/vulkan.h"

#include "backends/spirv/vulkan_access.h"

#include "ir/kernel/analysis/local.h"

#include <spirv/unified1/GLSL.std.450.h>

/* ---- the table ---- */

#define SET(name)                                                                                  \
    {                                                                                              \
        .way = SP_EXTENDED, .number = GLSLstd450##name                                             \
    }
/* What the set has for 32 bits and fewer. */
#define SINGLE(name)                                                                               \
    {                                                                                              \
        .way = SP_EXTENDED, .number = GLSLstd450##name, .most = 4                                  \
    }
/* A function of the module; where speed is asked for, the set's own of f32. */
#define REAL             .real = MAKE(sp_call)
#define REAL_FAST(quick) REAL, .fast = SINGLE(quick)
#include "backends/spirv/forms.h"

#define S_MOD      INTEGERS(MAKE(sp_make_remainder)), .real = MAKE(sp_make_modulo)
#define S_REM      INTEGERS(MAKE(sp_make_remainder)), REAL
#define S_FDIV     .real = CORE(FDiv)
#define S_ABS      .whole = MAKE(sp_make_magnitude), .natural = MAKE(sp_make_itself), .real = SET(FAbs)
#define S_MIN      INTEGERS(MAKE(sp_make_extreme)), .real = SET(NMin)
#define S_MAX      INTEGERS(MAKE(sp_make_extreme)), .real = SET(NMax)
#define S_POW      INTEGERS(MAKE(sp_make_power)), REAL_FAST(Pow)
#define S_MULHI    INTEGERS(MAKE(sp_make_high))
#define S_ROTL     INTEGERS(MAKE(sp_make_rotate))
#define S_POPCOUNT INTEGERS(MAKE(sp_make_count))
#define S_CLZ      INTEGERS(MAKE(sp_make_leading))
#define S_CTZ      INTEGERS(MAKE(sp_make_trailing))
#define S_SQRT     .real = SET(Sqrt)
#define S_RSQRT    .real = SET(InverseSqrt)
#define S_CBRT     REAL
#define S_EXP      REAL_FAST(Exp)
#define S_EXP2     REAL_FAST(Exp2)
#define S_EXPM1    REAL
#define S_LOG      REAL_FAST(Log)
#define S_LOG2     REAL_FAST(Log2)
#define S_LOG10    REAL
#define S_LOG1P    REAL
#define S_SIN      REAL_FAST(Sin)
#define S_COS      REAL_FAST(Cos)
#define S_TAN      REAL_FAST(Tan)
#define S_ASIN     REAL
#define S_ACOS     REAL
#define S_ATAN     REAL
#define S_SINH     REAL
#define S_COSH     REAL
#define S_TANH     REAL
#define S_ASINH    REAL
#define S_ACOSH    REAL
#define S_ATANH    REAL
#define S_ATAN2    REAL
#define S_HYPOT    REAL
#define S_ERF      REAL
#define S_FMA      .real = MAKE(sp_make_fused)
#define S_COPYSIGN .real = MAKE(sp_make_copysign)
#define S_FLOOR    .real = SET(Floor)
#define S_CEIL     .real = SET(Ceil)
#define S_TRUNC    .real = SET(Trunc)
#define S_ROUND    .real = MAKE(sp_make_round)
#define S_RINT     .real = SET(RoundEven)

static const sp_operator operators[SOP_END] = {
#include "ir/scalars.def"
};

/* ---- the module ---- */

static void begin(sp_module *s)
{
    sp_require(s, SpvCapabilityShader);
    sp_put(s, SP_MODEL, SpvOpMemoryModel,
           SP_WORDS(SpvAddressingModelLogical, SpvMemoryModelGLSL450));
}

static void begin_addresses(sp_module *s)
{
    sp_require(s, SpvCapabilityShader);
    sp_require(s, SpvCapabilityPhysicalStorageBufferAddresses);
    vulkan_extension(s, "SPV_KHR_physical_storage_buffer");
    sp_put(s, SP_MODEL, SpvOpMemoryModel,
           SP_WORDS(SpvAddressingModelPhysicalStorageBuffer64, SpvMemoryModelGLSL450));
}

/* Vulkan has no linkage: an entry point that does nothing. */
static void without_kernels(sp_module *s)
{
    sp_id nothing = sp_once(s, SP_GLOBALS, SpvOpTypeVoid, 0, NULL, 0);
    sp_id type = sp_once(s, SP_GLOBALS, SpvOpTypeFunction, 0, SP_WORDS(nothing));
    sp_id f = sp_make(s, SP_FUNCTIONS, SpvOpFunction, nothing,
                      SP_WORDS(SpvFunctionControlMaskNone, type));
    sp_put(s, SP_FUNCTIONS, SpvOpLabel, SP_WORDS(sp_new_id(s)));
    sp_put(s, SP_FUNCTIONS, SpvOpReturn, NULL, 0);
    sp_put(s, SP_FUNCTIONS, SpvOpFunctionEnd, NULL, 0);
    sp_put_text(s, SP_ENTRIES, SpvOpEntryPoint, SP_WORDS(SpvExecutionModelGLCompute, f), "nothing",
                NULL, 0);
    sp_put(s, SP_MODES, SpvOpExecutionMode, SP_WORDS(f, SpvExecutionModeLocalSize, 1, 1, 1));
}

/* ---- specialisation constants ---- */

static sp_id special(sp_emitter *e, uint32_t number, uint32_t usual, const char *name)
{
    sp_id id = sp_make(e->s, SP_GLOBALS, SpvOpSpecConstant, sp_scalar(e, ST_U32), SP_WORDS(usual));
    vulkan_decorate_by(e, id, SpvDecorationSpecId, number);
    sp_name_as(e, id, name);
    return id;
}

static sp_id of_specials(sp_emitter *e, SpvOp op, sp_id a, sp_id b)
{
    return sp_once(e->s, SP_GLOBALS, SpvOpSpecConstantOp, sp_scalar(e, ST_U32),
                   SP_WORDS((uint32_t)op, a, b));
}

enum { VECTOR = 8 }; /* threads that lavapipe runs at once */

static bool has_surplus(const sp_emitter *e)
{
    return (e->p->target.quirks & QUIRK_WHOLE_VECTORS) != 0;
}

/* Rounded up to whole vectors where threads may be surplus. */
static sp_id threads_of_group(sp_emitter *e, sp_id size)
{
    if (!has_surplus(e))
        return size;
    return of_specials(e, SpvOpBitwiseAnd, of_specials(e, SpvOpIAdd, size, sp_u32(e, VECTOR - 1)),
                       sp_u32(e, ~(uint32_t)(VECTOR - 1)));
}

/* One for the module: who builds a pipeline says how many threads its kernel has. */
static void put_group_size(sp_emitter *e)
{
    if (e->shared->group_size)
        return;
    sp_id one = sp_u32(e, 1),
          x = special(e, VULKAN_GROUP_SIZE, e->p->target.tuning.block_size, "group_size");
    sp_id all =
        sp_make(e->s, SP_GLOBALS, SpvOpSpecConstantComposite, sp_vector(e, sp_scalar(e, ST_U32), 3),
                SP_WORDS(threads_of_group(e, x), one, one));
    vulkan_decorate_by(e, all, SpvDecorationBuiltIn, SpvBuiltInWorkgroupSize);
    e->shared->group_size = x;
}

/* The units of a local area whose bytes the launch says. */
static sp_id launch_length(sp_emitter *e, uint32_t argument, uint32_t unit_bytes)
{
    vec_u32 *all = &e->shared->area_bytes;
    while (all->len <= argument && !e->s->failed) {
        sp_id next = special(e, VULKAN_AREA_BYTES + all->len, AREA_ALIGNMENT, "area_bytes");
        if (!vec_push(e->s->m, all, next))
            e->s->failed = true;
    }
    sp_id bytes = argument < all->len ? all->at[argument] : 0;
    return of_specials(e, SpvOpUDiv, bytes, sp_u32(e, unit_bytes));
}

/* ---- scalars ---- */

/* The block while it is made: the types of its members, and where it ends. */
typedef struct scalar_block {
    vec_u32 members, offsets;
    uint32_t end;
    sp_id type, variable;
    SpvStorageClass storage;
} scalar_block;

static scalar wide_enough(uint32_t bytes)
{
    return bytes == 8 ? ST_U64 : ST_U32;
}

static void add_member(sp_emitter *e, scalar_block *b, uint32_t bytes)
{
    if (!vec_push(e->s->m, &b->members, sp_scalar(e, wide_enough(bytes))) ||
        !vec_push(e->s->m, &b->offsets, vulkan_place(&b->end, bytes)))
        e->s->failed = true;
}

static k_id scalar_at(const sp_emitter *e, uint32_t i)
{
    return k_pooled(e->p, e->kernel->scalars, i);
}

static uint32_t scalar_bytes(const sp_emitter *e, uint32_t i)
{
    return ir_scalar_bytes(vulkan_kept(e, scalar_at(e, i)));
}

/* The memories that the kernel has as addresses. */
static uint32_t addresses_of(const sp_emitter *e)
{
    return vulkan_has_addresses(e) ? e->kernel->nglobals + e->kernel->checks : 0;
}

static void list_members(sp_emitter *e, scalar_block *b)
{
    add_member(e, b, 4);
    for (uint32_t i = 0; i < e->kernel->nscalars; i++)
        add_member(e, b, scalar_bytes(e, i));
    for (uint32_t i = 0; i < addresses_of(e); i++)
        add_member(e, b, 8);
}

static void name_members(sp_emitter *e, sp_id type)
{
    const k_kernel *k = e->kernel;
    uint32_t first = 1 + k->nscalars;
    sp_name_member_as(e, type, 0, "groups");
    for (uint32_t i = 0; i < k->nscalars; i++)
        sp_name_member(e, type, 1 + i, scalar_at(e, i));
    for (uint32_t i = 0; i < addresses_of(e); i++)
        if (i < k->nglobals)
            sp_name_member(e, type, first + i, k_pooled(e->p, k->globals, i));
        else
            sp_name_member_as(e, type, first + i, "checks");
}

/* Each kernel has a type of its own, whose members have names. */
static void declare_block(sp_emitter *e, scalar_block *b)
{
    const k_kernel *k = e->kernel;
    b->storage =
        b->end <= VULKAN_PUSHED ? SpvStorageClassPushConstant : SpvStorageClassStorageBuffer;
    b->type = sp_make(e->s, SP_GLOBALS, SpvOpTypeStruct, 0, b->members.at, b->members.len);
    name_members(e, b->type);
    vulkan_decorate(e, b->type, SpvDecorationBlock);
    for (uint32_t i = 0; i < b->offsets.len; i++)
        vulkan_place_member(e, b->type, i, b->offsets.at[i]);
    b->variable = vulkan_variable(e, b->storage, b->type);
    if (b->storage != SpvStorageClassStorageBuffer)
        return;
    vulkan_decorate_by(e, b->variable, SpvDecorationDescriptorSet, 0);
    vulkan_decorate_by(e, b->variable, SpvDecorationBinding,
                       vulkan_has_addresses(e) ? 0 : k->nglobals + k->checks);
    vulkan_decorate(e, b->variable, SpvDecorationNonWritable);
}

static sp_id read_member(sp_emitter *e, const scalar_block *b, uint32_t i, scalar t)
{
    sp_id type = sp_scalar(e, t);
    sp_id at =
        sp_2(e, SpvOpAccessChain, sp_pointer(e, b->storage, type), b->variable, sp_u32(e, i));
    return sp_1(e, SpvOpLoad, type, at);
}

static void read_scalars(sp_emitter *e, const scalar_block *b)
{
    e->groups = read_member(e, b, 0, ST_U32);
    for (uint32_t i = 0; i < e->kernel->nscalars; i++) {
        k_id id = scalar_at(e, i);
        scalar kept = vulkan_kept(e, id), wide = wide_enough(scalar_bytes(e, i));
        sp_id v = sp_resize(e, kept, wide, read_member(e, b, i + 1, wide));
        e->ids[id] = sp_from_memory(e, (scalar)k_at(e->p, id)->type, v);
    }
    for (uint32_t i = 0; i < addresses_of(e); i++)
        vulkan_take_address(e, i, read_member(e, b, e->kernel->nscalars + 1 + i, ST_U64));
}

static void put_scalars(sp_emitter *e)
{
    scalar_block b = {0};
    list_members(e, &b);
    declare_block(e, &b);
    read_scalars(e, &b);
    vec_free(e->s->m, &b.members);
    vec_free(e->s->m, &b.offsets);
}

/* ---- local and private memory ---- */

/* The elements of the widest access to an area, as many as places are aligned for.  What is noted
 * of each of its arrays is that of the area from now on. */
static uint32_t choose_unit(sp_emitter *e, const k_local *locals, uint32_t n, uint32_t width)
{
    uint32_t unit = 1;
    for (uint32_t i = 0; i < n; i++)
        unit = vulkan_unit(e, locals[i].alloc) > unit ? vulkan_unit(e, locals[i].alloc) : unit;
    while (unit * width > AREA_ALIGNMENT || (unit > 1 && e->p->target.quirks & QUIRK_LOCAL_VECTORS))
        unit /= 2;
    for (uint32_t i = 0; i < n; i++) {
        e->notes[locals[i].alloc] &= (uint8_t) ~(SP_BY_2 | SP_BY_4);
        e->notes[locals[i].alloc] |= unit == 4 ? SP_BY_4 : unit == 2 ? SP_BY_2 : 0;
    }
    return unit;
}

/* Arrays that have bytes in common are of one width: the fact local_by_width.  Where some access is
 * wide the area is an array of vectors: lanes that write one word each of what is four of them meet
 * in the banks of local memory. */
static void put_area(sp_emitter *e, uint32_t number, uint32_t *arguments)
{
    uint32_t first, n = k_area_locals(e->p, e->kernel, number, &first);
    const k_local *locals = k_local_at(e->p, e->kernel, first);
    scalar t = vulkan_kept(e, locals->alloc);
    uint32_t width = ir_scalar_bytes(t), unit = choose_unit(e, locals, n, width);
    uint64_t bytes = unit * width, all = k_area_bytes(e->p, e->kernel, number, (k_sizes){0});
    sp_id length = k_area_is_argument(e->p, e->kernel, number)
                       ? launch_length(e, (*arguments)++, (uint32_t)bytes)
                       : sp_u32(e, (uint32_t)((all + bytes - 1) / bytes));
    sp_id one = sp_scalar(e, t), each = unit > 1 ? sp_vector(e, one, unit) : one;
    sp_id type = sp_once(e->s, SP_GLOBALS, SpvOpTypeArray, 0, SP_WORDS(each, length));
    sp_id v = vulkan_variable(e, SpvStorageClassWorkgroup, type);
    sp_name_within(e, v, locals->alloc);
    for (uint32_t i = 0; i < n; i++) {
        e->ids[locals[i].alloc] = v;
        e->places[locals[i].alloc] = (uint32_t)(locals[i].offset / width);
    }
}

static void put_memories(sp_emitter *e)
{
    const k_kernel *k = e->kernel;
    uint32_t arguments = 0;
    for (uint32_t i = 0; i < k->nareas; i++)
        put_area(e, i, &arguments);
    for (uint32_t i = 0; i < k->nprivates; i++) {
        k_id id = k_pooled(e->p, k->privates, i);
        int64_t count;
        k_local_count(e->p, id, &count);
        sp_id type = sp_array(e, sp_scalar(e, vulkan_kept(e, id)), (uint64_t)count);
        e->ids[id] = vulkan_variable(e, SpvStorageClassFunction, type);
        sp_name(e, e->ids[id], id);
    }
}

/* ---- the kernel ---- */

/* Devices bound the groups of one dimension, so that there may be more of them than have work; and
 * a group may have surplus threads. */
static void ask_for_work(sp_emitter *e)
{
    sp_id body = sp_new_id(e->s), group = sp_coordinate(e, AT_GROUP);
    e->where = SP_BODY;
    e->end = sp_new_id(e->s);
    sp_id has = sp_relate(e, SpvOpULessThan, group, e->groups);
    if (has_surplus(e))
        has =
            sp_2(e, SpvOpLogicalAnd, sp_scalar(e, ST_BOOL), has,
                 sp_relate(e, SpvOpULessThan, sp_coordinate(e, AT_THREAD), e->shared->group_size));
    sp_merge(e, e->end);
    sp_branch_by(e, has, body, e->end);
    sp_label(e, body);
}

static sp_id open_kernel(sp_emitter *e)
{
    sp_id type = sp_once(e->s, SP_GLOBALS, SpvOpTypeFunction, 0, SP_WORDS(sp_void(e)));
    sp_id id = sp_make(e->s, SP_HEAD, SpvOpFunction, sp_void(e),
                       SP_WORDS(SpvFunctionControlMaskNone, type));
    e->where = SP_HEAD;
    sp_label(e, sp_new_id(e->s));
    put_group_size(e);
    e->wide.len = 0;
    if (!vulkan_has_addresses(e))
        vulkan_put_buffers(e);
    put_memories(e);
    e->where = SP_ENTRY;
    put_scalars(e);
    ask_for_work(e);
    return id;
}

static void close_kernel(sp_emitter *e)
{
    sp_branch(e, e->end);
    sp_label(e, e->end);
}

/* ---- coordinates ---- */

/* The first or second component of an input. */
static sp_id component(sp_emitter *e, sp_id input, uint32_t i)
{
    sp_id word = sp_scalar(e, ST_U32), three = sp_vector(e, word, 3);
    sp_id all = sp_make(e->s, SP_ENTRY, SpvOpLoad, three, SP_WORDS(input));
    return sp_make(e->s, SP_ENTRY, SpvOpCompositeExtract, word, SP_WORDS(all, i));
}

static sp_id input(sp_emitter *e, k_coordinate which, SpvBuiltIn what)
{
    return sp_input(e, which, what, sp_vector(e, sp_scalar(e, ST_U32), 3));
}

static sp_id coordinate(sp_emitter *e, k_coordinate which)
{
    if (which == AT_GROUPS)
        return e->groups;
    if (which == AT_THREAD)
        return component(e, input(e, which, SpvBuiltInLocalInvocationId), 0);
    sp_id word = sp_scalar(e, ST_U32), at = input(e, AT_GROUP, SpvBuiltInWorkgroupId),
          row = component(e, input(e, AT_GROUPS, SpvBuiltInNumWorkgroups), 0);
    sp_id before = sp_make(e->s, SP_ENTRY, SpvOpIMul, word, SP_WORDS(component(e, at, 1), row));
    return sp_make(e->s, SP_ENTRY, SpvOpIAdd, word, SP_WORDS(before, component(e, at, 0)));
}

/* ---- halves ---- */

static sp_id widen_half(sp_emitter *e, sp_id bits)
{
    static const sp_unary is = {"fcl_widen_half", ST_F32, ST_U16, sp_half_widened};
    return sp_call_of_one(e, &e->shared->widen_half, &is, bits);
}

static sp_id narrow_half(sp_emitter *e, sp_id value)
{
    static const sp_unary is = {"fcl_narrow_half", ST_U16, ST_F32, sp_half_narrowed};
    return sp_call_of_one(e, &e->shared->narrow_half, &is, value);
}

/* What both ways to global memory have in common. */
#define ENVIRONMENT                                                                                \
    .version = 0x00010300, .extended = "GLSL.std.450", .model = SpvExecutionModelGLCompute,        \
    .operators = operators, .marks_exact = true, .tables = SpvStorageClassPrivate,                 \
    .divides_only = true, .keeps_bits = true, .nesting = 200, .without_kernels = without_kernels,  \
    .open_kernel = open_kernel, .close_kernel = close_kernel, .coordinate = coordinate,            \
    .element = vulkan_element, .word = vulkan_word, .load_wide = vulkan_load_wide,                 \
    .store_wide = vulkan_store_wide, .cell = vulkan_cell, .widen_half = widen_half,                \
    .narrow_half = narrow_half

const sp_environment sp_for_vulkan = {
    ENVIRONMENT,
    .buffers = SpvStorageClassStorageBuffer,
    .begin = begin,
};

const sp_environment sp_for_addresses = {
    ENVIRONMENT,
    .buffers = SpvStorageClassPhysicalStorageBuffer,
    .begin = begin_addresses,
};
