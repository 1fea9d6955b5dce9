/* Cells of tuples whose components are combined apart, as sums and counts:
 *
 *   ys = accumulate init, xs { (u) place, (v, w) } { (s, t) (s.0 + t.0, s.1 + t.1) }
 *
 * become cells of scalars, component by component, into which devices combine in one step, where tuples would be sorted by
 * their cells first.  Where elements go, and what goes there, is an array that all of them ask for: whether it is written to
 * memory is decided as of any other. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

enum { MOST_COMPONENTS = 8 };

typedef struct cells {
    ir_op op;
    ir_type tuple;         /* of a cell */
    ir_value init, placed; /* placed: [(position, tuple)] */
} cells;

static bool are_apart(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    if (ir_op_at(m, o)->opcode != OP_ACCUMULATE || !ir_is_collective(m, o))
        return false;
    ir_type t = elem_of(s, ir_arg(m, o, 0));
    const type_node n = *ir_type_at(m, t);
    bool apart = n.kind == TY_TUPLE && n.n <= MOST_COMPONENTS && sched_sums(m, ir_op_at(m, o)->regions + 1);
    for (uint32_t k = 0; k < n.n && apart; k++)
        apart = ir_type_at(m, type_item(m, t, k))->kind == TY_SCALAR;
    return apart;
}

/* map init { (t) t.k } */
static ir_value begin_of(scheduler *s, const cells *c, uint32_t k, ir_type t)
{
    place in;
    ir_value x, v = sched_open_each(s, sched_before(s, c->op), OP_MAP, c->init, t, &in, &x);
    if (v)
        sched_yield(s, in, sched_item(s, in, x, k));
    return s->failed ? 0 : v;
}

static ir_value component(scheduler *s, const cells *c, uint32_t k)
{
    ir_module *m = s->m;
    ir_type item = type_item(m, c->tuple, k), t = type_pull(m, item, ir_type_at(m, type_of(s, c->init))->n);
    uint32_t loc = ir_op_at(m, c->op)->loc;
    opcode by = sched_sum_of(m, ir_op_at(m, c->op)->regions + 1, k);
    ir_value args[] = {begin_of(s, c, k, t), c->placed};
    ir_value v = s->failed ? 0 : sched_make(s, sched_before(s, c->op), OP_ACCUMULATE, args, 2, t);
    ir_region r = v ? ir_op_at(m, made_by(m, v))->regions : 0;
    ir_value u = v ? ir_add_param(m, r, elem_of(s, c->placed), 0, true) : 0, x = v ? ir_add_param(m, r + 1, item, 0, true) : 0,
             y = x ? ir_add_param(m, r + 1, item, 0, true) : 0;
    place to = {r, 0, loc}, with = {r + 1, 0, loc};
    if (!u || !y)
        return 0;
    ir_value pair[] = {sched_item(s, to, u, 0), sched_item(s, to, sched_item(s, to, u, 1), k)};
    ir_type types[] = {type_of(s, pair[0]), item};
    sched_yield(s, to, sched_make(s, to, OP_TUPLE, pair, 2, type_tuple(m, types, 2)));
    sched_yield(s, with, sched_make2(s, with, by, x, y));
    return s->failed ? 0 : v;
}

/* generate { (i...) xs[i], ys[i], ... } */
static ir_value together(scheduler *s, const cells *c, const ir_value *parts, uint32_t n)
{
    ir_module *m = s->m;
    place at = sched_before(s, c->op), in;
    uint32_t rank = ir_type_at(m, type_of(s, c->init))->n;
    ir_value dims[MAX_RANK], ix[MAX_RANK], items[MOST_COMPONENTS];
    for (uint32_t k = 0; k < rank; k++)
        dims[k] = sched_dim(s, at, c->init, k);
    ir_value v = s->failed ? 0 : sched_generate(s, at, dims, rank, c->tuple, &in, ix);
    for (uint32_t k = 0; k < n && v; k++)
        items[k] = sched_index(s, in, parts[k], ix, rank);
    if (v && !s->failed)
        sched_yield(s, in, sched_make(s, in, OP_TUPLE, items, n, c->tuple));
    return s->failed ? 0 : v;
}

static void look_at(scheduler *s, ir_op o)
{
    ir_value parts[MOST_COMPONENTS];
    if (!are_apart(s, o))
        return;
    cells c = {.op = o, .init = ir_arg(s->m, o, 0), .tuple = elem_of(s, ir_arg(s->m, o, 0))};
    uint32_t n = ir_type_at(s->m, c.tuple)->n;
    sched_tell(s, o, ACCUMULATE, "accumulated component by component: each is combined for itself, and devices combine scalars in one step");
    c.placed = sched_map_of(s, o, ir_arg(s->m, ir_region_at(s->m, ir_op_at(s->m, o)->regions)->last, 0));
    for (uint32_t k = 0; k < n && !s->failed; k++)
        parts[k] = component(s, &c, k);
    ir_value v = s->failed ? 0 : together(s, &c, parts, n);
    if (v)
        sched_replace(s, o, v);
}

void sched_components(scheduler *s, ir_region r)
{
    if (!sched_is_off(s, DECIDE_FISSION))
        sched_each(s, r, look_at);
}
