/* concat and interleave: arrays of one level joined to an array of the next.
 *
 * In programs of 2017 the level above the thread is the block.  There the joining goes in two
 * steps: arrays of threads are concatenated in groups, each by a warp, and the groups are joined by
 * a block. */
#include "frontends/fcl/emit/emit.h"

enum { GROUP = 32 }; /* arrays of threads that one warp concatenates */

/* An operation with two operands. */
static fcl_value op2(emitter *x, fcl_region r, const char *op, fcl_value a, fcl_value b)
{
    fcl_value args[2] = {a, b};
    return emit_core_op(x, r, op, args, 2);
}

/* Whether a join goes from thread to block. */
static bool skips_warps(const emitter *x, const sval *call)
{
    return x->t->old && call->inst.nlevels && call->inst.levels[0] == emit_height_slot(x, 0);
}

/* concat (GROUP * c) of the groups of xss, each of which is a concat c The last group may be
 * smaller. */
static fcl_value inner_groups(emitter *x, fcl_region r, fcl_value c, fcl_value xss)
{
    fcl_value size = emit_core_int(x, GROUP), n = emit_core_op(x, r, "length", &xss, 1);
    fcl_value last = op2(x, r, "sub", n, emit_core_int(x, 1));
    fcl_value count = op2(x, r, "add", op2(x, r, "div", last, size), emit_core_int(x, 1));
    fcl_region group = 0, part = 0;
    fcl_value groups = fcl_op_regions(x->m, r, "generate", &count, 1, &group);
    fcl_value k = fcl_param(x->m, group, NULL, 0);
    fcl_value start = op2(x, group, "mul", k, size), left = op2(x, group, "sub", n, start);
    fcl_value here = op2(x, group, "min", size, left);
    fcl_value slice = fcl_op_regions(x->m, group, "generate", &here, 1, &part);
    fcl_value i = fcl_param(x->m, part, NULL, 0);
    fcl_yield(x->m, part, op2(x, part, "index", xss, op2(x, part, "add", start, i)));
    fcl_yield(x->m, group, op2(x, group, "concat", c, slice));
    return groups;
}

/* concat c xss */
sval *emit_concat(emitter *x, fcl_region r, sval *call)
{
    fcl_value c = emit_value_of(x, r, call->items[0]), xss = emit_value_of(x, r, call->items[1]);
    emit_at_loc(x, call->loc);
    if (!skips_warps(x, call))
        return emit_sval_op(x, op2(x, r, "concat", c, xss), call->loc);
    fcl_value groups = inner_groups(x, r, c, xss);
    return emit_sval_op(
        x, op2(x, r, "concat", op2(x, r, "mul", c, emit_core_int(x, GROUP)), groups), call->loc);
}

/* Yields f (i, j). */
static void yield_position(emitter *x, fcl_region body, sval *f, fcl_value i, fcl_value j,
                           location loc)
{
    sval *items[2] = {emit_sval_core(x, i, loc), emit_sval_core(x, j, loc)};
    sval *pair = emit_sval_list(x, SV_TUPLE, loc, items, 2);
    fcl_yield(x->m, body, emit_value_of(x, body, emit_apply1(x, body, f, pair)));
}

/* Of an array of c elements each, as many as there are. */
static fcl_value total(emitter *x, fcl_region r, fcl_value c, fcl_value xss)
{
    return op2(x, r, "mul", c, emit_core_op(x, r, "length", &xss, 1));
}

/* Element q of group k is element q mod c of array k * GROUP + q / c. */
static sval *interleave_groups(emitter *x, fcl_region r, sval *call, fcl_value c, fcl_value xss)
{
    fcl_value args[2] = {total(x, r, c, xss), inner_groups(x, r, c, xss)};
    fcl_region body = 0;
    fcl_value v = fcl_op_regions(x->m, r, "interleave", args, 2, &body);
    fcl_value k = fcl_param(x->m, body, NULL, 0), q = fcl_param(x->m, body, NULL, 0);
    fcl_value first = op2(x, body, "mul", k, emit_core_int(x, GROUP));
    fcl_value i = op2(x, body, "add", first, op2(x, body, "div", q, c));
    yield_position(x, body, call->items[1], i, op2(x, body, "mod", q, c), call->loc);
    return emit_sval_op(x, v, call->loc);
}

/* interleave c f xss, or interleaveSeq, which does not raise the level. */
sval *emit_interleave(emitter *x, fcl_region r, sval *call)
{
    fcl_value c = emit_value_of(x, r, call->items[0]), xss = emit_value_of(x, r, call->items[2]);
    emit_at_loc(x, call->loc);
    if (call->builtin->raises && skips_warps(x, call))
        return interleave_groups(x, r, call, c, xss);
    fcl_value args[2] = {total(x, r, c, xss), xss};
    fcl_region body = 0;
    fcl_value v = fcl_op_regions(x->m, r, call->builtin->core, args, 2, &body);
    fcl_value i = fcl_param(x->m, body, NULL, 0), j = fcl_param(x->m, body, NULL, 0);
    yield_position(x, body, call->items[1], i, j, call->loc);
    return emit_sval_op(x, v, call->loc);
}
