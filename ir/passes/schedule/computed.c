/* Reductions of the rows of an array, as elements.
 *
 *   %sums = reduce %z, %rows { ... }      becomes      %sums = generate N { (%i)
 *                                                        %row = generate M { (%k) ... %rows at %i, %k }
 *                                                        %sum = reduce %z, %row { ... }
 *                                                      }
 *
 * Where the rows are in memory, skeletons for rows know how they lie there.  Rows that are computed may read
 * memory in any way: down its columns, or the same elements for many of them, as a product of matrices does.
 * What element and number inside that is by, nests tell (nest.c, tiles.c), so such reductions become nests,
 * before it is decided what is written. */
#include "ir/passes/schedule/schedule.h"

ir_op sched_only_asker(const scheduler *s, ir_value v)
{
    ir_op only = 0;
    for (uint32_t u = ir_first_use(&s->e, v); u; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        uint32_t code = ir_op_at(s->m, o)->opcode;
        if (code == OP_DIM || code == OP_LENGTH)
            continue;
        if (only)
            return 0;
        only = o;
    }
    return only;
}

/* What describes the elements of an array that nobody else asks for; 0: it is in memory, shared, or hard to copy. */
static ir_op maker_of(const scheduler *s, ir_value xs)
{
    ir_op o = made_by(s->m, xs);
    uint32_t code = o ? ir_op_at(s->m, o)->opcode : OP_NONE;
    bool is = (code == OP_GENERATE || code == OP_MAP) && sched_only_asker(s, xs) && !sched_told(s, o, PROPERTY_WRITE, 0);
    return is && sched_count_ops(s->m, ir_op_at(s->m, o)->regions) <= SCHED_MOST_COPIED ? o : 0;
}

/* A copy of the operations of a region, at the end of another one: copies are made in one that is empty. */
static ir_value copy_body(scheduler *s, place in, ir_region from, const ir_value *args)
{
    ir_module *m = s->m;
    ir_value f = sched_make(s, in, OP_FN, NULL, 0, 0);
    if (s->failed)
        return 0;
    ir_op fn = ir_value_at(m, f)->def;
    ir_region body = ir_op_at(m, fn)->regions;
    ir_value y = ir_copy_body(&s->e, from, body, args);
    if (y)
        sched_yield(s, (place){body, 0, in.loc}, y);
    y = y && !s->failed ? ir_move_body(&s->e, body, in.region, fn) : 0;
    s->failed = s->failed || !y || !ir_erase_op(&s->e, fn);
    return y;
}

/* An element of an array, as the maker of the array describes it. */
static ir_value element_at(scheduler *s, place in, ir_value xs, const ir_value *ix, uint32_t rank)
{
    ir_op o = maker_of(s, xs);
    if (!o)
        return sched_index(s, in, xs, ix, rank);
    const op_node n = *ir_op_at(s->m, o);
    ir_value x = n.opcode == OP_MAP ? element_at(s, in, ir_arg(s->m, o, 0), ix, rank) : 0;
    return s->failed ? 0 : copy_body(s, in, n.regions, n.opcode == OP_MAP ? &x : ix);
}

/* An extent in front of an operation, by what is known of it. */
static ir_value extent(scheduler *s, place at, ir_value xs, uint32_t axis)
{
    ir_extent x = ir_extent_of(s->m, xs, axis);
    bool is = x.axis == EXTENT_NUMBER && ir_visible_at(&s->e, x.of, at.region, at.before);
    return is ? x.of : sched_dim(s, at, xs, axis);
}

void sched_rows_as_elements(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    ir_value xs = ir_arg(m, o, 1), dims[MAX_RANK], ix[MAX_RANK];
    const type_node t = *ir_type_at(m, type_of(s, xs));
    uint32_t last = t.n - 1u;
    place at = sched_before(s, o), in, in_row;
    for (uint32_t i = 0; i < t.n && !s->failed; i++)
        dims[i] = extent(s, at, xs, i);
    ir_value sums = s->failed ? 0 : sched_generate(s, at, dims, last, t.a, &in, ix);
    ir_value row = s->failed ? 0 : sched_generate(s, in, dims + last, 1, t.a, &in_row, ix + last);
    if (s->failed)
        return;
    sched_yield(s, in_row, element_at(s, in_row, xs, ix, t.n));
    ir_value sum = ir_op_at(m, o)->result;
    ir_replace_uses(&s->e, sum, sums);
    ir_set_operand(&s->e, o, 1, row);
    s->failed = s->failed || !ir_move_op(&s->e, o, in.region, 0);
    ir_value_at(m, sum)->type = t.a;
    if (!s->failed)
        sched_yield(s, in, sum);
}

/* Whether the rows may be a nest's, which is for threads whose order does not matter. */
static bool may_be_nest(const scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    if (n.opcode != OP_REDUCE)
        return false;
    const type_node t = *ir_type_at(s->m, type_of(s, ir_arg(s->m, o, 1)));
    return t.kind == TY_PULL && t.n > 1 && sched_is_base(s->m, t.a) && sched_bytes(s->m, t.a, SCHED_MOST_BYTES) <= SCHED_MOST_BYTES &&
           sched_told(s, o, PROPERTY_NEST, 1) && sched_is_asked(s, n.result) && sched_commutes(s, o);
}

/* What a call gives to nobody else is described by what that does. */
static bool is_computed(scheduler *s, ir_op o)
{
    uint32_t left = SCHED_MOST_INLINED;
    ir_op call = made_by(s->m, ir_arg(s->m, o, 1));
    if (call && ir_op_at(s->m, call)->opcode == OP_CALL && sched_only_asker(s, ir_op_at(s->m, call)->result))
        sched_inline_arrays(s, call, &left);
    return maker_of(s, ir_arg(s->m, o, 1)) != 0;
}

/* What has described an array that nobody has any more is gone. */
static void drop(scheduler *s, ir_value xs)
{
    while (!s->failed && !ir_first_use(&s->e, xs)) {
        ir_op o = made_by(s->m, xs);
        uint32_t code = o ? ir_op_at(s->m, o)->opcode : OP_NONE;
        if (code != OP_GENERATE && code != OP_MAP)
            return;
        xs = code == OP_MAP ? ir_arg(s->m, o, 0) : 0;
        s->failed = !ir_erase_op(&s->e, o);
        if (!xs)
            return;
    }
}

static void look_at(scheduler *s, ir_op o)
{
    if (!may_be_nest(s, o) || !is_computed(s, o))
        return;
    ir_value xs = ir_arg(s->m, o, 1);
    sched_tell(s, o, FUSED, "its rows are computed where they are reduced");
    sched_rows_as_elements(s, o);
    drop(s, xs);
}

void sched_computed_rows(scheduler *s, ir_region r)
{
    if (!sched_is_off(s, DECIDE_FUSE) && !sched_is_off(s, DECIDE_NEST))
        sched_each(s, r, look_at);
}
