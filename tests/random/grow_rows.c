/* Kernels whose elements sort, scan, filter or count a line of a matrix: all of it, or as much as data says; in an element that
 * names one number of the line, in an array of arrays, or for a scalar. */
#include "tests/random/grow_combine.h"

#include <stdio.h>
#include <string.h>

typedef struct lines {
    type_id type; /* of elements */
    uint32_t xs, lengths; /* parameters: the matrix, and a number for each line */
    bool columns, ragged; /* lines are columns; each is as long as its number says */
    bool sorts;           /* there may be a sort still: one has kernels enough */
    extent count, length; /* of lines, of each */
} lines;

/* What an element has of a line. */
typedef struct line {
    uint32_t id;
    bool shorter; /* than the matrix says */
} line;

/* ---- a line ---- */

static value as_array(gen *g, const lines *w, uint32_t id)
{
    return array_of(id, pull_of(g, w->type, 1), &w->length, 1);
}

static line line_of(gen *g, const lines *w, term i)
{
    extent n = w->length;
    if (w->ragged) {
        term l = term_of(say(g, "index %%%u, %s", w->lengths, i.s)), room = term_of(say(g, "add %s, 1", n.t.s));
        n.t = term_of(say(g, "mod %s, %s", l.s, room.s));
        n.lo = 0;
    }
    line of = {say_generate(g, &n, 1), w->ragged};
    term k = term_of(++g->next_id);
    uint32_t x = w->columns ? say(g, "index %%%u, %s, %s", w->xs, k.s, i.s) : say(g, "index %%%u, %s, %s", w->xs, i.s, k.s);
    say_yield(g, term_of(x));
    say_close(g);
    return of;
}

/* ---- what is done with it ---- */

/* By the element, by its bits turned over, or by what is the line's own. */
static void sort_line(gen *g, lines *w, line *of)
{
    w->sorts = false;
    uint32_t n = chance(g, 40) ? say(g, "length %%%u", of->id) : 0, from = of->id;
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, w->type).s);
    of->id = say_open(g, head.s, "sort %%%u", from);
    term x = term_of(++g->next_id);
    if (n)
        x = term_of(say(g, "xor %s, %s", x.s, term_of(say(g, "convert<%s> %%%u", type_term(g, w->type).s, n)).s));
    else if (chance(g, 40))
        x = term_of(say(g, "not %s", x.s));
    say_yield(g, x);
    say_close(g);
}

static void scan_line(gen *g, const lines *w, line *of)
{
    monoid m = some_monoid(g, w->type);
    value xs = as_array(g, w, of->id);
    of->id = say_collective(g, chance(g, 50) ? "scan" : "scanex", &m, &xs, 64);
}

/* Each is compared with the one before it, and the first one with the last. */
static void neighbours_of_line(gen *g, const lines *w, line *of)
{
    uint32_t from = of->id;
    extent n = {term_of(say(g, "length %%%u", from)), 0, w->length.hi};
    of->id = say_generate(g, &n, 1);
    term k = term_of(++g->next_id), before = term_of(say(g, "sub %s, 1", k.s)),
         wrapped = term_of(say(g, "mod %s, %s", before.s, n.t.s));
    uint32_t x = say(g, "index %%%u, %s", from, k.s), y = say(g, "index %%%u, %s", from, wrapped.s);
    say_yield(g, term_of(say(g, "%s %%%u, %%%u", chance(g, 50) ? "xor" : "sub", x, y)));
    say_close(g);
}

static void filter_line(gen *g, const lines *w, line *of)
{
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, w->type).s);
    of->id = say_open(g, head.s, "filter %%%u", of->id);
    term x = term_of(++g->next_id), bit = term_of(say(g, "and %s, %u", x.s, 1 + some(g, 6)));
    say_yield(g, term_of(say(g, "ne %s, 0", bit.s)));
    say_close(g);
    of->shorter = true;
}

/* How many fall into each of as many cells as the line is long. */
static void count_line(gen *g, const lines *w, line *of)
{
    const char *t = type_term(g, w->type).s;
    uint32_t from = of->id;
    extent n = {term_of(say(g, "length %%%u", from)), 0, w->length.hi};
    uint32_t cells = say_generate(g, &n, 1);
    ++g->next_id;
    say_yield(g, termf("0"));
    say_close(g);
    term head = termf("(%%%u: %s)", g->next_id + 2, t);
    of->id = say_open(g, head.s, "accumulate %%%u, %%%u", cells, from);
    term x = term_of(++g->next_id), wide = term_of(say(g, "convert<int> %s", x.s)), at = term_of(say(g, "mod %s, %s", wide.s, n.t.s));
    say_yield(g, term_of(say(g, "tuple %s, 1", at.s)));
    uint32_t a = second_region(g);
    say_yield(g, term_of(say(g, "add %%%u, %%%u", a, a + 1)));
    say_close(g);
    uint32_t counts = of->id;
    of->id = say_generate(g, &n, 1);
    term k = term_of(++g->next_id);
    say_yield(g, term_of(say(g, "convert<%s> %s", t, term_of(say(g, "index %%%u, %s", counts, k.s)).s)));
    say_close(g);
}

static void turn_line(gen *g, const lines *w, line *of)
{
    term head = termf("(%%%u: int, %%%u: [%s])", g->next_id + 2, g->next_id + 3, type_term(g, w->type).s);
    of->id = say_open(g, head.s, "repeat %u, %%%u", some(g, 4), of->id);
    g->next_id += 2;
    line now = {g->next_id, of->shorter};
    neighbours_of_line(g, w, &now);
    say_yield(g, term_of(now.id));
    say_close(g);
}

static void some_steps(gen *g, lines *w, line *of, bool keeps)
{
    for (uint32_t i = 0, n = 1 + some(g, 3); i < n; i++) {
        uint32_t pick = some(g, keeps ? 80 : 100);
        if (pick < 30 && w->sorts)
            sort_line(g, w, of);
        else if (pick < 50)
            scan_line(g, w, of);
        else if (pick < 62)
            neighbours_of_line(g, w, of);
        else if (pick < 70)
            turn_line(g, w, of);
        else if (pick < 80)
            count_line(g, w, of);
        else
            filter_line(g, w, of);
    }
}

/* ---- what an element gives ---- */

/* The element there, or 0 where the line has none. */
static term number_of(gen *g, const line *of, term at)
{
    if (!of->shorter)
        return term_of(say(g, "index %%%u, %s", of->id, at.s));
    uint32_t n = say(g, "length %%%u", of->id), has = say(g, "lt %s, %%%u", at.s, n), id = say_open(g, "", "if %%%u", has);
    say_yield(g, term_of(say(g, "index %%%u, %s", of->id, at.s)));
    say_next(g, "");
    say_yield(g, termf("0"));
    say_close(g);
    return term_of(id);
}

static term scalar_of(gen *g, const lines *w, const line *of)
{
    line all = *of;
    all.shorter = true;
    if (chance(g, 40))
        return number_of(g, &all, termf("%u", some(g, 3)));
    monoid m = some_monoid(g, w->type);
    value xs = as_array(g, w, of->id);
    return term_of(say_collective(g, "reduce", &m, &xs, 64));
}

/* ---- the kernel ---- */

/* A number of a line for each place of the matrix: of those of an array of arrays, or of what the element makes for itself. */
static uint32_t numbers(gen *g, lines *w, const line *rows)
{
    extent want[] = {w->count, w->length};
    uint32_t id = say_generate(g, want, 2);
    term i = term_of(++g->next_id), j = term_of(++g->next_id);
    line of = rows ? (line){say(g, "index %%%u, %s", rows->id, i.s), rows->shorter} : line_of(g, w, i);
    if (!rows)
        some_steps(g, w, &of, chance(g, 70));
    say_yield(g, number_of(g, &of, j));
    say_close(g);
    return id;
}

static uint32_t arrays(gen *g, lines *w)
{
    line rows = {.id = say_generate(g, &w->count, 1)}, of = line_of(g, w, term_of(++g->next_id));
    some_steps(g, w, &of, chance(g, 60));
    say_yield(g, term_of(of.id));
    say_close(g);
    if (chance(g, 40)) {
        term head = termf("(%%%u: [%s])", g->next_id + 2, type_term(g, w->type).s);
        rows.id = say_open(g, head.s, "map %%%u", rows.id);
        of.id = ++g->next_id;
        some_steps(g, w, &of, chance(g, 60));
        say_yield(g, term_of(of.id));
        say_close(g);
    }
    rows.shorter = of.shorter;
    return numbers(g, w, &rows);
}

static uint32_t scalars(gen *g, lines *w)
{
    uint32_t id = say_generate(g, &w->count, 1);
    line of = line_of(g, w, term_of(++g->next_id));
    some_steps(g, w, &of, chance(g, 50));
    say_yield(g, scalar_of(g, w, &of));
    say_close(g);
    return id;
}

static extent dim_of(gen *g, uint32_t xs, uint32_t axis, uint64_t n)
{
    return (extent){term_of(say(g, "dim %%%u, %u", xs, axis)), (int64_t)n, (int64_t)n};
}

uint32_t rows_of(gen *g, random_kernel *k, nest_text *out)
{
    static const scalar types[] = {ST_I32, ST_I32, ST_U32, ST_I16, ST_U8, ST_I64};
    static const uint64_t sides[] = {1, 2, 5, 17, 31, 33, 40, 65, 5, 17, 33, 0};
    uint64_t dims[] = {sides[some(g, 12)], sides[some(g, 12)]};
    lines w = {.type = type_of(g, types[some(g, 6)]), .columns = chance(g, 30), .ragged = chance(g, 35), .sorts = true};
    value xs = param_of(g, k, w.type, 2, dims), lengths = param_of(g, k, type_of(g, ST_I32), 1, &dims[w.columns]);
    out->nparams = 2;
    print_type(g, xs.type, out->params[0], sizeof out->params[0]);
    print_type(g, lengths.type, out->params[1], sizeof out->params[1]);
    w.xs = xs.id;
    w.lengths = lengths.id;
    w.count = dim_of(g, xs.id, w.columns, dims[w.columns]);
    w.length = dim_of(g, xs.id, !w.columns, dims[!w.columns]);
    uint32_t pick = some(g, 3), id = pick == 0 ? numbers(g, &w, NULL) : pick == 1 ? arrays(g, &w) : scalars(g, &w);
    print_type(g, pull_of(g, w.type, pick == 2 ? 1 : 2), out->result, sizeof out->result);
    return id;
}
