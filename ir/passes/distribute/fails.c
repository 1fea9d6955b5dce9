/* Whether an operation may fail: what is done where nothing was asked for must not end a run that would have ended
 * well. What is seen to be right is what arrays that are made of one another look like; the rest may fail. */
#include "ir/passes/distribute/distribute.h"
#include "ir/scheduled.h"

/* Whether a number is at most the extent of an axis: that itself, or the smaller of it and another. */
static bool is_within(ir_module *m, ir_value v, ir_value xs, uint32_t axis, uint32_t depth)
{
    ir_op o = made_by(m, v);
    if (ir_same_extent(m, ir_extent_of(m, v, EXTENT_NUMBER), ir_extent_of(m, xs, axis)))
        return true;
    return depth && o && ir_op_at(m, o)->opcode == SOP_MIN &&
           (is_within(m, ir_arg(m, o, 0), xs, axis, depth - 1) || is_within(m, ir_arg(m, o, 1), xs, axis, depth - 1));
}

enum { SMALLER = 4 }; /* of so many numbers inside one another */

bool sched_goes_through(const ir_module *m, ir_op o)
{
    uint32_t code = m->ops.at[o].opcode;
    return code == OP_MAP || code == OP_FILTER || code == OP_SORT || (ir_puts_elements(code) && ir_is_collective(m, o));
}

/* How many elements an array has that are their own numbers, as a function may give it; 0: it is none such. */
static ir_value count_of_numbers(ir_module *m, ir_value xs)
{
    ir_op make = made_by(m, xs), call = make && ir_op_at(m, make)->opcode == OP_CALL ? make : 0;
    const region_node *body = call ? ir_region_at(m, ir_func_at(m, ir_op_at(m, call)->attr)->body) : NULL;
    if (body)
        make = body->last ? made_by(m, ir_arg(m, body->last, 0)) : 0;
    if (!make || ir_op_at(m, make)->opcode != OP_GENERATE || ir_op_at(m, make)->nargs != 1)
        return 0;
    const region_node *r = ir_region_at(m, ir_op_at(m, make)->regions);
    ir_value count = ir_arg(m, make, 0);
    if (ir_arg(m, r->last, 0) != r->params)
        return 0;
    bool given = body && count >= body->params && count - body->params < body->nparams;
    return !body ? count : given ? ir_arg(m, call, count - body->params) : 0;
}

/* The number of an element that is being described, as many as the array has at that axis; or one of as many numbers. */
static bool is_own_number(ir_module *m, ir_value i, ir_value xs, uint32_t axis)
{
    const value_node v = *ir_value_at(m, i);
    ir_op make = v.kind == V_PARAM ? ir_region_at(m, v.def)->owner : 0;
    ir_value count = 0;
    if (make && ir_op_at(m, make)->opcode == OP_GENERATE)
        count = ir_arg(m, make, i - ir_region_at(m, v.def)->params);
    else if (make && sched_goes_through(m, make) && v.def == ir_op_at(m, make)->regions)
        count = count_of_numbers(m, ir_arg(m, make, ir_op_at(m, make)->nargs - 1u));
    return count && is_within(m, count, xs, axis, SMALLER);
}

static bool is_one(ir_module *m, ir_value v)
{
    return ir_value_at(m, v)->kind == V_CONST && (int32_t)ir_const_bits(m, v) == 1;
}

/* The same from behind: the extent, minus 1 and such a number, in either order. */
static bool is_from_behind(ir_module *m, ir_value i, ir_value xs, uint32_t axis)
{
    ir_op o = made_by(m, i), in = o && ir_op_at(m, o)->opcode == SOP_SUB ? made_by(m, ir_arg(m, o, 0)) : 0;
    if (!in || ir_op_at(m, in)->opcode != SOP_SUB)
        return false;
    ir_value x = ir_arg(m, o, 1), y = ir_arg(m, in, 1);
    return (is_one(m, x) ? is_own_number(m, y, xs, axis) : is_one(m, y) && is_own_number(m, x, xs, axis)) &&
           ir_same_extent(m, ir_extent_of(m, ir_arg(m, in, 0), EXTENT_NUMBER), ir_extent_of(m, xs, axis));
}

/* A call that is gone into; none: all is asked for as it stands. */
typedef struct within {
    ir_op call;
    ir_region body;
} within;

/* What the caller gives for a parameter; 0: it is none. */
static ir_value given_for(ir_module *m, const within *in, ir_value v)
{
    const region_node r = *ir_region_at(m, in->body);
    return in->call && v >= r.params && v - r.params < r.nparams ? ir_arg(m, in->call, v - r.params) : 0;
}

/* Whether the operands behind the first, an index for each axis, are inside of that array. */
static bool is_inside(ir_module *m, const within *in, ir_op o)
{
    ir_value xs = ir_arg(m, o, 0), given_xs = given_for(m, in, xs);
    uint32_t rank = ir_type_at(m, ir_value_at(m, xs)->type)->n;
    bool inside = true;
    for (uint32_t k = 1; k <= rank && inside; k++) {
        ir_value i = ir_arg(m, o, k), given = given_for(m, in, i);
        bool both = given && given_xs;
        ir_value number = both ? given : i, of = both ? given_xs : xs;
        inside = is_own_number(m, number, of, k - 1) || is_from_behind(m, number, of, k - 1);
    }
    return inside;
}

/* What is put there, one element, is inside. */
static bool update_fails(ir_module *m, const within *in, ir_op o)
{
    ir_value put = ir_arg(m, o, ir_op_at(m, o)->nargs - 1u);
    bool one = true;
    for (uint32_t k = 0; k < ir_type_at(m, ir_value_at(m, put)->type)->n && one; k++) {
        ir_extent x = ir_extent_of(m, put, k);
        one = x.axis == EXTENT_NUMBER && is_one(m, x.of);
    }
    return !one || !is_inside(m, in, o);
}

static bool extents_fail(ir_module *m, const within *in, ir_op o)
{
    const op_node n = *ir_op_at(m, o);
    bool natural = true;
    for (uint32_t k = 0; k < n.nargs && natural; k++) {
        ir_value v = ir_arg(m, o, k), given = given_for(m, in, v);
        natural = ir_is_natural(m, given ? given : v);
    }
    return !natural;
}

static bool may_fail(ir_module *m, const within *in, ir_op o)
{
    const uint32_t code = ir_op_at(m, o)->opcode;
    switch (code) {
    case OP_INDEX: return !is_inside(m, in, o);
    case OP_GENERATE: return extents_fail(m, in, o);
    case OP_UPDATE: return update_fails(m, in, o);
    case OP_ASSERT:
    case OP_STREAMRED:
    case OP_STREAMMAP:
    case OP_WHILE: return true; /* it may have no end */
    default: return ir_puts_elements(code);
    }
}

bool sched_may_fail(const ir_module *m, ir_op o)
{
    return may_fail((ir_module *)m, &(within){0}, o); /* nothing is changed */
}

/* ---- calls ---- */

enum { MOST_CALLED = 64 }; /* operations of functions that are looked at for what they are given */

static bool call_fails(ir_module *m, ir_op call, const uint32_t *failing, uint32_t *left);

static bool region_fails(ir_module *m, const within *in, ir_region r, const uint32_t *failing, uint32_t *left)
{
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        bool calls = ir_op_info(n.opcode)->attr == ATTR_CALL;
        if (!*left || (calls ? call_fails(m, o, failing, left) : may_fail(m, in, o)))
            return true;
        *left -= *left != 0;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            if (region_fails(m, in, n.regions + i, failing, left))
                return true;
    }
    return false;
}

/* Calls in calls are as deep as what is left. */
static bool call_fails(ir_module *m, ir_op call, const uint32_t *failing, uint32_t *left)
{
    const op_node n = *ir_op_at(m, call);
    if (!failing[n.attr] || n.opcode != OP_CALL || ir_func_at(m, n.attr)->import || !*left)
        return failing[n.attr] != 0;
    --*left;
    const within in = {call, ir_func_at(m, n.attr)->body};
    return region_fails(m, &in, in.body, failing, left);
}

bool sched_call_may_fail(const ir_module *m, ir_op call, const uint32_t *failing)
{
    uint32_t left = MOST_CALLED;
    return call_fails((ir_module *)m, call, failing, &left); /* nothing is changed */
}
