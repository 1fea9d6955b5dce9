/* Elements that go to positions: scatter, scatterlast, scatterany, permute, fetch, filters. */
#include "tests/random/grow.h"

#include <stdio.h>

typedef enum { ALL_ONCE, SOME_ONCE, LAST, ANY, FOUND, MANNERS } manner;

/* An array of rank 1 of whose elements the cost is said afterwards, or counts nothing. */
static value free_array(uint32_t id, type_id t, const extent *want)
{
    value v = {.type = t, .id = id};
    v.ext[0] = *want;
    return v;
}

/* n - 1 - i, or i + k modulo n: each of 0 ... n - 1 once. */
static extent once(gen *g, uint32_t i, const extent *n)
{
    if (chance(g, 50)) {
        extent last = int_op(g, "sub", n->t, termf("1"), n->lo - 1, n->hi - 1);
        return int_op(g, "sub", last.t, term_of(i), 0, n->hi - 1);
    }
    extent k = int_op(g, "add", term_of(i), termf("%u", some(g, 5)), 0, n->hi + 4);
    return int_op(g, "mod", k.t, n->t, 0, n->hi - 1);
}

/* (position, value) for m elements, to be written by a level.  given: the value of all of them. */
static value placed(gen *g, type_id elem, const extent *want, const extent *m, manner how,
                    uint32_t level, const term *given)
{
    uint32_t i = g->next_id + 2;
    double cost, code;
    term head = termf("(%%%u: int)", i);
    uint32_t id = say_open(g, head.s, "generate %s", m->t.s);
    g->next_id++;
    scope s = enter(g, (double)m->hi);
    g->level = 0;
    value at = {.type = type_of(g, ST_I32), .id = i, .is_size = true, .below = m->t};
    at.size = (extent){term_of(i), 0, m->hi > 0 ? m->hi - 1 : 0};
    keep(g, at);
    extent to = how == LAST || how == ANY
                    ? int_op(g, "mod", some_scalar_value(g, ST_I32), want->t, 0, want->hi - 1)
                    : once(g, i, want);
    term x = given ? *given : some_value(g, elem);
    say_yield(g, term_of(say(g, "tuple %s, %s", to.t.s, x.s)));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, (double)m->hi * cost * 2, code * 2);
    return (value){.id = say_push(g, id, level)};
}

/* Of what fetch gives: the array as it is then; or what was found, which is all that it was when no
 * position is met twice. */
static uint32_t component(gen *g, uint32_t id, const extent *want, const extent *m)
{
    bool found = same_term(want->t, m->t) && chance(g, 50);
    return say(g, "proj %%%u, %u", id, found ? 1 : 0);
}

value scattered(gen *g, type_id elem, const extent *want)
{
    static const char *const names[] = {"permute", "scatter", "scatterlast", "scatterany", "fetch"};
    manner how = (manner)some(g, MANNERS);
    extent n = some_size(g, 70, false), m = *want;
    shape s = shape_of(g, elem);
    bool atomic = s.form == FORM_SCALAR && (s.scalar == ST_I32 || s.scalar == ST_U32);
    if (how == SOME_ONCE)
        m = int_op(g, "min", n.t, want->t, n.lo < want->lo ? n.lo : want->lo, want->hi);
    else if (how == LAST || how == ANY)
        m = n;
    uint32_t level = how == FOUND && !atomic ? 0 : some_level(g, g->level);
    value init = {0};
    if (how != ALL_ONCE)
        init = some_pull(g, elem, 1, want);
    term given = how == ANY ? some_value(g, elem) : (term){""};
    value p = placed(g, elem, want, &m, how, level, how == ANY ? &given : NULL);
    uint32_t x = g->next_id + 2, id;
    term head = termf("(%%%u)", x);
    spend(g, init.cost * (double)want->hi, init.code);
    if (how == ALL_ONCE)
        id = say_open(g, head.s, "permute %s, %%%u", want->t.s, p.id);
    else
        id = say_open(g, head.s, "%s %%%u, %%%u", names[how], init.id, p.id);
    g->next_id++;
    say_yield(g, term_of(x));
    if (how == FOUND) {
        x = g->next_id + 1;
        head = termf("(%%%u, %%%u)", x, x + 1);
        say_next(g, head.s);
        g->next_id += 2;
        say_yield(g, term_of(x + 1));
    }
    say_close(g);
    if (how == FOUND)
        id = component(g, id, want, &m);
    return *keep(g, free_array(id, pull_of(g, elem, 1), want));
}

/* ---- filters ---- */

value filtered(gen *g, type_id elem, extent *most)
{
    if (g->unscheduled)
        return kept_elements(g, elem, most);
    static const char *const words[] = {"Thread", "Warp", "Block", "Grid"};
    uint32_t level = some_level(g, g->level);
    bool grid = level == 3, both = chance(g, 30);
    double n = (double)most->hi;
    value a = some_pull(g, elem, 1, most), keep_it;
    new_function(g, &elem, 1, type_of(g, ST_BOOL), &keep_it);
    term f = term_of(keep_it.id);
    char items[8] = "";
    if (g->named_level)
        return a;
    if (grid)
        snprintf(items, sizeof items, "%u, ", 1 + some(g, 5));
    spend(g, (a.cost + keep_it.cost + 20) * n * 2, a.code + keep_it.code * 2 + (grid ? 120 : 60));
    uint32_t id = say(g, "call @%s%s(%s%s, %%%u)", both ? "partition" : "compact", words[level],
                      items, f.s, a.id);
    if (both)
        id = say(g, "proj %%%u, %u", id, some(g, 2));
    value v = free_array(id, pull_of(g, elem, 1), most);
    v.ext[0] = (extent){.lo = 0, .hi = most->hi};
    v.cost = v.code = 1;
    return *keep(g, v);
}
