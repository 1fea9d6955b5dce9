/* SPIR-V for OpenCL: Kernel, Physical64, version 1.0, which every OpenCL driver that takes SPIR-V
 * takes: see emit.h.
 *
 * A memory is a pointer to elements: an argument in global memory or local memory, or the first
 * element of a variable. */
#include "backends/spirv/emit.h"

#include "ir/kernel/analysis/local.h"

/* The numbers of its set of instructions, which spirv-headers has in its grammar alone. */
enum {
#include "opencl_std.inc"
};

/* ---- the table ---- */

#define SET(name)                                                                                  \
    {                                                                                              \
        .way = SP_EXTENDED, .number = OpenCLstd_##name                                             \
    }
#include "backends/spirv/forms.h"

/* Functions of one float, and what the device has at a precision of its own. */
#define FAST(name, quick) .real = SET(name), .fast = SET(quick)

#define S_MOD      INTEGERS(MAKE(sp_make_remainder)), .real = MAKE(sp_make_modulo)
#define S_REM      INTEGERS(MAKE(sp_make_remainder)), .real = SET(fmod)
#define S_FDIV     .real = CORE(FDiv), .fast = MAKE(fast_divide)
#define S_ABS      .whole = SET(s_abs), .natural = MAKE(sp_make_itself), .real = SET(fabs)
#define S_MIN      .whole = SET(s_min), .natural = SET(u_min), .real = SET(fmin)
#define S_MAX      .whole = SET(s_max), .natural = SET(u_max), .real = SET(fmax)
#define S_POW      INTEGERS(MAKE(sp_make_power)), FAST(pow, native_powr)
#define S_MULHI    .whole = SET(s_mul_hi), .natural = SET(u_mul_hi)
#define S_ROTL     INTEGERS(SET(rotate))
#define S_POPCOUNT INTEGERS(SET(popcount))
#define S_CLZ      INTEGERS(SET(clz))
#define S_CTZ      INTEGERS(MAKE(sp_make_trailing))
#define S_SQRT     FAST(sqrt, native_sqrt)
#define S_RSQRT    FAST(rsqrt, native_rsqrt)
#define S_CBRT     .real = SET(cbrt)
#define S_EXP      FAST(exp, native_exp)
#define S_EXP2     FAST(exp2, native_exp2)
#define S_EXPM1    .real = SET(expm1)
#define S_LOG      FAST(log, native_log)
#define S_LOG2     FAST(log2, native_log2)
#define S_LOG10    FAST(log10, native_log10)
#define S_LOG1P    .real = SET(log1p)
#define S_SIN      FAST(sin, native_sin)
#define S_COS      FAST(cos, native_cos)
#define S_TAN      FAST(tan, native_tan)
#define S_ASIN     .real = SET(asin)
#define S_ACOS     .real = SET(acos)
#define S_ATAN     .real = SET(atan)
#define S_SINH     .real = SET(sinh)
#define S_COSH     .real = SET(cosh)
#define S_TANH     .real = SET(tanh)
#define S_ASINH    .real = SET(asinh)
#define S_ACOSH    .real = SET(acosh)
#define S_ATANH    .real = SET(atanh)
#define S_ATAN2    .real = SET(atan2)
#define S_HYPOT    .real = SET(hypot)
#define S_ERF      .real = SET(erf)
#define S_FMA      .real = SET(fma)
#define S_COPYSIGN .real = SET(copysign)
#define S_FLOOR    .real = SET(floor)
#define S_CEIL     .real = SET(ceil)
#define S_TRUNC    .real = SET(trunc)
#define S_ROUND    .real = SET(round)
#define S_RINT     .real = SET(rint)

static sp_id fast_divide(sp_emitter *e, const sp_operation *o)
{
    bool whole = o->form != FORM_RECIPROCAL;
    return sp_extended(e, sp_scalar(e, o->type),
                       whole ? OpenCLstd_native_divide : OpenCLstd_native_recip,
                       whole ? (sp_id[]){o->x, o->y} : (sp_id[]){o->y, 0}, whole ? 2 : 1);
}

static const sp_operator operators[SOP_END] = {
#include "ir/scalars.def"
};

/* ---- the module ---- */

static void begin(sp_module *s)
{
    sp_require(s, SpvCapabilityAddresses);
    sp_require(s, SpvCapabilityKernel);
    sp_put(s, SP_MODEL, SpvOpMemoryModel,
           SP_WORDS(SpvAddressingModelPhysical64, SpvMemoryModelOpenCL));
}

static void without_kernels(sp_module *s)
{
    sp_require(s, SpvCapabilityLinkage);
}

/* ---- memory ---- */

static SpvStorageClass storage_of(const sp_emitter *e, k_id memory)
{
    const k_node *n = k_at(e->p, memory);
    if (n->op == K_TABLE && !(e->notes[memory] & SP_GIVEN))
        return SpvStorageClassUniformConstant;
    return n->op == K_ALLOC && n->space == SPACE_LOCAL     ? SpvStorageClassWorkgroup
           : n->op == K_ALLOC && n->space == SPACE_PRIVATE ? SpvStorageClassFunction
                                                           : SpvStorageClassCrossWorkgroup;
}

static sp_id pointer_to(sp_emitter *e, k_id memory)
{
    return sp_pointer(e, storage_of(e, memory), sp_stored(e, (scalar)k_at(e->p, memory)->type));
}

/* Accesses of several elements want their alignment. */
static void align(sp_emitter *e, sp_id variable)
{
    sp_put(e->s, SP_DECORATIONS, SpvOpDecorate,
           SP_WORDS(variable, SpvDecorationAlignment, AREA_ALIGNMENT));
}

static sp_id new_variable(sp_emitter *e, SpvStorageClass storage, sp_id type)
{
    sp_section where = storage == SpvStorageClassFunction ? SP_HEAD : SP_GLOBALS;
    sp_id v = sp_make(e->s, where, SpvOpVariable, sp_pointer(e, storage, type), SP_WORDS(storage));
    align(e, v);
    return v;
}

/* The first element of a variable. */
static sp_id first_of(sp_emitter *e, sp_id variable, sp_id type)
{
    return sp_make(e->s, SP_ENTRY, SpvOpInBoundsAccessChain, type,
                   SP_WORDS(variable, sp_u32(e, 0)));
}

/* ---- local memory ---- */

/* 16 bytes: the largest unit that accesses want, so that pointers of any type into it are aligned.
 */
static sp_id unit(sp_emitter *e)
{
    return sp_vector(e, sp_scalar(e, ST_U32), 4);
}

static uint64_t at_least_one(uint64_t n)
{
    return n ? n : 1;
}

/* An array that has its area for itself is a variable of its own type. */
static void put_lone_array(sp_emitter *e, const k_local *l)
{
    int64_t count;
    k_local_count(e->p, l->alloc, &count);
    sp_id of = sp_stored(e, (scalar)k_at(e->p, l->alloc)->type);
    sp_id v = new_variable(e, SpvStorageClassWorkgroup, sp_array(e, of, (uint64_t)count));
    sp_name_within(e, v, l->alloc);
    e->ids[l->alloc] = first_of(e, v, pointer_to(e, l->alloc));
}

/* Several are pointers into one. */
static void put_arrays(sp_emitter *e, const k_local *locals, uint32_t n, sp_id area)
{
    sp_id type = sp_pointer(e, SpvStorageClassWorkgroup, unit(e));
    for (uint32_t i = 0; i < n; i++) {
        sp_id at =
            locals[i].offset
                ? sp_make(e->s, SP_ENTRY, SpvOpInBoundsPtrAccessChain, type,
                          SP_WORDS(area, sp_u32(e, (uint32_t)(locals[i].offset / AREA_ALIGNMENT))))
                : area;
        e->ids[locals[i].alloc] =
            sp_make(e->s, SP_ENTRY, SpvOpBitcast, pointer_to(e, locals[i].alloc), SP_WORDS(at));
    }
}

static void put_area(sp_emitter *e, uint32_t number, uint32_t first, uint32_t n)
{
    const k_local *locals = k_local_at(e->p, e->kernel, first);
    if (n == 1) {
        put_lone_array(e, locals);
        return;
    }
    uint64_t units = k_area_bytes(e->p, e->kernel, number, (k_sizes){0}) / AREA_ALIGNMENT;
    sp_id v = new_variable(e, SpvStorageClassWorkgroup, sp_array(e, unit(e), at_least_one(units)));
    sp_name_within(e, v, locals->alloc);
    put_arrays(e, locals, n, first_of(e, v, sp_pointer(e, SpvStorageClassWorkgroup, unit(e))));
}

/* ---- arguments ---- */

/* The types of a kernel's parameters, and then their ids, in the order of backends/backend.h. */
typedef struct parameters {
    vec_u32 words; /* of OpTypeFunction: the result's type, then theirs */
    uint32_t at;
} parameters;

static void add_type(sp_emitter *e, parameters *p, sp_id type)
{
    if (!vec_push(e->s->m, &p->words, type))
        e->s->failed = true;
}

static void list_types(sp_emitter *e, parameters *p)
{
    const k_kernel *k = e->kernel;
    add_type(e, p, sp_void(e));
    for (uint32_t i = 0; i < k->nscalars; i++)
        add_type(e, p, sp_stored(e, (scalar)k_at(e->p, k_pooled(e->p, k->scalars, i))->type));
    for (uint32_t i = 0; i < k->nglobals; i++)
        add_type(e, p, pointer_to(e, k_pooled(e->p, k->globals, i)));
    for (uint32_t i = 0; i < k->nareas; i++)
        if (k_area_is_argument(e->p, k, i))
            add_type(e, p, sp_pointer(e, SpvStorageClassWorkgroup, unit(e)));
    if (k->checks)
        add_type(e, p, sp_pointer(e, SpvStorageClassCrossWorkgroup, sp_scalar(e, ST_U32)));
}

static sp_id take_parameter(sp_emitter *e, parameters *p)
{
    p->at++;
    return sp_make(e->s, SP_HEAD, SpvOpFunctionParameter,
                   p->at < p->words.len ? p->words.at[p->at] : 0, NULL, 0);
}

/* Two arguments may be one array only where both are just read, since what is overwritten must be
 * no other argument (run/memory.c). */
static void promise(sp_emitter *e, sp_id pointer, bool is_read_only)
{
    sp_put(e->s, SP_DECORATIONS, SpvOpDecorate,
           SP_WORDS(pointer, SpvDecorationFuncParamAttr, SpvFunctionParameterAttributeNoAlias));
    if (is_read_only)
        sp_put(e->s, SP_DECORATIONS, SpvOpDecorate,
               SP_WORDS(pointer, SpvDecorationFuncParamAttr, SpvFunctionParameterAttributeNoWrite));
}

static void take_scalar(sp_emitter *e, parameters *p, k_id v)
{
    e->ids[v] = take_parameter(e, p);
    sp_name(e, e->ids[v], v);
}

static void take_global(sp_emitter *e, parameters *p, k_id memory)
{
    e->ids[memory] = take_parameter(e, p);
    sp_name(e, e->ids[memory], memory);
    promise(e, e->ids[memory], !(e->notes[memory] & SP_STORED));
}

static void take_parameters(sp_emitter *e, parameters *p, vec_u32 *areas)
{
    const k_kernel *k = e->kernel;
    for (uint32_t i = 0; i < k->nscalars; i++)
        take_scalar(e, p, k_pooled(e->p, k->scalars, i));
    for (uint32_t i = 0; i < k->nglobals; i++)
        take_global(e, p, k_pooled(e->p, k->globals, i));
    for (uint32_t i = 0; i < k->nareas; i++)
        if (k_area_is_argument(e->p, k, i) && !vec_push(e->s->m, areas, take_parameter(e, p)))
            e->s->failed = true;
    e->checks = k->checks ? take_parameter(e, p) : 0;
}

/* ---- the kernel ---- */

/* Bools come as bytes. */
static void read_scalars(sp_emitter *e)
{
    e->where = SP_ENTRY;
    for (uint32_t i = 0; i < e->kernel->nscalars; i++) {
        k_id v = k_pooled(e->p, e->kernel->scalars, i);
        e->ids[v] = sp_from_memory(e, (scalar)k_at(e->p, v)->type, e->ids[v]);
    }
    e->where = SP_BODY;
}

static void put_privates(sp_emitter *e)
{
    for (uint32_t i = 0; i < e->kernel->nprivates; i++) {
        k_id id = k_pooled(e->p, e->kernel->privates, i);
        int64_t count;
        k_local_count(e->p, id, &count);
        sp_id of = sp_stored(e, (scalar)k_at(e->p, id)->type);
        sp_id v = new_variable(e, SpvStorageClassFunction, sp_array(e, of, (uint64_t)count));
        sp_name(e, v, id);
        e->ids[id] = first_of(e, v, pointer_to(e, id));
    }
}

static void put_locals(sp_emitter *e, const vec_u32 *arguments)
{
    uint32_t argument = 0;
    for (uint32_t i = 0; i < e->kernel->nareas; i++) {
        uint32_t first, n = k_area_locals(e->p, e->kernel, i, &first);
        if (!k_area_is_argument(e->p, e->kernel, i))
            put_area(e, i, first, n);
        else if (argument < arguments->len)
            put_arrays(e, k_local_at(e->p, e->kernel, first), n, arguments->at[argument++]);
    }
}

/* The required size is exact, not a limit: compilers choose registers by it. */
static void put_modes(sp_emitter *e, sp_id function)
{
    int64_t threads;
    if (k_is_const(e->p, k_at(e->p, e->kernel->launch)->args[1], &threads))
        sp_put(e->s, SP_MODES, SpvOpExecutionMode,
               SP_WORDS(function, SpvExecutionModeLocalSize, (uint32_t)threads, 1, 1));
    if (e->by_warps) {
        sp_require(e->s, SpvCapabilitySubgroupDispatch);
        sp_put(e->s, SP_MODES, SpvOpExecutionMode,
               SP_WORDS(function, SpvExecutionModeSubgroupSize, e->p->target.facts.warp_size));
    }
    if (!e->p->target.request.fast_math)
        sp_put(e->s, SP_MODES, SpvOpExecutionMode,
               SP_WORDS(function, SpvExecutionModeContractionOff));
}

enum { MOST_PARAMETERS = 255 }; /* that SPIR-V lets a function have */

static void refuse_many(sp_emitter *e, uint32_t n)
{
    if (e->s->failed || n <= MOST_PARAMETERS)
        return;
    e->failed = true;
    diag_error(e->p->cx, DIAG_EMIT_SIZE, k_loc_of(e->p, e->kernel->launch),
               "kernel %s takes %u arguments, and in SPIR-V it may take %d",
               intern_str(&e->p->cx->strings, e->kernel->name), n, (int)MOST_PARAMETERS);
    diag_hint(e->p->cx, "pass what is alike in an array, or compile for the target opencl-c");
}

static sp_id open_kernel(sp_emitter *e)
{
    parameters p = {0};
    vec_u32 areas = {0};
    list_types(e, &p);
    refuse_many(e, p.words.len - 1);
    sp_id type = sp_once(e->s, SP_GLOBALS, SpvOpTypeFunction, 0, p.words.at, p.words.len);
    sp_id id = sp_make(e->s, SP_HEAD, SpvOpFunction, sp_void(e),
                       SP_WORDS(SpvFunctionControlMaskNone, type));
    take_parameters(e, &p, &areas);
    e->where = SP_HEAD;
    sp_label(e, sp_new_id(e->s));
    put_privates(e);
    put_locals(e, &areas);
    read_scalars(e);
    put_modes(e, id);
    vec_free(e->s->m, &p.words);
    vec_free(e->s->m, &areas);
    return id;
}

/* ---- coordinates ---- */

static const SpvBuiltIn built_in[] = {[AT_THREAD] = SpvBuiltInLocalInvocationId,
                                      [AT_GROUP] = SpvBuiltInWorkgroupId,
                                      [AT_GROUPS] = SpvBuiltInNumWorkgroups};

/* Variables of the module hold them as numbers of the width of addresses. */
static sp_id coordinate(sp_emitter *e, k_coordinate which)
{
    sp_id word = sp_scalar(e, ST_U64), three = sp_vector(e, word, 3);
    sp_id v = sp_input(e, which, built_in[which], three);
    sp_id all =
        sp_make(e->s, SP_ENTRY, SpvOpLoad, three, SP_WORDS(v, SpvMemoryAccessAlignedMask, 32));
    sp_id first = sp_make(e->s, SP_ENTRY, SpvOpCompositeExtract, word, SP_WORDS(all, 0));
    return sp_make(e->s, SP_ENTRY, SpvOpUConvert, sp_scalar(e, ST_I32), SP_WORDS(first));
}

/* ---- accesses ---- */

/* A table is a variable of the module, whose first element a kernel names when it reads it. */
static sp_id pointer_of(sp_emitter *e, k_id memory)
{
    sp_table_shape shape;
    if (storage_of(e, memory) != SpvStorageClassUniformConstant)
        return sp_value(e, memory);
    return sp_1(e, SpvOpBitcast, pointer_to(e, memory), sp_table(e, memory, &shape));
}

static sp_id element(sp_emitter *e, k_id memory, k_id index)
{
    sp_id base = pointer_of(e, memory);
    return sp_2(e, SpvOpInBoundsPtrAccessChain, pointer_to(e, memory), base, sp_value(e, index));
}

static sp_id word(sp_emitter *e, uint32_t i)
{
    sp_id type = sp_pointer(e, SpvStorageClassCrossWorkgroup, sp_scalar(e, ST_U32));
    return i ? sp_2(e, SpvOpInBoundsPtrAccessChain, type, e->checks, sp_u32(e, i)) : e->checks;
}

/* Floats are swapped and compared as bits. */
static sp_id cell(sp_emitter *e, const k_node *n)
{
    sp_id at = element(e, n->args[0], n->args[1]),
          type = sp_pointer(e, storage_of(e, n->args[0]), sp_scalar(e, (scalar)n->type));
    return type == pointer_to(e, n->args[0]) ? at : sp_1(e, SpvOpBitcast, type, at);
}

static sp_id wide_pointer(sp_emitter *e, const k_node *n, const sp_freight *f)
{
    sp_id type = sp_pointer(e, storage_of(e, n->args[0]), f->vector);
    return sp_1(e, SpvOpBitcast, type, element(e, n->args[0], n->args[1]));
}

static uint32_t bytes_of(const sp_freight *f)
{
    return f->n * ir_scalar_bytes(f->type);
}

static void load_wide(sp_emitter *e, const k_node *n)
{
    sp_freight f = sp_freight_of(e, n, n->nresults);
    sp_id at = wide_pointer(e, n, &f);
    sp_id v = sp_make(e->s, e->where, SpvOpLoad, f.vector,
                      SP_WORDS(at, SpvMemoryAccessAlignedMask, bytes_of(&f)));
    if (f.vector != f.elements)
        v = sp_1(e, SpvOpBitcast, f.elements, v);
    for (uint32_t i = 0; i < n->nresults; i++) {
        sp_id one = sp_make(e->s, e->where, SpvOpCompositeExtract, sp_stored(e, (scalar)n->type),
                            SP_WORDS(v, i));
        e->ids[n->results + i] = sp_from_memory(e, (scalar)n->type, one);
    }
}

/* One element after the other: llvm-spirv 15 knows no OpCompositeConstruct of a vector. */
static void store_wide(sp_emitter *e, const k_node *n)
{
    sp_freight f = sp_freight_of(e, n, n->nlist);
    sp_id v = sp_once(e->s, SP_GLOBALS, SpvOpUndef, f.elements, NULL, 0);
    for (uint32_t i = 0; i < n->nlist; i++) {
        sp_id one = sp_to_memory(e, (scalar)n->type, sp_value(e, k_listed(e->p, n, i)));
        v = sp_make(e->s, e->where, SpvOpCompositeInsert, f.elements, SP_WORDS(one, v, i));
    }
    if (f.vector != f.elements)
        v = sp_1(e, SpvOpBitcast, f.vector, v);
    sp_put(e->s, e->where, SpvOpStore,
           SP_WORDS(wide_pointer(e, n, &f), v, SpvMemoryAccessAlignedMask, bytes_of(&f)));
}

/* ---- halves: OpenCL converts them in memory, on every device ---- */

/* A variable of the kernel for the bits, and a pointer to them as an f16. */
static sp_id half_cell(sp_emitter *e, sp_id *as_half)
{
    sp_id bits = sp_scalar(e, ST_U16), half;
    sp_require(e->s, SpvCapabilityFloat16Buffer);
    half = sp_once(e->s, SP_GLOBALS, SpvOpTypeFloat, 0, SP_WORDS(16));
    if (!e->half)
        e->half = new_variable(e, SpvStorageClassFunction, bits);
    *as_half = sp_1(e, SpvOpBitcast, sp_pointer(e, SpvStorageClassFunction, half), e->half);
    return e->half;
}

static sp_id widen_half(sp_emitter *e, sp_id bits)
{
    sp_id half, at = half_cell(e, &half);
    sp_put(e->s, e->where, SpvOpStore, SP_WORDS(at, bits, SpvMemoryAccessAlignedMask, 2));
    return sp_extended(e, sp_scalar(e, ST_F32), OpenCLstd_vload_half,
                       (sp_id[]){sp_const(e, ST_U64, 0), half}, 2);
}

static sp_id narrow_half(sp_emitter *e, sp_id value)
{
    sp_id half, at = half_cell(e, &half);
    const uint32_t words[] = {
        e->shared->extended, OpenCLstd_vstore_half_r, value, sp_const(e, ST_U64, 0), half,
        SpvFPRoundingModeRTE};
    sp_make(e->s, e->where, SpvOpExtInst, sp_void(e), words, 6);
    return sp_make(e->s, e->where, SpvOpLoad, sp_scalar(e, ST_U16),
                   SP_WORDS(at, SpvMemoryAccessAlignedMask, 2));
}

const sp_environment sp_for_opencl = {
    .version = 0x00010000,
    .extended = "OpenCL.std",
    .model = SpvExecutionModelKernel,
    .operators = operators,
    .buffers = SpvStorageClassCrossWorkgroup,
    .tables = SpvStorageClassUniformConstant,
    .nesting = 200,
    .begin = begin,
    .without_kernels = without_kernels,
    .open_kernel = open_kernel,
    .coordinate = coordinate,
    .element = element,
    .word = word,
    .load_wide = load_wide,
    .store_wide = store_wide,
    .cell = cell,
    .widen_half = widen_half,
    .narrow_half = narrow_half,
};
