/* Pull arrays while evaluating: making them, and asking for their elements, which are computed when
 * they are read (element.c). */
#include "ir/eval/value.h"

#include <inttypes.h>

/* ---- making ---- */

pull *eval_pull_new(machine *M, pull_kind k, uint32_t rank)
{
    struct {
        pull p;
        last_element last;
    } *both = stack_alloc(M, sizeof *both);
    if (!both)
        return NULL;
    both->p = (pull){.kind = (uint8_t)k, .rank = (uint8_t)rank, .last = &both->last};
    both->p.number = ++M->pulls;
    both->last = (last_element){.value = {.tag = VAL_NONE}};
    return &both->p;
}

bool eval_extents(machine *M, const code *c, eval_frame *f, const inst *i, uint64_t **dims,
                  uint64_t *count)
{
    uint64_t *d = stack_alloc(M, i->rank * sizeof *d), n = 1;
    for (uint32_t k = 0; d && k < i->rank; k++) {
        int64_t x = (int64_t)operand_value(c, f, i->args[k])->bits;
        if (x < 0)
            return eval_fail(M, DIAG_EVAL_EXTENT, i->op, "the extent of an array is %" PRId64, x);
        d[k] = (uint64_t)x;
        if (x > MAX_EXTENT)
            return eval_fail(M, DIAG_EVAL_EXTENT, i->op, "an array has more than %d elements",
                             MAX_EXTENT);
        if (x > 0 && n > (uint64_t)MAX_ELEMENTS / (uint64_t)x)
            return eval_fail(M, DIAG_EVAL_EXTENT, i->op,
                             "an array has more than %" PRId64 " elements", MAX_ELEMENTS);
        n *= (uint64_t)x;
    }
    *dims = d;
    *count = n;
    return d != NULL;
}

/* Captures the frame, a closure in all but name; the region is decoded now and runs for each
 * element. */
bool eval_GENERATE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    uint64_t *dims, count;
    if (!eval_extents(M, c, f, i, &dims, &count))
        return false;
    pull *p = eval_pull_new(M, PULL_GENERATE, i->rank);
    if (!p || !(p->code = code_of(M, i->regions)))
        return false;
    p->env = f;
    p->dims = dims;
    p->count = count;
    *out = (value){.tag = VAL_PULL, .pull = p};
    return true;
}

/* Operands that are constants lie in a row in the region's table: all of them do when the last is
 * as far behind the first as it can be. */
static bool is_table(const inst *i)
{
    const operand *first = i->args, *last = i->nargs ? &i->args[i->nargs - 1] : NULL;
    return last && first->depth == DEPTH_CONST && last->depth == DEPTH_CONST &&
           last->slot - first->slot == i->nargs - 1;
}

/* The operands are values already; only arrays among them are deferred further. */
bool eval_ARRAY(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    pull *p = eval_pull_new(M, PULL_LITERAL, 1);
    bool table = is_table(i);
    value *items = table ? NULL : stack_alloc(M, i->nargs * sizeof *items);
    uint64_t *dims = stack_alloc(M, sizeof *dims);
    if (!p || !dims || (!table && !items))
        return false;
    for (uint32_t k = 0; !table && k < i->nargs; k++)
        items[k] = *operand_value(c, f, i->args[k]);
    *dims = i->nargs;
    p->items = table ? &c->consts[i->args[0].slot] : items;
    p->dims = dims;
    p->count = i->nargs;
    *out = (value){.tag = VAL_PULL, .pull = p};
    return true;
}

/* The bytes stay where they are. */
bool eval_CONSTANT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    (void)c, (void)f;
    ir_data *d = stack_alloc(M, sizeof *d);
    uint64_t *dims = stack_alloc(M, MAX_RANK * sizeof *dims);
    if (!d || !dims)
        return false;
    *d = ir_op_data(M->m, i->op);
    pull *p = eval_pull_new(M, PULL_BYTES, d->rank);
    if (!p)
        return false;
    for (uint32_t k = 0; k < d->rank; k++)
        dims[k] = d->extents[k];
    p->bytes = d;
    p->dims = dims;
    p->count = d->count;
    *out = (value){.tag = VAL_PULL, .pull = p};
    return true;
}

/* Rule 36: fusion, as nothing is computed. */
static bool map_pull(machine *M, const pull *from, eval_frame *f, const inst *i, value *out)
{
    pull *p = eval_pull_new(M, PULL_MAP, from->rank);
    if (!p || !(p->code = code_of(M, i->regions)))
        return false;
    p->env = f;
    p->dims = from->dims;
    p->count = from->count;
    p->source = from;
    *out = (value){.tag = VAL_PULL, .pull = p};
    return true;
}

/* Rule 37.  The iteration stays that of the source. */
static bool map_push(machine *M, const push *from, eval_frame *f, const inst *i, value *out)
{
    push *p = stack_alloc(M, sizeof *p);
    if (!p)
        return false;
    *p = (push){.kind = PUSH_MAP,
                .rank = from->rank,
                .height = from->height,
                .op = i->op,
                .env = f,
                .source = from};
    p->code = code_of(M, i->regions);
    *out = (value){.tag = VAL_PUSH, .push = p};
    return p->code != NULL;
}

bool eval_MAP(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const value *v = operand_value(c, f, i->a);
    if (v->tag == VAL_PULL)
        return map_pull(M, v->pull, f, i, out);
    return v->tag == VAL_PUSH ? map_push(M, v->push, f, i, out)
                              : eval_stuck(M, i->op, v, "an array");
}

/* ---- elements ---- */

/* Reports the index and what it exceeds; false. */
static bool outside(machine *M, const inst *i, const pull *p, uint32_t axis, int64_t at)
{
    if (p->rank == 1)
        return eval_fail(M, DIAG_EVAL_INDEX, i->op,
                         "index %" PRId64 " of an array of %" PRIu64 " elements", at, p->dims[0]);
    return eval_fail(M, DIAG_EVAL_INDEX, i->op,
                     "index %" PRId64 " on axis %u, whose extent is %" PRIu64, at, axis,
                     p->dims[axis]);
}

/* The most frequent case by itself. */
static bool index_one_axis(machine *M, const inst *i, const pull *p, int64_t at, value *out)
{
    if ((uint64_t)at >= p->dims[0])
        return outside(M, i, p, 0, at);
    return p->kind == PULL_DATA ? eval_buffer_get(M, p->data, (uint64_t)at, out)
                                : eval_pull_element(M, p, &at, out);
}

/* Here and above a program's indices are compared with extents; whole arrays are visited in range
 * by construction. */
bool eval_INDEX(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    int64_t at[MAX_RANK];
    const value *v = operand_value(c, f, i->a);
    if (v->tag == VAL_PULL && v->pull->rank == 1 && i->nargs == 2)
        return index_one_axis(M, i, v->pull, (int64_t)operand_value(c, f, i->b)->bits, out);
    if (v->tag != VAL_PULL || v->pull->rank != i->nargs - 1)
        return eval_stuck(M, i->op, v, "a pull array of as many axes as there are indices");
    for (uint32_t k = 0; k < v->pull->rank; k++) {
        at[k] = (int64_t)operand_value(c, f, i->args[k + 1])->bits;
        if ((uint64_t)at[k] >= v->pull->dims[k])
            return outside(M, i, v->pull, k, at[k]);
    }
    return eval_pull_element(M, v->pull, at, out);
}
