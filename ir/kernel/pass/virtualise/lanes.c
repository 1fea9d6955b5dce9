/* Memories in lanes become registers: a private array of one element for each lane, read by others
 * through shuffles.  GPU compilers call it shared memory to shuffle conversion; the analysis of
 * what varies is their divergence (uniformity) analysis.
 *
 * All lanes of a warp must run a shuffle together.  Code outside the loops over lanes and threads
 * is the same for the whole warp.  Inside, a loop over lanes with shuffles is gone through by all
 * of them, those without work masked, and branches are opened (predicate.c); this is right as long
 * as every loop around the shuffle takes the same number of turns in all lanes.  Loads in other
 * loops read a copy of the array in local memory, which is kept up to date after each PAR that
 * stores.
 *
 * The analysis is of the program before virtualise.  What differs between lanes (LANE_VARIES) is
 * found by walking the bodies of such PARs until nothing changes; when that takes too long, every
 * carried value differs. */
#include "ir/kernel/pass/virtualise/virtualise.h"

#include <string.h>

typedef struct walk {
    const k_program *p;
    uint8_t *facts;
    bool changed, give_up;
} walk;

static bool is_per_thread(const k_node *n)
{
    return n->op == K_PAR &&
           (n->workers == OVER_LANES || n->workers == OVER_THREADS || n->workers == OVER_GRID);
}

/* A PAR whose pieces are told apart: where lanes exchange values those of lanes, else those of
 * warps, which go through the same barriers. */
static bool is_parted(const k_program *p, const k_node *n)
{
    return p->target.facts.warps_wait ? is_per_thread(n)
                                      : n->op == K_PAR && n->workers == OVER_WARPS;
}

static bool uses_lanes(const k_program *p, const k_node *access)
{
    const k_node *memory = k_at(p, access->args[0]);
    return memory->op == K_ALLOC && memory->space == SPACE_LANES;
}

bool virtualise_is_in_lanes(const spreading *s, const k_node *access)
{
    return uses_lanes(s->r.old, access);
}

/* ---- what differs between lanes ---- */

static bool varies(const walk *w, k_id v)
{
    return w->facts[v] & LANE_VARIES;
}

static void set(walk *w, k_id v, bool it_varies)
{
    if (!it_varies || varies(w, v))
        return;
    w->facts[v] |= LANE_VARIES;
    w->changed = true;
}

static bool any_operand(const walk *w, const k_node *n)
{
    return varies(w, n->args[0]) || varies(w, n->args[1]) || varies(w, n->args[2]);
}

/* Whether the lanes may take different numbers of turns. */
static bool turns_vary(const walk *w, const k_node *n)
{
    return n->op == K_FOR ? any_operand(w, n)
                          : varies(w, k_listed(w->p, k_yield_of(w->p, n->blocks[0]), 0));
}

/* Where turns vary, the number of the turn does as well: who is done does not count on. */
static void visit_loop(walk *w, const k_node *n)
{
    const k_blocks *b = k_block_at(w->p, n->blocks[0]);
    const k_node *next = k_yield_of(w->p, n->blocks[n->op == K_WHILE]);
    bool all = w->give_up || turns_vary(w, n);
    if (n->op == K_FOR)
        set(w, b->params, all || varies(w, n->args[0]) || varies(w, n->args[2]));
    for (uint32_t i = 0; i < n->nlist; i++)
        set(w, b->params + b->nparams - n->nlist + i,
            all || varies(w, k_listed(w->p, n, i)) || varies(w, k_listed(w->p, next, i)));
}

/* A statement in the body of a PAR.  A lane that is masked gets other values from memory and from
 * statements than the rest. */
static void visit_block(walk *w, k_block b)
{
    for (k_id id = k_block_at(w->p, b)->first; id; id = k_at(w->p, id)->next) {
        const k_node *n = k_at(w->p, id);
        set(w, id, k_op_info(n->op)->class != KC_VALUE || n->op == K_BUILTIN || any_operand(w, n));
        for (uint32_t i = 0; i < n->nresults; i++)
            set(w, n->results + i, true);
        if (k_is_loop(n))
            visit_loop(w, n);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                visit_block(w, n->blocks[i]);
    }
}

static void find_varying(walk *w, const k_node *par)
{
    uint32_t most = w->p->target.tuning.lane_walks;
    w->changed = true;
    set(w, k_block_at(w->p, par->blocks[0])->params, true);
    for (uint32_t i = 0; w->changed && i <= most; i++) {
        w->changed = false;
        w->give_up = i == most;
        visit_block(w, par->blocks[0]);
    }
}

/* ---- what becomes of each load ---- */

/* par: the PAR whose body this is, or NULL; alone: a loop inside it may take different numbers of
 * turns. */
typedef struct inside {
    const k_node *par;
    bool alone;
} inside;

/* The element that has the number of the work is the lane's own when every lane has one piece of
 * work. */
static bool is_own(const walk *w, const k_node *n, const k_node *par)
{
    return par && par->workers == OVER_LANES &&
           n->args[1] == k_block_at(w->p, par->blocks[0])->params &&
           k_hi(w->p, par->args[0]) <= w->p->target.facts.warp_size;
}

static bool decide_block(walk *w, k_block b, inside at);

static bool decide(walk *w, k_id id, inside at)
{
    const k_node *n = k_at(w->p, id);
    bool shuffles = false;
    if (n->op == K_LOAD && uses_lanes(w->p, n)) {
        shuffles = !at.alone && !is_own(w, n, at.par);
        w->facts[id] |= is_own(w, n, at.par) ? LANE_OWN : shuffles ? LANE_SHUFFLE : 0;
        if (!(w->facts[id] & (LANE_OWN | LANE_SHUFFLE)))
            w->facts[n->args[0]] |= LANE_MIRROR;
    }
    if (is_parted(w->p, n)) {
        find_varying(w, n);
        at.par = n;
    } else if (k_is_loop(n) && at.par && turns_vary(w, n)) {
        at.alone = true;
    }
    for (int i = 0; i < 2; i++)
        if (n->blocks[i] && decide_block(w, n->blocks[i], at))
            shuffles = true;
    if (shuffles)
        w->facts[id] |= LANE_TOGETHER;
    return shuffles;
}

/* Whether a shuffle is inside. */
static bool decide_block(walk *w, k_block b, inside at)
{
    bool shuffles = false;
    for (k_id id = k_block_at(w->p, b)->first; id; id = k_at(w->p, id)->next)
        shuffles = decide(w, id, at) || shuffles;
    return shuffles;
}

/* Whether there is anything to find: memories in lanes, or loops over warps with barriers inside.
 */
static bool is_wanted(const k_program *p)
{
    for (k_id id = 1; id < p->nodes.len; id++) {
        const k_node *n = k_at(p, id);
        bool parted = !p->target.facts.warps_wait && is_parted(p, n) && k_has_sync(p, n->blocks[0]);
        if (parted || (n->op == K_ALLOC && n->space == SPACE_LANES))
            return true;
    }
    return false;
}

bool virtualise_turns_alike(const spreading *s, const k_node *loop)
{
    if (!s->lanes.facts)
        return false;
    walk w = {.p = s->r.old, .facts = s->lanes.facts};
    return !turns_vary(&w, loop);
}

bool virtualise_lanes_analyse(lane_arrays *l, const k_program *p)
{
    mem *m = &p->cx->mem;
    *l = (lane_arrays){.count = p->nodes.len};
    if (!is_wanted(p))
        return true;
    l->facts = mem_resize(m, NULL, 0, l->count);
    l->mirror = mem_resize(m, NULL, 0, l->count * sizeof *l->mirror);
    if (!l->facts || !l->mirror)
        return false;
    memset(l->facts, 0, l->count);
    memset(l->mirror, 0, l->count * sizeof *l->mirror);
    walk w = {.p = p, .facts = l->facts};
    decide_block(&w, p->host, (inside){0});
    return true;
}

void virtualise_lanes_release(lane_arrays *l, mem *m)
{
    mem_free(m, l->facts, l->count);
    mem_free(m, l->mirror, l->count * sizeof *l->mirror);
    vec_free(m, &l->stored);
}

/* ---- registers ---- */

/* The index of element i of the running warp's copy. */
static k_id in_copy(spreading *s, k_id i)
{
    k_builder *b = &s->r.b;
    return kb_add(b, kb_mul(b, virtualise_warp_id(s), kb_int(b, (int32_t)s->warp)), i);
}

void virtualise_lanes_alloc(spreading *s, k_id old)
{
    k_builder *b = &s->r.b;
    scalar t = (scalar)k_at(s->r.old, old)->type;
    s->r.map[old] = kb_alloc(b, SPACE_PRIVATE, t, kb_int(b, 1));
    if (lane_fact(s, old, LANE_MIRROR))
        s->lanes.mirror[old] =
            kb_alloc(b, SPACE_LOCAL, t, kb_int(b, (int32_t)(s->warps * s->warp)));
}

void virtualise_lanes_load(spreading *s, k_id old)
{
    k_builder *b = &s->r.b;
    const k_node n = *k_at(s->r.old, old);
    k_id at = rebuild_value(&s->r, n.args[1]), v;
    if (lane_fact(s, old, LANE_OWN | LANE_SHUFFLE))
        v = kb_load(b, rebuild_value(&s->r, n.args[0]), kb_int(b, 0));
    else
        v = kb_load(b, s->lanes.mirror[n.args[0]], in_copy(s, at));
    if (lane_fact(s, old, LANE_SHUFFLE) && at != virtualise_lane_id(s))
        v = kb_shuffle(b, v, at);
    rebuild_facts(&s->r, old, v);
}

void virtualise_lanes_store(spreading *s, k_id old)
{
    k_builder *b = &s->r.b;
    const k_node n = *k_at(s->r.old, old);
    kb_store(b, rebuild_value(&s->r, n.args[0]), kb_int(b, 0), rebuild_value(&s->r, n.args[2]));
    if (lane_fact(s, n.args[0], LANE_MIRROR) &&
        !vec_push(&b->p->cx->mem, &s->lanes.stored, n.args[0]))
        b->failed = true;
}

bool virtualise_lanes_store_by_all(const spreading *s, k_id old)
{
    const k_node *n = k_at(s->r.old, old);
    return n->op == K_STORE && virtualise_is_in_lanes(s, n) && s->mask == s->lanes.all &&
           kb_depth(&s->r.b) == s->lanes.depth;
}

void virtualise_lanes_publish(spreading *s)
{
    k_builder *b = &s->r.b;
    if (s->lanes.stored.len == 0)
        return;
    virtualise_barrier(s, LEVEL_WARP);
    for (uint32_t i = 0; i < s->lanes.stored.len; i++) {
        k_id memory = s->lanes.stored.at[i], own = rebuild_value(&s->r, memory);
        kb_store(b, s->lanes.mirror[memory], in_copy(s, virtualise_lane_id(s)),
                 kb_load(b, own, kb_int(b, 0)));
    }
    virtualise_barrier(s, LEVEL_WARP);
    s->lanes.stored.len = 0;
}
