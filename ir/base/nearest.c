/* The search for near names: see nearest.h. */
#include "ir/base/nearest.h"

enum { NEAR_MAX = 40 }; /* longer names are not compared */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and exchanges of neighbours that turn a into b: the optimal
 * string alignment (restricted Damerau-Levenshtein) distance, by rows, of which three are kept.
 * Time na * nb, at most NEAR_MAX squared. */
static uint32_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    uint32_t
        row[3][NEAR_MAX + 1]; /* by i mod 3: from the first i characters of a to the first j of b */
    for (uint32_t j = 0; j <= nb; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        uint32_t *now = row[i % 3];
        const uint32_t *up = row[(i + 2) % 3], *upper = row[(i + 1) % 3];
        now[0] = (uint32_t)i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = least(up[j - 1] + (a[i - 1] != b[j - 1]), least(up[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], upper[j - 2] + 1);
        }
    }
    return row[na % 3][nb];
}

/* How many mistakes a name of that length may have. */
static uint32_t mistakes(size_t len)
{
    return (uint32_t)(len < 6 ? 1 : len / 3);
}

void nearest_init(nearest *x, const char *wanted, size_t len)
{
    *x = (nearest){.wanted = wanted, .len = len};
}

/* Behind those that are no further away. */
static void keep(nearest *x, const char *name, uint32_t d)
{
    uint32_t i = x->n < NEAREST_NAMES ? x->n++ : NEAREST_NAMES - 1;
    for (; i > 0 && x->distance[i - 1] > d; i--) {
        x->best[i] = x->best[i - 1];
        x->distance[i] = x->distance[i - 1];
    }
    x->best[i] = name;
    x->distance[i] = d;
}

/* The first of several equally near ones come first, and nothing is near that shares no
 * character. */
void nearest_offer(nearest *x, const char *candidate, size_t len)
{
    size_t most = mistakes(x->len);
    if (x->len == 0 || x->len > NEAR_MAX || len > NEAR_MAX || len + most < x->len ||
        x->len + most < len)
        return;
    uint32_t d = edit_distance(x->wanted, x->len, candidate, len);
    if (d > most || d >= x->len || d >= len)
        return;
    if (x->n < NEAREST_NAMES || d < x->distance[NEAREST_NAMES - 1])
        keep(x, candidate, d);
}

void nearest_hint(fcl_context *cx, const nearest *x)
{
    if (x->n == 1)
        diag_hint(cx, "is it %s?", x->best[0]);
    if (x->n == 2)
        diag_hint(cx, "is it %s or %s?", x->best[0], x->best[1]);
    if (x->n == 3)
        diag_hint(cx, "is it %s, %s or %s?", x->best[0], x->best[1], x->best[2]);
}
