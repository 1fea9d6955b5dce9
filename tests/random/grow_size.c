/* Ints that serve as extents of arrays and as positions in them, and the elements at positions. */
#include "tests/random/grow.h"

#include <string.h>

/* ---- extents ---- */

static bool is_size(const gen *g, const value *v, const void *of)
{
    const extent *e = of; /* at least lo, at most hi */
    (void)g;
    return v->is_size && v->size.lo >= e->lo && v->size.hi <= e->hi;
}

static extent constant_size(gen *g, int64_t most, bool positive)
{
    static const int usual[] = {0,  1,  2,  3,  4,  5,  7,  8,   13,  16, 17,
                                31, 32, 33, 37, 48, 64, 65, 100, 128, 257};
    int64_t n = 0;
    for (int i = 0; i < 8 && (i == 0 || n > most || (positive && n == 0)); i++)
        n = usual[some(g, most < 9 ? 9 : 21)];
    if (n > most || (positive && n == 0))
        n = most > 0 ? 1 + some(g, (uint32_t)(most > 8 ? 8 : most)) : positive;
    return (extent){termf("%d", (int)n), n, n};
}

/* Any int, moved into a range. */
static extent clamped_size(gen *g, int64_t most, bool positive)
{
    term x = some_scalar_value(g, ST_I32);
    if (x.s[0] != '%')
        return constant_size(g, most, positive);
    int64_t top = 1 + some(g, (uint32_t)(most < 1 ? 1 : most > 40 ? 40 : most));
    if (chance(g, 30)) {
        extent e = int_op(g, "mod", x, termf("%d", (int)top), 0, top - 1);
        return positive ? int_op(g, "max", e.t, termf("1"), 1, top > 1 ? top - 1 : 1) : e;
    }
    extent low = int_op(g, "max", x, termf("%d", positive), positive, INT32_MAX);
    return int_op(g, "min", low.t, termf("%d", (int)top), positive, top);
}

static bool is_array(const gen *g, const value *v, const void *of)
{
    (void)of;
    return shape_of(g, v->type).form == FORM_PULL || shape_of(g, v->type).form == FORM_PUSH;
}

extent axis(gen *g, const value *array, uint32_t k)
{
    extent e = array->ext[k];
    shape s = shape_of(g, array->type);
    e.hi = e.hi < e.lo ? e.lo : e.hi; /* of code that is never run */
    if (e.t.s[0] && chance(g, 85))
        return e;
    value v;
    memset(&v, 0, sizeof v);
    v.type = type_of(g, ST_I32);
    v.id = s.rank == 1 && chance(g, 70) ? say(g, "length %%%u", array->id)
                                        : say(g, "dim %%%u, %u", array->id, k);
    v.is_size = true;
    v.size = (extent){term_of(v.id), e.lo, e.hi};
    return keep(g, v)->size;
}

static extent half_size(gen *g, extent e, bool positive)
{
    if (e.lo == e.hi || e.hi < 2)
        return e;
    int by = 2 + (int)some(g, 3);
    extent h = chance(g, 50) ? int_op(g, "div", e.t, termf("%d", by), e.lo / by, e.hi / by)
                             : int_op(g, "shr", e.t, termf("1"), e.lo / 2, e.hi / 2);
    return positive && h.lo == 0 ? int_op(g, "max", h.t, termf("1"), 1, h.hi > 1 ? h.hi : 1) : h;
}

/* The extent of an array at hand; without a name when there is none in the range. */
static extent size_of_array(gen *g, const extent *range)
{
    const value *a = visible(g, is_array, NULL);
    if (!a)
        return (extent){0};
    value copy = *a;
    extent e = axis(g, &copy, some(g, shape_of(g, copy.type).rank));
    return e.lo >= range->lo && e.hi <= range->hi ? e : (extent){0};
}

/* The size of a block or a warp, of which nothing but its limits is known; or no extent. */
static extent size_of_target(gen *g, int64_t most)
{
    bool warp = chance(g, 50);
    extent e = {.lo = 1, .hi = warp ? 32 : 256};
    if (e.hi > most)
        return (extent){0};
    value v;
    memset(&v, 0, sizeof v);
    v.type = type_of(g, ST_I32);
    v.id = say(g, warp ? "warpsize" : "blocksize");
    v.is_size = true;
    e.t = term_of(v.id);
    v.size = e;
    return keep(g, v)->size;
}

extent some_size(gen *g, int64_t most, bool positive)
{
    const extent range = {.lo = positive, .hi = most};
    const value *v = visible(g, is_size, &range);
    uint32_t pick = some(g, 100);
    extent e = {0};
    if (v && pick < 50)
        return v->size;
    if (v && pick < 62)
        return half_size(g, v->size, positive);
    if (pick < 68 && g->depth < 8 && g->ops > 0)
        return clamped_size(g, most, positive);
    if (pick < 75)
        e = size_of_array(g, &range);
    if (!e.t.s[0] && pick < 77)
        e = size_of_target(g, most);
    return e.t.s[0] ? e : constant_size(g, most, positive);
}

term some_int(gen *g)
{
    const value *a = visible(g, is_array, NULL);
    if (a && chance(g, 50)) {
        value copy = *a;
        return axis(g, &copy, some(g, shape_of(g, copy.type).rank)).t;
    }
    return keep_as(g, type_of(g, ST_I32), say(g, chance(g, 50) ? "blocksize" : "warpsize"));
}

/* ---- positions ---- */

static bool is_below(const gen *g, const value *v, const void *of)
{
    (void)g;
    return same_term(v->below, *(const term *)of);
}

/* A position on an axis; false when it is one only where the axis is not empty. */
static bool position(gen *g, extent e, term *out)
{
    const value *i = visible(g, is_below, &e.t);
    if (i && chance(g, 65)) {
        term at = term_of(i->id);
        if (chance(g, 20)) {
            extent last = int_op(g, "sub", e.t, termf("1"), e.lo - 1, e.hi - 1);
            at = int_op(g, "sub", last.t, at, 0, e.hi - 1).t;
        }
        *out = at;
        return true;
    }
    if (e.lo > 0 && chance(g, 25)) {
        *out = termf("%u", some(g, (uint32_t)e.lo));
        return true;
    }
    if (e.lo > 0 && chance(g, 15)) {
        *out = int_op(g, "sub", e.t, termf("1"), e.lo - 1, e.hi - 1).t;
        return true;
    }
    term x = some_scalar_value(g, ST_I32);
    if (e.lo > 0)
        *out = int_op(g, "mod", x, e.t, 0, e.hi - 1).t;
    else
        *out = term_of(say(g, "mod %s, %s", x.s, e.t.s)); /* x where there is nothing */
    return e.lo > 0;
}

static uint32_t say_index(gen *g, const value *array, const term *at)
{
    uint32_t r = shape_of(g, array->type).rank;
    spend(g, array->cost, array->code);
    return r == 1   ? say(g, "index %%%u, %s", array->id, at[0].s)
           : r == 2 ? say(g, "index %%%u, %s, %s", array->id, at[0].s, at[1].s)
                    : say(g, "index %%%u, %s, %s, %s", array->id, at[0].s, at[1].s, at[2].s);
}

/* Whether all of the axes have elements. */
static term all_of(gen *g, const extent *e, uint32_t rank)
{
    term all = {""};
    for (uint32_t k = 0; k < rank; k++) {
        if (e[k].lo > 0)
            continue;
        term one = term_of(say(g, "gt %s, 0", e[k].t.s));
        all = all.s[0] ? term_of(say(g, "and %s, %s", all.s, one.s)) : one;
    }
    return all;
}

term element(gen *g, const value *array, const term *given)
{
    shape s = shape_of(g, array->type);
    term at[RANK_MOST];
    extent e[RANK_MOST];
    bool safe = true;
    for (uint32_t k = 0; k < s.rank; k++) {
        if (!given)
            e[k] = axis(g, array, k);
        if (given)
            at[k] = given[k];
        else
            safe = position(g, e[k], &at[k]) && safe;
    }
    if (safe)
        return keep_as(g, s.elem, say_index(g, array, at));
    term c = all_of(g, e, s.rank);
    uint32_t id = say_open(g, "", "if %s", c.s);
    say_yield(g, term_of(say_index(g, array, at)));
    say_next(g, "");
    say_yield(g, zero(g, s.elem));
    say_close(g);
    return keep_as(g, s.elem, id);
}
