/* What the program shows of the arrays of a loop's state: of a repeat or a while, whose state is an array or a tuple without
 * tuples in it. */
#include "ir/extents.h"
#include "ir/kernel/lower/loop/loop.h"

/* The component of a state that its k-th array is, where no tuple is in it; a state of one array is that: 0. */
static bool component_of(const lowering *L, ir_type state, uint32_t k, uint32_t *component,
                         uint32_t *rank)
{
    const type_node n = *ir_type_at(L->m, state);
    for (uint32_t c = 0; c < (n.kind == TY_TUPLE ? n.n : 1); c++) {
        const type_node t = n.kind == TY_TUPLE ? *ir_type_at(L->m, type_item(L->m, state, c)) : n;
        if (t.kind == TY_TUPLE)
            return false;
        *component = c;
        *rank = t.n;
        if (t.kind != TY_SCALAR && k-- == 0)
            return true;
    }
    return false;
}

/* The loop, where it is one of those two; 0. */
static ir_op loop_of(const lowering *L, const state_loop *w)
{
    ir_op o = ir_region_at(L->m, w->step)->owner;
    uint32_t is = ir_op_at(L->m, o)->opcode;
    return is == OP_REPEAT || is == OP_WHILE ? o : 0;
}

bool lower_state_keeps(const lowering *L, const state_loop *w, uint32_t k)
{
    ir_op o = loop_of(L, w);
    uint32_t c, rank;
    bool kept = o && component_of(L, w->type, k, &c, &rank);
    for (uint32_t axis = 0; kept && axis < rank; axis++)
        kept = ir_turn_keeps(L->m, o, c, axis);
    return kept;
}

bool lower_gives_up(lowering *L, const state_loop *w, uint32_t k)
{
    ir_op o = loop_of(L, w);
    uint32_t c, rank;
    if (!o || !component_of(L, w->type, k, &c, &rank))
        return false;
    ir_value start = ir_loop_start(L->m, o, c);
    ir_op push = start ? made_by(L->m, start) : 0;
    return push && ir_op_at(L->m, push)->opcode == OP_PUSH &&
           ir_op_at(L->m, push)->parent == ir_op_at(L->m, o)->parent && lower_is_last_use(L, push, 0) &&
           lower_is_read_by(L, start, o);
}
