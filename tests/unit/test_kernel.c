/* The kernel IR's builder: folding, sharing, placement, bounds, dead code. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/algebra/algebra.h"

#include <check.h>

static fcl_context cx;
static ir_module module;
static k_program program;
static k_builder b;

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    ck_assert(kb_init(&b, &program));
}

static void teardown(void)
{
    kb_release(&b);
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

static k_id op(opcode o, k_id x, k_id y)
{
    return kb_scalar(&b, o, x, y, 0);
}

START_TEST(index_functions_cancel)
{
    k_id n = kb_dim(&b, 0, 0), i = kb_arg(&b, 1, ST_I32), one = kb_int(&b, 1);
    k_id r = kb_sub(&b, kb_sub(&b, n, i), one);
    ck_assert_uint_eq(kb_sub(&b, kb_sub(&b, n, r), one), i);
    ck_assert_uint_eq(kb_add(&b, kb_int(&b, 2), kb_int(&b, 3)), kb_int(&b, 5));
    ck_assert_uint_eq(kb_sub(&b, i, i), kb_int(&b, 0));
}
END_TEST

/* (x / c) * d is not x / (c / d), and constants wrap at the width of their type. */
START_TEST(divisions_stay)
{
    k_id x = kb_arg(&b, 0, ST_I32), six = kb_int(&b, 6);
    k_id v = kb_mul(&b, op(SOP_DIV, x, six), six);
    ck_assert_uint_ne(v, x);
    ck_assert_int_eq(k_at(&program, v)->opcode, SOP_MUL);
    k_id sum = kb_add(&b, kb_int(&b, INT32_MAX), kb_int(&b, 1));
    ck_assert_uint_eq(sum, kb_int(&b, INT32_MIN));
    ck_assert_uint_eq(op(SOP_GT, sum, kb_int(&b, 0)), kb_const(&b, ST_BOOL, 0));
    ck_assert_uint_eq(op(SOP_DIV, kb_int(&b, -7), kb_int(&b, 2)), kb_int(&b, -4));
    ck_assert_uint_eq(op(SOP_QUOT, kb_int(&b, -7), kb_int(&b, 2)), kb_int(&b, -3));
}
END_TEST

START_TEST(intervals_decide)
{
    k_id n = kb_dim(&b, 0, 0), x = kb_arg(&b, 1, ST_I32);
    ck_assert_uint_eq(kb_max(&b, n, kb_int(&b, 0)), n);
    ck_assert_uint_ne(kb_max(&b, x, kb_int(&b, 0)), x);
    ck_assert_uint_eq(op(SOP_GE, n, kb_int(&b, 0)), kb_const(&b, ST_BOOL, 1));
    ck_assert(k_at(&program, kb_sub(&b, n, kb_int(&b, 1)))->exact);
    ck_assert(!k_at(&program, kb_mul(&b, x, x))->exact);
}
END_TEST

/* Facts narrow what is known, and never to nothing; a row of the table has its fields alone. */
START_TEST(facts_only_grow)
{
    k_id x = kb_arg(&b, 1, ST_I32);
    ck_assert_int_eq(k_lo(&program, x), INT32_MIN);
    k_state_range(&program, x, -5, INT64_MAX);
    k_state_range(&program, x, INT64_MIN, 9);
    ck_assert_int_eq(k_lo(&program, x), -5);
    ck_assert_int_eq(k_hi(&program, x), 9);
    k_state_range(&program, x, 10, 20);
    ck_assert_int_eq(k_lo(&program, x), -5);
    ck_assert_int_eq(k_hi(&program, x), 9);
    k_state_range(&program, 0, 1, 1);
    ck_assert_int_eq(k_hi(&program, 0), 0);
    for (k_id n = 1; n < program.nodes.len; n++)
        for (uint32_t i = 0; i < 32; i++)
            ck_assert((k_op_info(k_at(&program, n)->op)->attributes >> i & 1) ||
                      !k_get_attribute(k_at(&program, n), (k_attribute)(1u << i)));
}
END_TEST

START_TEST(values_are_shared_and_leave_loops)
{
    k_id n = kb_dim(&b, 0, 0), x = kb_arg(&b, 1, ST_I32), memory = kb_buffer(&b, 0, ST_I32);
    k_id loop = kb_open_for(&b, kb_int(&b, 0), n, kb_int(&b, 1), NULL, 0),
         i = kb_param(&b, loop, 0);
    k_id outside = kb_mul(&b, x, x), inside = kb_mul(&b, i, x);
    ck_assert_int_eq(k_at(&program, outside)->depth, 0);
    ck_assert_int_eq(k_at(&program, inside)->depth, 1);
    ck_assert_uint_eq(kb_mul(&b, i, x), inside);
    ck_assert_uint_eq(kb_lt(&b, i, n), kb_const(&b, ST_BOOL, 1));
    ck_assert_uint_eq(kb_load(&b, memory, i), kb_load(&b, memory, i));
    kb_close(&b, NULL, 0);
    ck_assert_uint_eq(kb_mul(&b, x, x), outside);
}
END_TEST

/* Loads are shared until somebody may have written: this thread to that memory, others before a
 * barrier, the last turn of a loop. */
START_TEST(loads_are_shared_until_written)
{
    k_id zero = kb_int(&b, 0), n = kb_int(&b, 8), c = op(SOP_LT, kb_arg(&b, 1, ST_I32), zero);
    k_id local = kb_alloc(&b, SPACE_LOCAL, ST_I32, n), other = kb_alloc(&b, SPACE_LOCAL, ST_I32, n);
    k_id own = kb_alloc(&b, SPACE_PRIVATE, ST_I32, n), input = kb_buffer(&b, 0, ST_I32);
    k_id x = kb_load(&b, local, zero), y = kb_load(&b, other, zero), z = kb_load(&b, own, zero);
    ck_assert_uint_eq(kb_load(&b, local, zero), x);
    kb_store(&b, local, n, x);
    ck_assert_uint_ne(kb_load(&b, local, zero), x);
    ck_assert_uint_eq(kb_load(&b, other, zero), y);
    kb_sync(&b, LEVEL_BLOCK);
    ck_assert_uint_ne(kb_load(&b, other, zero), y);
    ck_assert_uint_eq(kb_load(&b, own, zero), z);
    y = kb_load(&b, other, zero);
    k_id in = kb_load(&b, input, zero);
    kb_open_if(&b, c);
    ck_assert_uint_eq(kb_load(&b, other, zero), y);
    kb_store(&b, other, zero, y);
    kb_next_block(&b, NULL, 0);
    kb_close(&b, NULL, 0);
    ck_assert_uint_ne(kb_load(&b, other, zero), y);
    kb_open_for(&b, zero, n, kb_int(&b, 1), NULL, 0);
    ck_assert_uint_ne(kb_load(&b, own, zero), z);
    ck_assert_uint_eq(kb_load(&b, input, zero), in);
    kb_close(&b, NULL, 0);
}
END_TEST

/* What a closed scope computed is not found again; an expensive operation does not leave an if. */
START_TEST(scopes_end)
{
    k_id x = kb_arg(&b, 0, ST_F64), c = op(SOP_LT, kb_arg(&b, 1, ST_I32), kb_int(&b, 0));
    k_id s = kb_open_if(&b, c);
    k_id root = kb_scalar(&b, SOP_SQRT, x, 0, 0);
    ck_assert_int_eq(k_at(&program, root)->depth, 1);
    kb_next_block(&b, &root, 1);
    k_id again = kb_scalar(&b, SOP_SQRT, x, 0, 0);
    ck_assert_uint_ne(again, root);
    kb_close(&b, &again, 1);
    ck_assert_int_eq(k_at(&program, kb_result(&b, s, 0))->type, ST_F64);
}
END_TEST

START_TEST(bounds_look_through)
{
    k_id n = kb_dim(&b, 0, 0), c = kb_arg(&b, 1, ST_I32);
    kb_open_launch(&b, LEVEL_GRID, kb_int(&b, 1), 256);
    k_id par = kb_open_par(&b, OVER_BLOCKS, n), i = kb_param(&b, par, 0);
    k_id rest = kb_sub(&b, n, i), length = kb_min(&b, c, rest);
    ck_assert_uint_eq(ka_upper(&b, length), kb_min(&b, c, n));
    k_id half = op(SOP_DIV, kb_add(&b, kb_int(&b, 1), i), kb_int(&b, 2));
    ck_assert(ka_upper(&b, half) != 0);
    ck_assert(kb_is_host(&b, ka_upper(&b, half)));
    k_id loaded = kb_load(&b, kb_buffer(&b, 0, ST_I32), i);
    ck_assert_uint_eq(ka_upper(&b, loaded), 0);
    k_id divisor = kb_sub(&b, kb_min(&b, i, kb_int(&b, 3)), kb_int(&b, 1));
    k_state_range(&program, divisor, 1, 2);
    ck_assert_uint_eq(ka_upper(&b, op(SOP_DIV, kb_int(&b, 5), divisor)), kb_int(&b, 5));
    ck_assert(ka_not_above(&b, length, c));
    ck_assert(!ka_not_above(&b, kb_add(&b, i, kb_int(&b, 1)), i));
}
END_TEST

/* A thousand scopes that come and go leave the table small, and it still finds what is open. */
START_TEST(table_survives_churn)
{
    k_id x = kb_arg(&b, 0, ST_I32), first = kb_mul(&b, x, x);
    for (int i = 0; i < 1000; i++) {
        k_id s = kb_open_for(&b, kb_int(&b, 0), x, kb_int(&b, 1), NULL, 0);
        for (int k = 0; k < 10; k++)
            kb_mul(&b, kb_param(&b, s, 0), kb_int(&b, k + 2));
        ck_assert_uint_eq(kb_mul(&b, x, x), first);
        kb_close(&b, NULL, 0);
    }
    ck_assert_uint_le(b.table_cap, 4096);
}
END_TEST

START_TEST(dead_code_goes)
{
    k_id n = kb_dim(&b, 0, 0), in = kb_buffer(&b, 0, ST_I32);
    k_id unused = kb_alloc(&b, SPACE_GLOBAL, ST_I32, n),
         used = kb_alloc(&b, SPACE_GLOBAL, ST_I32, n);
    for (int k = 0; k < 2; k++) {
        k_id s = kb_open_for(&b, kb_int(&b, 0), n, kb_int(&b, 1), NULL, 0), i = kb_param(&b, s, 0);
        kb_store(&b, k ? used : unused, i, kb_load(&b, in, i));
        kb_close(&b, NULL, 0);
    }
    kb_output(&b, 0, used, &n, 1);
    kb_end(&b);
    ck_assert(k_dce(&program));
    int loops = 0, allocs = 0;
    for (k_id s = k_block_at(&program, program.host)->first; s; s = k_at(&program, s)->next) {
        loops += k_at(&program, s)->op == K_FOR;
        allocs += k_at(&program, s)->op == K_ALLOC;
    }
    ck_assert_int_eq(loops, 1);
    ck_assert_int_eq(allocs, 1);
}
END_TEST

Suite *kernel_suite(void);

Suite *kernel_suite(void)
{
    Suite *s = suite_create("kernel");
    TCase *t = tcase_create("builder");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, index_functions_cancel);
    tcase_add_test(t, divisions_stay);
    tcase_add_test(t, intervals_decide);
    tcase_add_test(t, facts_only_grow);
    tcase_add_test(t, values_are_shared_and_leave_loops);
    tcase_add_test(t, loads_are_shared_until_written);
    tcase_add_test(t, scopes_end);
    tcase_add_test(t, bounds_look_through);
    tcase_add_test(t, table_survives_churn);
    tcase_add_test(t, dead_code_goes);
    suite_add_tcase(s, t);
    return s;
}
