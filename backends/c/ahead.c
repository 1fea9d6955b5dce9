/* Loads ahead: kernels in which a loop with barriers loads from global memory for its next turn.
 *
 * A program that loads the next tile and then computes with this one wants the loads under way
 * while it computes.  Where two pointers are known to differ and one of them is only read,
 * compilers take its loads for such that see no stores, and may put them anywhere: NVIDIA's puts
 * them in front of the first use, in the next turn, to save registers.  As plain loads they stay on
 * their side of a barrier, so the pointers of such a kernel promise nothing: one that does, and is
 * stored to, is enough.  Software pipelining is the usual name of what such programs do.
 *
 * Noted of the loop is whether it loads without asking: then compilers may profit from seeing
 * several turns at once, where tests of each element would only make more branches. */
#include "backends/c/emit.h"

enum { BRANCHES = 4 }; /* inside one another, that a loaded value comes out of */

/* The statement that makes v. */
static k_id maker_of(const k_program *p, k_id v)
{
    const k_node *n = k_at(p, v);
    return n->op == K_RESULT ? n->owner : v;
}

/* The memory in global memory that v is loaded from, in a branch or not; 0: none. */
static k_id loaded_from(const k_program *p, k_id v, int depth)
{
    const k_node *n = k_at(p, maker_of(p, v));
    if ((n->op == K_LOAD || n->op == K_LOADWIDE) && k_is_global(k_at(p, n->args[0])))
        return n->args[0];
    if (n->op != K_IF || depth == 0)
        return 0;
    uint32_t i = k_at(p, v)->number;
    k_id memory = loaded_from(p, k_listed(p, k_yield_of(p, n->blocks[0]), i), depth - 1);
    return memory ? memory : loaded_from(p, k_listed(p, k_yield_of(p, n->blocks[1]), i), depth - 1);
}

static bool has_barrier(const k_program *p, k_block b)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next)
        if (k_at(p, id)->op == K_SYNC && k_at(p, id)->level >= LEVEL_BLOCK)
            return true;
    return false;
}

void c_note_ahead(c_emitter *e, k_id id)
{
    const k_program *p = e->p;
    const k_node *loop = k_at(p, id);
    k_block b = loop->blocks[loop->op == K_WHILE];
    if (!p->target.tuning.load_ahead || p->target.facts.serial || !has_barrier(p, b))
        return;
    const k_node *yield = k_yield_of(p, b);
    bool any = false, chosen = false;
    for (uint32_t i = 0; i < loop->nresults; i++) {
        k_id v = k_listed(p, yield, i);
        if (c_note_of(e, maker_of(p, v))->block == b && loaded_from(p, v, BRANCHES)) {
            any = true;
            chosen = chosen || !loaded_from(p, v, 0);
        }
    }
    e->ahead = e->ahead || any;
    c_note_of(e, id)->ahead = any && !chosen;
}
