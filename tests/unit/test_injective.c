/* Proofs that no two elements go to one position, against brute force: whatever is said of random
 * positions, all elements of small arrays are counted.  And the forms that are to be seen. */
#include "ir/kernel/algebra/algebra.h"
#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"
#include "tests/unit/kernel_world.h"
#include "tests/unit/often.h"
#include "tests/unit/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORLDS = 120, VALUES = 90, SAMPLES = 5, MOST = 9, SEEN = 512 };

static uint64_t state;
static k_id pool[VALUES], outer, inner, rows, cols, some_number, places;
static uint32_t npool;

static uint32_t some(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static k_id op(opcode o, k_id x, k_id y)
{
    return kb_scalar(&b, o, x, y, 0);
}

static k_id number(int32_t x)
{
    return kb_int(&b, x);
}

static k_id loop_below(k_id n)
{
    return kb_param(&b, kb_open_for(&b, number(0), n, number(1), NULL, 0), 0);
}

static void open_world(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    ck_assert(kb_init(&b, &program));
    rows = kb_dim(&b, 0, 0);
    cols = kb_dim(&b, 1, 0);
    places = kb_dim(&b, 2, 0);
    k_state_range(&program, rows, 0, 1000);
    k_state_range(&program, cols, 0, 1000);
    some_number = kb_arg(&b, 3, ST_I32);
    ck_assert(kb_open_launch(&b, LEVEL_GRID, number(1), 256));
}

static void open_loops(k_id n, k_id m)
{
    outer = loop_below(n);
    inner = loop_below(m);
}

static void close_world(void)
{
    kb_release(&b);
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

static const char *proof(const k_id *at, uint32_t rank)
{
    k_id vars[2] = {outer, inner}, shape[2] = {places, places};
    return ka_proves_injective(&b, at, shape, rank, vars, 2, 0, 0);
}

/* ---- forms that are to be seen ---- */

static bool seen(k_id at)
{
    return proof(&at, 1) != NULL;
}

static void setup(void)
{
    open_world();
}

START_TEST(mixed_radix)
{
    open_loops(rows, cols);
    k_id plain = op(SOP_ADD, op(SOP_MUL, outer, cols), inner),
         back = op(SOP_SUB, cols, op(SOP_ADD, inner, number(1)));
    k_id pair[2] = {outer, inner}, one[2] = {outer, outer};
    ck_assert(proof(pair, 2) && !proof(one, 2));
    ck_assert(seen(plain));
    ck_assert(seen(op(SOP_ADD, op(SOP_MUL, inner, rows), outer)));
    ck_assert(seen(op(SOP_ADD, op(SOP_MUL, outer, cols), back)));
    ck_assert(!seen(op(SOP_ADD, op(SOP_MUL, outer, rows), inner)));
    ck_assert(!seen(op(SOP_ADD, outer, inner)));
    ck_assert(!seen(inner));
}
END_TEST

START_TEST(short_last_parts)
{
    k_id c = op(SOP_MAX, cols, number(1));
    outer = loop_below(rows);
    inner = loop_below(kb_min(&b, c, kb_sub(&b, rows, kb_mul(&b, outer, c))));
    ck_assert(seen(op(SOP_ADD, op(SOP_MUL, outer, c), inner)));
    ck_assert(!seen(op(SOP_ADD, op(SOP_MUL, outer, number(3)), inner)));
}
END_TEST

/* One array behind the other. */
START_TEST(a_longer_last_part)
{
    outer = loop_below(number(2));
    inner = loop_below(kb_select(&b, kb_lt(&b, outer, number(1)), rows, cols));
    ck_assert(seen(op(SOP_ADD, op(SOP_MUL, outer, rows), inner)));
    ck_assert(!seen(op(SOP_ADD, op(SOP_MUL, outer, cols), inner)));
    ck_assert(seen(op(SOP_ADD, op(SOP_MUL, inner, number(2)), outer)));
}
END_TEST

START_TEST(bits)
{
    open_loops(number(2), number(8));
    k_id low = op(SOP_AND, inner, number(3)), high = op(SOP_SHR, inner, number(2));
    k_id butterfly = op(SOP_OR, op(SOP_OR, op(SOP_SHL, high, number(3)), low),
                        op(SOP_SHL, outer, number(2)));
    ck_assert(seen(butterfly));
    ck_assert(seen(op(SOP_XOR, butterfly, number(5))));
    ck_assert(seen(op(SOP_XOR, butterfly, some_number)));
    ck_assert(!seen(op(SOP_OR, butterfly, number(4))));
    k_id reversed = number(0);
    for (int i = 0; i < 3; i++)
        reversed = op(SOP_OR, reversed,
                      op(SOP_SHL, op(SOP_AND, op(SOP_SHR, inner, number(i)), number(1)),
                         number(2 - i)));
    ck_assert(seen(op(SOP_OR, reversed, op(SOP_SHL, outer, number(3)))));
    ck_assert(!seen(op(SOP_OR, reversed, op(SOP_SHL, outer, number(2)))));
}
END_TEST

START_TEST(butterflies_of_any_distance)
{
    k_id p = op(SOP_MAX, cols, number(1));
    open_loops(number(2), rows);
    k_id high = op(SOP_QUOT, inner, p), low = op(SOP_REM, inner, p), twice = op(SOP_MUL, p, number(2));
    ck_assert(seen(op(SOP_ADD, op(SOP_MUL, high, twice),
                      op(SOP_ADD, low, op(SOP_MUL, outer, p)))));
    ck_assert(!seen(op(SOP_ADD, op(SOP_MUL, high, p), op(SOP_ADD, low, op(SOP_MUL, outer, p)))));
}
END_TEST

START_TEST(rotations)
{
    open_loops(number(1), rows);
    k_state_range(&program, some_number, 0, 1000);
    k_id at = op(SOP_ADD, inner, some_number);
    ck_assert(seen(op(SOP_MOD, at, rows)));
    ck_assert(seen(kb_select(&b, kb_lt(&b, at, rows), at, kb_sub(&b, at, rows))));
    ck_assert(seen(op(SOP_SUB, rows, inner)));
    ck_assert(!seen(op(SOP_MOD, at, cols)));
    ck_assert(!seen(op(SOP_QUOT, inner, number(2))));
}
END_TEST

/* The even places, then the odd ones. */
START_TEST(choices)
{
    open_loops(number(1), rows);
    k_id h = op(SOP_QUOT, rows, number(2)), less = kb_sub(&b, inner, h),
         first = op(SOP_MUL, inner, number(2)), second = op(SOP_MUL, less, number(2)),
         first_half = kb_lt(&b, inner, h);
    ck_assert(seen(kb_select(&b, first_half, first, op(SOP_ADD, second, number(1)))));
    ck_assert(!seen(kb_select(&b, first_half, first, second)));
    ck_assert(!seen(kb_select(&b, first_half, inner, less)));
}
END_TEST

/* ---- random forms ---- */

static k_id any(void)
{
    return pool[some(npool)];
}

/* A digit or all of a variable, one way or the other round. */
static k_id part(void)
{
    k_id v = some(2) ? outer : inner, c = some(3) ? number(1 << some(4)) : some(2) ? cols : rows;
    switch (some(8)) {
    case 0: return op(SOP_QUOT, v, c);
    case 1: return op(SOP_REM, v, c);
    case 2: return op(SOP_XOR, v, number((int32_t)some(9)));
    case 3: return op(SOP_SUB, c, v);
    case 4: return op(SOP_SHR, v, number((int32_t)some(3)));
    case 5: return op(SOP_AND, v, number((int32_t)some(12)));
    case 6: return any();
    default: return v;
    }
}

static k_id factor(void)
{
    switch (some(4)) {
    case 0: return cols;
    case 1: return rows;
    default: return number((int32_t)some(10) - 2);
    }
}

static k_id form(void)
{
    static const opcode plain[] = {SOP_ADD, SOP_SUB, SOP_XOR, SOP_OR,  SOP_AND, SOP_MUL,
                                   SOP_REM, SOP_MOD, SOP_DIV, SOP_MIN, SOP_MAX, SOP_QUOT};
    k_id x = part(), y = part(), c = factor();
    switch (some(8)) {
    case 0: return kb_select(&b, kb_lt(&b, some(2) ? x : inner, c), y, any());
    case 1: return op(SOP_REM, op(SOP_ADD, x, c), factor());
    case 2: return op(SOP_OR, op(SOP_SHL, x, number((int32_t)some(4))), y);
    case 3: return op(plain[some(12)], any(), any());
    case 4:
        return kb_select(&b, kb_lt(&b, inner, c), op(SOP_MUL, inner, number(2)),
                         op(SOP_ADD, op(SOP_MUL, kb_sub(&b, inner, c), number(2)), number(1)));
    default: return op(SOP_ADD, op(SOP_MUL, x, c), y);
    }
}

static k_id some_length(void)
{
    switch (some(5)) {
    case 0: return rows;
    case 1: return cols;
    case 2: return op(SOP_MIN, rows, cols);
    default: return number(1 + (int32_t)some(MOST - 1));
    }
}

static void add_forms(void)
{
    k_id c = op(SOP_MAX, cols, number(1));
    outer = loop_below(some_length());
    k_id left = kb_max(&b, kb_min(&b, c, kb_sub(&b, rows, kb_mul(&b, outer, c))), number(0));
    k_id length = some(4) == 0   ? left
                  : some(5) == 0 ? kb_select(&b, kb_lt(&b, outer, number(1)), rows, cols)
                                 : some_length();
    inner = loop_below(length);
    pool[npool++] = outer;
    pool[npool++] = inner;
    pool[npool++] = some_number;
    pool[npool++] = op(SOP_ADD, kb_mul(&b, outer, c), inner);
    while (npool < VALUES)
        pool[npool] = form(), npool++;
}

/* The values of all nodes for one element; operands come before their users. */
static void evaluate(uint64_t *values, const int64_t *given)
{
    for (k_id id = 1; id < program.nodes.len; id++) {
        const k_node *n = k_at(&program, id);
        uint64_t x[3] = {values[n->args[0]], values[n->args[1]], values[n->args[2]]};
        scalar t = (scalar)k_at(&program, n->args[n->opcode == SOP_SELECT])->type;
        if (n->op == K_CONST)
            values[id] = n->bits;
        else if (n->op == K_SCALAR)
            values[id] = scalar_eval((opcode)n->opcode, t, x);
        else if (n->op == K_CONVERT)
            values[id] = scalar_convert((scalar)n->type, t, x[0]);
        else if (n->op == K_DIM || n->op == K_ARG)
            values[id] = (uint64_t)given[n->leaf];
        else if (id == outer)
            values[id] = (uint64_t)given[4];
        else if (id == inner)
            values[id] = (uint64_t)given[5];
    }
}

/* Positions inside [0, extent) that were met, of one or two axes. */
static bool is_met(uint64_t *met, uint64_t x, uint64_t y, uint64_t extent)
{
    uint64_t at = x * extent + y;
    bool again = met[at / 64] >> at % 64 & 1;
    met[at / 64] |= (uint64_t)1 << at % 64;
    return again;
}

static bool is_injective(const k_id *at, uint32_t rank, const int64_t *sample, uint64_t *values)
{
    static uint64_t met[SEEN * SEEN / 64];
    int64_t given[6];
    uint64_t extent = (uint64_t)sample[2];
    k_id n = k_below(&program, outer), m = k_below(&program, inner);
    memset(met, 0, sizeof met);
    memcpy(given, sample, sizeof given);
    for (given[4] = 0, given[5] = 0; evaluate(values, given), given[4] < (int64_t)values[n];
         given[4]++) {
        for (given[5] = 0; evaluate(values, given), given[5] < (int64_t)values[m]; given[5]++) {
            uint64_t x = values[at[0]], y = rank > 1 ? values[at[1]] : 0;
            if (x < extent && y < extent && is_met(met, x, y, extent))
                return false;
        }
        given[5] = 0;
    }
    return true;
}

/* Whether it is injective for all samples; what is said to be has to be. */
static void check_form(const k_id *at, uint32_t rank, uint64_t *values, uint32_t *proved)
{
    const char *why = proof(at, rank);
    *proved += why != NULL;
    for (int i = 0; i < SAMPLES && why; i++) {
        int64_t sample[6] = {some(MOST), some(MOST), some(SEEN), (int64_t)some(40) - 9, 0, 0};
        assert_often(is_injective(at, rank, sample, values),
                     "%%%u is said to be injective (%s), and is not for %lld %lld of %lld, %lld",
                     at[0], why, (long long)sample[0], (long long)sample[1], (long long)sample[2],
                     (long long)sample[3]);
    }
}

START_TEST(what_is_said_is_true)
{
    const char *given = getenv("SEED");
    uint32_t proved = 0, worlds = (uint32_t)share_of(WORLDS);
    state = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("injective: SEED=%llu\n", (unsigned long long)state);
    fflush(stdout);
    for (uint32_t i = 0; i < worlds; i++) {
        open_world();
        npool = 0;
        add_forms();
        uint64_t *values = calloc(program.nodes.len, sizeof *values);
        ck_assert(values);
        for (uint32_t k = 0; k < npool; k++) {
            k_id two[2] = {pool[k], any()};
            check_form(two, 1, values, &proved);
            check_form(two, 2, values, &proved);
        }
        free(values);
        close_world();
    }
    ck_assert_uint_gt(proved, worlds);
}
END_TEST

Suite *injective_suite(void);
Suite *injective_suite(void)
{
    Suite *s = suite_create("injective");
    TCase *forms = tcase_create("forms"), *random = tcase_create("random");
    tcase_add_checked_fixture(forms, setup, close_world);
    tcase_add_test(forms, mixed_radix);
    tcase_add_test(forms, short_last_parts);
    tcase_add_test(forms, a_longer_last_part);
    tcase_add_test(forms, bits);
    tcase_add_test(forms, butterflies_of_any_distance);
    tcase_add_test(forms, rotations);
    tcase_add_test(forms, choices);
    tcase_add_test(random, what_is_said_is_true);
    tcase_set_timeout(random, 60);
    suite_add_tcase(s, forms);
    suite_add_tcase(s, random);
    return s;
}
