/* Strips: a worker of a loop over the grid takes many neighbouring elements, one after the other,
 * as a loop of its own.  The usual name is strip mining, or thread coarsening.
 *
 * For CPUs whose code is written in vectors (the fact `simd`), which are made of the turns of
 * loops.  A strip is as long as it does not matter what starting a group costs, and shorter where
 * elements are loops, which are work enough for it.  Where a C compiler makes the vectors (`serial`
 * alone), it makes them of the loop over groups; only elements that are loops go in strips, whose
 * turns `expand` puts side by side, and as many strips as cores may be there for are left.
 * Elements whose loops are made vectors of themselves, as they combine what others have computed in
 * any order (`unordered`), or are rows (`independent`), go in strips that are no vectors, where
 * there are many: a short row is done before the next group has started.  Left alone are elements
 * that wait or take atomic steps, and what has more elements than 32 bits count. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"
#include "ir/kernel/facts.h"

/* What elements do: nothing but to compute, load and store; loops, too; loops that are made vectors
 * of; or what no strip is made of. */
typedef enum work { SIMPLE, LOOPS, ROWS, OTHER } work;

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
        if (n->op == K_FOR)
            most = worse(most, n->unordered || n->independent ? ROWS : LOOPS);
        else if (!plain)
            most = OTHER;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                most = worse(most, work_of(p, n->blocks[i]));
    }
    return most;
}

/* Strips for cores to share, before they have many elements each; and where elements may be long. */
enum { LEAST_STRIPS = 64, LEAST_ROWS = 1024 };

static uint32_t longest_strip(const k_target *t, work does)
{
    switch (does) {
    case SIMPLE: return t->facts.simd ? t->tuning.strip : 1;
    case LOOPS: return t->facts.simd ? t->tuning.strip_loops : t->tuning.expansion;
    case ROWS: return t->facts.simd ? t->tuning.strip_rows : 1;
    default: return 1;
    }
}

/* How many of n elements there are in a strip; 0: none are made. */
static k_id strip_length(k_builder *b, work does, k_id n)
{
    const k_target *t = &b->p->target;
    uint32_t length = longest_strip(t, does);
    if (length < 2 || k_hi(b->p, n) < length)
        return 0;
    k_id most = kb_int(b, (int32_t)length);
    if (t->facts.simd && does != ROWS)
        return most;
    k_id share = kb_scalar(b, SOP_QUOT, n, kb_int(b, does == ROWS ? LEAST_ROWS : LEAST_STRIPS), 0);
    return kb_min(b, most, kb_max(b, share, kb_int(b, 1)));
}

static bool strip_loop(rebuild *r, k_id old)
{
    const k_node par = *k_at(r->old, old);
    k_builder *b = &r->b;
    if (par.op != K_PAR || par.workers != OVER_GRID || k_at(r->old, par.args[0])->type != ST_I32)
        return false;
    work does = work_of(r->old, par.blocks[0]);
    k_id n = rebuild_value(r, par.args[0]);
    k_id by = strip_length(b, does, n);
    if (!by)
        return false;
    k_id whole = kb_scalar(b, SOP_QUOT, n, by, 0);
    k_id rest = kb_min(b, kb_scalar(b, SOP_REM, n, by, 0), kb_int(b, 1));
    k_id strips = kb_open_par(b, OVER_GRID, kb_add(b, whole, rest));
    /* a strip that there is begins with an element */
    k_id first = kb_claim(b, SOP_MUL, kb_param(b, strips, 0), by);
    k_id end = kb_claim(b, SOP_ADD, first, kb_min(b, by, kb_sub(b, n, first)));
    k_id loop = kb_open_for(b, first, end, kb_int(b, 1), NULL, 0);
    k_at(b->p, loop)->independent = does != ROWS;
    rebuild_facts(r, k_block_at(r->old, par.blocks[0])->params, kb_param(b, loop, 0));
    rebuild_block(r, par.blocks[0]);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
    return true;
}

bool k_strips(k_program *p)
{
    return !p->target.facts.serial || k_rebuild(p, &(rebuild){.statement = strip_loop});
}
