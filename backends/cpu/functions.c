/* Functions of floats for vectors.
 *
 * glibc has its functions for vectors of numbers as well, which compilers call in loops that they
 * make vectors of once a declaration says so; its header says it under -ffast-math only.  Their
 * errors are within the table of docs/language.md, and infinities, zeros and NaN come out as by the
 * others.  Left out are log10, which would not be exact for powers of ten any more, and cbrt, which
 * is too far off. */
#include "backends/cpu/cpu.h"

/* In front of tgmath.h, as its macros have the same names. */
const char cpu_vectors[] =
    "#if defined __x86_64__ && defined __GLIBC_PREREQ && !defined __clang__\n"
    "#if __GLIBC_PREREQ(2, 22)\n#define fcl_vector __attribute__((simd(\"notinbranch\")))\n"
    "#define fcl_vectors(name) double name(double) fcl_vector; float name##f(float) fcl_vector\n"
    "#define fcl_vectors2(name) \\\n"
    "    double name(double, double) fcl_vector; float name##f(float, float) fcl_vector\n"
    "fcl_vectors(sin); fcl_vectors(cos); fcl_vectors(exp); fcl_vectors2(pow);\n"
    "double log(double) fcl_vector;\n"
    "#endif\n#if __GLIBC_PREREQ(2, 35)\n"
    "fcl_vectors(tan); fcl_vectors(asin); fcl_vectors(acos); fcl_vectors(atan);\n"
    "fcl_vectors(sinh); fcl_vectors(cosh); fcl_vectors(tanh); fcl_vectors(asinh);\n"
    "fcl_vectors(acosh); fcl_vectors(atanh); fcl_vectors(exp2); fcl_vectors(expm1);\n"
    "fcl_vectors(log2); fcl_vectors(log1p); fcl_vectors(erf);\n"
    "fcl_vectors2(atan2); fcl_vectors2(hypot);\n#endif\n#endif\n";

/* exp of a vector takes its elements one by one where one of them underflows, as the tails of
 * distributions do.  What becomes 0 is computed of 0 instead and masked out: compilers would see
 * through selects, and take them back.  The logarithm of a float is that of a double, of which
 * there is one for vectors that is near enough. */
const char cpu_special[] =
    "\n#ifdef fcl_vector\nstatic inline double fcl_exp_double(double x)\n{\n"
    "    const uint64_t kept = (uint64_t)(x < -746.0) - 1;\n"
    "    const double y = exp(fcl_as_double(fcl_bits64(x, uint64_t) & kept));\n"
    "    return fcl_as_double(fcl_bits64(y, uint64_t) & kept);\n}\n"
    "static inline float fcl_exp_float(float x)\n{\n"
    "    const uint32_t kept = (uint32_t)(x < -104.0f) - 1;\n"
    "    const float y = exp(fcl_as_float(fcl_bits32(x, uint32_t) & kept));\n"
    "    return fcl_as_float(fcl_bits32(y, uint32_t) & kept);\n}\n"
    "#define fcl_exp(x) _Generic((x), float: fcl_exp_float, default: fcl_exp_double)(x)\n"
    "static inline float fcl_log_float(float x)\n{\n    return (float)log((double)x);\n}\n"
    "#define fcl_log(x) _Generic((x), float: fcl_log_float, default: log)(x)\n"
    "#else\n#define fcl_exp(x) exp(x)\n#define fcl_log(x) log(x)\n#endif\n";

const fcl_c_operator cpu_operators[] = {
    {"exp", FCL_C_FLOATS, FCL_K_PLAIN, FCL_C_ATOM, "fcl_exp($1e)", NULL},
    {"exp", FCL_C_FLOATS, FCL_K_FAST, FCL_C_ATOM, "fcl_exp($1e)", NULL},
    {"log", FCL_C_FLOATS, FCL_K_PLAIN, FCL_C_ATOM, "fcl_log($1e)", NULL},
    {"log", FCL_C_FLOATS, FCL_K_FAST, FCL_C_ATOM, "fcl_log($1e)", NULL},
    {0},
};
