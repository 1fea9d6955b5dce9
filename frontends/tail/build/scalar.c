/* Primitives on scalars: one operator of the core each, or a few. */
#include "frontends/tail/build/build.h"

#include <string.h>

typedef tail_value scalar_form(const application *a, const fcl_value *x, const char *core);

static tail_value plain(const application *a, tail_base base, fcl_value v)
{
    (void)a;
    return tb_scalar(base, v);
}

/* The base of a letter of the table. */
static tail_base base_of(char letter)
{
    switch (letter) {
    case 'i': return BASE_INT;
    case 'd': return BASE_DOUBLE;
    case 'x': return BASE_COMPLEX;
    case 'b': return BASE_BOOL;
    default: return BASE_CHAR;
    }
}

static tail_value scalar_RESI(const application *a, const fcl_value *x, const char *core)
{
    builder *b = a->b;
    fcl_value zero = tb_op2(b, "eq", x[0], tb_int_of(b, 0));
    return plain(a, BASE_INT, tb_op3(b, "select", zero, x[1], tb_op2(b, core, x[1], x[0])));
}

/* As the APL compiler's interpreter has it, which does not multiply by x. */
static tail_value scalar_RESD(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    builder *b = a->b;
    fcl_value zero = tb_op2(b, "eq", x[0], tb_double_of(b, 0.0));
    fcl_value rest = tb_op2(b, "sub", x[1], tb_op1(b, "floor", tb_op2(b, "fdiv", x[1], x[0])));
    return plain(a, BASE_DOUBLE, tb_op3(b, "select", zero, x[1], rest));
}

static fcl_value is_wide(builder *b, fcl_value bits)
{
    return tb_op2(b, "or", tb_op2(b, "lt", bits, tb_int_of(b, 0)),
                  tb_op2(b, "gt", bits, tb_int_of(b, 31)));
}

/* By 32 and more: nothing is left. */
static tail_value scalar_SHIFT(const application *a, const fcl_value *x, const char *core)
{
    builder *b = a->b;
    fcl_value shifted = tb_op2(b, core, x[0], x[1]);
    return plain(a, BASE_INT, tb_op3(b, "select", is_wide(b, x[1]), tb_int_of(b, 0), shifted));
}

/* By 32 and more: the sign is left. */
static tail_value scalar_SHIFT_SIGN(const application *a, const fcl_value *x, const char *core)
{
    builder *b = a->b;
    fcl_value by = tb_op3(b, "select", is_wide(b, x[1]), tb_int_of(b, 31), x[1]);
    return plain(a, BASE_INT, tb_op2(b, core, x[0], by));
}

/* 1 or -1: that of 0 is 1. */
static tail_value scalar_SIGN(const application *a, const fcl_value *x, const char *core)
{
    builder *b = a->b;
    fcl_value zero = a->primitive == PRIM_signd ? tb_double_of(b, 0.0) : tb_int_of(b, 0);
    fcl_value up = tb_op2(b, core, x[0], zero);
    return plain(a, BASE_INT, tb_op3(b, "select", up, tb_int_of(b, 1), tb_int_of(b, -1)));
}

/* Where one is not a number, the second: as the comparison says. */
static tail_value scalar_EXTREME(const application *a, const fcl_value *x, const char *core)
{
    fcl_value first = tb_op2(a->b, core, x[0], x[1]);
    return plain(a, BASE_DOUBLE, tb_op3(a->b, "select", first, x[0], x[1]));
}

static tail_value scalar_WHOLE(const application *a, const fcl_value *x, const char *core)
{
    return plain(a, BASE_INT, tb_convert(a->b, FCL_I32, tb_op1(a->b, core, x[0])));
}

static tail_value scalar_PI(const application *a, const fcl_value *x, const char *core)
{
    (void)x, (void)core;
    return plain(a, BASE_DOUBLE, tb_double_of(a->b, 3.14159265358979323846));
}

static tail_value scalar_TO_DOUBLE(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    return plain(a, BASE_DOUBLE, tb_convert(a->b, FCL_F64, x[0]));
}

/* What is known of the truth value is known of the number. */
static tail_value scalar_TO_INT(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    tail_value v = tb_scalar(BASE_INT, tb_convert(a->b, FCL_I32, x[0]));
    v.type.values = a->args[0].type.values;
    return v;
}

static tail_value scalar_NEGATED(const application *a, const fcl_value *x, const char *core)
{
    return plain(a, BASE_BOOL, tb_op1(a->b, "not", tb_op2(a->b, core, x[0], x[1])));
}

/* ---- complex numbers ---- */

static tail_value complex_of(const application *a, fcl_value re, fcl_value im)
{
    return plain(a, BASE_COMPLEX, tb_op2(a->b, "tuple", re, im));
}

static tail_value scalar_TO_COMPLEX(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    return complex_of(a, x[0], tb_double_of(a->b, 0.0));
}

static tail_value scalar_INJECT(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    return complex_of(a, x[0], x[1]);
}

static tail_value scalar_REAL(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    return plain(a, BASE_DOUBLE, tb_part(a->b, x[0], 0));
}

static tail_value scalar_IMAGINARY(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    return plain(a, BASE_DOUBLE, tb_part(a->b, x[0], 1));
}

/* The same with both parts. */
static tail_value scalar_PARTS(const application *a, const fcl_value *x, const char *core)
{
    builder *b = a->b;
    fcl_value out[2];
    for (size_t k = 0; k < 2; k++) {
        fcl_value first = tb_part(b, x[0], k);
        out[k] = tail_primitive_operands(a->primitive) == 1
                     ? tb_op1(b, core, first)
                     : tb_op2(b, core, first, tb_part(b, x[1], k));
    }
    return complex_of(a, out[0], out[1]);
}

static tail_value scalar_PRODUCT(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    builder *b = a->b;
    fcl_value re = tb_part(b, x[0], 0), im = tb_part(b, x[0], 1), c = tb_part(b, x[1], 0),
              d = tb_part(b, x[1], 1);
    fcl_value real = tb_op2(b, "sub", tb_op2(b, "mul", re, c), tb_op2(b, "mul", im, d));
    return complex_of(a, real, tb_op2(b, "add", tb_op2(b, "mul", re, d), tb_op2(b, "mul", im, c)));
}

static tail_value scalar_CONJUGATE(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    return complex_of(a, tb_part(a->b, x[0], 0), tb_op1(a->b, "neg", tb_part(a->b, x[0], 1)));
}

static tail_value scalar_MAGNITUDE(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    fcl_value re = tb_part(a->b, x[0], 0), im = tb_part(a->b, x[0], 1);
    return plain(a, BASE_DOUBLE, tb_op2(a->b, "hypot", re, im));
}

static tail_value scalar_EXPONENTIAL(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    builder *b = a->b;
    fcl_value size = tb_op1(b, "exp", tb_part(b, x[0], 0)), angle = tb_part(b, x[0], 1);
    return complex_of(a, tb_op2(b, "mul", size, tb_op1(b, "cos", angle)),
                      tb_op2(b, "mul", size, tb_op1(b, "sin", angle)));
}

/* ---- random numbers ---- */

/* One round of mixing, on 32 bits without a sign. */
static fcl_value mixed(builder *b, fcl_value h, uint32_t shift, uint32_t factor)
{
    fcl_value moved = tb_op2(b, "shr", h, fcl_const_int(b->m, FCL_U32, shift));
    return tb_op2(b, "mul", tb_op2(b, "xor", h, moved), fcl_const_int(b->m, FCL_U32, factor));
}

/* A number of 32 bits of the place in the program and of the indices around it, so that every
 * element and every turn has its own, whoever computes it and however often. */
static fcl_value drawn(builder *b)
{
    fcl_value h = fcl_const_int(b->m, FCL_U32, 0x9e3779b9u ^ (0x85ebca6bu * ++b->rolls));
    for (size_t i = 0; i < b->nindices && i < MOST_INDICES; i++) {
        h = tb_op2(b, "add", h, tb_convert(b, FCL_U32, b->index[i]));
        h = mixed(b, mixed(b, h, 16, 0x7feb352du), 15, 0x846ca68bu);
    }
    h = mixed(b, mixed(b, h, 16, 0x7feb352du), 15, 0x846ca68bu);
    return tb_op2(b, "xor", h, tb_op2(b, "shr", h, fcl_const_int(b->m, FCL_U32, 16)));
}

static tail_value scalar_ROLL(const application *a, const fcl_value *x, const char *core)
{
    (void)core;
    builder *b = a->b;
    fcl_value part_of_one =
        tb_op2(b, "mul", tb_convert(b, FCL_F64, drawn(b)), tb_double_of(b, 1.0 / 4294967296.0));
    fcl_value many =
        tb_op1(b, "floor", tb_op2(b, "mul", part_of_one, tb_convert(b, FCL_F64, x[0])));
    fcl_value zero = tb_op2(b, "eq", x[0], tb_int_of(b, 0));
    return plain(a, BASE_DOUBLE, tb_op3(b, "select", zero, part_of_one, many));
}

/* ---- the table ---- */

static tail_value scalar_DIRECT(const application *a, const fcl_value *x, const char *core)
{
    return plain(a, BASE_ANY, tb_op(a->b, core, x, tail_primitive_operands(a->primitive)));
}

static const struct {
    const char *operands, *result, *core;
    scalar_form *form;
} rows[] = {
#define SCALAR(name, operands, result, FORM, core, ...)                                            \
    [PRIM_##name] = {operands, result, core, scalar_##FORM},
#include "frontends/tail/primitives.def"
#undef SCALAR
};

tail_value tb_primitive(const application *a)
{
    fcl_value x[2] = {0};
    const char *operands = rows[a->primitive].operands;
    for (size_t i = 0; operands[i]; i++)
        x[i] = tb_operand(a, i, base_of(operands[i]), 0).v;
    if (a->b->p->failed)
        return tb_nothing();
    tail_value v = rows[a->primitive].form(a, x, rows[a->primitive].core);
    v.type.base = base_of(rows[a->primitive].result[0]);
    return v;
}
