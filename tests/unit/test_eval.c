/* The evaluator on programs read from text and checked: what they compute, and each way in which
 * evaluation can fail.
 */
#include "tests/unit/eval_programs.h"
#include "tests/unit/eval_world.h"

/* ---- what programs compute ---- */

START_TEST(reversal)
{
    gives(reversed, ARGS(ints(iota, 4)), INTS(3, 2, 1, 0));
    gives(reversed, ARGS(ints(iota, 1)), INTS(0));
    gives(reversed, ARGS(ints(iota, 0)), iota, 0);
}
END_TEST

START_TEST(chunks)
{
    session s;
    begin(&s, distributed);
    for (int32_t n = 0; n < 12; n++)
        for (int32_t c = 1; c < 6; c++) {
            ck_assert(run(&s, ARGS(one_int(&c), ints(iota, (uint64_t)n)), 3));
            for (int32_t i = 0; i < n; i++) {
                int32_t first = i / c * c, last = first + c < n ? first + c : n;
                ck_assert_int_eq(((int32_t *)s.out[0].data)[i], n - 1 - i);
                ck_assert_int_eq(((int32_t *)s.out[1].data)[i], first + last - 1 - i);
            }
            ck_assert_uint_eq(s.out[0].dims[0], (uint64_t)n);
            ck_assert_int_eq(*(int32_t *)s.out[2].data, n);
        }
    end(&s);
}
END_TEST

START_TEST(tree_sums)
{
    session s;
    begin(&s, sum);
    for (uint32_t block = 1; block < 9; block++)
        for (int32_t n = 1; n < 70; n++) {
            s.options.block_size = block;
            ck_assert(run(&s, ARGS(ints(iota, (uint64_t)n)), 1));
            expect_ints(&s.out[0], INTS(n * (n - 1) / 2));
        }
    end(&s);
}
END_TEST

START_TEST(memory_does_not_grow_with_the_work)
{
    enum { N = 1 << 20 };
    session s;
    int32_t *xs = calloc(N, sizeof *xs);
    for (int i = 0; i < N; i++)
        xs[i] = 1;
    begin(&s, sum);
    s.options.block_size = 256;
    size_t before = s.heap.used;
    s.heap.peak = 0;
    ck_assert(run(&s, ARGS(ints(xs, N)), 1));
    expect_ints(&s.out[0], INTS(N));
    ck_assert_uint_lt(s.heap.peak - before, 2 << 20);
    end(&s);
    free(xs);
}
END_TEST

START_TEST(tiled_transposition)
{
    session s;
    int32_t t = 3;
    begin(&s, tiled);
    ck_assert(run(&s, ARGS(one_int(&t), matrix(iota, 6, 9)), 1));
    ck_assert(s.out[0].rank == 2 && s.out[0].dims[0] == 9 && s.out[0].dims[1] == 6);
    for (int32_t i = 0; i < 54; i++)
        ck_assert_int_eq(((int32_t *)s.out[0].data)[i], i % 6 * 9 + i / 6);
    end(&s);
}
END_TEST

START_TEST(nested_levels)
{
    gives(nested, ARGS(ints(iota, 8)), INTS(0, 10, 20, 30, 40, 50, 60, 70));
    gives(nested, ARGS(ints(iota, 13)), INTS(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120));
}
END_TEST

START_TEST(arrays_of_tuples)
{
    session s;
    unsigned char flags[] = {1, 0, 1};
    double half = 0.5;
    host_array bools = {.type = ST_BOOL, .rank = 1, .dims = {3}, .data = flags};
    host_array d = {.type = ST_F64, .data = &half};
    begin(&s, pairs);
    ck_assert(run(&s, ARGS(ints(iota, 3), bools, d), 4));
    for (int i = 0; i < 3; i++) {
        ck_assert(((double *)s.out[0].data)[i] == i * 0.5);
        ck_assert_int_eq(((int32_t *)s.out[1].data)[i], i);
        ck_assert_int_eq(((unsigned char *)s.out[2].data)[i], flags[i]);
    }
    ck_assert(*(double *)s.out[3].data == 0.5 && s.out[3].dims[0] == 1);
    bools.dims[0] = 2;
    ck_assert(!run(&s, ARGS(ints(iota, 3), bools, d), 4));
    ck_assert_int_eq(s.cx.diags.all.at[0].code, DIAG_ARGUMENTS);
    bools.dims[0] = 0;
    ck_assert(run(&s, ARGS(ints(iota, 0), bools, d), 4));
    ck_assert(s.out[0].dims[0] == 0 && s.out[0].type == ST_F64 && s.out[2].type == ST_BOOL);
    end(&s);
}
END_TEST

START_TEST(function_values)
{
    unsigned char yes = 1, no = 0;
    host_array t = {.type = ST_BOOL, .data = &yes}, f = {.type = ST_BOOL, .data = &no};
    gives(functions, ARGS(t, ints(iota, 3)), INTS(-91, -90, -89));
    gives(functions, ARGS(f, ints(iota, 3)), INTS(-94, -93, -92));
}
END_TEST

START_TEST(polymorphism)
{
    gives(polymorphic, ARGS(ints(iota, 3)), INTS(0, 2, 4, 0, 2, 4));
}
END_TEST

START_TEST(element_types)
{
    session s;
    begin(&s, several);
    ck_assert(run(&s, ARGS(ints(iota, 9)), 4));
    for (int i = 0; i < 9; i++) {
        ck_assert(((float *)s.out[1].data)[i] == (float)i / 3.0f);
        ck_assert_int_eq(((unsigned char *)s.out[2].data)[i], (unsigned char)(i + 250));
        ck_assert_int_eq(((unsigned char *)s.out[3].data)[i], i % 2 == 0);
    }
    end(&s);
}
END_TEST

START_TEST(i32_steps_agree)
{
    session s;
    int32_t edges[] = {0,  1,  2,     3,      7,         -1,        -2,
                       -3, -7, 65536, -65536, INT32_MAX, INT32_MIN, INT32_MIN + 1};
    enum { N = sizeof edges / sizeof edges[0] };
    begin(&s, agreement);
    ck_assert(run(&s, ARGS(ints(edges, N)), 1));
    for (int i = 0; i < N * N; i++)
        ck_assert_msg(((unsigned char *)s.out[0].data)[i], "%d and %d", edges[i / N], edges[i % N]);
    end(&s);
}
END_TEST

START_TEST(long_loops)
{
    session s;
    int32_t n = 20000;
    begin(&s, counting);
    s.heap.peak = s.heap.used;
    size_t before = s.heap.used;
    ck_assert(run(&s, ARGS(one_int(&n)), 1));
    expect_ints(&s.out[0], INTS(20000, 199990000));
    ck_assert_uint_lt(s.heap.peak - before, 1 << 20);
    end(&s);
}
END_TEST

START_TEST(sequential_scan)
{
    gives(scanned, ARGS(ints(iota, 7)), INTS(0, 1, 3, 6, 10, 15, 21));
    gives(scanned, ARGS(ints(iota, 0)), iota, 0);
}
END_TEST

START_TEST(sequential_fold)
{
    session s;
    begin(&s, folded);
    ck_assert(run(&s, ARGS(ints(INTS(1, 2, 3))), 2));
    expect_ints(&s.out[0], INTS(7123));
    ck_assert_int_eq(*(unsigned char *)s.out[1].data, 0);
    ck_assert(run(&s, ARGS(ints(iota, 0)), 2));
    expect_ints(&s.out[0], INTS(7));
    end(&s);
}
END_TEST

START_TEST(sequential_join)
{
    int32_t two = 2, three = 3;
    gives(joined, ARGS(one_int(&two), ints(iota, 6)), INTS(5, 4, 3, 2, 1, 0));
    gives(joined, ARGS(one_int(&three), ints(iota, 6)), INTS(5, 4, 3, 2, 1, 0));
    gives(joined, ARGS(one_int(&three), ints(iota, 0)), iota, 0);
    fails(joined, ARGS(one_int(&two), ints(iota, 5)), DIAG_EVAL_POSITION, 17,
          "no element of this interleaveseq goes to position 0");
}
END_TEST

START_TEST(powers)
{
    int32_t n[] = {-3, 0, 1, 4}, x = 3;
    gives(power, ARGS(one_int(&n[0]), one_int(&x)), INTS(0, 1, 2));
    gives(power, ARGS(one_int(&n[1]), one_int(&x)), INTS(0, 1, 2));
    gives(power, ARGS(one_int(&n[2]), one_int(&x)), INTS(0, 3, 6));
    gives(power, ARGS(one_int(&n[3]), one_int(&x)), INTS(18, 99, 180));
}
END_TEST

/* ---- failures ---- */

START_TEST(index_errors)
{
    static const char body[] = "kernel @main(%i: int, %xs: [int]) -> [int]<grid> {\n"
                               "  %r = map %xs { (%x: int)\n"
                               "    %j = add %x, %i\n"
                               "    %y = index %xs, %j\n"
                               "    yield %y\n"
                               "  }\n"
                               "  %p = push<grid> %r\n"
                               "  return %p\n"
                               "}\n";
    int32_t one = 1, minus = -1;
    fails(body, ARGS(one_int(&one), ints(iota, 3)), DIAG_EVAL_INDEX, 5,
          "index 3 of an array of 3 elements");
    fails(body, ARGS(one_int(&minus), ints(iota, 3)), DIAG_EVAL_INDEX, 5, "index -1 of");
}
END_TEST

START_TEST(extent_errors)
{
    static const char body[] = "kernel @main(%n: int, %m: int) -> [int]<grid> {\n"
                               "  %r = generate %n, %m { (%i: int, %j: int)\n"
                               "    yield %i\n"
                               "  }\n"
                               "  %k = length %r\n"
                               "  %q = generate %k { (%i: int)\n"
                               "    yield %i\n"
                               "  }\n"
                               "  %p = push<grid> %q\n"
                               "  return %p\n"
                               "}\n";
    int32_t minus = -4, zero = 0, two = 2, big = 1 << 30, biggest = INT32_MAX - 2048,
            beyond = biggest + 1;
    fails(body, ARGS(one_int(&two), one_int(&minus)), DIAG_EVAL_EXTENT, 3, "-4");
    fails(body, ARGS(one_int(&two), one_int(&big)), DIAG_EVAL_EXTENT, 6,
          "2147483648 elements, more than an int counts");
    fails(body, ARGS(one_int(&biggest), one_int(&biggest)), DIAG_EVAL_EXTENT, 3,
          "more than 1099511627776 elements");
    fails(body, ARGS(one_int(&zero), one_int(&beyond)), DIAG_EVAL_EXTENT, 3,
          "more than 2147481599");
    gives(body, ARGS(one_int(&zero), one_int(&biggest)), iota, 0);
    session s;
    begin(&s, body);
    s.options.max_elements = 4;
    ck_assert(run(&s, ARGS(one_int(&two), one_int(&two)), 1));
    s.options.max_elements = 3;
    ck_assert(!run(&s, ARGS(one_int(&two), one_int(&two)), 1));
    ck_assert_int_eq(s.cx.diags.all.at[0].code, DIAG_EVAL_EXTENT);
    end(&s);
}
END_TEST

START_TEST(chunk_errors)
{
    /* chunk i has the length that the array says */
    static const char body[] = "kernel @main(%c: int, %ns: [int]) -> [int]<grid> {\n"
                               "  %xss = map %ns { (%n: int)\n"
                               "    %xs = generate %n { (%i: int)\n"
                               "      yield %n\n"
                               "    }\n"
                               "    %p = push<block> %xs\n"
                               "    yield %p\n"
                               "  }\n"
                               "  %r = concat %c, %xss\n"
                               "  return %r\n"
                               "}\n";
    int32_t three = 3, zero = 0, minus = -1;
    gives(body, ARGS(one_int(&three), ints(INTS(2, 3, 1))), INTS(2, 2, 3, 3, 3, 1));
    gives(body, ARGS(one_int(&three), ints(INTS(2))), INTS(2, 2));
    gives(body, ARGS(one_int(&zero), ints(INTS(0, 0, 0))), iota, 0);
    gives(body, ARGS(one_int(&three), ints(INTS(3, 2, 0, 1))), INTS(3, 3, 3, 2, 2, 1));
    fails(body, ARGS(one_int(&three), ints(INTS(3, 5, 3))), DIAG_EVAL_CHUNK, 10,
          "chunk 1 of this concat has 5 elements");
    fails(body, ARGS(one_int(&three), ints(INTS(4, 3, 3))), DIAG_EVAL_CHUNK, 10, "chunk 0");
    fails(body, ARGS(one_int(&three), ints(INTS(3, 4))), DIAG_EVAL_CHUNK, 10, "chunk 1");
    fails(body, ARGS(one_int(&zero), ints(INTS(1))), DIAG_EVAL_CHUNK, 10, "said to have 0");
    fails(body, ARGS(one_int(&minus), ints(INTS(1))), DIAG_EVAL_CHUNK_SIZE, 10, "-1");
}
END_TEST

START_TEST(position_errors)
{
    /* two chunks of two elements; element j of chunk i goes to a*i + b*j + c of n */
    static const char body[] = "kernel @main(%n: int, %a: int, %b: int, %c: int) -> [int]<grid> {\n"
                               "  %xss = generate 2 { (%i: int)\n"
                               "    %xs = array %i, %i\n"
                               "    %p = push<block> %xs\n"
                               "    yield %p\n"
                               "  }\n"
                               "  %r = interleave %n, %xss { (%i: int, %j: int)\n"
                               "    %x = mul %a, %i\n"
                               "    %y = mul %b, %j\n"
                               "    %z = add %x, %y\n"
                               "    %w = add %z, %c\n"
                               "    yield %w\n"
                               "  }\n"
                               "  return %r\n"
                               "}\n";
    int32_t k[] = {-1, 0, 1, 2, 3, 4, 5};
    host_array v[7];
    for (int i = 0; i < 7; i++)
        v[i] = one_int(&k[i]);
    gives(body, ARGS(v[5], v[2], v[3], v[1]), INTS(0, 1, 0, 1));
    fails(body, ARGS(v[5], v[2], v[2], v[1]), DIAG_EVAL_POSITION, 8,
          "element 0 of array 1 goes to position 1, which is already");
    fails(body, ARGS(v[5], v[2], v[3], v[2]), DIAG_EVAL_POSITION, 8,
          "element 1 of array 1 goes to position 4, which is outside");
    fails(body, ARGS(v[5], v[2], v[3], v[0]), DIAG_EVAL_POSITION, 8,
          "position -1, which is outside");
    fails(body, ARGS(v[6], v[2], v[3], v[1]), DIAG_EVAL_POSITION, 8,
          "no element of this interleave goes to position 4");
    fails(body, ARGS(v[0], v[2], v[3], v[1]), DIAG_EVAL_EXTENT, 8, "-1");
}
END_TEST

START_TEST(growth_errors)
{
    static const char body[] = "kernel @main(%xs: [int]) -> [int]<grid> {\n"
                               "  %p = push<block> %xs\n"
                               "  %r = while %p { (%ys: [int])\n"
                               "    %n = length %ys\n"
                               "    %more = lt %n, 100\n"
                               "    yield %more\n"
                               "  } { (%ys: [int])\n"
                               "    %n = length %ys\n"
                               "    %m = add %n, 2\n"
                               "    %zs = generate %m { (%i: int)\n"
                               "      yield %i\n"
                               "    }\n"
                               "    %q = push<block> %zs\n"
                               "    yield %q\n"
                               "  }\n"
                               "  %out = push<grid> %r\n"
                               "  return %out\n"
                               "}\n";
    fails(body, ARGS(ints(iota, 3)), DIAG_EVAL_GROWS, 4, "from 3 to 5 elements");
    gives(body, ARGS(ints(iota, 100)), iota, 100);
}
END_TEST

START_TEST(seqfor_errors)
{
    int32_t three = 3, zero = 0, minus = -1;
    host_array n = one_int(&three), none = ints(iota, 0);
    gives(scattered, ARGS(n, ints(INTS(-1, 2, 0)), ints(INTS(2, 0, 1))), INTS(101, 102, 100));
    gives(scattered, ARGS(n, ints(INTS(-1, 2, 2, 0)), ints(INTS(2, 0, 1, 0))), INTS(102, 101, 100));
    gives(scattered, ARGS(one_int(&zero), none, none), iota, 0);
    fails(scattered, ARGS(n, ints(INTS(-1, 1, 0)), ints(INTS(2, 0, 1))), DIAG_EVAL_UNWRITTEN, 10,
          "element 1 is read");
    fails(scattered, ARGS(n, ints(INTS(0, 1, 0)), ints(INTS(0, 1, 2))), DIAG_EVAL_UNWRITTEN, 10,
          "element 0 is read");
    fails(scattered, ARGS(n, ints(INTS(-1, 2)), ints(INTS(2, 0))), DIAG_EVAL_UNWRITTEN, 4,
          "writes element 1");
    fails(scattered, ARGS(n, none, none), DIAG_EVAL_UNWRITTEN, 4, "writes element 0");
    fails(scattered, ARGS(n, ints(INTS(-1, 3)), ints(INTS(0, 1))), DIAG_EVAL_INDEX, 10,
          "index 3 of");
    fails(scattered, ARGS(n, ints(INTS(-1, 0)), ints(INTS(0, 3))), DIAG_EVAL_POSITION, 4,
          "step 1 of this seqfor writes to position 3 of an array of 3 elements");
    fails(scattered, ARGS(n, ints(INTS(-1)), ints(INTS(-2))), DIAG_EVAL_POSITION, 4, "position -2");
    fails(scattered, ARGS(one_int(&minus), none, none), DIAG_EVAL_EXTENT, 4, "-1");
    session s;
    begin(&s, scattered);
    s.options.max_elements = 2;
    ck_assert(!run(&s, ARGS(n, ints(INTS(-1, -1, -1)), ints(INTS(2, 0, 1))), 1));
    ck_assert_int_eq(s.cx.diags.all.at[0].code, DIAG_EVAL_EXTENT);
    end(&s);
}
END_TEST

START_TEST(accumulation)
{
    int32_t three = 3, zero = 0;
    host_array n = one_int(&three), none = ints(iota, 0), xs = ints(INTS(2, 0, 2, 3, -1));
    gives(counted, ARGS(n, ints(INTS(0, 1, 2, 1, 0)), xs), INTS(12, 11, 14));
    gives(counted, ARGS(n, none, xs), INTS(10, 11, 12));
    gives(counted, ARGS(one_int(&zero), none, xs), iota, 0);
    fails(counted, ARGS(n, ints(INTS(1, 3)), xs), DIAG_EVAL_POSITION, 12,
          "position 3 of an array of 3 elements");
    fails(counted, ARGS(n, ints(INTS(4)), xs), DIAG_EVAL_POSITION, 12, "position -1");
    fails(counted, ARGS(one_int(&zero), ints(INTS(1)), xs), DIAG_EVAL_POSITION, 12,
          "position 0 of an array of 0");
    fails(counted, ARGS(n, ints(INTS(5)), xs), DIAG_EVAL_INDEX, 14, "index 5");
}
END_TEST

START_TEST(rounds_with_a_state)
{
    int32_t five = 5, two = 2, zero = 0, minus = -1;
    host_array n = one_int(&five), c = one_int(&two), none = ints(iota, 0);
    gives(rounds, ARGS(n, c, ints(INTS(2, 2, 1))), INTS(2, 2, 4, 4, 5));
    gives(rounds, ARGS(n, c, ints(INTS(2, 2, 2))), INTS(2, 2, 4, 4, 6));
    gives(rounds, ARGS(one_int(&zero), c, none), iota, 0);
    fails(rounds, ARGS(n, c, ints(INTS(2, 2, 0))), DIAG_EVAL_CHUNK, 4,
          "chunk 2 of this mapaccum has 0 elements");
    fails(rounds, ARGS(n, c, ints(INTS(2, 1, 2))), DIAG_EVAL_CHUNK, 4,
          "chunk 1 of this mapaccum has 1 elements");
    fails(rounds, ARGS(n, c, ints(INTS(3, 2, 2))), DIAG_EVAL_CHUNK, 4, "said to have 2");
    fails(rounds, ARGS(n, c, ints(INTS(2, 2))), DIAG_EVAL_INDEX, 5, "index 2");
    fails(rounds, ARGS(n, one_int(&zero), none), DIAG_EVAL_CHUNK_SIZE, 4, "is 0");
    fails(rounds, ARGS(one_int(&minus), c, none), DIAG_EVAL_EXTENT, 4, "-1");
}
END_TEST

START_TEST(chunks_that_look_back)
{
    int32_t five = 5, two = 2, zero = 0, minus = -1;
    host_array n = one_int(&five), c = one_int(&two), none = ints(iota, 0),
               back = ints(INTS(-1, 0, 1));
    gives(chained, ARGS(n, c, ints(INTS(2, 2, 1)), back), INTS(100, 100, 101, 101, 102));
    gives(chained, ARGS(n, c, ints(INTS(2, 2, 2)), back), INTS(100, 100, 101, 101, 102));
    gives(chained, ARGS(n, c, ints(INTS(2, 2, 1)), ints(INTS(-9, -1, 0))),
          INTS(100, 100, 100, 100, 101));
    gives(chained, ARGS(n, one_int(&five), ints(INTS(5)), back), INTS(100, 100, 100, 100, 100));
    gives(chained, ARGS(one_int(&zero), c, none, none), iota, 0);
    fails(chained, ARGS(n, c, ints(INTS(2, 2, 0)), back), DIAG_EVAL_CHUNK, 3,
          "chunk 2 of this chain has 0 elements");
    fails(chained, ARGS(n, c, ints(INTS(2, 1, 1)), back), DIAG_EVAL_CHUNK, 3,
          "chunk 1 of this chain has 1 elements");
    fails(chained, ARGS(n, c, ints(INTS(2, 3, 1)), back), DIAG_EVAL_CHUNK, 3, "said to have 2");
    fails(chained, ARGS(n, c, ints(INTS(2, 2, 1)), ints(INTS(-1, 1, 1))), DIAG_EVAL_LOOK, 12,
          "chunk 1 of a chain looks at chunk 1");
    fails(chained, ARGS(n, one_int(&zero), none, none), DIAG_EVAL_CHUNK_SIZE, 3, "is 0");
    fails(chained, ARGS(one_int(&minus), c, none, none), DIAG_EVAL_EXTENT, 3, "-1");
}
END_TEST

/* No extent may grow, though the number of elements stays the same. */
START_TEST(growing_extents)
{
    int32_t zero = 0, two = 2;
    gives(transposing, ARGS(one_int(&zero), matrix(iota, 2, 3)), iota, 6);
    gives(transposing, ARGS(one_int(&two), matrix(iota, 2, 2)), iota, 4);
    fails(transposing, ARGS(one_int(&two), matrix(iota, 2, 3)), DIAG_EVAL_GROWS, 4,
          "the step of this repeat grows the array on axis 0 from an extent of 2 to 3");
    fails(transposing, ARGS(one_int(&two), matrix(iota, 3, 2)), DIAG_EVAL_GROWS, 4, "on axis 1");
}
END_TEST

/* The checker refuses such programs, so the level is raised after the check. */
START_TEST(level_errors)
{
    session s;
    begin(&s, nested);
    for (ir_op o = 1; o < s.m.ops.len; o++)
        if (ir_op_at(&s.m, o)->opcode == OP_PUSH &&
            ir_op_at(&s.m, o)->attr == level_const(LEVEL_THREAD))
            ir_op_at(&s.m, o)->attr = level_const(LEVEL_WARP);
    ck_assert(!run(&s, ARGS(ints(iota, 8)), 1));
    const diag *d = &s.cx.diags.all.at[0];
    ck_assert_int_eq(d->code, DIAG_EVAL_LEVEL);
    ck_assert(strstr(intern_str(&s.cx.strings, d->text),
                     "level warp cannot be forced here, at level thread"));
    end(&s);
}
END_TEST

/* A function of 2^12 maps on top of each other: more than the stack bears at once.  Calls are not
 * put off: where they nest too deep, that is an error. */
START_TEST(deep_elements)
{
    vec_char text = {0};
    mem m;
    mem_init(&m, NULL, NULL);
    text_addf(&m, &text,
              "fun @f0(%%xs: [int]) -> [int] {\n  %%r = map %%xs { (%%x: int)\n    %%y = add %%x, "
              "1\n    yield %%y\n  }\n"
              "  return %%r\n}\n");
    for (int i = 1; i <= 12; i++)
        text_addf(&m, &text,
                  "fun @f%d(%%xs: [int]) -> [int] {\n  %%a = call @f%d(%%xs)\n  %%b = call "
                  "@f%d(%%a)\n  return %%b\n}\n",
                  i, i - 1, i - 1);
    for (int i = 10; i <= 13; i++) {
        bool limited = i == 13;
        session s;
        vec_char body = {0};
        text_addf(&m, &body,
                  "%skernel @main(%%xs: [int]) -> [int]<grid> {\n  %%r = call @f%d(%%xs)\n  %%p = "
                  "push<grid> %%r\n  "
                  "return %%p\n}\n",
                  text_cstr(&m, &text), limited ? 12 : i);
        begin(&s, text_cstr(&m, &body));
        if (limited)
            s.cx.limits.call_depth = 10;
        ck_assert_int_eq(run(&s, ARGS(ints(iota, 1)), 1), !limited);
        if (!limited)
            expect_ints(&s.out[0], INTS(1 << i));
        else
            ck_assert_int_eq(s.cx.diags.all.at[0].code, DIAG_TOO_DEEP);
        end(&s);
        vec_free(&m, &body);
    }
    vec_free(&m, &text);
}
END_TEST

START_TEST(notes_name_the_calls)
{
    session s;
    begin(&s, "fun @inner(%xs: [int]) -> int {\n  %v = index %xs, 9\n  return %v\n}\n"
              "fun @outer(%xs: [int]) -> int {\n  %v = call @inner(%xs)\n  return %v\n}\n"
              "kernel @main(%xs: [int]) -> [int]<grid> {\n  %v = call @outer(%xs)\n  %a = array "
              "%v\n  %p = push<grid> "
              "%a\n  return %p\n}\n");
    ck_assert(!run(&s, ARGS(ints(iota, 3)), 1));
    const diag *d = &s.cx.diags.all.at[0];
    ck_assert_uint_eq(d->notes.len, 2);
    ck_assert_str_eq(intern_str(&s.cx.strings, d->notes.at[0].text), "in the call of @inner");
    ck_assert_uint_eq(d->notes.at[0].loc.line, 7);
    ck_assert_uint_eq(d->notes.at[1].loc.line, 11);
    end(&s);
}
END_TEST

START_TEST(wrong_arguments)
{
    session s;
    double x = 1;
    begin(&s, reversed);
    ck_assert(!run(&s, NULL, 0, 1));
    ck_assert(!run(&s, ARGS(one_int(iota)), 1));
    ck_assert(
        !run(&s, ARGS(((host_array){.type = ST_F64, .rank = 1, .dims = {1}, .data = &x})), 1));
    ck_assert(!run(&s, ARGS(ints(iota, (uint64_t)1 << 40)), 1));
    ck_assert(!run(&s, ARGS(ints(iota, 1)), 2));
    for (uint32_t i = 0; i < 5; i++)
        ck_assert_int_eq(s.cx.diags.all.at[i].code, DIAG_ARGUMENTS);
    ck_assert(!ir_eval(&s.m, 1, NULL, NULL, 0, s.out, 1)); /* @reverse is no kernel */
    ck_assert_int_eq(s.cx.diags.all.at[5].code, DIAG_EVAL_UNCHECKED);
    s.m.checked = false;
    ck_assert(!run(&s, ARGS(ints(iota, 1)), 1));
    ck_assert_int_eq(s.cx.diags.all.at[6].code, DIAG_EVAL_UNCHECKED);
    end(&s);
}
END_TEST

START_TEST(allocation_failures)
{
    unsigned char flags[] = {1, 0, 1};
    double half = 0.5;
    int32_t t = 3;
    host_array bools = {.type = ST_BOOL, .rank = 1, .dims = {3}, .data = flags};
    survives(pairs, ARGS(ints(iota, 3), bools, ((host_array){.type = ST_F64, .data = &half})), 4);
    survives(tiled, ARGS(one_int(&t), matrix(iota, 6, 9)), 1);
    survives(sum, ARGS(ints(iota, 40)), 1);
    survives(folded, ARGS(ints(iota, 3)), 2);
    survives(power, ARGS(one_int(&t), one_int(&t)), 1);
    survives(counted, ARGS(one_int(&t), ints(INTS(0, 1, 1)), ints(INTS(2, 0))), 1);
    survives(rounds, ARGS(one_int(&t), one_int(&t), ints(INTS(3))), 1);
    survives(chained, ARGS(one_int(&t), one_int(&t), ints(INTS(3)), ints(INTS(-1))), 1);
    survives(functions, ARGS(((host_array){.type = ST_BOOL, .data = flags}), ints(iota, 3)), 1);
}
END_TEST

Suite *eval_suite(void);
Suite *eval_suite(void)
{
    Suite *s = suite_create("eval");
    TCase *c = tcase_create("eval");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, make_iota, NULL);
    tcase_add_test(c, reversal);
    tcase_add_test(c, chunks);
    tcase_add_test(c, tree_sums);
    tcase_add_test(c, memory_does_not_grow_with_the_work);
    tcase_add_test(c, tiled_transposition);
    tcase_add_test(c, nested_levels);
    tcase_add_test(c, arrays_of_tuples);
    tcase_add_test(c, function_values);
    tcase_add_test(c, polymorphism);
    tcase_add_test(c, element_types);
    tcase_add_test(c, i32_steps_agree);
    tcase_add_test(c, long_loops);
    tcase_add_test(c, sequential_scan);
    tcase_add_test(c, sequential_fold);
    tcase_add_test(c, sequential_join);
    tcase_add_test(c, powers);
    tcase_add_test(c, index_errors);
    tcase_add_test(c, extent_errors);
    tcase_add_test(c, chunk_errors);
    tcase_add_test(c, position_errors);
    tcase_add_test(c, growth_errors);
    tcase_add_test(c, seqfor_errors);
    tcase_add_test(c, accumulation);
    tcase_add_test(c, rounds_with_a_state);
    tcase_add_test(c, chunks_that_look_back);
    tcase_add_test(c, growing_extents);
    tcase_add_test(c, level_errors);
    tcase_add_test(c, deep_elements);
    tcase_add_test(c, notes_name_the_calls);
    tcase_add_test(c, wrong_arguments);
    tcase_add_test(c, allocation_failures);
    suite_add_tcase(s, c);
    return s;
}
