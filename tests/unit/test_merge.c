/* Merging of accesses: random straight-line programs over two memories do the same before and
 * after, and where neighbours may be merged, they are. */
#include "ir/kernel/pass/pass.h"
#include "ir/kernel/build/build.h"
#include "ir/kernel/pass/pass.h"
#include "ir/scalar/scalar.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 96, THREAD = 3, ARGUMENT = 5, STATEMENTS = 40, PROGRAMS = 400 };

static fcl_context cx;
static ir_module module;
static k_program program;
static k_builder b;
static k_id memories[2], bases[2];
static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* ---- a world ---- */

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
}

static void teardown(void)
{
    ir_module_release(&module);
    context_release(&cx);
}

/* Opens a kernel with a global and a local memory, an index that is a multiple of 16, and one of
 * which nothing is known. */
static void begin(void)
{
    ck_assert(k_init(&program, &cx));
    program.target.facts.warp_size = 32;
    program.target.tuning.block_size = 64;
    ck_assert(kb_init(&b, &program));
    k_id size = kb_int(&b, CELLS);
    memories[0] = kb_alloc(&b, SPACE_GLOBAL, ST_I32, size);
    kb_open_launch(&b, LEVEL_BLOCK, kb_int(&b, 1), 64);
    memories[1] = kb_alloc(&b, SPACE_LOCAL, ST_I32, size);
    bases[0] = kb_mul(&b, kb_builtin(&b, AT_THREAD, 63), kb_int(&b, 16));
    bases[1] = kb_arg(&b, 0, ST_I32);
}

static void end(void)
{
    kb_close(&b, NULL, 0);
    kb_end(&b);
    ck_assert(!b.failed);
    kb_release(&b);
}

static k_id place(int base, int c)
{
    return kb_add(&b, bases[base], kb_int(&b, c));
}

static uint32_t count(k_op op)
{
    uint32_t n = 0;
    for (k_id l = k_block_at(&program, program.host)->first; l; l = k_at(&program, l)->next)
        for (k_id id = k_block_at(&program, k_at(&program, l)->blocks[0])->first; id;
             id = k_at(&program, id)->next)
            n += k_at(&program, id)->op == op;
    return n;
}

/* ---- running it ---- */

typedef struct machine {
    uint64_t *values;
    int32_t cells[2][CELLS];
    k_id memory[2];
} machine;

static int32_t *cell(machine *m, const k_node *n, uint32_t lanes)
{
    int64_t at = (int64_t)m->values[n->args[1]];
    ck_assert(at >= 0 && at + lanes <= CELLS);
    ck_assert_int_eq(at % lanes, 0);
    return &m->cells[n->args[0] == m->memory[1]][at];
}

static void run_node(machine *m, k_id id)
{
    const k_node *n = k_at(&program, id);
    uint64_t x[3] = {m->values[n->args[0]], m->values[n->args[1]], 0};
    switch ((k_op)n->op) {
    case K_CONST: m->values[id] = n->bits; break;
    case K_ARG: m->values[id] = ARGUMENT; break;
    case K_BUILTIN: m->values[id] = THREAD; break;
    case K_SCALAR: m->values[id] = scalar_eval((opcode)n->opcode, ST_I32, x); break;
    case K_ALLOC: m->memory[n->space == SPACE_LOCAL] = id; break;
    case K_LOAD: m->values[id] = (uint64_t)(int64_t)*cell(m, n, 1); break;
    case K_STORE: *cell(m, n, 1) = (int32_t)m->values[n->args[2]]; break;
    case K_LOADWIDE:
        for (uint32_t i = 0; i < n->nresults; i++)
            m->values[n->results + i] = (uint64_t)(int64_t)cell(m, n, n->nresults)[i];
        break;
    case K_STOREWIDE:
        for (uint32_t i = 0; i < n->nlist; i++)
            cell(m, n, n->nlist)[i] = (int32_t)m->values[k_listed(&program, n, i)];
        break;
    default: break;
    }
}

static void run_block(machine *m, k_block block)
{
    for (k_id id = k_block_at(&program, block)->first; id; id = k_at(&program, id)->next) {
        run_node(m, id);
        if (k_at(&program, id)->blocks[0])
            run_block(m, k_at(&program, id)->blocks[0]);
    }
}

static void run(machine *m)
{
    *m = (machine){.values = calloc(program.nodes.len, sizeof(uint64_t))};
    for (int i = 0; i < 2 * CELLS; i++)
        m->cells[i / CELLS][i % CELLS] = i * i;
    run_block(m, program.host);
    free(m->values);
}

/* ---- random programs ---- */

static void random_statement(k_id *values, uint32_t *n)
{
    k_id memory = memories[below(2)], at = place(below(4) == 0, (int)below(12));
    uint32_t what = below(16);
    if (what == 0) {
        kb_sync(&b, LEVEL_BLOCK);
    } else if (what < 9) {
        values[(*n)++] = kb_load(&b, memory, at);
    } else if (what < 15) {
        kb_store(&b, memory, at, kb_mul(&b, values[below(*n)], values[below(*n)]));
    } else {
        k_id stmt = kb_load_wide(&b, memory, place(0, 4 * (int)below(3)), 4);
        values[(*n)++] = kb_result(&b, stmt, below(4));
    }
}

START_TEST(random_programs_do_the_same)
{
    uint32_t wide = 0;
    const char *given = getenv("SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    state = seed;
    for (int i = 0; i < PROGRAMS; i++) {
        k_id values[STATEMENTS + 1] = {0};
        uint32_t n = 1;
        machine before, after;
        begin();
        values[0] = kb_int(&b, 7);
        for (int s = 0; s < STATEMENTS; s++)
            random_statement(values, &n);
        end();
        run(&before);
        uint32_t there = count(K_LOADWIDE);
        ck_assert(k_merge(&program));
        run(&after);
        wide += count(K_LOADWIDE) + count(K_STOREWIDE) > there;
        if (memcmp(before.cells, after.cells, sizeof before.cells) != 0)
            ck_abort_msg("program %d of SEED=%llu differs", i, (unsigned long long)seed);
        k_release(&program);
    }
    ck_assert_uint_gt(wide, 10);
}
END_TEST

/* ---- what is merged ---- */

static void load_four(int base, int from)
{
    k_id sum = kb_int(&b, 0);
    for (int i = 3; i >= 0; i--)
        sum = kb_add(&b, sum, kb_load(&b, memories[0], place(base, from + i)));
    kb_store(&b, memories[1], bases[0], sum);
}

static void merge(uint32_t loads, uint32_t wide_loads, uint32_t stores, uint32_t wide_stores)
{
    end();
    ck_assert(k_merge(&program));
    ck_assert_uint_eq(count(K_LOAD), loads);
    ck_assert_uint_eq(count(K_LOADWIDE), wide_loads);
    ck_assert_uint_eq(count(K_STORE), stores);
    ck_assert_uint_eq(count(K_STOREWIDE), wide_stores);
    k_release(&program);
}

START_TEST(loads_are_merged_where_aligned)
{
    begin();
    load_four(0, 4);
    merge(0, 1, 1, 0);
    begin();
    load_four(0, 2); /* two halves */
    merge(0, 2, 1, 0);
    begin();
    load_four(0, 1); /* the middle two */
    merge(2, 1, 1, 0);
    begin();
    load_four(1, 0);
    merge(4, 0, 1, 0);
}
END_TEST

/* Two neighbours, of which the second is found by adding before the sum is made wider. */
static void load_two(k_id x)
{
    k_id first = kb_convert(&b, ST_I64, kb_mul(&b, x, kb_int(&b, 2)));
    k_id second = kb_convert(&b, ST_I64, kb_add(&b, kb_mul(&b, x, kb_int(&b, 2)), kb_int(&b, 1)));
    k_id sum = kb_add(&b, kb_load(&b, memories[0], first), kb_load(&b, memories[0], second));
    kb_store(&b, memories[1], bases[0], sum);
}

START_TEST(sums_that_do_not_wrap_are_made_wider)
{
    begin();
    load_two(kb_builtin(&b, AT_THREAD, 63));
    merge(0, 1, 1, 0);
    begin();
    load_two(bases[1]); /* which may be half of 2^31 - 1, and more */
    merge(2, 0, 1, 0);
}
END_TEST

START_TEST(stores_are_merged)
{
    begin();
    for (int i = 0; i < 8; i++)
        kb_store(&b, memories[i % 2], place(0, i / 2), kb_int(&b, i));
    merge(0, 0, 0, 2);
    begin();
    for (int i = 0; i < 4; i++) { /* the second store to an element is what remains */
        kb_store(&b, memories[0], place(0, i), kb_int(&b, i));
        kb_store(&b, memories[0], place(0, i), kb_int(&b, i + 1));
    }
    merge(0, 0, 0, 1);
}
END_TEST

START_TEST(nothing_passes_what_it_depends_on)
{
    begin();
    k_id x = kb_load(&b, memories[0], place(0, 0));
    kb_store(&b, memories[0], place(1, 0), x);
    kb_store(&b, memories[0], place(1, 1), kb_load(&b, memories[0], place(0, 1)));
    merge(2, 0, 2, 0);
    begin();
    x = kb_load(&b, memories[0], place(0, 0));
    kb_sync(&b, LEVEL_BLOCK);
    kb_store(&b, memories[1], bases[0], kb_add(&b, x, kb_load(&b, memories[0], place(0, 1))));
    merge(2, 0, 1, 0);
    begin();
    for (int i = 0; i < 4; i++) {
        kb_store(&b, memories[0], place(0, i), kb_int(&b, i));
        kb_store(&b, memories[0], place(1, i), kb_int(&b, i)); /* perhaps the same element */
    }
    merge(0, 0, 8, 0);
}
END_TEST

START_TEST(what_is_loaded_twice_is_loaded_once)
{
    begin();
    k_id wide =
        kb_load_wide(&b, memories[0], bases[1], 4); /* says that the argument is a multiple of 4 */
    k_id sum = kb_add(&b, kb_result(&b, wide, 1), kb_load(&b, memories[0], place(1, 2)));
    sum = kb_add(&b, sum, kb_load(&b, memories[0], place(1, 4)));
    sum = kb_add(&b, sum, kb_load(&b, memories[0], place(1, 5)));
    kb_store(&b, memories[1], bases[0], sum);
    merge(0, 2, 1, 0);
    begin();
    sum = kb_add(&b, kb_load(&b, memories[0], bases[1]), kb_load(&b, memories[0], bases[1]));
    kb_store(&b, memories[1], bases[0], sum);
    merge(1, 0, 1, 0);
}
END_TEST

Suite *merge_suite(void);

Suite *merge_suite(void)
{
    Suite *s = suite_create("merge");
    TCase *t = tcase_create("merge");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, random_programs_do_the_same);
    tcase_add_test(t, loads_are_merged_where_aligned);
    tcase_add_test(t, sums_that_do_not_wrap_are_made_wider);
    tcase_add_test(t, stores_are_merged);
    tcase_add_test(t, nothing_passes_what_it_depends_on);
    tcase_add_test(t, what_is_loaded_twice_is_loaded_once);
    suite_add_tcase(s, t);
    return s;
}
