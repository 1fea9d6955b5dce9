/* Peers of the device cpu: C with OpenMP by hand, one way to write each that is fast on a few
 * cores, compiled as the device compiles (-O3 for this machine).  Floats may be added in any order,
 * as in the FCL programs. */
#include "tests/bench/cores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#else
#error "the peers of the device cpu are compiled with OpenMP"
#endif

typedef const int32_t *restrict ints;
typedef const float *restrict floats;

/* ---- element by element ---- */

void cores_copy(void *to, const void *from, size_t bytes)
{
    enum { PIECE = 1 << 16 };
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < bytes; at += PIECE)
        memcpy((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE);
}

static void copy(extents e, const void *const *in, void *const *out)
{
    cores_copy(out[0], in[0], e.n * sizeof(int32_t));
}

static void map(extents e, const void *const *in, void *const *out)
{
    ints x = in[0];
    int32_t *restrict o = out[0];
    const int64_t n = (int64_t)e.n;
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++)
        o[i] = x[i] * 3 + 1;
}

static void reverse(extents e, const void *const *in, void *const *out)
{
    ints x = in[0];
    int32_t *restrict o = out[0];
    const int64_t n = (int64_t)e.n;
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++)
        o[i] = x[n - 1 - i];
}

static void scatter(extents e, const void *const *in, void *const *out)
{
    ints at = in[0], x = in[1];
    int32_t *restrict o = out[0];
    const int64_t n = (int64_t)e.n;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        o[at[i]] = x[i];
}

static inline float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float poly =
        k * (0.31938153f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * expf(-0.5f * d * d) * poly;
    return d > 0.0f ? 1.0f - tail : tail;
}

static void black_scholes(extents e, const void *const *in, void *const *out)
{
    floats price = in[0], strike = in[1], years = in[2];
    float *restrict call = out[0], *restrict put = out[1];
    const int64_t n = (int64_t)e.n;
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) {
        float s = price[i], k = strike[i], t = years[i], v = 0.3f * sqrtf(t);
        float d1 = (logf(s / k) + 0.065f * t) / v, d2 = d1 - v;
        float n1 = normal(d1), n2 = normal(d2), now = k * expf(-0.02f * t);
        call[i] = s * n1 - now * n2;
        put[i] = now * (1.0f - n2) - s * (1.0f - n1);
    }
}

static int32_t escape(float cr, float ci)
{
    float zr = 0, zi = 0;
    int32_t k = 0;
    while (k < MANDELBROT_LIMIT && zr * zr + zi * zi <= 4.0f) {
        float next = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = next;
        k++;
    }
    return k;
}

static void mandelbrot(extents e, const void *const *in, void *const *out)
{
    int32_t *restrict o = out[0];
    const int64_t rows = (int64_t)e.rows, cols = (int64_t)e.cols;
    (void)in;
#pragma omp parallel for schedule(dynamic)
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            o[r * cols + c] =
                escape(MANDELBROT_LEFT + (float)c * (MANDELBROT_SIDE / (float)cols),
                       MANDELBROT_BOTTOM + (float)r * (MANDELBROT_SIDE / (float)rows));
}

/* ---- reductions ---- */

static void reduce_sum(extents e, const void *const *in, void *const *out)
{
    const uint32_t *restrict x = in[0];
    uint32_t sum = 0;
    const int64_t n = (int64_t)e.n;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    *(uint32_t *)out[0] = sum;
}

static void reduce_max(extents e, const void *const *in, void *const *out)
{
    ints x = in[0];
    int32_t most = INT32_MIN;
    const int64_t n = (int64_t)e.n;
#pragma omp parallel for simd schedule(static) reduction(max : most)
    for (int64_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    *(int32_t *)out[0] = most;
}

static void dot(extents e, const void *const *in, void *const *out)
{
    floats x = in[0], y = in[1];
    float sum = 0;
    const int64_t n = (int64_t)e.n;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    *(float *)out[0] = sum;
}

static void row_sums(extents e, const void *const *in, void *const *out)
{
    floats x = in[0];
    float *restrict o = out[0];
    const int64_t rows = (int64_t)e.rows, cols = (int64_t)e.cols;
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t c = 0; c < cols; c++)
            sum += x[r * cols + c];
        o[r] = sum;
    }
}

/* A table for each thread, added up at the end. */
static void histogram(extents e, const void *const *in, void *const *out)
{
    const uint8_t *restrict x = in[0];
    uint32_t *restrict o = out[0];
    const int64_t n = (int64_t)e.n;
    memset(o, 0, 256 * sizeof *o);
#pragma omp parallel
    {
        uint32_t mine[256] = {0};
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++)
            mine[x[i]]++;
#pragma omp critical
        for (int k = 0; k < 256; k++)
            o[k] += mine[k];
    }
}

/* ---- in order ---- */

/* Two passes over a thread's part: its sum, and its prefix sums from where those before it end. */
static void scan(extents e, const void *const *in, void *const *out)
{
    const uint32_t *restrict x = in[0];
    uint32_t *restrict o = out[0];
    const int64_t n = (int64_t)e.n;
    uint32_t *sums = calloc((size_t)omp_get_max_threads() + 1, sizeof *sums);
    if (!sums)
        die("out of memory");
#pragma omp parallel
    {
        const int me = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t from = n * me / threads, to = n * (me + 1) / threads;
        uint32_t sum = 0;
        for (int64_t i = from; i < to; i++)
            sum += x[i];
        sums[me + 1] = sum;
#pragma omp barrier
        sum = 0;
        for (int k = 1; k <= me; k++)
            sum += sums[k];
        for (int64_t i = from; i < to; i++)
            o[i] = sum += x[i];
    }
    free(sums);
}

/* ---- matrices ---- */

/* By tiles that fit into the first cache. */
static void transpose(extents e, const void *const *in, void *const *out)
{
    enum { TILE = 32 };
    floats x = in[0];
    float *restrict o = out[0];
    const int64_t rows = (int64_t)e.rows, cols = (int64_t)e.cols;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t r = 0; r < rows; r += TILE)
        for (int64_t c = 0; c < cols; c += TILE)
            for (int64_t j = c; j < c + TILE && j < cols; j++)
                for (int64_t i = r; i < r + TILE && i < rows; i++)
                    o[j * rows + i] = x[i * cols + j];
}

/* Rows of b, and of the result, are vectors; a block of b's rows stays in the cache. */
static void sgemm(extents e, const void *const *in, void *const *out)
{
    enum { DEPTH = 64 };
    floats a = in[0], b = in[1];
    float *restrict o = out[0];
    const int64_t n = (int64_t)e.rows;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        memset(o + i * n, 0, (size_t)n * sizeof *o);
        for (int64_t from = 0; from < n; from += DEPTH)
            for (int64_t k = from; k < from + DEPTH && k < n; k++)
#pragma omp simd
                for (int64_t j = 0; j < n; j++)
                    o[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

/* ---- by name ---- */

cores_kernel *cores_named(const char *name)
{
    static const struct {
        const char *name;
        cores_kernel *kernel;
    } all[] = {{"copy", copy},
               {"map", map},
               {"reverse", reverse},
               {"transpose", transpose},
               {"reduce-sum", reduce_sum},
               {"reduce-max", reduce_max},
               {"scan", scan},
               {"dot", dot},
               {"row-sums", row_sums},
               {"black-scholes", black_scholes},
               {"mandelbrot", mandelbrot},
               {"histogram", histogram},
               {"scatter", scatter},
               {"sgemm", sgemm},
               {"compact", cores_compact},
               {"radix-sort", cores_sort},
               {"segment-sums-1", cores_segments},
               {"segment-sums-16", cores_segments},
               {"segment-sums-256", cores_segments},
               {"segment-sums-4096", cores_segments},
               {"segment-sums-skewed", cores_segments},
               {"segment-sums-single", cores_segments},
               {"segment-sums-huge", cores_segments},
               {"sparse-banded", cores_sparse},
               {"sparse-skewed", cores_sparse},
               {"n-body", cores_bodies},
               {"plate-5", cores_plate},
               {"heat-7", cores_heat},
               {"heat-cube", cores_heat},
               {"k-means-sums", cores_means},
               {"products-16", cores_products}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].kernel;
    return NULL;
}
