/* Which arrays are sure to have as many elements, axis by axis: by how they are made.
 *
 * An extent is a number, or that of an axis of an array that comes from elsewhere.  What is made is
 * followed so many steps back. */
#include "ir/extents.h"

enum { STEPS_BACK = 64 };

ir_value ir_item_of(ir_module *m, ir_op o)
{
    ir_op t = ir_op_at(m, o)->opcode == OP_PROJ ? made_by(m, ir_arg(m, o, 0)) : 0;
    bool is = t && ir_op_at(m, t)->opcode == OP_TUPLE;
    return is ? ir_arg(m, t, (uint32_t)ir_const_bits(m, ir_arg(m, o, 1))) : 0;
}

/* What an assert hands on, where that is not made in it. */
static ir_value asserted(ir_module *m, ir_op o)
{
    ir_region r = ir_op_at(m, o)->regions;
    ir_value v = ir_arg(m, ir_region_at(m, r)->last, 0);
    return ir_value_region(m, v) == r ? 0 : v;
}

/* The array that has the shape of v because v was made of it; 0: none. */
static ir_value shaped_as(ir_module *m, ir_value v)
{
    ir_op o = made_by(m, v);
    switch (o ? ir_op_at(m, o)->opcode : OP_NONE) {
    case OP_MAP:
    case OP_PUSH:
    case OP_FORCE:
    case OP_SORT:
    case OP_UPDATE:
    case OP_ACCUMULATE:
    case OP_SCATTER:
    case OP_SCATTERLAST:
    case OP_SCATTERANY: return ir_arg(m, o, 0);
    case OP_SCAN:
    case OP_SCANEX: return ir_arg(m, o, 1);
    case OP_ASSERT: return asserted(m, o);
    case OP_PROJ: return ir_item_of(m, o);
    default: return 0;
    }
}

static void go_back(ir_module *m, ir_extent *x, uint32_t *left);

static ir_region body_of(ir_module *m, ir_op call)
{
    return ir_func_at(m, ir_op_at(m, call)->attr)->body;
}

/* What a call gives has extents of its arguments, or numbers: y is what the function says of it. */
static bool of_arguments(ir_module *m, ir_op call, ir_extent y, ir_extent *x)
{
    ir_region body = body_of(m, call);
    const value_node *v = ir_value_at(m, y.of);
    if (v->kind == V_PARAM && v->def == body)
        y.of = ir_arg(m, call, y.of - ir_region_at(m, body)->params);
    else if (v->kind != V_CONST)
        return false;
    *x = y;
    return true;
}

static bool through_call(ir_module *m, ir_op call, ir_extent *x, uint32_t *left)
{
    ir_op last = ir_region_at(m, body_of(m, call))->last;
    ir_extent y = {last ? ir_arg(m, last, 0) : 0, x->axis};
    if (!last)
        return false;
    go_back(m, &y, left);
    return of_arguments(m, call, y, x);
}

/* ---- elements that are arrays ---- */

/* The array, made elsewhere, of which a value is an element; 0: it is none. */
static ir_value element_of(ir_module *m, ir_value v)
{
    const value_node n = *ir_value_at(m, v);
    ir_op o = n.kind == V_PARAM ? ir_region_at(m, n.def)->owner : made_by(m, v);
    uint32_t code = o ? ir_op_at(m, o)->opcode : OP_NONE;
    return code == (n.kind == V_PARAM ? OP_MAP : OP_INDEX) ? ir_arg(m, o, 0) : 0;
}

static bool through_elements(ir_module *m, ir_value xs, ir_extent *x, uint32_t *left);

/* All elements have the extent that one has if that does not come from where the element is made. */
static bool through_each(ir_module *m, ir_op o, ir_extent *x, uint32_t *left)
{
    ir_extent y = {ir_arg(m, ir_region_at(m, ir_op_at(m, o)->regions)->last, 0), x->axis};
    go_back(m, &y, left);
    if (ir_value_at(m, y.of)->kind != V_CONST && ir_is_inside(m, ir_value_region(m, y.of), o))
        return false;
    *x = y;
    return true;
}

static bool through_elements_of_call(ir_module *m, ir_op call, ir_extent *x, uint32_t *left)
{
    ir_op last = ir_region_at(m, body_of(m, call))->last;
    ir_extent y = *x;
    return last && through_elements(m, ir_arg(m, last, 0), &y, left) && of_arguments(m, call, y, x);
}

/* The extent of an axis that all elements of xs have, whatever x was of. */
static bool through_elements(ir_module *m, ir_value xs, ir_extent *x, uint32_t *left)
{
    for (ir_op o; *left && (o = made_by(m, xs)) != 0; --*left)
        switch (ir_op_at(m, o)->opcode) {
        case OP_GENERATE:
        case OP_MAP: return through_each(m, o, x, left);
        case OP_CALL: return through_elements_of_call(m, o, x, left);
        case OP_PUSH:
        case OP_FORCE: xs = ir_arg(m, o, 0); break;
        case OP_ASSERT: xs = asserted(m, o); break;
        case OP_PROJ: xs = ir_item_of(m, o); break;
        default: return false;
        }
    return false;
}

/* ---- reductions of arrays ---- */

/* One of them, an axis, and the extent in the first array. */
typedef struct combined {
    ir_op reduce;
    uint32_t axis;
    ir_extent first;
    bool all; /* the elements have that, too */
} combined;

static bool combines_arrays(ir_module *m, ir_op reduce)
{
    return ir_type_at(m, ir_value_at(m, ir_arg(m, reduce, 0))->type)->kind == TY_PULL;
}

/* Whether an extent that the function gives is that of what is combined so far, or of the elements if that is the same. */
static bool combined_keeps(ir_module *m, const combined *c, ir_extent y, uint32_t *left)
{
    ir_value so_far = ir_region_at(m, ir_op_at(m, c->reduce)->regions)->params;
    go_back(m, &y, left);
    ir_op o = y.axis == EXTENT_NUMBER ? made_by(m, y.of) : 0;
    uint32_t code = o ? ir_op_at(m, o)->opcode : OP_NONE;
    if (*left && (code == SOP_MIN || code == SOP_MAX))
        return combined_keeps(m, c, (ir_extent){ir_arg(m, o, 0), EXTENT_NUMBER}, left) &&
               combined_keeps(m, c, (ir_extent){ir_arg(m, o, 1), EXTENT_NUMBER}, left);
    return ir_same_extent(m, y, c->first) || (y.axis == c->axis && (y.of == so_far || (c->all && y.of == so_far + 1)));
}

static ir_extent combined_gives(ir_module *m, ir_op reduce, uint32_t axis)
{
    return (ir_extent){ir_arg(m, ir_region_at(m, ir_op_at(m, reduce)->regions)->last, 0), axis};
}

/* That of scalars along the last axis leaves the others. */
static bool through_reduction(ir_module *m, ir_op reduce, ir_extent *x, uint32_t *left)
{
    if (!combines_arrays(m, reduce)) {
        x->of = ir_arg(m, reduce, 1);
        return true;
    }
    combined c = {reduce, x->axis, {ir_arg(m, reduce, 0), x->axis}, false};
    ir_extent each = *x;
    go_back(m, &c.first, left);
    c.all = through_elements(m, ir_arg(m, reduce, 1), &each, left) && ir_same_extent(m, each, c.first);
    bool keeps = combined_keeps(m, &c, combined_gives(m, reduce, x->axis), left);
    if (keeps)
        *x = c.first;
    return keeps;
}

/* ---- components and loops ---- */

ir_value ir_component_of(ir_module *m, ir_value v, uint32_t k)
{
    ir_op o = made_by(m, v);
    if (ir_type_at(m, ir_value_at(m, v)->type)->kind != TY_TUPLE)
        return v;
    return o && ir_op_at(m, o)->opcode == OP_TUPLE ? ir_arg(m, o, k) : 0;
}

ir_value ir_loop_start(ir_module *m, ir_op loop, uint32_t k)
{
    return ir_component_of(m, ir_arg(m, loop, ir_op_at(m, loop)->nargs - 1u), k);
}

/* Of a loop, an extent of component k of its state. */
typedef struct kept {
    ir_value state; /* of a turn */
    uint32_t k, axis;
    ir_extent first; /* what the loop begins with */
} kept;

static bool is_of_state(ir_module *m, const kept *x, ir_extent y)
{
    ir_op o = made_by(m, y.of);
    bool proj = o && ir_op_at(m, o)->opcode == OP_PROJ && ir_arg(m, o, 0) == x->state && ir_const_bits(m, ir_arg(m, o, 1)) == x->k;
    return y.axis == x->axis && (y.of == x->state || proj);
}

static bool leaves(ir_module *m, const kept *x, ir_value v, uint32_t *left);

static bool branches_leave(ir_module *m, const kept *x, ir_op choice, uint32_t *left)
{
    bool both = ir_op_at(m, choice)->opcode == OP_IF;
    for (uint32_t i = 0; i < 2 && both; i++) {
        ir_op end = ir_region_at(m, ir_op_at(m, choice)->regions + i)->last;
        both = end && leaves(m, x, ir_arg(m, end, 0), left);
    }
    return both;
}

static bool is_left(ir_module *m, const kept *x, ir_extent y)
{
    return is_of_state(m, x, y) || ir_same_extent(m, x->first, y);
}

/* A reduction of arrays, of which the first and all elements have that extent. */
static bool reduction_leaves(ir_module *m, const kept *x, ir_op reduce, uint32_t *left)
{
    combined c = {reduce, x->axis, {ir_arg(m, reduce, 0), x->axis}, true};
    ir_extent each = c.first;
    go_back(m, &c.first, left);
    return is_left(m, x, c.first) && through_elements(m, ir_arg(m, reduce, 1), &each, left) && is_left(m, x, each) &&
           combined_keeps(m, &c, combined_gives(m, reduce, x->axis), left);
}

/* Whether a state, or its component k, has the extent that it had, or that the loop began with. */
static bool leaves(ir_module *m, const kept *x, ir_value v, uint32_t *left)
{
    ir_value part = ir_component_of(m, v, x->k);
    ir_extent y = {part, x->axis};
    ir_op o = made_by(m, v);
    if (!*left || !--*left)
        return false;
    if (!part)
        return v == x->state || (o && branches_leave(m, x, o, left));
    go_back(m, &y, left);
    o = made_by(m, y.of);
    if (o && y.axis == x->axis && ir_op_at(m, o)->opcode == OP_REDUCE && combines_arrays(m, o))
        return reduction_leaves(m, x, o, left);
    return is_left(m, x, y) || (o && y.axis == x->axis && branches_leave(m, x, o, left));
}

static bool turn_keeps(ir_module *m, ir_op loop, uint32_t k, uint32_t axis, uint32_t *left)
{
    bool repeats = ir_op_at(m, loop)->opcode == OP_REPEAT;
    const region_node turn = *ir_region_at(m, ir_op_at(m, loop)->regions + (repeats ? 0u : 1u));
    kept x = {turn.params + (repeats ? 1u : 0u), k, axis, {ir_loop_start(m, loop, k), axis}};
    if (!turn.last || !x.first.of)
        return false;
    go_back(m, &x.first, left);
    return leaves(m, &x, ir_arg(m, turn.last, 0), left);
}

/* What a loop gives has the extent that it began with where a turn leaves that as it is. */
static bool through_loop(ir_module *m, ir_op loop, uint32_t k, ir_extent *x, uint32_t *left)
{
    ir_value z = ir_loop_start(m, loop, k);
    if (!z || !turn_keeps(m, loop, k, x->axis, left))
        return false;
    x->of = z;
    return true;
}

/* What either branch gives has the extent that both have, which is none that one of them makes. */
static bool through_branches(ir_module *m, ir_op choice, uint32_t k, ir_extent *x, uint32_t *left)
{
    ir_extent of[2];
    for (uint32_t i = 0; i < 2; i++) {
        ir_op end = ir_region_at(m, ir_op_at(m, choice)->regions + i)->last;
        of[i] = (ir_extent){end ? ir_component_of(m, ir_arg(m, end, 0), k) : 0, x->axis};
        if (!of[i].of)
            return false;
        go_back(m, &of[i], left);
    }
    if (!ir_same_extent(m, of[0], of[1]))
        return false;
    *x = of[0];
    return true;
}

/* One step back over the loop or choice whose result, or a component of it, an operation gives. */
static bool through_regions(ir_module *m, ir_op o, ir_extent *x, uint32_t *left)
{
    uint32_t k = 0;
    if (o && ir_op_at(m, o)->opcode == OP_PROJ) {
        k = (uint32_t)ir_const_bits(m, ir_arg(m, o, 1));
        o = made_by(m, ir_arg(m, o, 0));
    }
    switch (o ? ir_op_at(m, o)->opcode : OP_NONE) {
    case OP_REPEAT:
    case OP_WHILE: return through_loop(m, o, k, x, left);
    case OP_IF: return through_branches(m, o, k, x, left);
    default: return false;
    }
}

/* The number of items that are written down. */
static bool through_literal(ir_module *m, ir_op array, ir_extent *x)
{
    ir_value n = ir_const(m, ST_I32, ir_op_at(m, array)->nargs);
    if (n)
        *x = (ir_extent){n, EXTENT_NUMBER};
    return n != 0;
}

/* One step back; false: there is none. */
static bool step_back(ir_module *m, ir_extent *x, uint32_t *left)
{
    ir_op o = made_by(m, x->of);
    uint32_t code = o ? ir_op_at(m, o)->opcode : OP_NONE;
    ir_value as = shaped_as(m, x->of), xs = element_of(m, x->of);
    if (x->axis == EXTENT_NUMBER && (code == OP_LENGTH || code == OP_DIM)) {
        uint64_t axis = code == OP_DIM ? ir_const_bits(m, ir_arg(m, o, 1)) : 0;
        bool one = ir_type_at(m, ir_value_at(m, ir_arg(m, o, 0))->type)->n == 1;
        if (code == OP_LENGTH && !one)
            return false;
        *x = (ir_extent){ir_arg(m, o, 0), (uint32_t)axis};
    } else if (x->axis != EXTENT_NUMBER && as)
        x->of = as;
    else if (x->axis != EXTENT_NUMBER && (code == OP_GENERATE || code == OP_PERMUTE))
        *x = (ir_extent){ir_arg(m, o, x->axis), EXTENT_NUMBER};
    else if (x->axis != EXTENT_NUMBER && code == OP_ARRAY)
        return through_literal(m, o, x);
    else if (x->axis != EXTENT_NUMBER && xs)
        return through_elements(m, xs, x, left);
    else if (x->axis != EXTENT_NUMBER && code == OP_REDUCE)
        return through_reduction(m, o, x, left);
    else if (x->axis != EXTENT_NUMBER && code == OP_CALL)
        return through_call(m, o, x, left);
    else
        return x->axis != EXTENT_NUMBER && through_regions(m, o, x, left);
    return true;
}

/* So many steps in all, those in functions that are called with them. */
static void go_back(ir_module *m, ir_extent *x, uint32_t *left)
{
    while (*left && (--*left, step_back(m, x, left)))
        ;
}

ir_extent ir_extent_of(ir_module *m, ir_value xs, uint32_t axis)
{
    ir_extent x = {xs, axis};
    uint32_t left = STEPS_BACK;
    go_back(m, &x, &left);
    return x;
}

bool ir_turn_keeps(ir_module *m, ir_op loop, uint32_t k, uint32_t axis)
{
    uint32_t left = STEPS_BACK;
    return turn_keeps(m, loop, k, axis, &left);
}

ir_op ir_loop_of_state(ir_module *m, ir_value v, uint32_t *k)
{
    ir_op o = made_by(m, v);
    *k = 0;
    if (o && ir_op_at(m, o)->opcode == OP_PROJ) {
        *k = (uint32_t)ir_const_bits(m, ir_arg(m, o, 1));
        v = ir_arg(m, o, 0);
    }
    const value_node n = *ir_value_at(m, v);
    ir_op loop = n.kind == V_PARAM ? ir_region_at(m, n.def)->owner : 0;
    uint32_t code = loop ? ir_op_at(m, loop)->opcode : OP_NONE;
    bool is = code == OP_REPEAT ? v == ir_region_at(m, n.def)->params + 1 : code == OP_WHILE;
    return is ? loop : 0;
}

ir_extent ir_extent_in_turns(ir_module *m, ir_value xs, uint32_t axis)
{
    ir_extent x = ir_extent_of(m, xs, axis);
    uint32_t k;
    for (ir_op loop; x.axis != EXTENT_NUMBER && (loop = ir_loop_of_state(m, x.of, &k)) != 0 && ir_turn_keeps(m, loop, k, x.axis);)
        x = ir_extent_of(m, ir_loop_start(m, loop, k), x.axis);
    return x;
}

bool ir_same_extent(const ir_module *m, ir_extent a, ir_extent b)
{
    const value_node *x = &m->values.at[a.of], *y = &m->values.at[b.of];
    bool numbers = x->kind == V_CONST && y->kind == V_CONST;
    return a.axis == b.axis &&
           (a.of == b.of || (numbers && x->low == y->low && x->high == y->high));
}

/* ---- numbers ---- */

enum { SMALLER = 4 }; /* of so many numbers inside one another */

static bool is_natural(const ir_module *m, ir_value v, uint32_t depth)
{
    const value_node *n = &m->values.at[v];
    if (n->kind == V_CONST)
        return (int32_t)n->low >= 0;
    ir_op o = made_by(m, v);
    uint32_t code = o ? m->ops.at[o].opcode : OP_NONE;
    if (code == OP_LENGTH || code == OP_DIM)
        return true;
    if (!depth || (code != SOP_MIN && code != SOP_MAX))
        return false;
    bool x = is_natural(m, ir_arg(m, o, 0), depth - 1), y = is_natural(m, ir_arg(m, o, 1), depth - 1);
    return code == SOP_MIN ? x && y : x || y;
}

bool ir_is_natural(const ir_module *m, ir_value v)
{
    return is_natural(m, v, SMALLER);
}
