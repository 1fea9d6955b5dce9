/* What goes beyond a plain element: wide accesses, atomic steps, exchange between the lanes of a
 * warp, barriers.
 *
 * OpenCL C 1.2 has no name for some of it.  NVIDIA's compiler takes inline PTX; others have
 * extensions; the helper functions that are used stand before the kernels (cl_print_devices). */
#include "backends/opencl/emit.h"

#include "ir/kernel/facts.h"

/* The address space as pointers spell it; buffers and other allocations are global. */
static const char *space_of(const c_emitter *e, k_id id)
{
    const k_node *memory = k_at(e->p, id);
    return memory->op == K_TABLE && !c_note_of(e, id)->given         ? "__constant"
           : memory->op == K_ALLOC && memory->space == SPACE_LOCAL   ? "__local"
           : memory->op == K_ALLOC && memory->space == SPACE_PRIVATE ? "__private"
                                                                     : "__global";
}

/* ---- wide accesses ---- */

/* Devices move up to four words at once, but no more than four elements of any type: many small
 * ones travel as words, and compilers see through a mere change of type.  The number of elements in
 * a word; 0: they travel as they are. */
static uint32_t in_word(const k_node *n, uint32_t lanes)
{
    return lanes > 4 ? 4 / ir_scalar_bytes((scalar)n->type) : 0;
}

/* The type of what travels. */
static void put_wide_type(c_emitter *e, const k_node *n, uint32_t lanes)
{
    uint32_t part = in_word(n, lanes);
    if (part)
        c_put(e, "uint%u", lanes / part);
    else
        c_put(e, "%s%u", c_memory_type(e->language, c_held(e, (scalar)n->type)), lanes);
}

static void put_wide_pointer(c_emitter *e, const k_node *n, uint32_t lanes)
{
    const k_node *memory = k_at(e->p, n->args[0]);
    bool local = memory->op == K_ALLOC && memory->space == SPACE_LOCAL;
    c_put(e, "*(%s %s", space_of(e, n->args[0]),
          c_note_of(e, n->args[0])->stored || local ? "" : "const ");
    put_wide_type(e, n, lanes);
    c_put(e, " *)&");
    c_name(e, n->args[0]);
    c_put(e, "[");
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, "]");
}

/* One vector value wN; its elements are taken out where they are used (cl_lane). */
void cl_load_wide(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    c_indent(e);
    c_put(e, "const ");
    put_wide_type(e, n, n->nresults);
    c_put(e, " w%u = ", id);
    put_wide_pointer(e, n, n->nresults);
    c_put(e, ";\n");
}

/* A wide load's element as an expression; a bool was kept as a byte. */
void cl_lane(c_emitter *e, k_id lane)
{
    const k_node *result = k_at(e->p, lane);
    k_id id = result->owner;
    const k_node *n = k_at(e->p, id);
    uint32_t part = in_word(n, n->nresults), i = result->number;
    c_put(e, n->type == ST_BOOL ? "(" : "");
    if (part)
        c_put(e, "as_%s%u(w%u.s%u).s%u", c_memory_type(e->language, c_held(e, (scalar)n->type)),
              part, id, i / part, i % part);
    else
        c_put(e, "w%u.s%u", id, i);
    c_put(e, n->type == ST_BOOL ? " != 0)" : "");
}

/* Whether a value is a half of C, not its bits. */
static bool is_half(const c_emitter *e, const k_node *n)
{
    return c_held(e, (scalar)n->type) == ST_F16;
}

/* What stands before value i of a wide store. */
static void open_lane(c_emitter *e, uint32_t i, uint32_t part, bool lines)
{
    bool first = !part || i % part == 0;
    c_put(e, i ? "," : "");
    c_put(e, lines && first ? "\n" : i ? " " : "");
    if (lines && first)
        c_indent(e);
    if (part && first)
        c_put(e, "fcl_pack%u(", part);
}

/* Elements, or words of packed ones; words and expressions get a line each. */
void cl_store_wide(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    uint32_t part = in_word(n, n->nlist);
    bool lines = part != 0;
    for (uint32_t i = 0; i < n->nlist; i++)
        lines = lines || c_note_of(e, k_listed(e->p, n, i))->in_place;
    cl_uses_of(e)->pack[0] |= part == 2;
    cl_uses_of(e)->pack[1] |= part == 4;
    c_indent(e);
    put_wide_pointer(e, n, n->nlist);
    c_put(e, " = (");
    put_wide_type(e, n, n->nlist);
    c_put(e, ")(");
    e->indent++;
    for (uint32_t i = 0; i < n->nlist; i++) {
        bool as_bits = part && is_half(e, n); /* words are made of integers */
        open_lane(e, i, part, lines);
        c_put(e, as_bits ? "as_ushort(" : "");
        c_value(e, k_listed(e->p, n, i), FCL_C_ANY);
        c_put(e, "%s%s", as_bits ? ")" : "", part && i % part == part - 1 ? ")" : "");
    }
    e->indent--;
    c_put(e, ");\n");
}

/* ---- atomic steps ---- */

static const char *const atomic_names[] = {
    [ATOMIC_ADD] = "add",       [ATOMIC_MIN] = "min",        [ATOMIC_MAX] = "max",
    [ATOMIC_AND] = "and",       [ATOMIC_OR] = "or",          [ATOMIC_XOR] = "xor",
    [ATOMIC_EXCHANGE] = "xchg", [ATOMIC_COMPARE] = "cmpxchg"};

/* Steps on 64 bits have names of their own, of an extension. */
static bool is_wide(const k_node *n)
{
    return ir_scalar_bytes((scalar)n->type) == 8;
}

static void put_cell(c_emitter *e, const k_node *n)
{
    c_put(e, "(volatile %s %s *)&", space_of(e, n->args[0]),
          c_memory_type(e->language, c_held(e, (scalar)n->type)));
    c_name(e, n->args[0]);
    c_put(e, "[");
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, "]");
}

/* Loads and stores that only promise to be one step, and those that order what stands around them.
 */
static const struct {
    const char *name, *order;
    bool gives, takes; /* what was there; a value */
    bool fence;
} ordered_forms[CL_ORDERED] = {{"load", "relaxed", true, false, false},
                               {"acquire", "acquire", true, false, true},
                               {"store", "relaxed", false, true, false},
                               {"release", "release", false, true, true},
                               {"arrive", "acq_rel", true, true, true}};

static void put_ordered(c_emitter *e, const k_node *n)
{
    uint32_t form = n->atomic - (uint32_t)ATOMIC_LOAD, bits = is_wide(n) ? 64 : 32;
    bool gives = ordered_forms[form].gives, plain = n->type == ST_U32 || n->type == ST_U64;
    cl_uses_of(e)->ordered[is_wide(n)][form] = true;
    if (gives && !plain)
        c_put(e, "as_%s(", c_type(e->language, c_held(e, (scalar)n->type)));
    c_put(e, "fcl_%s%u((volatile __global %s *)&", ordered_forms[form].name, bits,
          bits == 64 ? "ulong" : "uint");
    c_name(e, n->args[0]);
    c_put(e, "[");
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, "]");
    if (ordered_forms[form].takes) {
        c_put(e, plain ? ", " : bits == 64 ? ", as_ulong(" : ", as_uint(");
        c_value(e, n->args[2], FCL_C_ANY);
        c_put(e, plain ? "" : ")");
    }
    c_put(e, gives && !plain ? "))" : ")");
}

/* What is used is noted, so that the file enables just these extensions. */
static void put_atomic_call(c_emitter *e, const k_node *n)
{
    if (n->atomic >= ATOMIC_LOAD) {
        put_ordered(e, n);
        return;
    }
    bool wide = is_wide(n);
    if (wide)
        cl_uses_of(e)->atomics64 = true;
    if (wide && n->atomic >= ATOMIC_MIN && n->atomic <= ATOMIC_XOR)
        cl_uses_of(e)->extended64 = true;
    c_put(e, "%s_%s(", wide ? "atom" : "atomic", atomic_names[n->atomic]);
    put_cell(e, n);
    c_put(e, ", ");
    c_value(e, n->args[2], FCL_C_ANY);
    if (n->atomic == ATOMIC_COMPARE) {
        c_put(e, ", ");
        c_value(e, k_listed(e->p, n, 0), FCL_C_ANY);
    }
    c_put(e, ")");
}

/* Whether an exchange is a store to the device: NVIDIA's compiler has no exchange without a result,
 * and a volatile store of a word is one step there. */
static bool is_plain_store(const c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    return n->atomic == ATOMIC_EXCHANGE && !is_wide(n) && !c_note_of(e, id)->uses &&
           e->p->target.request.dialect == OPENCL_PTX;
}

/* What nobody uses is not named, which lets compilers take the form without a result. */
void cl_atomic(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    c_indent(e);
    if (is_plain_store(e, id)) {
        c_put(e, "*");
        put_cell(e, n);
        c_put(e, " = ");
        c_value(e, n->args[2], FCL_C_ANY);
        c_put(e, ";\n");
        return;
    }
    if (c_note_of(e, id)->uses) {
        c_put(e, "const %s ", c_type(e->language, c_held(e, (scalar)n->type)));
        c_name(e, id);
        c_put(e, " = ");
    }
    put_atomic_call(e, n);
    c_put(e, ";\n");
}

/* ---- lanes ---- */

/* Lane numbers are taken modulo the warp's size, which shfl.sync does by itself. */
static void put_sub_group_shuffle(c_emitter *e, const k_node *n)
{
    k_id lane = n->args[1];
    int64_t last = (int64_t)e->p->target.facts.warp_size - 1;
    bool inside = k_lo(e->p, lane) >= 0 && k_hi(e->p, lane) <= last, is_bool = n->type == ST_BOOL;
    cl_uses_of(e)->subgroups = true;
    c_put(e, "%ssub_group_shuffle(%s", is_bool ? "(bool)" : "", is_bool ? "(int)" : "");
    c_value(e, n->args[0], is_bool ? FCL_C_UNARY : FCL_C_ANY);
    c_put(e, ", (uint)");
    c_value(e, n->args[1], FCL_C_UNARY);
    if (!inside)
        c_put(e, " & %lldu", (long long)last);
    c_put(e, ")");
}

/* Helpers move 32 or 64 bits; every other type is cast or reinterpreted on the way in and out. */
static void put_ptx_shuffle(c_emitter *e, const k_node *n)
{
    bool wide = is_wide(n), small = ir_scalar_bytes((scalar)n->type) < 4;
    bool plain = n->type == ST_U32 || n->type == ST_U64;
    cl_uses_of(e)->shuffle[wide] = true;
    bool half = is_half(e, n), called = half || !(plain || small);
    if (half)
        c_put(e, "as_half((ushort)");
    else if (!plain)
        c_put(e, small ? "(%s)" : "as_%s(", c_type(e->language, c_held(e, (scalar)n->type)));
    c_put(e, "fcl_shuffle%s(%s", wide ? "64" : "32",
          plain   ? ""
          : half  ? "as_ushort("
          : small ? "(uint)"
          : wide  ? "as_ulong("
                  : "as_uint(");
    c_value(e, n->args[0], small && !half ? FCL_C_UNARY : FCL_C_ANY);
    c_put(e, "%s, ", called ? ")" : "");
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, "%s", called ? "))" : ")");
}

void cl_shuffle(c_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    if (e->p->target.request.dialect == OPENCL_SUBGROUPS)
        put_sub_group_shuffle(e, n);
    else
        put_ptx_shuffle(e, n);
}

/* ---- barriers ---- */

/* A barrier of the block is plain OpenCL; one of the warp is the dialect's. The fence for global
 * memory costs time: legalise says which barriers need it. */
void cl_sync(c_emitter *e, fcl_height level)
{
    bool block = level > FCL_WARP;
    c_indent(e);
    if (!block && e->p->target.request.dialect == OPENCL_PTX) {
        cl_uses_of(e)->warp_sync = true;
        c_put(e, "fcl_warp_sync();\n");
        return;
    }
    if (!block)
        cl_uses_of(e)->subgroups = true;
    c_put(e, "%s(CLK_LOCAL_MEM_FENCE%s);\n", block ? "barrier" : "sub_group_barrier",
          e->fenced ? " | CLK_GLOBAL_MEM_FENCE" : "");
}

/* ---- what stands before the kernels ---- */

/* One step by inline PTX. */
static bool print_ptx_step(mem *m, uint32_t form, uint32_t bits, const char *t, vec_char *out)
{
    const char *order = ordered_forms[form].order, *r = bits == 64 ? "l" : "r";
    if (ordered_forms[form].gives && ordered_forms[form].takes)
        return text_addf(m, out,
                         "    %s y;\n    asm volatile(\"atom.%s.gpu.global.add.u%u %%0, [%%1], "
                         "%%2;\" : \"=%s\"(y) : \"l\"(p), \"%s\"(x) : \"memory\");\n"
                         "    return y;\n",
                         t, order, bits, r, r);
    if (ordered_forms[form].gives)
        return text_addf(
            m, out,
            "    %s x;\n    asm volatile(\"ld.%s.gpu.global.u%u %%0, [%%1];\" : \"=%s\"(x) : "
            "\"l\"(p) : \"memory\");\n    return x;\n",
            t, order, bits, r);
    return text_addf(
        m, out,
        "    asm volatile(\"st.%s.gpu.global.u%u [%%0], %%1;\" : : \"l\"(p), \"%s\"(x) : "
        "\"memory\");\n",
        order, bits, r);
}

/* One step by what OpenCL 1.2 has: atomic operations without order, and fences. */
static bool print_plain_step(mem *m, uint32_t form, uint32_t bits, const char *t, vec_char *out)
{
    const char *prefix = bits == 64 ? "atom" : "atomic", *zero = bits == 64 ? "0UL" : "0U";
    const char *fence = ordered_forms[form].fence ? "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n" : "";
    if (ordered_forms[form].gives && ordered_forms[form].takes)
        return text_addf(m, out, "%s    %s y = %s_add(p, x);\n%s    return y;\n", fence, t, prefix,
                         fence);
    if (ordered_forms[form].gives)
        return text_addf(m, out, "    %s x = %s_add(p, %s);\n%s    return x;\n", t, prefix, zero,
                         fence);
    return text_addf(m, out, "%s    %s_xchg(p, x);\n", fence, prefix);
}

/* A helper function for one ordered step, in the spelling of the dialect. */
static bool print_ordered(mem *m, bool ptx, uint32_t form, uint32_t bits, vec_char *out)
{
    const char *t = bits == 64 ? "ulong" : "uint";
    bool gives = ordered_forms[form].gives, takes = ordered_forms[form].takes;
    return text_addf(m, out, "static inline %s fcl_%s%u(volatile __global %s *p",
                     gives ? t : "void", ordered_forms[form].name, bits, t) &&
           (!takes || text_addf(m, out, ", %s x", t)) && text_addf(m, out, ")\n{\n") &&
           (ptx ? print_ptx_step(m, form, bits, t, out)
                : print_plain_step(m, form, bits, t, out)) &&
           text_addf(m, out, "}\n");
}

static const char shuffle32[] =
    "static inline uint fcl_shuffle32(uint x, int lane)\n{\n    uint y;\n"
    "    asm volatile(\"shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;\" : \"=r\"(y) : \"r\"(x), "
    "\"r\"(lane));\n"
    "    return y;\n}\n";
static const char shuffle64[] =
    "static inline ulong fcl_shuffle64(ulong x, int lane)\n{\n"
    "    const uint2 y = as_uint2(x);\n"
    "    return as_ulong((uint2)(fcl_shuffle32(y.x, lane), fcl_shuffle32(y.y, lane)));\n}\n";
/* The first element in the lowest bits: OpenCL devices are little-endian.  As words because
 * compilers store a vector of bytes four at a time. */
static const char pack2[] =
    "static inline uint fcl_pack2(ushort a, ushort b)\n{\n    return a | (uint)b << 16;\n}\n";
static const char pack4[] = "static inline uint fcl_pack4(uchar a, uchar b, uchar c, uchar d)\n{\n"
                            "    return a | (uint)b << 8 | (uint)c << 16 | (uint)d << 24;\n}\n";
/* The first check that fails is the one that is reported. */
static const char report[] =
    "static inline void fcl_report(volatile __global uint *checks, uint check, long first, long "
    "second)\n{\n"
    "    if (atomic_cmpxchg(checks, 0u, check) == 0u) {\n"
    "        checks[1] = (uint)first;\n        checks[2] = (uint)(first >> 32);\n"
    "        checks[3] = (uint)second;\n        checks[4] = (uint)(second >> 32);\n    }\n}\n";
static const char warp_sync[] = "static inline void fcl_warp_sync(void)\n{\n    asm "
                                "volatile(\"bar.warp.sync 0xffffffff;\" : : : \"memory\");\n}\n";

/* Lanes of subgroups that are all as large as a warp. */
static bool print_thread(mem *m, uint32_t warp, vec_char *out)
{
    return text_addf(m, out,
                     "static inline int fcl_thread(void)\n{\n"
                     "    return (int)(get_sub_group_id() * %uu + get_sub_group_local_id());\n}\n",
                     warp);
}

static bool any_ordered64(const cl_uses *u)
{
    bool any = false;
    for (uint32_t i = 0; i < CL_ORDERED; i++)
        any = any || u->ordered[1][i];
    return any;
}

/* The bits of a half as the float that it is, and those of the half nearest to a float: OpenCL has
 * both for every device. */
static const char widen_half[] = "static inline float fcl_widen_half(ushort x)\n{\n"
                                 "    return vload_half(0, (const __private half *)&x);\n}\n";
static const char narrow_half[] = "static inline ushort fcl_narrow_half(float x)\n{\n"
                                  "    ushort y;\n"
                                  "    vstore_half_rte(x, 0, (__private half *)&y);\n"
                                  "    return y;\n}\n";

/* Pragmas come before all code; only what some kernel uses is asked for, as devices refuse others.
 */
bool cl_print_extensions(mem *m, const cl_uses *u, const c_helpers *h, opencl_dialect dialect,
                         vec_char *out)
{
    static const char *const pragma = "#pragma OPENCL EXTENSION %s : enable\n";
    bool atomics = u->atomics64 || u->extended64 || (any_ordered64(u) && dialect != OPENCL_PTX);
    return (!h->f16 || text_addf(m, out, pragma, "cl_khr_fp16")) &&
           (!h->f64 || text_addf(m, out, pragma, "cl_khr_fp64")) &&
           (!atomics || text_addf(m, out, pragma, "cl_khr_int64_base_atomics")) &&
           (!u->extended64 || text_addf(m, out, pragma, "cl_khr_int64_extended_atomics")) &&
           (!u->subgroups ||
            text_addf(m, out, pragma, "cl_khr_subgroups")); /* cl_khr_subgroup_shuffle takes none */
}

/* In the order in which helpers call one another: the 64-bit shuffle uses the other one. */
bool cl_print_devices(mem *m, const cl_uses *u, const c_helpers *h, const k_target *t,
                      vec_char *out)
{
    bool ptx = t->request.dialect == OPENCL_PTX,
         ok = !u->thread || print_thread(m, t->facts.warp_size, out);
    for (uint32_t i = 0; i < 2 * CL_ORDERED; i++)
        ok = ok && (!u->ordered[i / CL_ORDERED][i % CL_ORDERED] ||
                    print_ordered(m, ptx, i % CL_ORDERED, i / CL_ORDERED ? 64 : 32, out));
    ok = ok && (!h->half[0] || text_addf(m, out, "%s", widen_half)) &&
         (!h->half[1] || text_addf(m, out, "%s", narrow_half));
    ok = ok && (!u->pack[0] || text_addf(m, out, "%s", pack2)) &&
         (!u->pack[1] || text_addf(m, out, "%s", pack4));
    return ok && ((!u->shuffle[0] && !u->shuffle[1]) || text_addf(m, out, "%s", shuffle32)) &&
           (!u->shuffle[1] || text_addf(m, out, "%s", shuffle64)) &&
           (!u->warp_sync || text_addf(m, out, "%s", warp_sync)) &&
           (!h->report || text_addf(m, out, "%s", report));
}
