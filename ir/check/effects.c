/* Sets of effects: see check/effects.h.  A set is a run of effects sorted by group: one group for
 * each level base and for each atom.
 *
 * A set is a join semilattice element: union takes, group by group, the greater level.  Sets are
 * immutable and not hash-consed; the tests for inclusion keep equal ones from being made again
 * and again, and make most unions free. */
#include "ir/check/effects.h"

#include <string.h>

bool check_effects_init(mem *mm, effect_table *t)
{
    *t = (effect_table){0};
    return vec_push(mm, &t->sets, ((effect_span){0}));
}

void check_effects_free(mem *mm, effect_table *t)
{
    vec_free(mm, &t->effects);
    vec_free(mm, &t->sets);
    vec_free(mm, &t->sums);
}

uint32_t check_effect_count(const effect_table *t, effect_set s)
{
    return t->sets.at[s].n;
}

effect check_effect_at(const effect_table *t, effect_set s, uint32_t i)
{
    return t->effects.at[t->sets.at[s].start + i];
}

/* Levels with the same base are one group, of which the highest counts. */
static uint32_t group(uint32_t key)
{
    return key & ATOM ? key : key - level_offset(key);
}

/* Makes a set of what was appended since `start`; 0 and nothing appended when memory is short. */
static effect_set close_set(mem *mm, effect_table *t, uint32_t start)
{
    effect_span s = {start, t->effects.len - start};
    if (vec_push(mm, &t->sets, s))
        return t->sets.len - 1;
    t->effects.len = start;
    return 0;
}

effect_set check_effect_one(mem *mm, effect_table *t, uint32_t key, ir_op origin)
{
    effect e = {key, origin};
    uint32_t start = t->effects.len;
    return vec_push(mm, &t->effects, e) ? close_set(mm, t, start) : 0;
}

/* Where in a set the group of key is, or would be. */
static uint32_t find_group(const effect_table *t, effect_set s, uint32_t key)
{
    uint32_t lo = 0, hi = check_effect_count(t, s);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (group(check_effect_at(t, s, mid).key) < group(key))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Whether b adds nothing to a. */
static bool includes(const effect_table *t, effect_set a, effect_set b)
{
    uint32_t na = check_effect_count(t, a), nb = check_effect_count(t, b);
    if (nb > na)
        return false;
    for (uint32_t j = 0; j < nb; j++) {
        uint32_t key = check_effect_at(t, b, j).key, i = find_group(t, a, key);
        if (i == na || group(check_effect_at(t, a, i).key) != group(key) ||
            check_effect_at(t, a, i).key < key)
            return false;
    }
    return true;
}

/* A merge of two sorted runs, linear in both.  Of equal groups the greater key stays, with its
 * origin. */
static effect_set merge(mem *mm, effect_table *t, effect_set a, effect_set b)
{
    uint32_t na = check_effect_count(t, a), nb = check_effect_count(t, b), i = 0, j = 0,
             start = t->effects.len;
    if (!vec_reserve(mm, &t->effects, (uint64_t)na + nb))
        return a;
    while (i < na || j < nb) {
        effect x = i < na ? check_effect_at(t, a, i) : (effect){0},
               y = j < nb ? check_effect_at(t, b, j) : (effect){0};
        bool use_x = j == nb || (i < na && group(x.key) <= group(y.key)),
             use_y = i == na || (j < nb && group(y.key) <= group(x.key));
        t->effects.at[t->effects.len++] = use_x && (!use_y || x.key >= y.key) ? x : y;
        i += use_x;
        j += use_y;
    }
    return close_set(mm, t, start);
}

/* Gives back one of both where it says all, so that loops over many equal sets add nothing. */
effect_set check_effect_union(mem *mm, effect_table *t, effect_set a, effect_set b)
{
    if (a == b || b == 0 || includes(t, a, b))
        return a;
    return a == 0 || includes(t, b, a) ? b : merge(mm, t, a, b);
}

uint32_t check_sum_begin(const effect_table *t)
{
    return t->sums.len;
}

/* The stack of a sum has sets of falling size, each at least twice the next, so that each effect is
 * merged log n times. */
void check_sum_add(mem *mm, effect_table *t, uint32_t sum, effect_set s)
{
    if (s == 0)
        return;
    for (uint32_t i = sum; i < t->sums.len; i++)
        if (t->sums.at[i] == s || includes(t, t->sums.at[i], s))
            return;
    if (!vec_push(mm, &t->sums, s))
        return;
    while (t->sums.len - sum > 1) {
        effect_set *top = &t->sums.at[t->sums.len - 2];
        if (check_effect_count(t, top[0]) >= 2 * check_effect_count(t, top[1]))
            return;
        top[0] = check_effect_union(mm, t, top[0], top[1]);
        t->sums.len--;
    }
}

effect_set check_sum_end(mem *mm, effect_table *t, uint32_t sum)
{
    effect_set s = 0;
    while (t->sums.len > sum)
        s = check_effect_union(mm, t, t->sums.at[--t->sums.len], s);
    return s;
}

/* "Certainly": l <= block is not known of a variable l, and refused.  Two different variables
 * cannot be compared. */
bool check_level_at_most(ir_level a, ir_level b)
{
    if (level_base(a) == LV_CONST)
        return level_offset(a) <= level_offset(b);
    if (level_base(b) == LV_CONST) /* every instance of a level variable lies in the hierarchy */
        return level_offset(b) == LEVEL_TOP;
    return level_index(a) == level_index(b) && level_offset(a) <= level_offset(b);
}

/* What is kept is copied behind the rest, then moved down over it: a function's sets go when its
 * summary is made, so that memory is that of the largest function. */
void check_effects_drop(mem *mm, effect_table *t, uint32_t sets, uint32_t effects,
                        effect_set *const *keep, uint32_t n)
{
    uint32_t from = t->effects.len;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < check_effect_count(t, *keep[i]); j++)
            if (!vec_push(mm, &t->effects, check_effect_at(t, *keep[i], j)))
                return;
    uint32_t lengths[KEEP_MAX];
    for (uint32_t i = 0; i < n; i++)
        lengths[i] = check_effect_count(t, *keep[i]);
    if (t->effects.len > from)
        memmove(t->effects.at + effects, t->effects.at + from,
                (t->effects.len - from) * sizeof *t->effects.at);
    t->sets.len = sets;
    t->effects.len = effects;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t start = t->effects.len;
        t->effects.len += lengths[i];
        *keep[i] = lengths[i] ? close_set(mm, t, start) : 0;
    }
}
