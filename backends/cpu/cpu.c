/* The plain C back end: one file of C11 with all kernels of all programs. */
#include "backends/cpu/cpu.h"

#include "backends/c/emit.h"

static const char headers[] =
    "#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n";

/* What C has no names for: the bits of a number as another type; the nearest integer of a type,
 * cut towards zero, to a float that is a number; the sum of a loop's variable and its step, or
 * the largest number; and how many threads there are.  Macros, so that those which nobody uses are
 * no unused functions. */
static const char head[] =
    "#include <tgmath.h>\n#ifdef _OPENMP\n#include <omp.h>\n"
    "#define fcl_threads() omp_get_max_threads()\n#else\n#define fcl_threads() 1\n#endif\n\n"
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

/* The first check that fails is the one that is reported. */
static const char report[] =
    "\nstatic inline void fcl_report(uint32_t *checks, uint32_t check, int64_t first, int64_t "
    "second)\n{\n"
    "    uint32_t none = 0;\n"
    "    if (__atomic_compare_exchange_n(checks, &none, check, 0, __ATOMIC_RELAXED, "
    "__ATOMIC_RELAXED)) {\n"
    "        checks[1] = (uint32_t)first;\n        checks[2] = (uint32_t)((uint64_t)first >> 32);\n"
    "        checks[3] = (uint32_t)second;\n        checks[4] = (uint32_t)((uint64_t)second >> "
    "32);\n    }\n}\n";

static const char options[] = "-std=c11 -O3 -fno-strict-aliasing -ffp-contract=off -fno-math-errno "
                              "-fno-trapping-math -fopenmp";

static void add(fcl_printer *e, bool used, const char *text)
{
    if (used && !text_addf(e->m, e->out, "%s", text))
        e->failed = true;
}

/* What nobody uses is left out where it would be an unused function. */
static void begin(fcl_printer *e)
{
    const c_helpers *used = &e->file->helpers;
    c_put(e, "/* C11, emitted by libfcl: to be compiled with\n * %s */\n", options);
    add(e, true, headers);
    add(e, true, cpu_vectors);
    add(e, true, head);
    add(e, true, cpu_special);
    add(e, true, cpu_sums);
    add(e, used->half[0], widen_half);
    add(e, used->half[1], narrow_half);
    add(e, used->report, report);
}

/* A block is one thread: nobody hands it values, and it waits for nobody. */
static const fcl_c_language language = {
    .size = sizeof language,
    .thread = "0",
    .group = "group",
    .groups = "groups",
    .areas = FCL_C_BYTES,
    .block_barrier = "",
    .warp_barrier = "",
    .shuffle = "$1e",
    .operators = cpu_operators,
    .begin = begin,
    .kernel_frame = cpu_kernel,
};

static const fcl_dialect dialects[] = {{.name = "local", .options = options}};

static const fcl_target_facts facts = {
    .size = sizeof facts,
    .max_block = 1024,
    .local_bytes = 256 * 1024,
    .constant_bytes = 1024 * 1024,
    .warp_size = 32,
    .serial = true,
    .groups_wait = true,
    .atomics64 = true,
    .f64 = true,
};

const fcl_backend backend_cpu = {
    .size = sizeof backend_cpu,
    .name = "cpu-c",
    .summary = "C11 source with OpenMP",
    .facts = &facts,
    .tuning = SERIAL_TUNING,
    .dialects = dialects,
    .ndialects = sizeof dialects / sizeof *dialects,
    .language = &language,
};
