/* Lowering of update: elements written side by side into the memory of an array that nobody reads
 * any more, which check/consume.c has seen to.
 *
 * Barriers stand on both sides: what others still read of the array has been read, and what is put
 * there has come.  Of an array in registers the elements are selected anew. */
#include "ir/kernel/lower/cells/cells.h"
#include "ir/parts.h"

#include <string.h>

/* ---- arrays that are overwritten ---- */

static bool mark(lowering *L, ir_value v)
{
    ir_value of = ir_part_of(L->m, v).of;
    bool fresh = of < L->updated.len && !L->updated.at[of];
    if (fresh)
        L->updated.at[of] = true;
    return fresh;
}

static bool is_marked(const lowering *L, ir_value v)
{
    return v && v < L->updated.len && L->updated.at[v];
}

/* What a call hands over to be overwritten, and what it gives that is. */
static bool mark_call(lowering *L, const op_node *n)
{
    const region_node body = *ir_region_at(L->m, ir_func_at(L->m, n->attr)->body);
    bool any = false;
    for (uint32_t k = 0; k < n->nargs && k < body.nparams; k++)
        if (is_marked(L, body.params + k))
            any |= mark(L, L->m->pool.at[n->args + k]);
    if (is_marked(L, n->result))
        any |= mark(L, ir_arg(L->m, body.last, 0));
    return any;
}

/* What the branches of an if give where what it gives is overwritten. */
static bool mark_if(lowering *L, const op_node *n)
{
    bool any = false;
    for (uint32_t k = 0; k < 2 && is_marked(L, n->result); k++)
        any |= mark(L, ir_arg(L->m, ir_region_at(L->m, n->regions + k)->last, 0));
    return any;
}

static bool mark_round(lowering *L)
{
    bool any = false;
    for (ir_op o = 0; o < L->m->ops.len; o++) {
        const op_node *n = ir_op_at(L->m, o);
        if (n->opcode == OP_UPDATE)
            any |= mark(L, ir_arg(L->m, o, 0));
        else if (n->opcode == OP_CALL)
            any |= mark_call(L, n);
        else if (n->opcode == OP_IF)
            any |= mark_if(L, n);
    }
    return any;
}

/* As often as calls nest, in a module with updates. */
bool lower_find_updated(lowering *L)
{
    bool any = false;
    for (ir_op o = 0; o < L->m->ops.len && !any; o++)
        any = ir_op_at(L->m, o)->opcode == OP_UPDATE;
    if (!any)
        return true;
    if (!vec_reserve(&L->m->cx->mem, &L->updated, L->m->values.len))
        return false;
    memset(L->updated.at, 0, L->m->values.len);
    L->updated.len = L->m->values.len;
    while (mark_round(L))
        ;
    return true;
}

bool lower_is_updated(const lowering *L, ir_value v)
{
    return is_marked(L, v);
}

/* ---- arrays in registers ---- */

/* One element: each item is it, where its number is the position. */
static const sv *with_element(lowering *L, const sv *a, k_id at, const sv *v)
{
    sv *r = sv_like(L, a);
    r->items = ARENA_ARRAY(&L->a, const sv *, a->n);
    r->table = NULL;
    vec_u32 x = {0}, y = {0};
    for (uint32_t k = 0; r->items && k < a->n && !lower_failed(L); k++) {
        k_id hit = kb_scalar(&L->b, SOP_EQ, at, kb_int(&L->b, (int32_t)k), 0);
        x.len = y.len = 0;
        sv_leaves(L, v, &x);
        sv_leaves(L, a->items[k], &y);
        for (uint32_t l = 0; l < x.len && l < y.len; l++)
            x.at[l] = kb_select(&L->b, hit, x.at[l], y.at[l]);
        const k_id *list = x.at;
        r->items[k] = sv_with_leaves(L, v, &list);
    }
    vec_free(&L->m->cx->mem, &x);
    vec_free(&L->m->cx->mem, &y);
    return r->items ? r : sv_none();
}

/* What is put into registers is as short as they are few. */
static const sv *update_items(lowering *L, const sv *a, const sv *p, k_id start)
{
    for (uint32_t j = 0; j < lower_literal_items(p->src) && !lower_failed(L); j++) {
        k_id i = kb_int(&L->b, (int32_t)j), at = kb_add(&L->b, start, i);
        asked_axes q = lower_ask_axes(L, CHECKED_POSITION, &at, a->shape, 1);
        const sv *v = sv_index(L, p->src, &i);
        a = with_element(L, a, at, v);
        if (q.n)
            kb_check(&L->b, CHECKED_POSITION, q.all, at, a->shape[0], 0);
    }
    return a;
}

/* Others go by memory. */
static const sv *in_memory(lowering *L, const sv *a)
{
    destination d;
    const sv *p = sv_pushed(L, a, LEVEL_THREAD);
    k_id size = lower_bounded_size(L, a->shape, a->rank, "update");
    lower_destination_init(L, &d, LEVEL_THREAD, size);
    d.tree = lower_memory_tree(L, &d, a->type);
    lower_emit_into(L, p, &d, kb_int(&L->b, 0), 0);
    return lower_memory_array(L, &d, kb_int(&L->b, 0), a->shape, a->rank, a->type);
}

/* ---- arrays in memory ---- */

static const sv *update_memory(lowering *L, const sv *a, const sv *p, const k_id *start)
{
    destination d;
    lower_destination_init(L, &d, p->level, lower_memory_elements(L, a));
    d.tree = a->src ? a->src : lower_memory_tree(L, &d, a->type);
    writer memory = {.kind = WRITE_MEMORY, .dest = &d, .offset = a->v, .rank = a->rank};
    memory.shape = a->pitch ? a->pitch : a->shape;
    writer shift = {.kind = WRITE_SHIFTED, .outer = &memory, .shape = a->shape, .ix = start};
    lower_sync_after(L, p->level);
    lower_emit_push(L, p, &shift);
    lower_sync_after(L, p->level);
    return sv_like(L, a);
}

static bool is_there(const lowering *L, const sv *a, const sv *p)
{
    return a->form == PULL_ITEMS ? p->level == LEVEL_THREAD
                                 : a->form == PULL_MEMORY && !a->shared && !a->partial &&
                                       (!a->src || lower_is_forced_at(L, a->src, p->level));
}

/* What the host has chosen is in one of two memories: a copy is overwritten. */
static const sv *copied(lowering *L, const sv *a, ir_type elem)
{
    return lower_force_array(L, sv_pushed(L, a, LEVEL_GRID), elem, "update", true);
}

/* The array, in memory that may be overwritten; or nothing, with a diagnostic. */
static const sv *writable(lowering *L, const sv *a, const sv *p, ir_type elem)
{
    if (p->kind != SV_PUSH || !p->shape || a->kind != SV_PULL ||
        !lower_may_force(L, p->level, "update"))
        return NULL;
    if (is_there(L, a, p))
        return a;
    if (lower_is_host(L) && p->level == LEVEL_GRID && (a->form == PULL_CHOICE || a->form == PULL_IF))
        return copied(L, a, elem);
    lower_fail(L, DIAG_NOT_OWNED, "the array is not in memory that level %s has written",
               lower_height_name(L, p->level));
    diag_hint(L->m->cx, "force it at level %s first", lower_height_name(L, p->level));
    return NULL;
}

const sv *lower_UPDATE(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    const sv *a = lower_frame_value(L, f, ir_arg(L->m, o, 0)),
             *p = lower_frame_value(L, f, ir_arg(L->m, o, n.nargs - 1u));
    k_id at[MAX_RANK] = {0};
    for (uint32_t i = 0; i + 2 < n.nargs && i < MAX_RANK; i++)
        at[i] = lower_frame_scalar(L, f, ir_arg(L->m, o, i + 1));
    const k_id *start = sv_ids(L, at, n.nargs - 2u);
    a = start ? writable(L, a, p, lower_frame_type(L, f, lower_result_element(L, o))) : NULL;
    if (!a || a->kind != SV_PULL)
        return sv_none();
    if (a->form == PULL_ITEMS && p->form == PUSH_PULL && lower_literal_items(p->src))
        return update_items(L, a, p, start[0]);
    return update_memory(L, a->form == PULL_ITEMS ? in_memory(L, a) : a, p, start);
}
