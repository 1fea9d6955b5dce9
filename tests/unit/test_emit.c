/* What programs hand out: all of it, in order, also before a failure; and how a caller ends a run.
 */
#include "libfcl/fcl.h"
#include "tests/unit/eval_world.h"

/* In a loop, a branch, and behind an element that fails for n above 3. */
static const char program[] = "kernel @main(%n: int, %xs: [int]) -> int {\n"
                              "  %a = emit %n\n"
                              "  %b = repeat %n, 0 { (%i, %s)\n"
                              "    %e = emit %i\n"
                              "    %odd = mod %i, 2  %is = eq %odd, 1\n"
                              "    %t = if %is { %f = emit 10 yield %f } { yield %s }\n"
                              "    yield %t\n"
                              "  }\n"
                              "  %x = index %xs, %n\n"
                              "  %ys = generate %n { (%i) %y = add %i, %x yield %y }\n"
                              "  %c = emit %ys\n"
                              "  %y = index %c, 0\n"
                              "  return %y\n"
                              "}\n";

enum { MOST_SEEN = 16 };

typedef struct seen {
    uint32_t n, stop_at; /* stop_at: after so many; 0: never */
    int32_t x[MOST_SEEN];
    uint64_t last_count;
} seen;

static bool see(void *user, ir_op at, const host_array *arrays, uint32_t n)
{
    seen *s = user;
    ck_assert(at && n == 1 && arrays->type == ST_I32 && s->n < MOST_SEEN);
    s->last_count = host_count(arrays);
    s->x[s->n++] = ((int32_t *)arrays->data)[0];
    return s->n != s->stop_at;
}

static void expect_seen(const seen *s, const int32_t *want, uint32_t n)
{
    ck_assert_uint_eq(s->n, n);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_int_eq(s->x[i], want[i]);
}

START_TEST(in_the_order_of_the_program)
{
    session s;
    seen given = {0};
    int32_t n = 3, xs[] = {5, 6, 7, 8};
    begin(&s, program);
    s.options.emit = see;
    s.options.emit_user = &given;
    ck_assert(run(&s, ARGS(one_int(&n), ints(xs, 4)), 1));
    expect_seen(&given, INTS(3, 0, 1, 10, 2, 8));
    ck_assert_uint_eq(given.last_count, 3);
    ck_assert_int_eq(*(int32_t *)s.out[0].data, 8);
    end(&s);
}
END_TEST

START_TEST(what_comes_before_a_failure)
{
    session s;
    seen given = {0};
    int32_t n = 4, xs[] = {5, 6, 7, 8};
    begin(&s, program);
    s.options.emit = see;
    s.options.emit_user = &given;
    ck_assert(!run(&s, ARGS(one_int(&n), ints(xs, 4)), 1));
    expect_seen(&given, INTS(4, 0, 1, 10, 2, 3, 10));
    ck_assert_uint_eq(s.cx.diags.all.len, 1);
    end(&s);
}
END_TEST

START_TEST(the_caller_ends_the_run)
{
    session s;
    seen given = {.stop_at = 2};
    int32_t n = 3, xs[] = {5, 6, 7, 8};
    begin(&s, program);
    s.options.emit = see;
    s.options.emit_user = &given;
    ck_assert(!run(&s, ARGS(one_int(&n), ints(xs, 4)), 1));
    ck_assert_uint_eq(given.n, 2);
    ck_assert_uint_eq(s.cx.diags.all.len, 1);
    ck_assert_int_eq((int)s.cx.diags.all.at[0].code, DIAG_CANCELLED);
    end(&s);
}
END_TEST

/* With every allocation failing in turn, whether somebody listens or not. */
START_TEST(memory_may_run_out)
{
    int32_t n = 3, xs[] = {5, 6, 7, 8};
    bool done = false;
    survives(program, ARGS(one_int(&n), ints(xs, 4)), 1);
    for (long k = 1; !done && k < 400; k++) {
        session s;
        seen given = {0};
        begin(&s, program);
        s.options.emit = see;
        s.options.emit_user = &given;
        s.heap.calls = 0;
        s.heap.fail_at = k;
        done = run(&s, ARGS(one_int(&n), ints(xs, 4)), 1);
        s.heap.fail_at = 0;
        ck_assert(done || !context_ok(&s.cx));
        ck_assert(!done || given.n == 6);
        end(&s);
    }
    ck_assert(done);
}
END_TEST

/* ---- through the library ---- */

typedef struct texts {
    vec_char at;
    mem *m;
} texts;

static bool note(void *user, const fcl_output *o)
{
    texts *t = user;
    return text_addf(t->m, &t->at, "%.*s %u:%u %s%u;", (int)o->show_size, o->show ? o->show : "",
                     o->line, o->column, o->file, (unsigned)o->n);
}

START_TEST(outputs_say_where_and_how)
{
    static const char text[] = "fcl 0.5\n"
                               "kernel @k(%n: int) -> int {\n"
                               "  %t = tuple %n, 1.5\n"
                               "  %a = emit %t attr(\"show\" = \"pair\")\n"
                               "  %b = emit %n\n"
                               "  return %n\n"
                               "}\n";
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(cx, "f", text, sizeof text - 1, NULL);
    fcl_device *d = fcl_device_open(cx, "interp");
    int32_t n = 3;
    fcl_array arg = {.type = FCL_I32, .data = &n}, result = {0};
    mem memory;
    mem_init(&memory, NULL, NULL);
    texts t = {.m = &memory};
    fcl_run_options o = {.size = sizeof o, .output = note, .output_user = &t};
    ck_assert(m && d && fcl_run(m, "k", d, &o, &arg, 1, &result, 1));
    ck_assert_str_eq(text_cstr(&memory, &t.at), "pair 4:8 f2; 5:8 f1;");
    fcl_results_free(cx, &result, 1);
    vec_free(&memory, &t.at);
    fcl_device_close(d);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

Suite *emit_suite(void);
Suite *emit_suite(void)
{
    Suite *s = suite_create("emit");
    TCase *c = tcase_create("emit");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, in_the_order_of_the_program);
    tcase_add_test(c, what_comes_before_a_failure);
    tcase_add_test(c, the_caller_ends_the_run);
    tcase_add_test(c, memory_may_run_out);
    tcase_add_test(c, outputs_say_where_and_how);
    suite_add_tcase(s, c);
    return s;
}
