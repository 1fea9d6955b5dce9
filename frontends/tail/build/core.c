/* The operations of the core that building uses, in short. */
#include "frontends/tail/build/build.h"

void tb_set_place(builder *b, tail_place at)
{
    b->at = at;
    fcl_at(b->m, b->p->name, at.line, at.column);
}

fcl_value tb_op(builder *b, const char *op, const fcl_value *args, size_t n)
{
    return b->p->failed ? 0 : fcl_op(b->m, b->r, op, args, n);
}

fcl_value tb_op_array(builder *b, fcl_type elem, const fcl_value *args, size_t n)
{
    return b->p->failed ? 0 : fcl_op_array(b->m, b->r, elem, args, n);
}

fcl_value tb_op_constant(builder *b, fcl_scalar t, const size_t *extents, size_t rank,
                         const void *data, size_t size)
{
    return b->p->failed ? 0 : fcl_op_constant(b->m, b->r, t, extents, rank, data, size);
}

fcl_value tb_op_regions(builder *b, const char *op, const fcl_value *args, size_t n,
                        fcl_region *regions)
{
    return b->p->failed ? 0 : fcl_op_regions(b->m, b->r, op, args, n, regions);
}

fcl_value tb_convert(builder *b, fcl_scalar t, fcl_value x)
{
    if (b->p->failed)
        return 0;
    return fcl_op_type(b->m, b->r, "convert", fcl_type_scalar(b->m, t), x);
}

fcl_value tb_param(builder *b, fcl_region r, const char *name, fcl_type t)
{
    return b->p->failed ? 0 : fcl_param(b->m, r, name, t);
}

void tb_yield(builder *b, fcl_region r, fcl_value v)
{
    if (!b->p->failed)
        fcl_yield(b->m, r, v);
}

fcl_value tb_op1(builder *b, const char *op, fcl_value x)
{
    return tb_op(b, op, &x, 1);
}

fcl_value tb_op2(builder *b, const char *op, fcl_value x, fcl_value y)
{
    fcl_value args[] = {x, y};
    return tb_op(b, op, args, 2);
}

fcl_value tb_op3(builder *b, const char *op, fcl_value x, fcl_value y, fcl_value z)
{
    fcl_value args[] = {x, y, z};
    return tb_op(b, op, args, 3);
}

fcl_value tb_int_of(builder *b, int64_t x)
{
    return fcl_const_int(b->m, FCL_I32, x);
}

fcl_value tb_double_of(builder *b, double x)
{
    return fcl_const_float(b->m, FCL_F64, x);
}

fcl_value tb_bool_of(builder *b, bool x)
{
    return fcl_const_bool(b->m, x);
}

fcl_value tb_part(builder *b, fcl_value tuple, size_t i)
{
    return tb_op2(b, "proj", tuple, tb_int_of(b, (int64_t)i));
}

fcl_value tb_fill_of(builder *b, tail_base base)
{
    switch (base) {
    case BASE_DOUBLE: return tb_double_of(b, 0.0);
    case BASE_COMPLEX: return tb_op2(b, "tuple", tb_double_of(b, 0.0), tb_double_of(b, 0.0));
    case BASE_BOOL: return tb_bool_of(b, false);
    case BASE_CHAR: return fcl_const_int(b->m, FCL_U32, ' ');
    case BASE_ANY:
    case BASE_INT:
    case BASE_TUPLE:
    case BASE_FUNCTION: break;
    }
    return tb_int_of(b, 0);
}

fcl_type tb_core_type(builder *b, tail_base base)
{
    fcl_type both[2];
    switch (base) {
    case BASE_DOUBLE: return fcl_type_scalar(b->m, FCL_F64);
    case BASE_COMPLEX:
        both[0] = both[1] = fcl_type_scalar(b->m, FCL_F64);
        return fcl_type_tuple(b->m, both, 2);
    case BASE_BOOL: return fcl_type_scalar(b->m, FCL_BOOL);
    case BASE_CHAR: return fcl_type_scalar(b->m, FCL_U32);
    case BASE_ANY:
    case BASE_INT:
    case BASE_TUPLE:
    case BASE_FUNCTION: break;
    }
    return fcl_type_scalar(b->m, FCL_I32);
}

/* ---- regions ---- */

/* The indices of elements are known by name to what draws random numbers. */
static void push_index(builder *b, fcl_value i)
{
    if (b->nindices < MOST_INDICES)
        b->index[b->nindices] = i;
    b->nindices++;
}

loop tb_generate_begin(builder *b, const fcl_value *extents, unsigned rank)
{
    loop l = {.outer = b->r};
    fcl_region inner = 0;
    l.result = tb_op_regions(b, "generate", extents, rank, &inner);
    for (unsigned k = 0; k < rank; k++) {
        l.i[k] = tb_param(b, inner, NULL, 0);
        push_index(b, l.i[k]);
    }
    b->r = inner;
    b->element++;
    return l;
}

fcl_value tb_generate_end(builder *b, const loop *l, fcl_value element)
{
    tb_yield(b, b->r, element);
    for (unsigned k = 0; k < FCL_MAX_RANK && l->i[k]; k++)
        b->nindices--;
    b->r = l->outer;
    b->element--;
    return l->result;
}

loop tb_region_begin(builder *b, const char *op, const fcl_value *args, size_t nargs,
                     unsigned params)
{
    loop l = {.outer = b->r};
    fcl_region inner = 0;
    l.result = tb_op_regions(b, op, args, nargs, &inner);
    for (unsigned k = 0; k < params; k++)
        l.i[k] = tb_param(b, inner, NULL, 0);
    b->r = inner;
    return l;
}

fcl_value tb_region_end(builder *b, const loop *l, fcl_value result)
{
    tb_yield(b, b->r, result);
    b->r = l->outer;
    return l->result;
}

choice tb_choice_begin(builder *b, fcl_value condition)
{
    choice c = {.outer = b->r};
    c.result = tb_op_regions(b, "if", &condition, 1, c.regions);
    b->r = c.regions[0];
    return c;
}

void tb_choice_else(builder *b, const choice *c, fcl_value x)
{
    tb_yield(b, b->r, x);
    b->r = c->regions[1];
}

fcl_value tb_choice_end(builder *b, const choice *c, fcl_value x)
{
    tb_yield(b, b->r, x);
    b->r = c->outer;
    return c->result;
}

fcl_value tb_assert_that(builder *b, fcl_value condition, const char *text, fcl_value x)
{
    fcl_region inner = 0;
    fcl_value v = tb_op_regions(b, "assert", &condition, 1, &inner);
    tb_yield(b, inner, x);
    size_t n = 0;
    while (text[n])
        n++;
    fcl_attribute said = {.key = "text", .text = text, .size = n};
    if (v)
        fcl_attribute_set(b->m, (fcl_subject){.value = v}, &said);
    return v;
}
