/* Input data: each element is a hash of the seed and its number, so any of them can be made again.
 */
#include "tests/bench/problem.h"

/* splitmix64 */
static uint64_t hash(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static float between(uint64_t random, float lo, float hi)
{
    return lo + (hi - lo) * ((float)(random >> 40) * 0x1p-24f);
}

/* The bits of an f16: a sign, an exponent from -4 to -1, and a mantissa. */
static uint16_t half_of(uint64_t random)
{
    return (uint16_t)(random >> 63 << 15 | (11 + (random >> 32 & 3)) << 10 | (random & 0x3ff));
}

static void fill_array(fill_kind f, void *to, uint64_t n, uint64_t seed)
{
    uint64_t first = hash(seed);
    uint32_t *words = to;
    float *floats = to;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t random = hash(first + i);
        switch (f) {
        case FILL_INT: words[i] = (uint32_t)random; break;
        case FILL_BYTE: ((uint8_t *)to)[i] = (uint8_t)random; break;
        case FILL_SIGNED: floats[i] = between(random, -1, 1); break;
        case FILL_HALF: ((uint16_t *)to)[i] = half_of(random); break;
        case FILL_PRICE: floats[i] = between(random, 5, 30); break;
        case FILL_STRIKE: floats[i] = between(random, 1, 100); break;
        case FILL_YEARS: floats[i] = between(random, 0.25f, 10); break;
        case FILL_CLUSTER: words[i] = (uint32_t)(random % CLUSTERS); break;
        case FILL_SIZES:
        case FILL_PERMUTATION:
        case FILL_EVEN:
        case FILL_SKEWED:
        case FILL_SINGLE:
        case FILL_HUGE:
        case FILL_BANDED:
        case FILL_SCATTERED: break; /* not one by one */
        }
    }
}

/* Steps that can be undone, on numbers of so many bits, until one is below n. */
static void fill_permutation(uint32_t *to, uint64_t n, uint64_t seed)
{
    unsigned bits = 1;
    while ((uint64_t)1 << bits < n)
        bits++;
    uint64_t mask = ((uint64_t)1 << bits) - 1, a = hash(seed) | 1, b = hash(seed + 1) | 1;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = i;
        do {
            x = (x * a + b) & mask;
            x ^= x >> (bits / 2 + 1);
            x = x * b & mask;
            x ^= x >> (bits / 2 + 1);
            x = x * a & mask;
        } while (x >= n);
        to[i] = (uint32_t)x;
    }
}

/* Segment i ends where x^p of n elements do, a little off. */
static void fill_offsets(uint32_t *to, uint64_t segments, uint64_t n, int p, uint64_t seed)
{
    uint64_t first = hash(seed);
    to[0] = 0;
    for (uint64_t i = 1; i <= segments; i++) {
        double x = ((double)i - (double)between(hash(first + i), 0, 1)) / (double)segments, y = x;
        for (int k = 1; k < p; k++)
            y *= x;
        to[i] = i == segments ? (uint32_t)n : (uint32_t)(y * (double)n);
    }
}

/* `inside` of n elements are those of the segment in the middle, the others as if it had none. */
static void fill_around(uint32_t *to, uint64_t segments, uint64_t n, uint64_t inside, uint64_t seed)
{
    uint64_t half = segments / 2;
    fill_offsets(to, segments, n - inside, 1, seed);
    for (uint64_t i = half + 1; i <= segments; i++)
        to[i] += (uint32_t)inside;
}

/* Columns of n non-zeros in a square matrix of so many rows: near the diagonal, as if all rows were equally long, or anywhere. */
static void fill_columns(uint32_t *to, uint64_t n, uint64_t rows, bool banded, uint64_t seed)
{
    enum { BAND = 64 };
    uint64_t first = hash(seed);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t random = hash(first + i), base = i * rows / n, near = base + random % BAND;
        to[i] = (uint32_t)(!banded ? random % rows : near < rows ? near : rows - 1);
    }
}

uint64_t input_count(const problem *p, unsigned k, extents e)
{
    return p->in[k].count ? p->in[k].count(e) : e.n;
}

void fill_input(const problem *p, unsigned k, extents e, void *to, uint64_t seed)
{
    fill_kind f = p->in[k].fill;
    uint64_t n = input_count(p, k, e);
    if (f == FILL_PERMUTATION)
        fill_permutation(to, n, seed + k);
    else if (f == FILL_EVEN || f == FILL_SKEWED)
        fill_offsets(to, n - 1, e.n, f == FILL_EVEN ? 1 : 8, seed + k);
    else if (f == FILL_SINGLE || f == FILL_HUGE)
        fill_around(to, n - 1, e.n, f == FILL_SINGLE ? e.n : e.n / 2, seed + k);
    else if (f == FILL_BANDED || f == FILL_SCATTERED)
        fill_columns(to, n, e.rows, f == FILL_BANDED, seed + k);
    else if (f == FILL_SIZES)
        for (uint64_t i = 0; i < n; i++)
            ((uint32_t *)to)[i] = (uint32_t)(e.rows / n);
    else
        fill_array(f, to, n, seed + k);
}
