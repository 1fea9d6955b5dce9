/* The map of local memory: which arrays of kernels built by hand may share bytes, and where they
 * lie. */
#include "ir/kernel/analysis/local.h"
#include "tests/unit/kernel_world.h"

static k_id zero, tid;

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    program.name = intern_cstr(&cx.strings, "f");
    add_in(ST_I32, 0);
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    ck_assert(kb_init(&b, &program));
    kb_open_launch(&b, LEVEL_BLOCK, kb_int(&b, 1), 256);
    zero = kb_int(&b, 0);
    tid = kb_builtin(&b, AT_THREAD, 255);
}

static void teardown(void)
{
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

static k_id array_of(scalar t, int32_t n)
{
    return kb_alloc(&b, SPACE_LOCAL, t, kb_int(&b, n));
}

static k_id array(void)
{
    return array_of(ST_I32, 256);
}

static void use(k_id memory)
{
    kb_store(&b, memory, tid, kb_const(&b, (scalar)k_at(&program, memory)->type, 0));
}

static void sync_block(void)
{
    kb_sync(&b, LEVEL_BLOCK);
}

static void map_all(void)
{
    kb_close(&b, NULL, 0);
    finish();
    ck_assert(k_localmap(&program));
}

static const k_local *local_of(k_id alloc)
{
    for (uint32_t i = 0; i < program.locals.len; i++)
        if (program.locals.at[i].alloc == alloc)
            return &program.locals.at[i];
    ck_abort_msg("the array is not in the map");
    return NULL;
}

static bool share(k_id x, k_id y)
{
    const k_local *a = local_of(x), *c = local_of(y);
    uint64_t a_end = a->offset + k_local_bytes(&program, x, (k_sizes){0});
    uint64_t c_end = c->offset + k_local_bytes(&program, y, (k_sizes){0});
    return a->area == c->area && a->offset < c_end && c->offset < a_end;
}

static uint64_t bytes(void)
{
    return k_map_bytes(&program, &program.kernels.at[0], (k_sizes){0});
}

START_TEST(barrier_separates)
{
    k_id x = array(), y = array();
    use(x);
    sync_block();
    use(y);
    map_all();
    ck_assert(share(x, y));
    ck_assert_uint_eq(bytes(), 1024);
    ck_assert_uint_eq(local_of(x)->to, 1);
    ck_assert_uint_eq(local_of(y)->from, 2);
}
END_TEST

START_TEST(no_barrier)
{
    k_id x = array(), y = array();
    use(x);
    kb_sync(&b, LEVEL_WARP);
    use(y);
    map_all();
    ck_assert(!share(x, y));
    ck_assert_uint_eq(bytes(), 2048);
}
END_TEST

/* Threads of one block take either branch. */
START_TEST(branches_at_once)
{
    k_id x = array(), y = array();
    kb_open_if(&b, kb_lt(&b, tid, kb_int(&b, 7)));
    use(x);
    kb_next_block(&b, NULL, 0);
    use(y);
    kb_close(&b, NULL, 0);
    map_all();
    ck_assert(!share(x, y));
}
END_TEST

/* A barrier that only one way goes through. */
START_TEST(barrier_in_a_branch)
{
    k_id x = array(), y = array(), c = kb_lt(&b, kb_arg(&b, 0, ST_I32), zero);
    use(x);
    kb_open_if(&b, c);
    sync_block();
    kb_next_block(&b, NULL, 0);
    kb_close(&b, NULL, 0);
    use(y);
    map_all();
    ck_assert(!share(x, y));
}
END_TEST

START_TEST(barriers_in_both_branches)
{
    k_id x = array(), y = array(), c = kb_lt(&b, kb_arg(&b, 0, ST_I32), zero);
    use(x);
    kb_open_if(&b, c);
    sync_block();
    kb_next_block(&b, NULL, 0);
    sync_block();
    kb_close(&b, NULL, 0);
    use(y);
    map_all();
    ck_assert(share(x, y));
}
END_TEST

/* The next turn's x may be written while a thread is still at this turn's y. */
START_TEST(around_the_loop)
{
    k_id loop = kb_open_for(&b, zero, kb_arg(&b, 0, ST_I32), kb_int(&b, 1), NULL, 0), x = array(),
         y = array();
    ck_assert_uint_ne(loop, 0);
    use(x);
    sync_block();
    use(y);
    kb_close(&b, NULL, 0);
    map_all();
    ck_assert(!share(x, y));
}
END_TEST

START_TEST(barrier_at_the_end_of_turns)
{
    kb_open_for(&b, zero, kb_arg(&b, 0, ST_I32), kb_int(&b, 1), NULL, 0);
    k_id x = array(), y = array();
    use(x);
    sync_block();
    use(y);
    sync_block();
    kb_close(&b, NULL, 0);
    map_all();
    ck_assert(share(x, y));
}
END_TEST

/* Arrays from outside a loop keep their elements from turn to turn. */
START_TEST(lives_through_the_loop)
{
    k_id x = array(), y = array();
    kb_open_for(&b, zero, kb_arg(&b, 0, ST_I32), kb_int(&b, 1), NULL, 0);
    use(x);
    sync_block();
    use(y);
    sync_block();
    kb_close(&b, NULL, 0);
    map_all();
    ck_assert(!share(x, y));
}
END_TEST

/* A loop that may run no turn has no barrier on the way past it; one that runs has. */
static bool share_past(k_id turns)
{
    k_id x = array(), y = array();
    use(x);
    kb_open_for(&b, zero, turns, kb_int(&b, 1), NULL, 0);
    sync_block();
    kb_close(&b, NULL, 0);
    use(y);
    map_all();
    return share(x, y);
}

START_TEST(loop_without_turns)
{
    ck_assert(!share_past(kb_arg(&b, 0, ST_I32)));
}
END_TEST

START_TEST(loop_with_turns)
{
    ck_assert(share_past(kb_int(&b, 3)));
}
END_TEST

/* The condition of a while runs once more than its body. */
static bool share_in_while(bool sync_in_condition, bool sync_in_body)
{
    kb_open_while(&b, &zero, 1);
    k_id x = array(), y = array(), c = kb_lt(&b, kb_arg(&b, 0, ST_I32), zero);
    use(x);
    if (sync_in_condition)
        sync_block();
    kb_next_block(&b, &c, 1);
    use(y);
    if (sync_in_body)
        sync_block();
    kb_close(&b, &zero, 1);
    map_all();
    return share(x, y);
}

START_TEST(while_with_both)
{
    ck_assert(share_in_while(true, true));
}
END_TEST

START_TEST(while_with_one)
{
    ck_assert(!share_in_while(true, false));
}
END_TEST

START_TEST(while_with_other)
{
    ck_assert(!share_in_while(false, true));
}
END_TEST

/* 16 KB, then 8 KB and 8 KB at once, lie in 16 KB; offsets suit wide accesses. */
START_TEST(small_ones_under_a_large_one)
{
    k_id x = array_of(ST_I32, 1024), y = array_of(ST_F64, 251), z = array_of(ST_U8, 2001);
    use(x);
    sync_block();
    use(y);
    use(z);
    map_all();
    ck_assert(share(x, y) && share(x, z) && !share(y, z));
    ck_assert_uint_eq(bytes(), 4096);
    ck_assert_uint_eq(local_of(z)->offset % 16, 0);
    ck_assert_uint_eq(k_map_fullest(&program, &program.kernels.at[0], (k_sizes){0}), 1);
}
END_TEST

/* Sizes that only the launch knows share whole areas, with their like before others. */
START_TEST(sizes_of_the_launch)
{
    k_id n = kb_arg(&b, 0, ST_I32), m = kb_arg(&b, 1, ST_I32);
    k_id x = kb_alloc(&b, SPACE_LOCAL, ST_I32, n), y = kb_alloc(&b, SPACE_LOCAL, ST_I32, m);
    k_id z = kb_alloc(&b, SPACE_LOCAL, ST_F32, m);
    use(x);
    use(y);
    sync_block();
    use(z);
    map_all();
    ck_assert(local_of(z)->area == local_of(y)->area && local_of(x)->area != local_of(y)->area);
    ck_assert_uint_eq(program.kernels.at[0].nareas, 2);
}
END_TEST

/* A bounded size becomes its bound as long as that is small. */
START_TEST(bounded_sizes)
{
    k_id n = kb_dim(&b, 0, 0), small = kb_min(&b, n, kb_int(&b, 500)),
         large = kb_min(&b, n, kb_int(&b, 5000));
    k_id x = kb_alloc(&b, SPACE_LOCAL, ST_I32, small);
    int64_t count;
    ck_assert_uint_ne(large, small);
    use(x);
    map_all();
    ck_assert(k_is_const(&program, k_at(&program, x)->args[0], &count) && count == 500);
}
END_TEST

START_TEST(large_bounds_stay)
{
    k_id x = kb_alloc(&b, SPACE_LOCAL, ST_I32, kb_min(&b, kb_dim(&b, 0, 0), kb_int(&b, 5000)));
    int64_t count;
    use(x);
    map_all();
    ck_assert(!k_is_const(&program, k_at(&program, x)->args[0], &count));
}
END_TEST

Suite *localmap_suite(void);
Suite *localmap_suite(void)
{
    Suite *s = suite_create("localmap");
    TCase *t = tcase_create("map");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, barrier_separates);
    tcase_add_test(t, no_barrier);
    tcase_add_test(t, branches_at_once);
    tcase_add_test(t, barrier_in_a_branch);
    tcase_add_test(t, barriers_in_both_branches);
    tcase_add_test(t, around_the_loop);
    tcase_add_test(t, barrier_at_the_end_of_turns);
    tcase_add_test(t, lives_through_the_loop);
    tcase_add_test(t, loop_without_turns);
    tcase_add_test(t, loop_with_turns);
    tcase_add_test(t, while_with_both);
    tcase_add_test(t, while_with_one);
    tcase_add_test(t, while_with_other);
    tcase_add_test(t, small_ones_under_a_large_one);
    tcase_add_test(t, sizes_of_the_launch);
    tcase_add_test(t, bounded_sizes);
    tcase_add_test(t, large_bounds_stay);
    suite_add_tcase(s, t);
    return s;
}
