/* Lowering of sequential iteration: arrays one after another (interleaveseq), the same with a state
 * handed on (mapaccum), and elements in any order by one thread that may look at those it has
 * written (seqfor). */
#include "ir/kernel/lower/loop/loop.h"

/* What a round forces may be of a higher level than the loop: all who read it have to be done. */
void lower_end_round(lowering *L, k_id loop, uint32_t level)
{
    const k_program *p = L->b.p;
    k_block body = L->b.scopes.at[kb_depth(&L->b)].block;
    const k_node *n = k_at(p, loop), *last = k_at(p, k_block_at(p, body)->last);
    uint32_t most = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t highest = n->blocks[i] ? k_highest_sync(p, n->blocks[i]) : 0;
        most = highest > most ? highest : most;
    }
    uint32_t needed = most > level ? most : level;
    if (most && !(last->op == K_SYNC && last->level >= needed))
        lower_sync_after(L, needed);
}

/* Array ix of the sequence, at its own level, through a writer of positions. */
static void emit_part(lowering *L, const sv *p, const writer *w, const k_id *ix)
{
    writer inner = {
        .kind = WRITE_POSITION, .outer = w, .region = p->region, .env = p->env, .ix = ix};
    inner.shape = p->shape;
    inner.marks = p->marks;
    inner.nix = p->src->rank;
    lower_emit_push(L, sv_index(L, p->src, ix), &inner);
}

/* The arrays of a literal are written by code of their own, which reads memory of its own: no
 * branch and no barrier between them. */
static void emit_literal(lowering *L, const sv *p, const writer *w)
{
    for (uint32_t k = 0; k < lower_literal_items(p->src) && !lower_failed(L); k++) {
        k_id i = kb_int(&L->b, (int32_t)k);
        emit_part(L, p, w, &i);
    }
}

/* A barrier ends a turn only if something inside it waits (lower_end_round). */
void lower_emit_sequence(lowering *L, const sv *p, const writer *w)
{
    k_builder *b = &L->b;
    const sv *src = p->src;
    if (lower_literal_items(src)) {
        emit_literal(L, p, w);
        return;
    }
    k_id ix[MAX_RANK], n = lower_shape_turns(L, src->shape, src->rank);
    k_id s = kb_open_for(b, kb_int(b, 0), n, kb_int(b, 1), NULL, 0);
    if (lower_failed(L))
        return;
    lower_shape_unflatten(L, src->shape, src->rank, kb_param(b, s, 0), ix);
    emit_part(L, p, w, ix);
    lower_end_round(L, s, p->level);
    kb_close(b, NULL, 0);
}

/* ---- mapaccum ---- */

/* How many elements of a chunk of n go into the array from `offset` on; 0: all do. */
static k_id chunk_limit(lowering *L, const sv *p, k_id n, k_id offset)
{
    k_builder *b = &L->b;
    int64_t c, total;
    k_id left = lower_extent(L, kb_sub(b, p->shape[0], offset)),
         limit = ka_not_above(b, n, p->v) ? 0 : p->v;
    bool known = k_is_const(b->p, p->v, &c);
    bool whole = known && (c == 1 || (k_is_const(b->p, p->shape[0], &total) && total % c == 0));
    if (whole || ka_not_above(b, n, left))
        return limit;
    return limit ? kb_min(b, limit, left) : left;
}

/* n elements in chunks of c, rounded up without overflow. */
static k_id count_rounds(k_builder *b, k_id n, k_id c)
{
    k_id rest = kb_scalar(b, SOP_REM, n, c, 0);
    return kb_add(b, kb_scalar(b, SOP_QUOT, n, c, 0), kb_min(b, rest, kb_int(b, 1)));
}

const sv *lower_emit_chunk_of(lowering *L, const state_loop *w, k_id round, const sv *given)
{
    const sv *p = w->chunks;
    if (given->kind != SV_TUPLE || given->n != 2 || given->items[0]->kind != SV_PUSH ||
        !given->items[0]->shape) {
        lower_fail(L, DIAG_LOWER_INTERNAL, "a round of a mapaccum that gives no push array");
        return sv_none();
    }
    writer inner = {.kind = WRITE_CHUNK, .outer = w->w, .offset = kb_mul(&L->b, round, p->v)};
    inner.limit = chunk_limit(L, p, given->items[0]->shape[0], inner.offset);
    lower_emit_push(L, given->items[0], &inner);
    return given->items[1];
}

/* Scalars of the state are carried by the loop: they are the same for all threads of the level, and
 * each has a copy of them.  Its arrays are in memory. */
void lower_emit_mapaccum(lowering *L, const sv *p, const writer *w)
{
    k_id rounds = count_rounds(&L->b, p->shape[0], p->v);
    uint32_t loc = L->b.loc;
    L->level = p->level;
    L->b.loc = p->loc;
    state_loop code = {.step = p->region, .env = p->env, .times = rounds, .type = p->type};
    code.level = p->level;
    code.what = "mapaccum";
    code.updated = lower_is_updated(L, ir_region_at(L->m, p->region)->params + 1);
    code.chunks = p;
    code.w = w;
    lower_any_loop(L, &code, p->other_src);
    L->b.loc = loc;
}

const sv *lower_MAPACCUM(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    sv *p = sv_new(L, SV_PUSH, PUSH_MAPACCUM);
    p->loc = L->b.loc;
    k_id count = lower_stated_extent(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 0)));
    p->rank = 1;
    p->level =
        (uint8_t)lower_frame_level(L, f, ir_type_at(L->m, ir_value_at(L->m, n.result)->type)->b);
    p->shape = sv_ids(L, &count, 1);
    p->v = lower_chunk_length(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 1)), 1);
    p->other_src = lower_frame_value(L, f, ir_arg(L->m, o, 2));
    p->type = lower_state_type(L, f, n.regions, 1);
    p->region = n.regions;
    p->env = f;
    return p;
}

/* ---- seqfor ---- */

/* The array lives in the thread's own memory while it is made, and is handed to the writer
 * afterwards. */
void lower_emit_seqfor(lowering *L, const sv *p, const writer *w)
{
    k_builder *b = &L->b;
    destination d;
    k_id zero = kb_int(b, 0), one = kb_int(b, 1),
         size = lower_bounded_size(L, p->shape, 1, "seqfor");
    lower_destination_init(L, &d, LEVEL_THREAD, size);
    d.tree = lower_memory_tree(L, &d, p->type);
    sv *sofar = sv_like(L, lower_memory_array(L, &d, zero, p->shape, 1, p->type));
    sofar->partial = true;
    k_id s = kb_open_for(b, zero, p->v, one, NULL, 0);
    if (lower_failed(L))
        return;
    L->level = LEVEL_THREAD;
    const sv *args[2] = {sofar, sv_scalar(L, kb_param(b, s, 0))};
    const sv *r = lower_run_region(L, p->region, p->env, p->env->bound, args, 2);
    if (r->kind == SV_TUPLE && r->n == 2) {
        asked_axes q = lower_ask_positions(L, p->region, p->env, &r->items[0]->v, p->shape, 1);
        lower_open_guard(L, &q);
        lower_store_tree(L, d.tree, r->items[0]->v, r->items[1]);
        lower_close_guard(L, &q);
    }
    kb_close(b, NULL, 0);
    s = kb_open_for(b, zero, p->shape[0], one, NULL, 0);
    k_id i = kb_param(b, s, 0);
    lower_write_element(L, w, sv_index(L, sofar, &i), &i, 1, i);
    kb_close(b, NULL, 0);
}

/* Its level is thread whatever surrounds it: one thread writes all elements. */
const sv *lower_SEQFOR(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    sv *p = sv_new(L, SV_PUSH, PUSH_SEQFOR);
    k_id count = lower_stated_extent(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 0)));
    p->rank = 1;
    p->level = LEVEL_THREAD;
    p->shape = sv_ids(L, &count, 1);
    p->v = lower_frame_scalar(L, f, ir_arg(L->m, o, 1));
    p->type = ir_type_at(L->m, lower_frame_type(L, f, ir_value_at(L->m, n.result)->type))->a;
    p->region = n.regions;
    p->env = f;
    return p;
}
