/* Lowering of chain and compact: chunks that need a summary of everything before them.
 *
 * In one launch.  A block takes the number of its chunk from a counter, so that all earlier chunks
 * are in the hands of blocks that have started; waiting for them ends as long as blocks that have
 * started go on.  Thread 0 publishes the chunk's summary, and the combination with everything
 * before it once that is known; `look` reads what is there (chain/records.c).
 *
 * Where blocks may not wait for one another (k_device_facts.groups_wait), in three launches: every
 * block makes its summary; one block finds what stands before each chunk, with every record that it
 * looks at complete; every block computes its part again and makes its chunk.
 *
 * Where a chunk's summary is an array, every place of it has a record of its own, which a thread
 * publishes: threads beside one another those that lie so.
 *
 * A compact is such a chain, whose chunks say where they begin; the last one stores where it ends,
 * which the host reads back: the length of the array.
 *
 * This is decoupled look-back (the single-pass scan of Merrill and Garland), with the looking
 * left to the program: how far, how many records at once and how long to wait are its code. */
#include "ir/kernel/lower/chain/records.h"

enum { OWN, COMBINED, BEFORE, CHUNK }; /* the regions */

typedef struct chain {
    const sv *p;
    const writer *w;
    k_id n, c, m; /* elements, of a chunk; chunks */
    records r;
} chain;

/* Where the arrays of a compact go, of n elements each at most. */
struct compacted {
    uint32_t n;
    writer *writers;
    destination *dest;
    k_id *cells; /* memories of one element: the length, where there is a chunk */
};

/* What is known of a chunk's number k before any of its code is built. */
typedef struct chunk_place {
    k_id k, start, left; /* its first element; elements from there on */
} chunk_place;

/* ---- the regions ---- */

static const sv *run_part(lowering *L, const chain *ch, uint32_t which, const sv *const *args,
                          uint32_t n)
{
    const frame *env = ch->p->env;
    return lower_run_region(L, ch->p->region + which, ch->p->env, env->bound, args, n);
}

/* In the chunks' order: the function need not commute. */
static const sv *combined(lowering *L, const chain *ch, const sv *x, const sv *y)
{
    return run_part(L, ch, COMBINED, (const sv *[]){x, y}, 2);
}

/* Whether that is what goes from chunk to chunk: scalars, or an array of such where each place has
 * a record. */
static bool is_summary(const chain *ch, const sv *v)
{
    return ch->r.starts ? v->kind == SV_PULL && v->rank == 1 : sv_is_scalars(v);
}

/* Of a summary what the record of place i is made of. */
static const sv *at_place(lowering *L, const chain *ch, const sv *v, k_id i)
{
    return ch->r.starts ? lower_checked_element(L, v, &i, true) : v;
}

/* The summary of a chunk, and what is left to do with it. */
static bool run_own(lowering *L, const chain *ch, const chunk_place *at, const sv *out[2])
{
    const sv *own = run_part(L, ch, OWN, (const sv *[]){sv_scalar(L, at->k)}, 1);
    if (own->kind != SV_TUPLE || own->n != 2 || !is_summary(ch, own->items[0]))
        return lower_fail(L, DIAG_LOWER_INTERNAL,
                          "the first region of a chain does not give a summary");
    out[0] = own->items[0];
    out[1] = own->items[1];
    return true;
}

/* The region of the program that looks back; `look` is a function value that reads records. */
static const sv *run_before(lowering *L, const chain *ch, k_id k)
{
    sv *look = sv_new(L, SV_FN, FN_LOOK);
    look->records = &ch->r;
    const sv *v = run_part(L, ch, BEFORE, (const sv *[]){sv_scalar(L, k), look}, 2);
    if (!is_summary(ch, v))
        lower_fail(L, DIAG_LOWER_INTERNAL, "what stands before a chunk is no summary");
    return v;
}

/* Elements beyond the array are dropped, by a test only where the lengths do not tell. */
static void write_chunk(lowering *L, const chain *ch, const chunk_place *at, const sv *chunk)
{
    if (chunk->kind != SV_PUSH || !chunk->shape) {
        lower_fail(L, DIAG_LOWER_INTERNAL, "a chunk that is not a push array");
        return;
    }
    k_id limit = kb_min(&L->b, ch->c, at->left);
    writer inner = {.kind = WRITE_CHUNK, .outer = ch->w, .offset = at->start};
    inner.limit = ka_not_above(&L->b, chunk->shape[0], limit) ? 0 : limit;
    lower_emit_push(L, chunk, &inner);
}

/* One thread of the block; the others go on to the next barrier. */
static void open_thread(lowering *L)
{
    kb_open_par(&L->b, OVER_THREADS, kb_int(&L->b, 1));
    L->level = LEVEL_THREAD;
}

/* A thread for each record of a chunk; the number of its place. */
static k_id open_places(lowering *L, const chain *ch)
{
    k_id par = kb_open_par(&L->b, OVER_THREADS, ch->r.places);
    L->level = LEVEL_THREAD;
    return kb_param(&L->b, par, 0);
}

static void close_thread(lowering *L)
{
    kb_close(&L->b, NULL, 0);
    L->level = LEVEL_BLOCK;
}

/* v, computed in the kernel, is known to be no less than lo, and no extent is larger. */
static k_id at_least(lowering *L, k_id v, int64_t lo)
{
    if (k_at(L->b.p, v)->op != K_SCALAR || kb_is_host(&L->b, v))
        return v;
    k_state_range(L->b.p, v, lo, MAX_EXTENT);
    return v;
}

/* ---- chunks of a compact ---- */

/* One thread stores where the last chunk ends. */
static void store_end(lowering *L, const chain *ch, const chunk_place *at, k_id cell, k_id end)
{
    k_builder *b = &L->b;
    k_id one = kb_int(b, 1);
    open_thread(L);
    kb_open_if(b, kb_scalar(b, SOP_EQ, at->k, kb_sub(b, ch->m, one), 0));
    kb_store(b, cell, kb_int(b, 0), end);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
    close_thread(L);
}

/* A chunk of so many elements at most: a pull array that is pushed becomes shorter; false: what
 * is beyond is for the writer to drop. */
static bool shortened(lowering *L, const sv **chunk, k_id most)
{
    k_id n = (*chunk)->shape[0];
    if (ka_not_above(&L->b, n, most))
        return true;
    if ((*chunk)->form != PUSH_PULL)
        return false;
    k_id fewer = lower_extent(L, kb_min(&L->b, n, most));
    sv *q = sv_like(L, *chunk);
    q->shape = sv_ids(L, &fewer, 1);
    *chunk = q;
    return true;
}

/* Nothing is written outside the memory, whatever the program says of positions. */
static void append_chunk(lowering *L, const chain *ch, const chunk_place *at, const sv *pair,
                         uint32_t i)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0);
    if (pair->kind != SV_TUPLE || pair->n != 2 || pair->items[1]->kind != SV_PUSH ||
        !pair->items[1]->shape) {
        lower_fail(L, DIAG_LOWER_INTERNAL, "a chunk that is not a position and a push array");
        return;
    }
    const sv *chunk = pair->items[1];
    k_id start = kb_min(b, kb_max(b, pair->items[0]->v, zero), ch->n);
    k_id left = at_least(L, kb_sub(b, ch->n, start), 0);
    k_id most = kb_min(b, ch->c, left), length = kb_min(b, chunk->shape[0], most);
    store_end(L, ch, at, ch->p->compacted->cells[i], kb_add(b, start, length));
    writer inner = {.kind = WRITE_CHUNK, .outer = &ch->p->compacted->writers[i], .offset = start};
    inner.limit = shortened(L, &chunk, most) ? 0 : most;
    lower_emit_push(L, chunk, &inner);
}

static void emit_chunk(lowering *L, const chain *ch, const chunk_place *at, const sv *before,
                       const sv *rest)
{
    const sv *v = run_part(L, ch, CHUNK, (const sv *[]){sv_scalar(L, at->k), before, rest}, 3);
    const compacted *to = ch->p->compacted;
    if (!to)
        write_chunk(L, ch, at, v);
    for (uint32_t i = 0; to && i < to->n && !lower_failed(L); i++)
        append_chunk(L, ch, at, to->n == 1 ? v : v->kind == SV_TUPLE ? v->items[i] : sv_none(), i);
}

/* ---- launches ---- */

/* A launch of a block for each chunk; returns the block's number. */
static k_id open_blocks(lowering *L, const chain *ch)
{
    k_builder *b = &L->b;
    kb_open_launch(b, LEVEL_GRID, kb_int(b, 1), lower_launch_threads(L, LEVEL_GRID));
    k_id par = kb_open_par(b, OVER_BLOCKS, ch->m);
    L->level = LEVEL_BLOCK;
    return kb_param(b, par, 0);
}

static void close_blocks(lowering *L)
{
    kb_close(&L->b, NULL, 0);
    kb_close(&L->b, NULL, 0);
    L->level = LEVEL_GRID;
}

/* There is a chunk k, so it has a first element. */
static chunk_place place_of(lowering *L, const chain *ch, k_id k)
{
    chunk_place at = {.k = k, .start = at_least(L, kb_mul(&L->b, k, ch->c), 0)};
    at.left = at_least(L, kb_sub(&L->b, ch->n, at.start), 1);
    return at;
}

/* ---- one launch ---- */

/* A launch of its own: no barrier reaches across blocks.  Of `count` records; counter: 0 where it
 * counts on from run to run. */
static void clear_records(lowering *L, const chain *ch, k_id count, k_id counter)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0);
    kb_open_launch(b, LEVEL_GRID, kb_int(b, 1), lower_launch_threads(L, LEVEL_GRID));
    k_id i = kb_param(b, kb_open_par(b, OVER_GRID, count), 0);
    lower_records_clear(L, &ch->r, i);
    if (counter) {
        kb_open_if(b, kb_scalar(b, SOP_EQ, i, zero, 0));
        kb_store(b, counter, zero, zero);
        kb_next_block(b, NULL, 0);
        kb_close(b, NULL, 0);
    }
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* Those for which there is no room in memory that is kept. */
static void clear_others(lowering *L, const chain *ch)
{
    k_builder *b = &L->b;
    k_id count = kb_int(b, (int32_t)ch->r.nkept);
    kb_open_if(b, kb_lt(b, count, ch->m));
    clear_records(L, ch, kb_sub(b, ch->m, count), 0);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* Memory for the counter, and records that nobody has published yet. */
static k_id make_records(lowering *L, chain *ch)
{
    k_builder *b = &L->b;
    k_id one = kb_int(b, 1);
    lower_records_init(L, &ch->r, ch->m);
    if (ch->r.kept) {
        k_id counter = kb_alloc_at(b, 0, SPACE_GLOBAL, ST_U32, one);
        k_at(b->p, counter)->kept = true;
        if (ch->r.spills)
            clear_others(L, ch);
        return counter;
    }
    k_id counter = kb_alloc(b, SPACE_GLOBAL, ST_I32, one);
    clear_records(L, ch, lower_records_count(L, &ch->r, ch->m), counter);
    return counter;
}

/* The counter of chunks has the age of the run above their number.  Who takes the last number sets
 * it to the next age: nobody else takes one before the next launch. */
static void take_aged(lowering *L, const chain *ch, k_id counter, k_id taken, k_id taken_age)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0), one = kb_int(b, 1), bits = kb_const(b, ST_U32, RECORDS_BITS);
    k_id t = kb_atomic(b, ATOMIC_ADD, counter, zero, kb_const(b, ST_U32, 1), 0);
    k_id mask = kb_const(b, ST_U32, ((uint32_t)1 << RECORDS_BITS) - 1);
    k_id k = kb_convert(b, ST_I32, kb_scalar(b, SOP_AND, t, mask, 0));
    k_id age = kb_scalar(b, SOP_LSHR, t, bits, 0);
    kb_store(b, taken, zero, k);
    kb_store(b, taken_age, zero, age);
    kb_open_if(b, kb_scalar(b, SOP_EQ, k, kb_sub(b, ch->m, one), 0));
    k_id next = kb_scalar(b, SOP_ADD, age, kb_const(b, ST_U32, 1), 0);
    kb_atomic(b, ATOMIC_EXCHANGE, counter, zero, kb_scalar(b, SOP_SHL, next, bits, 0), 0);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* As many blocks take numbers as there are chunks. */
static k_id is_number(lowering *L, k_id k, k_id last)
{
    k_program *p = L->b.p;
    k_state_range(p, k, 0, k_hi(p, last) > 0 ? k_hi(p, last) : 0);
    k_state_bound(p, k, last);
    return k;
}

/* One thread takes the next number, and all of the block read it. */
static k_id take_number(lowering *L, chain *ch, k_id counter)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0), one = kb_int(b, 1), last = kb_sub(b, ch->m, one);
    k_id taken = kb_alloc(b, SPACE_LOCAL, ST_I32, one);
    k_id age = ch->r.kept ? kb_alloc(b, SPACE_LOCAL, ST_U32, one) : 0;
    open_thread(L);
    if (ch->r.kept)
        take_aged(L, ch, counter, taken, age);
    else
        kb_store(b, taken, zero,
                 is_number(L, kb_atomic(b, ATOMIC_ADD, counter, zero, one, 0), last));
    close_thread(L);
    kb_sync(b, LEVEL_BLOCK);
    k_id k = is_number(L, kb_load(b, taken, zero), last);
    if (ch->r.kept)
        ch->r.age = kb_load(b, age, zero);
    return k;
}

/* before: what stands before the chunk, to publish everything up to it; NULL: its summary is all
 * there is so far. */
static void publish(lowering *L, const chain *ch, k_id k, const sv *before, const sv *summary)
{
    k_id i = open_places(L, ch);
    const sv *v = at_place(L, ch, summary, i);
    if (before)
        v = combined(L, ch, at_place(L, ch, before, i), v);
    if (!lower_failed(L))
        lower_records_store(L, &ch->r, lower_record(L, &ch->r, k, i), before ? EVERYTHING : SUMMARY,
                            v);
    close_thread(L);
}

/* What stands before the chunk, which is published on the way. */
static const sv *find_before(lowering *L, const chain *ch, k_id k, const sv *summary)
{
    publish(L, ch, k, NULL, summary);
    const sv *before = run_before(L, ch, k);
    if (!lower_failed(L))
        publish(L, ch, k, before, summary);
    return before;
}

/* The order matters: a block holds a number before it waits for smaller ones. */
static void emit_in_one_launch(lowering *L, chain *ch)
{
    const sv *own[2];
    k_id counter = make_records(L, ch);
    open_blocks(L, ch);
    chunk_place at = place_of(L, ch, take_number(L, ch, counter));
    if (ch->r.kept)
        lower_records_age(L, &ch->r, at.k, ch->m);
    if (run_own(L, ch, &at, own))
        emit_chunk(L, ch, &at, find_before(L, ch, at.k, own[0]), own[1]);
    close_blocks(L);
}

/* ---- three launches ---- */

/* Memory for a summary from each chunk. */
static const sv *summaries(lowering *L, const chain *ch)
{
    k_id count = lower_records_count(L, &ch->r, ch->m);
    destination d = {.depth = kb_depth(&L->b), .space = SPACE_GLOBAL, .size = count};
    d.tree = lower_memory_tree(L, &d, ch->r.type);
    return lower_memory_array(L, &d, kb_int(&L->b, 0), sv_ids(L, &count, 1), 1, ch->r.type);
}

/* That of chunk k. */
static const sv *summary_in(lowering *L, const chain *ch, const sv *all, k_id k)
{
    if (!ch->r.starts)
        return sv_index(L, all, &k);
    sv *one = sv_like(L, all);
    one->v = kb_mul(&L->b, k, ch->r.places);
    one->shape = sv_ids(L, &ch->r.places, 1);
    return one;
}

/* As a force of one summary for each block. */
static void emit_summaries(lowering *L, const chain *ch, const sv *into)
{
    const sv *own[2];
    chunk_place at = place_of(L, ch, open_blocks(L, ch));
    if (run_own(L, ch, &at, own)) {
        k_id i = open_places(L, ch);
        const sv *v = at_place(L, ch, own[0], i);
        if (!lower_failed(L))
            lower_store_tree(L, into->src, lower_record(L, &ch->r, at.k, i), v);
        close_thread(L);
    }
    close_blocks(L);
}

/* For each record one thread stores what stands before the chunk and everything up to it; all see
 * it before they look at it. */
static void emit_befores(lowering *L, const chain *ch, const sv *sums, const sv *into)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0), one = kb_int(b, 1);
    kb_open_launch(b, LEVEL_BLOCK, one, lower_launch_threads(L, LEVEL_BLOCK));
    L->level = LEVEL_BLOCK;
    k_id s = kb_open_for(b, zero, ch->m, one, NULL, 0), k = kb_param(b, s, 0);
    const sv *before = run_before(L, ch, k);
    k_id i = open_places(L, ch), at = lower_record(L, &ch->r, k, i);
    const sv *here = lower_failed(L) ? NULL : at_place(L, ch, before, i);
    if (!lower_failed(L)) {
        lower_store_tree(L, into->src, at, here);
        lower_store_tree(L, ch->r.upto->src, at, combined(L, ch, here, sv_index(L, sums, &at)));
    }
    close_thread(L);
    kb_sync(b, LEVEL_BLOCK);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
    L->level = LEVEL_GRID;
}

/* The first region runs twice, since what it forced is gone with its launch. */
static void emit_in_phases(lowering *L, chain *ch)
{
    const sv *own[2], *sums = summaries(L, ch), *befores = summaries(L, ch);
    ch->r.form = COMPLETE;
    ch->r.upto = summaries(L, ch);
    emit_summaries(L, ch, sums);
    emit_befores(L, ch, sums, befores);
    chunk_place at = place_of(L, ch, open_blocks(L, ch));
    if (run_own(L, ch, &at, own))
        emit_chunk(L, ch, &at, summary_in(L, ch, befores, at.k), own[1]);
    close_blocks(L);
}

/* ---- the operator ---- */

/* c and the number of chunks, n / c rounded up; no step overflows. */
static void count_chunks(lowering *L, chain *ch)
{
    k_builder *b = &L->b;
    k_id one = kb_int(b, 1), before = kb_max(b, kb_sub(b, ch->n, one), kb_int(b, 0));
    ch->c = ch->p->v;
    ch->m = kb_min(b, kb_add(b, kb_scalar(b, SOP_DIV, before, ch->c, 0), one), ch->n);
}

void lower_emit_chain(lowering *L, const sv *p, const writer *w)
{
    chain ch = {.p = p, .w = w, .n = p->shape[0]};
    uint32_t level = L->level;
    count_chunks(L, &ch);
    lower_records_begin(L, &ch.r, p->src, p->type);
    if (!L->target.facts.groups_wait)
        emit_in_phases(L, &ch);
    else
        emit_in_one_launch(L, &ch);
    L->level = level;
}

/* The operands of a chain or compact. */
static sv *chain_value(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    sv *p = sv_new(L, SV_PUSH, PUSH_CHAIN);
    k_id extents = lower_stated_extent(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 0)));
    p->rank = 1;
    p->level = LEVEL_GRID;
    p->shape = sv_ids(L, &extents, 1);
    p->v = lower_chunk_length(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 1)), 1);
    p->src = lower_frame_value(L, f, ir_arg(L->m, o, 2));
    p->type = lower_frame_type(L, f, ir_value_at(L->m, ir_arg(L->m, o, 2))->type);
    p->region = n.regions;
    p->env = f;
    return p;
}

const sv *lower_CHAIN(lowering *L, frame *f, ir_op o)
{
    return chain_value(L, f, o);
}

/* ---- compact ---- */

/* The length is in the cell if there is a chunk at all. */
static k_id read_length(lowering *L, k_id n, k_id cell)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0);
    k_id s = kb_open_if(b, kb_lt(b, zero, n)), length = kb_load(b, cell, zero);
    kb_next_block(b, &length, 1);
    kb_close(b, &zero, 1);
    k_id v = kb_result(b, s, 0);
    k_state_range(b->p, v, 0, k_hi(b->p, n));
    k_state_bound(b->p, v, n);
    return v;
}

/* Memory for an array and where its length is found. */
static bool make_array(lowering *L, const sv *p, ir_type elem, compacted *to, uint32_t i)
{
    destination *d = &to->dest[i];
    lower_destination_init(L, d, LEVEL_GRID, lower_bounded_size(L, p->shape, 1, "compact"));
    d->tree = lower_memory_tree(L, d, elem);
    to->cells[i] = kb_alloc(&L->b, SPACE_GLOBAL, ST_I32, kb_int(&L->b, 1));
    to->writers[i] = (writer){
        .kind = WRITE_MEMORY, .dest = d, .offset = kb_int(&L->b, 0), .shape = p->shape, .rank = 1};
    return !lower_failed(L);
}

static compacted *new_compacted(lowering *L, uint32_t n)
{
    compacted *to = ARENA_NEW(&L->a, compacted);
    if (to)
        *to = (compacted){.n = n,
                          .writers = ARENA_ARRAY(&L->a, writer, n),
                          .dest = ARENA_ARRAY(&L->a, destination, n),
                          .cells = ARENA_ARRAY(&L->a, k_id, n)};
    L->failed = L->failed || !to || !to->writers || !to->dest || !to->cells;
    return L->failed ? NULL : to;
}

/* The launches run here, since how long the arrays are is known only when they have run. */
const sv *lower_COMPACT(lowering *L, frame *f, ir_op o)
{
    ir_type t = ir_value_at(L->m, ir_op_at(L->m, o)->result)->type;
    const type_node result = *ir_type_at(L->m, t);
    bool many = result.kind == TY_TUPLE;
    sv *p = chain_value(L, f, o);
    compacted *to = new_compacted(L, many ? result.n : 1);
    const sv **arrays = to ? ARENA_ARRAY(&L->a, const sv *, to->n) : NULL;
    if (!arrays || !lower_may_force(L, LEVEL_GRID, "compact"))
        return sv_none();
    p->compacted = to;
    for (uint32_t i = 0; i < to->n; i++) {
        ir_type elem = ir_type_at(L->m, many ? type_item(L->m, t, i) : t)->a;
        if (!make_array(L, p, lower_frame_type(L, f, elem), to, i))
            return sv_none();
    }
    lower_emit_push(L, p, &to->writers[0]);
    for (uint32_t i = 0; i < to->n && !lower_failed(L); i++) {
        ir_type elem = ir_type_at(L->m, many ? type_item(L->m, t, i) : t)->a;
        k_id length = read_length(L, p->shape[0], to->cells[i]);
        arrays[i] =
            lower_memory_array(L, &to->dest[i], kb_int(&L->b, 0), sv_ids(L, &length, 1), 1, elem);
    }
    return lower_failed(L) ? sv_none() : many ? sv_tuple(L, arrays, to->n) : arrays[0];
}
