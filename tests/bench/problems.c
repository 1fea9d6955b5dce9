/* What is computed: inputs, results, sizes, traffic, and how results are checked. */
#include "tests/bench/problem.h"

#include <string.h>

/* ---- extents: about n elements ---- */

static extents vector(uint64_t n)
{
    return (extents){.n = n, .rows = 1, .cols = n};
}

/* Twice as many columns as rows, or as many. */
static extents matrix(uint64_t n)
{
    uint64_t rows = 1;
    while (rows * rows * 4 <= n)
        rows *= 2;
    return (extents){.n = n, .rows = rows, .cols = n / rows};
}

static extents long_rows(uint64_t n)
{
    return (extents){.n = n, .rows = n / 4096, .cols = 4096};
}

/* Rows of a fixed length, that of a block's chunk. */
#define CHUNKS(c)                                                                                  \
    static extents chunks_##c(uint64_t n)                                                          \
    {                                                                                              \
        return (extents){.n = n, .rows = n / (c), .cols = (c)};                                    \
    }
CHUNKS(1)
CHUNKS(16)
CHUNKS(256)
CHUNKS(512)
CHUNKS(1024)
CHUNKS(2048)
CHUNKS(4096)
CHUNKS(8192)

/* Of n elements, the side stands for the rows. */
static extents cube(uint64_t n)
{
    uint64_t side = 1;
    while ((side + 1) * (side + 1) * (side + 1) <= n)
        side++;
    return (extents){.n = side * side * side, .rows = side, .cols = side * side};
}

/* Points of which each has so many numbers. */
static extents points(uint64_t n)
{
    return (extents){.n = n, .rows = n / COORDINATES, .cols = COORDINATES};
}

static uint64_t clusters(extents e)
{
    (void)e;
    return CLUSTERS;
}

static uint64_t coordinates(extents e)
{
    (void)e;
    return CLUSTERS * COORDINATES;
}

static uint64_t all(extents e)
{
    return e.n;
}

static uint64_t one(extents e)
{
    (void)e;
    return 1;
}

static uint64_t rows(extents e)
{
    return e.rows;
}

/* Where each of as many segments begins, and where the last one ends. */
static uint64_t offsets(extents e)
{
    return e.rows + 1;
}

static uint64_t bins(extents e)
{
    (void)e;
    return 256;
}

/* ---- work ---- */

static double bytes_2(extents e)
{
    return 2 * (double)e.n;
}

static double bytes_1(extents e)
{
    return (double)e.n;
}

static double bytes_4(extents e)
{
    return 4 * (double)e.n;
}

/* Half of the elements are written. */
static double bytes_6(extents e)
{
    return 6 * (double)e.n;
}

static double bytes_12(extents e)
{
    return 12 * (double)e.n;
}

static double bytes_segments(extents e)
{
    return 4 * ((double)e.n + 2 * (double)e.rows);
}

static double bytes_8(extents e)
{
    return 8 * (double)e.n;
}

/* Offsets, columns, values, a vector and the result. */
static double bytes_sparse(extents e)
{
    return 8 * (double)e.n + 12 * (double)e.rows;
}

/* Coordinates, and the number of each point's cluster. */
static double bytes_points(extents e)
{
    return 4 * ((double)e.n + (double)e.rows);
}

static double gigapairs(extents e)
{
    return 1e-9 * (double)e.n * (double)e.n;
}

static double bytes_20(extents e)
{
    return 20 * (double)e.n;
}

static double megapixels(extents e)
{
    return 1e-6 * (double)e.n;
}

static double gigaflops(extents e)
{
    return 2e-9 * (double)e.rows * (double)e.rows * (double)e.rows;
}

/* Of 2 * 16 operations for each element. */
static double gigaflops_small(extents e)
{
    return 2e-9 * SMALL_SIDE * (double)e.n;
}

enum { M20 = 20000000, M30 = 30000000, BODIES = 1 << 15, PRODUCTS = 100000 * SMALL_SIDE * SMALL_SIDE, SQUARE_4096 = 1 << 24 };

/* clang-format off */
#define INTS   {"x", FCL_I32, 1, FILL_INT, NULL}
#define WORDS  {"x", FCL_U32, 1, FILL_INT, NULL}
#define BYTES  {"x", FCL_U8, 1, FILL_BYTE, NULL}
#define VECTOR(name) {name, FCL_F32, 1, FILL_SIGNED, NULL}
#define MATRIX(name) {name, FCL_F32, 2, FILL_SIGNED, NULL}
#define HALVES {"x", FCL_F16, 1, FILL_HALF, NULL}
#define HALF_MATRIX(name) {name, FCL_F16, 2, FILL_HALF, NULL}
#define PLACES {"at", FCL_I32, 1, FILL_PERMUTATION, NULL}
#define SPARSE(kind, columns) {OFFSETS(kind), {"columns", FCL_I32, 1, columns, NULL}, VECTOR("values"), {"v", FCL_F32, 1, FILL_SIGNED, rows}}
#define OFFSETS(kind) {"at", FCL_I32, 1, kind, offsets}
#define CLUSTERS "1e-5 of the absolute sum", "GB/s", {{"sizes", FCL_I32, 1, FILL_SIZES, clusters}, MATRIX("points"), {"of", FCL_I32, 1, FILL_CLUSTER, rows}}

const problem problems[] = {
    {"copy", "exact", "GB/s", {INTS}, {FCL_I32}, all, vector, 0, 0, bytes_8, NULL, check_copy, NULL},
    {"map", "exact", "GB/s", {INTS}, {FCL_I32}, all, vector, 0, 0, bytes_8, NULL, check_map, NULL},
    {"reverse", "exact", "GB/s", {INTS}, {FCL_I32}, all, vector, 0, 0, bytes_8, NULL, check_reverse, NULL},
    {"transpose", "exact", "GB/s", {MATRIX("x")}, {FCL_F32}, all, matrix, 0, 0, bytes_8, NULL, check_transpose, NULL},
    {"reduce-sum", "exact", "GB/s", {INTS}, {FCL_I32}, one, vector, 0, 0, bytes_4, NULL, check_sum, NULL},
    {"reduce-max", "exact", "GB/s", {INTS}, {FCL_I32}, one, vector, 0, 0, bytes_4, NULL, check_maximum, NULL},
    {"reduce-compose", "exact", "GB/s", {WORDS}, {FCL_U32}, one, vector, 0, 0, bytes_4, NULL, check_compose, NULL},
    {"chunk-sums-512", "exact", "GB/s", {INTS}, {FCL_I32}, rows, chunks_512, 0, 0, bytes_4, NULL, check_chunk_sums, NULL},
    {"chunk-sums-1024", "exact", "GB/s", {INTS}, {FCL_I32}, rows, chunks_1024, 0, 0, bytes_4, NULL, check_chunk_sums, NULL},
    {"chunk-sums-2048", "exact", "GB/s", {INTS}, {FCL_I32}, rows, chunks_2048, 0, 0, bytes_4, NULL, check_chunk_sums, NULL},
    {"chunk-sums-4096", "exact", "GB/s", {INTS}, {FCL_I32}, rows, chunks_4096, 0, 0, bytes_4, NULL, check_chunk_sums, NULL},
    {"chunk-sums-8192", "exact", "GB/s", {INTS}, {FCL_I32}, rows, chunks_8192, 0, 0, bytes_4, NULL, check_chunk_sums, NULL},
    {"scan", "exact", "GB/s", {INTS}, {FCL_I32}, all, vector, 0, 0, bytes_8, NULL, check_scan, NULL},
    {"dot", "1e-5 of the absolute sum", "GB/s", {VECTOR("x"), VECTOR("y")}, {FCL_F32}, one, vector, 0, 0, bytes_8, NULL, check_dot, NULL},
    {"row-sums", "1e-5 of the absolute sum", "GB/s", {MATRIX("x")}, {FCL_F32}, rows, long_rows, 0, 0, bytes_4, NULL, check_row_sums, NULL},
    {"black-scholes", "1e-3, prices up to 100", "GB/s", {{"s", FCL_F32, 1, FILL_PRICE, NULL}, {"k", FCL_F32, 1, FILL_STRIKE, NULL}, {"t", FCL_F32, 1, FILL_YEARS, NULL}},
     {FCL_F32, FCL_F32}, all, vector, M20, 1 << 20, bytes_20, NULL, check_black_scholes, NULL},
    {"histogram", "exact", "GB/s", {BYTES}, {FCL_U32}, bins, vector, 0, 0, bytes_1, NULL, check_histogram, NULL},
    {"mandelbrot", "1 pixel in 200", "Mpixel/s", {{0}}, {FCL_I32}, all, matrix, SQUARE_4096, 1 << 16, NULL, megapixels, check_mandelbrot, NULL},
    {"compact", "exact", "GB/s", {INTS}, {FCL_I32}, all, vector, 0, 0, bytes_6, NULL, check_positive, count_positive},
    {"scatter", "exact", "GB/s", {PLACES, INTS}, {FCL_I32}, all, vector, 0, 0, bytes_12, NULL, check_permuted, NULL},
    {"segment-sums-16", "exact", "GB/s", {INTS, OFFSETS(FILL_EVEN)}, {FCL_I32}, rows, chunks_16, 0, 0, bytes_segments, NULL, check_segment_sums, NULL},
    {"segment-sums-256", "exact", "GB/s", {INTS, OFFSETS(FILL_EVEN)}, {FCL_I32}, rows, chunks_256, 0, 0, bytes_segments, NULL, check_segment_sums, NULL},
    {"segment-sums-4096", "exact", "GB/s", {INTS, OFFSETS(FILL_EVEN)}, {FCL_I32}, rows, chunks_4096, 0, 0, bytes_segments, NULL, check_segment_sums, NULL},
    {"segment-sums-skewed", "exact", "GB/s", {INTS, OFFSETS(FILL_SKEWED)}, {FCL_I32}, rows, chunks_256, 0, 0, bytes_segments, NULL, check_segment_sums, NULL},
    {"segment-sums-1", "exact", "GB/s", {INTS, OFFSETS(FILL_EVEN)}, {FCL_I32}, rows, chunks_1, 0, 0, bytes_segments, NULL, check_segment_sums, NULL},
    {"segment-sums-single", "exact", "GB/s", {INTS, OFFSETS(FILL_SINGLE)}, {FCL_I32}, rows, chunks_256, 0, 0, bytes_segments, NULL, check_segment_sums, NULL},
    {"segment-sums-huge", "exact", "GB/s", {INTS, OFFSETS(FILL_HUGE)}, {FCL_I32}, rows, chunks_16, 0, 0, bytes_segments, NULL, check_segment_sums, NULL},
    {"sgemm", "1e-5 of the absolute sum", "GFLOP/s", {MATRIX("a"), MATRIX("b")}, {FCL_F32}, all, matrix, SQUARE_4096, 1 << 16, NULL, gigaflops, check_sgemm, NULL},
    {"copy-f16", "exact", "GB/s", {HALVES}, {FCL_F16}, all, vector, 0, 0, bytes_4, NULL, check_copy_halves, NULL},
    {"map-f16", "2^-10 of the absolute sum", "GB/s", {HALVES}, {FCL_F16}, all, vector, 0, 0, bytes_4, NULL, check_map_halves, NULL},
    {"reduce-f16", "1e-5 of the absolute sum", "GB/s", {HALVES}, {FCL_F32}, one, vector, 0, 0, bytes_2, NULL, check_sum_halves, NULL},
    {"transpose-f16", "exact", "GB/s", {HALF_MATRIX("x")}, {FCL_F16}, all, matrix, 0, 0, bytes_4, NULL, check_transpose_halves, NULL},
    {"sgemm-f16", "1e-5 of the absolute sum, rounded", "GFLOP/s", {HALF_MATRIX("a"), HALF_MATRIX("b")}, {FCL_F16}, all, matrix, SQUARE_4096, 1 << 16, NULL, gigaflops, check_sgemm, NULL},
    {"products-16", "1e-5 of the absolute sum", "GFLOP/s", {MATRIX("a"), MATRIX("b")}, {FCL_F32}, all, chunks_256, PRODUCTS, 1 << 18, NULL, gigaflops_small, check_products, NULL},
    {"radix-sort", "exact", "GB/s", {WORDS}, {FCL_U32}, all, vector, 0, 0, bytes_8, NULL, check_sorted, NULL},
    {"sparse-banded", "1e-5 of the absolute sum", "GB/s", SPARSE(FILL_EVEN, FILL_BANDED), {FCL_F32}, rows, chunks_16, 0, 0, bytes_sparse, NULL, check_sparse, NULL},
    {"sparse-skewed", "1e-5 of the absolute sum", "GB/s", SPARSE(FILL_SKEWED, FILL_SCATTERED), {FCL_F32}, rows, chunks_16, 0, 0, bytes_sparse, NULL, check_sparse, NULL},
    {"n-body", "1e-3", "Gpair/s", {VECTOR("x"), VECTOR("y"), VECTOR("z"), VECTOR("m")}, {FCL_F32, FCL_F32, FCL_F32}, all, vector, BODIES, 1 << 12, NULL, gigapairs, check_forces, NULL},
    {"heat-7", "1e-5", "GB/s", {VECTOR("x")}, {FCL_F32}, all, cube, 0, 0, bytes_8, NULL, check_heat, NULL},
    {"heat-cube", "1e-5", "GB/s", {{"x", FCL_F32, 3, FILL_SIGNED, NULL}}, {FCL_F32}, all, cube, 0, 0, bytes_8, NULL, check_heat, NULL},
    {"plate-5", "1e-5", "GB/s", {MATRIX("x")}, {FCL_F32}, all, matrix, 0, 0, bytes_8, NULL, check_plate, NULL},
    {"k-means-sums", CLUSTERS, {FCL_F32}, coordinates, points, M30, 3 << 16, bytes_points, NULL, check_means, NULL},
    {"k-means-parallel", CLUSTERS, {FCL_F32}, coordinates, points, M30, 3 << 16, bytes_points, NULL, check_means, NULL},
    {"k-means-stream", CLUSTERS, {FCL_F32}, coordinates, points, M30, 3 << 16, bytes_points, NULL, check_means, NULL},
};
/* clang-format on */
const size_t problem_count = sizeof problems / sizeof *problems;

const problem *problem_named(const char *name)
{
    for (size_t i = 0; i < problem_count; i++)
        if (strcmp(problems[i].name, name) == 0)
            return &problems[i];
    return NULL;
}

uint64_t bytes_of_type(fcl_scalar t)
{
    static const uint8_t bytes[] = {
        [FCL_BOOL] = 1, [FCL_I8] = 1,  [FCL_I16] = 2, [FCL_I32] = 4, [FCL_I64] = 8, [FCL_U8] = 1,
        [FCL_U16] = 2,  [FCL_U32] = 4, [FCL_U64] = 8, [FCL_F16] = 2, [FCL_F32] = 4, [FCL_F64] = 8,
    };
    return bytes[t];
}
