/* Nests of rank 2 whose elements (i, j) reduce what they make of a(i, k) and b(k, j), as a product of
 * matrices: each element of a and b is read for a whole row or column of results.  Blocks keep tiles of both
 * in local memory and many results in the registers of each thread (grid.nestTiled).
 *
 *   if it pays (tiled.pays) {
 *     call grid.nestTiled(combine, z, n, m, length, whether k is the last index of a, and of b, what stands
 *       beyond their edges, a, b,
 *       fn { (i, j, x, y) ... the array to reduce, in which x and y stand for what is read of a and b },
 *       fn { (i, j, sum) ... the element })
 *   } { the nest }
 *
 * The nest is scheduled where it then stands as if there were no tiles; the skeleton has copies of its
 * element. */
#include "ir/passes/schedule/schedule.h"

/* Operations of an element, which stands in the code for each register of a thread and step; bytes of
 * what is kept there, and in tiles. */
enum { MOST_OPS = 64, MOST_SUM = 8, MOST_READ = 16 };

typedef struct tiling {
    ir_op nest, reduce;
    sched_reuse reuse;
    ir_value length;
    ir_type elem, sum;
} tiling;

static ir_type read_type(const scheduler *s, const tiling *t, uint32_t side)
{
    return ir_type_at(s->m, type_of(s, t->reuse.of[side]))->a;
}

/* fn { (i, j, sum) ... the element } */
static ir_value finish(scheduler *s, const tiling *t, place at)
{
    ir_value params[3], f = sched_copy_element(s, t->nest, at, &t->sum, 1, params);
    ir_op reduce = f ? sched_reduction_in(s, ir_op_at(s->m, ir_value_at(s->m, f)->def)->regions) : 0;
    if (!reduce)
        return 0;
    ir_replace_uses(&s->e, ir_op_at(s->m, reduce)->result, params[2]);
    ir_erase_op(&s->e, reduce);
    return f;
}

static ir_value by_tiles(scheduler *s, const tiling *t, place at, ir_type result)
{
    ir_module *m = s->m;
    const sched_reuse *r = &t->reuse;
    ir_type types[] = {read_type(s, t, 0), read_type(s, t, 1)};
    const sched_served served = {r->reads, r->side, r->n};
    ir_value f = 0, xs = sched_numbers(s, t->nest, at, &served, types, 2, &f), y = s->failed ? 0 : finish(s, t, at);
    ir_value args[] = {f,
                       ir_arg(m, t->reduce, 0),
                       ir_arg(m, t->nest, 0),
                       ir_arg(m, t->nest, 1),
                       t->length,
                       ir_const(m, ST_BOOL, r->across[0]),
                       ir_const(m, ST_BOOL, r->across[1]),
                       sched_zero(s, at, read_type(s, t, 0)),
                       sched_zero(s, at, read_type(s, t, 1)),
                       r->of[0],
                       r->of[1],
                       xs,
                       y};
    s->failed = s->failed || !xs || !y;
    return s->failed ? 0 : sched_call(s, at, "nestTiled", BY_GRID, args, 13, result);
}

/* The bytes of what is kept, what there is to do, and what both matrices have of it. */
static ir_value asked(scheduler *s, const tiling *t, place at)
{
    const sched_reuse *r = &t->reuse;
    ir_value args[8] = {sched_int(s, (int64_t)sched_bytes(s->m, read_type(s, t, 0), MOST_READ) +
                                         sched_bytes(s->m, read_type(s, t, 1), MOST_READ)),
                        ir_arg(s->m, t->nest, 0), ir_arg(s->m, t->nest, 1), t->length};
    for (uint32_t i = 0; i < 2; i++) {
        args[4 + 2 * i] = sched_dim(s, at, r->of[i], r->across[i]);
        args[5 + 2 * i] = sched_dim(s, at, r->of[i], 1 - r->across[i]);
    }
    return s->failed ? 0 : sched_plain_call(s, at, "tiled.pays", args, 8, type_scalar(s->m, ST_BOOL));
}

/* The nest, in the branch, pushed. */
static ir_value directly(scheduler *s, const tiling *t, place at, ir_type result)
{
    ir_value xs = ir_op_at(s->m, t->nest)->result;
    s->failed = s->failed || !ir_move_op(&s->e, t->nest, at.region, 0);
    ir_value p = s->failed ? 0 : sched_make(s, at, OP_PUSH, &xs, 1, result);
    if (p)
        ir_op_at(s->m, ir_value_at(s->m, p)->def)->attr = level_const(LEVEL_GRID);
    return p;
}

/* What used the nest uses what one of the branches gives.  The condition, or 0. */
static ir_value choose(scheduler *s, const tiling *t)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, t->nest);
    place before = sched_before(s, t->nest);
    ir_type result = sched_pushed_type(m, type_of(s, n.result), BY_GRID);
    ir_value pays = asked(s, t, before);
    ir_value r = pays ? sched_make(s, before, OP_IF, &pays, 1, result) : 0;
    ir_value v = r ? sched_make(s, before, OP_FORCE, &r, 1, type_of(s, n.result)) : 0;
    if (s->failed || !v)
        return 0;
    ir_region then = ir_op_at(m, ir_value_at(m, r)->def)->regions;
    place in = {then, 0, n.loc}, other = {then + 1, 0, n.loc};
    ir_value tiled = by_tiles(s, t, in, result);
    ir_replace_uses(&s->e, n.result, v);
    ir_value direct = tiled ? directly(s, t, other, result) : 0;
    if (!direct)
        return 0;
    sched_yield(s, in, tiled);
    sched_yield(s, other, direct);
    return pays;
}

ir_value sched_tiles(scheduler *s, ir_op nest, ir_op reduce, ir_value length)
{
    ir_module *m = s->m;
    tiling t = {.nest = nest, .reduce = reduce, .length = length};
    t.elem = ir_type_at(m, type_of(s, ir_op_at(m, nest)->result))->a;
    t.sum = type_of(s, ir_op_at(m, reduce)->result);
    if (sched_count_ops(m, ir_op_at(m, nest)->regions) > MOST_OPS || sched_bytes(m, t.sum, MOST_SUM) > MOST_SUM ||
        sched_bytes(m, t.elem, MOST_SUM) > MOST_SUM || !sched_find_reuse(s, nest, reduce, &t.reuse))
        return 0;
    for (uint32_t i = 0; i < 2; i++)
        if (!sched_is_base(m, read_type(s, &t, i)) || sched_bytes(m, read_type(s, &t, i), MOST_READ) > MOST_READ)
            return 0;
    if (sched_is_off(s, DECIDE_TILES))
        return 0;
    sched_tell(s, nest, TILED,
               "elements share what they reduce: tiles of both are read in local memory where @tiled.pays says so");
    return choose(s, &t);
}
