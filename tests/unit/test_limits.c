/* The limits that a caller sets: each has a name, is kept, and stops what exceeds it with its code.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/unit/api_world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

Suite *limits_suite(void);

START_TEST(each_limit_can_be_read_and_set)
{
    fcl_context *cx = new_context();
    fcl_limit_info info;
    size_t n = 0;
    for (; fcl_limit_about(n, &info, sizeof info); n++) {
        fcl_limit l = (fcl_limit)n;
        ck_assert(*info.name && *info.summary);
        ck_assert_uint_eq(fcl_limit_get(cx, l), info.initial);
        ck_assert(!fcl_limit_set(cx, l, 0));
        ck_assert(info.most == SIZE_MAX || !fcl_limit_set(cx, l, info.most + 1));
        ck_assert_uint_eq(fcl_limit_get(cx, l), info.initial);
        ck_assert(fcl_limit_set(cx, l, info.most));
        ck_assert_uint_eq(fcl_limit_get(cx, l), info.most);
    }
    ck_assert_uint_eq(n, FCL_LIMIT_REMARKS + 1);
    ck_assert(!fcl_limit_set(cx, (fcl_limit)n, 1));
    ck_assert_uint_eq(fcl_limit_get(cx, (fcl_limit)n), 0);
    expect_silence(cx);
    fcl_context_destroy(cx);
}
END_TEST

/* Functions of functions, regions in regions, calls in calls, and a kernel; three mistakes when
 * `wrong`. */
static const char program[] =
    "fcl 0.1\n"
    "fun @a(%x: int, %t: (int, (int, int))) -> int {\n"
    "  %c = lt %x, 3\n"
    "  %y = if %c { %z = if %c { yield 1 } { yield %x } yield %z } { yield 5 }\n"
    "  return %y\n}\n"
    "fun @b(%x: int) -> int {\n"
    "  %p = tuple %x, %x\n  %q = tuple %x, %p\n  %y = call @a(%x, %q)\n  return %y\n}\n"
    "kernel @k(%xs: [int]) -> [int]<grid> {\n"
    "  %ys = map %xs { (%x) %y = call @b(%x) yield %y }\n"
    "  %p = push<grid> %ys\n  return %p\n}\n";

/* What happens to the program below a limit: the code of its first diagnostic, 0 when it compiles.
 */
static unsigned code_below(fcl_limit limit, size_t value)
{
    fcl_context *cx = new_context();
    ck_assert(fcl_limit_set(cx, limit, value));
    fcl_module *m = fcl_module_load(cx, "test", program, sizeof program - 1, NULL);
    fcl_artifact *a = m ? fcl_compile(m, NULL) : NULL;
    fcl_diagnostic d = {0};
    ck_assert((a == NULL) == fcl_diagnostic_get(cx, 0, &d, sizeof d));
    unsigned code = d.code;
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return code;
}

START_TEST(each_limit_stops_what_exceeds_it)
{
    static const struct {
        fcl_limit limit;
        size_t below, enough;
        unsigned code;
    } rows[] = {{FCL_LIMIT_REGION_DEPTH, 2, 3, 902},
                {FCL_LIMIT_TYPE_DEPTH, 1, 3, 902},
                {FCL_LIMIT_CALL_DEPTH, 2, 50, 902},
                {FCL_LIMIT_KERNEL_NODES, 20, 1000, 903},
                {FCL_LIMIT_MEMORY, 60000, 4 << 20, 901}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_uint_eq(code_below(rows[i].limit, rows[i].below), rows[i].code);
        ck_assert_uint_eq(code_below(rows[i].limit, rows[i].enough), 0);
    }
}
END_TEST

START_TEST(diagnostics_are_kept_up_to_their_limit)
{
    static const char wrong[] =
        "fcl 0.1\nfun @f(%x: int) -> int {\n  %a = ad %x\n  %b = ad %x\n  %c = ad %x\n"
        "  return %x\n}\n";
    for (size_t most = 1; most < 5; most++) {
        fcl_context *cx = new_context();
        ck_assert(fcl_limit_set(cx, FCL_LIMIT_ERRORS, most));
        ck_assert_ptr_null(fcl_module_load(cx, "test", wrong, sizeof wrong - 1, NULL));
        ck_assert_uint_eq(fcl_diagnostic_count(cx), most < 3 ? most : 3);
        fcl_context_destroy(cx);
    }
}
END_TEST

/* ---- memory ---- */

typedef struct counter {
    size_t now, peak;
} counter;

static void *count_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    counter *c = user;
    c->now = c->now - old_size + new_size;
    if (c->now > c->peak)
        c->peak = c->now;
    if (new_size)
        return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

/* Whatever the limit, the allocator is not asked for more, and the refusal says why. */
START_TEST(memory_stays_below_its_limit)
{
    for (size_t limit = 1; limit < 1u << 20; limit = limit * 5 / 4 + 1) {
        counter c = {0};
        fcl_context *cx = fcl_context_create(count_realloc, &c);
        size_t empty = c.now;
        ck_assert(fcl_limit_set(cx, FCL_LIMIT_MEMORY, limit));
        fcl_module *m = fcl_module_load(cx, "test", program, sizeof program - 1, NULL);
        fcl_artifact *a = m ? fcl_compile(m, NULL) : NULL;
        ck_assert_uint_le(c.peak, limit > empty ? limit : empty);
        fcl_diagnostic d;
        if (!a) {
            ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d) && d.code == 901);
            ck_assert_str_eq(d.message, "the limit on memory is reached");
            ck_assert(*d.hint);
        }
        fcl_artifact_destroy(a);
        fcl_module_destroy(m);
        fcl_context_destroy(cx);
        ck_assert_uint_eq(c.now, 0);
    }
}
END_TEST

/* ---- contexts that live long ---- */

/* Text of the core or FCL source, another one each time. */
static fcl_module *load_number(fcl_context *cx, int form, int number)
{
    char text[700];
    int n = snprintf(text, sizeof text,
                     form == 0 ? "fcl 0.1\nimport \"prelude\"\n"
                                 "kernel @k(%%xs: [int]) -> [int]<grid> {\n"
                                 "  %%r = call @reverse<int>(%%xs)\n"
                                 "  %%ys = map %%r { (%%x) %%y = mul %%x, %d yield %%y }\n"
                                 "  %%p = push<grid> %%ys\n  return %%p\n}\n"
                               : "fun main xs = push <grid> (map (fn x => x * %d) (reverse xs))\n",
                     number % 97 + 1000000);
    fcl_module *m =
        fcl_module_load(cx, form == 1 ? "program.fcl" : "program", text, (size_t)n, NULL);
    ck_assert_ptr_nonnull(m);
    return m;
}

enum { LOADS = 4000, COMPILES_EACH = 50 };

/* What a module takes goes with it, its text and that of what it imports included. */
START_TEST(loading_again_and_again_takes_no_memory)
{
    counter c = {0};
    fcl_context *cx = fcl_context_create(count_realloc, &c);
    size_t early = 0;
    for (int i = 0; i < LOADS; i++) {
        fcl_module *m = load_number(cx, i % 2, i);
        fcl_artifact *a = i % COMPILES_EACH < 2 ? fcl_compile(m, NULL) : NULL;
        fcl_artifact_destroy(a);
        ck_assert(fcl_module_check(m));
        fcl_module_destroy(m);
        if (i == LOADS / 10)
            early = c.now;
    }
    ck_assert_msg(c.now == early, "%zu bytes, and %zu later", early, c.now);
    expect_silence(cx);
    fcl_context_destroy(cx);
}
END_TEST

/* What is wrong is shown with its line until the diagnostics are cleared, and goes then. */
START_TEST(texts_stay_as_long_as_their_diagnostics)
{
    static const char wrong[] = "fcl 0.1\nfun @f(%x: int) -> int {\n  return %nowhere\n}\n";
    counter c = {0};
    fcl_context *cx = fcl_context_create(count_realloc, &c);
    size_t before = 0;
    for (int i = 0; i < 100; i++) {
        ck_assert_ptr_null(fcl_module_load(cx, "wrong", wrong, sizeof wrong - 1, NULL));
        ck_assert(fcl_source_known(cx, "wrong"));
        ck_assert_ptr_nonnull(strstr(fcl_diagnostic_text(cx, 0), "return %nowhere"));
        fcl_diagnostics_clear(cx);
        ck_assert(!fcl_source_known(cx, "wrong"));
        if (i == 10)
            before = c.now;
    }
    ck_assert_uint_eq(c.now, before);
    ck_assert(fcl_source_add(cx, "front.apl", "a\n", 2));
    fcl_diagnostics_clear(cx);
    ck_assert(fcl_source_known(cx, "front.apl"));
    fcl_context_destroy(cx);
    ck_assert_uint_eq(c.now, 0);
}
END_TEST

/* ---- runs that do not end ---- */

/* Counts down from its argument, for ever where it begins below 0. */
static const char counting[] =
    "fcl 0.1\nkernel @k(%x: int) -> [int]<grid> {\n"
    "  %a = array %x\n  %p = push<grid> %a\n"
    "  %w = while %p { (%s) %i = index %s, 0 %c = ne %i, 0 yield %c } {\n"
    "    (%s) %t = map %s { (%v) %n = sub %v, 1 %m = max %n, -1 yield %m } %q = push<grid> %t\n"
    "    yield %q }\n"
    "  %r = push<grid> %w\n  return %r\n}\n";

/* Whether the run from there ends well; nothing is delivered otherwise. */
static bool counts_from(fcl_context *cx, fcl_module *m, fcl_device *d, int32_t x)
{
    fcl_array arg = {.type = FCL_I32, .data = &x}, result = {0};
    bool ok = fcl_run(m, NULL, d, NULL, &arg, 1, &result, 1);
    ck_assert(ok == (result.data != NULL));
    if (ok)
        fcl_results_free(cx, &result, 1);
    return ok;
}

static void *cancel_soon(void *cx)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    fcl_cancel(cx);
    return NULL;
}

START_TEST(runs_can_be_cancelled_and_go_on)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, counting);
    fcl_device *d = fcl_device_open(cx, "interp");
    pthread_t other;
    ck_assert(counts_from(cx, m, d, 3));
    ck_assert_int_eq(pthread_create(&other, NULL, cancel_soon, cx), 0);
    ck_assert(!counts_from(cx, m, d, -1));
    pthread_join(other, NULL);
    expect_code(cx, 910);
    ck_assert(counts_from(cx, m, d, 3));
    fcl_cancel(cx);
    fcl_cancel_clear(cx);
    ck_assert(counts_from(cx, m, d, 3));
    fcl_cancel(cx);
    ck_assert_ptr_null(fcl_compile(m, NULL));
    expect_code(cx, 910);
    fcl_artifact *a = fcl_compile(m, NULL);
    expect_silence(cx);
    fcl_artifact_destroy(a);
    fcl_device_close(d);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(steps_are_counted_for_each_run)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, counting);
    fcl_device *d = fcl_device_open(cx, "interp");
    ck_assert(fcl_limit_set(cx, FCL_LIMIT_STEPS, 500));
    for (int i = 0; i < 20; i++)
        ck_assert(counts_from(cx, m, d, 30));
    ck_assert(!counts_from(cx, m, d, 600));
    expect_code(cx, 911);
    ck_assert(!counts_from(cx, m, d, -1));
    expect_code(cx, 911);
    fcl_device_close(d);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

Suite *limits_suite(void)
{
    Suite *s = suite_create("limits");
    TCase *t = tcase_create("limits");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, each_limit_can_be_read_and_set);
    tcase_add_test(t, each_limit_stops_what_exceeds_it);
    tcase_add_test(t, diagnostics_are_kept_up_to_their_limit);
    tcase_add_test(t, memory_stays_below_its_limit);
    tcase_add_test(t, loading_again_and_again_takes_no_memory);
    tcase_add_test(t, texts_stay_as_long_as_their_diagnostics);
    tcase_add_test(t, runs_can_be_cancelled_and_go_on);
    tcase_add_test(t, steps_are_counted_for_each_run);
    suite_add_tcase(s, t);
    return s;
}
