/* All elements of a pull array, in their order: a batch at a time where that can be done
 * (batch.c), else each by itself.
 *
 * Whoever visits sees no difference but in time: programs are pure, and a batch in which anything
 * fails is refused as a whole. */
#include "ir/base/context.h"
#include "ir/eval/lanes.h"

#include <string.h>

/* Fewer elements than FEW are not worth a batch.  A region that has refused so many batches, one
 * after the other, is asked again after one visit, then two, then four: what it reads may be there
 * then, where that cannot be computed in lanes. */
enum { FEW = 8, REFUSALS = 4, LONGEST_PAUSE = 16 };

static bool pauses(code *c)
{
    if (c->refused < REFUSALS || !c->pause)
        return false;
    c->pause--;
    return true;
}

static void refuse(code *c)
{
    uint32_t more = c->refused < REFUSALS ? 0 : c->refused - (uint32_t)REFUSALS;
    c->pause = (uint32_t)1 << (more < LONGEST_PAUSE ? more : LONGEST_PAUSE);
    c->refused = c->refused < UINT8_MAX ? (uint8_t)(c->refused + 1) : c->refused;
}

bool eval_visit_begin(machine *M, const pull *p, visit *v)
{
    *v = (visit){.M = M, .p = p};
    if ((p->kind != PULL_GENERATE && p->kind != PULL_MAP) || p->count < FEW || !p->code->in_lanes ||
        pauses(M->by_region[p->code->region]) || !eval_batch_has_room(M))
        return true;
    uint32_t n = lanes_room(p->count < LANES ? (uint32_t)p->count : LANES);
    char *room = stack_alloc(M, (size_t)n * 8 * VISIT_COLUMNS);
    for (uint32_t k = 0; room && k < VISIT_COLUMNS; k++)
        v->columns[k] = room + (size_t)n * 8 * k;
    v->in_lanes = true;
    return room != NULL;
}

/* ---- keeping a batch ---- */

static void keep_column(visit *v, const lanes *x)
{
    scalar t = (scalar)x->one.type;
    void *to = v->columns[v->ncolumns++];
    if (x->column)
        memcpy(to, x->column, (size_t)v->n * ir_scalar_bytes(t));
    else
        eval_lanes_fill(t, to, x->one.bits, v->n);
}

/* False for what has no form as an element of memory has, or too many columns. */
static bool keep(visit *v, const lanes *x)
{
    bool tuple = x->one.tag == VAL_TUPLE;
    if ((!tuple && x->one.tag != VAL_SCALAR) || v->nshape == 2 * VISIT_COLUMNS ||
        (!tuple && v->ncolumns == VISIT_COLUMNS))
        return false;
    v->shape[v->nshape++] = tuple ? (uint32_t)SHAPE_TUPLE + x->one.n : x->one.type;
    if (!tuple)
        keep_column(v, x);
    for (uint32_t k = 0; tuple && k < x->one.n; k++) {
        lanes part = eval_lanes_part(x, k);
        if (!keep(v, &part))
            return false;
    }
    return true;
}

/* Elements from i on.  A batch that is refused is done one by one. */
static bool next_batch(visit *v, uint64_t i)
{
    uint64_t rest = v->p->count - i;
    bool oom = v->M->mm->oom;
    code *c = v->M->by_region[v->p->code->region];
    lanes got;
    mark k = stack_mark(v->M);
    v->first = i;
    v->n = rest < LANES ? (uint32_t)rest : LANES;
    v->nshape = v->ncolumns = 0;
    bool ok = eval_batch(v->M, v->p, i, v->n, &got) && keep(v, &got);
    stack_release(v->M, k);
    if (ok)
        c->refused = 0;
    else
        refuse(c);
    v->in_lanes = ok || c->refused < REFUSALS;
    v->failed = v->M->mm->oom && !oom;
    if (!ok)
        v->ncolumns = 0;
    return ok;
}

/* Whether element i is in a batch, as far as that is known. */
static bool is_there(visit *v, uint64_t i)
{
    if (i - v->first < v->n)
        return v->ncolumns != 0;
    return v->in_lanes && next_batch(v, i);
}

/* ---- elements ---- */

static bool read(const visit *v, uint32_t i, uint32_t *shape, uint32_t *column, value *out)
{
    uint32_t form = v->shape[(*shape)++];
    if (form < SHAPE_TUPLE) {
        *out = scalar_value((scalar)form, eval_lane((scalar)form, v->columns[(*column)++], i));
        return true;
    }
    uint16_t n = (uint16_t)(form - SHAPE_TUPLE);
    value *items = stack_alloc(v->M, n * sizeof *items);
    for (uint32_t k = 0; items && k < n; k++)
        if (!read(v, i, shape, column, &items[k]))
            return false;
    *out = (value){.tag = VAL_TUPLE, .n = n, .items = items};
    return items != NULL;
}

bool eval_visit_nth(visit *v, uint64_t i, value *out)
{
    uint32_t shape = 0, column = 0;
    if (is_there(v, i))
        return read(v, (uint32_t)(i - v->first), &shape, &column, out);
    return !v->failed && eval_pull_nth(v->M, v->p, i, out);
}

/* ---- folding ---- */

/* The operator, where a region of two parameters applies one to them and to nothing else. */
static bool is_one_operator(const code *c, opcode *op)
{
    const inst *i = c->insts;
    if (!ir_op_info(i->opcode)->is_scalar || i->step == STEP_CHECKED || i->nargs != 2 ||
        (i[1].step != OP_YIELD && i[1].step != OP_RETURN))
        return false;
    operand x = i->args[0], y = i->args[1], r = i[1].a;
    *op = (opcode)i->opcode;
    return x.depth == 0 && y.depth == 0 && r.depth == 0 && x.slot == c->params[0] &&
           y.slot == c->params[1] && r.slot == i->dst;
}

/* A step for each, as regions take. */
static bool may_go_on(machine *M, uint32_t n)
{
    const fcl_context *cx = M->m->cx;
    if (!eval_batch_has_room(M) || M->depth >= cx->limits.call_depth || context_is_cancelled(cx))
        return false;
    M->steps -= n;
    return true;
}

/* A column of scalars that lie side by side, from element i on; 0: there is none. */
typedef struct stretch {
    const void *at;
    uint32_t n;
    scalar type;
} stretch;

static stretch in_memory(const pull *p, uint64_t i)
{
    const uint32_t *shape = p->data->shape;
    scalar t = (scalar)(shape ? shape[0] : ST_NONE);
    if (!shape || shape[0] >= SHAPE_TUPLE)
        return (stretch){0};
    uint64_t rest = p->count - i;
    const char *from = p->data->columns[0].data;
    return (stretch){from + i * ir_scalar_bytes(t), rest < LANES ? (uint32_t)rest : LANES, t};
}

static stretch stretch_of(visit *v, uint64_t i)
{
    if (v->p->kind == PULL_DATA)
        return in_memory(v->p, i);
    if (!is_there(v, i) || v->nshape != 1 || v->shape[0] >= SHAPE_TUPLE)
        return (stretch){0};
    scalar t = (scalar)v->shape[0];
    uint64_t first = i - v->first;
    return (stretch){(const char *)v->columns[0] + first * ir_scalar_bytes(t), v->n - (uint32_t)first, t};
}

uint32_t eval_visit_fold(visit *v, uint64_t i, uint64_t end, const code *c, value *acc)
{
    opcode op;
    if (acc->tag != VAL_SCALAR || !is_one_operator(c, &op) || ir_op_info(op)->result_bool)
        return 0;
    stretch s = stretch_of(v, i);
    uint32_t n = s.n < end - i ? s.n : (uint32_t)(end - i);
    if (!n || s.type != (scalar)acc->type || !may_go_on(v->M, n))
        return 0;
    acc->bits = eval_lanes_fold(op, s.type, acc->bits, s.at, n);
    return n;
}
