/* Reductions behind a condition that compares the two numbers of an element, done for all elements.
 *
 *   generate n, m { (i, j) ... if i < j { z } { ... reduce ... } ... }
 *   generate n, m { (i, j) ... r = reduce ... if i < j { z } { ... r } ... }
 *
 * About half of the elements need it.  Where they share what they reduce, as in half of a product of matrices, all of them by tiles
 * (tiles.c) cost less than half of them by threads.  Only what cannot fail is done where it was not asked for. */
#include "ir/passes/distribute/distribute.h"

enum { DEEPEST = 4 };

/* A reduction, and the choice in one of whose branches it stands. */
typedef struct guarded {
    ir_op choice, reduce;
} guarded;

/* ---- conditions ---- */

/* Which number of the element it is, with a number of the host added or not; none: another value. */
enum { NONE = 2 };
static uint32_t number_of(const scheduler *s, ir_value v, ir_op make, uint32_t depth)
{
    ir_module *m = s->m;
    const region_node r = *ir_region_at(m, ir_op_at(m, make)->regions);
    ir_op o = made_by(m, v);
    if (!o)
        return v - r.params < r.nparams ? v - r.params : NONE;
    const op_node n = *ir_op_at(m, o);
    bool moves = depth && (n.opcode == SOP_ADD || n.opcode == SOP_SUB);
    if (moves && sched_sees(s, ir_arg(m, o, 1), make))
        return number_of(s, ir_arg(m, o, 0), make, depth - 1);
    return moves && n.opcode == SOP_ADD && sched_sees(s, ir_arg(m, o, 0), make) ? number_of(s, ir_arg(m, o, 1), make, depth - 1) : NONE;
}

static bool is_half(const scheduler *s, ir_value cond, ir_op make, uint32_t depth)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, cond);
    const op_node n = *ir_op_at(m, o);
    if (!o || !depth)
        return false;
    ir_value x = ir_arg(m, o, 0), y = n.nargs > 1 ? ir_arg(m, o, 1) : 0;
    switch (n.opcode) {
    case SOP_LT:
    case SOP_LE:
    case SOP_GT:
    case SOP_GE: return number_of(s, x, make, DEEPEST) + number_of(s, y, make, DEEPEST) == 1;
    case SOP_NOT: return is_half(s, x, make, depth - 1);
    case SOP_AND:
    case SOP_OR:
        return (sched_sees(s, x, make) && is_half(s, y, make, depth - 1)) || (sched_sees(s, y, make) && is_half(s, x, make, depth - 1));
    default: return false;
    }
}

/* ---- what stands there ---- */

/* How many operations of a region have a collective; *last: the last of them. */
static uint32_t count_work(const scheduler *s, ir_region r, ir_op *last)
{
    uint32_t n = 0;
    for (ir_op o = ir_region_at(s->m, r)->first; o; o = ir_op_at(s->m, o)->next)
        if (sched_has_collective(s, o)) {
            *last = o;
            n++;
        }
    return n;
}

static guarded guarded_in(const scheduler *s, ir_op make)
{
    ir_module *m = s->m;
    guarded g = {0};
    if (count_work(s, ir_op_at(m, make)->regions, &g.choice) != 1)
        return (guarded){0};
    const op_node n = *ir_op_at(m, g.choice);
    bool is = n.opcode == OP_IF && is_half(s, ir_arg(m, g.choice, 0), make, DEEPEST) &&
              count_work(s, n.regions, &g.reduce) + count_work(s, n.regions + 1, &g.reduce) == 1 &&
              sched_work_of(s, g.reduce) == WORK_REDUCTION;
    return is ? g : (guarded){0};
}

/* ---- doing it for all ---- */

/* What a call does is not looked at; what is applied is an fn that is looked at where it stands. */
static bool cannot_fail(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op f = n.opcode == OP_APPLY ? made_by(m, ir_arg(m, o, 0)) : 0;
    if (n.opcode == OP_APPLY)
        return f && ir_op_at(m, f)->opcode == OP_FN && cannot_fail(s, f);
    bool safe = n.opcode != OP_CALL && !sched_may_fail(m, o);
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && safe; i++)
        for (ir_op in = ir_region_at(m, n.regions + i)->first; in && safe; in = ir_op_at(m, in)->next)
            safe = cannot_fail(s, in);
    return safe;
}

static bool may_move(const scheduler *s, ir_op o, place to)
{
    (void)to;
    return cannot_fail(s, o);
}

/* Whether the reduction of a copy of the element is in front of its condition now, and by tiles there. */
static bool is_taken_out(scheduler *s, ir_op make)
{
    guarded g = guarded_in(s, make);
    sched_reuse reuse;
    place at = sched_before(s, g.choice);
    return g.choice && cannot_fail(s, g.reduce) && sched_move_needs(s, g.reduce, at, may_move) &&
           ir_move_op(&s->e, g.reduce, at.region, at.before) && sched_find_reuse(s, make, g.reduce, &reuse);
}

static bool may_be(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    const type_node t = *ir_type_at(m, n.result ? type_of(s, n.result) : 0);
    bool matrix = n.opcode == OP_GENERATE && t.kind == TY_PULL && t.n == 2 && sched_is_base(m, t.a);
    bool told = sched_told(s, o, PROPERTY_NEST, -1) >= 0 || sched_told(s, o, PROPERTY_FISSION, -1) >= 0 || sched_told(s, o, PROPERTY_WRITE, -1) >= 0;
    return matrix && !told && !sched_is_off(s, DECIDE_TILES) && sched_has_collective(s, o);
}

ir_op sched_guarded(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    ir_value ix[MAX_RANK];
    place in;
    if (!may_be(s, o))
        return o;
    sched_open_calls(s, ir_op_at(m, o)->regions);
    if (s->failed || !guarded_in(s, o).choice)
        return o;
    sched_element x = sched_element_of(s, o);
    ir_value v = sched_generate(s, sched_before(s, o), x.dims, x.rank, elem_of(s, ir_op_at(m, o)->result), &in, ix);
    ir_value y = s->failed ? 0 : ir_copy_body(&s->e, x.body, in.region, ix);
    s->failed = s->failed || !y;
    if (s->failed)
        return o;
    sched_yield(s, in, y);
    ir_op copy = made_by(m, v);
    if (s->failed || !is_taken_out(s, copy)) {
        s->failed = s->failed || !ir_erase_op(&s->e, copy);
        return o;
    }
    sched_tell(s, o, TILED, "the reduction behind its condition is done for all elements, as they share what they reduce: tiles cost less than half of it");
    sched_replace(s, o, v);
    return copy;
}
