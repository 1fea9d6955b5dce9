/* Virtualisation: PAR loops of any extent become loops over the threads, warps and groups that there are.
 *
 * Requires a lowered program; leaves FOR, IF and BUILTIN in the place of PAR, and only global, local and (constant,
 * small) private memories.  Barriers stay in control flow that the whole block shares: a loop over warps whose body
 * synchronises is run by all warps together, those without work masked (predicate.c).  No code is repeated for
 * remainders.
 *
 * A grid is launched with as many groups as there is work, each doing one piece; when the number of groups is fixed
 * (k_program.groups) each loops over its share, and a barrier separates the pieces. */
#include "ir/kernel/virtualise.h"

#include <string.h>

/* Private arrays above this many elements, or of unknown size, live in global memory. */
enum { MAX_PRIVATE = 256 };

k_id spread_value(const spreading *s, k_id old)
{
    return old < s->old->nodes.len ? s->map[old] : 0;
}

uint32_t spread_yield(const spreading *s, k_block old, k_id *out, uint32_t max)
{
    const k_node *y = k_yield_of(s->old, old);
    uint32_t n = y->nlist < max ? y->nlist : max;
    for (uint32_t i = 0; i < n; i++)
        out[i] = spread_value(s, k_listed(s->old, y, i));
    return n;
}

/* What lowering knew of a value: the narrower interval, and its bound. */
static void keep_facts(spreading *s, k_id old, k_id fresh)
{
    const k_node *o = k_at(s->old, old);
    k_node *n = k_at(s->b.p, fresh);
    s->map[old] = fresh;
    if (!fresh || !scalar_is_int((scalar)n->type))
        return;
    n->lo = o->lo > n->lo ? o->lo : n->lo;
    n->hi = o->hi < n->hi ? o->hi : n->hi;
    n->bound = spread_value(s, o->bound);
}

void spread_results(spreading *s, k_id old, k_id stmt)
{
    const k_node *o = k_at(s->old, old);
    for (uint32_t i = 0; i < o->nresults; i++)
        keep_facts(s, o->results + i, kb_result(&s->b, stmt, i));
}

void spread_params(spreading *s, k_id old, k_id stmt)
{
    const k_blocks *bl = k_block_at(s->old, k_at(s->old, old)->blocks[0]);
    for (uint32_t i = 0; i < bl->nparams; i++)
        keep_facts(s, bl->params + i, kb_param(&s->b, stmt, i));
}

/* ---- coordinates ---- */

static k_id thread_id(spreading *s)
{
    return kb_builtin(&s->b, AT_THREAD, (int64_t)s->threads - 1);
}

k_id warp_id(spreading *s)
{
    return kb_scalar(&s->b, SOP_QUOT, thread_id(s), kb_int(&s->b, (int32_t)s->warp), 0);
}

k_id lane_id(spreading *s)
{
    return kb_scalar(&s->b, SOP_REM, thread_id(s), kb_int(&s->b, (int32_t)s->warp), 0);
}

/* Threads of the running warp: the last one of a block may have fewer. */
static k_id warp_width(spreading *s)
{
    k_builder *b = &s->b;
    k_id w = kb_int(b, (int32_t)s->warp), t = kb_int(b, (int32_t)s->threads);
    if (s->threads % s->warp == 0 || s->threads < s->warp)
        return kb_min(b, w, t);
    return kb_min(b, w, kb_sub(b, t, kb_mul(b, warp_id(s), w)));
}

/* ---- parallel loops ---- */

static void set_index(spreading *s, k_id old, k_id value)
{
    s->map[k_block_at(s->old, k_at(s->old, old)->blocks[0])->params] = value;
}

static void close_loop(spreading *s, bool sync)
{
    if (sync)
        kb_sync(&s->b, LEVEL_BLOCK);
    kb_close(&s->b, NULL, 0);
}

/* Work i, i + step, ... below n for a worker that starts at `first` < step. */
static void strided(spreading *s, k_id old, k_id first, k_id n, k_id step, bool sync)
{
    k_builder *b = &s->b;
    k_block body = k_at(s->old, old)->blocks[0];
    int64_t n_known, step_known;
    bool once = k_at(b->p, n)->hi <= k_at(b->p, step)->lo;
    if (once && k_is_const(b->p, n, &n_known) && k_is_const(b->p, step, &step_known) && n_known == step_known) {
        set_index(s, old, first);
        spread_block(s, body);
    } else if (once) {
        kb_open_if(b, kb_lt(b, first, n));
        set_index(s, old, first);
        spread_block(s, body);
        kb_next_block(b, NULL, 0);
        kb_close(b, NULL, 0);
    } else {
        k_id loop = kb_open_for(b, first, n, step, NULL, 0);
        set_index(s, old, kb_param(b, loop, 0));
        spread_block(s, body);
        close_loop(s, sync);
    }
}

static bool ends_with_sync(const k_program *p, k_block b)
{
    k_id before = 0, n = k_block_at(p, b)->first;
    for (; n && k_at(p, n)->op != K_YIELD; n = k_at(p, n)->next)
        before = n;
    return k_at(p, before)->op == K_SYNC;
}

/* Whether one piece of work must be finished by all threads before the next one begins. */
static bool pieces_collide(const k_program *p, k_block body)
{
    return k_has_sync(p, body) && !ends_with_sync(p, body);
}

/* Number of groups of `size` threads that n elements need: n / size, rounded up without overflow. */
static k_id groups_for(k_builder *b, k_id n, uint32_t size)
{
    k_id t = kb_int(b, (int32_t)size);
    k_id rest = kb_scalar(b, SOP_REM, n, t, 0);
    return kb_add(b, kb_scalar(b, SOP_QUOT, n, t, 0), kb_min(b, rest, kb_int(b, 1)));
}

static void over_grid(spreading *s, k_id old, k_id n)
{
    k_builder *b = &s->b;
    uint32_t fixed = s->old->groups;
    k_id t = kb_int(b, (int32_t)s->threads), needed = groups_for(b, n, s->threads);
    s->groups = fixed ? kb_min(b, needed, kb_int(b, (int32_t)fixed)) : needed;
    k_id at = kb_builtin(b, AT_GROUP, k_at(b->p, s->groups)->hi - 1);
    k_id first = kb_add(b, kb_mul(b, at, t), thread_id(s));
    if (fixed) {
        strided(s, old, first, n, kb_int(b, (int32_t)(fixed * s->threads)), false);
        return;
    }
    kb_open_if(b, kb_lt(b, first, n));
    set_index(s, old, first);
    spread_block(s, k_at(s->old, old)->blocks[0]);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
}

static void over_blocks(spreading *s, k_id old, k_id n)
{
    k_builder *b = &s->b;
    k_block body = k_at(s->old, old)->blocks[0];
    uint32_t fixed = s->old->groups;
    s->groups = fixed ? kb_min(b, n, kb_int(b, (int32_t)fixed)) : n;
    k_id at = kb_builtin(b, AT_GROUP, k_at(b->p, s->groups)->hi - 1);
    if (!fixed) {
        set_index(s, old, at);
        spread_block(s, body);
        return;
    }
    k_id loop = kb_open_for(b, at, n, kb_int(b, (int32_t)fixed), NULL, 0);
    set_index(s, old, kb_param(b, loop, 0));
    spread_block(s, body);
    close_loop(s, s->threads > 1 && pieces_collide(s->old, body));
}

/* All warps go through the loop together, so that they meet at its barriers; those beyond the end are masked. */
static void over_warps_together(spreading *s, k_id old, k_id n)
{
    k_builder *b = &s->b;
    k_block body = k_at(s->old, old)->blocks[0];
    k_id loop = kb_open_for(b, kb_int(b, 0), n, kb_int(b, (int32_t)s->warps), NULL, 0);
    k_id i = kb_add(b, kb_param(b, loop, 0), warp_id(s)), outer = s->mask;
    set_index(s, old, i);
    s->mask = kb_lt(b, i, n);
    spread_block(s, body);
    s->mask = outer;
    close_loop(s, pieces_collide(s->old, body));
}

static void over_warps(spreading *s, k_id old, k_id n)
{
    k_builder *b = &s->b;
    k_block body = k_at(s->old, old)->blocks[0];
    if (s->warps == 1)
        strided(s, old, kb_int(b, 0), n, kb_int(b, 1), s->threads > 1 && pieces_collide(s->old, body));
    else if (k_has_sync(s->old, body))
        over_warps_together(s, old, n);
    else
        strided(s, old, warp_id(s), n, kb_int(b, (int32_t)s->warps), false);
}

static void spread_par(spreading *s, k_id old)
{
    k_builder *b = &s->b;
    const k_node par = *k_at(s->old, old);
    k_id n = spread_value(s, par.args[0]);
    switch ((k_workers)par.sub) {
    case OVER_LANES: strided(s, old, lane_id(s), n, warp_width(s), false); break;
    case OVER_THREADS: strided(s, old, thread_id(s), n, kb_int(b, (int32_t)s->threads), false); break;
    case OVER_WARPS: over_warps(s, old, n); break;
    case OVER_BLOCKS: over_blocks(s, old, n); break;
    case OVER_GRID: over_grid(s, old, n); break;
    }
}

static void spread_launch(spreading *s, k_id old)
{
    k_builder *b = &s->b;
    const k_node l = *k_at(s->old, old);
    int64_t threads = 1;
    k_is_const(s->old, l.args[1], &threads);
    s->level = l.sub;
    s->threads = (uint32_t)threads;
    s->warp = s->old->warp_size;
    s->warps = (s->threads + s->warp - 1) / s->warp;
    s->groups = kb_int(b, 1);
    k_id launch = kb_open_launch(b, l.sub, s->groups, s->threads);
    spread_block(s, l.blocks[0]);
    kb_close(b, NULL, 0);
    k_at(b->p, launch)->args[0] = s->groups;
}

/* ---- memories ---- */

static void spread_alloc(spreading *s, k_id old)
{
    k_builder *b = &s->b;
    const k_node a = *k_at(s->old, old);
    k_id size = spread_value(s, a.args[0]);
    int64_t known;
    bool small = k_is_const(b->p, size, &known) && known <= MAX_PRIVATE;
    if (a.sub == SPACE_WARP) {
        s->offset[old] = s->warps > 1 ? kb_mul(b, warp_id(s), size) : 0;
        s->map[old] = kb_alloc(b, SPACE_LOCAL, (scalar)a.type, kb_mul(b, size, kb_int(b, (int32_t)s->warps)));
    } else if (a.sub == SPACE_PRIVATE && !small) {
        k_id t = kb_int(b, (int32_t)s->threads), at = kb_builtin(b, AT_GROUP, k_at(b->p, s->groups)->hi - 1);
        k_id all = kb_mul(b, kb_mul(b, size, t), s->groups);
        s->offset[old] = kb_mul(b, kb_add(b, kb_mul(b, at, t), thread_id(s)), size);
        s->map[old] = kb_alloc_at(b, b->launch_depth - 1u, SPACE_GLOBAL, (scalar)a.type, all);
    } else {
        s->map[old] = kb_alloc(b, (k_space)a.sub, (scalar)a.type, size);
    }
}

static k_id element(spreading *s, const k_node *access)
{
    k_id at = spread_value(s, access->args[1]), offset = s->offset[access->args[0]];
    return offset ? kb_add(&s->b, offset, at) : at;
}

/* ---- everything else is copied ---- */

static void copy_if(spreading *s, k_id old)
{
    k_builder *b = &s->b;
    const k_node n = *k_at(s->old, old);
    k_id cond = spread_value(s, n.args[0]), yield[MAX_CARRIED];
    int64_t known;
    if (k_is_const(b->p, cond, &known)) {
        k_block taken = n.blocks[known ? 0 : 1];
        spread_block(s, taken);
        uint32_t count = spread_yield(s, taken, yield, MAX_CARRIED);
        for (uint32_t i = 0; i < n.nresults && i < count; i++)
            s->map[n.results + i] = yield[i];
        return;
    }
    k_id stmt = kb_open_if(b, cond);
    spread_block(s, n.blocks[0]);
    kb_next_block(b, yield, spread_yield(s, n.blocks[0], yield, MAX_CARRIED));
    spread_block(s, n.blocks[1]);
    kb_close(b, yield, spread_yield(s, n.blocks[1], yield, MAX_CARRIED));
    spread_results(s, old, stmt);
}

static uint32_t carried(const spreading *s, const k_node *n, k_id *init)
{
    uint32_t count = n->nlist < MAX_CARRIED ? n->nlist : MAX_CARRIED;
    for (uint32_t i = 0; i < count; i++)
        init[i] = spread_value(s, k_listed(s->old, n, i));
    return count;
}

static void copy_for(spreading *s, k_id old)
{
    k_builder *b = &s->b;
    const k_node n = *k_at(s->old, old);
    k_id init[MAX_CARRIED], lo = spread_value(s, n.args[0]), hi = spread_value(s, n.args[1]);
    k_id stmt = kb_open_for(b, lo, hi, spread_value(s, n.args[2]), init, carried(s, &n, init));
    spread_params(s, old, stmt);
    spread_block(s, n.blocks[0]);
    kb_close(b, init, spread_yield(s, n.blocks[0], init, MAX_CARRIED));
    spread_results(s, old, stmt);
}

static void copy_while(spreading *s, k_id old)
{
    k_builder *b = &s->b;
    const k_node n = *k_at(s->old, old);
    k_id init[MAX_CARRIED];
    k_id stmt = kb_open_while(b, init, carried(s, &n, init));
    spread_params(s, old, stmt);
    spread_block(s, n.blocks[0]);
    kb_next_block(b, init, spread_yield(s, n.blocks[0], init, 1));
    spread_block(s, n.blocks[1]);
    kb_close(b, init, spread_yield(s, n.blocks[1], init, MAX_CARRIED));
    spread_results(s, old, stmt);
}

static k_id copy_value(spreading *s, const k_node *n)
{
    k_builder *b = &s->b;
    k_id x[3];
    for (int i = 0; i < 3; i++)
        x[i] = spread_value(s, n->args[i]);
    switch ((k_op)n->op) {
    case K_CONST: return kb_const(b, (scalar)n->type, (uint64_t)n->lo);
    case K_ARG: return kb_arg(b, n->sub, (scalar)n->type);
    case K_DIM: return kb_dim(b, n->sub / MAX_RANK, n->sub % MAX_RANK);
    case K_SCALAR: return kb_scalar(b, (opcode)n->sub, x[0], x[1], x[2]);
    case K_CONVERT: return kb_convert(b, (scalar)n->type, x[0]);
    case K_BITCAST: return kb_bitcast(b, (scalar)n->type, x[0]);
    case K_BUFFER: return kb_buffer(b, n->sub, (scalar)n->type);
    default: return 0;
    }
}

static void copy_output(spreading *s, const k_node *n)
{
    k_id dims[MAX_RANK];
    for (uint32_t i = 0; i < n->nlist && i < MAX_RANK; i++)
        dims[i] = spread_value(s, k_listed(s->old, n, i));
    kb_output(&s->b, n->sub, spread_value(s, n->args[0]), dims, n->nlist);
}

static void copy_statement(spreading *s, k_id old)
{
    k_builder *b = &s->b;
    const k_node n = *k_at(s->old, old);
    switch ((k_op)n.op) {
    case K_ALLOC: spread_alloc(s, old); break;
    case K_LOAD: keep_facts(s, old, kb_load(b, spread_value(s, n.args[0]), element(s, &n))); break;
    case K_STORE: kb_store(b, spread_value(s, n.args[0]), element(s, &n), spread_value(s, n.args[2])); break;
    case K_SYNC:
        if (s->threads > 1)
            kb_sync(b, LEVEL_BLOCK);
        break;
    case K_OUTPUT: copy_output(s, &n); break;
    case K_IF: copy_if(s, old); break;
    case K_FOR: copy_for(s, old); break;
    case K_WHILE: copy_while(s, old); break;
    case K_PAR: spread_par(s, old); break;
    case K_LAUNCH: spread_launch(s, old); break;
    default: s->map[old] = copy_value(s, &n); break;
    }
}

void spread_statement(spreading *s, k_id old)
{
    s->b.loc = k_at(s->old, old)->loc;
    if (s->mask)
        predicate_statement(s, old);
    else
        copy_statement(s, old);
}

void spread_block(spreading *s, k_block old)
{
    for (k_id n = k_block_at(s->old, old)->first; n && k_at(s->old, n)->op != K_YIELD; n = k_at(s->old, n)->next)
        if (!s->b.failed)
            spread_statement(s, n);
}

/* Hands the rebuilt program to its owner, with the targets' settings and leaves of the old one. */
static void replace(k_program *p, k_program *fresh)
{
    fresh->name = p->name;
    fresh->block_size = p->block_size;
    fresh->warp_size = p->warp_size;
    fresh->groups = p->groups;
    fresh->in = p->in;
    fresh->out = p->out;
    memset(&p->in, 0, sizeof p->in);
    memset(&p->out, 0, sizeof p->out);
    k_release(p);
    *p = *fresh;
}

bool k_virtualise(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(k_id);
    k_program fresh;
    spreading s = {.old = p, .map = mem_resize(m, NULL, 0, size), .offset = mem_resize(m, NULL, 0, size)};
    bool ok = k_init(&fresh, p->cx, p->module) && s.map && s.offset && kb_init(&s.b, &fresh);
    if (ok) {
        memset(s.map, 0, size);
        memset(s.offset, 0, size);
        spread_block(&s, p->host);
        kb_end(&s.b);
        ok = !s.b.failed;
        kb_release(&s.b);
    }
    mem_free(m, s.map, size);
    mem_free(m, s.offset, size);
    if (ok)
        replace(p, &fresh);
    else
        k_release(&fresh);
    return ok;
}
