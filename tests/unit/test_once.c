/* Scalars that elements share: each is computed once for what it depends on, and where it fails the run fails. */
#include "tests/unit/eval_world.h"

/* A cell has a number of all (%all, and in a branch %most, by a function), one of its row (%own), and one of its own (%cell). */
static const char shared[] =
    "fun @most(%xs: [int]) -> int {\n  %1 = reduce 0, %xs { (%x, %y)\n    %z = max %x, %y\n    yield %z\n  }\n"
    "  return %1\n}\n"
    "kernel @main(%xs: [int], %n: int) -> [int] {\n  %m = length %xs\n"
    "  %sums = generate %n { (%i)\n    %row = map %xs { (%x)\n      %1 = mul %x, %i\n      yield %1\n    }\n"
    "    %cells = generate %m { (%j)\n"
    "      %all = reduce 0, %xs { (%x, %y)\n        %1 = add %x, %y\n        yield %1\n      }\n"
    "      %own = reduce 0, %row { (%x, %y)\n        %1 = add %x, %y\n        yield %1\n      }\n"
    "      %two = generate 2 { (%k)\n        %1 = add %j, %k\n        yield %1\n      }\n"
    "      %cell = reduce 0, %two { (%x, %y)\n        %1 = add %x, %y\n        yield %1\n      }\n"
    "      %k = mod %j, 3\n      %c = eq %k, 1\n      %b = if %c {\n        %most = call @most(%xs)\n"
    "        yield %most\n      } {\n        yield %own\n      }\n"
    "      %1 = mul %all, %cell\n      %2 = add %1, %b\n      %3 = xor %2, %j\n      yield %3\n    }\n"
    "    %s = reduce 0, %cells { (%x, %y)\n      %1 = mul %x, 31\n      %2 = add %1, %y\n      yield %2\n    }\n"
    "    yield %s\n  }\n  return %sums\n}\n";

enum { N = 30, M = 256 };

static int32_t sum_of(uint32_t i)
{
    uint32_t s = 0, all = M * (M - 1) / 2;
    for (uint32_t j = 0; j < M; j++) {
        uint32_t b = j % 3 == 1 ? M - 1 : all * i;
        s = s * 31 + ((all * (2 * j + 1) + b) ^ j);
    }
    return (int32_t)s;
}

static void shares(bool one_by_one)
{
    session s;
    int32_t n = N, want[N];
    for (uint32_t i = 0; i < N; i++)
        want[i] = sum_of(i);
    begin(&s, shared);
    s.options.one_by_one = one_by_one;
    s.cx.limits.steps = 16 * N * M;
    bool ok = run(&s, ARGS(ints(iota, M), one_int(&n)), 1);
    if (!ok)
        show_diagnostics(&s);
    ck_assert(ok);
    expect_ints(&s.out[0], want, N);
    end(&s);
}

START_TEST(what_elements_share_is_computed_once)
{
    shares(true);
    shares(false);
}
END_TEST

/* The state differs from turn to turn, and the array does not. */
START_TEST(turns_of_a_loop_share_what_is_around_it)
{
    int32_t n = 300, want = 0;
    for (int32_t t = 0; t < n; t++)
        want = (int32_t)((uint32_t)want * 3u + 3u * (uint32_t)want + 45u * (uint32_t)t);
    session s;
    begin(&s, "kernel @main(%xs: [int], %n: int) -> int {\n  %r = repeat %n, 0 { (%t, %acc)\n"
              "    %s = reduce 0, %xs { (%x, %y)\n      %1 = add %x, %y\n      yield %1\n    }\n"
              "    %three = array %acc, %acc, %acc\n    %a = reduce 0, %three { (%x, %y)\n      %1 = add %x, %y\n"
              "      yield %1\n    }\n    %1 = mul %s, %t\n    %2 = mul %acc, 3\n    %3 = add %1, %2\n"
              "    %4 = add %3, %a\n    yield %4\n  }\n  return %r\n}\n");
    s.cx.limits.steps = 20 * 300;
    ck_assert(run(&s, ARGS(ints(iota, 10), one_int(&n)), 1));
    expect_ints(&s.out[0], &want, 1);
    end(&s);
}
END_TEST

/* The index is out of range: that is so for nobody where there are no elements. */
static const char failing[] =
    "kernel @main(%xs: [int], %n: int) -> [int] {\n  %r = generate %n { (%i)\n"
    "    %one = generate 1 { (%j)\n      %x = index %xs, 99\n      yield %x\n    }\n"
    "    %s = reduce 0, %one { (%x, %y)\n      %1 = add %x, %y\n      yield %1\n    }\n"
    "    %2 = add %s, %i\n    yield %2\n  }\n  return %r\n}\n";

START_TEST(what_nobody_asks_for_does_not_fail)
{
    int32_t none = 0;
    gives(failing, ARGS(ints(iota, 10), one_int(&none)), NULL, 0);
    int32_t some = 3;
    fails(failing, ARGS(ints(iota, 10), one_int(&some)), DIAG_EVAL_INDEX, 5, "99");
}
END_TEST

START_TEST(memory_may_run_out)
{
    int32_t n = 3;
    survives(shared, ARGS(ints(iota, 20), one_int(&n)), 1);
}
END_TEST

Suite *once_suite(void);
Suite *once_suite(void)
{
    Suite *s = suite_create("once");
    TCase *c = tcase_create("once");
    tcase_add_checked_fixture(c, make_iota, NULL);
    tcase_add_test(c, what_elements_share_is_computed_once);
    tcase_add_test(c, turns_of_a_loop_share_what_is_around_it);
    tcase_add_test(c, what_nobody_asks_for_does_not_fail);
    tcase_add_test(c, memory_may_run_out);
    suite_add_tcase(s, c);
    return s;
}
