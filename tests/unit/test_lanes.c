/* Elements that are computed side by side are those that are computed one by one, bit for bit, and
 * what is wrong with a program is told in the same words. */
#include "ir/eval/lanes.h"
#include "ir/scalar/scalar.h"
#include "tests/unit/eval_world.h"

/* ---- operators ---- */

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Small numbers, large ones and limits, in the canonical form of the type. */
static uint64_t draw_bits(scalar t)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     31,
                                     32,
                                     ~(uint64_t)0,
                                     0x7FFFFFFF,
                                     0x80000000,
                                     0x7F800000,
                                     0x7FF0000000000000,
                                     0x8000000000000000,
                                     0x3FF8000000000000};
    uint64_t how = draw();
    if (how % 4 == 0)
        return scalar_wrap(t, edges[draw() % (sizeof edges / sizeof *edges)]);
    if (how % 4 == 1)
        return ir_scalar_is_float(t)
                   ? scalar_from_double(t, (double)(int64_t)(draw() % 200) - 100.5)
                   : scalar_wrap(t, draw() % 200 - 100);
    return scalar_wrap(t, how % 4 == 2 && !ir_scalar_is_float(t) ? draw() % 1000 : draw());
}

/* Whatever NaN it is. */
static bool same_bits(scalar t, uint64_t x, uint64_t y)
{
    if (!ir_scalar_is_float(t) || x == y)
        return x == y;
    double a = scalar_as_double(t, x), b = scalar_as_double(t, y);
    return a != a && b != b;
}

enum { N = 37 };

typedef struct operands {
    uint64_t columns[3][LANES];
    lanes args[3];
} operands;

/* columns: a bit for each operand that is one; the others are the same in all lanes. */
static void draw_operands(operands *x, opcode op, scalar t, unsigned columns, bool positive)
{
    for (uint32_t k = 0; k < 3; k++) {
        scalar of = op == SOP_SELECT && k == 0 ? ST_BOOL : t;
        x->args[k] = (lanes){.one = scalar_value(of, draw_bits(of))};
        if (positive)
            x->args[k].one.bits &= 0xFFFF;
        if (columns >> k & 1)
            x->args[k].column = x->columns[k];
        for (uint32_t i = 0; i < LANES; i++)
            eval_lane_put(of, x->columns[k], i,
                          draw_bits(of) & (positive ? 0x7FFFFFFF : ~(uint64_t)0));
    }
}

static void compare(const operands *x, opcode op, scalar t)
{
    uint64_t out[LANES];
    const op_info *info = ir_op_info(op);
    scalar result = info->result_bool ? ST_BOOL : t;
    eval_lanes_scalar(op, t, x->args, out, N);
    for (uint32_t i = 0; i < N; i++) {
        uint64_t bits[3];
        for (uint32_t k = 0; k < 3; k++)
            bits[k] = x->args[k].column
                          ? eval_lane((scalar)x->args[k].one.type, x->args[k].column, i)
                          : x->args[k].one.bits;
        uint64_t want = scalar_eval(op, t, bits), got = eval_lane(result, out, i);
        ck_assert_msg(same_bits(result, want, got), "%s of %s: %llx %llx %llx gives %llx, not %llx",
                      info->name, ir_scalar_name(t), (unsigned long long)bits[0],
                      (unsigned long long)bits[1], (unsigned long long)bits[2],
                      (unsigned long long)got, (unsigned long long)want);
    }
}

START_TEST(operators_are_those_of_scalars)
{
    static operands x;
    for (opcode op = 0; op < SOP_END; op++) {
        const op_info *info = ir_op_info(op);
        for (scalar t = ST_NONE + 1; info->is_scalar && t < ST_COUNT; t++)
            for (unsigned columns = 1; columns < 1u << info->max_args; columns++)
                for (int turn = 0; turn < 8 && scalar_accepts(info->operands, t); turn++) {
                    if (op == SOP_SELECT && !(columns & 1))
                        continue; /* decided before it comes here */
                    draw_operands(&x, op, t, columns, turn % 2 && t == ST_I32);
                    compare(&x, op, t);
                }
    }
}
END_TEST

START_TEST(conversions_are_those_of_scalars)
{
    static operands x;
    for (scalar from = ST_NONE + 1; from < ST_COUNT; from++)
        for (scalar to = ST_NONE + 1; to < ST_COUNT; to++) {
            uint64_t out[LANES];
            draw_operands(&x, SOP_ADD, from, 1, false);
            eval_lanes_convert(to, from, x.columns[0], out, N);
            for (uint32_t i = 0; i < N; i++)
                ck_assert(same_bits(to, eval_lane(to, out, i),
                                    scalar_convert(to, from, eval_lane(from, x.columns[0], i))));
        }
}
END_TEST

/* Every quotient that could be rounded to the wrong side. */
START_TEST(division_by_one_number)
{
    static const int32_t divisors[] = {
        1, 2, 3, 7, 10, 641, 46341, 65537, 1 << 30, INT32_MAX - 1, INT32_MAX};
    static int32_t xs[LANES];
    for (size_t d = 0; d < sizeof divisors / sizeof *divisors; d++)
        for (int turn = 0; turn < 200; turn++) {
            int32_t y = divisors[d], out[LANES];
            int64_t most = INT32_MAX / y;
            for (uint32_t i = 0; i < LANES; i++) {
                int64_t x =
                    (int64_t)(draw() % (uint64_t)(most + 1)) * y + (int64_t)(draw() % 3) - 1;
                xs[i] = x < 0 ? 0 : x > INT32_MAX ? INT32_MAX : (int32_t)x;
            }
            lanes args[3] = {{.one = scalar_value(ST_I32, 0), .column = xs}, {.one = int_value(y)}};
            eval_lanes_scalar(SOP_DIV, ST_I32, args, out, LANES);
            for (uint32_t i = 0; i < LANES; i++)
                ck_assert_int_eq(out[i], xs[i] / y);
            eval_lanes_scalar(SOP_MOD, ST_I32, args, out, LANES);
            for (uint32_t i = 0; i < LANES; i++)
                ck_assert_int_eq(out[i], xs[i] % y);
        }
}
END_TEST

/* ---- programs ---- */

static const char choices[] =
    "fun @near<'a: num>(%x: 'a, %k: int) -> 'a {\n  %big = gt %k, 100\n  %r = if %big {\n"
    "    %y = mul %x, %x\n    yield %y\n  } {\n    %z = neg %x\n    yield %z\n  }\n"
    "  return %r\n}\nkernel @main(%n: int) -> ([int], [double]) {\n"
    "  %xs = generate %n { (%i)\n    %a = mul %i, 7919\n    %b = mod %a, 613\n"
    "    %c = sub %b, 300\n    yield %c\n  }\n  %ys = map %xs { (%x)\n    %odd = mod %x, 2\n"
    "    %is = eq %odd, 1\n    %v = if %is {\n      %far = gt %x, 57\n      %w = if %far {\n"
    "        %p = div %x, 7\n        yield %p\n      } {\n"
    "        %q = call @near<int>(%x, %x)\n        yield %q\n      }\n      yield %w\n"
    "    } {\n      %s = quot 1000, %x\n      yield %s\n    }\n    yield %v\n  }\n"
    "  %zs = generate %n { (%i)\n    %j = sub %n, %i\n    %k = sub %j, 1\n"
    "    %x = index %ys, %k\n    %y = index %ys, %i\n    %d = convert<double> %x\n"
    "    %e = convert<double> %y\n    %f = fdiv %d, %e\n    %g = call @near<double>(%f, %x)\n"
    "    yield %g\n  }\n  %t = tuple %ys, %zs\n  return %t\n}\n";

static const char tuples[] =
    "kernel @main(%n: int) -> ([int], [double]) {\n  %ps = generate %n { (%i)\n"
    "    %d = convert<double> %i\n    %x = tuple %i, %d\n    %y = tuple 3, 1.5\n"
    "    %m = mod %i, 3\n    %c = eq %m, 0\n    %p = if %c {\n      yield %x\n    } {\n"
    "      yield %y\n    }\n    yield %p\n  }\n  %z = tuple 0, 0.0\n"
    "  %s = scan %z, %ps { (%a, %b)\n    %a0 = proj %a, 0\n    %b0 = proj %b, 0\n"
    "    %a1 = proj %a, 1\n    %b1 = proj %b, 1\n    %x = add %a0, %b0\n"
    "    %y = add %a1, %b1\n    %r = tuple %x, %y\n    yield %r\n  }\n  %xs = map %s { (%p)\n"
    "    %x = proj %p, 0\n    yield %x\n  }\n  %ys = map %s { (%p)\n    %y = proj %p, 1\n"
    "    yield %y\n  }\n  %t = tuple %xs, %ys\n  return %t\n}\n";

static const char stencil[] =
    "kernel @main(%n: int) -> ([int;2], [int]) {\n  %a = generate %n, 3 { (%i, %j)\n"
    "    %b = mul %i, 31\n    %c = xor %b, %j\n    yield %c\n  }\n"
    "  %b = generate 3, %n { (%i, %j)\n    %x = index %a, %j, %i\n    %up = add %j, 1\n"
    "    %in = lt %up, %n\n    %y = if %in {\n      %v = index %a, %up, %i\n      yield %v\n"
    "    } {\n      yield 0\n    }\n    %z = sub %x, %y\n    yield %z\n  }\n"
    "  %table = array 5, 8, 13, 21\n  %c = generate %n, 3 { (%i, %j)\n"
    "    %x = index %b, %j, %i\n    %k = and %x, 3\n    %y = index %table, %k\n"
    "    %w = index %table, %j\n    %z = add %y, %w\n    yield %z\n  }\n"
    "  %rows = reduce 0, %c { (%x, %y)\n    %z = xor %x, %y\n    yield %z\n  }\n"
    "  %kept = filter %rows { (%x)\n    %m = mod %x, 2\n    %odd = eq %m, 1\n    yield %odd\n"
    "  }\n  %t = tuple %c, %kept\n  return %t\n}\n";

/* Functions of what an element has, applied in branches that take some of the lanes, in part, and handed on to others. */
static const char closures[] =
    "fun @twice<'a: num>(%f: 'a -> 'a, %x: 'a) -> 'a {\n  %y = apply %f, %x\n  %z = apply %f, %y\n"
    "  return %z\n}\nfun @plus(%x: int, %y: int) -> int {\n  %z = add %x, %y\n  return %z\n}\n"
    "fun @chosen(%f: int -> int -> int, %k: int) -> int {\n  %odd = mod %k, 2\n  %is = eq %odd, 1\n"
    "  %g = apply %f, %k\n  %r = if %is {\n    %x = apply %g, 5\n    %m = mod %k, 3\n"
    "    %none = eq %m, 0\n    %s = if %none {\n      %y = apply %g, %x\n      yield %y\n    } {\n"
    "      %h = fn { (%v: int)\n        %w = apply %g, %v\n        %u = sub %w, %k\n        yield %u\n      }\n"
    "      %y = call @twice<int>(%h, %x)\n      yield %y\n    }\n    yield %s\n  } {\n"
    "    %x = apply %f, %k, 7\n    yield %x\n  }\n  return %r\n}\n"
    "kernel @main(%n: int) -> ([int], [double]) {\n  %a = fn { (%x: int, %y: int)\n"
    "    %p = mul %x, 31\n    %q = xor %p, %y\n    yield %q\n  }\n"
    "  %xs = generate %n { (%i)\n    %b = fn { (%x: int, %y: int)\n      %p = mul %i, %x\n"
    "      %q = sub %p, %y\n      yield %q\n    }\n    %r = call @chosen(%a, %i)\n"
    "    %s = call @chosen(%b, %i)\n    %c = func @plus\n    %t = call @chosen(%c, %i)\n"
    "    %u = xor %r, %s\n    %v = add %u, %t\n    yield %v\n  }\n"
    "  %ys = map %xs { (%x)\n    %d = convert<double> %x\n    %f = fn { (%y: double)\n"
    "      %z = mul %y, 0.5\n      %w = add %z, %d\n      yield %w\n    }\n"
    "    %e = call @twice<double>(%f, %d)\n    yield %e\n  }\n  %t = tuple %xs, %ys\n  return %t\n}\n";

static const char outside[] =
    "kernel @main(%n: int, %k: int) -> int {\n  %xs = generate %n { (%i)\n"
    "    %x = mul %i, 2\n    yield %x\n  }\n  %ys = generate %n { (%i)\n"
    "    %last = ge %i, %k\n    %at = if %last {\n      yield %n\n    } {\n      yield %i\n"
    "    }\n    %y = index %xs, %at\n    yield %y\n  }\n  %zs = generate %n { (%i)\n"
    "    %few = lt %i, 5\n    %z = if %few {\n      %y = index %ys, %i\n      yield %y\n"
    "    } {\n      yield 1\n    }\n    yield %z\n  }\n  %a = reduce 0, %zs { (%x, %y)\n"
    "    %z = add %x, %y\n    yield %z\n  }\n  %b = reduce 0, %ys { (%x, %y)\n"
    "    %z = add %x, %y\n    yield %z\n  }\n  %c = add %a, %b\n  return %c\n}\n";

/* The same bytes in every result. */
static void same_results(const host_array *x, const host_array *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_uint_eq(host_count(&x[i]), host_count(&y[i]));
        ck_assert_int_eq(
            memcmp(x[i].data, y[i].data, host_count(&x[i]) * ir_scalar_bytes(x[i].type)), 0);
    }
}

/* Side by side and one by one. */
static void both_ways(const char *program, int32_t n, uint32_t nout)
{
    session s, t;
    begin(&s, program);
    begin(&t, program);
    t.options.one_by_one = true;
    ck_assert(run(&s, ARGS(one_int(&n)), nout) && run(&t, ARGS(one_int(&n)), nout));
    same_results(s.out, t.out, nout);
    end(&t);
    end(&s);
}

START_TEST(programs_mean_the_same)
{
    static const int32_t lengths[] = {0,   1,         7,     8,         9,    16,
                                      100, LANES - 1, LANES, LANES + 1, 3000, 20000};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        both_ways(choices, lengths[k], 2);
        both_ways(tuples, lengths[k], 2);
        both_ways(stencil, lengths[k], 2);
        both_ways(closures, lengths[k], 2);
    }
}
END_TEST

/* ---- what goes wrong ---- */

/* The diagnostic of a run, or that there is none. */
static void told(session *s, vec_char *text)
{
    text->len = 0;
    for (uint32_t i = 0; i < s->cx.diags.all.len; i++)
        ck_assert(diag_format(&s->cx, &s->cx.diags.all.at[i], text));
    ck_assert(vec_push(&s->cx.mem, text, '\0'));
}

static bool fails_alike(const char *program, int32_t n, int32_t k, uint64_t steps)
{
    session s[2];
    vec_char text[2] = {{0}, {0}};
    bool ok[2];
    for (int i = 0; i < 2; i++) {
        begin(&s[i], program);
        s[i].options.one_by_one = i;
        s[i].cx.limits.steps = steps ? steps : s[i].cx.limits.steps;
        ok[i] = run(&s[i], ARGS(one_int(&n), one_int(&k)), 1);
        told(&s[i], &text[i]);
    }
    ck_assert_msg(ok[0] == ok[1] && strcmp(text[0].at, text[1].at) == 0, "%s, one by one %s",
                  text[0].at, text[1].at);
    for (int i = 0; i < 2; i++) {
        vec_free(&s[i].cx.mem, &text[i]);
        end(&s[i]);
    }
    return ok[0];
}

/* At the element that is first, also where it is in the middle of a batch, and where others ask for
 * it or nobody does. */
START_TEST(failures_are_those_of_the_first_element)
{
    static const int32_t at[] = {0, 3, 5, 9, 100, LANES - 1, LANES, LANES + 77, 1999};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        ck_assert(!fails_alike(outside, 2000, at[k], 0));
    ck_assert(fails_alike(outside, 2000, 2000, 0));
}
END_TEST

/* A run that is allowed too little stops wherever it is, and one that is allowed enough does not.
 */
START_TEST(steps_are_counted)
{
    for (uint64_t steps = 1; steps < 20000; steps = steps * 3 + 1)
        ck_assert(!fails_alike(outside, 2000, 2000, steps) || steps > 8000);
    ck_assert(fails_alike(outside, 2000, 2000, 30000));
}
END_TEST

START_TEST(memory_may_run_out)
{
    int32_t n = 600;
    survives(choices, ARGS(one_int(&n)), 2);
    survives(stencil, ARGS(one_int(&n)), 2);
    survives(closures, ARGS(one_int(&n)), 2);
}
END_TEST

Suite *lanes_suite(void);
Suite *lanes_suite(void)
{
    Suite *s = suite_create("lanes");
    TCase *c = tcase_create("lanes");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, operators_are_those_of_scalars);
    tcase_add_test(c, conversions_are_those_of_scalars);
    tcase_add_test(c, division_by_one_number);
    tcase_add_test(c, programs_mean_the_same);
    tcase_add_test(c, failures_are_those_of_the_first_element);
    tcase_add_test(c, steps_are_counted);
    tcase_add_test(c, memory_may_run_out);
    suite_add_tcase(s, c);
    return s;
}
