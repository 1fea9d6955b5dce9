/* reduce, scan, scanex and filter: elements of a pull array one after the other, in their order.
 *
 * Strictly: what they make is in memory, and each element is asked for once.  As everywhere where
 * arrays are written, elements are computed at thread level, and what computing one leaves on the
 * stack goes with it. */
#include "ir/eval/lanes.h"

#include <string.h>

/* ---- combining ---- */

/* What has been combined so far, as the state of a loop. */
typedef struct combining {
    machine *M;
    const inst *i;
    ir_region region;
    const eval_frame *env;
    eval_state state;
    value sum;
} combining;

static bool begin(combining *c, const value *z)
{
    return eval_state_begin(c->M, c->i->op, z, &c->state, &c->sum);
}

static bool combine(combining *c, const value *x)
{
    machine *M = c->M;
    value args[2] = {c->sum, *x}, made;
    mark k = stack_mark(M);
    bool ok = eval_region_value(M, c->region, c->env, args, 2, &made) &&
              eval_state_next(M, c->i->op, &made, &c->state, &c->sum);
    stack_release(M, k);
    return ok;
}

/* Element n of the array. */
static bool combine_nth(combining *c, visit *xs, uint64_t n)
{
    value x;
    mark k = stack_mark(c->M);
    bool ok = eval_visit_nth(xs, n, &x) && combine(c, &x);
    stack_release(c->M, k);
    return ok;
}

/* Elements [n, end): many at a time, where they are there and the sum is a scalar, which lies
 * nowhere but in the value. */
static bool combine_all(combining *c, visit *xs, uint64_t n, uint64_t end)
{
    const code *with = code_of(c->M, c->region);
    bool ok = with != NULL;
    while (ok && n < end) {
        uint32_t done = eval_visit_fold(xs, n, end, with, &c->sum);
        ok = done || combine_nth(c, xs, n);
        n += done ? done : 1;
    }
    return ok;
}

/* ---- rows ---- */

typedef enum { REDUCED, INCLUSIVE, EXCLUSIVE } kept;

/* Row `row` along the last axis; what is kept of it goes to the sink. */
static bool run_row(combining *c, const value *z, visit *xs, uint64_t row, kept what,
                    const sink *to)
{
    uint64_t n = xs->p->dims[xs->p->rank - 1], first = row * n;
    mark k = stack_mark(c->M);
    bool ok = begin(c, z) && (what != REDUCED || combine_all(c, xs, first, first + n));
    for (uint64_t j = 0; ok && what != REDUCED && j < n; j++) {
        ok = what != EXCLUSIVE || eval_sink_put(c->M, to, first + j, &c->sum);
        ok = ok && combine_nth(c, xs, first + j);
        ok = ok && (what != INCLUSIVE || eval_sink_put(c->M, to, first + j, &c->sum));
    }
    ok = ok && (what != REDUCED || eval_sink_put(c->M, to, row, &c->sum));
    stack_release(c->M, k);
    return ok;
}

/* All rows, into an array of that rank. */
static bool run_rows(combining *c, const value *z, const pull *xs, kept what, stored *s)
{
    uint32_t outer = xs->rank - 1u;
    uint64_t rows = 1;
    s->p.rank = what == REDUCED ? (uint8_t)outer : xs->rank;
    memcpy(s->dims, xs->dims, xs->rank * sizeof *s->dims);
    for (uint32_t k = 0; k < outer; k++)
        rows *= xs->dims[k];
    s->p.count = what == REDUCED ? rows : xs->count;
    visit all;
    sink to = eval_sink_store(c->M, s->p.data, c->i->op, s->p.rank);
    bool ok = eval_sink_reserve(c->M, &to, s->p.count) && eval_visit_begin(c->M, xs, &all);
    for (uint64_t row = 0; ok && row < rows; row++)
        ok = run_row(c, z, &all, row, what, &to);
    return ok;
}

/* The sum outlives the run, so it is begun below the marks of the elements. */
static bool reduce_all(combining *c, const value *z, const pull *xs, value *out)
{
    visit all;
    bool ok = begin(c, z) && eval_visit_begin(c->M, xs, &all) && combine_all(c, &all, 0, xs->count);
    *out = c->sum;
    return ok;
}

static bool along_rows(machine *M, const code *c, eval_frame *f, const inst *i, kept what,
                       value *out)
{
    const value *z = operand_value(c, f, i->a), *xs = operand_value(c, f, i->b);
    combining all = {.M = M, .i = i, .region = i->regions, .env = f};
    uint32_t here = M->here;
    if (xs->tag != VAL_PULL)
        return eval_stuck(M, i->op, xs, "a pull array");
    M->here = LEVEL_THREAD;
    stored *s = NULL;
    bool ok = true;
    if (what == REDUCED && xs->pull->rank == 1)
        ok = reduce_all(&all, z, xs->pull, out);
    else
        ok = (s = eval_stored_new(M)) && run_rows(&all, z, xs->pull, what, s);
    M->here = here;
    if (s)
        *out = (value){.tag = VAL_PULL, .pull = &s->p};
    return ok;
}

bool eval_REDUCE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    return along_rows(M, c, f, i, REDUCED, out);
}

bool eval_SCAN(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    return along_rows(M, c, f, i, INCLUSIVE, out);
}

bool eval_SCANEX(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    return along_rows(M, c, f, i, EXCLUSIVE, out);
}

/* ---- filter ---- */

static bool keep_nth(machine *M, const inst *i, const eval_frame *f, visit *xs, uint64_t n,
                     const sink *to, uint64_t *kept_so_far)
{
    value x, holds;
    mark k = stack_mark(M);
    bool ok = eval_visit_nth(xs, n, &x) && eval_region_value(M, i->regions, f, &x, 1, &holds);
    if (ok && holds.bits)
        ok = eval_sink_put(M, to, (*kept_so_far)++, &x);
    stack_release(M, k);
    return ok;
}

bool eval_FILTER(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const value *xs = operand_value(c, f, i->a);
    stored *s = eval_stored_new(M);
    uint32_t here = M->here;
    if (xs->tag != VAL_PULL)
        return eval_stuck(M, i->op, xs, "a pull array");
    if (!s)
        return false;
    sink to = eval_sink_store(M, s->p.data, i->op, 1);
    visit all;
    bool ok = eval_visit_begin(M, xs->pull, &all);
    M->here = LEVEL_THREAD;
    for (uint64_t n = 0; ok && n < xs->pull->count; n++)
        ok = keep_nth(M, i, f, &all, n, &to, &s->p.count);
    M->here = here;
    s->p.rank = 1;
    s->dims[0] = s->p.count;
    *out = (value){.tag = VAL_PULL, .pull = &s->p};
    return ok;
}
