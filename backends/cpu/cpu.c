/* The plain C back end: one file of C11 with all kernels of all programs.
 *
 * Kernels are written to a buffer first: what they use decides what must stand before them. */
#include "backends/cpu/cpu.h"

#include "backends/cpu/emit.h"

static const char *type_name(scalar t)
{
    static const char *const names[ST_COUNT] = {
        [ST_BOOL] = "bool",    [ST_I8] = "int8_t",    [ST_I16] = "int16_t",  [ST_I32] = "int32_t",
        [ST_I64] = "int64_t",  [ST_U8] = "uint8_t",   [ST_U16] = "uint16_t", [ST_U32] = "uint32_t",
        [ST_U64] = "uint64_t", [ST_F16] = "_Float16", [ST_F32] = "float",    [ST_F64] = "double",
    };
    return names[t];
}

static const char *const coordinates[] = {
    [AT_THREAD] = "0", [AT_GROUP] = "group", [AT_GROUPS] = "groups"};

static const c_language language = {.type = type_name,
                                    .operators = cpu_operators,
                                    .helper = "static inline",
                                    .reinterpret = "fcl_as_",
                                    .saturate = {"fcl_nearest_", ""},
                                    .saturating_add = "fcl_add_up_to",
                                    .coordinates = coordinates,
                                    .load_wide = cpu_load_wide,
                                    .lane = cpu_lane,
                                    .store_wide = cpu_store_wide,
                                    .atomic = cpu_atomic,
                                    .shuffle = cpu_shuffle,
                                    .sync = cpu_sync,
                                    .report = cpu_report,
                                    .failed = cpu_failed,
                                    .table = cpu_table,
                                    .kernel = cpu_kernel};

/* What C has no names for: the bits of a number as another type; the nearest integer of a type,
 * cut towards zero, to a float that is a number; and the sum of a loop's variable and its step, or
 * the largest number.  Macros, so that those which nobody uses are no unused functions. */
static const char head[] =
    "#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
    "#include <tgmath.h>\n\n"
    "#define fcl_as_float(x) (((union { uint32_t bits; float number; }){(uint32_t)(x)}).number)\n"
    "#define fcl_as_double(x) (((union { uint64_t bits; double number; }){(uint64_t)(x)}).number)\n"
    "#define fcl_bits32(x, T) (_Generic((x), \\\n"
    "    float: (T)((union { float number; uint32_t bits; }){(float)(x)}).bits, default: (T)(x)))\n"
    "#define fcl_bits64(x, T) (_Generic((x), \\\n"
    "    double: (T)((union { double number; uint64_t bits; }){(double)(x)}).bits, default: "
    "(T)(x)))\n"
    "#define fcl_as_int8_t(x) ((int8_t)(x))\n#define fcl_as_uint8_t(x) ((uint8_t)(x))\n"
    "#define fcl_as_int16_t(x) ((int16_t)(x))\n#define fcl_as_uint16_t(x) ((uint16_t)(x))\n"
    "#define fcl_as_int32_t(x) fcl_bits32(x, int32_t)\n"
    "#define fcl_as_uint32_t(x) fcl_bits32(x, uint32_t)\n"
    "#define fcl_as_int64_t(x) fcl_bits64(x, int64_t)\n"
    "#define fcl_as_uint64_t(x) fcl_bits64(x, uint64_t)\n\n"
    "#define fcl_nearest(x, T, least, most, end) \\\n"
    "    ((x) >= end ? most : (x) <= least ? least : (T)(x))\n"
    "#define fcl_nearest_int8_t(x) fcl_nearest(x, int8_t, INT8_MIN, INT8_MAX, 0x1p7)\n"
    "#define fcl_nearest_int16_t(x) fcl_nearest(x, int16_t, INT16_MIN, INT16_MAX, 0x1p15)\n"
    "#define fcl_nearest_int32_t(x) fcl_nearest(x, int32_t, INT32_MIN, INT32_MAX, 0x1p31)\n"
    "#define fcl_nearest_int64_t(x) fcl_nearest(x, int64_t, INT64_MIN, INT64_MAX, 0x1p63)\n"
    "#define fcl_nearest_uint8_t(x) fcl_nearest(x, uint8_t, 0, UINT8_MAX, 0x1p8)\n"
    "#define fcl_nearest_uint16_t(x) fcl_nearest(x, uint16_t, 0, UINT16_MAX, 0x1p16)\n"
    "#define fcl_nearest_uint32_t(x) fcl_nearest(x, uint32_t, 0, UINT32_MAX, 0x1p32)\n"
    "#define fcl_nearest_uint64_t(x) fcl_nearest(x, uint64_t, 0, UINT64_MAX, 0x1p64)\n\n"
    "#define fcl_most(x) _Generic((x), int64_t: INT64_MAX, default: INT32_MAX)\n"
    "#define fcl_add_up_to(x, step) ((x) > fcl_most(x) - (step) ? fcl_most(x) : (x) + (step))\n";

/* The bits of an f16 as the float that it is, and those of the f16 nearest to a float, of two
 * equally near ones the even one.  Both scale by powers of two, so that f16's subnormal numbers
 * need no code of their own on the way up. */
static const char widen_half[] =
    "\nstatic inline float fcl_widen_half(uint16_t x)\n{\n"
    "    const uint32_t sign = (uint32_t)(x & 0x8000) << 16, rest = (uint32_t)(x & 0x7fff) << 13;\n"
    "    const float scaled = fcl_as_float(rest) * 0x1p112f;\n"
    "    const uint32_t special = rest >= 0x0f800000 ? 0x7f800000u : 0u;\n"
    "    return fcl_as_float(fcl_as_uint32_t(scaled) | special | sign);\n}\n";
static const char narrow_half[] =
    "\nstatic inline uint16_t fcl_narrow_half(float x)\n{\n"
    "    const uint32_t bits = fcl_as_uint32_t(x), rest = bits & 0x7fffffff;\n"
    "    const uint32_t sign = bits >> 16 & 0x8000;\n"
    "    if (rest > 0x7f800000) /* NaN */\n"
    "        return (uint16_t)(sign | 0x7e00 | (rest >> 13 & 0x3ff));\n"
    "    if (rest >= 0x477ff000) /* from 65520 on */\n"
    "        return (uint16_t)(sign | 0x7c00);\n"
    "    if (rest < 0x38800000) { /* subnormal: the sum has them in its lowest bits */\n"
    "        const float sum = fcl_as_float(rest) + 0.5f;\n"
    "        return (uint16_t)(sign | (fcl_as_uint32_t(sum) - 0x3f000000));\n"
    "    }\n"
    "    return (uint16_t)(sign | ((rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13));\n}\n";

/* What all programs of a file have in common: one buffer and one set of helpers. */
typedef struct emission {
    vec_char kernels;
    c_helpers helpers;
    cpu_uses uses;
} emission;

static const char options[] =
    "-std=c11 -O3 -fwrapv -fno-strict-aliasing -ffp-contract=off -fopenmp";

static bool print_file(mem *m, const emission *o, vec_char *out)
{
    return text_addf(m, out, "/* C11, emitted by libfcl: to be compiled with\n * %s */\n",
                     options) &&
           text_addf(m, out, "%s", head) &&
           (!o->helpers.half[0] || text_addf(m, out, "%s", widen_half)) &&
           (!o->helpers.half[1] || text_addf(m, out, "%s", narrow_half)) &&
           c_print_helpers(&language, m, &o->helpers, out) &&
           cpu_print_functions(&language, m, &o->uses, out) &&
           text_add(m, out, o->kernels.at, o->kernels.len);
}

static bool emit(const k_program *const *programs, uint32_t n, vec_char *out)
{
    emission o = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = c_emit_program(programs[i], &language, &o.helpers, &o.uses, &o.kernels);
    ok = ok && (!n || print_file(&programs[0]->cx->mem, &o, out));
    if (n)
        vec_free(&programs[0]->cx->mem, &o.kernels);
    return ok;
}

static const backend_dialect dialects[] = {{.name = "local", .options = options}};

const backend backend_cpu = {
    .name = "cpu-c",
    .summary = "C11 source with OpenMP",
    .facts =
        {
            .max_block = 1024,
            .local_bytes = 256 * 1024,
            .constant_bytes = 1024 * 1024,
            .warp_size = 32,
            .serial = true,
            .groups_wait = true,
            .atomics64 = true,
            .f64 = true,
        },
    .tuning = "VectorBytes=1",
    .dialects = dialects,
    .ndialects = sizeof dialects / sizeof *dialects,
    .emit = emit,
};
