/* What is computed, on which data, and how results are checked: for the benchmark and for that of
 * the vendor's libraries, which is C++. */
#ifndef FCL_TESTS_BENCH_PROBLEM_H
#define FCL_TESTS_BENCH_PROBLEM_H

#include "libfcl/fcl.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_INPUTS = 4, MAX_OUTPUTS = 3, MAX_TEXT = 160 };

/* Prints the message and ends the program. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void *xalloc(size_t bytes); /* zeroed */

typedef struct extents {
    uint64_t n, rows, cols; /* n = rows * cols elements */
} extents;

typedef enum {
    FILL_INT = 1,
    FILL_BYTE,
    FILL_SIGNED,
    FILL_HALF, /* f16 between 2^-4 and 1, of both signs */
    FILL_PRICE,
    FILL_STRIKE,
    FILL_YEARS,
    FILL_PERMUTATION, /* each number below the array's length once */
    FILL_EVEN,        /* where segments begin and the last one ends: lengths between 0 and twice the
                         mean */
    FILL_SKEWED,      /* likewise: the longer the later, the last about eight times the mean */
    FILL_SINGLE,      /* likewise: all elements are in the segment in the middle */
    FILL_HUGE,        /* likewise: half of them are, the others as in FILL_EVEN */
    FILL_BANDED,      /* columns of a square sparse matrix, near its diagonal */
    FILL_SCATTERED,   /* columns anywhere */
    FILL_CLUSTER,     /* numbers of CLUSTERS clusters */
    FILL_SIZES        /* how many points each has, about */
} fill_kind;

typedef struct array_spec {
    const char *name; /* in cases.txt */
    fcl_scalar type;
    unsigned rank; /* 0: there is none; 1: n elements, 2: rows x cols, 3: a cube of side rows */
    fill_kind fill;
    uint64_t (*count)(extents e); /* elements, if not n */
} array_spec;

typedef struct problem problem;

/* One problem at one size: inputs on the host and on the device. */
typedef struct instance {
    const problem *what;
    extents e;
    void *in[MAX_INPUTS];
    fcl_buffer *buffers[MAX_INPUTS];
} instance;

struct problem {
    const char *name;
    const char *tolerance; /* "exact", or how far results may be from the reference */
    const char *unit;      /* of the rate: GB/s, or that of operations in a second */
    array_spec in[MAX_INPUTS];
    fcl_scalar out[MAX_OUTPUTS];      /* types of the results; 0: there is none */
    uint64_t (*out_count)(extents e); /* elements of each */
    extents (*shape)(uint64_t n);     /* n: the wanted number of elements */
    uint64_t own_size, own_small;     /* the only size, and that on CPUs; 0: all sizes */
    double (*bytes)(
        extents e); /* each input read once, each output written once; NULL: not what counts */
    double (*operations)(extents e); /* else these */
    /* Whether the results, in host memory, are right; else says in why what is wrong. */
    bool (*check)(const instance *i, void *const *out, char why[MAX_TEXT]);
    /* How many elements the results have, where only the data tell; out_count is the most. */
    uint64_t (*length)(const instance *i);
};

extern const problem problems[];
extern const size_t problem_count;
const problem *problem_named(const char *name); /* NULL: there is none */

uint64_t bytes_of_type(fcl_scalar t);
double number_of_half(uint16_t bits);

enum { CLUSTERS = 5, COORDINATES = 3 };
enum { SMALL_SIDE = 16 }; /* of the matrices of which many are multiplied */

/* check.c: see problem.check */
#define CHECKS(X)                                                                                  \
    X(copy)                                                                                        \
    X(map)                                                                                         \
    X(reverse)                                                                                     \
    X(transpose)                                                                                   \
    X(sum)                                                                                         \
    X(maximum)                                                                                     \
    X(compose)                                                                                     \
    X(scan) X(dot) X(row_sums) X(black_scholes) X(mandelbrot) X(histogram) X(sgemm) X(chunk_sums)  \
        X(positive) X(permuted) X(segment_sums) X(sorted) X(sparse) X(forces) X(heat) X(plate)   \
            X(means) X(products) X(copy_halves) X(map_halves) X(sum_halves) X(transpose_halves)
#define CHECK(name) bool check_##name(const instance *i, void *const *out, char why[MAX_TEXT]);
CHECKS(CHECK)
#undef CHECK

uint64_t count_positive(const instance *i);

/* data.c: the same numbers for the same seed.  Array k of a problem. */
uint64_t input_count(const problem *p, unsigned k, extents e);
void fill_input(const problem *p, unsigned k, extents e, void *to, uint64_t seed);

/* The picture that mandelbrot computes: where cases.txt, the peers and the check take it from. */
#define MANDELBROT_LIMIT  512
#define MANDELBROT_LEFT   -2.0f
#define MANDELBROT_BOTTOM -1.25f
#define MANDELBROT_SIDE   2.5f

#ifdef __cplusplus
}
#endif

#endif
