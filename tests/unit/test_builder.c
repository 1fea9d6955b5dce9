/* The builder of the public interface: it says everything that the text can say, and its errors are
 * sticky. */
#include "tests/unit/api_world.h"

Suite *builder_suite(void);

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
static fcl_value op(fcl_module *m, fcl_region r, const char *name, const char *code, size_t n,
                    const fcl_value *args)
{
    fcl_value v = fcl_op(m, r, code, args, n);
    fcl_value_name(m, v, name);
    return v;
}

#define OP(r, name, code, ...)                                                                     \
    op(m, (r), (name), (code), sizeof((fcl_value[]){__VA_ARGS__}) / sizeof(fcl_value),             \
       (fcl_value[]){__VA_ARGS__})

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
    fcl_value g =
        fcl_param(m, r, "g", fcl_type_level_function(m, l, fcl_type_function(m, pull, push)));
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
static fcl_value build_functions(fcl_module *m, fcl_region r, fcl_func at, fcl_value n,
                                 fcl_value xs, fcl_value *fa)
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
static fcl_value build_scalars(fcl_module *m, fcl_region r, fcl_value n2, fcl_value d,
                               fcl_value matrix)
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
    fcl_value bits =
        named(m, fcl_op_type(m, r, "bitcast", u64, fcl_const_float(m, FCL_F64, 1.5)), "bits");
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
    fcl_yield(m, outer,
              named(m, fcl_op_level(m, outer, "push", fcl_level_const(FCL_BLOCK), o), "ob"));
    fcl_value out =
        fcl_op_regions(m, r, "interleave", (fcl_value[]){integer(m, 12), parts}, 2, &place);
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

/* Before the check the built module says the types of its int constants, which the text leaves to
 * their context. */
START_TEST(builder_says_what_text_says)
{
    fcl_context *cx = new_context();
    fcl_module *built = build_everything(cx), *read = load(cx, everything);
    check_module(cx, read);
    check_module(cx, built);
    expect_same_text(cx, built, read);
    fcl_module_destroy(built);
    fcl_module_destroy(read);
    fcl_context_destroy(cx);
}
END_TEST

/* What another module, or another kind, calls its own: 0 to 5 a type, value, function, region, type
 * variable and level of it. */
static uint32_t foreign[6];

/* Each call in a module of its own, since the first breaks it. */
static void use_foreign(fcl_module *m, int what)
{
    fcl_func f = fcl_function(m, "f", false);
    fcl_type t = fcl_type_scalar(m, FCL_I32);
    fcl_region r = fcl_body(m, f);
    fcl_value x = fcl_param(m, r, "x", t);
    fcl_value pair[2] = {x, foreign[1]};
    switch (what) {
    case 0: fcl_type_pull(m, foreign[0], 1); break;
    case 1: fcl_op(m, r, "add", pair, 2); break;
    case 2: fcl_call(m, r, foreign[2], NULL, 0, NULL, 0, &x, 1); break;
    case 3: fcl_op(m, foreign[3], "neg", &x, 1); break;
    case 4: fcl_type_var(m, foreign[4]); break;
    case 5: fcl_type_push(m, t, 1, foreign[5]); break;
    case 6: fcl_type_pull(m, x, 1); break;
    case 7: fcl_op(m, x, "neg", &x, 1); break;
    case 8: fcl_return(m, r, f); break;
    default: fcl_body(m, r); break;
    }
}

START_TEST(ids_belong_to_one_module_and_kind)
{
    fcl_context *cx = new_context(), *second = new_context();
    for (int contexts = 0; contexts < 2; contexts++) {
        fcl_module *other = fcl_module_create(contexts ? second : cx);
        fcl_func f = fcl_function(other, "f", false);
        fcl_tvar a = fcl_type_param(other, f, "a", FCL_TYP), l = fcl_level_param(other, f, "l");
        foreign[0] = fcl_type_scalar(other, FCL_I32);
        foreign[1] = fcl_param(other, fcl_body(other, f), "x", foreign[0]);
        foreign[2] = f;
        foreign[3] = fcl_body(other, f);
        foreign[4] = a;
        foreign[5] = fcl_level_var(l);
        for (int what = 0; what < 10; what++) {
            fcl_module *m = fcl_module_create(cx);
            use_foreign(m, what);
            ck_assert_msg(!fcl_built(m), "case %d", what);
            expect_code(cx, 850);
            fcl_module_destroy(m);
        }
        ck_assert(fcl_built(other));
        fcl_module_destroy(other);
    }
    fcl_context_destroy(second);
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
    bad_operator, bad_count,    bad_form,    bad_operand,      bad_region,
    bad_end,      ended_twice,  late_param,  type_after_level, level_for_type,
    bad_level,    bad_rank,     deep_type,   deep_region,      taken_name,
    bad_name,     wide_literal, bad_literal, empty_array,
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
    ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d));
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

/* ---- own functions and imported ones of the same name ---- */

static fcl_value call_of(fcl_module *m, fcl_func in, fcl_func f, fcl_value x)
{
    return fcl_call(m, fcl_body(m, in), f, NULL, 0, NULL, 0, &x, 1);
}

/* fun @first(%x: int), though prelude has a first. */
static fcl_func own_first(fcl_module *m, fcl_value *x)
{
    fcl_func f = fcl_function(m, "first", false);
    *x = fcl_param(m, fcl_body(m, f), "x", fcl_type_scalar(m, FCL_I32));
    return f;
}

START_TEST(own_functions_hide_imported_ones)
{
    fcl_context *cx = new_context();
    fcl_module *m = fcl_module_create(cx);
    ck_assert(fcl_import(m, "prelude", NULL));
    fcl_func imported = fcl_function_named(m, "first");
    fcl_value x, y;
    fcl_func own = own_first(m, &x);
    ck_assert(own && own != imported && fcl_function_named(m, "first") == own);
    fcl_return(m, fcl_body(m, own), x);
    fcl_func user = fcl_function(m, "user", false);
    y = fcl_param(m, fcl_body(m, user), "y", fcl_type_scalar(m, FCL_I32));
    fcl_return(m, fcl_body(m, user), call_of(m, user, own, y));
    ck_assert(fcl_module_check(m));
    expect_silence(cx);
    ck_assert(!fcl_function(m, "first", false));
    expect_code(cx, 850);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* An imported function that is hidden cannot be called, and one that is called cannot be hidden. */
START_TEST(calls_of_imported_functions_stay_what_they_are)
{
    fcl_context *cx = new_context();
    fcl_module *m = fcl_module_create(cx);
    ck_assert(fcl_import(m, "prelude", NULL));
    fcl_func imported = fcl_function_named(m, "first");
    fcl_func user = fcl_function(m, "user", false);
    fcl_type ints = fcl_type_pull(m, fcl_type_scalar(m, FCL_I32), 1);
    fcl_value xs = fcl_param(m, fcl_body(m, user), "xs", ints), x;
    if (_i)
        ck_assert(call_of(m, user, imported, xs) && !own_first(m, &x));
    else
        ck_assert(own_first(m, &x) && !call_of(m, user, imported, xs));
    expect_code(cx, 850);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

Suite *builder_suite(void)
{
    Suite *s = suite_create("builder");
    TCase *t = tcase_create("builder");
    tcase_add_test(t, builder_says_what_text_says);
    tcase_add_test(t, ids_belong_to_one_module_and_kind);
    tcase_add_test(t, schemes_can_be_built);
    tcase_add_loop_test(t, builder_errors_are_sticky, 0, sizeof mistakes / sizeof *mistakes);
    tcase_add_test(t, own_functions_hide_imported_ones);
    tcase_add_loop_test(t, calls_of_imported_functions_stay_what_they_are, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
