/* Primitives that apply functions to elements, and that choose elements. */
#include "frontends/tail/build/build.h"

#include <math.h>
#include <string.h>

/* What a function gives where a scalar is wanted. */
static tail_value call_scalar(builder *b, const tail_node *f, const tail_value *args, size_t n)
{
    tail_value v = tb_call(b, f, args, n);
    tb_set_place(b, f->at);
    if (v.type.rank || v.type.base >= BASE_TUPLE)
        tb_wrong_type(b, "this function does not give a scalar");
    return v;
}

/* Elements have no order in which something could be printed or assigned. */
static void keep_pure(const application *a)
{
    if (a->function->does & DOES_PRINT)
        tail_fail(a->b->p, TAIL_PLACE, a->function->at,
                  "print the array that it makes, or loop with power",
                  "output in a function that %s applies to elements",
                  tail_primitive_name(a->primitive));
    if (a->function->does & DOES_ASSIGN)
        tail_fail(a->b->p, TAIL_PLACE, a->function->at, "loop with power",
                  "an assignment in a function that %s applies to elements",
                  tail_primitive_name(a->primitive));
}

static tail_value same_extents(const tail_value *x, tail_base base, fcl_value v)
{
    tail_value out = *x;
    out.type.values = NULL;
    out.type.base = base;
    out.v = v;
    return out;
}

/* ---- each ---- */

tail_value tb_EACH(const application *a)
{
    builder *b = a->b;
    tail_value x = tb_operand_of_base(a, 1, BASE_ANY);
    keep_pure(a);
    if (x.type.rank == 0)
        return call_scalar(b, a->function, &x, 1);
    fcl_value dims[FCL_MAX_RANK];
    tb_extents(b, &x, dims);
    loop l = tb_generate_begin(b, dims, x.type.rank);
    tail_value e = tb_scalar(x.type.base, tb_element(b, &x, l.i));
    tail_value y = call_scalar(b, a->function, &e, 1);
    return same_extents(&x, y.type.base, tb_generate_end(b, &l, y.v));
}

/* ---- zipWith ---- */

/* Nothing has to be asked where both come from one array, or are known to be equally long. */
static fcl_value equal_extents(builder *b, const tail_value *x, const tail_value *y, fcl_value v)
{
    bool counted = x->type.rank == 1 && x->type.length >= 0 && y->type.length >= 0;
    if (x->shape == y->shape || (counted && x->type.length == y->type.length))
        return v;
    fcl_value same = 0;
    for (unsigned k = 0; k < x->type.rank; k++) {
        fcl_value equal = tb_op2(b, "eq", tb_extent(b, x, k), tb_extent(b, y, k));
        same = same ? tb_op2(b, "and", same, equal) : equal;
    }
    return tb_assert_that(b, same, "zipWith is given two arrays of different shapes", v);
}

tail_value tb_ZIP(const application *a)
{
    builder *b = a->b;
    tail_value xs[2] = {tb_operand_of_base(a, 1, BASE_ANY), tb_operand_of_base(a, 2, BASE_ANY)};
    keep_pure(a);
    if (xs[0].type.rank != xs[1].type.rank)
        tb_wrong_type(b, "zipWith is given arrays of ranks %u and %u", xs[0].type.rank,
                      xs[1].type.rank);
    if (b->p->failed)
        return tb_nothing();
    if (xs[0].type.rank == 0)
        return call_scalar(b, a->function, xs, 2);
    fcl_value dims[FCL_MAX_RANK], checked = equal_extents(b, &xs[0], &xs[1], xs[0].v);
    tail_value first = xs[0];
    first.v = checked;
    tb_extents(b, &first, dims);
    loop l = tb_generate_begin(b, dims, first.type.rank);
    tail_value e[2] = {tb_scalar(xs[0].type.base, tb_element(b, &first, l.i)),
                       tb_scalar(xs[1].type.base, tb_element(b, &xs[1], l.i))};
    tail_value y = call_scalar(b, a->function, e, 2);
    return same_extents(&first, y.type.base, tb_generate_end(b, &l, y.v));
}

/* ---- functions that reductions may apply in any order ---- */

typedef struct neutral {
    tail_primitive primitive;
    tail_base base;
    int32_t integer;
    double real;
} neutral;

static const neutral neutrals[] = {
#define NEUTRAL(name, base, integer, real) {PRIM_##name, BASE_##base, integer, real},
#include "frontends/tail/primitives.def"
#undef NEUTRAL
};

static bool is_parameter(const tail_node *n, const tail_decl *d)
{
    return n->kind == NODE_VARIABLE && n->decl == d;
}

/* The primitive that a function is: bare, or fn x => fn y => op(x,y), or with y and x. */
static tail_primitive primitive_of(const tail_node *f)
{
    if (f->kind == NODE_PRIMITIVE)
        return f->primitive;
    const tail_node *inner = f->kind == NODE_FUNCTION ? f->parts[0] : f;
    const tail_node *body = inner->kind == NODE_FUNCTION ? inner->parts[0] : f;
    if (body->kind != NODE_APPLY || body->nparts != 2)
        return PRIM_END;
    const tail_decl *x = f->decl, *y = inner->decl;
    bool as_is = is_parameter(body->parts[0], x) && is_parameter(body->parts[1], y),
         swapped = is_parameter(body->parts[0], y) && is_parameter(body->parts[1], x);
    return as_is || swapped ? body->primitive : PRIM_END;
}

static const neutral *neutral_of(const tail_node *f)
{
    tail_primitive p = primitive_of(f);
    for (size_t i = 0; i < sizeof neutrals / sizeof *neutrals; i++)
        if (neutrals[i].primitive == p)
            return &neutrals[i];
    return NULL;
}

static fcl_value neutral_value(builder *b, const neutral *n)
{
    switch (n->base) {
    case BASE_DOUBLE: return tb_double_of(b, n->real);
    case BASE_COMPLEX: return tb_op2(b, "tuple", tb_double_of(b, n->real), tb_double_of(b, 0.0));
    case BASE_BOOL: return tb_bool_of(b, n->integer);
    case BASE_ANY:
    case BASE_INT:
    case BASE_CHAR:
    case BASE_TUPLE:
    case BASE_FUNCTION: break;
    }
    return tb_int_of(b, n->integer);
}

/* Whether the program gives the neutral element itself, so that nobody has to ask whether there is
 * an element. */
static bool is_neutral(const tail_node *z, const neutral *n)
{
    switch (z->kind) {
    case NODE_INT: return n->base == BASE_INT && z->integer == n->integer;
    case NODE_BOOL: return n->base == BASE_BOOL && z->integer == n->integer;
    case NODE_DOUBLE: return n->base == BASE_DOUBLE && !(z->real < n->real) && !(z->real > n->real);
    case NODE_COMPLEX:
        return n->base == BASE_COMPLEX && !(z->real < n->real) && !(z->real > n->real) &&
               !(z->imaginary < 0) && !(z->imaginary > 0);
    default: return false;
    }
}

/* reduce or scan of the core, with its region. */
static fcl_value collective(const application *a, const char *op, const neutral *n,
                            const tail_value *x)
{
    builder *b = a->b;
    fcl_value args[] = {neutral_value(b, n), x->v};
    loop l = tb_region_begin(b, op, args, 2, 2);
    b->element++;
    tail_value e[2] = {tb_scalar(n->base, l.i[0]), tb_scalar(n->base, l.i[1])};
    tail_value y = call_scalar(b, a->function, e, 2);
    y = tb_as_base(b, &y, n->base, "what this function gives");
    b->element--;
    return tb_region_end(b, &l, y.v);
}

/* ---- one element after the other ---- */

/* f(x[.., j], ... f(x[.., 1], x[.., 0])) of `steps` applications, the other indices given. */
static fcl_value in_order(const application *a, const tail_value *x, const fcl_value *outer,
                          fcl_value steps)
{
    builder *b = a->b;
    unsigned last = x->type.rank - 1;
    fcl_value i[FCL_MAX_RANK];
    memcpy(i, outer, sizeof i);
    i[last] = tb_int_of(b, 0);
    fcl_value args[] = {steps, tb_element(b, x, i)};
    loop l = tb_region_begin(b, "repeat", args, 2, 2);
    b->element++;
    i[last] = tb_op2(b, "add", l.i[0], tb_int_of(b, 1));
    tail_value e[2] = {tb_scalar(x->type.base, tb_element(b, x, i)),
                       tb_scalar(x->type.base, l.i[1])};
    tail_value y = call_scalar(b, a->function, e, 2);
    y = tb_as_base(b, &y, x->type.base, "what this function gives");
    b->element--;
    return tb_region_end(b, &l, y.v);
}

/* The same over a whole row, z where it is empty. */
static fcl_value row_in_order(const application *a, const tail_value *z, const tail_value *x,
                              const fcl_value *outer)
{
    builder *b = a->b;
    fcl_value n = tb_extent(b, x, x->type.rank - 1);
    choice c = tb_choice_begin(b, tb_op2(b, "eq", n, tb_int_of(b, 0)));
    tb_choice_else(b, &c, z->v);
    return tb_choice_end(b, &c, in_order(a, x, outer, tb_op2(b, "sub", n, tb_int_of(b, 1))));
}

static tail_value reduced_in_order(const application *a, const tail_value *z, const tail_value *x)
{
    builder *b = a->b;
    fcl_value dims[FCL_MAX_RANK] = {0};
    if (x->type.rank == 1)
        return tb_scalar(x->type.base, row_in_order(a, z, x, dims));
    tb_extents(b, x, dims);
    loop l = tb_generate_begin(b, dims, x->type.rank - 1);
    fcl_value v = tb_generate_end(b, &l, row_in_order(a, z, x, l.i));
    return tb_array(b, x->type.base, x->type.rank - 1, v);
}

/* ---- reduce and scan ---- */

/* The operands of both, of one base. */
static void operands(const application *a, tail_value *z, tail_value *x)
{
    tail_base base = a->args[2].type.base;
    base = base == BASE_ANY ? a->args[1].type.base : base;
    *z = tb_operand(a, 1, base, 0);
    *x = tb_operand_of_base(a, 2, base);
    keep_pure(a);
}

/* z in place of what the collective gives where rows have no elements. */
static fcl_value or_given(builder *b, const tail_value *z, const tail_value *x, fcl_value v)
{
    choice c =
        tb_choice_begin(b, tb_op2(b, "eq", tb_extent(b, x, x->type.rank - 1), tb_int_of(b, 0)));
    tb_choice_else(b, &c, z->v);
    return tb_choice_end(b, &c, v);
}

static tail_value reduced(const application *a, const neutral *n, const tail_value *z,
                          const tail_value *x)
{
    builder *b = a->b;
    bool given = !is_neutral(a->node->parts[1], n);
    unsigned r = x->type.rank - 1;
    fcl_value v = collective(a, "reduce", n, x);
    if (r == 0)
        return tb_scalar(n->base, given ? or_given(b, z, x, v) : v);
    tail_value rows = tb_array(b, n->base, r, v);
    fcl_value dims[FCL_MAX_RANK];
    if (!given)
        return rows;
    tb_extents(b, &rows, dims);
    loop l = tb_generate_begin(b, dims, r);
    rows.v = tb_generate_end(b, &l, or_given(b, z, x, tb_element(b, &rows, l.i)));
    return rows;
}

tail_value tb_REDUCE(const application *a)
{
    tail_value z, x;
    operands(a, &z, &x);
    if (a->b->p->failed || x.type.rank == 0)
        return x;
    const neutral *n = neutral_of(a->function);
    n = n && n->base == x.type.base ? n : NULL;
    return n ? reduced(a, n, &z, &x) : reduced_in_order(a, &z, &x);
}

/* Each element from the first one of its row on. */
static tail_value scanned_in_order(const application *a, const tail_value *x)
{
    builder *b = a->b;
    fcl_value dims[FCL_MAX_RANK];
    tb_extents(b, x, dims);
    loop l = tb_generate_begin(b, dims, x->type.rank);
    fcl_value v = in_order(a, x, l.i, l.i[x->type.rank - 1]);
    return same_extents(x, x->type.base, tb_generate_end(b, &l, v));
}

tail_value tb_SCAN(const application *a)
{
    tail_value z, x;
    operands(a, &z, &x);
    if (a->b->p->failed || x.type.rank == 0)
        return x;
    const neutral *n = neutral_of(a->function);
    if (!n || n->base != x.type.base)
        return scanned_in_order(a, &x);
    return same_extents(&x, n->base, collective(a, "scan", n, &x));
}
