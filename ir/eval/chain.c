/* chain and compact: the chunks are computed one after the other, so what a chunk looks at is
 * there: the combination of everything up to an earlier one.
 *
 * One after the other is one of the orders in which a device may run the blocks, and the one in
 * which every look finds status 2: programs must give the same result in all of them. */
#include "ir/eval/value.h"

#include <inttypes.h>

enum { OWN, COMBINED, BEFORE, CHUNK }; /* the regions */

/* The combinations up to each of the chunks so far, and what stands before the first: one of each,
 * or one for each place of an array. */
struct records {
    buffer *upto;
    uint64_t chunks;
    const value *start;
};

static bool has_places(const struct records *r)
{
    return r->start->tag == VAL_PULL;
}

static uint64_t count_places(const struct records *r)
{
    return has_places(r) ? r->start->pull->dims[0] : 1;
}

/* Element i of v, where chunks have an array each; else v. */
static bool at_place(machine *M, const struct records *r, ir_op op, const value *v, uint64_t i,
                     value *out)
{
    int64_t at = (int64_t)i;
    *out = *v;
    if (!has_places(r))
        return true;
    if (v->tag != VAL_PULL)
        return eval_stuck(M, op, v, "an array of summaries");
    if (i >= v->pull->dims[0])
        return eval_fail(M, DIAG_EVAL_INDEX, op,
                         "index %" PRId64 " of an array of %" PRIu64 " elements", at,
                         v->pull->dims[0]);
    return eval_pull_element(M, v->pull, &at, out);
}

/* (status, record); status 2 says that everything up to chunk j is in it.  Looking at one's own
 * chunk or a later one could wait for ever on a device, so it is refused. */
bool eval_chain_look(machine *M, const struct records *r, ir_op op, const value *given, value *out)
{
    value *items = stack_alloc(M, 2 * sizeof *items);
    int64_t j = (int64_t)given[0].bits;
    uint64_t i = has_places(r) ? given[1].bits : 0;
    if (!items)
        return false;
    if (j >= 0 && (uint64_t)j >= r->chunks)
        return eval_fail(M, DIAG_EVAL_LOOK, op,
                         "chunk %" PRIu64 " of a chain looks at chunk %" PRId64, r->chunks, j);
    items[0] = int_value(2);
    *out = (value){.tag = VAL_TUPLE, .n = 2, .items = items};
    if (!at_place(M, r, op, r->start, i, &items[1]))
        return false;
    return j < 0 || eval_buffer_get(M, r->upto, (uint64_t)j * count_places(r) + i, &items[1]);
}

/* A function that no region is the body of: `looked` tells the caller what to do instead. */
static bool look_function(machine *M, const struct records *r, value *out)
{
    static const code one = {.nparams = 1}, two = {.nparams = 2};
    eval_closure *room = stack_alloc(M, sizeof *room);
    if (!room)
        return false;
    *room = (eval_closure){.body = has_places(r) ? &two : &one, .looked = r};
    *out = (value){.tag = VAL_FUN, .fun = room};
    return true;
}

/* ---- one chunk ---- */

static bool run(machine *M, const push *p, uint32_t which, const value *args, uint32_t n,
                value *out)
{
    return eval_region_value(M, p->code->region + which, p->env, args, n, out);
}

static bool find_before(machine *M, const push *p, const struct records *r, value *out)
{
    value args[] = {int_value((int64_t)r->chunks), {0}};
    return look_function(M, r, &args[1]) && run(M, p, BEFORE, args, 2, out);
}

static bool publish_place(machine *M, const push *p, struct records *r, uint64_t i,
                          const value *before, const value *summary)
{
    value args[2], upto;
    return at_place(M, r, p->op, before, i, &args[0]) &&
           at_place(M, r, p->op, summary, i, &args[1]) && run(M, p, COMBINED, args, 2, &upto) &&
           eval_buffer_put(M, r->upto, r->chunks * count_places(r) + i, &upto);
}

/* For each place a single thread combines what stands before the chunk with its summary. */
static bool publish(machine *M, const push *p, struct records *r, const value *before,
                    const value *summary)
{
    uint32_t here = M->here;
    M->here = LEVEL_THREAD;
    bool ok = true;
    for (uint64_t i = 0; ok && i < count_places(r); i++)
        ok = publish_place(M, p, r, i, before, summary);
    M->here = here;
    return ok;
}

/* In the order in which a block of compiled code works: summary, what is before, record,
 * elements. */
static bool make_chunk(machine *M, const push *p, struct records *r, value *chunk)
{
    value own, before, number = int_value((int64_t)r->chunks);
    if (!run(M, p, OWN, &number, 1, &own))
        return false;
    if (own.tag != VAL_TUPLE || own.n != 2)
        return eval_stuck(M, p->op, &own, "a summary and the rest");
    if (!find_before(M, p, r, &before) || !publish(M, p, r, &before, &own.items[0]))
        return false;
    value args[] = {number, before, own.items[1]};
    bool ok = run(M, p, CHUNK, args, 3, chunk);
    r->chunks++;
    return ok;
}

static bool write_chunk(machine *M, const push *p, struct records *r, const sink *s)
{
    value chunk;
    uint64_t k = r->chunks, length = 0;
    sink below = {.kind = SINK_BELOW, .next = s, .base = p->dims[0]};
    sink shift = {.kind = SINK_SHIFT, .next = &below, .base = k * p->chunk};
    if (!make_chunk(M, p, r, &chunk))
        return false;
    if (chunk.tag != VAL_PUSH)
        return eval_stuck(M, p->op, &chunk, "a push array as chunk");
    return eval_push_run(M, chunk.push, &shift, &length) && eval_check_stated(M, p, k, length);
}

/* ---- all of them ---- */

typedef bool write_one(machine *M, const push *p, struct records *r, const void *to);

/* Records live in a buffer below each chunk's mark. */
static bool run_all(machine *M, const push *p, write_one *write, const void *to)
{
    mark start = stack_mark(M);
    struct records r = {.upto = eval_buffer_new(M), .start = p->state};
    uint64_t m = (p->dims[0] + p->chunk - 1) / p->chunk;
    uint32_t here = M->here;
    M->here = LEVEL_BLOCK;
    bool ok = r.upto != NULL;
    while (ok && r.chunks < m) {
        mark k = stack_mark(M);
        ok = write(M, p, &r, to);
        stack_release(M, k);
    }
    M->here = here;
    stack_release(M, start);
    return ok;
}

static bool write_to_sink(machine *M, const push *p, struct records *r, const void *to)
{
    return write_chunk(M, p, r, to);
}

bool eval_chain_run(machine *M, const push *p, const sink *s, uint64_t *count)
{
    *count = p->dims[0];
    return eval_sink_reserve(M, s, p->dims[0]) && run_all(M, p, write_to_sink, s);
}

/* The operands of a chain or compact. */
static push *chain_new(machine *M, const code *c, eval_frame *f, const inst *i)
{
    uint64_t *dims, count;
    int64_t chunk = (int64_t)operand_value(c, f, i->b)->bits;
    push *p = stack_alloc(M, sizeof *p);
    inst one = *i;
    one.rank = 1;
    if (!p || !eval_extents(M, c, f, &one, &dims, &count))
        return NULL;
    if (chunk < 1) {
        eval_fail(M, DIAG_EVAL_CHUNK_SIZE, i->op, "the chunk length of this %s is %" PRId64,
                  ir_op_info(i->opcode)->name, chunk);
        return NULL;
    }
    *p = (push){.kind = PUSH_CHAIN,
                .rank = 1,
                .height = LEVEL_GRID,
                .op = i->op,
                .code = code_of(M, i->regions),
                .env = f,
                .dims = dims,
                .chunk = (uint64_t)chunk,
                .state = operand_value(c, f, i->args[2])};
    return p->code ? p : NULL;
}

bool eval_CHAIN(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    push *p = chain_new(M, c, f, i);
    *out = (value){.tag = VAL_PUSH, .push = p};
    return p != NULL;
}

/* ---- compact ---- */

/* The arrays so far. */
typedef struct compacted {
    stored *arrays[UINT8_MAX];
    uint32_t n;
} compacted;

/* An array's part of chunk k goes where the array ends. */
static bool append(machine *M, const push *p, uint64_t k, const value *pair, stored *a)
{
    uint64_t length = 0;
    if (pair->tag != VAL_TUPLE || pair->n != 2 || pair->items[1].tag != VAL_PUSH)
        return eval_stuck(M, p->op, pair, "a position and a push array");
    int64_t at = (int64_t)pair->items[0].bits;
    if (at < 0 || (uint64_t)at != a->p.count)
        return eval_fail(M, DIAG_EVAL_COMPACT, p->op,
                         "chunk %" PRIu64 " of this compact begins at %" PRId64
                         ", and the chunks before it have %" PRIu64 " elements",
                         k, at, a->p.count);
    sink store = eval_sink_store(M, a->p.data, p->op, 1);
    sink shift = {.kind = SINK_SHIFT, .next = &store, .base = a->p.count};
    if (!eval_push_run(M, pair->items[1].push, &shift, &length))
        return false;
    a->p.count += length;
    a->dims[0] = a->p.count;
    if (length <= p->chunk && a->p.count <= p->dims[0])
        return true;
    return eval_fail(M, DIAG_EVAL_COMPACT, p->op,
                     "chunk %" PRIu64 " of this compact has %" PRIu64
                     " elements; chunks have %" PRIu64 " at most, and all of them %" PRIu64,
                     k, length, p->chunk, p->dims[0]);
}

static bool append_chunk(machine *M, const push *p, struct records *r, const void *to)
{
    const compacted *all = to;
    value v;
    uint64_t k = r->chunks;
    if (!make_chunk(M, p, r, &v))
        return false;
    if (all->n == 1)
        return append(M, p, k, &v, all->arrays[0]);
    for (uint32_t i = 0; i < all->n; i++)
        if (v.tag != VAL_TUPLE || v.n != all->n || !append(M, p, k, &v.items[i], all->arrays[i]))
            return false;
    return true;
}

/* As many arrays as the type of the result says. */
bool eval_COMPACT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    const type_node t = *ir_type_at(M->m, ir_value_at(M->m, ir_op_at(M->m, i->op)->result)->type);
    compacted all = {.n = t.kind == TY_TUPLE && t.n < UINT8_MAX ? t.n : 1};
    push *p = chain_new(M, c, f, i);
    value *items = stack_alloc(M, all.n * sizeof *items);
    for (uint32_t k = 0; k < all.n; k++) {
        if (!p || !items || !(all.arrays[k] = eval_stored_new(M)))
            return false;
        all.arrays[k]->p.rank = 1;
        all.arrays[k]->dims[0] = 0;
        items[k] = (value){.tag = VAL_PULL, .pull = &all.arrays[k]->p};
    }
    if (!eval_check_level(M, p, i->op) || !run_all(M, p, append_chunk, &all))
        return false;
    *out = all.n == 1 ? items[0] : (value){.tag = VAL_TUPLE, .n = (uint16_t)all.n, .items = items};
    return true;
}
