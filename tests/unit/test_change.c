/* Changing modules through fcl.h: rewritings.  tests/corepass runs passes of plug-ins over whole
 * programs. */
#include "tests/unit/api_world.h"

Suite *change_suite(void);

static const char program[] = "fcl 0.1\n"
                              "kernel @k(%xs: [int], %n: int) -> [int]<grid> {\n"
                              "  %a = mul %n, 3\n"
                              "  %ys = map %xs { (%x)\n"
                              "    %b = add %x, %a\n"
                              "    %c = add %b, %a\n"
                              "    yield %c\n"
                              "  }\n"
                              "  %unused = neg %a\n"
                              "  %p = push<grid> %ys\n"
                              "  return %p\n"
                              "}\n";

static fcl_context *cx;
static fcl_module *m;
static fcl_rewrite *w;

static fcl_operation named(fcl_region r, const char *name)
{
    fcl_region_info in;
    fcl_operation_info x;
    fcl_value_info v;
    fcl_operation found = 0;
    fcl_region_about(m, r, &in, sizeof in);
    for (fcl_operation o = in.first; o && !found; o = fcl_operation_next(m, o)) {
        fcl_operation_about(m, o, &x, sizeof x);
        if (fcl_value_about(m, x.result, &v, sizeof v) && strcmp(v.name, name) == 0)
            found = o;
        for (size_t i = 0; i < x.regions && !found; i++)
            found = named(fcl_operation_region(m, o, i), name);
    }
    return found;
}

static fcl_region body(void)
{
    fcl_function_info f;
    ck_assert(fcl_function_about(m, fcl_function_named(m, "k"), &f, sizeof f));
    return f.body;
}

static fcl_operation at(const char *name)
{
    return named(body(), name);
}

static fcl_operation_info about(const char *name)
{
    fcl_operation_info x;
    ck_assert(fcl_operation_about(m, at(name), &x, sizeof x));
    return x;
}

static void setup(void)
{
    cx = new_context();
    m = load(cx, program);
    check_module(cx, m);
    w = fcl_rewrite_begin(m);
    ck_assert_ptr_nonnull(w);
}

static void teardown(void)
{
    fcl_module_destroy(m); /* ends what is under way */
    fcl_context_destroy(cx);
}

static void expect_text(const char *wanted)
{
    size_t size;
    ck_assert(fcl_rewrite_end(w));
    w = NULL;
    check_module(cx, m);
    char *text = fcl_module_print(m, &size);
    ck_assert_str_eq(strstr(text, "{\n") + 2, wanted);
    fcl_free(cx, text, size);
}

START_TEST(uses_are_found)
{
    size_t n = 0, operand = 9;
    fcl_value a = about("a").result;
    for (fcl_use u = fcl_use_first(w, a); u; u = fcl_use_next(w, u), n++) {
        fcl_operation user = fcl_use_operation(w, u, &operand);
        ck_assert(user == at("b") || user == at("c") || user == at("unused"));
        ck_assert(fcl_operation_operand(m, user, operand) == a);
    }
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(fcl_use_first(w, about("unused").result), 0);
    ck_assert_uint_eq(fcl_use_first(w, 12345), 0);
    ck_assert_uint_eq(fcl_use_next(w, UINT32_MAX), 0);
    ck_assert_uint_eq(fcl_use_operation(w, UINT32_MAX, NULL), 0);
}
END_TEST

/* Whatever the builder makes is inserted, regions and all; it has the place of what it stands
 * before. */
START_TEST(the_builder_inserts)
{
    fcl_region branches[2];
    fcl_position old, new;
    fcl_operation c = at("c");
    fcl_operation_info x = about("c");
    fcl_value b = about("b").result;
    ck_assert(fcl_rewrite_before(w, c));
    fcl_value low = fcl_op(m, x.region, "lt", (fcl_value[]){b, fcl_const_int(m, FCL_I32, 0)}, 2);
    fcl_value v = fcl_op_regions(m, x.region, "if", &low, 1, branches);
    fcl_yield(m, branches[0], fcl_op(m, branches[0], "neg", &b, 1));
    fcl_yield(m, branches[1], b);
    ck_assert(fcl_rewrite_operand(w, c, 0, v));
    ck_assert(fcl_rewrite_erase(w, at("unused")));
    fcl_value_info made;
    ck_assert(fcl_value_about(m, low, &made, sizeof made));
    ck_assert(fcl_operation_position(m, c, &old, sizeof old));
    ck_assert(fcl_operation_position(m, made.operation, &new, sizeof new));
    ck_assert(new.line == old.line &&new.column == old.column);
    expect_text("  %a: int = mul %n, 3\n"
                "  %ys: [int] = map %xs { (%x: int)\n"
                "    %b: int = add %x, %a\n"
                "    %0: bool = lt %b, 0\n"
                "    %1: int = if %0 {\n"
                "      %2: int = neg %b\n"
                "      yield %2\n"
                "    } {\n"
                "      yield %b\n"
                "    }\n"
                "    %c: int = add %1, %a\n"
                "    yield %c\n"
                "  }\n"
                "  %p: [int]<grid> = push<grid> %ys\n"
                "  return %p\n"
                "}\n");
}
END_TEST

START_TEST(what_breaks_scopes_is_not_done)
{
    fcl_value a = about("a").result, b = about("b").result, ys = about("ys").result;
    fcl_region inner = about("b").region;
    fcl_region_info r;
    fcl_region_about(m, inner, &r, sizeof r);
    ck_assert(!fcl_rewrite_erase(w, at("a")));              /* is used */
    ck_assert(!fcl_rewrite_erase(w, r.last));               /* ends its region */
    ck_assert(!fcl_rewrite_replace(w, a, b));               /* not visible at all uses */
    ck_assert(!fcl_rewrite_replace(w, a, ys));              /* of another type */
    ck_assert(!fcl_rewrite_operand(w, at("unused"), 0, b)); /* not visible there */
    ck_assert(!fcl_rewrite_operand(w, at("unused"), 1, a)); /* no such operand */
    ck_assert(!fcl_rewrite_operand(w, at("a"), 0, a));      /* not by itself */
    ck_assert(!fcl_rewrite_move(w, at("a"), at("p")));      /* behind its uses */
    ck_assert(!fcl_rewrite_move(w, at("ys"), at("b")));     /* into itself */
    ck_assert(fcl_rewrite_move(w, at("unused"), at("ys")));
    ck_assert(fcl_rewrite_replace(w, b, fcl_region_param(m, inner, 0)));
    expect_text("  %a: int = mul %n, 3\n"
                "  %unused: int = neg %a\n"
                "  %ys: [int] = map %xs { (%x: int)\n"
                "    %b: int = add %x, %a\n"
                "    %c: int = add %x, %a\n"
                "    yield %c\n"
                "  }\n"
                "  %p: [int]<grid> = push<grid> %ys\n"
                "  return %p\n"
                "}\n");
}
END_TEST

/* What is inside of an operation that was erased is not there either. */
START_TEST(what_is_gone_cannot_be_changed)
{
    fcl_operation b = at("b"), c = at("c"), ys = at("ys");
    fcl_value xs = fcl_operation_operand(m, ys, 0), a = about("a").result;
    ck_assert(fcl_rewrite_before(w, c));
    ck_assert(fcl_rewrite_replace(w, about("ys").result, xs));
    ck_assert(fcl_rewrite_erase(w, ys));
    ck_assert(!fcl_rewrite_erase(w, ys));
    ck_assert(!fcl_rewrite_operand(w, b, 1, fcl_const_int(m, FCL_I32, 7)));
    ck_assert(!fcl_rewrite_erase(w, c));
    ck_assert(!fcl_rewrite_before(w, b));
    ck_assert_uint_ne(fcl_use_first(w, a), 0);
    ck_assert_uint_eq(fcl_use_next(w, fcl_use_first(w, a)), 0);
    ck_assert(fcl_rewrite_erase(w, at("unused")));
    ck_assert(fcl_rewrite_erase(w, at("a")));
    expect_text("  %p: [int]<grid> = push<grid> %xs\n"
                "  return %p\n"
                "}\n");
}
END_TEST

START_TEST(one_thing_at_a_time)
{
    switch (_i) {
    case 0: ck_assert_ptr_null(fcl_rewrite_begin(m)); break;
    case 1: ck_assert_uint_eq(fcl_graph(m, fcl_function(m, "g", false)), 0); break;
    case 2: ck_assert(!fcl_import(m, "prelude", NULL)); break;
    case 3: ck_assert(!fcl_passes_run(m, NULL, "dce", NULL)); break;
    case 4: ck_assert(!fcl_rewrite_erase(w, 7)); break;
    case 5: ck_assert(!fcl_rewrite_replace(w, about("a").result, 7)); break;
    }
    expect_code(cx, 850);
    ck_assert(!fcl_built(m) && !fcl_rewrite_end(w));
}
END_TEST

/* A module that is not valid is not walked over. */
START_TEST(broken_structure_is_refused)
{
    ck_assert(fcl_rewrite_end(w));
    fcl_function(m, "empty", false);
    ck_assert_ptr_null(fcl_rewrite_begin(m));
    expect_code(cx, 250);
}
END_TEST

Suite *change_suite(void)
{
    Suite *s = suite_create("change");
    TCase *t = tcase_create("change");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, uses_are_found);
    tcase_add_test(t, the_builder_inserts);
    tcase_add_test(t, what_breaks_scopes_is_not_done);
    tcase_add_test(t, what_is_gone_cannot_be_changed);
    tcase_add_loop_test(t, one_thing_at_a_time, 0, 6);
    tcase_add_test(t, broken_structure_is_refused);
    suite_add_tcase(s, t);
    return s;
}
