/* update: elements written side by side into an array that nobody uses any more.  The checker has
 * seen to that (check/consume.c), so they are written where they are: the cost is theirs. */
#include "ir/eval/value.h"

#include <inttypes.h>

struct overwriting {
    const pull *array;
    const inst *i;
    int64_t start[MAX_RANK];
    uint64_t dims[MAX_RANK]; /* of what is put there */
};

static bool outside(machine *M, const struct overwriting *w, uint64_t number, const int64_t *ix)
{
    const pull *a = w->array;
    int64_t extents[MAX_RANK];
    for (uint32_t k = 0; k < a->rank; k++)
        extents[k] = (int64_t)a->dims[k];
    return eval_fail(M, DIAG_EVAL_POSITION, w->i->op,
                     "element %" PRIu64
                     " of this update goes to position %s of an array of %s elements",
                     number, eval_show_index(ix, a->rank).s, eval_show_index(extents, a->rank).s);
}

bool eval_overwrite(machine *M, const struct overwriting *w, uint64_t position, const value *v)
{
    int64_t at[MAX_RANK];
    uint64_t to;
    eval_indices_of(position, w->dims, w->array->rank, at);
    for (uint32_t k = 0; k < w->array->rank; k++)
        at[k] += w->start[k];
    return eval_linear(at, w->array->dims, w->array->rank, &to)
               ? eval_buffer_put(M, w->array->data, to, v)
               : outside(M, w, position, at);
}

/* What the elements are computed from goes when they are written. */
static bool run(machine *M, struct overwriting *w, const push *p)
{
    sink all = {.kind = SINK_OVERWRITE, .overwriting = w, .op = w->i->op};
    uint64_t count;
    mark k = stack_mark(M);
    bool ok = (p->rank == 1 || eval_push_dims(M, p, w->dims)) && eval_push_run(M, p, &all, &count);
    stack_release(M, k);
    return ok;
}

/* Elements of a pull array may be computed from what is overwritten: they are all there before the
 * first is. */
static const push *new_elements(machine *M, const inst *i, const value *v, push *room)
{
    stored *s = v->tag == VAL_PULL ? eval_stored_new(M) : NULL;
    if (v->tag == VAL_PULL && (!s || !eval_stored_write(M, i->op, v, s)))
        return NULL;
    value in_memory = {.tag = VAL_PULL, .pull = s ? &s->p : NULL};
    return eval_as_push(M, i->op, s ? &in_memory : v, room);
}

/* The array that is overwritten: a copy, where it is not the update's own. */
static const pull *own_array(machine *M, const inst *i, const value *a)
{
    stored *s = ir_copies(M->m, i->op) ? eval_stored_new(M) : NULL;
    if (s)
        return eval_stored_write(M, i->op, a, s) ? &s->p : NULL;
    if (a->tag == VAL_PULL && a->pull->kind == PULL_DATA && !a->pull->data->borrowed)
        return a->pull;
    eval_stuck(M, i->op, a, "an array in memory");
    return NULL;
}

bool eval_UPDATE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const value *a = operand_value(c, f, i->a), *v = operand_value(c, f, i->args[i->nargs - 1]);
    struct overwriting w = {.i = i};
    push room;
    w.array = own_array(M, i, a);
    if (!w.array)
        return false;
    mark before = stack_mark(M);
    const push *p = new_elements(M, i, v, &room);
    for (uint32_t k = 0; k + 2 < i->nargs && k < MAX_RANK; k++)
        w.start[k] = (int64_t)operand_value(c, f, i->args[k + 1])->bits;
    bool ok = p && eval_check_level(M, p, i->op) && run(M, &w, p);
    stack_release(M, before);
    *out = (value){.tag = VAL_PULL, .pull = w.array};
    return ok;
}
