/* Barriers and shuffles: whether all who wait for one another get there.
 *
 * This is the analysis of divergence.  A value may differ between the lanes of a warp, between the
 * warps of a block, or both; it starts at the coordinates (before virtualise at the variables of
 * parallel loops), and spreads through operations, through branches whose condition differs, and
 * through loops whose number of turns differs.  What is loaded or carried is taken to agree, so
 * that what is reported is wrong for certain; the simulator of the tests finds the rest.  Launches
 * without a barrier inside a branch or loop are not looked at. */
#include "ir/kernel/verify/impl.h"

#include <string.h>

enum { LANES = 1, WARPS = 2 };

typedef struct divergence {
    verifier *v;
    const k_program *p;
    verify_note *notes; /* differs */
    uint8_t all;        /* what differs between threads */
    bool again, ok;
} divergence;

/* Whether that is new. */
static bool add(divergence *d, k_id id, uint32_t bits)
{
    uint32_t all = d->notes[id].differs | (bits & d->all);
    bool fresh = all != d->notes[id].differs;
    d->notes[id].differs = (uint8_t)all;
    return fresh;
}

static uint32_t of_operands(const divergence *d, const k_node *n)
{
    return d->notes[n->args[0]].differs | d->notes[n->args[1]].differs |
           d->notes[n->args[2]].differs;
}

/* ---- values ---- */

/* The thread's number divided by the size of a warp is the number of its warp; the rest that of its
 * lane. */
static uint32_t of_scalar(const divergence *d, const k_node *n)
{
    const k_node *x = k_at(d->p, n->args[0]);
    int64_t by = 0;
    bool thread = x->op == K_BUILTIN && x->coordinate == AT_THREAD;
    if (!thread || !k_is_const(d->p, n->args[1], &by) || by <= 0)
        return of_operands(d, n);
    int64_t warp = d->p->target.facts.warp_size;
    switch (n->opcode) {
    case SOP_QUOT:
    case SOP_DIV: return warp && by % warp == 0 ? WARPS : LANES | WARPS;
    case SOP_REM:
    case SOP_MOD: return by == warp ? LANES : LANES | WARPS;
    default: return of_operands(d, n);
    }
}

static uint32_t of_value(const divergence *d, const k_node *n)
{
    switch ((k_op)n->op) {
    case K_BUILTIN: return n->coordinate == AT_THREAD ? LANES | WARPS : 0;
    case K_SHUFFLE:
        return d->notes[n->args[1]].differs | WARPS | (d->notes[n->args[0]].differs & WARPS);
    case K_FAILED:
    case K_ATOMIC: return LANES | WARPS;
    case K_SCALAR: return of_scalar(d, n);
    case K_CONVERT:
    case K_BITCAST: return of_operands(d, n);
    default: return 0;
    }
}

/* A parallel loop's variable, as a lowered program has it. */
static uint32_t of_work(const k_node *par)
{
    switch (par->workers) {
    case OVER_LANES: return LANES;
    case OVER_WARPS: return WARPS;
    case OVER_BLOCKS: return 0;
    default: return LANES | WARPS;
    }
}

/* ---- statements ---- */

static void walk(divergence *d, k_block b, uint32_t control);

static const k_node *yield_of(const divergence *d, k_block b)
{
    return k_yield_of(d->p, b);
}

/* How the number of turns differs. */
static uint32_t of_turns(const divergence *d, const k_node *n)
{
    return n->op == K_FOR ? of_operands(d, n)
                          : d->notes[k_listed(d->p, yield_of(d, n->blocks[0]), 0)].differs;
}

/* A loop's variable differs as its start and step do. */
static void begin_loop(divergence *d, const k_node *n)
{
    if (n->op == K_FOR)
        add(d, k_block_at(d->p, n->blocks[0])->params,
            d->notes[n->args[0]].differs | d->notes[n->args[2]].differs);
}

/* What a loop carries, and what is loaded, is taken to agree: predication keeps masks and votes
 * there that do, by arithmetic that this analysis does not follow.  So what it reports is wrong for
 * certain; the simulator of the tests finds the rest.  Of a while the turns are known when its
 * condition has been looked at. */
static void visit_loop(divergence *d, k_id id, uint32_t control)
{
    const k_node *n = k_at(d->p, id);
    uint32_t before = n->op == K_FOR ? of_turns(d, n) : d->notes[id].differs;
    begin_loop(d, n);
    walk(d, n->blocks[0], control | before);
    uint32_t turns = of_turns(d, n);
    if (n->op == K_WHILE && add(d, id, turns))
        d->again = true;
    walk(d, n->blocks[1], control | turns);
}

static void visit_if(divergence *d, k_id id, uint32_t control)
{
    const k_node *n = k_at(d->p, id), *x = yield_of(d, n->blocks[0]),
                 *y = yield_of(d, n->blocks[1]);
    uint32_t cond = d->notes[n->args[0]].differs;
    walk(d, n->blocks[0], control | cond);
    walk(d, n->blocks[1], control | cond);
    for (uint32_t i = 0; i < n->nresults; i++)
        add(d, n->results + i,
            cond | d->notes[k_listed(d->p, x, i)].differs | d->notes[k_listed(d->p, y, i)].differs);
}

/* The pieces of work of a warp's or a block's threads are theirs alone: whether a thread has one
 * differs. */
static void visit_par(divergence *d, k_id id, uint32_t control)
{
    const k_node *n = k_at(d->p, id);
    k_id param = k_block_at(d->p, n->blocks[0])->params;
    uint32_t work = of_work(n);
    add(d, param, work | d->notes[n->args[0]].differs);
    walk(d, n->blocks[0], control | d->notes[n->args[0]].differs | (work & LANES));
}

static const char *who(uint32_t control)
{
    return control & LANES ? "the lanes of a warp" : "the warps of a block";
}

/* A barrier of a block needs both kinds of agreement; one of a warp, and a shuffle, only that of
 * the lanes. */
static void check_meeting(divergence *d, k_id id, uint32_t control)
{
    const k_node *n = k_at(d->p, id);
    bool sync = n->op == K_SYNC;
    control &= sync && n->level == LEVEL_BLOCK ? LANES | WARPS : LANES;
    if (d->ok && (control & d->all))
        d->ok = verify_breaks(d->v, sync ? RULE_BARRIER : RULE_TOGETHER, id,
                              "what decides whether it runs differs between %s", who(control));
}

static void visit(divergence *d, k_id id, uint32_t control)
{
    const k_node *n = k_at(d->p, id);
    switch ((k_op)n->op) {
    case K_IF: visit_if(d, id, control); break;
    case K_FOR:
    case K_WHILE: visit_loop(d, id, control); break;
    case K_PAR: visit_par(d, id, control); break;
    case K_SYNC: check_meeting(d, id, control); break;
    case K_SHUFFLE:
        check_meeting(d, id, control);
        add(d, id, of_value(d, n));
        break;
    default: add(d, id, of_value(d, n)); break;
    }
}

static void walk(divergence *d, k_block b, uint32_t control)
{
    for (k_id id = b ? k_block_at(d->p, b)->first : 0; id; id = k_at(d->p, id)->next)
        visit(d, id, control);
}

/* ---- launches ---- */

/* Whether a barrier or shuffle stands inside a statement of the block. */
static bool has_meeting_inside(const k_program *p, k_block b, bool inside)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (inside && (n->op == K_SYNC || n->op == K_SHUFFLE))
            return true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && has_meeting_inside(p, n->blocks[i], true))
                return true;
    }
    return false;
}

/* A launch of one thread has nobody to wait for.  How the turns of a while differ is known behind
 * its condition, so barriers in conditions are asked about on a second walk; no value depends on
 * that, so a third would find nothing. */
static bool check_launch(verifier *v, k_id launch)
{
    const k_node *n = k_at(v->p, launch);
    int64_t threads = 1;
    k_is_const(v->p, n->args[1], &threads);
    if (threads == 1 || !has_meeting_inside(v->p, n->blocks[0], false))
        return true;
    int64_t warp = v->p->target.facts.warp_size;
    divergence d = {.v = v, .p = v->p, .notes = v->notes, .ok = true, .again = true};
    d.all = (uint8_t)((warp != 1 ? LANES : 0) | (!warp || threads > warp ? WARPS : 0));
    for (int i = 0; d.again && d.ok && i < 2; i++) {
        d.again = false;
        walk(&d, n->blocks[0], 0);
    }
    return d.ok;
}

static bool check_host(verifier *v, k_block b)
{
    bool ok = true;
    for (k_id id = k_block_at(v->p, b)->first; id; id = k_at(v->p, id)->next) {
        const k_node *n = k_at(v->p, id);
        if (n->op == K_LAUNCH)
            ok = check_launch(v, id) && ok;
        for (int i = 0; n->op != K_LAUNCH && i < 2; i++)
            ok = (!n->blocks[i] || check_host(v, n->blocks[i])) && ok;
    }
    return ok;
}

bool verify_uniform(verifier *v)
{
    return check_host(v, v->p->host);
}
