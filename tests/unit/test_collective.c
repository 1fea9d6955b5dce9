/* Collectives in the evaluator: however a stream is cut, what is sorted by which keys, and the ways
 * in which they fail.
 */
#include "ir/eval/value.h"
#include "ir/scalar/scalar.h"
#include "tests/unit/eval_world.h"

/* x -> a x + b, composed: associative, and not commutative; (1, 0) is neutral. */
#define COMPOSED                                                                                   \
    "fun @after(%f: (int, int), %g: (int, int)) -> (int, int) {\n"                                 \
    "  %a = proj %f, 0  %b = proj %f, 1  %c = proj %g, 0  %d = proj %g, 1\n"                       \
    "  %ac = mul %a, %c  %bc = mul %b, %c  %e = add %bc, %d\n"                                     \
    "  %r = tuple %ac, %e\n"                                                                       \
    "  return %r\n"                                                                                \
    "}\n"

/* A composition, a histogram, and all numbers again, of a stream of n; and the first two without
 * one. */
static const char streams[] = COMPOSED
    "kernel @main(%n: int) {\n"
    "  %one = tuple 1, 0\n"
    "  %none = generate 5 { (%i) yield 0 }\n"
    "  %z = tuple %one, %none\n"
    "  %all = streamred %z, %n { (%start, %count)\n"
    "    %fs = generate %count { (%i)\n"
    "      %k = add %start, %i  %a = or %k, 1\n"
    "      %f = tuple %a, %k\n"
    "      yield %f\n"
    "    }\n"
    "    %f = reduce %one, %fs { (%x, %y) %r = call @after(%x, %y) yield %r }\n"
    "    %h = accumulate %none, %fs { (%x)\n"
    "      %k = proj %x, 1  %c = mod %k, 5  %t = tuple %c, %k\n"
    "      yield %t\n"
    "    } { (%x, %y) %s = add %x, %y yield %s }\n"
    "    %v = tuple %f, %h\n"
    "    yield %v\n"
    "  } { (%x, %y)\n"
    "    %f = proj %x, 0  %g = proj %y, 0  %p = proj %x, 1  %q = proj %y, 1\n"
    "    %r = call @after(%f, %g)\n"
    "    %h = generate 5 { (%i) %a = index %p, %i %b = index %q, %i %s = add %a, %b yield %s }\n"
    "    %v = tuple %r, %h\n"
    "    yield %v\n"
    "  }\n"
    "  %m = streammap %n { (%start, %count)\n"
    "    %e = generate %count { (%i) %k = add %start, %i yield %k }\n"
    "    yield %e\n"
    "  }\n"
    "  %h = proj %all, 1  %f = proj %all, 0\n"
    "  %r = tuple %h, %m, %f\n"
    "  return %r\n"
    "}\n";

static void expect_streams(const session *s, int32_t n)
{
    uint32_t a = 1, b = 0, cells[5] = {0};
    for (uint32_t k = 0; k < (uint32_t)n; k++) {
        b = b * (k | 1) + k;
        a *= k | 1;
        cells[k % 5] += k;
    }
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(((uint32_t *)s->out[0].data)[i], cells[i]);
    for (int32_t i = 0; i < n; i++)
        ck_assert_int_eq(((int32_t *)s->out[1].data)[i], i);
    ck_assert_uint_eq(s->out[1].dims[0], (uint64_t)n);
    ck_assert_uint_eq(*(uint32_t *)s->out[2].data, a);
    ck_assert_uint_eq(*(uint32_t *)s->out[3].data, b);
}

/* Chunks of every length give what one loop gives. */
START_TEST(streams_however_cut)
{
    static const uint32_t lengths[] = {1, 2, 3, 7, 64, 0, 100000};
    session s;
    begin(&s, streams);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int32_t n = 0; n < 3000; n = n * 5 + 1) {
            s.options.stream_chunk = lengths[k];
            ck_assert(run(&s, ARGS(one_int(&n)), 4));
            expect_streams(&s, n);
        }
    end(&s);
}
END_TEST

/* ---- sort ---- */

/* In ascending order, one type after the other. */
START_TEST(keys_keep_the_order_of_their_types)
{
    static const struct {
        scalar type;
        uint64_t bits[8];
    } rows[] = {
        {ST_I32, {(uint64_t)INT32_MIN, (uint64_t)-2, (uint64_t)-1, 0, 1, 2, 77, INT32_MAX}},
        {ST_I64, {(uint64_t)INT64_MIN, (uint64_t)-2, (uint64_t)-1, 0, 1, 2, 77, INT64_MAX}},
        {ST_U64, {0, 1, 2, 77, INT32_MAX, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX}},
        {ST_F32,
         {0xFFC00000, 0xFF800000, 0xBF800000, 0x80000000, 0, 0x3F800000, 0x7F800000, 0x7FC00000}},
        {ST_F16, {0xFE00, 0xFC00, 0xBC00, 0x8000, 0, 0x3C00, 0x7C00, 0x7E00}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int i = 1; i < 8; i++)
            ck_assert_msg(eval_sort_key(rows[k].type, rows[k].bits[i - 1]) <
                              eval_sort_key(rows[k].type, rows[k].bits[i]),
                          "%s: %d", ir_scalar_name(rows[k].type), i);
}
END_TEST

static const char sorted[] = "kernel @main(%xs: [int]) {\n"
                             "  %n = length %xs\n"
                             "  %ts = generate %n { (%i)\n"
                             "    %x = index %xs, %i  %t = tuple %x, %i\n"
                             "    yield %t\n"
                             "  }\n"
                             "  %s = sort %ts { (%t) %x = proj %t, 0 yield %x }\n"
                             "  return %s\n"
                             "}\n";

/* Equal keys stay in their order; so the numbers are a permutation that says the rest. */
START_TEST(sorting_is_stable)
{
    session s;
    int32_t xs[200], seen[200];
    begin(&s, sorted);
    for (int32_t n = 0; n <= 200; n = n < 20 ? n + 1 : n + 60) {
        uint32_t random = 12345;
        for (int32_t i = 0; i < n; i++)
            xs[i] = (int32_t)((random = random * 1664525u + 1013904223u) >> 24) % 8 - 4;
        ck_assert(run(&s, ARGS(ints(xs, (uint64_t)n)), 2));
        const int32_t *keys = s.out[0].data, *from = s.out[1].data;
        memset(seen, 0, sizeof seen);
        for (int32_t i = 0; i < n; i++) {
            ck_assert_int_eq(keys[i], xs[from[i]]);
            ck_assert_int_eq(seen[from[i]]++, 0);
            ck_assert(i == 0 || keys[i - 1] < keys[i] ||
                      (keys[i - 1] == keys[i] && from[i - 1] < from[i]));
        }
    }
    end(&s);
}
END_TEST

/* ---- arrays as values ---- */

/* The sum of the rows, a row at a time. */
static const char rows_summed[] =
    "kernel @main(%xs: [int;2]) -> [int] {\n"
    "  %n = dim %xs, 0  %m = dim %xs, 1\n"
    "  %rows = generate %n { (%i)\n"
    "    %row = generate %m { (%j) %x = index %xs, %i, %j yield %x }\n"
    "    yield %row\n"
    "  }\n"
    "  %zero = generate %m { (%j) yield 0 }\n"
    "  %s = reduce %zero, %rows { (%x, %y)\n"
    "    %z = generate %m { (%j) %a = index %x, %j %b = index %y, %j %c = add %a, %b yield %c }\n"
    "    yield %z\n"
    "  }\n"
    "  return %s\n"
    "}\n";

/* The array turned around in its own memory, element i computed from element n - 1 - i. */
static const char turned_around[] = "kernel @main(%n: int, %xs: [int]) -> [int] {\n"
                                    "  %r = repeat %n, %xs { (%i, %a)\n"
                                    "    %m = length %a\n"
                                    "    %e = generate %m { (%j)\n"
                                    "      %k = sub %m, %j  %l = sub %k, 1  %x = index %a, %l\n"
                                    "      yield %x\n"
                                    "    }\n"
                                    "    %b = update %a, 0, %e\n"
                                    "    yield %b\n"
                                    "  }\n"
                                    "  return %r\n"
                                    "}\n";

static const char growing[] = "kernel @main(%n: int) {\n"
                              "  %z = generate 0 { (%i) yield 0 }\n"
                              "  %r = repeat %n, %z { (%k, %s)\n"
                              "    %e = generate %n { (%i) yield %i }\n"
                              "    yield %e\n"
                              "  }\n"
                              "  return %r\n"
                              "}\n";

START_TEST(arrays_are_values)
{
    int32_t once = 1, twice = 2;
    gives(rows_summed, ARGS(matrix(iota, 3, 2)), INTS(6, 9));
    gives(rows_summed, ARGS(matrix(iota, 0, 2)), INTS(0, 0));
    gives(turned_around, ARGS(one_int(&once), ints(INTS(5, 7, 9, 2))), INTS(2, 9, 7, 5));
    gives(turned_around, ARGS(one_int(&twice), ints(INTS(5, 7, 9))), INTS(5, 7, 9));
    gives(growing, ARGS(one_int(&twice)), INTS(0, 1));
}
END_TEST

/* Nothing of an element stays when it has been combined. */
START_TEST(a_reduction_needs_no_memory)
{
    static const char text[] = "kernel @main(%n: int) -> int {\n"
                               "  %xs = generate %n { (%i)\n"
                               "    %a = generate 100 { (%j) %k = add %i, %j yield %k }\n"
                               "    %s = scan 0, %a { (%x, %y) %z = max %x, %y yield %z }\n"
                               "    %x = index %s, 99\n"
                               "    yield %x\n"
                               "  }\n"
                               "  %s = reduce 0, %xs { (%x, %y) %z = max %x, %y yield %z }\n"
                               "  return %s\n"
                               "}\n";
    size_t peak[2];
    for (int i = 0; i < 2; i++) {
        session s;
        int32_t n = i ? 2000 : 20;
        begin(&s, text);
        s.heap.peak = 0;
        ck_assert(run(&s, ARGS(one_int(&n)), 1));
        ck_assert_int_eq(*(int32_t *)s.out[0].data, n + 98);
        peak[i] = s.heap.peak;
        end(&s);
    }
    ck_assert_uint_eq(peak[0], peak[1]);
}
END_TEST

/* ---- failing ---- */

static const char wrong_chunk[] = "kernel @main(%n: int) {\n"
                                  "  %m = streammap %n { (%start, %count)\n"
                                  "    %e = generate 3 { (%i) yield %i }\n"
                                  "    yield %e\n"
                                  "  }\n"
                                  "  return %m\n"
                                  "}\n";
START_TEST(ways_to_fail)
{
    int32_t four = 4, three = 3, less = -1;
    fails(wrong_chunk, ARGS(one_int(&four)), DIAG_EVAL_CHUNK, 3,
          "the chunk of 4 elements from 0 on of this streammap gives 3");
    fails(wrong_chunk, ARGS(one_int(&less)), DIAG_EVAL_EXTENT, 3,
          "the number of elements of a stream is -1");
    survives(wrong_chunk, ARGS(one_int(&three)), 1);
    survives(streams, ARGS(one_int(&four)), 4);
    survives(growing, ARGS(one_int(&four)), 1);
    survives(sorted, ARGS(ints(INTS(3, 1, 2))), 2);
    survives(rows_summed, ARGS(matrix(iota, 3, 2)), 1);
    survives(turned_around, ARGS(one_int(&three), ints(INTS(1, 2, 3))), 1);
}
END_TEST

Suite *collective_suite(void);
Suite *collective_suite(void)
{
    Suite *s = suite_create("collective");
    TCase *c = tcase_create("collective");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, make_iota, NULL);
    tcase_add_test(c, streams_however_cut);
    tcase_add_test(c, keys_keep_the_order_of_their_types);
    tcase_add_test(c, sorting_is_stable);
    tcase_add_test(c, arrays_are_values);
    tcase_add_test(c, a_reduction_needs_no_memory);
    tcase_add_test(c, ways_to_fail);
    suite_add_tcase(s, c);
    return s;
}
