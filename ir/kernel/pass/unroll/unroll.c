/* Unrolling: a loop that provably turns a constant number of times becomes as many copies of its
 * body.  This is full loop unrolling with peeling of the last, partial turn into an if.
 *
 * Requires a virtualised program; rewrites it.  A loop is unrolled when the copies have at most
 * target.tuning.unroll statements, with the loops inside counted as unrolled.  Loops over the
 * threads' work start at the thread's number and so take one of two numbers of turns; the turn that
 * is not due for all becomes an if.  Their turns are independent of one another, and are
 * interleaved (unroll/together.c).  There may be unroll_own times as many statements where they
 * access local memory, as elements that threads have for themselves get into registers only then
 * (registers.c).  Loops with barriers are unrolled only when they are short.
 * Loops in code for the ends of arrays (unroll/border.c) become loops of as many turns at once as
 * are interleaved.  Loops that read memory and stay are marked for the C compiler. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/pass/unroll/unroll.h"

/* ---- one turn after another ---- */

static void unroll_in_order(unrolling *u, const old_loop *l)
{
    k_id *carried = rebuild_room(&u->r, l->n.nresults);
    if (!carried)
        return;
    rebuild_carried(&u->r, &l->n, carried);
    for (int64_t k = 0; k < l->t.least && !u->r.b.failed; k++)
        unroll_turn(u, l, k, carried);
    if (l->t.most > l->t.least)
        unroll_rest(u, l, carried);
    unroll_set_results(u, l, carried);
}

/* ---- decisions ---- */

static bool is_wanted(const unrolling *u, const old_loop *l)
{
    k_block body = l->n.blocks[0];
    bool syncs = k_has_sync(u->r.old, body);
    if (!l->counted || u->r.b.launch_depth == 0 || (syncs && l->t.least != l->t.most))
        return false;
    if (l->t.most <= 1)
        return true;
    body_cost c = unroll_cost(u, body);
    uint64_t most = (uint64_t)l->t.most;
    if (syncs && most > u->r.old->target.tuning.unroll_syncs) {
        k_decided(u->r.b.p, TUNE_unroll_syncs, u->r.b.loc, most);
        return false;
    }
    if (syncs)
        return unroll_fits(u, most, c.kept, false);
    if (l->n.independent)
        return !c.whiles && unroll_fits(u, most, c.kept, c.local);
    return !c.whiles && !c.loops && unroll_fits(u, most, c.opened, c.local);
}

static void unroll_loop(unrolling *u, const old_loop *l)
{
    uint32_t copies = u->copies, most = l->t.most > 1 ? (uint32_t)l->t.most : 1;
    if (copies == 1) {
        u->depth = kb_depth(&u->r.b);
        u->memories.len = 0;
    }
    u->copies = copies * most;
    if (most > 1 && unroll_may_interleave(u, l))
        unroll_together(u, l);
    else
        unroll_in_order(u, l);
    u->copies = copies;
}

/* A loop of rounds of turns, and the turns that are left. */
static void unroll_in_rounds(unrolling *u, const old_loop *l)
{
    k_builder *b = &u->r.b;
    int64_t each = u->r.old->target.tuning.unroll_together, whole = l->t.least / each * each;
    old_loop round = *l, rest = *l;
    k_id end = unroll_index(u, l, whole), by = kb_mul(b, l->step, kb_int(b, (int32_t)each));
    k_id loop = kb_open_for(b, l->lo, end, by, NULL, 0);
    round.lo = kb_param(b, loop, 0);
    round.t = (turns){each, each};
    unroll_loop(u, &round);
    kb_close(b, NULL, 0);
    rest.lo = end;
    rest.t = (turns){l->t.least - whole, l->t.most - whole};
    if (rest.t.most > 0)
        unroll_loop(u, &rest);
}

/* Whether that is less code, and enough. */
static bool is_for_rounds(const unrolling *u, const old_loop *l)
{
    return u->borders[l->id] &&
           l->t.least >= 2 * (int64_t)u->r.old->target.tuning.unroll_together &&
           unroll_may_interleave(u, l);
}

/* The copies of a body, which run one after another, share the memories of the body; turns that are
 * interleaved have maps, and so memories, of their own. */
static void place_once(unrolling *u, k_id old)
{
    k_builder *b = &u->r.b;
    const k_node n = *k_at(u->r.old, old);
    k_id size = rebuild_value(&u->r, n.args[0]);
    if (!u->r.map[old] && k_at(b->p, size)->depth <= u->depth)
        u->r.map[old] = kb_alloc_at(b, u->depth, (k_space)n.space, (scalar)n.type, size);
}

static bool unroll_statement(rebuild *r, k_id old);

/* A loop that has a constant number of turns or none, as that over wide accesses where all are
 * aligned: the question is asked once, and the turns are constant then. */
static bool ask_first(unrolling *u, k_id old)
{
    rebuild *r = &u->r;
    k_builder *b = &r->b;
    k_id limit = k_at(r->old, old)->args[1], now = rebuild_value(r, limit);
    const k_node choice = *k_at(b->p, now);
    int64_t most, none;
    bool asks = choice.op == K_SCALAR && choice.opcode == SOP_SELECT &&
                k_is_const(b->p, choice.args[1], &most) &&
                k_is_const(b->p, choice.args[2], &none) && none == 0;
    if (!asks || k_at(r->old, old)->nresults ||
        k_lo(b->p, rebuild_value(r, k_at(r->old, old)->args[0])) < 0)
        return false;
    kb_open_if(b, choice.args[0]);
    r->map[limit] = choice.args[1];
    if (!unroll_statement(r, old))
        rebuild_copy(r, old);
    r->map[limit] = now;
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
    return true;
}

static bool unroll_statement(rebuild *r, k_id old)
{
    unrolling *u = (unrolling *)r;
    const k_node *n = k_at(r->old, old);
    if (n->op == K_ALLOC && u->copies > 1) {
        place_once(u, old);
        return r->map[old] != 0;
    }
    if (n->op != K_FOR)
        return false;
    if (ask_first(u, old))
        return true;
    old_loop l = unroll_look(u, old);
    if (!is_wanted(u, &l))
        return false;
    if (is_for_rounds(u, &l))
        unroll_in_rounds(u, &l);
    else
        unroll_loop(u, &l);
    return true;
}

/* Whether there is anything to unroll. */
static bool has_loops(const k_program *p)
{
    k_id n = 1;
    while (n < p->nodes.len && k_at(p, n)->op != K_FOR)
        n++;
    return n < p->nodes.len;
}

bool k_unroll(k_program *p)
{
    if (!has_loops(p))
        return true;
    unrolling u = {.r = {.statement = unroll_statement, .old = p}, .copies = 1};
    size_t size = p->nodes.len;
    bool ok = unroll_find_indexes(&u) && unroll_find_borders(&u) && k_rebuild(p, &u.r);
    mem_free(&p->cx->mem, u.indexes, size);
    mem_free(&p->cx->mem, u.borders, size * sizeof *u.borders);
    vec_free(&p->cx->mem, &u.memories);
    return ok;
}
