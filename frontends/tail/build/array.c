/* Primitives that move elements: each is a pull array that says where an element comes from. */
#include "frontends/tail/build/build.h"

#include <string.h>

/* ---- pieces ---- */

/* The array under an operand, of any base. */
static tail_value any_array(const application *a, size_t i)
{
    return tb_operand_of_base(a, i, BASE_ANY);
}

static bool want_rank(const application *a, const tail_value *v, unsigned least)
{
    if (v->type.rank >= least && v->type.base < BASE_TUPLE)
        return true;
    return tb_wrong_type(a->b, "%s takes an array of rank %u or more here",
                         tail_primitive_name(a->primitive), least);
}

/* The same extents, elements in another order. */
static tail_value like(const tail_value *v, fcl_value moved)
{
    tail_value out = *v;
    out.type.values = NULL;
    out.v = moved;
    return out;
}

/* ---- making ---- */

tail_value tb_ZILDE(const application *a)
{
    builder *b = a->b;
    tail_base base = a->node->has_instance ? a->node->instance_base : BASE_ANY;
    return tb_vector(b, base, 0, tb_op_array(b, tb_core_type(b, base), NULL, 0));
}

tail_value tb_IOTA(const application *a)
{
    builder *b = a->b;
    int32_t value;
    tail_value n = tb_operand(a, 0, BASE_INT, 0);
    bool fixed = tb_known(&n, 0, &value);
    fcl_value many = n.v;
    if (fixed && value < 0)
        tb_wrong_type(b, "iota of a negative number");
    if (!fixed)
        many = tb_assert_that(b, tb_op2(b, "ge", many, tb_int_of(b, 0)),
                              "iota of a negative number", many);
    loop l = tb_generate_begin(b, &many, 1);
    fcl_value v = tb_generate_end(b, &l, tb_op2(b, "add", l.i[0], tb_int_of(b, 1)));
    return tb_vector(b, BASE_INT, fixed ? value : LENGTH_UNKNOWN, v);
}

tail_value tb_SHAPE(const application *a)
{
    builder *b = a->b;
    tail_value x = any_array(a, 0);
    fcl_value dims[FCL_MAX_RANK];
    tb_extents(b, &x, dims);
    unsigned n = x.type.rank;
    tail_value out = tb_vector(b, BASE_INT, n, tb_op_array(b, tb_core_type(b, BASE_INT), dims, n));
    if (n == 1 && x.type.length >= 0)
        tb_know(b, &out, 1, &x.type.length);
    return out;
}

tail_value tb_SAME(const application *a)
{
    return a->args[0];
}

/* ---- one order of elements for another ---- */

/* The number of an element in row-major order. */
static fcl_value flat_index(builder *b, const fcl_value *i, const fcl_value *dims, unsigned rank)
{
    fcl_value k = rank ? i[0] : tb_int_of(b, 0);
    for (unsigned axis = 1; axis < rank; axis++)
        k = tb_op2(b, "add", tb_op2(b, "mul", k, dims[axis]), i[axis]);
    return k;
}

/* The indices of an element of that number. */
static void indices_of(builder *b, fcl_value k, const fcl_value *dims, unsigned rank, fcl_value *i)
{
    for (unsigned axis = rank; axis-- > 1; k = tb_op2(b, "div", k, dims[axis]))
        i[axis] = tb_op2(b, "mod", k, dims[axis]);
    if (rank)
        i[0] = k;
}

static fcl_value flat_element(builder *b, const tail_value *v, const fcl_value *dims, fcl_value k)
{
    fcl_value i[FCL_MAX_RANK];
    indices_of(b, k, dims, v->type.rank, i);
    return tb_element(b, v, i);
}

tail_value tb_RAVEL(const application *a)
{
    builder *b = a->b;
    tail_value x = any_array(a, 0);
    if (x.type.rank == 1)
        return x;
    if (x.type.rank == 0)
        return tb_vector(b, x.type.base, 1, tb_op_array(b, tb_core_type(b, x.type.base), &x.v, 1));
    fcl_value dims[FCL_MAX_RANK], n = tb_count(b, &x);
    tb_extents(b, &x, dims);
    loop l = tb_generate_begin(b, &n, 1);
    return tb_array(b, x.type.base, 1, tb_generate_end(b, &l, flat_element(b, &x, dims, l.i[0])));
}

/* Whether it has elements: -1 where that is not known. */
static int has_elements(const tail_value *v)
{
    return v->type.rank == 0                          ? 1
           : v->type.rank == 1 && v->type.length >= 0 ? v->type.length > 0
                                                      : -1;
}

tail_value tb_FIRST(const application *a)
{
    builder *b = a->b;
    int32_t value;
    tail_value x = any_array(a, 0);
    fcl_value zeros[FCL_MAX_RANK];
    if (x.type.rank == 0)
        return x;
    for (unsigned k = 0; k < x.type.rank; k++)
        zeros[k] = tb_int_of(b, 0);
    int some = has_elements(&x);
    tail_value out = tb_scalar(x.type.base, 0);
    if (some == 0) {
        out.v = tb_fill_of(b, x.type.base);
    } else if (some > 0) {
        out.v = tb_element(b, &x, zeros);
    } else {
        choice c = tb_choice_begin(b, tb_op2(b, "eq", tb_count(b, &x), tb_int_of(b, 0)));
        tb_choice_else(b, &c, tb_fill_of(b, x.type.base));
        out.v = tb_choice_end(b, &c, tb_element(b, &x, zeros));
    }
    if (tb_known(&x, 0, &value))
        tb_know(b, &out, 1, &value);
    return out;
}

/* The product of the extents of a shape, where it is known; -1. */
static int64_t known_product(const tail_value *shape)
{
    int64_t n = 1;
    int32_t d;
    for (size_t i = 0; i < (size_t)shape->type.length; i++) {
        if (!tb_known(shape, i, &d) || d < 0)
            return -1;
        n = d && n > INT32_MAX / d ? (int64_t)INT32_MAX + 1 : n * d;
    }
    return n;
}

/* Element k of a source that is repeated as often as needed. */
static fcl_value cyclic(builder *b, const tail_value *x, const fcl_value *dims, fcl_value n,
                        fcl_value k)
{
    fcl_value within = tb_op2(b, "mod", k, n);
    int some = has_elements(x);
    if (some > 0)
        return flat_element(b, x, dims, x->type.length == 1 ? tb_int_of(b, 0) : within);
    choice c = tb_choice_begin(b, tb_op2(b, "eq", n, tb_int_of(b, 0)));
    tb_choice_else(b, &c, tb_fill_of(b, x->type.base));
    return tb_choice_end(b, &c, flat_element(b, x, dims, within));
}

/* The extents that a shape asks for, none of them negative. */
static void wanted_extents(builder *b, const tail_value *shape, fcl_value *dims)
{
    int32_t d;
    for (int32_t k = 0; k < shape->type.length; k++) {
        fcl_value i = tb_int_of(b, k);
        if (tb_known(shape, (size_t)k, &d) && d >= 0)
            dims[k] = tb_int_of(b, d);
        else
            dims[k] = tb_element(b, shape, &i);
    }
}

static tail_value reshape(builder *b, const tail_value *shape, const tail_value *x)
{
    unsigned rank = (unsigned)shape->type.length;
    fcl_value dims[FCL_MAX_RANK], own[FCL_MAX_RANK], n = tb_count(b, x);
    int64_t wanted = known_product(shape);
    wanted_extents(b, shape, dims);
    tb_extents(b, x, own);
    bool fits = wanted >= 0 && x->type.rank == 1 && wanted <= x->type.length;
    loop l = tb_generate_begin(b, dims, rank);
    fcl_value k = flat_index(b, l.i, dims, rank);
    fcl_value v = x->type.rank == 0 ? x->v : fits ? tb_element(b, x, &k) : cyclic(b, x, own, n, k);
    tail_value out = tb_array(b, x->type.base, rank, tb_generate_end(b, &l, v));
    if (rank == 1 && wanted <= INT32_MAX)
        out.type.length = (int32_t)wanted; /* -1: not known */
    if (out.type.length >= 0 && out.type.length == x->type.length)
        out.type.values = x->type.values;
    return out;
}

tail_value tb_RESHAPE(const application *a)
{
    tail_value shape = tb_operand(a, 0, BASE_INT, 1), x = any_array(a, 1);
    if (shape.type.length > FCL_MAX_RANK)
        tb_wrong_type(a->b, "arrays have %d dimensions at most", FCL_MAX_RANK);
    else if (shape.type.length < 0)
        tail_fail(a->b->p, TAIL_STATIC, a->b->at, "give the shape a type such as <int>2",
                  "how long this shape is, is not known");
    if (a->b->p->failed)
        return tb_nothing();
    if (shape.type.length == 0) {
        application first = {.b = a->b, .node = a->node, .primitive = PRIM_first, .args = &x};
        return tb_FIRST(&first);
    }
    return reshape(a->b, &shape, &x);
}

/* ---- the first axis ---- */

/* Elements of v with the first index shifted; outside of it, where `checked`, what fills. */
static fcl_value shifted(builder *b, const tail_value *v, const fcl_value *i, fcl_value by,
                         bool checked)
{
    fcl_value moved[FCL_MAX_RANK];
    memcpy(moved, i, v->type.rank * sizeof *i);
    moved[0] = tb_op2(b, "add", i[0], by);
    if (!checked)
        return tb_element(b, v, moved);
    fcl_value below = tb_op2(b, "ge", moved[0], tb_int_of(b, 0)),
              above = tb_op2(b, "lt", moved[0], tb_extent(b, v, 0));
    choice c = tb_choice_begin(b, tb_op2(b, "and", below, above));
    tb_choice_else(b, &c, tb_element(b, v, moved));
    return tb_choice_end(b, &c, tb_fill_of(b, v->type.base));
}

/* A scalar is taken from as the vector that it makes. */
static tail_value at_least_vector(const application *a, size_t i)
{
    builder *b = a->b;
    tail_value x = any_array(a, i);
    if (x.type.rank)
        return x;
    return tb_vector(b, x.type.base, 1, tb_op_array(b, tb_core_type(b, x.type.base), &x.v, 1));
}

static int64_t magnitude(int32_t n)
{
    return n < 0 ? -(int64_t)n : n;
}

/* The rows of v from one on, as many as wanted. */
static tail_value rows(builder *b, const tail_value *v, fcl_value many, fcl_value from,
                       bool checked)
{
    fcl_value dims[FCL_MAX_RANK];
    tb_extents(b, v, dims);
    dims[0] = many;
    loop l = tb_generate_begin(b, dims, v->type.rank);
    fcl_value x = shifted(b, v, l.i, from, checked);
    return tb_array(b, v->type.base, v->type.rank, tb_generate_end(b, &l, x));
}

tail_value tb_TAKE(const application *a)
{
    builder *b = a->b;
    int32_t value;
    tail_value n = tb_operand(a, 0, BASE_INT, 0), x = at_least_vector(a, 1);
    fcl_value zero = tb_int_of(b, 0), size = tb_extent(b, &x, 0), many = tb_op1(b, "abs", n.v);
    bool fixed = tb_known(&n, 0, &value) && value > INT32_MIN;
    if (fixed)
        many = tb_int_of(b, magnitude(value));
    fcl_value back = tb_op2(b, "sub", size, many);
    fcl_value from = fixed ? (value < 0 ? back : zero)
                           : tb_op3(b, "select", tb_op2(b, "lt", n.v, zero), back, zero);
    bool inside = fixed && x.type.rank == 1 && magnitude(value) <= x.type.length;
    tail_value out = rows(b, &x, many, from, !inside);
    if (fixed && out.type.rank == 1)
        out.type.length = (int32_t)magnitude(value);
    if (inside && x.type.values)
        out.type.values = x.type.values + (value < 0 ? x.type.length + value : 0);
    return out;
}

tail_value tb_DROP(const application *a)
{
    builder *b = a->b;
    int32_t value;
    tail_value n = tb_operand(a, 0, BASE_INT, 0), x = any_array(a, 1);
    if (x.type.rank == 0)
        return x;
    fcl_value zero = tb_int_of(b, 0), size = tb_extent(b, &x, 0);
    bool fixed = tb_known(&n, 0, &value) && value > INT32_MIN;
    fcl_value less = fixed ? tb_int_of(b, magnitude(value)) : tb_op1(b, "abs", n.v);
    fcl_value many = tb_op2(b, "max", tb_op2(b, "sub", size, less), zero);
    fcl_value from = fixed ? tb_int_of(b, value > 0 ? value : 0) : tb_op2(b, "max", n.v, zero);
    int64_t left = fixed && x.type.length >= 0 ? x.type.length - magnitude(value) : -1;
    bool counted = fixed && x.type.rank == 1 && x.type.length >= 0;
    left = left < 0 ? 0 : left;
    tail_value out = rows(b, &x, counted ? tb_int_of(b, left) : many, from, false);
    if (counted)
        out.type.length = (int32_t)left;
    if (counted && left && x.type.values)
        out.type.values = x.type.values + (value > 0 ? value : 0);
    return out;
}

tail_value tb_REVERSE(const application *a)
{
    builder *b = a->b;
    tail_value x = any_array(a, 0);
    fcl_value dims[FCL_MAX_RANK];
    if (x.type.rank == 0)
        return x;
    tb_extents(b, &x, dims);
    fcl_value last = tb_op2(b, "sub", dims[0], tb_int_of(b, 1));
    loop l = tb_generate_begin(b, dims, x.type.rank);
    fcl_value i[FCL_MAX_RANK];
    memcpy(i, l.i, sizeof i);
    i[0] = tb_op2(b, "sub", last, i[0]);
    return like(&x, tb_generate_end(b, &l, tb_element(b, &x, i)));
}

/* To the left along an axis, by any number. */
static tail_value rotated(const application *a, bool last)
{
    builder *b = a->b;
    tail_value n = tb_operand(a, 0, BASE_INT, 0), x = any_array(a, 1);
    if (x.type.rank == 0)
        return x;
    fcl_value dims[FCL_MAX_RANK], i[FCL_MAX_RANK];
    tb_extents(b, &x, dims);
    unsigned axis = last ? x.type.rank - 1 : 0;
    fcl_value by = tb_op2(b, "mod", n.v, dims[axis]), back = tb_op2(b, "sub", by, dims[axis]);
    loop l = tb_generate_begin(b, dims, x.type.rank);
    memcpy(i, l.i, sizeof i);
    fcl_value wraps = tb_op2(b, "ge", tb_op2(b, "add", i[axis], back), tb_int_of(b, 0));
    i[axis] = tb_op2(b, "add", i[axis], tb_op3(b, "select", wraps, back, by));
    return like(&x, tb_generate_end(b, &l, tb_element(b, &x, i)));
}

tail_value tb_ROTATE_FIRST(const application *a)
{
    return rotated(a, false);
}

tail_value tb_ROTATE_LAST(const application *a)
{
    return rotated(a, true);
}

/* ---- axes ---- */

tail_value tb_TRANSPOSE(const application *a)
{
    builder *b = a->b;
    tail_value x = any_array(a, 0);
    unsigned r = x.type.rank;
    fcl_value dims[FCL_MAX_RANK], turned[FCL_MAX_RANK], i[FCL_MAX_RANK];
    if (r < 2)
        return x;
    tb_extents(b, &x, dims);
    for (unsigned k = 0; k < r; k++)
        turned[k] = dims[r - 1 - k];
    loop l = tb_generate_begin(b, turned, r);
    for (unsigned k = 0; k < r; k++)
        i[k] = l.i[r - 1 - k];
    return tb_array(b, x.type.base, r, tb_generate_end(b, &l, tb_element(b, &x, i)));
}

/* Which axis of the result each axis of the source becomes: 1 to r, each once. */
static bool read_permutation(builder *b, const tail_value *p, unsigned rank, unsigned *to)
{
    unsigned seen = 0;
    for (unsigned k = 0; k < rank; k++) {
        int32_t axis;
        if (!tb_known(p, k, &axis))
            return tail_fail(b->p, TAIL_STATIC, b->at, "write it as [2,1]",
                             "which axis goes where is not known");
        if (axis < 1 || (unsigned)axis > rank || (seen & 1u << axis))
            return tb_wrong_type(b, "the axes are no permutation of 1 to %u", rank);
        seen |= 1u << axis;
        to[k] = (unsigned)axis - 1;
    }
    return true;
}

tail_value tb_PERMUTE(const application *a)
{
    builder *b = a->b;
    tail_value p = tb_operand(a, 0, BASE_INT, 1), x = any_array(a, 1);
    unsigned r = x.type.rank, to[FCL_MAX_RANK];
    fcl_value dims[FCL_MAX_RANK], turned[FCL_MAX_RANK], i[FCL_MAX_RANK];
    if (p.type.length >= 0 && (unsigned)p.type.length != r)
        tb_wrong_type(b, "%d axes are named of an array of rank %u", p.type.length, r);
    if (b->p->failed || r < 2 || !read_permutation(b, &p, r, to))
        return x;
    tb_extents(b, &x, dims);
    for (unsigned k = 0; k < r; k++)
        turned[to[k]] = dims[k];
    loop l = tb_generate_begin(b, turned, r);
    for (unsigned k = 0; k < r; k++)
        i[k] = l.i[to[k]];
    return tb_array(b, x.type.base, r, tb_generate_end(b, &l, tb_element(b, &x, i)));
}

/* The part of an array with one index of one axis. */
tail_value tb_SELECT(const application *a)
{
    builder *b = a->b;
    int32_t axis = 0;
    tail_value d = tb_operand(a, 0, BASE_INT, 0), n = tb_operand(a, 1, BASE_INT, 0),
               x = any_array(a, 2);
    unsigned r = x.type.rank, k = 0;
    fcl_value dims[FCL_MAX_RANK], i[FCL_MAX_RANK];
    if (!tb_known(&d, 0, &axis))
        tail_fail(b->p, TAIL_STATIC, b->at, NULL, "which axis is meant is not known");
    else if (axis < 1 || (unsigned)axis > r)
        tb_wrong_type(b, "there is no axis %d in an array of rank %u", axis, r);
    if (b->p->failed)
        return tb_nothing();
    fcl_value at = tb_op2(b, "sub", n.v, tb_int_of(b, 1));
    if (r == 1)
        return tb_scalar(x.type.base, tb_element(b, &x, &at));
    for (unsigned from = 0; from < r; from++)
        if (from + 1 != (unsigned)axis)
            dims[k++] = tb_extent(b, &x, from);
    loop l = tb_generate_begin(b, dims, r - 1);
    for (unsigned to = 0, from = 0; to < r; to++)
        i[to] = to + 1 == (unsigned)axis ? at : l.i[from++];
    return tb_array(b, x.type.base, r - 1, tb_generate_end(b, &l, tb_element(b, &x, i)));
}

/* ---- joining along the last axis ---- */

/* Both as arrays of one base: that of the one that has elements. */
static void join_bases(const application *a, tail_value *x, tail_value *y)
{
    tail_base base = x->type.base == BASE_ANY ? y->type.base : x->type.base;
    *x = tb_as_base(a->b, x, base, "the first operand");
    *y = tb_as_base(a->b, y, base, "the second operand");
}

/* All extents but those of the last axis are equal. */
static fcl_value fits(builder *b, const tail_value *x, const tail_value *y, unsigned axes,
                      fcl_value v)
{
    fcl_value same = 0;
    for (unsigned k = 0; k < axes; k++) {
        fcl_value equal = tb_op2(b, "eq", tb_extent(b, x, k), tb_extent(b, y, k));
        same = same ? tb_op2(b, "and", same, equal) : equal;
    }
    return same ? tb_assert_that(b, same, "arrays are joined that do not fit", v) : v;
}

static tail_value joined(builder *b, const tail_value *x, const tail_value *y)
{
    unsigned r = x->type.rank, last = r - 1;
    fcl_value dims[FCL_MAX_RANK], i[FCL_MAX_RANK], first = tb_extent(b, x, last),
                                                   second = tb_extent(b, y, last);
    tb_extents(b, x, dims);
    bool counted = r == 1 && x->type.length >= 0 && y->type.length >= 0;
    int64_t length = counted ? (int64_t)x->type.length + y->type.length : LENGTH_UNKNOWN;
    dims[last] = counted ? tb_int_of(b, length) : tb_op2(b, "add", first, second);
    loop l = tb_generate_begin(b, dims, r);
    choice c = tb_choice_begin(b, tb_op2(b, "lt", l.i[last], first));
    tb_choice_else(b, &c, tb_element(b, x, l.i));
    memcpy(i, l.i, sizeof i);
    i[last] = tb_op2(b, "sub", i[last], first);
    fcl_value v = tb_generate_end(b, &l, tb_choice_end(b, &c, tb_element(b, y, i)));
    tail_value out = tb_array(b, x->type.base, r, fits(b, x, y, last, v));
    if (counted)
        out.type.length = (int32_t)length;
    return out;
}

/* What is known of the elements of two vectors is known of both in a row. */
static void know_both(builder *b, tail_value *out, const tail_value *x, const tail_value *y)
{
    int64_t n = out->type.length;
    if (n < 0 || !x->type.values || !y->type.values)
        return;
    int32_t *values = tail_alloc(b->p, (size_t)n + 1, sizeof *values);
    if (!values)
        return;
    memcpy(values, x->type.values, (size_t)x->type.length * sizeof *values);
    memcpy(values + x->type.length, y->type.values, (size_t)y->type.length * sizeof *values);
    out->type.values = values;
}

static tail_value join(const application *a, tail_value x, tail_value y)
{
    if (!want_rank(a, &x, 1))
        return x;
    join_bases(a, &x, &y);
    if (x.type.rank != y.type.rank)
        tb_wrong_type(a->b, "an array of rank %u and one of rank %u are joined", x.type.rank,
                      y.type.rank);
    if (a->b->p->failed)
        return x;
    tail_value out = joined(a->b, &x, &y);
    know_both(a->b, &out, &x, &y);
    return out;
}

tail_value tb_CAT(const application *a)
{
    return join(a, any_array(a, 0), any_array(a, 1));
}

/* A slice as an array of one rank more, whose last extent is 1. */
static tail_value as_slice(builder *b, const tail_value *x)
{
    unsigned r = x->type.rank;
    fcl_value dims[FCL_MAX_RANK + 1];
    if (r == 0) {
        tail_value v =
            tb_vector(b, x->type.base, 1, tb_op_array(b, tb_core_type(b, x->type.base), &x->v, 1));
        v.type.values = x->type.values;
        return v;
    }
    if (r >= FCL_MAX_RANK) {
        tb_wrong_type(b, "arrays have %d dimensions at most", FCL_MAX_RANK);
        return *x;
    }
    tb_extents(b, x, dims);
    dims[r] = tb_int_of(b, 1);
    loop l = tb_generate_begin(b, dims, r + 1);
    return tb_array(b, x->type.base, r + 1, tb_generate_end(b, &l, tb_element(b, x, l.i)));
}

tail_value tb_CONS(const application *a)
{
    tail_value x = any_array(a, 0);
    return join(a, as_slice(a->b, &x), any_array(a, 1));
}

tail_value tb_SNOC(const application *a)
{
    tail_value x = any_array(a, 1);
    return join(a, any_array(a, 0), as_slice(a->b, &x));
}
