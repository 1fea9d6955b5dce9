/* Memories that a prepared program keeps: which are taken again, and how large new ones are. */
#include "backends/run/pool.h"
#include "libfcl/fcl.h"

#include <check.h>
#include <stdlib.h>

enum { MANY = 4000 };

static int made, released;
static pool kept;
static run_device device;

static void *make_buffer(run_device *d, uint64_t bytes, const void *init)
{
    (void)d, (void)bytes, (void)init;
    made++;
    return malloc(1);
}

static void release(run_device *d, void *memory)
{
    (void)d;
    released++;
    free(memory);
}

static void setup(void)
{
    static const run_ops ops = {.buffer = make_buffer, .release = release};
    device = (run_device){.ops = &ops, .cx = fcl_context_create(NULL, NULL)};
    ck_assert_ptr_nonnull(device.cx);
    kept = (pool){0};
    made = released = 0;
}

static void teardown(void)
{
    pool_free(&kept, &device);
    ck_assert_int_eq(made, released);
    fcl_context_destroy(device.cx);
}

static uint64_t use(uint64_t bytes, uint64_t most)
{
    pooled block = pool_take(&kept, &device, bytes, most);
    ck_assert_uint_ge(block.bytes, bytes);
    ck_assert_uint_le(block.bytes, most);
    pool_give(&kept, &device, block);
    return block.bytes;
}

START_TEST(a_block_is_taken_again)
{
    ck_assert_uint_eq(use(1000, UINT64_MAX), 1000);
    ck_assert_uint_eq(use(900, UINT64_MAX), 1000);
    ck_assert_int_eq(made, 1);
    ck_assert_uint_eq(use(499, UINT64_MAX), 499); /* less than half of it */
    ck_assert_uint_eq(use(900, 950), 900);        /* 960: more than may be held */
    ck_assert_int_eq(made, 3);
}
END_TEST

/* One more element in each turn: few blocks are made, none much too large. */
START_TEST(sizes_that_grow_find_a_block)
{
    for (uint64_t n = 1; n <= MANY; n++)
        ck_assert_uint_le(use(4 * n, UINT64_MAX) * 8, 4 * n * 9 + 8);
    ck_assert_int_lt(made, 150);
}
END_TEST

START_TEST(a_new_block_is_no_larger_than_may_be_held)
{
    for (uint64_t n = 1; n <= MANY; n++)
        ck_assert_uint_le(use(4 * n, 4 * n + n % 7), 4 * n + n % 7);
}
END_TEST

Suite *pool_suite(void);

Suite *pool_suite(void)
{
    Suite *s = suite_create("pool");
    TCase *t = tcase_create("pool");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_block_is_taken_again);
    tcase_add_test(t, sizes_that_grow_find_a_block);
    tcase_add_test(t, a_new_block_is_no_larger_than_may_be_held);
    suite_add_tcase(s, t);
    return s;
}
