/* Primitives that choose elements: by flags, by counts, by their order. */
#include "frontends/tail/build/build.h"

/* v, where two vectors are equally long. */
static fcl_value equally_long(builder *b, const tail_value *x, const tail_value *y,
                              const char *text, fcl_value v)
{
    if (x->type.length >= 0 && x->type.length == y->type.length)
        return v;
    return tb_assert_that(b, tb_op2(b, "eq", tb_extent(b, x, 0), tb_extent(b, y, 0)), text, v);
}

static tail_value any_vector(const application *a, size_t i)
{
    tail_type t = tb_type_of(BASE_ANY, 1);
    return tb_as_type(a->b, &a->args[i], &t, "an operand");
}

/* ---- compress ---- */

tail_value tb_COMPRESS(const application *a)
{
    builder *b = a->b;
    tail_value flags = tb_operand(a, 0, BASE_BOOL, 1), x = any_vector(a, 1);
    if (b->p->failed)
        return tb_nothing();
    fcl_value n =
        equally_long(b, &flags, &x, "compress is given flags for another number of elements",
                     tb_extent(b, &x, 0));
    loop pairs = tb_generate_begin(b, &n, 1);
    fcl_value both = tb_op2(b, "tuple", tb_element(b, &flags, pairs.i), tb_element(b, &x, pairs.i));
    both = tb_generate_end(b, &pairs, both);
    loop kept = tb_region_begin(b, "filter", &both, 1, 1);
    fcl_value chosen = tb_region_end(b, &kept, tb_part(b, kept.i[0], 0));
    loop map = tb_region_begin(b, "map", &chosen, 1, 1);
    return tb_array(b, x.type.base, 1, tb_region_end(b, &map, tb_part(b, map.i[0], 1)));
}

/* ---- replicate ---- */

/* How many elements there are of the first ones and of each: the sums of the counts' sizes. */
static fcl_value ends_of(builder *b, const tail_value *counts, fcl_value n)
{
    loop sizes = tb_generate_begin(b, &n, 1);
    fcl_value each = tb_generate_end(b, &sizes, tb_op1(b, "abs", tb_element(b, counts, sizes.i)));
    fcl_value args[] = {tb_int_of(b, 0), each};
    loop scan = tb_region_begin(b, "scan", args, 2, 2);
    return tb_region_end(b, &scan, tb_op2(b, "add", scan.i[0], scan.i[1]));
}

static fcl_value at_index(builder *b, fcl_value array, fcl_value i)
{
    return tb_op2(b, "index", array, i);
}

/* Which of the n ascending ends is the first that is greater than k: the interval is halved. */
static fcl_value find_end(builder *b, fcl_value ends, fcl_value n, fcl_value k)
{
    fcl_value start = tb_op2(b, "tuple", tb_int_of(b, 0), tb_op2(b, "sub", n, tb_int_of(b, 1)));
    fcl_region regions[2], outer = b->r;
    fcl_value found = tb_op_regions(b, "while", &start, 1, regions);
    fcl_value s = tb_param(b, regions[0], NULL, 0);
    b->r = regions[0];
    tb_yield(b, b->r, tb_op2(b, "lt", tb_part(b, s, 0), tb_part(b, s, 1)));
    b->r = regions[1];
    s = tb_param(b, b->r, NULL, 0);
    fcl_value low = tb_part(b, s, 0), high = tb_part(b, s, 1);
    fcl_value middle = tb_op2(b, "div", tb_op2(b, "add", low, high), tb_int_of(b, 2));
    fcl_value left = tb_op2(b, "gt", at_index(b, ends, middle), k);
    fcl_value from = tb_op3(b, "select", left, low, tb_op2(b, "add", middle, tb_int_of(b, 1)));
    tb_yield(b, b->r, tb_op2(b, "tuple", from, tb_op3(b, "select", left, middle, high)));
    b->r = outer;
    return tb_part(b, found, 0);
}

tail_value tb_REPLICATE(const application *a)
{
    builder *b = a->b;
    tail_value counts = tb_operand(a, 1, BASE_INT, 1), x = any_vector(a, 2);
    tail_base base = x.type.base == BASE_ANY ? a->args[0].type.base : x.type.base;
    tail_value fill = tb_operand(a, 0, base, 0);
    x = tb_as_base(b, &x, base, "the third operand");
    if (b->p->failed)
        return tb_nothing();
    fcl_value n =
        equally_long(b, &counts, &x, "replicate is given counts for another number of elements",
                     tb_extent(b, &x, 0));
    fcl_value ends = ends_of(b, &counts, n);
    choice none = tb_choice_begin(b, tb_op2(b, "eq", n, tb_int_of(b, 0)));
    tb_choice_else(b, &none, tb_int_of(b, 0));
    fcl_value last = tb_op2(b, "sub", n, tb_int_of(b, 1));
    fcl_value total = tb_choice_end(b, &none, at_index(b, ends, last));
    loop l = tb_generate_begin(b, &total, 1);
    fcl_value i = find_end(b, ends, n, l.i[0]);
    choice filled =
        tb_choice_begin(b, tb_op2(b, "lt", tb_element(b, &counts, &i), tb_int_of(b, 0)));
    tb_choice_else(b, &filled, fill.v);
    fcl_value v = tb_choice_end(b, &filled, tb_element(b, &x, &i));
    return tb_array(b, base, 1, tb_generate_end(b, &l, v));
}

/* ---- sorting permutations ---- */

/* What the elements are sorted by: numbers whose order is that of the elements, or its reverse, and
 * which are equal where the elements are, as -0.0 and 0.0 are. */
static fcl_value key_of(builder *b, tail_base base, fcl_value x, bool down)
{
    if (base == BASE_DOUBLE) {
        fcl_value zero = tb_op2(b, "add", x, tb_double_of(b, 0.0));
        return down ? tb_op1(b, "neg", zero) : zero;
    }
    if (base == BASE_BOOL)
        x = tb_convert(b, FCL_I32, x);
    return down ? tb_op1(b, "not", x) : x;
}

static tail_value graded(const application *a, bool down)
{
    builder *b = a->b;
    tail_value x = any_vector(a, 0);
    if (x.type.base == BASE_COMPLEX)
        tb_wrong_type(b, "complex numbers have no order");
    if (b->p->failed)
        return tb_nothing();
    fcl_value n = tb_extent(b, &x, 0);
    loop pairs = tb_generate_begin(b, &n, 1);
    fcl_value key = key_of(b, x.type.base, tb_element(b, &x, pairs.i), down);
    fcl_value both = tb_generate_end(b, &pairs, tb_op2(b, "tuple", key, pairs.i[0]));
    loop sort = tb_region_begin(b, "sort", &both, 1, 1);
    fcl_value sorted = tb_region_end(b, &sort, tb_part(b, sort.i[0], 0));
    loop map = tb_region_begin(b, "map", &sorted, 1, 1);
    fcl_value v =
        tb_region_end(b, &map, tb_op2(b, "add", tb_part(b, map.i[0], 1), tb_int_of(b, 1)));
    return tb_vector(b, BASE_INT, x.type.length, v);
}

tail_value tb_GRADE_UP(const application *a)
{
    return graded(a, false);
}

tail_value tb_GRADE_DOWN(const application *a)
{
    return graded(a, true);
}
