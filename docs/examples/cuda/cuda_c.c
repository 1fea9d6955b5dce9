/* The target cuda-c: kernels as CUDA C++ for NVIDIA's GPUs from compute capability 7.0 on, a
 * plug-in that lets the library print and says what is different from C11.
 *
 *   cc -std=c11 -fPIC -shared -o cuda_c.so cuda_c.c $(pkg-config --cflags --libs libfcl)
 *   fclc compile prog.fclir --plugin=./cuda_c.so --target=cuda-c -o prog.fcla
 *
 * The code is for NVRTC or nvcc with --fmad=false, so that every operation is rounded by itself.  A
 * group is a block of threads.  Kernels take what docs/artifact.md says, but a local memory as its
 * number of bytes, of which they are launched with the sum, each rounded up to 16, as dynamic
 * shared memory. */
#include <fcl_backend.h>

static const char head[] =
    "/* CUDA C++, emitted by libfcl: to be compiled with --fmad=false. */\n"
    "#ifdef __CUDACC_RTC__\n"
    "typedef signed char int8_t;\ntypedef short int16_t;\ntypedef int int32_t;\n"
    "typedef long int64_t;\ntypedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\n"
    "typedef unsigned int uint32_t;\ntypedef unsigned long uint64_t;\n"
    "#else\n#include <stdint.h>\n#endif\n"
    "#define FCL __device__ __forceinline__\n\n"
    /* The bits of a number as another type. */
    "FCL float fcl_as_float(uint32_t x) { return __uint_as_float(x); }\n"
    "FCL float fcl_as_float(int32_t x) { return __int_as_float(x); }\n"
    "FCL double fcl_as_double(uint64_t x) { return __longlong_as_double((long long)x); }\n"
    "FCL double fcl_as_double(int64_t x) { return __longlong_as_double(x); }\n"
    "#define FCL_AS(T) template <class A> FCL T fcl_as_##T(A x) { return (T)x; }\n"
    "FCL_AS(int8_t) FCL_AS(int16_t) FCL_AS(int32_t) FCL_AS(int64_t)\n"
    "FCL_AS(uint8_t) FCL_AS(uint16_t) FCL_AS(uint32_t) FCL_AS(uint64_t)\n"
    "FCL int32_t fcl_as_int32_t(float x) { return __float_as_int(x); }\n"
    "FCL uint32_t fcl_as_uint32_t(float x) { return __float_as_uint(x); }\n"
    "FCL int64_t fcl_as_int64_t(double x) { return __double_as_longlong(x); }\n"
    "FCL uint64_t fcl_as_uint64_t(double x) { return (uint64_t)__double_as_longlong(x); }\n\n"
    /* A float as the nearest integer of a type. */
    "#define FCL_NEAREST(T, least, most, end) \\\n"
    "    template <class A> FCL T fcl_nearest_##T(A x) \\\n"
    "    { return x >= (A)end ? most : x <= (A)least ? least : (T)x; }\n"
    "FCL_NEAREST(int8_t, -128, 127, 0x1p7)\n"
    "FCL_NEAREST(int16_t, -32768, 32767, 0x1p15)\n"
    "FCL_NEAREST(int32_t, (-2147483647 - 1), 2147483647, 0x1p31)\n"
    "FCL_NEAREST(int64_t, (-9223372036854775807L - 1), 9223372036854775807L, 0x1p63)\n"
    "FCL_NEAREST(uint8_t, 0, 255, 0x1p8)\n"
    "FCL_NEAREST(uint16_t, 0, 65535, 0x1p16)\n"
    "FCL_NEAREST(uint32_t, 0, 4294967295u, 0x1p32)\n"
    "FCL_NEAREST(uint64_t, 0, 18446744073709551615UL, 0x1p64)\n\n"
    "FCL int32_t fcl_add_up_to(int32_t x, int32_t by)\n"
    "{ return x > 2147483647 - by ? 2147483647 : x + by; }\n"
    "FCL int64_t fcl_add_up_to(int64_t x, int64_t by)\n"
    "{ return x > 9223372036854775807L - by ? 9223372036854775807L : x + by; }\n\n"
    /* f16 is kept as its bits, and computed with as f32. */
    "FCL float fcl_widen_half(uint16_t x)\n"
    "{ float y; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x)); return y; }\n"
    "FCL uint16_t fcl_narrow_half(float x)\n"
    "{ uint16_t y; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x)); return y; }\n\n"
    /* The first check that fails is the one that is reported. */
    "FCL void fcl_report(uint32_t *checks, uint32_t check, int64_t first, int64_t second)\n{\n"
    "    if (atomicCAS(checks, 0u, check) != 0u)\n        return;\n"
    "    checks[1] = (uint32_t)first;\n    checks[2] = (uint32_t)((uint64_t)first >> 32);\n"
    "    checks[3] = (uint32_t)second;\n    checks[4] = (uint32_t)((uint64_t)second >> 32);\n}\n\n"
    /* An element by the types that CUDA's atomic functions have: without a sign, and its own. */
    "#define FCL_CELL(T, U, S) \\\n"
    "    FCL U *fcl_cell(T *p) { return (U *)p; } FCL S *fcl_own(T *p) { return (S *)p; }\n"
    "FCL_CELL(int32_t, unsigned int, int)\n"
    "FCL_CELL(uint32_t, unsigned int, unsigned int)\n"
    "FCL_CELL(int64_t, unsigned long long, long long)\n"
    "FCL_CELL(uint64_t, unsigned long long, unsigned long long)\n"
    "#define FCL_ORDERED(U, bits, r) \\\n"
    "    FCL U fcl_load(U *p) { U x; asm volatile(\"ld.relaxed.gpu.global.u\" bits \" %0, [%1];\" "
    ": \"=\" r(x) : \"l\"(p) : \"memory\"); return x; } \\\n"
    "    FCL U fcl_acquire(U *p) { U x; asm volatile(\"ld.acquire.gpu.global.u\" bits "
    "\" %0, [%1];\" : \"=\" r(x) : \"l\"(p) : \"memory\"); return x; } \\\n"
    "    FCL void fcl_store(U *p, U x) { asm volatile(\"st.relaxed.gpu.global.u\" bits "
    "\" [%0], %1;\" : : \"l\"(p), r(x) : \"memory\"); } \\\n"
    "    FCL void fcl_release(U *p, U x) { asm volatile(\"st.release.gpu.global.u\" bits "
    "\" [%0], %1;\" : : \"l\"(p), r(x) : \"memory\"); }\n"
    "FCL_ORDERED(unsigned int, \"32\", \"r\")\n"
    "FCL_ORDERED(unsigned long long, \"64\", \"l\")\n\n"
    /* Neighbours that move in one access. */
    "template <class T, int N> struct alignas(sizeof(T) * N) fcl_wide { T at[N]; };\n";

#define STEP(name)    "    return ($T)" name "(fcl_cell(p), *fcl_cell(&x));\n"
#define EXTREME(name) "    return ($T)" name "(fcl_own(p), *fcl_own(&x));\n"

static const fcl_c_atomic atomics[] = {
    {FCL_K_ATOMIC_ADD, STEP("atomicAdd")},
    {FCL_K_ATOMIC_MIN, EXTREME("atomicMin")},
    {FCL_K_ATOMIC_MAX, EXTREME("atomicMax")},
    {FCL_K_ATOMIC_AND, STEP("atomicAnd")},
    {FCL_K_ATOMIC_OR, STEP("atomicOr")},
    {FCL_K_ATOMIC_XOR, STEP("atomicXor")},
    {FCL_K_ATOMIC_EXCHANGE, STEP("atomicExch")},
    {FCL_K_ATOMIC_COMPARE,
     "    return ($T)atomicCAS(fcl_cell(p), *fcl_cell(&x), *fcl_cell(&y));\n"},
    {FCL_K_ATOMIC_LOAD, "    return ($T)fcl_load(fcl_cell(p));\n"},
    {FCL_K_ATOMIC_ACQUIRE, "    return ($T)fcl_acquire(fcl_cell(p));\n"},
    {FCL_K_ATOMIC_STORE, "    fcl_store(fcl_cell(p), *fcl_cell(&x));\n"},
    {FCL_K_ATOMIC_RELEASE, "    fcl_release(fcl_cell(p), *fcl_cell(&x));\n"},
    {FCL_K_ATOMIC_ARRIVE, "    __threadfence();\n    $T before = ($T)atomicAdd(fcl_cell(p), "
                          "*fcl_cell(&x));\n    __threadfence();\n    return before;\n"},
    {(fcl_k_atomic)0, NULL},
};

#define QUICK(name, form, text)                                                                    \
    {                                                                                              \
        name, FCL_C_FLOATS, FCL_K_##form, FCL_C_ATOM, text, NULL                                   \
    }
#define HELPED(name, body)                                                                         \
    {                                                                                              \
        name, FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_ATOM, "$h($1e)", body                             \
    }

/* What C11 with GCC's builtins writes otherwise, and what is fast rather than exact. */
static const fcl_c_operator operators[] = {
    {"popcount", FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_UNARY, "($T)__popcll(($V)$1u)", NULL},
    HELPED("clz", "    return ($T)(__clzll((long long)($V)x) - (64 - 8 * (int)sizeof x));\n"),
    HELPED("ctz", "    const $V bits = ($V)x;\n"
                  "    return ($T)(bits ? __ffsll((long long)bits) - 1 : 8 * (int)sizeof x);\n"),
    QUICK("rsqrt", PLAIN, "rsqrt($1e)"),
    QUICK("rsqrt", FAST, "rsqrt($1e)"),
    QUICK("exp", FAST, "__expf($1e)"),
    QUICK("log", FAST, "__logf($1e)"),
    QUICK("log2", FAST, "__log2f($1e)"),
    QUICK("log10", FAST, "__log10f($1e)"),
    QUICK("sin", FAST, "__sinf($1e)"),
    QUICK("cos", FAST, "__cosf($1e)"),
    QUICK("tan", FAST, "__tanf($1e)"),
    QUICK("pow", FAST, "__powf($1e, $2e)"),
    QUICK("fdiv", FAST, "__fdividef($1e, $2e)"),
    QUICK("fdiv", RECIPROCAL, "__frcp_rn($2e)"),
    {NULL, FCL_C_INTEGERS, FCL_K_PLAIN, FCL_C_ANY, NULL, NULL},
};

/* ---- wide accesses, as structures of so many elements ---- */

static fcl_k_node_info node(const fcl_printer *to, fcl_k_node id)
{
    fcl_k_node_info n;
    fcl_k_node_get(fcl_put_program(to), id, &n, sizeof n);
    return n;
}

/* fcl_wide<T, N> */
static void put_wide(fcl_printer *to, fcl_scalar type, size_t n)
{
    fcl_put(to, "fcl_wide<");
    fcl_put_type(to, type);
    fcl_put(to, ", %zu>", n);
}

/* The place in memory, read only where nobody writes. */
static void put_place(fcl_printer *to, const fcl_k_node_info *n, size_t elements, const char *only)
{
    fcl_put(to, "*(%s", only);
    put_wide(to, n->type, elements);
    fcl_put(to, " *)&");
    fcl_put_name(to, n->operands[0]);
    fcl_put(to, "[");
    fcl_put_value(to, n->operands[1], FCL_C_ANY);
    fcl_put(to, "]");
}

static void load_wide(fcl_printer *to, fcl_k_node load)
{
    fcl_k_node_info n = node(to, load);
    fcl_put_line(to);
    fcl_put(to, "const ");
    put_wide(to, n.type, n.nresults);
    fcl_put(to, " w%u = ", (unsigned)load);
    put_place(to, &n, n.nresults, "const ");
    fcl_put(to, ";\n");
}

static void lane(fcl_printer *to, fcl_k_node result)
{
    fcl_k_node_info n = node(to, result);
    fcl_put(to, n.type == FCL_BOOL ? "(w%u.at[%u] != 0)" : "w%u.at[%u]", (unsigned)n.owner,
            n.number);
}

static void store_wide(fcl_printer *to, fcl_k_node store)
{
    fcl_k_node_info n = node(to, store);
    fcl_put_line(to);
    put_place(to, &n, n.nlisted, "");
    fcl_put(to, " = ");
    put_wide(to, n.type, n.nlisted);
    fcl_put(to, "{{");
    for (size_t i = 0; i < n.nlisted; i++) {
        fcl_put(to, i ? ", (" : "(");
        fcl_put_type(to, n.type);
        fcl_put(to, ")");
        fcl_put_value(to, n.listed[i], FCL_C_UNARY);
    }
    fcl_put(to, "}};\n");
}

/* ---- the target ---- */

static const fcl_c_language language = {
    .size = sizeof language,
    .operators = operators,
    .atomics = atomics,
    .head = head,
    .helper = "static __device__ __forceinline__",
    .thread = "(int32_t)threadIdx.x",
    .group = "(int32_t)blockIdx.x",
    .groups = "(int32_t)gridDim.x",
    .table = "static __device__ const",
    .restricted = "__restrict__",
    .shared = "__shared__ __align__(16) ",
    .aligned = " __align__(16)",
    .unit = "uint4",
    .unit_bytes = 16,
    .areas = FCL_C_POOL,
    .pool = "extern __shared__ uint4 pool[]",
    .checks = "uint32_t *checks",
    .kernel = "extern \"C\" __global__ void __launch_bounds__($t) $n(",
    .block_barrier = "__syncthreads()",
    .warp_barrier = "__syncwarp()",
    .shuffle = "__shfl_sync(0xffffffffu, $1e, $2e)",
    .failed = "(*(volatile uint32_t *)checks != 0u)",
    .load_wide = load_wide,
    .lane = lane,
    .store_wide = store_wide,
};

static const fcl_target_facts facts = {
    .size = sizeof facts,
    .max_block = 1024,
    .warp_size = 32,
    .local_bytes = 48 << 10,
    .groups_wait = true,
    .atomics64 = true,
    .f64 = true,
};

static const fcl_dialect dialects[] = {
    {.name = "local", .options = "--fmad=false"},
    {.name = "shuffles", .lanes = 32, .warps_wait = true, .options = "--fmad=false"},
};

static bool load(fcl_context *cx)
{
    const fcl_backend b = {.size = sizeof b,
                           .name = "cuda-c",
                           .summary = "CUDA C++ source",
                           .facts = &facts,
                           .dialects = dialects,
                           .ndialects = sizeof dialects / sizeof *dialects,
                           .language = &language};
    return fcl_backend_register(cx, &b);
}

FCL_PLUGIN("cuda-c", load);
