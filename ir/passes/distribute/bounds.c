/* Arrays that a thread keeps in memory, and whose lengths come from data: no longer than the longest of all elements.
 *
 *   generate n { (i) ... xs of some length l ... sort xs ... }
 *   most = reduce 0, generate n { (i) l } { max }
 *   generate n { (i) ... sort generate min l, most { (j) xs[j] } ... }
 *
 * Memory for what threads keep is set aside before the launch, so the host must know a bound.  The length is computed for all
 * elements in front, by all that it needs; where it hangs on what a loop around it carries there is none. */
#include "ir/passes/distribute/distribute.h"
#include "ir/scheduled.h"

enum { DEEPEST = 512, MOST_BOUNDED = 16 };

typedef struct bounder {
    scheduler *s;
    ir_op make; /* the array of the grid that all stands in */
    uint32_t left;
    vec_u32 *found; /* by value: for each axis two bits, whether it was asked for, and has a bound */
} bounder;

/* ---- what has a bound ---- */

static bool find_bounded(const bounder *b, ir_value v, uint32_t depth);
static bool find_short(const bounder *b, ir_value xs, uint32_t axis, uint32_t depth);

/* Of a number, or of an axis of an array.  Asked once, as arrays that are made of arrays are a graph. */
static bool is_short(const bounder *b, ir_value v, uint32_t axis, uint32_t depth)
{
    if (!sched_has_entry(b->s, b->found, v))
        return false;
    uint32_t asked = b->found->at[v] >> (2 * axis);
    if (asked & 1)
        return (asked & 2) != 0;
    bool number = ir_type_at(b->s->m, type_of(b->s, v))->kind == TY_SCALAR;
    bool is = depth && (number ? find_bounded(b, v, depth - 1) : find_short(b, v, axis, depth - 1));
    b->found->at[v] |= (is ? 3u : 1u) << (2 * axis);
    return is;
}

static bool is_bounded(const bounder *b, ir_value v, uint32_t depth)
{
    return is_short(b, v, 0, depth);
}

static bool is_visible(const bounder *b, ir_value v)
{
    return sched_sees(b->s, v, b->make);
}

enum { NONE = INT32_MAX };

/* Which operand of a collective is an array as long as what it gives, at most, and that it has in memory. */
static uint32_t kept_operand(uint32_t code)
{
    switch (code) {
    case OP_REPEAT: /* arrays of a thread's loop do not grow */
    case OP_SCAN:
    case OP_SCANEX: return 1;
    case OP_WHILE:
    case OP_FILTER:
    case OP_SORT:
    case OP_UPDATE:
    case OP_ACCUMULATE:
    case OP_FETCH:
    case OP_SCATTER:
    case OP_SCATTERLAST:
    case OP_SCATTERANY: return 0;
    default: return NONE;
    }
}

/* A component of a tuple, or what the loop that gives the tuple begins with. */
static ir_value component_as(ir_module *m, ir_op proj)
{
    ir_op made = made_by(m, ir_arg(m, proj, 0));
    uint32_t code = made ? ir_op_at(m, made)->opcode : OP_NONE;
    bool loops = code == OP_REPEAT || code == OP_WHILE;
    return loops ? ir_loop_start(m, made, (uint32_t)ir_const_bits(m, ir_arg(m, proj, 1))) : ir_item_of(m, proj);
}

/* The array whose extents, at most, one has; 0: it is not seen. */
static ir_value as_long_as(ir_module *m, ir_op o)
{
    uint32_t code = ir_op_at(m, o)->opcode, k = code == OP_MAP ? 0 : kept_operand(code);
    return k != NONE ? ir_arg(m, o, k) : code == OP_PROJ ? component_as(m, o) : 0;
}

static ir_value yielded(ir_module *m, ir_region r)
{
    return ir_arg(m, ir_region_at(m, r)->last, 0);
}

static bool find_short(const bounder *b, ir_value xs, uint32_t axis, uint32_t depth)
{
    ir_module *m = b->s->m;
    ir_op o = made_by(m, xs);
    if (is_visible(b, xs) || (o && ir_op_at(m, o)->opcode == OP_FORCE)) /* what is kept already has a bound */
        return true;
    if (!o)
        return false;
    const op_node n = *ir_op_at(m, o);
    ir_value like = as_long_as(m, o);
    ir_op outer = n.opcode == OP_INDEX ? made_by(m, ir_arg(m, o, 0)) : 0;
    if (like)
        return is_short(b, like, axis, depth);
    if (outer && ir_op_at(m, outer)->opcode == OP_GENERATE)
        return is_short(b, yielded(m, ir_op_at(m, outer)->regions), axis, depth);
    if (n.opcode == OP_IF)
        return is_short(b, yielded(m, n.regions), axis, depth) && is_short(b, yielded(m, n.regions + 1), axis, depth);
    bool says = n.opcode == OP_GENERATE || n.opcode == OP_PERMUTE;
    return says && axis < n.nargs && is_bounded(b, ir_arg(m, o, axis), depth);
}

/* Of a loop or an array it counts; of a function its calls tell. */
static bool is_bounded_parameter(const bounder *b, ir_value v, uint32_t depth)
{
    ir_module *m = b->s->m;
    ir_region r = ir_value_region(m, v);
    ir_op owner = ir_region_at(m, r)->owner;
    uint32_t code = owner ? ir_op_at(m, owner)->opcode : OP_NONE, k = v - ir_region_at(m, r)->params;
    if (!owner)
        return true;
    bool counts = code == OP_GENERATE || (code == OP_REPEAT && k == 0);
    return counts && is_bounded(b, ir_arg(m, owner, k), depth);
}

/* A function of numbers that have a bound. */
static bool is_bounded_call(const bounder *b, ir_op o, uint32_t depth)
{
    ir_module *m = b->s->m;
    const op_node n = *ir_op_at(m, o);
    ir_region body = ir_func_at(m, n.attr)->body;
    bool all = ir_region_at(m, body)->last != 0;
    for (uint32_t k = 0; k < n.nargs && all; k++)
        all = ir_type_at(m, ir_value_at(m, ir_arg(m, o, k))->type)->kind == TY_SCALAR && is_bounded(b, ir_arg(m, o, k), depth);
    return all && is_bounded(b, yielded(m, body), depth);
}

static bool find_bounded(const bounder *b, ir_value v, uint32_t depth)
{
    ir_module *m = b->s->m;
    ir_op o = made_by(m, v);
    if (is_visible(b, v))
        return true;
    if (!o)
        return is_bounded_parameter(b, v, depth);
    switch (ir_op_at(m, o)->opcode) {
    case OP_LENGTH: return is_short(b, ir_arg(m, o, 0), 0, depth);
    case OP_DIM: return is_short(b, ir_arg(m, o, 0), (uint32_t)ir_const_bits(m, ir_arg(m, o, 1)), depth);
    case SOP_MIN: return is_bounded(b, ir_arg(m, o, 0), depth) || is_bounded(b, ir_arg(m, o, 1), depth);
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MUL:
    case SOP_MAX: return is_bounded(b, ir_arg(m, o, 0), depth) && is_bounded(b, ir_arg(m, o, 1), depth);
    case SOP_DIV:
    case SOP_MOD: return is_bounded(b, ir_arg(m, o, 0), depth);
    case OP_CALL: return is_bounded_call(b, o, depth);
    default: return false;
    }
}

/* ---- a bound ---- */

static ir_value greatest(scheduler *s, place at, ir_value xs)
{
    ir_value flat = sched_flat(s, at, xs);
    return flat ? sched_fold(s, at, OP_REDUCE, sched_int(s, 0), flat, (opcode)SOP_MAX) : 0;
}

/* An array of ints as another one, whose elements are still to be said: *in, and their parameters. */
static ir_value like(scheduler *s, ir_op make, place *in, ir_value *params)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, make);
    uint32_t rank = ir_type_at(m, type_of(s, n.result))->n;
    ir_value dims[MAX_RANK], xs = ir_arg(m, make, 0);
    ir_type t = type_scalar(m, ST_I32);
    place at = sched_before(s, make);
    for (uint32_t i = 0; i < rank && n.opcode == OP_GENERATE; i++)
        dims[i] = ir_arg(m, make, i);
    if (n.opcode == OP_GENERATE)
        return sched_generate(s, at, dims, rank, t, in, params);
    return sched_open_each(s, at, OP_MAP, xs, type_pull(m, t, rank), in, params);
}

/* The greatest that a number of an element is, in front of all of them. */
static ir_value over_elements(scheduler *s, ir_op make, ir_value v)
{
    ir_value params[MAX_RANK];
    place in;
    ir_value all = like(s, make, &in, params);
    ir_value copy = all ? ir_copy_needed(&s->e, ir_op_at(s->m, make)->regions, v, in.region, params) : 0;
    s->failed = s->failed || !copy;
    if (!s->failed)
        sched_yield(s, in, copy);
    return s->failed ? 0 : greatest(s, sched_before(s, make), all);
}

/* A number of a branch, in front of the choice: 0 where the other one is taken. */
static ir_value where_chosen(scheduler *s, ir_op choice, ir_region branch, ir_value v)
{
    ir_module *m = s->m;
    ir_value cond = ir_arg(m, choice, 0), given = sched_make(s, sched_before(s, choice), OP_IF, &cond, 1, type_scalar(m, ST_I32));
    if (!given)
        return 0;
    ir_region first = ir_op_at(m, made_by(m, given))->regions, k = branch - ir_op_at(m, choice)->regions;
    ir_value copy = ir_copy_needed(&s->e, branch, v, first + k, NULL);
    s->failed = s->failed || !copy;
    if (s->failed)
        return 0;
    place at = sched_before(s, choice);
    sched_yield(s, (place){first + k, 0, at.loc}, copy);
    sched_yield(s, (place){first + 1 - k, 0, at.loc}, sched_int(s, 0));
    return s->failed ? 0 : given;
}

/* The greatest that a number of an element is, as one of the host; 0: it hangs on what changes in a loop. */
static ir_value most_of(const bounder *b, ir_value v)
{
    scheduler *s = b->s;
    ir_module *m = s->m;
    while (v && !s->failed && !is_visible(b, v)) {
        ir_region r = ir_value_region(m, v);
        ir_op owner = ir_region_at(m, r)->owner;
        switch (owner ? ir_op_at(m, owner)->opcode : OP_NONE) {
        case OP_GENERATE:
        case OP_MAP: v = over_elements(s, owner, v); break;
        case OP_IF: v = where_chosen(s, owner, r, v); break;
        default: return 0;
        }
    }
    return s->failed ? 0 : v;
}

/* ---- arrays that are kept ---- */

static void tell(const scheduler *s, ir_op o)
{
    sched_tell(s, o, BOUNDED, "a thread keeps this array, whose length comes from data: memory is set aside for the longest of all elements");
}

/* False: the host knows none. */
static bool bound_operand(bounder *b, ir_op o, uint32_t k)
{
    scheduler *s = b->s;
    ir_module *m = s->m;
    ir_value xs = ir_arg(m, o, k), dims[MAX_RANK], ix[MAX_RANK];
    const type_node t = *ir_type_at(m, type_of(s, xs));
    place at = sched_before(s, o), in;
    bool all = true;
    if (t.kind != TY_PULL || !sched_is_base(m, t.a))
        return false;
    for (uint32_t i = 0; i < t.n; i++)
        all = is_short(b, xs, i, DEEPEST) && all;
    if (all || !b->left)
        return all;
    b->left--;
    for (uint32_t i = 0; i < t.n && !s->failed; i++) {
        dims[i] = sched_dim(s, at, xs, i);
        if (is_short(b, xs, i, DEEPEST) || s->failed)
            continue;
        ir_value most = most_of(b, dims[i]);
        if (!most)
            return false;
        dims[i] = sched_make2(s, at, (opcode)SOP_MIN, dims[i], most);
    }
    ir_value v = s->failed ? 0 : sched_generate(s, at, dims, t.n, t.a, &in, ix);
    if (!v)
        return false;
    sched_yield(s, in, sched_index(s, in, xs, ix, t.n));
    if (!s->failed)
        ir_set_operand(&s->e, o, k, v);
    tell(s, o);
    return true;
}

/* Of an array whose extents are operands. */
static void bound_extents(bounder *b, ir_op o)
{
    scheduler *s = b->s;
    uint32_t rank = ir_type_at(s->m, type_of(s, ir_op_at(s->m, o)->result))->n;
    for (uint32_t i = 0; i < rank && b->left && !s->failed; i++) {
        ir_value n = ir_arg(s->m, o, i), most = is_bounded(b, n, DEEPEST) ? 0 : most_of(b, n);
        if (!most)
            continue;
        b->left--;
        ir_value less = sched_make2(s, sched_before(s, o), (opcode)SOP_MIN, n, most);
        if (less)
            ir_set_operand(&s->e, o, i, less);
        tell(s, o);
    }
}

/* The arrays that an operation of a thread has in memory: a loop those of its state. */
static void bound_op(bounder *b, ir_op o)
{
    ir_module *m = b->s->m;
    uint32_t code = ir_op_at(m, o)->opcode, k = kept_operand(code);
    ir_op state = k != NONE ? made_by(m, ir_arg(m, o, k)) : 0;
    if (code == OP_PERMUTE)
        bound_extents(b, o);
    else if (state && ir_op_at(m, state)->opcode == OP_TUPLE)
        for (uint32_t i = 0; i < ir_op_at(m, state)->nargs; i++)
            bound_operand(b, state, i);
    else if (k != NONE)
        bound_operand(b, o, k);
}

static void look_at_elements(bounder *b, ir_region r)
{
    ir_module *m = b->s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !b->s->failed; o = next) {
        next = ir_op_at(m, o)->next;
        if (ir_is_collective(m, o))
            bound_op(b, o);
        for (uint32_t i = 0; i < ir_op_info(ir_op_at(m, o)->opcode)->regions; i++)
            look_at_elements(b, ir_op_at(m, o)->regions + i);
    }
}

void sched_bound_arrays(scheduler *s, ir_op make)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, make);
    vec_u32 found = {0};
    bounder b = {s, make, MOST_BOUNDED, &found};
    if ((n.opcode == OP_GENERATE || n.opcode == OP_MAP) && sched_has_collective(s, make))
        look_at_elements(&b, n.regions);
    vec_free(&m->cx->mem, &found);
}

bool sched_bound(scheduler *s, ir_op make, ir_op o, uint32_t k)
{
    vec_u32 found = {0};
    bounder b = {s, make, 1, &found};
    bool is = bound_operand(&b, o, k);
    vec_free(&s->m->cx->mem, &found);
    return is;
}
