/* Reductions of one array become one of tuples, so that the array is gone through once.
 *
 * In each region that the grid works on, in order: the first reduction of an array takes in those
 * behind it, where what they use is there already.  Linear: of the uses of an array so many are
 * looked at. */
#include "ir/passes/schedule/schedule.h"

enum { MOST_USES = 64, MOST_MERGED = 8 };

/* Reductions of one array, the first of which is in front of the others. */
typedef struct group {
    ir_op at[MOST_MERGED];
    uint32_t n;
} group;

static ir_type element(const ir_module *m, ir_op o)
{
    return ir_type_at(m, ir_value_at((ir_module *)m, ir_arg(m, o, 1))->type)->a;
}

/* One that gives a scalar, or a tuple of them. */
static bool is_mergeable(ir_module *m, ir_op o)
{
    return ir_op_at(m, o)->opcode == OP_REDUCE && sched_is_base(m, element(m, o)) &&
           sched_is_base(m, ir_value_at(m, ir_op_at(m, o)->result)->type);
}

/* Whether the region stands in the operation. */
static bool is_inside(ir_module *m, ir_region r, ir_op o)
{
    ir_op owner = 0;
    while (r && (owner = ir_region_at(m, r)->owner) != 0 && owner != o)
        r = ir_op_at(m, owner)->parent;
    return owner == o;
}

/* Whether all that `whole` uses from outside, in x, which is it or in it, is there before `first`.
 */
static bool is_free(const scheduler *s, ir_op x, ir_op whole, ir_op first)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, x);
    bool is = true;
    for (uint32_t k = 0; is && k < n.nargs; k++) {
        ir_value v = ir_arg(m, x, k);
        is = is_inside(m, ir_value_region(m, v), whole) ||
             ir_visible_at(&s->e, v, ir_op_at(m, first)->parent, first);
    }
    for (uint32_t i = 0; is && i < ir_op_info(n.opcode)->regions; i++)
        for (ir_op in = ir_region_at(m, n.regions + i)->first; is && in; in = ir_op_at(m, in)->next)
            is = is_free(s, in, whole, first);
    return is;
}

static group group_of(const scheduler *s, ir_op first)
{
    ir_module *m = s->m;
    ir_value xs = ir_arg(m, first, 1);
    group g = {.at = {first}, .n = 1};
    uint32_t seen = 0;
    for (uint32_t u = ir_first_use(&s->e, xs); u && seen < MOST_USES; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        bool fits = o != first && g.n < MOST_MERGED && is_mergeable(m, o) &&
                    ir_op_at(m, o)->parent == ir_op_at(m, first)->parent && ir_arg(m, o, 1) == xs &&
                    s->e.order.at[first] < s->e.order.at[o];
        seen++;
        if (fits && is_free(s, o, o, first))
            g.at[g.n++] = o;
    }
    return g;
}

/* ---- merging ---- */

static ir_value part(scheduler *s, place at, ir_value t, uint32_t k)
{
    ir_value args[] = {t, sched_int(s, k)};
    return sched_make(s, at, OP_PROJ, args, 2, type_item(s->m, ir_value_at(s->m, t)->type, k));
}

static ir_value tuple(scheduler *s, place at, const ir_value *items, uint32_t n)
{
    ir_type types[MOST_MERGED];
    for (uint32_t i = 0; i < n; i++)
        types[i] = ir_value_at(s->m, items[i])->type;
    return sched_make(s, at, OP_TUPLE, items, n, type_tuple(s->m, types, n));
}

/* Each element as a tuple of n of it. */
static ir_value repeated(scheduler *s, place at, ir_value xs, uint32_t n, ir_type all)
{
    ir_module *m = s->m;
    ir_value items[MOST_MERGED], v = sched_make(s, at, OP_MAP, &xs, 1, type_pull(m, all, 1));
    place in = {ir_op_at(m, ir_value_at(m, v)->def)->regions, 0, at.loc};
    if (s->failed)
        return 0;
    items[0] = ir_add_param(m, in.region, type_item(m, all, 0), 0, true);
    for (uint32_t i = 1; i < n; i++)
        items[i] = items[0];
    sched_yield(s, in, tuple(s, in, items, n));
    return v;
}

/* What the region of a reduction gives for component k of both. */
static ir_value move_in(scheduler *s, place in, ir_op o, ir_value x, ir_value y, uint32_t k)
{
    ir_region r = ir_op_at(s->m, o)->regions;
    ir_value params = ir_region_at(s->m, r)->params;
    ir_replace_uses(&s->e, params, part(s, in, x, k));
    ir_replace_uses(&s->e, params + 1, part(s, in, y, k));
    return s->failed ? 0 : ir_move_body(&s->e, r, in.region, 0);
}

/* What the reductions gave are the components of what the new one gives. */
static void replace_all(scheduler *s, place at, const group *g, ir_value v)
{
    ir_value parts[MOST_MERGED];
    for (uint32_t i = 0; i < g->n && !s->failed; i++)
        parts[i] = part(s, at, v, i);
    for (uint32_t i = 0; i < g->n && !s->failed; i++)
        sched_replace(s, g->at[i], parts[i]);
}

static void merge(scheduler *s, const group *g)
{
    ir_module *m = s->m;
    place at = sched_before(s, g->at[0]);
    ir_value items[MOST_MERGED];
    for (uint32_t i = 0; i < g->n; i++)
        items[i] = ir_arg(m, g->at[i], 0);
    ir_value z = tuple(s, at, items, g->n);
    ir_type all = ir_value_at(m, z)->type;
    ir_value args[] = {z, repeated(s, at, ir_arg(m, g->at[0], 1), g->n, all)};
    ir_value v = s->failed ? 0 : sched_make(s, at, OP_REDUCE, args, 2, all);
    if (s->failed)
        return;
    place in = {ir_op_at(m, ir_value_at(m, v)->def)->regions, 0, at.loc};
    ir_value x = ir_add_param(m, in.region, all, 0, true),
             y = ir_add_param(m, in.region, all, 0, true);
    for (uint32_t i = 0; i < g->n && !s->failed; i++) {
        items[i] = move_in(s, in, g->at[i], x, y, i);
        s->failed = s->failed || !items[i];
    }
    if (s->failed)
        return;
    sched_yield(s, in, tuple(s, in, items, g->n));
    replace_all(s, at, g, v);
}

/* Those that are merged stand behind the first: what is next is read afterwards, from the first's
 * own place. */
void sched_merge(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        group g = is_mergeable(m, o) ? group_of(s, o) : (group){.n = 0};
        ir_op before = s->e.before.at[o];
        if (g.n > 1)
            merge(s, &g);
        next = g.n < 2 ? ir_op_at(m, o)->next
                       : ir_op_at(m, before ? before : ir_region_at(m, r)->first)->next;
        for (uint32_t i = 0; g.n < 2 && i < ir_op_info(ir_op_at(m, o)->opcode)->regions; i++)
            if (sched_region_worker(m, o, i, BY_GRID) == BY_GRID)
                sched_merge(s, ir_op_at(m, o)->regions + i);
    }
}
