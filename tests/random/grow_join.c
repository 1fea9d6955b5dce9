/* Arrays that are joined of parts: concat, interleave and interleaveseq. */
#include "tests/random/grow.h"

#include <string.h>

/* Chunks of an array of n elements, all of the same length but the last one, or the first. */
typedef struct chunks {
    extent n, size, count;
    bool first; /* the first one is the short one */
} chunks;

static chunks chunks_of(gen *g, const extent *want)
{
    chunks c = {.n = *want, .first = chance(g, 12)};
    int64_t most = want->hi > 1 ? want->hi : 1;
    c.size = some_size(g, most > 40 ? 40 : most, true);
    if (want->hi > 40 * c.size.lo) {
        int64_t size = 8 + some(g, 10);
        c.size = (extent){termf("%d", (int)size), size, size};
    }
    if (c.size.hi == 1) {
        c.count = *want;
        return c;
    }
    extent up = int_op(g, "add", want->t,
                       int_op(g, "sub", c.size.t, termf("1"), c.size.lo - 1, c.size.hi - 1).t,
                       want->lo + c.size.lo - 1, want->hi + c.size.hi - 1);
    int64_t lo = (want->lo + c.size.hi - 1) / c.size.hi,
            hi = (want->hi + c.size.lo - 1) / c.size.lo;
    c.count = int_op(g, "div", up.t, c.size.t, lo, hi);
    return c;
}

/* Where chunk i begins, and how long it is. */
static extent chunk(gen *g, const chunks *c, term i, term *start)
{
    int64_t most = c->n.hi > 1 ? c->n.hi - 1 : 0;
    *start = int_op(g, "mul", i, c->size.t, 0, most).t;
    if (c->size.hi == 1)
        return c->size;
    if (c->first) {
        /* what chunk 0 lacks: count * size - n */
        term all = int_op(g, "mul", c->count.t, c->size.t, 0, c->n.hi + c->size.hi).t;
        term lacking = int_op(g, "sub", all, c->n.t, 0, c->size.hi - 1).t;
        term is_first = term_of(say(g, "eq %s, 0", i.s));
        term less = int_op(g, "sub", c->size.t, lacking, 1, c->size.hi).t;
        extent size = {.lo = 1, .hi = c->size.hi};
        value v;
        memset(&v, 0, sizeof v);
        v.type = type_of(g, ST_I32);
        v.id = say(g, "select %s, %s, %s", is_first.s, less.s, c->size.t.s);
        v.is_size = true;
        size.t = term_of(v.id);
        v.size = size;
        return keep(g, v)->size;
    }
    term left = int_op(g, "sub", c->n.t, *start, 1, c->n.hi).t;
    return int_op(g, "min", c->size.t, left, 1, c->size.hi);
}

static value joined(gen *g, uint32_t id, type_id elem, uint32_t rank, uint32_t level,
                    const extent *want, double cost, double code)
{
    value v;
    double n = count_most(want, rank);
    memset(&v, 0, sizeof v);
    v.type = push_to(g, elem, rank, level);
    v.id = id;
    memcpy(v.ext, want, rank * sizeof *want);
    v.cost = cost / (n < 1 ? 1 : n);
    v.code = code;
    return *keep(g, v);
}

static value index_value(gen *g, const extent *below)
{
    value i = named(g, type_of(g, ST_I32));
    i.below = below->t;
    i.is_size = true;
    i.size = (extent){term_of(i.id), 0, below->hi > 0 ? below->hi - 1 : 0};
    return *keep(g, i);
}

/* Parts by generate; each is what a chunk of the indices says. */
static uint32_t generated_chunks(gen *g, const chunks *c, type_id elem, uint32_t level,
                                 double *cost, double *code)
{
    term head = termf("(%%%u: int)", g->next_id + 2), start;
    uint32_t id = say_open(g, head.s, "generate %s", c->count.t.s);
    scope s = enter(g, (double)c->count.hi);
    g->level = level;
    value i = index_value(g, &c->count);
    extent size = chunk(g, c, term_of(i.id), &start);
    value p = some_push(g, elem, 1, level, &size);
    say_yield(g, term_of(p.id));
    leave(g, &s, cost, code);
    say_close(g);
    *cost = (*cost + p.cost * (double)size.hi) * (double)c->count.hi;
    *code += p.code;
    return id;
}

/* Parts by splitUp of an array and a map. */
static uint32_t split_chunks(gen *g, const chunks *c, type_id elem, uint32_t level, double *cost,
                             double *code)
{
    type_id from = chance(g, 60) ? elem : some_base(g);
    value whole = some_pull(g, from, 1, &c->n);
    uint32_t parts = say(g, "call @splitUp(%s, %%%u)", c->size.t.s, whole.id);
    type_id t = pull_of(g, from, 1);
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, t).s);
    uint32_t id = say_open(g, head.s, "map %%%u", parts);
    scope s = enter(g, (double)c->count.hi);
    g->level = level;
    value part = named(g, t);
    part.ext[0] = (extent){.lo = 1, .hi = c->size.hi};
    part.cost = whole.cost + 3;
    part.code = whole.code + 3;
    keep(g, part);
    extent size = axis(g, &part, 0);
    g->env.at[g->env.len - 1].ext[0] = size;
    value p = some_push(g, elem, 1, level, &size);
    say_yield(g, term_of(p.id));
    leave(g, &s, cost, code);
    say_close(g);
    *cost = (*cost + p.cost * (double)size.hi) * (double)c->count.hi;
    *code += p.code;
    return id;
}

value concatenated(gen *g, type_id elem, uint32_t level, const extent *want)
{
    chunks c = chunks_of(g, want);
    double cost, code;
    bool split = chance(g, 30) && !c.first && !(c.size.hi == 1);
    uint32_t parts = split ? split_chunks(g, &c, elem, level - 1, &cost, &code)
                           : generated_chunks(g, &c, elem, level - 1, &cost, &code);
    return joined(g, say(g, "concat %s, %%%u", c.size.t.s, parts), elem, 1, level, want, cost,
                  code);
}

/* What is there of a forced array of unknown length, and zeros behind. */
static value padded(gen *g, const value *a, type_id elem, uint32_t level, const extent *want)
{
    uint32_t n = say(g, "length %%%u", a->id), k = g->next_id + 2;
    term head = termf("(%%%u: int)", k);
    uint32_t id = say_open(g, head.s, "generate %s", want->t.s);
    g->next_id++;
    uint32_t there = say(g, "lt %%%u, %%%u", k, n);
    uint32_t e = say_open(g, "", "if %%%u", there);
    say_yield(g, term_of(say(g, "index %%%u, %%%u", a->id, k)));
    say_next(g, "");
    say_yield(g, zero(g, elem));
    say_close(g);
    say_yield(g, term_of(e));
    say_close(g);
    return joined(g, say(g, "push<%s> %%%u", level_word(g, level), id), elem, 1, level, want,
                  3 * count_most(want, 1), 3);
}

value ragged(gen *g, type_id elem, uint32_t level, const extent *want)
{
    uint32_t size = 1 + some(g, 8);
    extent count = some_size(g, 12, false);
    double cost, code;
    term head = termf("(%%%u: int)", g->next_id + 2);
    uint32_t parts = say_open(g, head.s, "generate %s", count.t.s);
    scope s = enter(g, (double)count.hi);
    g->level = level - 1;
    value i = index_value(g, &count);
    term x = chance(g, 30) ? term_of(i.id) : some_scalar_value(g, ST_I32);
    extent n = int_op(g, "mod", x, termf("%u", size + 1), 0, size);
    value p = some_push(g, elem, 1, level - 1, &n);
    say_yield(g, term_of(p.id));
    leave(g, &s, &cost, &code);
    say_close(g);
    extent most = {.lo = 0, .hi = count.hi * size};
    value whole = joined(g, say(g, "concat %u, %%%u", size, parts), elem, 1, level, &most,
                         cost + p.cost * (double)most.hi, code + p.code);
    value a = forced(g, &whole);
    return padded(g, &a, elem, level, want);
}

/* ---- interleave ---- */

/* n positions, each k-th by one of k parts; the last parts may be shorter. */
static value strided(gen *g, type_id elem, uint32_t level, uint32_t parts_level, const char *op,
                     const extent *want)
{
    uint32_t k = 2 + some(g, 4);
    extent count = {termf("%u", k), k, k};
    term head = termf("(%%%u: int)", g->next_id + 2);
    uint32_t parts = say_open(g, head.s, "generate %u", k);
    scope s = enter(g, k);
    double cost, code;
    g->level = parts_level;
    value i = index_value(g, &count);
    term up = int_op(g, "add", want->t, termf("%u", k - 1), want->lo + k - 1, want->hi + k - 1).t;
    term left = int_op(g, "sub", up, term_of(i.id), want->lo, want->hi + k - 1).t;
    extent size = int_op(g, "div", left, termf("%u", k), want->lo / k, (want->hi + k - 1) / k);
    value p = some_push(g, elem, 1, parts_level, &size);
    say_yield(g, term_of(p.id));
    leave(g, &s, &cost, &code);
    say_close(g);
    cost = (cost + p.cost * (double)size.hi) * k;
    uint32_t at = g->next_id + 2;
    head = termf("(%%%u: int, %%%u: int)", at, at + 1);
    uint32_t id = say_open(g, head.s, "%s %s, %%%u", op, want->t.s, parts);
    g->next_id += 2;
    uint32_t row = say(g, "mul %%%u, %u", at + 1, k);
    say_yield(g, term_of(say(g, "add %%%u, %%%u", row, at)));
    say_close(g);
    return joined(g, id, elem, 1, level, want, cost, code + p.code);
}

/* Chunks, in order or from the end. */
static value blocked(gen *g, type_id elem, uint32_t level, uint32_t parts_level, const char *op,
                     const extent *want)
{
    chunks c = chunks_of(g, want);
    c.first = false;
    double cost, code;
    uint32_t parts = generated_chunks(g, &c, elem, parts_level, &cost, &code), at = g->next_id + 2;
    term head = termf("(%%%u: int, %%%u: int)", at, at + 1);
    uint32_t id = say_open(g, head.s, "%s %s, %%%u", op, want->t.s, parts);
    g->next_id += 2;
    uint32_t start = say(g, "mul %%%u, %s", at, c.size.t.s);
    uint32_t to = say(g, "add %%%u, %%%u", start, at + 1);
    if (chance(g, 40)) {
        uint32_t last = say(g, "sub %s, 1", want->t.s);
        to = say(g, "sub %%%u, %%%u", last, to);
    }
    say_yield(g, term_of(to));
    say_close(g);
    return joined(g, id, elem, 1, level, want, cost, code);
}

/* The axes of the result: some are the indices of the parts, the others those inside them. */
static value by_axes(gen *g, type_id elem, uint32_t rank, uint32_t level, uint32_t parts_level,
                     const char *op, const extent *want)
{
    uint32_t outer[RANK_MOST], inner[RANK_MOST], no = 0, ni = 0, first = some(g, rank);
    for (uint32_t k = 0; k < rank; k++)
        if (k == first || (no + 1 < rank && ni > 0 && chance(g, 30)))
            outer[no++] = k;
        else
            inner[ni++] = k;
    extent inside[RANK_MOST];
    double cost, code, parts_count = 1;
    for (uint32_t k = 0; k < ni; k++)
        inside[k] = want[inner[k]];
    uint32_t i = g->next_id + 2;
    term head = no == 1 ? termf("(%%%u: int)", i) : termf("(%%%u: int, %%%u: int)", i, i + 1);
    uint32_t parts =
        no == 1 ? say_open(g, head.s, "generate %s", want[outer[0]].t.s)
                : say_open(g, head.s, "generate %s, %s", want[outer[0]].t.s, want[outer[1]].t.s);
    for (uint32_t k = 0; k < no; k++)
        parts_count *= (double)want[outer[k]].hi;
    scope s = enter(g, parts_count);
    g->level = parts_level;
    for (uint32_t k = 0; k < no; k++)
        index_value(g, &want[outer[k]]);
    value p = some_push(g, elem, ni, parts_level, inside);
    say_yield(g, term_of(p.id));
    leave(g, &s, &cost, &code);
    say_close(g);
    cost = (cost + p.cost * count_most(inside, ni)) * parts_count;

    term at[RANK_MOST];
    i = g->next_id + 2;
    for (uint32_t k = 0; k < no; k++)
        at[outer[k]] = term_of(i + k);
    for (uint32_t k = 0; k < ni; k++)
        at[inner[k]] = term_of(i + no + k);
    head = rank == 2 ? termf("(%%%u: int, %%%u: int)", i, i + 1)
                     : termf("(%%%u: int, %%%u: int, %%%u: int)", i, i + 1, i + 2);
    uint32_t id = rank == 2
                      ? say_open(g, head.s, "%s %s, %s, %%%u", op, want[0].t.s, want[1].t.s, parts)
                      : say_open(g, head.s, "%s %s, %s, %s, %%%u", op, want[0].t.s, want[1].t.s,
                                 want[2].t.s, parts);
    g->next_id += rank;
    say_yield(g, term_of(rank == 2 ? say(g, "tuple %s, %s", at[0].s, at[1].s)
                                   : say(g, "tuple %s, %s, %s", at[0].s, at[1].s, at[2].s)));
    say_close(g);
    return joined(g, id, elem, rank, level, want, cost, code + p.code);
}

/* Tiles of a matrix, smaller ones at its edges. */
static value tiled(gen *g, type_id elem, uint32_t level, uint32_t parts_level, const char *op,
                   const extent *want)
{
    chunks c[2] = {chunks_of(g, &want[0]), chunks_of(g, &want[1])};
    c[0].first = c[1].first = false;
    double cost, code, count = (double)c[0].count.hi * (double)c[1].count.hi;
    uint32_t i = g->next_id + 2;
    term head = termf("(%%%u: int, %%%u: int)", i, i + 1), start;
    uint32_t parts = say_open(g, head.s, "generate %s, %s", c[0].count.t.s, c[1].count.t.s);
    scope s = enter(g, count);
    g->level = parts_level;
    value row = index_value(g, &c[0].count), column = index_value(g, &c[1].count);
    extent size[2];
    size[0] = chunk(g, &c[0], term_of(row.id), &start);
    size[1] = chunk(g, &c[1], term_of(column.id), &start);
    value p = some_push(g, elem, 2, parts_level, size);
    say_yield(g, term_of(p.id));
    leave(g, &s, &cost, &code);
    say_close(g);
    cost = (cost + p.cost * count_most(size, 2)) * count;
    i = g->next_id + 2;
    head = termf("(%%%u: int, %%%u: int, %%%u: int, %%%u: int)", i, i + 1, i + 2, i + 3);
    uint32_t id = say_open(g, head.s, "%s %s, %s, %%%u", op, want[0].t.s, want[1].t.s, parts);
    g->next_id += 4;
    uint32_t y0 = say(g, "mul %%%u, %s", i, c[0].size.t.s), y = say(g, "add %%%u, %%%u", y0, i + 2);
    uint32_t x0 = say(g, "mul %%%u, %s", i + 1, c[1].size.t.s),
             x = say(g, "add %%%u, %%%u", x0, i + 3);
    say_yield(g, term_of(say(g, "tuple %%%u, %%%u", y, x)));
    say_close(g);
    return joined(g, id, elem, 2, level, want, cost, code + p.code);
}

/* Two parts of a list, one behind the other. */
static value listed(gen *g, type_id elem, uint32_t level, uint32_t parts_level, const char *op,
                    const extent *want)
{
    extent h = int_op(g, "div", want->t, termf("2"), want->lo / 2, want->hi / 2);
    extent rest = int_op(g, "sub", want->t, h.t, want->lo - want->lo / 2, want->hi - want->hi / 2);
    value a = some_push(g, elem, 1, parts_level, &h), b = some_push(g, elem, 1, parts_level, &rest);
    uint32_t parts = say(g, "array %%%u, %%%u", a.id, b.id), at = g->next_id + 2;
    term head = termf("(%%%u: int, %%%u: int)", at, at + 1);
    uint32_t id = say_open(g, head.s, "%s %s, %%%u", op, want->t.s, parts);
    g->next_id += 2;
    uint32_t start = say(g, "mul %%%u, %s", at, h.t.s);
    say_yield(g, term_of(say(g, "add %%%u, %%%u", start, at + 1)));
    say_close(g);
    return joined(g, id, elem, 1, level, want, (a.cost + b.cost) * (double)want->hi,
                  a.code + b.code);
}

value interleaved(gen *g, type_id elem, uint32_t rank, uint32_t level, bool one_by_one,
                  const extent *want)
{
    uint32_t parts_level = one_by_one ? level : level - 1, pick = some(g, 100);
    const char *op = one_by_one ? "interleaveseq" : "interleave";
    if (rank > 1 && (rank > 2 || pick < 50))
        return by_axes(g, elem, rank, level, parts_level, op, want);
    if (rank == 2)
        return tiled(g, elem, level, parts_level, op, want);
    if (pick < 45)
        return strided(g, elem, level, parts_level, op, want);
    return pick < 60 ? listed(g, elem, level, parts_level, op, want)
                     : blocked(g, elem, level, parts_level, op, want);
}
