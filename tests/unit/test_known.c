/* Arrays that are read again and again keep their elements: what they cost is what they have, they
 * mean what they meant, and what is kept goes with them. */
#include "tests/unit/eval_world.h"

/* Layers in which each element asks for four of the layer before: 4^LAYERS ways to each. */
enum { LAYERS = 9, SIDE = 40, STEPS = 40 * LAYERS * SIDE * SIDE };

static const char head[] = "kernel @main(%a: [int;2]) -> [int;2] {\n"
                           "  %n = dim %a, 0\n  %l = sub %n, 1\n  %b0 = generate %n, %n { (%i, %j)\n"
                           "    %x = index %a, %i, %j\n    yield %x\n  }\n";
/* Twice, for elements that can be computed side by side and for those that cannot. */
static const char by_index[] =
    "  %%b%d = generate %%n, %%n { (%%i, %%j)\n    %%u = add %%i, 1\n    %%v = min %%u, %%l\n"
    "    %%w = add %%j, 1\n    %%x = min %%w, %%l\n    %%p = index %%b%d, %%i, %%j\n"
    "    %%q = index %%b%d, %%v, %%j\n    %%r = index %%b%d, %%i, %%x\n"
    "    %%s = index %%b%d, %%v, %%x\n    %%t = add %%p, %%q\n    %%y = mul %%r, 3\n"
    "    %%z = sub %%y, %%s\n    %%o = xor %%t, %%z\n    yield %%o\n  }\n";
static const char by_loop[] =
    "  %%b%d = generate %%n, %%n { (%%i, %%j)\n    %%c = generate 4 { (%%k)\n"
    "      %%d = div %%k, 2\n      %%m = mod %%k, 2\n      %%u = add %%i, %%d\n"
    "      %%v = min %%u, %%l\n      %%w = add %%j, %%m\n      %%x = min %%w, %%l\n"
    "      %%p = index %%b%d, %%v, %%x\n      yield %%p\n    }\n    %%o = reduce 7, %%c { (%%x, %%y)\n"
    "      %%z = mul %%x, 31\n      %%w = add %%z, %%y\n      yield %%w\n    }\n    yield %%o\n  }\n";

static void add_layer(vec_char *text, mem *m, int k, bool loops)
{
    ck_assert(loops ? text_addf(m, text, by_loop, k, k - 1)
                    : text_addf(m, text, by_index, k, k - 1, k - 1, k - 1, k - 1));
}

static uint32_t layered(const uint32_t *a, int i, int j, bool loops)
{
    int u = i + 1 < SIDE ? i + 1 : i, v = j + 1 < SIDE ? j + 1 : j;
    uint32_t p = a[i * SIDE + j], q = a[u * SIDE + j], r = a[i * SIDE + v], s = a[u * SIDE + v];
    return loops ? (((7 * 31 + p) * 31 + r) * 31 + q) * 31 + s : (p + q) ^ (3 * r - s);
}

static void chain(bool loops)
{
    session s;
    heap h = {0};
    mem m;
    mem_init(&m, heap_realloc, &h);
    vec_char text = {0};
    static uint32_t a[LAYERS + 1][SIDE * SIDE];
    ck_assert(text_addf(&m, &text, "%s", head));
    for (int k = 1; k <= LAYERS; k++)
        add_layer(&text, &m, k, loops);
    ck_assert(text_addf(&m, &text, "  return %%b%d\n}\n", LAYERS));
    for (int i = 0; i < SIDE * SIDE; i++)
        a[0][i] = (uint32_t)(i * 7919 % 101);
    for (int k = 0; k < LAYERS; k++)
        for (int i = 0; i < SIDE * SIDE; i++)
            a[k + 1][i] = layered(a[k], i / SIDE, i % SIDE, loops);
    begin(&s, text_cstr(&m, &text));
    s.cx.limits.steps = STEPS;
    bool ok = run(&s, ARGS(matrix((int32_t *)a[0], SIDE, SIDE)), 1);
    if (!ok)
        show_diagnostics(&s);
    ck_assert(ok);
    expect_ints(&s.out[0], (const int32_t *)a[LAYERS], SIDE * SIDE);
    end(&s);
    vec_free(&m, &text);
}

START_TEST(layers_cost_what_they_have)
{
    chain(false);
    chain(true);
}
END_TEST

/* Elements that are arrays, and pairs of an array and a number. */
static const char rows[] =
    "kernel @main(%xs: [int], %n: int) -> [int] {\n  %m = length %xs\n"
    "  %sums = generate %n { (%i)\n    %1 = map %xs { (%x)\n      %2 = mul %x, %i\n"
    "      yield %2\n    }\n    %3 = scan 0, %1 { (%x, %y)\n      %4 = add %x, %y\n"
    "      yield %4\n    }\n    %5 = mul %i, 100\n    %6 = tuple %3, %5, %xs\n    yield %6\n  }\n"
    "  %all = mul %n, %m\n  %r = generate %all { (%k)\n    %i = mod %k, %n\n"
    "    %j = mod %k, %m\n    %t = index %sums, %i\n    %s = proj %t, 0\n    %p = proj %t, 1\n"
    "    %o = proj %t, 2\n    %x = index %s, %j\n    %y = index %o, %j\n    %z = add %x, %p\n"
    "    %w = mul %z, %y\n    yield %w\n  }\n  return %r\n}\n";

/* Elements that are arrays by name, which refer to what the element has computed: a number, a function, an array. */
static const char named[] =
    "kernel @main(%xs: [int], %n: int) -> [int] {\n  %m = length %xs\n"
    "  %rows = generate %n { (%i)\n    %1 = map %xs { (%x)\n      %2 = mul %x, %i\n      yield %2\n    }\n"
    "    %s = reduce 0, %1 { (%x, %y)\n      %4 = add %x, %y\n      yield %4\n    }\n"
    "    %f = fn { (%x: int)\n      %y = add %x, %s\n      yield %y\n    }\n"
    "    %a = map %xs { (%x)\n      %y = apply %f, %x\n      yield %y\n    }\n"
    "    %k = mod %i, 2\n    %c = eq %k, 0\n    %b = if %c {\n      %q = map %a { (%x)\n        %z = mul %x, 2\n"
    "        yield %z\n      }\n      yield %q\n    } {\n      yield %a\n    }\n    yield %b\n  }\n"
    "  %all = mul %n, %m\n  %r = generate %all { (%k)\n    %i = mod %k, %n\n    %j = mod %k, %m\n"
    "    %t = index %rows, %i\n    %x = index %t, %j\n    yield %x\n  }\n  return %r\n}\n";

enum { N = 37, M = 50 };

static void rows_of(session *s, const char *program, bool one_by_one, uint64_t steps)
{
    int32_t n = N;
    begin(s, program);
    s->options.one_by_one = one_by_one;
    s->cx.limits.steps = steps;
    ck_assert(run(s, ARGS(ints(iota, M), one_int(&n)), 1));
}

/* One by one, and kept. */
static void rows_give(const char *program, const int32_t *want)
{
    session s;
    rows_of(&s, program, true, UINT64_MAX);
    expect_ints(&s.out[0], want, N * M);
    end(&s);
    rows_of(&s, program, false, 20 * N * M);
    expect_ints(&s.out[0], want, N * M);
    end(&s);
}

START_TEST(elements_may_be_arrays)
{
    int32_t want[N * M];
    for (int k = 0; k < N * M; k++)
        want[k] = (k % N * (k % M * (k % M + 1) / 2) + 100 * (k % N)) * (k % M);
    rows_give(rows, want);
}
END_TEST

START_TEST(elements_may_be_arrays_by_name)
{
    int32_t want[N * M];
    for (int k = 0; k < N * M; k++)
        want[k] = (k % M + k % N * (M * (M - 1) / 2)) * (k % N % 2 ? 1 : 2);
    rows_give(named, want);
}
END_TEST

/* An element that is overwritten is a copy of what is kept. */
START_TEST(what_is_kept_is_not_overwritten)
{
    int32_t n = 20, want[40];
    for (int k = 0; k < 40; k++)
        want[k] = k % 20 + 1000 + k % 20;
    gives("kernel @main(%n: int) -> [int] {\n  %as = generate %n { (%i)\n"
          "    %a = generate 3 { (%j)\n      yield %i\n    }\n    %f = scan 0, %a { (%x, %y)\n"
          "      %m = max %x, %y\n      yield %m\n    }\n    yield %f\n  }\n"
          "  %twice = mul %n, 2\n  %r = generate %twice { (%k)\n    %i = mod %k, %n\n"
          "    %a = index %as, %i\n    %w = array 1000\n    %b = update %a, 1, %w\n"
          "    %x = index %b, 1\n    %c = index %as, %i\n    %y = index %c, 1\n    %z = add %x, %y\n"
          "    %q = index %c, 2\n    %p = add %z, %q\n    yield %p\n  }\n  return %r\n}\n",
          ARGS(one_int(&n)), want, 40);
}
END_TEST

/* Each turn keeps the elements of arrays of its own, and gives them back. */
static const char turns[] =
    "kernel @main(%n: int, %turns: int) -> int {\n  %one = array 1\n"
    "  %g = generate %n { (%i)\n    %s = reduce %i, %one { (%x, %y)\n      %z = mul %x, 3\n"
    "      yield %z\n    }\n    yield %s\n  }\n  %r = repeat %turns, 0 { (%t, %acc)\n"
    "    %a = generate %n { (%i)\n      %x = index %g, %i\n      %y = add %x, %acc\n"
    "      %s = reduce %y, %one { (%p, %q)\n        %z = xor %p, %t\n        yield %z\n      }\n"
    "      yield %s\n    }\n    %b = generate %n { (%i)\n      %x = index %a, %i\n"
    "      %j = sub %n, %i\n      %k = sub %j, 1\n      %y = index %a, %k\n      %z = sub %x, %y\n"
    "      %w = index %a, 0\n      %v = mul %z, %w\n      yield %v\n    }\n"
    "    %c = reduce 0, %b { (%x, %y)\n      %z = xor %x, %y\n      yield %z\n    }\n    yield %c\n"
    "  }\n  return %r\n}\n";

static size_t peak_of(int32_t times, bool one_by_one, int32_t *result)
{
    session s;
    int32_t n = 300;
    begin(&s, turns);
    s.options.one_by_one = one_by_one;
    s.heap.peak = 0;
    ck_assert(run(&s, ARGS(one_int(&n), one_int(&times)), 1));
    *result = *(int32_t *)s.out[0].data;
    size_t peak = s.heap.peak;
    end(&s);
    return peak;
}

START_TEST(what_is_kept_goes_with_its_array)
{
    int32_t few, many, slowly;
    size_t once = peak_of(2, false, &few);
    ck_assert_uint_le(peak_of(200, false, &many), once + 4096);
    peak_of(200, true, &slowly);
    ck_assert_int_eq(many, slowly);
}
END_TEST

/* Little memory: nothing is kept, and the program goes on as it did. */
START_TEST(nothing_is_kept_where_memory_is_short)
{
    session s;
    int32_t n = 1 << 16, one = 1;
    begin(&s, turns);
    s.cx.mem.limit = s.cx.mem.used + (1 << 20);
    bool ok = run(&s, ARGS(one_int(&n), one_int(&one)), 1);
    if (!ok)
        show_diagnostics(&s);
    ck_assert(ok);
    end(&s);
}
END_TEST

START_TEST(memory_may_run_out)
{
    int32_t n = 20, some = 3;
    survives(rows, ARGS(ints(iota, 5), one_int(&some)), 1);
    survives(named, ARGS(ints(iota, 40), one_int(&some)), 1);
    survives(turns, ARGS(one_int(&n), one_int(&some)), 1);
}
END_TEST

Suite *known_suite(void);
Suite *known_suite(void)
{
    Suite *s = suite_create("known");
    TCase *c = tcase_create("known");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, make_iota, NULL);
    tcase_add_test(c, layers_cost_what_they_have);
    tcase_add_test(c, elements_may_be_arrays);
    tcase_add_test(c, elements_may_be_arrays_by_name);
    tcase_add_test(c, what_is_kept_is_not_overwritten);
    tcase_add_test(c, what_is_kept_goes_with_its_array);
    tcase_add_test(c, nothing_is_kept_where_memory_is_short);
    tcase_add_test(c, memory_may_run_out);
    suite_add_tcase(s, c);
    return s;
}
