/* Push arrays while evaluating: making them and visiting their elements (rules 36-38, 40-42).
 *
 * A run sends every element with its position to a sink.  While elements are computed the location
 * is a thread; while the chunks of a concat or interleave are computed, it is the level of the
 * chunks.
 *
 * A push array is a defunctionalised producer and a sink a defunctionalised writer: their kinds
 * are data, with a case each in eval_push_run and eval_sink_put, where Obsidian has functions.
 * Composed arrays build a chain of sinks, and elements pass through it one at a time. */
#include "ir/eval/lanes.h"

#include <inttypes.h>

/* ---- sinks ---- */

/* The limit is that of memory, reported where memory is written. */
static bool too_many(machine *M, const sink *s)
{
    return eval_fail(M, DIAG_EVAL_EXTENT, s->op,
                     "an array in memory would have more than %" PRIu64 " elements", s->most);
}

/* Arrays of rank 1 hold what an int counts at most, others what the options allow. */
sink eval_sink_store(const machine *M, buffer *out, ir_op at, uint32_t rank)
{
    uint64_t most = rank > 1 || M->max_elements < MAX_EXTENT ? M->max_elements : MAX_EXTENT;
    return (sink){.kind = SINK_STORE, .out = out, .op = at, .most = most};
}

/* What the sinks on the way add to or cut off the positions is added up; behind a permutation or a
 * combination nothing is known. */
bool eval_sink_reserve(machine *M, const sink *s, uint64_t n)
{
    for (; s->kind != SINK_STORE; s = s->next) {
        if (s->kind == SINK_PLACE || s->kind == SINK_COMBINE || s->kind == SINK_OVERWRITE)
            return true;
        n += s->kind == SINK_SHIFT ? s->base : 0;
        n = s->kind == SINK_BELOW && n > s->base ? s->base : n;
        if (s->kind == SINK_PART)
            n = n < s->base ? 0 : n - s->base < s->count ? n - s->base : s->count;
    }
    return n <= s->most ? eval_buffer_reserve(M, s->out, n) : too_many(M, s);
}

/* Runs at the level of the elements, which is thread. */
static bool put_mapped(machine *M, const sink *s, uint64_t position, const value *v)
{
    value x;
    eval_frame *f = eval_frame_new(M, s->code, s->env);
    if (!f)
        return false;
    f->slots[s->code->params[0]] = *v;
    return eval_region_run(M, s->code, f, stack_mark(M), &x) &&
           eval_sink_put(M, s->next, position, &x);
}

/* What a part of an array leaves out need not be computed. */
bool eval_sink_wants(const sink *s, uint64_t position)
{
    for (; s->kind == SINK_MAP || s->kind == SINK_SHIFT || s->kind == SINK_PART; s = s->next) {
        if (s->kind == SINK_PART && (position < s->base || position - s->base >= s->count))
            return false;
        position += s->kind == SINK_SHIFT ? s->base : 0;
        position -= s->kind == SINK_PART ? s->base : 0;
    }
    return true;
}

static bool put_part(machine *M, const sink *s, uint64_t position, const value *v)
{
    return position < s->base || position - s->base >= s->count ||
           eval_sink_put(M, s->next, position - s->base, v);
}

/* Recursion follows the chain of sinks, which is as long as arrays are composed deep. */
bool eval_sink_put(machine *M, const sink *s, uint64_t position, const value *v)
{
    switch (s->kind) {
    case SINK_MAP: return put_mapped(M, s, position, v);
    case SINK_SHIFT: return eval_sink_put(M, s->next, s->base + position, v);
    case SINK_PLACE: return eval_place_put(M, s->place, s->next, position, v);
    case SINK_BELOW: return position >= s->base || eval_sink_put(M, s->next, position, v);
    case SINK_PART: return put_part(M, s, position, v);
    case SINK_COMBINE: return eval_cells_put(M, s->cells, position, v);
    case SINK_OVERWRITE: return eval_overwrite(M, s->overwriting, position, v);
    case SINK_STORE: break;
    }
    return position < s->most ? eval_buffer_put(M, s->out, position, v) : too_many(M, s);
}

/* ---- running ---- */

/* The stack goes back after each element, so memory does not grow with their number. */
static bool run_elements(machine *M, const pull *p, const sink *s)
{
    visit all;
    mark before = stack_mark(M);
    bool ok = eval_visit_begin(M, p, &all);
    for (uint64_t i = 0; ok && i < p->count; i++) {
        value v;
        if (!eval_sink_wants(s, i))
            continue;
        mark k = stack_mark(M);
        ok = eval_visit_nth(&all, i, &v) && eval_sink_put(M, s, i, &v);
        stack_release(M, k);
    }
    stack_release(M, before);
    return ok;
}

/* Columns of memory are copied as they are. */
static bool is_in_columns(const pull *p, const sink *s)
{
    return p->kind == PULL_DATA && s->kind == SINK_STORE && s->out != p->data;
}

/* Rules 40 and 41: each element is computed by a thread, whatever the level that shares them
 * out. */
static bool run_pull(machine *M, const push *p, const sink *s, uint64_t *count)
{
    uint32_t here = M->here;
    M->here = LEVEL_THREAD;
    bool ok = eval_sink_reserve(M, s, p->pull->count) &&
              (is_in_columns(p->pull, s)
                   ? eval_buffer_put_all(M, s->out, p->pull->data, p->pull->count)
                   : run_elements(M, p->pull, s));
    M->here = here;
    *count = p->pull->count;
    return ok;
}

/* The region's frames hang off the sink's environment, the source runs unchanged. */
static bool run_map(machine *M, const push *p, const sink *s, uint64_t *count)
{
    sink map = {.kind = SINK_MAP, .next = s, .code = p->code, .env = p->env};
    if (!eval_enter(M))
        return false;
    bool ok = eval_push_run(M, p->source, &map, count);
    M->depth--;
    return ok;
}

/* What it takes to find the chunk is done at the chunks' level already. */
bool eval_push_chunk(machine *M, const push *p, uint64_t j, const push **out)
{
    value v;
    uint32_t here = M->here;
    M->here = p->part;
    bool ok = eval_pull_nth(M, p->pull, j, &v);
    M->here = here;
    if (ok && v.tag != VAL_PUSH)
        return eval_stuck(M, p->op, &v, "a push array as chunk");
    *out = v.push;
    return ok;
}

/* Compiled code sets memory aside for chunks of the stated length. */
static bool check_chunk(machine *M, const push *p, uint64_t j, uint64_t length)
{
    if (length <= p->chunk)
        return true;
    eval_fail(M, DIAG_EVAL_CHUNK, p->op,
              "chunk %" PRIu64 " of this concat has %" PRIu64
              " elements; its chunks are said to have %" PRIu64,
              j, length, p->chunk);
    diag_hint(M->m->cx,
              "give concat the length that no chunk exceeds; chunks may be shorter than that");
    return false;
}

/* The chunk's positions begin where those before it ended; *base moves on. */
static bool run_chunk(machine *M, const push *p, uint64_t j, const sink *s, uint64_t *base)
{
    const push *q;
    uint64_t length = 0;
    uint32_t here = M->here;
    sink shift = {.kind = SINK_SHIFT, .next = s, .base = *base};
    if (!eval_push_chunk(M, p, j, &q))
        return false;
    M->here = p->part;
    bool ok = eval_push_run(M, q, &shift, &length);
    M->here = here;
    *base += length;
    return ok && check_chunk(M, p, j, length);
}

/* Rule 42, one group after the other: chunks cannot see each other, so the order does not
 * matter. */
static bool run_concat(machine *M, const push *p, const sink *s, uint64_t *count)
{
    bool ok = true;
    *count = 0;
    for (uint64_t j = 0; ok && j < p->pull->count; j++) {
        mark k = stack_mark(M);
        ok = run_chunk(M, p, j, s, count);
        stack_release(M, k);
    }
    return ok;
}

/* *count is the number of elements that arrived, whatever sinks dropped. */
bool eval_push_run(machine *M, const push *p, const sink *s, uint64_t *count)
{
    switch ((push_kind)p->kind) {
    case PUSH_PULL: return run_pull(M, p, s, count);
    case PUSH_MAP: return run_map(M, p, s, count);
    case PUSH_CONCAT: return run_concat(M, p, s, count);
    case PUSH_INTERLEAVE: return eval_place_run(M, p, s, count);
    case PUSH_SEQFOR: return eval_seqfor_run(M, p, s, count);
    case PUSH_MAPACCUM: return eval_mapaccum_run(M, p, s, count);
    case PUSH_CHAIN: return eval_chain_run(M, p, s, count);
    case PUSH_TAKE:
    case PUSH_DROP:
    case PUSH_PAD: return eval_part_run(M, p, s, count);
    }
    return false;
}

/* ---- lengths ---- */

/* The number of elements, without computing any. */
static bool push_length(machine *M, const push *p, uint64_t *n)
{
    uint64_t dims[MAX_RANK];
    if (!eval_push_dims(M, p, dims))
        return false;
    *n = 1;
    for (uint32_t k = 0; k < p->rank; k++)
        *n *= dims[k];
    return true;
}

/* Computes the chunk as an array, not its elements; it is dropped again. */
static bool chunk_length(machine *M, const push *p, uint64_t j, uint64_t *n)
{
    const push *q;
    mark k = stack_mark(M);
    bool ok = eval_push_chunk(M, p, j, &q) && push_length(M, q, n) && check_chunk(M, p, j, *n);
    stack_release(M, k);
    return ok;
}

/* Every chunk is asked for its length, once. */
static bool concat_length(machine *M, const push *p, uint64_t *n)
{
    uint64_t sum = 0, length;
    for (uint64_t j = 0; !p->total->known && j < p->pull->count; j++) {
        if (!chunk_length(M, p, j, &length))
            return false;
        sum += length;
    }
    if (!p->total->known)
        *p->total = (total){.n = sum, .known = true};
    *n = p->total->n;
    return *n <= MAX_EXTENT || eval_fail(M, DIAG_EVAL_EXTENT, p->op,
                                         "this concat has more than %d elements", MAX_EXTENT);
}

/* Recursion follows the composition of arrays, as when they are written. */
static bool part_dims(machine *M, const push *p, uint64_t dims[MAX_RANK])
{
    if (!eval_enter(M))
        return false;
    bool ok = eval_push_dims(M, p->source, dims);
    M->depth--;
    eval_part_dims(p, dims);
    return ok;
}

/* Only a concat has to look into its parts: everything else states its extents. */
bool eval_push_dims(machine *M, const push *p, uint64_t dims[MAX_RANK])
{
    while (p->kind == PUSH_MAP)
        p = p->source;
    if (p->kind == PUSH_CONCAT)
        return concat_length(M, p, dims);
    if (p->source)
        return part_dims(M, p, dims);
    for (uint32_t k = 0; k < p->rank; k++)
        dims[k] = p->kind == PUSH_PULL ? p->pull->dims[k] : p->dims[k];
    return true;
}

/* The extents of any array; a pull array's are stored. */
static bool dims_of(machine *M, const inst *i, const value *v, const uint64_t **dims,
                    uint32_t *rank, uint64_t room[MAX_RANK])
{
    *dims = v->tag == VAL_PULL ? v->pull->dims : room;
    *rank = v->tag == VAL_PULL ? v->pull->rank : v->push->rank;
    if (v->tag != VAL_PULL && v->tag != VAL_PUSH)
        return eval_stuck(M, i->op, v, "an array");
    return v->tag == VAL_PULL || eval_push_dims(M, v->push, room);
}

/* length and dim, lengthPull and lengthPush. */
bool eval_LENGTH(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    uint64_t room[MAX_RANK], n = 1;
    const uint64_t *dims;
    uint32_t rank;
    if (!dims_of(M, i, operand_value(c, f, i->a), &dims, &rank, room))
        return false;
    uint64_t axis = i->opcode == OP_DIM ? operand_value(c, f, i->b)->bits : 0;
    if (axis >= rank)
        return eval_fail(M, DIAG_EVAL_STUCK, i->op, "the array has no axis %" PRIu64, axis);
    for (uint32_t k = 0; k < rank; k++)
        n *= dims[k];
    if (i->opcode == OP_LENGTH && n > INT32_MAX)
        return eval_fail(M, DIAG_EVAL_EXTENT, i->op,
                         "the array has %" PRIu64 " elements, more than an int counts", n);
    *out = int_value((int64_t)(i->opcode == OP_DIM ? dims[axis] : n));
    return true;
}

/* ---- making ---- */

/* Level and extents are the caller's to fill in. */
static push *push_new(machine *M, push_kind k, const inst *i, const value *xs)
{
    push *p = stack_alloc(M, sizeof *p);
    if (!p)
        return NULL;
    if (xs->tag != VAL_PULL) {
        eval_stuck(M, i->op, xs, "a pull array");
        return NULL;
    }
    *p = (push){.kind = (uint8_t)k, .rank = i->rank, .op = i->op, .pull = xs->pull};
    return p;
}

/* The level decides nothing about the elements' values: it is for force to compare. */
bool eval_PUSH(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    push *p = push_new(M, PUSH_PULL, i, operand_value(c, f, i->a));
    if (!p)
        return false;
    p->rank = p->pull->rank;
    p->height = eval_level_height(c, f, &i->level);
    *out = (value){.tag = VAL_PUSH, .push = p};
    return true;
}

/* Rule 38: the concatenation is delayed until it is forced. */
bool eval_CONCAT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    int64_t chunk = (int64_t)operand_value(c, f, i->a)->bits;
    if (chunk < 0)
        return eval_fail(M, DIAG_EVAL_CHUNK_SIZE, i->op,
                         "the chunk length of this concat is %" PRId64, chunk);
    push *p = push_new(M, PUSH_CONCAT, i, operand_value(c, f, i->b));
    if (!p)
        return false;
    p->rank = 1;
    p->chunk = (uint64_t)chunk;
    p->total = stack_alloc(M, sizeof *p->total);
    if (!p->total)
        return false;
    *p->total = (total){0};
    p->height = eval_level_height(c, f, &i->level);
    p->part = p->height ? p->height - 1 : 0;
    *out = (value){.tag = VAL_PUSH, .push = p};
    return true;
}

bool eval_INTERLEAVE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    uint64_t *dims, count;
    if (!eval_extents(M, c, f, i, &dims, &count))
        return false;
    push *p = push_new(M, PUSH_INTERLEAVE, i, operand_value(c, f, i->args[i->nargs - 1]));
    if (!p || !(p->code = code_of(M, i->regions)))
        return false;
    p->env = f;
    p->dims = dims;
    p->height = eval_level_height(c, f, &i->level);
    p->part = i->opcode == OP_INTERLEAVE && p->height ? p->height - 1 : p->height;
    *out = (value){.tag = VAL_PUSH, .push = p};
    return true;
}
