/* Programs that devices keep: found by code and options, and few of them once nobody uses them. */
#include "backends/run/kept.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static kept_list list;
static int freed;

static kept describe(const char *code, size_t size, const char *options)
{
    kept k = {0};
    kept_describe(&k, &(run_code){.at = code, .size = size, .options = options});
    return k;
}

static kept *use(const char *code, size_t size, const char *options)
{
    kept like = describe(code, size, options), *k = kept_take(&list, &like);
    if (k)
        return k;
    k = calloc(1, sizeof *k);
    ck_assert_ptr_nonnull(k);
    *k = like;
    kept_add(&list, k);
    return k;
}

static kept *use_number(int i)
{
    char code[20];
    int n = snprintf(code, sizeof code, "%d", i);
    return use(code, (size_t)n, "");
}

/* Whether one of that number is there, used or not. */
static bool is_there(int i)
{
    char code[20];
    int n = snprintf(code, sizeof code, "%d", i);
    kept like = describe(code, (size_t)n, ""), *k = kept_take(&list, &like);
    if (k)
        kept_leave(&list, k);
    return k != NULL;
}

static void leave(kept *k)
{
    kept_leave(&list, k);
    for (kept *s; (s = kept_surplus(&list)) != NULL; freed++)
        free(s);
}

static void setup(void)
{
    list = (kept_list){0};
    freed = 0;
}

static void teardown(void)
{
    for (kept *k; (k = kept_last(&list)) != NULL;)
        free(k);
    ck_assert(!list.used && !list.idle && !list.nidle && !list.idle_bytes);
}

START_TEST(same_code_and_options_are_one_program)
{
    kept *a = use("ab", 2, "-c");
    ck_assert_ptr_eq(use("ab", 2, "-c"), a);
    ck_assert_ptr_ne(use("ab", 2, "-d"), a);
    ck_assert_ptr_ne(use("a", 1, "-c"), a);
    ck_assert_ptr_ne(use("cab", 3, "-"), a);
    ck_assert_uint_eq(a->users, 2);
    leave(a);
    ck_assert(!list.idle);
    leave(a);
    ck_assert_ptr_eq(list.idle, a);
    ck_assert_ptr_eq(use("ab", 2, "-c"), a);
    ck_assert(!list.idle && list.idle_bytes == 0);
}
END_TEST

START_TEST(idle_ones_go_when_others_were_used_later)
{
    for (int i = 0; i < KEPT_IDLE; i++)
        leave(use_number(i));
    ck_assert_int_eq(freed, 0);
    leave(use_number(0)); /* again: 1 is now the oldest */
    leave(use_number(-1));
    ck_assert_int_eq(freed, 1);
    ck_assert(is_there(0) && !is_there(1) && is_there(2));
    for (int i = 1000; i < 2000; i++)
        leave(use_number(i));
    ck_assert_uint_eq(list.nidle, KEPT_IDLE);
    ck_assert_int_eq(freed, 1001);
}
END_TEST

START_TEST(large_ones_go_earlier_and_used_ones_never)
{
    char *code = calloc(1, KEPT_IDLE_BYTES + 1);
    ck_assert_ptr_nonnull(code);
    kept *large = use(code, KEPT_IDLE_BYTES + 1, ""), *held[2 * KEPT_IDLE];
    for (int i = 0; i < 2 * KEPT_IDLE; i++)
        held[i] = use_number(i);
    leave(use(code, KEPT_IDLE_BYTES / 2, ""));
    leave(use(code, KEPT_IDLE_BYTES / 2, "-x"));
    ck_assert_int_eq(freed, 0);
    leave(use(code, 1, ""));
    ck_assert_int_eq(freed, 1);
    leave(large);
    ck_assert_int_ge(freed, 2);
    for (int i = 0; i < 2 * KEPT_IDLE; i++)
        ck_assert_ptr_eq(use_number(i), held[i]);
    free(code);
}
END_TEST

Suite *kept_suite(void);

Suite *kept_suite(void)
{
    Suite *s = suite_create("kept");
    TCase *t = tcase_create("kept");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, same_code_and_options_are_one_program);
    tcase_add_test(t, idle_ones_go_when_others_were_used_later);
    tcase_add_test(t, large_ones_go_earlier_and_used_ones_never);
    suite_add_tcase(s, t);
    return s;
}
