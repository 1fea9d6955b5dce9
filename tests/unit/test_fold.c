/* Folding against brute force: random expressions are built folded and plainly, and compared for
 * random values of their leaves, within their ranges and at the ends of them.  What is said of
 * every node (its interval, that it does not wrap) is compared with its value as well. */
#include "ir/kernel/build/build.h"
#include "ir/scalar/scalar.h"
#include "tests/unit/often.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEAVES = 11, EXPRESSIONS = 72, ROUNDS = 80, SAMPLES = 60 };

static fcl_context cx;
static ir_module module;
static k_program program;
static k_builder b;
static uint64_t state;

static uint32_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static int64_t between(int64_t lo, int64_t hi)
{
    uint64_t span = (uint64_t)(hi - lo) + 1;
    uint64_t r = (uint64_t)next_random() << 31 | next_random();
    return lo + (int64_t)(r % span);
}

/* ---- plain expressions beside the folded ones ---- */

typedef struct plain {
    opcode op; /* OP_NONE: a leaf or a constant */
    int leaf;  /* -1: the constant */
    uint64_t bits;
    int x, y;
    k_id folded;
} plain;

static plain plains[LEAVES + 2 + EXPRESSIONS];
static int nplains;
static scalar type;

/* The leaves: two numbers, two extents, a thread, and variables below a constant, below each
 * extent, below their product, below the number of chunks of max(OTHER, 1) rows, and below the
 * length of such a chunk. */
enum { ANY, OTHER, ROWS, COLS, THREAD, FEW, ROW, COL, CELL, CHUNK, WITHIN };

static void add_plain(plain p)
{
    plains[nplains++] = p;
}

static void add_leaf(int which, k_id v)
{
    add_plain((plain){.leaf = which, .folded = v});
}

static void close_world(void)
{
    kb_release(&b);
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

static int add_constant(int64_t x)
{
    uint64_t bits = scalar_wrap(type, (uint64_t)x);
    add_plain((plain){.leaf = -1, .bits = bits, .folded = kb_const(&b, type, bits)});
    return nplains - 1;
}

static int add_operation(opcode op, int x, int y)
{
    k_id v = kb_scalar(&b, op, plains[x].folded, plains[y].folded, 0);
    ck_assert(v);
    add_plain((plain){.op = op, .x = x, .y = y, .folded = v});
    return nplains - 1;
}

static k_id loop_below(k_id n)
{
    return kb_param(&b, kb_open_for(&b, kb_int(&b, 0), n, kb_int(&b, 1), NULL, 0), 0);
}

/* The rows in chunks, as a program would write it. */
static void add_chunks(void)
{
    int zero = add_constant(0), one = add_constant(1);
    int c = add_operation(SOP_MAX, OTHER, one),
        less = add_operation(SOP_MAX, add_operation(SOP_SUB, ROWS, one), zero);
    int whole = add_operation(next_random() % 2 ? SOP_DIV : SOP_QUOT, less, c);
    int count = add_operation(SOP_MIN, add_operation(SOP_ADD, whole, one), ROWS);
    plains[CHUNK].folded = loop_below(plains[count].folded);
    int start = add_operation(SOP_MUL, CHUNK, c), left = add_operation(SOP_SUB, ROWS, start);
    int size = add_operation(SOP_MAX, add_operation(SOP_MIN, c, left), zero);
    plains[WITHIN].folded = loop_below(plains[size].folded);
    add_operation(SOP_ADD, start, WITHIN);
    int back = next_random() % 2
                   ? add_operation(SOP_SUB, add_operation(SOP_SUB, count, CHUNK), one)
                   : add_operation(SOP_SUB, add_operation(SOP_SUB, count, one), CHUNK);
    add_operation(SOP_SUB, ROWS, add_operation(SOP_MUL, back, c));
    add_operation(SOP_ADD, start,
                  add_operation(SOP_SUB, add_operation(SOP_SUB, size, WITHIN), one));
}

/* Rows and columns of a cell, as a program or as lowering takes it apart. */
static void add_cells(void)
{
    int by = next_random() % 2 ? COLS : add_operation(SOP_MAX, COLS, add_constant(1));
    int row = add_operation(SOP_QUOT, CELL, by), col = add_operation(SOP_REM, CELL, by);
    add_operation(SOP_ADD, add_operation(SOP_MUL, row, COLS), col);
    add_operation(SOP_SUB, ROWS, row);
    add_operation(SOP_SUB, COLS, COL);
}

static void open_world(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    ck_assert(kb_init(&b, &program));
    nplains = 0;
    add_leaf(ANY, kb_arg(&b, 0, type));
    add_leaf(OTHER, kb_arg(&b, 1, type));
    if (type != ST_I32)
        return;
    k_id rows = kb_dim(&b, 2, 0), cols = kb_dim(&b, 2, 1);
    add_leaf(ROWS, rows);
    add_leaf(COLS, cols);
    k_id cells = kb_max(&b, kb_mul(&b, rows, cols), kb_int(&b, 0));
    ck_assert(kb_open_launch(&b, LEVEL_GRID, kb_int(&b, 1), 256));
    add_leaf(THREAD, kb_builtin(&b, AT_THREAD, 255));
    add_leaf(FEW, loop_below(kb_int(&b, 40)));
    add_leaf(ROW, loop_below(rows));
    add_leaf(COL, loop_below(cols));
    add_leaf(CELL, loop_below(cells));
    add_leaf(CHUNK, 0);
    add_leaf(WITHIN, 0);
    add_chunks();
    add_cells();
}

/* Sums of multiples, and divisions of them, more often than anything else. */
static void add_random(void)
{
    static const int64_t numbers[] = {1, 2, 3, 4, 8, 16, 64, 256, 12, 6, 0, -1, -8, 1000, 32767};
    static const opcode operators[] = {SOP_ADD, SOP_ADD, SOP_ADD,  SOP_SUB,  SOP_MUL,
                                       SOP_DIV, SOP_MOD, SOP_QUOT, SOP_QUOT, SOP_REM,
                                       SOP_REM, SOP_MIN, SOP_MAX};
    opcode op = operators[next_random() % (sizeof operators / sizeof *operators)];
    int x = (int)(next_random() % (uint32_t)nplains), y = (int)(next_random() % (uint32_t)nplains);
    bool by_constant = op == SOP_MUL || next_random() % 4 > 0;
    if (op != SOP_ADD && by_constant && next_random() % 5 > 0)
        y = add_constant(numbers[next_random() % (sizeof numbers / sizeof *numbers)]);
    if (nplains < LEAVES + EXPRESSIONS)
        add_operation(op, x, y);
}

/* ---- values ---- */

static uint64_t leaf_values[LEAVES];

static uint64_t sample_number(void)
{
    static const int64_t special[] = {
        0, 1, -1, 2, 7, -8, 255, 256, INT32_MAX, INT32_MIN, INT32_MAX - 1, 65536, -65536};
    if (next_random() % 2)
        return scalar_wrap(type,
                           (uint64_t)special[next_random() % (sizeof special / sizeof *special)]);
    uint32_t bits = next_random() % 32;
    return scalar_wrap(type, (uint64_t)between(-((int64_t)1 << bits), (int64_t)1 << bits));
}

static int64_t sample_below(int64_t n)
{
    return next_random() % 4 ? between(0, n - 1) : next_random() % 2 ? n - 1 : 0;
}

/* False when a loop has no turns with these extents. */
static bool sample_leaves(void)
{
    static const int most[] = {3, 20, 300, 50000, MAX_EXTENT};
    leaf_values[ANY] = sample_number();
    leaf_values[OTHER] = sample_number();
    int64_t rows = most[next_random() % 5], cols = most[next_random() % 5];
    rows = next_random() % 4 ? between(0, rows) : rows;
    cols = next_random() % 4 ? between(0, cols) : cols;
    int64_t cells = (int64_t)scalar_wrap(ST_I32, (uint64_t)(rows * cols));
    if (rows < 1 || cols < 1 || cells < 1)
        return false;
    leaf_values[ROWS] = (uint64_t)rows;
    leaf_values[COLS] = (uint64_t)cols;
    leaf_values[THREAD] = (uint64_t)sample_below(256);
    leaf_values[FEW] = (uint64_t)sample_below(40);
    leaf_values[ROW] = (uint64_t)sample_below(rows);
    leaf_values[COL] = (uint64_t)sample_below(cols);
    leaf_values[CELL] = (uint64_t)sample_below(cells);
    int64_t c = (int64_t)leaf_values[OTHER] > 1 ? (int64_t)leaf_values[OTHER] : 1,
            count = (rows - 1) / c + 1;
    leaf_values[CHUNK] = (uint64_t)sample_below(count);
    int64_t left = rows - (int64_t)leaf_values[CHUNK] * c;
    leaf_values[WITHIN] = (uint64_t)sample_below(left < c ? left : c);
    return true;
}

static uint64_t leaf_of_node(k_id id)
{
    for (int i = 0; i < LEAVES && i < nplains; i++)
        if (plains[i].op == OP_NONE && plains[i].leaf >= 0 && plains[i].folded == id)
            return leaf_values[plains[i].leaf];
    return 0;
}

/* Whether x op y is v without wrapping. */
static bool is_exactly(opcode op, int64_t x, int64_t y, int64_t v)
{
    int64_t r;
    bool wraps = op == SOP_ADD   ? __builtin_add_overflow(x, y, &r)
                 : op == SOP_SUB ? __builtin_sub_overflow(x, y, &r)
                                 : __builtin_mul_overflow(x, y, &r);
    return !wraps && r == v;
}

static void check_facts(k_id id, const uint64_t *values)
{
    const k_node *n = k_at(&program, id);
    uint64_t v = values[id];
    opcode op = (opcode)n->opcode;
    long long lo = k_lo(&program, id), hi = k_hi(&program, id);
    assert_often((int64_t)v >= lo && (int64_t)v <= hi, "%lld is not in %lld ... %lld", (long long)v,
                 lo, hi);
    if (n->exact && (op == SOP_ADD || op == SOP_SUB || op == SOP_MUL))
        assert_often(
            is_exactly(op, (int64_t)values[n->args[0]], (int64_t)values[n->args[1]], (int64_t)v),
            "%lld wraps", (long long)v);
}

/* The value of every node: operands come before their users. */
static void evaluate_nodes(uint64_t *values, bool facts)
{
    for (k_id id = 1; id < program.nodes.len; id++) {
        const k_node *n = k_at(&program, id);
        uint64_t x[3] = {values[n->args[0]], values[n->args[1]], values[n->args[2]]};
        k_id typed = n->args[n->opcode == SOP_SELECT]; /* the first is a truth value */
        if (n->op == K_CONST)
            values[id] = n->bits;
        else if (n->op == K_SCALAR)
            values[id] =
                scalar_eval((opcode)n->opcode, (scalar)k_at(&program, typed)->type, x);
        else
            values[id] = leaf_of_node(id);
        if (facts && n->op == K_SCALAR && type != ST_U64)
            check_facts(id, values);
    }
}

static void check_sample(uint64_t *values)
{
    uint64_t plain_values[LEAVES + 2 + EXPRESSIONS];
    evaluate_nodes(values, true);
    for (int i = 0; i < nplains; i++) {
        const plain *p = &plains[i];
        uint64_t x[3] = {p->op ? plain_values[p->x] : 0, p->op ? plain_values[p->y] : 0, 0};
        plain_values[i] = p->op         ? scalar_eval(p->op, type, x)
                          : p->leaf < 0 ? p->bits
                                        : leaf_values[p->leaf];
        assert_often(plain_values[i] == values[p->folded],
                     "expression %d (%s) is %lld, folded %lld", i,
                     p->op ? ir_op_info(p->op)->name : "leaf", (long long)plain_values[i],
                     (long long)values[p->folded]);
    }
}

static void compare(scalar t)
{
    type = t;
    for (int round = 0; round < ROUNDS; round++) {
        open_world();
        while (nplains < LEAVES + EXPRESSIONS)
            add_random();
        uint64_t *values = calloc(program.nodes.len, sizeof *values);
        ck_assert(values);
        for (int i = 0; i < SAMPLES; i++)
            if (sample_leaves())
                check_sample(values);
        free(values);
        close_world();
    }
}

static void start_random(void)
{
    const char *given = getenv("SEED");
    state = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("fold: SEED=%llu\n", (unsigned long long)state);
    fflush(stdout);
}

START_TEST(folding_keeps_values)
{
    static const scalar types[] = {ST_I32, ST_I32, ST_I32, ST_I64, ST_U32, ST_I16, ST_U64};
    start_random();
    compare(types[_i]);
}
END_TEST

/* ---- the rules, one by one ---- */

static k_id thread_id, turn;

static void setup(void)
{
    type = ST_I32;
    open_world();
    thread_id = plains[THREAD].folded;
    turn = plains[FEW].folded;
}

static k_id op(opcode o, k_id x, k_id y)
{
    return kb_scalar(&b, o, x, y, 0);
}

START_TEST(multiples_leave_divisions)
{
    k_id c256 = kb_int(&b, 256), c16 = kb_int(&b, 16),
         at = kb_add(&b, thread_id, kb_mul(&b, c256, turn));
    ck_assert_uint_eq(op(SOP_REM, at, c256), thread_id);
    ck_assert_uint_eq(op(SOP_QUOT, at, c256), turn);
    ck_assert_uint_eq(op(SOP_QUOT, at, c16),
                      kb_add(&b, kb_mul(&b, turn, c16), op(SOP_QUOT, thread_id, c16)));
    ck_assert_uint_eq(op(SOP_MOD, at, c16), op(SOP_REM, thread_id, c16));
    ck_assert_uint_eq(op(SOP_QUOT, op(SOP_QUOT, at, c16), c16), turn);
    k_id wide = kb_add(&b, kb_mul(&b, thread_id, kb_int(&b, 3)), kb_int(&b, 2));
    ck_assert_uint_eq(op(SOP_QUOT, wide, kb_int(&b, 6)), op(SOP_QUOT, thread_id, kb_int(&b, 2)));
    k_id back = kb_sub(&b, kb_int(&b, 1023), thread_id);
    ck_assert_uint_eq(op(SOP_QUOT, back, c256), kb_int(&b, 3));
    ck_assert_uint_eq(op(SOP_REM, back, c256), kb_sub(&b, kb_int(&b, 255), thread_id));
}
END_TEST

START_TEST(divisions_by_extents_cancel)
{
    k_id cols = plains[COLS].folded, row = plains[ROW].folded, col = plains[COL].folded,
         one = kb_int(&b, 1);
    k_id cell = plains[CELL].folded, start = kb_mul(&b, row, cols);
    k_at(&program, start)->exact = 1; /* as lowering says of positions */
    k_state_range(&program, start, 0, INT32_MAX - MAX_EXTENT);
    k_id at = kb_add(&b, start, col);
    ck_assert_uint_eq(op(SOP_QUOT, at, cols), row);
    ck_assert_uint_eq(op(SOP_REM, at, kb_max(&b, cols, one)), col);
    k_id q = op(SOP_QUOT, cell, cols), r = op(SOP_REM, cell, cols);
    ck_assert_uint_eq(kb_add(&b, kb_mul(&b, q, cols), r), cell);
    k_id some = kb_max(&b, cols, one), by_some = op(SOP_QUOT, cell, some),
         rest = op(SOP_REM, cell, some);
    ck_assert_uint_eq(kb_add(&b, kb_mul(&b, by_some, cols), rest), cell);
    ck_assert_uint_eq(kb_lt(&b, q, plains[ROWS].folded), kb_const(&b, ST_BOOL, 1));
}
END_TEST

/* x quot max(d, 1) * d + x rem max(d, 1) is x where d is not 0, which is known of what is below a
 * multiple of d. */
START_TEST(divisions_by_what_may_be_0_stay)
{
    k_id cols = plains[COLS].folded, rows = plains[ROWS].folded, one = kb_int(&b, 1),
         zero = kb_int(&b, 0);
    k_id some = kb_max(&b, cols, one);
    k_id ends[] = {rows, kb_add(&b, plains[CELL].folded, one),
                   kb_mul(&b, rows, kb_sub(&b, cols, one))};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        k_id x = kb_param(&b, kb_open_for(&b, zero, ends[i], one, NULL, 0), 0);
        k_id whole = kb_mul(&b, op(SOP_QUOT, x, some), cols);
        ck_assert_uint_ne(kb_add(&b, whole, op(SOP_REM, x, some)), x);
    }
    k_id any = plains[ANY].folded; /* which may be negative */
    k_id whole = kb_mul(&b, op(SOP_QUOT, any, some), cols);
    ck_assert_uint_ne(kb_add(&b, whole, op(SOP_REM, any, some)), any);
}
END_TEST

/* k * c with k below n / c rounded up does not wrap, and n - k * c is an extent. */
START_TEST(chunks_stay_in_range)
{
    k_id n = plains[ROWS].folded, one = kb_int(&b, 1), c = kb_max(&b, plains[ANY].folded, one);
    k_id last = kb_max(&b, kb_sub(&b, n, one), kb_int(&b, 0));
    k_id count = kb_min(&b, kb_add(&b, op(SOP_DIV, last, c), one), n);
    k_id k = kb_param(&b, kb_open_for(&b, kb_int(&b, 0), count, one, NULL, 0), 0);
    k_id start = kb_mul(&b, k, c), back = kb_mul(&b, kb_sub(&b, kb_sub(&b, count, k), one), c);
    ck_assert(k_at(&program, start)->exact);
    ck_assert(k_at(&program, back)->exact);
    k_id last_first = kb_mul(&b, kb_sub(&b, kb_sub(&b, count, one), k), c);
    ck_assert(k_at(&program, last_first)->exact);
    ck_assert_int_eq(k_lo(&program, kb_sub(&b, n, back)), 1);
    ck_assert_int_eq(k_lo(&program, kb_sub(&b, n, last_first)), 1);
    k_id size = kb_max(&b, kb_min(&b, c, kb_sub(&b, n, start)), kb_int(&b, 0));
    ck_assert(k_at(&program, kb_add(&b, start, size))->exact);
    ck_assert(!k_at(&program, kb_mul(&b, k, plains[ANY].folded))->exact);
}
END_TEST

/* ---- powers of floats by constants ---- */

static double real_of(scalar t, uint64_t bits)
{
    return scalar_as_double(t, bits);
}

/* Equal, or both no number; of ordinary numbers within so many units in the last place. */
static void check_power(scalar t, double x, double y, double got, double units)
{
    double want = real_of(t, scalar_eval(SOP_POW, t,
                                         (uint64_t[]){scalar_from_double(t, x),
                                                      scalar_from_double(t, y), 0}));
    if (isnan(want)) {
        ck_assert_msg(isnan(got), "%g to the %g is %g", x, y, got);
        return;
    }
    bool special = !isnormal(want);
    double unit = special ? 0 : ldexp(1, ilogb(want) - (t == ST_F32 ? 23 : 52));
    ck_assert_msg(signbit(want) == signbit(got) &&
                      (!(got < want || got > want) || fabs(got - want) <= units * unit),
                  "%a to the %g is %a, not %a", x, y, got, want);
}

static void check_exponent(scalar t, double y, double units)
{
    static const double numbers[] = {0.0,  -0.0, 1,     -1,     2,     -2,     INFINITY, -INFINITY,
                                     NAN,  0.5,  -0.5,  1.1,    -1.1,  3,      1e-30,    1e30,
                                     1e4,  -1e4, 1.7e3, 0x1p-3, 1e-50, -1e-50, 1e-9,     7.25};
    type = t;
    open_world();
    k_id x = plains[ANY].folded, power = op(SOP_POW, x, kb_const(&b, t, scalar_from_double(t, y)));
    ck_assert(power && !(k_at(&program, power)->opcode == SOP_POW && y != 0.25 && y != 9));
    uint64_t *values = calloc(program.nodes.len, sizeof *values);
    ck_assert(values);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        leaf_values[ANY] = scalar_from_double(t, numbers[i]);
        leaf_values[OTHER] = leaf_values[ANY];
        evaluate_nodes(values, false);
        check_power(t, real_of(t, leaf_values[ANY]), y, real_of(t, values[power]), units);
    }
    free(values);
    close_world();
}

START_TEST(constant_powers_keep_values)
{
    static const double exponents[] = {0.5, 1, 2, 3, 4, 5, 6, 7, 8, 0.25, 9};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        check_exponent(ST_F32, exponents[i], 6);
        check_exponent(ST_F64, exponents[i], 6);
    }
}
END_TEST

Suite *fold_suite(void);

Suite *fold_suite(void)
{
    Suite *s = suite_create("fold");
    TCase *t = tcase_create("brute force");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, folding_keeps_values, 0, 7);
    suite_add_tcase(s, t);
    t = tcase_create("rules");
    tcase_add_checked_fixture(t, setup, close_world);
    tcase_add_test(t, multiples_leave_divisions);
    tcase_add_test(t, divisions_by_extents_cancel);
    tcase_add_test(t, divisions_by_what_may_be_0_stay);
    tcase_add_test(t, chunks_stay_in_range);
    suite_add_tcase(s, t);
    t = tcase_create("powers");
    tcase_add_test(t, constant_powers_keep_values);
    suite_add_tcase(s, t);
    return s;
}
