/* The simulator of kernel programs: see simulator.h. */
#include "tests/unit/simulator.h"

#include "ir/scalar/scalar.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MOST = 1024, STEPS_MOST = 20000000 };

/* Who touched an element last, and how many barriers had passed then.  For reads: whether others
 * did in the same stretch. */
typedef struct access {
    uint32_t launch, group, thread, block_epoch, warp_epoch;
    bool other_lanes, other_warps;
} access;

typedef struct cell {
    uint64_t bits;
    bool defined;
    access read, written;
} cell;

typedef struct place {
    cell *cells;
    uint64_t count;         /* of one thread, for private memory */
    uint32_t launch, group; /* that it was made for */
} place;

typedef struct value {
    uint64_t bits;
    bool defined;
} value;

typedef struct sim {
    const k_program *p;
    const host_array *args;
    host_array *results;
    sim_report *r;
    place *places;                                       /* of memories */
    value *host, *values;                                /* of nodes; in a launch: of each thread */
    uint32_t launch, group, groups, threads, host_depth; /* launch 0: host code */
    uint32_t block_epoch, warp_epoch[THREADS_MOST];
    uint32_t *arrived; /* by group: the epoch in which it has arrived (ATOMIC_ARRIVE); 0: not yet */
    uint64_t steps;
} sim;

typedef uint8_t mask[THREADS_MOST];

static bool fail(sim *s, k_id id, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool fail(sim *s, k_id id, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = snprintf(s->r->error, sizeof s->r->error, "%%%u %s, group %u: ", id,
                     k_op_info(k_at(s->p, id)->op)->name, s->group);
    vsnprintf(s->r->error + n, sizeof s->r->error - (size_t)n, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- values ---- */

static value *slot(sim *s, k_id v, uint32_t t)
{
    return s->launch && k_at(s->p, v)->depth > s->host_depth
               ? &s->values[(size_t)v * s->threads + t]
               : &s->host[v];
}

static value get(sim *s, k_id v, uint32_t t)
{
    const k_node *n = k_at(s->p, v);
    return n->op == K_CONST || !v ? (value){n->bits, true} : *slot(s, v, t);
}

static void put(sim *s, k_id v, uint32_t t, value x)
{
    *slot(s, v, t) = x;
}

static bool is_zero(value x)
{
    return x.defined && x.bits == 0;
}

static value scalar_value(sim *s, const k_node *n, uint32_t t)
{
    value x[3];
    uint64_t bits[3];
    for (int i = 0; i < 3; i++) {
        x[i] = get(s, n->args[i], t);
        bits[i] = x[i].bits;
    }
    scalar type = (scalar)k_at(s->p, n->args[n->opcode == SOP_SELECT])->type;
    value r = {scalar_eval((opcode)n->opcode, type, bits),
               x[0].defined && x[1].defined && x[2].defined};
    if (n->opcode == SOP_SELECT)
        r.defined = x[0].defined && x[x[0].bits ? 1 : 2].defined;
    if (n->opcode == SOP_AND && (is_zero(x[0]) || is_zero(x[1])))
        r = (value){0, true};
    return r;
}

static value pure_value(sim *s, const k_node *n, uint32_t t)
{
    value x = get(s, n->args[0], t);
    scalar from = (scalar)k_at(s->p, n->args[0])->type;
    switch (n->op) {
    case K_ARG: return (value){host_get(&s->args[n->leaf], 0), true};
    case K_DIM: return (value){s->args[n->leaf].dims[n->axis], true};
    case K_SCALAR: return scalar_value(s, n, t);
    case K_CONVERT: return (value){scalar_convert((scalar)n->type, from, x.bits), x.defined};
    case K_BITCAST: return (value){scalar_wrap((scalar)n->type, x.bits), x.defined};
    case K_BUILTIN:
        return (value){n->coordinate == AT_THREAD  ? t
                       : n->coordinate == AT_GROUP ? s->group
                                                   : s->groups,
                       true};
    default: return (value){n->bits, true};
    }
}

/* ---- memory ---- */

static bool is_private(const k_node *memory)
{
    return memory->op == K_ALLOC && memory->space == SPACE_PRIVATE;
}

static bool is_global(const k_node *memory)
{
    return memory->op == K_BUFFER || memory->op == K_TABLE || memory->space == SPACE_GLOBAL;
}

static void make_place(sim *s, k_id id, uint64_t count, uint64_t copies)
{
    free(s->places[id].cells);
    s->places[id] = (place){calloc(count * copies + 1, sizeof(cell)), count, s->launch, s->group};
}

/* Room for so many elements, which are undefined; what the memory held is gone. */
static bool make_room(sim *s, k_id id, k_id count)
{
    const k_node *n = k_at(s->p, id), *length = k_at(s->p, count);
    if (s->launch && length->op != K_CONST && length->depth > s->host_depth)
        return fail(s, id, "the host does not know its size %%%u", count);
    value elements = get(s, count, 0);
    int64_t size = (int64_t)elements.bits;
    if (!elements.defined || !count)
        return fail(s, id, "a memory of an undefined number of elements");
    if (size < 0 || size > STEPS_MOST)
        return fail(s, id, "a memory of %lld elements", (long long)size);
    if (n->space != SPACE_GLOBAL && s->places[id].cells && s->places[id].launch == s->launch &&
        s->places[id].group == s->group)
        return true; /* one place, however often the statement is run */
    make_place(s, id, (uint64_t)size, is_private(n) ? s->threads : 1);
    for (int64_t i = 0; n->kept && i < size; i++)
        s->places[id].cells[i].defined = true;
    if (n->space == SPACE_LOCAL)
        s->r->local_elements += (uint64_t)size;
    return true;
}

static bool make_memory(sim *s, k_id id)
{
    const k_node *n = k_at(s->p, id);
    if (n->op == K_BUFFER) {
        make_place(s, id, host_count(&s->args[n->leaf]), 1);
        for (uint64_t i = 0; i < s->places[id].count; i++)
            s->places[id].cells[i] =
                (cell){.bits = host_get(&s->args[n->leaf], i), .defined = true};
        return true;
    }
    if (n->op == K_TABLE) {
        make_place(s, id, n->nlist, 1);
        for (uint32_t i = 0; i < n->nlist; i++)
            s->places[id].cells[i] =
                (cell){.bits = k_at(s->p, k_listed(s->p, n, i))->bits, .defined = true};
        return true;
    }
    return make_room(s, id, n->args[0]);
}

/* What a group did before it arrived, for one that has arrived after it. */
static bool is_handed_over(const sim *s, const access *a)
{
    uint32_t then = s->arrived[a->group], here = s->arrived[s->group];
    return then && a->block_epoch < then && here && here < s->block_epoch && a->group < s->group;
}

static bool is_before(const sim *s, const access *a, uint32_t t)
{
    uint32_t warp = t / s->p->target.facts.warp_size;
    if (a->launch != s->launch)
        return true;
    if (a->group != s->group)
        return is_handed_over(s, a);
    if (a->block_epoch < s->block_epoch)
        return true;
    bool same_warp = a->thread / s->p->target.facts.warp_size == warp && !a->other_warps;
    return same_warp &&
           (a->warp_epoch < s->warp_epoch[warp] || (a->thread == t && !a->other_lanes));
}

static access access_by(const sim *s, uint32_t t)
{
    return (access){.launch = s->launch,
                    .group = s->group,
                    .thread = t,
                    .block_epoch = s->block_epoch,
                    .warp_epoch = s->warp_epoch[t / s->p->target.facts.warp_size]};
}

/* Whether a store of what another thread has just stored there is all that the two threads do: no
 * race that anyone could see, as where every thread of a group stores the result of a single one.
 */
static bool is_repeated(const sim *s, const cell *c, uint32_t t, const value *stored)
{
    return stored && stored->defined && c->defined && stored->bits == c->bits &&
           is_before(s, &c->read, t);
}

/* The cell of thread t's access, NULL after an error.  stored: what it stores there; NULL for a
 * load. */
static cell *touch(sim *s, k_id id, k_id memory, uint32_t t, uint64_t more, const value *stored)
{
    bool store = stored != NULL;
    const k_node *n = k_at(s->p, id), *m = k_at(s->p, memory);
    value at = get(s, n->args[1], t);
    place *home = &s->places[memory];
    int64_t i = (int64_t)at.bits + (int64_t)more;
    if (!home->cells) {
        fail(s, id, "thread %u uses a memory that is not there", t);
        return NULL;
    }
    if (!at.defined || i < 0 || (uint64_t)i >= home->count) {
        fail(s, id, "thread %u at %s %lld of %llu", t, at.defined ? "element" : "undefined",
             (long long)i, (unsigned long long)home->count);
        return NULL;
    }
    cell *c = &home->cells[(uint64_t)i + (is_private(m) ? t * home->count : 0)];
    if (!s->launch || is_private(m) || n->op == K_ATOMIC)
        return c;
    if ((!is_before(s, &c->written, t) || (store && !is_before(s, &c->read, t))) &&
        !is_repeated(s, c, t, stored)) {
        fail(s, id, "thread %u races with thread %u for element %lld of %%%u", t,
             is_before(s, &c->written, t) ? c->read.thread : c->written.thread, (long long)i,
             memory);
        return NULL;
    }
    access now = access_by(s, t), *kept = store ? &c->written : &c->read;
    if (!is_before(s, kept, t)) {
        now.other_lanes = true;
        now.other_warps =
            kept->other_warps || kept->group != s->group ||
            kept->thread / s->p->target.facts.warp_size != t / s->p->target.facts.warp_size;
    }
    *kept = now;
    return c;
}

static bool load(sim *s, k_id id, uint32_t t)
{
    const k_node *n = k_at(s->p, id);
    bool wide = n->op == K_LOADWIDE;
    for (uint32_t i = 0; i < (wide ? n->nresults : 1); i++) {
        const cell *c = touch(s, id, n->args[0], t, i, NULL);
        if (!c)
            return false;
        put(s, wide ? n->results + i : id, t, (value){c->bits, c->defined});
    }
    return true;
}

static bool store(sim *s, k_id id, uint32_t t)
{
    const k_node *n = k_at(s->p, id);
    bool wide = n->op == K_STOREWIDE;
    for (uint32_t i = 0; i < (wide ? n->nlist : 1); i++) {
        value x = get(s, wide ? k_listed(s->p, n, i) : n->args[2], t);
        cell *c = touch(s, id, n->args[0], t, i, &x);
        if (!c)
            return false;
        if (!x.defined && is_global(k_at(s->p, n->args[0])))
            return fail(s, id, "thread %u stores an undefined value", t);
        c->bits = x.bits;
        c->defined = x.defined;
    }
    return true;
}

static bool atomic(sim *s, k_id id, uint32_t t)
{
    static const opcode ops[] = {
        [ATOMIC_ADD] = SOP_ADD,   [ATOMIC_MIN] = SOP_MIN, [ATOMIC_MAX] = SOP_MAX,
        [ATOMIC_AND] = SOP_AND,   [ATOMIC_OR] = SOP_OR,   [ATOMIC_XOR] = SOP_XOR,
        [ATOMIC_ARRIVE] = SOP_ADD};
    const k_node *n = k_at(s->p, id);
    value x = get(s, n->args[2], t);
    cell *c = touch(s, id, n->args[0], t, 0, &x);
    if (!c)
        return false;
    uint64_t before = c->bits, args[3] = {c->bits, x.bits, 0};
    put(s, id, t, (value){before, c->defined});
    if (n->atomic <= ATOMIC_XOR || n->atomic == ATOMIC_ARRIVE)
        c->bits = scalar_eval(ops[n->atomic], (scalar)n->type, args);
    else if (n->atomic == ATOMIC_COMPARE)
        c->bits = before == x.bits ? get(s, k_listed(s->p, n, 0), t).bits : before;
    else if (n->atomic != ATOMIC_LOAD && n->atomic != ATOMIC_ACQUIRE)
        c->bits = x.bits;
    c->defined = true;
    if (n->atomic == ATOMIC_ARRIVE)
        s->arrived[s->group] = s->block_epoch;
    return true;
}

/* ---- what lanes and threads do together ---- */

/* Whether all lanes of thread t's warp take part; t is one that does. */
static bool whole_warp(sim *s, k_id id, const uint8_t *m, uint32_t t)
{
    uint32_t w = s->p->target.facts.warp_size, first = t / w * w, there = 0,
             all = s->threads - first < w ? s->threads - first : w;
    for (uint32_t i = 0; i < all; i++)
        there += m[first + i];
    return there == all ||
           fail(s, id, "reached by %u of the %u lanes of warp %u", there, all, t / w);
}

static bool shuffle(sim *s, k_id id, const uint8_t *m, uint32_t t)
{
    const k_node *n = k_at(s->p, id);
    uint32_t w = s->p->target.facts.warp_size;
    value lane = get(s, n->args[1], t);
    if (!whole_warp(s, id, m, t))
        return false;
    value x = get(s, n->args[0], t / w * w + (uint32_t)(lane.bits % w));
    x.defined = x.defined && lane.defined;
    put(s, id, t, x);
    s->r->shuffles += t % w == 0;
    return true;
}

static bool sync(sim *s, k_id id, const uint8_t *m)
{
    uint32_t w = s->p->target.facts.warp_size;
    bool warps = k_at(s->p, id)->level <= LEVEL_WARP && s->p->target.facts.warps_wait;
    for (uint32_t t = 0; t < s->threads; t++) {
        if (!warps && !m[t])
            return fail(s, id, "thread %u does not reach the barrier", t);
        if (warps && m[t] && !whole_warp(s, id, m, t))
            return false;
        if (warps && m[t] && t % w == 0) {
            s->warp_epoch[t / w]++;
            s->r->warp_barriers++;
        }
    }
    s->block_epoch += !warps;
    s->r->barriers += !warps;
    return true;
}

/* ---- statements ---- */

static bool run_block(sim *s, k_block b, const uint8_t *m);

static bool any(const sim *s, const uint8_t *m)
{
    return memchr(m, 1, s->threads) != NULL;
}

/* The threads of m for which a condition has the given value. */
static bool narrow(sim *s, k_id id, k_id cond, bool want, const uint8_t *m, uint8_t *out)
{
    for (uint32_t t = 0; t < s->threads; t++) {
        value c = m[t] ? get(s, cond, t) : (value){0, true};
        if (!c.defined)
            return fail(s, id, "thread %u branches on an undefined value", t);
        out[t] = m[t] && (c.bits != 0) == want;
    }
    return true;
}

/* Values of a block's yield, all at once, to consecutive nodes. */
static bool move(sim *s, const k_node *from, k_id to, uint32_t n, const uint8_t *m)
{
    value *x = calloc(n + 1, sizeof *x);
    for (uint32_t t = 0; t < s->threads && x; t++) {
        for (uint32_t i = 0; m[t] && i < n; i++)
            x[i] = get(s, k_listed(s->p, from, i), t);
        for (uint32_t i = 0; m[t] && i < n; i++)
            put(s, to + i, t, x[i]);
    }
    free(x);
    return x != NULL;
}

/* Values are known in their block only. */
static void leave(sim *s, k_block b, const uint8_t *m)
{
    for (k_id id = k_block_at(s->p, b)->first; id; id = k_at(s->p, id)->next) {
        const k_node *n = k_at(s->p, id);
        for (uint32_t t = 0; t < s->threads; t++)
            for (uint32_t i = 0; m[t] && i <= n->nresults; i++)
                slot(s, i ? n->results + i - 1 : id, t)->defined = false;
    }
}

static bool run_if(sim *s, k_id id, const uint8_t *m)
{
    const k_node *n = k_at(s->p, id);
    mask taken;
    for (int i = 0; i < 2; i++) {
        if (!narrow(s, id, n->args[0], i == 0, m, taken) ||
            (any(s, taken) && !run_block(s, n->blocks[i], taken)) ||
            !move(s, k_yield_of(s->p, n->blocks[i]), n->results, n->nresults, taken))
            return false;
        leave(s, n->blocks[i], taken);
    }
    return true;
}

/* The variable of a for, and who goes on. */
static bool step(sim *s, k_id id, k_id i, bool first, uint8_t *m)
{
    const k_node *n = k_at(s->p, id);
    for (uint32_t t = 0; t < s->threads; t++) {
        if (!m[t])
            continue;
        value lo = get(s, n->args[0], t), hi = get(s, n->args[1], t), by = get(s, n->args[2], t);
        if (!lo.defined || !hi.defined || !by.defined)
            return fail(s, id, "thread %u counts with an undefined value", t);
        int64_t at = (int64_t)(first ? lo.bits : get(s, i, t).bits + by.bits);
        put(s, i, t, (value){(uint64_t)at, true});
        m[t] = at < (int64_t)hi.bits;
    }
    return true;
}

static bool run_loop(sim *s, k_id id, const uint8_t *m)
{
    const k_node *n = k_at(s->p, id);
    const k_blocks *b = k_block_at(s->p, n->blocks[0]);
    k_id carried = b->params + b->nparams - n->nlist;
    k_block body = n->blocks[n->op == K_WHILE];
    mask on;
    memcpy(on, m, s->threads);
    move(s, n, carried, n->nlist, m);
    for (bool first = true;; first = false) {
        if (n->op == K_FOR && !step(s, id, b->params, first, on))
            return false;
        if (n->op == K_WHILE &&
            (!run_block(s, n->blocks[0], on) ||
             !narrow(s, id, k_listed(s->p, k_yield_of(s->p, n->blocks[0]), 0), true, on, on)))
            return false;
        if (!any(s, on))
            break;
        if (!run_block(s, body, on) || !move(s, k_yield_of(s->p, body), carried, n->nlist, on))
            return false;
        leave(s, n->blocks[0], m);
        leave(s, n->blocks[1], m);
    }
    leave(s, n->blocks[0], m);
    for (uint32_t t = 0; t < s->threads; t++)
        for (uint32_t i = 0; m[t] && i < n->nlist; i++)
            put(s, n->results + i, t, get(s, carried + i, t));
    return true;
}

static bool run_launch(sim *s, k_id id)
{
    const k_node *n = k_at(s->p, id);
    mask all;
    memset(all, 1, sizeof all);
    s->groups = (uint32_t)get(s, n->args[0], 0).bits;
    s->threads = (uint32_t)get(s, n->args[1], 0).bits;
    s->values = calloc(s->p->nodes.len * (size_t)s->threads, sizeof *s->values);
    s->arrived = calloc((size_t)s->groups + 1, sizeof *s->arrived);
    s->host_depth = n->depth;
    s->launch = (uint32_t)++s->r->launches;
    bool ok = s->threads <= THREADS_MOST;
    for (s->group = 0; ok && s->group < s->groups; s->group++, s->r->groups++)
        ok = run_block(s, n->blocks[0], all);
    free(s->values);
    free(s->arrived);
    s->launch = s->group = 0;
    s->threads = 1;
    return ok;
}

static bool output(sim *s, k_id id)
{
    const k_node *n = k_at(s->p, id);
    host_array *r = &s->results[n->leaf];
    *r = (host_array){.type = (scalar)n->type, .rank = n->nlist};
    for (uint32_t i = 0; i < n->nlist; i++)
        r->dims[i] = get(s, k_listed(s->p, n, i), 0).bits;
    const place *from = &s->places[n->args[0]];
    if (host_count(r) > from->count || !host_alloc(&s->p->cx->mem, r))
        return fail(s, id, "%llu elements of %llu", (unsigned long long)host_count(r),
                    (unsigned long long)from->count);
    for (uint64_t i = 0; i < host_count(r); i++) {
        if (!from->cells[i].defined)
            return fail(s, id, "element %llu of result %u is undefined", (unsigned long long)i,
                        n->leaf);
        host_set(r, i, from->cells[i].bits);
    }
    return true;
}

static void check(sim *s, k_id id, uint32_t t)
{
    const k_node *n = k_at(s->p, id);
    if (get(s, n->args[0], t).bits || s->r->failed)
        return;
    s->r->failed = id;
    s->r->first = (int64_t)get(s, n->args[1], t).bits;
    s->r->second = (int64_t)get(s, n->args[2], t).bits;
}

static bool run_thread(sim *s, k_id id, const uint8_t *m, uint32_t t)
{
    const k_node *n = k_at(s->p, id);
    switch (n->op) {
    case K_LOAD:
    case K_LOADWIDE: return load(s, id, t);
    case K_STORE:
    case K_STOREWIDE: return store(s, id, t);
    case K_ATOMIC: return atomic(s, id, t);
    case K_SHUFFLE: return shuffle(s, id, m, t);
    case K_CHECK: check(s, id, t); return true;
    case K_FAILED: put(s, id, t, (value){s->r->failed != 0, true}); return true;
    default: put(s, id, t, pure_value(s, n, t)); return true;
    }
}

static bool swap(sim *s, k_id x, k_id y)
{
    place was = s->places[x];
    s->places[x] = s->places[y];
    s->places[y] = was;
    return true;
}

/* Whether the plan ends there when a check has failed. */
static bool decides(const k_node *n)
{
    return n->op == K_CHECK || n->op == K_LOAD;
}

static bool run(sim *s, k_id id, const uint8_t *m)
{
    switch (k_at(s->p, id)->op) {
    case K_BUFFER:
    case K_TABLE:
    case K_ALLOC: return make_memory(s, id);
    case K_RESIZE: return make_room(s, k_at(s->p, id)->args[0], k_at(s->p, id)->args[1]);
    case K_SWAP: return swap(s, k_at(s->p, id)->args[0], k_at(s->p, id)->args[1]);
    case K_IF: return run_if(s, id, m);
    case K_FOR:
    case K_WHILE: return run_loop(s, id, m);
    case K_SYNC: return sync(s, id, m);
    case K_LAUNCH: return run_launch(s, id);
    case K_OUTPUT: return s->r->failed || output(s, id);
    case K_PAR: return fail(s, id, "not virtualised");
    case K_CONST:
    case K_EMIT: /* what it hands out is nobody's result */
    case K_EMITSCALAR:
    case K_YIELD: return true;
    default: break;
    }
    for (uint32_t t = 0; t < s->threads; t++)
        if (m[t] && !run_thread(s, id, m, t))
            return false;
    return s->launch || !s->r->failed || !decides(k_at(s->p, id));
}

static bool run_block(sim *s, k_block b, const uint8_t *m)
{
    for (k_id id = k_block_at(s->p, b)->first; id; id = k_at(s->p, id)->next) {
        if (++s->steps > STEPS_MOST)
            return fail(s, id, "more than %d statements", STEPS_MOST);
        if (!run(s, id, m))
            return false;
    }
    return true;
}

/* A counter of arrivals is zero when a run ends, as it was when it began.  Records of a chain are
 * not: they have the age of their run. */
static bool is_left(sim *s, k_id id)
{
    const k_node *n = k_at(s->p, id);
    const place *counter = &s->places[n->args[0]];
    bool zero = true;
    if (n->op != K_ATOMIC || n->atomic != ATOMIC_ARRIVE)
        return true;
    for (uint64_t i = 0; i < counter->count; i++)
        zero = zero && counter->cells[i].bits == 0;
    return zero || fail(s, id, "a counter of arrivals is not left as it was");
}

bool simulate(const k_program *p, const host_array *args, host_array *results, sim_report *r)
{
    *r = (sim_report){0};
    sim s = {.p = p, .args = args, .results = results, .r = r, .threads = 1, .block_epoch = 1};
    s.places = calloc(p->nodes.len, sizeof *s.places);
    s.host = calloc(p->nodes.len, sizeof *s.host);
    for (uint32_t i = 0; i < p->out.len; i++)
        results[i] = (host_array){.type = p->out.at[i].type, .rank = p->out.at[i].rank};
    bool ok = run_block(&s, p->host, (mask){1}) || (r->failed && !r->error[0]);
    for (uint32_t i = 0; ok && i < p->nodes.len; i++)
        ok = is_left(&s, i);
    for (uint32_t i = 0; i < p->nodes.len; i++)
        free(s.places[i].cells);
    free(s.places);
    free(s.host);
    return ok;
}
