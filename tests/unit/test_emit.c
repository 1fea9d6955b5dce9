/* What programs hand out: all of it, in order, also before a failure; how a caller ends a run; and what
 * programs ask for. */
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

/* The evaluator, and the cores of this machine where there is a compiler. */
static fcl_device *device_for(fcl_context *cx, int i)
{
    bool cpu = false;
    for (size_t k = 0; i && fcl_device_name(cx, k); k++)
        cpu = cpu || strcmp(fcl_device_name(cx, k), "cpu") == 0;
    return fcl_device_open(cx, cpu ? "cpu" : "interp");
}

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

/* The plan of a device has all that the operation has. */
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
    fcl_device *d = device_for(cx, _i);
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

typedef struct sums {
    int64_t first, all;
    uint32_t calls, stop_at;
} sums;

static bool add_up(void *user, const fcl_output *o)
{
    sums *s = user;
    const int32_t *x = o->arrays[0].data;
    s->first = o->arrays[0].dims[0] ? x[0] : -1;
    for (uint64_t i = 0; i < o->arrays[0].dims[0]; i++)
        s->all += x[i];
    return ++s->calls != s->stop_at;
}

static const char stages[] = "fcl 0.5\n"
                             "kernel @k(%xs: [int]) -> [int] {\n"
                             "  %n = length %xs\n"
                             "  %ys = generate %n { (%i) %x = index %xs, %i %y = add %x, 1 yield %y }\n"
                             "  %e = emit %ys\n"
                             "  %zs = generate %n { (%i) %x = index %e, %i %y = mul %x, 2 yield %y }\n"
                             "  %f = emit %zs\n"
                             "  return %f\n"
                             "}\n";

/* A run that is started hands out what is made of an array that another one still makes. */
START_TEST(started_runs_hand_out)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(cx, "f", stages, sizeof stages - 1, NULL);
    fcl_device *d = device_for(cx, _i);
    sums got = {0};
    fcl_run_options o = {.size = sizeof o, .output = add_up, .output_user = &got};
    fcl_program *p = fcl_program_create(m, "k", d, &o);
    int32_t xs[] = {1, 2, 3};
    fcl_buffer *in = fcl_buffer_create(d, FCL_I32, 1, (uint64_t[]){3});
    fcl_buffer *out[2] = {NULL, NULL};
    ck_assert(p && in && fcl_buffer_write(in, xs));
    fcl_job *one = fcl_program_start(p, &(fcl_argument){.buffer = in}, 1, &out[0], 1);
    ck_assert(one && got.calls == 2 && got.first == 4 && got.all == 9 + 18);
    fcl_job *two = fcl_program_start(p, &(fcl_argument){.buffer = out[0]}, 1, &out[1], 1);
    ck_assert(two && got.calls == 4 && got.first == 10 && got.all == 27 + 21 + 42);
    ck_assert(fcl_job_wait(one) && fcl_job_wait(two));
    fcl_job_destroy(one);
    fcl_job_destroy(two);
    for (int i = 0; i < 2; i++)
        fcl_buffer_destroy(out[i]);
    fcl_buffer_destroy(in);
    fcl_program_destroy(p);
    fcl_device_close(d);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* Whoever takes the output may end the run: there are no results, and the next run is a whole one. */
START_TEST(a_taker_ends_the_run)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(cx, "f", stages, sizeof stages - 1, NULL);
    fcl_device *d = device_for(cx, _i);
    sums got = {.stop_at = 1};
    fcl_run_options o = {.size = sizeof o, .output = add_up, .output_user = &got};
    fcl_program *p = fcl_program_create(m, "k", d, &o);
    int32_t xs[] = {1, 2, 3};
    fcl_array in = {.type = FCL_I32, .rank = 1, .dims = {3}, .data = xs}, out = {0};
    fcl_diagnostic said;
    ck_assert(p && !fcl_program_run_host(p, &in, 1, &out, 1) && got.calls == 1 && !out.data);
    ck_assert(fcl_diagnostic_get(cx, 0, &said, sizeof said) && said.code == DIAG_CANCELLED);
    got = (sums){0};
    ck_assert(fcl_program_run_host(p, &in, 1, &out, 1) && got.calls == 2);
    ck_assert_int_eq(((int32_t *)out.data)[2], 8);
    fcl_results_free(cx, &out, 1);
    fcl_program_destroy(p);
    fcl_device_close(d);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- what is asked for ---- */

/* Asks for an array once in each of n turns, of which it adds up what there is, and then for a number. */
static const char asking[] = "fcl 0.5\n"
                             "kernel @k(%n: int) -> double {\n"
                             "  %s = repeat %n, 0 { (%i, %s)\n"
                             "    %q = tuple %i, %s\n"
                             "    %xs = receive<[int;2]> %q attr(\"show\" = \"rows\")\n"
                             "    %h = dim %xs, 0  %w = dim %xs, 1  %all = mul %h, %w\n"
                             "    %ys = generate %all { (%j)\n"
                             "      %w1 = max %w, 1  %a = quot %j, %w1  %b = rem %j, %w1\n"
                             "      %x = index %xs, %a, %b\n"
                             "      yield %x\n"
                             "    }\n"
                             "    %t = reduce 0, %ys { (%x, %y) %z = add %x, %y yield %z }\n"
                             "    %u = add %s, %t\n"
                             "    yield %u\n"
                             "  }\n"
                             "  %e = emit %s\n"
                             "  %d = receive<double> %s\n"
                             "  return %d\n"
                             "}\n";

typedef enum {
    RIGHT,
    NOTHING,
    OF_ANOTHER_TYPE,
    OF_ANOTHER_RANK,
    TOO_LARGE,
    REFUSED,
    ENDED,
    GIVEN_TWICE,
    MANNERS
} manner;

typedef struct answers {
    manner how;
    uint32_t asked;
    int32_t sum; /* as the program should have it */
} answers;

static bool give_number(const answers *s, const fcl_output *asked, fcl_answer *a)
{
    double d = 0.5 + s->sum;
    ck_assert(asked->n == 1 && !asked->show && *(int32_t *)asked->arrays[0].data == s->sum);
    ck_assert(fcl_answer_type(a) == FCL_F64 && fcl_answer_rank(a) == 0);
    return fcl_answer_give(a, &(fcl_array){.type = FCL_F64, .data = &d});
}

/* In turn i an array of i + 1 times 3 elements, each i + 1; in the second turn what it is not, by the
 * manner. */
static bool give_rows(answers *s, const fcl_output *asked, fcl_answer *a)
{
    static int32_t x[64];
    int32_t i = *(int32_t *)asked->arrays[0].data;
    fcl_array rows = {.type = FCL_I32, .rank = 2, .dims = {(uint64_t)i + 1, 3}, .data = x};
    ck_assert(asked->n == 2 && asked->show_size == 4 && memcmp(asked->show, "rows", 4) == 0);
    ck_assert_int_eq(*(int32_t *)asked->arrays[1].data, s->sum);
    ck_assert_uint_eq(asked->line, 5);
    ck_assert(fcl_answer_type(a) == FCL_I32 && fcl_answer_rank(a) == 2);
    for (int k = 0; k < 64; k++)
        x[k] = i + 1;
    s->sum += 3 * (i + 1) * (i + 1);
    if (i == 1 && s->how == GIVEN_TWICE)
        ck_assert(fcl_answer_give(a, &(fcl_array){.type = FCL_I32, .rank = 2}));
    if (i != 1 || s->how == RIGHT || s->how == GIVEN_TWICE)
        return fcl_answer_give(a, &rows);
    switch (s->how) {
    case OF_ANOTHER_TYPE: rows.type = FCL_U32; break;
    case OF_ANOTHER_RANK: rows.rank = 1; break;
    case TOO_LARGE: rows.dims[0] = (uint64_t)1 << 40; break;
    case REFUSED: return fcl_answer_refuse(a, "no rows today");
    default: return s->how == NOTHING;
    }
    return fcl_answer_give(a, &rows);
}

static bool give(void *user, const fcl_output *asked, fcl_answer *a)
{
    answers *s = user;
    s->asked++;
    return fcl_answer_rank(a) ? give_rows(s, asked, a) : give_number(s, asked, a);
}

/* On both devices, in each manner. */
START_TEST(programs_ask)
{
    static const char *const said[MANNERS] = {
        [NOTHING] = "is given nothing",
        [OF_ANOTHER_TYPE] = "of another type or rank",
        [OF_ANOTHER_RANK] = "of another type or rank",
        [TOO_LARGE] = "too many elements",
        [REFUSED] = "no rows today",
    };
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(cx, "f", asking, sizeof asking - 1, NULL);
    fcl_device *d = device_for(cx, _i / MANNERS);
    answers s = {.how = (manner)(_i % MANNERS)};
    fcl_run_options o = {.size = sizeof o, .input = give, .input_user = &s};
    int32_t n = 3;
    fcl_array arg = {.type = FCL_I32, .data = &n}, result = {0};
    fcl_diagnostic why;
    ck_assert(m && d);
    bool ok = fcl_run(m, "k", d, &o, &arg, 1, &result, 1), right = s.how == RIGHT || s.how == GIVEN_TWICE;
    ck_assert_uint_eq(s.asked, right ? 4 : 2);
    ck_assert(ok == right);
    if (ok)
        ck_assert(*(double *)result.data > 42.25 && *(double *)result.data < 42.75);
    else
        ck_assert(fcl_diagnostic_get(cx, 0, &why, sizeof why) && fcl_diagnostic_count(cx) == 1);
    if (!ok && s.how == ENDED)
        ck_assert_uint_eq(why.code, DIAG_CANCELLED);
    if (!ok && s.how != ENDED)
        ck_assert(why.code == DIAG_RUN_ASKED && strstr(why.message, said[s.how]) && why.line == 5);
    fcl_results_free(cx, &result, 1);
    fcl_device_close(d);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(nobody_answers)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(cx, "f", asking, sizeof asking - 1, NULL);
    fcl_device *d = device_for(cx, _i);
    int32_t n = 0;
    fcl_array arg = {.type = FCL_I32, .data = &n}, result = {0};
    fcl_diagnostic why;
    ck_assert(m && d && !fcl_run(m, "k", d, NULL, &arg, 1, &result, 1));
    ck_assert(fcl_diagnostic_get(cx, 0, &why, sizeof why) && why.code == DIAG_RUN_ASKED);
    ck_assert(strstr(why.message, "nobody answers") && why.line == 17);
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
    tcase_add_loop_test(c, outputs_say_where_and_how, 0, 2);
    tcase_add_loop_test(c, started_runs_hand_out, 0, 2);
    tcase_add_loop_test(c, a_taker_ends_the_run, 0, 2);
    tcase_add_loop_test(c, programs_ask, 0, 2 * MANNERS);
    tcase_add_loop_test(c, nobody_answers, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
