/* Loops that ask in each turn whether they are at an end: the first and last turns become loops of
 * their own, and the one between them does not ask.  It is index set splitting, with the points
 * near the ends where a comparison of the variable with a constant changes.
 *
 * What goes round at the end of an array, or has another value outside of it, is so in few elements
 * of a row; for the others neighbours are read from neighbouring places, and a C compiler makes
 * vectors of that.  So only where groups are loops (the fact `serial`), and of loops whose turns do
 * not depend on one another and have a constant number. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

enum { NEAR = 8, LONG = 32 }; /* turns that are an end; of a loop that has ends */

typedef struct ends {
    k_id variable;
    int64_t lo, hi;      /* of the loop */
    int64_t first, last; /* where the middle begins, and where it ends */
} ends;

/* The comparison of the same operands the other way round. */
static opcode turned(opcode op)
{
    return op == SOP_LT   ? SOP_GT
           : op == SOP_LE ? SOP_GE
           : op == SOP_GT ? SOP_LT
           : op == SOP_GE ? SOP_LE
                          : op;
}

/* The variable from which on the comparison has another value. */
static void look_at(const k_program *p, const k_node *n, ends *e)
{
    int64_t limit, by;
    opcode op = (opcode)n->opcode;
    k_id moved = n->args[0];
    if (n->op != K_SCALAR || op < SOP_LT || op > SOP_GE)
        return;
    if (k_is_const(p, moved, &limit)) {
        moved = n->args[1];
        op = turned(op);
    } else if (!k_is_const(p, n->args[1], &limit)) {
        return;
    }
    if (!k_is_moved(p, moved, e->variable, &by))
        return;
    int64_t at = limit - by + (op == SOP_LE || op == SOP_GT);
    if (at > e->first && at <= e->lo + NEAR)
        e->first = at;
    else if (at < e->last && at >= e->hi - NEAR)
        e->last = at;
}

/* False where the block has more than values, accesses to elements and branches. */
static bool find_ends(const k_program *p, k_block b, ends *e)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool plain = k_op_info(n->op)->class == KC_VALUE || n->op == K_LOAD || n->op == K_STORE ||
                     n->op == K_IF || n->op == K_YIELD;
        if (!plain)
            return false;
        look_at(p, n, e);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !find_ends(p, n->blocks[i], e))
                return false;
    }
    return true;
}

static void turns(rebuild *r, const k_node *n, int64_t lo, int64_t hi)
{
    if (lo < hi)
        rebuild_turns(r, n, kb_int(&r->b, (int32_t)lo), kb_int(&r->b, (int32_t)hi));
}

static bool part_loop(rebuild *r, k_id old)
{
    const k_node n = *k_at(r->old, old);
    int64_t step;
    ends e;
    if (n.op != K_FOR || !n.independent || n.nresults ||
        !k_is_const(r->old, n.args[2], &step) || step != 1 ||
        !k_is_const(r->old, n.args[0], &e.lo) || !k_is_const(r->old, n.args[1], &e.hi) ||
        e.hi - e.lo < LONG)
        return false;
    e.variable = k_block_at(r->old, n.blocks[0])->params;
    e.first = e.lo;
    e.last = e.hi;
    if (!find_ends(r->old, n.blocks[0], &e) || (e.first == e.lo && e.last == e.hi))
        return false;
    turns(r, &n, e.lo, e.first);
    turns(r, &n, e.first, e.last);
    turns(r, &n, e.last, e.hi);
    return true;
}

bool k_ends(k_program *p)
{
    return !p->target.facts.serial || k_rebuild(p, &(rebuild){.statement = part_loop});
}
