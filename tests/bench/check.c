/* The results against references on the host: integers exactly, floats against sums in double
 * precision. */
#include "tests/bench/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool wrong(char why[MAX_TEXT], uint64_t i, double want, double got)
{
    snprintf(why, MAX_TEXT, "element %llu is %.9g, not %.9g", (unsigned long long)i, got, want);
    return false;
}

/* ---- element by element ---- */

static bool check_words(const instance *i, void *const *out, char why[MAX_TEXT],
                        uint32_t (*want)(const instance *, uint64_t))
{
    const uint32_t *got = out[0];
    for (uint64_t k = 0; k < i->e.n; k++)
        if (got[k] != want(i, k))
            return wrong(why, k, want(i, k), got[k]);
    return true;
}

static uint32_t copied(const instance *i, uint64_t k)
{
    return ((const uint32_t *)i->in[0])[k];
}

static uint32_t mapped(const instance *i, uint64_t k)
{
    return copied(i, k) * 3 + 1;
}

static uint32_t reversed(const instance *i, uint64_t k)
{
    return copied(i, i->e.n - 1 - k);
}

bool check_copy(const instance *i, void *const *out, char why[MAX_TEXT])
{
    return check_words(i, out, why, copied);
}

bool check_map(const instance *i, void *const *out, char why[MAX_TEXT])
{
    return check_words(i, out, why, mapped);
}

bool check_reverse(const instance *i, void *const *out, char why[MAX_TEXT])
{
    return check_words(i, out, why, reversed);
}

/* In tiles, which a cache holds. */
bool check_transpose(const instance *i, void *const *out, char why[MAX_TEXT])
{
    enum { TILE = 64 };
    const uint32_t *in = i->in[0], *got = out[0];
    uint64_t rows = i->e.rows, cols = i->e.cols;
    for (uint64_t top = 0; top < rows; top += TILE)
        for (uint64_t left = 0; left < cols; left += TILE)
            for (uint64_t r = top; r < top + TILE && r < rows; r++)
                for (uint64_t c = left; c < left + TILE && c < cols; c++)
                    if (got[c * rows + r] != in[r * cols + c])
                        return wrong(why, c * rows + r, in[r * cols + c], got[c * rows + r]);
    return true;
}

/* ---- reductions ---- */

static bool check_word(void *const *out, char why[MAX_TEXT], uint32_t want)
{
    uint32_t got = *(const uint32_t *)out[0];
    return got == want || wrong(why, 0, (int32_t)want, (int32_t)got);
}

bool check_sum(const instance *i, void *const *out, char why[MAX_TEXT])
{
    uint32_t sum = 0;
    for (uint64_t k = 0; k < i->e.n; k++)
        sum += copied(i, k);
    return check_word(out, why, sum);
}

bool check_chunk_sums(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint32_t *got = out[0];
    for (uint64_t row = 0; row < i->e.rows; row++) {
        uint32_t sum = 0;
        for (uint64_t k = 0; k < i->e.cols; k++)
            sum += copied(i, row * i->e.cols + k);
        if (got[row] != sum)
            return wrong(why, row, (int32_t)sum, (int32_t)got[row]);
    }
    return true;
}

bool check_maximum(const instance *i, void *const *out, char why[MAX_TEXT])
{
    int32_t most = INT32_MIN;
    for (uint64_t k = 0; k < i->e.n; k++)
        most = (int32_t)copied(i, k) > most ? (int32_t)copied(i, k) : most;
    return check_word(out, why, (uint32_t)most);
}

/* Maps x -> m x + c over 16-bit numbers, m in the upper half. */
bool check_compose(const instance *i, void *const *out, char why[MAX_TEXT])
{
    uint32_t m = 1, c = 0;
    for (uint64_t k = 0; k < i->e.n; k++) {
        uint32_t q = copied(i, k);
        m = (m * (q >> 16)) & 0xffff;
        c = (c * (q >> 16) + q) & 0xffff;
    }
    return check_word(out, why, m << 16 | c);
}

bool check_scan(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint32_t *got = out[0];
    uint32_t sum = 0;
    for (uint64_t k = 0; k < i->e.n; k++) {
        sum += copied(i, k);
        if (got[k] != sum)
            return wrong(why, k, sum, got[k]);
    }
    return true;
}

/* ---- by the data ---- */

uint64_t count_positive(const instance *i)
{
    uint64_t m = 0;
    for (uint64_t k = 0; k < i->e.n; k++)
        m += (int32_t)copied(i, k) > 0;
    return m;
}

bool check_positive(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint32_t *got = out[0];
    uint64_t m = 0;
    for (uint64_t k = 0; k < i->e.n; k++) {
        uint32_t x = copied(i, k);
        if ((int32_t)x > 0 && got[m++] != x)
            return wrong(why, m - 1, (int32_t)x, (int32_t)got[m - 1]);
    }
    return true;
}

bool check_permuted(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint32_t *at = i->in[0], *x = i->in[1], *got = out[0];
    for (uint64_t k = 0; k < i->e.n; k++)
        if (got[at[k]] != x[k])
            return wrong(why, at[k], x[k], got[at[k]]);
    return true;
}

bool check_segment_sums(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint32_t *at = i->in[1], *got = out[0];
    for (uint64_t s = 0; s < i->e.rows; s++) {
        uint32_t sum = 0;
        for (uint64_t k = at[s]; k < at[s + 1]; k++)
            sum += copied(i, k);
        if (got[s] != sum)
            return wrong(why, s, (int32_t)sum, (int32_t)got[s]);
    }
    return true;
}

/* ---- sums of floats ---- */

/* |got - want| may be 1e-5 of the sum of the absolute values that were added. */
static bool near_sum(char why[MAX_TEXT], uint64_t k, double want, double sizes, float got)
{
    return fabs(got - want) <= 1e-5 * sizes || wrong(why, k, want, got);
}

bool check_dot(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const float *x = i->in[0], *y = i->in[1];
    double sum = 0, sizes = 0;
    for (uint64_t k = 0; k < i->e.n; k++) {
        sum += (double)x[k] * y[k];
        sizes += fabs((double)x[k] * y[k]);
    }
    return near_sum(why, 0, sum, sizes, *(const float *)out[0]);
}

bool check_row_sums(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const float *x = i->in[0], *got = out[0];
    for (uint64_t r = 0; r < i->e.rows; r++) {
        double sum = 0, sizes = 0;
        for (uint64_t c = 0; c < i->e.cols; c++, x++) {
            sum += *x;
            sizes += fabs(*x);
        }
        if (!near_sum(why, r, sum, sizes, got[r]))
            return false;
    }
    return true;
}

bool check_histogram(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const uint8_t *x = i->in[0];
    const uint32_t *got = out[0];
    uint32_t counts[256] = {0};
    for (uint64_t k = 0; k < i->e.n; k++)
        counts[x[k]]++;
    for (uint64_t b = 0; b < 256; b++)
        if (got[b] != counts[b])
            return wrong(why, b, counts[b], got[b]);
    return true;
}

/* ---- computing ---- */

static double normal(double d)
{
    double k = 1 / (1 + 0.2316419 * fabs(d));
    double poly = k * (0.31938153 + k * (-0.356563782 +
                                         k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.3989422804 * exp(-0.5 * d * d) * poly;
    return d > 0 ? 1 - tail : tail;
}

/* Prices of up to 100 may be 1e-3 off: the peers use the device's native functions. */
bool check_black_scholes(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const float *price = i->in[0], *strike = i->in[1], *years = i->in[2], *calls = out[0],
                *puts = out[1];
    for (uint64_t j = 0; j < i->e.n; j++) {
        double s = price[j], k = strike[j], t = years[j], v = 0.3 * sqrt(t);
        double d1 = (log(s / k) + 0.065 * t) / v, d2 = d1 - v, now = k * exp(-0.02 * t);
        double call = s * normal(d1) - now * normal(d2),
               put = now * (1 - normal(d2)) - s * (1 - normal(d1));
        if (!(fabs(calls[j] - call) <= 1e-3))
            return wrong(why, j, call, calls[j]);
        if (!(fabs(puts[j] - put) <= 1e-3))
            return wrong(why, j, put, puts[j]);
    }
    return true;
}

static int32_t escape(float cr, float ci)
{
    float zr = 0, zi = 0;
    int32_t k = 0;
    while (zr * zr + zi * zi <= 4 && k < MANDELBROT_LIMIT) {
        float next = zr * zr - zi * zi + cr;
        zi = zr * zi * 2 + ci;
        zr = next;
        k++;
    }
    return k;
}

/* Every sixteenth row; one pixel in 200 may differ, since compilers may contract products and sums.
 */
bool check_mandelbrot(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const int32_t *got = out[0];
    float dx = MANDELBROT_SIDE / (float)i->e.cols, dy = MANDELBROT_SIDE / (float)i->e.rows;
    uint64_t differ = 0, seen = 0;
    for (uint64_t y = 0; y < i->e.rows; y += 16)
        for (uint64_t x = 0; x < i->e.cols; x++, seen++)
            differ += got[y * i->e.cols + x] !=
                      escape(MANDELBROT_LEFT + (float)x * dx, MANDELBROT_BOTTOM + (float)y * dy);
    if (differ * 200 <= seen)
        return true;
    snprintf(why, MAX_TEXT, "%llu of %llu pixels differ", (unsigned long long)differ,
             (unsigned long long)seen);
    return false;
}

/* An element of a matrix, of f32 or f16. */
static double number(fcl_scalar t, const void *xs, uint64_t k)
{
    return t == FCL_F16 ? number_of_half(((const uint16_t *)xs)[k])
                        : (double)((const float *)xs)[k];
}

static double input(const instance *i, unsigned k, uint64_t at)
{
    return number(i->what->in[k].type, i->in[k], at);
}

static double result(const instance *i, const void *got, uint64_t at)
{
    return number(i->what->out[0], got, at);
}

/* How far rounding to the result's type may take a sum of f32, as a part of it. */
static double rounding(const instance *i)
{
    return i->what->out[0] == FCL_F16 ? 0x1p-11 : 0;
}

/* Elements spread over the matrix, each to 1e-5 of its absolute products, and rounded. */
static bool check_samples(const instance *i, const void *got, char why[MAX_TEXT])
{
    uint64_t d = i->e.rows;
    for (uint64_t s = 0; s < 2048; s++) {
        uint64_t at = s * 2654435761u % (d * d), r = at / d, c = at % d;
        double sum = 0, sizes = 0;
        for (uint64_t k = 0; k < d; k++) {
            double x = input(i, 0, r * d + k) * input(i, 1, k * d + c);
            sum += x;
            sizes += fabs(x);
        }
        double most = 1e-5 * sizes + rounding(i) * fabs(sum), found = result(i, got, at);
        if (!(fabs(found - sum) <= most))
            return wrong(why, at, sum, found);
    }
    return true;
}

bool check_products(const instance *i, void *const *out, char why[MAX_TEXT])
{
    const float *a = i->in[0], *b = i->in[1], *got = out[0];
    for (uint64_t at = 0; at < i->e.n; at++) {
        uint64_t first = at / i->e.cols * i->e.cols, r = at % i->e.cols / SMALL_SIDE, c = at % SMALL_SIDE;
        double sum = 0, sizes = 0;
        for (uint64_t k = 0; k < SMALL_SIDE; k++) {
            double x = (double)a[first + r * SMALL_SIDE + k] * b[first + k * SMALL_SIDE + c];
            sum += x;
            sizes += fabs(x);
        }
        if (!near_sum(why, at, sum, sizes, got[at]))
            return false;
    }
    return true;
}

/* The sums of all rows, from the sums of b's rows, to 1e-6 of the absolute products, and what
 * rounding adds. */
static bool check_sums(const instance *i, const void *got, char why[MAX_TEXT])
{
    uint64_t d = i->e.rows;
    double *sums = xalloc(d * sizeof *sums), *sizes = xalloc(d * sizeof *sizes);
    for (uint64_t k = 0; k < d * d; k++) {
        double x = input(i, 1, k);
        sums[k / d] += x;
        sizes[k / d] += fabs(x);
    }
    bool ok = true;
    for (uint64_t r = 0; ok && r < d; r++) {
        double want = 0, size = 0, sum = 0, rounded = 0;
        for (uint64_t k = 0; k < d; k++) {
            double x = input(i, 0, r * d + k), y = result(i, got, r * d + k);
            want += x * sums[k];
            size += fabs(x) * sizes[k];
            sum += y;
            rounded += rounding(i) * fabs(y);
        }
        ok = fabs(sum - want) <= 1e-6 * size + rounded || wrong(why, r * d, want, sum);
    }
    free(sums);
    free(sizes);
    return ok;
}

bool check_sgemm(const instance *i, void *const *out, char why[MAX_TEXT])
{
    return check_samples(i, out[0], why) && check_sums(i, out[0], why);
}
