/* Building the core of a program: what the files of this folder share.
 *
 * Every expression becomes values of the core in the region that is being filled.  Scalars are
 * scalars, complex numbers pairs of doubles, characters numbers of type u32, arrays pull arrays;
 * tuples are taken apart.  Nothing says by whom anything is computed.
 *
 * After an error all goes on with values that mean nothing, and the error is looked at in the end:
 * tail_program.failed. */
#ifndef FCL_FRONTENDS_TAIL_BUILD_H
#define FCL_FRONTENDS_TAIL_BUILD_H

#include "frontends/tail/tree.h"

enum { MOST_INDICES = 64 };

typedef struct builder {
    tail_program *p;
    fcl_module *m;
    fcl_region r, body;            /* being filled; of the kernel */
    tail_place at;                 /* of what is being built */
    unsigned element;              /* how many regions of elements this one is in */
    uint32_t shapes;               /* shapes that were numbered so far */
    uint32_t rolls;                /* places where random numbers are drawn */
    fcl_value index[MOST_INDICES]; /* which element, or turn of a loop, of each region around */
    size_t nindices;
    tail_value *shown; /* what is printed, in order */
    size_t nshown;
} builder;

/* One use of a primitive: its operands, its function if it takes one. */
typedef struct application {
    builder *b;
    const tail_node *node;
    tail_primitive primitive;
    const tail_node *function;
    tail_value *args; /* one for each operand; that of the function is nothing */
} application;

/* ---- core.c: operations ---- */

void tb_set_place(builder *b, tail_place at);
/* The builder's functions, which are not called any more after an error: 0 then. */
fcl_value tb_op(builder *b, const char *op, const fcl_value *args, size_t n);
fcl_value tb_op_array(builder *b, fcl_type elem, const fcl_value *args, size_t n);
fcl_value tb_op_constant(builder *b, fcl_scalar t, const size_t *extents, size_t rank,
                         const void *data, size_t size);
fcl_value tb_op_regions(builder *b, const char *op, const fcl_value *args, size_t n,
                        fcl_region *regions);
fcl_value tb_convert(builder *b, fcl_scalar t, fcl_value x);
fcl_value tb_param(builder *b, fcl_region r, const char *name, fcl_type t);
void tb_yield(builder *b, fcl_region r, fcl_value v);
fcl_value tb_op1(builder *b, const char *op, fcl_value x);
fcl_value tb_op2(builder *b, const char *op, fcl_value x, fcl_value y);
fcl_value tb_op3(builder *b, const char *op, fcl_value x, fcl_value y, fcl_value z);
fcl_value tb_int_of(builder *b, int64_t x);
fcl_value tb_double_of(builder *b, double x);
fcl_value tb_bool_of(builder *b, bool x);
fcl_value tb_part(builder *b, fcl_value tuple, size_t i);
/* 0, 0.0, false, a blank: what an element is where there is none. */
fcl_value tb_fill_of(builder *b, tail_base base);
fcl_type tb_core_type(builder *b, tail_base base);

/* generate: the region that is being filled is that of an element, until the end. */
typedef struct loop {
    fcl_region outer;
    fcl_value result;
    fcl_value i[FCL_MAX_RANK];
} loop;
loop tb_generate_begin(builder *b, const fcl_value *extents, unsigned rank);
fcl_value tb_generate_end(builder *b, const loop *l, fcl_value element);
/* An operator whose first region has one or two parameters, `l->i`. */
loop tb_region_begin(builder *b, const char *op, const fcl_value *args, size_t nargs,
                     unsigned params);
fcl_value tb_region_end(builder *b, const loop *l, fcl_value result);

/* if: the region that is being filled is that of one branch, then of the other. */
typedef struct choice {
    fcl_region outer, regions[2];
    fcl_value result;
} choice;
choice tb_choice_begin(builder *b, fcl_value condition);
void tb_choice_else(builder *b, const choice *c, fcl_value x);
fcl_value tb_choice_end(builder *b, const choice *c, fcl_value x);

/* x, where the condition holds; else the run fails with that text. */
fcl_value tb_assert_that(builder *b, fcl_value condition, const char *text, fcl_value x);

/* ---- value.c: values and their types ---- */

tail_type tb_type_of(tail_base base, unsigned rank);
tail_value tb_scalar(tail_base base, fcl_value v);
/* An array whose extents nobody else has. */
tail_value tb_array(builder *b, tail_base base, unsigned rank, fcl_value v);
/* An array of known length, LENGTH_UNKNOWN included. */
tail_value tb_vector(builder *b, tail_base base, int64_t length, fcl_value v);
/* The number that a scalar is known to be, or element i of a vector. */
bool tb_known(const tail_value *v, size_t i, int32_t *out);
void tb_know(builder *b, tail_value *v, size_t n, const int32_t *values);
fcl_value tb_extent(builder *b, const tail_value *v, unsigned axis);
void tb_extents(builder *b, const tail_value *v, fcl_value *out);
/* How many elements it has. */
fcl_value tb_count(builder *b, const tail_value *v);
fcl_value tb_element(builder *b, const tail_value *v, const fcl_value *i);
/* The value as one of that type, which is wider or equal; an error where it is not. */
tail_value tb_as_type(builder *b, const tail_value *v, const tail_type *t, const char *what);
/* As an array, or a scalar, of that base. */
tail_value tb_as_base(builder *b, const tail_value *v, tail_base base, const char *what);
/* Operand i of that base and rank; BASE_ANY: any that is no tuple. */
tail_value tb_operand(const application *a, size_t i, tail_base base, unsigned rank);
tail_value tb_operand_of_base(const application *a, size_t i, tail_base base);
/* Tuples as tuples of the core, and back. */
fcl_value tb_packed(builder *b, const tail_value *v);
tail_value tb_unpacked(builder *b, const tail_type *t, fcl_value v);
/* What stands for a value after an error. */
tail_value tb_nothing(void);

/* ---- build.c: expressions ---- */

tail_value tb_build(builder *b, const tail_node *n);
/* A function of so many arguments. */
tail_value tb_call(builder *b, const tail_node *f, const tail_value *args, size_t n);
/* The type that a function's parameter was given; BASE_ANY for a primitive. */
tail_type tb_parameter_type(const tail_node *f);
bool tb_wrong_type(builder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- what primitives become: scalar.c, array.c, reduce.c, choose.c, loop.c, output.c, input.c
 * ---- */

tail_value tb_primitive(const application *a);
#define PRIMITIVE(name, operands, FORM, ...) tail_value tb_##FORM(const application *a);
#define HIGHER(name, operands, FORM, ...)    tail_value tb_##FORM(const application *a);
#include "frontends/tail/primitives.def"
#undef PRIMITIVE
#undef HIGHER

/* Adds a value to what the kernel gives; false when memory is short. */
bool tb_show(builder *b, const tail_value *v);
/* Ends the kernel: it gives all that is shown, and says how. */
void tb_show_all(builder *b, fcl_func kernel);

#endif
