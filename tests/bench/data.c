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

void fill_array(fill_kind f, void *to, uint64_t n, uint64_t seed)
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
        case FILL_PRICE: floats[i] = between(random, 5, 30); break;
        case FILL_STRIKE: floats[i] = between(random, 1, 100); break;
        case FILL_YEARS: floats[i] = between(random, 0.25f, 10); break;
        }
    }
}
