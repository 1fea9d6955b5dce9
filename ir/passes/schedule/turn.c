/* Arrays whose elements read memory along another axis than they lie along themselves, as a transposed one:
 * by tiles in local memory, so that neighbouring threads read neighbours, and write neighbours.
 *
 *   if it pays (grid.turns) {
 *     tiles = generate the other extents..., down, across { part of the array, turned (block.turned) }
 *     interleave the extents, tiles { where an element of a tile lies }
 *   } { push<grid> the array }
 *
 * Tiles extend along the axis that is read and the last one.  Those that stand at the ends are cut. */
#include "ir/passes/schedule/schedule.h"

typedef struct turn {
    ir_value xs, side, dims[MAX_RANK];
    uint32_t rank, axis, last; /* axis: the one that is read along */
    ir_type elem;
} turn;

/* Bytes of an element in memory; those of large ones are more than any tile takes. */
static uint32_t bytes_of(ir_module *m, ir_type t)
{
    const type_node n = *ir_type_at(m, t);
    uint32_t all = 0;
    if (n.kind == TY_SCALAR)
        return ir_scalar_bytes(type_as_scalar(m, t));
    for (uint32_t i = 0; i < n.n && all <= UINT16_MAX; i++)
        all += bytes_of(m, type_item(m, t, i));
    return all;
}

static ir_value call2(scheduler *s, place at, const char *name, ir_value x, ir_value y)
{
    ir_value args[] = {x, y};
    return sched_plain_call(s, at, name, args, 2, type_scalar(s->m, ST_I32));
}

/* Of what there is for either axis, first for the one that is read along, what there is for the outer and for the inner axis of
 * tiles, and the other way round (turned.outer). */
static void order(scheduler *s, place at, const ir_value *from, ir_value *to)
{
    for (uint32_t i = 0; i < 2; i++)
        to[i] = call2(s, at, "turned.outer", from[i], from[1 - i]);
}

/* Where the tile with numbers k begins along its two axes. */
static void starts(scheduler *s, const turn *t, place at, const ir_value *k, ir_value *start)
{
    ir_value number[2];
    order(s, at, k + t->rank - 2, number);
    for (uint32_t i = 0; i < 2; i++)
        start[i] = call2(s, at, "turned.start", number[i], t->side);
}

/* The indices of the array for an element of a tile: k are the numbers of the tile, of which the last two
 * count tiles along the two axes, x where the element lies along those. */
static void indices(const turn *t, const ir_value *k, const ir_value *x, ir_value *ix)
{
    for (uint32_t i = 0, other = 0; i < t->rank; i++)
        ix[i] = i == t->axis ? x[0] : i == t->last ? x[1] : k[other++];
}

/* The block that a tile is: its part of the array, read along the axis. */
static void tile(scheduler *s, const turn *t, place in, const ir_value *k)
{
    uint32_t axes[] = {t->axis, t->last};
    ir_value start[2], size[2], j[2], x[2], ix[MAX_RANK];
    place at;
    starts(s, t, in, k, start);
    for (uint32_t i = 0; i < 2 && !s->failed; i++) {
        ir_value left = sched_make2(s, in, (opcode)SOP_SUB, t->dims[axes[i]], start[i]);
        size[1 - i] = s->failed ? 0 : sched_make2(s, in, (opcode)SOP_MIN, t->side, left);
    }
    ir_value part = s->failed ? 0 : sched_generate(s, in, size, 2, t->elem, &at, j);
    for (uint32_t i = 0; i < 2 && !s->failed; i++)
        x[i] = sched_make2(s, at, (opcode)SOP_ADD, start[i], j[1 - i]);
    if (s->failed)
        return;
    indices(t, k, x, ix);
    sched_yield(s, at, sched_index(s, at, t->xs, ix, t->rank));
    ir_type pushed = type_push(s->m, t->elem, 2, level_const(LEVEL_BLOCK));
    ir_value q = sched_plain_call(s, in, "block.turned", &part, 1, pushed);
    if (q)
        sched_yield(s, in, q);
}

/* Where element j of a tile lies. */
static ir_value position(scheduler *s, const turn *t, place in)
{
    ir_type number = type_scalar(s->m, ST_I32), types[MAX_RANK];
    ir_value params[MAX_RANK + 2], start[2], x[2], ix[MAX_RANK];
    for (uint32_t i = 0; i < t->rank + 2; i++)
        params[i] = ir_add_param(s->m, in.region, number, 0, true);
    starts(s, t, in, params, start);
    for (uint32_t i = 0; i < 2 && !s->failed; i++)
        x[i] = sched_make2(s, in, (opcode)SOP_ADD, start[i], params[t->rank + i]);
    indices(t, params, x, ix);
    for (uint32_t i = 0; i < t->rank; i++)
        types[i] = number;
    return s->failed ? 0
                     : sched_make(s, in, OP_TUPLE, ix, t->rank, type_tuple(s->m, types, t->rank));
}

static void by_tiles(scheduler *s, const turn *t, place at, ir_type result)
{
    ir_value counts[MAX_RANK], k[MAX_RANK], args[MAX_RANK + 1];
    ir_value sides[] = {call2(s, at, "turned.count", t->dims[t->axis], t->side),
                        call2(s, at, "turned.count", t->dims[t->last], t->side)};
    place in;
    /* The tiles of one place along the other axes stand together. */
    for (uint32_t i = 0, other = 0; i < t->rank; i++)
        if (i != t->axis && i != t->last)
            counts[other++] = t->dims[i];
    order(s, at, sides, counts + t->rank - 2);
    if (s->failed)
        return;
    ir_type pushed = type_push(s->m, t->elem, 2, level_const(LEVEL_BLOCK));
    ir_value tiles = sched_generate(s, at, counts, t->rank, pushed, &in, k);
    if (!s->failed)
        tile(s, t, in, k);
    for (uint32_t i = 0; i < t->rank; i++)
        args[i] = t->dims[i];
    args[t->rank] = tiles;
    ir_value all = s->failed ? 0 : sched_make(s, at, OP_INTERLEAVE, args, t->rank + 1, result);
    if (!all)
        return;
    place where = {ir_op_at(s->m, ir_value_at(s->m, all)->def)->regions, 0, at.loc};
    ir_value to = position(s, t, where);
    if (to)
        sched_yield(s, where, to);
    sched_yield(s, at, all);
}

static void directly(scheduler *s, const turn *t, place at, ir_type result)
{
    ir_value p = sched_make(s, at, OP_PUSH, &t->xs, 1, result);
    if (!p)
        return;
    ir_op_at(s->m, ir_value_at(s->m, p)->def)->attr = level_const(LEVEL_GRID);
    sched_yield(s, at, p);
}

static bool is_wanted(const scheduler *s, const turn *t, place at)
{
    bool off = sched_is_off(s, DECIDE_TURN);
    if (!off)
        diag_remark(s->m->cx, DIAG_TELL_TURNED, ir_loc_at(s->m, at.loc),
                    "neighbours along axis %u lie side by side in memory, and not those along the last: tiles are turned in local memory where @turned.pays says so",
                    t->axis);
    return !off;
}

ir_value sched_turned(scheduler *s, place at, ir_value v)
{
    ir_module *m = s->m;
    const type_node n = *ir_type_at(m, ir_value_at(m, v)->type);
    if (n.kind != TY_PULL || n.n < 2 || !sched_is_base(m, n.a))
        return 0;
    turn t = {.xs = v, .rank = n.n, .axis = sched_turned_axis(s, v), .last = n.n - 1, .elem = n.a};
    if (t.axis == t.last || s->failed)
        return 0;
    if (!is_wanted(s, &t, at))
        return 0;
    ir_type result = sched_pushed_type(m, ir_value_at(m, v)->type, BY_GRID);
    ir_value bytes = sched_int(s, bytes_of(m, n.a));
    for (uint32_t i = 0; i < n.n; i++)
        t.dims[i] = sched_dim(s, at, v, i);
    t.side = sched_plain_call(s, at, "turned.side", &bytes, 1, type_scalar(m, ST_I32));
    ir_value asked[] = {bytes, t.dims[t.axis], t.dims[t.last]};
    ir_value pays = s->failed ? 0
                              : sched_plain_call(s, at, "turned.pays", asked, 3, type_scalar(m, ST_BOOL));
    ir_value r = pays ? sched_make(s, at, OP_IF, &pays, 1, result) : 0;
    s->worked = true;
    if (!r)
        return 0;
    ir_region then = ir_op_at(m, ir_value_at(m, r)->def)->regions;
    by_tiles(s, &t, (place){then, 0, at.loc}, result);
    directly(s, &t, (place){then + 1, 0, at.loc}, result);
    return s->failed ? 0 : r;
}
