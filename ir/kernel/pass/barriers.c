/* Barriers that separate nothing are removed.  The usual name is redundant barrier elimination,
 * here by reachability over the graph of stretches.
 *
 * A barrier is needed when something before it and something after it, with no other barrier
 * between, are accesses to the same shared memory of which one writes.  The kernel becomes a graph
 * of stretches without control flow or barriers, each with what it reads and writes; barriers are
 * looked at in order, and what is reached from one without crossing another decides.  Memory whose
 * elements each belong to one thread is not shared (own.c).  A barrier of a warp separates less
 * than one of the block: it is no boundary for those.  Atomic steps that order other accesses count
 * as reading and writing everything.
 *
 * A barrier that is removed relies on those that stay, so dead code goes first, and later dce.c
 * leaves a barrier where it finds some in what it removes. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/analysis/own.h"

enum { MOST_MEMORIES = 64 };

typedef struct stretch {
    uint64_t reads, writes;
    k_id sync; /* the stretch is a barrier */
    bool gone; /* which has been removed */
    uint32_t seen;
    uint32_t before, after; /* first edges */
} stretch;

typedef struct edge {
    uint32_t from, to, next_after, next_before;
} edge;

typedef struct analysis {
    k_program *p;
    mem *m;
    const k_accesses *accesses;
    k_id launch;
    vec_u32 memories;
    bool ordered; /* some atomic step orders other accesses */
    VEC(stretch) stretches;
    VEC(edge) edges;
    vec_u32 work;
    uint32_t walk;
    bool *needless; /* by node: barriers that may go */
    bool ok;
} analysis;

/* ---- memories ---- */

static bool is_read(const k_node *n)
{
    return n->op == K_LOAD || n->op == K_LOADWIDE || n->op == K_ATOMIC;
}

static bool is_write(const k_node *n)
{
    return n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_ATOMIC;
}

static bool writes(const k_program *p, k_block b, k_id memory)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if ((is_write(n) && n->args[0] == memory) ||
            (n->blocks[0] && writes(p, n->blocks[0], memory)) ||
            (n->blocks[1] && writes(p, n->blocks[1], memory)))
            return true;
    }
    return false;
}

/* Whether threads may hand values to one another through a memory, or store over what others have.
 * A launch stores each element once, unless it is several in one. */
static bool is_shared(const analysis *a, k_id memory)
{
    const k_node *n = k_at(a->p, memory);
    k_block body = k_at(a->p, a->launch)->blocks[0];
    bool joined = k_at(a->p, a->launch)->joined;
    if (n->op != K_ALLOC || n->space == SPACE_PRIVATE)
        return (a->ordered || joined) && n->op == K_BUFFER;
    if (n->space == SPACE_LOCAL)
        return !k_is_own(a->p, a->accesses, memory, a->launch);
    return a->ordered || (writes(a->p, body, memory) && (joined || k_reads(a->p, body, memory)));
}

static bool has_orders(const k_program *p, k_block b)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (k_is_ordering(n) || (n->blocks[0] && has_orders(p, n->blocks[0])) ||
            (n->blocks[1] && has_orders(p, n->blocks[1])))
            return true;
    }
    return false;
}

/* 1 + the number of a memory in the list of those met, with 0 in the list for the ones that are not
 * shared. */
static uint64_t bit_of(analysis *a, k_id memory)
{
    for (uint32_t i = 0; i < a->memories.len; i += 2)
        if (a->memories.at[i] == memory)
            return a->memories.at[i + 1] ? (uint64_t)1 << (a->memories.at[i + 1] - 1) : 0;
    uint32_t number = 0;
    if (is_shared(a, memory))
        number = a->memories.len / 2 < MOST_MEMORIES ? a->memories.len / 2 + 1 : MOST_MEMORIES;
    a->ok = vec_push(a->m, &a->memories, memory) && vec_push(a->m, &a->memories, number) && a->ok;
    return number ? (uint64_t)1 << (number - 1) : 0;
}

/* ---- the graph ---- */

static uint32_t new_stretch(analysis *a, k_id sync)
{
    a->ok = vec_push(a->m, &a->stretches, (stretch){.sync = sync}) && a->ok;
    return a->ok ? a->stretches.len - 1 : 0;
}

static void add_edge(analysis *a, uint32_t from, uint32_t to)
{
    if (!a->ok)
        return;
    edge e = {from, to, a->stretches.at[from].after, a->stretches.at[to].before};
    a->ok = vec_push(a->m, &a->edges, e);
    a->stretches.at[from].after = a->stretches.at[to].before = a->edges.len - 1;
}

static uint32_t after(analysis *a, uint32_t from, k_id sync)
{
    uint32_t s = new_stretch(a, sync);
    add_edge(a, from, s);
    return s;
}

static void add_access(analysis *a, uint32_t at, const k_node *n)
{
    if (!is_read(n) && !is_write(n))
        return;
    uint64_t bit = k_is_ordering(n) ? ~(uint64_t)0 : bit_of(a, n->args[0]);
    a->stretches.at[at].reads |= is_read(n) ? bit : 0;
    a->stretches.at[at].writes |= is_write(n) ? bit : 0;
}

static uint32_t add_block(analysis *a, k_block b, uint32_t at);

static uint32_t add_region(analysis *a, const k_node *n, uint32_t at)
{
    if (n->op == K_IF) {
        uint32_t yes = add_block(a, n->blocks[0], after(a, at, 0)),
                 no = add_block(a, n->blocks[1], after(a, at, 0));
        uint32_t join = after(a, yes, 0);
        add_edge(a, no, join);
        return join;
    }
    uint32_t head = after(a, at, 0),
             tested = n->op == K_WHILE ? add_block(a, n->blocks[0], head) : head;
    uint32_t end = add_block(a, n->blocks[n->op == K_WHILE], after(a, tested, 0));
    add_edge(a, end, head);
    return after(a, tested, 0);
}

/* Adds a block behind a stretch; returns the stretch at its end. */
static uint32_t add_block(analysis *a, k_block b, uint32_t at)
{
    for (k_id id = k_block_at(a->p, b)->first; id && a->ok; id = k_at(a->p, id)->next) {
        const k_node *n = k_at(a->p, id);
        if (n->op == K_SYNC)
            at = after(a, after(a, at, id), 0);
        else if (n->blocks[0])
            at = add_region(a, n, at);
        else
            add_access(a, at, n);
    }
    return at;
}

/* ---- what is needed ---- */

static bool is_boundary(const analysis *a, const stretch *s, uint16_t level)
{
    return s->sync && !s->gone && k_at(a->p, s->sync)->level >= level;
}

/* What is reached from a barrier, forwards or backwards, up to the next ones. */
static stretch reach(analysis *a, uint32_t from, bool forwards)
{
    stretch sum = {0};
    uint16_t level = k_at(a->p, a->stretches.at[from].sync)->level;
    a->walk++;
    a->work.len = 0;
    a->ok = vec_push(a->m, &a->work, from) && a->ok;
    while (a->work.len && a->ok) {
        uint32_t at = a->work.at[--a->work.len];
        const stretch *s = &a->stretches.at[at];
        sum.reads |= s->reads;
        sum.writes |= s->writes;
        for (uint32_t e = forwards ? s->after : s->before; e;
             e = forwards ? a->edges.at[e].next_after : a->edges.at[e].next_before) {
            stretch *next = &a->stretches.at[forwards ? a->edges.at[e].to : a->edges.at[e].from];
            if (next->seen == a->walk || is_boundary(a, next, level))
                continue;
            next->seen = a->walk;
            a->ok = vec_push(a->m, &a->work, (uint32_t)(next - a->stretches.at)) && a->ok;
        }
    }
    return sum;
}

static void test_barriers(analysis *a)
{
    uint32_t count = 0, most = a->p->target.tuning.barrier_tests;
    for (uint32_t i = 1; i < a->stretches.len && a->ok; i++) {
        if (!a->stretches.at[i].sync)
            continue;
        if (count++ >= most) {
            k_decided(a->p, TUNE_barrier_tests, k_at(a->p, a->launch)->loc, count);
            continue;
        }
        a->stretches.at[i].gone = true; /* paths lead through the one that is looked at */
        stretch b = reach(a, i, false), f = reach(a, i, true);
        bool conflict = (b.writes & (f.reads | f.writes)) || (b.reads & f.writes);
        a->stretches.at[i].gone = !conflict;
        a->needless[a->stretches.at[i].sync] = !conflict && a->ok;
    }
}

/* ---- the pass ---- */

static void unlink_needless(k_program *p, k_block b, const bool *needless)
{
    k_blocks *bl = k_block_at(p, b);
    k_id last = 0, next;
    for (k_id id = bl->first; id; id = next) {
        k_node *n = k_at(p, id);
        next = n->next;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                unlink_needless(p, n->blocks[i], needless);
        if (needless[id]) {
            if (last)
                k_at(p, last)->next = next;
            else
                bl->first = next;
        } else {
            last = id;
        }
    }
    bl->last = last;
}

static bool analyse_launch(k_program *p, const k_accesses *all, k_id launch, bool *needless)
{
    mem *m = &p->cx->mem;
    k_block body = k_at(p, launch)->blocks[0];
    analysis a = {.p = p,
                  .m = m,
                  .accesses = all,
                  .launch = launch,
                  .ordered = has_orders(p, body),
                  .needless = needless,
                  .ok = true};
    a.ok = vec_push(m, &a.edges, (edge){0}); /* 0: no edge */
    add_block(&a, body, new_stretch(&a, 0));
    if (a.ok)
        test_barriers(&a);
    vec_free(m, &a.memories);
    vec_free(m, &a.stretches);
    vec_free(m, &a.edges);
    vec_free(m, &a.work);
    return a.ok;
}

static bool analyse_launches(k_program *p, const k_accesses *all, k_block b, bool *needless)
{
    bool ok = true;
    for (k_id id = k_block_at(p, b)->first; id && ok; id = k_at(p, id)->next) {
        const k_node n = *k_at(p, id);
        if (n.op == K_LAUNCH)
            ok = !k_has_sync(p, n.blocks[0]) || analyse_launch(p, all, id, needless);
        else
            for (int i = 0; i < 2; i++)
                ok = ok && (!n.blocks[i] || analyse_launches(p, all, n.blocks[i], needless));
    }
    return ok;
}

bool k_barriers(k_program *p)
{
    if (!k_dce(p))
        return false;
    p->barriers_counted = true;
    size_t size = p->nodes.len * sizeof(bool);
    bool *needless = mem_zeroed(&p->cx->mem, size);
    k_accesses all;
    bool ok = k_accesses_find(p, &all) && needless && analyse_launches(p, &all, p->host, needless);
    if (ok)
        unlink_needless(p, p->host, needless);
    mem_free(&p->cx->mem, needless, size);
    k_accesses_free(p, &all);
    return ok;
}
