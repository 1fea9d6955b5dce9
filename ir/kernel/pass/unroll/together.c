/* Unrolling of independent turns: statement by statement instead of turn by turn.  Classical
 * compilers call it unroll-and-jam; without an inner loop, interleaving for memory-level
 * parallelism.
 *
 * The turns of what was a parallel loop neither see nor wait for one another, so their statements
 * may be interleaved: the first statement of all turns, then the second of all.  Loads of several
 * turns are then under way at once; and a loop inside that runs alike in all turns becomes one
 * loop around the statements of all (unroll and jam), in which what the turns have in common is
 * loaded once.
 *
 * The old body's values have one new value in each turn: the part of the map that belongs to the
 * body is kept once for each turn, and put in place when a statement is rebuilt for that turn. */
#include "ir/kernel/pass/unroll/unroll.h"

#include <string.h>

typedef struct copied_turns {
    unrolling *u;
    uint32_t n, current;
    k_id first, count; /* the old nodes of the body */
    k_id *maps;        /* count for each lane */
    vec_u32 memories;  /* old ones that the body makes */
} copied_turns;

/* ---- what the body is ---- */

typedef struct extent_of {
    k_id first, last;
    bool allocates; /* local memory, of which copies would be needed */
    bool jams;      /* a loop stands directly in the body */
} extent_of;

static void cover(extent_of *e, k_id first, k_id n)
{
    if (!n)
        return;
    e->first = !e->first || first < e->first ? first : e->first;
    e->last = first + n - 1 > e->last ? first + n - 1 : e->last;
}

static void cover_block(const k_program *p, k_block b, extent_of *e)
{
    const k_blocks *bl = k_block_at(p, b);
    cover(e, bl->params, bl->nparams);
    for (k_id id = bl->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        cover(e, id, 1);
        cover(e, n->results, n->nresults);
        e->allocates = e->allocates || (n->op == K_ALLOC && n->space != SPACE_PRIVATE);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                cover_block(p, n->blocks[i], e);
    }
}

static extent_of look_at(const k_program *p, k_block body)
{
    extent_of e = {0};
    cover_block(p, body, &e);
    for (k_id id = k_block_at(p, body)->first; id; id = k_at(p, id)->next)
        e.jams = e.jams || k_at(p, id)->op == K_FOR;
    return e;
}

/* Whether some global memory is both read and written in the block: private arrays may lie there,
 * and turns share them.
 */
static bool writes_what_it_reads(const k_program *p, k_block b, k_block all)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool store = n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_ATOMIC;
        if (store && k_at(p, n->args[0])->space == SPACE_GLOBAL &&
            (n->op == K_ATOMIC || k_reads(p, all, n->args[0])))
            return true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && writes_what_it_reads(p, n->blocks[i], all))
                return true;
    }
    return false;
}

bool unroll_may_interleave(const unrolling *u, const old_loop *l)
{
    const k_program *p = u->r.old;
    k_block body = l->n.blocks[0];
    return (l->n.independent) && l->n.nresults == 0 && !look_at(p, body).allocates &&
           !k_has_sync(p, body) && !writes_what_it_reads(p, body, body);
}

/* ---- lanes ---- */

static void select_lane(copied_turns *g, uint32_t k)
{
    size_t size = g->count * sizeof *g->maps;
    k_id *map = g->u->r.map + g->first;
    if (k == g->current)
        return;
    memcpy(g->maps + (size_t)g->current * g->count, map, size);
    memcpy(map, g->maps + (size_t)k * g->count, size);
    g->current = k;
}

static void block_together(copied_turns *g, k_block b);

/* ---- loops inside, in all lanes at once ---- */

/* Whether all lanes run the loop from the same start to the same end. */
static bool runs_alike(copied_turns *g, k_id old)
{
    select_lane(g, 0);
    old_loop l = unroll_look(g->u, old);
    for (uint32_t k = 1; k < g->n; k++) {
        select_lane(g, k);
        old_loop other = unroll_look(g->u, old);
        if (other.lo != l.lo || other.hi != l.hi || other.step != l.step)
            return false;
    }
    return true;
}

/* Moves the carried values of all lanes: to the parameters from `values`, or (out) from the yields.
 */
static void set_params(copied_turns *g, const old_loop *l, k_id index, const k_id *values)
{
    k_id first = k_block_at(g->u->r.old, l->n.blocks[0])->params;
    for (uint32_t k = 0; k < g->n; k++) {
        select_lane(g, k);
        g->u->r.map[first] = index;
        for (uint32_t i = 0; i < l->n.nresults; i++)
            g->u->r.map[first + 1 + i] = values[k * l->n.nresults + i];
    }
}

static void get_yields(copied_turns *g, const old_loop *l, k_id *values)
{
    for (uint32_t k = 0; k < g->n; k++) {
        select_lane(g, k);
        rebuild_yield(&g->u->r, l->n.blocks[0], values + k * l->n.nresults, l->n.nresults);
    }
}

static void get_carried(copied_turns *g, const old_loop *l, k_id *values)
{
    for (uint32_t k = 0; k < g->n; k++) {
        select_lane(g, k);
        for (uint32_t i = 0; i < l->n.nresults; i++)
            values[k * l->n.nresults + i] =
                rebuild_value(&g->u->r, k_listed(g->u->r.old, &l->n, i));
    }
}

static void set_results(copied_turns *g, const old_loop *l, const k_id *values)
{
    for (uint32_t k = 0; k < g->n; k++) {
        select_lane(g, k);
        unroll_set_results(g->u, l, values + k * l->n.nresults);
    }
}

static void jam_opened(copied_turns *g, const old_loop *l, k_id *values)
{
    uint32_t copies = g->u->copies;
    g->u->copies = copies * (uint32_t)l->t.least;
    for (int64_t t = 0; t < l->t.least && !g->u->r.b.failed; t++) {
        set_params(g, l, unroll_index(g->u, l, t), values);
        block_together(g, l->n.blocks[0]);
        get_yields(g, l, values);
    }
    g->u->copies = copies;
    set_results(g, l, values);
}

static void jam_kept(copied_turns *g, const old_loop *l, k_id *values)
{
    k_builder *b = &g->u->r.b;
    uint32_t n = g->n * l->n.nresults;
    k_id stmt = kb_open_for(b, l->lo, l->hi, l->step, values, n);
    for (uint32_t i = 0; i < n; i++)
        values[i] = kb_param(b, stmt, i + 1);
    set_params(g, l, kb_param(b, stmt, 0), values);
    block_together(g, l->n.blocks[0]);
    get_yields(g, l, values);
    kb_close(b, values, n);
    for (uint32_t i = 0; i < n; i++)
        values[i] = kb_result(b, stmt, i);
    set_results(g, l, values);
}

/* A loop of the body: one for all lanes, opened or kept.  False when each lane needs its own. */
static bool loop_together(copied_turns *g, k_id old)
{
    enum { MOST_CARRIED = 320 }; /* by one loop: more than registers for them is not worth it */
    select_lane(g, 0);
    old_loop l = unroll_look(g->u, old);
    if (g->n * l.n.nresults > MOST_CARRIED || !runs_alike(g, old))
        return false;
    k_id *values = rebuild_room(&g->u->r, g->n * l.n.nresults);
    if (!values)
        return true;
    get_carried(g, &l, values);
    body_cost c = unroll_cost(g->u, l.n.blocks[0]);
    bool exact = l.counted && l.t.least == l.t.most;
    if (exact && (l.t.most <= 1 || unroll_fits(g->u, (uint64_t)l.t.most, c.opened, c.local)))
        jam_opened(g, &l, values);
    else
        jam_kept(g, &l, values);
    return true;
}

static void block_together(copied_turns *g, k_block b)
{
    const k_program *p = g->u->r.old;
    for (k_id id = k_block_at(p, b)->first; id && k_at(p, id)->op != K_YIELD;
         id = k_at(p, id)->next) {
        if (k_at(p, id)->op == K_FOR && loop_together(g, id))
            continue;
        for (uint32_t k = 0; k < g->n && !g->u->r.b.failed; k++) {
            select_lane(g, k);
            rebuild_statement(&g->u->r, id);
        }
    }
}

/* ---- memories of the lanes ---- */

static bool list_memories(const k_program *p, k_block b, vec_u32 *out)
{
    bool ok = true;
    for (k_id id = k_block_at(p, b)->first; id && ok; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        ok = n->op != K_ALLOC || vec_push(&p->cx->mem, out, id);
        for (int i = 0; i < 2; i++)
            ok = ok && (!n->blocks[i] || list_memories(p, n->blocks[i], out));
    }
    return ok;
}

/* Gives the lanes the memories that the loop's last copy gave them: what is mapped now is of one
 * lane alone. */
static void recall_memories(copied_turns *g, uint32_t n)
{
    const unrolling *u = g->u;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < g->memories.len; i++)
            g->maps[(size_t)k * g->count + g->memories.at[i] - g->first] = 0;
    for (uint32_t i = 0; i < u->memories.len; i++) {
        turn_memory m = u->memories.at[i];
        for (uint32_t a = 0; a < g->memories.len; a++)
            if (g->memories.at[a] == m.old && m.turn < n)
                g->maps[(size_t)m.turn * g->count + m.old - g->first] = m.fresh;
    }
}

static bool is_noted(const unrolling *u, turn_memory m)
{
    for (uint32_t i = 0; i < u->memories.len; i++) {
        turn_memory x = u->memories.at[i];
        if (x.old == m.old && (x.turn == m.turn || x.fresh == m.fresh))
            return true;
    }
    return false;
}

static void note_memories(copied_turns *g, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        select_lane(g, k);
        for (uint32_t i = 0; i < g->memories.len; i++) {
            turn_memory m = {.old = g->memories.at[i], .turn = k};
            m.fresh = g->u->r.map[m.old];
            if (m.fresh && !is_noted(g->u, m) &&
                !vec_push(&g->u->r.old->cx->mem, &g->u->memories, m))
                g->u->r.b.failed = true;
        }
    }
}

/* ---- the loop ---- */

static void turns_together(copied_turns *g, const old_loop *l, int64_t from, uint32_t n)
{
    k_id param = k_block_at(g->u->r.old, l->n.blocks[0])->params;
    g->n = n;
    for (uint32_t k = 0; k < n; k++) {
        select_lane(g, k);
        g->u->r.map[param] = unroll_index(g->u, l, from + k);
    }
    block_together(g, l->n.blocks[0]);
}

/* Maps for n lanes, each with what is mapped now and with memories of its own. */
static bool open_lanes(copied_turns *g, uint32_t n)
{
    const unrolling *u = g->u;
    g->maps = mem_resize(&u->r.old->cx->mem, NULL, 0, (size_t)n * g->count * sizeof *g->maps);
    for (uint32_t k = 0; k < n && g->maps; k++)
        memcpy(g->maps + (size_t)k * g->count, u->r.map + g->first, g->count * sizeof *g->maps);
    return g->maps != NULL;
}

void unroll_together(unrolling *u, const old_loop *l)
{
    mem *m = &u->r.old->cx->mem;
    k_block body = l->n.blocks[0];
    extent_of e = look_at(u->r.old, body);
    const k_tuning *t = &u->r.old->target.tuning;
    uint32_t most = e.jams ? t->unroll_turns : t->unroll_together,
             n = l->t.least < most ? (uint32_t)l->t.least : most;
    uint32_t places = n ? n : 1;
    copied_turns g = {.u = u, .first = e.first, .count = e.last - e.first + 1};
    if (list_memories(u->r.old, body, &g.memories) && open_lanes(&g, places)) {
        recall_memories(&g, places);
        memcpy(u->r.map + g.first, g.maps, g.count * sizeof *g.maps);
        for (int64_t k = 0; k < l->t.least && !u->r.b.failed; k += n)
            turns_together(&g, l, k, l->t.least - k < n ? (uint32_t)(l->t.least - k) : n);
        note_memories(&g, places);
    } else {
        u->r.b.failed = true;
    }
    mem_free(m, g.maps, (size_t)places * g.count * sizeof *g.maps);
    vec_free(m, &g.memories);
    if (l->t.most > l->t.least && !u->r.b.failed)
        unroll_rest(u, l, NULL);
}
