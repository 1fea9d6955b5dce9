/* Expressions.  Operands are built before what they are for, and a `let` before what is behind it,
 * so that what prints does so in the order of the program. */
#include "frontends/tail/build/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tb_wrong_type(builder *b, const char *fmt, ...)
{
    char message[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return tail_fail(b->p, TAIL_TYPE, b->at, NULL, "%s", message);
}

/* ---- literals ---- */

static tail_value known_scalar(builder *b, tail_base base, fcl_value v, int64_t x)
{
    tail_value out = tb_scalar(base, v);
    int32_t value = (int32_t)x;
    tb_know(b, &out, 1, &value);
    return out;
}

static tail_value build_complex(builder *b, const tail_node *n)
{
    fcl_value re = tb_double_of(b, n->real), im = tb_double_of(b, n->imaginary);
    return tb_scalar(BASE_COMPLEX, tb_op2(b, "tuple", re, im));
}

/* ---- vectors ---- */

/* A literal as it lies in a constant; how many bytes it takes. */
static size_t literal_bytes(const tail_node *n, void *at)
{
    fcl_scalar t = n->kind == NODE_INT ? FCL_I32 : n->kind == NODE_CHAR ? FCL_U32 : FCL_BOOL;
    if (n->kind == NODE_DOUBLE) {
        fcl_float_write(FCL_F64, n->real, at);
        return 8;
    }
    fcl_bits_write(t, (uint64_t)n->integer, at);
    return t == FCL_BOOL ? 1 : 4;
}

/* All of one kind of literal, which a constant can hold. */
static bool is_literal_vector(const tail_node *n)
{
    tail_kind k = n->nparts ? n->parts[0]->kind : NODE_APPLY;
    bool ok = k == NODE_INT || k == NODE_DOUBLE || k == NODE_BOOL || k == NODE_CHAR;
    for (size_t i = 1; ok && i < n->nparts; i++)
        ok = n->parts[i]->kind == k;
    return ok;
}

static tail_base literal_base(tail_kind k)
{
    return k == NODE_INT      ? BASE_INT
           : k == NODE_DOUBLE ? BASE_DOUBLE
           : k == NODE_BOOL   ? BASE_BOOL
                              : BASE_CHAR;
}

static fcl_scalar scalar_of(tail_base base)
{
    return base == BASE_DOUBLE ? FCL_F64
           : base == BASE_BOOL ? FCL_BOOL
           : base == BASE_CHAR ? FCL_U32
                               : FCL_I32;
}

static tail_value literal_vector(builder *b, const tail_node *n)
{
    tail_base base = literal_base(n->parts[0]->kind);
    unsigned char *bytes = tail_alloc(b->p, n->nparts, 8);
    int32_t *values = tail_alloc(b->p, n->nparts, sizeof *values);
    size_t size = 0;
    for (size_t i = 0; bytes && values && i < n->nparts; i++) {
        size += literal_bytes(n->parts[i], bytes + size);
        values[i] = (int32_t)n->parts[i]->integer;
    }
    fcl_value v = tb_op_constant(b, scalar_of(base), &n->nparts, 1, bytes, size);
    tail_value out = tb_vector(b, base, (int64_t)n->nparts, v);
    if (base == BASE_INT || base == BASE_BOOL)
        out.type.values = values;
    return out;
}

/* The base of a vector is that of its elements, whatever is of any base apart. */
static tail_base common_base(const tail_value *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (items[i].type.base != BASE_ANY)
            return items[i].type.base;
    return BASE_ANY;
}

/* Known where all elements are. */
static void know_elements(builder *b, tail_value *v, const tail_value *items, size_t n)
{
    int32_t *values = tail_alloc(b->p, n ? n : 1, sizeof *values);
    for (size_t i = 0; values && i < n; i++)
        if (!tb_known(&items[i], 0, &values[i]))
            return;
    v->type.values = values;
}

static tail_value build_vector(builder *b, const tail_node *n)
{
    if (is_literal_vector(n))
        return literal_vector(b, n);
    tail_value *items = tail_alloc(b->p, n->nparts, sizeof *items);
    fcl_value *args = tail_alloc(b->p, n->nparts, sizeof *args);
    if (!items || !args)
        return tb_nothing();
    for (size_t i = 0; i < n->nparts; i++)
        items[i] = tb_build(b, n->parts[i]);
    tail_type t = tb_type_of(common_base(items, n->nparts), 0);
    for (size_t i = 0; i < n->nparts; i++) {
        tb_set_place(b, n->parts[i]->at);
        items[i] = tb_as_type(b, &items[i], &t, "an element of this vector");
        args[i] = items[i].v;
    }
    tb_set_place(b, n->at);
    fcl_value v = tb_op_array(b, tb_core_type(b, t.base), args, n->nparts);
    tail_value out = tb_vector(b, t.base, (int64_t)n->nparts, v);
    if (t.base == BASE_INT || t.base == BASE_BOOL)
        know_elements(b, &out, items, n->nparts);
    return out;
}

/* ---- tuples ---- */

/* Parentheses around a single expression mean nothing. */
static tail_value build_tuple(builder *b, const tail_node *n)
{
    if (n->nparts == 1)
        return tb_build(b, n->parts[0]);
    tail_value out = {.type = {.base = BASE_TUPLE, .nitems = n->nparts, .length = LENGTH_UNKNOWN}};
    out.items = tail_alloc(b->p, n->nparts, sizeof *out.items);
    out.type.items = tail_alloc(b->p, n->nparts, sizeof *out.type.items);
    if (!out.items || !out.type.items)
        return tb_nothing();
    for (size_t i = 0; i < n->nparts; i++) {
        out.items[i] = tb_build(b, n->parts[i]);
        out.type.items[i] = out.items[i].type;
    }
    tb_set_place(b, n->at);
    if (!n->nparts)
        tb_wrong_type(b, "a tuple has two components or more");
    return out;
}

static tail_value build_projection(builder *b, const tail_node *n)
{
    tail_value t = tb_build(b, n->parts[0]);
    tb_set_place(b, n->at);
    if (t.type.base == BASE_TUPLE && (uint64_t)n->integer < t.type.nitems)
        return t.items[n->integer];
    tb_wrong_type(b, "this has no component %lld", (long long)n->integer);
    return t;
}

/* ---- variables and branches ---- */

/* The last body is built in the caller's place, so that a chain of any length needs no stack. */
static const tail_node *build_let(builder *b, const tail_node *n)
{
    tail_value v = tb_build(b, n->parts[0]);
    tb_set_place(b, n->decl->at);
    n->decl->value = tb_as_type(b, &v, &n->decl->type, "the value of this variable");
    return n->parts[1];
}

static tail_value build_if(builder *b, const tail_node *n)
{
    tail_value given = tb_build(b, n->parts[0]);
    tb_set_place(b, n->at);
    tail_type bool_type = tb_type_of(BASE_BOOL, 0);
    tail_value condition = tb_as_type(b, &given, &bool_type, "the condition");
    if ((n->parts[1]->does | n->parts[2]->does) & DOES_ASSIGN)
        tail_fail(b->p, TAIL_PLACE, n->at, "assign to it outside, with condScl",
                  "an array is assigned to in a branch of this if");
    choice c = tb_choice_begin(b, condition.v);
    tail_value yes = tb_build(b, n->parts[1]);
    tb_choice_else(b, &c, tb_packed(b, &yes));
    tail_value no = tb_build(b, n->parts[2]);
    tb_set_place(b, n->at);
    tail_type t = yes.type;
    t.length = yes.type.length == no.type.length ? t.length : LENGTH_UNKNOWN;
    t.values = NULL;
    no = tb_as_type(b, &no, &t, "the other branch");
    return tb_unpacked(b, &t, tb_choice_end(b, &c, tb_packed(b, &no)));
}

/* ---- functions ---- */

tail_type tb_parameter_type(const tail_node *f)
{
    return f->kind == NODE_FUNCTION ? f->decl->type : tb_type_of(BASE_ANY, 0);
}

static tail_value apply(builder *b, const tail_node *n, const tail_node *function,
                        tail_value *args);

static tail_value call_primitive(builder *b, const tail_node *f, const tail_value *args, size_t n)
{
    enum { MOST = 3 };
    tail_value copy[MOST];
    if (n != tail_primitive_operands(f->primitive) || n > MOST) {
        tail_fail(b->p, TAIL_COUNT, f->at, NULL,
                  "%s takes %zu operands; a function of %zu is wanted",
                  tail_primitive_name(f->primitive), tail_primitive_operands(f->primitive), n);
        return tb_nothing();
    }
    memcpy(copy, args, n * sizeof *args);
    return apply(b, f, NULL, copy);
}

tail_value tb_call(builder *b, const tail_node *f, const tail_value *args, size_t n)
{
    if (f->kind == NODE_PRIMITIVE)
        return call_primitive(b, f, args, n);
    if (f->kind != NODE_FUNCTION || n == 0) {
        tail_fail(b->p, TAIL_COUNT, f->at, NULL, "a function of %s is wanted here",
                  n > 1 ? "two parameters" : "one parameter");
        return tb_nothing();
    }
    tb_set_place(b, f->decl->at);
    f->decl->value = tb_as_type(b, &args[0], &f->decl->type, "what this parameter is given");
    return n > 1 ? tb_call(b, f->parts[0], args + 1, n - 1) : tb_build(b, f->parts[0]);
}

/* ---- operations ---- */

typedef struct primitive_row {
    tail_value (*make)(const application *a);
    bool takes_function;
} primitive_row;

static const primitive_row rows[] = {
#define SCALAR(name, ...)                    [PRIM_##name] = {tb_primitive, false},
#define PRIMITIVE(name, operands, FORM, ...) [PRIM_##name] = {tb_##FORM, false},
#define HIGHER(name, operands, FORM, ...)    [PRIM_##name] = {tb_##FORM, true},
#include "frontends/tail/primitives.def"
#undef SCALAR
#undef PRIMITIVE
#undef HIGHER
};

static tail_value apply(builder *b, const tail_node *n, const tail_node *function, tail_value *args)
{
    tb_set_place(b, n->at);
    application a = {
        .b = b, .node = n, .primitive = n->primitive, .function = function, .args = args};
    if (rows[n->primitive].takes_function && !function) {
        tail_fail(b->p, TAIL_TYPE, n->at, NULL, "%s itself is given a function: write it out",
                  tail_primitive_name(n->primitive));
        return tb_nothing();
    }
    return b->p->failed ? tb_nothing() : rows[n->primitive].make(&a);
}

static tail_value build_application(builder *b, const tail_node *n)
{
    bool higher = rows[n->primitive].takes_function;
    tail_value args[4] = {0};
    for (size_t i = higher; i < n->nparts && i < 4; i++)
        args[i] = tb_build(b, n->parts[i]);
    return apply(b, n, higher ? n->parts[0] : NULL, args);
}

tail_value tb_build(builder *b, const tail_node *n)
{
    while (n->kind == NODE_LET && !b->p->failed)
        n = build_let(b, n);
    if (b->p->failed)
        return tb_nothing();
    tb_set_place(b, n->at);
    switch (n->kind) {
    case NODE_INT: return known_scalar(b, BASE_INT, tb_int_of(b, n->integer), n->integer);
    case NODE_DOUBLE: return tb_scalar(BASE_DOUBLE, tb_double_of(b, n->real));
    case NODE_COMPLEX: return build_complex(b, n);
    case NODE_BOOL: return known_scalar(b, BASE_BOOL, tb_bool_of(b, n->integer), n->integer);
    case NODE_CHAR: return tb_scalar(BASE_CHAR, fcl_const_int(b->m, FCL_U32, n->integer));
    case NODE_VARIABLE: return n->decl->value;
    case NODE_LET: break;
    case NODE_IF: return build_if(b, n);
    case NODE_PROJECT: return build_projection(b, n);
    case NODE_TUPLE: return build_tuple(b, n);
    case NODE_VECTOR: return build_vector(b, n);
    case NODE_APPLY: return build_application(b, n);
    case NODE_FUNCTION:
    case NODE_PRIMITIVE: tb_wrong_type(b, "a function stands where a value is wanted"); break;
    }
    return tb_nothing();
}

/* ---- the kernel ---- */

/* What is printed is given as results, in order, and the value of the program as the last one. */
bool tail_build(tail_program *p)
{
    builder b = {.p = p, .m = p->m};
    fcl_at(p->m, p->name, 1, 1);
    fcl_func kernel = fcl_function(p->m, "main", true);
    b.r = b.body = fcl_body(p->m, kernel);
    tail_value v = tb_build(&b, p->root);
    if (p->failed || !tb_show(&b, &v))
        return false;
    tb_show_all(&b, kernel);
    return fcl_built(p->m);
}
