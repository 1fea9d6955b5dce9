/* The results of the problems whose programs name no levels, against references on the host. */
#include "tests/bench/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool wrong(char why[MAX_TEXT], uint64_t i, double want, double got)
{
    snprintf(why, MAX_TEXT, "element %llu is %.9g, not %.9g", (unsigned long long)i, got, want);
    return false;
}

/* In order, and the same sums of the words and of their squares. */
bool check_sorted(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint32_t *in = i->in[0], *got = out[0];
    uint64_t sum = 0, squares = 0;
    for (uint64_t k = 0; k < i->e.n; k++) {
        if (k && got[k - 1] > got[k])
            return wrong(why, k, got[k - 1], got[k]);
        sum += in[k] - (uint64_t)got[k];
        squares += (uint64_t)in[k] * in[k] - (uint64_t)got[k] * got[k];
    }
    if (!sum && !squares)
        return true;
    snprintf(why, MAX_TEXT, "the words are in order, but others than were given");
    return false;
}

bool check_sparse(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint32_t *offsets = i->in[0], *columns = i->in[1];
    const float *values = i->in[2], *x = i->in[3], *got = out[0];
    for (uint64_t r = 0; r < i->e.rows; r++) {
        double sum = 0, sizes = 0;
        for (uint64_t k = offsets[r]; k < offsets[r + 1]; k++) {
            double p = (double)values[k] * x[columns[k]];
            sum += p;
            sizes += fabs(p);
        }
        if (!(fabs(got[r] - sum) <= 1e-5 * sizes))
            return wrong(why, r, sum, got[r]);
    }
    return true;
}

/* Of some bodies. */
bool check_forces(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const float *at[] = {i->in[0], i->in[1], i->in[2]}, *mass = i->in[3];
    for (uint64_t b = 0; b < i->e.n; b += i->e.n / 64) {
        double sum[3] = {0}, sizes = 0;
        for (uint64_t j = 0; j < i->e.n; j++) {
            double d[3], square = 0.01;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)at[k][j] - at[k][b];
                square += d[k] * d[k];
            }
            double s = mass[j] / (square * sqrt(square));
            for (int k = 0; k < 3; k++)
                sum[k] += s * d[k];
            sizes += fabs(s);
        }
        for (int k = 0; k < 3; k++) {
            double got = ((const float *)out[k])[b];
            if (!(fabs(got - sum[k]) <= 1e-5 * sizes))
                return wrong(why, b, sum[k], got);
        }
    }
    return true;
}

static uint64_t inside(uint64_t i, int by, uint64_t n)
{
    return by < 0 ? (i ? i - 1 : 0) : i + 1 < n ? i + 1 : i;
}

static bool close_to(char why[MAX_TEXT], uint64_t at, double want, double got)
{
    return fabs(got - want) <= 1e-5 || wrong(why, at, want, got);
}

bool check_heat(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const float *x = i->in[0], *got = out[0];
    uint64_t n = i->e.rows;
    for (uint64_t p = 0; p < i->e.n; p++) {
        uint64_t at[] = {p / (n * n), p / n % n, p % n}, step[] = {n * n, n, 1};
        double sum = 0;
        for (int k = 0; k < 3; k++)
            for (int by = -1; by < 2; by += 2)
                sum += x[p - at[k] * step[k] + inside(at[k], by, n) * step[k]];
        if (!close_to(why, p, x[p] + 0.1 * (sum - 6.0 * x[p]), got[p]))
            return false;
    }
    return true;
}

bool check_plate(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const float *x = i->in[0], *got = out[0];
    uint64_t n = i->e.rows, m = i->e.cols;
    for (uint64_t r = 0; r < n; r++)
        for (uint64_t c = 0; c < m; c++) {
            double here = x[r * m + c], sum = (double)x[inside(r, -1, n) * m + c] + x[inside(r, 1, n) * m + c] +
                                              x[r * m + inside(c, -1, m)] + x[r * m + inside(c, 1, m)];
            if (!close_to(why, r * m + c, here + 0.1 * (sum - 4 * here), got[r * m + c]))
                return false;
        }
    return true;
}

bool check_means(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const int32_t *sizes = i->in[0], *of = i->in[2];
    const float *at = i->in[1], *got = out[0];
    double sums[CLUSTERS * COORDINATES] = {0}, absolute[CLUSTERS * COORDINATES] = {0};
    for (uint64_t p = 0; p < i->e.rows; p++)
        for (int j = 0; j < COORDINATES; j++) {
            double x = (double)at[p * COORDINATES + (uint64_t)j] / sizes[of[p]];
            sums[of[p] * COORDINATES + j] += x;
            absolute[of[p] * COORDINATES + j] += fabs(x);
        }
    for (int c = 0; c < CLUSTERS * COORDINATES; c++)
        if (!(fabs(got[c] - sums[c]) <= 1e-5 * absolute[c]))
            return wrong(why, (uint64_t)c, sums[c], got[c]);
    return true;
}
