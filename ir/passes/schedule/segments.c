/* Segments: a nest whose elements reduce what lies between neighbouring offsets of one array.
 *
 *     generate n { (k) start = index offsets, k; stop = index offsets, k + 1
 *                      reduce z, generate stop - start { (j) ... start + j ... } ... }
 *
 * All that is reduced is one array of the host then, whose element p is the region's for start + j = p: so
 * workers can share it whatever the lengths are.  It has as many elements as an array that is read at p,
 * beyond which there is nothing.  What else the region uses must be the host's. */
#include "ir/passes/schedule/schedule.h"

/* The operation of two operands that gives a value; 0: it is another one. */
static ir_op made_of_two(const ir_module *m, ir_value v, uint32_t code)
{
    ir_op o = made_by(m, v);
    return o && m->ops.at[o].opcode == code && m->ops.at[o].nargs == 2 ? o : 0;
}

static bool is_one(ir_module *m, ir_value v)
{
    return ir_value_at(m, v)->kind == V_CONST && (int32_t)ir_const_bits(m, v) == 1;
}

/* Whether v is k, or k + 1. */
static bool is_number(ir_module *m, ir_value v, ir_value k, bool next)
{
    ir_op sum = next ? made_of_two(m, v, SOP_ADD) : 0;
    if (!next)
        return v == k;
    return sum && ((ir_arg(m, sum, 0) == k && is_one(m, ir_arg(m, sum, 1))) ||
                   (ir_arg(m, sum, 1) == k && is_one(m, ir_arg(m, sum, 0))));
}

/* The array of the host of which v is the element at k, or at k + 1; 0: it is none. */
static ir_value offsets_of(const scheduler *s, ir_op nest, ir_value v, bool next)
{
    ir_module *m = s->m;
    ir_value k = ir_region_at(m, ir_op_at(m, nest)->regions)->params;
    ir_op o = made_of_two(m, v, OP_INDEX);
    bool found = o && is_number(m, ir_arg(m, o, 1), k, next) && sched_sees(s, ir_arg(m, o, 0), nest);
    return found ? ir_arg(m, o, 0) : 0;
}

/* Whether j is used in nothing but sums of it and where the segment begins. */
static bool is_only_added(const scheduler *s, ir_op nest, ir_value j, ir_value offsets)
{
    ir_module *m = s->m;
    for (uint32_t u = ir_first_use(&s->e, j); u; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        if (ir_op_at(m, o)->opcode != SOP_ADD)
            return false;
        ir_value x = ir_arg(m, o, 0), y = ir_arg(m, o, 1);
        if (offsets_of(s, nest, x == j ? y : x, false) != offsets)
            return false;
    }
    return true;
}

/* What used such a sum uses p, which stands for j. */
static void take_sums(scheduler *s, ir_value p)
{
    for (uint32_t u = ir_first_use(&s->e, p), next; u; u = next) {
        ir_op o = ir_user(&s->e, u);
        next = ir_next_use(&s->e, u);
        ir_replace_uses(&s->e, ir_op_at(s->m, o)->result, p);
        s->failed = !ir_erase_op(&s->e, o) || s->failed;
    }
}

/* An array of the host that is read at p in a region; 0: there is none. */
static ir_value read_at(const scheduler *s, ir_op nest, ir_region r, ir_value p)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next)
        if (ir_op_at(m, o)->opcode == OP_INDEX && ir_op_at(m, o)->nargs == 2 && ir_arg(m, o, 1) == p &&
            sched_sees(s, ir_arg(m, o, 0), nest))
            return ir_arg(m, o, 0);
    return 0;
}

/* All that is reduced, in front of the nest; 0: there is no such array. */
static ir_value whole(scheduler *s, ir_op nest, ir_op part)
{
    ir_module *m = s->m;
    place at = sched_before(s, nest), in;
    ir_value none = sched_int(s, 0), p, size;
    ir_value all = sched_generate(s, at, &none, 1, ir_type_at(m, type_of(s, ir_op_at(m, part)->result))->a, &in, &p);
    ir_value x = s->failed ? 0 : ir_copy_body(&s->e, ir_op_at(m, part)->regions, in.region, &p);
    if (!x)
        return 0;
    sched_yield(s, in, x);
    take_sums(s, p);
    ir_op o = ir_value_at(m, all)->def;
    ir_value of = sched_is_free(s, in.region, ir_op_at(m, nest)->regions, nest) ? read_at(s, nest, in.region, p) : 0;
    size = of && !s->failed ? sched_dim(s, sched_before(s, o), of, 0) : 0;
    if (size)
        ir_set_operand(&s->e, o, 0, size);
    else
        s->failed = !ir_erase_op(&s->e, o) || s->failed;
    return size ? all : 0;
}

bool sched_find_segments(scheduler *s, ir_op nest, ir_op reduce, sched_segments *to)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, nest);
    ir_op part = made_by(m, ir_arg(m, reduce, 1));
    if (n.opcode != OP_GENERATE || n.nargs != 1 || !part || ir_op_at(m, part)->opcode != OP_GENERATE ||
        ir_op_at(m, part)->parent != n.regions)
        return false;
    ir_op length = made_of_two(m, ir_arg(m, part, 0), SOP_SUB);
    ir_value offsets = length ? offsets_of(s, nest, ir_arg(m, length, 0), true) : 0;
    ir_value j = ir_region_at(m, ir_op_at(m, part)->regions)->params;
    if (!offsets || offsets_of(s, nest, ir_arg(m, length, 1), false) != offsets ||
        !is_only_added(s, nest, j, offsets))
        return false;
    to->offsets = offsets;
    to->xs = whole(s, nest, part);
    return to->xs != 0;
}
