/* Lowering of push arrays: making them, and emitting their iteration through a writer.
 *
 * Emission is where parallel loops come from.  At the host (outside every launch) emitting opens
 * the launch of a kernel; inside one it opens a loop over the workers of the array's level.
 * Elements are computed by single threads; the chunks of a concat by the groups of the level below.
 *
 * A writer is a defunctionalised continuation, what Obsidian passes as a function: where an
 * element goes, composed outwards from the innermost array to memory.  Levels run from L->level
 * downwards while loops open. */
#include "ir/kernel/lower/value.h"

/* ---- writing one element ---- */

/* Memories like the first element, whose types are then known without the core's. */
static const sv *alloc_tree(lowering *L, destination *d, const sv *like)
{
    if (like->kind == SV_SCALAR)
        return sv_scalar(L, kb_alloc_at(&L->b, d->depth, (k_space)d->space,
                                        (scalar)k_at(L->b.p, like->v)->type, d->size));
    const sv **items = ARENA_ARRAY(&L->a, const sv *, like->n);
    for (uint32_t i = 0; items && i < like->n; i++)
        items[i] = alloc_tree(L, d, like->items[i]);
    return items ? sv_tuple(L, items, like->n) : sv_none();
}

/* Trees of one shape are walked side by side. */
void lower_store_tree(lowering *L, const sv *tree, k_id at, const sv *v)
{
    if (tree->kind == SV_SCALAR && v->kind == SV_SCALAR)
        kb_store(&L->b, tree->v, at, v->v);
    for (uint32_t i = 0; tree->kind == SV_TUPLE && v->kind == SV_TUPLE && i < tree->n; i++)
        lower_store_tree(L, tree->items[i], at, v->items[i]);
}

/* Beyond the limit nothing is stored; where there is none, the element exists and its position is
 * claimed not to wrap. */
static void write_memory(lowering *L, const writer *w, const sv *v, const k_id *ix, k_id flat)
{
    bool wide = lower_is_wide(L, w->dest->size);
    if (!flat || w->pitched)
        flat = lower_shape_flatten(L, w->shape, w->rank, ix,
                                   wide       ? POSITION_WIDE
                                   : w->limit ? POSITION_ANY
                                              : POSITION_EXISTING);
    flat = kb_convert(&L->b, wide ? ST_I64 : ST_I32, flat);
    if (!sv_is_scalars(v)) {
        lower_fail(L, DIAG_LOWER_INTERNAL, "an element that is not made of scalars reaches memory");
        return;
    }
    if (!w->dest->tree)
        w->dest->tree = alloc_tree(L, w->dest, v);
    if (w->limit)
        kb_open_if(&L->b, kb_lt(&L->b, flat, w->limit));
    lower_store_tree(L, w->dest->tree, lower_position_from(L, w->offset, flat), v);
    if (w->limit) {
        kb_next_block(&L->b, NULL, 0);
        kb_close(&L->b, NULL, 0);
    }
}

/* Writes the element with another index on the first axis. */
static void write_moved(lowering *L, const writer *w, const sv *v, k_id first, const k_id *ix,
                        uint32_t n)
{
    k_id at[MAX_RANK] = {first};
    for (uint32_t i = 1; i < n; i++)
        at[i] = ix[i];
    lower_write_element(L, w->outer, v, at, n, n == 1 ? first : 0);
}

/* Moves the index by the chunk's start: a claim, since the element exists in the whole. */
static void write_chunk(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n)
{
    if (w->limit)
        kb_open_if(&L->b, kb_lt(&L->b, ix[0], w->limit));
    write_moved(L, w, v, kb_claim(&L->b, SOP_ADD, w->offset, ix[0]), ix, n);
    if (w->limit) {
        kb_next_block(&L->b, NULL, 0);
        kb_close(&L->b, NULL, 0);
    }
}

static void write_part(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n)
{
    k_builder *b = &L->b;
    k_id first = kb_sub(b, ix[0], w->offset), zero = kb_int(b, 0);
    k_id inside =
        kb_scalar(b, SOP_AND, kb_scalar(b, SOP_LE, zero, first, 0), kb_lt(b, first, w->limit), 0);
    kb_open_if(b, inside);
    write_moved(L, w, v, first, ix, n);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* An element of a row; what is too long for it is dropped. */
static void write_row(lowering *L, const writer *w, const sv *v, const k_id *ix)
{
    k_id at[2] = {w->offset, ix[0]};
    if (w->limit)
        kb_open_if(&L->b, kb_lt(&L->b, ix[0], w->limit));
    lower_write_element(L, w->outer, v, at, 2, 0);
    if (w->limit) {
        kb_next_block(&L->b, NULL, 0);
        kb_close(&L->b, NULL, 0);
    }
}

/* The region of an interleave, on outer indices and those inside the part. */
static void write_position(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n)
{
    const sv *args[2 * MAX_RANK];
    k_id at[MAX_RANK] = {0};
    for (uint32_t i = 0; i < w->nix; i++)
        args[i] = sv_scalar(L, w->ix[i]);
    for (uint32_t i = 0; i < n; i++)
        args[w->nix + i] = sv_scalar(L, ix[i]);
    const sv *p = lower_run_region(L, w->region, w->env, w->env->bound, args, w->nix + n);
    uint32_t rank = p->kind == SV_TUPLE ? p->n : 1;
    for (uint32_t i = 0; i < rank && i < MAX_RANK; i++)
        at[i] = p->kind == SV_TUPLE ? p->items[i]->v : p->v;
    asked_axes q = lower_ask_positions(L, w->region, w->env, at, w->shape, rank);
    lower_open_guard(L, &q);
    lower_open_mark(L, w->marks, w->shape, at, rank);
    lower_write_element(L, w->outer, v, at, rank, 0);
    lower_close_mark(L, w->marks);
    lower_close_guard(L, &q);
}

/* Into an array that is there, from an index on. */
static void write_shifted(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n)
{
    k_id at[MAX_RANK] = {0};
    for (uint32_t i = 0; i < n; i++)
        at[i] = kb_add(&L->b, w->ix[i], ix[i]);
    asked_axes q = lower_ask_axes(L, CHECKED_POSITION, at, w->shape, n);
    lower_open_guard(L, &q);
    lower_write_element(L, w->outer, v, at, n, 0);
    lower_close_guard(L, &q);
}

void lower_write_element(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n,
                         k_id flat)
{
    if (lower_failed(L))
        return;
    switch (w->kind) {
    case WRITE_MEMORY: write_memory(L, w, v, ix, flat); break;
    case WRITE_CHUNK: write_chunk(L, w, v, ix, n); break;
    case WRITE_PART: write_part(L, w, v, ix, n); break;
    case WRITE_ROW: write_row(L, w, v, ix); break;
    case WRITE_POSITION: write_position(L, w, v, ix, n); break;
    case WRITE_SHIFTED: write_shifted(L, w, v, ix, n); break;
    case WRITE_MAPPED:
        lower_write_element(L, w->outer, lower_run_region1(L, w->region, w->env, v), ix, n, flat);
        break;
    case WRITE_CELLS: lower_write_cells(L, w, v, ix, n, flat); break;
    case WRITE_BESIDE: lower_write_beside(L, w, v, ix, n, flat); break;
    }
}

/* ---- iterating ---- */

enum {
    ROW_PART = 4096, /* elements of a row that are work of their own */
    LONG_ROW = 16    /* elements of a block's row, from which on they are a loop of their own */
};

/* Whether a thread's elements find what those before them have left, as where it combines them into
 * cells, or marks their positions. */
static bool in_order(const writer *w)
{
    for (; w; w = w->outer)
        if ((w->kind == WRITE_CELLS && w->in_order) || lower_marks_alone(w->marks))
            return true;
    return false;
}

k_id lower_open_work(lowering *L, uint32_t level, bool chunks, k_id n, const writer *w)
{
    k_builder *b = &L->b;
    static const k_workers elements[] = {0, OVER_LANES, OVER_THREADS, OVER_GRID};
    static const k_workers groups[] = {0, OVER_LANES, OVER_WARPS, OVER_BLOCKS};
    bool ordered = in_order(w),
         loop = level == LEVEL_THREAD || (ordered && !chunks && lower_is_alone(L, level));
    k_id s = loop ? kb_open_for(b, kb_int(b, 0), n, kb_int(b, 1), NULL, 0)
                  : kb_open_par(b, chunks ? groups[level] : elements[level], n);
    if (loop)
        k_at(b->p, s)->independent = !ordered;
    return kb_param(b, s, 0);
}

/* Elements that stand in a table are more than anyone wants as code of their own. */
static bool is_long_table(lowering *L, const sv *a)
{
    enum { LONG = 64 };
    while (a->kind == SV_PULL && a->form == PULL_MAP)
        a = a->src;
    return a->n > LONG && lower_table_of(L, a);
}

/* A thread writes the items of an array literal one by one. */
static void emit_items(lowering *L, const sv *p, const writer *w)
{
    L->level = LEVEL_THREAD;
    for (uint32_t k = 0; k < lower_literal_items(p->src) && !lower_failed(L); k++) {
        k_id i = kb_int(&L->b, (int32_t)k);
        lower_write_element(L, w, sv_index(L, p->src, &i), &i, 1, i);
    }
}

static k_id grid_turns(lowering *L, const sv *p)
{
    k_id n = lower_shape_elements(L, p->shape, p->rank);
    return lower_is_wide(L, n) ? n : lower_extent(L, kb_narrow(&L->b, n));
}

/* How many parts of a row are work of their own, for a grid whose blocks are one thread: a row is one
 * unless it is long.  0: the elements are too many for positions of 32 bits. */
static k_id row_parts(lowering *L, const sv *p)
{
    k_builder *b = &L->b;
    if (lower_is_wide(L, lower_shape_elements(L, p->shape, p->rank)))
        return 0;
    k_id whole = kb_scalar(b, SOP_QUOT, p->shape[p->rank - 1], kb_int(b, ROW_PART), 0);
    return kb_add(b, whole, kb_int(b, 1));
}

/* More rows than a launch takes groups are there only where all of them are empty. */
static k_id row_count(lowering *L, const sv *p)
{
    k_id rows = lower_shape_turns(L, p->shape, p->rank - 1u);
    bool many = p->rank > 2 && p->level == LEVEL_GRID;
    return many ? kb_min(&L->b, rows, lower_shape_count(L, p->shape, p->rank)) : rows;
}

/* By rows, each element after the one before it, so that what is computed of a row's number is
 * computed once for it, and compilers make vectors of its elements. */
static void emit_rows(lowering *L, const sv *p, const writer *w, k_id parts)
{
    k_builder *b = &L->b;
    uint32_t last = p->rank - 1;
    k_id ix[MAX_RANK], rows = row_count(L, p), row_length = p->shape[last];
    k_id i = lower_open_work(L, p->level, false, parts ? kb_mul(b, rows, parts) : rows, w);
    L->level = LEVEL_THREAD;
    k_id row = i, first = kb_int(b, 0), end = row_length;
    if (parts) {
        row = kb_scalar(b, SOP_QUOT, i, parts, 0);
        first = kb_mul(b, kb_scalar(b, SOP_REM, i, parts, 0), kb_int(b, ROW_PART));
        end = kb_min(b, row_length, kb_add(b, first, kb_int(b, ROW_PART)));
    }
    lower_shape_unflatten(L, p->shape, last, row, ix);
    k_id loop = kb_open_for(b, first, end, kb_int(b, 1), NULL, 0);
    k_at(b->p, loop)->independent = !in_order(w);
    ix[last] = kb_param(b, loop, 0);
    lower_write_element(L, w, sv_index(L, p->src, ix), ix, p->rank, 0);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* A copy is the same whichever way its elements are gone through, and is seen to be one by the number of each. */
static bool is_copied(const sv *p)
{
    return p->src->form == PULL_MEMORY && !p->src->pitch;
}

static void emit_branch(lowering *L, const thunk *branch, uint32_t level, const writer *w)
{
    const sv *a = lower_run_thunk(L, branch);
    lower_emit_push(L, a->kind == SV_PULL ? sv_pushed(L, a, level) : a, w);
}

/* Both branches of a choice write through the same writer, whose memory is made outside of them
 * (alloc_tree); elements that they describe, at that level. */
static void emit_if(lowering *L, const sv *choice, uint32_t level, const writer *w)
{
    kb_open_if(&L->b, choice->v);
    emit_branch(L, choice->then, level, w);
    kb_next_block(&L->b, NULL, 0);
    emit_branch(L, choice->other, level, w);
    kb_close(&L->b, NULL, 0);
}

/* Padded loops run over the box and skip what is not in the array (shape.c). */
static void emit_elements(lowering *L, const sv *p, const writer *w)
{
    if (p->level == LEVEL_THREAD && lower_literal_items(p->src) && !is_long_table(L, p->src)) {
        emit_items(L, p, w);
        return;
    }
    if (p->level == LEVEL_THREAD && p->src->form == PULL_IF) { /* what a branch does to have its elements is done once */
        emit_if(L, p->src, p->level, w);
        return;
    }
    k_id ix[MAX_RANK], box[MAX_RANK];
    bool padded = p->level < LEVEL_GRID && lower_shape_box(L, p->shape, p->rank, box);
    bool by_rows = L->target.facts.serial && p->level > LEVEL_THREAD && p->rank > 1 && !is_copied(p);
    k_id parts = by_rows && p->level == LEVEL_GRID ? row_parts(L, p) : 0;
    k_id longest = padded ? box[p->rank - 1] : p->shape[p->rank - 1];
    bool long_rows = k_hi(L->b.p, longest) >= LONG_ROW || in_order(w);
    if (parts || (by_rows && p->level < LEVEL_GRID && long_rows)) {
        emit_rows(L, p, w, parts);
        return;
    }
    const k_id *turns = padded ? box : p->shape;
    k_id n = p->level == LEVEL_GRID ? grid_turns(L, p) : lower_shape_turns(L, turns, p->rank);
    k_id i = lower_open_work(L, p->level, false, n, w);
    L->level = LEVEL_THREAD;
    lower_shape_unflatten(L, turns, p->rank, i, ix);
    if (padded)
        kb_open_if(&L->b, lower_shape_contains(L, p->shape, box, p->rank, ix));
    lower_write_element(L, w, sv_index(L, p->src, ix), ix, p->rank, padded ? 0 : i);
    if (padded) {
        kb_next_block(&L->b, NULL, 0);
        kb_close(&L->b, NULL, 0);
    }
    kb_close(&L->b, NULL, 0);
}

k_id lower_chunk_start(lowering *L, const sv *p, k_id i)
{
    k_builder *b = &L->b;
    if (!p->v2)
        return kb_claim(b, SOP_MUL, i, p->v);
    if (ka_not_above(b, p->v2, p->v)) { /* at most 0 for chunk 0; the product may wrap */
        k_id start = kb_add(b, kb_mul(b, i, p->v), kb_sub(b, p->v2, p->v));
        return kb_max(b, start, kb_int(b, 0));
    }
    k_id rest = kb_claim(b, SOP_ADD, p->v2, kb_claim(b, SOP_MUL, kb_sub(b, i, kb_int(b, 1)), p->v));
    return kb_select(b, kb_lt(b, kb_int(b, 0), i), rest, kb_int(b, 0));
}

/* The workers of a level are the groups of the one below: each makes whole chunks. */
static void emit_chunks(lowering *L, const sv *p, const writer *w)
{
    const sv *src = p->src;
    k_id ix[MAX_RANK],
        i = lower_open_work(L, p->level, true, lower_shape_turns(L, src->shape, src->rank), w);
    L->level = p->level - 1u;
    lower_shape_unflatten(L, src->shape, src->rank, i, ix);
    const sv *chunk = sv_index(L, src, ix);
    writer inner = {.outer = w};
    if (chunk->kind != SV_PUSH || !chunk->shape) {
        lower_fail(L, DIAG_LOWER_INTERNAL, "a chunk that is not a push array");
        return;
    }
    if (p->form == PUSH_CONCAT) {
        inner.kind = WRITE_CHUNK;
        inner.offset = lower_chunk_start(L, p, i);
        inner.limit = ka_not_above(&L->b, chunk->shape[0], p->v) ? 0 : p->v;
        lower_check_chunk(L, p, i, chunk->shape[0]);
    } else if (p->form == PUSH_ROWS) {
        inner.kind = WRITE_ROW;
        inner.offset = ix[0];
        inner.limit = ka_not_above(&L->b, chunk->shape[0], p->shape[1]) ? 0 : p->shape[1];
        lower_check_chunk(L, p, i, chunk->shape[0]);
    } else {
        inner.kind = WRITE_POSITION;
        inner.shape = p->shape;
        inner.region = p->region;
        inner.env = p->env;
        inner.marks = p->marks;
        inner.ix = ix;
        inner.nix = src->rank;
    }
    lower_emit_push(L, chunk, &inner);
    if (p->form == PUSH_ROWS)
        lower_emit_row_count(L, p, ix[0], chunk->shape[0]);
    kb_close(&L->b, NULL, 0);
}

/* From rows of which each has its first elements: the others are skipped. */
static void emit_compacted(lowering *L, const sv *p, const writer *w)
{
    const sv *rows = p->src;
    k_id ix[2], exists,
        n = p->level == LEVEL_GRID ? grid_turns(L, rows) : lower_shape_turns(L, rows->shape, 2);
    k_id i = lower_open_work(L, p->level, false, n, w);
    L->level = LEVEL_THREAD;
    lower_shape_unflatten(L, rows->shape, 2, i, ix);
    k_id start = lower_compacted_position(L, p, ix, &exists);
    kb_open_if(&L->b, exists);
    k_id at = kb_claim(&L->b, SOP_ADD, start, ix[1]);
    lower_write_element(L, w, sv_index(L, rows, ix), &at, 1, at);
    kb_next_block(&L->b, NULL, 0);
    kb_close(&L->b, NULL, 0);
    kb_close(&L->b, NULL, 0);
}

/* Where lanes exchange values blocks are of whole warps. */
uint32_t lower_launch_threads(const lowering *L, uint32_t level)
{
    uint32_t lanes = L->target.facts.lanes, warp = L->target.facts.warp_size;
    uint32_t block = !lanes ? L->block : L->block < lanes ? lanes : L->block - L->block % lanes;
    bool one = level == LEVEL_THREAD || L->target.facts.serial;
    return one ? 1 : level == LEVEL_WARP && warp < block ? warp : block;
}

/* Loops change L->level; it is put back here for what follows. */
static void emit_here(lowering *L, const sv *p, const writer *w)
{
    uint32_t level = L->level;
    switch ((sv_form)p->form) {
    case PUSH_PULL: emit_elements(L, p, w); break;
    case PUSH_SEQUENCE: lower_emit_sequence(L, p, w); break;
    case PUSH_SEQFOR: lower_emit_seqfor(L, p, w); break;
    case PUSH_MAPACCUM: lower_emit_mapaccum(L, p, w); break;
    case PUSH_CONCAT:
    case PUSH_ROWS:
    case PUSH_INTERLEAVE: emit_chunks(L, p, w); break;
    case PUSH_COMPACTED: emit_compacted(L, p, w); break;
    case PUSH_PART: lower_emit_some_chunks(L, p, w); break;
    case PUSH_PAD:
    case PUSH_MAP: /* lower_emit_push has taken these apart */
    case PUSH_IF:
    case PUSH_CHAIN:
    case FN_REGION: /* and these are no push arrays */
    case FN_IF:
    case FN_LOOK:
    case PULL_GENERATE:
    case PULL_MAP:
    case PULL_MEMORY:
    case PULL_ITEMS:
    case PULL_IF:
    case PULL_CHOICE:
    case PULL_PART:
    case PULL_PADDED:
        lower_fail(L, DIAG_LOWER_INTERNAL, "an array of this form is not written here");
        break;
    }
    L->level = level;
}

/* How many groups a launch has is for virtualise to say; its body is the iteration. */
static void emit_launch(lowering *L, const sv *p, const writer *w)
{
    uint32_t level = L->level;
    kb_open_launch(&L->b, p->level, kb_int(&L->b, 1), lower_launch_threads(L, p->level));
    L->level = p->level;
    if (!lower_skips_launch(L, w))
        emit_here(L, p, w);
    kb_close(&L->b, NULL, 0);
    L->level = level;
}

/* The launch of an array, or those of a chain, with i64 positions or i32 ones. */
static void emit_version(lowering *L, const sv *p, const writer *w, bool wide)
{
    L->wide = wide;
    (p->form == PUSH_CHAIN ? lower_emit_chain : emit_launch)(L, p, w);
    L->wide = false;
}

/* No array that the launches touch is too large for i32 positions. */
static k_id all_fit(lowering *L)
{
    k_builder *b = &L->b;
    k_id all = kb_const(b, ST_BOOL, 1), most = kb_const(b, ST_I64, MAX_EXTENT);
    for (uint32_t i = 0; i < L->limits.len; i++)
        all = kb_scalar(b, SOP_AND, all, kb_scalar(b, SOP_LE, L->limits.at[i], most, 0), 0);
    return all;
}

/* A version with i32 positions; and where that may not do, another with i64 ones for when it does
 * not.  Which counts matter is known when the first one has been lowered. */
static void emit_versions(lowering *L, const sv *p, const writer *w)
{
    k_builder *b = &L->b;
    if (L->target.request.index_bits != 0) {
        emit_version(L, p, w, L->target.request.index_bits == 64);
        return;
    }
    k_id choice = kb_open_if(b, kb_const(b, ST_BOOL, 1));
    L->limits.len = 0;
    emit_version(L, p, w, false);
    if (!L->limits.len || lower_failed(L)) {
        kb_dissolve(b);
        return;
    }
    k_id fits = all_fit(L);
    kb_next_block(b, NULL, 0);
    emit_version(L, p, w, true);
    kb_close(b, NULL, 0);
    k_at(b->p, choice)->args[0] = fits;
}

/* Of blocks that the array is written for, wherever it is asked for. */
static void emit_launches(lowering *L, const sv *p, const writer *w)
{
    uint32_t block = L->block;
    L->block = p->block;
    emit_versions(L, p, w);
    L->block = block;
}

/* Arrays of the grid made one after the other are launches one after the other. */
static bool launches_itself(const sv *p)
{
    return (p->form == PUSH_SEQUENCE || p->form == PUSH_MAPACCUM) && p->level == LEVEL_GRID;
}

static void emit_push(lowering *L, const sv *p, const writer *w)
{
    if (p->form == PUSH_MAP) {
        lower_emit_push(
            L, p->src,
            &(writer){.kind = WRITE_MAPPED, .outer = w, .region = p->region, .env = p->env});
    } else if (p->form == PUSH_IF) {
        emit_if(L, p, p->level, w);
    } else if (p->form == PUSH_PAD) {
        lower_emit_pad(L, p, w);
    } else if (p->form == PUSH_PART && p->src->form != PUSH_CONCAT) {
        lower_emit_part(L, p, w);
    } else if (lower_is_host(L) && !launches_itself(p)) {
        emit_launches(L, p, w);
    } else if (p->form == PUSH_CHAIN) {
        lower_fail(L, DIAG_LOWER_INTERNAL, "a chain inside a kernel");
    } else {
        emit_here(L, p, w);
    }
}

void lower_emit_push(lowering *L, const sv *p, const writer *w)
{
    marks m = {0};
    if (lower_failed(L) || p->kind != SV_PUSH)
        return;
    if (p->form == PUSH_INTERLEAVE || p->form == PUSH_SEQUENCE)
        p = lower_begin_placed(L, p, &m);
    emit_push(L, p, w);
    lower_end_marks(L, &m);
}

/* Elements are numbered by the array's extents, or by those that its memory is laid out by. */
writer lower_memory_writer(const sv *p, destination *d, k_id offset, k_id limit)
{
    writer w = {.kind = WRITE_MEMORY, .dest = d, .offset = offset, .limit = limit, .rank = p->rank};
    w.pitched = d->pitch != NULL;
    w.shape = w.pitched ? d->pitch : p->shape;
    return w;
}

void lower_emit_into(lowering *L, const sv *p, destination *d, k_id offset, k_id limit)
{
    writer w = lower_memory_writer(p, d, offset, limit);
    lower_emit_push(L, p, &w);
}

/* ---- operators ---- */

/* Nothing happens but that a level is noted: emission is forced elsewhere. */
const sv *lower_PUSH(lowering *L, frame *f, ir_op o)
{
    const sv *src = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    return sv_pushed(L, src, lower_frame_level(L, f, ir_op_at(L->m, o)->attr));
}

/* INTERLEAVE and INTERLEAVESEQ differ in who works on the arrays. */
static const sv *interleave(lowering *L, frame *f, ir_op o, sv_form form)
{
    const op_node n = *ir_op_at(L->m, o);
    const type_node t = *ir_type_at(L->m, ir_value_at(L->m, n.result)->type);
    k_id shape[MAX_RANK] = {0};
    sv *p = sv_new(L, SV_PUSH, form);
    p->rank = (uint8_t)t.n;
    p->level = (uint8_t)lower_frame_level(L, f, t.b);
    for (uint32_t i = 0; i + 1 < n.nargs && i < MAX_RANK; i++)
        shape[i] = lower_stated_extent(L, lower_frame_scalar(L, f, ir_arg(L->m, o, i)));
    lower_check_elements(L, shape, p->rank);
    p->shape = sv_ids(L, shape, p->rank);
    p->src = lower_frame_value(L, f, ir_arg(L->m, o, n.nargs - 1u));
    p->region = n.regions;
    p->env = f;
    return p;
}

const sv *lower_INTERLEAVE(lowering *L, frame *f, ir_op o)
{
    return interleave(L, f, o, PUSH_INTERLEAVE);
}

const sv *lower_INTERLEAVESEQ(lowering *L, frame *f, ir_op o)
{
    return interleave(L, f, o, PUSH_SEQUENCE);
}
