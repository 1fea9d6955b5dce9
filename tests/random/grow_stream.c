/* Streams, and reductions whose elements are arrays, of programs that name no levels. */
#include "tests/random/grow_combine.h"

/* Element start + i of a stream of n, in a region of (start, count): that is all of them it sees.
 */
static value chunk(gen *g, type_id elem, uint32_t start, const extent *n, bool to_combine)
{
    value v = {.type = pull_of(g, elem, 1)};
    term head = termf("(%%%u: int)", g->next_id + 2);
    v.id = say_open(g, head.s, "generate %%%u", start + 1);
    uint32_t i = ++g->next_id;
    scope s = enter(g, (double)n->hi);
    value at = named(g, type_of(g, ST_I32));
    g->next_id--;
    at.id = say(g, "add %%%u, %%%u", start, i);
    at.is_size = true;
    at.below = n->t;
    at.size = (extent){term_of(at.id), 0, n->hi > 0 ? n->hi - 1 : 0};
    keep(g, at);
    say_yield(g, chance(g, 50) ? varied_element(g, elem, at.id, 1)
                 : to_combine  ? some_summand(g, elem)
                               : some_value(g, elem));
    leave(g, &s, &v.cost, &v.code);
    say_close(g);
    return v;
}

static uint32_t open_stream(gen *g, const char *operator, const char * operands)
{
    term head = termf("(%%%u: int, %%%u: int)", g->next_id + 2, g->next_id + 3);
    uint32_t id = say_open(g, head.s, "%s %s", operator, operands);
    g->next_id += 2;
    return id;
}

value stream_of_parts(gen *g, type_id elem, const extent *want)
{
    uint32_t id = open_stream(g, "streammap", want->t.s);
    value xs = chunk(g, elem, id + 1, want, false);
    say_yield(g, term_of(xs.id));
    say_close(g);
    spend(g, (xs.cost + 5) * (double)want->hi, xs.code);
    return array_of(id, xs.type, want, 1);
}

uint32_t second_region(gen *g)
{
    uint32_t a = g->next_id + 1;
    term head = termf("(%%%u, %%%u)", a, a + 1);
    say_next(g, head.s);
    g->next_id += 2;
    return a;
}

term streamed(gen *g, type_id t)
{
    extent n = some_size(g, 100, false);
    if (is_long(g, (double)n.hi))
        return zero(g, t);
    monoid m = some_monoid(g, t);
    term operands = neutral(g, &m);
    operands = termf("%.60s, %.60s", operands.s, n.t.s);
    uint32_t id = open_stream(g, "streamred", operands.s);
    value xs = chunk(g, t, id + 1, &n, true);
    say_yield(g, term_of(say_collective(g, "reduce", &m, &xs, (double)n.hi)));
    uint32_t a = second_region(g);
    say_combined(g, &m, a);
    return keep_as(g, t, id);
}

/* generate want { (k) NEUTRAL } */
static uint32_t neutrals(gen *g, const monoid *m, const extent *want)
{
    term head = termf("(%%%u: int)", g->next_id + 2);
    uint32_t id = say_open(g, head.s, "generate %s", want->t.s);
    g->next_id++;
    say_yield(g, neutral(g, m));
    say_close(g);
    return id;
}

/* The region { (a, b) generate want { (k) combined a_k, b_k } }. */
static void say_combined_arrays(gen *g, const monoid *m, const extent *want, uint32_t a)
{
    term head = termf("(%%%u: int)", g->next_id + 2);
    uint32_t id = say_open(g, head.s, "generate %s", want->t.s), k = ++g->next_id;
    term x = term_of(say(g, "index %%%u, %%%u", a, k)),
         y = term_of(say(g, "index %%%u, %%%u", a + 1, k));
    say_yield(g, combined(g, m, x, y));
    say_close(g);
    say_yield(g, term_of(id));
    say_close(g);
}

value streamed_array(gen *g, type_id elem, const extent *want)
{
    extent n = some_size(g, 20, false);
    monoid m = some_monoid(g, elem);
    double all = (double)n.hi * (double)want->hi;
    if (is_long(g, all * 2))
        return generate_elements(g, elem, 1, want);
    uint32_t z = neutrals(g, &m, want);
    term operands = termf("%%%u, %s", z, n.t.s);
    uint32_t id = open_stream(g, "streamred", operands.s);
    term head = termf("(%%%u: int)", g->next_id + 2);
    uint32_t part = say_open(g, head.s, "generate %s", want->t.s);
    g->next_id++;
    scope s = enter(g, (double)want->hi);
    double cost, code;
    value k = {.type = type_of(g, ST_I32), .id = g->next_id, .below = want->t};
    keep(g, k);
    value xs = chunk(g, elem, id + 1, &n, true);
    say_yield(g, term_of(say_collective(g, "reduce", &m, &xs, (double)n.hi)));
    leave(g, &s, &cost, &code);
    say_close(g);
    say_yield(g, term_of(part));
    uint32_t a = second_region(g);
    say_combined_arrays(g, &m, want, a);
    spend(g, cost * (double)want->hi + 12 * all, code + 60);
    return array_of(id, pull_of(g, elem, 1), want, 1);
}

value reduced_arrays(gen *g, type_id elem, const extent *want)
{
    extent all[2] = {some_size(g, 12, false), *want};
    double n = count_most(all, 2);
    if (is_long(g, n * 2))
        return generate_elements(g, elem, 1, want);
    monoid m = some_monoid(g, elem);
    value xs = summands(g, elem, 2, all);
    uint32_t z = neutrals(g, &m, want);
    term head = termf("(%%%u: int)", g->next_id + 2);
    uint32_t rows = say_open(g, head.s, "generate %s", all[0].t.s), i = ++g->next_id;
    head = termf("(%%%u: int)", g->next_id + 2);
    uint32_t row = say_open(g, head.s, "generate %s", want->t.s), k = ++g->next_id;
    say_yield(g, term_of(say(g, "index %%%u, %%%u, %%%u", xs.id, i, k)));
    say_close(g);
    say_yield(g, term_of(row));
    say_close(g);
    uint32_t a = g->next_id + 2;
    head = termf("(%%%u, %%%u)", a, a + 1);
    uint32_t id = say_open(g, head.s, "reduce %%%u, %%%u", z, rows);
    g->next_id += 2;
    say_combined_arrays(g, &m, want, a);
    spend(g, (xs.cost + 12) * n, xs.code + 60);
    return array_of(id, pull_of(g, elem, 1), want, 1);
}
