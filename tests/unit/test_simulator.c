/* The simulator of kernel programs finds what it is there to find: hand-built kernels of one group
 * of 64 threads that are wrong in one way each. */
#include "tests/unit/kernel_world.h"
#include "tests/unit/simulator.h"

#include <string.h>

static sim_report report;
static k_id out, tile, t;

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    program.target.facts.warp_size = program.target.facts.lanes = 32;
    program.target.facts.warps_wait = true;
    program.target.tuning.block_size = 64;
    ck_assert(kb_init(&b, &program));
    add_out(ST_I32, 1);
    out = kb_alloc(&b, SPACE_GLOBAL, ST_I32, kb_int(&b, 64));
    kb_open_launch(&b, LEVEL_BLOCK, kb_int(&b, 1), 64);
    tile = kb_alloc(&b, SPACE_LOCAL, ST_I32, kb_int(&b, 64));
    t = kb_builtin(&b, AT_THREAD, 63);
}

static void teardown(void)
{
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

/* Ends the program with thread t writing x to element t, and runs it; the result's element 0, or
 * -1. */
static int64_t run(k_id x)
{
    host_array result;
    k_id n = kb_int(&b, 64);
    kb_store(&b, out, t, x);
    kb_close(&b, NULL, 0);
    kb_output(&b, 0, out, &n, 1);
    kb_end(&b);
    ck_assert(!b.failed);
    kb_release(&b);
    bool ok = simulate(&program, NULL, &result, &report);
    int64_t first = ok ? (int64_t)host_get(&result, 0) : -1;
    host_free(&cx.mem, &result);
    return first;
}

static void expect(k_id x, const char *error)
{
    ck_assert_int_eq(run(x), -1);
    ck_assert_msg(strstr(report.error, error), "'%s' expected: %s", error, report.error);
}

static k_id mirrored(void)
{
    return kb_sub(&b, kb_int(&b, 63), t);
}

START_TEST(exchange_with_barrier)
{
    kb_store(&b, tile, t, t);
    kb_sync(&b, LEVEL_BLOCK);
    ck_assert_int_eq(run(kb_load(&b, tile, mirrored())), 63);
    ck_assert_uint_eq(report.barriers, 1);
    ck_assert_uint_eq(report.local_elements, 64);
}
END_TEST

/* A barrier of the warp is not enough for two warps. */
START_TEST(exchange_without_barrier)
{
    kb_store(&b, tile, t, t);
    kb_sync(&b, LEVEL_WARP);
    expect(kb_load(&b, tile, mirrored()), "races with thread");
}
END_TEST

/* What others have read is overwritten. */
START_TEST(overwriting_without_barrier)
{
    kb_store(&b, tile, t, t);
    kb_sync(&b, LEVEL_BLOCK);
    k_id x = kb_load(&b, tile, mirrored());
    kb_store(&b, tile, t, x);
    expect(x, "races with thread");
}
END_TEST

START_TEST(barrier_in_a_branch)
{
    kb_open_if(&b, kb_lt(&b, t, kb_int(&b, 40)));
    kb_sync(&b, LEVEL_WARP);
    kb_next_block(&b, NULL, 0);
    kb_close(&b, NULL, 0);
    expect(t, "reached by 8 of the 32 lanes of warp 1");
}
END_TEST

START_TEST(shuffles)
{
    k_id lane = kb_scalar(&b, SOP_REM, t, kb_int(&b, 32), 0);
    ck_assert_int_eq(run(kb_shuffle(&b, t, kb_add(&b, lane, kb_int(&b, 33)))), 1);
    ck_assert_uint_eq(report.shuffles, 2);
}
END_TEST

/* Whole warps may take different ways, lanes may not. */
START_TEST(shuffle_in_a_branch)
{
    k_id yes = kb_open_if(&b, kb_lt(&b, t, kb_int(&b, 32))), x = kb_shuffle(&b, t, kb_int(&b, 5)),
         no = kb_int(&b, 0);
    kb_next_block(&b, &x, 1);
    kb_close(&b, &no, 1);
    k_id odd = kb_open_if(&b, kb_lt(&b, t, kb_int(&b, 33))), y = kb_shuffle(&b, t, kb_int(&b, 5));
    kb_next_block(&b, &y, 1);
    kb_close(&b, &no, 1);
    expect(kb_add(&b, kb_result(&b, yes, 0), kb_result(&b, odd, 0)),
           "reached by 1 of the 32 lanes of warp 1");
}
END_TEST

START_TEST(undefined)
{
    expect(kb_load(&b, tile, t), "stores an undefined value");
}
END_TEST

START_TEST(outside)
{
    expect(kb_load(&b, tile, kb_add(&b, t, kb_int(&b, 1))), "element 64 of 64");
}
END_TEST

/* Of two barriers in a row the one of the higher level stays. */
START_TEST(barriers_in_a_row)
{
    kb_store(&b, tile, t, t);
    kb_sync(&b, LEVEL_WARP);
    kb_sync(&b, LEVEL_BLOCK);
    kb_sync(&b, LEVEL_WARP);
    k_id x = kb_load(&b, tile, mirrored()), n = kb_int(&b, 64);
    kb_store(&b, out, t, x);
    kb_close(&b, NULL, 0);
    kb_output(&b, 0, out, &n, 1);
    kb_end(&b);
    kb_release(&b);
    ck_assert(k_dce(&program));
    host_array result;
    ck_assert_msg(simulate(&program, NULL, &result, &report), "%s", report.error);
    ck_assert_uint_eq(report.barriers, 1);
    ck_assert_uint_eq(report.warp_barriers, 0);
    host_free(&cx.mem, &result);
}
END_TEST

Suite *simulator_suite(void);

Suite *simulator_suite(void)
{
    Suite *s = suite_create("simulator");
    TCase *c = tcase_create("kernels");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, exchange_with_barrier);
    tcase_add_test(c, exchange_without_barrier);
    tcase_add_test(c, overwriting_without_barrier);
    tcase_add_test(c, barrier_in_a_branch);
    tcase_add_test(c, shuffles);
    tcase_add_test(c, shuffle_in_a_branch);
    tcase_add_test(c, undefined);
    tcase_add_test(c, outside);
    tcase_add_test(c, barriers_in_a_row);
    suite_add_tcase(s, c);
    return s;
}
