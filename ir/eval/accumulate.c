/* Arrays in memory into which the elements of an array go, each to a position of its own:
 * accumulate and fetch combine, the scatters and permute put.  Of a pull array, which makes them
 * collectives, as of a push array.
 *
 * A histogram is the usual example.  Elements are taken in the order in which they come; a function
 * that combines must be associative and commutative for devices to agree with this order; floats
 * then agree up to rounding.  Of several elements that scatterlast puts at one position the one
 * with the greatest number stays, which may be any that scatterany puts there. */
#include "ir/eval/value.h"

#include <inttypes.h>
#include <string.h>

/* The array while elements arrive. */
struct cells {
    stored *array;
    stored *found;     /* fetch: what was there before, by the number of the element */
    uint64_t *writers; /* what puts: 1 + the number of the element that is there; 0: none */
    uint64_t arrived;
    const inst *i;
    const eval_frame *env;
};

/* ---- one element ---- */

static const char *name_of(const machine *M, const struct cells *c)
{
    return ir_op_info(ir_op_at(M->m, c->i->op)->opcode)->name;
}

/* Combines a value into the cell at a position.  It is read, combined and written back at once:
 * nobody else runs meanwhile. */
static bool combine(machine *M, struct cells *cells, uint64_t number, uint64_t at, const value *v)
{
    value args[2], x;
    args[1] = *v;
    return eval_buffer_get(M, cells->array->p.data, at, &args[0]) &&
           (!cells->found || eval_buffer_put(M, cells->found->p.data, number, &args[0])) &&
           eval_region_value(M, cells->i->regions + 1, cells->env, args, 2, &x) &&
           eval_buffer_put(M, cells->array->p.data, at, &x);
}

/* Where only one element may go, a second one is refused; else that with the greater number
 * stays. */
static bool put(machine *M, struct cells *cells, uint64_t number, uint64_t at, const int64_t *ix,
                const value *v)
{
    uint64_t *writer = &cells->writers[at];
    bool winner = cells->i->opcode == OP_SCATTERLAST || cells->i->opcode == OP_SCATTERANY;
    if (*writer && !winner) {
        eval_fail(M, DIAG_EVAL_POSITION, cells->i->op,
                  "elements %" PRIu64 " and %" PRIu64 " of this %s both go to position %s",
                  *writer - 1, number, name_of(M, cells),
                  eval_show_index(ix, cells->array->p.rank).s);
        if (cells->i->opcode == OP_SCATTER)
            diag_hint(M->m->cx, "say which of them stays: scatterlast (in FCL scatterLast) takes the last one");
        return false;
    }
    cells->arrived += *writer == 0;
    if (*writer > number)
        return true;
    *writer = number + 1;
    return eval_buffer_put(M, cells->array->p.data, at, v);
}

static bool outside(machine *M, const struct cells *cells, uint64_t number, const int64_t *ix)
{
    const pull *a = &cells->array->p;
    index_text at = eval_show_index(ix, a->rank);
    int64_t extents[MAX_RANK];
    for (uint32_t k = 0; k < a->rank; k++)
        extents[k] = (int64_t)a->dims[k];
    return eval_fail(M, DIAG_EVAL_POSITION, cells->i->op,
                     "element %" PRIu64
                     " of this %s goes to position %s of an array of %s elements",
                     number, name_of(M, cells), at.s, eval_show_index(extents, a->rank).s);
}

bool eval_cells_put(machine *M, struct cells *cells, uint64_t number, const value *v)
{
    value x;
    const pull *a = &cells->array->p;
    int64_t ix[MAX_RANK];
    uint64_t at;
    if (!eval_region_value(M, cells->i->regions, cells->env, v, 1, &x))
        return false;
    if (x.tag != VAL_TUPLE || x.n != 2 || (a->rank > 1 && x.items[0].tag != VAL_TUPLE))
        return eval_stuck(M, cells->i->op, &x, "a position and a value");
    for (uint32_t k = 0; k < a->rank; k++)
        ix[k] = (int64_t)(a->rank > 1 ? x.items[0].items[k].bits : x.items[0].bits);
    for (uint32_t k = 0; k < a->rank && cells->writers; k++)
        if (ix[k] < 0)
            return true; /* goes nowhere */
    if (!eval_linear(ix, a->dims, a->rank, &at))
        return outside(M, cells, number, ix);
    return cells->writers ? put(M, cells, number, at, ix, &x.items[1])
                          : combine(M, cells, number, at, &x.items[1]);
}

/* ---- all of them ---- */

/* Writes the elements that the array starts with, by the level of the source. */
static bool write_start(machine *M, const inst *i, const pull *init, const push *src, stored *s)
{
    push p = {
        .kind = PUSH_PULL, .rank = init->rank, .height = src->height, .op = i->op, .pull = init};
    return eval_stored_write(M, i->op, &(value){.tag = VAL_PUSH, .push = &p}, s);
}

/* Sends the elements to a sink at the end of the chain. */
static bool run(machine *M, struct cells *cells, const push *src)
{
    sink all = {.kind = SINK_COMBINE, .cells = cells, .op = cells->i->op};
    uint64_t count;
    mark k = stack_mark(M);
    bool ok = eval_push_run(M, src, &all, &count);
    stack_release(M, k);
    return ok;
}

static bool mark_writers(machine *M, struct cells *cells)
{
    size_t bytes = (size_t)(cells->array->p.count + 1) * sizeof *cells->writers;
    cells->writers = stack_alloc(M, bytes);
    if (cells->writers)
        memset(cells->writers, 0, bytes);
    return cells->writers != NULL;
}

/* The operands of all but permute; room: for the source. */
static bool start_and_source(machine *M, const code *c, eval_frame *f, const inst *i,
                             struct cells *cells, push *room, const push **src)
{
    const value *init = operand_value(c, f, i->a);
    if (init->tag != VAL_PULL)
        return eval_stuck(M, i->op, init, "a pull array");
    *cells = (struct cells){.array = eval_stored_new(M), .i = i, .env = f};
    *src = eval_as_push(M, i->op, operand_value(c, f, i->b), room);
    return cells->array && *src && write_start(M, i, init->pull, *src, cells->array);
}

bool eval_ACCUMULATE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    struct cells cells;
    push room;
    const push *src;
    if (!start_and_source(M, c, f, i, &cells, &room, &src) || !run(M, &cells, src))
        return false;
    *out = (value){.tag = VAL_PULL, .pull = &cells.array->p};
    return true;
}

/* What was found has the shape of the source. */
bool eval_FETCH(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    struct cells cells;
    push room;
    const push *src;
    value *items = stack_alloc(M, 2 * sizeof *items);
    if (!items || !start_and_source(M, c, f, i, &cells, &room, &src) ||
        !(cells.found = eval_stored_new(M)))
        return false;
    pull *found = &cells.found->p;
    if (!eval_push_dims(M, src, cells.found->dims) || !run(M, &cells, src))
        return false;
    found->rank = src->rank;
    found->count = 1;
    for (uint32_t k = 0; k < src->rank; k++)
        found->count *= found->dims[k];
    items[0] = (value){.tag = VAL_PULL, .pull = &cells.array->p};
    items[1] = (value){.tag = VAL_PULL, .pull = found};
    *out = (value){.tag = VAL_TUPLE, .n = 2, .items = items};
    return true;
}

bool eval_SCATTER(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    struct cells cells;
    push room;
    const push *src;
    if (!start_and_source(M, c, f, i, &cells, &room, &src) || !mark_writers(M, &cells) ||
        !run(M, &cells, src))
        return false;
    *out = (value){.tag = VAL_PULL, .pull = &cells.array->p};
    return true;
}

bool eval_SCATTERLAST(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    return eval_SCATTER(M, c, f, i, out);
}

bool eval_SCATTERANY(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    return eval_SCATTER(M, c, f, i, out);
}

/* ---- permute ---- */

/* The first position that is left out is named. */
static bool all_written(machine *M, const struct cells *cells)
{
    const pull *a = &cells->array->p;
    int64_t at[MAX_RANK];
    uint64_t i = 0;
    if (cells->arrived == a->count)
        return true;
    while (cells->writers[i])
        i++;
    eval_indices_of(i, a->dims, a->rank, at);
    return eval_fail(M, DIAG_EVAL_POSITION, cells->i->op,
                     "no element of this permute goes to position %s",
                     eval_show_index(at, a->rank).s);
}

bool eval_PERMUTE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    push room;
    const push *src = eval_as_push(M, i->op, operand_value(c, f, i->args[i->nargs - 1]), &room);
    uint64_t *dims, count;
    struct cells cells = {.array = eval_stored_new(M), .i = i, .env = f};
    if (!cells.array || !src || !eval_extents(M, c, f, i, &dims, &count) ||
        !eval_check_level(M, src, i->op))
        return false;
    pull *a = &cells.array->p;
    memcpy(cells.array->dims, dims, i->rank * sizeof *dims);
    a->rank = i->rank;
    a->count = count;
    if (!mark_writers(M, &cells) || !eval_buffer_reserve(M, a->data, count) ||
        !run(M, &cells, src) || !all_written(M, &cells))
        return false;
    *out = (value){.tag = VAL_PULL, .pull = a};
    return true;
}
