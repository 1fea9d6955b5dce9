/* Lowering of pull arrays: elements, generate, map, index, length.
 *
 * A pull array is the way to compute an element, so all producers of an array fuse into whoever
 * reads it (deforestation).  An element that is wanted again in the same scope is not built again
 * (once/memo.c). */
#include "ir/kernel/lower/value.h"

/* ---- elements ---- */

/* One load for each scalar of the element. */
static const sv *load_tree(lowering *L, const sv *tree, k_id at)
{
    if (tree->kind == SV_SCALAR)
        return sv_scalar(L, kb_load(&L->b, tree->v, at));
    const sv **items = ARENA_ARRAY(&L->a, const sv *, tree->n);
    for (uint32_t i = 0; items && i < tree->n; i++)
        items[i] = load_tree(L, tree->items[i], at);
    return items ? sv_tuple(L, items, tree->n) : sv_none();
}

/* Zeros where the guard does not hold. */
static const sv *load_guarded(lowering *L, const sv *tree, k_id at)
{
    vec_u32 x = {0};
    k_id s = kb_open_if(&L->b, L->guard);
    const sv *e = load_tree(L, tree, at);
    sv_leaves(L, e, &x);
    kb_next_block(&L->b, x.at, x.len);
    for (uint32_t i = 0; i < x.len; i++)
        x.at[i] = kb_const(&L->b, (scalar)k_at(L->b.p, x.at[i])->type, 0);
    kb_close(&L->b, x.at, x.len);
    for (uint32_t i = 0; i < x.len; i++)
        x.at[i] = kb_result(&L->b, s, i);
    const k_id *list = x.at;
    const sv *r = lower_failed(L) ? sv_none() : sv_with_leaves(L, e, &list);
    vec_free(&L->m->cx->mem, &x);
    return r;
}

/* All memories of a tree have as many; a parameter states its number (v2). */
k_id lower_memory_elements(lowering *L, const sv *a)
{
    const sv *tree = a->src;
    while (tree && tree->kind == SV_TUPLE && tree->n)
        tree = tree->items[0];
    return a->v2 ? a->v2 : tree ? k_at(L->b.p, tree->v)->args[0] : kb_int(&L->b, 0);
}

k_id lower_position_from(lowering *L, k_id offset, k_id flat)
{
    k_builder *b = &L->b;
    if (k_at(b->p, flat)->type == ST_I64)
        return kb_add(b, offset, flat);
    return kb_claim(b, SOP_ADD, kb_convert(b, ST_I32, offset), flat);
}

/* A memory that nothing was written to has no elements, so what is read does not matter. */
static const sv *index_memory(lowering *L, const sv *a, const k_id *ix)
{
    if (!a->src)
        return sv_zero(L, a->type);
    bool wide = lower_is_wide(L, lower_memory_elements(L, a));
    k_id flat = lower_shape_flatten(L, a->pitch ? a->pitch : a->shape, a->rank, ix,
                                    wide ? POSITION_WIDE : POSITION_EXISTING);
    k_id at = lower_position_from(L, a->v, flat);
    return L->guard ? load_guarded(L, a->src, at) : load_tree(L, a->src, at);
}

/* The region's own frame is where it was written, its arguments are the indices. */
static const sv *index_generate(lowering *L, const sv *a, const k_id *ix)
{
    const sv *args[MAX_RANK];
    for (uint32_t i = 0; i < a->rank; i++)
        args[i] = sv_scalar(L, ix[i]);
    return lower_run_region(L, a->region, a->env, a->env->bound, args, a->rank);
}

static const sv *index_map(lowering *L, const sv *a, const k_id *ix)
{
    L->depth++;
    const sv *x = sv_index(L, a->src, ix);
    L->depth--;
    return lower_run_region1(L, a->region, a->env, x);
}

/* The item at i among those from k on, as a chain of selects. */
static const sv *items_from(lowering *L, const sv *a, uint32_t k, k_id i)
{
    const sv *rest = a->items[a->n - 1];
    vec_u32 x = {0}, y = {0};
    mem *m = &L->m->cx->mem;
    for (uint32_t at = a->n - 1; at-- > k && !lower_failed(L);) {
        k_id hit = kb_scalar(&L->b, SOP_EQ, i, kb_int(&L->b, (int32_t)at), 0);
        x.len = y.len = 0;
        sv_leaves(L, a->items[at], &x);
        sv_leaves(L, rest, &y);
        if (lower_failed(L))
            break;
        for (uint32_t l = 0; l < x.len && l < y.len; l++)
            x.at[l] = kb_select(&L->b, hit, x.at[l], y.at[l]);
        const k_id *list = x.at;
        rest = sv_with_leaves(L, rest, &list);
    }
    vec_free(m, &x);
    vec_free(m, &y);
    return rest;
}

/* What a table has, in the types of the literal's elements. */
static const sv *in_types_of(lowering *L, const sv *like, const sv *loaded)
{
    vec_u32 x = {0}, y = {0};
    sv_leaves(L, like, &x);
    sv_leaves(L, loaded, &y);
    for (uint32_t l = 0; l < x.len && l < y.len; l++) {
        scalar t = (scalar)k_at(L->b.p, x.at[l])->type;
        if (k_at(L->b.p, y.at[l])->type != t)
            y.at[l] = kb_bitcast(&L->b, t, y.at[l]);
    }
    const k_id *list = y.at;
    const sv *r = lower_failed(L) ? sv_none() : sv_with_leaves(L, like, &list);
    vec_free(&L->m->cx->mem, &x);
    vec_free(&L->m->cx->mem, &y);
    return r;
}

/* A known index takes the item; among scalars the choice is a load from a table or selects, else
 * branches. */
static const sv *index_items(lowering *L, const sv *a, const k_id *ix)
{
    int64_t i;
    if (a->n == 0)
        return sv_zero(L, a->type);
    k_id at =
        a->rank == 1 ? ix[0] : lower_shape_flatten(L, a->shape, a->rank, ix, POSITION_EXISTING);
    if (k_is_const(L->b.p, at, &i) && i >= 0 && i < a->n)
        return a->items[i];
    const sv *table = lower_table_of(L, a);
    if (table)
        return in_types_of(L, a->items[0],
                           L->guard ? load_guarded(L, table, at) : load_tree(L, table, at));
    return sv_is_scalars(a->items[0]) ? items_from(L, a, 0, at) : lower_choose_item(L, a, at);
}

uint32_t lower_literal_items(const sv *a)
{
    while (a->kind == SV_PULL && a->form == PULL_MAP)
        a = a->src;
    return a->kind == SV_PULL && a->form == PULL_ITEMS && a->rank == 1 ? a->n : 0;
}

/* Decided again at each element; a condition that does not depend on the element is computed
 * once, as the builder places it outside of the loop. */
static const sv *index_if(lowering *L, const sv *a, const k_id *ix)
{
    thunk *t = ARENA_ARRAY(&L->a, thunk, 2);
    const k_id *copy = sv_ids(L, ix, a->rank);
    if (!t || !copy)
        return sv_none();
    t[0] = (thunk){.kind = THUNK_INDEX, .of = a->then, .ix = copy, .n = a->rank};
    t[1] = (thunk){.kind = THUNK_INDEX, .of = a->other, .ix = copy, .n = a->rank};
    L->depth++;
    const sv *v = lower_choice(L, a->v, a->from, &t[0], &t[1]);
    L->depth--;
    return v;
}

/* Both branches of an if were memories: one load or the other. */
static const sv *index_choice(lowering *L, const sv *a, const k_id *ix)
{
    vec_u32 x = {0}, y = {0};
    k_id s = kb_open_if(&L->b, a->v);
    const sv *e = sv_index(L, a->src, ix);
    sv_leaves(L, e, &x);
    kb_next_block(&L->b, x.at, x.len);
    sv_leaves(L, sv_index(L, a->other_src, ix), &y);
    kb_close(&L->b, y.at, y.len);
    for (uint32_t i = 0; i < x.len; i++)
        x.at[i] = kb_result(&L->b, s, i);
    const k_id *list = x.at;
    const sv *r = lower_failed(L) ? sv_none() : sv_with_leaves(L, e, &list);
    vec_free(&L->m->cx->mem, &x);
    vec_free(&L->m->cx->mem, &y);
    return r;
}

static const sv *index_part(lowering *L, const sv *a, const k_id *ix)
{
    k_id at[MAX_RANK] = {kb_add(&L->b, a->v, ix[0])};
    for (uint32_t i = 1; i < a->rank; i++)
        at[i] = ix[i];
    L->depth++;
    const sv *v = sv_index(L, a->src, at);
    L->depth--;
    return v;
}

const sv *lower_element(lowering *L, const sv *a, const k_id *ix)
{
    switch ((sv_form)a->form) {
    case PULL_GENERATE: return index_generate(L, a, ix);
    case PULL_MAP: return index_map(L, a, ix);
    case PULL_MEMORY: return index_memory(L, a, ix);
    case PULL_ITEMS: return index_items(L, a, ix);
    case PULL_IF: return index_if(L, a, ix);
    case PULL_CHOICE: return index_choice(L, a, ix);
    case PULL_PART: return index_part(L, a, ix);
    case PULL_PADDED: return lower_padded_element(L, a, ix);
    case FN_REGION:
    case FN_IF:
    case FN_LOOK:
    case PUSH_PULL:
    case PUSH_MAP:
    case PUSH_CONCAT:
    case PUSH_ROWS:
    case PUSH_COMPACTED:
    case PUSH_INTERLEAVE:
    case PUSH_SEQUENCE:
    case PUSH_SEQFOR:
    case PUSH_MAPACCUM:
    case PUSH_CHAIN:
    case PUSH_IF:
    case PUSH_PART:
    case PUSH_PAD:
        break; /* no pull arrays; a form that is one and is not above is named by the compiler */
    }
    return sv_none();
}

/* Each array that an element is computed through is one level deeper.  Loads are the builder's to
 * share. */
const sv *sv_index(lowering *L, const sv *a, const k_id *ix)
{
    if (lower_failed(L) || a->kind != SV_PULL)
        return sv_none();
    if (a->form == PULL_MEMORY || a->form == PULL_ITEMS)
        return lower_element(L, a, ix);
    if (L->depth >= L->m->cx->limits.call_depth) {
        lower_fail(L, DIAG_TOO_DEEP, "more than %u arrays are nested in one another here",
                   L->m->cx->limits.call_depth);
        diag_hint(L->m->cx, "force an array in between, so that its elements are read from memory");
        return sv_none();
    }
    memo_key key;
    lower_element_key(L, &key, a, ix, false);
    const sv *v = lower_recall(L, &key);
    if (v)
        return v;
    bool clear = L->clear;
    L->clear = clear && a->number > L->clear_from; /* others were not looked at */
    lower_count_element(L, a);
    lower_foresee_ask(L, a);
    v = lower_foreseen(L, a, ix, false);
    v = v ? v : lower_deep_element(L, a, ix);
    L->clear = clear;
    lower_remember(L, &key, v);
    return v;
}

/* ---- operators ---- */

const sv *lower_GENERATE(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    k_id shape[MAX_RANK];
    sv *a = sv_new(L, SV_PULL, PULL_GENERATE);
    a->rank = (uint8_t)(n.nargs < MAX_RANK ? n.nargs : MAX_RANK);
    for (uint32_t i = 0; i < a->rank; i++)
        shape[i] = lower_stated_extent(L, lower_frame_scalar(L, f, ir_arg(L->m, o, i)));
    lower_check_elements(L, shape, a->rank);
    a->shape = sv_ids(L, shape, a->rank);
    a->region = n.regions;
    a->env = f;
    return a;
}

/* Whether a region only chooses components of its parameter: it gives what others hold already. */
static bool only_chooses(ir_module *m, ir_region r)
{
    bool only = true;
    for (ir_op o = ir_region_at(m, r)->first; only && o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        uint32_t chosen = n.opcode == OP_PROJ ? 1 : n.nargs;
        only = n.opcode == OP_PROJ || n.opcode == OP_TUPLE || n.opcode == OP_YIELD;
        for (uint32_t k = 0; only && k < chosen; k++) {
            ir_value v = ir_arg(m, o, k);
            only = ir_value_at(m, v)->kind != V_CONST && ir_value_region(m, v) == r;
        }
    }
    return only;
}

/* Components of what lies in memory, an array for each, lie there too; NULL for other maps. */
static const sv *components(lowering *L, frame *f, ir_op o, const sv *src)
{
    ir_region r = ir_op_at(L->m, o)->regions;
    if (src->kind != SV_PULL || src->form != PULL_MEMORY || !src->src || src->partial ||
        src->updated || !only_chooses(L->m, r))
        return NULL;
    sv *a = sv_like(L, src);
    a->src = lower_run_region1(L, r, f, src->src);
    a->type = lower_frame_type(L, f, lower_result_element(L, o));
    a->shared = true;
    return a;
}

const sv *lower_MAP(lowering *L, frame *f, ir_op o)
{
    const sv *src = lower_frame_value(L, f, ir_arg(L->m, o, 0)), *chosen = components(L, f, o, src);
    if (chosen)
        return chosen;
    sv *a = sv_new(L, (sv_kind)src->kind, src->kind == SV_PUSH ? PUSH_MAP : PULL_MAP);
    a->src = src;
    a->rank = src->rank;
    a->shape = src->shape;
    a->level = src->level;
    a->region = ir_op_at(L->m, o)->regions;
    a->env = f;
    return a;
}

const sv *lower_LENGTH(lowering *L, frame *f, ir_op o)
{
    const sv *a = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    if (!a->shape)
        return sv_none();
    lower_check_length(L, a->shape, a->rank);
    return sv_scalar(L, lower_shape_count(L, a->shape, a->rank));
}

const sv *lower_DIM(lowering *L, frame *f, ir_op o)
{
    const sv *a = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    uint64_t k = ir_const_bits(L->m, ir_arg(L->m, o, 1));
    return a->shape && k < a->rank ? sv_scalar(L, a->shape[k]) : sv_none();
}

/* Recursion is as deep as types nest. */
static bool is_scalars(const ir_module *m, ir_type t)
{
    const type_node *n = ir_type_at(m, t);
    bool all = n->kind == TY_SCALAR || n->kind == TY_TUPLE;
    for (uint32_t i = 0; all && n->kind == TY_TUPLE && i < n->n; i++)
        all = is_scalars(m, type_item(m, t, i));
    return all;
}

const sv *lower_INDEX(lowering *L, frame *f, ir_op o)
{
    const sv *a = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    k_id ix[MAX_RANK] = {0};
    for (uint32_t i = 0; i < a->rank && i < MAX_RANK; i++)
        ix[i] = lower_frame_scalar(L, f, ir_arg(L->m, o, i + 1));
    ir_type t = lower_frame_type(L, f, ir_value_at(L->m, ir_op_at(L->m, o)->result)->type);
    return lower_checked_element(L, a, ix, is_scalars(L->m, t));
}
