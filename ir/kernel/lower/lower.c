/* Lowering of an entry point: its parameters become arguments and buffers, its results outputs.
 *
 * A kernel whose result is a grid runs at the host: every force there is a launch, and so is each
 * result.  A kernel of a lower level is one launch of one group, and its body runs inside it.
 *
 * Partial evaluation (staging, symbolic execution): the core program is run with static values,
 * and what is not static becomes code.  There is no separate binding-time analysis: functions,
 * tuples, levels and arrays are static by their kind, scalars when they are constants. */
#include "ir/kernel/lower/value.h"

#include <string.h>

/* ---- parameters ---- */

/* A tree of buffers shaped like an element; *next counts leaves as host_leaves_in does. */
static const sv *array_leaves(lowering *L, ir_type t, uint32_t *next)
{
    const type_node n = *ir_type_at(L->m, t);
    if (n.kind != TY_TUPLE)
        return sv_scalar(L, kb_buffer(&L->b, (*next)++, (scalar)n.a));
    const sv **items = ARENA_ARRAY(&L->a, const sv *, n.n ? n.n : 1u);
    for (uint32_t i = 0; items && i < n.n; i++)
        items[i] = array_leaves(L, type_item(L->m, t, i), next);
    return items ? sv_tuple(L, items, n.n) : sv_none();
}

/* Its extents are values of the host block, so all that is computed from them alone is, too. */
static const sv *array_param(lowering *L, const type_node *n, uint32_t *next)
{
    sv *a = sv_new(L, SV_PULL, PULL_MEMORY);
    k_id shape[MAX_RANK];
    a->rank = (uint8_t)n->n;
    a->type = n->a;
    a->v = kb_int(&L->b, 0);
    for (uint32_t i = 0; i < n->n; i++)
        shape[i] = kb_dim(&L->b, *next, i);
    a->shape = sv_ids(L, shape, n->n);
    a->v2 = lower_shape_elements(L, shape, n->n);
    a->src = array_leaves(L, n->a, next);
    return a;
}

static const sv *param_value(lowering *L, ir_type t, uint32_t *next)
{
    const type_node n = *ir_type_at(L->m, t);
    if (n.kind == TY_PULL)
        return array_param(L, &n, next);
    if (n.kind != TY_TUPLE)
        return sv_scalar(L, kb_arg(&L->b, (*next)++, (scalar)n.a));
    const sv **items = ARENA_ARRAY(&L->a, const sv *, n.n ? n.n : 1u);
    for (uint32_t i = 0; items && i < n.n; i++)
        items[i] = param_value(L, type_item(L->m, t, i), next);
    return items ? sv_tuple(L, items, n.n) : sv_none();
}

/* The body runs like any region: what it returns are push arrays that nobody has written yet. */
static const sv *run_body(lowering *L, ir_func f)
{
    region_node body = *ir_region_at(L->m, ir_func_at(L->m, f)->body);
    const sv **args = ARENA_ARRAY(&L->a, const sv *, body.nparams + 1);
    uint32_t next = 0;
    if (!args)
        return sv_none();
    for (uint32_t i = 0; i < body.nparams; i++)
        args[i] = param_value(L, ir_value_at(L->m, body.params + i)->type, &next);
    return lower_run_region(L, ir_func_at(L->m, f)->body, NULL, NULL, args, body.nparams);
}

/* ---- results ---- */

/* An output whose extents only the kernel knows: they come back through memory of one element
 * each. */
typedef struct result {
    destination dest;
    const sv *push;       /* a push array; or a scalar */
    k_id cells[MAX_RANK]; /* 0: the extent is known at the host */
    ir_type type;         /* of an element, or the scalar's */
} result;

typedef struct result_list {
    result *at;
    uint32_t n;
} result_list;

/* By one of those who run a kernel together. */
static void store_once(lowering *L, k_id memory, k_id value)
{
    k_builder *b = &L->b;
    k_id one = kb_int(b, 1), zero = kb_int(b, 0);
    bool alone = L->level == LEVEL_THREAD;
    if (!alone)
        kb_open_par(b, L->level == LEVEL_WARP ? OVER_LANES : OVER_THREADS, one);
    kb_store(b, memory, zero, value);
    if (!alone)
        kb_close(b, NULL, 0);
}

/* Stores the extents that the host does not know, by one thread. */
static void store_extents(lowering *L, result *r)
{
    k_builder *b = &L->b;
    for (uint32_t i = 0; i < r->push->rank && !lower_is_host(L); i++) {
        if (kb_is_host(b, r->push->shape[i]))
            continue;
        r->cells[i] = kb_alloc_at(b, 0, SPACE_GLOBAL, ST_I32, kb_int(b, 1));
        store_once(L, r->cells[i], r->push->shape[i]);
    }
}

/* Buffers are the caller's: they are inputs, and no output may be one of them. */
static bool is_own_memory(const lowering *L, const sv *tree)
{
    const k_node *n = k_at(L->b.p, tree->v);
    bool own = tree->kind == SV_TUPLE || (n->op == K_ALLOC && n->space == SPACE_GLOBAL);
    for (uint32_t i = 0; own && tree->kind == SV_TUPLE && i < tree->n; i++)
        own = is_own_memory(L, tree->items[i]);
    return own;
}

/* Whether it changes places with another memory, as the arrays of a loop of the host do. */
static bool changes_places(const lowering *L, const sv *tree)
{
    const k_program *p = L->b.p;
    bool changes = false;
    for (k_id id = 1; id < p->nodes.len && tree->kind == SV_SCALAR && !changes; id++)
        changes = k_at(p, id)->op == K_SWAP && (k_at(p, id)->args[0] == tree->v || k_at(p, id)->args[1] == tree->v);
    for (uint32_t i = 0; tree->kind == SV_TUPLE && i < tree->n && !changes; i++)
        changes = changes_places(L, tree->items[i]);
    return changes;
}

static bool is_output(const result *results, const result *end, const sv *tree)
{
    for (const result *r = results; r < end; r++)
        if (r->dest.tree == tree || (r->dest.tree && tree->v && r->dest.tree->v == tree->v))
            return true;
    return false;
}

/* Whether a result is what a force at the host has just written, from its first element on: then
 * that is the output, and nothing is copied.  A memory is the output of one result only.  Where a result is to take the
 * place of a parameter it is written by itself, as the parameter changes places with nothing. */
static bool is_forced_whole(const lowering *L, const result *results, const result *r)
{
    const sv *src = r->push->src;
    int64_t offset;
    if (L->target.request.in_place && src && src->src && changes_places(L, src->src))
        return false;
    return lower_is_host(L) && r->push->form == PUSH_PULL && src->form == PULL_MEMORY && src->src &&
           !is_output(results, r, src->src) && k_is_const(L->b.p, src->v, &offset) && offset == 0 &&
           is_own_memory(L, src->src);
}

static bool is_overwritten(const lowering *L, k_id memory)
{
    bool found = false;
    for (uint32_t i = 0; i < L->overwritten.len && !found; i++)
        found = L->overwritten.at[i] == memory;
    return found;
}

/* The memory of which a scalar was read at the host, as its first element: then that is the output.
 * Nothing overwrites it later but an update. */
static const sv *read_from(lowering *L, const result *results, const result *r)
{
    const k_node *n = k_at(L->b.p, r->push->v);
    int64_t index;
    if (!lower_is_host(L) || n->op != K_LOAD || is_overwritten(L, n->args[0]) ||
        !k_is_const(L->b.p, n->args[1], &index) || index != 0)
        return NULL;
    const sv *memory = sv_scalar(L, n->args[0]);
    bool first = k_at(L->b.p, n->args[0])->depth <= kb_host_depth(&L->b);
    return first && is_own_memory(L, memory) && !is_output(results, r, memory) ? memory : NULL;
}

/* A scalar has memory of one element. */
static void emit_scalar(lowering *L, const result *results, result *r)
{
    bool host = lower_is_host(L);
    uint32_t level = L->level;
    r->dest.tree = read_from(L, results, r);
    if (r->dest.tree)
        return;
    r->dest = (destination){.space = SPACE_GLOBAL, .size = kb_int(&L->b, 1)};
    r->dest.tree = lower_memory_tree(L, &r->dest, r->type);
    if (host) {
        kb_open_launch(&L->b, LEVEL_THREAD, kb_int(&L->b, 1), 1);
        L->level = LEVEL_THREAD;
    }
    store_once(L, r->dest.tree->v, r->push->v);
    if (host)
        kb_close(&L->b, NULL, 0);
    L->level = level;
}

/* A result of unknown size has memory for its bound, and its extents come back with it. */
static void emit_array(lowering *L, const result *results, result *r)
{
    if (is_forced_whole(L, results, r)) {
        r->dest.tree = r->push->src->src;
        return;
    }
    k_id size = lower_bounded_size(L, r->push->shape, r->push->rank, "result");
    r->dest = (destination){.space = SPACE_GLOBAL, .size = size};
    r->dest.tree = lower_memory_tree(L, &r->dest, r->type);
    lower_emit_into(L, r->push, &r->dest, kb_int(&L->b, 0), 0);
    store_extents(L, r);
}

static void emit_result(lowering *L, const result *results, result *r)
{
    if (r->push->kind == SV_SCALAR)
        emit_scalar(L, results, r);
    else if (r->push->kind == SV_PUSH && r->push->shape)
        emit_array(L, results, r);
    else
        lower_fail(L, DIAG_LOWER_INTERNAL, "a kernel's result is neither push array nor scalar");
}

static void output_leaves(lowering *L, const sv *tree, const k_id *dims, uint32_t rank,
                          uint32_t *next)
{
    if (tree->kind == SV_SCALAR)
        kb_output(&L->b, (*next)++, tree->v, dims, rank);
    for (uint32_t i = 0; tree->kind == SV_TUPLE && i < tree->n; i++)
        output_leaves(L, tree->items[i], dims, rank, next);
}

/* One OUTPUT for each scalar in an element, in the order of host_leaves_out. */
static void emit_outputs(lowering *L, const result *r, uint32_t *next)
{
    k_id dims[MAX_RANK];
    uint32_t rank = r->push->kind == SV_PUSH ? r->push->rank : 0;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = r->cells[i] ? kb_load(&L->b, r->cells[i], kb_int(&L->b, 0)) : r->push->shape[i];
    output_leaves(L, r->dest.tree, dims, rank, next);
}

/* ---- the entry ---- */

static uint32_t count_results(const lowering *L, ir_type t)
{
    const type_node n = *ir_type_at(L->m, t);
    uint32_t count = n.kind != TY_TUPLE;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n; i++)
        count += count_results(L, type_item(L->m, t, i));
    return count;
}

/* Scalars and arrays, tuples taken apart, in the order of host_leaves_out. */
static void list_results(lowering *L, const sv *value, ir_type t, result_list *out)
{
    const type_node n = *ir_type_at(L->m, t);
    if (n.kind != TY_TUPLE)
        out->at[out->n++] = (result){.push = value, .type = n.kind == TY_SCALAR ? t : n.a};
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n; i++)
        list_results(L, value->kind == SV_TUPLE && i < value->n ? value->items[i] : sv_none(),
                     type_item(L->m, t, i), out);
}

/* Outputs come last, at the host, when all launches have been built. */
static void lower_entry(lowering *L, ir_func f)
{
    const func_node fn = *ir_func_at(L->m, f);
    uint32_t level = type_turnstile(L->m, fn.result), next = 0;
    result_list results = {.at = ARENA_ARRAY(&L->a, result, count_results(L, fn.result) + 1)};
    if (!results.at)
        return;
    L->b.loc = L->b.p->origin.loc = lower_position(L, fn.loc);
    L->level = level;
    L->block = lower_block_of(L, f);
    if (level < LEVEL_GRID) /* one launch holds everything: there is nothing to choose between */
        L->target.request.index_bits = L->b.p->target.request.index_bits = 32;
    if (level < LEVEL_GRID)
        kb_open_launch(&L->b, level, kb_int(&L->b, 1), lower_launch_threads(L, level));
    list_results(L, run_body(L, f), fn.result, &results);
    for (uint32_t i = 0; i < results.n && !lower_failed(L); i++)
        emit_result(L, results.at, &results.at[i]);
    if (level < LEVEL_GRID && !lower_failed(L))
        kb_close(&L->b, NULL, 0);
    for (uint32_t i = 0; i < results.n && !lower_failed(L); i++)
        emit_outputs(L, &results.at[i], &next);
    if (!lower_failed(L))
        kb_end(&L->b);
    if (!lower_failed(L))
        lower_refuse_certain(L);
}

bool k_lower(ir_module *m, ir_func f, const k_target *target, k_program *out)
{
    lowering L = {
        .m = m, .target = *target, .block = target->tuning.block_size, .b = {.p = out}};
    bool ok = k_init(out, m->cx);
    out->name = ir_func_at(m, f)->name;
    out->target = *target;
    arena_init(&L.a, &m->cx->mem);
    ok = ok && host_leaves_in(m, f, &out->in) && host_leaves_out(m, f, &out->out) &&
         lower_origin(&L, f) && lower_find_updated(&L) && kb_init(&L.b, out) &&
         lower_refuse_unscheduled(&L, f);
    if (ok)
        lower_entry(&L, f);
    ok = ok && !lower_failed(&L) && !m->cx->mem.oom;
    kb_release(&L.b);
    vec_free(&m->cx->mem, &L.limits);
    vec_free(&m->cx->mem, &L.reads);
    vec_free(&m->cx->mem, &L.first_read);
    vec_free(&m->cx->mem, &L.updated);
    vec_free(&m->cx->mem, &L.overwritten);
    vec_free(&m->cx->mem, &L.grown);
    vec_free(&m->cx->mem, &L.positions);
    vec_free(&m->cx->mem, &L.keys);
    lower_memo_free(&L);
    lower_copies_free(&L);
    lower_outside_free(&L);
    arena_free(&L.a);
    return ok && lower_end_loops(out);
}
