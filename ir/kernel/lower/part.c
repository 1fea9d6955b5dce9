/* Lowering of take, drop and pad: rows of a push array, and rows put behind it.
 *
 * The loop that writes the array is made shorter or longer where that can be seen: of a pull array
 * that is pushed, of a concat, whose chunks outside of the part are not made, of what is made in
 * chunks one after the other, of maps and branches of such.  Elsewhere the writer drops what is not
 * wanted, and a second loop writes what is put behind. */
#include "ir/kernel/lower/value.h"

static bool is_zero(const lowering *L, k_id v)
{
    int64_t x;
    return k_is_const(L->b.p, v, &x) && x == 0;
}

/* The same extents but for the first. */
static const k_id *rows_shape(lowering *L, const sv *p, k_id n)
{
    k_id shape[MAX_RANK] = {n};
    for (uint32_t i = 1; i < p->rank; i++)
        shape[i] = p->shape[i];
    return sv_ids(L, shape, p->rank);
}

/* ---- pull arrays ---- */

/* What lies in memory stays where it is. */
static const sv *pull_part(lowering *L, const sv *a, k_id from, const k_id *shape)
{
    bool first = is_zero(L, from) && (a->form == PULL_MEMORY || a->form == PULL_GENERATE);
    sv *b = first || (a->form == PULL_MEMORY && a->rank == 1) ? sv_like(L, a)
                                                              : sv_new(L, SV_PULL, PULL_PART);
    if (b->form == PULL_PART) {
        b->src = a;
        b->v = from;
        b->rank = a->rank;
    } else if (!first) {
        b->v = lower_position_from(L, a->v, from);
    }
    b->shape = shape;
    return b;
}

/* The pull array whose elements a push array writes one by one, NULL: there is none. */
static const sv *pull_of(lowering *L, const sv *p)
{
    if (p->form == PUSH_PULL)
        return p->src;
    const sv *src = p->form == PUSH_MAP ? pull_of(L, p->src) : NULL;
    if (!src)
        return NULL;
    sv *a = sv_like(L, p);
    a->kind = SV_PULL;
    a->form = PULL_MAP;
    a->src = src;
    return a;
}

const sv *lower_padded_element(lowering *L, const sv *a, const k_id *ix)
{
    if (!a->src)
        return a->other_src;
    thunk *t = ARENA_ARRAY(&L->a, thunk, 3);
    const k_id *copy = sv_ids(L, ix, a->rank);
    if (!t || !copy)
        return sv_none();
    t[0] = (thunk){.kind = THUNK_VALUE, .array = a->src};
    t[1] = (thunk){.kind = THUNK_INDEX, .of = &t[0], .ix = copy, .n = a->rank};
    t[2] = (thunk){.kind = THUNK_VALUE, .array = a->other_src};
    L->depth++;
    const sv *v = lower_choice(L, kb_lt(&L->b, ix[0], a->v), a->from, &t[1], &t[2]);
    L->depth--;
    return v;
}

/* rows: of src; shape: of the whole. */
static const sv *padded(lowering *L, const sv *src, const sv *x, k_id rows, const sv *like)
{
    sv *a = sv_new(L, SV_PULL, PULL_PADDED), *p = sv_new(L, SV_PUSH, PUSH_PULL);
    a->src = src;
    a->other_src = x;
    a->v = rows;
    a->from = L->made;
    p->src = a;
    p->level = like->level;
    p->block = like->block;
    a->rank = p->rank = like->rank;
    a->shape = p->shape = like->shape;
    return p;
}

/* ---- parts of push arrays ---- */

static const sv *part_of(lowering *L, const sv *p, k_id from, const k_id *shape);

/* What there is of n rows from row `from` on is less where the array that was padded ends. */
static const sv *part_of_pad(lowering *L, const sv *p, k_id from, const k_id *shape)
{
    k_builder *b = &L->b;
    sv *q = sv_like(L, p);
    k_id left = lower_extent(L, kb_sub(b, p->src->shape[0], from));
    q->src = part_of(L, p->src, from, rows_shape(L, p->src, kb_min(b, left, shape[0])));
    q->shape = shape;
    return q;
}

/* Recursion follows the composition of arrays. */
static const sv *part_of(lowering *L, const sv *p, k_id from, const k_id *shape)
{
    if (p->form == PUSH_PAD)
        return part_of_pad(L, p, from, shape);
    bool within = p->form == PUSH_PULL || p->form == PUSH_MAP || p->form == PUSH_PART ||
                  (is_zero(L, from) && (p->form == PUSH_MAPACCUM || p->form == PUSH_CHAIN));
    sv *q = within ? sv_like(L, p) : sv_new(L, SV_PUSH, PUSH_PART);
    q->level = p->level;
    q->block = p->block;
    q->rank = p->rank;
    q->shape = shape;
    if (!within)
        q->src = p;
    if (!within)
        q->v = from;
    else if (p->form == PUSH_PART)
        q->v = kb_add(&L->b, p->v, from);
    else if (p->form == PUSH_PULL)
        q->src = pull_part(L, p->src, from, shape);
    else if (p->form == PUSH_MAP)
        q->src = part_of(L, p->src, from, shape);
    return q;
}

/* After a failure there may be no array. */
const sv *lower_part(lowering *L, const sv *p, k_id from, k_id n)
{
    if (L->failed)
        return p;
    return n == p->shape[0] && is_zero(L, from) ? p : part_of(L, p, from, rows_shape(L, p, n));
}

/* ---- writing ---- */

/* Both branches are parts of arrays of their own. */
static void emit_part_of_if(lowering *L, const sv *p, const writer *w)
{
    k_builder *b = &L->b;
    kb_open_if(b, p->src->v);
    lower_emit_push(L, lower_part(L, lower_run_thunk(L, p->src->then), p->v, p->shape[0]), w);
    kb_next_block(b, NULL, 0);
    lower_emit_push(L, lower_part(L, lower_run_thunk(L, p->src->other), p->v, p->shape[0]), w);
    kb_close(b, NULL, 0);
}

void lower_emit_part(lowering *L, const sv *p, const writer *w)
{
    writer inner = {.kind = WRITE_PART, .outer = w, .offset = p->v, .limit = p->shape[0]};
    if (p->src->form == PUSH_IF)
        emit_part_of_if(L, p, w);
    else
        lower_emit_push(L, p->src, &inner);
}

/* x / c, rounded up, for x >= 0, without overflow. */
static k_id quotient_up(k_builder *b, k_id x, k_id c)
{
    k_id rest = kb_scalar(b, SOP_REM, x, c, 0);
    return kb_add(b, kb_scalar(b, SOP_QUOT, x, c, 0), kb_min(b, rest, kb_int(b, 1)));
}

/* The first chunk of a concat of which something lies behind position `from`. */
static k_id first_chunk(k_builder *b, const sv *concat, k_id from)
{
    if (!concat->v2)
        return kb_scalar(b, SOP_QUOT, from, concat->v, 0);
    k_id next = kb_scalar(b, SOP_QUOT, kb_sub(b, from, concat->v2), concat->v, 0);
    return kb_select(b, kb_lt(b, from, concat->v2), kb_int(b, 0), kb_add(b, next, kb_int(b, 1)));
}

/* How many chunks begin before position `to`. */
static k_id chunks_before(k_builder *b, const sv *concat, k_id to)
{
    if (!concat->v2)
        return quotient_up(b, to, concat->v);
    k_id zero = kb_int(b, 0), behind = kb_max(b, kb_sub(b, to, concat->v2), zero);
    k_id n = kb_add(b, quotient_up(b, behind, concat->v), kb_int(b, 1));
    return kb_min(b, kb_select(b, kb_lt(b, zero, to), n, zero), concat->src->shape[0]);
}

/* Where chunk i starts, as lower_chunk_start, but not claimed: which elements are taken, and how many,
 * follows from it, and elements may be their own numbers. */
static k_id start_value(k_builder *b, const sv *concat, k_id i)
{
    if (!concat->v2)
        return kb_mul(b, i, concat->v);
    k_id rest = kb_add(b, concat->v2, kb_mul(b, kb_sub(b, i, kb_int(b, 1)), concat->v));
    return kb_select(b, kb_lt(b, kb_int(b, 0), i), rest, kb_int(b, 0));
}

/* What belongs to p of chunk i of the concat: writes it. */
static void emit_chunk_part(lowering *L, const sv *p, const sv *chunk, k_id i, const writer *w)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0), n = chunk->shape[0], start = lower_chunk_start(L, p->src, i);
    int64_t c;
    writer inner = {.kind = WRITE_CHUNK, .outer = w, .offset = kb_sub(b, start, p->v)};
    if (k_is_const(b->p, p->src->v, &c) && c == 1) { /* all of it or nothing */
        lower_emit_push(L, chunk, &inner);
        return;
    }
    k_id there = start_value(b, p->src, i);
    k_id begin = kb_min(b, lower_extent(L, kb_sub(b, p->v, there)), n);
    inner.offset = kb_max(b, inner.offset, zero);
    k_id left = lower_extent(L, kb_sub(b, kb_min(b, n, p->src->v), begin));
    k_id before = kb_max(b, kb_sub(b, there, p->v), zero);
    k_id fits = lower_extent(L, kb_sub(b, p->shape[0], before));
    lower_emit_push(L, lower_part(L, chunk, begin, kb_min(b, left, fits)), &inner);
}

void lower_emit_some_chunks(lowering *L, const sv *p, const writer *w)
{
    k_builder *b = &L->b;
    const sv *whole = p->src;
    k_id from = first_chunk(b, whole, p->v);
    k_id to = chunks_before(b, whole, kb_add(b, p->v, p->shape[0]));
    k_id t = lower_open_work(L, p->level, true, lower_extent(L, kb_sub(b, to, from)), w);
    L->level = p->level - 1u;
    k_id i = kb_add(b, from, t);
    const sv *chunk = sv_index(L, whole->src, &i);
    if (chunk->kind != SV_PUSH || !chunk->shape) {
        lower_fail(L, DIAG_LOWER_INTERNAL, "a chunk that is not a push array");
        return;
    }
    lower_check_chunk(L, whole, i, chunk->shape[0]);
    emit_chunk_part(L, p, chunk, i, w);
    kb_close(b, NULL, 0);
}

void lower_emit_pad(lowering *L, const sv *p, const writer *w)
{
    k_id rows = p->src->shape[0], zero = kb_int(&L->b, 0);
    sv *rest = sv_like(L, p);
    rest->shape = rows_shape(L, p, lower_extent(L, kb_sub(&L->b, p->shape[0], rows)));
    writer behind = {.kind = WRITE_CHUNK, .outer = w, .offset = rows};
    lower_emit_push(L, p->src, w);
    lower_emit_push(L, padded(L, NULL, p->other_src, zero, rest), &behind);
}

/* ---- operators ---- */

/* How many of p's rows the first n are, for any n; 0 after an error. */
static k_id rows_of(lowering *L, frame *f, ir_op o, const sv *p)
{
    if (p->kind != SV_PUSH || !p->shape)
        return 0;
    k_id n = lower_extent(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 0)));
    return kb_min(&L->b, n, p->shape[0]);
}

const sv *lower_TAKE(lowering *L, frame *f, ir_op o)
{
    const sv *p = lower_frame_value(L, f, ir_arg(L->m, o, 1));
    k_id n = rows_of(L, f, o, p);
    return n ? lower_part(L, p, kb_int(&L->b, 0), n) : sv_none();
}

const sv *lower_DROP(lowering *L, frame *f, ir_op o)
{
    const sv *p = lower_frame_value(L, f, ir_arg(L->m, o, 1));
    k_id n = rows_of(L, f, o, p);
    return n ? lower_part(L, p, n, lower_extent(L, kb_sub(&L->b, p->shape[0], n))) : sv_none();
}

const sv *lower_PAD(lowering *L, frame *f, ir_op o)
{
    const sv *x = lower_frame_value(L, f, ir_arg(L->m, o, 1)),
             *p = lower_frame_value(L, f, ir_arg(L->m, o, 2));
    if (!rows_of(L, f, o, p))
        return sv_none();
    k_id n = kb_max(&L->b, lower_frame_scalar(L, f, ir_arg(L->m, o, 0)), p->shape[0]);
    const sv *a = pull_of(L, p);
    if (n == p->shape[0])
        return p;
    sv *q = sv_new(L, SV_PUSH, PUSH_PAD);
    q->level = p->level;
    q->block = p->block;
    q->rank = p->rank;
    q->shape = rows_shape(L, p, n);
    q->src = p;
    q->other_src = x;
    return a ? padded(L, a, x, p->shape[0], q) : q;
}
