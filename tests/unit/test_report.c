/* Diagnostics of front ends (fcl_report), and where diagnostics about what was built point when the
 * front end gave no positions. */
#include "tests/unit/api_world.h"

#include <stdlib.h>

Suite *report_suite(void);

static const char source[] = "a <- 1\nb <- a + 'x'\n";

START_TEST(findings_are_shown_as_the_librarys_own)
{
    fcl_context *cx = new_context();
    fcl_diagnostic d;
    ck_assert(fcl_source_add(cx, "front.apl", source, sizeof source - 1));
    const fcl_finding_note note = {
        .message = "a is a number", .file = "front.apl", .line = 1, .column = 1, .length = 1};
    fcl_finding f = {.size = sizeof f,
                     .severity = FCL_ERROR,
                     .name = "APL012",
                     .file = "front.apl",
                     .line = 2,
                     .column = 6,
                     .length = 7,
                     .message = "no sum of a number and a text: %s",
                     .hint = "write two numbers",
                     .notes = &note,
                     .nnotes = 1};
    ck_assert(fcl_report(cx, &f));
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 1);
    ck_assert_str_eq(fcl_diagnostic_text(cx, 0),
                     "front.apl:2:6: error[APL012]: no sum of a number and a text: %s\n"
                     "    b <- a + 'x'\n"
                     "         ^~~~~~~\n"
                     "front.apl:1:1: note: a is a number\n"
                     "    a <- 1\n"
                     "    ^\n"
                     "help: write two numbers\n");
    ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d));
    ck_assert(d.code == 2000 && d.line == 2 && d.column == 6 && d.length == 7 && d.notes == 1);
    ck_assert_str_eq(d.name, "APL012");
    ck_assert(fcl_diagnostic_note(cx, 0, 0, &d, sizeof d));
    ck_assert_str_eq(d.name, "APL012");
    fcl_diagnostics_clear(cx);

    f = (fcl_finding){
        .size = sizeof f, .severity = FCL_ERROR, .code = 2499, .message = "somewhere"};
    ck_assert(fcl_report(cx, &f));
    ck_assert_str_eq(fcl_diagnostic_text(cx, 0), "error[E2499]: somewhere\n");
    ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d));
    ck_assert_str_eq(d.name, "");
    ck_assert_ptr_null(fcl_diagnostic_explain(2499));
    fcl_context_destroy(cx);
}
END_TEST

/* As of the library: which are wanted, and as what; and only so many are kept. */
START_TEST(rules_for_warnings_and_limits_hold)
{
    fcl_context *cx = new_context();
    fcl_diagnostic d;
    fcl_finding usual = {.size = sizeof usual, .severity = FCL_WARNING, .message = "odd"},
                asked = {
                    .size = sizeof asked, .severity = FCL_WARNING, .code = 2750, .message = "x"};
    static const struct {
        fcl_warnings which;
        size_t expected;
    } cases[] = {{FCL_WARNINGS_DEFAULT, 1}, {FCL_WARNINGS_ALL, 2}, {FCL_WARNINGS_NONE, 0}};
    for (size_t i = 0; i < 3; i++) {
        fcl_warnings_set(cx, cases[i].which, false);
        ck_assert(fcl_report(cx, &usual) && fcl_report(cx, &asked));
        ck_assert_uint_eq(fcl_diagnostic_count(cx), cases[i].expected);
        fcl_diagnostics_clear(cx);
    }
    fcl_warnings_set(cx, FCL_WARNINGS_DEFAULT, false);
    fcl_report(cx, &usual);
    ck_assert_str_eq(fcl_diagnostic_text(cx, 0), "warning[W2500]: odd\n");
    fcl_diagnostics_clear(cx);
    fcl_warnings_set(cx, FCL_WARNINGS_DEFAULT, true);
    fcl_report(cx, &usual);
    ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d) && d.severity == FCL_ERROR);
    fcl_diagnostics_clear(cx);

    fcl_limit_set(cx, FCL_LIMIT_ERRORS, 3);
    fcl_finding error = {
        .size = sizeof error, .severity = FCL_ERROR, .message = "wrong", .hint = "right"};
    for (int i = 0; i < 10; i++)
        ck_assert(fcl_report(cx, &error));
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 3);
    ck_assert_uint_eq(fcl_diagnostics_beyond(cx), 7);
    fcl_context_destroy(cx);
}
END_TEST

static const fcl_finding_note no_message = {.file = "x"};
static const fcl_finding bad[] = {
    {.severity = FCL_ERROR},
    {.severity = FCL_NOTE, .message = "x"},
    {.message = "x"},
    {.severity = FCL_ERROR, .code = 203, .message = "x"},
    {.severity = FCL_ERROR, .code = 2500, .message = "x"},
    {.severity = FCL_WARNING, .code = 2499, .message = "x"},
    {.severity = FCL_WARNING, .code = 3000, .message = "x"},
    {.severity = FCL_ERROR, .name = "", .message = "x"},
    {.severity = FCL_ERROR, .name = "a]b", .message = "x"},
    {.severity = FCL_ERROR, .name = "a b", .message = "x"},
    {.severity = FCL_ERROR, .name = "12345678901234567890123456789012", .message = "x"},
    {.severity = FCL_ERROR, .message = "x", .nnotes = 1},
    {.severity = FCL_ERROR, .message = "x", .notes = &no_message, .nnotes = 1},
};

START_TEST(what_is_no_finding_is_not_reported)
{
    fcl_context *cx = new_context();
    fcl_finding f = bad[_i];
    f.size = sizeof f;
    ck_assert(!fcl_report(cx, &f));
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 0);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- what was built without positions ---- */

static fcl_module *kernel(fcl_context *cx, fcl_region *body, fcl_value *xs)
{
    fcl_module *m = fcl_module_create(cx);
    fcl_func f = fcl_function(m, "k", true);
    *body = fcl_body(m, f);
    *xs = fcl_param(m, *body, "xs", fcl_type_pull(m, fcl_type_scalar(m, FCL_I32), 1));
    return m;
}

START_TEST(checks_point_into_the_printed_module)
{
    fcl_context *cx = new_context();
    fcl_region body;
    fcl_value xs, n, s;
    fcl_module *m = kernel(cx, &body, &xs);
    n = fcl_op(m, body, "length", &xs, 1);
    s = fcl_op(m, body, "add", (fcl_value[]){n, xs}, 2);
    fcl_return(m, body, s);
    ck_assert(!fcl_module_check(m));
    ck_assert_str_eq(fcl_diagnostic_text(cx, 0),
                     "<module>:5:8: error[E0340]: operand 2 of add is of type [int]; add works on "
                     "integers and floats\n"
                     "      %1 = add %0, %xs\n"
                     "           ^~~\n");
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(refused_calls_show_what_was_built_last)
{
    fcl_context *cx = new_context();
    fcl_region body, inner;
    fcl_value xs, n, i;
    fcl_module *m = kernel(cx, &body, &xs);
    n = fcl_op(m, body, "length", &xs, 1);
    fcl_op_regions(m, body, "generate", &n, 1, &inner);
    i = fcl_param(m, inner, "i", 0);
    fcl_op(m, inner, "index", (fcl_value[]){xs, i}, 2);
    ck_assert_uint_eq(fcl_op(m, inner, "inde", (fcl_value[]){xs, i}, 2), 0);
    ck_assert_str_eq(fcl_diagnostic_text(cx, 0),
                     "error[E0850]: there is no operator inde\n"
                     "<module>:6:10: note: in function @k, behind this operation\n"
                     "        %2 = index %xs, %i\n"
                     "             ^~~~~\n");
    fcl_module_destroy(m);
    fcl_diagnostics_clear(cx);

    m = kernel(cx, &body, &xs);
    ck_assert_uint_eq(fcl_op(m, body, "length", NULL, 0), 0);
    ck_assert_str_eq(fcl_diagnostic_text(cx, 0),
                     "error[E0850]: operator length does not take 0 operands\n"
                     "<module>:3:8: note: in function @k\n"
                     "    kernel @k(%xs: [int]) {\n"
                     "           ^~\n");
    fcl_module_destroy(m);
    fcl_diagnostics_clear(cx);

    m = fcl_module_create(cx);
    fcl_type_tuple(m, NULL, 1);
    ck_assert_str_eq(fcl_diagnostic_text(cx, 0),
                     "error[E0850]: a tuple has from 2 to 65535 components, not 1\n");
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

Suite *report_suite(void)
{
    Suite *s = suite_create("report");
    TCase *t = tcase_create("report");
    tcase_add_test(t, findings_are_shown_as_the_librarys_own);
    tcase_add_test(t, rules_for_warnings_and_limits_hold);
    tcase_add_loop_test(t, what_is_no_finding_is_not_reported, 0, sizeof bad / sizeof *bad);
    tcase_add_test(t, checks_point_into_the_printed_module);
    tcase_add_test(t, refused_calls_show_what_was_built_last);
    suite_add_tcase(s, t);
    return s;
}
