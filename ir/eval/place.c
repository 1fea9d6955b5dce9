/* The permutation of an interleave: each element of each array goes to the position that the region
 * computes. Positions outside the result, hit twice or left out are errors that name the position.
 *
 * The bits for positions prove what no type says: that the map of indices is injective and
 * covers the result, so that no two threads of a device write one element and none is left
 * unwritten. */
#include "ir/eval/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An interleave while it runs: which array is being visited, and which positions have been
 * written. */
typedef struct placement {
    const push *p;
    int64_t outer[MAX_RANK];
    uint64_t inner_dims[MAX_RANK];
    uint32_t inner_rank;
    uint64_t total;
    uint64_t *written; /* one bit for each position */
} placement;

/* Splits a row-major position. */
void eval_indices_of(uint64_t position, const uint64_t *dims, uint32_t rank, int64_t at[MAX_RANK])
{
    for (uint32_t k = rank; k-- > 1; position /= dims[k])
        at[k] = (int64_t)(position % dims[k]);
    at[0] = (int64_t)position;
}

index_text eval_show_index(const int64_t *at, uint32_t rank)
{
    index_text t = {""};
    size_t n = 0;
    for (uint32_t k = 0; k < rank && n < sizeof t.s; k++)
        n += (size_t)snprintf(t.s + n, sizeof t.s - n, "%s%" PRId64,
                              k          ? ", "
                              : rank > 1 ? "("
                                         : "",
                              at[k]);
    if (rank > 1 && n < sizeof t.s)
        snprintf(t.s + n, sizeof t.s - n, ")");
    return t;
}

static bool wrong_position(machine *M, const placement *pl, const int64_t *inner, const int64_t *at,
                           const char *why)
{
    return eval_fail(
        M, DIAG_EVAL_POSITION, pl->p->op, "element %s of array %s goes to position %s, which %s",
        eval_show_index(inner, pl->inner_rank).s, eval_show_index(pl->outer, pl->p->pull->rank).s,
        eval_show_index(at, pl->p->rank).s, why);
}

/* What the region says for an element.  The region takes the outer indices, then the inner ones. */
static bool compute(machine *M, const placement *pl, const int64_t *inner, int64_t at[MAX_RANK])
{
    const push *p = pl->p;
    value v;
    uint32_t n = 0;
    mark k = stack_mark(M);
    eval_frame *f = eval_frame_new(M, p->code, p->env);
    if (!f)
        return false;
    for (uint32_t j = 0; j < p->pull->rank && n < p->code->nparams; j++)
        f->slots[p->code->params[n++]] = int_value(pl->outer[j]);
    for (uint32_t j = 0; j < pl->inner_rank && n < p->code->nparams; j++)
        f->slots[p->code->params[n++]] = int_value(inner[j]);
    if (!eval_region_run(M, p->code, f, k, &v))
        return false;
    if (p->rank > 1 && (v.tag != VAL_TUPLE || v.n != p->rank))
        return eval_stuck(M, p->op, &v, "a tuple of an index for each axis");
    for (uint32_t j = 0; j < p->rank; j++)
        at[j] = (int64_t)(p->rank > 1 ? v.items[j].bits : v.bits);
    return true;
}

/* A negative index is a large unsigned one. */
bool eval_linear(const int64_t *at, const uint64_t *dims, uint32_t rank, uint64_t *out)
{
    *out = 0;
    for (uint32_t k = 0; k < rank; k++) {
        if ((uint64_t)at[k] >= dims[k])
            return false;
        *out = *out * dims[k] + (uint64_t)at[k];
    }
    return true;
}

/* Marks a position as written; false when it was already. */
static bool claim(placement *pl, uint64_t position)
{
    uint64_t *word = &pl->written[position / 64], bit = (uint64_t)1 << position % 64;
    bool first = !(*word & bit);
    *word |= bit;
    return first;
}

/* An element on its way: `position` is the one inside its array, what goes on is that in the
 * result. */
bool eval_place_put(machine *M, placement *pl, const sink *next, uint64_t position, const value *v)
{
    int64_t inner[MAX_RANK], at[MAX_RANK];
    uint64_t to;
    eval_indices_of(position, pl->inner_dims, pl->inner_rank, inner);
    if (!compute(M, pl, inner, at))
        return false;
    if (!eval_linear(at, pl->p->dims, pl->p->rank, &to))
        return wrong_position(M, pl, inner, at, "is outside the result");
    if (!claim(pl, to))
        return wrong_position(M, pl, inner, at, "is already written");
    return eval_sink_put(M, next, to, v);
}

/* Array j is found, and its elements visited, at the level of the parts. */
static bool run_array(machine *M, placement *pl, uint64_t j, const sink *s)
{
    const push *q;
    uint64_t ignored;
    uint32_t here = M->here;
    sink to = {.kind = SINK_PLACE, .next = s, .place = pl};
    eval_indices_of(j, pl->p->pull->dims, pl->p->pull->rank, pl->outer);
    if (!eval_push_chunk(M, pl->p, j, &q))
        return false;
    M->here = pl->p->part;
    pl->inner_rank = q->rank;
    bool ok = (q->rank == 1 || eval_push_dims(M, q, pl->inner_dims)) &&
              eval_push_run(M, q, &to, &ignored);
    M->here = here;
    return ok;
}

/* The first position that is left out is named. */
static bool all_written(machine *M, const placement *pl)
{
    for (uint64_t i = 0; i < pl->total; i++) {
        if (pl->written[i / 64] >> i % 64 & 1)
            continue;
        int64_t at[MAX_RANK];
        eval_indices_of(i, pl->p->dims, pl->p->rank, at);
        return eval_fail(M, DIAG_EVAL_POSITION, pl->p->op,
                         "no element of this %s goes to position %s",
                         ir_op_info(ir_op_at(M->m, pl->p->op)->opcode)->name,
                         eval_show_index(at, pl->p->rank).s);
    }
    return true;
}

/* Array after array: what they write is disjoint, or reported, so the order does not matter. */
static bool run_arrays(machine *M, placement *pl, const sink *s)
{
    bool ok = eval_sink_reserve(M, s, pl->total);
    for (uint64_t j = 0; ok && j < pl->p->pull->count; j++) {
        mark k = stack_mark(M);
        ok = run_array(M, pl, j, s);
        stack_release(M, k);
    }
    return ok && all_written(M, pl);
}

/* The bits are on the stack below everything that the arrays make. */
bool eval_place_run(machine *M, const push *p, const sink *s, uint64_t *count)
{
    placement pl = {.p = p, .total = 1};
    mark k = stack_mark(M);
    for (uint32_t j = 0; j < p->rank; j++)
        pl.total *= p->dims[j];
    size_t bytes = (size_t)(pl.total / 64 + 1) * sizeof *pl.written;
    pl.written = stack_alloc(M, bytes);
    if (!pl.written)
        return false;
    memset(pl.written, 0, bytes);
    bool ok = run_arrays(M, &pl, s);
    stack_release(M, k);
    *count = pl.total;
    return ok;
}
