/* What an operation needs, moved with it: to a place further in front, where what it is made of does not stand yet.
 *
 * Bounded in what is looked at and moved for one operation, so that all of them together are linear. */
#include "ir/passes/schedule/schedule.h"

/* What may be moved for one operation, and be looked at for that, operators and operands. */
enum { MOST_MOVED = 32, MOST_SEEN = 512 };

typedef struct slice {
    place to;
    sched_may_move *may;
    ir_op at[MOST_MOVED];
    uint32_t n, seen;
} slice;

static bool is_listed(const slice *c, ir_op o)
{
    bool is = false;
    for (uint32_t i = 0; i < c->n && !is; i++)
        is = c->at[i] == o;
    return is;
}

/* Lists what `o`, which is in the slice or within what is, needs and is not there at the place.  False:
 * some of it cannot be moved. */
static bool collect(const scheduler *s, slice *c, ir_op o, ir_op top)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    bool ok = (c->seen += 1 + n.nargs) < MOST_SEEN;
    for (uint32_t k = 0; ok && k < n.nargs; k++) {
        ir_value v = ir_arg(m, o, k);
        if (ir_visible_at(&s->e, v, c->to.region, c->to.before) || ir_is_inside(m, ir_value_region(m, v), top))
            continue;
        ir_op def = made_by(m, v);
        if (is_listed(c, def))
            continue;
        ok = def && c->n < MOST_MOVED && (!c->may || c->may(s, def, c->to)) && collect(s, c, def, def) && c->n < MOST_MOVED;
        if (ok)
            c->at[c->n++] = def;
    }
    for (uint32_t i = 0; ok && i < ir_op_info(n.opcode)->regions; i++)
        for (ir_op in = ir_region_at(m, n.regions + i)->first; ok && in; in = ir_op_at(m, in)->next)
            ok = collect(s, c, in, top);
    return ok;
}

bool sched_may_need(const scheduler *s, ir_op o, place to, sched_may_move *may)
{
    slice c = {.to = to, .may = may};
    return collect(s, &c, o, o);
}

/* What is listed comes behind what it needs itself. */
bool sched_move_needs(scheduler *s, ir_op o, place to, sched_may_move *may)
{
    slice c = {.to = to, .may = may};
    bool ok = collect(s, &c, o, o);
    for (uint32_t i = 0; ok && i < c.n; i++)
        ok = ir_move_op(&s->e, c.at[i], to.region, to.before);
    return ok;
}
