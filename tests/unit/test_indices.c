/* Positions of 32 and of 64 bits: the programs of tests/indices give the same with both, and passes
 * that compare indices do not take elements for neighbours that are 2^32 apart. */
#include "tests/unit/kernel_world.h"
#include "tests/unit/simulated.h"

/* ---- whole programs ---- */

/* A kernel on matrices of one shape, with positions chosen at each launch, and with either kind. */
static void run_kernel(fcl_module *m, const char *entry, const uint64_t *dims, bool may_fail)
{
    job j = job_open(m, entry, dims);
    for (unsigned bits = 0; bits <= 64; bits += 32) {
        fcl_compile_options o = some_options();
        o.index_bits = bits;
        o.vector_bytes = some(2) ? 16 : 1;
        describe(&j, entry, dims, &o);
        run_once(&j, may_fail, &o);
    }
    job_close(&j);
}

/* Every kernel of a file. */
static void run_file(const char *name, bool may_fail)
{
    size_t size;
    char *text = read_text(name, &size);
    fcl_context *c = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(c, name, text, size, NULL);
    ck_assert_msg(m && fcl_module_check(m), "%s: %s", name, fcl_diagnostic_text(c, 0));
    start_seed();
    for (size_t i = 0; i < fcl_kernel_count(m); i++)
        for (int k = 0; k < 6; k++) {
            uint64_t rows = k == 0 ? 0 : 1 + some(k < 4 ? 12 : 70),
                     cols = k == 1 ? 0 : 1 + some(k < 4 ? 70 : 12);
            run_kernel(m, fcl_kernel_name(m, i), (uint64_t[MAX_RANK]){rows, cols, 1 + some(9)},
                       may_fail || k < 2);
        }
    fcl_module_destroy(m);
    fcl_context_destroy(c);
    free(text);
}

START_TEST(programs)
{
    run_file("tests/indices/kernels.fclir", false);
}
END_TEST

START_TEST(large_programs_on_small_matrices)
{
    run_file("tests/indices/large.fclir", true); /* not every number is an index */
}
END_TEST

/* ---- passes ---- */

static k_id far, memory;

/* A launch over a memory of bytes, which is far too large for positions of 32 bits. */
static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    program.target.facts.warp_size = 32;
    program.target.tuning.block_size = 64;
    ck_assert(kb_init(&b, &program));
    far = kb_const(&b, ST_I64, (uint64_t)1 << 32);
    memory = kb_alloc(&b, SPACE_GLOBAL, ST_I32, kb_const(&b, ST_I64, (uint64_t)1 << 40));
    kb_open_launch(&b, LEVEL_GRID, kb_int(&b, 1), 64);
}

static void teardown(void)
{
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

static void end(void)
{
    kb_close(&b, NULL, 0);
    kb_end(&b);
    ck_assert(!b.failed);
    kb_release(&b);
}

static uint32_t count(k_op op)
{
    uint32_t n = 0;
    for (k_id id = 1; id < program.nodes.len; id++)
        n += k_at(&program, id)->op == op;
    return n;
}

/* Stores to x and, `by` elements on, to the next ones. */
static void store_pair(k_id x, k_id by)
{
    kb_store(&b, memory, x, kb_int(&b, 5));
    kb_store(&b, memory, kb_add(&b, x, by), kb_int(&b, 6));
}

START_TEST(neighbours_are_merged)
{
    store_pair(kb_mul(&b, kb_convert(&b, ST_I64, kb_builtin(&b, AT_GROUP, MAX_EXTENT)), far),
               kb_const(&b, ST_I64, 1));
    end();
    ck_assert(k_merge(&program));
    ck_assert_uint_eq(count(K_STOREWIDE), 1);
}
END_TEST

START_TEST(far_elements_are_not_merged)
{
    store_pair(kb_mul(&b, kb_convert(&b, ST_I64, kb_builtin(&b, AT_GROUP, MAX_EXTENT)), far),
               kb_add(&b, far, kb_int(&b, 1)));
    store_pair(kb_arg(&b, 0, ST_I64), kb_const(&b, ST_I64, INT64_MAX - 1));
    end();
    ck_assert(k_merge(&program));
    ck_assert_uint_eq(count(K_STOREWIDE), 0);
    ck_assert_uint_eq(count(K_STORE), 4);
}
END_TEST

/* Element i of a loop is stored at i * scale. */
static void store_scaled(k_id scale)
{
    k_id par = kb_open_par(&b, OVER_GRID, kb_const(&b, ST_I64, 4096)), i = kb_param(&b, par, 0);
    ck_assert_int_eq(k_at(&program, i)->type, ST_I64);
    kb_store(&b, memory, kb_mul(&b, i, scale), kb_int(&b, 7));
    kb_close(&b, NULL, 0);
    end();
    ck_assert(k_widen(&program));
}

START_TEST(neighbours_are_widened)
{
    store_scaled(kb_const(&b, ST_I64, 1));
    ck_assert_uint_ge(count(K_STOREWIDE), 1); /* and on trial */
}
END_TEST

START_TEST(far_elements_are_not_widened)
{
    store_scaled(kb_add(&b, far, kb_int(&b, 1)));
    ck_assert_uint_eq(count(K_STOREWIDE), 0);
}
END_TEST

/* Memory for the threads of more groups than an int counts is more than there can be. */
START_TEST(own_memory_of_many_threads)
{
    k_id par = kb_open_par(&b, OVER_GRID, kb_const(&b, ST_I64, (uint64_t)1 << 42)),
         at = kb_int(&b, 0);
    k_id own = kb_alloc(&b, SPACE_PRIVATE, ST_U8, kb_int(&b, 1000));
    kb_store(&b, own, at, kb_const(&b, ST_U8, 3));
    kb_store(&b, memory, kb_param(&b, par, 0), kb_convert(&b, ST_I32, kb_load(&b, own, at)));
    kb_close(&b, NULL, 0);
    end();
    ck_assert(k_virtualise(&program));
    int64_t size = 0;
    for (k_id id = 1; id < program.nodes.len; id++)
        if (k_at(&program, id)->op == K_ALLOC && k_at(&program, id)->type == ST_U8)
            ck_assert(k_is_const(&program, k_at(&program, id)->args[0], &size));
    ck_assert_int_eq(size, INT32_MAX);
}
END_TEST

Suite *indices_suite(void);

Suite *indices_suite(void)
{
    Suite *s = suite_create("indices");
    TCase *whole = tcase_create("programs"), *passes = tcase_create("passes");
    tcase_set_timeout(whole, 300);
    tcase_add_test(whole, programs);
    tcase_add_test(whole, large_programs_on_small_matrices);
    tcase_add_checked_fixture(passes, setup, teardown);
    tcase_add_test(passes, neighbours_are_merged);
    tcase_add_test(passes, far_elements_are_not_merged);
    tcase_add_test(passes, neighbours_are_widened);
    tcase_add_test(passes, far_elements_are_not_widened);
    tcase_add_test(passes, own_memory_of_many_threads);
    suite_add_tcase(s, whole);
    suite_add_tcase(s, passes);
    return s;
}
