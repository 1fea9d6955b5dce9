/* How many chunks a stream of the grid has.  Any cut of its numbers gives the same, so it is the schedule that says: chunks in
 * which nothing but loops over scalars is done are the work of a thread each, as many as keep the device busy; where a
 * chunk has work for the grid, all of it is one.
 *
 *   streamred z, n { (start, count) value } { (x, y) combined }      becomes
 *   reduce z, (generate chunks { (k) value of k * size, min(size, n - k * size) }) { (x, y) combined }
 *
 * The hint `chunks` says how many: 1 is all at once, as many as numbers one element each. */
#include "ir/passes/distribute/distribute.h"

/* Whether a thread can do a chunk, and gains: there are no collectives in it. */
static bool is_threads(const scheduler *s, ir_region r)
{
    bool is = true;
    for (ir_op o = ir_region_at(s->m, r)->first; is && o; o = ir_op_at(s->m, o)->next)
        is = !sched_has_collective(s, o);
    return is;
}

/* The skeletons are there; they are not where a rule is applied alone. */
static bool has_numbers(const scheduler *s)
{
    static const char name[] = "stream.size";
    return ir_func_named(s->m, intern_find(&s->m->cx->strings, name, sizeof name - 1)) != 0;
}

static ir_value number_of(scheduler *s, place at, const char *name, ir_value x, ir_value y)
{
    ir_value args[] = {x, y};
    return sched_plain_call(s, at, name, args, x ? 2 : 0, type_scalar(s->m, ST_I32));
}

/* An array of what the chunks give: the region of the stream is that of its elements. */
static ir_value values_of(scheduler *s, ir_op o, ir_value most)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    place at = sched_before(s, o), in;
    ir_value all = sched_as_extent(s, at, ir_arg(m, o, 1)), k;
    ir_value size = all ? number_of(s, at, "stream.size", most, all) : 0, count = size ? number_of(s, at, "stream.count", size, all) : 0;
    ir_value v = count ? sched_generate(s, at, &count, 1, type_of(s, n.result), &in, &k) : 0;
    if (s->failed || !v)
        return 0;
    ir_value start = sched_make2(s, in, (opcode)SOP_MUL, k, size), left = sched_make2(s, in, (opcode)SOP_SUB, all, start);
    ir_value part = s->failed ? 0 : sched_make2(s, in, (opcode)SOP_MIN, size, left);
    if (s->failed)
        return 0;
    ir_value params = ir_region_at(m, n.regions)->params;
    ir_replace_uses(&s->e, params, start);
    ir_replace_uses(&s->e, params + 1, part);
    ir_value last = ir_move_body(&s->e, n.regions, in.region, 0);
    s->failed = s->failed || !last;
    if (last)
        sched_yield(s, in, last);
    return s->failed ? 0 : v;
}

static void make_chunks(scheduler *s, ir_op o, ir_value most)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_value args[] = {ir_arg(m, o, 0), values_of(s, o, most)};
    ir_value v = s->failed ? 0 : sched_make(s, sched_before(s, o), OP_REDUCE, args, 2, type_of(s, n.result));
    if (s->failed)
        return;
    ir_op reduce = made_by(m, v);
    ir_take_region(&s->e, n.regions + 1, ir_op_at(m, reduce)->regions);
    sched_replace(s, o, v);
    if (!s->failed)
        sched_irwim(s, reduce);
}

void sched_chunks(scheduler *s, ir_op o)
{
    int64_t told = sched_told(s, o, PROPERTY_CHUNKS, -1);
    bool base = sched_is_base(s->m, type_of(s, ir_op_at(s->m, o)->result));
    bool usual = told < 1 && !sched_is_off(s, DECIDE_CHUNKS) && base && is_threads(s, ir_op_at(s->m, o)->regions);
    if (told == 1 || (told < 1 && !usual) || !has_numbers(s))
        return;
    if (usual)
        sched_tell(s, o, STREAM, "the stream is cut into chunks, and a thread goes through each");
    else
        sched_tell(s, o, STREAM, "the stream is cut into %lld chunks at most: its hint `chunks` says so", (long long)told);
    ir_value most = usual ? number_of(s, sched_before(s, o), "stream.chunks", 0, 0) : sched_int(s, told);
    if (most)
        make_chunks(s, o, most);
}
