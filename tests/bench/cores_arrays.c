/* More peers of the device cpu, for the problems that have programs without levels: C with OpenMP by hand, as in cores.c. */
#include "tests/bench/cores.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef const int32_t *restrict ints;
typedef const float *restrict floats;

/* The part of n elements that is this thread's. */
typedef struct part {
    int64_t from, to;
    int me, threads;
} part;

static part own_part(uint64_t n)
{
    part p = {.me = omp_get_thread_num(), .threads = omp_get_num_threads()};
    p.from = (int64_t)n * p.me / p.threads;
    p.to = (int64_t)n * (p.me + 1) / p.threads;
    return p;
}

static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        die("out of memory");
    return p;
}

/* ---- what is kept, what is sorted ---- */

/* Counted first, so that each thread knows where its own begin; no branch asks what is kept. */
void cores_compact(extents e, const void *const *in, void *const *out)
{
    ints x = in[0];
    int32_t *restrict o = out[0];
    int64_t *counts = zeroed((size_t)omp_get_max_threads() + 1, sizeof *counts);
#pragma omp parallel
    {
        part p = own_part(e.n);
        int64_t count = 0, at = 0;
        for (int64_t i = p.from; i < p.to; i++)
            count += x[i] > 0;
        counts[p.me + 1] = count;
#pragma omp barrier
        for (int k = 1; k <= p.me; k++)
            at += counts[k];
        count += at;
        for (int64_t i = p.from; at < count; i++) {
            o[at] = x[i];
            at += x[i] > 0;
        }
    }
    free(counts);
}

enum { DIGITS = 256 };

/* A stable pass by the digit at `low`: counts of all threads, and places from those. */
static void sort_pass(const uint32_t *restrict x, uint32_t *restrict o, uint64_t n, int low,
                      int64_t (*counts)[DIGITS])
{
#pragma omp parallel
    {
        part p = own_part(n);
        int64_t *mine = counts[p.me];
        memset(mine, 0, sizeof *counts);
        for (int64_t i = p.from; i < p.to; i++)
            mine[x[i] >> low & (DIGITS - 1)]++;
#pragma omp barrier
#pragma omp single
        {
            int64_t before = 0;
            for (int d = 0; d < DIGITS; d++)
                for (int k = 0; k < p.threads; k++) {
                    int64_t count = counts[k][d];
                    counts[k][d] = before;
                    before += count;
                }
        }
        for (int64_t i = p.from; i < p.to; i++)
            o[mine[x[i] >> low & (DIGITS - 1)]++] = x[i];
    }
}

void cores_sort(extents e, const void *const *in, void *const *out)
{
    uint32_t *other = zeroed(e.n, sizeof *other);
    int64_t(*counts)[DIGITS] = zeroed((size_t)omp_get_max_threads(), sizeof *counts);
    sort_pass(in[0], other, e.n, 0, counts);
    sort_pass(other, out[0], e.n, 8, counts);
    sort_pass(out[0], other, e.n, 16, counts);
    sort_pass(other, out[0], e.n, 24, counts);
    free(counts);
    free(other);
}

/* ---- segments ---- */

/* A segment is one thread's; those at hand go to whoever has none. */
void cores_segments(extents e, const void *const *in, void *const *out)
{
    const uint32_t *restrict x = in[0], *restrict at = in[1];
    uint32_t *restrict o = out[0];
    const int64_t n = (int64_t)e.rows;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t s = 0; s < n; s++) {
        uint32_t sum = 0;
        for (uint32_t i = at[s]; i < at[s + 1]; i++)
            sum += x[i];
        o[s] = sum;
    }
}

void cores_sparse(extents e, const void *const *in, void *const *out)
{
    const uint32_t *restrict at = in[0], *restrict column = in[1];
    floats value = in[2], x = in[3];
    float *restrict o = out[0];
    const int64_t n = (int64_t)e.rows;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t r = 0; r < n; r++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (uint32_t k = at[r]; k < at[r + 1]; k++)
            sum += value[k] * x[column[k]];
        o[r] = sum;
    }
}

/* ---- bodies ---- */

void cores_bodies(extents e, const void *const *in, void *const *out)
{
    floats x = in[0], y = in[1], z = in[2], m = in[3];
    float *restrict fx = out[0], *restrict fy = out[1], *restrict fz = out[2];
    const int64_t n = (int64_t)e.n;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        float sx = 0, sy = 0, sz = 0;
#pragma omp simd reduction(+ : sx, sy, sz)
        for (int64_t j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float square = dx * dx + dy * dy + dz * dz + 0.01f;
            float s = m[j] / (square * sqrtf(square));
            sx += s * dx;
            sy += s * dy;
            sz += s * dz;
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
    }
}

/* ---- planes and cubes ---- */

static int64_t down(int64_t i)
{
    return i ? i - 1 : 0;
}

static int64_t up(int64_t i, int64_t n)
{
    return i + 1 < n ? i + 1 : i;
}

void cores_plate(extents e, const void *const *in, void *const *out)
{
    floats x = in[0];
    float *restrict o = out[0];
    const int64_t n = (int64_t)e.rows, m = (int64_t)e.cols;
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < n; r++) {
        floats here = x + r * m, above = x + down(r) * m, below = x + up(r, n) * m;
        for (int64_t c = 0; c < m; c++) {
            float sum = above[c] + below[c] + here[down(c)] + here[up(c, m)];
            o[r * m + c] = here[c] + 0.1f * (sum - 4.0f * here[c]);
        }
    }
}

void cores_heat(extents e, const void *const *in, void *const *out)
{
    floats x = in[0];
    float *restrict o = out[0];
    const int64_t n = (int64_t)e.rows;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            floats here = x + (i * n + j) * n, front = x + (down(i) * n + j) * n,
                   back = x + (up(i, n) * n + j) * n, above = x + (i * n + down(j)) * n,
                   below = x + (i * n + up(j, n)) * n;
            for (int64_t k = 0; k < n; k++) {
                float sum = front[k] + back[k] + above[k] + below[k] + here[down(k)] + here[up(k, n)];
                o[(i * n + j) * n + k] = here[k] + 0.1f * (sum - 6.0f * here[k]);
            }
        }
}

/* ---- clusters ---- */

void cores_means(extents e, const void *const *in, void *const *out)
{
    ints size = in[0], of = in[2];
    floats at = in[1];
    float *restrict o = out[0];
    const int64_t n = (int64_t)e.rows;
    memset(o, 0, CLUSTERS * COORDINATES * sizeof *o);
#pragma omp parallel for schedule(static) reduction(+ : o[ : CLUSTERS * COORDINATES])
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < COORDINATES; j++)
            o[of[i] * COORDINATES + j] += at[i * COORDINATES + j] / (float)size[of[i]];
}

/* ---- small matrices ---- */

void cores_products(extents e, const void *const *in, void *const *out)
{
    enum { SIDE = SMALL_SIDE, ALL = SIDE * SIDE };
    floats a = in[0], b = in[1];
    float *restrict o = out[0];
    const int64_t n = (int64_t)e.n / ALL;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i < SIDE; i++) {
            float sums[SIDE] = {0};
            for (int l = 0; l < SIDE; l++)
                for (int j = 0; j < SIDE; j++)
                    sums[j] += a[k * ALL + i * SIDE + l] * b[k * ALL + l * SIDE + j];
            memcpy(o + k * ALL + i * SIDE, sums, sizeof sums);
        }
}
