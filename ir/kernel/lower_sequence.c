/* Lowering of sequential iteration: arrays one after another (interleaveseq), and elements in any order by one thread
 * that may look at those it has written (seqfor). */
#include "ir/kernel/lower_value.h"

/* What one round leaves in shared memory, the next one overwrites: all threads finish a round before the next begins.
 */
static void end_round(lowering *L, uint32_t level)
{
    const k_program *p = L->b.p;
    k_block body = L->b.scopes.at[kb_depth(&L->b)].block;
    if (k_has_sync(p, body) && k_at(p, k_block_at(p, body)->last)->op != K_SYNC)
        sync_after(L, level);
}

void emit_sequence(lowering *L, const sv *p, const writer *w)
{
    k_builder *b = &L->b;
    const sv *src = p->src;
    k_id ix[MAX_RANK], n = shape_count(L, src->shape, src->rank);
    k_id s = kb_open_for(b, kb_int(b, 0), n, kb_int(b, 1), NULL, 0);
    if (lower_failed(L))
        return;
    shape_unflatten(L, src->shape, src->rank, kb_param(b, s, 0), ix);
    writer inner = {.kind = WRITE_POSITION, .outer = w, .region = p->region, .env = p->env, .ix = ix, .nix = src->rank};
    emit_push(L, sv_index(L, src, ix), &inner);
    end_round(L, p->level);
    kb_close(b, NULL, 0);
}

/* The array lives in the thread's own memory while it is made, and is handed to the writer afterwards. */
void emit_seqfor(lowering *L, const sv *p, const writer *w)
{
    k_builder *b = &L->b;
    destination d;
    k_id zero = kb_int(b, 0), one = kb_int(b, 1), size = bounded_size(L, p->shape, 1, "seqfor");
    destination_init(L, &d, LEVEL_THREAD, size);
    d.tree = memory_tree(L, &d, p->type);
    const sv *sofar = memory_array(L, &d, zero, p->shape, 1, p->type);
    k_id s = kb_open_for(b, zero, p->v, one, NULL, 0);
    if (lower_failed(L))
        return;
    L->level = LEVEL_THREAD;
    const sv *args[2] = {sofar, sv_scalar(L, kb_param(b, s, 0))};
    const sv *r = run_region(L, p->region, p->env, p->env->bound, args, 2);
    if (r->kind == SV_TUPLE && r->n == 2)
        store_tree(L, d.tree, r->items[0]->v, r->items[1]);
    kb_close(b, NULL, 0);
    s = kb_open_for(b, zero, p->shape[0], one, NULL, 0);
    k_id i = kb_param(b, s, 0);
    write_element(L, w, sv_index(L, sofar, &i), &i, 1, i);
    kb_close(b, NULL, 0);
}

const sv *lower_SEQFOR(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    sv *p = sv_new(L, SV_PUSH, PUSH_SEQFOR);
    k_id count = extent(L, frame_scalar(L, f, ir_arg(L->m, o, 0)));
    p->rank = 1;
    p->level = LEVEL_THREAD;
    p->shape = sv_ids(L, &count, 1);
    p->v = frame_scalar(L, f, ir_arg(L->m, o, 1));
    p->type = ir_type_at(L->m, frame_type(L, f, ir_value_at(L->m, n.result)->type))->a;
    p->region = n.regions;
    p->env = f;
    return p;
}
