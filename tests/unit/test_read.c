/* Reading modules through fcl.h: what no printed text shows.  tests/reading holds the accessors to
 * whole programs. */
#include "tests/unit/api_world.h"

#include <stdio.h>

Suite *read_suite(void);

static const char program[] = "fcl 0.1\n"
                              "import \"prelude\"\n"
                              "fun @id<'a, l>(%x: <k> -> ['a]<k>) -> <k> -> ['a]<k> {\n"
                              "  return %x\n"
                              "}\n"
                              "kernel @k(%xs: [int], %d: double) -> [int]<grid> {\n"
                              "  %ys = map %xs { (%x)\n"
                              "    %y = add %x, -3\n"
                              "    yield %y\n"
                              "  }\n"
                              "  %p = push<grid> %ys\n"
                              "  return %p\n"
                              "}\n";

static fcl_func own(const fcl_module *m, const char *name, fcl_function_info *x)
{
    for (fcl_func f = fcl_function_next(m, 0); f; f = fcl_function_next(m, f))
        if (fcl_function_about(m, f, x, sizeof *x) && !x->import && strcmp(x->name, name) == 0)
            return f;
    ck_abort_msg("there is no %s", name);
}

START_TEST(imported_functions_are_read_too)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, program);
    fcl_function_info x;
    size_t imported = 0, mine = 0;
    bool indirect = true;
    for (fcl_func f = fcl_function_next(m, 0); f; f = fcl_function_next(m, f)) {
        ck_assert(fcl_function_about(m, f, &x, sizeof x));
        mine += !x.import;
        imported += x.import && strcmp(x.import, "prelude") == 0;
    }
    ck_assert_uint_eq(mine, 2);
    ck_assert_uint_gt(imported, 10);
    ck_assert_str_eq(fcl_import_name(m, 0, &indirect), "prelude");
    ck_assert(!indirect);
    ck_assert_ptr_null(fcl_import_name(m, 100, NULL));
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* A literal's type is found by the check, and so is that of a parameter without one. */
START_TEST(what_is_inferred_is_read_after_the_check)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, program);
    fcl_function_info f;
    fcl_region_info r;
    fcl_operation_info map, add;
    fcl_value_info x, c;
    ck_assert_uint_ne(own(m, "k", &f), 0);
    for (int checked = 0; checked < 2; checked++) {
        ck_assert(fcl_region_about(m, f.body, &r, sizeof r));
        ck_assert(r.owner == 0 && r.params == 2);
        ck_assert(fcl_operation_about(m, r.first, &map, sizeof map));
        fcl_region inner = fcl_operation_region(m, r.first, 0);
        ck_assert(fcl_region_about(m, inner, &r, sizeof r));
        ck_assert(r.params == 1 && r.owner && fcl_operation_next(m, r.first) == r.last);
        ck_assert_uint_eq(fcl_operation_next(m, r.last), 0);
        ck_assert(fcl_value_about(m, fcl_region_param(m, inner, 0), &x, sizeof x));
        ck_assert(x.kind == FCL_VALUE_PARAM && x.region == inner && x.number == 0);
        ck_assert_str_eq(x.name, "x");
        ck_assert(!x.stated && (x.type != 0) == checked);
        ck_assert(fcl_operation_about(m, r.first, &add, sizeof add));
        ck_assert(add.region == inner && add.code == fcl_opcode_named("add"));
        ck_assert(fcl_value_about(m, fcl_operation_operand(m, r.first, 1), &c, sizeof c));
        ck_assert(c.kind == FCL_VALUE_CONSTANT && c.region == 0);
        if (!checked)
            ck_assert(c.literal == FCL_LITERAL_NEGATIVE && c.bits == 3 && c.scalar == 0);
        else
            ck_assert(c.literal == FCL_LITERAL_TYPED && (int64_t)c.bits == -3 &&
                      c.scalar == FCL_I32 && c.type == x.type);
        check_module(cx, m);
        ck_assert(fcl_function_about(m, own(m, "k", &f), &f, sizeof f));
    }
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(types_are_read_by_their_parts)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, program);
    fcl_function_info f;
    fcl_type_info t;
    fcl_level_info l;
    fcl_variable_info v;
    fcl_func id = own(m, "id", &f);
    ck_assert(f.types == 1 && f.levels == 1);
    ck_assert_str_eq(fcl_type_text(m, f.result), "<l> -> ['a]<l>");
    ck_assert(fcl_type_about(m, f.result, &t, sizeof t));
    ck_assert(t.kind == FCL_TYPE_LEVEL_FUNCTION && t.parts == 1);
    fcl_type push = fcl_type_part(m, f.result, 0);
    ck_assert_uint_eq(fcl_type_part(m, f.result, 1), 0);
    ck_assert(fcl_type_about(m, push, &t, sizeof t));
    ck_assert(t.kind == FCL_TYPE_PUSH && t.rank == 1);
    ck_assert(fcl_level_about(m, t.level, &l, sizeof l));
    ck_assert(l.kind == FCL_LEVEL_BOUND && l.index == 0 && l.plus == 0);
    ck_assert(fcl_type_about(m, fcl_type_part(m, push, 0), &t, sizeof t));
    ck_assert(t.kind == FCL_TYPE_VARIABLE && t.variable == fcl_function_variable(m, id, 0));
    ck_assert(fcl_variable_about(m, t.variable, &v, sizeof v));
    ck_assert(!v.is_level && v.function == id);
    ck_assert_str_eq(v.name, "a");
    fcl_level up = fcl_level_succ(fcl_level_var(fcl_function_variable(m, id, 1)));
    ck_assert(fcl_level_about(m, up, &l, sizeof l));
    ck_assert(l.kind == FCL_LEVEL_VARIABLE && l.plus == 1 &&
              l.variable == fcl_function_variable(m, id, 1));
    ck_assert_str_eq(fcl_level_text(m, up), "1+l");
    ck_assert_str_eq(fcl_level_text(m, fcl_level_const(FCL_BLOCK)), "block");
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* Nothing is known of ids of another module, of another kind, and of none. */
START_TEST(ids_of_others_are_unknown)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, program), *other = load(cx, program);
    fcl_function_info f;
    fcl_region_info r;
    fcl_operation_info o;
    fcl_value_info v;
    fcl_type_info t;
    fcl_variable_info a;
    fcl_level_info l;
    fcl_position at;
    fcl_attribute attribute;
    fcl_func id = own(m, "id", &f);
    fcl_tvar variable = fcl_function_variable(m, id, 1);
    ck_assert(fcl_region_about(m, f.body, &r, sizeof r));
    const uint32_t ids[] = {0,        id,      f.body,     f.result,
                            variable, r.first, UINT32_MAX, fcl_region_param(m, f.body, 0)};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        uint32_t x = ids[i];
        ck_assert(!fcl_function_about(other, x, &f, sizeof f));
        ck_assert(!fcl_function_position(other, x, &at, sizeof at));
        ck_assert_uint_eq(fcl_function_variable(other, x, 0), 0);
        ck_assert(!fcl_region_about(other, x, &r, sizeof r));
        ck_assert_uint_eq(fcl_region_param(other, x, 0), 0);
        ck_assert(!fcl_operation_about(other, x, &o, sizeof o));
        ck_assert_uint_eq(fcl_operation_next(other, x), 0);
        ck_assert_uint_eq(fcl_operation_operand(other, x, 0), 0);
        ck_assert_uint_eq(fcl_operation_region(other, x, 0), 0);
        ck_assert(!fcl_operation_attribute(other, x, 0, &attribute, sizeof attribute));
        ck_assert(!fcl_value_about(other, x, &v, sizeof v));
        ck_assert(!fcl_type_about(other, x, &t, sizeof t));
        ck_assert_uint_eq(fcl_type_part(other, x, 0), 0);
        ck_assert_str_eq(fcl_type_text(other, x), "?");
        ck_assert(!fcl_variable_about(other, x, &a, sizeof a));
    }
    ck_assert(fcl_level_about(m, fcl_level_var(variable), &l, sizeof l));
    ck_assert(!fcl_level_about(other, fcl_level_var(variable), &l, sizeof l));
    ck_assert(!fcl_level_about(m, 0, &l, sizeof l));
    expect_silence(cx);
    fcl_module_destroy(other);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(operators_are_a_table)
{
    fcl_opcode_info x, call = {0};
    size_t scalars = 0, all = 0;
    fcl_operator o;
    for (fcl_opcode c = fcl_opcode_next(0); c; c = fcl_opcode_next(c)) {
        ck_assert(fcl_opcode_about(c, &x, sizeof x));
        ck_assert_uint_eq(fcl_opcode_named(x.name), c);
        ck_assert(x.least <= x.most && x.since > 0 && *x.formula);
        if (x.is_scalar)
            ck_assert(fcl_operator_get(scalars++, &o, sizeof o) && strcmp(o.name, x.name) == 0);
        all++;
    }
    ck_assert(!fcl_operator_get(scalars, &o, sizeof o));
    ck_assert_uint_gt(all, scalars + 30);
    ck_assert(fcl_opcode_about(fcl_opcode_named("call"), &call, sizeof call));
    ck_assert(call.attached == FCL_ATTACHED_FUNCTION && call.most == SIZE_MAX && call.has_result);
    ck_assert(!fcl_opcode_about(0, &x, sizeof x) && !fcl_opcode_about(UINT32_MAX, &x, sizeof x));
    ck_assert_uint_eq(fcl_opcode_named("nothing"), 0);
    ck_assert_uint_eq(fcl_opcode_next(UINT32_MAX), 0);
}
END_TEST

/* Where the text has it, and where a front end said. */
START_TEST(positions_are_read)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, program);
    fcl_function_info f;
    fcl_region_info r;
    fcl_position at;
    fcl_func k = own(m, "k", &f);
    ck_assert(fcl_function_position(m, k, &at, sizeof at));
    ck_assert(at.line == 6 && !at.given);
    ck_assert_str_eq(at.file, "test");
    ck_assert(fcl_region_about(m, f.body, &r, sizeof r));
    ck_assert(fcl_operation_position(m, r.first, &at, sizeof at));
    ck_assert(at.line == 7 && at.column == 9 && at.length == 3);
    fcl_module_destroy(m);

    m = fcl_module_create(cx);
    k = fcl_function(m, "k", true);
    ck_assert(!fcl_function_position(m, k, &at, sizeof at));
    fcl_value x = fcl_param(m, fcl_body(m, k), "x", fcl_type_scalar(m, FCL_I32));
    fcl_at(m, "front.apl", 4, 2);
    fcl_return(m, fcl_body(m, k), x);
    ck_assert(fcl_region_about(m, fcl_body(m, k), &r, sizeof r));
    ck_assert(fcl_operation_position(m, r.last, &at, sizeof at));
    ck_assert(at.line == 4 && at.column == 2 && at.given);
    ck_assert_str_eq(at.file, "front.apl");
    expect_silence(cx);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

Suite *read_suite(void)
{
    Suite *s = suite_create("read");
    TCase *t = tcase_create("read");
    tcase_add_test(t, imported_functions_are_read_too);
    tcase_add_test(t, what_is_inferred_is_read_after_the_check);
    tcase_add_test(t, types_are_read_by_their_parts);
    tcase_add_test(t, ids_of_others_are_unknown);
    tcase_add_test(t, operators_are_a_table);
    tcase_add_test(t, positions_are_read);
    suite_add_tcase(s, t);
    return s;
}
