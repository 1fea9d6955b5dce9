/* The public interface, as a front end uses it: building, failing, passes, signatures, running, two contexts at once.
 * Nothing but fcl.h is included. */
#include "libfcl/fcl.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *api_suite(void);

static fcl_context *new_context(void)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    ck_assert_ptr_nonnull(cx);
    return cx;
}

/* Nothing was reported; shows what was. */
static void expect_silence(fcl_context *cx)
{
    size_t n = fcl_diagnostic_count(cx);
    ck_assert_msg(n == 0, "%s", n ? fcl_diagnostic_text(cx, 0) : "");
}

/* Exactly one diagnostic, with this code; forgets it. */
static void expect_code(fcl_context *cx, unsigned code)
{
    fcl_diagnostic d;
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 1);
    ck_assert(fcl_diagnostic_get(cx, 0, &d));
    ck_assert_msg(d.code == code, "E%04u expected: %s", code, fcl_diagnostic_text(cx, 0));
    fcl_diagnostics_clear(cx);
}

static fcl_module *load(fcl_context *cx, const char *text)
{
    fcl_module *m = fcl_module_load(cx, "test", text, strlen(text), NULL);
    expect_silence(cx);
    ck_assert_ptr_nonnull(m);
    return m;
}

static void check_module(fcl_context *cx, fcl_module *m)
{
    bool ok = fcl_module_check(m);
    expect_silence(cx);
    ck_assert(ok);
}

static void expect_same_text(fcl_context *cx, fcl_module *x, fcl_module *y)
{
    size_t nx, ny;
    char *tx = fcl_module_print(x, &nx), *ty = fcl_module_print(y, &ny);
    expect_silence(cx);
    ck_assert_ptr_nonnull(tx);
    ck_assert_ptr_nonnull(ty);
    ck_assert_uint_eq(nx, strlen(tx));
    ck_assert_str_eq(tx, ty);
    fcl_free(cx, tx, nx);
    fcl_free(cx, ty, ny);
}

/* ---- the builder says everything that the text can say ---- */

static const char everything[] =
    "fcl 0.1\n"
    "fun @step<'a: BT, l>(%f: 'a -> 'a -> 'a, %xs: ['a]) -> ['a]<l> {\n"
    "  %n = length %xs\n"
    "  %h = div %n, 2\n"
    "  %ys = generate %h { (%i: int)\n"
    "    %j = add %i, %h\n"
    "    %x = index %xs, %i\n"
    "    %y = index %xs, %j\n"
    "    %z = apply %f, %x, %y\n"
    "    yield %z\n"
    "  }\n"
    "  %r = push<l> %ys\n"
    "  return %r\n"
    "}\n"
    "fun @at(%g: <l> -> [int] -> [int]<l>, %xs: [int]) -> [int]<block> {\n"
    "  %h = lapply<block> %g\n"
    "  %r = apply %h, %xs\n"
    "  return %r\n"
    "}\n"
    "fun @plus(%x: int, %y: int) {\n"
    "  %z = add %x, %y\n"
    "  return %z\n"
    "}\n"
    "fun @up<l>(%xss: [[int]<l>]) -> [int]<1+l> {\n"
    "  %r = concat 4, %xss\n"
    "  return %r\n"
    "}\n"
    "kernel @main(%n: int, %d: double, %xs: [int], %m: [(int, double);2]) -> [int]<grid> {\n"
    "  %pl = func @plus\n"
    "  %lv = fn<k> { (%x: [int])\n"
    "    %y = push<k> %x\n"
    "    yield %y\n"
    "  }\n"
    "  %a = call @at(%lv, %xs)\n"
    "  %fa = force %a\n"
    "  %same = fn<'b> { (%x: 'b)\n"
    "    yield %x\n"
    "  }\n"
    "  %n2 = apply %same, %n\n"
    "  %pr = tuple %n2, %d\n"
    "  %p0 = proj %pr, 0\n"
    "  %c = lt %p0, 10\n"
    "  %k = if %c {\n"
    "    %q = mul %p0, 2\n"
    "    yield %q\n"
    "  } {\n"
    "    yield 7\n"
    "  }\n"
    "  %di = convert<int> %d\n"
    "  %bits = bitcast<u64> 1.5\n"
    "  %lo = convert<int> %bits\n"
    "  %e = dim %m, 1\n"
    "  %s1 = add %k, %di\n"
    "  %s2 = add %s1, %lo\n"
    "  %s3 = select true, %s2, %e\n"
    "  %bs = blocksize\n"
    "  %arr = array %s3, %bs, 3\n"
    "  %none: [int] = array\n"
    "  %len = length %none\n"
    "  %b = call @step<int, block>(%pl, %fa)\n"
    "  %w = while %b { (%ws: [int])\n"
    "    %wl = length %ws\n"
    "    %more = gt %wl, 1\n"
    "    yield %more\n"
    "  } { (%ws: [int])\n"
    "    %half = call @step<int, block>(%pl, %ws)\n"
    "    yield %half\n"
    "  }\n"
    "  %parts = generate 4 { (%i)\n"
    "    %o = map %arr { (%v)\n"
    "      %ov = add %v, %i\n"
    "      yield %ov\n"
    "    }\n"
    "    %ob = push<block> %o\n"
    "    yield %ob\n"
    "  }\n"
    "  %out = interleave 12, %parts { (%i: int, %j: int)\n"
    "    %base = mul %j, 4\n"
    "    %pos = add %base, %i\n"
    "    yield %pos\n"
    "  }\n"
    "  return %out\n"
    "}\n";

/* An operation whose result has a name. */
static fcl_value op(fcl_module *m, fcl_region r, const char *name, const char *code, size_t n, const fcl_value *args)
{
    fcl_value v = fcl_op(m, r, code, args, n);
    fcl_value_name(m, v, name);
    return v;
}

#define OP(r, name, code, ...)                                                                                         \
    op(m, (r), (name), (code), sizeof((fcl_value[]){__VA_ARGS__}) / sizeof(fcl_value), (fcl_value[]){__VA_ARGS__})

static fcl_value named(fcl_module *m, fcl_value v, const char *name)
{
    fcl_value_name(m, v, name);
    return v;
}

static fcl_value integer(fcl_module *m, int64_t x)
{
    return fcl_const_int(m, FCL_I32, x);
}

static fcl_func build_step(fcl_module *m)
{
    fcl_func f = fcl_function(m, "step", false);
    fcl_type a = fcl_type_var(m, fcl_type_param(m, f, "a", FCL_BT));
    fcl_level l = fcl_level_var(fcl_level_param(m, f, "l"));
    fcl_type pull = fcl_type_pull(m, a, 1);
    fcl_region r = fcl_body(m, f), g;
    fcl_value fn = fcl_param(m, r, "f", fcl_type_function(m, a, fcl_type_function(m, a, a)));
    fcl_value xs = fcl_param(m, r, "xs", pull);
    fcl_result_type(m, f, fcl_type_push(m, a, 1, l));
    fcl_value n = OP(r, "n", "length", xs);
    fcl_value h = OP(r, "h", "div", n, integer(m, 2));
    fcl_value ys = named(m, fcl_op_regions(m, r, "generate", &h, 1, &g), "ys");
    fcl_value i = fcl_param(m, g, "i", fcl_type_scalar(m, FCL_I32));
    fcl_value j = OP(g, "j", "add", i, h);
    fcl_value x = OP(g, "x", "index", xs, i);
    fcl_value y = OP(g, "y", "index", xs, j);
    fcl_yield(m, g, OP(g, "z", "apply", fn, x, y));
    fcl_return(m, r, named(m, fcl_op_level(m, r, "push", l, ys), "r"));
    return f;
}

static fcl_func build_at(fcl_module *m)
{
    fcl_func f = fcl_function(m, "at", false);
    fcl_type i = fcl_type_scalar(m, FCL_I32), pull = fcl_type_pull(m, i, 1);
    fcl_tvar l = fcl_level_variable(m, "l");
    fcl_type push = fcl_type_push(m, i, 1, fcl_level_var(l));
    fcl_region r = fcl_body(m, f);
    fcl_value g = fcl_param(m, r, "g", fcl_type_level_function(m, l, fcl_type_function(m, pull, push)));
    fcl_value xs = fcl_param(m, r, "xs", pull);
    fcl_result_type(m, f, fcl_type_push(m, i, 1, fcl_level_const(FCL_BLOCK)));
    fcl_value h = named(m, fcl_op_level(m, r, "lapply", fcl_level_const(FCL_BLOCK), g), "h");
    fcl_return(m, r, OP(r, "r", "apply", h, xs));
    return f;
}

static fcl_func build_plus(fcl_module *m)
{
    fcl_func f = fcl_function(m, "plus", false);
    fcl_type i = fcl_type_scalar(m, FCL_I32);
    fcl_region r = fcl_body(m, f);
    fcl_value x = fcl_param(m, r, "x", i), y = fcl_param(m, r, "y", i);
    fcl_return(m, r, OP(r, "z", "add", x, y));
    return f;
}

static void build_up(fcl_module *m)
{
    fcl_func f = fcl_function(m, "up", false);
    fcl_level l = fcl_level_var(fcl_level_param(m, f, "l"));
    fcl_type i = fcl_type_scalar(m, FCL_I32);
    fcl_region r = fcl_body(m, f);
    fcl_value xss = fcl_param(m, r, "xss", fcl_type_pull(m, fcl_type_push(m, i, 1, l), 1));
    fcl_result_type(m, f, fcl_type_push(m, i, 1, fcl_level_succ(l)));
    fcl_return(m, r, OP(r, "r", "concat", integer(m, 4), xss));
}

/* The part of @main up to %n2: functions as values. */
static fcl_value build_functions(fcl_module *m, fcl_region r, fcl_func at, fcl_value n, fcl_value xs, fcl_value *fa)
{
    fcl_region g;
    fcl_tvar k, b;
    fcl_value lv = named(m, fcl_fn(m, r, 0, NULL, 1, (const char *const[]){"k"}, &k, &g), "lv");
    fcl_value x = fcl_param(m, g, "x", fcl_type_pull(m, fcl_type_scalar(m, FCL_I32), 1));
    fcl_yield(m, g, named(m, fcl_op_level(m, g, "push", fcl_level_var(k), x), "y"));
    fcl_value a = named(m, fcl_call(m, r, at, NULL, 0, NULL, 0, (fcl_value[]){lv, xs}, 2), "a");
    *fa = OP(r, "fa", "force", a);
    fcl_value same = named(m, fcl_fn(m, r, 1, (const char *const[]){"b"}, 0, NULL, &b, &g), "same");
    fcl_yield(m, g, fcl_param(m, g, "x", fcl_type_var(m, b)));
    return OP(r, "n2", "apply", same, n);
}

/* From %pr to %arr: scalars. */
static fcl_value build_scalars(fcl_module *m, fcl_region r, fcl_value n2, fcl_value d, fcl_value matrix)
{
    fcl_region branch[2];
    fcl_value pr = OP(r, "pr", "tuple", n2, d);
    fcl_value p0 = OP(r, "p0", "proj", pr, integer(m, 0));
    fcl_value c = OP(r, "c", "lt", p0, integer(m, 10));
    fcl_value k = named(m, fcl_op_regions(m, r, "if", &c, 1, branch), "k");
    fcl_yield(m, branch[0], OP(branch[0], "q", "mul", p0, integer(m, 2)));
    fcl_yield(m, branch[1], integer(m, 7));
    fcl_type i = fcl_type_scalar(m, FCL_I32), u64 = fcl_type_scalar(m, FCL_U64);
    fcl_value di = named(m, fcl_op_type(m, r, "convert", i, d), "di");
    fcl_value bits = named(m, fcl_op_type(m, r, "bitcast", u64, fcl_const_float(m, FCL_F64, 1.5)), "bits");
    fcl_value lo = named(m, fcl_op_type(m, r, "convert", i, bits), "lo");
    fcl_value e = OP(r, "e", "dim", matrix, integer(m, 1));
    fcl_value s1 = OP(r, "s1", "add", k, di);
    fcl_value s2 = OP(r, "s2", "add", s1, lo);
    fcl_value s3 = OP(r, "s3", "select", fcl_const_bool(m, true), s2, e);
    fcl_value bs = op(m, r, "bs", "blocksize", 0, NULL);
    fcl_value arr = fcl_op_array(m, r, 0, (fcl_value[]){s3, bs, integer(m, 3)}, 3);
    fcl_value none = named(m, fcl_op_array(m, r, i, NULL, 0), "none");
    OP(r, "len", "length", none);
    return named(m, arr, "arr");
}

static void build_while(fcl_module *m, fcl_region r, fcl_func step, fcl_value pl, fcl_value fa)
{
    fcl_region loop[2];
    fcl_type i = fcl_type_scalar(m, FCL_I32), pull = fcl_type_pull(m, i, 1);
    fcl_level block = fcl_level_const(FCL_BLOCK);
    fcl_value b = named(m, fcl_call(m, r, step, &i, 1, &block, 1, (fcl_value[]){pl, fa}, 2), "b");
    named(m, fcl_op_regions(m, r, "while", &b, 1, loop), "w");
    fcl_value ws = fcl_param(m, loop[0], "ws", pull);
    fcl_value wl = OP(loop[0], "wl", "length", ws);
    fcl_yield(m, loop[0], OP(loop[0], "more", "gt", wl, integer(m, 1)));
    ws = fcl_param(m, loop[1], "ws", pull);
    fcl_value half = fcl_call(m, loop[1], step, &i, 1, &block, 1, (fcl_value[]){pl, ws}, 2);
    fcl_yield(m, loop[1], named(m, half, "half"));
}

static void build_interleave(fcl_module *m, fcl_region r, fcl_value arr)
{
    fcl_region outer, inner, place;
    fcl_type int32 = fcl_type_scalar(m, FCL_I32);
    fcl_value four = integer(m, 4);
    fcl_value parts = named(m, fcl_op_regions(m, r, "generate", &four, 1, &outer), "parts");
    fcl_value i = fcl_param(m, outer, "i", 0);
    fcl_value o = named(m, fcl_op_regions(m, outer, "map", &arr, 1, &inner), "o");
    fcl_value v = fcl_param(m, inner, "v", 0);
    fcl_yield(m, inner, OP(inner, "ov", "add", v, i));
    fcl_yield(m, outer, named(m, fcl_op_level(m, outer, "push", fcl_level_const(FCL_BLOCK), o), "ob"));
    fcl_value out = fcl_op_regions(m, r, "interleave", (fcl_value[]){integer(m, 12), parts}, 2, &place);
    i = fcl_param(m, place, "i", int32);
    fcl_value j = fcl_param(m, place, "j", int32);
    fcl_value base = OP(place, "base", "mul", j, integer(m, 4));
    fcl_yield(m, place, OP(place, "pos", "add", base, i));
    fcl_return(m, r, named(m, out, "out"));
}

static void build_main(fcl_module *m, fcl_func step, fcl_func at, fcl_func plus)
{
    fcl_func f = fcl_function(m, "main", true);
    fcl_type i = fcl_type_scalar(m, FCL_I32), d = fcl_type_scalar(m, FCL_F64);
    fcl_type pair = fcl_type_tuple(m, (fcl_type[]){i, d}, 2);
    fcl_region r = fcl_body(m, f);
    fcl_value n = fcl_param(m, r, "n", i), dv = fcl_param(m, r, "d", d);
    fcl_value xs = fcl_param(m, r, "xs", fcl_type_pull(m, i, 1));
    fcl_value matrix = fcl_param(m, r, "m", fcl_type_pull(m, pair, 2)), fa;
    fcl_result_type(m, f, fcl_type_push(m, i, 1, fcl_level_const(FCL_GRID)));
    fcl_value pl = named(m, fcl_func_value(m, r, plus, NULL, 0, NULL, 0), "pl");
    fcl_value n2 = build_functions(m, r, at, n, xs, &fa);
    fcl_value arr = build_scalars(m, r, n2, dv, matrix);
    build_while(m, r, step, pl, fa);
    build_interleave(m, r, arr);
}

static fcl_module *build_everything(fcl_context *cx)
{
    fcl_module *m = fcl_module_create(cx);
    ck_assert_ptr_nonnull(m);
    fcl_func step = build_step(m), at = build_at(m), plus = build_plus(m);
    build_up(m);
    build_main(m, step, at, plus);
    ck_assert(fcl_built(m));
    expect_silence(cx);
    return m;
}

START_TEST(builder_says_what_text_says)
{
    fcl_context *cx = new_context();
    fcl_module *built = build_everything(cx), *read = load(cx, everything);
    expect_same_text(cx, built, read);
    check_module(cx, read);
    check_module(cx, built);
    expect_same_text(cx, built, read);
    fcl_module_destroy(built);
    fcl_module_destroy(read);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(schemes_can_be_built)
{
    fcl_context *cx = new_context();
    fcl_module *m = fcl_module_create(cx);
    fcl_tvar a = fcl_type_variable(m, "a", FCL_TYP), b = fcl_type_variable(m, "b", FCL_TYP);
    fcl_type ta = fcl_type_var(m, a), tb = fcl_type_var(m, b);
    fcl_type x = fcl_type_forall(m, a, fcl_type_function(m, ta, ta));
    ck_assert_uint_ne(x, 0);
    ck_assert_uint_eq(x, fcl_type_forall(m, b, fcl_type_function(m, tb, tb)));
    ck_assert_uint_eq(fcl_type_pull(m, ta, 2), fcl_type_pull(m, ta, 2));
    ck_assert_uint_ne(fcl_type_pull(m, ta, 2), fcl_type_pull(m, ta, 1));
    ck_assert(fcl_built(m));
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- builder errors ---- */

/* Each breaks a fresh module, which has a function f with body r. */
static void bad_operator(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_op(m, r, "frobnicate", NULL, 0);
}

static void bad_count(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_op(m, r, "add", (fcl_value[]){integer(m, 1)}, 1);
}

static void bad_form(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_op(m, r, "push", (fcl_value[]){integer(m, 1)}, 1);
}

static void bad_operand(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_op(m, r, "neg", (fcl_value[]){12345}, 1);
}

static void bad_region(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_param(m, r + 100, "x", fcl_type_scalar(m, FCL_I32));
}

static void bad_end(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_yield(m, r, integer(m, 1));
}

static void ended_twice(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_return(m, r, integer(m, 1));
    fcl_return(m, r, integer(m, 1));
}

static void late_param(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_type t = fcl_type_scalar(m, FCL_I32);
    fcl_param(m, r, "x", t);
    integer(m, 1);
    fcl_param(m, r, "y", t);
}

static void type_after_level(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)r;
    fcl_level_param(m, f, "l");
    fcl_type_param(m, f, "a", FCL_KIND_INFER);
}

static void level_for_type(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)r;
    fcl_type_var(m, fcl_level_param(m, f, "l"));
}

static void bad_level(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f, (void)r;
    fcl_type_push(m, fcl_type_scalar(m, FCL_I32), 1, fcl_level_const((fcl_height)9));
}

static void bad_rank(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f, (void)r;
    fcl_type_pull(m, fcl_type_scalar(m, FCL_I32), 9);
}

static void deep_type(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f, (void)r;
    fcl_type t = fcl_type_scalar(m, FCL_I32);
    for (int i = 0; i < 1000; i++)
        t = fcl_type_pull(m, t, 1);
}

static void deep_region(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_value n = integer(m, 1);
    for (int i = 0; i < 1000; i++)
        fcl_op_regions(m, r, "generate", &n, 1, &r);
}

static void taken_name(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f, (void)r;
    fcl_function(m, "f", false);
}

static void bad_name(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f, (void)r;
    fcl_function(m, "a b", false);
}

static void wide_literal(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f, (void)r;
    fcl_const_int(m, FCL_I8, 128);
}

static void bad_literal(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f, (void)r;
    fcl_const_float(m, FCL_I32, 1);
}

static void empty_array(fcl_module *m, fcl_func f, fcl_region r)
{
    (void)f;
    fcl_op_array(m, r, 0, NULL, 0);
}

static void (*const mistakes[])(fcl_module *m, fcl_func f, fcl_region r) = {
    bad_operator, bad_count,        bad_form,       bad_operand, bad_region,  bad_end,   ended_twice,
    late_param,   type_after_level, level_for_type, bad_level,   bad_rank,    deep_type, deep_region,
    taken_name,   bad_name,         wide_literal,   bad_literal, empty_array,
};

START_TEST(builder_errors_are_sticky)
{
    fcl_context *cx = new_context();
    fcl_module *m = fcl_module_create(cx);
    fcl_func f = fcl_function(m, "f", false);
    fcl_at(m, "source.apl", 12, 5);
    mistakes[_i](m, f, fcl_body(m, f));
    ck_assert(!fcl_built(m));
    fcl_diagnostic d;
    ck_assert(fcl_diagnostic_get(cx, 0, &d));
    ck_assert_str_eq(d.file, "source.apl");
    ck_assert(d.line == 12 && d.column == 5);
    expect_code(cx, 850);
    ck_assert_uint_eq(integer(m, 1), 0);
    ck_assert_uint_eq(fcl_function(m, "g", true), 0);
    fcl_region regions[2] = {1, 1};
    ck_assert_uint_eq(fcl_op_regions(m, 0, "if", NULL, 1, regions), 0);
    ck_assert(regions[0] == 0 && regions[1] == 0);
    expect_silence(cx);
    size_t size;
    ck_assert_ptr_null(fcl_module_print(m, &size));
    expect_code(cx, 856);
    ck_assert(!fcl_module_check(m));
    expect_code(cx, 856);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- loading ---- */

START_TEST(a_bad_text_is_no_module)
{
    static const char text[] = "fcl 0.1\nfun @f() {\n  %x = add 1\n  %y = sub 2\n  return %x\n}\n";
    fcl_context *cx = new_context();
    fcl_module *m = fcl_module_load(cx, "bad", text, sizeof text - 1, NULL);
    bool refused = !m || !fcl_module_check(m);
    ck_assert(refused);
    ck_assert_uint_ge(fcl_diagnostic_count(cx), 2);
    fcl_diagnostic d;
    ck_assert(fcl_diagnostic_get(cx, 0, &d));
    ck_assert_str_eq(d.file, "bad");
    ck_assert_uint_eq(d.line, 3);
    ck_assert_ptr_nonnull(strstr(fcl_diagnostic_text(cx, 0), "bad:3:"));
    ck_assert(!fcl_diagnostic_get(cx, 100, &d));
    ck_assert_str_eq(fcl_diagnostic_text(cx, 100), "");
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

static bool find_other(void *user, const char *name, const char **text, size_t *size)
{
    static const char other[] = "fcl 0.1\n"
                                "fun @inc(%x: int) {\n  %y = add %x, 1\n  return %y\n}\n"
                                "fun @inc2(%x: int) {\n  %y = call @inc(%x)\n  %z = call @inc(%y)\n  return %z\n}\n"
                                "fun @unused(%x: int) {\n  return %x\n}\n";
    ++*(int *)user;
    *text = other;
    *size = sizeof other - 1;
    return strcmp(name, "other") == 0;
}

static const char importing[] = "fcl 0.1\n"
                                "import \"other\"\n"
                                "kernel @k(%n: int) -> [int]<grid> {\n"
                                "  %u = add %n, 5\n"
                                "  %r = generate %n { (%i: int)\n"
                                "    %w = mul %i, 3\n"
                                "    %v = call @inc2(%i)\n"
                                "    yield %v\n"
                                "  }\n"
                                "  %p = push<grid> %r\n"
                                "  return %p\n"
                                "}\n";

static const char linked[] =
    "fcl 0.1\n"
    "fun @inc(%x: int) {\n  %y = add %x, 1 loc(\"other\":3:8)\n  return %y loc(\"other\":4:3)\n}\n"
    "fun @inc2(%x: int) {\n"
    "  %y = call @inc(%x) loc(\"other\":7:8)\n"
    "  %z = call @inc(%y) loc(\"other\":8:8)\n"
    "  return %z loc(\"other\":9:3)\n"
    "}\n"
    "kernel @k(%n: int) -> [int]<grid> {\n"
    "  %r = generate %n { (%i: int)\n"
    "    %v = call @inc2(%i)\n"
    "    yield %v\n"
    "  }\n"
    "  %p = push<grid> %r\n"
    "  return %p\n"
    "}\n";

START_TEST(passes_link_and_clean)
{
    int asked = 0;
    fcl_context *cx = new_context();
    fcl_load_options o = {.import = find_other, .import_user = &asked};
    fcl_module *m = fcl_module_load(cx, "importing", importing, sizeof importing - 1, &o);
    expect_silence(cx);
    ck_assert_int_eq(asked, 1);
    ck_assert_uint_eq(fcl_kernel_count(m), 1);
    fcl_module *want = load(cx, linked);
    for (size_t i = 0; i < fcl_pass_count(); i++) {
        ck_assert(fcl_pass_run(m, fcl_pass_name(i)));
        ck_assert(*fcl_pass_summary(i));
    }
    check_module(cx, want);
    check_module(cx, m);
    expect_same_text(cx, m, want);
    ck_assert(!fcl_pass_run(m, "polish"));
    expect_code(cx, 853);
    fcl_module_destroy(want);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(an_unknown_import_is_refused)
{
    fcl_context *cx = new_context();
    ck_assert_ptr_null(fcl_module_load(cx, "importing", importing, sizeof importing - 1, NULL));
    ck_assert_uint_ge(fcl_diagnostic_count(cx), 1);
    fcl_diagnostics_clear(cx);
    fcl_module *m = fcl_module_create(cx);
    ck_assert(fcl_import(m, "prelude", NULL));
    ck_assert(!fcl_import(m, "postlude", NULL));
    ck_assert_uint_ge(fcl_diagnostic_count(cx), 1);
    ck_assert(!fcl_built(m));
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- signatures and running ---- */

static const char dot[] = "fcl 0.1\n"
                          "kernel @scale(%k: int, %ps: [(int, double)]) -> ([int]<grid>, [double]<grid>) {\n"
                          "  %a = map %ps { (%p)\n"
                          "    %x = proj %p, 0\n"
                          "    %y = mul %x, %k\n"
                          "    yield %y\n"
                          "  }\n"
                          "  %b = map %ps { (%p)\n"
                          "    %x = proj %p, 1\n"
                          "    yield %x\n"
                          "  }\n"
                          "  %pa = push<grid> %a\n"
                          "  %pb = push<grid> %b\n"
                          "  %r = tuple %pa, %pb\n"
                          "  return %r\n"
                          "}\n";

START_TEST(a_signature_has_leaves)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, dot);
    fcl_signature s;
    ck_assert(fcl_kernel_signature(m, "scale", &s));
    ck_assert(s.nparams == 2 && s.nresults == 2 && s.nleaves_in == 3 && s.nleaves_out == 2);
    fcl_leaf l;
    ck_assert(fcl_kernel_leaf_in(m, NULL, 2, &l));
    ck_assert(l.param == 1 && l.type == FCL_F64 && l.rank == 1);
    ck_assert_str_eq(l.name, "ps");
    ck_assert_str_eq(l.type_text, "[(int, double)]");
    ck_assert(fcl_kernel_leaf_out(m, "scale", 1, &l));
    ck_assert(l.param == 1 && l.type == FCL_F64 && l.rank == 1);
    ck_assert_str_eq(l.type_text, "[double]<grid>");
    ck_assert(!fcl_kernel_leaf_in(m, "scale", 3, &l));
    expect_silence(cx);
    ck_assert(!fcl_kernel_signature(m, "scald", &s));
    expect_code(cx, 851);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* Runs @scale with the arguments and expects this code; 0: success, with the results checked. */
static void run_scale(fcl_context *cx, fcl_module *m, const char *device, const fcl_array *args, size_t n,
                      unsigned code)
{
    fcl_array out[2] = {{0}, {0}};
    fcl_device *d = fcl_device_open(cx, device);
    expect_silence(cx);
    bool ok = fcl_run(m, "scale", d, NULL, args, n, out, 2);
    ck_assert(ok == (code == 0));
    if (code) {
        expect_code(cx, code);
        ck_assert_ptr_null(out[0].data);
    } else {
        expect_silence(cx);
        ck_assert(out[0].type == FCL_I32 && out[0].rank == 1 && out[0].dims[0] == 3);
        ck_assert_int_eq(((int32_t *)out[0].data)[2], 30);
        ck_assert_double_eq(((double *)out[1].data)[1], 0.5);
        fcl_results_free(cx, out, 2);
    }
    fcl_device_close(d);
}

START_TEST(arguments_are_checked)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, dot);
    int32_t k = 10, xs[] = {1, 2, 3};
    double ys[] = {0.25, 0.5, 0.75};
    fcl_array good[] = {{.type = FCL_I32, .data = &k},
                        {.type = FCL_I32, .rank = 1, .dims = {3}, .data = xs},
                        {.type = FCL_F64, .rank = 1, .dims = {3}, .data = ys}};
    for (size_t i = 0; i < fcl_device_count(cx); i++)
        run_scale(cx, m, fcl_device_name(cx, i), good, 3, 0);
    run_scale(cx, m, "interp", good, 2, 852);
    fcl_array bad[3];
    memcpy(bad, good, sizeof good);
    bad[2].dims[0] = 2;
    run_scale(cx, m, "interp", bad, 3, 852);
    memcpy(bad, good, sizeof good);
    bad[0].type = FCL_I64;
    run_scale(cx, m, "interp", bad, 3, 852);
    bad[0].type = (fcl_scalar)77;
    run_scale(cx, m, "interp", bad, 3, 852);
    memcpy(bad, good, sizeof good);
    bad[1].rank = 1000;
    run_scale(cx, m, "interp", bad, 3, 852);
    memcpy(bad, good, sizeof good);
    bad[1].dims[0] = bad[2].dims[0] = UINT64_MAX;
    run_scale(cx, m, "interp", bad, 3, 852);
    memcpy(bad, good, sizeof good);
    bad[1].data = NULL;
    run_scale(cx, m, "interp", bad, 3, 852);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(unknown_devices_and_targets)
{
    fcl_context *cx = new_context();
    static const char *const names[] = {"gpu", "openclx", "opencl:", "opencl:x", "opencl:-1", "opencl:99999999999", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_ptr_null(fcl_device_open(cx, names[i]));
        expect_code(cx, 855);
    }
    ck_assert_str_eq(fcl_device_name(cx, 0), "interp");
    ck_assert_ptr_null(fcl_device_name(cx, fcl_device_count(cx)));
    fcl_module *m = load(cx, dot);
    ck_assert_ptr_null(fcl_compile(m, &(fcl_compile_options){.target = "cobol"}));
    expect_code(cx, 854);
    ck_assert_ptr_null(fcl_compile(m, &(fcl_compile_options){.entry = "cobol"}));
    expect_code(cx, 851);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(an_artifact_has_its_texts)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, dot);
    fcl_artifact *a = fcl_compile(m, NULL);
    expect_silence(cx);
    ck_assert_ptr_nonnull(a);
    size_t n;
    const char *code = fcl_artifact_code(a, &n);
    ck_assert_uint_eq(strlen(code), n);
    ck_assert_ptr_nonnull(strstr(code, "scale"));
    ck_assert_uint_eq(strlen(fcl_artifact_plan(a, &n)), n);
    ck_assert_uint_gt(n, 0);
    size_t stages = fcl_artifact_stage_count(a);
    ck_assert_uint_ge(stages, 2);
    ck_assert_str_eq(fcl_artifact_stage_name(a, 0), "lower");
    ck_assert_ptr_eq(fcl_artifact_stage_text(a, stages - 1, &n), fcl_artifact_kernel_ir(a, &n));
    ck_assert_ptr_null(fcl_artifact_stage_text(a, stages, &n));
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- threads ---- */

static void *work(void *user)
{
    bool *ok = user;
    for (int i = 0; i < 20; i++) {
        fcl_context *cx = fcl_context_create(NULL, NULL);
        fcl_module *m = fcl_module_load(cx, "test", everything, sizeof everything - 1, NULL);
        size_t size;
        char *text = m && fcl_module_check(m) ? fcl_module_print(m, &size) : NULL;
        *ok = *ok && text && strstr(text, "interleave");
        if (text)
            fcl_free(cx, text, size);
        fcl_module_destroy(m);
        fcl_context_destroy(cx);
    }
    return NULL;
}

START_TEST(two_contexts_in_two_threads)
{
    pthread_t other;
    bool ok[2] = {true, true};
    ck_assert_int_eq(pthread_create(&other, NULL, work, &ok[1]), 0);
    work(&ok[0]);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    ck_assert(ok[0] && ok[1]);
}
END_TEST

START_TEST(version_is_that_of_the_header)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", FCL_VERSION_MAJOR, FCL_VERSION_MINOR, FCL_VERSION_PATCH);
    ck_assert_str_eq(fcl_version(), text);
}
END_TEST

Suite *api_suite(void)
{
    Suite *s = suite_create("api");
    TCase *t = tcase_create("api");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, builder_says_what_text_says);
    tcase_add_test(t, schemes_can_be_built);
    tcase_add_loop_test(t, builder_errors_are_sticky, 0, sizeof mistakes / sizeof *mistakes);
    tcase_add_test(t, a_bad_text_is_no_module);
    tcase_add_test(t, passes_link_and_clean);
    tcase_add_test(t, an_unknown_import_is_refused);
    tcase_add_test(t, a_signature_has_leaves);
    tcase_add_test(t, arguments_are_checked);
    tcase_add_test(t, unknown_devices_and_targets);
    tcase_add_test(t, an_artifact_has_its_texts);
    tcase_add_test(t, two_contexts_in_two_threads);
    tcase_add_test(t, version_is_that_of_the_header);
    suite_add_tcase(s, t);
    return s;
}
