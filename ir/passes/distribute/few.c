/* Loops of the host whose turns reduce arrays that may be short, and do little besides: where these are few elements, one thread
 * takes all turns.
 *
 *   repeat n, state { (i, s) ... x = reduce z, xs { f } ... update s, ..., x }
 *   if few.pay (length xs) { repeat n, state { ... x = repeat length xs, z { (j, y) f y xs[j] } ... } } { as it was }
 *
 * The first is no work of the grid, and goes into a launch (the kernel pass inward).  The second is launches in each turn.  How
 * long the arrays are has to be known in front of the loop. */
#include "ir/passes/distribute/cells.h"
#include "ir/scheduled.h"

enum { MOST_OPERATIONS = 64, MOST_REDUCTIONS = 8, DEEPEST = 8 };

typedef struct few_loop {
    scheduler *s;
    ir_op loop;
    uint32_t operations;
    ir_extent lengths[MOST_REDUCTIONS]; /* of what is reduced */
    uint32_t n;
} few_loop;

/* ---- lengths, in front of the loop ---- */

/* What the loop begins with in the place of an array of its state that keeps its extents along the axis; 0: it is none. */
static ir_value start_of(const few_loop *x, ir_value v, uint32_t axis)
{
    ir_module *m = x->s->m;
    uint32_t k;
    return ir_loop_of_state(m, v, &k) == x->loop && ir_turn_keeps(m, x->loop, k, axis) ? ir_loop_start(m, x->loop, k) : 0;
}

static ir_value number_before(few_loop *x, const place *at, ir_value v, uint32_t depth);

/* An extent as a number in front of the loop; 0: it is not seen there.  Nothing is made where at is NULL: any value then. */
static ir_value extent_before(few_loop *x, const place *at, ir_extent e, uint32_t depth)
{
    if (e.axis == EXTENT_NUMBER)
        return number_before(x, at, e.of, depth);
    ir_value xs = sched_sees(x->s, e.of, x->loop) ? e.of : start_of(x, e.of, e.axis);
    return xs && at ? sched_dim(x->s, *at, xs, e.axis) : xs;
}

/* The shorter of two, say, and extents. */
static ir_value number_before(few_loop *x, const place *at, ir_value v, uint32_t depth)
{
    ir_module *m = x->s->m;
    ir_op o = made_by(m, v);
    if (sched_sees(x->s, v, x->loop))
        return v;
    uint32_t code = o && depth ? ir_op_at(m, o)->opcode : OP_NONE;
    if (code == OP_DIM)
        return extent_before(x, at, ir_extent_of(m, ir_arg(m, o, 0), (uint32_t)ir_const_bits(m, ir_arg(m, o, 1))), depth - 1);
    if (code != SOP_MIN && code != SOP_MAX)
        return 0;
    ir_value a = number_before(x, at, ir_arg(m, o, 0), depth - 1), b = a ? number_before(x, at, ir_arg(m, o, 1), depth - 1) : 0;
    return b && at ? sched_make2(x->s, *at, (opcode)code, a, b) : b;
}

/* ---- whether a turn is little ---- */

static bool is_little_region(few_loop *x, ir_region r, bool turn);

/* An array of one axis that is reduced, and how many elements it has: known in front of the loop. */
static bool adds_reduction(few_loop *x, ir_op o)
{
    ir_module *m = x->s->m;
    ir_value xs = ir_arg(m, o, 1);
    const type_node t = *ir_type_at(m, type_of(x->s, xs));
    if (x->n == MOST_REDUCTIONS || t.kind != TY_PULL || t.n != 1 || !sched_is_base(m, t.a))
        return false;
    ir_extent length = ir_extent_of(m, xs, 0);
    x->lengths[x->n++] = length;
    return extent_before(x, NULL, length, DEEPEST) && is_little_region(x, ir_op_at(m, o)->regions, false);
}

/* What is described, for reductions and single elements alone, is computed where these ask for it. */
static bool is_asked_by_element(const few_loop *x, ir_op o)
{
    ir_module *m = x->s->m;
    ir_value v = ir_op_at(m, o)->result;
    bool all = true, array = ir_holds_pull(m, type_of(x->s, v));
    for (uint32_t u = array ? ir_first_use(&x->s->e, v) : 0; u && all; u = ir_next_use(&x->s->e, u)) {
        uint32_t code = ir_op_at(m, ir_user(&x->s->e, u))->opcode;
        all = code == OP_REDUCE || code == OP_INDEX || code == OP_MAP || code == OP_DIM || code == OP_LENGTH || code == OP_CALL ||
              code == OP_RETURN;
    }
    return all;
}

static bool writes_few(const few_loop *x, ir_op o)
{
    ir_module *m = x->s->m;
    ir_op made = made_by(m, ir_arg(m, o, ir_op_at(m, o)->nargs - 1u));
    return made && ir_op_at(m, made)->opcode == OP_ARRAY;
}

/* A function that describes an array, or computes a number: there are no collectives in what it reaches. */
static bool describes(few_loop *x, ir_op o)
{
    ir_func f = ir_op_at(x->s->m, o)->attr;
    return f < x->s->reaches.len && !x->s->reaches.at[f] && is_little_region(x, ir_func_at(x->s->m, f)->body, false);
}

/* turn: in the loop's own region, or a branch in it. */
static bool is_little(few_loop *x, ir_op o, bool turn)
{
    const op_node n = *ir_op_at(x->s->m, o);
    switch (n.opcode) {
    case OP_CONVERT:
    case OP_BITCAST:
    case OP_TUPLE:
    case OP_PROJ:
    case OP_YIELD:
    case OP_RETURN:
    case OP_DIM:
    case OP_LENGTH:
    case OP_INDEX:
    case OP_APPLY:
    case OP_ARRAY: return true;
    case OP_FN: return is_little_region(x, n.regions, false);
    case OP_CALL: return describes(x, o) && is_asked_by_element(x, o);
    case OP_IF: return is_little_region(x, n.regions, turn) && is_little_region(x, n.regions + 1, turn);
    case OP_GENERATE:
    case OP_MAP: return is_asked_by_element(x, o) && is_little_region(x, n.regions, false);
    case OP_UPDATE: return turn && writes_few(x, o);
    case OP_REDUCE: return turn && adds_reduction(x, o);
    default: return ir_op_info(n.opcode)->is_scalar;
    }
}

static bool is_little_region(few_loop *x, ir_region r, bool turn)
{
    bool all = true;
    for (ir_op o = ir_region_at(x->s->m, r)->first; o && all; o = ir_op_at(x->s->m, o)->next)
        all = ++x->operations <= MOST_OPERATIONS && is_little(x, o, turn);
    return all;
}

/* Whether it is the second branch of what this rule has made. */
static bool is_as_it_was(const few_loop *x)
{
    ir_module *m = x->s->m;
    ir_region in = ir_op_at(m, x->loop)->parent;
    ir_op choice = ir_region_at(m, in)->owner;
    if (!choice || ir_op_at(m, choice)->opcode != OP_IF || in != ir_op_at(m, choice)->regions + 1u)
        return false;
    ir_op first = made_by(m, cells_yielded(x->s, in - 1));
    return first && ir_op_at(m, first)->opcode == ir_op_at(m, x->loop)->opcode && ir_region_at(m, in)->first == x->loop;
}

/* ---- both forms ---- */

/* Whether all arrays are short; 0: they are seen to be, or not to be. */
static ir_value are_few(few_loop *x, place at)
{
    scheduler *s = x->s;
    ir_value all = 0;
    for (uint32_t i = 0; i < x->n && !s->failed; i++) {
        ir_value length = extent_before(x, &at, x->lengths[i], DEEPEST);
        if (!length || ir_value_at(s->m, length)->kind == V_CONST)
            continue;
        ir_value few = s->failed ? 0 : sched_plain_call(s, at, "few.pay", &length, 1, type_scalar(s->m, ST_BOOL));
        all = !few || !all ? few : sched_make2(s, at, (opcode)SOP_AND, all, few);
    }
    return all;
}

/* Reductions of a region, and of branches in it. */
static void all_in_turns(scheduler *s, ir_region r)
{
    for (ir_op o = ir_region_at(s->m, r)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(s->m, o)->next;
        const op_node n = *ir_op_at(s->m, o);
        if (n.opcode == OP_REDUCE)
            sched_replace(s, o, sched_in_turns(s, o));
        for (uint32_t i = 0; n.opcode == OP_IF && i < 2; i++)
            all_in_turns(s, n.regions + i);
    }
}

static void choose(scheduler *s, ir_op loop, ir_value few)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, loop);
    ir_value r = sched_make(s, sched_before(s, loop), OP_IF, &few, 1, type_of(s, n.result));
    ir_op copy = r ? sched_copy_op(s, loop, ir_op_at(m, made_by(m, r))->regions) : 0;
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && !s->failed; i++)
        all_in_turns(s, ir_op_at(m, copy)->regions + i);
    if (!s->failed)
        sched_or_else(s, r, ir_op_at(m, copy)->result, loop);
}

void sched_few(scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    few_loop x = {.s = s, .loop = o};
    if (sched_is_off(s, DECIDE_FEW) || is_as_it_was(&x))
        return;
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
        if (!is_little_region(&x, n.regions + i, true))
            return;
    ir_value few = are_few(&x, sched_before(s, o));
    if (!few)
        return;
    sched_tell(s, o, FEW, "each turn reduces arrays that may be short, and does little besides: where @few.pay says that they are, one thread takes all turns");
    choose(s, o, few);
}
