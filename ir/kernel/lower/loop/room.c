/* The next state of a loop of the host where a permute makes it: it is made in the area that is the
 * state's in the next round, and not copied there. */
#include "ir/kernel/lower/loop/loop.h"

/* The operation of the region that makes v, when it is one of that kind; else 0. */
static ir_op maker_of(const lowering *L, ir_region r, ir_value v, opcode code)
{
    const value_node *n = ir_value_at(L->m, v);
    if (n->kind != V_RESULT)
        return 0;
    const op_node *o = ir_op_at(L->m, n->def);
    return o->opcode == code && o->parent == r ? n->def : 0;
}

ir_op lower_state_maker(const lowering *L, const state_loop *w)
{
    ir_module *m = L->m;
    if (!lower_is_host(L) || w->chunks || w->updated)
        return 0;
    ir_op push = maker_of(L, w->step, ir_arg(m, ir_region_at(m, w->step)->last, 0), OP_PUSH);
    return push ? maker_of(L, w->step, ir_arg(m, push, 0), OP_PERMUTE) : 0;
}

bool lower_has_room(const lowering *L, ir_op o, const k_id *shape, uint32_t rank)
{
    const state_room *room = L->room;
    bool has = room && room->maker == o && room->rank == rank;
    for (uint32_t i = 0; has && i < rank; i++)
        has = room->shape[i] == shape[i];
    return has;
}
