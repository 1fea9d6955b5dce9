/* Kernels whose elements reduce what they share with their neighbours: products of matrices, bodies that pull each other, and
 * what is almost one of these.  Extents reach those from which on tiles and rows are served. */
#include "tests/random/grow_combine.h"

#include <stdio.h>
#include <string.h>

enum { OWN_MOST = 2, AXIS_K = 2, MATRIX_MOST = 5000 };

/* Elements have the axes 0 to rank - 1; AXIS_K is what they reduce. */
typedef struct matrix {
    uint32_t id, rank, axes[2];
    uint32_t from; /* the parameter's number */
    bool own;      /* made by the element */
} matrix;

typedef struct nest {
    type_id type;     /* of all arrays, and of what is summed */
    scalar scalar;
    uint32_t rank;    /* of the result */
    uint64_t n[3];    /* extents by axis */
    extent extent[3]; /* in the program */
    term at[3];       /* positions that are known here; empty: none is */
    matrix of[NEST_ARRAYS + OWN_MOST];
    uint32_t nof;
} nest;

/* ---- what is read ---- */

/* Mostly the position itself; else another that there is. */
static term some_position(gen *g, const nest *w, uint32_t axis, uint32_t of, uint32_t percent)
{
    term x = w->at[of], n = w->extent[axis].t;
    if (axis == of && chance(g, percent))
        return x;
    if (axis != of)
        return term_of(say(g, "mod %s, %s", x.s, n.s));
    if (chance(g, 40))
        return termf("0");
    term last = term_of(say(g, "sub %s, 1", n.s));
    if (chance(g, 40))
        return last;
    if (chance(g, 50))
        return term_of(say(g, "sub %s, %s", last.s, x.s));
    term next = term_of(say(g, "add %s, 1", x.s));
    return term_of(say(g, "min %s, %s", next.s, last.s));
}

static term read(gen *g, const nest *w, const matrix *m)
{
    term at[2];
    for (uint32_t i = 0; i < m->rank; i++) {
        uint32_t of = m->axes[i];
        if (!w->at[of].s[0] || chance(g, 3))
            of = some(g, w->rank);
        at[i] = some_position(g, w, m->axes[i], of, m->own ? 75 : 95);
    }
    value of = array_of(m->id, pull_of(g, w->type, m->rank), w->extent, m->rank);
    return element(g, &of, at);
}

/* Opens a `generate` over axes, whose positions are known from here on. */
static uint32_t say_axes(gen *g, nest *w, const uint32_t *axes, uint32_t rank)
{
    extent want[2] = {{.lo = 0}};
    for (uint32_t k = 0; k < rank; k++)
        want[k] = w->extent[axes[k]];
    uint32_t id = say_generate(g, want, rank);
    for (uint32_t k = 0; k < rank; k++)
        w->at[axes[k]] = term_of(++g->next_id);
    return id;
}

/* The first reads are mostly of one parameter each, or of what the element has made of it. */
static const matrix *some_array(gen *g, const nest *w, uint32_t number)
{
    const matrix *m = &w->of[some(g, w->nof)];
    bool any = number >= 2 || chance(g, 15);
    for (int i = 0; i < 20 && !any && m->from != number; i++)
        m = &w->of[some(g, w->nof)];
    return m;
}

/* Of floats, products of two numbers of few digits, whose sums are exact. */
static term summand_of(gen *g, const nest *w)
{
    static const char *const ops[] = {"mul", "mul", "add", "sub", "xor", "max"};
    bool real = ir_scalar_is_float(w->scalar);
    uint32_t reads = real || chance(g, 50) ? 2 : 2 + some(g, 3);
    term x = read(g, w, some_array(g, w, 0));
    for (uint32_t i = 1; i < reads; i++) {
        const char *op = ops[some(g, real ? 4 : 6)];
        x = term_of(say(g, "%s %s, %s", op, x.s, read(g, w, some_array(g, w, i)).s));
    }
    return x;
}

/* ---- an element ---- */

/* What the element makes of all of an array, or of what it reads of it: of one read, so that floats stay short. */
static void add_own(gen *g, nest *w)
{
    const nest around = *w;
    matrix own = w->of[some(g, w->nof)], from = own;
    if (own.rank == 2 && chance(g, 40))
        own = (matrix){.rank = 1, .axes = {AXIS_K}, .from = from.from};
    own.id = say_axes(g, w, own.axes, own.rank);
    own.own = true;
    say_yield(g, read(g, w, &from));
    say_close(g);
    *w = around;
    w->of[w->nof++] = own;
}

static uint32_t say_summands(gen *g, nest *w, const monoid *m)
{
    uint32_t id = say_axes(g, w, (uint32_t[]){AXIS_K}, 1);
    term items[2] = {summand_of(g, w), {""}};
    if (m->type != w->type) {
        items[1] = summand_of(g, w);
        items[0] = tuple_term(g, items, 2);
    }
    say_yield(g, items[0]);
    say_close(g);
    w->at[AXIS_K] = (term){""};
    return id;
}

static term element_of(gen *g, nest *w)
{
    uint32_t shared = w->nof, owns = chance(g, 60) ? 1 + some(g, OWN_MOST) : 0;
    for (uint32_t i = 0; i < owns; i++)
        add_own(g, w);
    bool real = ir_scalar_is_float(w->scalar);
    type_id pair[] = {w->type, w->type}, t = chance(g, 15) ? tuple_of(g, pair, 2) : w->type;
    monoid m = real ? (monoid){.type = t} : chance(g, 70) ? some_sum(g, t) : some_monoid(g, t);
    value xs = array_of(say_summands(g, w, &m), pull_of(g, t, 1), &w->extent[AXIS_K], 1);
    term r = term_of(say_collective(g, "reduce", &m, &xs, 1));
    term x = t == w->type ? r : item(g, r, some(g, 2));
    w->nof = shared;
    return w->scalar == ST_I32 && chance(g, 30) ? term_of(say(g, "xor %s, %s", x.s, w->at[0].s)) : x;
}

/* ---- the kernel ---- */

static void choose_extents(gen *g, nest *w)
{
    static const uint32_t sides[] = {5, 32, 33, 40, 47, 64, 32, 33}, depths[] = {1, 7, 16, 17, 24, 16, 17, 18},
                          many[] = {31, 128, 129, 160, 256}, long_[] = {16, 255, 256, 257, 300};
    bool flat = w->rank == 1;
    w->n[0] = flat ? many[some(g, 5)] : sides[some(g, 8)];
    w->n[1] = flat ? 1 : sides[some(g, 8)];
    w->n[AXIS_K] = flat ? long_[some(g, 5)] : depths[some(g, 8)];
}

/* Mostly the rows of one matrix and the columns of another, or what all elements read.  What is written into a command as an
 * argument is no longer than systems allow (128 KiB on Linux). */
static matrix some_matrix(gen *g, const nest *w, uint32_t number)
{
    uint32_t axis = w->rank == 1 ? 0 : chance(g, 92) ? number % 2 : some(g, 2);
    bool small = w->n[axis] * w->n[AXIS_K] <= MATRIX_MOST;
    matrix m = {.rank = small && chance(g, w->rank == 1 ? 30 : 92) ? 2 : 1, .axes = {axis, AXIS_K}};
    if (m.rank == 1)
        m.axes[0] = chance(g, 75) ? AXIS_K : axis;
    else if (chance(g, 40))
        memcpy(m.axes, (uint32_t[]){AXIS_K, axis}, sizeof m.axes);
    else if (w->rank == 2 && chance(g, 8))
        memcpy(m.axes, (uint32_t[]){0, 1}, sizeof m.axes);
    return m;
}

/* The extent of an axis is that of an array that has it, or a number. */
static void name_extents(gen *g, nest *w)
{
    for (uint32_t a = 0; a <= AXIS_K; a++) {
        term *t = &w->extent[a].t;
        w->extent[a] = (extent){termf("%u", (unsigned)w->n[a]), (int64_t)w->n[a], (int64_t)w->n[a]};
        for (uint32_t i = 0; i < w->nof && t->s[0] != '%'; i++)
            for (uint32_t k = 0; k < w->of[i].rank; k++)
                if (w->of[i].axes[k] == a && t->s[0] != '%' && chance(g, 80))
                    *t = term_of(say(g, "dim %%%u, %u", w->of[i].id, k));
    }
}

static void add_matrices(gen *g, nest *w, random_kernel *k, nest_text *out)
{
    w->nof = out->nparams = chance(g, 50) ? 2 : 1 + some(g, NEST_ARRAYS);
    for (uint32_t i = 0; i < w->nof; i++) {
        uint64_t dims[2] = {0};
        w->of[i] = some_matrix(g, w, i);
        w->of[i].from = i;
        for (uint32_t a = 0; a < w->of[i].rank; a++)
            dims[a] = w->n[w->of[i].axes[a]];
        value v = param_of(g, k, w->type, w->of[i].rank, dims);
        w->of[i].id = v.id;
        print_type(g, v.type, out->params[i], sizeof out->params[i]);
    }
}

uint32_t nest_of(gen *g, random_kernel *k, nest_text *out)
{
    static const scalar types[] = {ST_I32, ST_I32, ST_U32, ST_F32, ST_F32, ST_I16, ST_U8, ST_I64, ST_F64};
    nest w = {.scalar = types[some(g, 9)], .rank = chance(g, 40) ? 1 : 2};
    w.type = type_of(g, w.scalar);
    choose_extents(g, &w);
    add_matrices(g, &w, k, out);
    name_extents(g, &w);
    uint32_t id = say_axes(g, &w, (uint32_t[]){0, 1}, w.rank);
    say_yield(g, element_of(g, &w));
    say_close(g);
    print_type(g, pull_of(g, w.type, w.rank), out->result, sizeof out->result);
    return id;
}
