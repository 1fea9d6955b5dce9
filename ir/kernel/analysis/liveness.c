/* Liveness of local arrays: one walk over the text of a kernel.  This is liveness and interference
 * analysis of arrays, flow-sensitive about barriers.
 *
 * Ranges follow the text: an access inside a loop that the array was not made in counts for the
 * whole loop.  Barriers are followed along the paths: for every block the walk knows which arrays
 * may be accessed before its first barrier (early), which after its last (late), and whether a way
 * through has none (open).  An early access behind a late one is a clash.  Threads of a block may
 * take different branches where there is no barrier, so a branch counts as standing behind the
 * other one, too.
 *
 * The cost is one walk times the words of a set, and a comparison of all pairs of arrays;
 * kernels have a few dozen at most. */
#include "ir/kernel/analysis/liveness.h"

#include "ir/kernel/facts.h"

#include <stdlib.h>
#include <string.h>

typedef struct live_loop {
    uint32_t parent, depth;
    uint32_t first, last, from, to;
} live_loop;

typedef struct array {
    k_id alloc;
    uint32_t number;
    uint32_t home;    /* loop in which it is made */
    uint32_t through; /* the last loop that it lives through; 0: none */
} array;

typedef struct live_walk {
    const k_program *p;
    mem *m;
    k_lives *out;
    array *arrays; /* by alloc */
    VEC(live_loop) loops;
    uint32_t at, phase;
    bool ok;
} live_walk;

typedef struct flow {
    uint64_t *early, *late;
    bool open;
} flow;

/* ---- sets of arrays ---- */

static void set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static bool has(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

/* Set union; the sets are arrays' numbers as bits. */
static void join(const live_walk *w, uint64_t *to, const uint64_t *from)
{
    for (uint32_t i = 0; i < w->out->words; i++)
        to[i] |= from[i];
}

static uint64_t *clashes_of(const live_walk *w, uint32_t i)
{
    return &w->out->clash[(size_t)i * w->out->words];
}

/* ---- ranges ---- */

static int by_alloc(const void *x, const void *y)
{
    k_id a = ((const array *)x)->alloc, b = ((const array *)y)->alloc;
    return (a > b) - (a < b);
}

/* NULL for a memory that is no local array of this kernel. */
static array *find(const live_walk *w, k_id memory)
{
    array key = {.alloc = memory};
    return bsearch(&key, w->arrays, w->out->n, sizeof key, by_alloc);
}

static void extend(k_life *l, uint32_t first, uint32_t last, uint32_t from, uint32_t to)
{
    l->first = first < l->first ? first : l->first;
    l->last = last > l->last ? last : l->last;
    l->from = from < l->from ? from : l->from;
    l->to = to > l->to ? to : l->to;
}

/* An access in loop `in`: the outermost loop around it that the array was not made in, and vice
 * versa, count as a whole. */
static void touch(live_walk *w, array *a, uint32_t in)
{
    k_life *life = &w->out->at[a->number];
    uint32_t here = in, there = a->home, through = 0;
    extend(life, w->at, w->at, w->phase, w->phase);
    while (here != there) {
        bool up = w->loops.at[here].depth >= w->loops.at[there].depth;
        const live_loop *l = &w->loops.at[up ? here : there];
        extend(life, l->first, life->last, l->from, life->to);
        if (up) {
            through = here;
            here = l->parent;
        } else {
            there = l->parent;
        }
    }
    a->through = through ? through : a->through;
}

/* Loops end after their accesses have been met. */
static void end_ranges(live_walk *w)
{
    for (uint32_t i = 0; i < w->out->n; i++) {
        const live_loop *l = &w->loops.at[w->arrays[i].through];
        if (w->arrays[i].through)
            extend(&w->out->at[w->arrays[i].number], l->first, l->last, l->from, l->to);
    }
}

/* ---- barriers ---- */

/* The empty way: nothing is accessed, and no barrier on it. */
static bool flow_begin(live_walk *w, flow *f)
{
    size_t size = w->out->words * sizeof(uint64_t);
    *f = (flow){.early = mem_zeroed(w->m, size), .late = mem_zeroed(w->m, size), .open = true};
    w->ok = w->ok && f->early && f->late;
    return w->ok;
}

static void flow_end(live_walk *w, flow *f)
{
    size_t size = w->out->words * sizeof(uint64_t);
    mem_free(w->m, f->early, size);
    mem_free(w->m, f->late, size);
}

/* What may be reached early may be reached while other threads are still at what is late. */
static void meet(live_walk *w, const uint64_t *late, const uint64_t *early)
{
    for (uint32_t i = 0; i < w->out->n; i++)
        if (has(early, i))
            join(w, clashes_of(w, i), late);
}

/* f becomes f and then g. */
static void follow(live_walk *w, flow *f, const flow *g)
{
    meet(w, f->late, g->early);
    if (f->open)
        join(w, f->early, g->early);
    if (!g->open)
        memset(f->late, 0, w->out->words * sizeof(uint64_t));
    join(w, f->late, g->late);
    f->open = f->open && g->open;
}

/* What is late now clashes with it; that an array may clash with itself means nothing. */
static void access_array(live_walk *w, flow *f, k_id memory, uint32_t in)
{
    array *a = find(w, memory);
    if (!a)
        return;
    touch(w, a, in);
    join(w, clashes_of(w, a->number), f->late);
    if (f->open)
        set(f->early, a->number);
    set(f->late, a->number);
}

/* ---- the walk ---- */

static void walk_block(live_walk *w, flow *f, k_block b, uint32_t in);

/* Either branch: f becomes both at once. */
static void walk_branches(live_walk *w, flow *f, const k_node *n, uint32_t in)
{
    flow other;
    walk_block(w, f, n->blocks[0], in);
    if (flow_begin(w, &other)) {
        walk_block(w, &other, n->blocks[1], in);
        meet(w, f->late, other.early);
        join(w, f->early, other.early);
        join(w, f->late, other.late);
        f->open = f->open || other.open;
    }
    flow_end(w, &other);
}

/* Then the way past the body does not exist, and a barrier inside cannot be missed. */
static bool runs_at_all(const live_walk *w, const k_node *n)
{
    return k_hi(w->p, n->args[0]) < k_lo(w->p, n->args[1]);
}

/* The next turn's early accesses follow this turn's late ones. */
static void walk_for(live_walk *w, flow *f, const k_node *n, uint32_t in)
{
    walk_block(w, f, n->blocks[0], in);
    meet(w, f->late, f->early);
    f->open = f->open || !runs_at_all(w, n);
}

/* The condition, then any number of times the body and the condition again. */
static void walk_while(live_walk *w, flow *f, const k_node *n, uint32_t in)
{
    flow turn, body;
    bool ok = flow_begin(w, &turn);
    ok = flow_begin(w, &body) && ok;
    if (ok) {
        walk_block(w, f, n->blocks[0], in);
        follow(w, &turn, f);
        walk_block(w, &body, n->blocks[1], in);
        follow(w, &turn, &body);
        meet(w, turn.late, turn.early);
        join(w, f->early, turn.early);
        if (f->open)
            join(w, f->late, turn.late);
    }
    flow_end(w, &turn);
    flow_end(w, &body);
}

/* The loop's end is only known behind its body; ranges that live through it take it from the entry
 * (end_ranges). */
static void walk_loop(live_walk *w, flow *f, const k_node *n, uint32_t in)
{
    live_loop l = {
        .parent = in, .depth = w->loops.at[in].depth + 1, .first = w->at, .from = w->phase};
    uint32_t id = w->loops.len;
    if (!vec_push(w->m, &w->loops, l)) {
        w->ok = false;
        return;
    }
    if (n->op == K_FOR)
        walk_for(w, f, n, id);
    else
        walk_while(w, f, n, id);
    w->loops.at[id].last = w->at;
    w->loops.at[id].to = w->phase;
}

/* Inside is walked from an empty flow, then put behind what came before. */
static void walk_region(live_walk *w, flow *f, const k_node *n, uint32_t in)
{
    flow inside;
    if (flow_begin(w, &inside)) {
        if (n->op == K_IF)
            walk_branches(w, &inside, n, in);
        else
            walk_loop(w, &inside, n, in);
        follow(w, f, &inside);
    }
    flow_end(w, &inside);
}

/* A barrier of the block: nothing before it is still going on behind it. */
static void barrier(live_walk *w, flow *f)
{
    w->phase++;
    f->open = false;
    memset(f->late, 0, w->out->words * sizeof(uint64_t));
}

static void walk_block(live_walk *w, flow *f, k_block b, uint32_t in)
{
    for (k_id id = k_block_at(w->p, b)->first; id && w->ok; id = k_at(w->p, id)->next) {
        const k_node *n = k_at(w->p, id);
        w->at++;
        switch (n->op) {
        case K_ALLOC:
            if (find(w, id))
                find(w, id)->home = in;
            break;
        case K_LOAD:
        case K_LOADWIDE:
        case K_STORE:
        case K_STOREWIDE:
        case K_ATOMIC: access_array(w, f, n->args[0], in); break;
        case K_SYNC:
            if (n->level >= LEVEL_BLOCK)
                barrier(w, f);
            break;
        case K_IF:
        case K_FOR:
        case K_WHILE: walk_region(w, f, n, in); break;
        default: break;
        }
    }
}

/* ---- a kernel ---- */

static bool overlap(const k_life *x, const k_life *y)
{
    return x->first <= y->last && y->first <= x->last;
}

/* Ranges of the text, as opposed to threads that run ahead: both are clashes. */
static void find_overlaps(live_walk *w)
{
    const k_lives *l = w->out;
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t j = 0; j < l->n; j++)
            if (i != j && overlap(&l->at[i], &l->at[j]))
                set(clashes_of(w, i), j);
}

static bool prepare(live_walk *w, const k_kernel *k)
{
    k_lives *l = w->out;
    l->n = k->nlocals;
    l->words = (l->n + 63) / 64;
    l->at = mem_zeroed(w->m, l->n * sizeof *l->at);
    l->clash = mem_zeroed(w->m, (size_t)l->n * l->words * sizeof *l->clash);
    w->arrays = mem_zeroed(w->m, l->n * sizeof *w->arrays);
    if (!l->at || !l->clash || !w->arrays || !vec_push(w->m, &w->loops, (live_loop){0}))
        return false;
    for (uint32_t i = 0; i < l->n; i++) {
        w->arrays[i] = (array){.alloc = w->p->locals.at[k->locals + i].alloc, .number = i};
        l->at[i] = (k_life){.first = UINT32_MAX, .from = UINT32_MAX};
    }
    qsort(w->arrays, l->n, sizeof *w->arrays, by_alloc);
    return true;
}

bool k_live(const k_program *p, const k_kernel *k, k_lives *out)
{
    live_walk w = {.p = p, .m = &p->cx->mem, .out = out, .phase = 1, .ok = true};
    flow all = {0};
    *out = (k_lives){0};
    if (!k->nlocals)
        return true;
    w.ok = prepare(&w, k);
    if (w.ok && flow_begin(&w, &all)) {
        walk_block(&w, &all, k_at(p, k->launch)->blocks[0], 0);
        end_ranges(&w);
        find_overlaps(&w);
        out->phases = w.phase;
    }
    flow_end(&w, &all);
    mem_free(w.m, w.arrays, out->n * sizeof *w.arrays);
    vec_free(w.m, &w.loops);
    return w.ok;
}

bool k_lives_clash(const k_lives *l, uint32_t i, uint32_t j)
{
    return has(&l->clash[(size_t)i * l->words], j) || has(&l->clash[(size_t)j * l->words], i);
}

void k_lives_free(const k_program *p, k_lives *l)
{
    mem *m = &p->cx->mem;
    mem_free(m, l->at, l->n * sizeof *l->at);
    mem_free(m, l->clash, (size_t)l->n * l->words * sizeof *l->clash);
    *l = (k_lives){0};
}
