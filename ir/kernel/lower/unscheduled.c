/* Collectives have no code of their own: the pass schedule has put functions that name levels in
 * their place.  A kernel that has one is refused as a whole, at the first. */
#include "ir/kernel/lower/value.h"
#include "ir/scheduled.h"

static const sv *refuse(lowering *L, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    L->b.loc = lower_position(L, n.loc);
    if (n.opcode == OP_RETURN)
        lower_fail(L, DIAG_LOWER_UNSCHEDULED,
                   "the kernel @%s returns a pull array: at which level it is computed is not said",
                   intern_str(&L->m->cx->strings, L->b.p->name));
    else
        lower_fail(L, DIAG_LOWER_UNSCHEDULED,
                   "the kernel @%s is not scheduled: at which level this %s is done is not said",
                   intern_str(&L->m->cx->strings, L->b.p->name), ir_op_info(n.opcode)->name);
    diag_hint(L->m->cx, "the pass schedule chooses levels: leave out --no-schedule, or run fcl-opt --passes=schedule");
    return sv_none();
}

bool lower_refuse_unscheduled(lowering *L, ir_func f)
{
    ir_op why;
    if (ir_is_scheduled(L->m, f, &why))
        return true;
    if (why)
        refuse(L, why);
    return false;
}

#define COLLECTIVE(e)                                                                              \
    const sv *lower_##e(lowering *L, frame *f, ir_op o)                                            \
    {                                                                                              \
        (void)f;                                                                                   \
        return refuse(L, o);                                                                       \
    }
COLLECTIVE(REDUCE)
COLLECTIVE(SCAN)
COLLECTIVE(SCANEX)
COLLECTIVE(FILTER)
COLLECTIVE(SORT)
COLLECTIVE(STREAMRED)
COLLECTIVE(STREAMMAP)
