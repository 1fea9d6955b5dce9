/* Parts of push arrays while evaluating, and what is put behind them: take, drop, pad.
 *
 * The source runs as it is, into a sink that lets through what is wanted; elements of a pull array
 * that are not are not computed. */
#include "ir/eval/value.h"

/* Elements of a row: of all axes but the first. */
static uint64_t row_of(const uint64_t *dims, uint32_t rank)
{
    uint64_t n = 1;
    for (uint32_t k = 1; k < rank; k++)
        n *= dims[k];
    return n;
}

static uint64_t at_most(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

void eval_part_dims(const push *p, uint64_t *dims)
{
    uint64_t fewer = at_most(p->rows, dims[0]);
    if (p->kind == PUSH_PAD)
        dims[0] = p->rows > dims[0] ? p->rows : dims[0];
    else
        dims[0] = p->kind == PUSH_TAKE ? fewer : dims[0] - fewer;
}

/* What is behind the first `from` elements. */
static bool fill(machine *M, const push *p, const sink *s, uint64_t from, uint64_t to)
{
    bool ok = eval_sink_reserve(M, s, to);
    for (uint64_t i = from; ok && i < to; i++) {
        mark k = stack_mark(M);
        if (!eval_enter(M))
            return false;
        ok = !eval_sink_wants(s, i) || eval_sink_put(M, s, i, p->state);
        M->depth--;
        stack_release(M, k);
    }
    return ok;
}

/* Elements that are put behind are written by threads, like others. */
static bool run_pad(machine *M, const push *p, const sink *s, uint64_t from, uint64_t to)
{
    uint64_t arrived;
    uint32_t here = M->here;
    if (!eval_push_run(M, p->source, s, &arrived))
        return false;
    M->here = LEVEL_THREAD;
    bool ok = fill(M, p, s, from, to);
    M->here = here;
    return ok;
}

bool eval_part_run(machine *M, const push *p, const sink *s, uint64_t *count)
{
    uint64_t dims[MAX_RANK], arrived;
    if (!eval_push_dims(M, p->source, dims) || !eval_enter(M))
        return false;
    uint64_t row = row_of(dims, p->rank), before = dims[0];
    eval_part_dims(p, dims);
    *count = dims[0] * row;
    sink part = {.kind = SINK_PART, .next = s, .count = *count};
    part.base = p->kind == PUSH_DROP ? (before - dims[0]) * row : 0;
    bool ok = p->kind == PUSH_PAD ? run_pad(M, p, s, before * row, *count)
                                  : eval_push_run(M, p->source, &part, &arrived);
    M->depth--;
    return ok;
}

/* p: which operand is the array. */
static push *part_new(machine *M, push_kind k, const code *c, eval_frame *f, const inst *i,
                      uint32_t of)
{
    int64_t rows = (int64_t)operand_value(c, f, i->args[0])->bits;
    const value *v = operand_value(c, f, i->args[of]);
    push *p = stack_alloc(M, sizeof *p);
    if (!p)
        return NULL;
    if (v->tag != VAL_PUSH) {
        eval_stuck(M, i->op, v, "a push array");
        return NULL;
    }
    *p = (push){.kind = (uint8_t)k,
                .rank = v->push->rank,
                .height = v->push->height,
                .op = i->op,
                .source = v->push,
                .rows = rows > 0 ? (uint64_t)rows : 0};
    return p;
}

bool eval_TAKE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const push *p = part_new(M, PUSH_TAKE, c, f, i, 1);
    *out = (value){.tag = VAL_PUSH, .push = p};
    return p != NULL;
}

bool eval_DROP(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const push *p = part_new(M, PUSH_DROP, c, f, i, 1);
    *out = (value){.tag = VAL_PUSH, .push = p};
    return p != NULL;
}

bool eval_PAD(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    push *p = part_new(M, PUSH_PAD, c, f, i, 2);
    value *x = stack_alloc(M, sizeof *x);
    if (!p || !x)
        return false;
    *x = *operand_value(c, f, i->args[1]);
    p->state = x;
    *out = (value){.tag = VAL_PUSH, .push = p};
    return true;
}
