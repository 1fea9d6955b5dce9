/* Collectives, of programs that name no levels. */
#include "tests/random/grow_combine.h"

#include <stdlib.h>
#include <string.h>

/* ---- reductions, scans ---- */

bool is_long(const gen *g, double n)
{
    return !afford(g, n * 12, 60);
}

uint32_t say_collective(gen *g, const char *name, const monoid *m, const value *xs, double n)
{
    term z = neutral(g, m), head = termf("(%%%u, %%%u)", g->next_id + 2, g->next_id + 3);
    uint32_t id = say_open(g, head.s, "%s %s, %%%u", name, z.s, xs->id);
    g->next_id += 2;
    say_combined(g, m, id + 1);
    spend(g, (xs->cost + 8) * n, xs->code + 20);
    return id;
}

term reduced(gen *g, type_id t)
{
    extent n = some_size(g, 100, false);
    if (is_long(g, (double)n.hi))
        return zero(g, t);
    monoid m = some_monoid(g, t);
    value xs = summands(g, t, 1, &n);
    return keep_as(g, t, say_collective(g, "reduce", &m, &xs, (double)n.hi));
}

static value reduced_rows(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    extent all[RANK_MOST];
    memcpy(all, want, rank * sizeof *want);
    all[rank] = some_size(g, rank == 1 ? 40 : 9, false);
    double n = count_most(all, rank + 1);
    if (is_long(g, n))
        return generate_elements(g, elem, rank, want);
    monoid m = some_monoid(g, elem);
    value xs = summands(g, elem, rank + 1, all);
    return array_of(say_collective(g, "reduce", &m, &xs, n), pull_of(g, elem, rank), want, rank);
}

static value scanned(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    monoid m = some_monoid(g, elem);
    value xs = summands(g, elem, rank, want);
    uint32_t id =
        say_collective(g, chance(g, 50) ? "scan" : "scanex", &m, &xs, count_most(want, rank));
    return array_of(id, xs.type, want, rank);
}

/* ---- sort, filter ---- */

static value operand(gen *g, type_id elem, const extent *want)
{
    return chance(g, 50) ? generate_by(g, elem, 1, want, varied_element)
                         : some_pull(g, elem, 1, want);
}

/* A key that tells elements apart, or any; never a NaN, whose bits differ between machines. */
static term some_key(gen *g, type_id elem, uint32_t x)
{
    shape s = shape_of(g, elem);
    uint32_t k = some(g, s.n);
    shape part = s.form == FORM_TUPLE ? shape_of(g, s.items[k]) : s;
    if (part.form != FORM_SCALAR || ir_scalar_is_float(part.scalar) || chance(g, 30))
        return some_summand(g, type_of(g, some_scalar(g)));
    return s.form == FORM_TUPLE ? item(g, term_of(x), k) : term_of(x);
}

static value sorted(gen *g, type_id elem, const extent *want)
{
    value xs = operand(g, elem, want);
    double n = (double)want->hi, cost, code;
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, elem).s);
    uint32_t id = say_open(g, head.s, "sort %%%u", xs.id);
    scope s = enter(g, n * 8);
    value x = *keep(g, named(g, elem));
    say_yield(g, some_key(g, elem, x.id));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, (xs.cost + cost + 10) * n * 8, xs.code + code + 100);
    return array_of(id, xs.type, want, 1);
}

value kept_elements(gen *g, type_id elem, extent *most)
{
    value xs = operand(g, elem, most);
    double n = (double)most->hi, cost, code;
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, elem).s);
    value v = array_of(say_open(g, head.s, "filter %%%u", xs.id), xs.type, most, 1);
    scope s = enter(g, n);
    keep(g, named(g, elem));
    say_yield(g, some_condition(g));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, (xs.cost + cost + 10) * n, xs.code + code + 40);
    v.ext[0] = (extent){.lo = 0, .hi = most->hi};
    return *keep(g, v);
}

/* ---- cells ---- */

static term placed_element(gen *g, type_id elem, uint32_t i, uint32_t rank)
{
    (void)i;
    (void)rank;
    return some_summand(g, elem);
}

value accumulated_of(gen *g, type_id elem, const extent *want, const extent *n)
{
    monoid m = some_sum(g, elem);
    value init = generate_by(g, elem, 1, want, chance(g, 50) ? placed_element : varied_element),
          xs = operand(g, elem, n);
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, elem).s);
    uint32_t id = say_open(g, head.s, "accumulate %%%u, %%%u", init.id, xs.id);
    double cost, code;
    scope s = enter(g, (double)n->hi);
    keep(g, named(g, elem));
    extent at = int_op(g, "mod", some_scalar_value(g, ST_I32), want->t, 0, want->hi - 1);
    term x = chance(g, 50) ? some_summand(g, elem)
                           : varied_element(g, elem, (uint32_t)strtoul(at.t.s + 1, NULL, 10), 1);
    say_yield(g, term_of(say(g, "tuple %s, %s", at.t.s, x.s)));
    leave(g, &s, &cost, &code);
    uint32_t a = second_region(g);
    say_combined(g, &m, a);
    spend(g, (cost + xs.cost + 30) * (double)n->hi + init.cost * (double)want->hi,
          code + xs.code + init.code + 100);
    return *keep(g, array_of(id, init.type, want, 1));
}

/* ---- everything ---- */

value collected(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    uint32_t pick = some(g, 100);
    value v;
    if (is_long(g, count_most(want, rank) * 2))
        return generate_elements(g, elem, rank, want);
    if (pick < 25 && rank < RANK_MOST)
        v = reduced_rows(g, elem, rank, want);
    else if (pick < 55 || rank > 1)
        v = scanned(g, elem, rank, want);
    else if (pick < 68 && !is_long(g, (double)want->hi * 16))
        v = sorted(g, elem, want);
    else if (pick < 80)
        v = stream_of_parts(g, elem, want);
    else
        v = pick < 90 ? streamed_array(g, elem, want) : reduced_arrays(g, elem, want);
    return *keep(g, v);
}
