/* Strips: a worker of a loop over the grid takes many neighbouring elements, one after the other, as a loop of its
 * own.  The usual name is strip mining, or thread coarsening.
 *
 * For CPUs whose code is written in vectors (the fact `simd`), which are made of the turns of loops.  A strip is
 * as long as it does not matter what starting a group costs, and shorter where elements are loops, which are work
 * enough for it.  Left alone are elements whose loops are made vectors of themselves, as they combine what others
 * have computed in any order (`unordered`), or are rows (`independent`); those that wait or take atomic steps; and
 * what has more elements than 32 bits count. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"
#include "ir/kernel/facts.h"

/* What elements do: nothing but to compute, load and store; loops, too; or what no strip is made of. */
typedef enum work { SIMPLE, LOOPS, OTHER } work;

static work worse(work a, work b)
{
    return a > b ? a : b;
}

static work work_of(const k_program *p, k_block b)
{
    work most = SIMPLE;
    for (k_id id = k_block_at(p, b)->first; id && most < OTHER; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        k_class class = k_op_info(n->op)->class;
        bool plain = class == KC_VALUE || class == KC_PART || n->op == K_LOAD || n->op == K_STORE ||
                     n->op == K_IF || n->op == K_CHECK;
        if (n->op == K_FOR && !n->unordered && !n->independent)
            most = worse(most, LOOPS);
        else if (!plain)
            most = OTHER;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                most = worse(most, work_of(p, n->blocks[i]));
    }
    return most;
}

static bool strip_loop(rebuild *r, k_id old)
{
    const k_node par = *k_at(r->old, old);
    k_builder *b = &r->b;
    if (par.op != K_PAR || par.workers != OVER_GRID || k_at(r->old, par.args[0])->type != ST_I32)
        return false;
    work does = work_of(r->old, par.blocks[0]);
    k_id n = rebuild_value(r, par.args[0]);
    int64_t most = k_hi(b->p, n);
    const k_tuning *t = &r->old->target.tuning;
    uint32_t length = does == SIMPLE ? t->strip : t->strip_loops;
    if (does == OTHER || length < 2 || most < length)
        return false;
    k_id by = kb_int(b, (int32_t)length);
    k_id whole = kb_scalar(b, SOP_QUOT, n, by, 0);
    k_id rest = kb_min(b, kb_scalar(b, SOP_REM, n, by, 0), kb_int(b, 1));
    k_id strips = kb_open_par(b, OVER_GRID, kb_add(b, whole, rest));
    k_id first = kb_mul(b, kb_param(b, strips, 0), by);
    k_state_range(b->p, first, 0, most);
    k_id end = kb_add(b, first, kb_min(b, by, kb_sub(b, n, first)));
    k_state_range(b->p, end, 0, most);
    k_id loop = kb_open_for(b, first, end, kb_int(b, 1), NULL, 0);
    k_at(b->p, loop)->independent = true;
    rebuild_facts(r, k_block_at(r->old, par.blocks[0])->params, kb_param(b, loop, 0));
    rebuild_block(r, par.blocks[0]);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
    return true;
}

bool k_strips(k_program *p)
{
    return !p->target.facts.simd || k_rebuild(p, &(rebuild){.statement = strip_loop});
}
