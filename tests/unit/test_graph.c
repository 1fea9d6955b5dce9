/* Graphs through fcl.h: where operations are bound, what is refused, and that size alone counts.
 * tests/graph builds whole programs anew. */
#include "tests/unit/api_world.h"

#include <stdlib.h>

Suite *graph_suite(void);

static fcl_context *cx;
static fcl_module *m;
static fcl_func f;
static fcl_region g;

/* fun @f(%n: int, %c: bool, %xs: [int]): its parameters. */
static fcl_value n, c, xs;

static void begin(bool kernel)
{
    cx = new_context();
    m = fcl_module_create(cx);
    f = fcl_function(m, "f", kernel);
    fcl_region body = fcl_body(m, f);
    n = fcl_param(m, body, "n", fcl_type_scalar(m, FCL_I32));
    c = fcl_param(m, body, "c", fcl_type_scalar(m, FCL_BOOL));
    xs = fcl_param(m, body, "xs", fcl_type_pull(m, fcl_type_scalar(m, FCL_I32), 1));
    g = fcl_graph(m, f);
}

static void setup(void)
{
    begin(false);
}

static void teardown(void)
{
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}

static fcl_value op1(const char *op, fcl_value x)
{
    return fcl_op(m, g, op, &x, 1);
}

static fcl_value op2(const char *op, fcl_value x, fcl_value y)
{
    return fcl_op(m, g, op, (fcl_value[]){x, y}, 2);
}

static fcl_value integer(int64_t x)
{
    return fcl_const_int(m, FCL_I32, x);
}

static fcl_value map(fcl_value of, fcl_region *body, fcl_value *x)
{
    fcl_value r = fcl_op_regions(m, g, "map", &of, 1, body);
    *x = fcl_param(m, *body, NULL, 0);
    return r;
}

static void expect_text(const char *body)
{
    size_t size;
    check_module(cx, m);
    char *text = fcl_module_print(m, &size);
    ck_assert_ptr_nonnull(text);
    const char *from = strstr(text, "{\n");
    ck_assert_ptr_nonnull(from);
    ck_assert_str_eq(from + 2, body);
    fcl_free(cx, text, size);
}

/* What depends on nothing inside goes out of both maps; an index stays where it is needed; what
 * nobody needs is gone. */
START_TEST(bindings_go_to_their_places)
{
    fcl_region outer, inner;
    fcl_value x, y;
    fcl_value rows = map(xs, &outer, &x), row = map(xs, &inner, &y);
    fcl_value square = op2("mul", x, x), twice = op2("add", n, n), first = op2("index", xs, n);
    op2("sub", twice, square);
    fcl_yield(m, inner, op2("add", op2("add", square, twice), op2("add", y, first)));
    fcl_yield(m, outer, row);
    fcl_return(m, g, rows);
    expect_text("  %0: int = add %n, %n\n"
                "  %1: [[int]] = map %xs { (%2: int)\n"
                "    %3: int = mul %2, %2\n"
                "    %4: int = add %3, %0\n"
                "    %5: [int] = map %xs { (%6: int)\n"
                "      %7: int = index %xs, %n\n"
                "      %8: int = add %6, %7\n"
                "      %9: int = add %4, %8\n"
                "      yield %9\n"
                "    }\n"
                "    yield %5\n"
                "  }\n"
                "  return %1\n"
                "}\n");
}
END_TEST

/* What both branches use is before them; what one uses stays in it, also from inside of a map. */
START_TEST(branches_keep_what_only_they_need)
{
    fcl_region branches[2], body;
    fcl_value x, both = op2("mul", n, n), one = op2("add", n, integer(1));
    fcl_value v = fcl_op_regions(m, g, "if", &c, 1, branches);
    fcl_value ys = map(xs, &body, &x);
    fcl_yield(m, body, op2("add", x, one));
    fcl_yield(m, branches[0], op2("add", both, op1("length", ys)));
    fcl_yield(m, branches[1], op2("sub", both, op2("index", ys, both)));
    fcl_return(m, g, v);
    expect_text("  %0: int = mul %n, %n\n"
                "  %1: int = add %n, 1\n"
                "  %2: [int] = map %xs { (%3: int)\n"
                "    %4: int = add %3, %1\n"
                "    yield %4\n"
                "  }\n"
                "  %5: int = if %c {\n"
                "    %6: int = length %2\n"
                "    %7: int = add %0, %6\n"
                "    yield %7\n"
                "  } {\n"
                "    %8: int = index %2, %0\n"
                "    %9: int = sub %0, %8\n"
                "    yield %9\n"
                "  }\n"
                "  return %5\n"
                "}\n");
    teardown();
    setup();
    one = op2("add", n, integer(1));
    v = fcl_op_regions(m, g, "if", &c, 1, branches);
    ys = map(xs, &body, &x);
    fcl_yield(m, body, op2("add", x, one));
    fcl_yield(m, branches[0], op1("length", ys));
    fcl_yield(m, branches[1], n);
    fcl_return(m, g, v);
    expect_text("  %0: int = if %c {\n"
                "    %1: int = add %n, 1\n"
                "    %2: [int] = map %xs { (%3: int)\n"
                "      %4: int = add %3, %1\n"
                "      yield %4\n"
                "    }\n"
                "    %5: int = length %2\n"
                "    yield %5\n"
                "  } {\n"
                "    yield %n\n"
                "  }\n"
                "  return %0\n"
                "}\n");
}
END_TEST

/* A force and what it forces leave the map together; put into the map, they stay. */
START_TEST(work_is_done_once_unless_it_is_put_somewhere)
{
    for (int pinned = 0; pinned < 2; pinned++) {
        fcl_region each;
        fcl_value x, ys = map(xs, &each, &x);
        fcl_value p = fcl_op_level(m, g, "push", fcl_level_const(FCL_THREAD), xs);
        fcl_value forced = fcl_op(m, pinned ? each : g, "force", &p, 1);
        fcl_yield(m, each, op2("add", x, op1("length", forced)));
        fcl_return(m, g, ys);
        expect_text(pinned ? "  %0: [int]<thread> = push<thread> %xs\n"
                             "  %1: [int] = map %xs { (%2: int)\n"
                             "    %3: [int] = force %0\n"
                             "    %4: int = length %3\n"
                             "    %5: int = add %2, %4\n"
                             "    yield %5\n"
                             "  }\n"
                             "  return %1\n"
                             "}\n"
                           : "  %0: [int]<thread> = push<thread> %xs\n"
                             "  %1: [int] = force %0\n"
                             "  %2: int = length %1\n"
                             "  %3: [int] = map %xs { (%4: int)\n"
                             "    %5: int = add %4, %2\n"
                             "    yield %5\n"
                             "  }\n"
                             "  return %3\n"
                             "}\n");
        teardown();
        setup();
    }
}
END_TEST

/* A sum of what cannot fail goes out of a map; one of what is read at a computed place stays, as there may be no elements. */
START_TEST(sums_go_outwards_where_they_cannot_fail)
{
    fcl_region body, add, far, element;
    fcl_value x, i;
    fcl_value ys = map(xs, &body, &x), zero = integer(0);
    fcl_value sum = fcl_op_regions(m, g, "reduce", (fcl_value[]){zero, xs}, 2, &add);
    fcl_value p = fcl_param(m, add, NULL, 0), q = fcl_param(m, add, NULL, 0);
    fcl_yield(m, add, op2("add", p, q));
    fcl_value len = op1("length", xs), turned = fcl_op_regions(m, g, "generate", &len, 1, &element);
    i = fcl_param(m, element, NULL, 0);
    fcl_yield(m, element, op2("index", xs, op2("mod", op2("add", i, n), len)));
    fcl_value other = fcl_op_regions(m, g, "reduce", (fcl_value[]){zero, turned}, 2, &far);
    fcl_value r = fcl_param(m, far, NULL, 0), t = fcl_param(m, far, NULL, 0);
    fcl_yield(m, far, op2("add", r, t));
    fcl_yield(m, body, op2("sub", op2("sub", x, sum), other));
    fcl_return(m, g, ys);
    expect_text("  %0: int = length %xs\n"
                "  %1: int = reduce 0, %xs { (%2: int, %3: int)\n"
                "    %4: int = add %2, %3\n"
                "    yield %4\n"
                "  }\n"
                "  %5: [int] = map %xs { (%6: int)\n"
                "    %7: [int] = generate %0 { (%8: int)\n"
                "      %9: int = add %8, %n\n"
                "      %10: int = mod %9, %0\n"
                "      %11: int = index %xs, %10\n"
                "      yield %11\n"
                "    }\n"
                "    %12: int = reduce 0, %7 { (%13: int, %14: int)\n"
                "      %15: int = add %13, %14\n"
                "      yield %15\n"
                "    }\n"
                "    %16: int = sub %6, %1\n"
                "    %17: int = sub %16, %12\n"
                "    yield %17\n"
                "  }\n"
                "  return %5\n"
                "}\n");
}
END_TEST

/* Handed out once, in the order of making, whoever uses it, or nobody; in a branch where it was put there, though nobody needs the
 * choice. */
START_TEST(what_hands_out_is_kept)
{
    teardown();
    begin(true);
    fcl_region branches[2], body;
    fcl_value x, first = op1("emit", n);
    op1("emit", xs);
    fcl_value choice = fcl_op_regions(m, g, "if", &c, 1, branches);
    fcl_op(m, branches[0], "emit", (fcl_value[]){op2("add", n, integer(1))}, 1);
    fcl_yield(m, branches[0], n);
    fcl_yield(m, branches[1], integer(0));
    (void)choice;
    fcl_value ys = map(xs, &body, &x);
    fcl_yield(m, body, op2("add", x, first));
    fcl_return(m, g, ys);
    expect_text("  %0: int = emit %n\n"
                "  %1: [int] = emit %xs\n"
                "  %2: int = if %c {\n"
                "    %3: int = add %n, 1\n"
                "    %4: int = emit %3\n"
                "    yield %n\n"
                "  } {\n"
                "    yield 0\n"
                "  }\n"
                "  %5: [int] = map %xs { (%6: int)\n"
                "    %7: int = add %6, %0\n"
                "    yield %7\n"
                "  }\n"
                "  return %5\n"
                "}\n");
}
END_TEST

/* The level that an fn binds is known inside of it only. */
START_TEST(variables_keep_operations_inside)
{
    fcl_tvar l;
    fcl_region body;
    fcl_value fn = fcl_fn(m, g, 0, NULL, 1, (const char *const[]){"l"}, &l, &body);
    fcl_param(m, body, "unused", fcl_type_scalar(m, FCL_I32));
    fcl_yield(m, body, fcl_op_level(m, g, "push", fcl_level_var(l), xs));
    fcl_return(m, g, fn);
    expect_text("  %0: <l> -> int -> [int]<l> = fn<l> { (%unused: int)\n"
                "    %1: [int]<l> = push<l> %xs\n"
                "    yield %1\n"
                "  }\n"
                "  return %0\n"
                "}\n");
}
END_TEST

/* ---- size ---- */

/* 30 squares of squares: 60 operations, 2^30 paths. */
START_TEST(paths_do_not_count)
{
    fcl_value x = n;
    for (int i = 0; i < 30; i++) {
        x = op2("add", x, integer(i));
        x = op2("mul", x, x);
    }
    fcl_return(m, g, x);
    check_module(cx, m);
}
END_TEST

START_TEST(deep_graphs_are_placed)
{
    fcl_value x = n;
    for (int i = 0; i < 1000000; i++)
        x = op2("add", x, n);
    fcl_return(m, g, x);
    check_module(cx, m);
}
END_TEST

/* 150 maps in one another, and one operation more in each than what the next one outside has. */
START_TEST(deep_regions_are_placed)
{
    enum { DEPTH = 150 };
    fcl_region in[DEPTH];
    fcl_value x[DEPTH], all[DEPTH], sum = n;
    for (int i = 0; i < DEPTH; i++)
        all[i] = map(xs, &in[i], &x[i]);
    for (int i = 0; i < DEPTH; i++) {
        sum = op2("add", sum, x[i]);
        fcl_yield(m, in[i], i + 1 < DEPTH ? op1("length", all[i + 1]) : sum);
    }
    fcl_return(m, g, all[0]);
    check_module(cx, m);
    teardown();
    setup();
    fcl_limit_set(cx, FCL_LIMIT_REGION_DEPTH, 100);
    for (int i = 0; i < DEPTH; i++)
        all[i] = map(xs, &in[i], &x[i]);
    for (int i = 0; i < DEPTH; i++)
        fcl_yield(m, in[i], i + 1 < DEPTH ? op2("add", x[i], op1("length", all[i + 1])) : x[i]);
    fcl_return(m, g, all[0]);
    ck_assert(!fcl_built(m));
    expect_code(cx, 902);
}
END_TEST

/* ---- what is refused ---- */

START_TEST(circles_are_refused)
{
    fcl_region body;
    fcl_value x, ys = map(xs, &body, &x);
    fcl_at(m, "front.apl", 3, 1);
    fcl_yield(m, body, op2("add", x, op1("length", ys)));
    fcl_return(m, g, ys);
    ck_assert(!fcl_built(m));
    expect_code(cx, 263);
}
END_TEST

START_TEST(parameters_stay_in_their_regions)
{
    fcl_region body;
    fcl_value x, ys = map(xs, &body, &x);
    fcl_yield(m, body, x);
    fcl_return(m, g, op2("add", op1("length", ys), x));
    ck_assert(fcl_built(m) && !fcl_module_check(m));
    expect_code(cx, 253);
}
END_TEST

START_TEST(what_is_put_into_a_region_is_not_used_outside)
{
    fcl_region body;
    fcl_value x, ys = map(xs, &body, &x);
    fcl_value inside = fcl_op(m, body, "neg", &n, 1);
    fcl_yield(m, body, inside);
    fcl_return(m, g, op2("add", op1("length", ys), inside));
    ck_assert(!fcl_built(m));
    expect_code(cx, 253);
}
END_TEST

START_TEST(values_of_others_are_refused)
{
    fcl_func other = fcl_function(m, "other", false);
    fcl_value theirs = fcl_param(m, fcl_body(m, other), "x", fcl_type_scalar(m, FCL_I32));
    fcl_return(m, fcl_body(m, other), theirs);
    fcl_return(m, g, op2("add", n, theirs));
    ck_assert(!fcl_module_check(m));
    expect_code(cx, 253);
    fcl_module *second = fcl_module_create(cx);
    fcl_func k = fcl_function(second, "k", false);
    fcl_region in = fcl_graph(second, k);
    fcl_op(second, in, "neg", &n, 1);
    expect_code(cx, 850);
    fcl_module_destroy(second);
}
END_TEST

START_TEST(graphs_begin_where_nothing_is)
{
    ck_assert_uint_eq(fcl_graph(m, f), 0);
    expect_code(cx, 850);
}
END_TEST

START_TEST(a_graph_ends)
{
    ck_assert(!fcl_module_check(m));
    expect_code(cx, 250);
    fcl_region body;
    fcl_value x, ys = map(xs, &body, &x);
    fcl_return(m, g, ys);
    ck_assert(!fcl_module_check(m));
    expect_code(cx, 250);
    op1("neg", n);
    expect_code(cx, 850);
}
END_TEST

Suite *graph_suite(void)
{
    Suite *s = suite_create("graph");
    TCase *t = tcase_create("graph");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, bindings_go_to_their_places);
    tcase_add_test(t, branches_keep_what_only_they_need);
    tcase_add_test(t, work_is_done_once_unless_it_is_put_somewhere);
    tcase_add_test(t, sums_go_outwards_where_they_cannot_fail);
    tcase_add_test(t, what_hands_out_is_kept);
    tcase_add_test(t, variables_keep_operations_inside);
    tcase_add_test(t, paths_do_not_count);
    tcase_add_test(t, deep_graphs_are_placed);
    tcase_add_test(t, deep_regions_are_placed);
    tcase_add_test(t, circles_are_refused);
    tcase_add_test(t, parameters_stay_in_their_regions);
    tcase_add_test(t, what_is_put_into_a_region_is_not_used_outside);
    tcase_add_test(t, values_of_others_are_refused);
    tcase_add_test(t, graphs_begin_where_nothing_is);
    tcase_add_test(t, a_graph_ends);
    suite_add_tcase(s, t);
    return s;
}
