/* Copying programs through the builder: see rebuild.h. */
#include "ir/kernel/build/rebuild.h"

#include <string.h>

/* 0 for 0, and for what was not copied. */
k_id rebuild_value(const rebuild *r, k_id old)
{
    return old < r->old->nodes.len ? r->map[old] : 0;
}

/* From an arena that lives as long as the rebuilding; a failure stops the builder. */
k_id *rebuild_room(rebuild *r, uint32_t n)
{
    k_id *room = ARENA_ARRAY(&r->room, k_id, n ? n : 1);
    r->b.failed = r->b.failed || !room;
    return room;
}

/* The copied values that a block yields; returns how many were written. */
uint32_t rebuild_yield(const rebuild *r, k_block old, k_id *out, uint32_t max)
{
    const k_node *y = k_yield_of(r->old, old);
    uint32_t n = y->nlist < max ? y->nlist : max;
    for (uint32_t i = 0; i < n; i++)
        out[i] = rebuild_value(r, k_listed(r->old, y, i));
    return n;
}

uint32_t rebuild_carried(const rebuild *r, const k_node *loop, k_id *init)
{
    for (uint32_t i = 0; i < loop->nlist; i++)
        init[i] = rebuild_value(r, k_listed(r->old, loop, i));
    return loop->nlist;
}

/* What the index of a group is below comes from its launch, which is copied before. */
static void keep_below(rebuild *r, k_id old, k_id fresh)
{
    bool is_index = k_at(r->old, old)->op == K_BUILTIN && k_at(r->b.p, fresh)->op == K_BUILTIN;
    if (is_index && k_below(r->old, old))
        k_state_below(r->b.p, fresh, rebuild_value(r, k_below(r->old, old)));
}

/* Also maps old to fresh. Nodes older than r->first, and pure values, are shared: facts of one
 * place may not be stated of them, only what holds wherever they are used. */
void rebuild_facts(rebuild *r, k_id old, k_id fresh)
{
    const k_node *o = k_at(r->old, old), *n = k_at(r->b.p, fresh);
    r->map[old] = fresh;
    if (k_is_extent(r->old, old)) /* wherever it is used */
        k_state_extent(r->b.p, fresh);
    if (fresh < r->first)
        return;
    keep_below(r, old, fresh);
    if (k_op_info(n->op)->class == KC_VALUE || !k_type_is_int((scalar)n->type))
        return;
    if (o->exact == CLAIMED &&
        n->exact != CLAIMED) /* what is claimed for one access holds nowhere else */
        return;
    k_state_range(r->b.p, fresh, k_lo(r->old, old), k_hi(r->old, old));
    k_state_bound(r->b.p, fresh, rebuild_value(r, k_bound(r->old, old)));
}

void rebuild_results(rebuild *r, k_id old, k_id stmt)
{
    const k_node *o = k_at(r->old, old);
    for (uint32_t i = 0; i < o->nresults; i++)
        rebuild_facts(r, o->results + i, kb_result(&r->b, stmt, i));
}

void rebuild_params(rebuild *r, k_id old, k_id stmt, uint32_t first)
{
    const k_blocks *bl = k_block_at(r->old, k_at(r->old, old)->blocks[0]);
    bool counts =
        k_at(r->b.p, stmt)->op == K_FOR; /* the condition of a while runs once more than its body */
    for (uint32_t i = first; i < bl->nparams; i++) {
        k_id fresh = kb_param(&r->b, stmt, i);
        rebuild_facts(r, bl->params + i, fresh);
        if (counts && i > 0 && fresh)
            k_state_below(r->b.p, fresh, rebuild_value(r, k_below(r->old, bl->params + i)));
    }
}

/* ---- state ---- */

/* What a region yields beyond its own results: the state that it changes. */
typedef struct handed {
    k_id region;
    uint32_t own; /* results of its own */
    uint32_t n, *which;
    k_id *values; /* room for all of them */
} handed;

/* False when memory is short. */
static bool hand_on(rebuild *r, k_id region, uint32_t own, handed *h)
{
    *h = (handed){.region = region, .own = own};
    for (uint32_t i = 0; i < r->nstate; i++)
        h->n += r->changes(r, region, i);
    h->which = rebuild_room(r, h->n);
    h->values = rebuild_room(r, own + h->n);
    if (!h->which || !h->values)
        return false;
    h->n = 0;
    for (uint32_t i = 0; i < r->nstate; i++)
        if (r->changes(r, region, i))
            h->which[h->n++] = i;
    return true;
}

/* Appends the state to the values of the region's own; returns how many there are then. */
static uint32_t append_state(const rebuild *r, const handed *h, k_id *values)
{
    for (uint32_t i = 0; i < h->n; i++)
        values[h->own + i] = r->state[h->which[i]];
    return h->own + h->n;
}

/* The state as it is given by those nodes: values before the region, parameters or results. */
static void set_state(rebuild *r, const handed *h, const k_id *values)
{
    for (uint32_t i = 0; i < h->n; i++)
        r->state[h->which[i]] = values[i];
}

static void state_from_params(rebuild *r, const handed *h, k_id stmt, uint32_t first)
{
    for (uint32_t i = 0; i < h->n; i++)
        r->state[h->which[i]] = kb_param(&r->b, stmt, first + h->own + i);
}

/* What both branches of an if yield is known in front of it. */
static k_id yielded_by_both(const rebuild *r, k_id stmt, uint32_t i)
{
    const k_program *p = r->b.p;
    const k_node *n = k_at(p, stmt);
    if (r->b.failed || n->op != K_IF || i >= n->nresults)
        return 0;
    k_id x = k_listed(p, k_yield_of(p, n->blocks[0]), i);
    return x == k_listed(p, k_yield_of(p, n->blocks[1]), i) ? x : 0;
}

static void state_from_results(rebuild *r, const handed *h, k_id stmt)
{
    for (uint32_t i = 0; i < h->n; i++) {
        k_id same = yielded_by_both(r, stmt, h->own + i);
        r->state[h->which[i]] = same ? same : kb_result(&r->b, stmt, h->own + i);
    }
}

/* h->values filled with what the block yields and the state at its end; their number. */
static uint32_t yield_and_state(const rebuild *r, const handed *h, k_block b)
{
    rebuild_yield(r, b, h->values, h->own);
    return append_state(r, h, h->values);
}

/* ---- copying structured statements ---- */

/* A condition that has become constant leaves one block, whose statements join those around it. */
static void copy_taken(rebuild *r, const k_node *n, k_block taken)
{
    const k_node *yield = k_yield_of(r->old, taken);
    rebuild_block(r, taken);
    for (uint32_t i = 0; i < n->nresults; i++)
        r->map[n->results + i] = rebuild_value(r, k_listed(r->old, yield, i));
}

/* Both branches begin with the same state, so it is kept beside what they yield. */
static void copy_if(rebuild *r, k_id old)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    k_id cond = kb_known(b, rebuild_value(r, n.args[0])), *before;
    handed h;
    int64_t known;
    if (k_is_const(b->p, cond, &known)) {
        copy_taken(r, &n, n.blocks[known ? 0 : 1]);
        return;
    }
    if (!hand_on(r, old, n.nresults, &h) || !(before = rebuild_room(r, h.own + h.n)))
        return;
    append_state(r, &h, before);
    k_id stmt = kb_open_if(b, cond);
    rebuild_block(r, n.blocks[0]);
    kb_next_block(b, h.values, yield_and_state(r, &h, n.blocks[0]));
    set_state(r, &h, before + h.own);
    rebuild_block(r, n.blocks[1]);
    kb_close(b, h.values, yield_and_state(r, &h, n.blocks[1]));
    rebuild_results(r, old, stmt);
    for (uint32_t i = 0; i < n.nresults; i++) {
        k_id same = yielded_by_both(r, stmt, i);
        r->map[n.results + i] = same ? same : r->map[n.results + i];
    }
    state_from_results(r, &h, stmt);
}

k_id rebuild_open_for(rebuild *r, k_id old, const k_id *init, uint32_t n)
{
    const k_node loop = *k_at(r->old, old);
    k_id at[3];
    for (int i = 0; i < 3; i++)
        at[i] = rebuild_value(r, loop.args[i]);
    k_id stmt = kb_open_for(&r->b, at[0], at[1], at[2], init, n);
    rebuild_params(r, old, stmt, 0);
    return stmt;
}

void rebuild_turns(rebuild *r, const k_node *loop, k_id from, k_id end)
{
    k_builder *b = &r->b;
    k_id stmt = kb_open_for(b, from, end, kb_int(b, 1), NULL, 0);
    k_at(b->p, stmt)->independent = true;
    r->map[k_block_at(r->old, loop->blocks[0])->params] = kb_param(b, stmt, 0);
    rebuild_block(r, loop->blocks[0]);
    kb_close(b, NULL, 0);
}

/* The state travels as carried values, behind the loop's own. */
static void copy_for(rebuild *r, k_id old)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    handed h;
    if (!hand_on(r, old, n.nresults, &h))
        return;
    rebuild_carried(r, &n, h.values);
    k_id stmt = rebuild_open_for(r, old, h.values, append_state(r, &h, h.values));
    k_at(b->p, stmt)->independent = n.independent;
    k_at(b->p, stmt)->unordered = n.unordered;
    state_from_params(r, &h, stmt, 1);
    rebuild_block(r, n.blocks[0]);
    kb_close(b, h.values, yield_and_state(r, &h, n.blocks[0]));
    rebuild_results(r, old, stmt);
    state_from_results(r, &h, stmt);
}

static void copy_while(rebuild *r, k_id old)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    handed h;
    if (!hand_on(r, old, n.nresults, &h))
        return;
    rebuild_carried(r, &n, h.values);
    k_id stmt = kb_open_while(b, h.values, append_state(r, &h, h.values)), go;
    rebuild_params(r, old, stmt, 0);
    state_from_params(r, &h, stmt, 0);
    rebuild_block(r, n.blocks[0]);
    kb_next_block(b, &go, rebuild_yield(r, n.blocks[0], &go, 1));
    rebuild_block(r, n.blocks[1]);
    kb_close(b, h.values, yield_and_state(r, &h, n.blocks[1]));
    rebuild_results(r, old, stmt);
    state_from_results(r, &h, stmt);
}

void rebuild_condition(rebuild *r, const k_node *loop, k_id well, k_id more)
{
    k_builder *b = &r->b;
    k_id go = 0;
    rebuild_block(r, loop->blocks[0]);
    rebuild_yield(r, loop->blocks[0], &go, 1);
    go = kb_scalar(b, SOP_AND, go, well ? well : kb_scalar(b, SOP_NOT, kb_failed(b), 0, 0), 0);
    go = more ? kb_scalar(b, SOP_AND, go, more, 0) : go;
    kb_next_block(b, &go, 1);
}

void rebuild_while(rebuild *r, k_id old, k_id well)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    k_id *values = rebuild_room(r, n.nlist);
    if (!values)
        return;
    k_id stmt = kb_open_while(b, values, rebuild_carried(r, &n, values));
    rebuild_params(r, old, stmt, 0);
    rebuild_condition(r, &n, well, 0);
    rebuild_block(r, n.blocks[1]);
    kb_close(b, values, rebuild_yield(r, n.blocks[1], values, n.nlist));
    rebuild_results(r, old, stmt);
}

static void copy_par(rebuild *r, k_id old)
{
    const k_node n = *k_at(r->old, old);
    k_id stmt = kb_open_par(&r->b, (k_workers)n.workers, rebuild_value(r, n.args[0]));
    rebuild_params(r, old, stmt, 0);
    rebuild_block(r, n.blocks[0]);
    kb_close(&r->b, NULL, 0);
}

k_id rebuild_launch(rebuild *r, k_id old, k_id groups)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    int64_t threads = 1;
    k_is_const(r->old, n.args[1], &threads);
    k_id stmt = kb_open_launch(b, n.level, groups, (uint32_t)threads);
    rebuild_block(r, n.blocks[0]);
    kb_close(b, NULL, 0);
    k_at(b->p, stmt)->joined = n.joined;
    return stmt;
}

/* The number of groups may come from the body (virtualise.c), so it is looked up when that has been
 * copied. */
static void copy_launch(rebuild *r, k_id old)
{
    k_id groups = k_at(r->old, old)->args[0], stmt = rebuild_launch(r, old, rebuild_value(r, groups));
    k_at(r->b.p, stmt)->args[0] = rebuild_value(r, groups);
}

/* ---- copying the others ---- */

static k_id copy_buffer(k_builder *b, const k_node *n)
{
    k_id id = kb_buffer(b, n->leaf, (scalar)n->type);
    k_at(b->p, id)->overwritten = n->overwritten;
    return id;
}

static k_id copy_table(rebuild *r, const k_node *n)
{
    vec_u32 list = {0};
    mem *m = &r->b.p->cx->mem;
    bool ok = true;
    for (uint32_t i = 0; ok && i < n->nlist; i++)
        ok = vec_push(m, &list, rebuild_value(r, k_listed(r->old, n, i)));
    r->b.failed = r->b.failed || !ok;
    k_id id = ok ? kb_table(&r->b, (scalar)n->type, list.at, list.len) : 0;
    vec_free(m, &list);
    return id;
}

static k_id copy_alloc(k_builder *b, const k_node *n, k_id size, k_id used)
{
    k_id id = kb_alloc_padded(b, (k_space)n->space, (scalar)n->type, size, used);
    k_at(b->p, id)->kept = n->kept;
    return id;
}

/* With r->everywhere, claims are dropped: the copy may stand where the access does not run. */
static k_id copy_value(rebuild *r, const k_node *n, int64_t hi)
{
    k_builder *b = &r->b;
    k_id x[3];
    for (int i = 0; i < 3; i++)
        x[i] = rebuild_value(r, n->args[i]);
    switch ((k_op)n->op) {
    case K_CONST: return kb_const(b, (scalar)n->type, n->bits);
    case K_ARG: return kb_arg(b, n->leaf, (scalar)n->type);
    case K_DIM: return kb_dim(b, n->leaf, n->axis);
    case K_SCALAR:
        return n->exact == CLAIMED && !r->everywhere
                   ? kb_claim(b, (opcode)n->opcode, x[0], x[1])
                   : kb_scalar(b, (opcode)n->opcode, x[0], x[1], x[2]);
    case K_CONVERT: return kb_convert(b, (scalar)n->type, x[0]);
    case K_BITCAST: return kb_bitcast(b, (scalar)n->type, x[0]);
    case K_BUILTIN: return kb_builtin(b, (k_coordinate)n->coordinate, hi);
    case K_BUFFER: return copy_buffer(b, n);
    case K_TABLE: return copy_table(r, n);
    case K_ALLOC: return copy_alloc(b, n, x[0], x[1]);
    case K_SHUFFLE: return kb_shuffle(b, x[0], x[1]);
    case K_FAILED: return kb_failed(b);
    default: return 0;
    }
}

/* Extents are values of the host block like others. */
/* An output, or what is handed out. */
static void copy_named(rebuild *r, const k_node *n)
{
    k_id dims[MAX_RANK], memory = rebuild_value(r, n->args[0]);
    for (uint32_t i = 0; i < n->nlist && i < MAX_RANK; i++)
        dims[i] = rebuild_value(r, k_listed(r->old, n, i));
    if (n->op == K_OUTPUT)
        kb_output(&r->b, n->leaf, memory, dims, n->nlist);
    else
        kb_emit(&r->b, memory, rebuild_value(r, n->args[1]), dims, n->nlist, n->number,
                (str_id)n->bits);
}

static void copy_wide_store(rebuild *r, const k_node *n, k_id at)
{
    k_id values[MAX_LANES];
    uint32_t lanes = n->nlist < MAX_LANES ? n->nlist : MAX_LANES;
    for (uint32_t i = 0; i < lanes; i++)
        values[i] = rebuild_value(r, k_listed(r->old, n, i));
    kb_store_wide(&r->b, rebuild_value(r, n->args[0]), at, values, lanes);
}

/* The same access at another index, for passes that move or split positions. */
void rebuild_access(rebuild *r, k_id old, k_id at)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    k_id memory = rebuild_value(r, n.args[0]), x = rebuild_value(r, n.args[2]), x2;
    switch ((k_op)n.op) {
    case K_LOAD: rebuild_facts(r, old, kb_load(b, memory, at)); break;
    case K_STORE: kb_store(b, memory, at, x); break;
    case K_LOADWIDE: rebuild_results(r, old, kb_load_wide(b, memory, at, n.nresults)); break;
    case K_STOREWIDE: copy_wide_store(r, &n, at); break;
    case K_ATOMIC:
        x2 = rebuild_value(r, k_listed(r->old, &n, 0));
        rebuild_facts(r, old, kb_atomic(b, (k_atomic)n.atomic, memory, at, x, x2));
        break;
    default: break;
    }
}

void rebuild_copy(rebuild *r, k_id old)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    switch ((k_op)n.op) {
    case K_LOAD:
    case K_STORE:
    case K_LOADWIDE:
    case K_STOREWIDE:
    case K_ATOMIC: rebuild_access(r, old, rebuild_value(r, n.args[1])); break;
    case K_SYNC: kb_sync(b, n.level); break;
    case K_CHECK:
        kb_check(b, (k_checked)n.checked, rebuild_value(r, n.args[0]), rebuild_value(r, n.args[1]),
                 rebuild_value(r, n.args[2]), (str_id)n.bits);
        break;
    case K_OUTPUT:
    case K_EMIT: copy_named(r, &n); break;
    case K_EMITSCALAR:
        kb_emit_scalar(b, rebuild_value(r, n.args[0]), n.number, (str_id)n.bits);
        break;
    case K_RECEIVE:
        rebuild_results(r, old, kb_receive(b, rebuild_value(r, n.args[0]), n.nresults, (str_id)n.bits));
        break;
    case K_RESIZE:
        kb_resize(b, rebuild_value(r, n.args[0]), rebuild_value(r, n.args[1]));
        break;
    case K_SWAP: kb_swap(b, rebuild_value(r, n.args[0]), rebuild_value(r, n.args[1])); break;
    case K_IF: copy_if(r, old); break;
    case K_FOR: copy_for(r, old); break;
    case K_WHILE: copy_while(r, old); break;
    case K_PAR: copy_par(r, old); break;
    case K_LAUNCH: copy_launch(r, old); break;
    default: rebuild_facts(r, old, copy_value(r, &n, k_hi(r->old, old))); break;
    }
}

void rebuild_statement(rebuild *r, k_id old)
{
    r->b.loc = k_at(r->old, old)->loc;
    r->first = r->b.p->nodes.len;
    if (!r->statement || !r->statement(r, old))
        rebuild_copy(r, old);
}

/* The yield is the caller's business, as what is yielded may change. */
void rebuild_block(rebuild *r, k_block old)
{
    for (k_id n = k_block_at(r->old, old)->first; n && k_at(r->old, n)->op != K_YIELD;
         n = k_at(r->old, n)->next)
        if (!r->b.failed)
            rebuild_statement(r, n);
}

/* ---- the whole program ---- */

/* Hands the copy to its owner, with the leaves and the name of the old one. */
static void replace(k_program *p, k_program *fresh)
{
    fresh->name = p->name;
    fresh->in = p->in;
    fresh->out = p->out;
    fresh->barriers_counted = p->barriers_counted;
    memset(&p->in, 0, sizeof p->in);
    memset(&p->out, 0, sizeof p->out);
    k_release(p);
    *p = *fresh;
}

/* On failure the old program is kept, less its origin and notes; the copy is released. Time is
 * linear in what is copied. */
/* For as many nodes as there are now: most passes change few, and growing copies them. */
static bool has_room(k_program *fresh, const k_program *p)
{
    mem *m = &p->cx->mem;
    return vec_reserve(m, &fresh->nodes, p->nodes.len) && vec_reserve(m, &fresh->facts, p->nodes.len) &&
           vec_reserve(m, &fresh->blocks, p->blocks.len) && vec_reserve(m, &fresh->pool, p->pool.len);
}

bool k_rebuild(k_program *p, rebuild *r)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(k_id);
    k_program fresh;
    r->old = p;
    r->map = mem_resize(m, NULL, 0, size);
    arena_init(&r->room, m);
    bool ok = k_init(&fresh, p->cx);
    fresh.target = p->target;
    fresh.stage = p->stage < K_OUTLINED ? p->stage : K_VIRTUALISED; /* its tables go */
    fresh.origin = p->origin; /* what is reported while building has a position */
    p->origin = (k_origin){0};
    ok = ok && r->map && has_room(&fresh, p) && kb_init(&r->b, &fresh);
    if (ok) {
        memset(r->map, 0, size);
        fresh.target = p->target;
        fresh.decisions.at = p->decisions.at;
        fresh.decisions.len = p->decisions.len;
        fresh.decisions.cap = p->decisions.cap;
        memset(&p->decisions, 0, sizeof p->decisions);
        fresh.verdicts.at = p->verdicts.at;
        fresh.verdicts.len = p->verdicts.len;
        fresh.verdicts.cap = p->verdicts.cap;
        memset(&p->verdicts, 0, sizeof p->verdicts);
        rebuild_block(r, p->host);
        kb_end(&r->b);
        ok = !r->b.failed;
        kb_release(&r->b);
    }
    mem_free(m, r->map, size);
    arena_free(&r->room);
    r->map = NULL;
    if (ok)
        replace(p, &fresh);
    else
        k_release(&fresh);
    return ok;
}
