/* Problems of f16 against references on the host, which computes in double precision. */
#include "tests/bench/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The bits of an f16, 13 further up, are those of an f32 that is less by 2^112; so they are of
 * subnormal numbers. */
double number_of_half(uint16_t bits)
{
    uint32_t moved = (uint32_t)(bits & 0x7fff) << 13;
    float x;
    memcpy(&x, &moved, sizeof x);
    return (bits & 0x8000 ? -0x1p112 : 0x1p112) * (double)x;
}

static bool wrong(char why[MAX_TEXT], uint64_t i, double want, double got)
{
    snprintf(why, MAX_TEXT, "element %llu is %.9g, not %.9g", (unsigned long long)i, got, want);
    return false;
}

static bool same(char why[MAX_TEXT], uint64_t i, uint16_t want, uint16_t got)
{
    return got == want || wrong(why, i, number_of_half(want), number_of_half(got));
}

bool check_copy_halves(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint16_t *in = i->in[0], *got = out[0];
    for (uint64_t k = 0; k < i->e.n; k++)
        if (!same(why, k, in[k], got[k]))
            return false;
    return true;
}

/* In tiles, which a cache holds. */
bool check_transpose_halves(const instance *i, void *const *out, char why[MAX_TEXT])
{
    enum { TILE = 64 };
    const uint16_t *in = i->in[0], *got = out[0];
    uint64_t rows = i->e.rows, cols = i->e.cols;
    for (uint64_t top = 0; top < rows; top += TILE)
        for (uint64_t left = 0; left < cols; left += TILE)
            for (uint64_t r = top; r < top + TILE && r < rows; r++)
                for (uint64_t c = left; c < left + TILE && c < cols; c++)
                    if (!same(why, c * rows + r, in[r * cols + c], got[c * rows + r]))
                        return false;
    return true;
}

/* 3 x + 1, rounded once or twice. */
bool check_map_halves(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint16_t *in = i->in[0], *got = out[0];
    for (uint64_t k = 0; k < i->e.n; k++) {
        double x = number_of_half(in[k]), y = number_of_half(got[k]);
        if (!(fabs(y - (3 * x + 1)) <= 0x1p-10 * (3 * fabs(x) + 1)))
            return wrong(why, k, 3 * x + 1, y);
    }
    return true;
}

/* In f32. */
bool check_sum_halves(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint16_t *in = i->in[0];
    double sum = 0, sizes = 0, got = *(const float *)out[0];
    for (uint64_t k = 0; k < i->e.n; k++) {
        double x = number_of_half(in[k]);
        sum += x;
        sizes += fabs(x);
    }
    return fabs(got - sum) <= 1e-5 * sizes || wrong(why, 0, sum, got);
}
